#!/bin/sh
# python.sh [long] - the example package for Python
#
#     sh tests/uses/python.sh                      from the project's root
#     PYTHON=build/venv/bin/python sh tests/uses/python.sh
#
# Makes a virtual environment, installs a copy of examples/python there with
# pip, which compiles with ${CC:-cc}, and runs python_*.py of this folder: on
# NumPy, on what is refused, on how it works, and on arrays of TensorFlow,
# PyTorch, JAX, Arrow and pandas. Packages that $PYTHON has are
# taken from there. Builds a wheel and a source distribution, runs ten_lines.py
# and mosaic.py, and sees the tests fail on copies with a mistake in them. With
# `long` there are more random cases, and ten_lines.py takes times.
#
# Needs Python 3.9 with venv, a C compiler, and pip's index for setuptools (and
# NumPy, where $PYTHON has none). Works in a folder of its own under build/ and
# removes it.

# shellcheck disable=SC1091,SC2010,SC2034
. tests/lib/lib.sh
LC_ALL=C; export LC_ALL
CC=${CC:-cc}; export CC
PYTHON=${PYTHON:-python3}
PYTHONDONTWRITEBYTECODE=1; export PYTHONDONTWRITEBYTECODE
PIP_DISABLE_PIP_VERSION_CHECK=1; export PIP_DISABLE_PIP_VERSION_CHECK
PIP_ROOT_USER_ACTION=ignore; export PIP_ROOT_USER_ACTION
unset PYTHONPATH PYTHONHOME
cases=800 long=
if [ "${1:-}" = long ]; then cases=30000 long=long; fi

leave() { skip python "$1"; tally python; exit; }

have "$PYTHON" || leave "no $PYTHON"
have "$CC" || leave "no C compiler"
"$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null ||
    leave 'no Python of 3.9 or later'

root=$(pwd)
mkdir -p build 2>/dev/null
T=$(mktemp -d "$root/build/python.XXXXXX" 2>/dev/null || mktemp -d) || exit 1
trap 'rm -rf "$T"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
log=$T/log; about='python: '
TMPDIR=$T; export TMPDIR

# A copy, so that nothing is written among the sources.
mkdir -p "$T/tree/examples" "$T/dist"
cp ndgather.h "$T/tree"
cp -R examples/python examples/data "$T/tree/examples"
P=$T/tree/examples/python
files() { (cd "$P" && find . ! -name __pycache__ ! -name '*.pyc' | sort); }
before=$(files)

# ---- the text itself --------------------------------------------------------

tidy examples/python/*.* examples/python/src/*.c \
    examples/python/src/ndgather/*.py tests/uses/python*
for c in $CC gcc clang-19; do
    if ! have "$c"; then skip "python: shim.c with $c" "not installed"
    elif [ "$c" = "$CC" ] && [ "$c" != gcc ]; then :
    else
        how=-O2
        case $c in clang*) how=-fsyntax-only ;; esac
        # shellcheck disable=SC2086
        check "warnings of $c" "$c" $strict_c $how -fPIC -I. \
            -c examples/python/src/shim.c -o "$T/shim.o"
    fi
done

# ---- installing -------------------------------------------------------------

"$PYTHON" -m venv "$T/venv" >"$log" 2>&1 ||
    leave "no venv: $(tail -n 1 "$log")"
V=$T/venv/bin/python
site=$("$V" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
"$PYTHON" -c 'import sysconfig; print(sysconfig.get_path("purelib"))' \
    >"$site/beside.pth"
if ! "$V" -c 'import numpy' 2>/dev/null &&
    ! limit 120 "$V" -m pip install -q numpy >"$log" 2>&1; then
    leave 'no numpy, and pip cannot get it'
fi
if ! limit 120 "$V" -m pip install -q 'setuptools>=77' >"$log" 2>&1; then
    leave 'no setuptools, and pip cannot get it'
fi

# refused WHAT LINE COMMAND...: pip fails, says this, and leaves nothing.
refused() {
    what=$1 line=$2
    shift 2
    if "$@" >"$log" 2>&1; then no "$what" 'pip succeeds'
    elif grep -qF "$line" "$log"; then ok
    else no "$what" "no line <$line>"; tail -n 5 "$log"; fi
    is "$what: nothing is left" '' "$(ls "$site" 2>&1 |
        grep -i '^ndgather\|^ls:')"
}
offline() { "$V" -m pip install --no-build-isolation --no-deps "$@"; }
mv "$T/tree/ndgather.h" "$T/away.h"
refused 'without the header' 'setup.py: no ndgather.h here' offline "$P"
mv "$T/away.h" "$T/tree/ndgather.h"
refused 'without a compiler' \
    'setup.py: no C compiler: /nowhere/cc is not there: install gcc or clang' \
    env CC=/nowhere/cc \
    "$V" -m pip install --no-build-isolation --no-deps "$P"
sed 's/has_news(const/has_news(costn/' "$P/src/shim.c" >"$T/bad.c"
cp "$T/bad.c" "$P/src/shim.c"
refused 'what does not compile' 'error:' offline "$P"
cp examples/python/src/shim.c "$P/src/shim.c"

# what git sees after an editable install, and after python -m build
git_says() {
    is "$1" '' "$(cd "$T/tree" && git status --porcelain 2>&1)"
}
if [ "$long" ] && have git && (cd "$T/tree" && git init -q && git add . &&
    git -c user.name=x -c user.email=x@x commit -qm x) >"$log" 2>&1; then
    check 'pip install -e' "$V" -m pip install --no-build-isolation --no-deps \
        -e "$P"
    check 'it works' "$V" -c '
import ndgather, sys
assert ndgather.__file__.startswith(sys.argv[1]), ndgather.__file__
assert ndgather.gather([1, 2], [1]).tolist() == [2]' "$P"
    git_says 'git after pip install -e'
    if "$V" -m pip install -q build >"$log" 2>&1; then
        (cd "$T/tree" && git clean -fdxq) >"$log" 2>&1
        check 'python -m build' "$V" -m build --no-isolation "$P"
        is 'what it makes' 2 "$(ls "$P/dist" | grep -c 'whl$\|tar.gz$')"
        git_says 'git after python -m build'
    fi
    rm -rf "$P/dist" "$P"/src/*.egg-info "$P"/src/ndgather/_ndgather.*
elif [ "$long" ]; then skip "python: pip install -e" "no git"; fi

check 'pip install' "$V" -m pip install "$P" || { tally python; exit; }
is 'the sources after it' "$before" "$(files)"
header=$("$V" -c 'import ndgather; print(ndgather.__version__)' 2>&1)
is 'the version' "$(sed -n 's/^.* - v\([0-9.]*\) - .*/\1/p; 1q' ndgather.h)" \
    "$header"
if "$V" -c 'import mypy' 2>/dev/null; then
    check 'type hints' "$V" -m mypy --strict --cache-dir "$T/mypy" \
        "$P/src/ndgather"
else
    skip 'python: type hints' 'no mypy'
fi

# ---- wheel and source distribution ------------------------------------------

# shellcheck disable=SC2012
if (cd "$P" && "$V" -c 'from setuptools import build_meta as b
b.build_sdist("'"$T/dist"'")') >"$log" 2>&1; then
    ok
    rm -rf "$P/src/ndgather.egg-info"
    is 'the sources after an sdist' "$before" "$(files)"
    for f in ndgather.h src/shim.c src/ndgather/py.typed README.md; do
        is "sdist: $f" 1 "$(tar tzf "$T"/dist/*.tar.gz |
            grep -c "^ndgather-$header/$f\$")"
    done
    # far from the project's root
    check 'a wheel of it' "$V" -m pip wheel -q --no-build-isolation --no-deps \
        -w "$T/dist" "$T"/dist/*.tar.gz
else
    no sdist "$(tail -n 1 "$log")"
fi
wheel=$(cd "$T/dist" && ls ./*.whl 2>/dev/null)
case $wheel in
./ndgather-"$header"-py3-none-*.whl) ok ;;
*) no 'name of the wheel' "$wheel" ;;
esac
check 'its contents' "$V" - "$T/dist/$wheel" <<'END'
import sys, zipfile
z = zipfile.ZipFile(sys.argv[1])
names = z.namelist()
assert {"ndgather/_ndgather.so", "ndgather/py.typed",
        "ndgather/__init__.py"} <= set(names), names
meta = z.read([n for n in names if n.endswith("/METADATA")][0]).decode()
for line in ("Name: ndgather", "Requires-Python: >=3.9",
             "License-Expression: MIT-0 OR Unlicense",
             "Requires-Dist: numpy>=1.23", "Classifier: Typing :: Typed"):
    assert line in meta.splitlines(), line
assert "help(ndgather)" in meta
END
# A block that imports what is not there is left out.
check 'lines of Python in pages' "$V" - "$T" "$root/README.md" \
    "$root/examples/README.md" "$root/examples/python/README.md" <<'END'
import doctest, importlib, os, re, sys
tried = 0
os.chdir(sys.argv[1])
for page in sys.argv[2:]:
    with open(page, encoding="utf-8") as f:
        for block in re.findall("^```python\n(.*?)^```", f.read(), re.M | re.S):
            names = ",".join(re.findall("^>>> import (.*)", block, re.M))
            try:
                for name in filter(None, names.split(",")):
                    importlib.import_module(name.split()[0])
            except ImportError:
                continue
            test = doctest.DocTestParser().get_doctest(block, {}, page, page, 0)
            result = doctest.DocTestRunner().run(test)
            assert not result.failed
            tried += result.attempted
assert tried >= 5, tried
END
check 'the wheel elsewhere' "$V" -m pip install -q --no-deps \
    --target "$T/elsewhere" "$T/dist/$wheel"
check 'the wheel works' env PYTHONPATH="$T/elsewhere" "$V" -c '
import ndgather, sys
assert ndgather.__file__.startswith(sys.argv[1]), ndgather.__file__
assert ndgather.gather([1, 2], [1]).tolist() == [2]' "$T/elsewhere"

# ---- the tests in Python ----------------------------------------------------

# suite FILE ARGUMENT...: adds its last line up; a skip is told.
suite() {
    suite_file=$1
    shift
    limit 600 "$V" "tests/uses/python_$suite_file.py" "$@" >"$T/said" 2>"$log"
    suite_rc=$?
    grep '^skip: ' "$T/said"
    if [ -n "$(sed -n '$s/^skip: .*//p' "$T/said")" ] ||
        { [ $suite_rc = 0 ] && [ "$(wc -l <"$T/said")" = 1 ] &&
          grep -q '^skip: ' "$T/said"; }; then return; fi
    sum=$(tail -n 1 "$T/said" | sed -n \
        's/^python_[a-z ]*: \([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p')
    if [ -z "$sum" ]; then
        no "$suite_file $*" "ends with $suite_rc"
        tail -n 5 "$log"
        return
    fi
    sed '$d' "$T/said" | grep -v '^skip: '
    tail -n 1 "$T/said"
    passed=$((passed + ${sum% *})); failed=$((failed + ${sum#* }))
}
suite numpy 1 $cases
suite numpy 2 $((cases / 4)) steps
suite refusals
suite behaviour "$T"
suite long ${long:-quick}
for library in numpy torch tensorflow jax pyarrow pandas; do
    suite door $library
done

# broken FILE EDIT SUITE ARGUMENT...: a copy with this mistake fails the suite.
broken() {
    file=$1 edit=$2 script=$3
    shift 3
    rm -rf "$T/copy"
    mkdir "$T/copy"
    cp -R "$site/ndgather" "$T/copy"
    edited "$site/ndgather/$file" "$T/copy/ndgather/$file" "$edit"
    if PYTHONPATH=$T/copy limit 60 "$V" "tests/uses/python_$script.py" "$@" \
        >"$log" 2>&1; then no "$edit" "passes $script"
    else ok; fi
}
broken _shim.py 's/library = ctypes.CDLL/library = ctypes.PyDLL/' behaviour "$T"
broken _arrays.py 's/return \[a.ndim, 1, \*a.shape, \*a.strides\]/a = a.copy()\
    return [a.ndim, 0, *a.shape]/' behaviour "$T"
broken _ops.py 's/or -rank/or 0/' refusals
broken _ops.py 's/to\[...\] = before/pass/' refusals
broken _ops.py 's/if POLICIES.policy. == "error" and not new:/if False:/' \
    refusals
broken _ops.py 's/_threads.split(slots, n))/_threads.split(slots - 1, n))/' \
    numpy 1 400
broken _threads.py 's/rows \* (w + 1)/rows * (w + 1) - (w == 0)/' behaviour "$T"
broken _report.py 's/at.append(rest)/at.append(position)/' numpy 1 400
broken _threads.py 's/^            first = until/&+1/' \
    numpy 2 300 steps
if [ "$long" ]; then
    broken _threads.py 's/ self.stop = True/ pass/' long
    broken _threads.py 's/if os.getpid() != process and/if False and/' long
    broken _threads.py 's/^_FIRST_STEP = .*/_FIRST_STEP = 1 << 60/' long
    broken _progress.py 's/self.say(self.rows, self.rows)/pass/' long
fi
broken _arrays.py 's/not s.a.flags.writeable/False/' refusals
broken _arrays.py 's/np.shares_memory(outs/False and (outs/' refusals
broken _door.py 's/untyped=not kinds and/untyped=False and/' refusals
broken _fill.py 's/^        raise _NoFit$/        pass/' refusals

# ajar LIBRARY EDIT...: the door with each of these states let in.
ajar() {
    library=$1
    shift
    if [ "$library" != numpy ] && ! [ "$long" ]; then return; fi
    "$V" -c "import $library" 2>/dev/null || return 0
    for edit; do broken _door.py "$edit" door "$library"; done
}
ajar numpy 's/if isinstance(x, np.ma.MaskedArray)/if False/' \
    's/if type(x) not in _PLAIN/if False/' \
    's/if dtype.hasobject or dtype.kind in "OT"/if False/' \
    's/if kind is not None and a.dtype != kind/if False/' \
    's/kind = np.dtype(kind)/kind = np.dtype("i8")/' \
    's/if x is None:/if False:/' 's/if _inexact(opened)/if False/' \
    's/if not kinds & set("fc")/if False/' \
    's/if len(kinds - set("biufc")) > .*/if False:/'
ajar torch 's/"__torch_dispatch__", None) is not/"", None) is not/' \
    's/if x.requires_grad and/if False and/' 's/if x.is_nested/if False/' \
    's/if x.layout is not .*/if False:/' 's/if x.is_quantized/if False/' \
    's/if x.device.type != "cpu"/if False/' 's/if x.is_conj()/if False/' \
    's/if getattr(x, "is_neg".*/if False:/' \
    's/ahead.unpack_dual(x).tangent is not None/False/' \
    's/    if not x.numel():/    if True:/'
ajar tensorflow 's/or kind.is_complex)/or True)/' \
    's/if not hasattr(x, "__array__") or kind is None/if False/' \
    's/if not hasattr(x, "__dlpack_device__"):/if False:/'
ajar jax 's/if any(kind.__name__ == "Tracer"/if any(False/' \
    's/if not isinstance(x, jax.Array)/if False/' \
    's/if x.is_deleted()/if False/' 's/if len(x.devices()) != 1/if False/' \
    's/if not isinstance(x.dtype, np.dtype)/if False/'
ajar pyarrow 's/if x.null_count:/if False:/' 's/if x.num_chunks > 1/if False/' \
    's/if isinstance(x, (arrow.Table.*/if False:/' \
    's/if getattr(x.type, "tz", None) is not None/if False/' \
    's/zero_copy_only=True/zero_copy_only=False/'
ajar pandas 's/if not isinstance(kind, np.dtype)/if False/' \
    's/if len(kinds) > 1/if False/'

# ---- ten_lines.py and mosaic.py ---------------------------------------------

# run FILE ARGUMENT...: sets rc, so (stdout) and se (stderr)
run() {
    file=$1
    shift
    so=$(cd "$P" && "$V" "$file" "$@" 2>"$T/se" </dev/null); rc=$?
    se=$(cat "$T/se")
}
run ten_lines.py check
is 'ten_lines check: status' 0 "$rc"
is 'ten_lines check: stderr' '' "$se"
is 'ten_lines check: lines' 10 "$(printf '%s\n' "$so" | grep -c '^# [0-9]')"
is 'ten_lines check: end' 'all results are the same' \
    "$(printf '%s\n' "$so" | tail -n 1)"
run ten_lines.py now
is 'ten_lines now' '1 usage: ten_lines.py [check]' "$rc $se"
if [ "$long" ]; then
    run ten_lines.py
    is 'ten_lines: status' 0 "$rc"
    printf '%s\n' "$so"
fi

run mosaic.py "$T/planet.png"
is 'mosaic: status' 0 "$rc"
is 'mosaic: stderr' '' "$se"
if grep -q 'mosaic\.py' examples/README.md; then
    is 'mosaic: lines' "$(sed -n '/^\$ .*mosaic\.py/,/^```/p' \
        examples/README.md | sed '1d;$d')" "$so"
else skip 'python: what mosaic prints' 'not in examples/README.md'; fi
is 'mosaic: last line' '2354 tiles of 1797 digits; 4126 cells are space' \
    "$(printf '%s\n' "$so" | tail -n 1)"
# The bytes that zlib makes of it may vary, the picture may not.
check 'mosaic: the picture' "$V" tests/lib/png.py same "$T/planet.png" \
    examples/gallery/python.png
run mosaic.py a b
is 'mosaic a b' '1 usage: mosaic.py [OUT.png]' "$rc $se"
run mosaic.py "$T/nowhere/planet.png"
is 'mosaic, no folder' "1 mosaic: [Errno 2] No such file or directory: \
'$T/nowhere/planet.png.part'" "$rc $se"
# shellcheck disable=SC3045
so=$(ulimit -f 10 && cd "$P" && "$V" mosaic.py "$T/big.png" 2>&1 >/dev/null)
is 'mosaic, no room' '1 mosaic: [Errno 27] File too large' "$? $so"
is 'mosaic, no room: files' '' "$(ls "$T" | grep '^big')"
head -c 5000 "$T/tree/examples/data/digits.npy" >"$T/short"
cp "$T/short" "$T/tree/examples/data/digits.npy"
run mosaic.py "$T/short.png"
is 'mosaic, a short file: status' 1 "$rc"
is 'mosaic, a short file: lines' 1 \
    "$(printf '%s\n' "$se" | grep -c '^mosaic: ')"
is 'mosaic, a short file: stdout' '' "$so"
is 'mosaic, a short file: no picture' '' "$(ls "$T/short.png" 2>/dev/null)"
rm "$T/tree/examples/data/digits.npy"
run mosaic.py
is 'mosaic, no file' 1 "$(printf '%s\n' "$se" |
    grep -c '^mosaic: .*No such file')"

tally python
