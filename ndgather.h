/* ndgather.h - v1.1.0 - gather, scatter and stitch n-d arrays in plain C
 * SPDX-License-Identifier: MIT-0 OR Unlicense       (both texts at the end)
 *
 * Picks slices out of an n-d array by index, puts them back, weaves several
 * arrays into one, or splits one into several. The meaning is TensorFlow's,
 * edge cases included (but nothing is added up), for any element size and any
 * integer index type. No allocation, no globals, no I/O, no threads, no
 * floating point, no call but memcpy.
 *
 * DO THIS once, in one .c or .cpp file, and include the header anywhere else:
 *
 *     #define NDGATHER_IMPLEMENTATION
 *     #include "ndgather.h"
 *
 * A COMPLETE PROGRAM
 *
 *     #include <stdio.h>
 *     #define NDGATHER_IMPLEMENTATION
 *     #include "ndgather.h"
 *
 *     int main(void)
 *     {
 *         const float    table[3][2] = { {0, 1}, {10, 11}, {20, 21} };
 *         const uint16_t pick[4]     = { 2, 0, 7, 2 };     // 7 is too large
 *         float          out[4][2];
 *         ndg_report     report;
 *
 *         // nine cases in ten are one line; ndg_scatter_rows is the way back
 *         ndg_gather_rows(out, sizeof out, table, 3, sizeof table[0], 0,
 *                         pick, NDG_U16, 4, NDG_CLIP, &report);
 *         printf("%g %g %g %g\n", out[0][0], out[1][0], out[2][0], out[3][0]);
 *         printf("%d bad, the first at %d\n", (int)report.bad.count,
 *                (int)report.bad.position);
 *         return 0;                     // prints 20 0 20 20, then 1 bad, ... 2
 *     }
 *
 * EVERYTHING ELSE: describe it, check it once, then run it as often as you like
 *
 *     ndg_gather_desc d = NDG_ZERO_INIT;             // every zero is safe
 *     d.params     = ndg_dims3(levels, height, width);
 *     d.indices    = ndg_dims2(count, 2);            // (level, y) pairs
 *     d.index_type = NDG_TYPE_OF(idx);               // C99: e.g. NDG_I32
 *     d.elem_size  = sizeof(tile);
 *     ndg_gather_nd(out, sizeof out, params, idx, &d, &report);    // one call
 *
 *     ndg_gather_plan plan;                          // or desc, plan, run
 *     if (ndg_plan_gather_nd(&plan, &d, &report) == NDG_OK)
 *         ndg_gather_run(&plan, out, sizeof out, params, idx, &report);
 *
 *     // or on your own threads: any split gives the same bytes and report
 *     ndg_gather_run_range(&plan, out, out_bytes, params, idx,
 *                          first, last, &part[worker]);
 *     ndg_report_merge(&report, &part[worker]);
 *
 * CONTENTS (search for the tag)
 *
 *     for you   >>concepts >>bad >>options, then >>types >>shape >>gather
 *               >>scatter >>stitch >>partition, >>index (math for your own
 *               kernels), >>guarantees, >>recipes, >>license
 *     inside    >>impl >>checked >>reports >>shapes >>walks >>copy >>judge
 *               >>words >>loops >>numbers >>chunks >>jobs >>choose,
 *               then >>gather-plan >>gather-run >>table-rows >>scatter-run
 *               >>layout >>stitch-run >>stitch-tensors >>partition-run
 *               >>strings
 *
 * >>concepts ------------------------------------------------------------------
 *
 * Arrays are row-major. `rank` is the number of axes; an array of rank 0 is one
 * element. An element is elem_size bytes, which are never interpreted. A slice
 * is what remains of an array when some axes are fixed. Shapes are written
 * [a,b,c], and + joins them.
 *
 *   gather_nd   indices [n,k]: each row of k integers names a slice of params.
 *
 *       params [2,3]   indices [3,2]    out [3]     indices [1,1]    out [1,3]
 *         a b c            0,2  --------> c           1  ----------> d e f
 *         d e f            1,0  --------> d
 *                          1,2  --------> f        k = 1: rows, k = 2: elements
 *
 *   gather      indices of any shape pick along one axis.
 *
 *       params [2,3]  axis 1, indices [2] = 2 0      out [2,2]
 *         a b c       ------------------------->       c a
 *         d e f                                        f d
 *
 *   batch_gather   gather in which every axis of indices but the last is a
 *       batch axis: out[b,i] = params[b, indices[b,i]].
 *
 *   dynamic_stitch   writes row j of list m to output row indices[m][j]. The
 *       last writer wins; rows that no index names become zero (see desc.gaps).
 *   parallel_dynamic_stitch   the same. For threads see ndg_stitch_run_range.
 *
 *       indices 0 4 | 2 1        out   A     row 0
 *       data    A B | C D   -->        D         1
 *                                      C         2
 *                                      0         3    a gap
 *                                      B         4    rows = largest + 1
 *
 *   dynamic_partition   appends row j to output partitions[j], so rows stay in
 *       order. Give its positions to dynamic_stitch to undo it.
 *
 *       data       A B C D      out 0:  B C
 *       partitions 1 0 0 1      out 1:  A D     positions 0: 1 2   1: 0 3
 *
 *   scatter_nd   gather_nd read backwards: writes row j of data to the slice of
 *       out that row j of indices [n,k] names. The last writer wins; slices
 *       that no index names become zero, or stay (see desc.gaps).
 *
 *       data [3]   indices [3,2]    out [2,3]
 *         A B C      0,2  1,0  1,2    0 0 A
 *                                     B 0 C
 *
 * To gather strings, or anything of variable size, gather their pointers or
 * handles: elem_size = sizeof(char *). The strings stay where they are.
 *
 * >>bad -----------------------------------------------------------------------
 *
 * Indices are data, so every one is checked during the run, in its own width,
 * before it is used. An index v is good for extent n if 0 <= v < n. If it is
 * bad, desc.policy decides; the names mean the same on CPU and GPU:
 *
 *     NDG_DEFAULT       0: NDG_ERROR on the CPU; on a GPU NDG_ZERO (for stitch,
 *                       partition and scatter NDG_DROP), and reported
 *     NDG_ERROR         the call returns NDG_E_INDEX. No bad row is written;
 *                       good rows may or may not have been
 *     NDG_ZERO          the row becomes zero bytes
 *     NDG_FILL          the row becomes copies of the element in desc.fill
 *     NDG_CLIP          the nearest valid index is used; extent 0: an error
 *     NDG_WRAP          the index modulo the extent is used, so -1 is the last;
 *                       extent 0: an error
 *     NDG_KEEP          the row of out stays as it was (a masked gather)
 *     NDG_DROP          for stitch, partition and scatter: the row is left out
 *     NDG_ASSUME_VALID  nothing is checked: you have proved that all are good.
 *                       Give params its true size even so: a run reads a table
 *                       beyond the caches in a way that is slower within them
 *
 * Only an error changes the status. The other policies return NDG_OK, and the
 * report (see ndg_report) names the first bad row and counts all of them, also
 * those that CLIP and WRAP moved. All bad values are treated alike; to give one
 * a meaning of its own, map the indices through a table first.
 *
 * One policy holds for all components of an index vector, as one for each would
 * slow all runs; to repeat x and clamp y, wrap x yourself and pass NDG_CLIP.
 * Stitch, partition and scatter take DEFAULT, ERROR, DROP and ASSUME_VALID (to
 * clip ids, gather them from a table 0, 1, 2 ... first). Gathers and scatter_nd
 * have two more knobs: with desc.negative = NDG_NEGATIVE_FROM_END, -1 is the
 * last index; with desc.index_mask and desc.index_add (0: off), v becomes (v &
 * mask) + add before it is judged. That serves handles with a generation in
 * their upper bits, and fonts that begin at ' '. The report gives v as found.
 *
 * >>options -------------------------------------------------------------------
 *
 * Seven macros, to define before the #include. None changes a struct or result:
 *
 *     NDGATHER_IMPLEMENTATION  compiles the functions, in one file
 *     NDG_STATIC               also makes them static, private to that file
 *     NDG_API                  the prefix of every function, e.g. a dllexport
 *     NDG_ASSERT(x)            checks our own invariants; default: nothing
 *     NDG_MEMCPY(d, s, n)      replaces memcpy and the #include of <string.h>
 *     NDG_NO_STRINGS           leaves out ndg_..._text
 *     NDG_SMALL                1: small code, a row at a time; 0: fast code.
 *                              Default: 1 at -Os, -O0 and on Cortex-M; else 0
 *
 * Small code takes some 16 KB on a Cortex-M0+, and its texts 4 KB more; with
 * NDG_STATIC and only ndg_gather_rows in use, 1 KB. Fast code, up to 30 times
 * as fast, takes 313 KB on x86-64; with only ndg_gather_rows in use, 71 KB.
 *
 * To have two copies in one program, in different source files, rename one: sed
 * 's/ndg_/my_ndg_/g; s/NDG_/MY_NDG_/g; s/ndgi_/my_ndgi_/g; s/NDGI_/MY_NDGI_/g'.
 */
#if defined(NDG_VERSION) && (NDG_VERSION + 0 != 10100)
#error "ndgather.h 1.1.0 meets another version (NDG_VERSION) in this file"
#endif

#ifndef NDGATHER_H
#define NDGATHER_H

#define NDG_VERSION_MAJOR 1
#define NDG_VERSION_MINOR 1
#define NDG_VERSION_PATCH 0
#define NDG_VERSION       10100  /* 10000 * major + 100 * minor + patch */

#include <stddef.h>
#include <stdint.h>

#if PTRDIFF_MAX < 2147483647
#error "ndgather.h needs a ptrdiff_t of 32 bits or more"
#endif

/* ---- >>types -------------------------------------------------------------*/
/* The type of indices, partitions or positions. 0, the default, is NDG_I32. */
enum ndg_index_type { NDG_I32, NDG_I8, NDG_I16, NDG_I64, NDG_U8, NDG_U16,
                      NDG_U32, NDG_U64 };

/* desc.policy and desc.negative: what bad and negative indices do (>>bad). */
enum ndg_policy { NDG_DEFAULT = 0, NDG_ERROR, NDG_ZERO, NDG_FILL, NDG_CLIP,
                  NDG_WRAP, NDG_KEEP, NDG_ASSUME_VALID, NDG_DROP = NDG_KEEP };

enum ndg_negative { NDG_NEGATIVE_BAD = 0, NDG_NEGATIVE_FROM_END };

/* desc.gaps: output rows that no index names become zero bytes, are refused
 * with NDG_E_GAP (a stitch only), or stay as they are. */
enum ndg_gaps { NDG_GAPS_ZERO = 0, NDG_GAPS_ERROR, NDG_GAPS_KEEP };

/* desc.overlap: whether out may lie between the elements of an input. */
enum ndg_overlap { NDG_OVERLAP_CHECK = 0, NDG_OVERLAP_DISJOINT };

/* What functions return, by severity; ndg_report_merge keeps the severest. */
#define NDG_STATUS_LIST(X)                                                    \
    X(NDG_OK,            0, "done")                                           \
    X(NDG_E_GAP,         1, "an output row is named by no index")             \
    X(NDG_E_INDEX,       2, "an index is out of range")                       \
    X(NDG_E_CAPACITY,    3, "out is too small")                               \
    X(NDG_E_SCRATCH,     4, "scratch is missing or too small")                \
    X(NDG_E_OVERLAP,     5, "out overlaps an input")                          \
    X(NDG_E_RANGE,       6, "first or last lies outside the rows")            \
    X(NDG_E_NULL,        7, "a pointer is NULL, or the plan was not made")    \
    X(NDG_E_OPTION,      8, "an option has a value this op does not take")    \
    X(NDG_E_TYPE,        9, "no such index type or element size")             \
    X(NDG_E_COUNT,      10, "a count is too small")                           \
    X(NDG_E_RANK,       11, "the rank does not fit")                          \
    X(NDG_E_AXIS,       12, "no such axis")                                   \
    X(NDG_E_BATCH_DIMS, 13, "batch_dims does not fit the ranks or the axis")  \
    X(NDG_E_BATCH_SHAPE,14, "the batch axes differ")                          \
    X(NDG_E_DEPTH,      15, "index vectors are longer than the params rank")  \
    X(NDG_E_SHAPE,      16, "shapes do not fit each other")                   \
    X(NDG_E_STRIDE,     17, "these strides cannot be used")                   \
    X(NDG_E_OVERFLOW,   18, "a size is larger than PTRDIFF_MAX")              \
    X(NDG_E_LEVELS,     19, "more than 16 levels of strides, or depth over 16")

enum ndg_status {
#define NDGI_STATUS(name, number, text) name = number,
    NDG_STATUS_LIST(NDGI_STATUS)
#undef NDGI_STATUS
    NDG_STATUS_COUNT
};

/* report.op: the operation. */
enum ndg_op { NDG_OP_NONE = 0, NDG_OP_GATHER_ROWS, NDG_OP_GATHER_ND,
              NDG_OP_GATHER = 3, NDG_OP_BATCH_GATHER, NDG_OP_DYNAMIC_STITCH,
              NDG_OP_PARALLEL_DYNAMIC_STITCH = 6, NDG_OP_DYNAMIC_PARTITION,
              NDG_OP_SCATTER_ND = 8, NDG_OP_SCATTER_ROWS };

/* report.operand: the argument or desc field that was wrong. */
enum ndg_arg {
       NDG_ARG_NONE = 0, NDG_ARG_PARAMS, NDG_ARG_INDICES, NDG_ARG_OUT,
       NDG_ARG_DATA = 4, NDG_ARG_PARTITIONS, NDG_ARG_POSITIONS, NDG_ARG_SCRATCH,
       NDG_ARG_SLICE = 8, NDG_ARG_COUNTS, NDG_ARG_PLAN, NDG_ARG_DESC,
       NDG_ARG_INPUTS = 12, NDG_ARG_AXIS, NDG_ARG_BATCH_DIMS, NDG_ARG_POLICY,
       NDG_ARG_NEGATIVE = 16, NDG_ARG_GAPS, NDG_ARG_OVERLAP, NDG_ARG_FILL,
       NDG_ARG_FEATURES = 20, NDG_ARG_NUM_PARTITIONS, NDG_ARG_ELEM_SIZE,
       NDG_ARG_INDEX_TYPE = 23, NDG_ARG_POSITION_TYPE, NDG_ARG_FIRST,
       NDG_ARG_LAST = 26, NDG_ARG_TOTAL, NDG_ARG_COUNT, NDG_ARG_OUT_STRIDE };

/* The first bad index, and how many rows are bad. Valid iff count > 0. */
typedef struct ndg_bad {
    ptrdiff_t count;      /* bad rows; at least 1 if an error stopped the run */
    ptrdiff_t list;       /* which list of a stitch */
    ptrdiff_t position;   /* of the first bad row, in the whole array or list
                             even for a range; see ndg_unravel */
    int       component;  /* the lowest bad one of a vector (GPU: or -1) */
    int       is_u64;     /* 1 if value holds a uint64_t above INT64_MAX */
    int64_t   value;      /* as found in the index array */
    ptrdiff_t extent;     /* good: 0 <= v < extent */
    int       changed;    /* 1 with index_mask or index_add: extent is that of
                             (v & mask) + add */
    int       from_end;   /* 1 if -extent <= v < 0 is good too */
} ndg_bad;

/* Filled in by a stitch with scratch: rows of out that no index names, and
 * entries that overwrite an earlier one. first_hole is valid iff holes > 0. */
typedef struct ndg_row_counts {
    ptrdiff_t first_hole, holes, duplicates;
} ndg_row_counts;

/* What a call found. Pass NULL if you do not need it. Otherwise every call
 * overwrites it, with zeros after a success that has nothing to report.
 * ndg_report_text puts it into words. op names the operation after a failure or
 * a bad row, but is 0 if only a plan could tell it and there is none. After a
 * failure (status is not NDG_OK) the other fields say what was wrong:
 *
 *   status             operand        value          bound
 *   NDG_E_GAP          out            its first gap  its rows
 *   NDG_E_INDEX        indices or partitions: see bad
 *   NDG_E_CAPACITY     out            bytes it has   bytes it needs (for part
 *                                                    `item`, both in rows)
 *   NDG_E_SCRATCH      scratch        bytes it has   bytes it needs
 *   NDG_E_OVERLAP      the input, of list or part `item`
 *   NDG_E_RANGE        first or last  as given       the rows there are
 *   NDG_E_NULL         what is NULL (counts: or capacity, cursors, limits)
 *                      of a shape     its rank       0: its dims, 1: strides
 *   NDG_E_OPTION, NDG_E_TYPE, NDG_E_COUNT: the field and its value
 *   NDG_E_RANK         the array      its rank       least (of out: only) one
 *   NDG_E_AXIS         axis           as given       rank(params), or 0: none
 *   NDG_E_BATCH_DIMS   batch_dims     as given       0: the least or only one
 *                      indices        batch_dims     rank; gather may reach it
 *                      params         batch_dims     rank; gather_nd may, too
 *                      axis           batch_dims     axis, which it may reach
 *   NDG_E_BATCH_SHAPE  indices, axis  its extent     that of params
 *   NDG_E_DEPTH        indices        the depth      rank(params) - batch_dims
 *   NDG_E_SHAPE        array, axis    its extent     the right one, or least: 0
 *                                     (-1, of either: there is no such axis)
 *   NDG_E_STRIDE       array, axis    its stride     the least or only one (the
 *                                     rows of a list or partition fold to one)
 *   NDG_E_OVERFLOW     what is too large (a position; the largest possible)
 *   NDG_E_LEVELS       indices        the depth      16
 *                      params, slice  17 levels, up  16
 */
typedef struct ndg_report {
    int            status, op, operand, axis;
    ptrdiff_t      item;     /* which list of a stitch, part of a partition */
    int64_t        value, bound;
    ndg_bad        bad;
    ndg_row_counts rows;
} ndg_report;

/* ---- portability ---------------------------------------------------------*/
#ifdef NDG_API                   /* yours */
#elif defined(NDG_STATIC) && (defined(__GNUC__) || defined(__clang__))
#define NDG_API static __attribute__((unused))
#elif defined(NDG_STATIC)
#define NDG_API static
#else
#define NDG_API extern
#endif

/* Functions defined in the header. In C++ a module can export them. */
#ifdef __cplusplus
#define NDG_INLINE inline
#else
#define NDG_INLINE static inline
#endif

/* Functions that run on the host and inside CUDA or HIP kernels. */
#if defined(__CUDACC__) || defined(__CUDA__) || defined(__HIPCC__) || \
    defined(__HIP__)
#define NDG_HD __host__ __device__
#else
#define NDG_HD
#endif

/* The index type of what a pointer points to: d.index_type = NDG_TYPE_OF(ids).
 * Anything that is no index type does not compile; for a 2-d array pass its
 * first row, NDG_TYPE_OF(pairs[0]). Needs C++ or C11. In C99 write the type by
 * hand, with care: a wrong one cannot be detected and reads other numbers. */
#ifdef __cplusplus
extern "C++" {                   /* if the #include stands in extern "C" */
#define NDGI_TYPE_OF(type, code)                                              \
    inline int ndg_type_of(const type *) { return code; }
NDGI_TYPE_OF(signed char, NDG_I8)          NDGI_TYPE_OF(unsigned char, NDG_U8)
NDGI_TYPE_OF(short, NDG_I16)               NDGI_TYPE_OF(unsigned short, NDG_U16)
NDGI_TYPE_OF(int, NDG_I32)                 NDGI_TYPE_OF(unsigned, NDG_U32)
NDGI_TYPE_OF(long, sizeof(long) == 8 ? NDG_I64 : NDG_I32)
NDGI_TYPE_OF(unsigned long, sizeof(long) == 8 ? NDG_U64 : NDG_U32)
NDGI_TYPE_OF(long long, NDG_I64)           NDGI_TYPE_OF(unsigned long long,
                                                        NDG_U64)
#undef NDGI_TYPE_OF
}
#define NDG_TYPE_OF(pointer) ndg_type_of(pointer)
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define NDG_TYPE_OF(pointer) _Generic(*(pointer),                             \
    signed char: NDG_I8, unsigned char: NDG_U8, short: NDG_I16,               \
    unsigned short: NDG_U16, int: NDG_I32, unsigned: NDG_U32,                 \
    long: sizeof(long) == 8 ? NDG_I64 : NDG_I32, long long: NDG_I64,          \
    unsigned long: sizeof(long) == 8 ? NDG_U64 : NDG_U32,                     \
    unsigned long long: NDG_U64)
#endif

#ifdef __cplusplus
#define NDG_ZERO_INIT {}         /* ndg_gather_desc d = NDG_ZERO_INIT; */
extern "C" {
#else
#define NDG_ZERO_INIT { 0 }
#endif

/* Adds the report of one range to `into`, which you zero before the first. The
 * order of the ranges does not matter. Keeps the severer status with its
 * fields, the first bad position and the first hole, and adds up the counts, to
 * PTRDIFF_MAX at most. Does nothing if either pointer is NULL. */
NDG_API void ndg_report_merge(ndg_report *into, const ndg_report *from);

#ifndef NDG_NO_STRINGS
NDG_API const char *ndg_status_text(int status);   /* a line; never NULL */
NDG_API const char *ndg_arg_text(int operand);     /* "elem_size"; never NULL */
#endif

NDG_API int ndg_version(void);   /* the NDG_VERSION that was linked */

/* ---- >>shape -------------------------------------------------------------*/
/* The extents of an array and, if strided is 1, the bytes from one element to
 * the next along each axis; otherwise the array is in C order. Strides of
 * inputs may be negative, or 0 to repeat. The pointer that goes with a shape
 * points to the element whose coordinates are all 0. A zeroed shape is a
 * scalar. Make shapes with the functions below or, for a desc in flash:
 *     { .rank = 2, .dim = {16, 8}, .strided = 1, .stride = {32, 2} } */
typedef struct ndg_shape {
    int              rank, strided;
    ptrdiff_t        dim[4], stride[4];   /* rank <= 4 */
    const ptrdiff_t *dims, *strides;      /* rank > 4: yours; keep them until
                                             plan is made or call returns */
} ndg_shape;

/* Returns a shape of `rank` extents and as many byte strides (strides NULL: C
 * order). If rank is negative, or dims is NULL although rank > 0, every plan
 * refuses the shape. */
NDG_INLINE ndg_shape ndg_dims(int rank, const ptrdiff_t *dims,
                                 const ptrdiff_t *strides) {
    ndg_shape s = NDG_ZERO_INIT;
    int       i;
    s.rank = (rank > 0 && !dims) ? -1 : rank;
    s.strided = strides ? 1 : 0;
    for (i = 0; i < 4 && i < s.rank && s.rank <= 4; i++) {
        s.dim[i] = dims[i];
        if (strides) s.stride[i] = strides[i];
    }
    if (s.rank > 4) { s.dims = dims; s.strides = strides; }
    return s;
}

NDG_INLINE ndg_shape ndg_dims4(ptrdiff_t a, ptrdiff_t b, ptrdiff_t c,
                                  ptrdiff_t d) {
    const ptrdiff_t dims[4] = { a, b, c, d };
    return ndg_dims(4, dims, 0);
}

NDG_INLINE ndg_shape ndg_dims3(ptrdiff_t a, ptrdiff_t b, ptrdiff_t c) {
    const ptrdiff_t dims[3] = { a, b, c };
    return ndg_dims(3, dims, 0);
}

NDG_INLINE ndg_shape ndg_dims2(ptrdiff_t a, ptrdiff_t b) {
    const ptrdiff_t dims[2] = { a, b };
    return ndg_dims(2, dims, 0);
}

NDG_INLINE ndg_shape ndg_dims1(ptrdiff_t a) { return ndg_dims(1, &a, 0); }

/* The same with strides: each extent is followed by the bytes from one element
 * to the next. For one field of n structs: ndg_strided1(n, sizeof(thing)). For
 * a window of 24 x 40 cells on a uint16_t map that is 100 wide:
 * ndg_strided2(24, 100 * 2, 40, 2). Runs take the window's address, &map[y][x],
 * so one plan serves wherever it stands. */
NDG_INLINE ndg_shape ndg_strided4(ptrdiff_t a, ptrdiff_t a_bytes,
        ptrdiff_t b, ptrdiff_t b_bytes, ptrdiff_t c, ptrdiff_t c_bytes,
        ptrdiff_t d, ptrdiff_t d_bytes) {
    const ptrdiff_t dims[4] = { a, b, c, d };
    const ptrdiff_t strides[4] = { a_bytes, b_bytes, c_bytes, d_bytes };
    return ndg_dims(4, dims, strides);
}

NDG_INLINE ndg_shape ndg_strided3(ptrdiff_t a, ptrdiff_t a_bytes,
        ptrdiff_t b, ptrdiff_t b_bytes, ptrdiff_t c, ptrdiff_t c_bytes) {
    const ptrdiff_t dims[3] = { a, b, c };
    const ptrdiff_t strides[3] = { a_bytes, b_bytes, c_bytes };
    return ndg_dims(3, dims, strides);
}

NDG_INLINE ndg_shape ndg_strided2(ptrdiff_t a, ptrdiff_t a_bytes,
                                     ptrdiff_t b, ptrdiff_t b_bytes) {
    const ptrdiff_t dims[2] = { a, b }, strides[2] = { a_bytes, b_bytes };
    return ndg_dims(2, dims, strides);
}

NDG_INLINE ndg_shape ndg_strided1(ptrdiff_t n, ptrdiff_t bytes) {
    return ndg_dims(1, &n, &bytes);
}

/* Turns a row-major position inside the first `axes` axes of shape into
 * coordinates. Writes the first min(axes, cap) of them; returns axes, or -1 if
 * shape has fewer. To find a bad index pass all axes of the indices or
 * partitions (for gather_nd and scatter_nd rank - 1):
 *     ndg_unravel(bad.position, &d.indices, d.indices.rank, coords, cap) */
NDG_API int ndg_unravel(ptrdiff_t position, const ndg_shape *shape, int axes,
                        ptrdiff_t *coords, int cap);

#ifndef NDG_NO_STRINGS
/* Writes a report as a line for people, without a newline:
 *     gather_nd: indices[1,1] component 2 = 7 is not in [0, 6); 2 bad
 *     gather: out holds 60 bytes, 64 are needed
 * indices is the shape of the indices or partitions, &d.indices (for a stitch,
 * of list bad.list). It turns the position of a bad row into coordinates; with
 * NULL the position is written. A report with nothing to say gives "done". Like
 * snprintf it writes at most cap bytes, the final 0 included, and returns the
 * length of the whole line without that 0. Thread-safe. */
NDG_API ptrdiff_t ndg_report_text(char *buf, ptrdiff_t cap,
        const ndg_report *report, const ndg_shape *indices);
#endif

#define NDG_MAX_LEVELS 16    /* folded levels of a plan */
#define NDG_MAX_DEPTH  16    /* integers of an index vector */

/* One loop of a plan: how many steps, and what each adds to the addresses. */
typedef struct ndg_level {
    ptrdiff_t extent;
    ptrdiff_t source;    /* bytes in params or data */
    ptrdiff_t indices;   /* bytes in indices (gathers) */
    ptrdiff_t out;       /* bytes in out */
} ndg_level;

/* ---- >>gather ------------------------------------------------------------*/
/* Copies rows of a table in one call:   out[i] = table[indices[i]]
 * out        count packed rows; has out_bytes bytes, at least count * row_bytes
 * table      `rows` rows of row_bytes bytes, row_stride bytes apart (0: packed)
 * indices    count packed integers of type index_type; negatives are bad
 * policy     any but NDG_FILL, for which use ndg_gather
 *
 * Returns NDG_OK, NDG_E_INDEX by policy (>>bad), or why it refused the call. */
NDG_API int ndg_gather_rows(void *out, ptrdiff_t out_bytes,
        const void *table, ptrdiff_t rows, ptrdiff_t row_bytes,
        ptrdiff_t row_stride, const void *indices, int index_type,
        ptrdiff_t count, int policy, ndg_report *report);

/* Describes gather_nd, gather or batch_gather. Zero it and set what differs;
 * only the shapes and elem_size are required. (In C++20 assign the fields: g++
 * -Wextra warns about designated initialisers.) */
typedef struct ndg_gather_desc {
    ndg_shape     params;
    ndg_shape     indices;
    ptrdiff_t     elem_size;   /* bytes of one element, >= 1 */
    int           index_type;  /* NDG_I32 (0) ... NDG_U64: see NDG_TYPE_OF */
    int           batch_dims;  /* leading axes that params and indices share.
                                  gather: a negative one counts from the rank of
                                  indices. batch_gather: leave it 0 */
    int           axis;        /* gather only, else 0. A negative one counts
                                  from the rank of params; 0 is the first after
                                  the batch axes, TensorFlow's axis=None */
    int           policy;      /* NDG_DEFAULT (0) ... */
    int           negative;    /* NDG_NEGATIVE_BAD (0) or _FROM_END */
    int           overlap;     /* NDG_OVERLAP_CHECK (0) or _DISJOINT */
    unsigned      features;    /* reserved, 0 */
    unsigned char fill[16];    /* NDG_FILL: memcpy one element here */
    ndg_shape     out;         /* zero: C order. Else its shape and strides: all
                                  positive, nested in any order, sharing no byte
                                  (planar: [frames,8] by {4, 4 * frames}) */
    int64_t       index_mask;  /* an index v is judged and used as */
    int64_t       index_add;   /* (v & mask) + add; 0: off. Costs a pass */
} ndg_gather_desc;

/* How the CPU runs a gather; the plan chooses it. If you fill in a plan
 * yourself leave it zero, which works for any. */
typedef struct ndg_loop {
    ptrdiff_t     index_low, index_high;   /* bytes that all indices span */
    ptrdiff_t     row_bytes;   /* of an index row; 0 if these are not packed */
    ptrdiff_t     limit;       /* good words of the first component are below */
    ptrdiff_t     few;         /* up to so many rows are moved at once */
    unsigned char loop;        /* which loop runs; 0: the one for any rows */
    unsigned char apart;       /* from so many rows on, or 0: all are run once
                                  per copy step, unless many are filled */
    unsigned char kind, width; /* how a row is copied; bytes of an index */
    unsigned char flat;        /* few rows go to their loop in one piece */
} ndg_loop;

/* A checked gather. It is plain data without pointers: copy it, share it
 * between threads, pass it to a kernel. The first four fields are for you to
 * read.
 *     out[b, o, n, :] = params[b, o, index(b, n, 0 ... depth-1), :]
 * level[] holds the folded loops of the slice, of o, of n and of b, in this
 * order, each group from the innermost level outwards. */
typedef struct ndg_gather_plan {
    ptrdiff_t     out_bytes;   /* to allocate: out's last byte + 1 */
    ptrdiff_t     rows;        /* index rows (b times n): the unit of a range */
    ptrdiff_t     slice_bytes; /* bytes copied for each index row, in all */
    int           out_rank;
    int           op, index_type, policy, negative, overlap, depth;
    int           copy_levels; /* of the slice and of o */
    int           row_levels;  /* of n and of b, behind them */
    ptrdiff_t     run_bytes;   /* contiguous bytes at the bottom; 0: no copy */
    ptrdiff_t     index_step;  /* bytes between components of an index row */
    ptrdiff_t     elem_size, source_low, source_high;  /* span of params */
    ptrdiff_t     extent[NDG_MAX_DEPTH];    /* of each component */
    ptrdiff_t     stride[NDG_MAX_DEPTH];    /* bytes in params */
    ndg_level     level[NDG_MAX_LEVELS];
    unsigned char fill[16];
    ndg_loop      loop;
    int64_t       index_mask, index_add;
} ndg_gather_plan;

/* Checks a desc and makes its plan. The arrays themselves are not needed.
 * gather_nd     out = indices.shape[:-1] + params.shape[depth:], where depth
 *               is the last extent of indices; with batch_dims b:
 *               params.shape[:b] + indices.shape[b:-1] + params.shape[b+depth:]
 * gather        out = params.shape[:axis] + indices.shape[batch_dims:]
 *                   + params.shape[axis+1:]
 * batch_gather  gather with batch_dims and axis rank(indices) - 1 */
NDG_API int ndg_plan_gather_nd   (ndg_gather_plan *plan,
        const ndg_gather_desc *desc, ndg_report *report);
NDG_API int ndg_plan_gather      (ndg_gather_plan *plan,
        const ndg_gather_desc *desc, ndg_report *report);
NDG_API int ndg_plan_batch_gather(ndg_gather_plan *plan,
        const ndg_gather_desc *desc, ndg_report *report);

/* Writes the first min(rank, cap) extents of the output to dims. Returns its
 * rank, or -1 if the shapes do not fit together; planning tells why. */
NDG_API int ndg_gather_nd_out_dims   (const ndg_gather_desc *desc,
        ptrdiff_t *dims, int cap);
NDG_API int ndg_gather_out_dims      (const ndg_gather_desc *desc,
        ptrdiff_t *dims, int cap);
NDG_API int ndg_batch_gather_out_dims(const ndg_gather_desc *desc,
        ptrdiff_t *dims, int cap);

/* Runs a plan: all of it, or index rows first ... last-1.
 * out        the start of the whole output, even for a range. out_bytes must
 *            reach the last byte that these rows write
 * params     as described, at any address. The overlap check uses the described
 *            size: describe no more than there is, or set NDG_OVERLAP_DISJOINT
 * indices    as described, from row 0 on; only those of the range are read. So
 *            you can plan for the most rows there can be and run the first n,
 *            counted along the outermost axis of indices. See >>recipes
 *
 * Returns NDG_OK, NDG_E_INDEX by policy, NDG_E_CAPACITY, _OVERLAP, _RANGE or
 * _NULL. Indices are checked even if there is nothing to copy. */
NDG_API int ndg_gather_run(const ndg_gather_plan *plan, void *out,
        ptrdiff_t out_bytes, const void *params, const void *indices,
        ndg_report *report);
NDG_API int ndg_gather_run_range(const ndg_gather_plan *plan, void *out,
        ptrdiff_t out_bytes, const void *params, const void *indices,
        ptrdiff_t first, ptrdiff_t last, ndg_report *report);

/* Returns the bytes that out must have for index rows first ... last-1: the
 * last byte that they write, plus 1; or -1 if there are no such rows. */
NDG_API ptrdiff_t ndg_gather_out_bytes(const ndg_gather_plan *plan,
        ptrdiff_t first, ptrdiff_t last);

/* Returns and reports what a run would refuse before it reads an index or
 * writes; NDG_OK means that the run would start. Compares addresses but follows
 * none, so they may be a device's. */
NDG_API int ndg_gather_fits(const ndg_gather_plan *plan, const void *out,
        ptrdiff_t out_bytes, const void *params, const void *indices,
        ptrdiff_t first, ptrdiff_t last, ndg_report *report);

/* Checks all indices of rows first ... last-1 and copies nothing. report->bad
 * is exact under every policy: the first bad row, and how many there are.
 * Returns what a run would; under NDG_ASSUME_VALID what NDG_ERROR would. */
NDG_API int ndg_gather_check(const ndg_gather_plan *plan, const void *indices,
        ptrdiff_t first, ptrdiff_t last, ndg_report *report);

/* Plans and runs in one call. Few rows of C-order arrays are copied without a
 * plan, which would take longer than they. */
NDG_API int ndg_gather_nd   (void *out, ptrdiff_t out_bytes, const void *params,
        const void *indices, const ndg_gather_desc *desc, ndg_report *report);
NDG_API int ndg_gather      (void *out, ptrdiff_t out_bytes, const void *params,
        const void *indices, const ndg_gather_desc *desc, ndg_report *report);
NDG_API int ndg_batch_gather(void *out, ptrdiff_t out_bytes, const void *params,
        const void *indices, const ndg_gather_desc *desc, ndg_report *report);

/* ---- >>scatter -----------------------------------------------------------*/
/* Copies rows into a table in one call:   out[indices[i]] = data[i]
 * out        the table, of out_bytes bytes: `rows` rows of row_bytes bytes,
 *            row_stride bytes apart (0: packed; else at least row_bytes). Rows
 *            that no index names stay as they are
 * data       count packed rows. If several go to one place, the last one stays
 * indices    count packed integers of type index_type; negatives are bad
 * policy     NDG_DEFAULT, _ERROR, _DROP or _ASSUME_VALID
 *
 * Returns NDG_OK, NDG_E_INDEX by policy, or why it refused the call. */
NDG_API int ndg_scatter_rows(void *out, ptrdiff_t out_bytes, ptrdiff_t rows,
        ptrdiff_t row_bytes, ptrdiff_t row_stride, const void *data,
        const void *indices, int index_type, ptrdiff_t count, int policy,
        ndg_report *report);

/* Describes scatter_nd, which is gather_nd read backwards. Zero it and set what
 * differs; only out, indices and elem_size are required:
 *     out[b, index(b, n, 0 ... depth-1), :] = data[b, n, :]
 * If all indices are valid and none occurs twice, NDG_GAPS_KEEP gives
 * TensorFlow's tensor_scatter_nd_update and ONNX's ScatterND without reduction,
 * and NDG_GAPS_ZERO gives tf.scatter_nd. When several rows go to one place the
 * last one stays; nothing is added up. */
typedef struct ndg_scatter_desc {
    ndg_shape out;         /* [b, extents of the components, slice]; its strides
                              follow the rules of a gather's out */
    ndg_shape indices;     /* [b, n, depth]; depth is the last extent */
    ndg_shape data;        /* zero: C order. Else [b, n, slice] and its strides,
                              also negative, or 0 to repeat */
    ptrdiff_t elem_size;   /* bytes of one element, >= 1 */
    int       index_type;  /* NDG_I32 (0) ... NDG_U64 */
    int       batch_dims;  /* leading axes that out and indices share */
    int       policy;      /* NDG_DEFAULT, _ERROR, _DROP or _ASSUME_VALID */
    int       negative;    /* NDG_NEGATIVE_BAD (0) or _FROM_END */
    int       gaps;        /* NDG_GAPS_ZERO (0) or _KEEP; _ERROR is refused */
    int       overlap;     /* NDG_OVERLAP_CHECK (0) or _DISJOINT */
    unsigned  features;    /* reserved, 0 */
    int64_t   index_mask, index_add;      /* as for a gather */
} ndg_scatter_desc;

/* A checked scatter. It is plain data without pointers. */
typedef struct ndg_scatter_plan {
    ptrdiff_t       out_bytes;   /* out's last byte + 1 */
    ptrdiff_t       slots;       /* slices of out that an index row could name:
                                    the unit of a range */
    int             op, gaps, slot_levels;
    ndg_level       slot[NDG_MAX_LEVELS];   /* loops over them, innermost
                                    (smallest stride in out) first */
    ndg_gather_plan by;          /* loops over index rows; source is data */
} ndg_scatter_plan;

/* Checks a desc and makes its plan. */
NDG_API int ndg_plan_scatter_nd(ndg_scatter_plan *plan,
        const ndg_scatter_desc *desc, ndg_report *report);

/* Runs a plan: writes all of out, or slots first ... last-1. Slots are numbered
 * as they lie in memory; in a packed out slot s begins at byte
 * s * by.slice_bytes.
 * out        the start of the whole output, which has out_bytes bytes
 * data, indices   as described. Every range reads all indices, and of data only
 *            the rows that go to its own slots
 *
 * Ranges on threads give the same bytes as one run. A bad row belongs to no
 * slot: the range that holds slot 0 reports it (if there are no slots, each
 * does). Returns NDG_OK, NDG_E_INDEX by policy, NDG_E_CAPACITY, _OVERLAP,
 * _RANGE or _NULL. */
NDG_API int ndg_scatter_run(const ndg_scatter_plan *plan, void *out,
        ptrdiff_t out_bytes, const void *data, const void *indices,
        ndg_report *report);
NDG_API int ndg_scatter_run_range(const ndg_scatter_plan *plan, void *out,
        ptrdiff_t out_bytes, const void *data, const void *indices,
        ptrdiff_t first, ptrdiff_t last, ndg_report *report);

/* Do for a scatter what ndg_gather_fits and ndg_gather_check do for a gather.
 * fits takes a range of slots, check one of index rows, of which there are
 * plan->by.rows. */
NDG_API int ndg_scatter_fits(const ndg_scatter_plan *plan, const void *out,
        ptrdiff_t out_bytes, const void *data, const void *indices,
        ptrdiff_t first, ptrdiff_t last, ndg_report *report);
NDG_API int ndg_scatter_check(const ndg_scatter_plan *plan, const void *indices,
        ptrdiff_t first, ptrdiff_t last, ndg_report *report);

/* Plans and runs in one call. Few rows need no plan, as in a gather, if arrays
 * are in C order and gaps is NDG_GAPS_KEEP. */
NDG_API int ndg_scatter_nd(void *out, ptrdiff_t out_bytes, const void *data,
        const void *indices, const ndg_scatter_desc *desc, ndg_report *report);

/* ---- >>stitch ------------------------------------------------------------*/
/* Describes a stitch. The number of output rows, the largest index + 1, depends
 * on the data, so the run takes it. There is no index_mask, because it would
 * slow down all stitches: mask the indices first, or use scatter_nd. */
typedef struct ndg_stitch_desc {
    ndg_shape slice;       /* one row, such as [16], with the strides inside a
                              row of data; zero: rows are single elements */
    ndg_shape out_slice;   /* zero: C order. Else the same extents, with the
                              strides inside a row of out */
    ptrdiff_t out_stride;  /* bytes between rows of out; 0: packed. Rows must
                              not interleave */
    ptrdiff_t elem_size;   /* bytes of one element, >= 1 */
    int       index_type;  /* NDG_I32 (0) ... NDG_U64 */
    int       policy;      /* NDG_DEFAULT, _ERROR, _DROP or _ASSUME_VALID */
    int       gaps;        /* NDG_GAPS_ZERO (0), _ERROR or _KEEP */
    int       overlap;     /* NDG_OVERLAP_CHECK (0) or _DISJOINT */
    unsigned  features;    /* reserved, 0 */
} ndg_stitch_desc;

/* How one row of a stitch or partition is laid out in data and in out. */
typedef struct ndg_row_layout {
    ptrdiff_t bytes;         /* copied for each row, in all */
    ptrdiff_t out_stride;    /* bytes between rows of out */
    ptrdiff_t out_span;      /* bytes from a row's first to its last + 1 */
    ptrdiff_t run_bytes;     /* contiguous bytes at the bottom; 0: no copy */
    ptrdiff_t source_low, source_high;    /* byte span of a row of data */
    int       levels;
    ndg_level level[NDG_MAX_LEVELS];      /* innermost first */
} ndg_row_layout;

/* A checked stitch. It is plain data without pointers. */
typedef struct ndg_stitch_plan {
    int            out_rank;     /* 1 + rank of slice */
    int            op, index_type, policy, gaps, overlap;
    ndg_row_layout row;
} ndg_stitch_plan;

/* Rows to stitch: row j of data goes to output row indices[j]. */
typedef struct ndg_list {
    const void *indices, *data;
    ptrdiff_t   count;
    ptrdiff_t   index_stride;   /* bytes between indices; 0: packed */
    ptrdiff_t   data_stride;    /* bytes between rows of data; 0: packed (if the
                                   slice has gaps that is NDG_E_STRIDE) */
} ndg_list;

/* A pair of tensors: data.shape = indices.shape + slice. */
typedef struct ndg_stitch_input {
    const void *indices, *data;
    ndg_shape   indices_shape;  /* any rank; a scalar is one index */
    ndg_shape   data_shape;
} ndg_stitch_input;

/* Checks a desc and makes its plan. */
NDG_API int ndg_plan_stitch(ndg_stitch_plan *plan, const ndg_stitch_desc *desc,
                            ndg_report *report);

/* Makes the list of a pair of tensors. Checks that data.shape = indices.shape +
 * desc->slice (or NDG_E_SHAPE), that the strides inside a slice are desc's, and
 * that rows and indices each fold to one stride that is not 0 (or
 * NDG_E_STRIDE). The report's item is 0: set it to your list's number for
 * ndg_report_text. */
NDG_API int ndg_list_from(ndg_list *list, const ndg_stitch_input *input,
                          const ndg_stitch_desc *desc, ndg_report *report);

/* Sets *total to the number of output rows: the largest index of n lists, + 1,
 * or 0 after an error. Checks every index under every policy. One below 0 or
 * above INT64_MAX is bad: NDG_DROP ignores it, and any other policy returns
 * NDG_E_INDEX. report->bad is exact, with extent PTRDIFF_MAX. Also returns
 * NDG_E_OVERFLOW for too many rows, or what is wrong with a list. */
NDG_API int ndg_stitch_total(const ndg_stitch_plan *plan, const ndg_list *lists,
                             ptrdiff_t n, ptrdiff_t *total, ndg_report *report);

/* Returns the bytes that `rows` rows of output span; -1 if over PTRDIFF_MAX. */
NDG_API ptrdiff_t ndg_stitch_out_bytes(const ndg_stitch_plan *plan,
                                       ptrdiff_t rows);

/* Returns the bytes of scratch for a run over `rows` output rows: one bit for
 * each, at any alignment. NDG_GAPS_ERROR needs scratch. Otherwise it is
 * optional, and makes the report count holes and duplicates. */
NDG_API ptrdiff_t ndg_stitch_scratch_bytes(const ndg_stitch_plan *plan,
                                           ptrdiff_t rows);

/* Runs a plan: writes all `total` rows, or rows first ... last-1.
 * out        as for ndg_gather_run
 * total      the rows of the output: ndg_stitch_total or more. An index that is
 *            not below it is bad, with extent total. With NDG_GAPS_KEEP and no
 *            scratch a run touches only named rows, however large total is
 * lists      n of them; 0: every row is a gap. The later of two entries wins
 * scratch    NULL and 0, or ndg_stitch_scratch_bytes for the rows of the run
 *
 * Every range reads all indices and writes only its own rows. A bad entry
 * belongs to no row: the range that holds row 0 reports it (if total is 0, each
 * does). If indices change during a run, a gap may stay uncleared. Threads can
 * also share out the lists instead of the rows: each runs its own lists for all
 * rows with NDG_GAPS_KEEP, so that no index is read twice. This needs rows that
 * are named once at most, as by the positions of a partition. Returns NDG_OK,
 * NDG_E_INDEX by policy, NDG_E_GAP, _CAPACITY, _SCRATCH, _OVERLAP, _RANGE,
 * _NULL, _OVERFLOW, _COUNT, or what is wrong with a list. */
NDG_API int ndg_stitch_run(const ndg_stitch_plan *plan, void *out,
        ptrdiff_t out_bytes, ptrdiff_t total, const ndg_list *lists,
        ptrdiff_t n, void *scratch, ptrdiff_t scratch_bytes,
        ndg_report *report);
NDG_API int ndg_stitch_run_range(const ndg_stitch_plan *plan, void *out,
        ptrdiff_t out_bytes, ptrdiff_t total, const ndg_list *lists,
        ptrdiff_t n, ptrdiff_t first, ptrdiff_t last, void *scratch,
        ptrdiff_t scratch_bytes, ndg_report *report);

/* Stitches n pairs of tensors in one call. Sets *total to the number of output
 * rows as soon as it is known. To learn that first, pass out NULL and out_bytes
 * 0: the call returns NDG_E_CAPACITY, or NDG_OK if out needs no byte.
 * Each pair may have its own strides if its rows fold to one; a stride of 0
 * repeats a row. desc->slice is not read. NDG_GAPS_ERROR needs scratch, so use
 * a plan. Checks, in this order, n >= 1, the shapes of each pair and then its
 * indices, that each data.shape starts with its indices.shape, that the slices
 * agree, all sizes, and the room in out. The second function is the same under
 * TensorFlow's other name; for threads use ndg_stitch_run_range. */
NDG_API int ndg_dynamic_stitch         (void *out, ptrdiff_t out_bytes,
        ptrdiff_t *total, const ndg_stitch_input *inputs, ptrdiff_t n,
        const ndg_stitch_desc *desc, ndg_report *report);
NDG_API int ndg_parallel_dynamic_stitch(void *out, ptrdiff_t out_bytes,
        ptrdiff_t *total, const ndg_stitch_input *inputs, ptrdiff_t n,
        const ndg_stitch_desc *desc, ndg_report *report);

/* ---- >>partition ---------------------------------------------------------*/
/* This splits rows by key, works on each part, and weaves them back in order.
 * p and s are the plans of the partition and of a stitch with slice [16]:
 *     d.data = ndg_dims2(n, 16);     d.partitions = ndg_dims1(n);
 *     d.elem_size = sizeof(float);   d.num_partitions = parts;
 *     ndg_plan_partition(&p, &d, &r);
 *     if (ndg_partition_count(&p, ids, 0, n, counts, &r)) return; // a bad id
 *     for (at = k = 0; k < parts; at += counts[k++]) {   // one flat buffer:
 *         outs[k]      = flat + 16 * at;                 // float *
 *         positions[k] = where + at;                     // int32_t *
 *     }
 *     ndg_partition_run(&p, outs, positions, x, ids, n, counts, cursors, &r);
 *     ... work on outs[k]; lists[k] = { positions[k], outs[k], counts[k] } ...
 *     ndg_stitch_run(&s, y, y_bytes, n, lists, parts, NULL, 0, &r); */

/* Describes a partition. How many rows each part gets depends on the data:
 * count them first. There is no index_mask here either. */
typedef struct ndg_partition_desc {
    ndg_shape data;            /* partitions + slice; rows fold to one stride */
    ndg_shape partitions;      /* any rank; if a scalar, all of data is one row.
                                  For a field of structs see ndg_strided1 */
    ndg_shape out_slice;       /* as for a stitch, in each output */
    ptrdiff_t out_stride;      /* bytes between rows of outputs; 0: packed */
    ptrdiff_t elem_size;       /* bytes of one element, >= 1 */
    ptrdiff_t num_partitions;  /* >= 1 */
    int       index_type;      /* of partitions: NDG_I32 (0) ... NDG_U64 */
    int       position_type;   /* of positions, by the same names */
    int       policy;          /* NDG_DEFAULT, _ERROR, _DROP, _ASSUME_VALID */
    int       overlap;         /* NDG_OVERLAP_CHECK (0) or _DISJOINT */
    unsigned  features;        /* reserved, 0 */
} ndg_partition_desc;

/* A checked partition. It is plain data without pointers. */
typedef struct ndg_partition_plan {
    ptrdiff_t      rows;         /* rows of data = ids in partitions */
    ptrdiff_t      num_partitions;
    ptrdiff_t      data_stride;  /* bytes between rows of data ... */
    ptrdiff_t      index_stride; /* ... and between ids */
    int            out_rank;     /* 1 + rank of the slice */
    int            op, index_type, position_type, policy, overlap;
    ndg_row_layout row;
} ndg_partition_plan;

/* Checks a desc and makes its plan. */
NDG_API int ndg_plan_partition(ndg_partition_plan *plan,
        const ndg_partition_desc *desc, ndg_report *report);

/* Sets counts[num_partitions] to how many of rows first ... last-1 each part
 * gets. Checks every id under every policy, and report->bad is exact. Returns
 * NDG_E_INDEX for a bad id unless the policy is NDG_DROP. */
NDG_API int ndg_partition_count(const ndg_partition_plan *plan,
        const void *partitions, ptrdiff_t first, ptrdiff_t last,
        ptrdiff_t *counts, ndg_report *report);

/* Returns the bytes that `rows` rows of one output span; -1 if that is over
 * PTRDIFF_MAX. */
NDG_API ptrdiff_t ndg_partition_out_bytes(const ndg_partition_plan *plan,
                                          ptrdiff_t rows);

/* Runs a plan: copies every row to its part, in order.
 * outs        num_partitions arrays of counts[k] rows each, or parts of one
 * positions   NULL, or num_partitions arrays of counts[k] integers of
 *             position_type (NDG_E_OVERFLOW if that is too narrow). They get
 *             the rows' positions in the input: the indices of the stitch that
 *             undoes the partition. To get only these set d.data =
 *             ndg_dims2(n, 0) and elem_size = 1, and pass NULL as data and outs
 * data, partitions   as described. Rows 0 ... rows-1 are read, which may be
 *             fewer than the plan has
 * counts      those of ndg_partition_count, or how many rows each output holds:
 *             a row beyond counts[k] ends the run with NDG_E_CAPACITY
 * cursors     num_partitions words, set to the rows written to each part
 *
 * Returns NDG_OK, NDG_E_INDEX by policy, NDG_E_CAPACITY, _OVERLAP, _RANGE,
 * _NULL, _OVERFLOW or _COUNT. For top-k routing see examples/README.md. */
NDG_API int ndg_partition_run(const ndg_partition_plan *plan,
        void *const *outs, void *const *positions,
        const void *data, const void *partitions, ptrdiff_t rows,
        const ptrdiff_t *counts, ptrdiff_t *cursors, ndg_report *report);

/* Does the same for a range of input rows, for threads:
 *     each worker w:   ndg_partition_count(plan, ..., first_w, last_w,
 *                                          counts + w * parts, ...)
 *     barrier, once:   ndg_partition_starts(counts, cursors, workers, parts)
 *     each worker w:   ndg_partition_run_range(plan, ..., first_w, last_w,
 *                                 cursors + w * parts, counts + w * parts, ...)
 * ndg_partition_starts sets cursors to each worker's first row in every part,
 * and turns counts[workers][parts] into limits, the row after its last one. The
 * limits of the last worker are the sizes of the parts. A range writes row
 * cursors[k] of part k and advances the cursor, but never beyond limits[k]: it
 * returns NDG_E_CAPACITY if ids that have changed since would take it there. */
NDG_API void ndg_partition_starts(ptrdiff_t *counts, ptrdiff_t *cursors,
                                  ptrdiff_t workers, ptrdiff_t parts);
NDG_API int ndg_partition_run_range(const ndg_partition_plan *plan,
        void *const *outs, void *const *positions, const void *data,
        const void *partitions, ptrdiff_t first, ptrdiff_t last,
        ptrdiff_t *cursors, const ptrdiff_t *limits, ndg_report *report);

/* Plans, counts, checks and runs in one call. capacity[k] is how many rows
 * outs[k] and positions[k] hold. Sets counts[num_partitions] to how many each
 * part gets. If a part does not fit, the call writes no row and returns
 * NDG_E_CAPACITY. To get the counts alone, pass capacities of 0 and NULL for
 * outs and positions (NDG_OK instead if no part gets a row). */
NDG_API int ndg_dynamic_partition(void *const *outs, void *const *positions,
        const ptrdiff_t *capacity, ptrdiff_t *counts,
        const void *data, const void *partitions,
        const ndg_partition_desc *desc, ndg_report *report);

/* ---- >>index -------------------------------------------------------------*/
/* The index math, which the library's loops use and your own CUDA kernels can.
 * An index is an int64_t. A uint64_t above INT64_MAX keeps its bits, and is_u64
 * tells so. Extents are >= 0. */

/* True if 0 <= v < extent, for a signed or an unsigned v. Proof: extent < 2^63.
 * A negative v and a uint64_t above INT64_MAX become unsigned numbers of 2^63
 * or more; any other v stays as it is. */
#define NDG_INDEX_GOOD(v, extent) ((uint64_t)(v) < (uint64_t)(extent))

/* Returns v, or if it is negative v counted from the end: -1 is extent - 1.
 * Proof of no overflow: v < 0 <= extent, so v <= v + extent < extent. */
NDG_HD NDG_INLINE int64_t ndg_index_from_end(int64_t v, int is_u64,
                                             ptrdiff_t extent) {
    return v < 0 && !is_u64 ? v + (int64_t)extent : v;
}

/* Returns the nearest of 0 ... extent-1. Needs extent >= 1. */
NDG_HD NDG_INLINE ptrdiff_t ndg_index_clip(int64_t v, int is_u64,
                                           ptrdiff_t extent) {
    if (NDG_INDEX_GOOD(v, extent)) return (ptrdiff_t)v;
    return v < 0 && !is_u64 ? 0 : extent - 1;
}

/* Returns v modulo extent, so -1 is extent - 1. Needs extent >= 1.
 * Proof for v < 0: w = ~v = -1 - v >= 0, and w = q * extent + m makes v =
 * (-1 - q) * extent + extent - 1 - m. */
NDG_HD NDG_INLINE ptrdiff_t ndg_index_wrap(int64_t v, int is_u64,
                                           ptrdiff_t extent) {
    const int       below = v < 0 && !is_u64;
    const ptrdiff_t m = (ptrdiff_t)((uint64_t)(below ? ~v : v)
                                    % (uint64_t)extent);
    return below ? extent - 1 - m : m;
}

/* Returns (v & mask) + add, where 0 is off, exactly: a sum above INT64_MAX is a
 * uint64_t. What fits neither type becomes the nearest number that does. */
NDG_HD NDG_INLINE int64_t ndg_index_changed(int64_t v, int *is_u64,
                                            int64_t mask, int64_t add) {
    if (mask) v &= mask;
    if (v >= 0) *is_u64 = 0;
    if (*is_u64) {
        const uint64_t sum = (uint64_t)v + (uint64_t)add;
        if (add > 0 && sum < (uint64_t)add) return -1;
        *is_u64 = sum >> 63 != 0;
        return (int64_t)sum;
    }
    if (add < 0 && v < INT64_MIN - add) return INT64_MIN;
    *is_u64 = add > 0 && v > INT64_MAX - add;
    return (int64_t)((uint64_t)v + (uint64_t)add);
}

/* Returns where a policy sends an index that is bad for extent: under CLIP and
 * WRAP a valid index if there is one; else -1, nowhere. */
NDG_HD NDG_INLINE ptrdiff_t ndg_index_place(int64_t v, int is_u64,
                                            ptrdiff_t extent, int policy) {
    if (extent < 1) return -1;
    if (policy == NDG_CLIP) return ndg_index_clip(v, is_u64, extent);
    if (policy == NDG_WRAP) return ndg_index_wrap(v, is_u64, extent);
    return -1;
}

/* ---- >>guarantees --------------------------------------------------------
 * Threads      Functions keep no state: call them from any thread. Ranges share
 *              only what they read. A run only reads its plan; overwrite that
 *              once no run of it is under way, or use a copy.
 * Same answer  However you split the ranges, and on every device (but for
 *              NDG_DEFAULT). After an error, the count of bad rows, which good
 *              rows were written, and which of several refusals is reported may
 *              differ between splits, engines and devices.
 * Bounds       Nothing outside the described arrays is touched, whatever the
 *              indices hold or turn into meanwhile: the value checked is the
 *              value used (except under ASSUME_VALID). Every function that
 *              writes to an out is told how much fits.
 * Refusals     Any status but NDG_OK and NDG_E_INDEX is returned before out is
 *              written (except NDG_E_CAPACITY of a partition whose counts are
 *              too small). A refused plan is zeroed; running it returns
 *              NDG_E_NULL.
 * Aliasing     An out that overlaps an input is refused with NDG_E_OVERLAP; a
 *              range checks its own rows. desc.overlap = NDG_OVERLAP_DISJOINT
 *              turns this off: you promise that they share no element. Overlap
 *              is not checked for positions, scratch, counts and cursors, nor
 *              between the outs of a partition.
 * Alignment    Elements, indices and rows may have any.
 * NULL         A pointer may be NULL iff nothing can be read or written there.
 * Calls        memcpy; compilers may add memset, and on 32-bit CPUs helpers of
 *              their own (64-bit division, shifts). Without a C library
 *              (-ffreestanding) provide memcpy and memset, and link -lgcc.
 * Limits       Contiguous arrays may have any rank; strides fold to at most 16
 *              levels; index vectors have at most 16 integers. Elements times
 *              elem_size is at most PTRDIFF_MAX, also where a stride of 0
 *              repeats them.
 *              Extents of 0 are allowed everywhere (stitch and partition: if a
 *              row still fits). Half a byte is no element: index a table of 256
 *              pairs by bytes. Rows behind pointers are out of reach, because
 *              their ends cannot be checked: keep them in one arena.
 * Stack        Under 11 KiB; on a Cortex-M0+ with -Os 1.7 KiB, 0.3 KiB in
 *              ndg_gather_rows. Fast code at -O0: 2100 KiB. No recursion.
 * Stability    Within a major version, source keeps compiling, and valid input
 *              gives the same bytes. Structs may grow in a minor version.
 */

/* ---- >>recipes -----------------------------------------------------------
 * Here are two; `report` is an ndg_report and `line` a char[200]. Eighteen more
 * are in examples/README.md: tiles and fonts, windows that overlap, loop
 * points, channels, masks, histograms, top-k routing, real-time threads ...
 *
 * Index vectors inside structs. struct { float heat; uint16_t y, x; } things[n]
 * name cells of uint16_t map[HIGH][WIDE]. The strides say where y and x lie, so
 * nothing is packed first. If x came before y, pass &things[0].y and -2:
 *
 *     d.params     = ndg_dims2(HIGH, WIDE);
 *     d.indices    = ndg_strided2(n, sizeof things[0], 2, 2);
 *     d.index_type = NDG_U16;    d.elem_size = 2;
 *     ndg_gather_nd(out, sizeof out, map, &things[0].y, &d, &report);
 *
 * A count that changes each frame. Plan for the most there can be, and run the
 * first n rows (if the table may be shorter than described, set
 * NDG_OVERLAP_DISJOINT). Each call overwrites its report: keep one for each
 * operation, and the shape beside it, to say later what was wrong:
 *
 *     d.indices = ids_shape = ndg_dims1(MOST);          // once
 *     ndg_plan_gather(&plan, &d, &said[0]);
 *     ndg_gather_run_range(&plan, out, sizeof out, table, ids, 0, n, &said[1]);
 *     for (k = 0; k < 2; k++)                           // each frame
 *         if (said[k].status || said[k].bad.count)
 *             ndg_report_text(line, sizeof line, &said[k], &ids_shape);
 */

#ifdef __cplusplus
}
#endif

#endif /* NDGATHER_H: the declarations end here */

#if defined(NDGATHER_IMPLEMENTATION) && !defined(NDGATHER_IMPLEMENTED)
#define NDGATHER_IMPLEMENTED

/* ---- >>impl --------------------------------------------------------------*/
/* The way of a row, and where to find each step:
 *
 *   desc   is checked and folded into levels: a plan    >>gather-plan >>layout
 *          the plan names the loop that suits it        >>choose
 *          (a call of few plain rows is done at once)          >>gather-run
 *   run    refuses what it must     >>gather-run >>scatter-run >>stitch-run ...
 *          few rows go to their loop at once, indices of other types and from
 *          the end as 32-bit numbers; what is left goes one by one >>numbers
 *          more rows go to a job, which takes block after block:    >>jobs
 *          - indices that count up: one copy
 *          - indices that the fused loop reads: index, address, copy   >>loops
 *          - bad rows by one index or by packed pairs, if they are
 *            filled, skipped or dropped: without a branch            >>loops
 *          - rows by one index of which a range wants some: a ring   >>loops
 *          - other indices and bad rows, not deep, in one piece or few:
 *            read and judged as places, which the fused loop reads   >>jobs
 *          - rows in many pieces, and deep ones that the fused loop does
 *            not prefetch: chunks, in which all rows are found, and
 *            then moved                                             >>chunks
 *          ndgi_judge decides what becomes of one row under any policy. It is
 *          the small engine, and every loop must agree with it      >>judge
 *
 * To add an index type: ndg_index_type, ndgi_widths, ndgi_word, ndgi_store. A
 * made-up one of 24 bits took these 4 places. To add a policy that sends bad
 * indices somewhere: ndg_policy, ndg_index_place, NDGI_POLICIES. A made-up one
 * that sends them to the last row took these 3. To add a way to copy a row
 * begin at NDGI_BY_KIND.
 */
#ifdef NDG_MEMCPY                /* yours */
#elif defined(__STDC_HOSTED__) && !__STDC_HOSTED__ && defined(__GNUC__)
#define NDG_MEMCPY(d, s, n) __builtin_memcpy((d), (s), (n))
#else
#include <string.h>
#define NDG_MEMCPY(d, s, n) memcpy((d), (s), (n))
#endif
#ifndef NDG_ASSERT
#define NDG_ASSERT(x) ((void)0)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Every operation has a step for one row under any policy, and the small engine
 * is a loop around it. The fast engine adds loops for many rows (>>loops); the
 * plan names the one that suits it (>>choose). */
#if defined(NDG_SMALL)
#define NDGI_FAST (!(NDG_SMALL + 0))
#elif defined(__OPTIMIZE_SIZE__) \
    || (defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M') \
    || (!defined(__OPTIMIZE__) && (defined(__GNUC__) || defined(__clang__)))
#define NDGI_FAST 0
#else
#define NDGI_FAST 1
#endif

/* gcc compiles the small engine for size at any optimization level. */
#if !NDGI_FAST && defined(__OPTIMIZE__) && !defined(__OPTIMIZE_SIZE__) \
    && defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#define NDGI_SHRINK 1
#pragma GCC push_options
#pragma GCC optimize ("Os")
#else
#define NDGI_SHRINK 0
#endif

/* NDGI_AHEAD: how many rows are prefetched before the first is copied.
 * NDGI_BLOCK: the most rows that count as few, or make a batch; and how many
 * ids after a bad one are counted with care before the fast loop goes on. */
enum { NDGI_AHEAD = 64, NDGI_BLOCK = 4 * NDGI_AHEAD };

/* NDGI_FEW: fewer rows, or steps of a level, do not repay any preparation.
 * NDGI_SELDOM: a bad row is handled by itself as long as there are so many good
 * ones for each; otherwise the rest of the block goes without branches, by
 * ndgi_run_rest, by places or by chunks. */
enum { NDGI_FEW = 8, NDGI_SELDOM = 48 };

/* NDGI_CHUNK: how many rows are found before they are moved. NDGI_PAIRED: the
 * same, where each row is a pair of addresses. */
enum { NDGI_CHUNK = 256, NDGI_PAIRED = 64 };

/* How many bytes of rows of more than two lines are prefetched at a time, but
 * never fewer than eight rows. More would exceed the processor's buffers. */
enum { NDGI_ASKED = 4096 };

/* How far ahead long rows that are read in order are prefetched. Processors do
 * that too, but only within a page. */
enum { NDGI_SOON = 16384 };

/* A larger table is assumed to miss the caches near a core, and one that is
 * eight times as large all of them: it is deep. */
#ifndef NDGI_FAR_BYTES
#define NDGI_FAR_BYTES ((ptrdiff_t)1 << 20)
#endif

/* Of a larger table most rows are found before they are copied. */
#ifndef NDGI_HUGE_BYTES
#define NDGI_HUGE_BYTES ((ptrdiff_t)1 << 26)
#endif

/* A larger output is written past the caches, and rows scattered to it are
 * assumed to miss them. ndgi_ring, for ranges, assumes so sooner. */
#ifndef NDGI_STREAM_BYTES
#define NDGI_STREAM_BYTES ((ptrdiff_t)1 << 24)
#endif

/* NDGI_OPAQUE: a function that is never inlined. If gcc saw through these it
 * would warn of what cannot happen. */
#if defined(__GNUC__) || defined(__clang__)
#define NDGI_OPAQUE static __attribute__((noinline))
#else
#define NDGI_OPAQUE static
#endif

/* Sanitizers that say so. With gcc, -fsanitize=undefined does not. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define NDGI_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)       \
    || __has_feature(thread_sanitizer)                                        \
    || __has_feature(undefined_behavior_sanitizer)
#define NDGI_SANITIZED
#endif
#endif

/* NDGI_INLINE: always inlined: constant arguments make special cases of it. A
 * sanitizer would take minutes to compile all of them, and gets none. */
#ifdef NDGI_INLINE
#elif defined(NDGI_SANITIZED)
#define NDGI_INLINE static inline
#elif defined(__GNUC__) || defined(__clang__)
#define NDGI_INLINE static inline __attribute__((always_inline))
#elif defined(_MSC_VER)
#define NDGI_INLINE static __forceinline
#else
#define NDGI_INLINE static inline
#endif

/* NDGI_HOT: holds loops; in what gcc takes to be rare it copies by `rep movs`.
 * NDGI_CALLED: too long to be copied to each place that calls it at -Os.
 * NDGI_CHECK: the same, but short where speed counts.
 * NDGI_PREFETCH: asks for the line at an address, which may be any.
 * NDGI_RARE: keeps what seldom happens out of a loop's way. */
#if (defined(__GNUC__) || defined(__clang__)) && NDGI_FAST
#define NDGI_HOT    static __attribute__((noinline, hot))
#define NDGI_CALLED static
#define NDGI_CHECK  NDGI_INLINE
#define NDGI_PREFETCH(p) __builtin_prefetch((const void *)(p), 0, 2)
#define NDGI_RARE(x) __builtin_expect(!!(x), 0)
#else
#define NDGI_HOT    NDGI_OPAQUE
#define NDGI_CALLED NDGI_OPAQUE
#define NDGI_CHECK  NDGI_OPAQUE
#define NDGI_PREFETCH(p) ((void)(p))
#define NDGI_RARE(x) (x)
#endif

/* NDGI_STORE_PAST stores 16 bytes past the caches, at a multiple of 16. */
#if defined(__SSE2__) && NDGI_FAST \
    && (defined(__GNUC__) || defined(__clang__))
#define NDGI_STREAMS 1
typedef long long ndgi_sse __attribute__((vector_size(16), may_alias));
#ifdef __clang__
#define NDGI_STORE_PAST(p, v) __builtin_nontemporal_store((v), (p))
#else
#define NDGI_STORE_PAST(p, v) __builtin_ia32_movntdq((p), (v))
#endif
#else
#define NDGI_STREAMS 0
#endif

/* NDGI_SIMD: whether the compiler has vector types and the processor vectors,
 * and words begin with their low half. NDGI_TIMES multiplies the low 32 bits of
 * numbers to 64-bit products. */
#if NDGI_FAST && !defined(NDGI_SIMD) \
    && (defined(__clang__) || (defined(__GNUC__) && __GNUC__ > 8)) \
    && (defined(__SSE2__) || defined(__ARM_NEON)) \
    && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define NDGI_SIMD 1
#elif !defined(NDGI_SIMD)
#define NDGI_SIMD 0
#endif
#if defined(__SSE2__) && defined(__GNUC__) && !defined(__clang__)
#define NDGI_TIMES(a, b)                                                      \
    ((ndgi_wide)__builtin_ia32_pmuludq128((ndgi_lanes)(a), (ndgi_lanes)(b)))
#else
#define NDGI_TIMES(a, b) (((a) & UINT32_MAX) * ((b) & UINT32_MAX))
#endif

/* Plans are passed to kernels by value, so they must stay small. */
typedef char ndgi_plans_fit[
    sizeof(ndg_gather_plan) <= 128 * sizeof(ptrdiff_t)
    && sizeof(ndg_scatter_plan) <= 224 * sizeof(ptrdiff_t)
    && sizeof(ndg_stitch_plan) <= sizeof(ndg_gather_plan)
    && sizeof(ndg_partition_plan) <= sizeof(ndg_gather_plan) ? 1 : -1];

typedef unsigned char ndgi_byte;

/* ---- >>checked: arithmetic on sizes that cannot wrap ---------------------*/
/* True if a >= 0 and a * a + a fits, which is so if it uses less than half the
 * bits of a word, less one. To test several at once, pass a | b. */
static int ndgi_is_half(ptrdiff_t a) {
    return (size_t)a < (size_t)1 << (4 * sizeof a - 1);
}

/* Sets *out = a * b; returns 0 if the product exceeds PTRDIFF_MAX. Needs a, b
 * >= 0. Proof: a * b <= MAX iff a <= MAX / b, rounded down. */
NDGI_CALLED int ndgi_mul(ptrdiff_t a, ptrdiff_t b, ptrdiff_t *out) {
    NDG_ASSERT(a >= 0 && b >= 0);
    if (!ndgi_is_half(a | b) && b > 0 && a > PTRDIFF_MAX / b) return 0;
    *out = a * b;
    return 1;
}

/* Returns a + b, or PTRDIFF_MAX if that is less. Needs a, b >= 0. */
static ptrdiff_t ndgi_add_saturate(ptrdiff_t a, ptrdiff_t b) {
    NDG_ASSERT(a >= 0 && b >= 0);
    return a > PTRDIFF_MAX - b ? PTRDIFF_MAX : a + b;
}

static ptrdiff_t ndgi_min(ptrdiff_t a, ptrdiff_t b) { return a < b ? a : b; }
static ptrdiff_t ndgi_max(ptrdiff_t a, ptrdiff_t b) { return a > b ? a : b; }

/* Sets *out to the product of n extents, any of which may be 0; returns 0 if it
 * exceeds PTRDIFF_MAX. */
static int ndgi_product(const ptrdiff_t *dims, int n, ptrdiff_t *out) {
    int i, fits = 1;
    *out = 1;
    for (i = 0; i < n; i++) fits &= ndgi_mul(*out, dims[i], out);
    return fits || *out == 0;
}

/* The bytes touched, counted from a pointer: low <= offset < high. */
typedef struct ndgi_span { ptrdiff_t low, high; } ndgi_span;

/* Widens a span, low <= 0 <= high, by extent - 1 >= 0 steps; returns 0 on
 * overflow. Otherwise high - low fits PTRDIFF_MAX, and so does the difference
 * of any two offsets. */
static int ndgi_span_widen(ndgi_span *s, ptrdiff_t extent, ptrdiff_t stride) {
    ptrdiff_t reach;
    if (extent == 1) return 1;
    if (stride < -PTRDIFF_MAX
        || !ndgi_mul(extent - 1, stride < 0 ? -stride : stride, &reach)
        || reach > PTRDIFF_MAX - (s->high - s->low)) return 0;
    if (stride < 0) s->low -= reach;
    else s->high += reach;
    return 1;
}

/* Sets *s to the span of count items, each from low <= 0 to high >= 0; returns
 * 0 on overflow. For small numbers one product is enough. */
static inline int ndgi_span_line(ndgi_span *s, ptrdiff_t count,
        ptrdiff_t stride, ptrdiff_t low, ptrdiff_t high) {
    s->low = count ? low : 0;
    s->high = count ? high : 0;
    if (NDGI_FAST && low == 0 && ndgi_is_half(count | stride | high)) {
        if (s->high) s->high += (count - 1) * stride;
        return 1;
    }
    return s->low == s->high || ndgi_span_widen(s, count, stride);
}

/* The bytes of an index, by type. */
static const ndgi_byte ndgi_widths[] = { 4, 1, 2, 8, 1, 2, 4, 8 };
enum { NDGI_TYPES = (int)sizeof ndgi_widths };

static ptrdiff_t ndgi_type_bytes(int type) { return ndgi_widths[type]; }

/* Returns the address of an input. NULL, which is never read, becomes an
 * address that offsets can be added to. */
static const ndgi_byte *ndgi_base(const void *input) {
    return input ? (const ndgi_byte *)input : ndgi_widths;
}

/* Widens a span by what steps a ... a + n - 1 add to an offset. */
static void ndgi_span_steps(ndgi_span *s, ptrdiff_t a, ptrdiff_t n,
        ptrdiff_t step) {
    s->low += ndgi_min(a * step, (a + n - 1) * step);
    s->high += ndgi_max(a * step, (a + n - 1) * step);
}

/* ---- >>reports: refusals, bad rows, merging ------------------------------*/
/* Clears and returns the report to write to: the caller's, or a local one, of
 * which little is ever read. */
static ndg_report *ndgi_begin(ndg_report *report, ndg_report *local, int op) {
    static const ndg_report clean = NDG_ZERO_INIT;
    ndg_report  *r = report ? report : local;
#if NDGI_FAST
    const size_t half = sizeof clean / 2;
    if (report) {                               /* by whole: `rep stos`, 7 ns */
        NDG_MEMCPY((ndgi_byte *)r + half, &clean, half);
        NDG_MEMCPY(r, &clean, half);
    } else {
        r->status = NDG_OK;
        r->item = 0;
        r->bad.count = 0;
        r->rows = clean.rows;
    }
#else
    *r = clean;
#endif
    r->op = op;
    return r;
}

/* Returns the status. A success without bad rows names no operation. */
static int ndgi_end(ndg_report *r) {
    if (!r->status && !r->bad.count) r->op = NDG_OP_NONE;
    return r->status;
}

/* The same where all is well, without reading what was just written. */
static int ndgi_done(ndg_report *r) {
    r->op = NDG_OP_NONE;
    return NDG_OK;
}

/* Fills in a refusal and returns its status. Functions that check return
 * nonzero if they refuse. Callers that loop over lists or parts set item. */
NDGI_CALLED int ndgi_no(ndg_report *r, int status, int operand, ptrdiff_t value,
        ptrdiff_t bound) {
    r->status = status;
    r->operand = operand;
    r->value = value;
    r->bound = bound;
    return status;
}

static int ndgi_no_axis(ndg_report *r, int status, int operand, int axis,
        ptrdiff_t value, ptrdiff_t bound) {
    r->axis = axis;
    return ndgi_no(r, status, operand, value, bound);
}

static int ndgi_null(ndg_report *r, int operand) {
    return ndgi_no(r, NDG_E_NULL, operand, 0, 0);
}

static int ndgi_huge(ndg_report *r, int operand) {
    return ndgi_no(r, NDG_E_OVERFLOW, operand, 0, 0);
}

/* Checks that an input is there and shares no byte with what is written. */
NDGI_CHECK int ndgi_check_input(const void *in, ndgi_span from,
        const void *out, ndgi_span to, int overlap, int arg, ndg_report *r) {
    const uintptr_t a = (uintptr_t)in, b = (uintptr_t)out;
    if (from.low == from.high) return NDG_OK;
    if (!in) return ndgi_null(r, arg);
    if (overlap == NDG_OVERLAP_CHECK && to.low < to.high
        && a + (uintptr_t)from.low < b + (uintptr_t)to.high
        && b + (uintptr_t)to.low < a + (uintptr_t)from.high)
        return ndgi_no(r, NDG_E_OVERLAP, arg, 0, 0);
    return NDG_OK;
}

/* The arrays of a run, and which bytes of each it touches. */
typedef struct ndgi_arrays {
    const void *out, *data, *indices;
    ndgi_span   to, from, index;
    int         data_arg, index_arg, overlap;
} ndgi_arrays;

NDGI_INLINE void ndgi_arrays_of(ndgi_arrays *a, const void *out,
        const void *data, int data_arg, const void *indices, int index_arg,
        int overlap) {
    a->out = out;
    a->data = data;
    a->indices = indices;
    a->data_arg = data_arg;
    a->index_arg = index_arg;
    a->overlap = overlap;
}

/* Checks that both inputs are there and share no byte with what is written. */
NDGI_INLINE int ndgi_check_apart(const ndgi_arrays *a, const void *out,
        ndgi_span to, ndg_report *r) {
    return ndgi_check_input(a->data, a->from, out, to, a->overlap, a->data_arg,
                            r)
        || ndgi_check_input(a->indices, a->index, out, to, a->overlap,
                            a->index_arg, r);
}

/* The same, and that out has all bytes that will be written. */
NDGI_INLINE int ndgi_check_arrays(const ndgi_arrays *a, ptrdiff_t out_bytes,
        ndg_report *r) {
    if (out_bytes < a->to.high)
        return ndgi_no(r, NDG_E_CAPACITY, NDG_ARG_OUT, out_bytes, a->to.high);
    if (a->to.high > 0 && !a->out) return ndgi_null(r, NDG_ARG_OUT);
    return ndgi_check_apart(a, a->out, a->to, r);
}

static int ndgi_check_range(ptrdiff_t first, ptrdiff_t last, ptrdiff_t rows,
        ndg_report *r) {
    const int lost = first < 0 || first > rows;
    if (lost || last < first || last > rows)
        return ndgi_no(r, NDG_E_RANGE, lost ? NDG_ARG_FIRST : NDG_ARG_LAST,
                       lost ? first : last, rows);
    return NDG_OK;
}

/* Counts a row with a bad index, as loaded, and names the first. Rows must come
 * in row-major order. */
static void ndgi_count_bad(ndg_report *r, ptrdiff_t list, ptrdiff_t position,
        int component, int64_t value, int type, ptrdiff_t extent) {
    const int     is_u64 = (value < 0) & (type == NDG_U64);
    const ndg_bad bad = { 0, list, position, component, is_u64, value, extent,
                          0, 0 };
    if (r->bad.count == 0) r->bad = bad;
    r->bad.count = ndgi_add_saturate(r->bad.count, 1);
}

static int ndgi_judge_rows(ndg_report *r, int policy, int operand) {
    if (r->bad.count && policy != NDG_DROP)
        ndgi_no(r, NDG_E_INDEX, operand, 0, 0);
    return r->status;
}

#define NDGI_ORDER(field) if (a->field != b->field) return a->field < b->field

/* True if refusal a is to be told: it is severer, of an earlier item, needs
 * more. */
static int ndgi_refusal_before(const ndg_report *a, const ndg_report *b) {
    if (a->status != b->status) return a->status > b->status;
    if (a->op != b->op) return a->op > b->op;
    NDGI_ORDER(item); NDGI_ORDER(operand); NDGI_ORDER(axis); NDGI_ORDER(value);
    return a->bound > b->bound;
}

/* True if bad row a, if there is one, comes before b. The last fields differ
 * only if the indices changed between two reads; they make the order total. */
static int ndgi_bad_before(const ndg_bad *a, const ndg_bad *b) {
    if (!a->count || !b->count) return a->count != 0;
    NDGI_ORDER(list);    NDGI_ORDER(position);    NDGI_ORDER(component);
    NDGI_ORDER(is_u64);  NDGI_ORDER(value);
    return a->extent < b->extent;
}

NDG_API void ndg_report_merge(ndg_report *into, const ndg_report *from) {
    ndg_report a, b;
    if (!into || !from) return;
    a = *into;
    b = *from;
    if (ndgi_refusal_before(&b, &a)) *into = b;
    into->bad = ndgi_bad_before(&b.bad, &a.bad) ? b.bad : a.bad;
    into->bad.count = ndgi_add_saturate(a.bad.count, b.bad.count);
    into->rows = b.rows.holes ? b.rows : a.rows;
    if (a.rows.holes && a.rows.first_hole < into->rows.first_hole)
        into->rows.first_hole = a.rows.first_hole;
    into->rows.holes = ndgi_add_saturate(a.rows.holes, b.rows.holes);
    into->rows.duplicates = ndgi_add_saturate(a.rows.duplicates,
                                              b.rows.duplicates);
}

NDG_API int ndg_version(void) { return NDG_VERSION; }

/* ---- >>shapes: checked, and folded into levels ---------------------------*/
/* A checked shape. If it is empty its strides are ignored and count as 0. */
typedef struct ndgi_array {
    const ptrdiff_t *dims, *strides;    /* strides NULL: C order */
    int              rank;
    ptrdiff_t        elem, count;       /* bytes of an element; elements */
    ndgi_span        span;
} ndgi_array;

/* Returns the largest number of a type, or that an int64_t holds. */
static int64_t ndgi_type_max(int type) {
    const int bits = 8 * ndgi_widths[type] - (type < NDG_U8);
    return (int64_t)(((uint64_t)1 << (bits < 63 ? bits : 63)) - 1);
}

/* Sets the span of an array whose count is known; returns 0 on overflow. */
static int ndgi_measure(ndgi_array *a) {
    int i;
    a->span.low = 0;
    if (!ndgi_mul(a->count, a->elem, &a->span.high)) return 0;
    if (!a->strides || a->count == 0) return 1;
    a->span.high = a->elem;
    for (i = 0; i < a->rank; i++)
        if (!ndgi_span_widen(&a->span, a->dims[i], a->strides[i])) return 0;
    return 1;
}

/* Checks a shape on its own: its rank, its extents and its size. */
static int ndgi_array_from(ndgi_array *a, const ndg_shape *s, ptrdiff_t elem,
        int operand, ndg_report *r) {
    int i;
    a->rank = s->rank;
    a->elem = elem;
    a->dims = s->rank > 4 ? s->dims : s->dim;
    a->strides = !s->strided ? 0 : s->rank > 4 ? s->strides : s->stride;
    if (s->rank < 0) return ndgi_no(r, NDG_E_RANK, operand, s->rank, 0);
    if (!a->dims || (s->strided && !a->strides))
        return ndgi_no(r, NDG_E_NULL, operand, s->rank, a->dims != 0);
    for (i = 0; i < a->rank; i++)
        if (a->dims[i] < 0)
            return ndgi_no_axis(r, NDG_E_SHAPE, operand, i, a->dims[i], 0);
    return ndgi_product(a->dims, a->rank, &a->count) && ndgi_measure(a)
         ? NDG_OK : ndgi_huge(r, operand);
}

/* A cursor over the axes of an array, from the last to the first. packed is the
 * stride that the next axis has in C order. */
typedef struct ndgi_axes {
    const ptrdiff_t *dims, *strides;
    int              axis;
    ptrdiff_t        packed;
} ndgi_axes;

static ndgi_axes ndgi_axes_of(const ndgi_array *a) {
    const ndgi_axes w = { a->dims, a->count ? a->strides : 0, a->rank,
                          a->count ? a->elem : 0 };
    return w;
}

/* Steps to the axis before, which has this extent, and returns its stride.
 * packed cannot overflow: the product of all extents was checked. */
static ptrdiff_t ndgi_axes_back(ndgi_axes *w, ptrdiff_t extent) {
    const ptrdiff_t packed = w->packed;
    w->axis--;
    w->packed = packed * extent;
    return w->strides ? w->strides[w->axis] : packed;
}

/* Checks the shape of an output of rank n. Its strides must be positive, each
 * at least what the axes of smaller stride span: no two elements share a
 * byte. */
static int ndgi_out_from(ndgi_array *out, const ndg_shape *s, ptrdiff_t elem,
        int n, int operand, ndg_report *r) {
    int i, j;
    if (ndgi_array_from(out, s, elem, operand, r)) return r->status;
    if (s->rank != n) return ndgi_no(r, NDG_E_RANK, operand, s->rank, n);
    for (i = n - 1; i >= 0 && out->strides && out->count; i--) {
        const ptrdiff_t *step = out->strides;
        ptrdiff_t        need = elem;
        for (j = 0; j < n; j++)
            if (j != i && step[j] > 0 && step[j] <= step[i])
                need += (out->dims[j] - 1) * step[j];
        if (out->dims[i] > 1 && step[i] < need)
            return ndgi_no_axis(r, NDG_E_STRIDE, operand, i, step[i], need);
    }
    return NDG_OK;
}

/* True if one step of `step` equals `extent` steps of `inner`. Proof that
 * unsigned arithmetic decides it: (extent - 1) * |inner| is within a span, so
 * |inner * extent| < 2 * PTRDIFF_MAX; a product that wraps changes its sign. */
static int ndgi_continues(ptrdiff_t step, ptrdiff_t inner, ptrdiff_t extent) {
    return (size_t)step == (size_t)inner * (size_t)extent
        && (step < 0) == (inner < 0);
}

/* Folds the first n axes to rows: sets their number and their one stride, or
 * refuses strides that differ. */
static int ndgi_fold_rows(const ndgi_array *a, int n, ptrdiff_t *rows,
        ptrdiff_t *stride, int operand, ndg_report *r) {
    ndgi_axes w = ndgi_axes_of(a);
    ptrdiff_t done = 1;
    *stride = 0;
    if (!ndgi_product(a->dims, n, rows)) return ndgi_huge(r, operand);
    while (w.axis > 0 && a->count) {
        const ptrdiff_t extent = a->dims[w.axis - 1];
        const ptrdiff_t step = ndgi_axes_back(&w, extent);
        if (w.axis >= n || extent == 1) continue;
        if (done == 1) *stride = step;
        else if (!ndgi_continues(step, *stride, done))
            return ndgi_no_axis(r, NDG_E_STRIDE, operand, w.axis, step,
                                (ptrdiff_t)((size_t)*stride * (size_t)done));
        done *= extent;
    }
    return NDG_OK;
}

/* The levels of a plan while it fills them, innermost first. */
typedef struct ndgi_pool {
    ndg_level *level;
    int        used;     /* at most NDG_MAX_LEVELS + 1: that is too many */
} ndgi_pool;

/* Folds the n axes before the cursors (from or at may be NULL) into levels. An
 * axis joins the run, if there is one, while both sides are packed; else the
 * last level, if it continues that; else it becomes a new level. */
NDGI_OPAQUE void ndgi_pool_group(ndgi_pool *pool, int n, ndgi_axes *from,
        ndgi_axes *at, ndgi_axes *to, ptrdiff_t *run) {
    for (; n > 0; n--) {
        const ndgi_axes *w = from ? from : at;
        const ptrdiff_t  extent = w->dims[w->axis - 1];
        const ndg_level  a = { extent, from ? ndgi_axes_back(from, extent) : 0,
                               at ? ndgi_axes_back(at, extent) : 0,
                               ndgi_axes_back(to, extent) };
        ndg_level       *top;
        if (extent == 1 || pool->used > NDG_MAX_LEVELS) continue;
        top = pool->level + pool->used;
        if (run && pool->used == 0 && a.source == *run && a.out == *run)
            *run *= extent;
        else if (pool->used
                 && ndgi_continues(a.source, top[-1].source, top[-1].extent)
                 && ndgi_continues(a.indices, top[-1].indices, top[-1].extent)
                 && ndgi_continues(a.out, top[-1].out, top[-1].extent))
            top[-1].extent *= extent;
        else if (pool->used++ < NDG_MAX_LEVELS) *top = a;
    }
}

NDG_API int ndg_unravel(ptrdiff_t position, const ndg_shape *shape, int axes,
        ptrdiff_t *coords, int cap) {
    const ptrdiff_t *dims;
    int              axis;
    if (!shape || axes < 0 || axes > shape->rank) return -1;
    dims = shape->rank > 4 ? shape->dims : shape->dim;
    if (!dims || (!coords && cap > 0 && axes > 0)) return -1;
    for (axis = axes - 1; axis >= 0; axis--) {
        const ptrdiff_t extent = ndgi_max(dims[axis], 1);
        if (axis < cap) coords[axis] = position % extent;
        position /= extent;
    }
    return axes;
}

/* ---- >>walks: positions in nested loops ----------------------------------*/
/* A position in nested loops, and the offsets that belong to it. */
typedef struct ndgi_walk {
    const ndg_level *level;
    int              levels;
    ptrdiff_t        source, indices, out;
    ptrdiff_t        digit[NDG_MAX_LEVELS];
} ndgi_walk;

static void ndgi_walk_step(ndgi_walk *w, int k, ptrdiff_t steps) {
    w->digit[k] += steps;
    w->source += steps * w->level[k].source;
    w->indices += steps * w->level[k].indices;
    w->out += steps * w->level[k].out;
}

/* Starts a walk at a row-major position, which must lie inside the loops. */
static void ndgi_walk_start(ndgi_walk *w, const ndg_level *level, int levels,
        ptrdiff_t position) {
    int k;
    w->level = level;
    w->levels = levels;
    w->source = w->indices = w->out = 0;
    for (k = 0; k < levels; k++) {
        const ptrdiff_t extent = level[k].extent;
        const ptrdiff_t rest = position < extent ? 0 : position / extent;
        w->digit[k] = 0;
        ndgi_walk_step(w, k, position - rest * extent);
        position = rest;
    }
}

/* Advances by steps of level k, at most as many as are left there, and resets
 * all levels below; returns 0 at the end. It never steps past an extent, where
 * an offset could overflow. */
static int ndgi_walk_next(ndgi_walk *w, int k, ptrdiff_t steps) {
    for (; k < w->levels; k++, steps = 1) {
        if (w->digit[k] + steps < w->level[k].extent) {
            ndgi_walk_step(w, k, steps);
            return 1;
        }
        ndgi_walk_step(w, k, -w->digit[k]);
    }
    return 0;
}

/* ---- >>copy: bytes of one row --------------------------------------------*/
/* Fills n bytes at dst with copies of its first `size` bytes, which the caller
 * has written. The copied piece doubles as long as the nearest cache holds it.
 * A plain loop would be compiled to a call of memset. */
static void ndgi_repeat(ndgi_byte *dst, ptrdiff_t size, ptrdiff_t n) {
    ptrdiff_t done, piece = size;
    for (done = size; done < n; done += piece) {
        piece = ndgi_min(NDGI_FAST && piece >= 2048 ? piece : done, n - done);
        NDG_MEMCPY(dst + done, dst, (size_t)piece);
    }
}

/* Zeroes n bytes. */
static void ndgi_zero(void *dst, ptrdiff_t n) {
    static const ndgi_byte zeroes[64] = { 0 };
    const ptrdiff_t        done = NDGI_FAST ? ndgi_min(n, 64) : 1;
    ndgi_byte             *to = (ndgi_byte *)dst;
    if (n <= 0) return;
    if (NDGI_FAST) NDG_MEMCPY(to, zeroes, (size_t)done);
    else *to = 0;
    ndgi_repeat(to, done, n);
}

/* True if a policy fills bad rows. */
static int ndgi_fills(int policy) {
    return policy == NDG_ZERO || policy == NDG_FILL;
}

/* Writes what NDG_ZERO or NDG_FILL puts in place of one row: zeroes, or copies
 * of the element at fill. */
static void ndgi_fill(ndgi_byte *to, ptrdiff_t bytes, int policy,
        const ndgi_byte *fill, ptrdiff_t fill_bytes) {
    if (policy == NDG_ZERO) {
        ndgi_zero(to, bytes);
    } else {
        NDG_MEMCPY(to, fill, (size_t)fill_bytes);
        ndgi_repeat(to, fill_bytes, bytes);
    }
}

/* Copies n pieces, at least one, which lie `step` bytes apart, to places
 * `to_step` apart. */
#if NDGI_FAST
NDGI_HOT void ndgi_copy_line(ndgi_byte *to, ptrdiff_t to_step,
        const ndgi_byte *from, ptrdiff_t step, ptrdiff_t n, ptrdiff_t bytes);
#else
static void ndgi_copy_line(ndgi_byte *to, ptrdiff_t to_step,
        const ndgi_byte *from, ptrdiff_t step, ptrdiff_t n, ptrdiff_t bytes) {
    for (;; to += to_step, from += step) {
        NDG_MEMCPY(to, from, (size_t)bytes);
        if (--n == 0) return;
    }
}
#endif

/* Does what ndgi_fill does in each step of the levels, at once in those of an
 * innermost level that is packed. Otherwise the fast engine fills one piece of
 * that level and copies it to the others. */
static void ndgi_fill_all(const ndg_level *level, int levels, ndgi_byte *to,
        ptrdiff_t bytes, int policy, const ndgi_byte *fill,
        ptrdiff_t fill_bytes) {
    const int packed = levels > 0 && level->out == bytes;
    const int line = packed | (NDGI_FAST & (levels > 0));
    ndgi_walk at;
    if (packed) bytes *= level->extent;
    if (!ndgi_fills(policy)) return;
    ndgi_walk_start(&at, level + line, levels - line, 0);
    do {
        ndgi_fill(to + at.out, bytes, policy, fill, fill_bytes);
#if NDGI_FAST
        if (line && !packed && level->extent > 1)
            ndgi_copy_line(to + (at.out + level->out), level->out, to + at.out,
                           0, level->extent - 1, bytes);
#endif
    } while (ndgi_walk_next(&at, 0, 1));
}

/* Copies one row in each step of the levels. */
static void ndgi_copy_all(const ndg_level *level, int levels, ndgi_byte *to,
        const ndgi_byte *from, ptrdiff_t bytes) {
    const int line = levels > 0;
    ndgi_walk at;
    ndgi_walk_start(&at, level + line, levels - line, 0);
    do {
        if (line) ndgi_copy_line(to + at.out, level->out, from + at.source,
                                 level->source, level->extent, bytes);
        else NDG_MEMCPY(to + at.out, from + at.source, (size_t)bytes);
    } while (ndgi_walk_next(&at, 0, 1));
}

/* Stores base[i] = value. The type must be able to hold it: only the low bytes
 * of the wide word are stored. */
static void ndgi_store(void *base, ptrdiff_t i, int width, ptrdiff_t value) {
    const uint64_t  x = (uint64_t)value;
    const uint32_t  y = (uint32_t)value;
    const uint16_t  z = (uint16_t)value;
    ndgi_byte      *to = (ndgi_byte *)base + i * width;
    if (width == 8) NDG_MEMCPY(to, &x, 8);
    else if (width == 4) NDG_MEMCPY(to, &y, 4);
    else if (width == 2) NDG_MEMCPY(to, &z, 2);
    else *to = (ndgi_byte)value;
}

/* ---- >>judge: an index row under any policy ------------------------------*/
/* Returns x, but hides from the compiler where it comes from. Otherwise the
 * compiler may read memory once for the check and once more for the use, and
 * another thread may have changed it in between. gcc for s390x does so. */
NDGI_INLINE uint64_t ndgi_once(uint64_t x, int width) {
#if (defined(__GNUC__) || defined(__clang__)) && SIZE_MAX > 0xFFFFFFFF
    __asm__("" : "+r" (x));
    return (void)width, x;
#elif defined(__GNUC__) || defined(__clang__)
    uint32_t low = (uint32_t)x, high = (uint32_t)(x >> 32);
    __asm__("" : "+r" (low));
    if (width == 8) __asm__("" : "+r" (high));
    return (uint64_t)high << 32 | low;
#else
    volatile uint64_t once = x;
    return (void)width, once;
#endif
}

#if NDGI_FAST
/* Returns the word of `width` bytes at any address. */
NDGI_INLINE uint64_t ndgi_word(const ndgi_byte *p, int width) {
    uint64_t x;
    uint32_t y;
    uint16_t z;
    if (width == 4) { NDG_MEMCPY(&y, p, 4); return y; }
    if (width == 8) { NDG_MEMCPY(&x, p, 8); return x; }
    if (width == 2) { NDG_MEMCPY(&z, p, 2); return z; }
    return *p;
}

/* Returns an index word, read exactly once: the value that is checked is the
 * value that is used. */
NDGI_INLINE uint64_t ndgi_index(const ndgi_byte *p, int width) {
    return ndgi_once(ndgi_word(p, width), width);
}

/* Extends a word's sign; shift: the bits above it, or 0 if it has none. */
NDGI_INLINE uint64_t ndgi_signed(uint64_t word, int shift) {
    return (uint64_t)((int64_t)(word << shift) >> shift);
}
#endif

/* Returns one index; a uint64_t keeps its bits. The small engine loads signed
 * indices of 4 bytes, because gcc -Os copies by `rep movs` or a call. Others it
 * copies to the high end of a wide word and shifts them down, which brings
 * their sign along with every compiler. */
#if NDGI_FAST
static int64_t ndgi_load(const ndgi_byte *p, int type) {
    const int width = (int)ndgi_type_bytes(type);
    return (int64_t)ndgi_signed(ndgi_index(p, width),
                                type < NDG_U8 ? 64 - 8 * width : 0);
}
#else
static int64_t ndgi_load_any(const ndgi_byte *p, int type) {
    const uint16_t  one = 1;
    const int       little = *(const ndgi_byte *)&one;
    const ptrdiff_t bytes = ndgi_type_bytes(type), rest = 8 - bytes;
    uint64_t        x = 0;
    NDG_MEMCPY((ndgi_byte *)&x + (little ? rest : 0), p, (size_t)bytes);
    x = ndgi_once(x, 8);
    return type < NDG_U8 ? (int64_t)x >> 8 * rest : (int64_t)(x >> 8 * rest);
}

NDGI_INLINE int64_t ndgi_load(const ndgi_byte *p, int type) {
#ifndef __ARM_ARCH_6M__                  /* which has no such load */
    uint32_t x;
    if (type == NDG_I32) {
        NDG_MEMCPY(&x, p, 4);
        return (int32_t)ndgi_once(x, 4);
    }
#endif
    return ndgi_load_any(p, type);
}
#endif

/* How many policies there are. ndg_index_place says which of them have a place
 * for bad indices. */
enum { NDGI_POLICIES = NDG_ASSUME_VALID + 1 };

/* How index rows are read, and what happens to bad ones. */
typedef struct ndgi_reader {
    const ndgi_byte *indices;           /* the first row */
    const ptrdiff_t *extent, *stride;   /* of each component */
    ptrdiff_t        step, next;        /* bytes to the next component, row */
    int              depth, type, policy, operand;
    int              negative;          /* they count from the end */
    int64_t          mask, add;         /* of ndg_index_changed */
    const ndgi_byte *fill;              /* what NDG_FILL writes ... */
    ptrdiff_t        fill_bytes;        /* ... again and again */
    ptrdiff_t        list;              /* of a stitch, for the report */
    ndg_report      *r;
} ndgi_reader;

/* Prepares a reader for a list with one index per row and no fill. The caller
 * still has to set where its indices are and how far apart. */
static void ndgi_list_reader(ndgi_reader *q, const ptrdiff_t *extent,
        const ptrdiff_t *stride, int type, int policy, int operand,
        ndg_report *r) {
    q->extent = extent;
    q->stride = stride;
    q->depth = 1;
    q->type = type;
    q->policy = policy;
    q->negative = NDG_NEGATIVE_BAD;
    q->operand = operand;
    q->mask = q->add = 0;
    q->fill = 0;
    q->step = q->fill_bytes = q->list = 0;
    q->r = r;
}

/* True if negative indices count from the end. */
static int ndgi_ends(int negative, int type) {
    return negative == NDG_NEGATIVE_FROM_END && type < NDG_U8;
}

/* Judges index v, component k of the row at `position`, which is changed first
 * or bad as it stands. Returns its place: a negative number if it has none, and
 * under ASSUME_VALID any number. Counts the first bad index of a row, and names
 * it unless one was named before. */
NDGI_INLINE ptrdiff_t ndgi_place_index(const ndgi_reader *q, int64_t v, int k,
        ptrdiff_t position, int *bad) {
    const ptrdiff_t extent = q->extent[k];
    const int       wide = q->type == NDG_U64 && v < 0;
    const int       changes = (q->mask | q->add) != 0;
    ndg_bad        *seen = &q->r->bad;
    int             is_u64 = wide;
    int64_t         at = v;
    if (changes) at = ndg_index_changed(v, &is_u64, q->mask, q->add);
    if (q->negative == NDG_NEGATIVE_FROM_END)
        at = ndg_index_from_end(at, is_u64, extent);
    if (NDG_INDEX_GOOD(at, extent) || q->policy == NDG_ASSUME_VALID)
        return (ptrdiff_t)at;
    if (seen->count == 0) {
        const ndg_bad first = { 0, q->list, position, k, wide, v, extent,
                                changes, q->negative };
        *seen = first;
    }
    if (!*bad) seen->count = ndgi_add_saturate(seen->count, 1);
    *bad = 1;
    return ndg_index_place(at, is_u64, extent, q->policy);
}

/* The same, for any reader. */
NDGI_OPAQUE ptrdiff_t ndgi_judge_index(const ndgi_reader *q, int64_t v, int k,
        ptrdiff_t position, int *bad) {
    return ndgi_place_index(q, v, k, position, bad);
}

/* Judges the index row at p under any policy; all faster loops must agree with
 * it. Returns whether the row has an offset, and sets *offset. Under CLIP and
 * WRAP a bad row has one too if no extent is 0. Counts a bad row, and sets the
 * status to NDG_E_INDEX if no policy handles it. Under ASSUME_VALID none is
 * bad. Each index is read once. The offset of a row that nobody writes may
 * wrap. plain: the reader is that of a list, whose constants make a special
 * case of ndgi_place_index; otherwise there is one for all. */
NDGI_INLINE int ndgi_judge_row(ptrdiff_t *offset, const ndgi_reader *q,
        const ndgi_byte *p, ptrdiff_t position, int plain) {
    size_t sum = 0;
    int    k, bad = 0, found = 1;
    for (k = 0; k < q->depth; k++) {
        const int64_t v = ndgi_load(p + k * q->step, q->type);
        ptrdiff_t     at = (ptrdiff_t)v;
        if (!NDG_INDEX_GOOD(v, q->extent[k]) || (q->mask | q->add) != 0) {
            at = plain ? ndgi_place_index(q, v, k, position, &bad)
                       : ndgi_judge_index(q, v, k, position, &bad);
            if (at < 0 && q->policy != NDG_ASSUME_VALID) found = 0;
        }
        sum += (size_t)at * (size_t)q->stride[k];
    }
    *offset = (ptrdiff_t)sum;
    if (!found && q->policy != NDG_ZERO && q->policy != NDG_FILL
        && q->policy != NDG_KEEP)
        ndgi_no(q->r, NDG_E_INDEX, q->operand, 0, 0);
    return found;
}

static int ndgi_judge(ptrdiff_t *offset, const ndgi_reader *q,
        const ndgi_byte *p, ptrdiff_t position) {
    return ndgi_judge_row(offset, q, p, position, 0);
}

#if NDGI_FAST
/* Returns the address n bytes from p. If nothing is read there (behind the last
 * row, or if all indices are bad) it may point nowhere, and may wrap. */
NDGI_INLINE const ndgi_byte *ndgi_from(const ndgi_byte *p, ptrdiff_t n) {
    return (const ndgi_byte *)((uintptr_t)p + (uintptr_t)n);
}

/* Counts bad rows, of which one was counted when it was named just now, unless
 * one was named before; none, if all have become good again. */
static void ndgi_add_bad(ndg_bad *seen, ptrdiff_t bads, int named) {
    if (seen->count)
        seen->count = ndgi_add_saturate(seen->count, bads - !named);
}

/* Counts `bads` bad rows among n index rows, whose first is at `position` and
 * at `start` in the loops over rows. Names the first one unless one was named
 * before, and sets the status if bad rows are errors. place: negative for bad
 * rows, or NULL if that is not known. Rows that another thread makes good in
 * the meantime may stay unnamed and uncounted. */
static void ndgi_blame(const ndgi_reader *q, const ndgi_walk *start,
        ptrdiff_t position, ptrdiff_t n, ptrdiff_t bads,
        const int32_t *place) {
    ndg_bad  *seen = &q->r->bad;
    const int named = seen->count > 0;
    ndgi_walk at;
    ptrdiff_t offset, i;
    if (!bads) return;
    if (!named) at = *start;
    for (i = 0; seen->count == 0 && i < n; i++, ndgi_walk_next(&at, 0, 1))
        if (!place || place[i] < 0)
            ndgi_judge(&offset, q, q->indices + at.indices, position + i);
    ndgi_add_bad(seen, bads, named);
}

/* The same for rows from `first` on that lie q->next bytes apart. */
static void ndgi_blame_line(const ndgi_reader *q, ptrdiff_t first, ptrdiff_t n,
        ptrdiff_t bads) {
    ndg_bad  *seen = &q->r->bad;
    const int named = seen->count > 0;
    ptrdiff_t offset, i;
    if (!bads) return;
    for (i = first; seen->count == 0 && i < first + n; i++)
        ndgi_judge(&offset, q, q->indices + i * q->next, i);
    ndgi_add_bad(seen, bads, named);
}

/* ---- >>words: indices and rows, by size ----------------------------------*/
/* Choices without a branch, since nobody can predict which rows are bad. Left
 * alone, compilers branch; so the first hides the condition from them. */

/* Returns all ones if v is below the limit, else 0. */
NDGI_INLINE uintptr_t ndgi_good(uint64_t v, uint64_t limit) {
    uintptr_t good = 0 - (uintptr_t)(v < limit);
#if defined(__GNUC__) || defined(__clang__)
    __asm__("" : "+r" (good));
#endif
    return good;
}

/* Returns a if `good` is all ones, b if it is 0. */
NDGI_INLINE uintptr_t ndgi_pick(uintptr_t good, uintptr_t a, uintptr_t b) {
    return b + ((a - b) & good);
}

/* Returns the number that good index words of this width are below. Words are
 * compared as unsigned, so a negative one is larger than any other. */
NDGI_INLINE uint64_t ndgi_limit(ptrdiff_t extent, int type, int width) {
    const uint64_t most = type < NDG_U8 ? (uint64_t)1 << (8 * width - 1)
                                        : UINT64_MAX;
    return (uint64_t)extent < most ? (uint64_t)extent : most;
}

/* How the loops copy a row. NDGI_1 ... NDGI_16: as 1 ... 16 bytes, a constant.
 * NDGI_2X2 ... NDGI_2X16: as two pieces of 2 ... 16 bytes that may overlap, for
 * rows longer than one and at most as long as both. NDGI_TO_64: 33 ... 64 bytes
 * in pieces; NDGI_TO_256: 65 ... 256. NDGI_CALL: by memcpy. NDGI_LINE,
 * NDGI_LINES: as one line of 64 bytes, or several, past the caches. */
enum { NDGI_1, NDGI_2, NDGI_4, NDGI_8, NDGI_16, NDGI_2X2, NDGI_2X4, NDGI_2X8,
       NDGI_2X16, NDGI_TO_64, NDGI_TO_256, NDGI_CALL, NDGI_LINE, NDGI_LINES };

/* The longest row that is copied in pieces; and one that two lines hold. */
enum { NDGI_SHORT = 256, NDGI_TWO_LINES = 128 };

NDGI_INLINE int ndgi_kind(ptrdiff_t bytes) {
    int log;
    if (bytes < 1 || bytes > NDGI_SHORT) return NDGI_CALL;
#if defined(__GNUC__) || defined(__clang__)
    log = bytes > 1 ? 32 - __builtin_clz((unsigned)bytes - 1) : 0;
#else
    for (log = 0; (ptrdiff_t)1 << log < bytes;) log++;
#endif
    if (bytes > 64) return NDGI_TO_256;
    return bytes <= 16 && (bytes & (bytes - 1)) == 0 ? log : NDGI_2X2 + log - 2;
}

/* Runs a statement in which `by` is the kind, as a constant. */
#define NDGI_BY_KIND(kind, statement)                                         \
    switch (kind) {                                                           \
    NDGI_CASE(NDGI_1, statement)     NDGI_CASE(NDGI_2X2, statement)           \
    NDGI_CASE(NDGI_2, statement)     NDGI_CASE(NDGI_2X4, statement)           \
    NDGI_CASE(NDGI_4, statement)     NDGI_CASE(NDGI_2X8, statement)           \
    NDGI_CASE(NDGI_8, statement)     NDGI_CASE(NDGI_2X16, statement)          \
    NDGI_CASE(NDGI_16, statement)    NDGI_CASE(NDGI_TO_64, statement)         \
    NDGI_CASE(NDGI_LINE, statement)  NDGI_CASE(NDGI_TO_256, statement)        \
    NDGI_CASE(NDGI_LINES, statement)                                          \
    default: { const int by = NDGI_CALL; statement; }                         \
    }
#define NDGI_CASE(kind, statement)                                            \
    case kind: { const int by = kind; statement; } break;

/* Returns the bytes of a row, as a constant where the kind fixes them. */
NDGI_INLINE ptrdiff_t ndgi_kind_size(int kind, ptrdiff_t bytes) {
    return kind <= NDGI_16 ? (ptrdiff_t)1 << kind
         : kind == NDGI_2X2 ? 3 : kind == NDGI_LINE ? 64 : bytes;
}

/* Copies 64 bytes past the caches. `to` must be a multiple of 64. */
NDGI_INLINE void ndgi_stream_line(void *to, const ndgi_byte *from) {
#if NDGI_STREAMS
    ndgi_sse *const line = (ndgi_sse *)to;
    ndgi_sse a, b, c, d;                 /* of an array gcc would keep half */
    NDG_MEMCPY(&a, from, 16);
    NDG_MEMCPY(&b, from + 16, 16);
    NDG_MEMCPY(&c, from + 32, 16);
    NDG_MEMCPY(&d, from + 48, 16);
    NDGI_STORE_PAST(line, a);
    NDGI_STORE_PAST(line + 1, b);
    NDGI_STORE_PAST(line + 2, c);
    NDGI_STORE_PAST(line + 3, d);
#else
    NDG_MEMCPY(to, from, 64);
#endif
}

/* Copies n bytes of any alignment, past the caches where lines are whole. */
NDGI_HOT void ndgi_stream(ndgi_byte *to, const ndgi_byte *from, ptrdiff_t n) {
    const ptrdiff_t head = ndgi_min(n, (ptrdiff_t)(-(uintptr_t)to & 63));
    const ptrdiff_t end = head + ((n - head) & -64);
    ptrdiff_t       i;
    if (head) NDG_MEMCPY(to, from, (size_t)head);
    for (i = head; i < end; i += 64) ndgi_stream_line(to + i, from + i);
    if (end < n) NDG_MEMCPY(to + end, from + end, (size_t)(n - end));
}

/* Orders streamed stores before all that follow, as other threads see them. */
static void ndgi_fence(int streamed) {
#if NDGI_STREAMS
    if (streamed) __builtin_ia32_sfence();
#else
    (void)streamed;
#endif
}

/* With -fsanitize=undefined gcc follows each copy to address 0, which does not
 * happen, and warns of it. */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ > 10
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Warray-bounds"
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#pragma GCC diagnostic ignored "-Wstringop-overread"
#endif

/* Copies n > 32 bytes, 16 at a time and in the order of their addresses; the
 * last 16 may overlap those before. Some processors take twice as long for
 * larger pieces that overlap. */
NDGI_INLINE void ndgi_copy_pieces(ndgi_byte *to, const ndgi_byte *from,
        ptrdiff_t n, int kind) {
    ptrdiff_t i = 0;
    if (kind == NDGI_TO_64) {
        NDG_MEMCPY(to, from, 16);
        NDG_MEMCPY(to + 16, from + 16, 16);
        if (n > 48) NDG_MEMCPY(to + 32, from + 32, 16);
        NDG_MEMCPY(to + n - 16, from + n - 16, 16);
        return;
    }
    for (; i + 64 <= n; i += 64) {
        NDG_MEMCPY(to + i, from + i, 16);
        NDG_MEMCPY(to + i + 16, from + i + 16, 16);
        NDG_MEMCPY(to + i + 32, from + i + 32, 16);
        NDG_MEMCPY(to + i + 48, from + i + 48, 16);
    }
    if (n & 32) {
        NDG_MEMCPY(to + i, from + i, 16);
        NDG_MEMCPY(to + i + 16, from + i + 16, 16);
        i += 32;
    }
    if (n & 16) NDG_MEMCPY(to + i, from + i, 16);
    if (n & 15) NDG_MEMCPY(to + n - 16, from + n - 16, 16);
}

/* Copies a row of n bytes between two addresses, as its kind says. */
NDGI_INLINE void ndgi_copy_at(uintptr_t at, uintptr_t source, ptrdiff_t n,
        int kind) {
    ndgi_byte       *to = (ndgi_byte *)at;
    const ndgi_byte *from = (const ndgi_byte *)source;
    ptrdiff_t        i;
    if (kind <= NDGI_16) {
        NDG_MEMCPY(to, from, (size_t)1 << kind);
    } else if (kind == NDGI_CALL) {
        NDG_MEMCPY(to, from, (size_t)n);
    } else if (kind >= NDGI_LINE) {
        for (i = 0; i < n; i += 64) ndgi_stream_line(to + i, from + i);
    } else if (kind >= NDGI_TO_64) {
        ndgi_copy_pieces(to, from, n, kind);
    } else {
        const ptrdiff_t piece = (ptrdiff_t)2 << (kind - NDGI_2X2);
        NDG_MEMCPY(to, from, (size_t)piece);
        NDG_MEMCPY(to + n - piece, from + n - piece, (size_t)piece);
    }
}

#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ > 10
#pragma GCC diagnostic pop
#endif

/* Copies n pieces, which lie `step` bytes apart, to places `to_step` apart. The
 * addresses are integers because the one behind the last may wrap. */
NDGI_INLINE void ndgi_copy_steps(uintptr_t to, uintptr_t to_step,
        uintptr_t from, uintptr_t step, ptrdiff_t n, ptrdiff_t size, int kind) {
    for (; kind <= NDGI_16 && n > 3; n -= 4) {
        ndgi_copy_at(to, from, size, kind);
        ndgi_copy_at(to + to_step, from + step, size, kind);
        ndgi_copy_at(to + 2 * to_step, from + 2 * step, size, kind);
        ndgi_copy_at(to + 3 * to_step, from + 3 * step, size, kind);
        to += 4 * to_step;
        from += 4 * step;
    }
    for (; n > 0; n--, to += to_step, from += step)
        ndgi_copy_at(to, from, size, kind);
}

/* The same of pieces that are not streamed: their size tells their kind. */
NDGI_HOT void ndgi_copy_line(ndgi_byte *to, ptrdiff_t to_step,
        const ndgi_byte *from, ptrdiff_t step, ptrdiff_t n, ptrdiff_t bytes) {
    NDGI_BY_KIND(ndgi_kind(bytes), ndgi_copy_steps((uintptr_t)to,
            (uintptr_t)to_step, (uintptr_t)from, (uintptr_t)step, n,
            ndgi_kind_size(by, bytes), by))
}

/* Prefetches as many lines as n bytes have, NDGI_SOON behind `row`. */
NDGI_INLINE void ndgi_ask_soon(uintptr_t row, ptrdiff_t n) {
    ptrdiff_t i;
    for (i = 0; i < n; i += 64) NDGI_PREFETCH(row + NDGI_SOON + (uintptr_t)i);
}

/* Prefetches all lines of a row, and one more if the row may straddle. */
NDGI_INLINE void ndgi_prefetch(uintptr_t row, ptrdiff_t bytes, int kind) {
    ptrdiff_t i = 64;
    NDGI_PREFETCH(row);
    for (; kind >= NDGI_TO_256 && i < bytes; i += 64)
        NDGI_PREFETCH(row + (uintptr_t)i);
    if ((bytes & (bytes - 1)) && bytes % 64)
        NDGI_PREFETCH(row + (uintptr_t)bytes - 1);
}

/* ---- >>loops: rows in one piece ------------------------------------------*/
/* What ndg_loop.loop may be. NDGI_ANY: rows of any kind, by chunks; plans
 * filled in by hand have this. NDGI_NUMBERS: the same; but few rows (yet
 * NDGI_FEW or more), in one piece and of one to four indices, go by the fused
 * loop once these are read as 32-bit numbers. NDGI_FUSED: such rows by indices
 * that the loop itself can read. NDGI_BATCHES: the same in batches of few rows,
 * each with its own table. */
enum { NDGI_ANY = 0, NDGI_NUMBERS, NDGI_FUSED, NDGI_BATCHES };

/* The rows that one loop moves. On one side, the line, they lie in even steps;
 * on the other, the table, where their index rows say. A gather reads the table
 * and fills the line; a scatter does the opposite. tight: line and indices are
 * packed. Addresses are integers, as those behind the last row may wrap. */
typedef struct ndgi_rows {
    uintptr_t        line, table;
    const ndgi_byte *indices;
    ptrdiff_t        bytes;            /* of a row */
    ptrdiff_t        line_step;        /* from row to row */
    ptrdiff_t        next, step;       /* to the next index row, component */
    const ptrdiff_t *stride, *extent;  /* of each component */
    uint64_t         limit;            /* good words of the first are below;
                                          of the others below their extents */
    int              depth, kind, width, type, ends, tight;
    int64_t          mask, add;        /* of ndg_index_changed, for numbers */
    ptrdiff_t        left, batch;      /* rows of the first batch, of others */
    ptrdiff_t        batch_source;     /* from its table to the next one's */
    ptrdiff_t        ahead;          /* how many rows later one is asked for; 0:
                                        rows are found before any is copied */
    uintptr_t        ahead_source;   /* how much further its table lies */
} ndgi_rows;

/* A gather in progress or, if scatter is set, the rows of a scatter or of a
 * list of a stitch, whose indices say where in out each row goes. */
typedef struct ndgi_job {
    ndgi_reader      q;
    ndgi_byte       *out;            /* NULL: rows are only checked */
    const ndgi_byte *table;
    ndgi_rows        s;              /* what their loops have to know */
    const ndg_level *level;          /* in each step of which a row is moved */
    int              levels, loop;
    ptrdiff_t        row, until;     /* the next row; where the run ends */
    ndgi_walk        at;             /* where it is, in the loops over rows */
    ndg_level        step;           /* the innermost of these */
    ptrdiff_t        first, count;   /* scattered: where rows may go: of a
                                        list, row numbers; else bytes of out */
    int              scatter, whole; /* to where indices say; all such rows */
    int              list;           /* scattered by the numbers of rows */
    int              cold, stream;   /* reads, writes miss the caches */
    int              deep;           /* rows miss all of them */
    int              ask;            /* rows are asked for when found */
    ptrdiff_t        most;           /* at a time: pairs, rows ahead */
    int              place;          /* bad rows have one, as in CLIP, WRAP */
    int              odd;            /* there are bad rows */
    int              keep, fails;    /* bad rows are not written; end it */
    int              passes;         /* ndgi_run_rest takes bad rows */
    ptrdiff_t        credit;         /* good rows, less NDGI_SELDOM a bad one */
    uintptr_t        sub;   /* short bad rows are copied from here; dump, where
                               some go, is NDGI_SHORT behind it */
} ndgi_job;

/* Room for a job's sub and dump, aligned to their size: a row that straddles
 * two cache lines costs as much as ten. */
typedef struct ndgi_spare { ndgi_byte bytes[3 * NDGI_SHORT]; } ndgi_spare;

/* Returns how many rows are left in the innermost loop. */
static ptrdiff_t ndgi_rows_left(const ndgi_job *j) {
    return ndgi_min(j->until - j->row, j->step.extent - j->at.digit[0]);
}

/* Returns how many rows are left in the two innermost loops. */
static ptrdiff_t ndgi_rows_near(const ndgi_job *j) {
    const ndg_level *b = j->at.level + 1;
    ptrdiff_t        n = j->step.extent - j->at.digit[0];
    if (j->at.levels > 1) n += (b->extent - j->at.digit[1] - 1)
                             * j->step.extent;
    return ndgi_min(j->until - j->row, n);
}

/* Returns how far a table moves in each step of a loop over rows. */
NDGI_INLINE ptrdiff_t ndgi_table_step(const ndg_level *row, int scatter) {
    return scatter ? row->out : row->source;
}

/* Returns how many of the next rows lie in even steps along the line. */
static ptrdiff_t ndgi_rows_even(const ndgi_job *j, int scatter) {
    const ndg_level *a = j->at.level, *b = a + (j->at.levels > 1);
    const size_t     step = (size_t)ndgi_table_step(a, !scatter);
    return a < b && (size_t)ndgi_table_step(b, !scatter)
                    == step * (size_t)a->extent
         ? ndgi_rows_near(j) : ndgi_rows_left(j);
}

/* Advances a job by this many rows. */
static void ndgi_advance(ndgi_job *j, ptrdiff_t rows) {
    const int inside = rows <= j->step.extent - j->at.digit[0];
    j->row += rows;
    if (inside) ndgi_walk_next(&j->at, 0, rows);
    else ndgi_walk_start(&j->at, j->at.level, j->at.levels, j->row);
}

/* Returns an address as it is, in a register of its own. Compilers load what
 * many loops need once, far ahead, and then reload it in each step of one. */
NDGI_INLINE const ndgi_byte *ndgi_here(const ndgi_byte *p) {
#if defined(__GNUC__) || defined(__clang__)
    __asm__("" : "+r" (p));
#endif
    return p;
}

/* What up to four components add to a row's address, and the limits of their
 * good indices; by name, as compilers keep only part of an array in
 * registers. */
typedef struct ndgi_axes4 {
    uintptr_t a, b, c, d;
    uint64_t  a_good, b_good, c_good, d_good;
} ndgi_axes4;

NDGI_INLINE ndgi_axes4 ndgi_axes4_of(const ndgi_rows *s, int depth,
        ptrdiff_t last) {
    const ptrdiff_t *stride = s->stride, *extent = s->extent;
    ndgi_axes4       x;
    x.a = (uintptr_t)(depth > 1 ? stride[0] : last);
    x.b = (uintptr_t)(depth > 2 ? stride[1] : last);
    x.c = (uintptr_t)(depth > 3 ? stride[2] : last);
    x.d = (uintptr_t)last;
    x.a_good = s->limit;
    x.b_good = depth > 1 ? (uint64_t)extent[1] : 0;
    x.c_good = depth > 2 ? (uint64_t)extent[2] : 0;
    x.d_good = depth > 3 ? (uint64_t)extent[3] : 0;
    return x;
}

/* Adds to *at what an index contributes; returns 0 if the index is bad. It is
 * read once. With `guess` the row is only prefetched and nothing is checked. */
NDGI_INLINE int ndgi_add_index(uintptr_t *at, uintptr_t stride, uint64_t good,
        const ndgi_byte *p, int width, int guess) {
    const uint64_t v = guess ? ndgi_word(p, width) : ndgi_index(p, width);
    if (!guess && NDGI_RARE(v >= good)) return 0;
    *at += (uintptr_t)v * stride;
    return 1;
}

/* The same for all components of the index row at p. */
NDGI_INLINE int ndgi_add_row(uintptr_t *at, const ndgi_axes4 *x,
        const ndgi_byte *p, ptrdiff_t step, int width, int depth, int guess) {
    return ndgi_add_index(at, x->a, x->a_good, p, width, guess)
        && (depth < 2 || ndgi_add_index(at, x->b, x->b_good, p + step, width,
                                        guess))
        && (depth < 3 || ndgi_add_index(at, x->c, x->c_good, p + 2 * step,
                                        width, guess))
        && (depth < 4 || ndgi_add_index(at, x->d, x->d_good, p + 3 * step,
                                        width, guess));
}

/* How the rows of a loop lie: in any even steps; all but the line packed; the
 * line and the indices packed; these and, along the last component, the table.
 * What is constant then saves multiplications. */
enum { NDGI_STEPS, NDGI_APART, NDGI_TIGHT, NDGI_DENSE };

/* The directions of a loop: rows come from where their indices say (GET) or go
 * there (PUT). In a FAR loop each row also prefetches one that comes later. */
enum { NDGI_GET, NDGI_GET_FAR, NDGI_PUT, NDGI_PUT_FAR };

/* Copies a row from the table to the line, or if `scatter` the other way. */
NDGI_INLINE void ndgi_send(uintptr_t line, uintptr_t table, ptrdiff_t size,
        int kind, int scatter) {
    if (scatter && kind >= NDGI_LINE) ndgi_ask_soon(line, size);
    ndgi_copy_at(scatter ? table : line, scatter ? line : table, size, kind);
}

/* Copies n rows, batch by batch, up to the first bad one; returns how many.
 * Near rows with one index, or with two packed ones, go by fours: of 1 ... 16
 * bytes, and of other constant sizes if their indices are not of 4 bytes. */
NDGI_INLINE ptrdiff_t ndgi_fused(const ndgi_rows *s, ptrdiff_t n, int way,
        int kind, int width, int depth, int layout) {
    const int        asks = way & 1, scatter = way & 2;
    const ptrdiff_t  size = ndgi_kind_size(kind, s->bytes);
    const int        fours = !asks && (depth == 1 || (depth == 2 && layout))
                          && (kind <= NDGI_16
                              || (layout == NDGI_DENSE && width != 4));
    const ptrdiff_t  step = layout || depth < 2 ? width : s->step;
    const ptrdiff_t  next = layout ? depth * width : s->next;
    const uintptr_t  on = (uintptr_t)(layout > NDGI_APART ? size
                                                         : s->line_step);
    const ptrdiff_t  ahead = asks ? s->ahead : 0;
    const uintptr_t  source = asks ? s->ahead_source : 0;
    const int        dense = layout == NDGI_DENSE || layout == NDGI_APART;
    const ndgi_axes4 x = ndgi_axes4_of(s, depth, dense ? size
                                                       : s->stride[depth - 1]);
    const ndgi_byte *p = ndgi_here(s->indices);
    uintptr_t        line = s->line, table = s->table;
    ptrdiff_t        i = 0, stop = s->left;
    for (;; stop = ndgi_min(n, stop + s->batch)) {
        for (; fours && i + 3 < stop; i += 4) {
            uintptr_t a = table, b = table, c = table, d = table;
            if (!ndgi_add_row(&a, &x, p, step, width, depth, 0)
                || !ndgi_add_row(&b, &x, p + next, step, width, depth, 0)
                || !ndgi_add_row(&c, &x, p + 2 * next, step, width, depth, 0)
                || !ndgi_add_row(&d, &x, p + 3 * next, step, width, depth, 0))
                break;
            ndgi_send(line, a, size, kind, scatter);
            ndgi_send(line + on, b, size, kind, scatter);
            ndgi_send(line + 2 * on, c, size, kind, scatter);
            ndgi_send(line + 3 * on, d, size, kind, scatter);
            p = ndgi_from(p, 4 * next);
            line += 4 * on;
        }
        for (; i < stop; i++) {
            uintptr_t        at = table, later = table + source;
            if (!ndgi_add_row(&at, &x, p, step, width, depth, 0)) return i;
            if (asks) {
                ndgi_add_row(&later, &x, p + ahead * next, step, width, depth,
                             1);
                ndgi_prefetch(later, size, kind);
            }
            ndgi_send(line, at, size, kind, scatter);
            p = ndgi_from(p, next);
            line += on;
        }
        if (i == n) return i;
        table += (uintptr_t)s->batch_source;
    }
}

/* Copies near packed rows of a packed table. Their size is a constant, so the
 * compiler copies them as well as a loop written by hand. */
NDGI_INLINE ptrdiff_t ndgi_exact(const ndgi_rows *s, ptrdiff_t n, int way,
        ptrdiff_t size, int width, int depth) {
    const int kind = size > 64 ? NDGI_TO_256 : size > 32 ? NDGI_TO_64
                                                         : NDGI_CALL;
    ndgi_rows t = *s;
    t.bytes = size;
    return ndgi_fused(&t, n, way, kind, width, depth, NDGI_DENSE);
}

/* The same for the sizes that are met most; returns -1 for any other. */
NDGI_INLINE ptrdiff_t ndgi_usual(const ndgi_rows *s, ptrdiff_t n, int way,
        int kind, int width, int depth) {
    if (kind == NDGI_2X8 && s->bytes == 12)
        return ndgi_exact(s, n, way, 12, width, depth);
    if (kind == NDGI_2X16 && s->bytes == 20)
        return ndgi_exact(s, n, way, 20, width, depth);
    if (kind == NDGI_2X16 && s->bytes == 24)
        return ndgi_exact(s, n, way, 24, width, depth);
    if (kind == NDGI_2X16 && s->bytes == 32)
        return ndgi_exact(s, n, way, 32, width, depth);
    if (kind == NDGI_TO_64 && s->bytes == 48)
        return ndgi_exact(s, n, way, 48, width, depth);
    if (kind == NDGI_TO_64 && s->bytes == 64)
        return ndgi_exact(s, n, way, 64, width, depth);
    return -1;
}

/* Copies near packed rows by one index. */
NDGI_INLINE ptrdiff_t ndgi_packed(const ndgi_rows *s, ptrdiff_t n, int kind) {
    const ptrdiff_t size = ndgi_kind_size(kind, 0), stride = *s->stride;
    const int       width = s->width;
    if (stride == s->bytes && kind > NDGI_16) {
        const ptrdiff_t done =
            width == 4   ? ndgi_usual(s, n, NDGI_GET, kind, 4, 1)
            : width == 8 ? ndgi_usual(s, n, NDGI_GET, kind, 8, 1)
            : width == 2 ? ndgi_usual(s, n, NDGI_GET, kind, 2, 1)
            : width == 1 ? ndgi_usual(s, n, NDGI_GET, kind, 1, 1) : -1;
        if (done >= 0) return done;
        if (kind == NDGI_TO_256 && width == 4 && stride == 128)
            return ndgi_exact(s, n, NDGI_GET, 128, 4, 1);
    }
    if (width == 4 && kind <= NDGI_8 && stride == size)
        return ndgi_fused(s, n, NDGI_GET, kind, 4, 1, NDGI_DENSE);
    if (width == 4) return ndgi_fused(s, n, NDGI_GET, kind, 4, 1, NDGI_TIGHT);
    if (width == 8 && kind <= NDGI_8 && stride == size)
        return ndgi_fused(s, n, NDGI_GET, kind, 8, 1, NDGI_DENSE);
    if (width == 8) return ndgi_fused(s, n, NDGI_GET, kind, 8, 1, NDGI_TIGHT);
    if (width > 2) return 0;                             /* go by chunks */
    return width == 2 ? ndgi_fused(s, n, NDGI_GET, kind, 2, 1, NDGI_TIGHT)
                      : ndgi_fused(s, n, NDGI_GET, kind, 1, 1, NDGI_TIGHT);
}

/* Copies one row, or if `scatter` the other way, by its packed index row;
 * returns 0 if that is bad, else 1. To begin a loop takes longer than the
 * row. */
NDGI_INLINE ptrdiff_t ndgi_run_one(const ndgi_rows *s, int scatter) {
    uintptr_t from = s->table;           /* may wrap before a bad component */
    uint64_t  v = ndgi_index(s->indices, s->width);
    int       k;
    if (NDGI_RARE(v >= s->limit)) return 0;
    from += (uintptr_t)v * (uintptr_t)*s->stride;
    for (k = 1; k < s->depth; k++) {
        v = ndgi_index(s->indices + k * s->width, s->width);
        if (NDGI_RARE(v >= (uint64_t)s->extent[k])) return 0;
        from += (uintptr_t)v * (uintptr_t)s->stride[k];
    }
    ndgi_send(s->line, from, s->bytes, NDGI_CALL, scatter);
    return 1;
}

/* Copies near rows of NDGI_SHORT bytes or more: a loop of calls is best alone.
 * Rows in pieces of 16 are slower than memcpy from some 240 bytes on. */
NDGI_HOT ptrdiff_t ndgi_run_long(const ndgi_rows *s, ptrdiff_t n) {
    return ndgi_packed(s, n, NDGI_CALL);
}

NDGI_HOT ptrdiff_t ndgi_run_packed(const ndgi_rows *s, ptrdiff_t n) {
    if (s->bytes >= NDGI_SHORT && s->kind < NDGI_LINE)
        return ndgi_run_long(s, n);
    NDGI_BY_KIND(s->kind, return ndgi_packed(s, n, by))
}

/* Copies near rows that lie in any even steps. Four indices are of 4 bytes. */
NDGI_INLINE ptrdiff_t ndgi_near(const ndgi_rows *s, ptrdiff_t n, int kind,
        int depth) {
    const ptrdiff_t last = s->stride[depth - 1];
    const int       width = s->width;
    const int       tight = depth > 1 && width == 4 && s->tight;
    if (tight && depth == 2 && kind > NDGI_16 && last == s->bytes) {
        const ptrdiff_t done = ndgi_usual(s, n, NDGI_GET, kind, 4, 2);
        if (done >= 0) return done;
    }
    if (tight && depth == 4 && kind == NDGI_TO_64 && s->bytes == 64
        && last == 64)
        return ndgi_exact(s, n, NDGI_GET, 64, 4, 4);
    if (tight && depth < 4 && kind <= NDGI_8 && last == ndgi_kind_size(kind, 0))
        return ndgi_fused(s, n, NDGI_GET, kind, 4, depth, NDGI_DENSE);
    if (depth > 1 && (depth == 4 || width == 4) && s->tight)
        return ndgi_fused(s, n, NDGI_GET, kind, 4, depth, NDGI_TIGHT);
    if (depth == 2 && width == 2 && s->tight)
        return ndgi_fused(s, n, NDGI_GET, kind, 2, 2, NDGI_TIGHT);
    if (depth == 2 && kind <= NDGI_16 && s->tight)
        return width == 8 ? ndgi_fused(s, n, NDGI_GET, kind, 8, 2, NDGI_TIGHT)
                          : ndgi_fused(s, n, NDGI_GET, kind, 1, 2, NDGI_TIGHT);
    if (depth == 1 && width == 4 && s->next == 4 && kind <= NDGI_16
        && last == ndgi_kind_size(kind, 0))
        return ndgi_fused(s, n, NDGI_GET, kind, 4, 1, NDGI_APART);
    if (depth == 4 || width == 4)
        return ndgi_fused(s, n, NDGI_GET, kind, 4, depth, NDGI_STEPS);
    if (width == 8)
        return ndgi_fused(s, n, NDGI_GET, kind, 8, depth, NDGI_STEPS);
    return width == 2
         ? ndgi_fused(s, n, NDGI_GET, kind, 2, depth, NDGI_STEPS)
         : ndgi_fused(s, n, NDGI_GET, kind, 1, depth, NDGI_STEPS);
}

/* A function for each number of indices: compilers do better by short ones. */
NDGI_HOT ptrdiff_t ndgi_run_near1(const ndgi_rows *s, ptrdiff_t n) {
    NDGI_BY_KIND(s->kind, return ndgi_near(s, n, by, 1))
}
NDGI_HOT ptrdiff_t ndgi_run_near2(const ndgi_rows *s, ptrdiff_t n) {
    NDGI_BY_KIND(s->kind, return ndgi_near(s, n, by, 2))
}
NDGI_HOT ptrdiff_t ndgi_run_near3(const ndgi_rows *s, ptrdiff_t n) {
    NDGI_BY_KIND(s->kind, return ndgi_near(s, n, by, 3))
}
NDGI_HOT ptrdiff_t ndgi_run_near4(const ndgi_rows *s, ptrdiff_t n) {
    NDGI_BY_KIND(s->kind, return ndgi_near(s, n, by, 4))
}

/* Copies far rows by one packed index of 2, 4 or 8 bytes. */
NDGI_INLINE ptrdiff_t ndgi_far(const ndgi_rows *s, ptrdiff_t n, int kind) {
    const ptrdiff_t stride = *s->stride, size = ndgi_kind_size(kind, 0);
    if (kind == NDGI_TO_256) return 0;                   /* does not happen */
    if (s->width == 2)
        return ndgi_fused(s, n, NDGI_GET_FAR, kind, 2, 1, NDGI_TIGHT);
    if (kind <= NDGI_16 && stride == size)
        return s->width == 4
             ? ndgi_fused(s, n, NDGI_GET_FAR, kind, 4, 1, NDGI_DENSE)
             : ndgi_fused(s, n, NDGI_GET_FAR, kind, 8, 1, NDGI_DENSE);
    return s->width == 4
         ? ndgi_fused(s, n, NDGI_GET_FAR, kind, 4, 1, NDGI_TIGHT)
         : ndgi_fused(s, n, NDGI_GET_FAR, kind, 8, 1, NDGI_TIGHT);
}

/* Finds rows first ... last-1 by one packed index, up to the first bad one, and
 * prefetches them; returns how many. It is one loop for all widths and sizes
 * because memory is slower: a faster loop has more requests waiting at a time,
 * which get into each other's way. */
NDGI_HOT ptrdiff_t ndgi_find_far(const ndgi_rows *s, uintptr_t *at,
        ptrdiff_t first, ptrdiff_t last) {
    const uintptr_t  stride = (uintptr_t)*s->stride;
    const uint64_t   limit = s->limit;
    const ptrdiff_t  bytes = s->bytes;
    const ndgi_byte *p = s->indices;
    const int        width = s->width;
    uintptr_t        table = s->table;
    ptrdiff_t        i = first, k, end = s->left;
    if (first >= end && first < last) {
        k = 1 + (first - end) / s->batch;
        table += (uintptr_t)k * (uintptr_t)s->batch_source;
        end += k * s->batch;
    }
    for (;; end += s->batch, table += (uintptr_t)s->batch_source) {
        const ptrdiff_t stop = ndgi_min(last, end);
        for (; i < stop; i++) {
            const uint64_t  v = ndgi_index(p + i * width, width);
            const uintptr_t row = table + (uintptr_t)v * stride;
            const uintptr_t row_end = row + (uintptr_t)bytes - 1;
            if (NDGI_RARE(v >= limit)) return i - first;
            at[i - first] = row;
            for (k = 0; k < bytes; k += 64) NDGI_PREFETCH(row + (uintptr_t)k);
            if (((row + (uintptr_t)k - 64) ^ row_end) & 64)
                NDGI_PREFETCH(row_end);              /* in one line more */
        }
        if (i >= last) return i - first;
    }
}

/* Copies n rows that were found to a packed line. */
NDGI_INLINE void ndgi_copy_found(uintptr_t to, const uintptr_t *at, ptrdiff_t n,
        ptrdiff_t size, int kind) {
    const uintptr_t step = (uintptr_t)size;
    for (; kind < NDGI_CALL && n > 3; n -= 4, at += 4, to += 4 * step) {
        ndgi_copy_at(to, at[0], size, kind);
        ndgi_copy_at(to + step, at[1], size, kind);
        ndgi_copy_at(to + 2 * step, at[2], size, kind);
        ndgi_copy_at(to + 3 * step, at[3], size, kind);
    }
    for (; n > 0; n--, at++, to += step) ndgi_copy_at(to, *at, size, kind);
}

/* Copies rows of a table far larger than the caches, up to the first bad one:
 * some are found and prefetched, then those before them are copied. */
NDGI_HOT ptrdiff_t ndgi_run_found(const ndgi_rows *s, ptrdiff_t n) {
    uintptr_t at[2][NDGI_PAIRED], to = s->line;
    ptrdiff_t found = ndgi_find_far(s, at[0], 0, ndgi_min(n, NDGI_PAIRED));
    ptrdiff_t done = 0, here;
    int       k = 0;
    for (; found > 0; k = !k, to += (uintptr_t)(here * s->bytes)) {
        here = found;
        done += here;
        found = ndgi_find_far(s, at[!k], done, ndgi_min(n, done + NDGI_PAIRED));
        NDGI_BY_KIND(s->kind, ndgi_copy_found(to, at[k], here,
                                              ndgi_kind_size(by, s->bytes),
                                              by))
    }
    return done;
}

NDGI_HOT ptrdiff_t ndgi_run_far(const ndgi_rows *s, ptrdiff_t n) {
    const int kind = s->kind == NDGI_TO_256 ? NDGI_CALL : s->kind;
    if (!s->ahead) return ndgi_run_found(s, n);
    NDGI_BY_KIND(kind, return ndgi_far(s, n, by))
}

/* Copies far rows by two to four packed 4-byte indices, or two or three of 8.
 * Two of the shortest rows are read by a loop for any number: a faster one is
 * slower, as above. */
NDGI_INLINE ptrdiff_t ndgi_far_vectors(const ndgi_rows *s, ptrdiff_t n,
        int kind) {
    const int depth = s->depth, width = s->width;
    const int any = kind > NDGI_8 ? 2 : depth;
    if (kind > NDGI_16 && kind < NDGI_CALL) return 0;    /* go by memcpy */
    if (width == 4 && depth == 4)
        return ndgi_fused(s, n, NDGI_GET_FAR, kind, 4, 4, NDGI_TIGHT);
    if (width == 4 && depth == 3)
        return ndgi_fused(s, n, NDGI_GET_FAR, kind, 4, 3, NDGI_TIGHT);
    if (depth == 3)
        return ndgi_fused(s, n, NDGI_GET_FAR, kind, 8, 3, NDGI_TIGHT);
    return width == 4
         ? ndgi_fused(s, n, NDGI_GET_FAR, kind, 4, any, NDGI_TIGHT)
         : ndgi_fused(s, n, NDGI_GET_FAR, kind, 8, any, NDGI_TIGHT);
}

NDGI_HOT ptrdiff_t ndgi_run_far_vectors(const ndgi_rows *s, ptrdiff_t n) {
    const int pieces = s->kind > NDGI_16 && s->kind < NDGI_CALL;
    const int kind = pieces ? NDGI_CALL : s->kind;
    NDGI_BY_KIND(kind, return ndgi_far_vectors(s, n, by))
}

/* True if the line, the table and the index rows are packed. */
NDGI_INLINE int ndgi_is_dense(const ndgi_rows *s) {
    return s->next == s->width * s->depth
        && (s->depth == 1 || s->step == s->width)
        && s->line_step == s->bytes && s->stride[s->depth - 1] == s->bytes;
}

/* The same, and indices are words of 4 bytes. */
NDGI_INLINE int ndgi_is_packed(const ndgi_rows *s) {
    return s->width == 4 && ndgi_is_dense(s);
}

/* What becomes of a bad row: a gather fills it with the job's sub, or skips it;
 * a scatter drops it. */
enum { NDGI_FILL, NDGI_SKIP, NDGI_DROP };

/* Moves one row if it is good. If it is bad, FILL copies sub to the line, SKIP
 * copies sub to the dump behind it, and DROP sends the row to the dump; a long
 * row, for which there is no room, is dropped by a branch. */
NDGI_INLINE void ndgi_pass_row(uintptr_t line, uintptr_t at, uintptr_t good,
        uintptr_t sub, ptrdiff_t size, int what, int kind) {
    const uintptr_t dump = sub + NDGI_SHORT;
    const int       drops = what == NDGI_DROP;
    if (drops && kind < NDGI_CALL)
        ndgi_copy_at(ndgi_pick(good, at, dump), line, size, kind);
    else if (drops && good)
        ndgi_copy_at(at, line, size, kind);
    else if (!drops)
        ndgi_copy_at(what == NDGI_SKIP ? ndgi_pick(good, line, dump) : line,
                     ndgi_pick(good, at, sub), size, kind);
}

/* Returns all ones if the index row at p is good, else 0, and adds to *at what
 * it contributes. */
NDGI_INLINE uintptr_t ndgi_good_row(uintptr_t *at, const ndgi_axes4 *x,
        const ndgi_byte *p, int width, int depth) {
    const uint64_t v = ndgi_index(p, width);
    const uint64_t w = depth > 1 ? ndgi_index(p + width, width) : 0;
    *at += (uintptr_t)v * x->a;
    if (depth < 2) return ndgi_good(v, x->a_good);
    *at += (uintptr_t)w * x->b;
    return ndgi_good(v, x->a_good) & ndgi_good(w, x->b_good);
}

/* Moves n rows by one or two indices, bad ones too; returns how many are bad.
 * packed: as ndgi_is_packed says. Four index rows of short rows are judged
 * before those rows are moved: a store whose address comes late holds up what
 * is read behind it. */
NDGI_INLINE ptrdiff_t ndgi_pass(const ndgi_rows *s, ptrdiff_t n, uintptr_t sub,
        int what, int kind, int packed, int depth) {
    const ptrdiff_t  size = ndgi_kind_size(kind, s->bytes);
    const uintptr_t  step = (uintptr_t)(packed ? size : s->line_step);
    const ptrdiff_t  next = packed ? 4 * depth : s->next;
    const int        width = packed || what != NDGI_DROP ? 4 : s->width;
    const ndgi_axes4 x = ndgi_axes4_of(s, depth, packed ? size : *s->stride);
    const uintptr_t  t = s->table;
    const ndgi_byte *p = s->indices;
    uintptr_t        line = s->line, goods = 0;
    ptrdiff_t        i = 0;
    for (; packed && kind <= NDGI_16 && i + 3 < n; i += 4) {
        const ndgi_byte *q = p + i * next;
        uintptr_t        e = t, f = t, g = t, h = t;
        const uintptr_t  a = ndgi_good_row(&e, &x, q, width, depth);
        const uintptr_t  b = ndgi_good_row(&f, &x, q + next, width, depth);
        const uintptr_t  c = ndgi_good_row(&g, &x, q + 2 * next, width, depth);
        const uintptr_t  d = ndgi_good_row(&h, &x, q + 3 * next, width, depth);
        ndgi_pass_row(line, e, a, sub, size, what, kind);
        ndgi_pass_row(line + step, f, b, sub, size, what, kind);
        ndgi_pass_row(line + 2 * step, g, c, sub, size, what, kind);
        ndgi_pass_row(line + 3 * step, h, d, sub, size, what, kind);
        line += 4 * step;
        goods += a + b + c + d;
    }
    for (; i < n; i++, line += step) {
        uintptr_t       at = t;
        const uintptr_t good = ndgi_good_row(&at, &x, p + i * next, width,
                                             depth);
        ndgi_pass_row(line, at, good, sub, size, what, kind);
        goods += good;
    }
    return n + (ptrdiff_t)goods;
}

/* The same for a scatter, which drops bad rows. */
NDGI_INLINE ptrdiff_t ndgi_drop(const ndgi_rows *s, ptrdiff_t n,
        uintptr_t sub, int kind) {
    return kind < NDGI_CALL && ndgi_is_packed(s)
         ? ndgi_pass(s, n, sub, NDGI_DROP, kind, 1, 1)
         : ndgi_pass(s, n, sub, NDGI_DROP, kind, 0, 1);
}

NDGI_HOT ptrdiff_t ndgi_run_drops(const ndgi_rows *s, ptrdiff_t n,
        uintptr_t sub) {
    NDGI_BY_KIND(s->kind, return ndgi_drop(s, n, sub, by))
}
NDGI_HOT ptrdiff_t ndgi_run_drops2(const ndgi_rows *s, ptrdiff_t n,
        uintptr_t sub) {
    NDGI_BY_KIND(s->kind, return by >= NDGI_CALL ? 0
                     : ndgi_pass(s, n, sub, NDGI_DROP, by, 1, 2))
}

/* The same for a gather of rows of up to NDGI_SHORT bytes: fills bad ones, or
 * skips them. */
NDGI_INLINE ptrdiff_t ndgi_instead(const ndgi_rows *s, ptrdiff_t n,
        uintptr_t sub, int what, int kind, int packed, int depth) {
    if (kind >= NDGI_CALL) return 0;                     /* does not happen */
    return what == NDGI_FILL
         ? ndgi_pass(s, n, sub, NDGI_FILL, kind, packed, depth)
         : ndgi_pass(s, n, sub, NDGI_SKIP, kind, packed, depth);
}

NDGI_HOT ptrdiff_t ndgi_run_instead(const ndgi_rows *s, ptrdiff_t n,
        uintptr_t sub, int what) {
    NDGI_BY_KIND(s->kind, return ndgi_instead(s, n, sub, what, by, 1, 1))
}
NDGI_HOT ptrdiff_t ndgi_run_instead_steps(const ndgi_rows *s, ptrdiff_t n,
        uintptr_t sub, int what) {
    NDGI_BY_KIND(s->kind, return ndgi_instead(s, n, sub, what, by, 0, 1))
}
NDGI_HOT ptrdiff_t ndgi_run_instead2(const ndgi_rows *s, ptrdiff_t n,
        uintptr_t sub, int what) {
    NDGI_BY_KIND(s->kind, return ndgi_instead(s, n, sub, what, by, 1, 2))
}

/* Scatters near packed rows by one packed index, of 2 or 8 bytes if the rows
 * have up to 16, and else of any usual size; returns -1 for others. */
NDGI_INLINE ptrdiff_t ndgi_put_words(const ndgi_rows *s, ptrdiff_t n,
        int kind) {
    if (s->next != s->width || s->line_step != s->bytes) return -1;
    if (s->width == 8 && kind <= NDGI_16)
        return ndgi_fused(s, n, NDGI_PUT, kind, 8, 1, NDGI_TIGHT);
    if (s->width == 2 && kind <= NDGI_16)
        return ndgi_fused(s, n, NDGI_PUT, kind, 2, 1, NDGI_TIGHT);
    if (kind <= NDGI_16 || *s->stride != s->bytes) return -1;
    return s->width == 8 ? ndgi_usual(s, n, NDGI_PUT, kind, 8, 1)
         : s->width == 2 ? ndgi_usual(s, n, NDGI_PUT, kind, 2, 1) : -1;
}

/* Scatters rows by one index. Small far rows are prefetched. Longer ones are
 * not, because no copy waits for the line that it writes to. */
NDGI_INLINE ptrdiff_t ndgi_scattered(const ndgi_rows *s, ptrdiff_t n, int asks,
        int kind) {
    const int width = s->width;
    ptrdiff_t done;
    if (asks && kind <= NDGI_16)
        return ndgi_fused(s, n, NDGI_PUT_FAR, kind, width, 1, NDGI_STEPS);
    if (width == 4) return ndgi_fused(s, n, NDGI_PUT, kind, 4, 1, NDGI_STEPS);
    done = ndgi_put_words(s, n, kind);
    if (done >= 0) return done;
    if (width == 8) return ndgi_fused(s, n, NDGI_PUT, kind, 8, 1, NDGI_STEPS);
    if (width > 2) return 0;                             /* go by chunks */
    return width == 2 ? ndgi_fused(s, n, NDGI_PUT, kind, 2, 1, NDGI_STEPS)
                      : ndgi_fused(s, n, NDGI_PUT, kind, 1, 1, NDGI_STEPS);
}

/* Scatters near rows by two indices. */
NDGI_INLINE ptrdiff_t ndgi_scattered2(const ndgi_rows *s, ptrdiff_t n,
        int kind) {
    const int width = s->width;
    if (width == 4) return ndgi_fused(s, n, NDGI_PUT, kind, 4, 2, NDGI_STEPS);
    if (kind > NDGI_TO_64) return 0;                     /* does not happen */
    return width == 8 ? ndgi_fused(s, n, NDGI_PUT, kind, 8, 2, NDGI_STEPS)
         : width == 2 ? ndgi_fused(s, n, NDGI_PUT, kind, 2, 2, NDGI_STEPS)
                      : ndgi_fused(s, n, NDGI_PUT, kind, 1, 2, NDGI_STEPS);
}

/* Scatters packed rows by one packed index of 4 bytes. */
NDGI_INLINE ptrdiff_t ndgi_put_packed(const ndgi_rows *s, ptrdiff_t n,
        int asks, int kind) {
    if (kind > NDGI_16) {
        const ptrdiff_t done = ndgi_usual(s, n, NDGI_PUT, kind, 4, 1);
        return done >= 0 ? done : ndgi_fused(s, n, NDGI_PUT, kind, 4, 1,
                                             NDGI_TIGHT);
    }
    return asks ? ndgi_fused(s, n, NDGI_PUT_FAR, kind, 4, 1, NDGI_DENSE)
                : ndgi_fused(s, n, NDGI_PUT, kind, 4, 1, NDGI_DENSE);
}

NDGI_HOT ptrdiff_t ndgi_run_put(const ndgi_rows *s, ptrdiff_t n,
        int asks) {
    NDGI_BY_KIND(s->kind, return ndgi_put_packed(s, n, asks, by))
}

NDGI_HOT ptrdiff_t ndgi_run_scattered(const ndgi_rows *s, ptrdiff_t n,
        int asks) {
    NDGI_BY_KIND(s->kind, return ndgi_scattered(s, n, asks, by))
}
NDGI_HOT ptrdiff_t ndgi_run_scattered2(const ndgi_rows *s, ptrdiff_t n) {
    NDGI_BY_KIND(s->kind, return ndgi_scattered2(s, n, by))
}
/* The same by three of 4 bytes. */
NDGI_HOT ptrdiff_t ndgi_run_scattered3(const ndgi_rows *s, ptrdiff_t n) {
    NDGI_BY_KIND(s->kind, return by > NDGI_TO_64 ? 0
                 : ndgi_fused(s, n, NDGI_PUT, by, 4, 3, NDGI_STEPS))
}

/* Scatters packed rows of up to 16 bytes by packed pairs. */
NDGI_INLINE ptrdiff_t ndgi_put_pairs(const ndgi_rows *s, ptrdiff_t n,
        int kind) {
    if (kind > NDGI_16) return 0;                        /* does not happen */
    return s->width == 4 ? ndgi_fused(s, n, NDGI_PUT, kind, 4, 2, NDGI_DENSE)
         : s->width == 8 ? ndgi_fused(s, n, NDGI_PUT, kind, 8, 2, NDGI_DENSE)
         : s->width == 2 ? ndgi_fused(s, n, NDGI_PUT, kind, 2, 2, NDGI_DENSE)
                         : ndgi_fused(s, n, NDGI_PUT, kind, 1, 2, NDGI_DENSE);
}

NDGI_HOT ptrdiff_t ndgi_run_put2(const ndgi_rows *s, ptrdiff_t n) {
    NDGI_BY_KIND(s->kind, return ndgi_put_pairs(s, n, by))
}

/* How many rows a ring has room for: NDGI_AHEAD and three times NDGI_FEW at
 * least, and a power of two. */
enum { NDGI_RING = 2 * NDGI_AHEAD };

/* Where rows that wait in a ring lie, and where they go. */
typedef struct ndgi_kept {
    uintptr_t from[NDGI_RING], to[NDGI_RING];
} ndgi_kept;

/* Copies rows first ... last-1 of those that came to a ring, `from` and `to`
 * bytes behind where it says. */
NDGI_HOT void ndgi_copy_kept(const ndgi_kept *r, size_t first, size_t last,
        uintptr_t from, uintptr_t to, ptrdiff_t bytes, int kind) {
    NDGI_BY_KIND(kind, for (; first < last; first++)
        ndgi_copy_at(r->to[first % NDGI_RING] + to,
                     r->from[first % NDGI_RING] + from,
                     ndgi_kind_size(by, bytes), by))
}

/* Scatters those of n rows by one index that a range wants, up to the first bad
 * one; returns how many rows it has looked at. Nobody can predict which are
 * wanted, so arithmetic keeps them in a ring. There they wait, prefetched if
 * the range exceeds the caches near a core, until NDGI_AHEAD more are found. */
NDGI_HOT ptrdiff_t ndgi_run_ring(const ndgi_job *j, ptrdiff_t n) {
    const ndgi_rows *s = &j->s;
    const int        kind = s->kind, width = s->width;
    const ptrdiff_t  bytes = s->bytes, next = s->next;
    const ndgi_byte *p = s->indices;
    const uintptr_t  stride = (uintptr_t)*s->stride, table = s->table;
    const uintptr_t  step = (uintptr_t)s->line_step;
    const uint64_t   limit = s->limit, unit = j->list ? 1 : (uint64_t)stride;
    const uint64_t   count = (uint64_t)j->count;
    const uint64_t   first = (uint64_t)j->first - (uint64_t)j->at.out;
    const int        ask = count * (j->list ? (uint64_t)stride : 1)
                         > 4 * (uint64_t)NDGI_FAR_BYTES;
    uintptr_t        line = s->line;
    size_t           kept = 0, asked = 0, done = 0;
    ptrdiff_t        i = 0, stop, k;
    ndgi_kept        r;
    do {
        for (stop = ndgi_min(i + 2 * NDGI_FEW, n); i < stop; i++) {
            const uint64_t v = ndgi_index(p + i * next, width);
            if (NDGI_RARE(v >= limit)) break;
            r.from[kept % NDGI_RING] = line;
            r.to[kept % NDGI_RING] = table + (uintptr_t)v * stride;
            kept += v * unit - first < count;
            line += step;
        }
        if (i < stop) n = i;
        for (; kept - asked >= NDGI_FEW; asked += NDGI_FEW) {
            for (k = 0; ask && k < NDGI_FEW; k++) {
                const size_t at = (asked + (size_t)k) % NDGI_RING;
                if (bytes >= 64) ndgi_prefetch(r.from[at], bytes, kind);
                if (kind < NDGI_LINE) ndgi_prefetch(r.to[at], bytes, kind);
            }
            if (asked - done < NDGI_AHEAD) continue;
            ndgi_copy_kept(&r, done, done + NDGI_FEW, 0, 0, bytes, kind);
            done += NDGI_FEW;
        }
    } while (i < n);
    ndgi_copy_kept(&r, done, kept, 0, 0, bytes, kind);
    return n;
}

/* Copies n rows of a gather, or if `scatter` of a scatter, up to the first bad
 * one; returns how many. plain: a gather's rows are those of ndg_gather_rows,
 * packed and with one index. */
NDGI_INLINE ptrdiff_t ndgi_run_fused(const ndgi_rows *s, ptrdiff_t n, int asks,
        int scatter, int plain) {
    if (scatter && s->depth == 1 && ndgi_is_packed(s))
        return ndgi_run_put(s, n, asks);
    if (scatter && s->depth == 2 && s->kind <= NDGI_16 && ndgi_is_dense(s))
        return ndgi_run_put2(s, n);
    if (scatter)
        return s->depth == 1 ? ndgi_run_scattered(s, n, asks)
             : s->depth == 2 ? ndgi_run_scattered2(s, n)
                             : ndgi_run_scattered3(s, n);
    if (asks && (plain || s->depth == 1)) return ndgi_run_far(s, n);
    if (asks) return ndgi_run_far_vectors(s, n);
    if (plain || (s->depth == 1 && s->tight)) return ndgi_run_packed(s, n);
    return s->depth == 1 ? ndgi_run_near1(s, n)
         : s->depth == 2 ? ndgi_run_near2(s, n)
         : s->depth == 3 ? ndgi_run_near3(s, n) : ndgi_run_near4(s, n);
}

/* Prefetches n packed rows of a gather by indices that nobody has checked. */
NDGI_INLINE void ndgi_ask_rows(const ndgi_rows *s, ptrdiff_t n) {
    const ndgi_byte *row = s->indices;
    ptrdiff_t        i;
    int              k;
    for (i = 0; i < n; i++) {
        uintptr_t at = s->table;
        for (k = 0; k < s->depth; k++, row += s->width)
            at += (uintptr_t)ndgi_word(row, s->width) * (uintptr_t)s->stride[k];
        ndgi_prefetch(at, s->bytes, s->kind);
    }
}

/* ---- >>numbers: indices of any type as 32 bits ---------------------------*/
/* The largest extent whose indices are handled as 32-bit numbers. */
enum { NDGI_NUMBER_EXTENT = 1 << 30 };

/* What becomes of bad numbers: they are marked, go to one place if they are
 * too low and to another if too high, or go where WRAP sends them. */
enum { NDGI_MARK, NDGI_TO_EDGE, NDGI_AROUND };

/* How one component of the index vectors is read and judged. */
typedef struct ndgi_axis {
    signed char type, how, ends;   /* ends: negatives count from the end */
    signed char shift;         /* AROUND: of ndgi_reduced */
    int32_t  extent;           /* at most NDGI_NUMBER_EXTENT */
    int32_t  low, high;        /* TO_EDGE: the two places */
    uint32_t magic;            /* AROUND: the same */
    uint32_t units, first;     /* of places: an index takes, are added */
    int64_t  mask, add;        /* of ndg_index_changed */
} ndgi_axis;

/* As many numbers as a register holds. */
#if NDGI_SIMD
typedef int32_t  ndgi_lanes __attribute__((vector_size(16)));
typedef uint32_t ndgi_ulanes __attribute__((vector_size(16)));
typedef uint64_t ndgi_wide __attribute__((vector_size(16)));
typedef uint16_t ndgi_halves __attribute__((vector_size(8)));
typedef uint64_t ndgi_wide4 __attribute__((vector_size(32)));
#else
typedef int32_t  ndgi_lanes;
typedef uint32_t ndgi_ulanes;
#endif
enum { NDGI_LANES = (int)(sizeof(ndgi_lanes) / sizeof(int32_t)) };

/* Returns x in every lane. */
NDGI_INLINE ndgi_lanes ndgi_all(int32_t x) {
#if NDGI_SIMD
    const ndgi_lanes all = { x, x, x, x };
    return all;
#else
    return x;
#endif
}

/* True if a lane has its sign bit set. */
NDGI_INLINE int ndgi_has_sign(ndgi_lanes x) {
#if NDGI_SIMD
    uint64_t half[2];
    NDG_MEMCPY(half, &x, sizeof half);
    return ((half[0] | half[1]) & (uint64_t)0x8000000080000000) != 0;
#else
    return x < 0;
#endif
}

/* True if index rows are packed pairs of NDG_I32. */
NDGI_INLINE int ndgi_is_pair(int type, int depth, ptrdiff_t step,
        ptrdiff_t next) {
    return type == NDG_I32 && depth == 2 && step == 4 && next == 8;
}

/* Maps a v outside int32_t to an int32_t that is bad as well, and that every
 * policy sends to the same place. */
NDGI_OPAQUE int32_t ndgi_shortened(const ndgi_axis *a, int64_t v, int is_u64) {
    if (a->how == NDGI_AROUND)
        return (int32_t)ndg_index_wrap(v, is_u64, a->extent) - a->extent
             - (a->ends ? a->extent : 0);
    return v < 0 && !is_u64 ? INT32_MIN : INT32_MAX;
}

#if NDGI_SIMD
/* Reads most of n packed 2-byte indices; returns how many. */
NDGI_INLINE ptrdiff_t ndgi_widen(int32_t *number, const ndgi_byte *p,
        ptrdiff_t n, int is_signed) {
    const ndgi_lanes sign = ndgi_all(is_signed ? 1 << 15 : 0);
    ptrdiff_t        i = 0;
    for (; i + 3 < n; i += 4) {
        ndgi_halves halves;
        ndgi_lanes  x;
        NDG_MEMCPY(&halves, p + 2 * i, sizeof halves);
        x = __builtin_convertvector(halves, ndgi_lanes);
        x = (x ^ sign) - sign;
        NDG_MEMCPY(number + i, &x, sizeof x);
    }
    return i;
}

/* Reads most of n packed 8-byte indices, up to those that do not fit; returns
 * how many. */
NDGI_INLINE ptrdiff_t ndgi_narrow(int32_t *number, const ndgi_byte *p,
        ptrdiff_t n, int is_signed) {
    ptrdiff_t i = 0;
    for (; i + 3 < n; i += 4) {
        ndgi_wide4 x;
        ndgi_lanes low, high;
        uint64_t   odd[2];
        NDG_MEMCPY(&x, p + 8 * i, sizeof x);
        low = __builtin_convertvector(x, ndgi_lanes);
        high = __builtin_convertvector(x >> 32, ndgi_lanes);
        high = is_signed ? high ^ (low >> 31) : high | (low >> 31);
        NDG_MEMCPY(odd, &high, sizeof odd);
        if (NDGI_RARE((odd[0] | odd[1]) != 0)) break;
        NDG_MEMCPY(number + i, &low, sizeof low);
    }
    return i;
}
#endif

/* Reads most of n 4-byte indices, one of each packed pair; returns how many. It
 * loads the words behind them, too, up to the first one of pair i + 4. */
NDGI_INLINE ptrdiff_t ndgi_halve(int32_t *number, const ndgi_byte *p,
        ptrdiff_t n) {
    ptrdiff_t i = 0;
#if NDGI_SIMD
    for (; i + 4 < n; i += 4) {
        ndgi_wide4 x;
        ndgi_lanes low;
        NDG_MEMCPY(&x, p + 8 * i, sizeof x);
        low = __builtin_convertvector(x, ndgi_lanes);
        NDG_MEMCPY(number + i, &low, sizeof low);
    }
#else
    (void)number, (void)p, (void)n;
#endif
    return i;
}

/* Reads n indices, `next` bytes apart, into `number`, from where all later
 * steps read them: each is taken once. One test tells whether four fit: v +
 * 2^31 of a signed index is below 2^32, v of an unsigned one below 2^31. */
NDGI_INLINE void ndgi_numbers(int32_t *number, const ndgi_byte *p, ptrdiff_t n,
        ptrdiff_t next, const ndgi_axis *a, int width, int is_signed) {
    const int      fits = width < 4 || (width == 4 && is_signed);
    const int      shift = is_signed ? 64 - 8 * width : 0;
    const int      top = is_signed ? 32 : 31;
    const uint64_t middle = is_signed ? (uint64_t)1 << 31 : 0;
    ptrdiff_t      i = 0;
#if NDGI_SIMD
    if (width == 2 && next == 2) i = ndgi_widen(number, p, n, is_signed);
    if (width == 8 && next == 8) i = ndgi_narrow(number, p, n, is_signed);
#endif
    for (; i + 3 < n; i += 4) {
        const uint64_t x = ndgi_index(p + i * next, width);
        const uint64_t y = ndgi_index(p + (i + 1) * next, width);
        const uint64_t z = ndgi_index(p + (i + 2) * next, width);
        const uint64_t w = ndgi_index(p + (i + 3) * next, width);
        if (!fits && NDGI_RARE(((x + middle) | (y + middle) | (z + middle)
                                | (w + middle)) >> top)) break;
        number[i] = (int32_t)ndgi_signed(x, shift);
        number[i + 1] = (int32_t)ndgi_signed(y, shift);
        number[i + 2] = (int32_t)ndgi_signed(z, shift);
        number[i + 3] = (int32_t)ndgi_signed(w, shift);
    }
    for (; i < n; i++) {
        const uint64_t x = ndgi_index(p + i * next, width);
        number[i] = (int32_t)ndgi_signed(x, shift);
        if (!fits && NDGI_RARE((x + middle) >> top))
            number[i] = ndgi_shortened(a, (int64_t)x, !is_signed && x >> 63);
    }
}

/* The same for indices that index_mask and index_add change. If these are
 * brief, no sum exceeds 64 bits, and one test tells whether it is a number. */
NDGI_INLINE void ndgi_changed_numbers(int32_t *number, const ndgi_byte *p,
        ptrdiff_t n, ptrdiff_t next, const ndgi_axis *axis, int type,
        int width) {
    const int      shift = type < NDG_U8 ? 64 - 8 * width : 0;
    const uint64_t middle = (uint64_t)1 << 31, add = (uint64_t)axis->add;
    const uint64_t mask = axis->mask ? (uint64_t)axis->mask : UINT64_MAX;
    const int      brief = (add + middle) >> 32 == 0
                        && (mask >> 32 == 0 || (!axis->mask && width < 8));
    ptrdiff_t      i;
    for (i = 0; i < n; i++, p = ndgi_from(p, next)) {
        const uint64_t x = ndgi_signed(ndgi_index(p, width), shift);
        const uint64_t sum = (x & mask) + add;
        int            is_u64 = type == NDG_U64 && x >> 63;
        int64_t        v;
        number[i] = (int32_t)sum;
        if (brief && !NDGI_RARE((sum + middle) >> 32)) continue;
        v = ndg_index_changed((int64_t)x, &is_u64, axis->mask, axis->add);
        number[i] = ((uint64_t)v + middle) >> 32 || is_u64
                  ? ndgi_shortened(axis, v, is_u64) : (int32_t)v;
    }
}

/* Reads numbers of any type, which nothing changes yet. Only types with a loop
 * of their own are named. pair: as ndgi_is_pair says. */
NDGI_HOT void ndgi_read_plain(int32_t *number, const ndgi_byte *p, ptrdiff_t n,
        ptrdiff_t next, const ndgi_axis *a, int type, int pair) {
    ptrdiff_t i;
    switch (type) {
    case NDG_I8:  ndgi_numbers(number, p, n, next, a, 1, 1); break;
    case NDG_U8:  ndgi_numbers(number, p, n, next, a, 1, 0); break;
    case NDG_I16: ndgi_numbers(number, p, n, next, a, 2, 1); break;
    case NDG_U16: ndgi_numbers(number, p, n, next, a, 2, 0); break;
    case NDG_U32: ndgi_numbers(number, p, n, next, a, 4, 0); break;
    case NDG_I64: ndgi_numbers(number, p, n, next, a, 8, 1); break;
    case NDG_U64: ndgi_numbers(number, p, n, next, a, 8, 0); break;
    case NDG_I32:
        i = pair ? ndgi_halve(number, p, n) : 0;
        if (next == 4) NDG_MEMCPY(number, p, (size_t)n * 4);
        else ndgi_numbers(number + i, p + i * next, n - i, next, a, 4, 1);
        break;
    default: ndgi_changed_numbers(number, p, n, next, a, type,
                                  (int)ndgi_type_bytes(type));
    }
}

/* True if the low word of an index tells what number it becomes. */
NDGI_INLINE int ndgi_changes_words(const ndgi_axis *a, int width) {
    return a->add == (int32_t)a->add && a->mask == (int32_t)a->mask
        && (width == 1 || width == 2 || width == 4
            || (width == 8 && a->mask > 0 && NDGI_SIMD));
}

/* True if no such sum can overflow, as with a mask of 31 bits. */
NDGI_INLINE int ndgi_is_sure(const ndgi_axis *a, int width) {
    const int64_t most = a->mask > 0 ? a->mask : UINT16_MAX;
    return (a->mask > 0 || (a->mask == 0 && width <= 2))
        && a->add >= INT32_MIN / 2 && a->add <= INT32_MAX - most;
}

/* Changes n such words; `from` may be `number`. Returns how many, up to some
 * that have to be looked at closely. Unless all sums are sure, one whose sign
 * is that of neither word has overflown, and an unsigned word may have a sign.
 */
NDGI_INLINE ptrdiff_t ndgi_change_words(int32_t *number, const ndgi_byte *from,
        ptrdiff_t n, const ndgi_axis *axis, int sure) {
    const ndgi_lanes mask = ndgi_all(axis->mask ? (int32_t)axis->mask : -1);
    const ndgi_lanes add = ndgi_all((int32_t)axis->add);
    const ndgi_lanes sign = ndgi_all(axis->type == NDG_U32 ? -1 : 0);
    ptrdiff_t        i;
    for (i = 0; i + NDGI_LANES <= n; i += NDGI_LANES) {
        ndgi_lanes x, sum;
        NDG_MEMCPY(&x, from + 4 * i, sizeof x);
        x &= mask;
        sum = (ndgi_lanes)((ndgi_ulanes)x + (ndgi_ulanes)add);
        if (!sure && NDGI_RARE(ndgi_has_sign(((sum ^ x) & (sum ^ add))
                                             | (x & sign)))) break;
        NDG_MEMCPY(number + i, &sum, sizeof sum);
    }
    return i;
}

/* Reads numbers of any type, changed by index_mask and index_add. */
NDGI_HOT void ndgi_read_numbers(int32_t *number, const ndgi_byte *p,
        ptrdiff_t n, ptrdiff_t next, const ndgi_axis *a, int pair) {
    const int type = a->type, width = (int)ndgi_type_bytes(type);
    const int word = type == NDG_U32 ? NDG_U32 : NDG_I32;
    ptrdiff_t i, few;
    if (!(a->mask | a->add)) {
        ndgi_read_plain(number, p, n, next, a, type, pair);
        return;
    }
    if (!ndgi_changes_words(a, width)) {
        ndgi_changed_numbers(number, p, n, next, a, type, width);
        return;
    }
    if (width != 4 || next != 4) {
        ndgi_read_plain(number, p, n, next, a, width < 4 ? type : (int)NDG_I32,
                        pair || (width == 8 && next == 8));
        p = (const ndgi_byte *)number;
    }
    for (i = 0;; i += few) {
        if (ndgi_is_sure(a, width))
            i += ndgi_change_words(number + i, p + 4 * i, n - i, a, 1);
        else i += ndgi_change_words(number + i, p + 4 * i, n - i, a, 0);
        few = ndgi_min(n - i, NDGI_LANES);
        if (few == 0) return;
        ndgi_changed_numbers(number + i, p + 4 * i, few, 4, a, word, 4);
    }
}

/* Nobody can predict which rows are bad, and a branch that is predicted wrong
 * costs ten rows. So indices are judged by arithmetic, a register at a time. */

/* Returns a % extent for 0 <= a < 2^31. ndgi_magic has set 2^shift to at least
 * 2^31 * extent, and magic to 2^shift / extent, rounded up. Proof: magic *
 * extent exceeds 2^shift by less than extent, so a times that excess is below
 * 2^shift, and a * magic / 2^shift exceeds a / extent by less than 1 / extent:
 * rounded down they are the same. */
NDGI_INLINE ndgi_lanes ndgi_reduced(ndgi_lanes a, uint32_t magic, int shift,
        int32_t extent) {
#if NDGI_SIMD
    const ndgi_wide m = { magic, magic };
    const ndgi_wide n = { (uint64_t)extent, (uint64_t)extent };
    const ndgi_wide even = NDGI_TIMES((ndgi_wide)a, m) >> shift;
    const ndgi_wide odd = NDGI_TIMES((ndgi_wide)a >> 32, m) >> shift;
    return a - (ndgi_lanes)(NDGI_TIMES(even, n) | NDGI_TIMES(odd, n) << 32);
#else
    const uint64_t q = (uint64_t)a * magic >> shift;
    return (int32_t)((uint64_t)a - q * (uint64_t)extent);
#endif
}

/* Judges indices of one axis: returns where they lead, and sets *bad to all
 * ones where they are bad. Where a marked one leads has no meaning. If `ends`,
 * negative ones count from the end. */
NDGI_INLINE ndgi_lanes ndgi_judge_lanes(ndgi_lanes x, const ndgi_axis *axis,
        int how, int ends, ndgi_lanes *bad) {
    const ndgi_lanes extent = ndgi_all(axis->extent), last = extent - 1;
    ndgi_lanes       below, above, y;
    if (ends) x += extent & (x >> 31);
    if (how == NDGI_MARK) {
        *bad = (x | (ndgi_lanes)((ndgi_ulanes)last - (ndgi_ulanes)x)) >> 31;
        return x;
    }
    below = x >> 31;
    y = x & ~below;
    above = (last - y) >> 31;
    *bad = below | above;
    if (how == NDGI_TO_EDGE)
        y = (y & ~above) | (ndgi_all(axis->high) & above)
          | (ndgi_all(axis->low) & below);
    if (how == NDGI_AROUND) {
        y = ndgi_reduced(x ^ below, axis->magic, axis->shift, axis->extent);
        y = (y ^ below) + (extent & below);
    }
    return y;
}

/* Reads up to `most` of the next n index rows as numbers: first all of one
 * component, then all of the next, `most` apart. Returns how many rows it
 * read. */
static ptrdiff_t ndgi_next_numbers(const ndgi_rows *s, int32_t *number,
        ptrdiff_t most, const ndgi_byte *p, ptrdiff_t n) {
    const int pair = ndgi_is_pair(s->type, s->depth, s->step, s->next);
    ndgi_axis any = NDG_ZERO_INIT;           /* which judges nothing */
    ptrdiff_t i;
    int       k;
    any.type = (signed char)s->type;
    any.mask = s->mask;
    any.add = s->add;
    n = ndgi_min(n, most);
    for (k = 0; k < s->depth; k++) {
        int32_t *to = number + k * most;
        ndgi_read_numbers(to, p + k * s->step, n, s->next, &any, pair);
        for (i = 0; s->ends && i < n; i += NDGI_LANES) {
            ndgi_lanes x;
            NDG_MEMCPY(&x, to + i, sizeof x);
            x += ndgi_all((int32_t)s->extent[k]) & (x >> 31);
            NDG_MEMCPY(to + i, &x, sizeof x);
        }
    }
    return n;
}

/* Does what ndgi_run_fused does, by indices of any type, also from the end, or
 * changed by index_mask and index_add. More than some hundred rows are faster
 * by chunks. */
NDGI_INLINE ptrdiff_t ndgi_run_numbers(const ndgi_rows *s, ptrdiff_t n,
        int scatter) {
    const ptrdiff_t most = s->depth < 3 ? NDGI_AHEAD : NDGI_AHEAD / 2;
    int32_t         number[2 * NDGI_AHEAD];
    ndgi_rows       now = *s;
    ptrdiff_t       done = 0, found, copied;
    now.indices = (const ndgi_byte *)number;
    now.width = 4;
    now.next = 4;
    now.step = 4 * most;
    now.limit = (uint64_t)s->extent[0];
    now.ends = 0;
    now.tight = s->tight && s->depth == 1;
    do {
        found = ndgi_next_numbers(s, number, most,
                                  ndgi_from(s->indices, done * s->next),
                                  n - done);
        now.left = found;
        copied = ndgi_run_fused(&now, found, 0, scatter, 0);
        done += copied;
        now.line += (uintptr_t)copied * (uintptr_t)s->line_step;
    } while (copied == found && done < n);
    return done;
}

NDGI_HOT ptrdiff_t ndgi_gather_numbers(const ndgi_rows *s, ptrdiff_t n) {
    return ndgi_run_numbers(s, n, 0);
}
NDGI_HOT ptrdiff_t ndgi_scatter_numbers(const ndgi_rows *s, ptrdiff_t n) {
    return ndgi_run_numbers(s, n, 1);
}

/* ---- >>chunks: rows of any kind, some at a time --------------------------*/
/* Rows that were found and not moved yet: where each lies, and where it goes,
 * in the first copy step. A bad row of several that is filled lies at 0. */
typedef struct ndgi_chunk {
    uintptr_t from[NDGI_PAIRED], to[NDGI_PAIRED];
    ptrdiff_t n;
} ndgi_chunk;

/* There is room for the lanes behind the last place. */
enum { NDGI_PLACES = NDGI_CHUNK + (int)NDGI_LANES - 1 };

/* How a job finds rows: as places that count units of some bytes (for a list,
 * rows) or, if there is no unit, row by row. Place 0 is the lowest that indices
 * can reach, `below` bytes before the table. */
typedef struct ndgi_finder {
    ndgi_job  *j;
    ptrdiff_t  unit;
    uintptr_t  below;
    ndgi_axis  axis[NDG_MAX_DEPTH];
    int32_t    place[NDGI_PLACES];
} ndgi_finder;

/* Returns how far the last of n places lies from the first. It was measured
 * before, so it fits. */
static ptrdiff_t ndgi_reach(ptrdiff_t n, ptrdiff_t stride) {
    return n < 2 ? 0 : (n - 1) * (stride < 0 ? -stride : stride);
}

/* Returns the unit of places: a number of bytes that divides all strides, such
 * that all indices together add less than 2^31 units; 0 if there is none. One
 * index counts its own stride, so the strides of a list need no measuring. */
static ptrdiff_t ndgi_unit(const ndgi_reader *q) {
    size_t    all = 0;
    ptrdiff_t reach = 0;
    int       k;
    for (k = 0; k < q->depth; k++) {
        if (q->extent[k] > NDGI_NUMBER_EXTENT) return 0;
        if (q->depth > 1) reach += ndgi_reach(q->extent[k], q->stride[k]);
        all |= (size_t)q->stride[k];
    }
    if (q->depth == 1 && all) return q->stride[0];
    all = all ? all & (0 - all) : 1;
    return reach / (ptrdiff_t)all <= INT32_MAX ? (ptrdiff_t)all : 0;
}

/* Sets what ndgi_reduced multiplies with and shifts by. */
static void ndgi_magic(ndgi_axis *a, uint64_t extent) {
    a->shift = 31;
    while ((uint64_t)1 << (a->shift - 31) < extent) a->shift++;
    a->magic = (uint32_t)((((uint64_t)1 << a->shift) + extent - 1) / extent);
}

/* Says how component k is read and judged. place: bad indices have one. */
static void ndgi_axis_of(ndgi_axis *a, const ndgi_reader *q, int k, int place) {
    const ptrdiff_t extent = q->extent[k];
    a->type = (signed char)q->type;
    a->how = !place ? NDGI_MARK : q->policy == NDG_WRAP ? NDGI_AROUND
                                                        : NDGI_TO_EDGE;
    a->mask = q->mask;
    a->add = q->add;
    a->ends = (signed char)q->negative;
    a->extent = (int32_t)extent;
    a->low = a->high = 0;
    a->magic = 0;
    a->shift = 0;
    if (a->how == NDGI_TO_EDGE) {
        a->low = (int32_t)ndg_index_place(-1, 0, extent, q->policy);
        a->high = (int32_t)ndg_index_place(extent, 0, extent, q->policy);
    }
    if (a->how == NDGI_AROUND) ndgi_magic(a, (uint64_t)extent);
    a->units = 1;
    a->first = 0;
}

static void ndgi_finder_begin(ndgi_finder *f, ndgi_job *j) {
    const ndgi_reader *q = &j->q;
    int      k;
    uint32_t first = 0;              /* what place 0 is for the table */
    f->j = j;
    f->unit = ndgi_unit(q);
    for (k = 0; f->unit && k < q->depth; k++) {
        const ptrdiff_t stride = q->stride[k];
        ndgi_axis      *a = f->axis + k;
        ndgi_axis_of(a, q, k, j->place);
        if (stride != f->unit) a->units = (uint32_t)(stride / f->unit);
        if ((int32_t)a->units < 0)
            first -= a->units * (uint32_t)(a->extent - 1);
    }
    f->axis->first = first;
    f->below = first * (uintptr_t)f->unit;
}

/* Judges n numbers of one axis, the first or a later one, and adds to the
 * places what they contribute: the number itself if `plain`. A bad row that has
 * no place gets -1; one that has is remembered in `bads`. Returns how many rows
 * are bad so far. */
NDGI_INLINE ptrdiff_t ndgi_judge_axis(int32_t *place, int32_t *bads,
        const int32_t *number, ptrdiff_t n, const ndgi_axis *axis, int how,
        int first, int plain) {
    const ndgi_axis   a = *axis;             /* which no store changes */
    const ndgi_ulanes units = (ndgi_ulanes)ndgi_all((int32_t)a.units);
    const ndgi_ulanes from = (ndgi_ulanes)ndgi_all((int32_t)a.first);
    ndgi_lanes        count = ndgi_all(0);
    int32_t           each[NDGI_LANES];
    ptrdiff_t         i, sum = 0;
    for (i = 0; i < n; i += NDGI_LANES) {
        ndgi_lanes x, bad, more;
        NDG_MEMCPY(&x, number + i, sizeof x);
        x = ndgi_judge_lanes(x, &a, how, a.ends, &bad);
        if (!plain) x = (ndgi_lanes)((ndgi_ulanes)x * units + from);
        if (!first) {
            NDG_MEMCPY(&more, place + i, sizeof more);
            x = (ndgi_lanes)((ndgi_ulanes)x + (ndgi_ulanes)more);
            if (how != NDGI_MARK) NDG_MEMCPY(&more, bads + i, sizeof more);
            bad |= more >> 31;
        }
        if (how == NDGI_MARK) x |= bad;
        else if (!first || !plain) NDG_MEMCPY(bads + i, &bad, sizeof bad);
        count -= bad;
        NDG_MEMCPY(place + i, &x, sizeof x);
    }
    NDG_MEMCPY(each, &count, sizeof count);
    for (i = 0; i < NDGI_LANES; i++) sum += each[i];
    return ndgi_min(n, sum);
}

/* The same, with constants. `only`: there is no other axis. */
NDGI_INLINE ptrdiff_t ndgi_judge_how(int32_t *place, int32_t *bads,
        const int32_t *number, ptrdiff_t n, const ndgi_axis *a, int how,
        int first, int only) {
    const int plain = a->units == 1 && (only || !first);
    if (first)
        return plain ? ndgi_judge_axis(place, bads, number, n, a, how, 1, 1)
                     : ndgi_judge_axis(place, bads, number, n, a, how, 1, 0);
    return plain ? ndgi_judge_axis(place, bads, number, n, a, how, 0, 1)
                 : ndgi_judge_axis(place, bads, number, n, a, how, 0, 0);
}

NDGI_HOT ptrdiff_t ndgi_judge_numbers(int32_t *place, int32_t *bads,
        const int32_t *number, ptrdiff_t n, const ndgi_axis *a, int first,
        int only) {
    return a->how == NDGI_MARK
         ? ndgi_judge_how(place, bads, number, n, a, NDGI_MARK, first, only)
         : a->how == NDGI_TO_EDGE
         ? ndgi_judge_how(place, bads, number, n, a, NDGI_TO_EDGE, first, only)
         : ndgi_judge_how(place, bads, number, n, a, NDGI_AROUND, first, only);
}

/* Reads and judges the next n index rows, which lie in the two innermost loops;
 * returns how many are bad. */
static ptrdiff_t ndgi_find_places(const ndgi_finder *f, int32_t *place,
        ptrdiff_t n) {
    const ndgi_job    *j = f->j;
    const ndgi_reader *q = &j->q;
    const ndg_level   *a = j->at.level, *b = a + (j->at.levels > 1);
    const size_t       jump = (size_t)b->indices  /* to the next loop, if any */
                            - (size_t)a->extent * (size_t)a->indices;
    const int pair = ndgi_is_pair(q->type, q->depth, q->step, q->next);
    int32_t   number[NDGI_PLACES], odd[NDGI_PLACES];
    ptrdiff_t bads = 0, i, m;
    int       k;
    for (i = 0; q->depth == 0 && i < n; i++) place[i] = 0;
    for (k = 0; k < q->depth; k++) {
        const ndgi_byte *p = ndgi_from(q->indices, j->at.indices + k * q->step);
        ptrdiff_t        left = jump ? ndgi_rows_left(j) : n;
        for (i = 0; i < n; i += m, left = a->extent) {
            m = ndgi_min(n - i, left);
            ndgi_read_numbers(number + i, p, m, q->next, f->axis + k, pair);
            p = ndgi_from(p, m * a->indices + (ptrdiff_t)jump);
        }
        for (i = 0; i < NDGI_LANES - 1; i++) number[n + i] = 0;
        bads = ndgi_judge_numbers(place, odd, number, n, f->axis + k, k == 0,
                                  q->depth == 1);
    }
    return bads;
}

/* Writes what ZERO or FILL puts in place of a row. */
NDGI_OPAQUE void ndgi_fill_row(const ndgi_job *j, uintptr_t to) {
    ndgi_fill_all(j->level, j->levels, (ndgi_byte *)to, j->s.bytes,
                  j->q.policy, j->q.fill, j->q.fill_bytes);
}

/* Adds n judged rows to the chunk as pairs. `odd`: there are bad rows that have
 * no place. In a gather they are copied from the job's sub if that is long
 * enough, or else filled at once; without a fill they are left out. In a
 * scatter bad and unwanted rows are left out. Far rows are prefetched. */
NDGI_INLINE void ndgi_pair_rows(const ndgi_finder *f, ndgi_chunk *c,
        ptrdiff_t n, int odd, int scatter) {
    const ndgi_job *j = f->j;
    const int       subs = !j->keep && j->s.kind < NDGI_CALL;
    const int       ask = j->ask, kind = j->s.kind;
    const uintptr_t mask = !scatter && odd && subs ? UINTPTR_MAX : 0;
    const uintptr_t sub = j->levels == 0 ? j->sub : 0;
    const ptrdiff_t gone = scatter || (odd && !subs) ? -1 : 0;
    const int       fills = !scatter && gone && !j->keep;
    const ptrdiff_t bytes = j->s.bytes;
    const ndg_level *a = j->at.level, *b = a + (j->at.levels > 1);
    const uintptr_t step = (uintptr_t)a->source, all = (uintptr_t)a->extent;
    const uintptr_t out_step = (uintptr_t)a->out, base = (uintptr_t)j->out;
    const uintptr_t unit = (uintptr_t)f->unit, one = j->list ? 1 : unit;
    const uint64_t  first = scatter ? (uint64_t)j->first : 0;
    const uint64_t  count = scatter ? (uint64_t)j->count : 0;
    const int32_t  *places = f->place;
    uintptr_t       from = (uintptr_t)j->table + (uintptr_t)j->at.source;
    uintptr_t       to = base + (uintptr_t)j->at.out;
    ptrdiff_t       i = 0, k = c->n, left = ndgi_rows_left(j);
    if (scatter) to -= f->below;
    else from -= f->below;
    for (; i < n; left = a->extent) {
        const ptrdiff_t stop = i + ndgi_min(n - i, left);
        for (; i < stop; i++, from += step, to += out_step) {
            const uintptr_t place = (uintptr_t)(ptrdiff_t)places[i];
            ptrdiff_t       bad = -(ptrdiff_t)(places[i] < 0);
            uintptr_t       row = scatter ? from : from + unit * place;
            const uint64_t  slot = (uint64_t)(to - base + place * one);
            if (scatter) bad |= -(ptrdiff_t)(slot - first >= count);
            if (fills && bad) ndgi_fill_row(j, to);
            row ^= (row ^ sub) & (uintptr_t)bad & mask;
            c->from[k] = row;
            c->to[k] = scatter ? to + unit * place : to;
            k += 1 + (bad & gone);
        }
        from += (uintptr_t)b->source - step * all;
        to += (uintptr_t)b->out - out_step * all;
    }
    for (i = c->n; ask && i < k; i++) {
        if (scatter && kind < NDGI_LINE) ndgi_prefetch(c->to[i], bytes, kind);
        if (!scatter || bytes >= 64) ndgi_prefetch(c->from[i], bytes, kind);
    }
    c->n = k;
}

/* Adds up to n rows as pairs, one by one, up to an error. */
static void ndgi_find_slowly(ndgi_job *j, ndgi_chunk *c, ptrdiff_t n) {
    static const ptrdiff_t one = 1;
    ndgi_reader q = j->q;
    ptrdiff_t   at;
    if (j->list) q.stride = &one;
    for (; n > 0; n--, ndgi_advance(j, 1)) {
        const ndgi_byte *p = q.indices + j->at.indices;
        const int        found = ndgi_judge(&at, &q, p, j->row);
        uintptr_t        from = (uintptr_t)j->table + (uintptr_t)j->at.source;
        uintptr_t        to = (uintptr_t)j->out + (uintptr_t)j->at.out;
        int              wanted = found || !j->out;
        if (j->out && q.r->status) return;
        if (!found && !j->keep && j->out) ndgi_fill_row(j, to);
        if (j->scatter) {
            to += (uintptr_t)at * (j->list ? (uintptr_t)*j->q.stride : 1);
            wanted &= (uint64_t)(j->at.out + at) - (uint64_t)j->first
                    < (uint64_t)j->count;
        } else from += (uintptr_t)at;
        c->from[c->n] = from;
        c->to[c->n] = to;
        c->n += wanted;
    }
}

/* Adds some of the next n rows, which lie in the two innermost loops, to a
 * chunk, or checks them. Errors, and rows for which there is no unit, are found
 * one by one. plain: as in ndgi_run_fused; a program that calls ndg_gather_rows
 * alone gets no more. */
static void ndgi_find(ndgi_finder *f, ndgi_chunk *c, ptrdiff_t n, int plain) {
    ndgi_job *const j = f->j;
    const ptrdiff_t some = ndgi_min(n, j->most - c->n);
    ptrdiff_t       bads;
    int             odd;
    if (!f->unit) { ndgi_find_slowly(j, c, some); return; }
    n = j->out ? some : ndgi_min(n, NDGI_CHUNK);
    bads = ndgi_find_places(f, f->place, n);
    if (bads && j->fails && j->out) {
        ndgi_find_slowly(j, c, n);
        return;
    }
    ndgi_blame(&j->q, &j->at, j->row, n, bads, j->place ? 0 : f->place);
    odd = bads && !j->place;
    if (!j->out) c->n += n;
    else if (!plain && j->scatter) ndgi_pair_rows(f, c, n, odd, 1);
    else ndgi_pair_rows(f, c, n, odd, 0);
    ndgi_advance(j, n);
}

/* Finds the next chunk. Returns whether it found any row: in a scatter all that
 * are left may be unwanted. */
NDGI_HOT int ndgi_next_chunk(ndgi_finder *f, ndgi_chunk *c, int plain) {
    ndgi_job *const j = f->j;
    const ptrdiff_t enough = j->scatter ? j->most / 2 : j->most;
    c->n = 0;
    while (c->n < enough && j->row < j->until) {
        ndgi_find(f, c, ndgi_rows_near(j), plain);
        if (j->out && j->q.r->status) break;
    }
    return c->n > 0;
}

/* Moves rows of a chunk that are in one piece, `from` and `to` bytes behind
 * where it says. While very long rows are moved, those of the next chunk are
 * prefetched line by line. */
NDGI_INLINE void ndgi_move_rows(const ndgi_job *j, const ndgi_chunk *c,
        const ndgi_chunk *next, uintptr_t from, uintptr_t to, int kind) {
    const ptrdiff_t size = ndgi_kind_size(kind, j->s.bytes), n = c->n;
    const int       late = kind == NDGI_LINES && j->cold && !j->ask;
    const ptrdiff_t ask = late ? n - !next->n : 0;
    ptrdiff_t       i = 0, k;
    for (; i < ask; i++) {
        const uintptr_t later = i + 1 < n ? c->from[i + 1] : next->from[0];
        for (k = 0; k < size; k += 64) {
            NDGI_PREFETCH(later + from + (uintptr_t)k);
            ndgi_copy_at(c->to[i] + to + (uintptr_t)k,
                         c->from[i] + from + (uintptr_t)k, 64, NDGI_LINE);
        }
    }
    for (; i < n; i++) {
        const uintptr_t row = c->from[i] ? c->from[i] + from : j->sub;
        ndgi_copy_at(c->to[i] + to, row, size, kind);
    }
}

/* The same for every kind. */
NDGI_HOT void ndgi_move_pieces(const ndgi_job *j, const ndgi_chunk *c,
        const ndgi_chunk *next, uintptr_t from, uintptr_t to) {
    NDGI_BY_KIND(j->s.kind, ndgi_move_rows(j, c, next, from, to, by))
}

/* Fills n bytes with copies of the job's sub, of which whole rows are taken.
 * ndgi_fill reads back what it has just written, and takes a fifth longer. */
NDGI_HOT void ndgi_fill_steps(const ndgi_job *j, uintptr_t to, ptrdiff_t n) {
    const ptrdiff_t piece = NDGI_SHORT / j->s.bytes * j->s.bytes;
    for (; n > 0; n -= piece, to += (uintptr_t)piece)
        NDG_MEMCPY((ndgi_byte *)to, (const ndgi_byte *)j->sub,
                   (size_t)ndgi_min(piece, n));
}

/* Moves n steps of the first level of each row. */
NDGI_HOT void ndgi_move_level(const ndgi_job *j, const ndgi_chunk *c,
        uintptr_t from, uintptr_t to, ptrdiff_t n) {
    const ptrdiff_t bytes = j->s.bytes, step = j->level->source;
    const ptrdiff_t to_step = j->level->out;
    ptrdiff_t       i;
    for (i = 0; i < c->n; i++) {
        const uintptr_t at = c->to[i] + to, row = c->from[i] + from;
        ndgi_byte      *dest = (ndgi_byte *)at;
        if (j->s.kind >= NDGI_LINE)
            ndgi_copy_steps(at, (uintptr_t)to_step, row, (uintptr_t)step, n,
                            bytes, NDGI_LINES);
        else if (c->from[i])
            ndgi_copy_line(dest, to_step, (const ndgi_byte *)row, step, n,
                           bytes);
        else if (to_step == bytes)
            ndgi_fill_steps(j, at, n * bytes);
        else ndgi_copy_line(dest, to_step, (const ndgi_byte *)j->sub, 0, n,
                            bytes);
    }
}

/* Moves the rows of a chunk in all steps of the levels. Levels of many steps go
 * row by row, a block at a time that stays in the caches; levels of few steps
 * go one step after the other. */
static void ndgi_move(const ndgi_job *j, const ndgi_chunk *c,
        const ndgi_chunk *next, int plain) {
    const ndg_level *level = j->level;
    const int        inner = j->levels > 0 && level->extent >= NDGI_FEW;
    const ptrdiff_t  block = inner ? 4096 / (int)c->n : 0;
    ndgi_walk        w;
    ptrdiff_t        i, n;
    if (plain || j->levels == 0) {
        ndgi_move_pieces(j, c, next, 0, 0);
        return;
    }
    ndgi_walk_start(&w, inner ? level + 1 : level, j->levels - inner, 0);
    do {
        uintptr_t from = (uintptr_t)w.source, to = (uintptr_t)w.out;
        if (!inner) ndgi_move_pieces(j, c, next, from, to);
        for (i = 0; inner && i < level->extent; i += n) {
            n = ndgi_min(block, level->extent - i);
            ndgi_move_level(j, c, from, to, n);
            from += (uintptr_t)(n * level->source);
            to += (uintptr_t)(n * level->out);
        }
    } while (ndgi_walk_next(&w, 0, 1));
}

/* Runs the next n rows in chunks, up to an error. While one chunk is moved the
 * next is prefetched. */
NDGI_HOT void ndgi_run_chunks(ndgi_job *j, ptrdiff_t n, int plain) {
    const ptrdiff_t until = j->until;
    ndgi_finder     f;
    ndgi_chunk      c[2];
    int             k = 0, more;
    j->until = j->row + n;
    ndgi_finder_begin(&f, j);
    more = ndgi_next_chunk(&f, &c[0], plain);
    while (more && !(j->q.r->status && j->out)) {
        more = ndgi_next_chunk(&f, &c[!k], plain);
        if (j->out) ndgi_move(j, &c[k], &c[!k], plain);
        k = !k;
    }
    j->until = until;
}

/* ---- >>jobs: which rows take which way -----------------------------------*/
/* Returns the first index of n packed rows, a multiple of 64, if all are good
 * and count up by one; else UINT64_MAX. Indices of 4 bytes are compared as
 * such, because a register holds twice as many; those of 8 in two halves, of
 * which gcc makes the better code. */
NDGI_INLINE uint64_t ndgi_run_start(const ndgi_byte *p, ptrdiff_t n,
        uint64_t limit, int width) {
    const uint64_t first = ndgi_index(p, width);
    const uint64_t last = first + (uint64_t)n - 1;
    uint64_t       odd = ndgi_word(p + (n - 1) * width, width) ^ last;
    ptrdiff_t      i, k;
    if (last >= limit || first >= limit) return UINT64_MAX;
    for (i = 0; i < n && !odd; i += 64, p += 64 * width) {
        const uint64_t at = first + (uint64_t)i;
        uint32_t       odd4 = 0;
        for (k = 0; width == 4 && k < 64; k++)
            odd4 |= (uint32_t)ndgi_word(p + k * 4, 4)
                  ^ ((uint32_t)at + (uint32_t)k);
        for (k = 0; width == 8 && k < 32; k++)
            odd |= (ndgi_word(p + k * 8, 8) ^ (at + (uint64_t)k))
                 | (ndgi_word(p + k * 8 + 256, 8) ^ (at + (uint64_t)k + 32));
        odd |= odd4;
    }
    return odd ? UINT64_MAX : first;
}

/* Copies n packed rows at once if their indices, of 4 or 8 bytes, count up by
 * one. Returns how many it copied. */
static ptrdiff_t ndgi_copy_run(const ndgi_job *j, ptrdiff_t n) {
    const ndgi_byte *p = j->q.indices + j->at.indices;
    const ndgi_byte *from = ndgi_from(j->table, j->at.source);
    ndgi_byte       *to = j->out + j->at.out;
    uint64_t         first = UINT64_MAX;
    n &= -64;
    if (n) first = j->s.width == 8 ? ndgi_run_start(p, n, j->s.limit, 8)
                                 : ndgi_run_start(p, n, j->s.limit, 4);
    if (first == UINT64_MAX) return 0;
    if (j->scatter) to += (ptrdiff_t)first * j->s.bytes;
    else from += (ptrdiff_t)first * j->s.bytes;
    if (j->stream) ndgi_stream(to, from, n * j->s.bytes);
    else NDG_MEMCPY(to, from, (size_t)(n * j->s.bytes));
    return n;
}

/* True if runs are worth a look: rows are short, and packed on both sides. */
static int ndgi_seeks_runs(const ndgi_job *j) {
    return j->q.depth == 1 && j->s.width >= 4 && j->q.next == j->s.width
        && *j->q.stride == j->s.bytes && !(j->q.mask | j->q.add)
        && (j->s.bytes < 64 || j->stream) && j->loop == NDGI_FUSED
        && (j->scatter ? j->step.source == j->s.bytes && j->whole
                       : j->step.out == j->s.bytes);
}

/* True if n packed rows, judged by the first and last, lie within 16 KiB. */
static int ndgi_is_near(const ndgi_job *j, ptrdiff_t n) {
    const ndgi_byte *p = j->q.indices + j->at.indices;
    const uint64_t   a = ndgi_word(p, j->s.width);
    const uint64_t   b = ndgi_word(p + (n - 1) * j->q.next, j->s.width);
    return (a < b ? b - a : a - b) <= (uint64_t)(16384 / j->s.bytes);
}

/* Tells the loops where the next n rows of a job are. */
static void ndgi_stand(ndgi_job *j, ptrdiff_t n) {
    const uintptr_t out = (uintptr_t)j->out + (uintptr_t)j->at.out;
    const uintptr_t data = (uintptr_t)j->table + (uintptr_t)j->at.source;
    j->s.line = j->scatter ? data : out;
    j->s.table = j->scatter ? out : data;
    j->s.indices = j->q.indices + j->at.indices;
    j->s.left = j->s.batch == 1 ? 1 : ndgi_min(n, ndgi_rows_left(j));
}

/* Runs the next row of a gather, in one piece, unless it is an error. */
NDGI_OPAQUE void ndgi_run_row(ndgi_job *j) {
    ptrdiff_t       offset;
    const int       found = ndgi_judge(&offset, &j->q, j->q.indices
                                       + j->at.indices, j->row);
    const uintptr_t to = (uintptr_t)j->out + (uintptr_t)j->at.out;
    if (j->q.r->status) return;
    if (found) NDG_MEMCPY((ndgi_byte *)to, j->table + (j->at.source + offset),
                          (size_t)j->s.bytes);
    else if (!j->keep) ndgi_fill_row(j, to);
    ndgi_advance(j, 1);
}

/* Runs n rows of a gather by one index, bad ones too; returns how many are bad.
 * Indices that are not packed words of 4 bytes, or that count from the end, are
 * read as numbers first. */
NDGI_HOT ptrdiff_t ndgi_run_bad(const ndgi_rows *s, ptrdiff_t n, uintptr_t sub,
        int what) {
    int32_t   number[NDGI_CHUNK];
    ptrdiff_t i, m, bads = 0;
    ndgi_rows now = *s;
    if (!s->ends && !(s->mask | s->add) && ndgi_is_packed(s))
        return ndgi_run_instead(s, n, sub, what);
    now.indices = (const ndgi_byte *)number;
    now.limit = (uint64_t)*now.extent;
    now.width = 4;
    for (i = 0; i < n; i += m) {
        m = ndgi_next_numbers(s, number, NDGI_CHUNK,
                              ndgi_from(s->indices, i * s->next), n - i);
        bads += ndgi_run_instead(&now, m, sub, what);
        now.line += (uintptr_t)(m * now.line_step);
    }
    return bads;
}

/* True if a policy sends bad indices to a good place. */
static int ndgi_has_place(int policy) {
    return policy == NDG_CLIP || policy == NDG_WRAP;
}

/* Runs n rows of a gather by one index, bad ones too, which CLIP or WRAP sends
 * to a good place; returns how many are bad. */
NDGI_INLINE ptrdiff_t ndgi_run_placed(const ndgi_rows *s, ptrdiff_t n,
        const ndgi_reader *q, int plain) {
    int32_t   number[NDGI_PLACES];
    ptrdiff_t i, m, bads = 0;
    ndgi_axis axis;
    ndgi_rows now = *s;
    ndgi_axis_of(&axis, q, 0, 1);
    now.indices = (const ndgi_byte *)number;
    now.limit = (uint64_t)*now.extent;
    now.width = 4;
    now.next = 4;
    now.tight = s->line_step == s->bytes;
    for (i = 0; i < n; i += m) {
        m = ndgi_min(n - i, NDGI_CHUNK);
        ndgi_read_numbers(number, ndgi_from(s->indices, i * s->next), m,
                          s->next, &axis, 0);
        for (now.left = 0; now.left < NDGI_LANES - 1; now.left++)
            number[m + now.left] = 0;
        bads += ndgi_judge_numbers(number, number, number, m, &axis, 1, 1);
        now.left = m;
        ndgi_run_fused(&now, m, 0, 0, plain);
        now.line += (uintptr_t)(m * now.line_step);
    }
    return bads;
}

NDGI_HOT ptrdiff_t ndgi_plan_placed(const ndgi_rows *s, ptrdiff_t n,
        const ndgi_reader *q) {
    return ndgi_run_placed(s, n, q, 0);
}
NDGI_HOT ptrdiff_t ndgi_table_placed(const ndgi_rows *s, ptrdiff_t n,
        const ndgi_reader *q) {
    return ndgi_run_placed(s, n, q, 1);
}

/* Runs n rows, bad ones too, as ndgi_passes says; returns how many are bad. */
NDGI_INLINE ptrdiff_t ndgi_run_passes(const ndgi_rows *s, ptrdiff_t n,
        const ndgi_reader *q, uintptr_t sub, int scatter, int plain) {
    const int what = q->policy == NDG_KEEP ? NDGI_SKIP : NDGI_FILL;
    if (scatter) return s->depth == 1 ? ndgi_run_drops(s, n, sub)
                                      : ndgi_run_drops2(s, n, sub);
    if (ndgi_has_place(q->policy))
        return plain ? ndgi_table_placed(s, n, q) : ndgi_plan_placed(s, n, q);
    if (plain || s->depth == 1) return ndgi_run_bad(s, n, sub, what);
    return ndgi_run_instead2(s, n, sub, what);
}

/* Runs the next n rows, bad ones too, as ndgi_passes says. */
NDGI_INLINE void ndgi_run_rest(ndgi_job *j, ptrdiff_t n, int scatter,
        int plain) {
    ptrdiff_t bads;
    ndgi_stand(j, n);
    bads = ndgi_run_passes(&j->s, n, &j->q, j->sub, scatter, plain);
    ndgi_blame(&j->q, &j->at, j->row, n, bads, 0);
    ndgi_advance(j, n);
}

/* True if the next rows are not deep, many or all, and in one piece or few; of
 * a scatter, if all are wanted. odd: some are bad. */
static int ndgi_has_places(const ndgi_job *j, int odd, int scatter) {
    const ptrdiff_t left = ndgi_rows_even(j, scatter);
    if (!j->out || j->deep) return 0;
    if (left < NDGI_PAIRED / 2 && left < j->until - j->row) return 0;
    if (j->levels && j->level->extent >= 2 * NDGI_FEW) return 0;
    if (scatter) return j->whole;
    if (j->place || !odd) return 1;
    return j->levels == 0 && j->s.kind < NDGI_CALL;
}

/* True if places can also tell how far a step moves the table. They have room
 * for that, since the table is not deep. */
static int ndgi_move_fits(ptrdiff_t step, ptrdiff_t unit) {
    return step == 0 || (unit > 0 && step > 0 && step % unit == 0);
}

/* Returns how many of n such rows can have places. These tell which table each
 * has, but not if they all have their own and lie in several loops. */
static ptrdiff_t ndgi_rows_placed(const ndgi_finder *f, ptrdiff_t n,
        int scatter) {
    const ndg_level *a = f->j->at.level, *b = a + (f->j->at.levels > 1);
    const ptrdiff_t  step = ndgi_table_step(a, scatter);
    if (!f->unit || (step && a < b) || !ndgi_move_fits(step, f->unit))
        return 0;
    return ndgi_move_fits(ndgi_table_step(b, scatter), f->unit)
         ? n : ndgi_min(n, ndgi_rows_left(f->j));
}

/* Adds to n places, but bad ones, how far the loops over rows move the table
 * from where it is for the first row. */
static void ndgi_add_moves(const ndgi_finder *f, int32_t *place, ptrdiff_t n,
        int scatter) {
    const ndgi_job  *j = f->j;
    const ndg_level *a = j->at.level, *b = a + (j->at.levels > 1);
    const int32_t    x = (int32_t)(ndgi_table_step(a, scatter) / f->unit);
    int32_t          y, move = 0;
    ptrdiff_t        i = 0, left = ndgi_rows_left(j);
    if (x == 0 && n <= left) return;
    y = (int32_t)(ndgi_table_step(b, scatter) / f->unit);
    for (; i < n; left = a->extent, move += y) {
        const ptrdiff_t stop = i + ndgi_min(n - i, left);
        for (; i < stop; i++, move += x) place[i] += move & ~(place[i] >> 31);
    }
}

/* Runs such rows, n of them, up to a chunk with an error or with bad rows for
 * which there is no loop; returns how many. What their indices say is found as
 * places first, and these are the indices of the fused loop, for one copy step
 * after the other. */
NDGI_INLINE ptrdiff_t ndgi_run_places(ndgi_job *j, ptrdiff_t n, int scatter) {
    const ptrdiff_t row = j->row;
    const int       what = j->keep ? NDGI_SKIP : NDGI_FILL;
    ptrdiff_t       until;
    ndgi_finder     f;
    ndgi_walk       w;
    ndgi_rows       now = j->s;
    int             passes;
    ndgi_finder_begin(&f, j);
    now.indices = (const ndgi_byte *)f.place;
    now.stride = &f.unit;
    now.limit = (uint64_t)1 << 31;
    now.depth = 1;
    now.width = 4;
    now.next = 4;
    now.tight = now.line_step == now.bytes;
    passes = scatter || (j->levels == 0 && now.kind < NDGI_CALL);
    until = row + ndgi_rows_placed(&f, n, scatter);
    while (j->row < until) {
        const ptrdiff_t m = ndgi_min(until - j->row, NDGI_CHUNK);
        const ptrdiff_t bads = ndgi_find_places(&f, f.place, m);
        const int       odd = bads && !j->place;
        if (odd && (j->fails || !passes)) break;
        ndgi_blame(&j->q, &j->at, j->row, m, bads, j->place ? 0 : f.place);
        ndgi_add_moves(&f, f.place, m, scatter);
        now.left = m;
        ndgi_walk_start(&w, j->level, j->levels, 0);
        do {
            uintptr_t data = (uintptr_t)j->table + (uintptr_t)j->at.source
                           + (uintptr_t)w.source;
            uintptr_t out = (uintptr_t)j->out + (uintptr_t)j->at.out
                          + (uintptr_t)w.out;
            now.line = scatter ? data : out;
            now.table = (scatter ? out : data) - f.below;
            if (!odd) ndgi_run_fused(&now, m, 0, scatter, 0);
            else if (scatter) ndgi_run_drops(&now, m, j->sub);
            else if (ndgi_is_packed(&now))
                ndgi_run_instead(&now, m, j->sub, what);
            else ndgi_run_instead_steps(&now, m, j->sub, what);
        } while (ndgi_walk_next(&w, 0, 1));
        ndgi_advance(j, m);
    }
    return j->row - row;
}

NDGI_HOT ptrdiff_t ndgi_gather_places(ndgi_job *j, ptrdiff_t n) {
    return ndgi_run_places(j, n, 0);
}
NDGI_HOT ptrdiff_t ndgi_scatter_places(ndgi_job *j, ptrdiff_t n) {
    return ndgi_run_places(j, n, 1);
}

/* Runs some of the next n rows, or if `all` of those that follow: by places; or
 * else, and where these stop, in chunks. */
NDGI_INLINE void ndgi_run_awkward(ndgi_job *j, ptrdiff_t n, int all,
        int scatter, int plain) {
    if (!plain && ndgi_has_places(j, j->odd | !all, scatter)) {
        const ptrdiff_t even = ndgi_rows_even(j, scatter);
        const ptrdiff_t m = all ? even : ndgi_min(n, even);
        n = m - (scatter ? ndgi_scatter_places(j, m)
                         : ndgi_gather_places(j, m));
        if (n == 0) return;
        j->odd = 1;
        all = 0;
    }
    ndgi_run_chunks(j, all ? j->until - j->row : n, plain);
}

/* True if the rows that a range of a scatter wants go by the ring. */
static int ndgi_has_ring(const ndgi_job *j) {
    return j->out && !j->whole && j->levels == 0 && j->loop == NDGI_FUSED
        && j->q.depth == 1 && j->s.bytes <= NDGI_SHORT;
}

/* True if a fused loop is to run rows as far ones: in a gather, one that
 * prefetches them; in a scatter, any loop for one index. */
static int ndgi_has_far(const ndgi_job *j) {
    if (!j->cold) return 0;
    return j->scatter ? j->q.depth == 1
                      : j->s.tight && j->ask
                        && j->s.width >= (j->q.depth == 1 ? 2 : 4);
}

/* Runs some of the next rows: as one copy if their indices count up; by the
 * ring if a range wants some of them, and a few by chunks where it stops at a
 * bad one; in chunks if they must, or if they are deep and their loop does not
 * prefetch; else by their loop, which may stop at a bad row. In a gather, that
 * row is run by itself while there is credit. Then the rest goes without a
 * branch or, if it cannot or is far, by chunks, which prefetch. plain: as in
 * ndgi_run_fused. */
NDGI_INLINE void ndgi_run_block(ndgi_job *j, int runs, int chunks, int scatter,
        int plain) {
    const int       batches = !plain && j->loop == NDGI_BATCHES;
    const int       one = plain || j->q.depth == 1;
    const ptrdiff_t left = batches && ndgi_table_step(&j->step, scatter) == 0
                         ? ndgi_rows_near(j) : ndgi_rows_left(j);
    ptrdiff_t       n = ndgi_min(left, 2048);
    ptrdiff_t       done = runs ? ndgi_copy_run(j, n) : 0;
    const int       remote = !done && !chunks && left > j->s.ahead
                          && (ndgi_has_far(j) || j->deep)
                          && (!one || batches || !ndgi_is_near(j, n));
    const int       passes = j->passes && !batches && (scatter || !remote);
    if (remote) n = ndgi_min(left, 16 * 1024);
    if (done) {
        ndgi_advance(j, done);
    } else if (scatter && ndgi_has_ring(j)) {
        n = ndgi_rows_left(j);
        ndgi_stand(j, n);
        done = ndgi_run_ring(j, n);
        ndgi_advance(j, done);
        if (done < n) ndgi_run_chunks(j, ndgi_min(n - done, NDGI_BLOCK), 0);
    } else if (chunks || (remote && !ndgi_has_far(j))) {
        ndgi_run_awkward(j, n, !runs && !remote, scatter, plain);
    } else {
        if (remote) n = ndgi_min(n, left - j->s.ahead);
        for (;;) {
            ndgi_stand(j, n);
            done = ndgi_run_fused(&j->s, n, remote, scatter, plain);
            ndgi_advance(j, done);
            n -= done;
            j->credit = ndgi_min(j->credit + done, 4 * NDGI_SELDOM);
            if (!n || scatter || j->credit < NDGI_SELDOM) break;
            ndgi_run_row(j);
            j->credit -= NDGI_SELDOM;
            if (--n == 0 || j->q.r->status) return;
        }
        if (n && passes) ndgi_run_rest(j, n, scatter, plain);
        else if (n) ndgi_run_awkward(j, n, 0, scatter, plain);
    }
}

/* True if all rows go through chunks: rows that are only checked, that are in
 * several pieces, whose indices no loop reads, or that are scattered to a part
 * of out, unless the ring takes them; rows in loops of few that do not continue
 * each other; rows of several lines, unless they have one index of 4 or 8 bytes
 * and are near or prefetched; and deep rows of more than two lines with several
 * indices. */
static int ndgi_goes_by_chunks(const ndgi_job *j) {
    const int one = j->q.depth == 1, batch = j->loop == NDGI_BATCHES
                     && ndgi_table_step(&j->step, j->scatter) == 0;
    if (!j->out || j->levels > 0 || j->loop < NDGI_FUSED) return 1;
    if (j->at.levels > 1 && j->step.extent < NDGI_AHEAD / 4 && !batch) return 1;
    if (j->s.kind == NDGI_LINES && (!one || j->s.width < 4
                                    || (j->cold && !j->ask))) return 1;
    if (j->scatter) return !j->whole;
    return j->deep && !one && j->s.bytes > NDGI_TWO_LINES;
}

/* Runs a job to its end, or to the error that ends it. */
NDGI_INLINE void ndgi_run_blocks(ndgi_job *j, int scatter, int plain) {
    const int chunks = ndgi_goes_by_chunks(j);
    const int runs = j->out && j->levels == 0 && ndgi_seeks_runs(j);
    while (j->row < j->until && !j->q.r->status)
        ndgi_run_block(j, runs, chunks, scatter, plain);
}

/* The same of a gather, and of a scatter: a program with one of them does not
 * get the loops of both. */
static void ndgi_run_job(ndgi_job *j) { ndgi_run_blocks(j, 0, 0); }
static void ndgi_run_scatter(ndgi_job *j) { ndgi_run_blocks(j, 1, 0); }

/* Returns how many rows of `bytes` bytes count as few: so many go to their loop
 * at once, since prefetching or streaming would not pay. */
static ptrdiff_t ndgi_few(ptrdiff_t bytes, ptrdiff_t table_bytes) {
    const ptrdiff_t most = table_bytes > NDGI_FAR_BYTES ? NDGI_AHEAD
                                                        : NDGI_BLOCK;
    if (bytes > NDGI_STREAM_BYTES) return 0;
    if (table_bytes > NDGI_HUGE_BYTES) return NDGI_FEW;
    return bytes < 4096 ? most : ndgi_min(most, NDGI_STREAM_BYTES / bytes);
}

/* True if ndgi_run_passes takes bad rows, which it fills, skips or places or,
 * in a scatter, drops. */
static int ndgi_passes(const ndgi_rows *s, const ndgi_reader *q, int scatter) {
    const int place = ndgi_has_place(q->policy);
    if (!place && !ndgi_fills(q->policy) && q->policy != NDG_KEEP) return 0;
    if (scatter && s->depth == 1) return 1;
    if (place) return s->depth == 1 && *s->extent > 0
                   && *s->extent <= NDGI_NUMBER_EXTENT;
    if (s->kind >= NDGI_CALL) return 0;
    if (s->depth == 2) return ndgi_is_packed(s);
    return s->depth == 1 && s->line_step == s->bytes && *s->stride == s->bytes
        && *s->extent <= NDGI_NUMBER_EXTENT;
}

/* Returns where in `spare` sub is; what fills a bad row is there for rows of
 * `bytes` bytes. */
static uintptr_t ndgi_sub(ndgi_spare *spare, const ndgi_reader *q,
        ptrdiff_t bytes) {
    const uintptr_t sub = ((uintptr_t)spare + NDGI_SHORT - 1)
                        & ~(uintptr_t)(NDGI_SHORT - 1);
    if (ndgi_fills(q->policy))
        ndgi_fill((ndgi_byte *)sub, bytes, q->policy, q->fill, q->fill_bytes);
    return sub;
}

/* Says how the indices of rows are read: as the reader does. */
NDGI_INLINE void ndgi_read_by(ndgi_rows *s, const ndgi_reader *q) {
    s->extent = q->extent;
    s->type = q->type;
    s->next = q->next;
    s->step = q->step;
    s->ends = q->negative;
    s->mask = q->mask;
    s->add = q->add;
}

/* Runs few rows, bad ones too, without a job; returns whether it can. The first
 * of them is row `first`, and in even steps from row 0 of the reader. */
NDGI_INLINE int ndgi_pass_few(ndgi_rows *s, const ndgi_reader *q,
        ptrdiff_t first, ptrdiff_t n, int scatter, int plain) {
    ndgi_spare spare;
    ptrdiff_t  bads;
    ndgi_read_by(s, q);
    s->left = n;
    if (!ndgi_passes(s, q, scatter)) return 0;
    bads = ndgi_run_passes(s, n, q, ndgi_sub(&spare, q, s->bytes), scatter,
                           plain);
    ndgi_blame_line(q, first, n, bads);
    return 1;
}

/* Prepares a job whose reader, arrays, rows and levels are set. align: the
 * bitwise or of everything else that an address in out is a sum of. out_bytes:
 * how many are written. far_bytes: how many the indices can reach. */
static void ndgi_job_begin(ndgi_job *j, ndgi_spare *spare, uintptr_t align,
        ptrdiff_t out_bytes, ptrdiff_t far_bytes) {
    const ndgi_reader *q = &j->q;
    const int found = !j->scatter && q->depth == 1 && j->s.bytes <= 512
                   && (j->s.bytes <= 32 || j->s.bytes > NDGI_TWO_LINES)
                   && far_bytes > NDGI_HUGE_BYTES;
    int k;
    align |= (uintptr_t)j->s.bytes;
    for (k = 0; k < j->levels; k++) align |= (uintptr_t)j->level[k].out;
    j->place = 1;
    for (k = 0; k < q->depth; k++)
        j->place &= ndg_index_place(-1, 0, q->extent[k], q->policy) >= 0;
    ndgi_read_by(&j->s, q);
    j->keep = !ndgi_fills(q->policy) && !j->place;
    j->fails = q->policy == NDG_DEFAULT || q->policy == NDG_ERROR;
    j->sub = ndgi_sub(spare, q, NDGI_SHORT);
    j->s.width = (int)ndgi_type_bytes(q->type);
    j->s.depth = q->depth;
    j->s.stride = q->stride;
    j->s.limit = q->depth ? ndgi_limit(*q->extent, q->type, j->s.width) : 0;
    j->cold = far_bytes > (j->scatter ? NDGI_STREAM_BYTES : NDGI_FAR_BYTES);
    j->deep = j->cold && (j->scatter || far_bytes > 8 * NDGI_FAR_BYTES);
    j->stream = NDGI_STREAMS && out_bytes > NDGI_STREAM_BYTES;
    j->s.kind = ndgi_kind(j->s.bytes);
    if (j->stream && j->s.bytes > 0 && align % 64 == 0)
        j->s.kind = j->s.bytes == 64 ? NDGI_LINE : NDGI_LINES;
    j->passes = ndgi_passes(&j->s, q, j->scatter);
    j->ask = j->cold && j->s.bytes < 2048;
    j->most = !j->ask || j->s.bytes <= NDGI_TWO_LINES ? (ptrdiff_t)NDGI_PAIRED
            : ndgi_max(8, NDGI_ASKED / j->s.bytes);
    j->credit = NDGI_SELDOM;
    j->odd = 0;
    j->s.batch = j->s.batch_source = 0;
    j->s.ahead = found ? 0 : j->most;
    j->s.ahead_source = 0;
}

/* ---- >>choose: which loop runs a plan ------------------------------------*/
/* True if the innermost loops, each of one table, lie right behind each other.
 * The products wrap only for an empty output. */
static int ndgi_is_batched(const ndg_gather_plan *p) {
    const ndg_level *row = p->level + p->copy_levels;
    const size_t     n = (size_t)row->extent;
    return p->row_levels > 1 && row->extent < NDGI_BLOCK
        && (size_t)row[1].out == n * (size_t)row->out
        && (size_t)row[1].indices == n * (size_t)row->indices;
}

/* True if the fused loop reads these indices: none counts from the end or is
 * changed first, and of all but the first component a word is good iff it is
 * below the extent. */
static int ndgi_is_plain(const ndg_gather_plan *p, int width) {
    int k, plain = !ndgi_ends(p->negative, p->index_type)
                && !(p->index_mask | p->index_add);
    for (k = 1; k < p->depth; k++)
        plain &= ndgi_limit(p->extent[k], p->index_type, width)
              == (uint64_t)p->extent[k];
    return plain;
}

/* True if the fused loop reads such index vectors of plain indices; in a
 * scatter, if it also writes by them. */
NDGI_INLINE int ndgi_takes(int depth, int width, int kind, int scatter) {
    if (depth < 2 || (width == 4 && depth == 2)) return 1;
    if (!scatter && depth < 4 && kind < NDGI_CALL) return 1;
    if (!scatter) return width == 4 || (width == 2 && depth == 2);
    if (kind > NDGI_TO_64) return 0;
    return depth == 2 || (depth == 3 && width == 4);
}

/* True if few rows repay reading their indices as 32-bit numbers. */
static int ndgi_are_numbers(const ndg_gather_plan *p) {
    int k, fits = p->run_bytes <= NDGI_SHORT;
    for (k = 0; k < p->depth; k++) fits &= p->extent[k] <= NDGI_NUMBER_EXTENT;
    return fits;
}

/* Returns the loop for rows in one piece, of the innermost loop over rows. None
 * reads indices whose width is no power of two. */
static int ndgi_choose_rows(const ndg_gather_plan *p) {
    const ndg_level *row = p->level + p->copy_levels;
    const int width = (int)ndgi_type_bytes(p->index_type);
    const int fused = ndgi_is_plain(p, width)
                   && ndgi_takes(p->depth, width, ndgi_kind(p->run_bytes), 0);
    if (p->depth < 1 || p->depth > 4 || p->run_bytes < 1
        || (width & (width - 1)))
        return NDGI_ANY;
    if (p->row_levels > 0 && row->source != 0)
        return fused ? NDGI_BATCHES : NDGI_ANY;
    if (fused) return ndgi_is_batched(p) ? NDGI_BATCHES : NDGI_FUSED;
    return ndgi_are_numbers(p) ? NDGI_NUMBERS : NDGI_ANY;
}

/* Returns from how many rows on all of them are run once per copy step, or 0.
 * That reads memory in order if each step passes everything that the indices
 * can reach. In a far table it pays once most lines of a step are read. */
static ptrdiff_t ndgi_rows_apart(const ndg_gather_plan *p) {
    const ptrdiff_t step = p->copy_levels ? ndgi_reach(2, p->level->source) : 0;
    const int       cold = p->source_high - p->source_low > NDGI_FAR_BYTES;
    const ptrdiff_t line = ndgi_max(p->run_bytes, 64);
    const ptrdiff_t few = cold ? ndgi_max(step / line, NDGI_FEW)
                               : (ptrdiff_t)NDGI_AHEAD;
    ptrdiff_t       reach = 0;
    int             k;
    for (k = 0; k < p->depth; k++)
        reach += ndgi_reach(p->extent[k], p->stride[k]);
    return step > reach ? 1 + ndgi_min(few, NDGI_AHEAD) : 0;
}

/* Chooses the loop of a gather, and how many rows of it are few; of one level,
 * or without a loop, ndgi_run_steps may find that they are too many. For more
 * ndgi_goes_by_chunks may overrule the loop. */
static void ndgi_choose_gather(ndg_gather_plan *p) {
    const ndg_level *row = p->level + p->copy_levels;
    const int        width = (int)ndgi_type_bytes(p->index_type);
    ndg_loop        *l = &p->loop;
    const int        packed = (p->depth < 2 || p->index_step == width)
        && (p->row_levels == 0 || (row->out == p->run_bytes
                                   && row->indices == p->depth * width));
    ptrdiff_t        most = ndgi_few(p->run_bytes,
                                     p->source_high - p->source_low);
    int              loops;
    l->kind = (unsigned char)ndgi_kind(p->run_bytes);
    l->width = (unsigned char)width;
    l->loop = (unsigned char)ndgi_choose_rows(p);
    l->apart = (unsigned char)ndgi_rows_apart(p);
    loops = l->loop == NDGI_BATCHES && row->source == 0 ? 2 : 1;
    l->row_bytes = packed ? p->depth * width : 0;
    if (p->depth)
        l->limit = (ptrdiff_t)ndgi_limit(p->extent[0], p->index_type, width);
    l->flat = l->loop && p->copy_levels == 0 && p->row_levels <= loops;
    if (l->flat) l->few = most;
    if (l->loop == NDGI_ANY) most = NDGI_AHEAD / 4;
    else if (l->apart && l->kind < NDGI_CALL) most = ndgi_max(most, NDGI_BLOCK);
    if (!l->few && p->copy_levels + (p->row_levels > 1) < 2 && p->depth
        && (p->row_levels < 2 || (p->row_levels == 2 && l->loop
                                  && l->loop != NDGI_BATCHES))
        && p->slice_bytes) l->few = most;
}

/* The same of a scatter, planned as the gather that it reads backwards. */
static void ndgi_choose_scatter(ndg_gather_plan *p) {
    ndg_loop *l = &p->loop;
    const int depth = p->depth, kind = l->kind;
    if (l->loop == NDGI_ANY) return;
    if (l->loop != NDGI_NUMBERS && ndgi_takes(depth, l->width, kind, 1)) return;
    if (l->loop != NDGI_BATCHES && ndgi_takes(depth, 4, kind, 1)
        && ndgi_are_numbers(p)) {
        l->loop = NDGI_NUMBERS;
    } else {
        l->loop = NDGI_ANY;
        l->few = l->flat = 0;
    }
}
#endif

/* ---- >>gather-plan: from desc to form to plan ----------------------------*/
/* Checks that an option lies in 0 ... high. */
static int ndgi_check_option(int value, int high, int operand, ndg_report *r) {
    if (0 <= value && value <= high) return NDG_OK;
    return ndgi_no(r, NDG_E_OPTION, operand, value, high);
}

static int ndgi_check_type(int type, int operand, ndg_report *r) {
    if (0 <= type && type < NDGI_TYPES) return NDG_OK;
    return ndgi_no(r, NDG_E_TYPE, operand, type, NDGI_TYPES - 1);
}

/* Checks what all descs have in common. */
static int ndgi_check_options(ptrdiff_t elem_size, int index_type, int overlap,
        unsigned flags, ndg_report *r) {
    if (elem_size < 1)
        return ndgi_no(r, NDG_E_TYPE, NDG_ARG_ELEM_SIZE, elem_size, 1);
    if (ndgi_check_type(index_type, NDG_ARG_INDEX_TYPE, r)) return r->status;
    if (flags)
        return ndgi_no(r, NDG_E_OPTION, NDG_ARG_FEATURES, (ptrdiff_t)flags, 0);
    return ndgi_check_option(overlap, NDG_OVERLAP_DISJOINT, NDG_ARG_OVERLAP, r);
}

/* True if scatters, stitches and partitions take this policy. */
static int ndgi_is_row_policy(int policy) {
    return policy == NDG_DEFAULT || policy == NDG_ERROR || policy == NDG_DROP
        || policy == NDG_ASSUME_VALID;
}

/* Checks what the descs of scatter, stitch and partition have in common. */
static int ndgi_check_row_options(ptrdiff_t elem_size, int index_type,
        int policy, int overlap, unsigned features, ndg_report *r) {
    if (!ndgi_is_row_policy(policy))
        return ndgi_no(r, NDG_E_OPTION, NDG_ARG_POLICY, policy, 0);
    return ndgi_check_options(elem_size, index_type, overlap, features, r);
}

/* The three gathers in one form. params are [batch, outer, depth axes, slice];
 * indices are [batch, rows] and, for gather_nd, end with the depth axis. */
typedef struct ndgi_form {
    ndgi_array params, indices;
    int        batch, axis;        /* outer axes: batch ... axis-1 */
    int        depth, row_axes, out_rank;
} ndgi_form;

/* Brings a desc into that form. Only gather takes an axis, a negative
 * batch_dims and scalar indices; the others gather along the first axis after
 * the batch, whose length batch_gather takes from the indices. Only gather_nd
 * may have no axis there, because its depth may be 0. */
static int ndgi_form_from(ndgi_form *f, const ndg_gather_desc *d, int op,
        ndg_report *r) {
    const int plain = op == NDG_OP_GATHER;
    const int vector = op == NDG_OP_GATHER_ND || op == NDG_OP_SCATTER_ND;
    int       rank, n, b, axis, i;
    ptrdiff_t depth = 1;
    f->depth = f->out_rank = f->batch = f->axis = f->row_axes = 0;  /* or gcc */
    if (!d) return ndgi_null(r, NDG_ARG_DESC);         /* warns in one caller */
    if (d->policy == NDG_FILL && d->elem_size > (ptrdiff_t)sizeof d->fill)
        return ndgi_no(r, NDG_E_OPTION, NDG_ARG_FILL, d->elem_size,
                       sizeof d->fill);
    if (ndgi_check_options(d->elem_size, d->index_type, d->overlap,
                           d->features, r)
        || ndgi_check_option(d->policy, NDGI_POLICIES - 1, NDG_ARG_POLICY, r)
        || ndgi_check_option(d->negative, NDG_NEGATIVE_FROM_END,
                             NDG_ARG_NEGATIVE, r)
        || ndgi_array_from(&f->params, &d->params, d->elem_size,
                           NDG_ARG_PARAMS, r)
        || ndgi_array_from(&f->indices, &d->indices,
                           ndgi_type_bytes(d->index_type), NDG_ARG_INDICES, r))
        return r->status;
    rank = f->params.rank;
    n = f->indices.rank;
    b = d->batch_dims;
    axis = d->axis;
    if (rank < 1) return ndgi_no(r, NDG_E_RANK, NDG_ARG_PARAMS, 0, 1);
    if (n < 1 && !plain) return ndgi_no(r, NDG_E_RANK, NDG_ARG_INDICES, 0, 1);
    if (plain ? axis < -rank || axis >= rank : axis != 0)
        return ndgi_no(r, NDG_E_AXIS, NDG_ARG_AXIS, axis, plain ? rank : 0);
    if (vector ? b < 0 : !plain && b != 0)
        return ndgi_no(r, NDG_E_BATCH_DIMS, NDG_ARG_BATCH_DIMS, b, 0);
    if (!vector && !plain) b = n - 1;
    if (b < -n || b > n - vector)
        return ndgi_no(r, NDG_E_BATCH_DIMS, NDG_ARG_INDICES, b, n);
    if (b < 0) b += n;
    if (b - vector >= rank)
        return ndgi_no(r, NDG_E_BATCH_DIMS, NDG_ARG_PARAMS, b, rank);
    if (axis == 0) axis = b;
    if (axis < 0) axis += rank;
    if (b > axis) return ndgi_no(r, NDG_E_BATCH_DIMS, NDG_ARG_AXIS, b, axis);
    if (vector) depth = f->indices.dims[n - 1];
    if (depth > rank - b)
        return ndgi_no_axis(r, NDG_E_DEPTH, NDG_ARG_INDICES, n - 1, depth,
                            rank - b);
    if (depth > NDG_MAX_DEPTH)
        return ndgi_no_axis(r, NDG_E_LEVELS, NDG_ARG_INDICES, n - 1, depth,
                            NDG_MAX_DEPTH);
    for (i = 0; i < b; i++)
        if (f->indices.dims[i] != f->params.dims[i])
            return ndgi_no_axis(r, NDG_E_BATCH_SHAPE, NDG_ARG_INDICES, i,
                                f->indices.dims[i], f->params.dims[i]);
    f->batch = b;
    f->axis = axis;
    f->depth = (int)depth;
    f->row_axes = n - b - vector;
    if (rank - f->depth > INT32_MAX - f->row_axes)
        return ndgi_huge(r, NDG_ARG_OUT);
    f->out_rank = rank - f->depth + f->row_axes;
    return NDG_OK;
}

/* Returns the extent of axis i of the output. */
static ptrdiff_t ndgi_form_dim(const ndgi_form *f, int i) {
    if (i < f->axis) return f->params.dims[i];
    i -= f->axis;
    if (i < f->row_axes) return f->indices.dims[f->batch + i];
    return f->params.dims[f->axis + f->depth + (i - f->row_axes)];
}

/* Describes the output as an array, with dims and strides only if desc has
 * any. */
NDGI_CALLED int ndgi_form_out(ndgi_array *out, const ndgi_form *f,
        const ndg_gather_desc *d, ndg_report *r) {
    const int given = d->out.rank || d->out.strided;
    int       i, fits = 1;
    ptrdiff_t count = 1;
    if (given && r->op == NDG_OP_SCATTER_ND) {      /* that is data, to read */
        if (ndgi_array_from(out, &d->out, d->elem_size, NDG_ARG_OUT, r))
            return r->status;
        if (out->rank != f->out_rank)
            return ndgi_no(r, NDG_E_RANK, NDG_ARG_OUT, out->rank, f->out_rank);
    } else if (given && ndgi_out_from(out, &d->out, d->elem_size, f->out_rank,
                                      NDG_ARG_OUT, r)) return r->status;
    for (i = 0; i < f->out_rank; i++) {
        const ptrdiff_t extent = ndgi_form_dim(f, i);
        if (!given && !ndgi_mul(count, extent, &count)) fits = 0;
        if (given && out->dims[i] != extent)
            return ndgi_no_axis(r, NDG_E_SHAPE, NDG_ARG_OUT, i, out->dims[i],
                                extent);
    }
    if (given) return NDG_OK;
    out->dims = out->strides = 0;
    out->rank = f->out_rank;
    out->elem = d->elem_size;
    out->count = count;
    return (fits || count == 0) && ndgi_measure(out)
         ? NDG_OK : ndgi_huge(r, NDG_ARG_OUT);
}

/* Folds a form into levels, from the last axis to the first. For an empty
 * output only the loops over rows matter: their indices are still checked. */
NDGI_CALLED int ndgi_fold_form(ndg_gather_plan *p, const ndgi_form *f,
        const ndgi_array *out, ndg_report *r) {
    const ndgi_array *params = &f->params, *indices = &f->indices;
    ndgi_axes from = ndgi_axes_of(params);
    ndgi_axes at = ndgi_axes_of(indices);
    ndgi_axes to = ndgi_axes_of(out);
    ndg_level level[NDG_MAX_LEVELS];
    ndgi_pool copy = { p->level, 0 }, rows = { level, 0 };
    int       i;
    p->run_bytes = out->count ? out->elem : 0;
    ndgi_pool_group(&copy, params->rank - f->axis - f->depth, &from, 0, &to,
                    &p->run_bytes);
    for (i = f->depth - 1; i >= 0; i--) {
        p->extent[i] = params->dims[f->axis + i];
        p->stride[i] = ndgi_axes_back(&from, p->extent[i]);
    }
    if (at.axis > f->batch + f->row_axes)
        p->index_step = ndgi_axes_back(&at, f->depth);
    ndgi_pool_group(&rows, f->row_axes, 0, &at, &to, 0);
    ndgi_pool_group(&copy, f->axis - f->batch, &from, 0, &to, &p->run_bytes);
    ndgi_pool_group(&rows, f->batch, &from, &at, &to, 0);
    if (copy.used + rows.used > NDG_MAX_LEVELS)
        return ndgi_no(r, NDG_E_LEVELS, NDG_ARG_PARAMS, NDG_MAX_LEVELS + 1,
                       NDG_MAX_LEVELS);
    NDG_MEMCPY(p->level + copy.used, level, (size_t)rows.used * sizeof *level);
    p->copy_levels = copy.used;
    p->row_levels = rows.used;
    return NDG_OK;
}

/* Sets which bytes of the indices all rows of a plan read. */
static void ndgi_span_indices(ndg_gather_plan *p) {
    const ndg_level *row = p->level + p->copy_levels;
    ndgi_span        index = { 0, 0 };
    int              k;
    for (k = 0; k < p->row_levels; k++)
        ndgi_span_steps(&index, 0, row[k].extent, row[k].indices);
    ndgi_span_steps(&index, 0, p->depth, p->index_step);
    p->loop.index_low = index.low;
    p->loop.index_high = index.high + ndgi_type_bytes(p->index_type);
}

/* Plans a form and its output, which has `rows` index rows. Levels and
 * components that the plan does not have stay as they were, unless there are
 * neither rows nor output; so does much of a plan that is refused, which the
 * caller zeroes. */
static void ndgi_plan_form(ndg_gather_plan *plan, const ndgi_form *f,
        const ndgi_array *out, ptrdiff_t rows, const ndg_gather_desc *desc,
        ndg_report *r) {
    static const ndg_loop none = NDG_ZERO_INIT;
    const int             empty = rows == 0 && out->count == 0;
    if (empty) ndgi_zero(plan, sizeof *plan);
    plan->loop = none;
    plan->index_step = 0;
    plan->out_bytes = out->span.high;
    plan->rows = rows;
    plan->slice_bytes = rows ? out->count / rows * out->elem : 0;
    plan->out_rank = f->out_rank;
    plan->op = r->op;
    plan->index_type = desc->index_type;
    plan->policy = desc->policy;
    plan->negative = desc->negative;
    plan->overlap = desc->overlap;
    plan->depth = f->depth;
    plan->elem_size = desc->elem_size;
    plan->source_low = f->params.span.low;
    plan->source_high = f->params.span.high;
    plan->index_mask = desc->index_mask;
    plan->index_add = desc->index_add;
    NDG_MEMCPY(plan->fill, desc->fill, sizeof plan->fill);
    if (!empty && ndgi_fold_form(plan, f, out, r)) return;
    ndgi_span_indices(plan);
#if NDGI_FAST
    ndgi_choose_gather(plan);
#endif
}

NDGI_CALLED int ndgi_plan_gather(ndg_gather_plan *plan,
        const ndg_gather_desc *desc, int op, ndg_report *report) {
    ndg_report  local;
    ndg_report *r = ndgi_begin(report, &local, op);
    ndgi_form   f;
    ndgi_array  out;
    ptrdiff_t   rows;
    if (!plan) return ndgi_null(r, NDG_ARG_PLAN);
    rows = 0;
    if (!ndgi_form_from(&f, desc, op, r) && !ndgi_form_out(&out, &f, desc, r)
        && !ndgi_product(f.indices.dims, f.batch + f.row_axes, &rows))
        ndgi_huge(r, NDG_ARG_INDICES);
    if (!r->status) ndgi_plan_form(plan, &f, &out, rows, desc, r);
    if (r->status) ndgi_zero(plan, sizeof *plan);
    return ndgi_end(r);
}

static int ndgi_out_dims(const ndg_gather_desc *desc, int op, ptrdiff_t *dims,
        int cap) {
    ndg_report r;
    ndgi_form  f;
    int        i;
    if (ndgi_form_from(&f, desc, op, ndgi_begin(&r, &r, op))) return -1;
    for (i = 0; dims && i < cap && i < f.out_rank; i++)
        dims[i] = ndgi_form_dim(&f, i);
    return f.out_rank;
}

/* ---- >>gather-run: gathers, checked and run ------------------------------*/
/* Finds the lowest and highest offset, in out and in indices, of index rows
 * first ... last-1, exactly: block by block, each of whole inner loops and of
 * as many steps of the next as the first row and the rows left allow. */
static void ndgi_span_rows(const ndg_gather_plan *p, ptrdiff_t first,
        ptrdiff_t last, ndgi_span *out, ndgi_span *indices) {
    const ndg_level *level = p->level + p->copy_levels;
    out->low = indices->low = PTRDIFF_MAX;
    out->high = indices->high = -PTRDIFF_MAX;
    do {
        ndgi_span to = { 0, 0 }, from = { 0, 0 };
        ptrdiff_t block = 1, at = first, rest = last - first;
        int       k;
        for (k = 0; k < p->row_levels; k++) {
            const ptrdiff_t extent = level[k].extent;
            const ptrdiff_t up = at < extent ? 0 : at / extent;
            const ptrdiff_t a = at - up * extent;
            const ptrdiff_t n = rest ? ndgi_min(rest, extent - a) : 1;
            ndgi_span_steps(&to, a, n, level[k].out);
            ndgi_span_steps(&from, a, n, level[k].indices);
            block *= n;
            rest = n < extent || n == rest ? 0 : rest / n;
            at = up;
        }
        out->low = ndgi_min(out->low, to.low);
        out->high = ndgi_max(out->high, to.high);
        indices->low = ndgi_min(indices->low, from.low);
        indices->high = ndgi_max(indices->high, from.high);
        first += block;
    } while (first < last);
}

/* Finds the bytes of out and of indices that index rows first ... last-1 touch.
 * There must be at least one row. */
static void ndgi_gather_spans(const ndg_gather_plan *p, ptrdiff_t first,
        ptrdiff_t last, ndgi_span *out, ndgi_span *indices) {
    int k;
    ndgi_span_rows(p, first, last, out, indices);
    for (k = 0; k < p->copy_levels; k++)
        ndgi_span_steps(out, 0, p->level[k].extent, p->level[k].out);
    out->high += p->run_bytes;
    ndgi_span_steps(indices, 0, p->depth, p->index_step);
    indices->high += ndgi_type_bytes(p->index_type);
}

NDG_API ptrdiff_t ndg_gather_out_bytes(const ndg_gather_plan *plan,
        ptrdiff_t first, ptrdiff_t last) {
    ndgi_span to, index;
    if (!plan || first < 0 || last < first || last > plan->rows) return -1;
    if (first == last || plan->run_bytes == 0) return 0;
    ndgi_gather_spans(plan, first, last, &to, &index);
    return to.high;
}

/* Checks everything that a run refuses before it writes. */
NDGI_INLINE int ndgi_check_gather(const ndg_gather_plan *p, const void *out,
        ptrdiff_t out_bytes, const void *params, const void *indices,
        ptrdiff_t first, ptrdiff_t last, ndg_report *r) {
    ndgi_arrays a;
    if (ndgi_check_range(first, last, p->rows, r)) return r->status;
    if (first == last) return NDG_OK;
    if (!indices && p->depth > 0) return ndgi_null(r, NDG_ARG_INDICES);
    if (p->run_bytes == 0) return NDG_OK;
    if (NDGI_FAST && last - first <= p->loop.few && p->loop.row_bytes
        && p->loop.flat) {
        a.to.low = first * p->run_bytes;
        a.to.high = last * p->run_bytes;
        a.index.low = first * p->loop.row_bytes;
        a.index.high = last * p->loop.row_bytes;
    } else if (p->loop.index_high > p->loop.index_low
               && last - first == p->rows) {
        a.to.low = 0;
        a.to.high = p->out_bytes;
        a.index.low = p->loop.index_low;
        a.index.high = p->loop.index_high;
    } else {
        ndgi_span to, index;      /* by address: a stays in registers */
        ndgi_gather_spans(p, first, last, &to, &index);
        a.to = to;
        a.index = index;
    }
    if (p->depth == 0) a.index.high = a.index.low;
    a.from.low = p->source_low;
    a.from.high = p->source_high;
    ndgi_arrays_of(&a, out, params, NDG_ARG_PARAMS, indices, NDG_ARG_INDICES,
                   p->overlap);
    return ndgi_check_arrays(&a, out_bytes, r);
}

NDG_API int ndg_gather_fits(const ndg_gather_plan *plan, const void *out,
        ptrdiff_t out_bytes, const void *params, const void *indices,
        ptrdiff_t first, ptrdiff_t last, ndg_report *report) {
    ndg_report  local;
    ndg_report *r = ndgi_begin(report, &local, NDG_OP_NONE);
    if (!plan || !plan->op) return ndgi_null(r, NDG_ARG_PLAN);
    r->op = plan->op;
    ndgi_check_gather(plan, out, out_bytes, params, indices, first, last, r);
    return ndgi_end(r);
}

/* True if indices of a plan may count from the end, also those that index_add
 * makes negative. */
static int ndgi_plan_ends(const ndg_gather_plan *p) {
    return ndgi_ends(p->negative, p->index_add ? NDG_I64 : p->index_type);
}

/* Says how the index rows of a plan are read. */
static void ndgi_gather_reader(ndgi_reader *q, const ndg_gather_plan *p,
        const ndgi_byte *indices, int policy, ndg_report *r) {
    q->indices = indices;
    q->extent = p->extent;
    q->stride = p->stride;
    q->step = p->index_step;
    q->depth = p->depth;
    q->type = p->index_type;
    q->policy = policy;
    q->negative = ndgi_plan_ends(p);
    q->operand = NDG_ARG_INDICES;
    q->mask = p->index_mask;
    q->add = p->index_add;
    q->fill = p->fill;
    q->fill_bytes = p->elem_size;
    q->list = 0;
    q->r = r;
}

/* Returns the innermost loop over a plan's rows, of one step if it has none. */
static const ndg_level *ndgi_row_loop(const ndg_gather_plan *p) {
    static const ndg_level one = { 1, 0, 0, 0 };
    return p->row_levels ? p->level + p->copy_levels : &one;
}

/* Copies rows i ... n-1, each in all steps of the level `copy` or, if that is
 * NULL, in one piece, up to the first that has an index which is bad as it
 * stands (in the fast engine, or counted from the end: that takes 92 bytes on a
 * Cortex-M0+); returns the number of that row, or n. Row 0 is the one at
 * `line`, and the others follow it in the innermost loop. Where a bad row would
 * be may lie beyond all addresses, so none is made of it. */
NDGI_INLINE ptrdiff_t ndgi_run_good(const ndgi_walk *line,
        const ndg_level *copy, ptrdiff_t bytes, const ndgi_reader *q,
        ndgi_byte *out, const ndgi_byte *data, ptrdiff_t i, ptrdiff_t n,
        int depth, int scatter) {
    const ndgi_byte *indices = q->indices + line->indices;
    const ndg_level  step = *line->level;
    const ptrdiff_t  from = line->source, to = line->out;
    for (; i < n; i++) {
        const ndgi_byte *p = indices + i * step.indices, *source;
        ndgi_byte       *dest;
        ptrdiff_t        at = 0;
        int              k = 0;
        do {
            int64_t v = ndgi_load(p + k * q->step, q->type);
#if NDGI_FAST
            if (q->negative && v < 0) v += q->extent[k];
#endif
            if (!NDG_INDEX_GOOD(v, q->extent[k])) return i;
            at += (ptrdiff_t)v * q->stride[k];
        } while (++k < depth);
        dest = out + (to + i * step.out + (scatter ? at : 0));
        source = data + (from + i * step.source + (scatter ? 0 : at));
        if (copy) ndgi_copy_line(dest, copy->out, source, copy->source,
                                 copy->extent, bytes);
        else NDG_MEMCPY(dest, source, (size_t)bytes);
    }
    return i;
}

/* Copies rows first ... last-1 one by one: from where their indices say, or, if
 * slots are given, to there when that is one of the slots. Without out it only
 * checks them all; otherwise it stops at an error. The small engine has a loop
 * for good rows of at most one level whose indices are not changed first. */
NDGI_OPAQUE void ndgi_run_each(const ndg_gather_plan *p, ndgi_byte *out,
        const ndgi_byte *data, const ndgi_byte *indices, ptrdiff_t first,
        ptrdiff_t last, const ndgi_span *slots, int policy, ndg_report *r) {
    const ndg_level *step = ndgi_row_loop(p);
    ndgi_reader      q;
    ptrdiff_t        i, n, at;
    ndgi_walk        row;
#if !NDGI_FAST
    const ndg_level *copy = p->copy_levels ? p->level : 0;
    const int        good = out && p->depth && p->copy_levels < 2
                         && !(p->index_mask | p->index_add)
                         && (!slots
                             || slots->high - slots->low == p->out_bytes);
#endif
    if (p->depth == 0 && !out) return;      /* such rows may be very many */
    ndgi_gather_reader(&q, p, indices, policy, r);
    ndgi_walk_start(&row, step, p->row_levels + !p->row_levels, first);
    for (; first < last; first += n) {
        n = ndgi_min(last - first, step->extent - *row.digit);
        for (i = 0; i < n; i++) {
            ptrdiff_t from = row.source, to = row.out;
            int       found;
#if !NDGI_FAST
            if (good)
                i = q.depth == 1 && !copy
                  ? ndgi_run_good(&row, 0, p->run_bytes, &q, out, data, i, n, 1,
                                  slots != 0)
                  : ndgi_run_good(&row, copy, p->run_bytes, &q, out, data, i, n,
                                  q.depth, slots != 0);
            if (i == n) break;
#endif
            found = ndgi_judge(&at, &q, indices
                               + (row.indices + i * step->indices), first + i);
            if (!out) continue;
            if (r->status) return;
            if (!found) at = 0;
            from += i * step->source + (slots ? 0 : at);
            to += i * step->out + (slots ? at : 0);
            if (slots && (!found || to < slots->low || to >= slots->high))
                continue;
            if (found)
                ndgi_copy_all(p->level, p->copy_levels, out + to, data + from,
                              p->run_bytes);
            else ndgi_fill_all(p->level, p->copy_levels, out + to,
                               p->run_bytes, policy, q.fill, q.fill_bytes);
        }
        if (first + n < last) ndgi_walk_next(&row, 0, n);
    }
}

#if NDGI_FAST
/* Describes rows that lie in batches of one row or of a whole loop: how long a
 * batch is, and which row of a later batch a far row prefetches. It is s->ahead
 * rows on, rounded up to whole batches. */
NDGI_INLINE void ndgi_set_batches(ndgi_rows *s, const ndg_level *row,
        int scatter) {
    const ptrdiff_t step = ndgi_table_step(row, scatter);
    const ptrdiff_t rows = step ? 1 : row->extent;
    const int       m = (int)((s->ahead + rows - 1) / rows);
    s->batch = rows;
    s->batch_source = step ? step : ndgi_table_step(row + 1, scatter);
    s->ahead = m * rows;
    s->ahead_source = (uintptr_t)m * (uintptr_t)s->batch_source;
}

/* True if n rows repay a job: if there are many, or long ones. */
static int ndgi_job_pays(const ndg_gather_plan *p, ptrdiff_t n) {
    return n >= NDGI_FEW || (n > 0 && p->slice_bytes > 4096);
}

/* Starts a job that runs a plan's rows. Returns the bitwise or of everything
 * that an address in out is a sum of. */
static uintptr_t ndgi_plan_job(ndgi_job *j, const ndg_gather_plan *p,
        const ndgi_byte *out, const ndgi_byte *indices, int policy,
        ndg_report *r) {
    const ndg_level *rows = ndgi_row_loop(p);
    const int        levels = p->row_levels ? p->row_levels : 1;
    uintptr_t        align = (uintptr_t)out;
    int              k;
    ndgi_gather_reader(&j->q, p, indices, policy, r);
    j->q.next = rows->indices;
    j->step = *rows;
    j->at.level = rows;
    j->at.levels = levels;
    j->s.bytes = p->run_bytes;
    j->level = p->level;
    j->levels = p->copy_levels;
    j->list = 0;
    for (k = 0; k < levels; k++) align |= (uintptr_t)rows[k].out;
    return align;
}

/* Puts such a job before row `first`, with these arrays. What was counted as
 * bad before will be counted again. */
static void ndgi_job_from(ndgi_job *j, ndgi_byte *out, const ndgi_byte *table,
        ptrdiff_t first) {
    j->out = out;
    j->table = table;
    j->q.r->bad.count = 0;
    j->row = first;
    ndgi_walk_start(&j->at, j->at.level, j->at.levels, first);
}

/* Describes the rows of a plan from row `first` on, in one copy step, with out
 * as the line and params as the table. A scatter runs its plan backwards and
 * passes them the other way round. Packed rows by one index need no more than
 * is set first. */
NDGI_INLINE void ndgi_plan_rows(ndgi_rows *s, const ndg_gather_plan *p,
        const void *out, const void *params, const void *indices,
        ptrdiff_t first, ptrdiff_t n, int scatter) {
    const ndg_level *row = p->level + p->copy_levels;
    const ndgi_byte *table = ndgi_base(params);
    s->line = (uintptr_t)out;
    s->table = (uintptr_t)table;
    s->indices = ndgi_base(indices);
    s->bytes = p->run_bytes;
    s->stride = p->stride;
    s->limit = (uint64_t)p->loop.limit;
    s->extent = p->extent;
    s->depth = p->depth;
    s->tight = p->loop.row_bytes > 0;
    s->kind = p->loop.kind;
    s->width = p->loop.width;
    s->left = n;
    if (first) {
        s->line += (uintptr_t)(first * row->out);
        s->indices += first * row->indices;
    }
    if (p->loop.loop == NDGI_BATCHES) {
        s->ahead = NDGI_AHEAD;
        ndgi_set_batches(s, row, scatter);
        s->left = ndgi_min(n, s->batch - first % s->batch);
        s->table += (uintptr_t)(first / s->batch * s->batch_source);
    }
    if (s->depth == 1 && s->tight && p->loop.loop != NDGI_NUMBERS) return;
    s->line_step = p->row_levels ? row->out : 0;
    s->next = p->row_levels ? row->indices : 0;
    s->step = p->index_step;
    s->type = p->index_type;
    s->ends = ndgi_plan_ends(p);
    s->mask = p->index_mask;
    s->add = p->index_add;
}

/* Describes few rows of a gather or a scatter to their loop. */
NDGI_INLINE void ndgi_few_rows(ndgi_rows *s, const ndg_gather_plan *p,
        const void *out, const void *data, const void *indices,
        ptrdiff_t first, ptrdiff_t n, int scatter) {
    const ndg_level *row = p->level + p->copy_levels;
    ndgi_plan_rows(s, p, scatter ? data : out, scatter ? out : data, indices,
                   first, n, scatter);
    if (!scatter) return;
    s->line_step = p->row_levels ? row->source : 0;
    s->next = p->row_levels ? row->indices : 0;
}

/* Runs n such rows, up to the first bad one; returns how many. */
NDGI_INLINE ptrdiff_t ndgi_run_loop(const ndgi_rows *s, ptrdiff_t n, int loop,
        int scatter) {
    if (loop != NDGI_NUMBERS) return ndgi_run_fused(s, n, 0, scatter, 0);
    return scatter ? ndgi_scatter_numbers(s, n) : ndgi_gather_numbers(s, n);
}

/* Does what ndgi_run_few does, for rows of one level or two loops, or for which
 * there is no loop, or that are fewer than NDGI_FEW. They go to their loop once
 * per copy step if they are more than these, or too many for the nearest cache;
 * or once per inner loop, if those are all rows; or else row by row. */
NDGI_INLINE ptrdiff_t ndgi_run_steps(const ndg_gather_plan *p, void *out,
        const void *data, const void *indices, ptrdiff_t first, ptrdiff_t n,
        int scatter) {
    const ndg_level *copy = p->copy_levels ? p->level : 0;
    const ndg_level *step = p->row_levels > 1 ? p->level + 1 : copy;
    const int        loop = p->loop.loop, many = n > NDGI_AHEAD / 4;
    const int        fits = ndgi_min(p->slice_bytes, 32768) * n
                         <= (many ? 8192 : 16384);
    ptrdiff_t        k, done = 0;
    ndgi_reader      q;
    ndgi_rows        s;
    ndgi_walk        row;
    if (!loop || !step
        || (copy && copy->extent >= n && (fits || n <= NDGI_FEW))) {
        if (many || !fits || (p->index_mask | p->index_add)) return 0;
        ndgi_gather_reader(&q, p, ndgi_base(indices), p->policy, 0);
        ndgi_walk_start(&row, ndgi_row_loop(p), 1, first);
        return ndgi_run_good(&row, copy, p->run_bytes, &q, (ndgi_byte *)out,
                             (const ndgi_byte *)data, 0, n, q.depth, scatter);
    }
    if (!copy && n < p->rows) return 0;
    if (!copy) n = p->level->extent;
    ndgi_few_rows(&s, p, out, data, indices, first, n, scatter);
    for (k = 0; k < step->extent && n; k++) {
        const ptrdiff_t m = ndgi_run_loop(&s, n, loop, scatter);
        done = copy ? m : done + m;
        if (m < n && !copy) break;
        n = m;
        s.left = ndgi_min(s.left, n);
        s.line += (uintptr_t)ndgi_table_step(step, !scatter);
        s.table += (uintptr_t)ndgi_table_step(step, scatter);
        s.indices += step->indices;
    }
    return done;
}

NDGI_OPAQUE ptrdiff_t ndgi_gather_steps(const ndg_gather_plan *p, void *out,
        const void *data, const void *indices, ptrdiff_t first, ptrdiff_t n) {
    return ndgi_run_steps(p, out, data, indices, first, n, 0);
}
NDGI_OPAQUE ptrdiff_t ndgi_scatter_steps(const ndg_gather_plan *p, void *out,
        const void *data, const void *indices, ptrdiff_t first, ptrdiff_t n) {
    return ndgi_run_steps(p, out, data, indices, first, n, 1);
}

/* Runs n rows of a plan, so few that they go to their loop at once, up to the
 * first bad one; returns how many. */
NDGI_INLINE ptrdiff_t ndgi_run_few(const ndg_gather_plan *p, void *out,
        const void *data, const void *indices, ptrdiff_t first, ptrdiff_t n,
        int scatter) {
    const int loop = p->loop.loop;
    ndgi_rows s;
    if (!p->loop.flat || (loop == NDGI_NUMBERS && n < NDGI_FEW
                          && !(p->index_mask | p->index_add)))
        return scatter
             ? ndgi_scatter_steps(p, out, data, indices, first, n)
             : ndgi_gather_steps(p, out, data, indices, first, n);
    if (n == 1 && p->loop.row_bytes && loop == NDGI_FUSED) {
        ndgi_rows one;            /* whose address no function gets */
        ndgi_plan_rows(&one, p, scatter ? data : out, scatter ? out : data,
                       indices, first, 1, scatter);
        return ndgi_run_one(&one, scatter);
    }
    ndgi_few_rows(&s, p, out, data, indices, first, n, scatter);
    return ndgi_run_loop(&s, n, loop, scatter);
}

/* True if ndgi_run_lines runs bad rows, too: they stay, or short ones become
 * zero. */
static int ndgi_bad_lines(int policy, ptrdiff_t bytes) {
    return policy == NDG_KEEP || (policy == NDG_ZERO && bytes <= 64);
}

/* Runs few rows of a gather by one index, of which the first is row `first`,
 * each in all steps of a level. Returns 0 at a bad one that it does not run. */
NDGI_HOT int ndgi_run_lines(const ndgi_rows *s, const ndg_level *step,
        ptrdiff_t first, int policy, ndg_report *r) {
    static const ndgi_byte zero[64] = { 0 };
    uintptr_t to = s->line;
    ptrdiff_t k;
    for (k = 0; k < s->left; k++, to += (uintptr_t)s->line_step) {
        const int64_t    v = ndgi_load(s->indices + k * s->next, s->type);
        const ndgi_byte *from = zero;
        ptrdiff_t        next = 0;
        if (NDG_INDEX_GOOD(v, *s->extent)) {
            from = (const ndgi_byte *)s->table + (ptrdiff_t)v * *s->stride;
            next = step->source;
        } else if (ndgi_bad_lines(policy, s->bytes)) {
            ndgi_count_bad(r, 0, first + k, 0, v, s->type, *s->extent);
            if (policy == NDG_KEEP) continue;
        } else {
            return 0;
        }
        if (from == zero && step->out == s->bytes)
            ndgi_zero((void *)to, step->extent * s->bytes);
        else ndgi_copy_line((ndgi_byte *)to, step->out, from, next,
                            step->extent, s->bytes);
    }
    return 1;
}

/* The same for rows first ... last-1 of a plan, if they are near and fewer than
 * steps; 0 if they are not, or not such rows. */
static int ndgi_plan_lines(const ndg_gather_plan *p, void *out,
        const void *data, const void *indices, ptrdiff_t first, ptrdiff_t last,
        ndg_report *r) {
    const ndg_level *row = ndgi_row_loop(p);
    ndgi_rows        s;
    NDG_ASSERT(p->row_levels < 2);        /* or no number of them were few */
    if (p->depth != 1 || row->source != 0
        || last - first > ndgi_min(p->level->extent, NDGI_AHEAD / 2)
        || p->source_high - p->source_low > NDGI_FAR_BYTES
        || !ndgi_bad_lines(p->policy, p->run_bytes) || ndgi_plan_ends(p)
        || (p->index_mask | p->index_add)) return 0;
    ndgi_plan_rows(&s, p, out, data, indices, first, last - first, 0);
    s.line_step = row->out;
    s.next = row->indices;
    s.type = p->index_type;
    return ndgi_run_lines(&s, p->level, first, p->policy, r);
}

/* Runs rows first ... last-1, few and of one level or of batches that repay it,
 * of which the first is bad, from where or to where their indices say; returns
 * whether it can. */
NDGI_OPAQUE int ndgi_plan_bad(const ndg_gather_plan *p, void *out,
        const void *data, const void *indices, ptrdiff_t first, ptrdiff_t last,
        int scatter, ndg_report *r) {
    const ndg_level *row = ndgi_row_loop(p);
    const int        loop = p->loop.loop, place = ndgi_has_place(p->policy);
    const int        pays = row->extent >= 2 * NDGI_FEW
                         || last - first <= 4 * row->extent;
    const int        batches = loop == NDGI_BATCHES && pays && !place
                            && ndgi_table_step(row, scatter) == 0;
    const ptrdiff_t  each = batches ? row->extent : last;
    ptrdiff_t        n;
    ndgi_reader      q;
    ndgi_rows        s;
    if (p->copy_levels == 1 && !scatter)
        return ndgi_plan_lines(p, out, data, indices, first, last, r);
    if (p->copy_levels || p->row_levels > 1 + batches
        || (loop != NDGI_FUSED && !batches
            && (scatter || loop != NDGI_NUMBERS || p->depth > 1))
        || (last - first < NDGI_FEW && place)) return 0;
    ndgi_gather_reader(&q, p, ndgi_base(indices), p->policy, r);
    q.next = row->indices;
    ndgi_plan_rows(&s, p, scatter ? data : out, scatter ? out : data, indices,
                   0, last - first, scatter);
    s.line_step = ndgi_table_step(row, !scatter);
    s.line += (uintptr_t)first * (uintptr_t)s.line_step;
    if (batches) s.table += (uintptr_t)(first / each * s.batch_source);
    for (; first < last; first += n) {
        n = ndgi_min(last - first, each - first % each);
        s.indices = q.indices + first * row->indices;
        if (!ndgi_pass_few(&s, &q, first, n, scatter, 0)) return 0;
        s.line += (uintptr_t)n * (uintptr_t)s.line_step;
        if (batches) s.table += (uintptr_t)s.batch_source;
    }
    return 1;
}

/* Prefetches n rows from row `first` on, and runs them, if they are few packed
 * ones of a huge table; returns whether they were, and all were good. */
NDGI_OPAQUE int ndgi_run_asked(const ndg_gather_plan *p, ndgi_byte *out,
        const ndgi_byte *params, const ndgi_byte *indices, ptrdiff_t first,
        ptrdiff_t n) {
    const ndg_loop *l = &p->loop;
    ndgi_rows       s;
    if (!out || n > NDGI_AHEAD || p->copy_levels || p->row_levels > 1
        || !l->row_bytes || l->loop != NDGI_FUSED || l->kind >= NDGI_CALL
        || p->source_high - p->source_low <= NDGI_HUGE_BYTES) return 0;
    ndgi_plan_rows(&s, p, out, params, indices, first, n, 0);
    ndgi_ask_rows(&s, n);
    return ndgi_run_fused(&s, n, 0, 0, 0) == n;
}

/* Does what ndgi_run_each does, for a gather, by jobs. Steps that lie apart are
 * run one after the other. If the first step shows many bad rows that have to
 * be filled, all rows are run as a whole instead, which fills each at once. */
NDGI_OPAQUE void ndgi_gather_range(const ndg_gather_plan *p, ndgi_byte *out,
        const ndgi_byte *params, const ndgi_byte *indices, ptrdiff_t first,
        ptrdiff_t last, ndg_report *r) {
    const ptrdiff_t n = last - first;
    const int       apart = out && p->loop.apart && n >= p->loop.apart;
    uintptr_t       align;
    ndgi_job        j;
    ndgi_spare      spare;
    ndgi_walk       step;
    int             whole;
    if (p->depth == 0 && !out) return;      /* such rows may be very many */
    if (ndgi_run_asked(p, out, params, indices, first, n)) return;
    align = ndgi_plan_job(&j, p, out, indices, p->policy, r);
    j.loop = p->loop.loop;
    j.s.tight = p->loop.row_bytes > 0;
    j.s.line_step = j.step.out;
    j.until = last;
    j.scatter = 0;
    ndgi_job_begin(&j, &spare, align, n * p->slice_bytes,
                   out ? p->source_high - p->source_low : 0);
    if (apart) j.levels = 0;
    ndgi_walk_start(&step, p->level, p->copy_levels - j.levels, 0);
    if (j.loop == NDGI_BATCHES) ndgi_set_batches(&j.s, j.at.level, 0);
    do {
        ndgi_job_from(&j, out ? out + step.out : 0,
                      ndgi_from(params, step.source), first);
        ndgi_run_job(&j);
        whole = apart && !j.keep && !j.place && r->bad.count > n / 8
             && p->level[0].out == p->run_bytes;
    } while (!whole && !r->status && ndgi_walk_next(&step, 0, 1));
    if (whole) {
        j.levels = p->copy_levels;
        ndgi_job_from(&j, out, params, first);
        ndgi_run_job(&j);
    }
    ndgi_fence(j.stream);
}
#endif

/* Checks a run, then runs it. Few rows of at most one level go to their loop at
 * once, up to the first bad one. If few are left they go one by one, unless
 * they are so long that a job pays. */
NDGI_CHECK int ndgi_run_plan(const ndg_gather_plan *p, void *out,
        ptrdiff_t out_bytes, const void *params, const void *indices,
        ptrdiff_t first, ptrdiff_t last, ndg_report *report) {
    ndg_report  local;
    ndg_report *r = ndgi_begin(report, &local, NDG_OP_NONE);
    if (!p || !p->op) return ndgi_null(r, NDG_ARG_PLAN);
    r->op = p->op;
    if (ndgi_check_gather(p, out, out_bytes, params, indices, first, last, r))
        return r->status;
#if NDGI_FAST
    if (first < last && last - first <= p->loop.few) {
        first += ndgi_run_few(p, out, params, indices, first, last - first, 0);
        if (first == last) return ndgi_done(r);
        if (ndgi_plan_bad(p, out, params, indices, first, last, 0, r))
            return ndgi_end(r);
    }
    if (ndgi_job_pays(p, last - first)) {
        ndgi_gather_range(p, p->run_bytes ? (ndgi_byte *)out : 0,
                ndgi_base(params), ndgi_base(indices), first, last, r);
        return ndgi_end(r);
    }
#endif
    if (first < last)
        ndgi_run_each(p, p->run_bytes ? (ndgi_byte *)out : 0,
                      ndgi_base(params), ndgi_base(indices), first, last, 0,
                      p->policy, r);
    return ndgi_end(r);
}

NDG_API int ndg_gather_run_range(const ndg_gather_plan *plan, void *out,
        ptrdiff_t out_bytes, const void *params, const void *indices,
        ptrdiff_t first, ptrdiff_t last, ndg_report *report) {
    return ndgi_run_plan(plan, out, out_bytes, params, indices, first, last,
                         report);
}

NDG_API int ndg_gather_run(const ndg_gather_plan *plan, void *out,
        ptrdiff_t out_bytes, const void *params, const void *indices,
        ndg_report *report) {
    return ndgi_run_plan(plan, out, out_bytes, params, indices, 0,
                         plan ? plan->rows : 0, report);
}

/* Runs a plan that copies nothing. */
NDG_API int ndg_gather_check(const ndg_gather_plan *plan, const void *indices,
        ptrdiff_t first, ptrdiff_t last, ndg_report *report) {
    ndg_gather_plan p;
    ndg_report      local;
    if (!plan) return ndgi_null(ndgi_begin(report, &local, NDG_OP_NONE),
                                NDG_ARG_PLAN);
    NDG_MEMCPY(&p, plan, sizeof p);
    p.run_bytes = 0;
    ndgi_zero(&p.loop, sizeof p.loop);
    if (p.policy == NDG_ASSUME_VALID) p.policy = NDG_ERROR;
    return ndg_gather_run_range(&p, 0, 0, 0, indices, first, last, report);
}

#if NDGI_FAST
/* Multiplies *x by n extents; returns 0 if one is 0, negative or not small. */
static int ndgi_scale(ptrdiff_t *x, const ptrdiff_t *extent, int n) {
    int k;
    for (k = 0; k < n; k++) {
        if (!ndgi_is_half(*x | extent[k])) return 0;
        *x *= extent[k];
    }
    return *x > 0 && ndgi_is_half(*x);
}

/* A call that has no plan. vector: the last axis of ids are index vectors.
 * axis: the first axis of the table that is indexed. batch: how many before it
 * are batches, which ids have too: all or none. */
typedef struct ndgi_call {
    void            *out;
    const void      *data, *indices;
    ptrdiff_t        out_bytes, elem;
    const ndg_shape *table, *ids;
    int              type, vector, axis, batch, policy, op;
} ndgi_call;

/* Gathers or scatters few rows of C-order arrays without a plan: that takes
 * longer than they do. Returns whether it did all, and then the report tells of
 * it. If not, because something is bad, or large, or no loop takes it, nothing
 * was changed but the report and rows that a plan will write, too; the plan
 * does all of it, or tells why it cannot. */
NDGI_INLINE int ndgi_at_once(const ndgi_call *c, int axis, int batch,
        int scatter, ndg_report *report) {
    const ndg_shape *table = c->table, *ids = c->ids;
    const ptrdiff_t *dim = table->dim + axis;
    const int        type = c->type;
    ptrdiff_t   bytes = c->elem, outer = 1, count = 1, depth = 1, all;
    ptrdiff_t   stride[4];
    ndgi_arrays a;
    ndg_report  local;                              /* which nobody reads */
    ndg_report *r;
    ndgi_rows   s;
    int         width, axes, lines, k;
    if (table->rank <= axis || table->rank > 4 || ids->rank > 4
        || ids->rank < batch + c->vector || table->strided || ids->strided
        || (unsigned)type >= NDGI_TYPES) return 0;
    axes = ids->rank - c->vector;
    width = (int)ndgi_type_bytes(type);
    if (c->vector) depth = ids->dim[axes];
    if (depth < 1 || depth > table->rank - axis || (width & (width - 1))
        || !ndgi_scale(&count, ids->dim + batch, axes - batch)
        || !ndgi_scale(&bytes, dim + depth, table->rank - axis - (int)depth))
        return 0;
    if (axis && !ndgi_scale(&outer, table->dim, axis)) return 0;
    lines = axis && !scatter && !batch && count < outer;
    if (!lines && outer > 2 * NDGI_FEW) return 0;
    for (k = 0; k < batch; k++) if (ids->dim[k] != table->dim[k]) return 0;
    all = bytes;
    for (k = (int)depth - 1; k >= 0; k--) {
        const ptrdiff_t extent = dim[k];
        stride[k] = all;
        if (!ndgi_scale(&all, &extent, 1)
            || (k && (ptrdiff_t)ndgi_limit(extent, type, width) != extent))
            return 0;
    }
    s.kind = ndgi_kind(bytes);
    if (!ndgi_takes((int)depth, width, s.kind, scatter)
        || outer * count > ndgi_few(bytes, outer * all)) return 0;
    a.to.low = a.from.low = a.index.low = 0;
    a.to.high = scatter ? all : count * bytes;
    a.from.high = scatter ? count * bytes : all;
    a.index.high = count * depth * width;
    if (axis) {
        a.to.high *= outer;
        a.from.high *= outer;
        if (batch) a.index.high *= outer;
    }
    NDG_ASSERT(all >= bytes && a.from.high > 0 && a.index.high > 0);
    ndgi_arrays_of(&a, c->out, c->data, 0, c->indices, 0, NDG_OVERLAP_CHECK);
    if (ndgi_check_arrays(&a, c->out_bytes, &local)) return 0;
    s.line = (uintptr_t)(scatter ? c->data : c->out);
    s.table = (uintptr_t)(scatter ? c->out : c->data);
    s.indices = (const ndgi_byte *)c->indices;
    s.bytes = s.line_step = bytes;
    s.stride = stride;
    s.extent = dim;
    s.limit = ndgi_limit(*dim, type, width);
    s.depth = (int)depth;
    s.tight = 1;
    s.step = s.width = width;
    s.next = depth * width;
    s.left = count;
    r = ndgi_begin(report, &local, lines ? c->op : (int)NDG_OP_NONE);
    if (lines) {                                  /* one index, all steps */
        const ndg_level step = { outer, all, 0, count * bytes };
        s.type = type;
        if (!ndgi_run_lines(&s, &step, 0, c->policy, r)) return 0;
        ndgi_end(r);
        return 1;
    }
    for (; outer > 0; outer--) {                  /* one step, all indices */
        if ((scatter ? ndgi_run_fused(&s, count, 0, 1, 0)
                     : ndgi_run_fused(&s, count, 0, 0, 0)) < count) return 0;
        s.line += (uintptr_t)(count * bytes);
        s.table += (uintptr_t)all;
        if (batch) s.indices += count * s.next;
    }
    return 1;
}

/* The same from the first axes on, which is met most; and from others. */
NDGI_HOT int ndgi_once_first(const ndgi_call *c, int scatter,
        ndg_report *report) {
    return ndgi_at_once(c, 0, 0, scatter, report);
}
NDGI_HOT int ndgi_once_inner(const ndgi_call *c, int scatter,
        ndg_report *report) {
    return ndgi_at_once(c, c->axis, c->batch, scatter, report);
}

/* The same for a call whose axis and batch may be any numbers. */
NDGI_INLINE int ndgi_try_at_once(const ndgi_call *c, int scatter,
        ndg_report *report) {
    if (c->axis == 0) return ndgi_once_first(c, scatter, report);
    return (unsigned)c->axis < 4 && (c->batch == 0 || c->batch == c->axis)
        && ndgi_once_inner(c, scatter, report);
}

/* Tries that for a gather. */
NDGI_HOT int ndgi_gather_at_once(void *out, ptrdiff_t out_bytes,
        const void *params, const void *indices, const ndg_gather_desc *d,
        int op, ndg_report *report) {
    const int all = op == NDG_OP_BATCH_GATHER;
    int       batch;
    if (!d || (d->negative | d->overlap | d->out.rank | d->out.strided
               | (int)d->features) || (d->index_mask | d->index_add)
        || (unsigned)d->policy >= NDGI_POLICIES || d->policy == NDG_FILL
        || (op != NDG_OP_GATHER && d->axis)
        || (all && (d->batch_dims || d->indices.rank < 1))) return 0;
    batch = all ? d->indices.rank - 1 : d->batch_dims;
    {
        const ndgi_call c = { out, params, indices, out_bytes, d->elem_size,
                              &d->params, &d->indices, d->index_type,
                              op == NDG_OP_GATHER_ND,
                              d->axis ? d->axis : batch, batch, d->policy, op };
        return ndgi_try_at_once(&c, 0, report);
    }
}
#endif

/* Plans a gather and runs it, unless it is done at once. */
static int ndgi_call_gather(void *out, ptrdiff_t out_bytes, const void *params,
        const void *indices, const ndg_gather_desc *desc, int op,
        ndg_report *report) {
    ndg_gather_plan plan;
    int             status;
#if NDGI_FAST
    if (ndgi_gather_at_once(out, out_bytes, params, indices, desc, op, report))
        return NDG_OK;
#endif
    status = ndgi_plan_gather(&plan, desc, op, report);
    return status ? status : ndg_gather_run(&plan, out, out_bytes, params,
                                            indices, report);
}

#define NDGI_GATHER_OP(name, op)                                              \
    NDG_API int ndg_plan_##name(ndg_gather_plan *plan,                        \
            const ndg_gather_desc *desc, ndg_report *report) {                \
        return ndgi_plan_gather(plan, desc, op, report);                      \
    }                                                                         \
    NDG_API int ndg_##name##_out_dims(const ndg_gather_desc *desc,            \
            ptrdiff_t *dims, int cap) {                                       \
        return ndgi_out_dims(desc, op, dims, cap);                            \
    }                                                                         \
    NDG_API int ndg_##name(void *out, ptrdiff_t out_bytes,                    \
            const void *params, const void *indices,                          \
            const ndg_gather_desc *desc, ndg_report *report) {                \
        return ndgi_call_gather(out, out_bytes, params, indices, desc, op,    \
                                report);                                      \
    }
NDGI_GATHER_OP(gather_nd, NDG_OP_GATHER_ND)
NDGI_GATHER_OP(gather, NDG_OP_GATHER)
NDGI_GATHER_OP(batch_gather, NDG_OP_BATCH_GATHER)

/* ---- >>table-rows: rows of a table, without a plan ------------------------*/
/* The rows of a table, as the caller describes them. */
typedef struct ndgi_table {
    ptrdiff_t rows, bytes, stride, count;
    int       type, policy;
} ndgi_table;

/* Sets which bytes the rows of the table span, and the packed ones. */
NDGI_INLINE int ndgi_table_spans(const ndgi_table *t, ndgi_span *table,
        ndgi_span *packed, int packed_arg, int table_arg, ndgi_span *index,
        ndg_report *r) {
    const ptrdiff_t rows = t->rows, bytes = t->bytes, count = t->count;
    ndgi_span       span;
    ptrdiff_t       ids, most;
    table->low = packed->low = index->low = 0;
    if (NDGI_FAST && ndgi_is_half(rows | bytes | t->stride | count)) {
        index->high = count * ndgi_type_bytes(t->type);
        packed->high = count * bytes;
        table->high = rows ? (rows - 1) * t->stride + bytes : 0;
        return NDG_OK;
    }
    if (!ndgi_mul(count, ndgi_type_bytes(t->type), &ids))
        return ndgi_huge(r, NDG_ARG_INDICES);
    if (!ndgi_mul(count, bytes, &most)) return ndgi_huge(r, packed_arg);
    if (!ndgi_span_line(&span, rows, t->stride, 0, bytes))
        return ndgi_huge(r, table_arg);
    index->high = ids;
    packed->high = most;
    *table = span;
    return NDG_OK;
}

/* Checks everything that is refused before anything is written. */
NDGI_INLINE int ndgi_check_table(const ndgi_table *t, ndgi_arrays *a,
        ptrdiff_t out_bytes, int scatter, ndg_report *r) {
    const int  arg = scatter ? NDG_ARG_OUT : NDG_ARG_PARAMS;
    const int  other = scatter ? NDG_ARG_DATA : NDG_ARG_OUT;
    ndgi_span *table = scatter ? &a->to : &a->from;
    ndgi_span *packed = scatter ? &a->from : &a->to;
    if (NDGI_FAST) table->high = packed->high = 0;   /* or gcc has doubts */
    if (scatter ? !ndgi_is_row_policy(t->policy)
                : (unsigned)t->policy >= NDGI_POLICIES || t->policy == NDG_FILL)
        return ndgi_no(r, NDG_E_OPTION, NDG_ARG_POLICY, t->policy, 0);
    if (t->rows < 0) return ndgi_no(r, NDG_E_SHAPE, arg, t->rows, 0);
    if (t->bytes < 0) return ndgi_no_axis(r, NDG_E_SHAPE, arg, 1, t->bytes, 0);
    if (t->count < 0)
        return ndgi_no(r, NDG_E_SHAPE, NDG_ARG_INDICES, t->count, 0);
    if (ndgi_check_type(t->type, NDG_ARG_INDEX_TYPE, r)
        || ndgi_table_spans(t, table, packed, other, arg, &a->index, r))
        return r->status;
    if (scatter && t->rows > 1 && t->bytes && t->stride < t->bytes)
        return ndgi_no(r, NDG_E_STRIDE, arg, t->stride, t->bytes);
    if (packed->high == 0) table->high = table->low;
    if (scatter && table->high == 0) packed->high = 0;
    return ndgi_check_arrays(a, out_bytes, r);
}

#if NDGI_FAST
/* Starts a job over the rows of a table, at row `row`. */
static void ndgi_table_job(ndgi_job *j, ndgi_spare *spare, const ndgi_table *t,
        const ndgi_byte *data, const ndgi_byte *indices, ndgi_byte *out,
        ptrdiff_t table_bytes, ptrdiff_t row, int scatter, ndg_report *r) {
    const ptrdiff_t width = ndgi_type_bytes(t->type);
    const ndg_level step = { t->count, scatter ? t->bytes : 0, width,
                             scatter ? 0 : t->bytes };
    ndgi_list_reader(&j->q, &t->rows, &t->stride, t->type, t->policy,
                     NDG_ARG_INDICES, r);
    j->q.indices = indices;
    j->q.next = width;
    j->out = out;
    j->table = data;
    j->s.bytes = t->bytes;
    j->s.line_step = t->bytes;
    j->s.tight = !scatter;
    j->step = step;
    j->level = &j->step;
    j->levels = j->list = 0;
    j->loop = NDGI_FUSED;
    j->scatter = scatter;
    j->first = 0;
    j->count = table_bytes;
    j->whole = 1;
    j->until = t->count;
    ndgi_job_begin(j, spare, (uintptr_t)out | (uintptr_t)(scatter ? t->stride
                                                                  : 0),
                   out ? t->count * t->bytes : 0, out ? table_bytes : 0);
    ndgi_walk_start(&j->at, &j->step, 1, row);
    j->row = row;
}

/* Runs few rows from row `row` on, which is bad; returns whether it can. */
NDGI_INLINE int ndgi_table_bad(const ndgi_table *t, ndgi_rows *few,
        const ndgi_byte *indices, ptrdiff_t row, int scatter, ndg_report *r) {
    ndgi_reader q;
    if (!few) return 0;
    ndgi_list_reader(&q, &t->rows, &t->stride, t->type, t->policy,
                     NDG_ARG_INDICES, r);
    q.indices = indices;
    q.next = few->width;
    few->line_step = t->bytes;
    few->line += (uintptr_t)(row * t->bytes);
    few->indices += row * few->width;
    return ndgi_pass_few(few, &q, row, t->count - row, scatter, 1);
}

/* Gathers the rows of a table from row `row` on, under any policy. */
NDGI_OPAQUE void ndgi_gather_table(const ndgi_table *t, ndgi_rows *few,
        const ndgi_byte *data, const ndgi_byte *indices, ndgi_byte *out,
        ptrdiff_t table_bytes, ptrdiff_t row, ndg_report *r) {
    ndgi_spare spare;
    ndgi_job   j;
    if (ndgi_table_bad(t, few, indices, row, 0, r)) return;
    ndgi_table_job(&j, &spare, t, data, indices, out, table_bytes, row, 0, r);
    if (out && t->count <= NDGI_AHEAD && table_bytes > NDGI_HUGE_BYTES
        && j.s.kind < NDGI_CALL) {
        ndgi_stand(&j, t->count - row);
        ndgi_ask_rows(&j.s, t->count - row);
    }
    ndgi_run_blocks(&j, 0, 1);
    ndgi_fence(j.stream);
}

/* The same for a scatter. */
NDGI_OPAQUE void ndgi_scatter_table(const ndgi_table *t, ndgi_rows *few,
        const ndgi_byte *data, const ndgi_byte *indices, ndgi_byte *out,
        ptrdiff_t table_bytes, ptrdiff_t row, ndg_report *r) {
    ndgi_spare spare;
    ndgi_job   j;
    if (ndgi_table_bad(t, few, indices, row, 1, r)) return;
    ndgi_table_job(&j, &spare, t, data, indices, out, table_bytes, row, 1, r);
    ndgi_run_scatter(&j);
    ndgi_fence(j.stream);
}

/* Describes the rows of a table to their loop. */
NDGI_INLINE void ndgi_table_rows(ndgi_rows *s, const ndgi_table *t,
        const ndgi_byte *data, const ndgi_byte *indices, const ndgi_byte *out,
        int scatter) {
    s->line = (uintptr_t)(scatter ? data : out);
    s->table = (uintptr_t)(scatter ? out : data);
    s->indices = indices;
    s->bytes = t->bytes;
    s->stride = &t->stride;
    s->left = t->count;
    s->kind = ndgi_kind(t->bytes);
    s->width = (int)ndgi_type_bytes(t->type);
    s->limit = ndgi_limit(t->rows, t->type, s->width);
    s->depth = 1;
    if (!scatter) return;
    s->line_step = t->bytes;
    s->next = s->width;
}

/* Runs the rows of a table; without out it only checks them. Few go to their
 * loop at once, up to the first bad one; returns 1 if those are all. */
NDGI_INLINE int ndgi_run_rows(const ndgi_table *t, const ndgi_arrays *a,
        ndgi_byte *out, int scatter, ndg_report *r) {
    const ptrdiff_t  table_bytes = scatter ? a->to.high
                                           : a->from.high - a->from.low;
    const ndgi_byte *data = ndgi_base(a->data), *ids = ndgi_base(a->indices);
    ptrdiff_t        done = 0;
    ndgi_rows        one, s, *few = 0;
    if (out && t->count == 1 && t->bytes <= NDGI_STREAM_BYTES) {
        ndgi_table_rows(&one, t, data, ids, out, scatter);
        done = ndgi_run_one(&one, scatter);
    } else if (out && t->count <= ndgi_few(t->bytes, table_bytes)) {
        ndgi_table_rows(&s, t, data, ids, out, scatter);
        done = ndgi_run_fused(&s, t->count, 0, scatter, 1);
        few = &s;
    }
    if (done == t->count) return 1;
    if (scatter)
        ndgi_scatter_table(t, few, data, ids, out, table_bytes, done, r);
    else ndgi_gather_table(t, few, data, ids, out, table_bytes, done, r);
    return 0;
}
#else
NDGI_INLINE int ndgi_run_rows(const ndgi_table *t, const ndgi_arrays *a,
        ndgi_byte *out, int scatter, ndg_report *r) {
    const ndgi_byte *data = ndgi_base(a->data);
    const ndgi_byte *p = (const ndgi_byte *)a->indices;
    ndgi_reader      q;
    ptrdiff_t        i, at;
    ndgi_list_reader(&q, &t->rows, &t->stride, t->type, t->policy,
                     NDG_ARG_INDICES, r);
    for (i = 0; i < t->count && !r->status; i++) {
        const ptrdiff_t row = i * t->bytes;
        const int       found = ndgi_judge_row(&at, &q, p
                                + i * ndgi_type_bytes(t->type), i, 1);
        if (!out || r->status) continue;
        if (found)
            NDG_MEMCPY(out + (scatter ? at : row), data + (scatter ? row : at),
                       (size_t)t->bytes);
        else if (!scatter && t->policy == NDG_ZERO)
            ndgi_zero(out + row, t->bytes);
    }
    return 0;
}
#endif

/* Checks a call without a plan, then runs it. */
NDGI_INLINE int ndgi_call_rows(const ndgi_table *t, void *out,
        ptrdiff_t out_bytes, const void *data, const void *indices,
        int scatter, ndg_report *report) {
    ndg_report  local;
    ndg_report *r = ndgi_begin(report, &local, scatter ? NDG_OP_SCATTER_ROWS
                                                       : NDG_OP_GATHER_ROWS);
    ndgi_arrays a;
    ndgi_arrays_of(&a, out, data, scatter ? NDG_ARG_DATA : NDG_ARG_PARAMS,
                   indices, NDG_ARG_INDICES, NDG_OVERLAP_CHECK);
    if (ndgi_check_table(t, &a, out_bytes, scatter, r)) return r->status;
    return ndgi_run_rows(t, &a, a.to.high ? (ndgi_byte *)out : 0, scatter, r)
         ? ndgi_done(r) : ndgi_end(r);
}

NDGI_INLINE ndgi_table ndgi_table_of(ptrdiff_t rows, ptrdiff_t bytes,
        ptrdiff_t stride, ptrdiff_t count, int type, int policy) {
    ndgi_table t;
    t.rows = rows;
    t.bytes = bytes;
    t.stride = stride ? stride : bytes;
    t.count = count;
    t.type = type;
    t.policy = policy;
    return t;
}

NDG_API int ndg_gather_rows(void *out, ptrdiff_t out_bytes, const void *table,
        ptrdiff_t rows, ptrdiff_t row_bytes, ptrdiff_t row_stride,
        const void *indices, int index_type, ptrdiff_t count, int policy,
        ndg_report *report) {
    const ndgi_table t = ndgi_table_of(rows, row_bytes, row_stride, count,
                                       index_type, policy);
    return ndgi_call_rows(&t, out, out_bytes, table, indices, 0, report);
}

NDG_API int ndg_scatter_rows(void *out, ptrdiff_t out_bytes, ptrdiff_t rows,
        ptrdiff_t row_bytes, ptrdiff_t row_stride, const void *data,
        const void *indices, int index_type, ptrdiff_t count, int policy,
        ndg_report *report) {
    const ndgi_table t = ndgi_table_of(rows, row_bytes, row_stride, count,
                                       index_type, policy);
    return ndgi_call_rows(&t, out, out_bytes, data, indices, 1, report);
}

/* ---- >>scatter-run: gather_nd read backwards -----------------------------*/
/* Zeroes a large block, past the caches if it exceeds NDGI_STREAM_BYTES. */
static void ndgi_zero_all(ndgi_byte *dst, ptrdiff_t n) {
#if NDGI_STREAMS
    ptrdiff_t done = 4096;
    if (n > NDGI_STREAM_BYTES && n > done) {
        ndgi_zero(dst, done);
        for (; done < n; done += 4096)
            ndgi_stream(dst + done, dst, ndgi_min(4096, n - done));
        ndgi_fence(1);
        return;
    }
#endif
    ndgi_zero(dst, n);
}

/* Renames the operand of a refusal: a scatter is planned as a gather of data
 * from out, so its data and out are told by the gather's names. */
static int ndgi_rename(ndg_report *r) {
    if (r->operand == NDG_ARG_OUT) r->operand = NDG_ARG_DATA;
    else if (r->operand == NDG_ARG_PARAMS) r->operand = NDG_ARG_OUT;
    return r->status;
}

/* Inserts a loop over slots behind those of a smaller stride in out. */
static void ndgi_add_slots(ndg_scatter_plan *p, ptrdiff_t extent,
        ptrdiff_t out) {
    const ndg_level a = { extent, 0, 0, out };
    int             k = p->slot_levels;
    if (extent == 1) return;
    p->slot_levels++;
    for (; k > 0 && p->slot[k - 1].out > out; k--)
        p->slot[k] = p->slot[k - 1];
    p->slot[k] = a;
}

/* Exchanges the two sides of the loops, and collects the loops over slots,
 * those of batches and components. They nest in memory as the strides of out
 * do. */
static int ndgi_turn_plan(ndg_scatter_plan *p, ndg_report *r) {
    ndg_gather_plan *by = &p->by;
    int              k, slots = by->depth;
    for (k = 0; k < by->copy_levels + by->row_levels; k++) {
        ndg_level      *a = by->level + k;
        const ptrdiff_t out = a->source;
        a->source = a->out;
        a->out = out;
        if (k < by->copy_levels || out == 0) continue;
        ndgi_add_slots(p, a->extent, out);
        slots++;
    }
    if (slots > NDG_MAX_LEVELS)
        return ndgi_no(r, NDG_E_LEVELS, NDG_ARG_PARAMS, slots, NDG_MAX_LEVELS);
    for (k = 0; k < by->depth; k++)
        ndgi_add_slots(p, by->extent[k], by->stride[k]);
    return NDG_OK;
}

/* Plans a scatter as the gather of data from out that it reads backwards. */
static int ndgi_plan_backwards(ndg_scatter_plan *p, const ndg_scatter_desc *s,
        ndg_report *r) {
    ndg_gather_desc d = NDG_ZERO_INIT;
    ndgi_form       f;
    ndgi_array      data;
    ptrdiff_t       rows, low, high;
    d.params = s->out;
    d.indices = s->indices;
    d.out = s->data;
    d.elem_size = s->elem_size;
    d.index_type = s->index_type;
    d.batch_dims = s->batch_dims;
    d.policy = s->policy;
    d.negative = s->negative;
    d.overlap = s->overlap;
    d.index_mask = s->index_mask;
    d.index_add = s->index_add;
    if (ndgi_form_from(&f, &d, r->op, r)
        || ndgi_out_from(&f.params, &d.params, d.elem_size, f.params.rank,
                         NDG_ARG_PARAMS, r)
        || ndgi_form_out(&data, &f, &d, r)) return ndgi_rename(r);
    if (!ndgi_product(f.indices.dims, f.batch + f.row_axes, &rows))
        return ndgi_huge(r, NDG_ARG_INDICES);
    if (!ndgi_product(f.params.dims, f.batch + f.depth, &p->slots))
        return ndgi_huge(r, NDG_ARG_OUT);
    low = data.span.low;
    high = data.span.high;
    if (f.params.count && !data.count) {     /* no rows; gaps may be zeroed */
        data.count = 1;
        data.strides = 0;
        f.row_axes = 0;
        f.indices.rank = f.batch + 1;
    }
    ndgi_plan_form(&p->by, &f, &data, rows, &d, r);
    if (r->status || ndgi_turn_plan(p, r)) return ndgi_rename(r);
#if NDGI_FAST
    ndgi_choose_scatter(&p->by);
#endif
    p->by.out_bytes = p->out_bytes = f.params.span.high;
    p->by.slice_bytes = p->slots ? f.params.count / p->slots * d.elem_size : 0;
    p->by.source_low = low;
    p->by.source_high = high;
    p->gaps = s->gaps;
    p->op = r->op;
    return NDG_OK;
}

NDG_API int ndg_plan_scatter_nd(ndg_scatter_plan *plan,
        const ndg_scatter_desc *desc, ndg_report *report) {
    ndg_report  local;
    ndg_report *r = ndgi_begin(report, &local, NDG_OP_SCATTER_ND);
    if (!plan) return ndgi_null(r, NDG_ARG_PLAN);
    plan->slot_levels = 0;
    if (!desc) ndgi_null(r, NDG_ARG_DESC);
    else if (desc->gaps == NDG_GAPS_ERROR)
        ndgi_no(r, NDG_E_OPTION, NDG_ARG_GAPS, desc->gaps, 0);
    else if (!ndgi_check_row_options(desc->elem_size, desc->index_type,
                                     desc->policy, desc->overlap,
                                     desc->features, r)
             && !ndgi_check_option(desc->gaps, NDG_GAPS_KEEP, NDG_ARG_GAPS, r))
        ndgi_plan_backwards(plan, desc, r);
    if (r->status) ndgi_zero(plan, sizeof *plan);
    return ndgi_end(r);
}

/* Returns the offset of a slot in out. */
static ptrdiff_t ndgi_slot(const ndg_scatter_plan *p, ptrdiff_t slot) {
    ndgi_walk at;
    ndgi_walk_start(&at, p->slot, p->slot_levels, slot);
    return at.out;
}

/* Zeroes slots first ... last-1, at once if they are in one piece. */
static void ndgi_zero_slots(const ndg_scatter_plan *p, ndgi_byte *out,
        ptrdiff_t first, ptrdiff_t last) {
    const ndg_gather_plan *by = &p->by;
    ndgi_walk              at;
    if (by->copy_levels == 0 && p->slots * by->run_bytes == p->out_bytes) {
        ndgi_zero_all(out + first * by->run_bytes,
                      (last - first) * by->run_bytes);
        return;
    }
    ndgi_walk_start(&at, p->slot, p->slot_levels, first);
    for (; first < last; first++, ndgi_walk_next(&at, 0, 1))
        ndgi_fill_all(by->level, by->copy_levels, out + at.out, by->run_bytes,
                      NDG_ZERO, 0, 0);
}

#if NDGI_FAST
/* Scatters rows `row` and later to the slots whose offsets are to.low ...
 * to.high-1. Without out it only checks them. */
static void ndgi_scatter_rows(const ndg_scatter_plan *p, ndgi_byte *out,
        const ndgi_byte *data, const ndgi_byte *indices, ndgi_span to,
        ptrdiff_t row, int policy, ndg_report *r) {
    const ndg_gather_plan *by = &p->by;
    ndgi_job   j;
    ndgi_spare spare;
    uintptr_t  align = ndgi_plan_job(&j, by, out, indices, policy, r);
    int        k;
    for (k = 0; k < by->depth; k++) align |= (uintptr_t)by->stride[k];
    j.scatter = 1;
    j.first = to.low;
    j.count = to.high - to.low;
    j.whole = to.low == 0 && to.high == p->out_bytes;
    j.loop = by->loop.loop;
    j.s.tight = 0;
    j.s.line_step = j.step.source;
    j.until = by->rows;
    ndgi_job_begin(&j, &spare, align, by->rows * by->slice_bytes,
                   out ? p->out_bytes : 0);
    if (j.loop == NDGI_BATCHES) ndgi_set_batches(&j.s, j.at.level, 1);
    ndgi_job_from(&j, out, data, row);
    ndgi_run_scatter(&j);
    ndgi_fence(j.stream);
}
#endif

/* Sets which bytes of out slots first ... last-1 take, and in *to the offsets
 * where they begin. */
NDGI_OPAQUE void ndgi_span_slots(const ndg_scatter_plan *p, ptrdiff_t first,
        ptrdiff_t last, ndgi_span *to, ndgi_span *bytes) {
    const ndg_gather_plan *by = &p->by;
    int                    k;
    to->low = ndgi_slot(p, first);
    to->high = ndgi_slot(p, last - 1) + 1;
    *bytes = *to;
    for (k = 0; k < by->copy_levels; k++)
        ndgi_span_steps(bytes, 0, by->level[k].extent, by->level[k].out);
    bytes->high += by->run_bytes - 1;
}

/* Checks everything that a run refuses before it writes. Sets *to to the
 * offsets of its slots. */
NDGI_CHECK int ndgi_check_scatter(const ndg_scatter_plan *p, const void *out,
        ptrdiff_t out_bytes, const void *data, const void *indices,
        ptrdiff_t first, ptrdiff_t last, ndgi_span *to, ndg_report *r) {
    const ndg_gather_plan *by = &p->by;
    const int              writes = by->run_bytes && first < last;
    ndgi_arrays            a;
    ndgi_span              part, bytes;
    if (ndgi_check_range(first, last, p->slots, r)) return r->status;
    a.index.low = by->rows && by->depth ? by->loop.index_low : 0;
    a.index.high = by->rows && by->depth ? by->loop.index_high : 0;
    if (by->rows && by->depth && a.index.low == a.index.high) {
        ndgi_gather_spans(by, 0, by->rows, &part, &bytes);  /* by hand */
        a.index = bytes;
    }
    a.from.low = writes ? by->source_low : 0;
    a.from.high = writes ? by->source_high : 0;
    a.to.low = to->low = 0;
    a.to.high = to->high = writes ? p->out_bytes : 0;
    if (to->high && (first > 0 || last < p->slots)) {
        ndgi_span_slots(p, first, last, &part, &bytes);
        *to = part;
        a.to = bytes;
    }
    ndgi_arrays_of(&a, out, data, NDG_ARG_DATA, indices, NDG_ARG_INDICES,
                   by->overlap);
    return ndgi_check_arrays(&a, out_bytes, r);
}

NDG_API int ndg_scatter_fits(const ndg_scatter_plan *plan, const void *out,
        ptrdiff_t out_bytes, const void *data, const void *indices,
        ptrdiff_t first, ptrdiff_t last, ndg_report *report) {
    ndg_report  local;
    ndg_report *r = ndgi_begin(report, &local, NDG_OP_NONE);
    ndgi_span   to;
    if (!plan || !plan->op) return ndgi_null(r, NDG_ARG_PLAN);
    r->op = plan->op;
    ndgi_check_scatter(plan, out, out_bytes, data, indices, first, last, &to,
                       r);
    return ndgi_end(r);
}

/* Scatters rows `row` and later to the slots at `slots`, by a job or one by
 * one. told: bad rows are reported. */
NDGI_OPAQUE void ndgi_scatter_rest(const ndg_scatter_plan *p, ndgi_byte *out,
        const ndgi_byte *data, const ndgi_byte *indices, ndgi_span slots,
        ptrdiff_t row, int told, ndg_report *r) {
    const ndg_gather_plan *by = &p->by;
    const int              policy = told ? by->policy : NDG_DROP;
    ndg_report             ignored;
    if (!told) r = ndgi_begin(0, &ignored, 0);
#if NDGI_FAST
    if (ndgi_job_pays(by, by->rows - row)) {
        ndgi_scatter_rows(p, out, data, indices, slots, row, policy, r);
        return;
    }
#endif
    ndgi_run_each(by, out, data, indices, row, by->rows, &slots, policy, r);
}

/* Checks a run, then runs it. Few rows of at most one level go to their loop at
 * once, up to the first bad one. */
NDGI_CHECK int ndgi_run_scatter_plan(const ndg_scatter_plan *p, void *out,
        ptrdiff_t out_bytes, const void *data, const void *indices,
        ptrdiff_t first, ptrdiff_t last, ndg_report *report) {
    ndg_report  local;
    ndg_report *r = ndgi_begin(report, &local, NDG_OP_NONE);
    ndgi_byte  *to = (ndgi_byte *)out;
    ndgi_span   slots;
    ptrdiff_t   done = 0;
    int         told;
    const ndg_gather_plan *by;
    if (!p || !p->op) return ndgi_null(r, NDG_ARG_PLAN);
    r->op = p->op;
    by = &p->by;
    if (ndgi_check_scatter(p, out, out_bytes, data, indices, first, last,
                           &slots, r)) return r->status;
    told = first == 0 && (last > 0 || p->slots == 0)
        && by->policy != NDG_ASSUME_VALID;
    if (slots.low == slots.high) to = 0;
    else if (p->gaps == NDG_GAPS_ZERO) ndgi_zero_slots(p, to, first, last);
#if NDGI_FAST
    if (to && first == 0 && last == p->slots && by->rows <= by->loop.few) {
        done = ndgi_run_few(by, out, data, indices, 0, by->rows, 1);
        if (done < by->rows && ndgi_plan_bad(by, out, data, indices, done,
                                             by->rows, 1, r))
            return ndgi_end(r);
    }
#endif
    if (done == by->rows) return ndgi_done(r);
    if (to || (told && by->depth))
        ndgi_scatter_rest(p, to, ndgi_base(data), ndgi_base(indices), slots,
                          done, told, r);
    return ndgi_end(r);
}

NDG_API int ndg_scatter_run_range(const ndg_scatter_plan *plan, void *out,
        ptrdiff_t out_bytes, const void *data, const void *indices,
        ptrdiff_t first, ptrdiff_t last, ndg_report *report) {
    return ndgi_run_scatter_plan(plan, out, out_bytes, data, indices, first,
                                 last, report);
}

NDG_API int ndg_scatter_run(const ndg_scatter_plan *plan, void *out,
        ptrdiff_t out_bytes, const void *data, const void *indices,
        ndg_report *report) {
    return ndgi_run_scatter_plan(plan, out, out_bytes, data, indices, 0,
                                 plan ? plan->slots : 0, report);
}

NDG_API int ndg_scatter_check(const ndg_scatter_plan *plan, const void *indices,
        ptrdiff_t first, ptrdiff_t last, ndg_report *report) {
    return ndg_gather_check(plan ? &plan->by : 0, indices, first, last, report);
}

#if NDGI_FAST
/* Scatters few rows into a C-order out without a plan; returns whether it can,
 * as ndgi_at_once does. */
NDGI_HOT int ndgi_scatter_at_once(void *out, ptrdiff_t out_bytes,
        const void *data, const void *indices, const ndg_scatter_desc *d,
        ndg_report *report) {
    if (!d || (d->negative | d->overlap | d->data.rank | d->data.strided
               | (int)d->features) || (d->index_mask | d->index_add)
        || d->gaps != NDG_GAPS_KEEP || !ndgi_is_row_policy(d->policy))
        return 0;
    {
        const ndgi_call c = { out, data, indices, out_bytes, d->elem_size,
                              &d->out, &d->indices, d->index_type, 1,
                              d->batch_dims, d->batch_dims, d->policy,
                              NDG_OP_SCATTER_ND };
        return ndgi_try_at_once(&c, 1, report);
    }
}
#endif

NDG_API int ndg_scatter_nd(void *out, ptrdiff_t out_bytes, const void *data,
        const void *indices, const ndg_scatter_desc *desc,
        ndg_report *report) {
    ndg_scatter_plan plan;
    int              status;
#if NDGI_FAST
    if (ndgi_scatter_at_once(out, out_bytes, data, indices, desc, report))
        return NDG_OK;
#endif
    status = ndg_plan_scatter_nd(&plan, desc, report);
    return status ? status : ndg_scatter_run(&plan, out, out_bytes, data,
                                             indices, report);
}

/* ---- >>layout: a row of a stitch or a partition --------------------------*/
/* Checks that the axes of a from i on equal those of b from j on. */
static int ndgi_check_dims(const ndgi_array *a, int i, const ndgi_array *b,
        int j, int operand, ndg_report *r) {
    int k;
    for (k = 0; i < a->rank || j < b->rank; k++, i++, j++) {
        const ptrdiff_t have = i < a->rank ? a->dims[i] : -1;
        const ptrdiff_t want = j < b->rank ? b->dims[j] : -1;
        if (have != want)
            return ndgi_no_axis(r, NDG_E_SHAPE, operand, k, have, want);
    }
    return NDG_OK;
}

/* Checks that data.shape starts with the shape of its indices or partitions. */
static int ndgi_check_prefix(const ndgi_array *indices, const ndgi_array *data,
        ndg_report *r) {
    ndgi_array front = *data;
    if (front.rank > indices->rank) front.rank = indices->rank;
    return ndgi_check_dims(&front, 0, indices, 0, NDG_ARG_DATA, r);
}

/* Lays out a row: a slice, the last n axes of source, beside out_slice. The
 * slice is measured on its own because source may have no rows. */
static int ndgi_layout(ndg_row_layout *row, const ndgi_array *source, int n,
        const ndg_shape *out_slice, ptrdiff_t out_stride, ndg_report *r) {
    ndgi_array slice = *source, out;
    ndgi_axes  from, to;
    ndgi_pool  p = { row->level, 0 };
    slice.dims += source->rank - n;
    if (slice.strides) slice.strides += source->rank - n;
    slice.rank = n;
    if (!ndgi_product(slice.dims, n, &slice.count) || !ndgi_measure(&slice))
        return ndgi_huge(r, NDG_ARG_SLICE);
    out = slice;
    out.strides = 0;
    out.span.high = row->bytes = slice.count * slice.elem;
    if ((out_slice->rank || out_slice->strided)
        && (ndgi_out_from(&out, out_slice, slice.elem, n, NDG_ARG_OUT, r)
            || ndgi_check_dims(&out, 0, &slice, 0, NDG_ARG_OUT, r)))
        return r->status;
    row->run_bytes = slice.count ? slice.elem : 0;
    from = ndgi_axes_of(&slice);
    to = ndgi_axes_of(&out);
    ndgi_pool_group(&p, n, &from, 0, &to, &row->run_bytes);
    if (p.used > NDG_MAX_LEVELS)
        return ndgi_no(r, NDG_E_LEVELS, NDG_ARG_SLICE, p.used, NDG_MAX_LEVELS);
    row->levels = p.used;
    row->source_low = slice.span.low;
    row->source_high = slice.span.high;
    row->out_span = out.span.high;
    row->out_stride = out_stride ? out_stride : row->out_span;
    if (row->out_stride < row->out_span)
        return ndgi_no(r, NDG_E_STRIDE, NDG_ARG_OUT_STRIDE, out_stride,
                       row->out_span);
    return NDG_OK;
}

/* Returns how many bytes the first `rows` rows of an output span, or -1. */
NDGI_CHECK ptrdiff_t ndgi_rows_bytes(const ndg_row_layout *row,
        ptrdiff_t rows) {
    ndgi_span s;
    return rows >= 0 && ndgi_span_line(&s, rows, row->out_stride, 0,
                                       row->out_span) ? s.high : -1;
}

/* Returns the bytes that output rows first ... last-1 span. Their number was
 * checked before, so nothing overflows. */
static ndgi_span ndgi_rows_span(const ndg_row_layout *row, ptrdiff_t first,
        ptrdiff_t last) {
    ndgi_span s = { 0, 0 };
    if (first >= last || row->run_bytes == 0) return s;
    s.low = first * row->out_stride;
    s.high = (last - 1) * row->out_stride + row->out_span;
    return s;
}

/* ---- >>stitch-run: stitches, planned, checked and run --------------------*/
/* Checks a desc and, unless slice is NULL, its slice. */
static int ndgi_check_stitch_desc(const ndg_stitch_desc *d, ndgi_array *slice,
        ndg_report *r) {
    if (!d) return ndgi_null(r, NDG_ARG_DESC);
    return ndgi_check_row_options(d->elem_size, d->index_type, d->policy,
                                  d->overlap, d->features, r)
        || ndgi_check_option(d->gaps, NDG_GAPS_KEEP, NDG_ARG_GAPS, r)
        || (slice && ndgi_array_from(slice, &d->slice, d->elem_size,
                                     NDG_ARG_SLICE, r));
}

static int ndgi_plan_slice(ndg_stitch_plan *p, const ndg_stitch_desc *d,
        const ndgi_array *source, int n, ndg_report *r) {
    p->out_rank = n + 1;
    p->op = r->op;
    p->index_type = d->index_type;
    p->policy = d->policy;
    p->gaps = d->gaps;
    p->overlap = d->overlap;
    return ndgi_layout(&p->row, source, n, &d->out_slice, d->out_stride, r);
}

NDG_API int ndg_plan_stitch(ndg_stitch_plan *plan, const ndg_stitch_desc *desc,
        ndg_report *report) {
    ndg_report  local;
    ndg_report *r = ndgi_begin(report, &local, NDG_OP_DYNAMIC_STITCH);
    ndgi_array  slice;
    if (!plan) return ndgi_null(r, NDG_ARG_PLAN);
    if (ndgi_check_stitch_desc(desc, &slice, r)
        || ndgi_plan_slice(plan, desc, &slice, slice.rank, r))
        ndgi_zero(plan, sizeof *plan);
    return ndgi_end(r);
}

NDG_API ptrdiff_t ndg_stitch_out_bytes(const ndg_stitch_plan *plan,
        ptrdiff_t rows) {
    return plan ? ndgi_rows_bytes(&plan->row, rows) : -1;
}

NDG_API ptrdiff_t ndg_stitch_scratch_bytes(const ndg_stitch_plan *plan,
        ptrdiff_t rows) {
    (void)plan;
    return rows > 0 ? (rows - 1) / 8 + 1 : 0;
}

static int ndgi_input_arrays(ndgi_array *indices, ndgi_array *data,
        const ndg_stitch_input *in, const ndg_stitch_desc *d, ndg_report *r) {
    return ndgi_array_from(indices, &in->indices_shape,
                           ndgi_type_bytes(d->index_type), NDG_ARG_INDICES, r)
        || ndgi_array_from(data, &in->data_shape, d->elem_size,
                           NDG_ARG_DATA, r);
}

NDG_API int ndg_list_from(ndg_list *list, const ndg_stitch_input *input,
        const ndg_stitch_desc *desc, ndg_report *report) {
    ndg_report  local;
    ndg_report *r = ndgi_begin(report, &local, NDG_OP_DYNAMIC_STITCH);
    ndgi_array  indices, data, slice;
    ndgi_axes   a, b;
    ndg_list    s;
    if (!list || !input) return ndgi_null(r, NDG_ARG_INPUTS);
    ndgi_zero(list, sizeof *list);
    if (ndgi_check_stitch_desc(desc, &slice, r)
        || ndgi_input_arrays(&indices, &data, input, desc, r)
        || ndgi_check_prefix(&indices, &data, r)
        || ndgi_check_dims(&data, indices.rank, &slice, 0, NDG_ARG_SLICE, r))
        return r->status;
    a = ndgi_axes_of(&data);
    b = ndgi_axes_of(&slice);
    while (b.axis > 0 && data.count) {
        const ptrdiff_t extent = slice.dims[b.axis - 1];
        const ptrdiff_t x = ndgi_axes_back(&a, extent);
        const ptrdiff_t y = ndgi_axes_back(&b, extent);
        if (extent > 1 && x != y)
            return ndgi_no_axis(r, NDG_E_STRIDE, NDG_ARG_SLICE, b.axis, x, y);
    }
    if (ndgi_fold_rows(&indices, indices.rank, &s.count, &s.index_stride,
                       NDG_ARG_INDICES, r)
        || ndgi_fold_rows(&data, indices.rank, &s.count, &s.data_stride,
                          NDG_ARG_DATA, r)) return r->status;
    if (s.count > 1 && s.index_stride == 0)
        return ndgi_no(r, NDG_E_STRIDE, NDG_ARG_INDICES, 0, 1);
    if (s.count > 1 && s.data_stride == 0 && data.count)
        return ndgi_no(r, NDG_E_STRIDE, NDG_ARG_DATA, 0, 1);
    s.indices = input->indices;
    s.data = input->data;
    *list = s;
    return ndgi_end(r);
}

/* A run over output rows first ... last-1. */
typedef struct ndgi_stitch {
    const ndg_stitch_plan *plan;
    ndgi_byte             *out, *marks;   /* marks: a bit per row, or NULL */
    ndgi_span              to;            /* what is written of out */
    ptrdiff_t              total, first, last;
    int                    counts;   /* bad entries, unless a scan has */
    int                    spelled;  /* a stride of 0 repeats, is not packed */
    ndg_report            *r;
    int64_t                most;     /* of the indices scanned */
} ndgi_stitch;

/* Starts before any index is read, when the number of rows is not known. */
static void ndgi_stitch_begin(ndgi_stitch *t, const ndg_stitch_plan *plan,
        void *out, ndg_report *r) {
    t->plan = plan;
    t->out = (ndgi_byte *)out;
    t->marks = 0;
    t->to.low = t->to.high = t->first = t->counts = t->spelled = 0;
    t->r = r;
    t->most = -1;
}

/* Returns a list with its default strides filled in. */
static ndg_list ndgi_spell_out(const ndgi_stitch *t, const ndg_list *l) {
    const ndg_stitch_plan *p = t->plan;
    ndg_list               s = *l;
    if (t->spelled) return s;
    if (s.index_stride == 0) s.index_stride = ndgi_type_bytes(p->index_type);
    if (s.data_stride == 0) s.data_stride = p->row.bytes;
    return s;
}

/* Raises t->most to the largest index of a list. One above INT64_MAX is bad. */
static void ndgi_peak(ndgi_stitch *t, const ndg_list *s, ptrdiff_t item) {
    const int        type = t->plan->index_type;
    const ptrdiff_t  step = s->index_stride;
    const ndgi_byte *p = (const ndgi_byte *)s->indices;
    int64_t   most = t->most, v;
    ptrdiff_t at;
    for (at = 0; at < s->count; at++) {
#if NDGI_FAST
        const int      width = (int)ndgi_type_bytes(type);
        const uint64_t limit = ndgi_limit(PTRDIFF_MAX, type, width);
        for (; at < s->count; at++) {
            const uint64_t x = ndgi_index(p + at * step, width);
            if (x >= limit) break;
            most = (int64_t)x > most ? (int64_t)x : most;
        }
        if (at == s->count) break;
#endif
        v = ndgi_load(p + at * step, type);
        if (v < 0) ndgi_count_bad(t->r, item, at, 0, v, type, PTRDIFF_MAX);
        else if (v > most) most = v;
    }
    t->most = most;
}

/* Sets the number of output rows that the indices ask for. */
static int ndgi_total(ndgi_stitch *t, ptrdiff_t *total) {
    if (t->most >= PTRDIFF_MAX
        || ndgi_rows_bytes(&t->plan->row, (ptrdiff_t)t->most + 1) < 0)
        return ndgi_huge(t->r, NDG_ARG_OUT);
    *total = t->total = t->last = (ptrdiff_t)t->most + 1;
    return NDG_OK;
}

/* Checks that a list's rows have addresses, and lie apart from what is
 * written. */
static int ndgi_check_rows(const ndgi_stitch *t, const ndg_list *s) {
    const ndg_stitch_plan *p = t->plan;
    ndgi_span              index, data;
    if (s->count < 0)
        return ndgi_no(t->r, NDG_E_COUNT, NDG_ARG_COUNT, s->count, 0);
    if (!ndgi_span_line(&index, s->count, s->index_stride, 0,
                        ndgi_type_bytes(p->index_type)))
        return ndgi_huge(t->r, NDG_ARG_INDICES);
    if (!ndgi_span_line(&data, s->count, s->data_stride, p->row.source_low,
                        p->row.source_high))
        return ndgi_huge(t->r, NDG_ARG_DATA);
    if (t->to.low == t->to.high) data.high = data.low;
    return ndgi_check_input(s->indices, index, t->out, t->to, p->overlap,
                            NDG_ARG_INDICES, t->r)
        || ndgi_check_input(s->data, data, t->out, t->to, p->overlap,
                            NDG_ARG_DATA, t->r);
}

/* Returns whether a row is marked; marks it if set is not 0. */
static int ndgi_marked(const ndgi_stitch *t, ptrdiff_t row, int set) {
    const ptrdiff_t bit = row - t->first;
    ndgi_byte      *mark = t->marks + bit / 8;
    const int       mask = 1 << (bit % 8), was = *mark & mask;
    if (set) *mark = (ndgi_byte)(*mark | mask);
    return was != 0;
}

#if NDGI_FAST
/* Prepares the job that writes lists, a scatter. */
static void ndgi_scatter_begin(ndgi_job *j, ndgi_spare *spare,
        const ndgi_stitch *t, const ndgi_reader *q) {
    const ndg_row_layout *row = &t->plan->row;
    j->q = *q;
    j->q.stride = &row->out_stride;
    j->level = row->level;
    j->levels = row->levels;
    j->loop = NDGI_FUSED;
    j->scatter = j->list = 1;
    j->s.tight = 0;
    j->first = t->first;
    j->count = t->last - t->first;
    j->whole = j->count == t->total;
    ndgi_job_begin(j, spare, (uintptr_t)t->out | (uintptr_t)row->out_stride,
                   t->to.high - t->to.low, t->to.high - t->to.low);
}

/* Writes the job's list from row `row` on. */
static void ndgi_scatter(ndgi_job *j, const ndg_list *s, ptrdiff_t row) {
    const ndg_level step = { s->count, s->data_stride, s->index_stride, 0 };
    j->step = step;
    j->q.next = j->s.next = s->index_stride;
    j->q.indices = ndgi_base(s->indices);
    j->s.line_step = s->data_stride;
    j->table = ndgi_base(s->data);
    j->row = row;
    j->until = s->count;
    ndgi_walk_start(&j->at, &j->step, 1, row);
    ndgi_run_scatter(j);
}

/* Writes n lists, up to an error; the number of the first is `item`. Few rows
 * of a whole stitch go to their loop at once, once per copy step if these are
 * few, up to the first bad one. */
static void ndgi_write_lists(const ndgi_stitch *t, ndgi_reader *q,
        const ndg_list *lists, ptrdiff_t n, ptrdiff_t item) {
    const ndg_row_layout *row = &t->plan->row;
    const int whole = t->first == 0 && t->last == t->total;
    const ndg_level *step = row->level;
    const ptrdiff_t steps = row->levels ? step->extent : 1;
    const ptrdiff_t few = whole && row->levels < 2 && steps < 2 * NDGI_FEW
                        ? ndgi_few(row->run_bytes, t->to.high) : 0;
    int        begun = 0;
    ptrdiff_t  m, k;
    ndgi_job   j;
    ndgi_spare spare;
    j.s.table = (uintptr_t)t->out;
    j.s.bytes = row->run_bytes;
    j.s.stride = &row->out_stride;
    j.s.kind = ndgi_kind(row->run_bytes);
    j.s.width = (int)ndgi_type_bytes(q->type);
    j.s.limit = ndgi_limit(t->total, q->type, j.s.width);
    j.s.depth = 1;
    j.out = t->out;
    for (m = 0; m < n && !q->r->status; m++) {
        const ndg_list   s = ndgi_spell_out(t, lists + m);
        const ndgi_byte *data;
        ptrdiff_t        done = 0;
        j.s.indices = ndgi_base(s.indices);
        j.s.next = s.index_stride;
        j.s.line_step = s.data_stride;
        data = ndgi_base(s.data);
        j.s.line = (uintptr_t)data;
        j.s.left = s.count;
        if (s.count <= few) {
            done = ndgi_run_fused(&j.s, s.count, 0, 1, 0);
            for (k = 1; k < steps; k++) {
                j.s.left = done;
                j.s.line = (uintptr_t)data + (uintptr_t)(k * step->source);
                j.s.table = (uintptr_t)t->out + (uintptr_t)(k * step->out);
                done = ndgi_run_fused(&j.s, done, 0, 1, 0);
            }
            j.s.table = (uintptr_t)t->out;
            if (done == s.count) continue;
            j.s.line += (uintptr_t)(done * s.data_stride);
            j.s.indices += done * s.index_stride;
            q->indices = ndgi_base(s.indices);
            q->next = s.index_stride;
            q->list = item + m;
            if (steps == 1 && ndgi_pass_few(&j.s, q, done, s.count - done, 1,
                                            0)) continue;
        }
        if (!begun) ndgi_scatter_begin(&j, &spare, t, q);
        begun = 1;
        j.q.list = item + m;
        ndgi_scatter(&j, &s, done);
    }
    if (begun) ndgi_fence(j.stream);
}
#endif

/* Marks the rows that n lists name or, without `mark`, writes them, up to an
 * error; the number of the first list is `item`. A bad entry belongs to no row
 * of out, so only one range counts it. */
static void ndgi_weave(ndgi_stitch *t, const ndg_list *lists, ptrdiff_t n,
        ptrdiff_t item, int mark) {
    static const ptrdiff_t one = 1;
    const ndg_row_layout *row = &t->plan->row;
    ndg_report            ignored;
    ndg_report           *r = t->counts ? t->r : ndgi_begin(0, &ignored, 0);
    ndgi_reader           q;
    ptrdiff_t             m, at, v, *twice = &t->r->rows.duplicates;
    ndgi_list_reader(&q, &t->total, &one, t->plan->index_type, t->counts
                     ? t->plan->policy : NDG_DROP, NDG_ARG_INDICES, r);
#if NDGI_FAST
    if (!mark && row->run_bytes && t->first < t->last) {
        ndgi_write_lists(t, &q, lists, n, item);
        return;
    }
#endif
    for (m = 0; m < n && (mark || !r->status); m++) {
        const ndg_list s = ndgi_spell_out(t, lists + m);
        q.indices = ndgi_base(s.indices);
        q.next = s.index_stride;
        q.list = item + m;
        for (at = 0; at < s.count && (mark || !r->status); at++) {
            if (!ndgi_judge_row(&v, &q, q.indices + at * q.next, at, 1)
                || v < t->first || v >= t->last) continue;
            if (mark) *twice = ndgi_add_saturate(*twice, ndgi_marked(t, v, 1));
            else if (row->run_bytes)
                ndgi_copy_all(row->level, row->levels, t->out + v
                              * row->out_stride, (const ndgi_byte *)s.data
                              + at * s.data_stride, row->run_bytes);
        }
    }
}

/* Zeroes the rows that are not marked; without marks all, at once if packed. */
static void ndgi_zero_gaps(const ndgi_stitch *t) {
    const ndg_row_layout *row = &t->plan->row;
    const int packed = row->levels == 0 && row->out_stride == row->run_bytes;
    const ptrdiff_t n = packed && !t->marks ? t->last - t->first : 1;
    ptrdiff_t at;
    if (t->plan->gaps != NDG_GAPS_ZERO || row->run_bytes == 0) return;
    for (at = t->first; at < t->last; at += n) {
        ndgi_byte *to = t->out + at * row->out_stride;
        if (t->marks && ndgi_marked(t, at, 0)) continue;
        if (packed) ndgi_zero_all(to, n * row->run_bytes);
        else ndgi_fill_all(row->level, row->levels, to, row->run_bytes,
                           NDG_ZERO, 0, 0);
    }
}

/* Returns the status of a range whose rows have been marked. */
static int ndgi_judge_marks(const ndgi_stitch *t) {
    ndg_row_counts *rows = &t->r->rows;
    ptrdiff_t       row;
    for (row = t->first; row < t->last; row++)
        if (!ndgi_marked(t, row, 0) && rows->holes++ == 0)
            rows->first_hole = row;
    if (rows->holes && t->plan->gaps == NDG_GAPS_ERROR)
        ndgi_no(t->r, NDG_E_GAP, NDG_ARG_OUT, rows->first_hole, t->total);
    return ndgi_judge_rows(t->r, t->plan->policy, NDG_ARG_INDICES);
}

/* Checks that out and scratch hold what a run writes to them. */
static int ndgi_check_room(ndgi_stitch *t, ptrdiff_t out_bytes,
        const void *scratch, ptrdiff_t bytes) {
    const ptrdiff_t need = ndg_stitch_scratch_bytes(0, t->last - t->first);
    const ndgi_span to = ndgi_rows_span(&t->plan->row, t->first, t->last);
    ndg_report     *r = t->r;
    t->to = to;
    if (out_bytes < to.high)
        return ndgi_no(r, NDG_E_CAPACITY, NDG_ARG_OUT, out_bytes, to.high);
    if (to.high > 0 && !t->out) return ndgi_null(r, NDG_ARG_OUT);
    if (scratch ? bytes < need : need > 0 && t->plan->gaps == NDG_GAPS_ERROR)
        return ndgi_no(r, NDG_E_SCRATCH, NDG_ARG_SCRATCH, scratch ? bytes : 0,
                       need);
    return NDG_OK;
}

/* Checks that n lists are there and share no byte with what is written. */
static int ndgi_check_lists(ndgi_stitch *t, const ndg_list *lists,
        ptrdiff_t n) {
    const ndg_row_layout *row = &t->plan->row;
    const ptrdiff_t span = row->source_high - row->source_low;
    ndg_report *r = t->r;
    if (n < 0) return ndgi_no(r, NDG_E_COUNT, NDG_ARG_INPUTS, n, 0);
    if (n && !lists) return ndgi_null(r, NDG_ARG_INPUTS);
    for (r->item = 0; r->item < n; r->item++) {
        const ndg_list *l = lists + r->item;
        const ndg_list  s = ndgi_spell_out(t, l);
        if (l->count > 1 && l->data_stride == 0 && row->bytes != span)
            return ndgi_no(r, NDG_E_STRIDE, NDG_ARG_DATA, 0, span);
        if (ndgi_check_rows(t, &s)) return r->status;
    }
    r->item = 0;
    return NDG_OK;
}

NDG_API int ndg_stitch_total(const ndg_stitch_plan *plan, const ndg_list *lists,
        ptrdiff_t n, ptrdiff_t *total, ndg_report *report) {
    ndg_report  local;
    ndg_report *r = ndgi_begin(report, &local, NDG_OP_DYNAMIC_STITCH);
    ndgi_stitch t;
    ptrdiff_t   m;
    if (!total) return ndgi_null(r, NDG_ARG_TOTAL);
    *total = 0;
    if (!plan || !plan->op) return ndgi_null(r, NDG_ARG_PLAN);
    ndgi_stitch_begin(&t, plan, 0, r);
    if (ndgi_check_lists(&t, lists, n)) return r->status;
    for (m = 0; m < n; m++) {
        const ndg_list s = ndgi_spell_out(&t, lists + m);
        ndgi_peak(&t, &s, m);
    }
    if (!ndgi_judge_rows(r, plan->policy, NDG_ARG_INDICES))
        ndgi_total(&t, total);
    return ndgi_end(r);
}

NDG_API int ndg_stitch_run_range(const ndg_stitch_plan *plan, void *out,
        ptrdiff_t out_bytes, ptrdiff_t total, const ndg_list *lists,
        ptrdiff_t n, ptrdiff_t first, ptrdiff_t last, void *scratch,
        ptrdiff_t scratch_bytes, ndg_report *report) {
    ndg_report  local;
    ndg_report *r = ndgi_begin(report, &local, NDG_OP_DYNAMIC_STITCH);
    ndgi_stitch t;
    if (!plan || !plan->op) return ndgi_null(r, NDG_ARG_PLAN);
    if (ndgi_check_range(first, last, total, r)) return r->status;
    if (first < last && ndgi_rows_bytes(&plan->row, last) < 0)
        return ndgi_huge(r, NDG_ARG_OUT);
    ndgi_stitch_begin(&t, plan, out, r);
    t.total = total;
    t.first = first;
    t.last = last;
    if (ndgi_check_room(&t, out_bytes, scratch, scratch_bytes)
        || ndgi_check_lists(&t, lists, n)) return r->status;
    t.counts = first == 0 && (last > 0 || total == 0)
            && plan->policy != NDG_ASSUME_VALID;
    if (scratch && first < last) {
        t.marks = (ndgi_byte *)scratch;
        ndgi_zero(t.marks, ndg_stitch_scratch_bytes(plan, last - first));
        ndgi_weave(&t, lists, n, 0, 1);
        if (ndgi_judge_marks(&t)) return r->status;
        t.counts = 0;
    }
    ndgi_zero_gaps(&t);
    ndgi_weave(&t, lists, n, 0, 0);
    return ndgi_end(r);
}

NDG_API int ndg_stitch_run(const ndg_stitch_plan *plan, void *out,
        ptrdiff_t out_bytes, ptrdiff_t total, const ndg_list *lists,
        ptrdiff_t n, void *scratch, ptrdiff_t scratch_bytes,
        ndg_report *report) {
    return ndg_stitch_run_range(plan, out, out_bytes, total, lists, n, 0,
                                total, scratch, scratch_bytes, report);
}

/* ---- >>stitch-tensors: a stitch in one call ------------------------------*/
/* Makes the list of input r->item, without its data_stride, because its slice
 * has not been checked yet. */
static int ndgi_input_list(ndg_list *s, ndgi_array *indices, ndgi_array *data,
        const ndg_stitch_input *inputs, const ndg_stitch_desc *desc,
        ndg_report *r) {
    const ndg_stitch_input *input = inputs + r->item;
    s->indices = input->indices;
    s->data = input->data;
    s->data_stride = 0;
    if (ndgi_input_arrays(indices, data, input, desc, r)
        || ndgi_fold_rows(indices, indices->rank, &s->count, &s->index_stride,
                          NDG_ARG_INDICES, r)) return r->status;
    return s->count && !s->indices ? ndgi_null(r, NDG_ARG_INDICES) : NDG_OK;
}

/* Checks every index; then that each data.shape begins with its indices.shape;
 * then that the slices are alike. */
static int ndgi_check_inputs(ndgi_stitch *t, const ndg_stitch_input *inputs,
        ptrdiff_t n, const ndg_stitch_desc *desc) {
    ndg_report *r = t->r;
    ndgi_array  lead, first, indices, data;
    ndg_list    s;
    for (r->item = 0; r->item < n; r->item++) {
        if (ndgi_input_list(&s, &indices, &data, inputs, desc, r))
            return r->status;
        ndgi_peak(t, &s, r->item);
    }
    r->item = 0;
    if (ndgi_judge_rows(r, desc->policy, NDG_ARG_INDICES)) return r->status;
    for (r->item = 0; r->item < n; r->item++)
        if (ndgi_input_list(&s, &indices, &data, inputs, desc, r)
            || ndgi_check_prefix(&indices, &data, r)) return r->status;
    r->item = 0;
    if (ndgi_input_arrays(&lead, &first, inputs, desc, r)) return r->status;
    for (r->item = 0; r->item < n; r->item++)
        if (ndgi_input_list(&s, &indices, &data, inputs, desc, r)
            || ndgi_check_dims(&data, indices.rank, &first, lead.rank,
                               NDG_ARG_SLICE, r)) return r->status;
    r->item = 0;
    return NDG_OK;
}

/* Makes the plan and list of input r->item, which may have its own strides. */
static int ndgi_plan_input(ndg_stitch_plan *plan, ndg_list *s,
        const ndg_stitch_input *inputs, const ndg_stitch_desc *desc,
        ndg_report *r) {
    ndgi_array indices, data;
    return ndgi_input_list(s, &indices, &data, inputs, desc, r)
        || ndgi_plan_slice(plan, desc, &data, data.rank - indices.rank, r)
        || ndgi_fold_rows(&data, indices.rank, &s->count, &s->data_stride,
                          NDG_ARG_DATA, r);
}

NDG_API int ndg_dynamic_stitch(void *out, ptrdiff_t out_bytes, ptrdiff_t *total,
        const ndg_stitch_input *inputs, ptrdiff_t n,
        const ndg_stitch_desc *desc, ndg_report *report) {
    ndg_report      local;
    ndg_report     *r = ndgi_begin(report, &local, NDG_OP_DYNAMIC_STITCH);
    ndg_stitch_plan plan;      /* of the input at hand */
    ndgi_stitch     t;
    ndg_list        s;
    if (!total) return ndgi_null(r, NDG_ARG_TOTAL);
    *total = 0;
    if (ndgi_check_stitch_desc(desc, 0, r)) return r->status;
    if (n < 1) return ndgi_no(r, NDG_E_COUNT, NDG_ARG_INPUTS, n, 1);
    if (!inputs) return ndgi_null(r, NDG_ARG_INPUTS);
    plan.index_type = desc->index_type;
    ndgi_stitch_begin(&t, &plan, out, r);
    t.spelled = 1;
    if (ndgi_check_inputs(&t, inputs, n, desc)
        || ndgi_plan_input(&plan, &s, inputs, desc, r)
        || ndgi_total(&t, total) || ndgi_check_room(&t, out_bytes, 0, 0))
        return r->status;
    for (r->item = 0; r->item < n; r->item++)
        if (ndgi_plan_input(&plan, &s, inputs, desc, r)
            || ndgi_check_rows(&t, &s)) return r->status;
    ndgi_zero_gaps(&t);
    for (r->item = 0; r->item < n; r->item++) {
        ndgi_plan_input(&plan, &s, inputs, desc, r);
        ndgi_weave(&t, &s, 1, r->item, 0);
    }
    r->item = 0;
    return ndgi_end(r);
}

NDG_API int ndg_parallel_dynamic_stitch(void *out, ptrdiff_t out_bytes,
        ptrdiff_t *total, const ndg_stitch_input *inputs, ptrdiff_t n,
        const ndg_stitch_desc *desc, ndg_report *report) {
    const int status = ndg_dynamic_stitch(out, out_bytes, total, inputs, n,
                                          desc, report);
    if (report && report->op) report->op = NDG_OP_PARALLEL_DYNAMIC_STITCH;
    return status;
}

/* ---- >>partition-run: partitions, planned, checked and run ----------------*/
/* Checks a desc, and its arrays. */
static int ndgi_check_partition_desc(const ndg_partition_desc *d,
        ndgi_array *data, ndgi_array *ids, ndg_report *r) {
    const ptrdiff_t parts = d ? d->num_partitions : 0;
    if (!d) return ndgi_null(r, NDG_ARG_DESC);
    if (parts < 1)
        return ndgi_no(r, NDG_E_COUNT, NDG_ARG_NUM_PARTITIONS, parts, 1);
    if (parts > PTRDIFF_MAX / (ptrdiff_t)sizeof parts)
        return ndgi_no(r, NDG_E_OVERFLOW, NDG_ARG_NUM_PARTITIONS, parts, 0);
    return ndgi_check_type(d->position_type, NDG_ARG_POSITION_TYPE, r)
        || ndgi_check_row_options(d->elem_size, d->index_type, d->policy,
                                  d->overlap, d->features, r)
        || ndgi_array_from(data, &d->data, d->elem_size, NDG_ARG_DATA, r)
        || ndgi_array_from(ids, &d->partitions, ndgi_type_bytes(d->index_type),
                           NDG_ARG_PARTITIONS, r)
        || ndgi_check_prefix(ids, data, r);
}

NDG_API int ndg_plan_partition(ndg_partition_plan *p,
        const ndg_partition_desc *d, ndg_report *report) {
    ndg_report  local;
    ndg_report *r = ndgi_begin(report, &local, NDG_OP_DYNAMIC_PARTITION);
    ndgi_array  data, ids;
    if (!p) return ndgi_null(r, NDG_ARG_PLAN);
    if (!ndgi_check_partition_desc(d, &data, &ids, r)
        && !ndgi_fold_rows(&ids, ids.rank, &p->rows, &p->index_stride,
                           NDG_ARG_PARTITIONS, r)
        && !ndgi_fold_rows(&data, ids.rank, &p->rows, &p->data_stride,
                           NDG_ARG_DATA, r)
        && !ndgi_layout(&p->row, &data, data.rank - ids.rank, &d->out_slice,
                        d->out_stride, r)) {
        p->num_partitions = d->num_partitions;
        p->out_rank = data.rank - ids.rank + 1;
        p->op = r->op;
        p->index_type = d->index_type;
        p->position_type = d->position_type;
        p->policy = d->policy;
        p->overlap = d->overlap;
    }
    if (r->status) ndgi_zero(p, sizeof *p);
    return ndgi_end(r);
}

NDG_API ptrdiff_t ndg_partition_out_bytes(const ndg_partition_plan *plan,
        ptrdiff_t rows) {
    return plan ? ndgi_rows_bytes(&plan->row, rows) : -1;
}

/* Says how ids are judged under a policy. */
static ndgi_reader ndgi_ids(const ndg_partition_plan *p, const void *ids,
        int policy, ndg_report *r) {
    static const ptrdiff_t one = 1;
    ndgi_reader q;
    ndgi_list_reader(&q, &p->num_partitions, &one, p->index_type, policy,
                     NDG_ARG_PARTITIONS, r);
    q.indices = ndgi_base(ids);
    q.next = p->index_stride;
    return q;
}

#if NDGI_FAST
/* Some ids, from id `first` on, as packed words of `width` bytes: as they lie,
 * or as numbers. */
typedef struct ndgi_ids_read {
    const ndgi_byte *at;
    ptrdiff_t        first, n;
    int              width;
    int32_t          number[NDGI_CHUNK];
} ndgi_ids_read;

/* Gets ids i ... last-1, or the first of them: as they lie, if they are packed,
 * their width is a bit of `widths` and size_t holds them; else as 4 bytes. */
static void ndgi_read_ids(ndgi_ids_read *ids, const ndgi_reader *q, ptrdiff_t i,
        ptrdiff_t last, int widths) {
    ndgi_axis any = NDG_ZERO_INIT;           /* which judges nothing */
    const int width = (int)ndgi_type_bytes(q->type);
    any.type = (signed char)q->type;
    ids->at = q->indices + i * q->next;
    ids->first = i;
    ids->n = last - i;
    ids->width = width;
    widths &= (int)(2 * sizeof(size_t)) - 1;
    if (q->next == width && (width & widths)) return;
    ids->n = ndgi_min(ids->n, NDGI_CHUNK);
    ids->width = 4;
    ndgi_read_numbers(ids->number, ids->at, ids->n, q->next, &any, 0);
    ids->at = (const ndgi_byte *)ids->number;
}

/* Counts n ids, four at a time, up to a bad one; returns how many. The tables
 * of the four lie `turn` counts apart. */
NDGI_INLINE ptrdiff_t ndgi_count_fours(const ndgi_byte *id, ptrdiff_t n,
        size_t parts, ptrdiff_t *to, ptrdiff_t turn, int width) {
    ptrdiff_t i;
    for (i = 0; i + 3 < n; i += 4, id += 4 * width) {
        const size_t w = (size_t)ndgi_index(id, width);
        const size_t x = (size_t)ndgi_index(id + width, width);
        const size_t y = (size_t)ndgi_index(id + 2 * width, width);
        const size_t z = (size_t)ndgi_index(id + 3 * width, width);
        if (w >= parts || x >= parts || y >= parts || z >= parts) break;
        to[w]++;
        (to + turn)[x]++;
        (to + 2 * turn)[y]++;
        (to + 3 * turn)[z]++;
    }
    return i;
}

/* Counts ids first ... last-1. When there are few parts, four tables take
 * turns, so that equal ids do not wait for each other. */
NDGI_HOT void ndgi_count_ids(const ndgi_reader *q, ptrdiff_t first,
        ptrdiff_t last, ptrdiff_t *counts) {
    const size_t    parts = (size_t)*q->extent;
    const int       few = parts <= NDGI_AHEAD
                       && (size_t)(last - first) > 4 * parts;
    const ptrdiff_t turn = few ? *q->extent : 0;
    ptrdiff_t table[4 * NDGI_AHEAD], *to = few ? table : counts, i, n, bad;
    ndgi_ids_read ids;
    ndgi_zero(table, 4 * turn * (ptrdiff_t)sizeof *table);
    while (first < last) {
        ptrdiff_t stop;
        ndgi_read_ids(&ids, q, first, last, 4 | 8);
        i = ids.width == 4
          ? ndgi_count_fours(ids.at, ids.n, parts, to, turn, 4)
          : ndgi_count_fours(ids.at, ids.n, parts, to, turn, 8);
        stop = ndgi_min(ids.n, i + NDGI_BLOCK);
        first += i;
        for (bad = 0, n = 0; i + n < stop; n++) {
            const ndgi_byte *id = ids.at + (i + n) * ids.width;
            const size_t     k = (size_t)ndgi_index(id, ids.width);
            const size_t     good = k < parts;
            counts[k & (0 - good)] += (ptrdiff_t)good;
            bad += !good;
        }
        ndgi_blame_line(q, first, n, bad);
        first += n;
    }
    for (i = 0; i < turn; i++)
        counts[i] += table[i] + table[i + turn] + table[i + 2 * turn]
                   + table[i + 3 * turn];
}
#endif

NDG_API int ndg_partition_count(const ndg_partition_plan *p,
        const void *partitions, ptrdiff_t first, ptrdiff_t last,
        ptrdiff_t *counts, ndg_report *report) {
    ndg_report  local;
    ndg_report *r = ndgi_begin(report, &local, NDG_OP_DYNAMIC_PARTITION);
    ndgi_reader q;
    if (!p || !p->op) return ndgi_null(r, NDG_ARG_PLAN);
    if (ndgi_check_range(first, last, p->rows, r)) return r->status;
    if (!partitions && first < last) return ndgi_null(r, NDG_ARG_PARTITIONS);
    if (!counts) return ndgi_null(r, NDG_ARG_COUNTS);
    ndgi_zero(counts, p->num_partitions * (ptrdiff_t)sizeof *counts);
    q = ndgi_ids(p, partitions, NDG_DROP, r);
#if NDGI_FAST
    if (p->num_partitions <= NDGI_NUMBER_EXTENT) {
        ndgi_count_ids(&q, first, last, counts);
        first = last;
    }
#endif
    for (; first < last; first++) {
        ptrdiff_t k;
        if (ndgi_judge(&k, &q, q.indices + first * q.next, first)) counts[k]++;
    }
    ndgi_judge_rows(r, p->policy, NDG_ARG_PARTITIONS);
    return ndgi_end(r);
}

NDG_API void ndg_partition_starts(ptrdiff_t *counts, ptrdiff_t *cursors,
        ptrdiff_t workers, ptrdiff_t parts) {
    ptrdiff_t w, k;
    if (!counts || !cursors) return;
    for (k = 0; k < parts; k++) {
        ptrdiff_t row = 0;
        for (w = 0; w < workers; w++) {
            cursors[w * parts + k] = row;
            row = ndgi_add_saturate(row, ndgi_max(counts[w * parts + k], 0));
            counts[w * parts + k] = row;
        }
    }
}

/* A run over some input rows. */
typedef struct ndgi_partition {
    const ndg_partition_plan *plan;
    ndgi_reader               q;            /* of the ids */
    void *const              *outs, *const *positions;
    const ndgi_byte          *data;
    ptrdiff_t                *cursors;
    const ptrdiff_t          *limits;
} ndgi_partition;

/* Returns the first part from part k on that may not be as it should be. All
 * before it are small, and their rows lie apart from data and ids. (The small
 * engine doubts each.) */
static ptrdiff_t ndgi_doubted_part(const ndgi_partition *t, ptrdiff_t k,
        const ndgi_arrays *a) {
#if NDGI_FAST
    const ndg_partition_plan *p = t->plan;
    const int        rows = p->row.run_bytes > 0;
    const ptrdiff_t  step = p->row.out_stride, span = p->row.out_span;
    const uintptr_t  data = (uintptr_t)a->data, ids = (uintptr_t)a->indices;
    const uintptr_t  from = data + (uintptr_t)a->from.low;
    const uintptr_t  from_end = data + (uintptr_t)a->from.high;
    const uintptr_t  index = ids + (uintptr_t)a->index.low;
    const uintptr_t  index_end = ids + (uintptr_t)a->index.high;
    void *const     *outs = t->outs, *const *positions = t->positions;
    const ptrdiff_t *cursors = t->cursors, *limits = t->limits;
    if (rows && (!data || !outs)) return k;
    for (; k < p->num_partitions; k++) {
        const ptrdiff_t at = cursors[k], limit = limits[k];
        const uintptr_t out = rows ? (uintptr_t)outs[k] : 0;
        uintptr_t       low, high;
        if (!ndgi_is_half(at | limit | step | span)) return k;
        if (at >= limit) continue;
        if (positions && !positions[k]) return k;
        if (!rows) continue;
        low = out + (uintptr_t)(at * step);
        high = out + (uintptr_t)((limit - 1) * step + span);
        if (!out || (low < from_end && high > from)
            || (low < index_end && high > index)) return k;
    }
#else
    (void)t, (void)a;
#endif
    return k;
}

/* Checks that n more rows of part k can be written, apart from data and ids. */
NDGI_OPAQUE int ndgi_check_part(const ndgi_partition *t, ptrdiff_t k,
        ptrdiff_t n, const ndgi_arrays *a) {
    const ndg_row_layout *row = &t->plan->row;
    const ptrdiff_t at = t->cursors[k], limit = t->limits[k];
    const ptrdiff_t wide = ndgi_type_bytes(t->plan->position_type);
    const void     *out = t->outs ? t->outs[k] : 0;
    ndg_report     *r = t->q.r;
    ndgi_span       to;
    if (at < 0 || limit < 0)
        return ndgi_no(r, NDG_E_COUNT, NDG_ARG_COUNTS, ndgi_min(at, limit), 0);
    if (at >= limit) return NDG_OK;
    if (t->positions && !t->positions[k])
        return ndgi_null(r, NDG_ARG_POSITIONS);
    if (t->positions && !ndgi_mul(ndgi_min(limit, ndgi_add_saturate(at, n)),
                                  wide, &to.high))
        return ndgi_huge(r, NDG_ARG_POSITIONS);
    if (row->run_bytes == 0) return NDG_OK;
    if (!out) return ndgi_null(r, NDG_ARG_OUT);
    if (!ndgi_span_line(&to, limit, row->out_stride, 0, row->out_span))
        return ndgi_huge(r, NDG_ARG_OUT);
    to.low = at * row->out_stride;
    return ndgi_check_apart(a, out, to, r);
}

/* Checks everything that is refused before anything is written. No span
 * overflows, because the plan has measured all rows. */
static int ndgi_check_parts(const ndgi_partition *t, ptrdiff_t first,
        ptrdiff_t last) {
    const ndg_partition_plan *p = t->plan;
    const ptrdiff_t n = last - first;
    const int64_t   most = ndgi_type_max(p->position_type);
    ndg_report     *r = t->q.r;
    ndgi_arrays     a;
    ptrdiff_t       k;
    if (!t->cursors || !t->limits) return ndgi_null(r, NDG_ARG_COUNTS);
    if (t->positions && last - 1 > most)
        return ndgi_no(r, NDG_E_OVERFLOW, NDG_ARG_POSITIONS, last - 1,
                       (ptrdiff_t)most);
    ndgi_span_line(&a.index, n, p->index_stride, 0,
                   ndgi_type_bytes(p->index_type));
    ndgi_span_line(&a.from, n, p->data_stride, p->row.source_low,
                   p->row.source_high);
    ndgi_arrays_of(&a, 0, t->data ? t->data + first * p->data_stride : 0,
                   NDG_ARG_DATA, t->q.indices + first * p->index_stride,
                   NDG_ARG_PARTITIONS, p->overlap);
    for (k = ndgi_doubted_part(t, 0, &a); k < p->num_partitions;
         k = ndgi_doubted_part(t, k + 1, &a))
        if (ndgi_check_part(t, k, n, &a)) {
            r->item = k;
            return r->status;
        }
    return NDG_OK;
}

/* Gives row `at` its place and copies it, or reports what stops the run. */
static int ndgi_deal_one(const ndgi_partition *t, ptrdiff_t at) {
    const ndg_partition_plan *p = t->plan;
    ndg_report *r = t->q.r;
    ptrdiff_t   k, row;
    if (!ndgi_judge(&k, &t->q, t->q.indices + at * p->index_stride, at))
        return r->status;
    row = t->cursors[k];
    if (row >= t->limits[k]) {
        r->item = k;
        return ndgi_no(r, NDG_E_CAPACITY, NDG_ARG_OUT, t->limits[k],
                       ndgi_add_saturate(row, 1));
    }
    t->cursors[k] = row + 1;
    if (t->positions)
        ndgi_store(t->positions[k], row, (int)ndgi_type_bytes(p->position_type),
                   at);
    if (p->row.run_bytes)
        ndgi_copy_all(p->row.level, p->row.levels, (ndgi_byte *)t->outs[k]
                      + row * p->row.out_stride, t->data + at * p->data_stride,
                      p->row.run_bytes);
    return NDG_OK;
}

#if NDGI_FAST
/* Deals rows to any parts, up to one that has no room or whose id is an error;
 * returns how many. Counts dropped rows in *bad. kind < 0: there are only
 * positions. tight: there are none, and rows are packed on both sides. kept:
 * NULL, or where rows and their places are kept that are not copied. If cold,
 * prefetches the line that the part needs next; of long rows, lines that are
 * read next. Addresses may wrap where there is no row. */
NDGI_INLINE ptrdiff_t ndgi_deal_rows(const ndgi_partition *t,
        const ndgi_ids_read *ids, ptrdiff_t *bad, int cold, int kind,
        int tight, ndgi_kept *kept) {
    const ndg_partition_plan *p = t->plan;
    const ptrdiff_t size = kind < 0 ? 0 : ndgi_kind_size(kind,
                                                         p->row.run_bytes);
    const ptrdiff_t from_step = tight ? size : p->data_stride;
    const ptrdiff_t out_step = tight ? size : p->row.out_stride;
    const int       wide = (int)ndgi_type_bytes(p->position_type);
    const int       drop = p->policy == NDG_DROP;
    const size_t    parts = (size_t)p->num_partitions;
    const ptrdiff_t first = ids->first, n = ids->n, *limits = t->limits;
    ptrdiff_t      *cursors = t->cursors, i;
    void *const    *outs = t->outs;
    void *const    *positions = tight ? 0 : t->positions;
    const ndgi_byte *id = ids->at;
    uintptr_t       from = (uintptr_t)t->data + (uintptr_t)(first * from_step);
    ptrdiff_t       keeps = 0;
    for (i = 0; i < n; i++, id += 4, from += (uintptr_t)from_step) {
        const size_t k = (size_t)ndgi_index(id, 4);
        ptrdiff_t    row;
        if (NDGI_RARE(k >= parts)) {
            if (!drop) return i;
            ++*bad;
            continue;
        }
        row = cursors[k];
        if (NDGI_RARE(row >= limits[k])) return i;
        cursors[k] = row + 1;
        if (kind >= 0) {
            const uintptr_t to = (uintptr_t)outs[k]
                               + (uintptr_t)(row * out_step);
            if (cold && size < 64) NDGI_PREFETCH(to + 64);
            else if (cold) ndgi_ask_soon(from, size);
            if (kept) {
                kept->from[keeps] = from;
                kept->to[keeps++] = to;
            } else ndgi_copy_at(to, from, size, kind);
        }
        if (positions) {
            ndgi_store(positions[k], row, wide, first + i);
            if (cold) NDGI_PREFETCH((uintptr_t)positions[k] + 64
                                    + (uintptr_t)(row * wide));
        }
    }
    return i;
}

NDGI_INLINE ptrdiff_t ndgi_deal_kind(const ndgi_partition *t,
        const ndgi_ids_read *ids, ptrdiff_t *bad, int cold, int kind,
        int tight) {
    return tight && kind <= NDGI_2X8
         ? ndgi_deal_rows(t, ids, bad, cold, kind, 1, 0)
         : ndgi_deal_rows(t, ids, bad, cold, kind, 0, 0);
}

NDGI_HOT ptrdiff_t ndgi_deal_ids(const ndgi_partition *t,
        const ndgi_ids_read *ids, ptrdiff_t *bad, int cold, int kind,
        int tight) {
    if (kind < 0) return ndgi_deal_rows(t, ids, bad, cold, -1, 0, 0);
    NDGI_BY_KIND(kind, return ndgi_deal_kind(t, ids, bad, cold, by, tight))
}

/* Does what ndgi_deal_rows does, for up to NDGI_RING rows of several pieces.
 * They are given their places, and then moved, one copy step after the other;
 * or, if these are many, row by row. */
NDGI_HOT ptrdiff_t ndgi_deal_levels(const ndgi_partition *t,
        const ndgi_ids_read *ids, ptrdiff_t *bad) {
    const ndg_row_layout *row = &t->plan->row;
    const ptrdiff_t bytes = row->run_bytes, before = *bad;
    const int       kind = ndgi_kind(bytes);
    ptrdiff_t       done, n, i;
    ndgi_kept       r;
    ndgi_walk       w;
    done = ndgi_deal_rows(t, ids, bad, 0, NDGI_CALL, 0, &r);
    n = done - (*bad - before);
    if (row->level->extent >= 2 * NDGI_FEW) {
        for (i = 0; i < n; i++)
            ndgi_copy_all(row->level, row->levels, (ndgi_byte *)r.to[i],
                          (const ndgi_byte *)r.from[i], bytes);
        return done;
    }
    ndgi_walk_start(&w, row->level, row->levels, 0);
    do ndgi_copy_kept(&r, 0, (size_t)n, (uintptr_t)w.source, (uintptr_t)w.out,
                      bytes, kind);
    while (ndgi_walk_next(&w, 0, 1));
    return done;
}

/* How many tails the dump has. They take turns, so that no dropped row waits
 * for what the one before it stores. */
enum { NDGI_DUMPS = 4, NDGI_TAILS = NDGI_BLOCK + NDGI_DUMPS };

/* Where the next row of a part goes, and where its room ends, both 0 if it has
 * none; and where its next position goes, if there are rows and positions. What
 * another thread changes meanwhile moves no row, because ndgi_find_tails alone
 * reads cursors and limits. */
typedef struct ndgi_tail {
    uintptr_t to, end, place;
} ndgi_tail;

/* Some packed rows on their way to few parts, of which only the tails are
 * looked up. Those of the dump follow those of the parts. */
typedef struct ndgi_tails {
    ndgi_tail     tail[NDGI_TAILS];
    ndgi_ids_read ids;
    size_t        parts;
    uintptr_t     from;        /* the row of the first id, or its number */
    ptrdiff_t     bytes;       /* of a row */
    int           cold, both;  /* both: rows and positions */
    ptrdiff_t     bad;         /* how many were dropped */
} ndgi_tails;

/* Finds the tail of each part, in which a row has `bytes` bytes. No part gets
 * more than n rows: what room it has beyond them may exceed memory. */
static void ndgi_find_tails(const ndgi_partition *t, ndgi_tails *d,
        void *const *outs, size_t bytes, ptrdiff_t n) {
    const ndgi_tail empty = { 0, 0, 0 };
    ndgi_tail      *tail = d->tail;
    ptrdiff_t       k;
    for (k = 0; k < t->plan->num_partitions; k++, tail++) {
        const ptrdiff_t at = *(const volatile ptrdiff_t *)(t->cursors + k);
        ptrdiff_t       limit = *(const volatile ptrdiff_t *)(t->limits + k);
        *tail = empty;
        if (at < 0 || at >= limit) continue;
        limit = ndgi_min(limit, ndgi_add_saturate(at, n));
        tail->to = (uintptr_t)outs[k] + (size_t)at * bytes;
        tail->end = tail->to + (size_t)(limit - at) * bytes;
        if (d->both) tail->place = (uintptr_t)t->positions[k] + (size_t)at * 4;
    }
}

/* Sets the cursors to the rows that the tails have reached. */
static void ndgi_leave_tails(const ndgi_partition *t, const ndgi_tail *tail,
        void *const *outs, int kind, size_t bytes) {
    ptrdiff_t k;
    for (k = 0; k < t->plan->num_partitions; k++) if (tail[k].end) {
        const uintptr_t done = tail[k].to - (uintptr_t)outs[k];
        t->cursors[k] = (ptrdiff_t)(kind <= NDGI_16 ? done >> kind
                                                    : done / bytes);
    }
}

/* Copies the packed row at `from`. If kind < 0, `from` is its number, which is
 * written as 4 bytes. */
NDGI_INLINE void ndgi_deal_row(uintptr_t to, uintptr_t from, ptrdiff_t size,
        int kind) {
    const uint32_t number = (uint32_t)from;
    if (kind < 0) NDG_MEMCPY((ndgi_byte *)to, &number, 4);
    else ndgi_copy_at(to, from, size, kind);
}

/* Writes a position of 4 bytes. If cold, prefetches the line behind it. */
NDGI_INLINE void ndgi_deal_place(uintptr_t to, ptrdiff_t row, int cold) {
    ndgi_deal_row(to, (uintptr_t)row, 4, -1);
    if (cold) NDGI_PREFETCH(to + 64);
}

/* Deals rows up to one that is bad or has no room; returns how many. They go by
 * twos, so that the second of one part does not wait for the tail that the
 * first stores. If cold, prefetches as above; but the next lines of few parts
 * come by themselves. */
NDGI_INLINE ptrdiff_t ndgi_deal_kind_few(ndgi_tails *d, int kind, int width,
        int both) {
    const ptrdiff_t  size = kind < 0 ? 4 : ndgi_kind_size(kind, d->bytes);
    const ptrdiff_t  n = d->ids.n, first = d->ids.first;
    const uintptr_t  step = kind < 0 ? 1 : (uintptr_t)size;
    const size_t     parts = d->parts;
    const int        cold = d->cold;
    const int        next = cold && size < 64 && parts > NDGI_AHEAD / 4;
    const ndgi_byte *id = d->ids.at;
    ndgi_tail       *tail = d->tail;
    uintptr_t        from = d->from;
    ptrdiff_t        i;
    for (i = 0; i + 1 < n; i += 2, from += 2 * step, id += 2 * width) {
        const size_t a = (size_t)ndgi_index(id, width);
        const size_t b = (size_t)ndgi_index(id + width, width);
        uintptr_t    x, y;
        if (NDGI_RARE(a >= parts) || NDGI_RARE(b >= parts)) break;
        x = tail[a].to;
        y = tail[b].to + (a == b ? (uintptr_t)size : 0);
        if (NDGI_RARE(x == tail[a].end) || NDGI_RARE(y == tail[b].end)) break;
        tail[a].to = x + (uintptr_t)size;
        tail[b].to = y + (uintptr_t)size;
        if (next) {
            NDGI_PREFETCH(x + 64);
            NDGI_PREFETCH(y + 64);
        }
        if (size >= 64 && cold) ndgi_ask_soon(from, 2 * size);
        ndgi_deal_row(x, from, size, kind);
        ndgi_deal_row(y, from + step, size, kind);
        if (!both) continue;
        x = tail[a].place;
        y = tail[b].place + (a == b ? 4 : 0);
        tail[a].place = x + 4;
        tail[b].place = y + 4;
        ndgi_deal_place(x, first + i, cold);
        ndgi_deal_place(y, first + i + 1, cold);
    }
    return i;
}

/* The same for every kind, and ids of 4 or 8 bytes; of positions alone also of
 * one byte. */
NDGI_INLINE ptrdiff_t ndgi_deal_few(ndgi_tails *d, int kind) {
    if (kind == NDGI_CALL) return 0;                     /* does not happen */
    if (kind >= 0 && d->both) return ndgi_deal_kind_few(d, kind, 4, 1);
    if (kind < 0 && d->ids.width == 1)
        return ndgi_deal_kind_few(d, kind, 1, 0);
    return d->ids.width == 4 ? ndgi_deal_kind_few(d, kind, 4, 0)
                             : ndgi_deal_kind_few(d, kind, 8, 0);
}

NDGI_HOT ptrdiff_t ndgi_deal_some(ndgi_tails *d, int kind) {
    if (kind < 0) return ndgi_deal_few(d, -1);
    NDGI_BY_KIND(kind, return ndgi_deal_few(d, by))
}

/* Deals ids i ... n-1, up to one whose part has no room; returns how many. Bad
 * ones are counted and go to the dump. Prefetches as above. */
NDGI_INLINE ptrdiff_t ndgi_drop_few(ndgi_tails *d, ptrdiff_t i, ptrdiff_t n,
        int kind, int both) {
    const ptrdiff_t  size = kind < 0 ? 4 : ndgi_kind_size(kind, d->bytes);
    const uintptr_t  step = kind < 0 ? 1 : (uintptr_t)size;
    const size_t     parts = d->parts;
    const int        cold = d->cold, width = d->ids.width;
    const int        next = cold && size < 64 && parts > NDGI_AHEAD / 4;
    const ndgi_byte *id = d->ids.at + i * width;
    const ptrdiff_t  first = i;
    ndgi_tail       *tail = d->tail;
    uintptr_t        from = d->from + (uintptr_t)i * step;
    ptrdiff_t        bads = 0;
    if (kind >= NDGI_CALL) return 0;
    for (; i < n; i++, id += width, from += step) {
        const uint64_t  v = width == 4 ? ndgi_index(id, 4)
                          : ndgi_index(id, kind < 0 ? width : 8);
        const int       odd = v >= parts;
        const size_t    k = odd ? parts + (size_t)i % NDGI_DUMPS : (size_t)v;
        const uintptr_t to = tail[k].to, good = (uintptr_t)odd - 1;
        if (NDGI_RARE(to == tail[k].end)) break;
        tail[k].to = to + (good & (uintptr_t)size);
        if (both) {
            ndgi_deal_place(tail[k].place, d->ids.first + i, cold);
            tail[k].place += good & 4;
        }
        bads += odd;
        if (next) NDGI_PREFETCH(to + 64);
        if (size >= 64 && cold) ndgi_ask_soon(from, size);
        ndgi_deal_row(to, from, size, kind);
    }
    d->bad += bads;
    return i - first;
}

NDGI_HOT ptrdiff_t ndgi_drop_some(ndgi_tails *d, ptrdiff_t i, ptrdiff_t n,
        int kind) {
    if (kind < 0) return ndgi_drop_few(d, i, n, -1, 0);
    NDGI_BY_KIND(kind, return d->both ? ndgi_drop_few(d, i, n, by, 1)
                                      : ndgi_drop_few(d, i, n, by, 0))
}

/* Deals packed rows, with positions of 4 bytes or none, or only such positions
 * if kind < 0, into few parts. Returns the first that ends the run or has no
 * room, or last. Where one is dropped, some that follow are dealt without a
 * branch on it, but not rows whose data is NULL, as it may be where nothing has
 * room. */
NDGI_OPAQUE ptrdiff_t ndgi_deal_tails(const ndgi_partition *t, ptrdiff_t first,
        ptrdiff_t last, int cold, int kind) {
    const int       numbers = kind < 0, both = !numbers && t->positions;
    const int       drops = t->plan->policy == NDG_DROP && (numbers || t->data);
    const int       widths = both ? 4 : numbers && t->q.type == NDG_U8
                                                 ? 1 | 4 | 8 : 4 | 8;
    const uintptr_t data = numbers ? 0 : (uintptr_t)t->data;
    const ptrdiff_t bytes = numbers ? 1 : t->plan->row.run_bytes;
    const ptrdiff_t size = numbers ? 4 : bytes, start = first;
    ndgi_byte       dump[NDGI_SHORT];
    const ndgi_tail dumped = { (uintptr_t)dump, 0, (uintptr_t)dump };
    void *const    *outs = numbers ? t->positions : t->outs;
    ndgi_tails      d;
    ptrdiff_t       n;
    d.parts = (size_t)t->plan->num_partitions;
    d.bytes = bytes;
    d.cold = cold;
    d.both = both;
    d.bad = 0;
    ndgi_find_tails(t, &d, outs, (size_t)size, last - first);
    for (n = 0; n < NDGI_DUMPS; n++) d.tail[d.parts + (size_t)n] = dumped;
    do {
        d.from = data + (uintptr_t)(first * bytes);
        ndgi_read_ids(&d.ids, &t->q, first, last, widths);
        n = ndgi_deal_some(&d, kind);
        if (n < d.ids.n && drops)
            n += ndgi_drop_some(&d, n, ndgi_min(n + 2 * NDGI_AHEAD, d.ids.n),
                                kind);
        first += n;
    } while (n && first < last);
    ndgi_leave_tails(t, d.tail, outs, numbers ? NDGI_4 : kind, (size_t)size);
    ndgi_blame_line(&t->q, start, first - start, d.bad);
    return first;
}

/* Deals rows first ... last-1, or only their positions. Returns the first that
 * is an error or has no room, or last. Tails pay once a part gets some 32 rows,
 * or 4 positions. */
static ptrdiff_t ndgi_deal(const ndgi_partition *t, ptrdiff_t first,
        ptrdiff_t last) {
    const ndg_partition_plan *p = t->plan;
    const ptrdiff_t bytes = p->row.run_bytes, parts = p->num_partitions;
    const int wide = (int)ndgi_type_bytes(p->position_type);
    const int places = t->positions && wide == 4;
    const int cold = last - first > NDGI_FAR_BYTES / (bytes ? bytes : wide);
    const int stream = NDGI_STREAMS && bytes
                    && last - first > NDGI_STREAM_BYTES / bytes;
    const int tight = p->data_stride == bytes && p->row.out_stride == bytes;
    const int levels = bytes && p->row.levels;
    const int tails = (places || (bytes && !t->positions)) && (tight || !bytes)
                   && bytes <= NDGI_SHORT && parts <= NDGI_BLOCK;
    uintptr_t align = (uintptr_t)p->row.out_stride | (uintptr_t)bytes;
    ptrdiff_t k, n, start, bad = 0;
    ndgi_ids_read ids;
    int           kind = bytes ? ndgi_kind(bytes) : -1;
    for (k = 0; stream && k < parts; k++)
        if (t->cursors[k] < t->limits[k]) align |= (uintptr_t)t->outs[k];
    if (stream && align % 64 == 0) kind = bytes == 64 ? NDGI_LINE : NDGI_LINES;
    if (tails && last - first > (bytes ? 32 : 4) * parts)
        first = ndgi_deal_tails(t, first, last, cold, kind);
    for (start = first, n = 0; first == start + n && first < last;) {
        ndgi_read_ids(&ids, &t->q, first, levels
                      ? ndgi_min(last, first + NDGI_RING) : last, 4);
        first += levels ? ndgi_deal_levels(t, &ids, &bad)
               : ndgi_deal_ids(t, &ids, &bad, cold, kind,
                               tight && !t->positions);
        n += ids.n;
    }
    ndgi_blame_line(&t->q, start, first - start, bad);
    ndgi_fence(stream);
    return first;
}
#endif

NDG_API int ndg_partition_run_range(const ndg_partition_plan *plan,
        void *const *outs, void *const *positions, const void *data,
        const void *ids, ptrdiff_t first, ptrdiff_t last, ptrdiff_t *cursors,
        const ptrdiff_t *limits, ndg_report *report) {
    ndg_report  local;
    ndg_report *r = ndgi_begin(report, &local, NDG_OP_DYNAMIC_PARTITION);
    ndgi_partition t;
    if (!plan || !plan->op) return ndgi_null(r, NDG_ARG_PLAN);
    if (ndgi_check_range(first, last, plan->rows, r)) return r->status;
    if (first == last) return ndgi_end(r);
    if (!ids) return ndgi_null(r, NDG_ARG_PARTITIONS);
    t.plan = plan;
    t.q = ndgi_ids(plan, ids, plan->policy, r);
    t.outs = outs;
    t.positions = positions;
    t.data = (const ndgi_byte *)data;
    t.cursors = cursors;
    t.limits = limits;
    if (ndgi_check_parts(&t, first, last)) return r->status;
    while (first < last) {
#if NDGI_FAST
        if ((plan->row.run_bytes || positions)
            && plan->num_partitions <= NDGI_NUMBER_EXTENT)
            first = ndgi_deal(&t, first, last);
        if (first == last) break;
#endif
        if (ndgi_deal_one(&t, first)) break;
        first++;
    }
    return ndgi_end(r);
}

NDG_API int ndg_partition_run(const ndg_partition_plan *plan, void *const *outs,
        void *const *positions, const void *data, const void *partitions,
        ptrdiff_t rows, const ptrdiff_t *counts, ptrdiff_t *cursors,
        ndg_report *report) {
    if (plan && cursors)
        ndgi_zero(cursors, plan->num_partitions * (ptrdiff_t)sizeof *cursors);
    return ndg_partition_run_range(plan, outs, positions, data, partitions, 0,
                                   rows, cursors, counts, report);
}

NDG_API int ndg_dynamic_partition(void *const *outs, void *const *positions,
        const ptrdiff_t *capacity, ptrdiff_t *counts, const void *data,
        const void *partitions, const ndg_partition_desc *desc,
        ndg_report *report) {
    ndg_partition_plan plan;
    ndg_report         local;
    ndg_report        *r = report ? report : &local;
    if (ndg_plan_partition(&plan, desc, r)
        || ndg_partition_count(&plan, partitions, 0, plan.rows, counts, r))
        return r->status;
    r->op = plan.op;
    if (!capacity) return ndgi_null(r, NDG_ARG_COUNTS);
    for (r->item = 0; r->item < plan.num_partitions; r->item++)
        if (counts[r->item] > capacity[r->item])
            return ndgi_no(r, NDG_E_CAPACITY, NDG_ARG_OUT, capacity[r->item],
                           counts[r->item]);
    return ndg_partition_run(&plan, outs, positions, data, partitions,
                             plan.rows, capacity, counts, r);
}

/* ---- >>strings: statuses, arguments and reports in words -----------------*/
#ifndef NDG_NO_STRINGS
NDG_API const char *ndg_status_text(int status) {
    switch (status) {
#define NDGI_TEXT(name, number, text) case number: return text;
    NDG_STATUS_LIST(NDGI_TEXT)
#undef NDGI_TEXT
    default: return "no such status";
    }
}

NDG_API const char *ndg_arg_text(int operand) {
    static const char names[NDG_ARG_OUT_STRIDE + 1][16] = {
        "nothing", "params", "indices", "out", "data", "partitions",
        "positions", "scratch", "slice", "counts", "plan", "desc", "inputs",
        "axis", "batch_dims", "policy", "negative", "gaps", "overlap", "fill",
        "features", "num_partitions", "elem_size", "index_type",
        "position_type", "first", "last", "total", "count", "out_stride" };
    return 0 <= operand && operand <= NDG_ARG_OUT_STRIDE ? names[operand]
                                                         : "no such argument";
}

/* A line of text under way. What does not fit is only counted. */
typedef struct ndgi_line {
    char     *buf;
    ptrdiff_t cap, used;
} ndgi_line;

static void ndgi_say(ndgi_line *l, const char *text) {
    for (; *text; text++, l->used++)
        if (l->used + 1 < l->cap) l->buf[l->used] = *text;
}

static void ndgi_say_number(ndgi_line *l, int64_t value, int is_u64) {
    const int minus = value < 0 && !is_u64;
    uint64_t  left = minus ? 0 - (uint64_t)value : (uint64_t)value;
    char      text[21];
    int       at = 20;
    text[at] = 0;
    do text[--at] = (char)('0' + left % 10);
    while (left /= 10);
    if (minus) text[--at] = '-';
    ndgi_say(l, text + at);
}

static void ndgi_say_int(ndgi_line *l, int64_t value) {
    ndgi_say_number(l, value, 0);
}

/* Says how many there are if the first is not the only one. */
static void ndgi_say_many(ndgi_line *l, ptrdiff_t count, const char *least,
        const char *what) {
    if (count < 2) return;
    ndgi_say(l, "; ");
    ndgi_say(l, least);
    ndgi_say_int(l, count);
    ndgi_say(l, what);
}

static int ndgi_is_stitch(const ndg_report *r) {
    return r->op == NDG_OP_DYNAMIC_STITCH
        || r->op == NDG_OP_PARALLEL_DYNAMIC_STITCH;
}

/* True if indices are vectors along their last axis. */
static int ndgi_has_vectors(const ndg_report *r) {
    return r->op == NDG_OP_GATHER_ND || r->op == NDG_OP_SCATTER_ND;
}

/* Says the operand, and which list or part it belongs to. */
static void ndgi_say_operand(ndgi_line *l, const ndg_report *r) {
    const int arg = r->operand;
    const int desc = r->status >= NDG_E_RANK
                  || (r->status == NDG_E_NULL && r->value);
    const int list = ndgi_is_stitch(r)
        && (arg == NDG_ARG_INDICES || arg == NDG_ARG_DATA
            || arg == NDG_ARG_COUNT || (arg == NDG_ARG_SLICE && r->item > 0));
    const int part = r->op == NDG_OP_DYNAMIC_PARTITION && !desc
        && (arg == NDG_ARG_OUT || arg == NDG_ARG_POSITIONS
            || (arg == NDG_ARG_COUNTS && r->status == NDG_E_COUNT));
    ndgi_say(l, ndg_arg_text(arg));
    if (desc && arg == NDG_ARG_OUT && r->op >= NDG_OP_DYNAMIC_STITCH
        && r->op < NDG_OP_SCATTER_ND && r->status != NDG_E_OVERFLOW)
        ndgi_say(l, "_slice");
    if (!list && !part) return;
    ndgi_say(l, list ? " of list " : " of part ");
    ndgi_say_int(l, r->item);
}

/* Says a refusal. In words @ is the operand, ^ the axis, # the value, $ the
 * bound, ~ the item, and % what the indices point into. */
static void ndgi_say_refusal(ndgi_line *l, const char *words,
        const ndg_report *r) {
    char one[2] = { 0, 0 };
    for (; *words; words++) {
        one[0] = *words;
        if (*words == '@') ndgi_say_operand(l, r);
        else if (*words == '^') ndgi_say_int(l, r->axis);
        else if (*words == '#') ndgi_say_int(l, r->value);
        else if (*words == '$') ndgi_say_int(l, r->bound);
        else if (*words == '~') ndgi_say_int(l, r->item);
        else if (*words == '%')
            ndgi_say(l, r->op >= NDG_OP_SCATTER_ND ? "out" : "params");
        else ndgi_say(l, one);
    }
}

/* Returns the words for an option, a type or a count. */
static const char *ndgi_option_words(const ndg_report *r) {
    switch (r->operand) {
    case NDG_ARG_ELEM_SIZE: return "@ is #: give the bytes of one element";
    case NDG_ARG_FEATURES:  return "@ is #: leave it 0";
    case NDG_ARG_FILL:      return "@ holds $ bytes, elem_size is #";
    case NDG_ARG_POLICY: case NDG_ARG_GAPS:
        if (!r->bound) return "@ is #, which this operation does not take";
        break;
    case NDG_ARG_INPUTS:    return "# @, at least $ are needed";
    default:
        if (r->status == NDG_E_COUNT) return "@ is #, at least $ is needed";
    }
    return "@ is #, not in 0 ... $";
}

/* Returns the words for axes and extents. */
static const char *ndgi_shape_words(const ndg_report *r, int with_indices) {
    const int arg = r->operand;
    switch (r->status) {
    case NDG_E_RANK:
        return r->value >= 0 && arg == (r->op == NDG_OP_SCATTER_ND
                                        ? NDG_ARG_DATA : NDG_ARG_OUT)
             ? "@ has rank #, $ is needed"
             : "@ has rank #, at least $ is needed";
    case NDG_E_AXIS:
        return r->bound ? "no @ #: % has rank $"
                        : "@ is #, but this operation takes none: leave it 0";
    case NDG_E_BATCH_DIMS:
        if (arg == NDG_ARG_AXIS) return "batch_dims is #, but axis is $";
        if (arg != NDG_ARG_BATCH_DIMS)
            return "batch_dims is #, but @ has rank $";
        return ndgi_has_vectors(r) ? "@ is #, at least $ is needed"
                                   : "@ is #: leave it $";
    case NDG_E_BATCH_SHAPE: return "@, axis ^: # where % has $";
    case NDG_E_DEPTH: return "@, axis ^: # components for $ axes of %";
    case NDG_E_STRIDE:
        return arg == NDG_ARG_OUT_STRIDE ? "@ is #, at least $ is needed"
             : "@, axis ^: a stride of # where $ is needed";
    case NDG_E_LEVELS:
        return arg == NDG_ARG_INDICES
             ? "@, axis ^: # components, at most $ are possible"
             : "@: strides that take more than $ loops";
    default:
        if (r->bound < 0) return "@, axis ^: # where no axis is expected";
        if (r->value < 0) return r->bound ? "@ has no axis ^, of $"
                                          : "@, axis ^: an extent of #";
        if (!with_indices) return "@, axis ^: # where $ is needed";
        return r->op == NDG_OP_DYNAMIC_PARTITION
             ? "@, axis ^: # where partitions have $"
             : "@, axis ^: # where indices have $";
    }
}

/* Returns the words for a status that is not about an index. */
static const char *ndgi_refusal_words(const ndg_report *r, int with_indices) {
    const int part = r->op == NDG_OP_DYNAMIC_PARTITION;
    switch (r->status) {
    case NDG_E_GAP: return "row # of $ is named by no index";
    case NDG_E_CAPACITY: case NDG_E_SCRATCH:
        return part ? "@ holds # rows, at least $ are needed"
                    : "@ holds # bytes, $ are needed";
    case NDG_E_OVERLAP:
        return part ? "@ overlaps out of part ~" : "@ overlaps out";
    case NDG_E_RANGE:
        return r->operand == NDG_ARG_FIRST ? "@ is #, not in 0 ... $"
                                           : "@ is #, not in first to $";
    case NDG_E_NULL:
        if (r->operand == NDG_ARG_PLAN) return "@ is NULL, or was not made";
        if (!r->value) return "@ is NULL";
        return r->bound ? "the strides of @, of rank #, are NULL"
                        : "the dims of @, of rank #, are NULL";
    case NDG_E_OPTION: case NDG_E_TYPE: case NDG_E_COUNT:
        return ndgi_option_words(r);
    case NDG_E_OVERFLOW:
        return r->bound ? "positions: # is more than their type holds, $"
                        : "@: a size is larger than PTRDIFF_MAX";
    default: return NDG_E_RANK <= r->status && r->status <= NDG_E_LEVELS
                  ? ndgi_shape_words(r, with_indices)
                  : ndg_status_text(r->status);
    }
}

/* Says the coordinates of the first bad row, [1,1]; of a scalar none. */
static void ndgi_say_place(ndgi_line *l, const ndg_report *r,
        const ndg_shape *indices) {
    ptrdiff_t at[16];
    int       axes = 1, k;
    at[0] = r->bad.position;
    if (indices && indices->rank >= ndgi_has_vectors(r))
        axes = indices->rank - ndgi_has_vectors(r);
    if (axes > 16 || !indices
        || ndg_unravel(r->bad.position, indices, axes, at, 16) < 0) axes = 1;
    for (k = 0; k < axes; k++) {
        ndgi_say(l, k ? "," : "[");
        ndgi_say_int(l, at[k]);
    }
    if (axes) ndgi_say(l, "]");
}

/* Says the first bad row, and how many there are. */
static void ndgi_say_bad(ndgi_line *l, const ndg_report *r,
        const ndg_shape *indices) {
    const ndg_bad *bad = &r->bad;
    const int part = r->op == NDG_OP_DYNAMIC_PARTITION;
    ndgi_say(l, ndg_arg_text(part ? NDG_ARG_PARTITIONS : NDG_ARG_INDICES));
    ndgi_say_place(l, r, indices);
    if (ndgi_is_stitch(r)) {
        ndgi_say(l, " of list ");
        ndgi_say_int(l, bad->list);
    }
    if (bad->component < 0) {
        ndgi_say(l, " was bad when it was used");
    } else {
        if (ndgi_has_vectors(r)) {
            ndgi_say(l, " component ");
            ndgi_say_int(l, bad->component);
        }
        ndgi_say(l, " = ");
        ndgi_say_number(l, bad->value, bad->is_u64);
        if (bad->changed) ndgi_say(l, ", by index_mask and index_add,");
        ndgi_say(l, " is not in [");
        ndgi_say_int(l, bad->from_end ? -(int64_t)bad->extent : 0);
        ndgi_say(l, ", ");
        if (bad->extent == PTRDIFF_MAX) ndgi_say(l, "PTRDIFF_MAX");
        else ndgi_say_int(l, bad->extent);
        ndgi_say(l, ")");
    }
    ndgi_say_many(l, bad->count, r->status ? "at least " : "", " bad");
}

NDG_API ptrdiff_t ndg_report_text(char *buf, ptrdiff_t cap,
        const ndg_report *report, const ndg_shape *indices) {
    static const char ops[NDG_OP_SCATTER_ROWS + 1][24] = {
        "", "gather_rows", "gather_nd", "gather", "batch_gather",
        "dynamic_stitch", "parallel_dynamic_stitch", "dynamic_partition",
        "scatter_nd", "scatter_rows" };
    ndgi_line l = { 0, 0, 0 };
    l.buf = buf;
    l.cap = buf ? cap : 0;
    if (report && 0 < report->op && report->op <= NDG_OP_SCATTER_ROWS) {
        ndgi_say(&l, ops[report->op]);
        ndgi_say(&l, ": ");
    }
    if (!report) ndgi_say(&l, "no report");
    else if (report->bad.count > 0 && (report->status == NDG_OK
                                       || report->status == NDG_E_INDEX))
        ndgi_say_bad(&l, report, indices);
    else if (report->status == NDG_OK) ndgi_say(&l, "done");
    else ndgi_say_refusal(&l, ndgi_refusal_words(report, indices
                                  && report->operand == NDG_ARG_DATA
                                  && report->axis < indices->rank
                                     - ndgi_has_vectors(report)), report);
    if (report && report->status == NDG_OK && report->rows.holes > 0) {
        ndgi_say(&l, "; row ");
        ndgi_say_int(&l, report->rows.first_hole);
        ndgi_say(&l, " is named by no index");
        ndgi_say_many(&l, report->rows.holes, "", " such rows");
    }
    if (l.cap > 0) l.buf[ndgi_min(l.used, l.cap - 1)] = 0;
    return l.used;
}
#endif

#if NDGI_SHRINK
#pragma GCC pop_options
#endif

#undef NDGI_BY_KIND
#undef NDGI_CALLED
#undef NDGI_CASE
#undef NDGI_CHECK
#undef NDGI_FAR_BYTES
#undef NDGI_HUGE_BYTES
#undef NDGI_FAST
#undef NDGI_GATHER_OP
#undef NDGI_HOT
#undef NDGI_INLINE
#undef NDGI_OPAQUE
#undef NDGI_ORDER
#undef NDGI_PREFETCH
#undef NDGI_RARE
#undef NDGI_SHRINK
#undef NDGI_SIMD
#undef NDGI_STORE_PAST
#undef NDGI_STREAMS
#undef NDGI_STREAM_BYTES
#undef NDGI_TIMES

#ifdef __cplusplus
}
#endif

#endif /* NDGATHER_IMPLEMENTATION */

/* ---- >>license -------------------------------------------------------------
 * Use this file under whichever of the two licences you prefer.
 *
 * A. MIT No Attribution (MIT-0)         Copyright (c) 2026 the ndgather authors
 *   Permission is hereby granted, free of charge, to any person obtaining a
 * copy of this software and associated documentation files (the "Software"), to
 * deal in the Software without restriction, including without limitation the
 * rights to use, copy, modify, merge, publish, distribute, sublicense, and/or
 * sell copies of the Software, and to permit persons to whom the Software is
 * furnished to do so.
 *   THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
 * IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
 * FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
 * AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
 * LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
 * OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
 * SOFTWARE.
 *
 * B. Unlicense (public domain)
 *   This is free and unencumbered software released into the public domain.
 *   Anyone is free to copy, modify, publish, use, compile, sell, or distribute
 * this software, either in source code form or as a compiled binary, for any
 * purpose, commercial or non-commercial, and by any means.
 *   In jurisdictions that recognize copyright laws, the author or authors of
 * this software dedicate any and all copyright interest in the software to the
 * public domain. We make this dedication for the benefit of the public at large
 * and to the detriment of our heirs and successors. We intend this dedication
 * to be an overt act of relinquishment in perpetuity of all present and future
 * rights to this software under copyright law.
 *   THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
 * IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
 * FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
 * AUTHORS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN
 * ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION
 * WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
 *   For more information, please refer to <https://unlicense.org/>
 */
