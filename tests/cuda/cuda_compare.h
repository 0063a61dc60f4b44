/* cuda_compare.h - what the tests of ndgather_cuda.cuh on the emulator and on a
 * device have in common: random plans and the case files, each put to the
 * program's own gather_all, stitch_same and partition_same. */
#ifndef CUDA_COMPARE_H
#define CUDA_COMPARE_H

#include "cuda_check.h"
#include "../lib/cases.h"

/* How far off alignment an array is: random, or what the test wants. */
enum { OUT, SOURCE, INDEX };
static int off_by[3] = { -1, -1, -1 };
static size_t some_offset(int role)
{
    if (off_by[role] >= 0) return (size_t)off_by[role];
    return random_below(&rnd, 2) ? 0 : (size_t)random_below(&rnd, 16);
}
static void set_offsets(int out, int source, int index)
{
    off_by[OUT] = out;
    off_by[SOURCE] = source;
    off_by[INDEX] = index;
}

/* An array of the host's that goes when its name does. */
struct host_array : array {
    host_array() : array() {}
    ~host_array() { array_free(this); }
private:
    host_array(const host_array &);
    host_array &operator=(const host_array &);
};

/* The image of an array, and where its first element is. */
struct device_array : buffer {
    unsigned char *base;
    device_array(const array &a, int role)
        : buffer(a.block, a.block_bytes, some_offset(role)),
          base(a.base ? p + (a.base - a.block) : 0)
    {}
};

static bool few_parts;

/* How many blocks a launch may have and, on the emulator, who goes first, and
 * whether memory is out of the host's reach. */
static void new_seed(uint64_t seed)
{
    static const long blocks[4] = { 16384, 1, 2, 5 };
    test_blocks = blocks[seed % 4];
#if defined(CUDA_EMUL_H)
    all_apart = seed % 16 == 0;
    emu_seed(seed * 2654435761u + 1);
#endif
}

/* ---- gather --------------------------------------------------------------*/
typedef int plan_function(ndg_gather_plan *, const ndg_gather_desc *,
                          ndg_report *);
typedef int dims_function(const ndg_gather_desc *, ptrdiff_t *, int);

static plan_function *const make_plan[3] = {
    ndg_plan_gather_nd, ndg_plan_gather, ndg_plan_batch_gather
};
static dims_function *const find_dims[3] = {
    ndg_gather_nd_out_dims, ndg_gather_out_dims, ndg_batch_gather_out_dims
};
static const int out_layouts[4] = {
    LAYOUT_C, LAYOUT_PADDED, LAYOUT_PERMUTED, LAYOUT_EXPLICIT
};

static bool has_empty_extent(const ndg_gather_plan *p)
{
    int k;
    for (k = 0; k < p->depth; k++) if (p->extent[k] == 0) return true;
    return false;
}

static void gather_all(const ndg_gather_plan *plan, const array *params,
                       const array *indices, array *out);

/* The shape of out, in a layout; needs the rest of the desc. */
static void gather_out(array *out, ndg_gather_desc *d, int layout,
                       dims_function *dims_of)
{
    ptrdiff_t dims[ARRAY_RANK] = { 0 };
    int       rank = dims_of(d, dims, ARRAY_RANK);
    array_shape(out, rank < 0 ? 0 : rank, dims, d->elem_size, layout, 0);
    if (layout != LAYOUT_C) d->out = array_ndg(out);
    array_alloc(out, 0, 0);
}

/* Indices below `most`, some of them bad. */
static void random_indices(array *a, int type, ptrdiff_t most)
{
    ptrdiff_t coords[ARRAY_RANK] = { 0 }, i;
    const int odds = random_below(&rnd, 3) ? 40 : 3;
    for (i = 0; i < a->size; i++, coords_next(a->rank, a->dim, coords)) {
        int64_t v = random_below(&rnd, (int)(most > 0 ? most : 1));
        if (!random_below(&rnd, odds)) v = (int64_t)random_bits(&rnd);
        else if (!random_below(&rnd, odds))
            v = random_below(&rnd, 2 * (int)most + 9) - most - 4;
        index_put(array_at(a, coords), type, v);
    }
}

/* Indices that are good for every axis, if there are any. */
static bool valid_indices(array *a, int type, const array *params)
{
    ptrdiff_t coords[ARRAY_RANK] = { 0 }, least = params->dim[0], i;
    int       k;
    for (k = 1; k < params->rank; k++)
        if (params->dim[k] < least) least = params->dim[k];
    for (i = 0; i < a->size; i++, coords_next(a->rank, a->dim, coords))
        index_put(array_at(a, coords), type,
                  random_below(&rnd, least > 1 ? (int)least : 1));
    return least > 0;
}

/* What indices are masked with and added to: mostly nothing. */
static void random_change(int64_t *mask, int64_t *add)
{
    static const int64_t masks[] = { 0, 3, 0xFF, INT64_MIN, -1 };
    static const int64_t adds[] = { 0, -2, 1, INT64_MAX, INT64_MIN };
    const int some = random_below(&rnd, 4) == 0;
    *mask = some ? masks[random_below(&rnd, 5)] : 0;
    *add = some ? adds[random_below(&rnd, 5)] : 0;
}

/* An array of a shape, with random bytes. */
static void random_array(array *a, int rank, const ptrdiff_t *dims,
                         ptrdiff_t elem, int layout, int fold)
{
    array_shape(a, rank, dims, elem, layout, fold);
    array_alloc(a, 0, 0);
    random_fill(&rnd, a->block, a->block_bytes);
}

static int some_layout(int plain)
{
    return plain ? LAYOUT_C : random_below(&rnd, LAYOUT_COUNT);
}

static void random_gather(void)
{
    static const int elems[] = { 1, 2, 4, 8, 16, 4, 3, 5, 12, 20, 32, 7, 48,
                                 64, 100, 160, 1040, 2064, 4099 };
    ndg_gather_desc d = NDG_ZERO_INIT;
    ndg_gather_plan plan;
    ndg_report      r;
    ptrdiff_t       dims[4], at[4], most = 0;
    host_array      params, indices, out;
    const int       op = random_below(&rnd, 3);
    const int       rank = 1 + random_below(&rnd, 3);
    const int       plain = random_below(&rnd, 3);    /* simple, or odd */
    int             n = 1 + random_below(&rnd, 2), k, b = 0, few;
    d.elem_size = elems[random_below(&rnd, plain ? 19 : 10)];
    few = !plain || d.elem_size > 100;
    for (k = 0; k < rank; k++) dims[k] = random_below(&rnd, plain ? 7 : 4) + 1;
    if (!random_below(&rnd, 12)) dims[random_below(&rnd, rank)] = 0;
    for (k = 0; k < n; k++)
        at[k] = random_below(&rnd, few ? 5 : n == 1 ? 400 : 20);
    if (op == 0) {
        b = random_below(&rnd, rank < 2 ? 1 : 2);
        at[n++] = random_below(&rnd, rank - b + 1);
        if (b) at[0] = dims[0];
        d.batch_dims = b;
    } else if (op == 1) {
        b = random_below(&rnd, rank);
        if (b > n) b = n;
        for (k = 0; k < b; k++) at[k] = dims[k];
        d.batch_dims = b;
        d.axis = b + random_below(&rnd, rank - b);
    } else {
        if (n > rank) n = rank;
        for (k = 0; k < n - 1; k++) at[k] = dims[k];
    }
    for (k = 0; k < rank; k++) if (dims[k] > most) most = dims[k];
    d.index_type = random_below(&rnd, INDEX_TYPES);
    d.policy = random_below(&rnd, NDG_ASSUME_VALID);
    if (d.policy == NDG_FILL && d.elem_size > 16) d.policy = NDG_DEFAULT;
    d.negative = random_below(&rnd, 2);
    random_change(&d.index_mask, &d.index_add);
    random_fill(&rnd, d.fill, 16);
    random_array(&params, rank, dims, d.elem_size, some_layout(plain), 0);
    random_array(&indices, n, at, index_bytes(d.index_type),
                 some_layout(plain), 0);
    if (random_below(&rnd, 8)) random_indices(&indices, d.index_type, most);
    else if (valid_indices(&indices, d.index_type, &params)
             && !d.index_mask && !d.index_add) d.policy = NDG_ASSUME_VALID;
    d.params = array_ndg(&params);
    d.indices = array_ndg(&indices);
    gather_out(&out, &d, plain ? 0 : out_layouts[random_below(&rnd, 4)],
               find_dims[op]);
    sprintf(context + strlen(context), " gather op %d elem %d type %d policy "
            "%d negative %d plain %d", op, (int)d.elem_size, d.index_type,
            d.policy, d.negative, plain);
    SEE(make_plan[op](&plan, &d, &r) == NDG_OK);
    if (!r.status) gather_all(&plan, &params, &indices, &out);
}

/* ---- stitch --------------------------------------------------------------*/
#define LISTS 40

typedef struct stitch_test {
    ndg_stitch_plan plan;
    ptrdiff_t       total, entries;
    int             n;
    host_array      indices[LISTS], data[LISTS], out;
    ndg_list        list[LISTS];       /* on the host */
} stitch_test;

static void stitch_same(stitch_test *t);

static const int stitch_policies[] = { NDG_DEFAULT, NDG_ERROR, NDG_DROP,
                                       NDG_ASSUME_VALID };
static const int row_elems[] = { 1, 4, 16, 3, 8, 20, 64, 1040, 2064 };

static void random_stitch(void)
{
    ndg_stitch_desc d = NDG_ZERO_INIT;
    stitch_test     t = {};
    ptrdiff_t       dims[4];
    ndg_report      r;
    const int       rank = random_below(&rnd, 3), odd = !random_below(&rnd, 3);
    const int       layout = some_layout(!odd);
    const int       to = odd ? out_layouts[random_below(&rnd, 4)] : 0;
    int             m, k, most;
    t.n = random_below(&rnd, random_below(&rnd, 4) ? 5 : LISTS);
    d.elem_size = row_elems[random_below(&rnd, layout || to ? 6 : 9)];
    most = d.elem_size > 100 ? 12 : random_below(&rnd, 4) ? 40
         : t.n > 8 ? 20 : 200;
    t.total = random_below(&rnd, most * 2);
    d.index_type = random_below(&rnd, INDEX_TYPES);
    d.policy = stitch_policies[random_below(&rnd, 4)];
    d.gaps = random_below(&rnd, 3);
    for (k = 1; k <= rank; k++) dims[k] = 1 + random_below(&rnd, 3);
    if (rank && !random_below(&rnd, 15)) dims[1] = 0;
    for (m = 0; m < t.n; m++) {
        dims[0] = random_below(&rnd, most);
        random_array(&t.indices[m], 1, dims, index_bytes(d.index_type),
                     some_layout(0), 0);
        random_indices(&t.indices[m], d.index_type, t.total);
        random_array(&t.data[m], rank + 1, dims, d.elem_size, layout, 1);
        t.list[m] = list_of(t.indices[m].base, t.data[m].base, dims[0]);
        t.list[m].index_stride = t.indices[m].stride[0];
        if (layout || random_below(&rnd, 2))
            t.list[m].data_stride = t.data[m].stride[0];
        t.entries += dims[0];
    }
    dims[0] = t.total;
    d.slice = ndg_dims(rank, dims + 1, 0);
    if (t.n && layout) d.slice = ndg_dims(rank, dims + 1, t.data[0].stride + 1);
    array_shape(&t.out, rank + 1, dims, d.elem_size, to, 1);
    array_alloc(&t.out, 0, 0);
    if (to) {
        d.out_slice = ndg_dims(rank, dims + 1, t.out.stride + 1);
        d.out_stride = t.out.stride[0];
    }
    sprintf(context + strlen(context), " stitch lists %d total %d elem %d "
            "type %d policy %d gaps %d layouts %d %d", t.n, (int)t.total,
            (int)d.elem_size, d.index_type, d.policy, d.gaps, layout, to);
    SEE(ndg_plan_stitch(&t.plan, &d, &r) == NDG_OK);
    if (!random_below(&rnd, 4)) {       /* owners of 64 bits: a capacity */
        const ptrdiff_t wide = (ptrdiff_t)1 << 32;
        SEE(ndg_cuda_stitch_scratch_bytes(&t.plan, t.total, t.n, wide)
            - ndg_cuda_stitch_scratch_bytes(&t.plan, t.total, t.n, wide - 1)
            == t.total / 2 * 8);
        t.entries += wide;
        if (test_blocks > 5) test_blocks = 5;
    }
    if (!r.status) stitch_same(&t);
}

/* ---- partition -----------------------------------------------------------*/
enum { PARTS = 400 };                   /* no more are random */
/* What a part can hold of its rows: all, all but one or, from 0 on, a few, and
 * some parts fewer than none. */
enum { ALL_ROWS = -1, ALL_BUT_ONE = -2 };

typedef struct partition_test {
    ndg_partition_plan plan;
    host_array         data, ids;
    ptrdiff_t          rows;
    unsigned long long launches;        /* of the run */
} partition_test;

static void partition_same(partition_test *t, bool with_positions, int room);

static void random_partition(void)
{
    static const int position_types[] = { NDG_I32, NDG_I64, NDG_U16, NDG_U32,
                                          NDG_U64, NDG_I16 };
    ndg_partition_desc d = NDG_ZERO_INIT;
    partition_test     t = {};
    ptrdiff_t          dims[4];
    ndg_report         r;
    const int          rank = random_below(&rnd, 3);
    const int          odd = !random_below(&rnd, 3), layout = some_layout(!odd);
    const int          to = odd ? out_layouts[random_below(&rnd, 4)] : 0;
    int                k;
    d.elem_size = row_elems[random_below(&rnd, layout || to ? 6 : 9)];
    dims[0] = random_below(&rnd, random_below(&rnd, 3) || d.elem_size > 100
                                 ? 60 : 600);
    for (k = 1; k <= rank; k++) dims[k] = 1 + random_below(&rnd, 3);
    if (rank && !random_below(&rnd, 15)) dims[1] = 0;
    d.num_partitions = 1 + random_below(&rnd, random_below(&rnd, 3) ? 9
                                        : random_below(&rnd, 3) ? 70 : PARTS);
    if (few_parts && d.num_partitions > 70) d.num_partitions = 257;
    d.index_type = random_below(&rnd, INDEX_TYPES);
    d.position_type = position_types[random_below(&rnd, 6)];
    d.policy = stitch_policies[random_below(&rnd, 4)];
    random_array(&t.ids, 1, dims, index_bytes(d.index_type), some_layout(0), 0);
    random_indices(&t.ids, d.index_type, d.num_partitions);
    random_array(&t.data, rank + 1, dims, d.elem_size, layout, 1);
    d.data = array_ndg(&t.data);
    d.partitions = array_ndg(&t.ids);
    if (to) {
        array out;
        array_shape(&out, rank + 1, dims, d.elem_size, to, 1);
        d.out_slice = ndg_dims(rank, dims + 1, out.stride + 1);
        d.out_stride = out.stride[0];
    }
    sprintf(context + strlen(context), " partition rows %d parts %d elem %d "
            "type %d position type %d policy %d layouts %d %d", (int)dims[0],
            (int)d.num_partitions, (int)d.elem_size, d.index_type,
            d.position_type, d.policy, layout, to);
    SEE(ndg_plan_partition(&t.plan, &d, &r) == NDG_OK);
    t.rows = random_below(&rnd, 4) ? t.plan.rows
                                   : random_below(&rnd, (int)t.plan.rows + 1);
    if (!r.status) {
        partition_same(&t, random_below(&rnd, 2) != 0, ALL_ROWS);
        if (!random_below(&rnd, 3)) partition_same(&t, true, ALL_BUT_ONE);
    }
}

/* ---- the case files ------------------------------------------------------*/
/* Of a case; an error by either of its names. */
static int some_policy(const test_case *c)
{
    const int p = policy_of(c);
    return p == NDG_ERROR && !random_below(&rnd, 2) ? NDG_DEFAULT : p;
}

static void case_input(array *a, const tensor *t, int layout, int fold)
{
    unsigned char *bytes = tensor_bytes(t, t->dtype);
    array_shape(a, t->rank, t->dim, dtype_bytes(t->dtype), layout, fold);
    array_alloc(a, 0, 0);
    array_store(a, bytes);
    free(bytes);
}

static void case_gather(const test_case *c, int layout)
{
    static const char *const names[3] = { "gather_nd", "gather",
                                          "batch_gather" };
    ndg_gather_desc d;
    host_array      params, indices, out;
    ndg_gather_plan plan;
    ndg_report      r;
    int             op = 0;
    while (strcmp(names[op], c->op)) op++;
    case_input(&params, &c->params, layout, 0);
    case_input(&indices, &c->indices[0], layout, 0);
    d = gather_of(params.elem, array_ndg(&params), array_ndg(&indices));
    d.index_type = dtype_index(c->indices[0].dtype);
    d.policy = some_policy(c);
    d.negative = c->from_end;
    if (op < 2) d.batch_dims = (int)c->batch_dims;
    if (op == 1) d.axis = (int)c->axis;
    if (make_plan[op](&plan, &d, &r) == NDG_OK) {
        gather_out(&out, &d, out_layouts[layout % 4], find_dims[op]);
        SEE(make_plan[op](&plan, &d, &r) == NDG_OK);
        gather_all(&plan, &params, &indices, &out);
    } else {
        REFUSED(ndg_cuda_gather_run(&plan, 0, 0, 0, 0, 0, 0));
    }
}

static void case_stitch(const test_case *c, int layout)
{
    ndg_stitch_desc d = NDG_ZERO_INIT;
    stitch_test     t = {};
    ndg_report      r;
    ptrdiff_t       dims[ARRAY_RANK];
    int             lead = c->indices[0].rank, m, i, fits = 1;
    if (lead > c->data[0].rank) return;
    for (m = 0; m < c->n_indices; m++) {
        const int own = c->indices[m].rank;
        case_input(&t.indices[m], &c->indices[m], layout, own);
        case_input(&t.data[m], &c->data[m], layout,
                   own < c->data[m].rank ? own : c->data[m].rank);
        t.n++;
    }
    d.elem_size = t.data[0].elem;
    d.index_type = dtype_index(c->indices[0].dtype);
    d.policy = some_policy(c);
    d.slice = ndg_dims(c->data[0].rank - lead, c->data[0].dim + lead,
                       t.data[0].strided ? t.data[0].stride + lead : 0);
    t.total = 1;
    for (m = 0; m < t.n; m++) {
        ndg_stitch_input in;
        in.indices = t.indices[m].base;
        in.data = t.data[m].base;
        in.indices_shape = array_ndg(&t.indices[m]);
        in.data_shape = array_ndg(&t.data[m]);
        fits = fits && ndg_list_from(&t.list[m], &in, &d, &r) == NDG_OK;
        t.entries += c->indices[m].size;
        for (i = 0; i < c->indices[m].size; i++) {
            long long v = strtoll(c->indices[m].word[i], 0, 10);
            if (v >= t.total) t.total = (ptrdiff_t)v + 1;
        }
    }
    dims[0] = t.total;
    for (i = lead; i < c->data[0].rank; i++)
        dims[i - lead + 1] = c->data[0].dim[i];
    if (fits && t.total < 100000) {
        array_shape(&t.out, c->data[0].rank - lead + 1, dims, d.elem_size,
                    LAYOUT_C, 1);
        array_alloc(&t.out, 0, 0);
        SEE(ndg_plan_stitch(&t.plan, &d, &r) == NDG_OK);
        stitch_same(&t);
    }
}

static void case_partition(const test_case *c, int layout)
{
    ndg_partition_desc d;
    partition_test     t = {};
    ndg_report         r;
    const int          lead = c->partitions.rank;
    case_input(&t.ids, &c->partitions, layout, lead);
    case_input(&t.data, &c->data[0], layout,
               lead < c->data[0].rank ? lead : c->data[0].rank);
    d = partition_of(t.data.elem, array_ndg(&t.data), array_ndg(&t.ids),
                     (ptrdiff_t)c->num_partitions);
    d.index_type = dtype_index(c->partitions.dtype);
    d.policy = some_policy(c);
    if (ndg_plan_partition(&t.plan, &d, &r) == NDG_OK) {
        t.rows = t.plan.rows;
        partition_same(&t, true, ALL_ROWS);
    } else {
        REFUSED(ndg_cuda_partition_count(&t.plan, 0, 0, 0, 0, 0, 0, 0));
    }
}

/* Every `step`th case of a file, in all layouts or, if thin, in some. */
static void run_file(const char *path, int want_cases, int step, bool thin)
{
    case_file f;
    test_case c;
    int       got, cases = 0, layout;
    if (!case_open(&f, path)) {
        CHECKF(0, "cannot read %s", path);
        return;
    }
    for (; (got = case_read(&f, &c)) > 0; case_free(&c), cases++) {
        if (cases % step) continue;
        if (c.n_indices && dtype_index(c.indices[0].dtype) < 0) continue;
        if (c.n_indices && c.n_data && c.n_indices != c.n_data) continue;
        if (!strcmp(c.op, "scatter_nd")) continue;      /* random ones do */
        for (layout = 0; layout < LAYOUT_COUNT;
             layout += thin ? 1 + cases % 4 : 1) {
            new_seed((uint64_t)(cases + layout));
            sprintf(context, "%.200s, layout %d", c.name, layout);
            if (c.partitions.dtype) case_partition(&c, layout);
            else if (strstr(c.op, "stitch")) case_stitch(&c, layout);
            else case_gather(&c, layout);
        }
    }
    CHECKF(got == 0, "%s: %s", path, f.problem);
    CHECKF(cases == want_cases, "%s: %d cases, not %d", path, cases,
           want_cases);
    free(f.text);
}
#endif
