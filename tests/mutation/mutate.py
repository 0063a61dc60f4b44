"""mutate.py - how many changes of one token the tests notice.

    python3 tests/mutation/mutate.py [COUNT [SEED]]     100 and 1; 0: all
    python3 tests/mutation/mutate.py list               where they would be
    python3 tests/mutation/mutate.py known              those in survivors.txt

A mutant is ndgather.h with one thing changed in its implementation: a relation
(< to <=, == to !=), an operator (+ to -, && to ||), a constant (n to n + 1), or
a statement left out. All are compiled at once, each asleep until the tests are
run with its number (schemata.py), in three ways: the fast engine, the same with
all arrays far, the small one; test_counts holds an engine of its own. Those
that cannot lie beside others (an enum's value) are compiled one by one. A
mutant meets the tests that reach it, the quickest first; the first that fails,
crashes or hangs has noticed.

What no test notices is compiled by itself: if CC makes of it the same object as
of the original, in every way, it is none, and not counted. survivors.txt names
the others and why their results are right; any that it does not name fails, and
so does one that is named there and noticed.

Needs gcc. Makes build/mutation; report there says who has noticed which. Run
from the root. Last line: mutation: N passed, N failed.
"""
import hashlib
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
B = "build/mutation"
ALL, PLAIN = B + "/all", B + "/plain"
CC = os.environ.get("CC", "gcc")
BEGIN = "#if defined(NDGATHER_IMPLEMENTATION)"
ENGINES = {"fast": ["-DNDG_SMALL=0"],
           "far": ["-DNDG_SMALL=0", "-DNDGI_FAR_BYTES=0",
                   "-DNDGI_STREAM_BYTES=0"],
           "small": ["-DNDG_SMALL=1"]}
TESTS = {"test_tables": "fast small", "test_api": "fast small",
         "test_cover_refusals": "fast small",
         "test_hostile_gather": "fast small",
         "test_hostile_stitch": "fast small",
         "test_hostile_partition": "fast small",
         "test_hostile_common": "fast small",
         "test_engine_stitch": "fast far small",
         "test_engine_partition": "fast far small",
         "test_engine_gather": "fast far small", "test_loops": "fast far",
         "test_report": "fast",
         "test_cases": "fast small", "test_oracle": "fast far small"}
OWN = ["test_counts", "test_cover_stream", "test_moving"]   # hold an engine
SWAPS = [(" < ", " <= "), (" <= ", " < "), (" > ", " >= "), (" >= ", " > "),
         (" == ", " != "), (" != ", " == "), (" + ", " - "), (" - ", " + "),
         (" * ", " + "), (" / ", " * "), (" % ", " / "), (" && ", " || "),
         (" || ", " && "), (" & ", " | "), (" | ", " & "), (" << ", " >> "),
         (" >> ", " << "), ("++", "--"), ("--", "++"), (" += ", " -= "),
         (" -= ", " += "), (" |= ", " &= ")]


def hidden(text):
    """The text with comments, strings and characters blanked out."""
    def blank(m):
        return re.sub(r"[^\n]", " ", m.group())
    return re.sub(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\])+\'', blank,
                  text, flags=re.S)


def places(text):
    """All mutants: (where, old, new), in order."""
    begin = text.index(BEGIN)
    code = hidden(text)
    end = code.rindex("#endif")
    found, at = [], 0
    for line in code.split("\n"):
        here, at = at, at + len(line) + 1
        if here < begin or here > end or line.lstrip().startswith("#"):
            continue
        for old, new in SWAPS:
            for m in re.finditer(re.escape(old), line):
                if "*" in old and re.search(r"\b(const|char|int\d*_t|ptrdiff_t|"
                                            r"ndgi?_\w+|void) $",
                                            line[:m.start() + 1]):
                    continue                        # a declaration
                found.append((here + m.start(), old, new))
        for m in re.finditer(r"(?<![\w.])\d+(?![\w.])", line):
            found.append((here + m.start(), m.group(),
                          str(int(m.group()) + 1)))
        m = re.match(r"( +)(?!return|else|if|for|while|do|case|break|continue|"
                     r"goto|const|static|typedef|void |int |ptrdiff_t |"
                     r"u?int\w*_t |size_t |ndg)([A-Za-z_*(][^;{}]*)(;)$", line)
        if m and ("=" in m.group(2) or "(" in m.group(2)):
            before = code[:here].rstrip()
            if before.endswith((";", "}", "{", ":")):
                found.append((here + len(m.group(1)), m.group(2), ""))
    return found


def run(command, seconds, **more):
    """The exit status; 124 after so many seconds."""
    try:
        return subprocess.run(command, timeout=seconds,
                              stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, **more).returncode
    except subprocess.TimeoutExpired:
        return 124


def compiled(folder, engine, header="ndgather.h"):
    """The engine's object of a folder's header; whether there is one."""
    return run([CC, "-O1", "-w", "-x", "c", "-c", folder + "/" + header,
                "-DNDGATHER_IMPLEMENTATION", "-o",
                "%s/%s.o" % (folder, engine)] + ENGINES[engine], 900) == 0


def copy_tests(folder):
    """The tests, beside the header that they are to be built with."""
    shutil.rmtree(folder, ignore_errors=True)
    for name in ("lib", "library"):
        shutil.copytree("tests/" + name, "%s/tests/%s" % (folder, name))


def build(folder, test, engine):
    """One test as a program in a folder, with an engine's object or its own.
    """
    where, name = "%s/tests/library/%s.c" % (folder, test), test + "." + engine
    flags = ["-O1", "-w", "-DORACLE_CASES=3000", "-DNDG_SMALL=0"]
    if engine != "own":
        flags += ["-DTEST_LINKED", "%s/%s.o" % (folder, engine)]
    return run([CC, where] + flags + ["-o", "%s/%s" % (folder, name)], 900) == 0


def all_programs():
    return [(t, e) for t in TESTS for e in TESTS[t].split()] + [
        (t, "own") for t in OWN if os.path.exists("tests/library/%s.c" % t)]


def limits():
    resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def look(folder, program, number, seconds):
    """The status of a program, with a mutant at work."""
    path = os.path.abspath("%s/%s.%s" % ((folder,) + program))
    return run([path], seconds, preexec_fn=limits,
               env=dict(os.environ, MUTANT=str(number)))


def said(program, status):
    return "%s, %s%s" % (program + (", which hangs" if status == 124 else "",))


def together(text, every, chosen):
    """Of the chosen, those that can be asleep in one source; it lies there."""
    code, asleep = hidden(text), sorted(chosen)
    lines = [text.count("\n", 0, at) + 1 for at, _, _ in every]
    while True:
        with open(ALL + "/ndgather.h", "w") as f:
            f.write(schemata.source(text, code, every, asleep))
        wrong = set()
        for engine in ("fast", "small"):
            errors = subprocess.run(
                [CC, "-w", "-x", "c", "-fsyntax-only", "-fmax-errors=0",
                 "-DNDGATHER_IMPLEMENTATION", ALL + "/ndgather.h"]
                + ENGINES[engine], stderr=subprocess.PIPE,
                universal_newlines=True).stderr
            wrong |= {int(n) for n in re.findall(r":(\d+):\d+: error:", errors)}
        if not wrong:
            return asleep
        for n in wrong - {lines[k] for k in asleep}:
            wrong |= set(range(n, n + 4))       # the line before, or one after
        fewer = [k for k in asleep if lines[k] not in wrong]
        if len(fewer) == len(asleep):
            sys.exit("mutation: cannot be compiled, near line %d" % min(wrong))
        asleep = fewer


def in_parallel(work, jobs):
    with multiprocessing.Pool(os.cpu_count()) as pool:
        return pool.map(work, jobs, chunksize=1)


def make_engine(engine):
    return engine == "own" or compiled(ALL, engine)


def make_program(program):
    return build(ALL, *program)


def try_original(program):
    """What a test takes, and the mutants that it comes by."""
    start, reached = time.time(), "%s/%s.%s.reached" % ((ALL,) + program)
    status = run(["%s/%s.%s" % ((ALL,) + program)], 600,
                 env=dict(os.environ, REACHED=reached))
    if status:
        return None
    return time.time() - start, open(reached, "rb").read()


def asleep_job(job):
    """Who notices a mutant that lies in the one source."""
    number, programs = job
    for seconds, program in programs:
        status = look(ALL, program, number, 5 + 8 * seconds)
        if status:
            return said(program, status)
    return ""


def alone_job(job):
    """Who notices one that does not; None if it is the same program. What has
    been tried before only has to be looked at."""
    number, place, programs, tried = job
    text, (at, old, new) = open("ndgather.h").read(), place
    folder = "%s/%d" % (B, number)
    copy_tests(folder)
    with open(folder + "/ndgather.h", "w") as f:
        f.write(text[:at] + new + text[at + len(old):])
    by, same = "", set()
    for engine in ENGINES:
        if not compiled(folder, engine):
            by = "the compiler"
            break
        with open("%s/%s.o" % (folder, engine), "rb") as f, open(
                "%s/%s.o" % (PLAIN, engine), "rb") as g:
            if f.read() == g.read():
                same.add(engine)
    if not by and len(same) == len(ENGINES):
        by = None
    for seconds, program in programs if by == "" and not tried else []:
        if program[1] in same:
            continue
        if not build(folder, *program):
            by = "the linker"
            break
        status = look(folder, program, 0, 5 + 8 * seconds)
        if status:
            by = said(program, status)
            break
    shutil.rmtree(folder)
    return by


def judge(text, every, chosen, known):
    """{place: who notices it, "" for nobody, None for the same program}. That
    those known to be noticed by nobody are not the same is taken as given."""
    copy_tests(ALL)
    asleep = together(text, every, chosen)
    os.makedirs(PLAIN, exist_ok=True)
    shutil.copy("ndgather.h", PLAIN)
    programs = all_programs()
    if not all(in_parallel(make_engine, list(ENGINES))) or not all(
            compiled(PLAIN, e) for e in ENGINES):
        sys.exit("mutation: %s does not compile ndgather.h" % CC)
    for program, made in zip(programs, in_parallel(make_program, programs)):
        if not made:
            sys.exit("mutation: %s, %s: does not compile" % program)
    tried = in_parallel(try_original, programs)
    for program, result in zip(programs, tried):
        if not result:
            sys.exit("mutation: %s, %s: fails on the original" % program)
    order = sorted((t[0], p, t[1]) for p, t in zip(programs, tried))
    jobs = [(k + 1, [(t, p) for t, p, reached in order if reached[k + 1]])
            for k in asleep]
    found = dict(zip(asleep, in_parallel(asleep_job, jobs)))
    rest = [k for k in chosen if not found.get(k)
            and not (k in found and k in known)]
    everyone = [(t, p) for t, p, _ in order]
    jobs = [(k + 1, every[k], everyone, k in found) for k in rest]
    found.update(zip(rest, in_parallel(alone_job, jobs)))
    return found


def excused():
    """The survivors that are known: (line of text, old, new) and why."""
    known = {}
    for block in open(HERE + "/survivors.txt").read().split("\n\n"):
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
    """So many places, the same ones as long as their lines stay as they are."""
    keys = sorted((hashlib.sha256(" ".join((seed,) + w).encode()).digest(), k)
                  for k, w in enumerate(words))
    return sorted(k for _, k in keys[:count or len(keys)])


def main():
    text = open("ndgather.h").read()
    every = places(text)
    lines = text.split("\n")
    number = [text.count("\n", 0, at) for at, _, _ in every]
    if sys.argv[1:2] == ["list"]:
        for n, (_, old, new) in zip(number, every):
            print("%d: %s -> %s" % (n + 1, old, new))
        return
    known = sys.argv[1:2] == ["known"]
    count = int(sys.argv[1]) if sys.argv[1:] and not known else 100
    words = named([(lines[n].strip(), "%s -> %s" % (
        old.strip(), new.strip() or "nothing"))
        for n, (_, old, new) in zip(number, every)])
    excuses = excused()
    chosen = sample(words, count, sys.argv[2] if sys.argv[2:] else "1")
    if known:
        chosen = [k for k, w in enumerate(words) if w in excuses]
    known = {k for k in chosen if words[k] in excuses}
    found = judge(text, every, chosen, known)
    passed = failed = equal = survived = 0
    report = open(B + "/report", "w")
    for k in chosen:
        by = found[k]
        what = "%d: %s\n    %s: " % ((number[k] + 1,) + words[k])
        report.write(what + (by or ("the same program" if by is None
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
    print("%d of %d places; %d make the same program; of the rest %d are "
          "noticed, %d excused, %d neither: %.1f %%" %
          (len(chosen), len(every), equal, passed - survived, survived, failed,
           100 * (passed - survived) / max(real, 1)))
    print("mutation: %d passed, %d failed" % (passed, failed))
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:
        pass
