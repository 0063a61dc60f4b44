#!/usr/bin/env python3
"""coverage.py PART HEADER FOLDER EXCLUSIONS - judges what coverage.sh counted.

FOLDER/counts.json is what llvm-cov exports, FOLDER/shown what it shows, and
FOLDER/unmeasured what clang said of decisions that it cannot measure. Prints
figures, then each place of HEADER that no test reaches and EXCLUSIONS does not
name, and each exclusion that was reached or names nothing. Last line: PART: N
passed, M failed.
"""
import json
import re
import sys

KINDS = ("line", "true", "false", "mcdc", "unmeasured")


class Source:
    """A header: its text by places, and the function that a line is of."""

    def __init__(self, name):
        with open(name) as f:
            self.lines = f.read().split("\n")
        self.name = name
        self.function = []
        now = "-"
        for line in self.lines:
            named = []            # upper case alone is a macro
            if re.match(r"[A-Za-z_]", line) and not line.endswith(":"):
                named = [n for n in re.findall(r"\b(\w+)\s*\(", line)
                         if re.search("[a-z]", n) and n[:2] != "__"]
                named += re.findall(r"^(?:template.*> )?struct (\w+)", line)
            named = named or re.findall(r"^#\s*define\s+(\w+)", line)
            if named:
                now = named[0]
            self.function.append(now)

    def line(self, n):
        return squeeze(self.lines[n - 1])

    def text(self, l1, c1, l2, c2):
        """The text from a line and column to another."""
        if l1 == l2:
            return squeeze(self.lines[l1 - 1][c1 - 1:c2 - 1])
        part = [self.lines[l1 - 1][c1 - 1:]] + self.lines[l1:l2 - 1]
        return squeeze(" ".join(part + [self.lines[l2 - 1][:c2 - 1]]))


def squeeze(text):
    """A text in one line, with one space at a time, without the end of a
    macro's line."""
    return re.sub(r"\s+", " ", text).strip().rstrip("\\").strip()


class Decision:
    """Its conditions, where each lies and whether it is a constant wherever it
    is compiled; and how they came out: of a template, in all its instances."""

    def __init__(self, where):
        self.where, self.varies, self.met = where, set(), set()

    def decides(self, i):
        """Whether the i-th has alone decided: two outcomes, which differ by no
        other condition that was looked at."""
        return any(a[-1] != b[-1] and a[i] + b[i] in ("TF", "FT") and all(
            x == y or "-" in x + y for k, (x, y) in enumerate(zip(a, b))
            if k != i and k != len(a) - 1) for a in self.met for b in self.met)

    def conditions(self):
        return {at: self.decides(i) for i, at in enumerate(self.where)
                if i in self.varies}


class Shown:
    """What `llvm-cov show` says: which lines ran, which conditions of which
    decisions were shown to decide, and which conditions are constants."""

    def __init__(self, name):
        self.lines, self.decisions = {}, {}
        self.varies, self.folds = set(), set()
        with open(name) as f:
            for text in f:
                self.read(text)
        self.constant = self.folds - self.varies
        found, self.decisions = self.decisions, {}
        for (at, _), d in found.items():
            of = self.decisions.setdefault(at, {})
            for place, decides in d.conditions().items():
                of[place] = of.get(place, False) or decides

    def read(self, text):
        row = re.match(r" *(\d+)\| *([0-9.kMGTE]+)\|", text)
        if row:
            self.lines[int(row.group(1))] = row.group(2) != "0"
            return
        row = re.match(r"[ |]*Branch \((\d+):(\d+)\): \[(.*)\]", text)
        if row:
            at = (int(row.group(1)), int(row.group(2)))
            folds = "Folded" in row.group(3)
            (self.folds if folds else self.varies).add(at)
            return
        row = re.match(r"[ |-]*> MC/DC Decision Region \((\d+):(\d+)\) to "
                       r"\((\d+):(\d+)\)", text)
        if row:
            self.at, self.where = tuple(int(n) for n in row.groups()), ()
            return
        row = re.match(r"[ |]*Condition C\d+ --> \((\d+):(\d+)\)", text)
        if row:
            self.where += ((int(row.group(1)), int(row.group(2))),)
            self.now = self.decisions.setdefault((self.at, self.where),
                                                 Decision(self.where))
            return
        row = re.match(r"[ |]*\d+ \{ (.*) = ([TF]) *\}", text)
        if row:
            self.now.met.add(tuple(row.group(1).replace(" ", "").split(","))
                             + (row.group(2),))
            return
        row = re.match(r"[ |]*C(\d+)-Pair: (.*)", text)
        if row and not row.group(2).startswith("constant folded"):
            self.now.varies.add(int(row.group(1)) - 1)


class Place:
    """What must be reached: its kind, its text, and whether it was."""

    def __init__(self, kind, source, at, text, reached):
        self.kind, self.at, self.text, self.reached = kind, at, text, reached
        self.function = source.function[at[0] - 1]
        self.excluded = None
        self.says = ""


def places_of(source, data, shown, folder):
    """All places of a header, each once: regions of one place in several
    programs, or several uses of a macro, add up."""
    places = [Place("line", source, (n, 1), source.line(n), shown.lines[n])
              for n in sorted(shown.lines)
              if not re.match(r" *# *(undef|if|else|endif)",
                              source.lines[n - 1])]
    branches, ends = {}, {}
    for b in data["branches"]:
        at = tuple(b[:4])
        was = branches.get(at, (0, 0))
        branches[at] = (was[0] + b[4], was[1] + b[5])
        ends[at[:2]] = at
    for at in sorted(branches):
        text = source.text(*at)
        yes, no = branches[at]
        if at[:2] in shown.constant:
            continue
        p = Place("true", source, at, text, yes > 0)
        p.says = "is never true"
        places.append(p)
        if text.startswith(("case ", "default")):
            p.says = "is never met"
            continue
        p = Place("false", source, at, text, no > 0)
        p.says = "is never false"
        places.append(p)
    for at in sorted(shown.decisions):
        text = source.text(*at)
        if re.match(r"\w+$", text):               # what a macro is given
            places.append(unmeasured(source, at, text))
            continue
        for part, decides in sorted(shown.decisions[at].items()):
            whole = ends.get(part, at)
            p = Place("mcdc", source, whole, source.text(*whole), decides)
            p.says = "never alone decides: " + text
            places.append(p)
    with open(folder + "/unmeasured") as f:
        said = set(re.findall(re.escape(source.name) + r":(\d+):(\d+): ",
                              f.read()))
    for line, column in sorted((int(a), int(b)) for a, b in said):
        places.append(unmeasured(source, (line, column), squeeze(
            source.lines[line - 1][column - 1:])))
    return places


def unmeasured(source, at, text):
    p = Place("unmeasured", source, at, text, False)
    p.says = "is a decision whose MC/DC clang cannot measure"
    return p


class Exclusion:
    """A place that need not be reached."""

    def __init__(self, n, parts, kinds, function, text):
        self.n, self.parts, self.kinds = n, parts, kinds
        self.function, self.text = function, text


def read_exclusions(name):
    """Paragraphs: PART,... KIND,... FUNCTION,...; places, indented by 4 (by
    more: the last one goes on); a reason."""
    found, head, text, n = [], None, [], 0

    def wrong(what):
        sys.exit("%s:%d: %s" % (name, n, what))

    with open(name) as f:
        lines = f.read().split("\n") + [""]
    for n, line in enumerate(lines, 1):
        if line.startswith("#"):
            continue
        if not line.strip():
            if head:
                wrong("a paragraph without a reason")
            head = text = None
        elif not line.startswith(" "):
            head, text = line.split(), []
            if len(head) != 3 or set(head[1].split(",")) - set(KINDS):
                wrong("not PART KIND FUNCTION")
        elif line.startswith("    why: "):
            if not head or not text:
                wrong("a reason for no place")
            found += [Exclusion(at, head[0].split(","), head[1].split(","), f,
                                squeeze(t))
                      for at, t in text for f in head[2].split(",")]
            head = None
        elif head and line.startswith("     "):
            text[-1][1] += " " + line
        elif head:
            text.append([n, line])
        elif text is None:
            wrong("a place of no function")
    return found


def exclude(places, exclusions, part):
    """Marks what is excluded; returns what is wrong with the exclusions."""
    wrong, times = [], {}
    for e in exclusions:
        for kind in e.kinds if part in e.parts else ():
            times.setdefault((kind, e.function, e.text), []).append(e)
    for (kind, function, text), of in times.items():
        hits = [p for p in places
                if (p.kind, p.function, p.text) == (kind, function, text)]
        missed = [p for p in hits if not p.reached]
        if not hits:
            wrong.append((of[0], "no such place (%s)" % kind))
        elif not missed:
            wrong.append((of[0], "is reached (%s)" % kind))
        elif len(missed) != len(of):
            wrong.append((of[0], "%d such places are not reached, %d excluded "
                          "(%s)" % (len(missed), len(of), kind)))
        for p in missed:
            p.excluded = of[0]
    # With a line goes the brace behind it and all that is in it; with a way,
    # that its condition decides.
    brace = False
    for p in places:
        if p.kind == "line":
            if p.text == "}" and brace and not p.reached:
                p.excluded = True
            brace = bool(p.excluded)
    lines = {p.at[0] for p in places if p.kind == "line" and p.excluded}
    ways = {p.at for p in places
            if p.kind in ("true", "false") and p.excluded}
    for p in places:
        if p.excluded or p.reached or p.kind in ("line", "unmeasured"):
            continue
        if p.at[0] in lines or (p.kind == "mcdc" and p.at in ways):
            p.excluded = True
    return wrong


def figure(places, kinds):
    of = [p for p in places if p.kind in kinds]
    got = sum(p.reached for p in of)
    out = sum(1 for p in of if p.excluded)
    percent = 100.0 * got / len(of) if of else 100.0
    return "%d of %d (%.2f %%), %d excluded" % (got, len(of), percent, out)


def main():
    part, header, folder, exclusions = sys.argv[1:5]
    with open(folder + "/counts.json") as f:
        files = json.load(f)["data"][0]["files"]
    data = [f for f in files if f["filename"].endswith("/" + header)]
    if len(data) != 1:
        sys.exit("no counts of " + header)
    source = Source(header)
    shown = Shown(folder + "/shown")
    places = places_of(source, data[0], shown, folder)
    wrong = exclude(places, read_exclusions(exclusions), part)
    print("%s, %s:" % (header, part))
    print("    lines     " + figure(places, ("line",)))
    print("    branches  " + figure(places, ("true", "false")))
    print("    MC/DC     " + figure(places, ("mcdc",)))
    print("    decisions that clang cannot measure: %d"
          % sum(p.kind == "unmeasured" for p in places))
    bad = [p for p in places if not p.reached and not p.excluded]
    dead = {p.at[0] for p in bad if p.kind == "line"}
    passed = len(places) - len(bad)
    for p in sorted(bad, key=lambda p: p.at):
        if p.kind != "line" and p.at[0] in dead:
            continue                      # the line says it
        what = p.says or "is never run"
        print("%s:%d: %s %s: `%s` %s" % (header, p.at[0], p.kind, p.function,
                                        p.text, what))
    for e, why in wrong:
        print("%s:%d: %s `%s`: %s" % (exclusions, e.n, e.function, e.text, why))
    print("%s: %d passed, %d failed" % (part, passed, len(bad) + len(wrong)))


if __name__ == "__main__":
    main()
