"""bv.py - runs C as z3's bit-vectors: the functions of ndgather.h as clang has
parsed them, its casts and conversions included, for a target of 32 or 64 bits.

A statement is run under the condition that it is reached; an assignment makes
If(reached, new, old) of a variable. Each operation that C leaves undefined adds
a duty: reached implies that it is in range. What is not understood raises
Unknown: nothing is left out in silence. Loops are unrolled; that they end is a
duty, too.

  - signed + - * and unary -: no overflow; / and %: not by 0, not least by -1
  - shifts: by 0 ... width - 1; << of a signed number: not done by the header
  - >> of a negative number: arithmetic, as in every compiler (and the header)
  - an index of an array: inside it
  - a pointer to bytes outside: an address, and how far it was moved, in which
    no overflow may occur; what it points at is an array of bytes
"""
import json
import re

import z3


class Unknown(Exception):
    pass


# ---- types ------------------------------------------------------------------

class Target:
    def __init__(self, bits, little=True):
        self.bits, self.little = bits, little
        self.widths = {'char': 8, 'short': 16, 'int': 32, 'long': bits,
                       'long long': 64}

    def integer(self, name):
        """(width, signed) of a C integer type, or None."""
        name = ' '.join(w for w in name.split()
                        if w not in ('const', 'volatile'))
        name = Run.typedefs.get(name, name)
        signed = not name.startswith('unsigned')
        name = name.replace('unsigned', '').replace('signed', '').strip()
        if name == 'long int':
            name = 'long'
        width = self.widths.get(name or 'int')
        return (width, signed) if width else None


def type_of(node):
    t = node['type']
    return t.get('desugaredQualType', t['qualType'])


# ---- places and pointers ----------------------------------------------------

class Cell:
    """A variable: an integer, a dict of fields, or a list."""

    def __init__(self, value):
        self.value = value


class Ref:
    """Points at a part of a variable; an index is a bit-vector."""

    def __init__(self, cell, path=()):
        self.cell, self.path = cell, tuple(path)


class Bytes:
    """Points at byte `at` of an integer variable."""

    def __init__(self, ref, at):
        self.ref, self.at = ref, at


class Outside:
    """Points at memory, `moved` bytes from `base`, of which `read` gives byte i
    as an 8-bit vector."""

    def __init__(self, base, moved, read=None):
        self.base, self.moved, self.read = base, moved, read


NULL = object()


def literal(x):
    """The number that a term is, or None."""
    x = z3.simplify(x)
    return x.as_signed_long() if z3.is_bv_value(x) else None


def choose(c, a, b):
    if z3.is_true(c) or a is b:
        return a
    if z3.is_false(c):
        return b
    if isinstance(a, dict):
        return {k: choose(c, a[k], b[k]) for k in a}
    if isinstance(a, list):
        return [choose(c, x, y) for x, y in zip(a, b)]
    if not z3.is_expr(a):
        raise Unknown('a pointer that depends on a condition')
    return z3.If(c, a, b)


def both(a, b):
    return z3.simplify(z3.And(a, b))


def either(a, b):
    return z3.simplify(z3.Or(a, b))


TRUE, FALSE = z3.BoolVal(True), z3.BoolVal(False)


# ---- the program ------------------------------------------------------------

def load_program(text, source):
    """The functions and tables of clang's dump of a source text, by name; the
    fields of its structs go to Run.structs, its enums' values to Run.enums."""
    Run.source = source
    decoder, at, found = json.JSONDecoder(), 0, {}
    while True:
        at = text.find('{', at)
        if at < 0:
            return found
        node, at = decoder.raw_decode(text, at)
        if node['kind'] == 'EnumDecl':
            value = -1
            for c in node['inner']:
                given = c.get('inner', [{}])[0].get('value')
                value = int(given) if given is not None else value + 1
                Run.enums[c['name']] = value
        if node['kind'] == 'TypedefDecl':
            Run.typedefs[node['name']] = type_of(node)
        if node['kind'] == 'RecordDecl' and node.get('name'):
            fields = [(c['name'], type_of(c)) for c in node.get('inner', [])
                      if c['kind'] == 'FieldDecl']
            Run.structs[node['name']] = fields
            Run.structs['struct ' + node['name']] = fields
        body = any(c.get('kind') == 'CompoundStmt'
                   for c in node.get('inner', []))
        if (node['kind'] == 'FunctionDecl' and body) or (
                node['kind'] == 'VarDecl' and node.get('inner')):
            found[node['name']] = node


class Run:
    """One call of a function. After it: duties, and what the caller kept of
    the cells that it gave pointers to."""

    def __init__(self, program, target, stubs=None, unroll=8, product=None):
        self.program, self.target = program, target
        self.product = product         # gives a term for * or /, or None
        self.stubs, self.unroll = stubs or {}, unroll
        self.duties, self.tables, self.depth = [], {}, 0

    def duty(self, reached, condition, what):
        condition = z3.simplify(z3.Implies(reached, condition))
        if not z3.is_true(condition):
            self.duties.append((condition, what))

    def call(self, name, args, reached=TRUE):
        if name in self.stubs:
            return self.stubs[name](self, reached, *args)
        if name not in self.program:
            raise Unknown('no text of ' + name)
        node = self.program[name]
        params = [c for c in node['inner'] if c['kind'] == 'ParmVarDecl']
        frame = {p['id']: Cell(a) for p, a in zip(params, args)}
        body = [c for c in node['inner'] if c['kind'] == 'CompoundStmt'][0]
        outer = getattr(self, 'frame', None), getattr(self, 'result', None)
        self.frame, self.result = frame, None
        self.statement(body, reached)
        result = self.result
        self.frame, self.result = outer
        return result

    # ---- statements: each gives the condition under which it is left below ---

    def statement(self, s, on):
        kind = s['kind']
        if z3.is_false(on):
            return on
        if kind == 'CompoundStmt':
            for c in s.get('inner', []):
                on = self.statement(c, on)
            return on
        if kind == 'DeclStmt':
            for v in s['inner']:
                self.declare(v, on)
            return on
        if kind == 'IfStmt':
            parts = s['inner']
            c = self.truth(parts[0], on)
            yes, no = both(on, c), both(on, z3.Not(c))
            left = self.statement(parts[1], yes)
            right = self.statement(parts[2], no) if len(parts) > 2 else no
            if z3.eq(left, yes) and z3.eq(right, no):
                return on
            return either(left, right)
        if kind == 'ReturnStmt':
            if s.get('inner'):
                value = self.value(s['inner'][0], on)
                self.result = value if self.result is None else choose(
                    on, value, self.result)
            return FALSE
        if kind == 'ForStmt':
            first, _, condition, step, body = s['inner']
            if first.get('kind'):
                on = self.statement(first, on)
            return self.loop(condition, step, body, on)
        if kind == 'WhileStmt':
            return self.loop(s['inner'][0], {}, s['inner'][1], on)
        if kind == 'BreakStmt':
            self.breaks[-1].append(on)
            return FALSE
        if kind == 'NullStmt':
            return on
        if kind == 'GCCAsmStmt' and re.match(
                r'__asm__\("" : "\+r" \(\w+\)\)',
                self.source[s['range']['begin']['offset']:]):
            return on           # no instruction: what goes in comes out
        self.value(s, on, True)
        return on

    def loop(self, condition, step, body, on):
        self.breaks = getattr(self, 'breaks', []) + [[]]
        out = FALSE
        for _ in range(self.unroll + 1):
            c = self.truth(condition, on) if condition.get('kind') else TRUE
            out = either(out, both(on, z3.Not(c)))
            on = both(on, c)
            if z3.is_false(on):
                break
            on = self.statement(body, on)
            if step.get('kind'):
                self.value(step, on, True)
        self.duty(on, FALSE, 'a loop ends')
        for b in self.breaks.pop():
            out = either(out, b)
        return out

    def declare(self, v, on):
        if v['kind'] != 'VarDecl':
            raise Unknown(v['kind'])
        init = v.get('inner')
        if v.get('storageClass') == 'static' or not init:
            if init:
                value = self.initial(init[-1], type_of(v), TRUE)
            else:
                value = self.garbage(v['name'], type_of(v))
        else:
            value = self.initial(init[-1], type_of(v), on)
        self.frame[v['id']] = Cell(value)

    structs, enums, typedefs = {}, {}, {}          # filled by load_program
    source = ''

    def garbage(self, name, t):
        number = self.target.integer(t)
        if number:
            return z3.BitVec('garbage_' + name, number[0])
        fields = self.structs.get(t.replace('const ', '').strip())
        if fields is None:
            raise Unknown('a variable of type ' + t)
        return {f: self.garbage(name + '_' + f, ft) for f, ft in fields}

    def initial(self, node, t, on):
        if node['kind'] != 'InitListExpr':
            return self.value(node, on)
        if t.endswith(']'):
            size = int(t[t.rindex('[') + 1:-1])
            values = [self.value(c, on) for c in node.get('inner', [])
                      if c['kind'] != 'ImplicitValueInitExpr']
            zero = z3.BitVecVal(0, values[0].size())
            return values + [zero] * (size - len(values))
        fields = self.structs.get(t.replace('const ', '').strip())
        if fields is None:
            raise Unknown('a list for ' + t)
        return {f: self.value(c, on)
                for (f, _), c in zip(fields, node['inner'])}

    # ---- expressions --------------------------------------------------------

    def truth(self, e, on):
        e = self.bare(e)
        if e['kind'] == 'BinaryOperator' and e['opcode'] in ('&&', '||'):
            a = self.truth(e['inner'][0], on)
            if e['opcode'] == '&&':
                return both(a, self.truth(e['inner'][1], both(on, a)))
            return either(a, self.truth(e['inner'][1], both(on, z3.Not(a))))
        if e['kind'] == 'UnaryOperator' and e['opcode'] == '!':
            return z3.simplify(z3.Not(self.truth(e['inner'][0], on)))
        if e['kind'] == 'BinaryOperator' and e['opcode'] in COMPARES:
            return self.compare(e, on)
        return self.nonzero(self.value(e, on))

    @staticmethod
    def nonzero(v):
        if v is NULL:
            return FALSE
        if isinstance(v, (Ref, Bytes)):
            return TRUE
        if isinstance(v, Outside):
            return v.base != 0
        return z3.simplify(v != 0)

    @staticmethod
    def bare(e):
        while e['kind'] in ('ParenExpr', 'ConstantExpr'):
            e = e['inner'][0]
        return e

    def compare(self, e, on):
        a, b = (self.value(c, on) for c in e['inner'])
        if not z3.is_expr(a):
            raise Unknown('pointers compared')
        signed = self.target.integer(type_of(e['inner'][0]))[1]
        return z3.simplify(COMPARES[e['opcode']][0 if signed else 1](a, b))

    def value(self, e, on, dropped=False):
        e = self.bare(e)
        kind = e['kind']
        if kind == 'IntegerLiteral':
            return z3.BitVecVal(int(e['value']),
                                self.target.integer(type_of(e))[0])
        if kind in ('ImplicitCastExpr', 'CStyleCastExpr'):
            return self.cast(e, on)
        if kind == 'BinaryOperator':
            return self.binary(e, on)
        if kind == 'CompoundAssignOperator':
            return self.compound(e, on)
        if kind == 'UnaryOperator':
            return self.unary(e, on)
        if kind == 'ConditionalOperator':
            c = self.truth(e['inner'][0], on)
            if z3.is_true(c):
                return self.value(e['inner'][1], on)
            if z3.is_false(c):
                return self.value(e['inner'][2], on)
            a = self.value(e['inner'][1], both(on, c))
            return choose(c, a, self.value(e['inner'][2],
                                           both(on, z3.Not(c))))
        if kind == 'UnaryExprOrTypeTraitExpr' and e['name'] == 'sizeof':
            t = e['argType'] if 'argType' in e else e['inner'][0]['type']
            t = t.get('desugaredQualType', t['qualType'])
            return z3.BitVecVal(self.target.integer(t)[0] // 8,
                                self.target.bits)
        if kind == 'CallExpr':
            return self.calls(e, on)
        if kind in ('DeclRefExpr', 'MemberExpr', 'ArraySubscriptExpr'):
            if 'referencedDecl' in e and (
                    e['referencedDecl']['kind'] == 'EnumConstantDecl'):
                return z3.BitVecVal(
                    self.enums[e['referencedDecl']['name']], 32)
            return self.place(e, on)
        raise Unknown(kind)

    def calls(self, e, on):
        callee = e['inner'][0]
        while callee['kind'] != 'DeclRefExpr':
            callee = callee['inner'][0]
        name = callee['referencedDecl']['name']
        if name == '__builtin_expect':
            return self.value(e['inner'][1], on)
        args = [self.value(a, on) for a in e['inner'][1:]]
        if name == '__builtin_clz':
            x, zeros = args[0], z3.BitVecVal(32, 32)
            self.duty(on, x != 0, 'clz of 0')
            for i in range(32):
                zeros = z3.If(z3.Extract(i, i, x) == 1,
                              z3.BitVecVal(31 - i, 32), zeros)
            return z3.simplify(zeros)
        if name == 'proof_memcpy':
            return self.memcpy(args, on)
        return self.call(name, args, on)

    def memcpy(self, args, on):
        to, source, n = args
        n = literal(n)
        if isinstance(to, Ref):
            to = Bytes(to, z3.BitVecVal(0, self.target.bits))
        at = literal(to.at) if isinstance(to, Bytes) else None
        if n is None or at is None or not isinstance(source, Outside):
            raise Unknown('a memcpy of what is not known')
        whole = self.read(to.ref, on)
        size = whole.size() // 8
        self.duty(on, z3.BoolVal(0 <= at and at + n <= size), 'memcpy inside')
        parts = [z3.Extract(8 * i + 7, 8 * i, whole) for i in range(size)]
        for i in range(n):
            k = at + i if self.target.little else size - 1 - at - i
            parts[k] = source.read(source.moved + i)
        value = z3.Concat(*reversed(parts)) if size > 1 else parts[0]
        self.write(to.ref, z3.simplify(value), on)
        return None

    def cast(self, e, on):
        how, inner = e['castKind'], e['inner'][0]
        if how == 'LValueToRValue':
            return self.read(self.place(inner, on), on)
        if how == 'ArrayToPointerDecay':
            ref = self.place(inner, on)
            return Ref(ref.cell, ref.path + (z3.BitVecVal(
                0, self.target.bits),))
        if how == 'ToVoid':
            return None
        v = self.value(inner, on)
        if how in ('NoOp', 'FunctionToPointerDecay'):
            return v
        if how == 'NullToPointer':
            return NULL
        if how == 'IntegralCast':
            width = self.target.integer(type_of(e))[0]
            signed = self.target.integer(type_of(inner))[1]
            have = v.size()
            if width <= have:
                return z3.simplify(z3.Extract(width - 1, 0, v))
            more = z3.SignExt if signed else z3.ZeroExt
            return z3.simplify(more(width - have, v))
        if how == 'PointerToIntegral':
            return z3.BitVecVal(0, self.target.bits) if v is NULL else (
                z3.simplify(v.base + v.moved))
        if how == 'BitCast':
            to = self.target.integer(type_of(e).replace('*', ''))
            if isinstance(v, Ref) and to and to[0] == 8:
                return Bytes(v, z3.BitVecVal(0, self.target.bits))
            return v
        raise Unknown(how)

    def arithmetic(self, op, a, b, number, on):
        width, signed = number
        if self.product and op in '*/' and not (op == '*' and (
                literal(a) in (0, 1) or literal(b) in (0, 1)
                or None not in (literal(a), literal(b)))):
            given = self.product(self, on, op, a, b)
            if given is not None:
                return given
        if op in ('<<', '>>'):
            self.duty(on, z3.And(b >= 0, z3.ULT(b, width)), 'shift')
            if b.size() != width:
                b = (z3.Extract(width - 1, 0, b) if b.size() > width
                     else z3.ZeroExt(width - b.size(), b))
            if op == '<<':
                if signed:
                    raise Unknown('<< of a signed number')
                return a << b
            return a >> b if signed else z3.LShR(a, b)
        if op in ('/', '%'):
            self.duty(on, b != 0, 'division by 0')
            least = z3.BitVecVal(1 << (width - 1), width)
            if signed:
                self.duty(on, z3.Or(a != least, b != -1), 'least by -1')
                return a / b if op == '/' else z3.SRem(a, b)
            return z3.UDiv(a, b) if op == '/' else z3.URem(a, b)
        if signed and op == '+':
            self.duty(on, z3.And(z3.BVAddNoOverflow(a, b, True),
                                 z3.BVAddNoUnderflow(a, b)), 'sum')
        elif signed and op == '-':
            self.duty(on, z3.And(z3.BVSubNoOverflow(a, b),
                                 z3.BVSubNoUnderflow(a, b, True)),
                      'difference')
        elif signed and op == '*' and not (
                literal(a) in (0, 1) or literal(b) in (0, 1)):
            self.duty(on, z3.And(z3.BVMulNoOverflow(a, b, True),
                                 z3.BVMulNoUnderflow(a, b)), 'product')
        return {'+': a + b, '-': a - b, '*': a * b, '&': a & b, '|': a | b,
                '^': a ^ b}[op]

    def moved(self, p, by, sign, on):
        """A pointer, by elements of its type further."""
        if sign < 0:
            by = -by
        by = z3.simplify(by if by.size() == self.target.bits else
                         z3.SignExt(self.target.bits - by.size(), by))
        if isinstance(p, Ref):
            at = z3.simplify(p.path[-1] + by)
            return Ref(p.cell, p.path[:-1] + (at,))
        if isinstance(p, Bytes):
            return Bytes(p.ref, z3.simplify(p.at + by))
        if isinstance(p, Outside):
            self.duty(on, z3.And(z3.BVAddNoOverflow(p.moved, by, True),
                                 z3.BVAddNoUnderflow(p.moved, by)), 'address')
            return Outside(p.base, z3.simplify(p.moved + by), p.read)
        raise Unknown('a pointer moved')

    def binary(self, e, on):
        op = e['opcode']
        if op == '=':
            ref = self.place(e['inner'][0], on)
            v = self.value(e['inner'][1], on)
            self.write(ref, v, on)
            return v
        if op == ',':
            self.value(e['inner'][0], on, True)
            return self.value(e['inner'][1], on)
        if op in ('&&', '||') or op in COMPARES:
            return z3.simplify(z3.If(self.truth(e, on), z3.BitVecVal(1, 32),
                                     z3.BitVecVal(0, 32)))
        a = self.value(e['inner'][0], on)
        b = self.value(e['inner'][1], on)
        if not z3.is_expr(a):
            if op not in '+-' or not z3.is_expr(b):
                raise Unknown('pointers ' + op)
            return self.moved(a, b, 1 if op == '+' else -1, on)
        return z3.simplify(self.arithmetic(
            op, a, b, self.target.integer(type_of(e)), on))

    def compound(self, e, on):
        ref = self.place(e['inner'][0], on)
        a = self.read(ref, on)
        b = self.value(e['inner'][1], on)
        op = e['opcode'][:-1]
        if not z3.is_expr(a):
            v = self.moved(a, b, 1 if op == '+' else -1, on)
            self.write(ref, v, on)
            return v
        t = e['computeResultType']
        number = self.target.integer(t.get('desugaredQualType', t['qualType']))
        have = self.target.integer(type_of(e))
        if have != number:
            if have[0] > number[0]:
                raise Unknown('a compound assignment that narrows')
            more = z3.SignExt if have[1] else z3.ZeroExt
            a = more(number[0] - have[0], a) if number[0] > have[0] else a
        v = self.arithmetic(op, a, b, number, on)
        if v.size() > have[0]:
            v = z3.Extract(have[0] - 1, 0, v)
        v = z3.simplify(v)
        self.write(ref, v, on)
        return v

    def unary(self, e, on):
        op, inner = e['opcode'], e['inner'][0]
        if op == '&':
            return self.place(inner, on)
        if op == '*':
            return self.place(e, on)
        if op == '!':
            return z3.If(self.truth(e, on), z3.BitVecVal(1, 32),
                         z3.BitVecVal(0, 32))
        if op in ('++', '--'):
            ref = self.place(inner, on)
            a = self.read(ref, on)
            one = z3.BitVecVal(1, a.size() if z3.is_expr(a)
                               else self.target.bits)
            if z3.is_expr(a):
                v = z3.simplify(self.arithmetic(
                    op[0], a, one, self.target.integer(type_of(e)), on))
            else:
                v = self.moved(a, one, 1 if op == '++' else -1, on)
            self.write(ref, v, on)
            return a if e.get('isPostfix') else v
        v = self.value(inner, on)
        if op == '~':
            return z3.simplify(~v)
        if op == '-':
            width, signed = self.target.integer(type_of(e))
            if signed:
                self.duty(on, v != z3.BitVecVal(1 << (width - 1), width),
                          'negation')
            return z3.simplify(-v)
        raise Unknown(op)

    # ---- what is stored -----------------------------------------------------

    def place(self, e, on):
        e = self.bare(e)
        kind = e['kind']
        if kind == 'DeclRefExpr':
            d = e['referencedDecl']
            if d['id'] in self.frame:
                return Ref(self.frame[d['id']])
            if d['name'] not in self.tables:
                if d['name'] not in self.program:
                    raise Unknown('no text of ' + d['name'])
                v = self.program[d['name']]
                self.tables[d['name']] = Cell(
                    self.initial(v['inner'][-1], type_of(v), TRUE))
            return Ref(self.tables[d['name']])
        if kind == 'MemberExpr':
            base = (self.value(e['inner'][0], on) if e['isArrow']
                    else self.place(e['inner'][0], on))
            if not isinstance(base, Ref):
                raise Unknown('a field of what is not known')
            path = base.path
            return Ref(base.cell, path + (e['name'],))
        if kind == 'ArraySubscriptExpr':
            p = self.value(e['inner'][0], on)
            return self.moved(p, self.index(e['inner'][1], on), 1, on)
        if kind == 'UnaryOperator' and e['opcode'] == '*':
            p = self.value(e['inner'][0], on)
            if p is NULL:
                self.duty(on, FALSE, 'NULL is not read')
            return p
        if kind in ('ImplicitCastExpr', 'CStyleCastExpr', 'CallExpr'):
            v = self.value(e, on)
            return v if isinstance(v, Ref) else Ref(Cell(v))
        raise Unknown('a place: ' + kind)

    def index(self, e, on):
        v = self.value(e, on)
        signed = self.target.integer(type_of(e))[1]
        more = z3.SignExt if signed else z3.ZeroExt
        return v if v.size() == self.target.bits else (
            more(self.target.bits - v.size(), v))

    def read(self, ref, on):
        if isinstance(ref, Bytes):
            at, v = literal(ref.at), self.read(ref.ref, on)
            k = at if self.target.little else v.size() // 8 - 1 - at
            return z3.simplify(z3.Extract(8 * k + 7, 8 * k, v))
        if isinstance(ref, Outside):
            return ref.read(ref.moved)
        v = ref.cell.value
        for step in ref.path:
            if isinstance(step, str):
                v = v[step]
            elif isinstance(v, list):
                self.duty(on, z3.ULT(step, len(v)), 'index of an array')
                k = literal(step)
                if k is not None:
                    if not 0 <= k < len(v):
                        return v[0]
                    v = v[k]
                else:
                    r = v[0]
                    for i in range(1, len(v)):
                        r = z3.If(step == i, v[i], r)
                    v = r
            else:
                self.duty(on, step == 0, 'pointer to one')
        return v

    def write(self, ref, value, on):
        if not isinstance(ref, Ref):
            raise Unknown('a store to memory')
        path = list(ref.path)
        if path and not isinstance(path[-1], str) and not isinstance(
                self.read(Ref(ref.cell, path[:-1]), on), list):
            self.duty(on, path[-1] == 0, 'pointer to one')
            path.pop()

        def stored(v, rest):
            if not rest:
                return value if not z3.is_expr(v) and v is None else choose(
                    on, value, v)
            step = rest[0]
            if isinstance(step, str):
                return {**v, step: stored(v[step], rest[1:])}
            k = literal(step)
            if k is None or not isinstance(v, list):
                raise Unknown('a store where is not known')
            return v[:k] + [stored(v[k], rest[1:])] + v[k + 1:]
        ref.cell.value = stored(ref.cell.value, path)


COMPARES = {
    '<': (lambda a, b: a < b, z3.ULT), '>': (lambda a, b: a > b, z3.UGT),
    '<=': (lambda a, b: a <= b, z3.ULE), '>=': (lambda a, b: a >= b, z3.UGE),
    '==': (lambda a, b: a == b, lambda a, b: a == b),
    '!=': (lambda a, b: a != b, lambda a, b: a != b)}


# ---- a term as C, to compare it with what a compiler makes of the text ------

def as_c(name, inputs, outputs):
    """void NAME(const uint64_t *in, uint64_t *out): what the terms give."""
    lines, keep = [], []
    names = {v.get_id(): 'in[%d]' % i for i, v in enumerate(inputs)}

    def signed(text, width):
        return '((int64_t)(%s << %d) >> %d)' % (text, 64 - width, 64 - width)

    def concatenated(t, a):
        text, width = '0', 0
        for c, x in reversed(list(zip(t.children(), a))):
            text += ' | %s << %d' % (x, width)
            width += c.size()
        return text

    def expression(t, a):
        k = t.decl().kind()
        width = t.size() if z3.is_bv(t) else 1
        taken = t.arg(0).size() if a and z3.is_bv(t.arg(0)) else 1
        if max(width, taken) > 64:
            raise Unknown('a term of more than 64 bits')
        if z3.is_bv_value(t):
            return '%dull' % t.as_long()
        if k in NARY:
            return (' %s ' % NARY[k]).join(a)
        if k == z3.Z3_OP_EXTRACT:
            return '%s >> %d' % (a[0], t.params()[1])
        if k == z3.Z3_OP_CONCAT:
            return concatenated(t, a)
        if k in AS_C:
            return AS_C[k].format(*a, s=[signed(x, taken) for x in a],
                                  top=width - 1, ones=ones(width))
        if t.decl().name().startswith('garbage_'):
            return '0x5a5a'             # not used, unless the two differ
        raise Unknown('as C: ' + t.decl().name())

    def ones(width):
        return '0x%xull' % ((1 << width) - 1)

    def code(t):
        if t.get_id() not in names:
            text = expression(t, [code(c) for c in t.children()])
            names[t.get_id()] = n = 't%d' % len(lines)
            lines.append('    const uint64_t %s = (uint64_t)(%s) & %s;' % (
                n, text, ones(t.size() if z3.is_bv(t) else 1)))
            keep.append(t)              # else its number may be another's
        return names[t.get_id()]
    lines_out = ['    out[%d] = %s;' % (i, code(o))
                 for i, o in enumerate(outputs)]
    return 'static void %s(const uint64_t *in, uint64_t *out) {\n%s\n}\n' % (
        name, '\n'.join(lines + lines_out))


NARY = {z3.Z3_OP_AND: '&&', z3.Z3_OP_OR: '||', z3.Z3_OP_BADD: '+',
        z3.Z3_OP_BMUL: '*', z3.Z3_OP_BAND: '&', z3.Z3_OP_BOR: '|',
        z3.Z3_OP_BXOR: '^', z3.Z3_OP_BSUB: '-', z3.Z3_OP_EQ: '==',
        z3.Z3_OP_DISTINCT: '!='}
# Of operands {0}, {1}; with their signs {s[0]}, {s[1]}.
AS_C = {
    z3.Z3_OP_TRUE: '1', z3.Z3_OP_FALSE: '0', z3.Z3_OP_NOT: '!{0}',
    z3.Z3_OP_BNOT: '~{0}', z3.Z3_OP_BNEG: '0 - {0}',
    z3.Z3_OP_ITE: '{0} ? {1} : {2}', z3.Z3_OP_IMPLIES: '!{0} || {1}',
    z3.Z3_OP_SIGN_EXT: '{s[0]}', z3.Z3_OP_ZERO_EXT: '{0}',
    z3.Z3_OP_BUREM: '{1} ? {0} % {1} : {0}',
    z3.Z3_OP_BUREM_I: '{1} ? {0} % {1} : {0}',
    z3.Z3_OP_BUDIV: '{1} ? {0} / {1} : {ones}',
    z3.Z3_OP_BUDIV_I: '{1} ? {0} / {1} : {ones}',
    z3.Z3_OP_BASHR: '{s[0]} >> ({1} > {top} ? {top} : {1})',
    z3.Z3_OP_BLSHR: '{1} > {top} ? 0 : {0} >> {1}',
    z3.Z3_OP_BSHL: '{1} > {top} ? 0 : {0} << {1}',
    z3.Z3_OP_SLEQ: '{s[0]} <= {s[1]}', z3.Z3_OP_SGEQ: '{s[0]} >= {s[1]}',
    z3.Z3_OP_SLT: '{s[0]} < {s[1]}', z3.Z3_OP_SGT: '{s[0]} > {s[1]}',
    z3.Z3_OP_ULEQ: '{0} <= {1}', z3.Z3_OP_UGEQ: '{0} >= {1}',
    z3.Z3_OP_ULT: '{0} < {1}', z3.Z3_OP_UGT: '{0} > {1}'}
# A signed quotient: of 0 as z3 has it; of the least by -1 it wraps.
for kind in (z3.Z3_OP_BSDIV, z3.Z3_OP_BSDIV_I):
    AS_C[kind] = ('{s[1]} == 0 ? 1 : {s[1]} == -1 ? 0 - {0} : '
                  '(uint64_t)({s[0]} / {s[1]})')
