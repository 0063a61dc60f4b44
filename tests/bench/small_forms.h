/* small_forms.h - more cells of small.c, 512 ... 16,384 rows in cache: index
 * vectors in structs, slices of several runs, rows of which some are bad,
 * positions alone, one call of one row; and the loops by hand beside them. */
#ifndef NDG_SMALL_FORMS_H
#define NDG_SMALL_FORMS_H

enum { COUNTS = 3, FORM_WINDOWS = 8, FORM_STEP = 64 };
static const int form_counts[COUNTS] = { 512, 4096, 16384 };

/* ---- vectors: indices in structs, pairs, one in steps --------------------*/
/* K indices of type T at the head of each STEP bytes. */
#define VECTOR_LOOP(name, T, STEP, SIZE)                                      \
GATHER_HEAD(name##_1_##SIZE)                                                  \
{                                                                             \
    const byte     *at = (const byte *)indices;                               \
    const ptrdiff_t rows = dim[0];                                            \
    ptrdiff_t       i;                                                        \
    for (i = 0; i < n; i++) {                                                 \
        T v;                                                                  \
        memcpy(&v, at + i * STEP, sizeof v);                                  \
        if ((uint64_t)v >= (uint64_t)rows) return i;                          \
        memcpy(out + i * SIZE, table + (ptrdiff_t)v * SIZE, SIZE);            \
    }                                                                         \
    return -1;                                                                \
}

#define VECTOR_PAIR(name, T, STEP, SIZE)                                      \
GATHER_HEAD(name##_2_##SIZE)                                                  \
{                                                                             \
    const byte     *at = (const byte *)indices;                               \
    const ptrdiff_t d0 = dim[0], d1 = dim[1];                                 \
    ptrdiff_t       i;                                                        \
    for (i = 0; i < n; i++) {                                                 \
        T v[2];                                                               \
        memcpy(v, at + i * STEP, sizeof v);                                   \
        if ((uint64_t)v[0] >= (uint64_t)d0 ||                                 \
            (uint64_t)v[1] >= (uint64_t)d1) return i;                         \
        memcpy(out + i * SIZE,                                                \
               table + ((ptrdiff_t)v[0] * d1 + (ptrdiff_t)v[1]) * SIZE,       \
               SIZE);                                                         \
    }                                                                         \
    return -1;                                                                \
}
VECTOR_PAIR(packed_i32, int32_t, 8, 12)
VECTOR_PAIR(packed_i32, int32_t, 8, 32)
VECTOR_PAIR(packed_i32, int32_t, 8, 64)
VECTOR_PAIR(packed_u16, uint16_t, 4, 4)
VECTOR_PAIR(packed_u16, uint16_t, 4, 12)
VECTOR_PAIR(packed_u16, uint16_t, 4, 64)
VECTOR_PAIR(struct_i32, int32_t, 16, 4)
VECTOR_PAIR(struct_i32, int32_t, 16, 12)
VECTOR_PAIR(struct_i32, int32_t, 16, 64)
VECTOR_PAIR(struct_u16, uint16_t, 12, 4)
VECTOR_PAIR(struct_u16, uint16_t, 12, 12)
VECTOR_PAIR(struct_u16, uint16_t, 12, 64)
VECTOR_LOOP(struct_i32, int32_t, 16, 4)
VECTOR_LOOP(struct_i32, int32_t, 16, 12)
VECTOR_LOOP(struct_i32, int32_t, 16, 64)

typedef struct {
    const char *name;
    int         type, depth, step, size;
    double      ratio;
    hand_fn    *hand;
} vector;

static const vector vectors[] = {
    { "struct-pair", NDG_I32, 2, 16,  4, 1.5, struct_i32_2_4 },
    { "struct-pair", NDG_I32, 2, 16, 12, 1.5, struct_i32_2_12 },
    { "struct-pair", NDG_I32, 2, 16, 64, 1.5, struct_i32_2_64 },
    { "struct-pair", NDG_U16, 2, 12,  4, 1.5, struct_u16_2_4 },
    { "struct-pair", NDG_U16, 2, 12, 12, 1.5, struct_u16_2_12 },
    { "struct-pair", NDG_U16, 2, 12, 64, 1.5, struct_u16_2_64 },
    { "packed-pair", NDG_U16, 2,  4,  4, 1.3, packed_u16_2_4 },
    { "packed-pair", NDG_U16, 2,  4, 12, 1.3, packed_u16_2_12 },
    { "packed-pair", NDG_U16, 2,  4, 64, 1.3, packed_u16_2_64 },
    { "packed-pair", NDG_I32, 2,  8, 12, 1.2, packed_i32_2_12 },
    { "packed-pair", NDG_I32, 2,  8, 32, 1.2, packed_i32_2_32 },
    { "packed-pair", NDG_I32, 2,  8, 64, 1.2, packed_i32_2_64 },
    { "struct-one",  NDG_I32, 1, 16,  4, 1.5, struct_i32_1_4 },
    { "struct-one",  NDG_I32, 1, 16, 12, 1.5, struct_i32_1_12 },
    { "struct-one",  NDG_I32, 1, 16, 64, 1.5, struct_i32_1_64 }
};

static int plan_vector(job *j, int step)
{
    static ndg_gather_desc zero;
    ndg_gather_desc d = zero;
    d.params = ndg_dims(j->depth, j->dim, NULL);
    d.indices = j->depth == 1
        ? ndg_strided1(j->n, step)
        : ndg_strided2(j->n, step, 2, type_width[j->type]);
    d.elem_size = j->row;
    d.index_type = j->type;
    return make_plan(j, j->depth == 1 ? PLAN_GATHER : PLAN_ND, &d);
}

/* Rows of 4096, or of 64 x 64; the indices 4 bytes behind a struct's head. */
static int prepare_vector(job *j, const vector *v, ptrdiff_t n, byte *pool)
{
    const ptrdiff_t rows = n + FORM_STEP * FORM_WINDOWS;
    ptrdiff_t i;
    int       k;
    begin_job(j, GATHER, v->type, v->size, n);
    j->depth = v->depth;
    j->dim[0] = v->depth == 1 ? 4096 : 64;
    j->dim[1] = 64;
    j->index_step = v->step;
    j->indices = pool + 4;
    j->mask = FORM_WINDOWS - 1;
    j->step = FORM_STEP * (ptrdiff_t)v->step;
    for (i = 0; i < rows; i++)
        for (k = 0; k < v->depth; k++)
            put_index(pool + 4 + i * v->step + k * type_width[v->type], v->type,
                      below(j->dim[k]));
    j->hand = v->hand;
    return plan_vector(j, v->step);
}

/* The same with a few bad ones: the first must be found. */
static int same_vector_if_bad(const char *name, const job *j)
{
    static job k;
    ptrdiff_t  i;
    k = *j;
    k.indices = mem.spoilt + 4;
    memcpy(mem.spoilt, mem.pool[0], POOL_BYTES);
    for (i = below(900); i < j->n + FORM_STEP * FORM_WINDOWS;
         i += 1 + below(900))
        spoil_row(j, mem.spoilt + 4 + i * j->index_step);
    return same(name, &k);
}

static void try_vector(const vector *v, ptrdiff_t n)
{
    char name[NAME];
    int  status;
    snprintf(name, sizeof name, "vectors/%s/%s/%dB/n%d", v->name,
             type_name[v->type], v->size, (int)n);
    if (!wanted(name)) return;
    status = prepare_vector(&cur, v, n, mem.pool[0]);
    if (status || same_vector_if_bad(name, &cur))
        try_cell(name, status, n, goal_of(v->ratio, 0));
}

static void vector_cells(void)
{
    size_t i;
    int    c;
    begin_group("vectors", "indices in structs of 12 and 16 bytes, or packed "
                "pairs; 4096 rows in the table\n" COMMON_HEAD);
    for (i = 0; i < sizeof vectors / sizeof vectors[0]; i++)
        for (c = 0; c < COUNTS; c++)
            if (!quick || c == 1) try_vector(&vectors[i], form_counts[c]);
}

/* ---- runs: slices of R runs of C bytes -----------------------------------*/
/* Run r of slice v is at (r * extent + v) * C. Planar: out likewise, by runs or
 * by slices; packed: slices in out are whole. dim[0]: the extent. */
#define RUN_LOOP(R, C)                                                        \
GATHER_HEAD(planar_runs_##R##_##C)                                            \
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
GATHER_HEAD(planar_slices_##R##_##C)                                          \
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
}                                                                             \
GATHER_HEAD(packed_##R##_##C)                                                 \
{                                                                             \
    const int32_t  *at = (const int32_t *)indices;                            \
    const ptrdiff_t extent = dim[0];                                          \
    ptrdiff_t i, r;                                                           \
    for (i = 0; i < n; i++) {                                                \
        if ((size_t)at[i] >= (size_t)extent) return i;                        \
        for (r = 0; r < R; r++, out += C)                                     \
            memcpy(out, table + (r * extent + at[i]) * C, C);                 \
    }                                                                         \
    return -1;                                                                \
}
RUN_LOOP(2, 4)   RUN_LOOP(2, 16)   RUN_LOOP(2, 64)
RUN_LOOP(4, 4)   RUN_LOOP(4, 16)   RUN_LOOP(4, 64)
RUN_LOOP(16, 4)  RUN_LOOP(16, 16)  RUN_LOOP(16, 64)

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

/* Elements of 4 bytes. */
static int plan_runs(job *j, ptrdiff_t runs, ptrdiff_t bytes, int packed)
{
    static ndg_gather_desc zero;
    ndg_gather_desc d = zero;
    const ptrdiff_t extent = j->dim[0];
    d.params = packed ? ndg_strided3(extent, bytes, runs, extent * bytes,
                                     bytes / 4, 4)
                      : ndg_dims3(runs, extent, bytes / 4);
    d.indices = ndg_dims1(j->n);
    d.axis = packed ? 0 : 1;
    d.elem_size = 4;
    return make_plan(j, PLAN_GATHER, &d);
}

static void try_runs(ptrdiff_t n, int runs, int bytes, int packed)
{
    char name[NAME];
    snprintf(name, sizeof name, "runs/%s/%dx%dB/n%d",
             packed ? "packed" : "planar", runs, bytes, (int)n);
    if (n * runs * bytes > OUT_BYTES || !wanted(name)) return;
    begin_job(&cur, GATHER, NDG_I32, runs * (ptrdiff_t)bytes, n);
    cur.dim[0] = fewer(256 * KIB / (runs * bytes), 4096);
    set_windows(&cur, FORM_WINDOWS, FORM_STEP);
    fill_pool(&cur, mem.pool[0], n + FORM_STEP * FORM_WINDOWS);
    cur.hand = find_runs(packed ? PACKED_SLICES : PLANAR_RUNS, runs, bytes);
    cur.other = packed ? NULL : find_runs(PLANAR_SLICES, runs, bytes);
    try_cell(name, plan_runs(&cur, runs, bytes, packed), n, goal_of(1.5, 0));
}

static void run_cells(void)
{
    int c, runs, bytes, packed;
    begin_group("runs", "slices of 2, 4, 16 runs: along axis 1, and out of "
                "planes to whole slices\n" COMMON_HEAD);
    for (packed = 0; packed < 2; packed++)
        for (runs = 2; runs <= 16; runs *= runs == 4 ? 4 : 2)
            for (bytes = 4; bytes <= 64; bytes *= 4)
                for (c = 0; c < COUNTS; c++)
                    if (!quick || c == 1 || runs * bytes > 256)
                        try_runs(form_counts[c], runs, bytes, packed);
}

/* ---- shares of bad rows, beside ours with none ---------------------------*/
enum { SHARE_ROWS = 4096 };
static const double percent_of[SHARES] = { 0, 0.01, 0.10, 0.50, 0.99 };
static const char *const percent_name[SHARES] = {
    "0%", "1%", "10%", "50%", "99%"
};

static void spoil_rows(const job *j, byte *pool, double part)
{
    ptrdiff_t i;
    for (i = 0; i < SHARE_ROWS + FORM_STEP * FORM_WINDOWS; i++)
        if (is_bad(part)) spoil_row(j, pool_at(pool, j, i));
}

/* Ours at each share that has a job (row not 0); goal: beside the first. */
static void try_percents(const char *name, double ratio)
{
    const goal g = goal_of(ratio, 0);
    char cell[NAME];
    int  s, way = 0;
    for (s = 0; s < SHARES; s++)
        if (share[s].row && !same(name, &share[s])) return;
    for (s = 0; s < SHARES; s++) right += s && share[s].row;
    if (check) return;
#ifdef VERSUS
    (void)way;
    for (s = 0; s < SHARES; s++) {
        snprintf(cell, sizeof cell, "%s/%s", name, percent_name[s]);
        if (share[s].row)
            contest(cell, &share[s], share[s].n, g);
    }
#else
    side_count = 0;
    for (s = 0; s < SHARES; s++)
        if (share[s].row) enter_ours(&share[s], 0);
    run_sides();
    for (s = 1; s < side_count; s++)
        if (is_near(over_goal(sides[s].best, sides[0].best, g))) way = 1;
    if (way) {
        wait_for_quiet();
        run_rounds();
    }
    for (s = 1, way = 1; s < SHARES; s++) {
        if (!share[s].row) continue;
        snprintf(cell, sizeof cell, "%s/%s", name, percent_name[s]);
        print_result(record(cell, share[s].n, sides[way].best, sides[0].best,
                            g), "");
        way++;
    }
#endif
}

static void try_policy(int which, int form, ptrdiff_t size)
{
    char name[NAME];
    int  s;
    snprintf(name, sizeof name, "shares/%s/%s/%dB", form_name[form],
             policy_name[which], (int)size);
    if (!wanted(name)) return;
    for (s = 0; s < SHARES; s++) {
        job *j = &share[s];
        begin_job(j, GATHER, NDG_I32, size, SHARE_ROWS);
        if (form == ROWS) j->ours = RUN_ROWS;
        j->policy = policies[which];
        j->indices = mem.pool[s];
        j->dim[0] = 4096;
        set_windows(j, FORM_WINDOWS, FORM_STEP);
        fill_pool(j, mem.pool[s], SHARE_ROWS + FORM_STEP * FORM_WINDOWS);
        spoil_rows(j, mem.pool[s], percent_of[s]);
        set_fill(elem_of(size));
        j->hand = find_policy(1, which, NDG_I32, size);
        if (plan_bad(j)) {
            complain(name, HERE - 1, "plan");
            return;
        }
    }
    try_percents(name, size == 4 ? 2.5 : 2);
}

static void share_cells(void)
{
    int which, size;
    begin_group("shares", "4096 rows, of which some are bad; hand: ours with "
                "no bad row\n" COMMON_HEAD);
    for (which = 0; which < POLICIES; which++)
        for (size = 4; size <= 64; size *= 4) {
            try_policy(which, RUN, size);
            if (!quick && policies[which] != NDG_FILL)
                try_policy(which, ROWS, size);
        }
}

/* ---- blanks: ZERO and FILL of packed rows, 8 runs of 32 bytes ------------*/
enum { BLANK_ROWS = 1024 };

#define BLANK_LOOP(name, FIX)                                                 \
GATHER_HEAD(name)                                                             \
{                                                                             \
    const int32_t  *at = (const int32_t *)indices;                            \
    const ptrdiff_t extent = dim[0];                                          \
    ptrdiff_t       i, r;                                                     \
    for (i = 0; i < n; i++) {                                                 \
        byte           *to = out + i * 256;                                   \
        const ptrdiff_t v = at[i];                                            \
        if ((size_t)v >= (size_t)extent) { FIX(v, extent, 256) }              \
        for (r = 0; r < 8; r++)                                               \
            memcpy(to + r * 32, table + (r * extent + v) * 32, 32);           \
    }                                                                         \
    return -1;                                                                \
}
BLANK_LOOP(blank_zero, FIX_ZERO)
BLANK_LOOP(blank_fill, FIX_FILL)

static void try_blanks(int policy)
{
    const char *name = policy == NDG_ZERO ? "blanks/zero/8x32B"
                                          : "blanks/fill/8x32B";
    static ndg_gather_desc zero;
    ndg_gather_desc d = zero;
    int s;
    if (!wanted(name)) return;
    set_fill(4);
    for (s = 0; s < SHARES; s++) {
        job *j = &share[s];
        begin_job(j, GATHER, NDG_I32, 256, BLANK_ROWS);
        if (s == 1 || s == 2) j->row = 0;              /* not these */
        j->policy = policy;
        j->indices = mem.pool[s];
        j->dim[0] = 512;
        set_windows(j, FORM_WINDOWS, FORM_STEP);
        fill_pool(j, mem.pool[s], SHARE_ROWS + FORM_STEP * FORM_WINDOWS);
        spoil_rows(j, mem.pool[s], percent_of[s]);
        j->hand = policy == NDG_ZERO ? blank_zero : blank_fill;
        d.params = ndg_strided3(512, 32, 8, 512 * 32, 8, 4);
        d.indices = ndg_dims1(j->n);
        d.elem_size = 4;
        d.policy = policy;
        memcpy(d.fill, fill_row, 4);
        if (make_plan(j, PLAN_GATHER, &d)) {
            complain(name, HERE - 1, "plan");
            return;
        }
    }
    try_percents(name, 1.2);
}

static void blank_cells(void)
{
    begin_group("blanks", "1024 slices of 8 runs of 32 bytes, packed in out, "
                "some bad; hand: ours with none\n" COMMON_HEAD);
    try_blanks(NDG_ZERO);
    try_blanks(NDG_FILL);
}

/* ---- positions of a partition, and no rows -------------------------------*/
#define PLACE_LOOP(name, T)                                                   \
NOINLINE ptrdiff_t name(void *const *outs, void *const *places,               \
                        const byte *data, const byte *ids, ptrdiff_t n,       \
                        ptrdiff_t parts, ptrdiff_t *cursors)                  \
{                                                                             \
    const T  *at = (const T *)(const void *)ids;                              \
    ptrdiff_t i;                                                              \
    (void)outs;                                                               \
    (void)data;                                                               \
    memset(cursors, 0, (size_t)parts * sizeof *cursors);                      \
    for (i = 0; i < n; i++) {                                                 \
        const T v = at[i];                                                    \
        if ((size_t)v >= (size_t)parts) return i;                             \
        ((int32_t *)places[v])[cursors[v]++] = (int32_t)i;                    \
    }                                                                         \
    return -1;                                                                \
}
PLACE_LOOP(places_u8, uint8_t)
PLACE_LOOP(places_i32, int32_t)

static void try_positions(int type, ptrdiff_t n, ptrdiff_t parts)
{
    char name[NAME];
    snprintf(name, sizeof name, "positions/%s/P%d/n%d", type_name[type],
             (int)parts, (int)n);
    if (!wanted(name)) return;
    begin_job(&cur, PARTITION, type, 0, n);
    cur.no_rows = 1;
    cur.id_stride = type_width[type];
    cur.dim[0] = parts;
    set_windows(&cur, FORM_WINDOWS, FORM_STEP);
    fill_pool(&cur, mem.pool[0], n + FORM_STEP * FORM_WINDOWS);
    cur.hand_part = type == NDG_U8 ? places_u8 : places_i32;
    try_cell(name, finish_partition(&cur, parts, 1), n, goal_of(1.5, 0));
}

static void position_cells(void)
{
    int c, parts;
    begin_group("positions", "positions of a partition and no rows; counted "
                "before\n" COMMON_HEAD);
    for (parts = 4; parts <= 64; parts *= 16)
        for (c = 0; c < COUNTS; c++) {
            try_positions(NDG_U8, form_counts[c], parts);
            try_positions(NDG_I32, form_counts[c], parts);
        }
}

/* ---- one call of one row -------------------------------------------------*/
static void try_one(int form, ptrdiff_t size)
{
    char name[NAME];
    snprintf(name, sizeof name, "one/%s/%dB", form_name[form], (int)size);
    if (!wanted(name)) return;
    try_cell(name, prepare_call(&cur, form, size, NDG_I32, 1), 1,
             goal_of(0, 10));
}

static void one_cells(void)
{
    int form, size;
    begin_group("one", "one call of one row\n" COMMON_HEAD);
    for (form = RUN; form <= ROWS; form++)
        for (size = 4; size <= 64; size *= 4) try_one(form, size);
}

#endif
