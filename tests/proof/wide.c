/* wide.c - what narrow.cpp cannot narrow, as it ships, for all small input:
 * loads and stores of every width, the judge of a row, the fast loops' test of
 * an index, the bytes that a range of rows touches, walks. Plain C; the header
 * is that of the folder before it (-I). Prints for each: cases, wrong ones. */
#include "shipped.h"

/* The low bytes of x as the machine lays a number of so many bytes down. */
static void lay(unsigned char *at, unsigned long long x, int bytes) {
    const unsigned short one = 1;
    unsigned char        little;
    int                  i;
    memcpy(&little, &one, 1);
    for (i = 0; i < bytes; i++)
        at[little ? i : bytes - 1 - i] = (unsigned char)(x >> 8 * i);
}

/* What these bytes mean. */
static long long meaning(unsigned long long x, int type) {
    static const int bits[8] = { 32, 8, 16, 64, 8, 16, 32, 64 };
    const unsigned long long top = 1ull << (bits[type] - 1);
    x &= top * 2 - 1;
    return type < NDG_U8 && (x & top)
         ? (long long)(x - top) - (long long)(top - 1) - 1 : (long long)x;
}

static void one_load(unsigned long long x, int type, int off) {
    static const int bytes[8] = { 4, 1, 2, 8, 1, 2, 4, 8 };
    unsigned char    p[32], q[32];
    memset(p, 0xa5, sizeof p);
    lay(p + off, x, bytes[type]);
    test(ndgi_load(p + off, type) == (int64_t)meaning(x, type), "ndgi_load",
         (long long)x, type, off);
    test(ndgi_signed(ndgi_word(p + off, bytes[type]),
                     type < NDG_U8 ? 64 - 8 * ndgi_widths[type] : 0)
         == (uint64_t)meaning(x, type), "ndgi_signed", (long long)x, type, off);
    if (meaning(x, type) < 0 || meaning(x, type) > PTRDIFF_MAX) return;
    memset(q, 0xa5, sizeof q);
    ndgi_store(q + off % bytes[type], off / bytes[type], bytes[type],
               (ptrdiff_t)meaning(x, type));
    test(!memcmp(p, q, sizeof p), "ndgi_store", (long long)x, type, off);
}

static void loads(void) {
    unsigned long long x;
    int                type, off, k;
    for (off = 0; off < 9; off++)
        for (x = 0; x < 65536; x++)
            for (type = 0; type < 8; type++) {
                one_load(x, type, off);              /* low and high bits */
                one_load(x << 48 | x << 16, type, off);
                one_load(0 - x, type, off);
            }
    for (x = 0; x < 1ull << 32; x += 251)
        for (k = 0; k < 2; k++) one_load(x, k ? NDG_U32 : NDG_I32, 1);
    done("ndgi_load,ndgi_word,ndgi_signed,ndgi_store");
}

static void limits(void) {
    static const ptrdiff_t extents[] = { 0, 1, 2, 126, 127, 128, 129, 254, 255,
        256, 257, 32766, 32767, 32768, 32769, 65534, 65535, 65536, 65537, 70000,
        2147483646, 2147483647, PTRDIFF_MAX - 1, PTRDIFF_MAX };
    size_t k;
    long   x;
    int    type;
    for (type = 0; type < 8; type++) {
        if (type == NDG_I32 || type == NDG_I64 || type == NDG_U32
            || type == NDG_U64) continue;
        for (k = 0; k < sizeof extents / sizeof *extents; k++)
            for (x = 0; x < (ndgi_widths[type] == 1 ? 256 : 65536); x++) {
                const ptrdiff_t n = extents[k];
                unsigned char   p[8];
                const long long v = meaning((unsigned long)x, type);
                uint64_t        got;
                lay(p, (unsigned long)x, ndgi_widths[type]);
                got = ndgi_index(p, ndgi_widths[type]);
                test((got < ndgi_limit(n, type)) == (0 <= v && v < n)
                     && (v < 0 || v >= n || got == (uint64_t)v),
                     "ndgi_limit", x, type, n);
            }
    }
    done("ndgi_index,ndgi_limit");
}

static void judges(void) {
    int type, x, policy, negative;
    for (type = NDG_I8; type <= NDG_U8; type += NDG_U8 - NDG_I8)
        for (x = 0; x < 256; x++)
            for (policy = 0; policy <= NDG_ASSUME_VALID; policy++)
                for (negative = 0; negative <= 1; negative++) {
                    ptrdiff_t n;
                    for (n = 0; n <= 300; n++) {
                        const ptrdiff_t stride = -3;
                        const ndgi_byte p = (ndgi_byte)x;
                        const long      v = (long)meaning((unsigned)x, type);
                        const long      at = negative && v < 0 ? v + (long)n
                                                               : v;
                        const int       good = 0 <= at && at < n;
                        const int       told = policy >= NDG_ZERO
                                            && policy <= NDG_KEEP
                                            && (n || (policy != NDG_CLIP
                                                      && policy != NDG_WRAP));
                        long            want = at;
                        ndg_report      r;
                        ndgi_reader     q;
                        ptrdiff_t       offset;
                        int             found, has;
                        memset(&r, 0, sizeof r);
                        memset(&q, 0, sizeof q);
                        q.extent = &n;
                        q.stride = &stride;
                        q.step = 1;
                        q.depth = 1;
                        q.type = type;
                        q.policy = policy;
                        q.negative = negative;
                        q.r = &r;
                        found = ndgi_judge(&offset, &q, &p, 7);
                        has = good || policy == NDG_ASSUME_VALID || (n
                            && (policy == NDG_CLIP || policy == NDG_WRAP));
                        if (!good && policy == NDG_CLIP)
                            want = at < 0 ? 0 : (long)n - 1;
                        if (!good && policy == NDG_WRAP && n)
                            want = (at % (long)n + (long)n) % (long)n;
                        test(found == has && (!has || offset == -3 * want)
                             && r.bad.count == (!good && policy
                                                != NDG_ASSUME_VALID)
                             && r.status == (good || told || policy
                                 == NDG_ASSUME_VALID ? NDG_OK : NDG_E_INDEX)
                             && (!r.bad.count || (r.bad.value == v
                                 && r.bad.extent == n && r.bad.position == 7)),
                             "ndgi_judge", x, policy, n);
                    }
                }
    done("ndgi_judge");
}

/* Rows of up to three loops; a copy of two steps; two components. */
static void ranges(void) {
    static const ptrdiff_t steps[] = { -7, -1, 0, 3, 40 };
    ndg_gather_plan plan;
    int             levels, a, b, c, s, t;
    memset(&plan, 0, sizeof plan);
    plan.copy_levels = 1;
    plan.level[0].extent = 2;
    plan.level[0].out = 9;
    plan.run_bytes = 4;
    plan.depth = 2;
    plan.index_step = -2;
    plan.index_type = NDG_I16;
    for (levels = 0; levels <= 3; levels++)
    for (a = 1; a <= 4; a++)
    for (b = 1; b <= (levels > 1 ? 4 : 1); b++)
    for (c = 1; c <= (levels > 2 ? 3 : 1); c++)
    for (s = 0; s < 5; s++)
    for (t = 0; t < 5; t++) {
        const ptrdiff_t rows = levels ? (ptrdiff_t)a * b * c : 1;
        ptrdiff_t       first, last, i;
        plan.row_levels = levels;
        plan.level[1].extent = a;
        plan.level[2].extent = b;
        plan.level[3].extent = c;
        for (i = 1; i <= 3; i++) {
            plan.level[i].out = steps[(s + i) % 5];
            plan.level[i].indices = steps[(t + 2 * i) % 5];
        }
        for (first = 0; first < rows; first++) {
            ndgi_span want_o = { PTRDIFF_MAX, -PTRDIFF_MAX }, want_i = want_o;
            ndgi_walk w;
            ndgi_walk_start(&w, plan.level + 1, levels, first);
            for (last = first + 1; last <= rows; last++) {
                const ptrdiff_t at[3] = { (last - 1) % a, (last - 1) / a % b,
                                          (last - 1) / a / b };
                ptrdiff_t       o = 0, x = 0;
                ndgi_span       out, index;
                for (i = 0; i < levels; i++) {
                    o += at[i] * plan.level[i + 1].out;
                    x += at[i] * plan.level[i + 1].indices;
                }
                test(w.out == o && w.indices == x, "ndgi_walk", first, last, a);
                test(ndgi_walk_next(&w, 0, 1) == (last < rows),
                     "ndgi_walk_next", first, last, a);
                if (o < want_o.low) want_o.low = o;
                if (o + 13 > want_o.high) want_o.high = o + 13;
                if (x - 2 < want_i.low) want_i.low = x - 2;
                if (x + 2 > want_i.high) want_i.high = x + 2;
                ndgi_gather_spans(&plan, first, last, &out, &index);
                test(out.low == want_o.low && out.high == want_o.high
                     && index.low == want_i.low && index.high == want_i.high,
                     "ndgi_gather_spans", first, last, a);
            }
        }
    }
    done("ndgi_gather_spans,ndgi_span_rows,ndgi_walk_start,ndgi_walk_next");
}

int main(void) {
    loads();
    limits();
    judges();
    ranges();
    printf("exhaustive all as shipped: %lld cases\n", all_cases);
    return any_wrong;
}
