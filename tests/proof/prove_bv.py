"""prove_bv.py HEADER FOLDER CLANG CC [PART...]: z3's bit-vectors prove what
ndgather.h's functions return, at 32 and 64 bits, from its text as clang parses
it (see bv.py). FOLDER takes what is made on the way.

Each claim is a line of fields between tabs: result, function, claim, prover,
seconds, assumed, where result is proved, open (no answer in time) or FAILED (a
counterexample is told). A function is also run: the terms that stand for it,
printed as C, must give what the header gives, compiled by CC, for a million
values, random ones and edges (result same or DIFFERS). So they cannot drift.
"""
import os
import subprocess
import sys
import time

import z3

import bv

SECONDS = int(os.environ.get('PROOF_SECONDS', '60'))
I8, I16, I64, U8, U16, U32, U64 = 1, 2, 3, 4, 5, 6, 7      # and I32 is 0
TYPES = 'I32 I8 I16 I64 U8 U16 U32 U64'.split()
WIDTHS = [4, 1, 2, 8, 1, 2, 4, 8]
DRIVER = '''#include <stddef.h>
#include <stdint.h>
#include <string.h>
#ifdef PROOF_AST
void proof_memcpy(void *d, const void *s, size_t n);
#define NDG_MEMCPY(d, s, n) proof_memcpy((d), (s), (n))
#endif
#define NDGATHER_IMPLEMENTATION
#define NDG_STATIC
#define NDG_NO_STRINGS
#define NDG_SMALL 0
#define NDGI_SIMD 0
#include "ndgather.h"
'''
bad = 0


def say(result, function, claim, prover, seconds, assumed=''):
    global bad
    bad += result in ('FAILED', 'DIFFERS')
    print('\t'.join((result, function, claim, prover, '%.2f' % seconds,
                     assumed)), flush=True)


def parse(folder, clang, bits):
    c = os.path.join(folder, 'driver.c')
    with open(c, 'w') as f:
        f.write(DRIVER.replace('#include <string.h>\n', ''))
    target = 'x86_64-linux-gnu' if bits == 64 else 'i686-linux-gnu'
    text = subprocess.run(
        [clang, '--target=' + target, '-ffreestanding', '-O2', '-w',
         '-DPROOF_AST', '-I' + folder, '-fsyntax-only', '-Xclang',
         '-ast-dump=json', '-Xclang', '-ast-dump-filter=ndg', c],
        check=True, stdout=subprocess.PIPE, universal_newlines=True).stdout
    with open(os.path.join(folder, 'ndgather.h')) as f:
        return bv.load_program(text, f.read())


def number(x, width=32):
    return z3.BitVecVal(x, width)


# The fields of an ndg_bad and their bits; None: those of a size.
BAD = {'count': None, 'list': None, 'position': None, 'component': 32,
       'is_u64': 32, 'value': 64, 'extent': None, 'changed': 32,
       'from_end': 32}


class Prover:
    def __init__(self, program, bits):
        self.program, self.bits = program, bits
        self.runs = []                     # of which terms are compared

    # ---- short words for claims ---------------------------------------------

    def size(self, name):
        return z3.BitVec(name, self.bits)

    def sizes(self, names):
        return [self.size(name) for name in names.split()]

    def zero(self):
        return z3.BitVecVal(0, self.bits)

    @staticmethod
    def enum(name):
        return number(bv.Run.enums[name])

    def array(self, values):
        """A pointer to the first of them."""
        return bv.Ref(bv.Cell(values), (self.zero(),))

    def outside(self, read=None, base='base'):
        """A pointer to memory, of which `read` gives a byte."""
        return bv.Outside(self.size(base), self.zero(), read)

    def report(self):
        """One in which nothing stands yet; its part `bad`, too."""
        return {'status': number(0), 'operand': number(0), 'axis': number(0),
                'value': number(0, 64), 'bound': number(0, 64), 'bad': {
                    f: number(0, w or self.bits) for f, w in BAD.items()}}

    @property
    def most(self):
        return (1 << (self.bits - 1)) - 1

    @staticmethod
    def wide(x):
        """A signed number in so many bits that no sum or product wraps."""
        return z3.SignExt(140 - x.size(), x)

    @staticmethod
    def plain(x):
        """The same of an unsigned one."""
        return z3.ZeroExt(140 - x.size(), x)

    def run(self, stubs=None, little=True, product=None):
        return bv.Run(self.program, bv.Target(self.bits, little), stubs,
                      8, product)

    def prove(self, function, given, run, claims, assumed=''):
        s = z3.Solver()
        s.set('timeout', SECONDS * 1000)
        s.add(given)
        if s.check() != z3.sat:            # then all might be proved
            say('FAILED', function, 'what is given contradicts itself',
                'z3 bit-vectors, %d bits' % self.bits, 0, assumed)
        todo = [('nothing undefined', [c for c, _ in run.duties])
                ] if run else []
        for what, goals in todo + [(w, [g]) for w, g in claims]:
            began = time.time()
            result = 'proved'
            for goal in goals:
                s = z3.Solver()
                s.set('timeout', SECONDS * 1000)
                s.add(given + [z3.Not(goal)])
                answer = s.check()
                if answer == z3.sat:
                    result = 'FAILED'
                    what += ' ' + str(s.model()).replace('\n', ' ')
                    break
                if answer != z3.unsat:
                    result = 'open'
                    break
            say(result, function, what, 'z3 bit-vectors, %d bits' % self.bits,
                time.time() - began, assumed)

    def product(self, name):
        """Any product of two numbers of a word, wide: a variable, of which the
        caller says what follows from `lemmas`, which z3 proves of integers."""
        return z3.BitVec(name, 140)

    def low(self, x, width=None):
        return z3.Extract((width or self.bits) - 1, 0, x)

    def compare(self, name, inputs, outputs, call, need='1'):
        """That the terms give what C gives; call is C from in[] to want[]."""
        self.runs.append((name, inputs, outputs, call, need))

    def returns(self, name, args, given, claims, call, need='1', assumed=''):
        """Proves claims(x) of what the function gives, and compares that."""
        r = self.run()
        x = r.call(name, args)
        self.prove(name, given, r, claims(x), assumed)
        self.compare(name, args, [x], call, need)


def two(x):
    return z3.Or(x == 0, x == 1)


def arithmetic(p):
    x, y, a, b, old = p.sizes('x y a b old')
    p.prove('lemma 6', [x >= 0, y >= 0], None, [
        ('a | b is no less than a and b', z3.And((x | y) >= x, (x | y) >= y))])
    half = 1 << (p.bits // 2 - 1)
    p.returns('ndgi_is_half', [a], [], lambda x: [
        ('0 <= a < 2^(w/2 - 1)', (x != 0) == z3.And(0 <= a, a < half))],
        'want[0] = (unsigned)ndgi_is_half(A(0));')
    r = p.run()
    x = r.call('ndgi_is_half', [a | b])
    p.prove('ndgi_is_half', [], r, [
        ('of a | b: both are', z3.Implies(x != 0, z3.And(
            0 <= a, a < half, 0 <= b, b < half)))])

    # a * b is X; MAX = Y + rest, where Y = (MAX / b) * b and 0 <= rest < b.
    prod, other, rest = p.product('X'), p.product('Y'), p.product('rest')
    quotient = p.size('quotient')

    def known(run, on, op, f, g):
        if op == '/':
            run.duty(on, z3.And(g > 0, f == p.most), 'MAX / b, b > 0')
            return quotient
        run.duty(on, prod <= p.most, 'product')
        return p.low(prod)
    facts = [prod >= 0, prod <= 1 << 2 * p.bits, quotient >= 0,
             z3.Implies(b == 0, prod == 0), z3.Implies(b > 0, z3.And(
                 other + rest == p.most, 0 <= rest, rest < p.wide(b),
                 0 <= other, other <= p.most,
                 z3.Implies(a <= quotient, prod <= other),
                 z3.Implies(a > quotient, prod >= other + p.wide(b)))),
             z3.Implies(z3.And(0 <= a, a < half, 0 <= b, b < half),
                        prod <= (half - 1) ** 2)]
    r, out = p.run(product=known), bv.Cell(old)
    x = r.call('ndgi_mul', [a, b, bv.Ref(out)])
    p.prove('ndgi_mul', [a >= 0, b >= 0] + facts, r, [
        ('1 or 0', two(x)),
        ('fits iff a * b <= MAX', (x != 0) == (prod <= p.most)),
        ('out is a * b', z3.Implies(x != 0, p.wide(out.value) == prod)),
        ('else out stays', z3.Implies(x == 0, out.value == old))],
        'lemmas 1 to 3')
    r, out = p.run(), bv.Cell(old)
    x = r.call('ndgi_mul', [a, b, bv.Ref(out)])
    p.compare('ndgi_mul', [a, b, old], [x, out.value],
              'ptrdiff_t o = A(2); want[0] = (unsigned)ndgi_mul(A(0), A(1), '
              '&o); want[1] = (size_t)o;', 'A(0) >= 0 && A(1) >= 0')

    total = p.wide(a) + p.wide(b)
    p.returns('ndgi_add_saturate', [a, b], [a >= 0, b >= 0], lambda x: [
        ('the lesser of a + b and MAX', p.wide(x) == z3.If(
            total <= p.most, total, p.most))],
        'want[0] = (size_t)ndgi_add_saturate(A(0), A(1));',
        'A(0) >= 0 && A(1) >= 0')
    for name, least in (('ndgi_min', True), ('ndgi_max', False)):
        r = p.run()
        x = r.call(name, [a, b])
        p.prove(name, [], r, [('of a and b', x == z3.If(
            (a < b) if least else (a > b), a, b))])

    def fits(run, on, op, f, g):
        asked.append((on, f, g))
        run.duty(on, z3.And(f >= 0, g >= 0), 'numbers >= 0')
        return p.low(prod)
    asked = []
    r = p.run(product=fits)
    x = r.call('ndgi_reach', [a, b])
    on, f, g = asked[0]
    p.prove('ndgi_reach', [0 <= prod, prod <= p.most, z3.Implies(
        a >= 2, b > -p.most - 1)], r, [
        ('(n - 1) * |stride|; 0 if n < 2', z3.And(
            z3.Implies(a < 2, x == 0), z3.Implies(a >= 2, z3.And(
                on, p.wide(f) == p.wide(a) - 1, p.wide(g) == z3.If(
                    b < 0, -p.wide(b), p.wide(b)), p.wide(x) == prod))))],
        '(n - 1) * |stride| fits')
    p.compare('ndgi_reach', [a, b], [r_plain(p, 'ndgi_reach', a, b)],
              'want[0] = (size_t)ndgi_reach(A(0), A(1));',
              'A(1) > -PTRDIFF_MAX')


def r_plain(p, name, *args):
    return p.run().call(name, list(args))


def product(p):
    """ndgi_product: what holds before a step of its loop, whatever the extents
    and however many, holds after it; so by induction at the end. T is the true
    product so far, as OVER = MAX + 1 if it is larger (0 times that is 0)."""
    out, true, d = p.size('out'), p.product('T'), p.size('dim')
    fits = z3.BitVec('fits', 32)
    over = p.most + 1

    def holds(fits, out, true):
        return z3.And(
            two(fits), out >= 0, 0 <= true, true <= over,
            z3.Implies(fits == 1, p.wide(out) == true),
            (out == 0) == (true == 0),
            z3.Implies(z3.And(fits == 0, out != 0), true == over))
    node = p.program['ndgi_product']
    body = [c for c in node['inner'] if c['kind'] == 'CompoundStmt'][0]
    parts = body['inner']
    if [c['kind'] for c in parts] != [
            'DeclStmt', 'BinaryOperator', 'ForStmt', 'ReturnStmt']:
        raise bv.Unknown('ndgi_product is not what is proved')
    loop, names = parts[2], {}
    for c in [c for c in node['inner'] if c['kind'] == 'ParmVarDecl'] + (
            parts[0]['inner']):
        names[c['name']] = c['id']

    def begin(seen):
        r = p.run(mul_stub(p, seen))
        product_ = bv.Cell(out)
        r.frame = {names['dims']: bv.Cell(p.array([d])),
                   names['n']: bv.Cell(number(1)),
                   names['out']: bv.Cell(bv.Ref(product_)),
                   names['i']: bv.Cell(number(0)),
                   names['fits']: bv.Cell(fits)}
        r.result = None
        return r, product_
    r, now = begin([])
    for c in parts[:2]:
        r.statement(c, bv.TRUE)
    r.statement(loop['inner'][0], bv.TRUE)
    p.prove('ndgi_product', [], r, [
        ('holds before the loop, i is 0', z3.And(
            holds(r.frame[names['fits']].value, now.value,
                  z3.BitVecVal(1, 140)),
            r.frame[names['i']].value == 0))])
    seen = []
    r, now = begin(seen)
    r.statement(loop['inner'][4], bv.TRUE)
    f, g, q = seen[0]
    after = z3.If(d == 0, z3.BitVecVal(0, 140), z3.If(
        true == over, true, z3.If(q > p.most, over, q)))
    p.prove('ndgi_product', [
        d >= 0, holds(fits, out, true), 0 <= q, q <= 1 << 2 * p.bits,
        z3.Implies(z3.Or(out == 0, d == 0), q == 0),
        z3.Implies(z3.And(out > 0, d > 0), z3.And(q >= p.wide(out),
                                                  q >= p.wide(d)))], r, [
        ('multiplies by the next extent', z3.And(f == out, g == d)),
        ('holds after each step', holds(r.frame[names['fits']].value,
                                        now.value, after)),
        ('i is as before', r.frame[names['i']].value == 0)],
        'ndgi_mul by its contract')
    r, now = begin([])
    on = r.truth(loop['inner'][2], bv.TRUE)
    r.value(loop['inner'][3], bv.TRUE, True)
    p.prove('ndgi_product', [], r, [
        ('goes on iff i < n, by 1', z3.And(
            on, r.frame[names['i']].value == 1, z3.Not(r.truth(
                loop['inner'][2], bv.TRUE))))])
    r, now = begin([])
    r.statement(parts[3], bv.TRUE)
    p.prove('ndgi_product', [holds(fits, out, true)], r, [
        ('gives 1 iff the product is <= MAX, then it', z3.And(
            (r.result != 0) == (true <= p.most),
            z3.Implies(r.result != 0, p.wide(out) == true)))],
        'by induction')


def mul_stub(p, seen):
    """ndgi_mul by its contract: any product, of two numbers >= 0."""
    def stub(run, on, a, b, out):
        run.duty(on, z3.And(a >= 0, b >= 0), 'mul takes numbers >= 0')
        product = z3.BitVec('product%d' % len(seen), 140)
        fits = product <= p.most
        seen.append((a, b, product))
        run.write(out, z3.Extract(p.bits - 1, 0, product), both(on, fits))
        return z3.If(fits, number(1), number(0))
    return {'ndgi_mul': stub}


def both(a, b):
    return z3.simplify(z3.And(a, b))


def spans(p):
    low, high, n, step = p.sizes('low high n step')
    inside = [low <= 0, 0 <= high, p.wide(high) - p.wide(low) <= p.most]
    mag = z3.If(step < 0, -p.wide(step), p.wide(step))
    by_contract = 'ndgi_mul by its contract'

    # The product of n - 1 and |step| is any number >= 0; 0 if n is 1; if a
    # factor is 0; else no less than either, so that least is too large.
    def product(seen):
        _, _, q = seen[0]
        return q, [q >= 0, q <= 1 << 2 * p.bits, z3.Implies(n == 1, q == 0),
                   z3.Implies(step == 0, q == 0),
                   z3.Implies(z3.And(n > 1, step != 0), z3.And(
                       q >= mag, q >= p.wide(n) - 1))]

    def ends(span, q):
        return z3.And(
            p.wide(span['low']) == p.wide(low) - z3.If(step < 0, q, 0),
            p.wide(span['high']) == p.wide(high) + z3.If(step < 0, 0, q))

    seen, s = [], bv.Cell({'low': low, 'high': high})
    r = p.run(mul_stub(p, seen))
    x = r.call('ndgi_span_widen', [bv.Ref(s), n, step])
    q, known = product(seen)
    fits = p.wide(high) - p.wide(low) + q <= p.most
    p.prove('ndgi_span_widen', inside + [n >= 1] + known, r, [
        ('asks for (n - 1) * |step|', z3.Implies(
            z3.And(n != 1, step > -p.most - 1),
            z3.And(p.wide(seen[0][0]) == p.wide(n) - 1,
                   p.wide(seen[0][1]) == mag))),
        ('fits iff it is <= MAX', (x != 0) == fits),
        ('low and high are its ends', z3.Implies(x != 0, ends(s.value, q)))],
        by_contract)
    s = bv.Cell({'low': low, 'high': high})
    r = p.run()
    x = r.call('ndgi_span_widen', [bv.Ref(s), n, step])
    p.compare('ndgi_span_widen', [low, high, n, step],
              [x, s.value['low'], s.value['high']],
              'ndgi_span s; s.low = A(0); s.high = A(1); want[0] = (unsigned)'
              'ndgi_span_widen(&s, A(2), A(3)); want[1] = (size_t)s.low; '
              'want[2] = (size_t)s.high;',
              'A(0) <= 0 && A(1) >= 0 && A(1) <= PTRDIFF_MAX + A(0) '
              '&& A(2) >= 1')

    s = bv.Cell({'low': low, 'high': high})
    seen = []
    half, line = 1 << (p.bits // 2 - 1), p.product('line')

    def short(run, on, op, f, g):
        run.duty(on, z3.And(p.wide(f) == p.wide(n) - 1, g == step, f < half,
                            step < half, z3.Or(f >= 0, step == 0)),
                 '(n - 1) * step of small ones')
        return p.low(line)
    r = p.run(mul_stub(p, seen), product=short)
    x = r.call('ndgi_span_line', [bv.Ref(s), n, step, low, high])
    q, known = product(seen)
    known += [line >= 0, line <= (half - 1) ** 2]
    small = z3.And(low == 0, n >= 0, n < half, 0 <= step, step < half,
                   0 <= high, high < half)
    some = z3.And(n > 0, low < high)
    after = s.value
    p.prove('ndgi_span_line', inside + [n >= 0] + known, r, [
        ('large: fits iff it is <= MAX', z3.Implies(z3.Not(small), (x != 0) == (
            z3.Or(z3.Not(some), p.wide(high) - p.wide(low) + q <= p.most)))),
        ('small: always fits', z3.Implies(small, x != 0)),
        ('none: no bytes', z3.Implies(z3.And(z3.Not(some), x != 0),
                                      after['low'] == after['high'])),
        ('small: (n - 1) * step + high', z3.Implies(z3.And(small, some), z3.And(
            after['low'] == 0,
            p.wide(after['high']) == line + p.wide(high)))),
        ('large: low and high are its ends', z3.Implies(
            z3.And(z3.Not(small), some, x != 0), ends(after, q)))],
        by_contract + ', lemma 3')
    s = bv.Cell({'low': low, 'high': high})
    r = p.run()
    x = r.call('ndgi_span_line', [bv.Ref(s), n, step, low, high])
    p.compare('ndgi_span_line', [low, high, n, step],
              [x, s.value['low'], s.value['high']],
              'ndgi_span s; want[0] = (unsigned)ndgi_span_line(&s, A(2), A(3), '
              'A(0), A(1)); want[1] = (size_t)s.low; want[2] = (size_t)s.high;',
              'A(0) <= 0 && A(1) >= 0 && A(1) <= PTRDIFF_MAX + A(0) '
              '&& A(2) >= 0')

    first, last, rows = p.sizes('first last rows')
    r, report = p.run(), bv.Cell(p.report())
    x = r.call('ndgi_check_range', [first, last, rows, bv.Ref(report)])
    p.prove('ndgi_check_range', [], r, [
        ('OK iff 0 <= first <= last <= rows', (x == 0) == z3.And(
            0 <= first, first <= last, last <= rows)),
        ('else it names the first that is wrong', z3.Implies(
            x != 0, report.value['operand'] == z3.If(
                z3.Or(first < 0, first > rows), p.enum('NDG_ARG_FIRST'),
                p.enum('NDG_ARG_LAST'))))])
    p.compare('ndgi_check_range', [first, last, rows],
              [x, report.value['operand'], report.value['value']],
              'ndg_report r; memset(&r, 0, sizeof r); want[0] = (unsigned)'
              'ndgi_check_range(A(0), A(1), A(2), &r); want[1] = (unsigned)'
              'r.operand; want[2] = (uint64_t)r.value;')


def arrays(p):
    a, b = p.sizes('in out')
    from_ = {'low': p.size('from_low'), 'high': p.size('from_high')}
    to = {'low': p.size('to_low'), 'high': p.size('to_high')}
    overlap = z3.BitVec('overlap', 32)

    # Whether an array lies in the address space, without its last byte, or
    # nowhere, at NULL.
    def lies(base, s):
        end = z3.BitVecVal((1 << p.bits) - 1, 140)
        return z3.And(s['low'] <= s['high'], z3.Or(base == 0, z3.And(
            p.plain(base) + p.wide(s['low']) >= 0,
            p.plain(base) + p.wide(s['high']) <= end)))

    def meet(s, base, t, other):
        return z3.And(
            s['low'] < s['high'], t['low'] < t['high'],
            p.plain(base) + p.wide(s['low']) < p.plain(other)
            + p.wide(t['high']),
            p.plain(other) + p.wide(t['low']) < p.plain(base)
            + p.wide(s['high']))
    outside = p.outside(base='in')
    r, report = p.run(), bv.Cell(p.report())
    x = r.call('ndgi_check_input', [outside, from_, p.outside(base='out'), to,
                                    overlap, number(1), bv.Ref(report)])
    some = from_['low'] < from_['high']
    p.prove('ndgi_check_input', [lies(a, from_), lies(b, to), z3.Or(
            b != 0, to['low'] == to['high'])], r, [
        ('NULL refused iff it would be read', (x == p.enum('NDG_E_NULL'))
         == z3.And(some, a == 0)),
        ('overlap refused iff a byte is shared', z3.Implies(
            z3.And(overlap == 0, a != 0), (x == p.enum('NDG_E_OVERLAP'))
            == meet(from_, a, to, b))),
        ('else OK', z3.Or(x == 0, x == p.enum('NDG_E_NULL'),
                          x == p.enum('NDG_E_OVERLAP')))],
        'no array holds the last byte of all memory; out is there')
    p.compare('ndgi_check_input', [a, b, from_['low'], from_['high'], to['low'],
                                   to['high'], overlap], [x],
              'ndg_report r; ndgi_span s, t; s.low = A(2); s.high = A(3); '
              't.low = A(4); t.high = A(5); want[0] = (unsigned)'
              'ndgi_check_input((void *)(uintptr_t)in[0], s, (void *)'
              '(uintptr_t)in[1], t, (int)in[6], 1, &r);')

    index = {'low': p.size('index_low'), 'high': p.size('index_high')}
    c, have = p.sizes('indices have')
    arrays = bv.Cell({'out': p.outside(base='out'), 'data': outside,
                      'indices': p.outside(base='indices'), 'to': to,
                      'from': from_, 'index': index, 'data_arg': number(1),
                      'index_arg': number(2), 'overlap': overlap})
    r, report = p.run(), bv.Cell(p.report())
    x = r.call('ndgi_check_arrays', [bv.Ref(arrays), have, bv.Ref(report)])
    there = z3.And(
        to['high'] <= have, z3.Or(to['high'] == 0, b != 0),
        z3.Or(z3.Not(some), a != 0),
        z3.Or(index['low'] == index['high'], c != 0))
    p.prove('ndgi_check_arrays', [lies(a, from_), lies(b, to), lies(c, index),
                                  to['low'] >= 0], r, [
        ('OK iff out has room, none is NULL, none overlaps', z3.Implies(
            overlap == 0, (x == 0) == z3.And(
                there, z3.Not(meet(from_, a, to, b)),
                z3.Not(meet(index, c, to, b))))),
        ('DISJOINT: OK iff out has room and none is NULL', z3.Implies(
            overlap == p.enum('NDG_OVERLAP_DISJOINT'), (x == 0) == there))],
        'no array holds the last byte of all memory; out begins at 0 or later')

    n, step = p.sizes('n step')
    for strides in ([], p.sizes('stride0 stride1')):
        w = bv.Cell({'dims': p.array([p.zero()]), 'axis': number(2),
                     'strides': p.array(strides) if strides else bv.NULL,
                     'packed': n})
        r = p.run()
        last = r.call('ndgi_axes_back', [bv.Ref(w), step])
        before = r.call('ndgi_axes_back', [bv.Ref(w),
                                           z3.BitVecVal(1, p.bits)])
        gives = strides or [n * step, n]
        p.prove('ndgi_axes_back', [n >= 0, step >= 0,
                                   z3.BVMulNoOverflow(n, step, True)], r, [
            ('gives %s, and goes one axis back' % (
                'the stride of that axis' if strides else 'packed'), z3.And(
                last == gives[1], before == gives[0],
                w.value['packed'] == n * step, w.value['axis'] == 0))],
            'the product is that of an array, which fits')


def folds(p):
    step, inner, n = p.sizes('step inner n')
    # n * inner is inner and (n - 1) * |inner|, Q, with its sign.
    q = p.product('Q')
    mag = z3.If(inner < 0, -p.wide(inner), p.wide(inner))
    whole = p.wide(inner) + z3.If(inner < 0, -q, q)

    def product(run, on, op, f, g):
        run.duty(on, z3.And(f == inner, g == n), 'inner * n')
        return p.low(whole)
    r = p.run(product=product)
    x = r.call('ndgi_continues', [step, inner, n])
    p.prove('ndgi_continues', [
        n >= 1, q >= 0, q <= p.most, z3.Implies(z3.Or(n == 1, inner == 0),
                                               q == 0),
        z3.Implies(n > 1, q >= mag)], r, [
        ('iff step is n * inner', (x != 0) == (p.wide(step) == whole))],
        '(n - 1) * |inner| <= MAX')
    x = r_plain(p, 'ndgi_continues', step, inner, n)
    p.compare('ndgi_continues', [step, inner, n], [x], 'want[0] = (unsigned)'
              'ndgi_continues(A(0), A(1), A(2));')


def indices(p):
    v, u = z3.BitVec('v', 64), z3.BitVec('u', 32)
    n, policy = p.size('n'), z3.BitVec('policy', 32)
    m = z3.If(z3.And(v < 0, u != 0), p.plain(v), p.wide(v))
    e = p.wide(n)
    good = z3.And(0 <= m, m < e)
    to64 = (lambda x: x) if p.bits == 64 else lambda x: z3.SignExt(32, x)

    p.returns('ndg_index_from_end', [v, u, n], [n >= 0], lambda x: [
        ('below 0: v + extent, else v', p.wide(x) == z3.If(
            m < 0, m + e, p.wide(v)))], 'want[0] = (uint64_t)ndg_index_'
        'from_end((int64_t)in[0], (int)in[1], A(2));', 'A(2) >= 0')
    clip = z3.If(m < 0, 0, z3.If(m >= e, e - 1, m))
    p.returns('ndg_index_clip', [v, u, n], [n >= 1], lambda x: [
        ('the nearest of 0 ... extent - 1', p.wide(x) == clip)],
        'want[0] = (size_t)ndg_index_clip('
        '(int64_t)in[0], (int)in[1], A(2));', 'A(2) >= 1')
    rest = z3.URem(z3.If(m < 0, ~v, v), to64(n))
    p.returns('ndg_index_wrap', [v, u, n], [n >= 1], lambda x: [
        ('inside 0 ... extent - 1', z3.And(0 <= x, x < n)),
        ('v % extent, or extent - 1 - (-1 - v) % extent', to64(x) == z3.If(
            m < 0, to64(n) - 1 - rest, rest))],
        'want[0] = (size_t)ndg_index_wrap('
        '(int64_t)in[0], (int)in[1], A(2));', 'A(2) >= 1',
        'lemma 8: that is v % extent')

    def stub(name):
        return lambda run, on, *args: z3.BitVec(name, p.bits)
    r = p.run({'ndg_index_clip': stub('clip'), 'ndg_index_wrap': stub('wrap')})
    x = r.call('ndg_index_place', [v, u, n, policy])
    p.prove('ndg_index_place', [n >= 0], r, [
        ('CLIP clips, WRAP wraps, else -1', x == z3.If(
            n < 1, p.zero() - 1, z3.If(
            policy == p.enum('NDG_CLIP'), stub('clip')(0, 0), z3.If(
                policy == p.enum('NDG_WRAP'), stub('wrap')(0, 0),
                p.zero() - 1))))],
        'clip and wrap by their contracts')


def lanes(p):
    """Rows of which some are bad: numbers of 32 bits, judged on lanes, of which
    this is one. `at` is the index that is meant, in numbers that do not wrap;
    AROUND it goes to a - q * extent, where a is at or -1 - at: as
    ndg_index_wrap, by the lemmas."""
    x, n, magic, shift = (z3.BitVec(name, 32) for name in (
        'x', 'extent', 'magic', 'shift'))
    rest, most = z3.BitVec('reduced', 32), 1 << 30
    ones, e = z3.BitVecVal(-1, 32), p.wide(n)
    hows = ('NDGI_MARK', 'NDGI_TO_EDGE', 'NDGI_AROUND')

    def axis(how, ends, type_=I64):
        return bv.Ref(bv.Cell({
            'type': number(type_), 'how': p.enum(how), 'ends': number(ends),
            'extent': n, 'magic': magic, 'shift': shift, 'low': number(0),
            'high': n - 1, 'units': z3.BitVec('units', 32)}))

    # a * magic is `one`; q * extent is T, of lemma 4.
    one, t = p.product('a*magic'), p.product('T')
    asked = []

    def product(run, on, op, f, g):
        asked.append(op)
        if len(asked) == 1:
            run.duty(on, z3.And(f == z3.ZeroExt(32, x), g == z3.ZeroExt(
                32, magic), z3.BoolVal(op == '*')), 'a * magic')
            return p.low(one, 64)
        run.duty(on, z3.And(f == z3.LShR(p.low(one, 64), z3.ZeroExt(
            32, shift)), g == z3.ZeroExt(32, n), z3.BoolVal(
                op == '*' and len(asked) == 2)), 'q * extent')
        return p.low(t, 64)
    r = p.run(product=product)
    y = r.call('ndgi_reduced', [x, magic, shift, n])
    p.prove('ndgi_reduced', [
        x >= 0, n >= 1, n <= most, shift >= 31, shift <= 61, 0 <= one,
        one < 1 << 64, 0 <= t, t <= p.wide(x), p.wide(x) - t < e], r, [
        ('a - q * extent, in 0 ... extent - 1', z3.And(
            p.wide(y) == p.wide(x) - t, 0 <= y, p.wide(y) < e))],
        'lemma 4; magic, shift: of ndgi_magic')
    y = r_plain(p, 'ndgi_reduced', x, magic, shift, n)
    p.compare('ndgi_reduced', [x, magic, shift, n], [y],
              'want[0] = (uint32_t)ndgi_reduced((int32_t)in[0], '
              '(uint32_t)in[1], (int)in[2], (int32_t)in[3]);',
              'in[0] <= INT32_MAX && in[2] <= 61 && in[3] <= 1 << 30')

    def reduced(run, on, a, m, shift_, extent):
        run.duty(on, z3.And(a >= 0, m == magic, shift_ == shift, extent == n),
                 'reduced')
        reduces.append(a)
        return rest

    def judged(x_, how, ends, type_=I64):
        bad_ = bv.Cell(z3.BitVec('garbage_bad', 32))
        r = p.run({'ndgi_reduced': reduced})
        y = r.call('ndgi_judge_lanes', [x_, axis(how, ends, type_), p.enum(how),
                                        number(ends), bv.Ref(bad_)])
        return r, y, bad_.value
    for how in hows:
        for ends in (0, 1):
            reduces = []
            r, y, bad_ = judged(x, how, ends)
            at = z3.If(x < 0, p.wide(x) + e, p.wide(x)) if ends else p.wide(x)
            good = z3.And(0 <= at, at < e)
            end = how[5:] + (', from the end: ' if ends else ': ')
            given = [n >= (0 if how == 'NDGI_MARK' else 1), n <= most]
            claims = [(end + 'bad is all ones iff bad, else 0',
                       bad_ == z3.If(good, 0, ones))]
            if how == 'NDGI_MARK':
                claims.append((end + 'a good one is as it was meant',
                               z3.Implies(good, p.wide(y) == at)))
            if how == 'NDGI_TO_EDGE':
                claims.append((end + 'the nearest of 0 ... extent - 1',
                               p.wide(y) == z3.If(at < 0, 0, z3.If(
                                   at >= e, e - 1, at))))
            if how == 'NDGI_AROUND':
                given += [rest >= 0, p.wide(rest) < e]
                m = p.wide(rest)
                claims += [
                    (end + 'reduces at, or -1 - at', p.wide(reduces[0]) == (
                        z3.If(at < 0, -1 - at, at))),
                    (end + 'that, or extent - 1 - it', p.wide(y) == z3.If(
                        at < 0, e - 1 - m, m))]
            p.prove('ndgi_judge_lanes', given, r, claims,
                    'ndgi_reduced by its contract'
                    if how == 'NDGI_AROUND' else '')
            bad_ = bv.Cell(z3.BitVec('garbage_bad', 32))
            y = r_plain(p, 'ndgi_judge_lanes', x, axis(how, ends),
                        p.enum(how), number(ends), bv.Ref(bad_))
            p.compare('ndgi_judge_lanes', [x, n, magic, shift],
                      [y, bad_.value],
                      'ndgi_axis a = { 0 }; int32_t bad; a.extent = (int32_t)'
                      'in[1]; a.high = a.extent - 1; '
                      'a.magic = (uint32_t)in[2]; '
                      'a.shift = (int)in[3]; want[0] = (uint32_t)'
                      'ndgi_judge_lanes((int32_t)in[0], &a, %s, %d, &bad); '
                      'want[1] = (uint32_t)bad;' % (how, ends),
                      'in[1] >= 1 && in[1] <= 1 << 30 && in[3] <= 61')

    # One that does not fit: a number that is judged as it would be.
    v, w = z3.BitVec('v', 64), p.size('wrapped')

    def wrap(run, on, v_, is_u64, extent):
        run.duty(on, z3.And(v_ == v, extent == (
            n if p.bits == 32 else z3.SignExt(32, n)), (is_u64 != 0) == z3.And(
                v < 0, z3.BoolVal(type_ == U64))), 'wrap')
        return w
    for how in hows:
        for type_, ends in ((I64, 0), (I64, 1), (U64, 0)):
            reduces = []
            value = p.plain(v) if type_ == U64 else p.wide(v)
            r = p.run({'ndg_index_wrap': wrap})
            u64 = z3.If(z3.And(v < 0, z3.BoolVal(type_ == U64)), number(1),
                        number(0))
            y = r.call('ndgi_shortened', [axis(how, ends, type_), v, u64])
            given = [n >= (0 if how == 'NDGI_MARK' else 1), n <= most]
            if how == 'NDGI_AROUND':
                given += [0 <= w, p.wide(w) < e]
            name = '%s, %s%s: ' % (how[5:], 'U64' if type_ == U64 else 'signed',
                                   ', from the end' if ends else '')
            far = z3.Or(value < -(1 << 31), value >= 1 << 31)
            p.prove('ndgi_shortened', given + [far], r, [])
            again, z, bad_ = judged(y, how, ends, type_)
            claims = [(name + 'as bad', bad_ == ones)]
            if how == 'NDGI_TO_EDGE':
                claims.append((name + 'goes to the same edge', p.wide(z) == (
                    z3.If(value < 0, 0, e - 1))))
            if how == 'NDGI_AROUND':
                given += [z3.Implies(reduces[0] < n, rest == reduces[0])]
                claims.append((name + 'goes where ndg_index_wrap sends it',
                               p.wide(z) == p.wide(w)))
            p.prove('ndgi_shortened,ndgi_judge_lanes', given + [far], again,
                    claims, 'ndg_index_wrap by its contract; lemma 7'
                    if how == 'NDGI_AROUND' else '')
    numbers(p)
    units(p)


def numbers(p):
    """An index word as a number: itself if it fits, else ndgi_shortened's."""
    raw = [z3.BitVec('byte%d' % i, 8) for i in range(16)]
    axis = bv.Ref(bv.Cell({'type': z3.BitVec('type', 32)}))
    for t in range(8):
        bytes_, signed = WIDTHS[t], t < U8
        few = bytes_ < 4 or t == 0
        for little in (True, False):
            for n in ((1, 4) if few and little else (1,)):
                asked = []

                def shortened(run, on, a, v, is_u64):
                    asked.append((on, v))
                    return z3.BitVec('short', 32)
                out = p.array([z3.BitVec('old%d' % i, 32) for i in range(4)])
                r = p.run({'ndgi_shortened': shortened}, little=little)
                r.call('ndgi_numbers', [
                    out, p.outside(lambda at: raw[bv.literal(at)]),
                    number(n, p.bits), number(bytes_, p.bits), axis,
                    number(bytes_), number(int(signed))])
                made = out.cell.value
                claims = []
                for i in range(n):
                    part = raw[i * bytes_:(i + 1) * bytes_]
                    part = part[::-1] if little else part
                    word = z3.Concat(*part) if bytes_ > 1 else part[0]
                    m = p.wide(word) if signed else p.plain(word)
                    fits = z3.And(-(1 << 31) <= m, m < 1 << 31)
                    claims.append(z3.If(fits, p.wide(made[i]) == m,
                                        made[i] == z3.BitVec('short', 32)))
                    for on, v in asked:
                        claims.append(z3.Implies(on, z3.And(z3.Not(fits), (
                            p.wide(v) if signed or bytes_ < 8
                            else p.plain(v)) == m)))
                p.prove('ndgi_numbers', [], r, [
                    ('%s, %s: %d: that number, or shortened if it does not fit'
                     % (TYPES[t],
                        'little' if little else 'big', n), z3.And(claims))])


def units(p):
    """The unit of places."""
    extent, stride = p.sizes('extent0 extent1'), p.sizes('stride0 stride1')
    quotient = p.size('quotient')
    for depth in (1, 2):
        reaches, divided = [], []

        def reach(run, on, n, s):
            run.duty(on, z3.Or(n < 2, s > -p.most - 1), 'reach')
            y = p.size('reach%d' % len(reaches))
            reaches.append((on, y))
            return y

        def product(run, on, op, f, g):
            run.duty(on, z3.And(z3.BoolVal(op == '/'), g != 0), 'reach / unit')
            divided.append((f, g))
            return quotient
        q = bv.Cell({'extent': p.array(extent), 'stride': p.array(stride),
                     'depth': number(depth)})
        r = p.run({'ndgi_reach': reach}, product=product)
        x = r.call('ndgi_unit', [bv.Ref(q)])
        total = sum([z3.If(on, p.wide(y), 0) for on, y in reaches],
                    p.wide(p.zero()))
        given = [n >= 0 for n in extent] + [y >= 0 for _, y in reaches] + [
            z3.Or(n < 2, s > -p.most - 1) for n, s in zip(extent, stride)] + [
            total <= p.most]
        claims = [('depth %d: extents are at most 2^30' % depth, z3.Implies(
            x != 0, z3.And([n <= 1 << 30 for n in extent[:depth]])))]
        if depth == 1:
            claims.append(('depth 1: the stride, or 1', z3.Implies(
                x != 0, x == z3.If(stride[0] != 0, stride[0], 1))))
        else:
            f, g = divided[0]
            claims += [
                ('depth 2: a power of two, of which strides are multiples',
                 z3.Implies(x != 0, z3.And([x & (x - 1) == 0] + [
                     s & (x - 1) == 0 for s in stride]))),
                ('depth 2: the reach is at most 2^31 - 1 of it', z3.Implies(
                    x != 0, z3.And(g == x, p.wide(f) == total,
                                   quotient <= (1 << 31) - 1)))]
        p.prove('ndgi_unit', given, r, claims, 'the table\'s span fits')


def words(p):
    """Indices as they lie in memory: loads, and what the fast loops make."""
    raw = [z3.BitVec('byte%d' % i, 8) for i in range(8)]

    def read(at):
        return raw[bv.literal(at)]
    n = p.size('n')
    for t in range(8):
        bytes_ = WIDTHS[t]
        for little in (True, False):
            order = raw[:bytes_] if not little else raw[:bytes_][::-1]
            whole = z3.Concat(*order) if bytes_ > 1 else order[0]
            signed = t < U8
            as64 = whole if bytes_ == 8 else (
                z3.SignExt if signed else z3.ZeroExt)(64 - 8 * bytes_, whole)
            tv = number(t)
            name = '%s, %s' % (TYPES[t],
                               'little' if little else 'big')
            place = p.outside(read)
            r = p.run(little=little)
            x = r.call('ndgi_load', [place, tv])
            p.prove('ndgi_load', [], r, [(name + ': that number', x == as64)])
            if little:
                p.compare('ndgi_load', raw, [x],
                          'unsigned char b[8]; int i; for (i = 0; i < 8; i++) '
                          'b[i] = (unsigned char)in[i]; want[0] = (uint64_t)'
                          'ndgi_load(b, %d);' % t, '1')
            # What the judge makes of it, and what the fast loops do.
            is_u64 = z3.And(z3.BoolVal(t == U64), as64 < 0)
            m = z3.If(is_u64, p.plain(as64), p.wide(as64))
            shift = number(64 - 8 * bytes_ if signed else 0)
            r = p.run(little=little)
            at = r.call('ndgi_index', [place, number(bytes_)])
            limit = r.call('ndgi_limit', [n, tv, number(bytes_)])
            if little:
                p.compare('ndgi_index', raw + [n], [at, limit],
                          'unsigned char b[8]; ptrdiff_t n = A(8); int i; '
                          'for (i = 0; i < 8; i++) b[i] = (unsigned char)'
                          'in[i]; want[0] = ndgi_index(b, %d); '
                          'want[1] = ndgi_limit(n, %d, %d);'
                          % (bytes_, t, bytes_),
                          'A(8) >= 0')
            good = z3.And(0 <= m, m < p.wide(n))
            p.prove('ndgi_index,ndgi_limit', [n >= 0], r, [
                (name + ': below iff good, then the same number',
                 z3.And((p.plain(at) < p.plain(limit)) == good, z3.Implies(
                     good, p.plain(at) == m)))])
            got = r.call('ndgi_signed', [at, shift])
            p.prove('ndgi_signed', [], None, [
                (name + ': the number with its sign', got == as64)])
    for t in range(8):
        tv = number(t)
        r = p.run()
        x = r.call('ndgi_limit', [n, tv, number(WIDTHS[t])])
        most = (1 << (8 * WIDTHS[t] - (t < U8))) - 1
        most = most if t < U8 else (1 << 63) - 1
        p.prove('ndgi_limit', [n >= 0], r, [
            ('%d: the extent, of signed ones most + 1 at most' % t,
             p.plain(x) == z3.If(p.wide(n) > most,
                                 z3.BitVecVal(most + 1, 140), p.wide(n)))])
        p.compare('ndgi_limit', [n], [x],
                  'want[0] = ndgi_limit(A(0), %d, %d);' % (t, WIDTHS[t]),
                  'A(0) >= 0')
    b = p.size('bytes')
    r = p.run()
    x = r.call('ndgi_kind', [b])
    piece = p.zero()
    for i in range(4):
        piece = z3.If(x == p.enum('NDGI_2X2') + i, 2 << i, piece)
    small, large = p.enum('NDGI_TO_64'), p.enum('NDGI_TO_256')
    p.prove('ndgi_kind', [], r, [
        ('one piece: exactly so many bytes', z3.Implies(
            x <= p.enum('NDGI_16'), z3.And(x >= 0, b == (
                z3.BitVecVal(1, p.bits) << (x if p.bits == 32
                                            else z3.ZeroExt(32, x)))))),
        ('two pieces: longer than one, at most as both', z3.Implies(
            z3.And(x >= p.enum('NDGI_2X2'), x <= p.enum('NDGI_2X16')), z3.And(
                b > piece, b <= 2 * piece))),
        ('pieces: 33 ... 64 bytes, or 65 ... 256', z3.And(
            (x == small) == z3.And(b > 32, b <= 64),
            (x == large) == z3.And(b > 64, b <= 256))),
        ('else memcpy', z3.Or(x == p.enum('NDGI_CALL'), z3.And(
            x >= 0, x <= large, b >= 1)))])
    p.compare('ndgi_kind', [b], [x], 'want[0] = (unsigned)ndgi_kind(A(0));')


def reader(p, report, depth, extent, stride, **fields):
    """A pointer to an ndgi_reader of so many indices."""
    return bv.Ref(bv.Cell({
        'extent': p.array(extent), 'stride': p.array(stride),
        'depth': number(depth), 'operand': number(2), 'mask': number(0, 64),
        'add': number(0, 64), 'r': bv.Ref(report), **fields}))


def judge(p):
    """The judge of a row, for rows of 0, 1 and 2 indices; load and place by
    their contracts. Its offset is what the manual says of a table whose span
    fits; of rows of a stitch that are not written it may wrap."""
    policy, negative = z3.BitVec('policy', 32), z3.BitVec('negative', 32)
    u64, position = z3.BitVec('is_u64', 32), p.size('position')
    step, bad_count, lst = p.sizes('step count list')
    judge_beside_c(p)
    for depth in (0, 1, 2):
        type_ = z3.BitVec('type', 32)
        v = [z3.BitVec('v%d' % i, 64) for i in range(2)]
        extent, stride = p.sizes('extent0 extent1'), p.sizes('stride0 stride1')
        loads, places, products = [], [], []

        def load(run, on, place, t):
            loads.append((on, place.moved))
            return v[len(loads) - 1]

        def place(run, on, at, u, e, how):
            run.duty(on, e >= 0, 'place takes an extent')
            x = p.size('placed%d' % len(places))
            one = z3.And(e >= 1, z3.Or(how == p.enum('NDG_CLIP'),
                                       how == p.enum('NDG_WRAP')))
            places.append(z3.If(one, z3.And(0 <= x, x < e), x == -1))
            return x

        def product(run, on, op, f, g):
            if z3.eq(g, step) or z3.eq(f, step):
                return None
            x = p.product('product%d' % len(products))
            products.append((on, f, g, x))
            return p.low(x)
        report, old = p.report(), {
            f: z3.BitVec('bad_' + f, w or p.bits) for f, w in BAD.items()}
        old['count'] = bad_count
        report['bad'] = old
        rc = bv.Cell(report)
        q = reader(p, rc, depth, extent, stride, step=step,
                   next=p.size('next'), type=type_, policy=policy,
                   negative=negative, list=lst)
        offset = bv.Cell(p.size('garbage'))
        r = p.run({'ndgi_load': load, 'ndg_index_place': place},
                  product=product)
        found = r.call('ndgi_judge', [bv.Ref(offset), q, p.outside(), position])
        minus = p.enum('NDG_NEGATIVE_FROM_END')
        sizes = [n >= 0 for n in extent] + [0 <= bad_count, type_ >= 0,
                                            type_ <= 7]
        goods, meants = [], []
        for i in range(depth):
            isu = z3.And(type_ == U64, v[i] < 0)
            m = z3.If(isu, p.plain(v[i]), p.wide(v[i]))
            m = z3.If(z3.And(negative == minus, m < 0), m + p.wide(extent[i]),
                      m)
            meants.append(m)
            goods.append(z3.And(0 <= m, m < p.wide(extent[i])))
        all_good = z3.And(goods) if goods else bv.TRUE
        valid = policy == p.enum('NDG_ASSUME_VALID')
        placed = z3.Or(policy == p.enum('NDG_CLIP'),
                       policy == p.enum('NDG_WRAP'))
        none = z3.Or([z3.And(z3.Not(g), extent[i] == 0)
                      for i, g in enumerate(goods)])
        after = rc.value
        quiet = z3.Or([policy == p.enum(x) for x in (
            'NDG_ZERO', 'NDG_FILL', 'NDG_KEEP')])
        duties, given = r.duties, sizes + places
        r.duties = [d for d in duties if d[1] != 'sum']
        first = number(0)
        value, ext = (v[0], extent[0]) if depth else (None, None)
        if depth == 2:
            first = z3.If(goods[0], number(1), first)
            value = z3.If(goods[0], v[1], v[0])
            ext = z3.If(goods[0], extent[1], extent[0])
        claims = [
            ('depth %d: found iff good, valid or placed' % depth,
             (found != 0) == z3.Or(all_good, valid, z3.And(
                 placed, z3.Not(none)))),
            ('depth %d: a bad row is counted once' % depth,
             p.wide(after['bad']['count']) == z3.If(
                 z3.Or(all_good, valid, bad_count == p.most),
                 p.wide(bad_count), p.wide(bad_count) + 1)),
            ('depth %d: E_INDEX iff not found and not told else' % depth,
             (after['status'] == p.enum('NDG_E_INDEX')) == z3.And(
                 found == 0, z3.Not(quiet))),
            ('depth %d: each index read once, in its place' % depth, z3.And(
                [z3.And(on, p.wide(moved) == p.wide(step) * i)
                 for i, (on, moved) in enumerate(loads)]
                + [z3.BoolVal(len(loads) == depth)]))]
        if depth:
            claims.append(
                ('depth %d: the first bad one is named' % depth, z3.Implies(
                    z3.And(bad_count == 0, z3.Not(all_good), z3.Not(valid)),
                    z3.And(after['bad']['value'] == value,
                           after['bad']['extent'] == ext,
                           after['bad']['position'] == position,
                           after['bad']['list'] == lst,
                           after['bad']['component'] == first))))
        claims.append(
            ('depth %d: an earlier one stays' % depth, z3.Implies(
                bad_count != 0, z3.And([after['bad'][f] == old[f] for f in old
                                        if f != 'count']))))
        p.prove('ndgi_judge', given, r, claims,
                'load and place by their contracts')
        # Offsets: index * stride, of an index below its extent, lies in that
        # axis' part of a span that fits; the parts add up to the span.
        if not depth:
            continue
        low = [p.product('low%d' % i) for i in range(depth)]
        high = [p.product('high%d' % i) for i in range(depth)]
        parts = [z3.And(l <= 0, 0 <= h, l >= -p.most, h <= p.most)
                 for l, h in zip(low, high)]
        parts.append(sum(high[1:], high[0]) - sum(low[1:], low[0]) <= p.most)
        for i, (on, f, g, x) in enumerate(products):
            parts.append(z3.Implies(z3.And(0 <= f, f < extent[i]),
                                    z3.And(low[i] <= x, x <= high[i])))
        at = [z3.If(g, p.low(meants[i]), p.size('placed%d' % i))
              for i, g in enumerate(goods)]
        total = sum([x for _, _, _, x in products][1:], products[0][3])
        r.duties = duties
        p.prove('ndgi_judge', given + parts + [
            z3.Or(z3.Not(valid), all_good)], r, [
            ('depth %d: indices below extents times strides' % depth,
             z3.Implies(found != 0, z3.And(
                 [z3.And(on, f == at[i], g == stride[i], 0 <= f,
                         f < extent[i])
                  for i, (on, f, g, _) in enumerate(products)]))),
            ('depth %d: offset is their sum' % depth, z3.Implies(
                found != 0, p.wide(offset.value) == total))],
            "the table's span fits; of valid, indices are")


def judge_beside_c(p):
    """The judge with its own load and place, of two indices, as a term."""
    policy, negative = z3.BitVec('policy', 32), z3.BitVec('negative', 32)
    raw = [z3.BitVec('byte%d' % i, 8) for i in range(16)]
    extent, stride = p.sizes('extent0 extent1'), p.sizes('stride0 stride1')
    for t in (I8, I16, U64):
        rc, offset = bv.Cell(p.report()), bv.Cell(p.size('garbage_offset'))
        q = reader(p, rc, 2, extent, stride, step=number(WIDTHS[t], p.bits),
                   next=p.zero(), type=number(t), policy=policy,
                   negative=negative, list=p.zero())
        found = p.run().call('ndgi_judge', [
            bv.Ref(offset), q, p.outside(lambda at: raw[bv.literal(at)]),
            number(7, p.bits)])
        bad_ = rc.value['bad']
        p.compare('ndgi_judge', raw + extent + stride + [policy, negative],
                  [found, offset.value, bad_['count'], rc.value['status'],
                   bad_['value'], bad_['component']],
                  'unsigned char b[16]; ptrdiff_t e[2], s[2], o; int i; '
                  'ndg_report r; ndgi_reader q; memset(&r, 0, sizeof r); '
                  'memset(&q, 0, sizeof q); for (i = 0; i < 16; i++) b[i] = '
                  '(unsigned char)in[i]; e[0] = A(16); e[1] = A(17); '
                  's[0] = A(18); s[1] = A(19); q.extent = e; q.stride = s; '
                  'q.step = %d; q.depth = 2; q.type = %d; '
                  'q.policy = (int)in[20]; q.negative = (int)in[21]; '
                  'q.operand = 2; q.r = &r; want[0] = (unsigned)ndgi_judge(&o, '
                  '&q, b, 7); want[1] = (size_t)o; want[2] = (size_t)'
                  'r.bad.count; want[3] = (unsigned)r.status; want[4] = '
                  '(uint64_t)r.bad.value; want[5] = (unsigned)r.bad.component;'
                  % (WIDTHS[t], t), 'A(16) >= 0 && A(17) >= 0')


def line_stub(lines, ends):
    """ndgi_span_line by its contract: whether it fits, and its ends."""
    def stub(run, on, s, n, step, low, high):
        lines.append((n, step, low, high))
        for f, x in zip(('low', 'high'), ends):
            run.write(bv.Ref(s.cell, s.path + (f,)), x, on)
        return z3.BitVec('line_fits', 32)
    return {'ndgi_span_line': stub}


def rows(p):
    """The bytes of rows of out, of a range of them, and of an axis' steps."""
    first, last, n, stride, span = p.sizes('first last n stride span')
    run_bytes, lines, ends = p.size('run_bytes'), [], p.sizes('low high')
    row = bv.Ref(bv.Cell({'out_stride': stride, 'out_span': span,
                          'run_bytes': run_bytes}))
    r = p.run(line_stub(lines, ends))
    x = r.call('ndgi_rows_bytes', [row, n])
    asked, fits = lines[0], z3.BitVec('line_fits', 32) != 0
    p.prove('ndgi_rows_bytes', [], r, [
        ('asks for that line of rows', z3.Implies(n >= 0, z3.And(
            asked[0] == n, asked[1] == stride, asked[2] == 0,
            asked[3] == span))),
        ('where it ends; -1 if it does not fit', x == z3.If(
            z3.And(n >= 0, fits), ends[1], p.zero() - 1))],
        'ndgi_span_line by its contract')

    # Of an axis from its first step, and to its last: one product each.
    near, far = p.product('near'), p.product('far')

    def products(from_, to, by):
        def product(run, on, op, f, g):
            begins = z3.eq(f, from_)
            run.duty(on, z3.And(f == (from_ if begins else to), g == by,
                                z3.BoolVal(op == '*')), 'that product')
            return p.low(near if begins else far)
        return product
    r = p.run(product=products(first, last - 1, stride))
    x = r.call('ndgi_rows_span', [row, first, last])
    some = z3.And(first < last, run_bytes != 0)
    p.prove('ndgi_rows_span', [
        first >= 0, span >= 0, 0 <= near, near <= far, far <= p.most,
        far + p.wide(span) <= p.most], r, [
        ('none: no bytes', z3.Or(some, x['low'] == x['high'])),
        ('from the first to the end of the last', z3.Implies(some, z3.And(
            p.wide(x['low']) == near,
            p.wide(x['high']) == far + p.wide(span))))],
        'lemma 1; the bytes of all rows fit')
    x = r_plain(p, 'ndgi_rows_span', row, first, last)
    p.compare('ndgi_rows_span', [stride, span, run_bytes, first, last],
              [x['low'], x['high']],
              'ndg_row_layout row; ndgi_span s; row.out_stride = A(0); '
              'row.out_span = A(1); row.run_bytes = A(2); s = ndgi_rows_span('
              '&row, A(3), A(4)); want[0] = (size_t)s.low; '
              'want[1] = (size_t)s.high;')

    s = bv.Cell({'low': ends[0], 'high': ends[1]})
    r = p.run(product=products(first, first + n - 1, stride))
    r.call('ndgi_span_steps', [bv.Ref(s), first, n, stride])
    all_fit = [z3.And(-p.most <= x, x <= p.most) for v in (near, far)
               for x in (v, p.wide(ends[0]) + v, p.wide(ends[1]) + v)]
    p.prove('ndgi_span_steps', [
        first >= 0, n >= 0, p.wide(first) + p.wide(n) <= p.most] + all_fit, r, [
        ('low and high by the lesser and the larger', z3.And(
            p.wide(s.value['low']) == p.wide(ends[0]) + z3.If(
                near < far, near, far),
            p.wide(s.value['high']) == p.wide(ends[1]) + z3.If(
                near > far, near, far)))],
        'the products fit, and the sums')
    s = bv.Cell({'low': ends[0], 'high': ends[1]})
    r_plain(p, 'ndgi_span_steps', bv.Ref(s), first, n, stride)
    p.compare('ndgi_span_steps', ends + [first, n, stride],
              [s.value['low'], s.value['high']],
              'ndgi_span s; s.low = A(0); s.high = A(1); ndgi_span_steps(&s, '
              'A(2), A(3), A(4)); want[0] = (size_t)s.low; '
              'want[1] = (size_t)s.high;')


def tables(p):
    """The check of ndg_gather_rows."""
    half = 1 << (p.bits // 2 - 1)
    rows, bytes_, stride, count, have = p.sizes('rows bytes stride count have')
    t, policy = z3.BitVec('type', 32), z3.BitVec('policy', 32)
    seen, reached, lines = [], [], []
    ends = p.sizes('line_low line_high')

    def check(run, on, a, have_, report):
        reached.append((on, run.read(bv.Ref(a.cell, a.path), on)))
        return number(0)
    table = bv.Cell({'rows': rows, 'bytes': bytes_, 'stride': stride,
                     'count': count, 'type': t, 'policy': policy})
    r = p.run({**mul_stub(p, seen), **line_stub(lines, ends),
               'ndgi_check_arrays': check})
    a = bv.Cell({f: {'low': p.size(f + 'l'), 'high': p.size(f + 'h')}
                 for f in ('to', 'from', 'index')})
    report = bv.Cell(p.report())
    x = r.call('ndgi_check_table', [bv.Ref(table), bv.Ref(a), have, number(0),
                                    bv.Ref(report)])
    known = []
    for f, g, q in seen:
        known += [q >= 0, q <= 1 << 2 * p.bits,
                  z3.Implies(z3.Or(f == 0, g == 0), q == 0),
                  z3.Implies(z3.And(f > 0, g > 0), z3.And(
                      q >= p.wide(f), q >= p.wide(g)))]
    on, spans_ = reached[0]
    small = z3.ULT(rows | bytes_ | stride | count, half)
    width = sum([z3.If(t == i, number(w, p.bits), 0)
                 for i, w in enumerate(WIDTHS)], p.zero())
    (i_count, i_width, i_high), (o_count, o_bytes, o_high) = seen
    none = spans_['to']['high'] == 0
    to, from_, index = spans_['to'], spans_['from'], spans_['index']
    # Of small sizes the products are those of bit-vectors, which do not wrap:
    # that is a duty of the run.
    p.prove('ndgi_check_table', known, r, [
        ('no size below 0, no such type: refused', z3.Implies(on, z3.And(
            rows >= 0, bytes_ >= 0, count >= 0, t >= 0, t <= 7,
            policy != p.enum('NDG_FILL'), policy >= 0,
            policy <= p.enum('NDG_ASSUME_VALID')))),
        ('out and indices: all rows from 0 on', z3.Implies(on, z3.And(
            to['low'] == 0, index['low'] == 0, z3.If(
                small, z3.And(index['high'] == count * width,
                              to['high'] == count * bytes_),
                z3.And(i_count == count, i_width == width, o_count == count,
                       o_bytes == bytes_, index['high'] == p.low(i_high),
                       to['high'] == p.low(o_high)))))),
        ('small: the table from 0 to its last row', z3.Implies(
            z3.And(on, small), z3.And(from_['low'] == 0, from_['high'] == z3.If(
                z3.Or(none, rows == 0), 0, (rows - 1) * stride + bytes_)))),
        ('large: the table is that line of rows', z3.Implies(
            z3.And(on, z3.Not(small)), z3.And(
                [lines[0][0] == rows, lines[0][1] == stride, lines[0][2] == 0,
                 lines[0][3] == bytes_, from_['low'] == ends[0],
                 from_['high'] == z3.If(none, ends[0], ends[1])])))],
        'ndgi_mul and ndgi_span_line by their contracts')


def lemmas():
    """What the claims use of integers."""
    a, b, q, e, m, r, t, c, h = z3.Ints('a b q e m r t c h')
    n = 1 << 31
    magic = [1 <= e, e <= h, 0 <= a, a < n, m >= 0, m * e == n * h + r, 0 <= r,
             r < e, t >= 0, a * m == n * h * t + c, 0 <= c, c < n * h]
    for name, claim, given, goal in (
            ('lemma 1', 'a <= q: a * b <= q * b', [0 <= a, a <= q, b >= 0],
             a * b <= q * b),
            ('lemma 2', 'a > q: a * b >= q * b + b', [a >= q + 1, b >= 0],
             a * b >= q * b + b),
            ('lemma 3', 'a, b < h: a * b <= (h - 1) * (h - 1)',
             [0 <= a, a < q, 0 <= b, b < q], a * b <= (q - 1) * (q - 1)),
            ('lemma 4', 'q = a * magic / 2^shift: q * e <= a < q * e + e',
             magic, z3.And(t * e <= a, a < t * e + e)),
            ('lemma 8', 'm = q * e + r: -1 - m = (-1 - q) * e + (e - 1 - r)',
             [1 <= e, 0 <= m, 0 <= r, r < e, m == t * e + r],
             z3.And(-1 - m == (-1 - t) * e + (e - 1 - r), 0 <= e - 1 - r,
                    e - 1 - r < e)),
            ('lemma 7', 'a < e, q * e <= a: a - q * e = a',
             [1 <= e, 0 <= a, a < e, t >= 0, t * e <= a], a - t * e == a)):
        began, s = time.time(), z3.Solver()
        s.set('timeout', SECONDS * 1000)
        s.add(given + [z3.Not(goal)])
        answer = s.check()
        say('proved' if answer == z3.unsat else 'FAILED' if answer == z3.sat
            else 'open', name, claim, 'z3 integers', time.time() - began)


PARTS = {'arithmetic': arithmetic, 'product': product, 'spans': spans,
         'arrays': arrays, 'folds': folds, 'indices': indices, 'lanes': lanes,
         'words': words, 'judge': judge, 'rows': rows, 'tables': tables}

# ---- the terms beside the functions -----------------------------------------

HEAD = '''#include <stdio.h>
#define A(i) ((ptrdiff_t)in[i])
static uint64_t state = 88172645463325252u;
static uint64_t next(void) {
    state ^= state << 13; state ^= state >> 7; state ^= state << 17;
    return state;
}
/* An edge, something near one, or any number of so many bits. */
static uint64_t value(int bits) {
    const uint64_t edge = (uint64_t)1 << next() % 64;
    const uint64_t kind = next() % 8;
    uint64_t       x = next() >> next() % 64;
    if (kind < 2) x = edge - 2 + next() % 5;
    if (kind == 2) x = next() % 5;
    if (kind == 3) x = 0 - next() % 5;
    if (kind == 4) x = 0 - edge + next() % 5;
    return bits == 64 ? x : x & (((uint64_t)1 << bits) - 1);
}
'''


TRIED = '''static long test_%(name)s(long *done) {
    uint64_t in[%(ins)d], want[6], got[6];
    long i, k, wrong = 0;
    for (i = 0; i < 1000000; i++) {
%(values)s        if (!(%(need)s)) continue;
        { %(call)s }
        term_%(name)s(in, got);
        ++*done;
        for (k = 0; k < %(outs)d; k++) if (got[k] != want[k]) wrong++;
    }
    return wrong;
}
'''


def compare(p, folder, cc):
    """Prints all runs as one C program, and runs that."""
    text, calls = [DRIVER, HEAD], []
    for k, (function, inputs, outputs, call, need) in enumerate(p.runs):
        name = '%s_%d' % (function, k)
        values = ''.join('        in[%d] = value(%d);\n' % (i, v.size())
                         for i, v in enumerate(inputs))
        text.append(bv.as_c('term_' + name, inputs, outputs) + TRIED % {
            'name': name, 'ins': len(inputs), 'outs': len(outputs),
            'values': values, 'need': need, 'call': call})
        calls.append('{ long n = 0, w = test_%s(&n); printf("%s %%ld %%ld\\n", '
                     'n, w); }' % (name, function))
    text.append('int main(void) {\n%s\nreturn 0; }\n' % '\n'.join(calls))
    c = os.path.join(folder, 'compare%d.c' % p.bits)
    with open(c, 'w') as f:
        f.write('\n'.join(text))
    exe = c[:-2]
    built = subprocess.run(
        [cc, '-m%d' % p.bits, '-std=c99', '-O1', '-w', '-fwrapv',
         '-I' + folder, c, '-o', exe], stderr=subprocess.PIPE,
        universal_newlines=True)
    if built.returncode:
        print('skip: terms beside C at %d bits: %s does not compile for it'
              % (p.bits, cc), file=sys.stderr)
        return
    began = time.time()
    for line in subprocess.run([exe], check=True, stdout=subprocess.PIPE,
                               universal_newlines=True).stdout.splitlines():
        name, n, wrong = line.split()
        say('same' if wrong == '0' and int(n) > 1000 else 'DIFFERS', name,
            'the term gives what C gives, %s cases' % n,
            '%s -m%d' % (os.path.basename(cc), p.bits), time.time() - began)
        began = time.time()


def main():
    header, folder, clang, cc = sys.argv[1:5]
    parts = sys.argv[5:] or list(PARTS)
    with open(header) as f:
        text = f.read()
    with open(os.path.join(folder, 'ndgather.h'), 'w') as f:
        f.write(text)
    lemmas()
    for bits in (64, 32):
        p = Prover(parse(folder, clang, bits), bits)
        for part in parts:
            try:
                PARTS[part](p)
            except bv.Unknown as e:
                say('FAILED', part, 'cannot be read: %s %s'
                    % (type(e).__name__, e), 'bv.py, %d bits' % bits, 0)
        if p.runs:
            compare(p, folder, cc)
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
