#!/usr/bin/env python3
"""ort.py DIR VERSION > ort.txt 2> ort.skipped
Reads ONNX Runtime's C++ tests of Gather, GatherND and ScatterND (DIR holds the three .cc files) and prints the literal
cases as ndgather's tests/cases do. Only values are taken. What is skipped goes to stderr as '#' lines, as the reader of
cases knows no comments."""
import re, sys
from decimal import Decimal as D

DIR, VERSION = sys.argv[1], sys.argv[2]
TYPE = {'float': 'float32', 'double': 'float64', 'bool': 'bool', 'MLFloat16': 'float16', 'std::string': 'string',
        **{f'{u}int{b}_t': f'{u}int{b}' for u in ('', 'u') for b in (8, 16, 32, 64)}}
OFF = ('USE_CUDA', 'USE_ROCM', 'USE_DML', 'ENABLE_TRAINING_OPS', 'USE_QNN', 'USE_WEBGPU')
used, skipped, notes = [], [], {}


class Skip(Exception):
    pass


def preprocess(text):
    """Comments out; the parts that only other devices or builds compile are marked."""
    text = re.sub(r'//[^\n]*', '', text)
    text = re.sub(r'/\*.*?\*/', '', text, flags=re.S)
    out, stack, gpu = [], [], False      # the GPU's one case is taken, as policy zero
    for line in text.split('\n'):
        m = re.match(r'\s*#\s*(if|ifdef|ifndef|else|elif|endif)\b(.*)', line)
        if m:
            word, cond = m.groups()
            if word in ('if', 'ifdef'):
                stack.append([any(o in cond for o in OFF) or 'MYRIAD' in cond, cond.strip()])
            elif word == 'ifndef':
                stack.append([False, cond.strip()])
            elif word in ('else', 'elif'):
                stack[-1][0] = not stack[-1][0] if word == 'else' and any(o in stack[-1][1] for o in OFF + ('MYRIAD',)) \
                    else True
            else:
                stack.pop()
            out.append('')
        elif any(s[0] and 'USE_CUDA' not in s[1] for s in stack) or any(s[0] for s in stack) and \
                not (gpu := gpu or 'Gather_invalid_index_gpu' in line):
            t = re.match(r'\s*TEST\w*\((\w+),\s*(\w+)\)', line)
            if t:
                skipped.append((t[2], 'compiled only with ' + [s[1] for s in stack if s[0]][0]))
            out.append('')
        else:
            out.append(line)
    return '\n'.join(out)


def close(text, at):
    """The position of the bracket that closes the one at `at`."""
    depth, quote = 0, False
    for i in range(at, len(text)):
        c = text[i]
        if quote:
            quote = not (c == '"' and text[i - 1] != '\\')
        elif c == '"':
            quote = True
        elif c in '({[':
            depth += 1
        elif c in ')}]':
            depth -= 1
            if not depth:
                return i
    raise Skip('brackets')


def split(args):
    out, depth, quote, last = [], 0, False, 0
    for i, c in enumerate(args):
        if c == '"':
            quote = not quote
        if quote:
            continue
        depth += (c in '({[') - (c in ')}]')
        if c == ',' and not depth:
            out.append(args[last:i].strip())
            last = i + 1
    if args[last:].strip():
        out.append(args[last:].strip())
    return out


def number(word):
    w = re.sub(r'(?<=[\d.])(f|F|LL|L|ll|u|U|ULL)$', '', word.strip())
    if w in ('true', 'false'):
        return '1' if w == 'true' else '0'
    if w.startswith('"') and w.endswith('"'):
        if ' ' in w or len(w) > 10:
            raise Skip('a string of more than 8 bytes')
        return w
    if re.fullmatch(r'[-+]?\d+\*\d+', w.replace(' ', '')):
        a, b = w.split('*')
        return str(int(a) * int(b))
    if not re.fullmatch(r'[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?', w):
        raise Skip(f'not literal: {w[:40]}')
    d = D(w).normalize()
    return format(d, 'f') if d else '0'


def values(expr, env):
    """A list of words of what is given as values."""
    e = expr.strip()
    if e.startswith('{') and e.endswith('}'):
        return [number(w) for w in split(e[1:-1])]
    m = re.match(r'(?:ValueRange)(?:<\w+>)?\((.*)\)$', e, re.S)
    if m:
        a = split(m[1])
        n, start = int(a[0]), D(number(a[1])) if len(a) > 1 else D(0)
        step = D(number(a[2])) if len(a) > 2 else D(1)
        return [number(str(start + i * step)) for i in range(n)]
    if e in env:
        return env[e]
    m = re.match(r'std::vector<[\w:]+>\((.*)\)$', e, re.S) or re.match(r'std::vector<[\w:]+>(\{.*\})$', e, re.S)
    if m:
        return vector(m[1], env)
    raise Skip(f'not literal: {e[:40]}')


def vector(args, env):
    a = split(args)
    if len(a) == 1 and a[0].startswith('{'):
        return values(a[0], env)
    if len(a) == 2:
        return [number(a[1])] * int(number(a[0]))
    if len(a) == 1:
        return ['0'] * int(number(a[0]))
    raise Skip(f'not literal: {args[:40]}')


def dims(expr, env):
    return [int(w) for w in values(expr, env)]


def array(t, shape, words):
    n = 1
    for d in shape:
        n *= d
    if n != len(words):
        raise Skip(f'{len(words)} values for {n} elements')
    if n > 100000:
        raise Skip(f'{n} values')
    return f'{t} [{",".join(map(str, shape))}]' + ''.join(' ' + w for w in words)


def first_bad(op, shapes, idx_shape, idx, axis, batch):
    """Position, value and number of bad rows, for indices that count from the end."""
    if op == 'gather':
        bad = [i for i, v in enumerate(idx) if not -shapes[axis] <= int(v) < shapes[axis]]
        width, lead = 1, idx_shape
    else:
        width, lead = idx_shape[-1], idx_shape[:-1]
        bad = [r for r in range(len(idx) // width)
               if any(not -shapes[batch + c] <= int(idx[r * width + c]) < shapes[batch + c] for c in range(width))]
    if not bad:
        raise Skip('no index is bad as ONNX counts')
    coords, at = [], bad[0]
    for d in reversed(lead):
        coords.insert(0, at % d)
        at //= d
    return coords, idx[bad[0] * width:bad[0] * width + width], len(bad) - 1


def emit(name, op, attrs, ins, out, failure):
    kind = {'Gather': 'gather', 'GatherND': 'gather_nd', 'ScatterND': 'scatter_nd'}.get(op)
    if not kind:
        raise Skip(f'another operator: {op}')
    if attrs.get('reduction', '"none"') != '"none"':
        raise Skip('a reduction: ' + attrs['reduction'])
    lines = [f'case: {kind}/ort_{name}', f'source: ONNX Runtime {VERSION}, unit tests', f'op: {kind}']
    axis, batch = int(number(attrs.get('axis', '0'))), int(number(attrs.get('batch_dims', '0')))
    data, indices = ins['data'], ins['indices']
    rank = len(data[1])
    if kind == 'gather':
        # our 0 is the first axis after no batch axes: the same as ONNX's default
        lines.append(f'axis: {axis}')
    if batch:
        lines.append(f'batch_dims: {batch}')
    lines += ['policy: ' + ('zero' if name.endswith('_gpu') else 'error'), 'negative: from_end']
    if kind == 'scatter_nd':
        width = indices[1][-1]
        rows = [tuple(int(v) % data[1][c] for c, v in enumerate(indices[2][i:i + width]))
                for i in range(0, len(indices[2]), width)]
        if len(set(rows)) != len(rows) and not failure:
            raise Skip('a place is named twice')
        lines += ['into: ' + array(*data), 'indices: ' + array(*indices), 'data: ' + array(*ins['updates'])]
    else:
        lines += ['params: ' + array(*data), 'indices: ' + array(*indices)]
    if failure is None:
        lines.append('expect: ' + array(*out))
    elif 'axis must be' in failure:
        lines.append('error: axis')
    elif 'out of data bounds' in failure or 'invalid index' in failure:
        where, value, more = first_bad(kind, data[1], indices[1], indices[2], axis % rank, batch)
        lines += ['error: index', 'bad_position: ' + ' '.join(map(str, where)), 'bad_value: ' + ' '.join(value),
                  f'bad_more: {more}']
    else:
        raise Skip('a failure of another kind: ' + failure[:60])
    used.append((name, '\n'.join(lines)))


def body_cases(name, body, subst):
    for k, v in subst.items():
        body = re.sub(rf'\b{k}\b', v, body)
    env, tests = {}, {}
    event = re.compile(
        r'std::vector<(?P<vt>[\w:]+)>\s+(?P<vn>\w+)\s*(?P<vo>[({])|OpTester\s+(?P<tn>\w+)\s*(?P<to>\()'
        r'|ConvertFloatToMLFloat16(?P<co>\()|(?P<obj>\w+)\s*\.\s*(?P<call>Add\w+|Run|Config|RunWithConfig)'
        r'(?:<(?P<ct>[\w:]+)>)?\s*(?P<oo>\()|\.(?P<chain>Config)(?P<cho>\()|\bfor\s*(?P<lo>\()')
    at, n = 0, 0
    order = []
    while True:
        m = event.search(body, at)
        if not m:
            break
        o = next(m.start(g) for g in ('vo', 'to', 'co', 'oo', 'cho', 'lo') if m[g])
        end = close(body, o)
        args = body[o + 1:end]
        at = end + 1
        if m['lo']:
            raise Skip('a loop')
        if m['vn']:
            env[m['vn']] = vector(args if m['vo'] == '(' else '{' + args + '}', env)
        elif m['tn']:
            a = split(args)
            tests[m['tn']] = dict(op=a[0].strip('"'), attrs={}, ins={}, out=None, fail=None, n=len(tests))
            order.append(m['tn'])
        elif m['co']:
            a = split(args)
            env[a[1].split('.')[0]] = env[a[0].split('.')[0]]
        else:
            call = m['call'] or 'Config'
            t = tests[m['obj']] if m['obj'] in tests else tests[order[-1]]
            a = split(args)
            if call == 'AddAttribute':
                t['attrs'][a[0].strip('"')] = a[1]
            elif call in ('AddInput', 'AddOutput'):
                if m['ct'] not in TYPE:
                    raise Skip(f'type {m["ct"]}')
                v = (TYPE[m['ct']], dims(a[1], env), values(a[2], env))
                if call == 'AddInput':
                    t['ins'][a[0].strip('"')] = v
                else:
                    t['out'] = v
            elif 'kExpectFailure' in args:
                t['fail'] = ' '.join(x for x in re.findall(r'"((?:[^"\\]|\\.)*)"', args))
    if not tests:
        raise Skip('no test object')
    for tn in order:
        t = tests[tn]
        label = name + (f'_{t["n"] + 1}' if len(tests) > 1 else '')
        try:
            emit(label, t['op'], t['attrs'], t['ins'], t['out'], t['fail'])
        except Skip as why:
            skipped.append((label, str(why)))


def functions(text, pattern):
    for m in re.finditer(pattern, text):
        at = text.index('{', text.index(')', m.end() - 1) if m[0].endswith('(') else m.end())
        yield m, text[at + 1:close(text, at)]


for f in ('gather_op_test.cc', 'gather_nd_op_test.cc', 'scatter_nd_op_test.cc'):
    text = preprocess(open(f'{DIR}/{f}', encoding='utf-8').read())
    helpers = {}
    for m in re.finditer(r'template\s*<typename (\w+)>\s*(?:static\s+)?void\s+(\w+)\s*(\()', text):
        e = close(text, m.start(3))
        b = text.index('{', e)
        helpers[m[2]] = (m[1], text[m.start(3) + 1:e], text[b + 1:close(text, b)])
    for m in re.finditer(r'TEST\w*\(\s*\w+\s*,\s*(\w+)\s*\)\s*(\{)', text):
        name, body = m[1], text[m.start(2) + 1:close(text, m.start(2))]
        if name.startswith('Shrunken'):
            continue
        try:
            calls = [c for c in re.finditer(r'\b(\w+)<([\w:]+)>\s*(\()', body) if c[1] in helpers]
            if not calls:
                body_cases(name, body, {})
            for n, c in enumerate(calls):
                typ, params, inner = helpers[c[1]]
                args = split(body[c.start(3) + 1:close(body, c.start(3))])
                label = name + (f'_{n + 1}' if len(calls) > 1 else '')
                if c[1] == 'RunTest' and len(args) >= 6:
                    # dims and values, of data, indices and output
                    try:
                        g = [values(a, {}) for a in args[:6]]
                        s = [list(map(int, x)) for x in g[::2]]
                        t = TYPE[c[2]]
                        emit(label, 'GatherND', {}, {'data': (t, s[0], g[1]), 'indices': ('int64', s[1], g[3])},
                             (t, s[2], g[5]), None)
                    except Skip as why:
                        skipped.append((label, str(why)))
                else:
                    body_cases(label, inner, {typ: c[2]})
        except Skip as why:
            skipped.append((name, str(why)))

seen = {}
for i, (name, text) in enumerate(used):        # names are unique
    op = text.split('\n')[0]
    if op in seen:
        text = text.replace(op, op + f'_again{seen[op]}', 1)
    seen[op] = seen.get(op, 0) + 1
    print(text + '\n')
print(f'# {len(used)} cases, {len(skipped)} skipped', file=sys.stderr)
for s in skipped:
    print('# skipped %s: %s' % s, file=sys.stderr)
