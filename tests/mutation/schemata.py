"""schemata.py - one source that holds many mutants at once.

Each place of mutate.py becomes an expression that asks, as it runs, whether it
is the mutant at work: `a < b` asks M(7) whether to be `a <= b`. So all mutants
are compiled once, and each costs no more than the tests that it runs through.
Operands are found by their precedence. What cannot be said so (a constant that
the compiler needs, for one) is left to be compiled by itself.
"""
import bisect
import re

LEVELS = {"||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6,
          "<": 7, ">": 7, "<=": 7, ">=": 7, "<<": 8, ">>": 8,
          "+": 9, "-": 9, "*": 10, "/": 10, "%": 10}
ENDS = {";", ",", "{", "}", "?", ":", "=", "+=", "-=", "*=", "/=", "|=", "&=",
        "^=", "<<=", ">>=", "%=", "#", "return", "case", "else", "do", "goto"}
TOKEN = re.compile(r"# *define +\w+(?:\([^)]*\))?|#[^\n]*|[A-Za-z_]\w*|\d[\w.]*"
                   r"|<<=|>>=|->|\+\+|--|&&|\|\||[-+*/%&|^=!<>]=|<<|>>|"
                   r"[^\s\w\\]")
OPEN, CLOSE = {"(": ")", "[": "]"}, {")": "(", "]": "["}

END = """
static void mutant_end_(void) {
    FILE *f = fopen(getenv("REACHED"), "wb");
    if (f) { fwrite(reached_, 1, sizeof reached_, f); fclose(f); }
}
__attribute__((constructor)) static void mutant_begin_(void) {
    if (getenv("MUTANT")) mutant_ = atoi(getenv("MUTANT"));
    if (getenv("REACHED")) atexit(mutant_end_);
}
"""
# A test and the implementation that it is linked with share them.
HEAD_C = """
#ifndef M
#include <stdio.h>
#include <stdlib.h>
extern int mutant_;
extern unsigned char reached_[%d];
#define M(k) (reached_[k] = 1, mutant_ == (k))
#endif
#ifdef NDGATHER_IMPLEMENTATION
int mutant_;
unsigned char reached_[sizeof reached_];
""" + END + """
#endif
#line 1
"""
# A function, which a sanitizer does not look into.
HEAD_CXX = """
#include <stdio.h>
#include <stdlib.h>
static int mutant_;
static unsigned char reached_[%d];
""" + END + """
__attribute__((noinline, no_sanitize_thread, no_sanitize_address,
               no_sanitize_undefined))
static int M(int k) { reached_[k] = 1; return mutant_ == k; }
#line 1
"""


class Source:
    def __init__(self, text, code, auto):
        """text, the same with comments and strings blanked out, and the word
        for a variable of its value's type."""
        self.text, self.auto = text, auto
        self.tokens = [(m.start(), "#" if m.group()[0] == "#" else m.group())
                       for m in TOKEN.finditer(code)]
        self.starts = [t[0] for t in self.tokens]

    def at(self, position):
        return bisect.bisect_left(self.starts, position)

    def binary(self, i):
        """The level of token i as a binary operator, or None."""
        t = self.tokens[i][1]
        if t not in LEVELS:
            return None
        before = self.tokens[i - 1][1]
        if t in "+-*&" and not re.match(r"\w|[)\]]", before):
            return None
        return None if before in ENDS or before == "sizeof" else LEVELS[t]

    def end(self, i, step, stops, ends=None):
        """The last token of the operand of operator i, going by step: before a
        bracket that is not its own, an end, or an operator that stops it."""
        ends = ends or ENDS
        opens, closes = (OPEN, CLOSE) if step > 0 else (CLOSE, OPEN)
        depth, k = 0, i + step
        while 0 <= k < len(self.tokens):
            t = self.tokens[k][1]
            if t in closes and depth == 0:
                break
            depth += (t in opens) - (t in closes)
            if depth == 0 and t not in closes and (
                    t in ends or stops(self.binary(k))):
                break
            k += step
        return k - step

    def left(self, i, level):
        """Where the left operand of operator i begins."""
        return self.tokens[self.end(
            i, -1, lambda v: v is not None and v < level)][0]

    def right(self, i, level):
        """Where the right operand of operator i ends."""
        at, t = self.tokens[self.end(
            i, 1, lambda v: v is not None and v <= level)]
        return at + len(t)

    def assigned(self, i):
        """Where what assignment i takes ends, a choice and all."""
        at, t = self.tokens[self.end(i, 1, lambda v: False, {";", ","})]
        return at + len(t)

    def bracket(self, k, step):
        """The other end of the bracket at token k, going by step."""
        depth = 0
        while True:
            t = self.tokens[k][1]
            depth += (t in OPEN) - (t in CLOSE)
            if depth == 0:
                return k
            k += step

    def operand(self, i, back):
        """The range of the operand of ++ or -- at token i, before or after."""
        if back:
            k = i - 1
            while True:
                t = self.tokens[k][1]
                if t in CLOSE:
                    k = self.bracket(k, -1)
                    t = self.tokens[k][1]
                if self.tokens[k - 1][1] in ("->", "."):
                    k -= 2
                elif t in OPEN and re.match(r"\w|[)\]]",
                                            self.tokens[k - 1][1]):
                    k -= 1
                else:
                    break
            return self.tokens[k][0], self.tokens[i][0]
        k = i + 1
        while self.tokens[k][1] == "*":
            k += 1
        while True:
            if self.tokens[k + 1][1] in ("->", "."):
                k += 2
            elif self.tokens[k + 1][1] == "[":
                k = self.bracket(k + 1, 1)
            else:
                break
        at, t = self.tokens[k]
        return self.tokens[i + 1][0], at + len(t)

    def pieces(self, k, place):
        """(begin, end, what goes before it, after it, from, to, instead)."""
        at, old, new = place
        m, l, r = "M(%d)" % k, "l%d_" % k, "r%d_" % k
        if new == "" and not old.startswith(" "):
            end = self.text.index(";", at + len(old)) + 1
            return at, end, "if (!%s) {" % m, "}", None
        if old.isdigit():
            sign = "+" if int(new) > int(old) else "-"      # by one
            return at, at + len(old), "(", " %s %s)" % (sign, m), None
        op = old.strip()
        where = at + old.index(op)
        i = self.at(where)
        if op in ("++", "--"):
            back = re.match(r"\w|[)\]]", self.tokens[i - 1][1])
            begin, end = self.operand(i, back)
            x = self.text[begin:end]
            other = x + new if back else new + x
            if back:
                end = where + 2
            else:
                begin = where
            return begin, end, "(%s ? %s : " % (m, other), ")", None
        if op in ("+=", "-=", "|=", "&="):
            begin, end = self.left(i, 0), self.assigned(i)
            if op in ("+=", "-="):
                middle = "%s (%s ? -1 : 1) * (" % (op, m)
                return where, end, "", ")", (where, op, middle)
            x = self.text[begin:where]
            middle = "= ({ %s %s = (" % (self.auto, r)
            return where, end, "", "); %s ? %s %s %s : %s %s %s; })" % (
                m, x, new.strip()[0], r, x, op[0], r), (where, op, middle)
        level = LEVELS[op]
        begin, end = self.left(i, level), self.right(i, level)
        if op in ("&&", "||"):
            return begin, end, "({ int %s = !!(" % l, ") : %s; })" % l, (
                where, op, "); %s %s %s ? !!(" % (
                    l, "!=" if op == "&&" else "==", m))
        return begin, end, "({ %s %s = (" % (self.auto, l), (
            "); %s ? %s %s %s : %s %s %s; })" % (m, l, new.strip(), r, l, op,
                                                 r)), (
            where, op, "); %s %s = (" % (self.auto, r))


def source(text, code, every, wanted, what):
    """The text with the mutants `wanted` of every, numbered from 1, in what
    language."""
    s = Source(text, code, what.auto)
    inserts = []                    # (position, order, text, how much goes)
    for k in wanted:
        begin, end, pre, post, middle = s.pieces(k + 1, every[k])
        size = end - begin
        if pre:
            inserts.append((begin, 2, -size, k, pre, 0))
        inserts.append((end, 0, size, -k, post, 0))
        if middle:
            where, op, instead = middle
            inserts.append((where, 1, 0, k, instead, len(op)))
    inserts.sort()
    out, at = [what.head % (len(every) + 1)], 0
    for position, _, _, _, what, gone in inserts:
        out.append(text[at:position])
        out.append(what)
        at = max(at, position) + gone
    out.append(text[at:])
    return "".join(out)
