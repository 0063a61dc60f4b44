"""mutate.py - how many changes of one token the tests notice.

    python3 tests/mutation/mutate.py [cuda] [COUNT [SEED]]    100 and 1; 0: all
    python3 tests/mutation/mutate.py [cuda] list      where they would be
    python3 tests/mutation/mutate.py [cuda] known     those that are excused
    python3 tests/mutation/mutate.py cuda faults      of tests/cuda/cuda_faults.list

A mutant is a header with one thing changed in its code, inline functions among
the declarations and all: a relation (< to <=, == to !=), an operator (+ to -,
&& to ||), a constant (1 to 0, other ones to one more, the length of an array to
one less), or a statement left out.

All are compiled at once, each asleep until the tests are run with its number
(schemata.py): ndgather.h in seven ways, the fast engine, the same with all
arrays far, the small one, all three also under ASan and UBSan, the fast one
without registers of several numbers; test_counts holds its own. With `cuda`
ndgather_cuda.cuh, by what it launches and on the emulator, as it is, under the
race checker and under ASan. Those that cannot lie beside others (an enum's
value) are compiled one by one. A mutant meets the tests that reach it, the
quickest first; the first that fails, crashes or hangs has noticed.

What no test notices is compiled by itself: if CC makes of it the same object as
of the original, in every way, or refuses it, it is none, and not counted. (Of
an inline function the callers' objects would tell, so that is not looked at.)
survivors.txt (with `cuda` survivors_cuda.txt) names the others and why their
results are right; any that it does not name fails, and so does one that is
named there and noticed.

They are tried in an order drawn by hash. With SECONDS in the environment none
is begun after so many: those that were are such a sample, and counted as one.
With SINCE, a commit, those are tried that are of lines changed since: all.
All take hours: how far it is goes to standard error, and what has been found
stays in build/mutation, so that the next run goes on from there as long as the
header, the tests and the compiler are the same.

Needs gcc 12, `cuda` g++ too. Makes build/mutation; report there says who has
noticed which. Run from the root. Last line: mutation: N passed, N failed.
"""
import hashlib
import json
import multiprocessing
import os
import re
import resource
import shutil
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import schemata                                             # noqa: E402

HERE = "tests/mutation"
SAN = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]
FAR = ["-DNDGI_FAR_BYTES=0", "-DNDGI_HUGE_BYTES=512",
       "-DNDGI_STREAM_BYTES=0"]
# Variables that are not initialized hold this in the far engine and under ASan;
# in the others what happens to be there. Either may show that one is read.
PATTERN = "-ftrivial-auto-var-init=pattern"
B = "build/mutation"
ALL, PLAIN = B + "/all", B + "/plain"


class Library:
    """ndgather.h: engines as objects, and the C tests linked with them."""
    header, survivors = "ndgather.h", HERE + "/survivors.txt"
    begin, head = "NDG_INLINE ndg_shape ndg_dims(", schemata.HEAD_C
    implementation = "#if defined(NDGATHER_IMPLEMENTATION)"
    auto = "__auto_type"
    folders = ["lib", "library"]
    compiler = [os.environ.get("CC", "gcc"), "-w", "-x", "c"]
    fast = ["-DNDG_SMALL=0"]
    far = fast + FAR + [PATTERN]
    engines = {"fast": fast, "far": far, "small": ["-DNDG_SMALL=1"],
               "lane": fast + ["-DNDGI_SIMD=0"],
               "asan": fast + [PATTERN] + SAN, "far-asan": far + SAN,
               "small-asan": ["-DNDG_SMALL=1", PATTERN] + SAN}
    tests = {"test_tables": "fast small", "test_api": "fast small",
             "test_cover_most": "fast",
             "test_hostile_gather": "fast small asan small-asan",
             "test_hostile_partition": "fast small asan small-asan",
             "test_hostile_common": "fast small asan small-asan",
             "test_drawn": "fast far small",
             "test_loops": "fast lane far asan far-asan",
             "test_scatter": "fast far small", "test_change": "fast small",
             "test_report": "fast asan", "test_cases": "fast small",
             "test_oracle": "fast far small",
             # which hold an engine of their own
             "test_counts": "own", "test_cover_stream": "own",
             "test_moving": "own"}
    arguments = {}
    environment = {}

    def sources(self, engine):
        """What an engine's object is made of: arguments of the compiler."""
        return ["-DNDGATHER_IMPLEMENTATION", "{}/ndgather.h"
                ] + self.engines[engine]

    def program(self, folder, test, engine):
        """The commands that build a test, linked with an engine's object. What
        has been compiled for another engine is taken as it is."""
        san = SAN if "asan" in engine else []
        flags = ["-DTEST_STOPS", "-DORACLE_CASES=12000", "-DNDG_SMALL=0"] + san
        source = ["-O1", "-I" + folder,
                  "%s/tests/library/%s.c" % (folder, test)] + flags
        if engine == "own":
            return [self.compiler + source]
        name = "%s/%s.%s.o" % (folder, test, "asan" if san else "plain")
        link = [self.compiler[0], name, "%s/%s.o" % (folder, engine)] + san
        if os.path.exists(name):
            return [link]
        return [self.compiler + source + ["-DTEST_LINKED", "-c", "-o", name],
                link]


class Companion:
    """ndgather_cuda.cuh: the tests that include it, on the emulator."""
    header, survivors = "ndgather_cuda.cuh", HERE + "/survivors_cuda.txt"
    begin, head = "#if defined(__CUDACC__) ||", schemata.HEAD_CXX
    implementation = begin
    auto = "auto"
    folders = ["lib", "cuda"]
    compiler = [os.environ.get("CXX", "g++"), "-w", PATTERN, "-std=c++11",
                "-x", "c++", "-include", "tests/cuda/emul/cuda_emul.h"]
    engines = {"test_cuda": [], "test_cuda_cover": []}
    tests = {"test_cuda_launch": "emul", "test_cuda_cover": "emul asan",
             "test_cuda": "emul race asan"}
    arguments = {"emul": ["60"], "race": ["30"], "asan": ["30"]}
    environment = {"test_cuda": {"EMU_HALT": "1"}}
    race = ["-fsanitize=thread", "-DEMU_EXTERN", "-DEMU_RACE"]

    def sources(self, engine):
        return ["{}/tests/cuda/%s.cpp" % engine]

    def program(self, folder, test, engine):
        name, core = "%s/%s.%s.o" % (folder, test, engine), B + "/core.o"
        compile = self.compiler + ["-DTEST_STOPS", "-O1", "-c", "-o", name,
                                   "%s/tests/cuda/%s.cpp" % (folder, test)]
        link = [self.compiler[0], name]
        if engine == "emul":
            return [compile, link]
        if engine == "asan":        # of few digits: where their arrays end
            few = ["-DNDG_CUDA_DIGIT_BITS=4"] if test == "test_cuda" else []
            return [compile + SAN + few, link + SAN]
        commands = [compile + self.race,
                    link + ["-Wl,--wrap=memcpy,--wrap=memset", core]]
        if folder == ALL:               # it must not be instrumented
            commands.insert(0, self.compiler + [
                "-O2", "-DEMU_RACE", "-c", "/dev/null", "-o", core])
        return commands


what = Library()
SWAPS = [(" < ", " <= "), (" <= ", " < "), (" > ", " >= "), (" >= ", " > "),
         (" == ", " != "), (" != ", " == "), (" + ", " - "), (" - ", " + "),
         (" * ", " + "), (" / ", " * "), (" % ", " / "), (" && ", " || "),
         (" || ", " && "), (" & ", " | "), (" | ", " & "), (" << ", " >> "),
         (" >> ", " << "), ("++", "--"), ("--", "++"), (" += ", " -= "),
         (" -= ", " += "), (" |= ", " &= ")]


# What is before a number in the length of an array that is declared.
LENGTH = re.compile(r"\s*(typedef struct \w+ \{ )?((static|const|char|unsigned|"
                    r"u?int\w*_t|ptrdiff_t|NDGI_SHARED|ndgi?_\w+)[ *]+)+"
                    r"(const )?(\w+(\[[^]]*\])*, )*\w+(\[[^]]*\])*\[[^]]*$")


def another(number, before):
    """What a constant becomes. An array that is longer holds as much, and any
    number but 0 is yes: neither would be noticed."""
    if LENGTH.match(before):
        return number + (1 if before.endswith("- ") else -1)
    return 0 if number == 1 else number + 1


def hidden(text):
    """The text with comments, strings and characters blanked out."""
    def blank(m):
        return re.sub(r"[^\n]", " ", m.group())
    return re.sub(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\])+\'', blank,
                  text, flags=re.S)


def places(text):
    """All mutants: (where, old, new), in order."""
    begin = text.index(what.begin)
    code = hidden(text)
    end = code.rindex("#endif")
    found, at, directive = [], 0, False
    for line in code.split("\n"):
        here, at = at, at + len(line) + 1
        begins = re.match(r"\s*#\s*(\w*)", line)
        skipped = directive or begins           # of #define the other lines
        directive = line.endswith("\\") and (
            begins.group(1) != "define" if begins else directive)
        if here < begin or here > end or skipped:
            continue
        for old, new in SWAPS:
            for m in re.finditer(re.escape(old), line):
                if "*" in old and re.search(r"\b(const|char|int\d*_t|ptrdiff_t|"
                                            r"ndgi?_\w+|void) $",
                                            line[:m.start() + 1]):
                    continue                        # a declaration
                found.append((here + m.start(), old, new))
        for m in re.finditer(r"(?<![\w.])\d+(?![\w.])", line):
            found.append((here + m.start(), m.group(), str(
                another(int(m.group()), line[:m.start()]))))
        m = re.match(r"( +)(?!return|else|if|for|while|do|case|break|continue|"
                     r"goto|const|static|typedef|void |int |ptrdiff_t |"
                     r"u?int\w*_t |size_t |ndg)([A-Za-z_*(][^;{}]*)(;)$", line)
        if m and re.match(r"NDGI_SHARED|(\w+(<[^=]*>)?[ *&]+)+\w+"
                          r"(\[\w*\])*(,| =)", m.group(2)):
            continue                                # a declaration
        if m and ("=" in m.group(2) or "(" in m.group(2)):
            before = code[:here].rstrip()
            if before.endswith((";", "}", "{", ":")):
                found.append((here + len(m.group(1)), m.group(2), ""))
    return found


# What has not been tried, when no more time is left.
UNTRIED = "untried"
deadline = float("inf")


def run(command, seconds, **more):
    """The exit status; 124 after so many seconds."""
    try:
        return subprocess.run(command, timeout=seconds,
                              stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, **more).returncode
    except subprocess.TimeoutExpired:
        return 124


def compiled(folder, engine):
    """An engine's object of a folder's header, that does not name the folder;
    whether there is one."""
    return run(what.compiler + ["-O1", "-fmacro-prefix-map=%s=." % folder,
                                "-c", "-o", "%s/%s.o" % (folder, engine)]
               + [s.format(folder) for s in what.sources(engine)], 900) == 0


def copy_tests(folder):
    """The tests, beside the header that they are to be built with."""
    shutil.rmtree(folder, ignore_errors=True)
    for name in what.folders:
        shutil.copytree("tests/" + name, "%s/tests/%s" % (folder, name))
    shutil.copy("ndgather.h", folder)


def build(folder, test, engine):
    """One test as a program in a folder; whether it can be built."""
    commands = what.program(folder, test, engine)
    commands[-1] += ["-o", "%s/%s.%s" % (folder, test, engine)]
    return not any(run(c, 900) for c in commands)


def plain_engines():
    """Those without a sanitizer: if they are the same, all are."""
    return [e for e in what.engines if "asan" not in e]


def all_programs():
    return [(t, e) for t in what.tests for e in what.tests[t].split()]


def limits():
    resource.setrlimit(resource.RLIMIT_AS, (12 << 30, 12 << 30))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def command_of(folder, program):
    path = os.path.abspath("%s/%s.%s" % ((folder,) + program))
    return [path] + what.arguments.get(program[1], [])


def look(folder, program, number, seconds):
    """The status of a program, with a mutant at work."""
    return run(command_of(folder, program), seconds,
               preexec_fn=None if "asan" in program[1] else limits,
               env=dict(os.environ, MUTANT=str(number),
                        **what.environment.get(program[0], {})))


def said(program, status):
    return "%s, %s%s" % (program + (", which hangs" if status == 124 else "",))


def wrong_lines(engine):
    """The lines that the compiler does not take. A name that is missing is
    mostly missing for what is wrong before, so that comes first."""
    said = subprocess.run(
        what.compiler + ["-fsyntax-only", "-fmax-errors=0"]
        + [s.format(ALL) for s in what.sources(engine)],
        env=dict(os.environ, LC_ALL="C"),
        stderr=subprocess.PIPE, universal_newlines=True).stderr
    wrong = set()
    for number, error in re.findall(re.escape(what.header) +
                                    r":(\d+):\d+: error: (.*)", said):
        missing = re.search("not declared|not been declared|not name a type|"
                            "no member|no arguments", error)
        if missing and wrong:
            break
        wrong.add(int(number))
        if missing:
            break
    return wrong


def together(text, every, chosen):
    """Of the chosen, those that can be asleep in one source; it lies there. Of
    a line that the compiler does not take first the constants go."""
    code, asleep = hidden(text), sorted(chosen)
    lines = [text.count("\n", 0, at) + 1 for at, _, _ in every]
    while True:
        with open(ALL + "/" + what.header, "w") as f:
            f.write(schemata.source(text, code, every, asleep, what))
        wrong = set().union(*(wrong_lines(e) for e in what.engines))
        if not wrong:
            return asleep
        for n in wrong - {lines[k] for k in asleep}:
            wrong |= set(range(n, n + 4))       # the line before, or one after
        constants = {lines[k] for k in asleep if every[k][1].isdigit()}
        fewer = [k for k in asleep if lines[k] not in wrong or (
            lines[k] in constants and not every[k][1].isdigit())]
        if len(fewer) == len(asleep):
            sys.exit("mutation: cannot be compiled, near line %d" % min(wrong))
        asleep = fewer


class Found:
    """What has been found by the same header, tests and compiler: a line of
    build/mutation/found-... for each mutant, as soon as it is known."""

    def __init__(self):
        inputs = hashlib.sha256(subprocess.check_output(
            [what.compiler[0], "--version"]))
        names = [what.header, "ndgather.h", HERE + "/mutate.py",
                 HERE + "/schemata.py"]
        for folder in what.folders:
            for at, _, files in os.walk("tests/" + folder):
                names += [at + "/" + f for f in files]
        for name in sorted(names):
            inputs.update(open(name, "rb").read())
        os.makedirs(B, exist_ok=True)
        self.name = "%s/found-%s" % (B, inputs.hexdigest()[:16])
        self.lines = []
        if os.path.exists(self.name):
            self.lines = [json.loads(s) for s in open(self.name)
                          if s.endswith("\n")]

    def by(self, work):
        """{mutant: by whom} of what one kind of work has found."""
        return {k: by for w, k, by in self.lines if w == work.__name__}

    def add(self, work, k, by):
        if by != UNTRIED:
            with open(self.name, "a") as f:
                f.write(json.dumps([work.__name__, k, by]) + "\n")


def in_parallel(work, jobs, add=None):
    """The results in order, each added as it comes; says now and then how many
    there are."""
    results, said_at = [], time.time()
    with multiprocessing.Pool(os.cpu_count()) as pool:
        for result in pool.imap(work, jobs):
            if add:
                add(work, jobs[len(results)][0] - 1, result)
            results.append(result)
            if time.time() > said_at + 60:
                said_at = time.time()
                print("mutation: %s: %d of %d" % (work.__name__, len(results),
                                                  len(jobs)), file=sys.stderr)
    return results


def make_engine(engine):
    return compiled(ALL, engine)


def make_programs(test):
    return all(build(ALL, test, e) for e in what.tests[test].split())


def try_original(program):
    """What a test takes, and the mutants that it comes by."""
    reached = "%s/%s.%s.reached" % ((ALL,) + program)
    if run(command_of(ALL, program), 600, env=dict(os.environ,
                                                   REACHED=reached)):
        return None
    start = time.time()
    if look(ALL, program, 0, 600):
        return None
    return time.time() - start, open(reached, "rb").read()


def asleep_job(job):
    """Who notices a mutant that lies in the one source; UNTRIED if time is
    up."""
    number, programs = job
    if time.time() > deadline:
        return UNTRIED
    for seconds, program in programs:
        status = look(ALL, program, number, 5 + 8 * seconds)
        if status:
            return said(program, status)
    return ""


def noticed(folder, programs, same):
    """Who notices a mutant that is built by itself; None if it cannot be. What
    an engine is linked to is not run if that is the same as of the original."""
    for seconds, program in programs:
        engine = program[1]
        if engine in same:
            continue
        if engine in what.engines and not os.path.exists(
                "%s/%s.o" % (folder, engine)) and not compiled(folder, engine):
            return None
        if not build(folder, *program):
            return "the linker" if all(compiled(folder, e) for e in
                                       plain_engines()) else None
        status = look(folder, program, 0, 5 + 8 * seconds)
        if status:
            return said(program, status)
    return ""


def same_engines(folder):
    """Which are the same as of the original; None if one does not compile."""
    same = set()
    for engine in plain_engines():
        if not compiled(folder, engine):
            return None
        with open("%s/%s.o" % (folder, engine), "rb") as f, open(
                "%s/%s.o" % (PLAIN, engine), "rb") as g:
            if f.read() == g.read():
                same.add(engine)
    return same


def alone_job(job):
    """Who notices a mutant that nobody has asleep, or that cannot lie asleep;
    None if it is the same program or does not compile. The quickest test runs
    before the objects are compared. Of what has been tried asleep only that is
    looked at."""
    number, place, programs, tried = job
    if time.time() > deadline and not tried:
        return UNTRIED
    text, (at, old, new) = open(what.header).read(), place
    folder = "%s/%d" % (B, number)
    copy_tests(folder)
    with open(folder + "/" + what.header, "w") as f:
        f.write(text[:at] + new + text[at + len(old):])
    by = "" if tried else noticed(folder, programs[:1], set())
    if by == "":
        same = same_engines(folder)
        if same and at < text.index(what.implementation):
            same.clear()
        if same is None or len(same) == len(plain_engines()):
            by = None
        elif not tried:
            by = noticed(folder, programs[1:], same)
    shutil.rmtree(folder)
    return by


def judge(text, every, chosen, known):
    """{place: who notices it, "" for nobody, None for the same program or none
    at all}. That those known to be noticed by nobody are not the same is taken
    as given."""
    global deadline
    copy_tests(ALL)
    asleep = together(text, every, chosen)
    copy_tests(PLAIN)
    shutil.copy(what.header, PLAIN)
    programs = all_programs()
    if not all(in_parallel(make_engine, list(what.engines))) or not all(
            compiled(PLAIN, e) for e in plain_engines()):
        sys.exit("mutation: %s does not compile %s" % (what.compiler[0],
                                                      what.header))
    tests = list(what.tests)
    for test, made in zip(tests, in_parallel(make_programs, tests)):
        if not made:
            sys.exit("mutation: %s: does not compile" % test)
    tried = in_parallel(try_original, programs)
    for program, result in zip(programs, tried):
        if not result:
            sys.exit("mutation: %s, %s: fails on the original" % program)
    order = sorted((t[0], p, t[1]) for p, t in zip(programs, tried))
    deadline = time.time() + float(os.environ.get("SECONDS", "inf"))
    store = Found()
    there, found = set(asleep), store.by(asleep_job)
    asleep = [k for k in chosen if k in there and k not in found]
    jobs = [(k + 1, [(t, p) for t, p, reached in order if reached[k + 1]])
            for k in asleep]
    found.update(zip(asleep, in_parallel(asleep_job, jobs, store.add)))
    alone = store.by(alone_job)
    found.update(alone)
    rest = [k for k in chosen if k not in alone and not found.get(k)
            and not (k in there and k in known)]
    everyone = [(t, p) for t, p, _ in order]
    jobs = [(k + 1, every[k], everyone, k in there) for k in rest]
    found.update(zip(rest, in_parallel(alone_job, jobs, store.add)))
    return found


def fault_job(line):
    """What is wrong with NAME | SED EXPRESSION | CHECKER ..., of which each must
    notice what the expression makes of the header."""
    name, rest = line.split(" | ", 1)
    change, checkers = rest.rsplit(" | ", 1)
    folder, text = "%s/fault-%s" % (B, name), open(what.header).read()
    changed = subprocess.run(["sed", "-e", change], input=text, check=True,
                             stdout=subprocess.PIPE,
                             universal_newlines=True).stdout
    if changed == text:
        return "%s: the expression changes nothing" % name
    copy_tests(folder)
    with open(folder + "/" + what.header, "w") as f:
        f.write(changed)
    wrong = ""
    for checker in checkers.split():
        program = "test_cuda", "emul" if checker == "bytes" else checker
        if not build(folder, *program):
            wrong += "%s: %s: does not compile " % (name, checker)
        elif not look(folder, program, 0, 600):
            wrong += "%s: %s does not notice " % (name, checker)
    shutil.rmtree(folder)
    return wrong


def faults():
    """Each must be noticed; first the header must pass without one."""
    copy_tests(ALL)
    shutil.copy(what.header, ALL)
    for engine in what.arguments:
        what.arguments[engine] = ["60"]
        if not build(ALL, "test_cuda", engine) or look(
                ALL, ("test_cuda", engine), 0, 600):
            sys.exit("mutation: test_cuda, %s: fails without a fault" % engine)
    with open("tests/cuda/cuda_faults.list") as f:
        lines = [s for s in f if s.strip() and not s.startswith("#")]
    found = [w for w in in_parallel(fault_job, lines) if w]
    for wrong in found:
        print("FAILED: " + wrong)
    print("mutation: %d passed, %d failed" % (len(lines) - len(found),
                                              len(found)))
    sys.exit(1 if found or not lines else 0)


def excused():
    """The survivors that are known: (line of text, old, new) and why."""
    known = {}
    for block in open(what.survivors).read().split("\n\n"):
        lines = [s for s in block.split("\n") if not s.startswith("#")]
        if len(lines) >= 3:
            known[lines[0].strip(), lines[1].strip()] = " ".join(lines[2:])
    return known


def named(words):
    """The second of equal ones is told by (2) behind what is changed."""
    seen, names = {}, []
    for line, what in words:
        n = seen[line, what] = seen.get((line, what), 0) + 1
        names.append((line, what if n == 1 else "%s (%d)" % (what, n)))
    return names


def sample(words, count, seed):
    """So many places, the same ones as long as their lines stay as they are, in
    an order that has nothing to do with where they are."""
    keys = sorted((hashlib.sha256(" ".join((seed,) + w).encode()).digest(), k)
                  for k, w in enumerate(words))
    return [k for _, k in keys[:count or len(keys)]]


def changed(commit):
    """The lines, from 0, that a commit has not."""
    lines = set()
    for first, count in re.findall(
            r"^@@ -\S+ \+(\d+)(?:,(\d+))? @@", subprocess.check_output(
                ["git", "diff", "-U0", commit, "--", what.header],
                universal_newlines=True), re.M):
        lines |= set(range(int(first) - 1, int(first) - 1 + int(count or 1)))
    return lines


def main():
    global what
    arguments = sys.argv[1:]
    if arguments[:1] == ["cuda"]:
        what = Companion()
        del arguments[0]
        if arguments == ["faults"]:
            faults()
    text = open(what.header).read()
    every = places(text)
    lines = text.split("\n")
    number = [text.count("\n", 0, at) for at, _, _ in every]
    if arguments[:1] == ["list"]:
        for n, (_, old, new) in zip(number, every):
            print("%d: %s -> %s" % (n + 1, old, new))
        return
    known = arguments[:1] == ["known"]
    count = int(arguments[0]) if arguments and not known else 100
    words = named([(lines[n].strip(), "%s -> %s" % (
        old.strip(), new.strip() or "nothing"))
        for n, (_, old, new) in zip(number, every)])
    excuses = excused()
    chosen = sample(words, count, arguments[1] if arguments[1:] else "1")
    if known:
        chosen = [k for k, w in enumerate(words) if w in excuses]
    elif os.environ.get("SINCE"):
        since = changed(os.environ["SINCE"])
        chosen = [k for k, n in enumerate(number) if n in since]
        if not chosen:
            sys.exit("mutation: no place is of a line that has changed since")
    known = {k for k in chosen if words[k] in excuses}
    found = judge(text, every, chosen, known)
    passed = failed = equal = survived = 0
    report = open(B + "/report", "w")
    tried = sorted(k for k in chosen if found[k] != UNTRIED)
    for k in tried:
        by = found[k]
        what = "%d: %s\n    %s: " % ((number[k] + 1,) + words[k])
        report.write(what + (by or ("the same program, or none" if by is None
                                    else "SURVIVED")) + "\n")
        if by is None:
            equal += 1
        elif bool(by) != (k in known):
            passed += 1
            survived += not by
        else:
            failed += 1
            print("FAILED: line " + what + ("not noticed" if not by else
                  "is excused, but noticed by " + by))
    report.close()
    real = passed + failed
    print("%d of %d places; %d make the same program or none; of the rest "
          "%d are noticed, %d excused, %d neither: %.1f %%" %
          (len(tried), len(every), equal, passed - survived, survived, failed,
           100 * (passed - survived) / max(real, 1)))
    print("mutation: %d passed, %d failed" % (passed, failed))
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:
        pass
