"""setup.py - builds the package; what does not change is in pyproject.toml.

    pip install examples/python              from the project's root

src/shim.c becomes a shared library of plain C, which needs a C compiler but not
Python's headers, and serves every version of Python: so a wheel is named
py3-none-PLATFORM. The header is the one at the project's root; a source
distribution carries a copy of it. What is built on the way lies in a folder
that is removed, so the sources stay as they are and may be read-only.
"""
import atexit
import os
import re
import shutil
import sys
import tempfile

from setuptools import Extension, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext
from setuptools.command.sdist import sdist

HERE = os.path.dirname(os.path.abspath(__file__))
SUFFIX = ".dll" if sys.platform == "win32" else ".so"


def header_folder():
    """Where ndgather.h is: here, in a source distribution, or at the root."""
    for folder in (HERE, os.path.join(HERE, "..", "..")):
        if os.path.exists(os.path.join(folder, "ndgather.h")):
            return folder
    sys.exit("setup.py: no ndgather.h here or two folders above: install from "
             "the whole project, with a pip of 21.3 or later")


def version(folder):
    """The header's own."""
    with open(os.path.join(folder, "ndgather.h"), encoding="ascii") as f:
        text = f.read(65536)
    return ".".join(re.search(r"#define NDG_VERSION_%s (\d+)" % part,
                              text).group(1)
                    for part in ("MAJOR", "MINOR", "PATCH"))


class BuildLibrary(build_ext):
    """A library under its plain name, without Python's entry point."""

    def get_ext_filename(self, name):
        return os.path.join(*name.split(".")) + SUFFIX

    def get_export_symbols(self, ext):
        return []

    def build_extension(self, ext):
        if self.compiler.compiler_type != "msvc":
            name = self.compiler.compiler_so[0]
            if shutil.which(name) is None:
                sys.exit("setup.py: no C compiler: %s is not there: install "
                         "gcc or clang, or name yours by CC=" % name)
            ext.extra_compile_args += ["-std=c99", "-O2", "-g0",
                                       "-fvisibility=hidden"]
        super().build_extension(ext)


class AnyPython(bdist_wheel):
    """A wheel for every Python 3 on this platform."""

    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


class WithHeader(sdist):
    """A source distribution with the header in it."""

    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, files)
        shutil.copy(os.path.join(header_folder(), "ndgather.h"), base_dir)


def out_of_the_way():
    """Options that keep the sources clean, but for an sdist, which lists its
    files relative to them."""
    if "sdist" in sys.argv:
        return {}
    folder = tempfile.mkdtemp(prefix="ndgather-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return {"build": {"build_base": folder}, "egg_info": {"egg_base": folder}}


INCLUDE = header_folder()
setup(
    version=version(INCLUDE),
    package_dir={"": "src"},
    packages=["ndgather"],
    package_data={"ndgather": ["py.typed"]},
    ext_modules=[Extension("ndgather._ndgather", ["src/shim.c"],
                           include_dirs=[INCLUDE],
                           depends=[os.path.join(INCLUDE, "ndgather.h")])],
    cmdclass={"build_ext": BuildLibrary, "bdist_wheel": AnyPython,
              "sdist": WithHeader},
    options=out_of_the_way(),
)
