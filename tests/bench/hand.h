/* hand.h - the loops beside small cells that a C programmer would write: row
 * size and index type known to the compiler, each index checked before use. */
#ifndef NDG_BENCH_HAND_H
#define NDG_BENCH_HAND_H

#include "engine.h"

#define EACH_SIZE(X, t, T) \
    X(t, T, 3) X(t, T, 4) X(t, T, 12) X(t, T, 16) X(t, T, 24) X(t, T, 40) \
    X(t, T, 64)
#define EIGHT_TYPES(X)                                                        \
    EACH_SIZE(X, i8, int8_t)    EACH_SIZE(X, u8, uint8_t)                     \
    EACH_SIZE(X, i16, int16_t)  EACH_SIZE(X, u16, uint16_t)                   \
    EACH_SIZE(X, i32, int32_t)  EACH_SIZE(X, u32, uint32_t)                   \
    EACH_SIZE(X, i64, int64_t)  EACH_SIZE(X, u64, uint64_t)

enum { SIZES = 7 };
static const int all_sizes[SIZES] = { 3, 4, 12, 16, 24, 40, 64 };

static int size_at(ptrdiff_t size)
{
    int i = 0;
    while (i < SIZES - 1 && all_sizes[i] != size) i++;
    return i;
}

/* ---- gather, gather_nd, scatter_nd of one to three indices ---------------*/
/* Row i from the table, or to it. */
#define GET(row, SIZE) memcpy(out + i * SIZE, table + (row) * SIZE, SIZE)
#define PUT(row, SIZE) memcpy(out + (row) * SIZE, table + i * SIZE, SIZE)

/* K indices of type T at the head of each STEP bytes. A bad row: BAD. */
#define VECTOR_LOOP(name, T, STEP, SIZE, MOVE, BAD)                           \
HAND_HEAD(name##_##SIZE)                                                      \
{                                                                             \
    const byte     *at = (const byte *)indices;                               \
    const ptrdiff_t rows = dim[0];                                            \
    ptrdiff_t       i;                                                        \
    for (i = 0; i < n; i++) {                                                 \
        T v;                                                                  \
        memcpy(&v, at + i * STEP, sizeof v);                                  \
        if ((uint64_t)v >= (uint64_t)rows) { BAD }                            \
        MOVE((ptrdiff_t)v, SIZE);                                             \
    }                                                                         \
    return -1;                                                                \
}

#define VECTOR_PAIR(name, T, STEP, SIZE, MOVE, BAD)                           \
HAND_HEAD(name##_##SIZE)                                                      \
{                                                                             \
    const byte     *at = (const byte *)indices;                               \
    const ptrdiff_t d0 = dim[0], d1 = dim[1];                                 \
    ptrdiff_t       i;                                                        \
    for (i = 0; i < n; i++) {                                                 \
        T v[2];                                                               \
        memcpy(v, at + i * STEP, sizeof v);                                   \
        if ((uint64_t)v[0] >= (uint64_t)d0 ||                                 \
            (uint64_t)v[1] >= (uint64_t)d1) { BAD }                           \
        MOVE((ptrdiff_t)v[0] * d1 + (ptrdiff_t)v[1], SIZE);                   \
    }                                                                         \
    return -1;                                                                \
}
#define END  return i;
#define DROP continue;
#define FLAT_LOOP(t, T, SIZE)                                                 \
    VECTOR_LOOP(flat_##t, T, sizeof(T), SIZE, GET, END)
#define PAIR_LOOP(t, T, SIZE)                                                 \
    VECTOR_PAIR(pair_##t, T, 2 * sizeof(T), SIZE, GET, END)
EIGHT_TYPES(FLAT_LOOP)
EIGHT_TYPES(PAIR_LOOP)
#define STRUCT_PAIRS(SIZE)                                                    \
    VECTOR_PAIR(struct_pair_i32, int32_t, 16, SIZE, GET, END)                 \
    VECTOR_PAIR(struct_pair_u16, uint16_t, 12, SIZE, GET, END)                \
    VECTOR_LOOP(struct_i32, int32_t, 16, SIZE, GET, END)
STRUCT_PAIRS(4)
STRUCT_PAIRS(12)
STRUCT_PAIRS(64)
VECTOR_PAIR(pair_i32, int32_t, 8, 32, GET, END)

/* Indices of which an expression in v makes what is used. */
#define CHANGED_LOOP(name, T, SIZE, USED)                                     \
HAND_HEAD(name##_##SIZE)                                                      \
{                                                                             \
    const T        *at = (const T *)indices;                                  \
    const ptrdiff_t rows = dim[0];                                            \
    ptrdiff_t       i;                                                        \
    for (i = 0; i < n; i++) {                                                 \
        const T         v = at[i];                                            \
        const ptrdiff_t used = (ptrdiff_t)(USED);                             \
        if ((size_t)used >= (size_t)rows) return i;                           \
        GET(used, SIZE);                                                      \
    }                                                                         \
    return -1;                                                                \
}
CHANGED_LOOP(handle_u32, uint32_t, 4, v & 0xFFF)
CHANGED_LOOP(handle_u32, uint32_t, 16, v & 0xFFF)
CHANGED_LOOP(handle_u64, uint64_t, 16, v & 0xFFF)
CHANGED_LOOP(glyph_u8, uint8_t, 64, v - 32)
CHANGED_LOOP(glyph_i32, int32_t, 64, v - 32)

#define VECTOR_TRIPLE(name, T, SIZE, MOVE)                                    \
HAND_HEAD(name##_##SIZE)                                                      \
{                                                                             \
    const T        *at = (const T *)indices;                                  \
    const ptrdiff_t d0 = dim[0], d1 = dim[1], d2 = dim[2];                    \
    ptrdiff_t       i;                                                        \
    for (i = 0; i < n; i++) {                                                 \
        const T a = at[3 * i], b = at[3 * i + 1], c = at[3 * i + 2];          \
        if ((uint64_t)a >= (uint64_t)d0 || (uint64_t)b >= (uint64_t)d1 ||     \
            (uint64_t)c >= (uint64_t)d2) return i;                            \
        MOVE(((ptrdiff_t)a * d1 + (ptrdiff_t)b) * d2 + (ptrdiff_t)c, SIZE);   \
    }                                                                         \
    return -1;                                                                \
}
#define TRIPLE_LOOP(t, T, SIZE) VECTOR_TRIPLE(triple_##t, T, SIZE, GET)
EIGHT_TYPES(TRIPLE_LOOP)

#define PUT_LOOPS(SIZE)                                                       \
    VECTOR_LOOP(put_u16, uint16_t, 2, SIZE, PUT, END)                         \
    VECTOR_LOOP(put_i32, int32_t, 4, SIZE, PUT, END)                          \
    VECTOR_LOOP(put_i64, int64_t, 8, SIZE, PUT, END)                          \
    VECTOR_LOOP(put_drop, int32_t, 4, SIZE, PUT, DROP)                        \
    VECTOR_LOOP(put_struct, int32_t, 16, SIZE, PUT, END)                      \
    VECTOR_PAIR(put_pair_i32, int32_t, 8, SIZE, PUT, END)                     \
    VECTOR_PAIR(put_pair_u8, uint8_t, 2, SIZE, PUT, END)                      \
    VECTOR_PAIR(put_pair_u16, uint16_t, 4, SIZE, PUT, END)                    \
    VECTOR_PAIR(put_pair_drop, int32_t, 8, SIZE, PUT, DROP)                   \
    VECTOR_TRIPLE(put_triple, int32_t, SIZE, PUT)
PUT_LOOPS(4)
PUT_LOOPS(12)
PUT_LOOPS(16)
PUT_LOOPS(64)

#define END_LOOP(t, T, SIZE)                                                  \
HAND_HEAD(end_##t##_##SIZE)                                                   \
{                                                                             \
    const T        *at = (const T *)indices;                                  \
    const ptrdiff_t rows = dim[0];                                            \
    ptrdiff_t       i;                                                        \
    for (i = 0; i < n; i++) {                                                 \
        ptrdiff_t v = at[i];                                                  \
        v += v < 0 ? rows : 0;                                                \
        if ((size_t)v >= (size_t)rows) return i;                              \
        memcpy(out + i * SIZE, table + v * SIZE, SIZE);                       \
    }                                                                         \
    return -1;                                                                \
}
EACH_SIZE(END_LOOP, i16, int16_t)
EACH_SIZE(END_LOOP, i32, int32_t)

#define OF_SIZES(form, t)                                                     \
    { form##_##t##_3,  form##_##t##_4,  form##_##t##_12, form##_##t##_16,     \
      form##_##t##_24, form##_##t##_40, form##_##t##_64 }
#define OF_EIGHT(form)          /* in the order of NDG_I32 ... NDG_U64 */     \
    { OF_SIZES(form, i32), OF_SIZES(form, i8),  OF_SIZES(form, i16),          \
      OF_SIZES(form, i64), OF_SIZES(form, u8),  OF_SIZES(form, u16),          \
      OF_SIZES(form, u32), OF_SIZES(form, u64) }

/* depth: of an index row, 1 ... 3. */
static hand_fn *find_typed(int depth, int negative, int type, ptrdiff_t size)
{
    static hand_fn *const all[3][8][SIZES] = {
        OF_EIGHT(flat), OF_EIGHT(pair), OF_EIGHT(triple)
    };
    static hand_fn *const end[2][SIZES] = {
        OF_SIZES(end, i32), OF_SIZES(end, i16)
    };
    const int at = size_at(size);
    if (negative) return end[type == NDG_I16][at];
    return all[depth - 1][type][at];
}

/* ---- bad indices, each policy --------------------------------------------*/
#define FIX_ZERO(v, extent, SIZE) memset(to, 0, SIZE); continue;
#define FIX_FILL(v, extent, SIZE) memcpy(to, fill_row, SIZE); continue;
#define FIX_CLIP(v, extent, SIZE) v = v < 0 ? 0 : extent - 1;
#define FIX_WRAP(v, extent, SIZE) v %= extent; if (v < 0) v += extent;
#define FIX_KEEP(v, extent, SIZE) continue;

#define POLICY_LOOP(name, T, SIZE, FIX)                                       \
HAND_HEAD(name)                                                               \
{                                                                             \
    const T        *at = (const T *)indices;                                  \
    const ptrdiff_t rows = dim[0];                                            \
    ptrdiff_t       i;                                                        \
    for (i = 0; i < n; i++) {                                                 \
        byte     *to = out + i * SIZE;                                        \
        ptrdiff_t v = at[i];                                                  \
        if ((size_t)v >= (size_t)rows) { FIX(v, rows, SIZE) }                 \
        memcpy(to, table + v * SIZE, SIZE);                                   \
    }                                                                         \
    return -1;                                                                \
}

#define POLICY_PAIR(name, T, SIZE, FIX)                                       \
HAND_HEAD(name)                                                               \
{                                                                             \
    const T        *at = (const T *)indices;                                  \
    const ptrdiff_t d0 = dim[0], d1 = dim[1];                                 \
    ptrdiff_t       i;                                                        \
    for (i = 0; i < n; i++) {                                                 \
        byte     *to = out + i * SIZE;                                        \
        ptrdiff_t a = at[2 * i], b = at[2 * i + 1];                           \
        if ((size_t)a >= (size_t)d0) { FIX(a, d0, SIZE) }                     \
        if ((size_t)b >= (size_t)d1) { FIX(b, d1, SIZE) }                     \
        memcpy(to, table + (a * d1 + b) * SIZE, SIZE);                        \
    }                                                                         \
    return -1;                                                                \
}

#define POLICIES_OF(t, T, SIZE)                                               \
    POLICY_LOOP(zero_##t##_##SIZE, T, SIZE, FIX_ZERO)                         \
    POLICY_LOOP(fill_##t##_##SIZE, T, SIZE, FIX_FILL)                         \
    POLICY_LOOP(clip_##t##_##SIZE, T, SIZE, FIX_CLIP)                         \
    POLICY_LOOP(wrap_##t##_##SIZE, T, SIZE, FIX_WRAP)                         \
    POLICY_LOOP(keep_##t##_##SIZE, T, SIZE, FIX_KEEP)
#define POLICIES_OF_PAIRS(SIZE)                                               \
    POLICY_PAIR(zero_pair_##SIZE, int32_t, SIZE, FIX_ZERO)                    \
    POLICY_PAIR(fill_pair_##SIZE, int32_t, SIZE, FIX_FILL)                    \
    POLICY_PAIR(clip_pair_##SIZE, int32_t, SIZE, FIX_CLIP)                    \
    POLICY_PAIR(wrap_pair_##SIZE, int32_t, SIZE, FIX_WRAP)                    \
    POLICY_PAIR(keep_pair_##SIZE, int32_t, SIZE, FIX_KEEP)
EACH_SIZE(POLICIES_OF, i32, int32_t)
POLICIES_OF(u8, uint8_t, 4)    POLICIES_OF(u8, uint8_t, 16)
POLICIES_OF(u16, uint16_t, 4)  POLICIES_OF(u16, uint16_t, 16)
POLICIES_OF_PAIRS(4)
POLICIES_OF_PAIRS(16)

enum { POLICIES = 5 };
static const int policies[POLICIES] = {
    NDG_ZERO, NDG_FILL, NDG_CLIP, NDG_WRAP, NDG_KEEP
};
static const char *const policy_name[POLICIES] = {
    "zero", "fill", "clip", "wrap", "keep"
};

/* which: of policies[]. Of pairs, and of indices not i32, sizes 4 and 16. */
static hand_fn *find_policy(int depth, int which, int type, ptrdiff_t size)
{
#define OF_TWO(policy)                                                        \
    { { policy##_u8_4, policy##_u8_16 }, { policy##_u16_4, policy##_u16_16 }, \
      { policy##_pair_4, policy##_pair_16 } }
    static hand_fn *const narrow[POLICIES][3][2] = {
        OF_TWO(zero), OF_TWO(fill), OF_TWO(clip), OF_TWO(wrap), OF_TWO(keep)
    };
    static hand_fn *const wide[POLICIES][SIZES] = {
        OF_SIZES(zero, i32), OF_SIZES(fill, i32), OF_SIZES(clip, i32),
        OF_SIZES(wrap, i32), OF_SIZES(keep, i32)
    };
    if (depth == 2) return narrow[which][2][size == 16];
    if (type == NDG_I32) return wide[which][size_at(size)];
    return narrow[which][type == NDG_U16][size == 16];
}

/* ---- channels: n of them, dim[1] frames; 255 is silence ------------------*/
/* TO and FROM: where frame f of channel c, or of its source s, is. */
#define FRAME_OUTER(name, T, TO, FROM)                                        \
HAND_HEAD(name)                                                               \
{                                                                             \
    T             *restrict to = (T *)(void *)out;                            \
    const T       *restrict from = (const T *)(const void *)table;            \
    const uint8_t *restrict source = (const uint8_t *)indices;                \
    const ptrdiff_t frames = dim[1];                                          \
    ptrdiff_t f, c;                                                           \
    for (f = 0; f < frames; f++)                                              \
        for (c = 0; c < n; c++) {                                             \
            const ptrdiff_t s = source[c];                                    \
            to[TO] = s < n ? from[FROM] : (T)0;                               \
        }                                                                     \
    return -1;                                                                \
}

#define CHANNEL_OUTER(name, T, TO, FROM)                                      \
HAND_HEAD(name)                                                               \
{                                                                             \
    T             *restrict to = (T *)(void *)out;                            \
    const T       *restrict from = (const T *)(const void *)table;            \
    const uint8_t *restrict source = (const uint8_t *)indices;                \
    const ptrdiff_t frames = dim[1];                                          \
    ptrdiff_t f, c;                                                           \
    for (c = 0; c < n; c++) {                                                 \
        const ptrdiff_t s = source[c];                                        \
        if (s < n) for (f = 0; f < frames; f++) to[TO] = from[FROM];          \
        else       for (f = 0; f < frames; f++) to[TO] = (T)0;                \
    }                                                                         \
    return -1;                                                                \
}

#define CHANNEL_LOOPS(form, TO, FROM)                                         \
    FRAME_OUTER(form##_frames_i16, int16_t, TO, FROM)                         \
    FRAME_OUTER(form##_frames_f32, float, TO, FROM)                           \
    CHANNEL_OUTER(form##_channels_i16, int16_t, TO, FROM)                     \
    CHANNEL_OUTER(form##_channels_f32, float, TO, FROM)
CHANNEL_LOOPS(route,   f * n + c,      f * n + s)
CHANNEL_LOOPS(weave,   f * n + c,      s * frames + f)
CHANNEL_LOOPS(unweave, c * frames + f, f * n + s)

enum { ROUTE, WEAVE, UNWEAVE };

static hand_fn *find_channels(int form, int is_float, int channel_outer)
{
#define OF_FORM(form)                                                         \
    { { form##_frames_i16, form##_channels_i16 },                             \
      { form##_frames_f32, form##_channels_f32 } }
    static hand_fn *const all[3][2][2] = {
        OF_FORM(route), OF_FORM(weave), OF_FORM(unweave)
    };
    return all[form][is_float][channel_outer];
}

/* ---- batch_gather: n of dim[0] elements in each of dim[1] batches --------*/
#define BATCH_LOOP(SIZE)                                                      \
HAND_HEAD(batch_##SIZE)                                                       \
{                                                                             \
    const int32_t  *at = (const int32_t *)indices;                            \
    const ptrdiff_t extent = dim[0], batches = dim[1];                        \
    ptrdiff_t       b, i;                                                     \
    for (b = 0; b < batches; b++, at += n, table += extent * SIZE)            \
        for (i = 0; i < n; i++, out += SIZE) {                                \
            const int32_t v = at[i];                                          \
            if ((size_t)v >= (size_t)extent) return b * n + i;                \
            memcpy(out, table + v * (ptrdiff_t)SIZE, SIZE);                   \
        }                                                                     \
    return -1;                                                                \
}
BATCH_LOOP(4)
BATCH_LOOP(8)
BATCH_LOOP(16)
BATCH_LOOP(64)

static hand_fn *find_batch(ptrdiff_t size)
{
    return size == 4 ? batch_4 : size == 8 ? batch_8 : size == 16 ? batch_16
                                                                  : batch_64;
}

/* ---- axis 1: n of dim[0] elements in each of dim[1] lines ----------------*/
#define AXIS_LOOP(SIZE)                                                       \
HAND_HEAD(axis_##SIZE)                                                        \
{                                                                             \
    const int32_t  *at = (const int32_t *)indices;                            \
    const ptrdiff_t extent = dim[0], lines = dim[1];                          \
    ptrdiff_t       k, i;                                                     \
    for (k = 0; k < lines; k++, table += extent * SIZE)                       \
        for (i = 0; i < n; i++, out += SIZE) {                                \
            const int32_t v = at[i];                                          \
            if ((size_t)v >= (size_t)extent) return i;                        \
            memcpy(out, table + v * (ptrdiff_t)SIZE, SIZE);                   \
        }                                                                     \
    return -1;                                                                \
}
AXIS_LOOP(4)
AXIS_LOOP(16)

/* The same in batches of their own indices: by pairs, of which the second is
 * below 4; the other way, by one index; and with bad ones, which become 0. */
HAND_HEAD(batch_pairs)
{
    const int32_t  *at = (const int32_t *)indices;
    const ptrdiff_t extent = dim[0], batches = dim[2];
    ptrdiff_t       b, i;
    for (b = 0; b < batches; b++, table += extent * 16)
        for (i = 0; i < n; i++, at += 2, out += 4) {
            const int32_t v = at[0], w = at[1];
            if ((size_t)v >= (size_t)extent || (size_t)w >= 4) return b * n + i;
            memcpy(out, table + (v * (ptrdiff_t)4 + w) * 4, 4);
        }
    return -1;
}

HAND_HEAD(batch_put)
{
    const int32_t  *at = (const int32_t *)indices;
    const ptrdiff_t extent = dim[0], batches = dim[1];
    ptrdiff_t       b, i;
    for (b = 0; b < batches; b++, at += n, out += extent * 4)
        for (i = 0; i < n; i++, table += 4) {
            const int32_t v = at[i];
            if ((size_t)v >= (size_t)extent) return b * n + i;
            memcpy(out + v * (ptrdiff_t)4, table, 4);
        }
    return -1;
}

HAND_HEAD(batch_zero)
{
    const int32_t  *at = (const int32_t *)indices;
    const ptrdiff_t extent = dim[0], batches = dim[1];
    ptrdiff_t       b, i;
    for (b = 0; b < batches; b++, at += n, table += extent * 4)
        for (i = 0; i < n; i++, out += 4) {
            const int32_t v = at[i];
            if ((size_t)v >= (size_t)extent) memset(out, 0, 4);
            else memcpy(out, table + v * (ptrdiff_t)4, 4);
        }
    return -1;
}

/* ---- tiles of 16 x 16 pixels of 4 bytes ----------------------------------*/
#define TILE_BYTES  ((ptrdiff_t)1024)
#define SHEET_PITCH ((ptrdiff_t)1024)      /* 256 pixels */

#define TILE_ZERO memset(to, 0, TILE_BYTES); continue;
#define TILE_KEEP continue;
#define TILE_FILL                                                             \
    for (y = 0; y < TILE_BYTES; y += 4) memcpy(to + y, fill_row, 4);          \
    continue;

/* Pairs (row, column) of tiles, on a sheet of dim[0] x dim[1] of them. */
#define TILE_PAIRS(name, FIX)                                                 \
HAND_HEAD(name)                                                               \
{                                                                             \
    const int32_t *at = (const int32_t *)indices;                             \
    ptrdiff_t      i, y;                                                      \
    for (i = 0; i < n; i++) {                                                 \
        const int32_t a = at[2 * i], b = at[2 * i + 1];                       \
        byte         *to = out + i * TILE_BYTES;                              \
        const byte   *from;                                                   \
        if ((size_t)a >= (size_t)dim[0] ||                                    \
            (size_t)b >= (size_t)dim[1]) { FIX }                              \
        from = table + a * 16 * SHEET_PITCH + (ptrdiff_t)b * 64;              \
        for (y = 0; y < 16; y++)                                              \
            memcpy(to + y * 64, from + y * SHEET_PITCH, 64);                  \
    }                                                                         \
    return -1;                                                                \
}
TILE_PAIRS(pairs_zero, TILE_ZERO)
TILE_PAIRS(pairs_fill, TILE_FILL)
TILE_PAIRS(pairs_keep, TILE_KEEP)

/* Tiles below each other, on a strip of dim[0] of them. */
#define TILE_STRIP(name, FIX, STEP)                                           \
HAND_HEAD(name)                                                               \
{                                                                             \
    const int32_t *at = (const int32_t *)indices;                             \
    ptrdiff_t      i, y;                                                      \
    for (i = 0; i < n; i++) {                                                 \
        const int32_t v = at[i];                                              \
        byte         *to = out + i * TILE_BYTES;                              \
        if ((size_t)v >= (size_t)dim[0]) { FIX }                              \
        for (y = 0; y < TILE_BYTES; y += STEP)                                \
            memcpy(to + y, table + v * TILE_BYTES + y, STEP);                 \
    }                                                                         \
    return -1;                                                                \
}
TILE_STRIP(strip_zero, TILE_ZERO, 64)
TILE_STRIP(strip_fill, TILE_FILL, 64)
TILE_STRIP(strip_keep, TILE_KEEP, 64)
TILE_STRIP(whole_zero, TILE_ZERO, TILE_BYTES)
TILE_STRIP(whole_fill, TILE_FILL, TILE_BYTES)
TILE_STRIP(whole_keep, TILE_KEEP, TILE_BYTES)

enum { PAIRS, STRIP, WHOLE };

static hand_fn *find_tiles(int form, int policy)
{
    static hand_fn *const all[3][3] = {
        { pairs_zero, pairs_fill, pairs_keep },
        { strip_zero, strip_fill, strip_keep },
        { whole_zero, whole_fill, whole_keep }
    };
    return all[form][policy == NDG_ZERO ? 0 : policy == NDG_FILL ? 1 : 2];
}

/* ---- runs: slices of R runs of C bytes -----------------------------------*/
/* Run r of slice v is at (r * extent + v) * C. Planar: out likewise, by runs or
 * by slices; packed: slices in out are whole. dim[0]: the extent. */
#define RUN_LOOP(R, C)                                                        \
HAND_HEAD(planar_runs_##R##_##C)                                              \
{                                                                             \
    const int32_t  *at = (const int32_t *)indices;                            \
    const ptrdiff_t extent = dim[0];                                          \
    ptrdiff_t i, r;                                                           \
    for (r = 0; r < R; r++, table += extent * C)                              \
        for (i = 0; i < n; i++, out += C) {                                   \
            if ((size_t)at[i] >= (size_t)extent) return i;                    \
            memcpy(out, table + (ptrdiff_t)at[i] * C, C);                     \
        }                                                                     \
    return -1;                                                                \
}                                                                             \
HAND_HEAD(planar_slices_##R##_##C)                                            \
{                                                                             \
    const int32_t  *at = (const int32_t *)indices;                            \
    const ptrdiff_t extent = dim[0];                                          \
    ptrdiff_t i, r;                                                           \
    for (i = 0; i < n; i++) {                                                 \
        if ((size_t)at[i] >= (size_t)extent) return i;                        \
        for (r = 0; r < R; r++)                                               \
            memcpy(out + (r * n + i) * C,                                     \
                   table + (r * extent + at[i]) * C, C);                      \
    }                                                                         \
    return -1;                                                                \
}

#define PACKED_LOOP(name, R, C, FIX)                                          \
HAND_HEAD(name)                                                               \
{                                                                             \
    const int32_t  *at = (const int32_t *)indices;                            \
    const ptrdiff_t extent = dim[0];                                          \
    ptrdiff_t i, r;                                                           \
    for (i = 0; i < n; i++) {                                                 \
        byte           *to = out + i * (R * C);                               \
        const ptrdiff_t v = at[i];                                            \
        if ((size_t)v >= (size_t)extent) { FIX(v, extent, R * C) }            \
        for (r = 0; r < R; r++)                                               \
            memcpy(to + r * C, table + (r * extent + v) * C, C);              \
    }                                                                         \
    return -1;                                                                \
}
#define FIX_END(v, extent, SIZE) return i;
#define RUN_LOOPS(R, C)                                                       \
    RUN_LOOP(R, C)                                                            \
    PACKED_LOOP(packed_##R##_##C, R, C, FIX_END)
RUN_LOOPS(2, 4)   RUN_LOOPS(2, 16)   RUN_LOOPS(2, 64)
RUN_LOOPS(4, 4)   RUN_LOOPS(4, 16)   RUN_LOOPS(4, 64)
RUN_LOOPS(16, 4)  RUN_LOOPS(16, 16)  RUN_LOOPS(16, 64)
PACKED_LOOP(blank_zero, 8, 32, FIX_ZERO)
PACKED_LOOP(blank_fill, 8, 32, FIX_FILL)

enum { PLANAR_RUNS, PLANAR_SLICES, PACKED_SLICES };

static hand_fn *find_runs(int form, int runs, int bytes)
{
#define OF_RUNS(f, R) { f##_##R##_4, f##_##R##_16, f##_##R##_64 }
    static hand_fn *const all[3][3][3] = {
        { OF_RUNS(planar_runs, 2), OF_RUNS(planar_runs, 4),
          OF_RUNS(planar_runs, 16) },
        { OF_RUNS(planar_slices, 2), OF_RUNS(planar_slices, 4),
          OF_RUNS(planar_slices, 16) },
        { OF_RUNS(packed, 2), OF_RUNS(packed, 4), OF_RUNS(packed, 16) }
    };
    return all[form][runs == 2 ? 0 : runs == 4 ? 1 : 2]
              [bytes == 4 ? 0 : bytes == 16 ? 1 : 2];
}

/* ---- stitch --------------------------------------------------------------*/
STITCH_LOOP(lists_4, int32_t, 4, BY_SIZE, STITCH_END)
STITCH_LOOP(lists_16, int32_t, 16, BY_SIZE, STITCH_END)
STITCH_LOOP(lists_16_drop, int32_t, 16, BY_SIZE, STITCH_ON)

/* ---- partition -----------------------------------------------------------*/
/* Ids of type T, STRIDE bytes apart; with or without positions. Of rows of no
 * bytes there are positions alone. */
#define PART_LOOP(name, T, SIZE, STRIDE, PLACES, FIX)                         \
NOINLINE ptrdiff_t name(void *const *outs, void *const *places,               \
                        const byte *data, const byte *ids, ptrdiff_t n,       \
                        ptrdiff_t parts, ptrdiff_t *cursors)                  \
{                                                                             \
    ptrdiff_t i, at;                                                          \
    (void)places;                                                             \
    memset(cursors, 0, (size_t)parts * sizeof *cursors);                      \
    for (i = 0; i < n; i++) {                                                 \
        T v;                                                                  \
        memcpy(&v, ids + i * STRIDE, sizeof v);                               \
        if ((size_t)v >= (size_t)parts) { FIX }                               \
        at = cursors[v]++;                                                    \
        memcpy((byte *)outs[v] + at * SIZE, data + i * SIZE, SIZE);           \
        if (PLACES) ((int32_t *)places[v])[at] = (int32_t)i;                  \
    }                                                                         \
    return -1;                                                                \
}
#define PART_LOOPS(SIZE)                                                      \
    PART_LOOP(field_u8_##SIZE, uint8_t, SIZE, SIZE, 0, return i;)             \
    PART_LOOP(field_u8_##SIZE##_places, uint8_t, SIZE, SIZE, 1, return i;)    \
    PART_LOOP(field_i32_##SIZE, int32_t, SIZE, SIZE, 0, return i;)            \
    PART_LOOP(field_i32_##SIZE##_places, int32_t, SIZE, SIZE, 1, return i;)   \
    PART_LOOP(packed_u8_##SIZE, uint8_t, SIZE, 1, 0, return i;)               \
    PART_LOOP(packed_u8_##SIZE##_places, uint8_t, SIZE, 1, 1, return i;)
PART_LOOPS(12)
PART_LOOPS(16)
PART_LOOP(packed_u8_4, uint8_t, 4, 1, 0, return i;)
PART_LOOP(packed_i32_4, int32_t, 4, 4, 0, return i;)
PART_LOOP(packed_i32_16, int32_t, 16, 4, 0, return i;)
PART_LOOP(packed_i32_16_drop, int32_t, 16, 4, 0, continue;)
PART_LOOP(places_u8, uint8_t, 0, 1, 1, return i;)
PART_LOOP(places_i32, int32_t, 0, 4, 1, return i;)

/* Structs of 12 and 16 bytes, ids in them or packed. */
static part_fn *find_fields(ptrdiff_t size, int type, int packed, int places)
{
#define OF_FIELDS(SIZE)                                                       \
    { { field_u8_##SIZE, field_u8_##SIZE##_places },                          \
      { field_i32_##SIZE, field_i32_##SIZE##_places },                        \
      { packed_u8_##SIZE, packed_u8_##SIZE##_places } }
    static part_fn *const all[2][3][2] = { OF_FIELDS(12), OF_FIELDS(16) };
    return all[size == 16][packed ? 2 : type == NDG_I32][places];
}

/* Rows of 4 and 16 bytes, packed ids. */
static part_fn *find_rows(ptrdiff_t size, int type)
{
    if (size == 4) return type == NDG_I32 ? packed_i32_4 : packed_u8_4;
    return type == NDG_I32 ? packed_i32_16 : packed_u8_16;
}

#endif
