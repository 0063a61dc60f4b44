/* small.h - small and awkward work beside the loop written by hand
 *
 *     call      one call of few rows, the table in L1
 *     bad       bad indices under each policy, beside no bad one
 *     channels  audio: route, interleave, de-interleave
 *     batch     few elements of each batch, from L2 and from DRAM
 *     axis      few elements of each of few lines or batches
 *     tiles     16 x 16 pixels out of a sheet
 *     fields    structs split by a field inside them
 *     few       few rows, some of them bad; stitches, partitions of few rows
 *     vectors   indices inside structs, packed pairs, in steps
 *     scatter   scatter_nd by one to three indices, some of them bad
 *     once      described, planned and run in one call
 *     runs      slices of several runs
 *     shares    1 to 99 % bad rows, beside ours with none
 *     blanks    the same, of slices that a bad row clears or fills
 *     positions of a partition, and no rows
 *     one       one call of one row
 *
 * Each cell has a goal: a ratio to the hand loop, or ns for a call; a miss is
 * marked <. Each call sees other indices than the one before. */
#ifndef NDG_BENCH_SMALL_H
#define NDG_BENCH_SMALL_H

#include "hand.h"
#include "report.h"

/* Windows of a pool, so many rows apart, of the cells of thousands of rows. */
enum { COUNTS = 3, FORM_WINDOWS = 8, FORM_STEP = 64 };
static const int form_counts[COUNTS] = { 512, 4096, 16384 };

/* ---- indices -------------------------------------------------------------*/
/* `windows` windows of a pool, `rows` index rows apart. */
static void set_windows(job *j, long windows, ptrdiff_t rows)
{
    j->mask = windows - 1;
    j->step = rows * j->depth * type_width[j->type];
}

static byte *pool_at(byte *pool, const job *j, ptrdiff_t i)
{
    return pool + i * type_width[j->type];
}

/* Good indices, half of them negative if they count from the end. */
static void fill_pool(job *j, byte *pool, ptrdiff_t index_rows)
{
    ptrdiff_t i;
    j->indices = pool;
    for (i = 0; i < index_rows * j->depth; i++) {
        const ptrdiff_t extent = j->dim[i % j->depth];
        int64_t v = below(extent);
        if (j->negative && below(2)) v -= extent;
        put_index(pool_at(pool, j, i), j->type, v);
    }
}

static int is_bad(double part)
{
    return (double)below(1 << 20) < part * (1 << 20);
}

/* Spoils one component of a row, or several. */
static void spoil_row(const job *j, byte *row)
{
    const ptrdiff_t which = below(j->depth);
    int k;
    for (k = 0; k < j->depth; k++)
        if (k == which || below(4) == 0)
            put_index(row + k * type_width[j->type], j->type,
                      bad_index(j->type, j->dim[k]));
}

/* Spoils such a part of a pool's rows. */
static void spoil_pool(const job *j, byte *pool, ptrdiff_t rows, double part)
{
    ptrdiff_t i;
    for (i = 0; i < rows; i++)
        if (is_bad(part)) spoil_row(j, pool_at(pool, j, i * j->depth));
}

/* Fills of 1 to 16 bytes, elem of them repeated through fill_row. */
static void set_fill(ptrdiff_t elem)
{
    size_t i;
    for (i = 0; i < sizeof fill_row; i++)
        fill_row[i] = (byte)(0xc0 + i % (size_t)elem);
}

static void set_hand(job *j, hand_fn *hand, hand_fn *other)
{
    j->hand[0] = hand;
    j->hand[1] = other;
    j->loops = other ? 2 : 1;
}

/* ---- call: few rows ------------------------------------------------------*/
enum { FORM_RUN, FORM_ROWS, FORM_ND2, FORM_ND3, FORM_END, FORMS };
enum { CALL_POOL = 256, CALL_STEP = 4, CALL_WINDOWS = 32 };
static const char *const form_name[FORMS] = {
    "run", "rows", "nd2", "nd3", "end"
};

/* A table of 16 KiB, or what the index type can name. */
static void set_extents(job *j, ptrdiff_t rows)
{
    const ptrdiff_t most = (ptrdiff_t)fewer((ptrdiff_t)largest(j->type), 65535);
    j->dim[1] = j->depth == 2 ? 16 : 4;
    j->dim[2] = 8;
    if (j->depth == 2) rows /= 16;
    if (j->depth == 3) rows /= 32;
    j->dim[0] = fewer(rows, most + 1);
}

static int plan_call(job *j)
{
    j->gather.params = ndg_dims(j->depth, j->dim, NULL);
    j->gather.indices = j->depth == 1 ? ndg_dims1(j->n)
                                      : ndg_dims2(j->n, j->depth);
    return make_plan(j, j->depth == 1 ? PLAN_GATHER : PLAN_ND);
}

static int prepare_call(job *j, int form, ptrdiff_t size, int type, ptrdiff_t n)
{
    begin_job(j, GATHER, type, size, n);
    if (form == FORM_ROWS) j->ours = RUN_ROWS;
    j->depth = form == FORM_ND2 ? 2 : form == FORM_ND3 ? 3 : 1;
    j->negative = form == FORM_END ? NDG_NEGATIVE_FROM_END : NDG_NEGATIVE_BAD;
    set_extents(j, 16 * KIB / size);
    set_windows(j, CALL_WINDOWS, CALL_STEP);
    fill_pool(j, mem.pool[0], CALL_POOL);
    set_hand(j, find_typed(j->depth, j->negative, type, size), NULL);
    return plan_call(j);
}

/* Whether all is the same with other indices, too. */
static int same_with(const char *name, job *j, const byte *indices)
{
    const byte *good = j->indices;
    int         ok;
    j->indices = indices;
    ok = same(name, j);
    j->indices = good;
    return ok;
}

/* With bad ones here and there: the first one must be found. */
static int same_if_bad(const char *name, job *j)
{
    const ptrdiff_t bytes = CALL_POOL * j->depth * type_width[j->type];
    ptrdiff_t i;
    memcpy(mem.spoilt, mem.pool[0], (size_t)bytes);
    for (i = below(20); i < CALL_POOL * j->depth; i += 1 + below(40)) {
        const ptrdiff_t extent = j->dim[i % j->depth];
        int64_t v = bad_index(j->type, extent);
        if (j->negative && v < 0) v -= extent;
        if (v > largest(j->type)) v = largest(j->type);   /* good, perhaps */
        put_index(pool_at(mem.spoilt, j, i), j->type, v);
    }
    return same_with(name, j, mem.spoilt);
}

static const result *try_call(int form, ptrdiff_t size, int type, ptrdiff_t n)
{
    const double ratio = n <= 4 ? 0 : n < 64 ? 1.5 : 1.1;
    char name[NAME];
    int  status;
    snprintf(name, sizeof name, "call/%s/%dB/n%d/%s", form_name[form],
             (int)size, (int)n, type_name[type]);
    if (!wanted(name)) return NULL;
    status = prepare_call(&cur, form, size, type, n);
    if (!status && !same_if_bad(name, &cur)) return NULL;
    return try_timed(name, &cur, status, n, goal_of(ratio, 12));
}

/* All types; printed is the one that does worst. */
static void call_line(int form, ptrdiff_t size, ptrdiff_t n)
{
    const result *worst = NULL;
    char note[40] = "";
    int  type, tried = 0, missed = 0;
    for (type = 0; type < 8; type++) {
        const result *r;
        if (form == FORM_END && type != NDG_I32 && type != NDG_I16) continue;
        if (quick && type != NDG_I32 && type != NDG_U8 && type != NDG_I64 &&
            form != FORM_END)
            continue;
        r = try_call(form, size, type, n);
        if (!r) continue;
        tried++;
        missed += r->over > 1;
        if (!worst || r->over > worst->over) worst = r;
    }
    if (missed) snprintf(note, sizeof note, " %d of %d types", missed, tried);
    print_line(worst, note);
}

static void call_cells(void)
{
    static const int counts[6] = { 1, 2, 4, 16, 64, 128 };
    int form, s, i;
    begin_family("call", "calls of few rows, table in L1: the worst index "
                 "type; or 12 ns");
    for (form = 0; form < FORMS; form++)
        for (s = 0; s < SIZES; s++)
            for (i = 0; i < 6; i++)
                if (HERE == 1 || !quick || (s % 2 && i % 2 == 0))
                    call_line(form, all_sizes[s], counts[i]);
}

/* ---- cells of several shares of bad rows ---------------------------------*/
/* All shares that have a job (row not 0), in turn: ours at each beside ours at
 * the first; the other is the loop by hand, where it is timed. */
static void time_shares(const char *const *names, const char *name, goal g,
                        int by_hand)
{
    int s, near = 0, at[SHARES];
    contestants = 0;
    for (s = 0; s < SHARES; s++) {
        at[s] = contestants;
        if (share[s].row) enter_ours(&share[s]);
    }
    for (s = 0; s < SHARES && by_hand; s++)
        enter(hand_of(&share[s]), &share[s], BY_HAND, 1);
    warm_up();
    run_rounds();
    for (s = 1; s < SHARES; s++)
        near |= share[s].row && is_near(over_goal(contests[at[s]].best,
                                                  contests[0].best, g));
    if (near) {
        wait_for_quiet();
        run_rounds();
    }
    for (s = 1; s < SHARES; s++) {
        char    cell[NAME];
        result *r;
        if (!share[s].row) continue;
        snprintf(cell, sizeof cell, "%s/%s", name, names[s]);
        r = record(cell, &share[s], share[s].n, contests[at[s]].best,
                   contests[0].best, g);
        if (by_hand) r->other = contests[SHARES + s].best;
        print_line(r, "");
    }
}

/* Two headers: each share is a cell of its own. */
static void time_each_share(const char *const *names, const char *name)
{
    int s;
    for (s = 0; s < SHARES; s++) {
        char cell[NAME];
        snprintf(cell, sizeof cell, "%s/%s", name, names[s]);
        if (share[s].row)
            time_cell(cell, &share[s], share[s].n, goal_of(0, 0));
    }
}

static void try_shares(const char *const *names, const char *name, double ratio,
                       int by_hand)
{
    int s;
    for (s = 0; s < SHARES; s++)
        if (share[s].row && !same(name, &share[s])) return;
    for (s = 1; s < SHARES; s++) right += share[s].row != 0;
    if (check) return;
    if (HERE > 1) time_each_share(names, name);
    else          time_shares(names, name, goal_of(ratio, 0), by_hand);
}

/* ---- bad: a share of the indices -----------------------------------------*/
enum { BAD_ROWS = 1024, BAD_WINDOWS = 32 };
static const double share_of[SHARES] = { 0, 1 / 16.0, 1 / 4.0, 1 / 2.0, 1 };
static const char *const share_name[SHARES] = {
    "none", "1in16", "1in4", "1in2", "all"
};

static ptrdiff_t elem_of(ptrdiff_t size)
{
    return size == 12 || size == 24 ? 4 : size == 64 ? 16 : size;
}

/* Rows of `size` bytes as elements that a fill can have. */
static int plan_bad(job *j)
{
    const ptrdiff_t elem = elem_of(j->row);
    set_fill(elem);
    j->gather.params = j->depth == 2
        ? ndg_dims3(j->dim[0], j->dim[1], j->row / elem)
        : ndg_dims2(j->dim[0], j->row / elem);
    j->gather.indices = j->depth == 2 ? ndg_dims2(j->n, 2) : ndg_dims1(j->n);
    j->gather.elem_size = elem;
    return make_plan(j, j->depth == 2 ? PLAN_ND : PLAN_GATHER);
}

static int prepare_bad(job *j, int form, int which, ptrdiff_t size, int type,
                       int s)
{
    begin_job(j, GATHER, type, size, BAD_ROWS);
    if (form == FORM_ROWS) j->ours = RUN_ROWS;
    j->depth = form == FORM_ND2 ? 2 : 1;
    j->policy = policies[which];
    set_extents(j, type == NDG_U8 ? 200 : 16 * KIB / size);
    set_windows(j, BAD_WINDOWS, BAD_ROWS);
    fill_pool(j, mem.pool[s], BAD_ROWS * BAD_WINDOWS);
    spoil_pool(j, mem.pool[s], BAD_ROWS * BAD_WINDOWS, share_of[s]);
    set_hand(j, find_policy(j->depth, which, type, size), NULL);
    return plan_bad(j);
}

static void bad_gather(int form, int which, ptrdiff_t size, int type)
{
    char name[NAME];
    int  s;
    snprintf(name, sizeof name, "bad/%s/%s/%dB/%s", form_name[form],
             policy_name[which], (int)size, type_name[type]);
    if (!wanted(name)) return;
    for (s = 0; s < SHARES; s++)
        if (prepare_bad(&share[s], form, which, size, type, s)) {
            complain(name, NEW, "plan");
            return;
        }
    try_shares(share_name, name, 2, 1);
}

/* ---- stitch and partition: windows of lists, windows of parts ------------*/
/* Each window: `rows` different output rows of j->total, in random order. */
static void fill_stitch_pool(job *j, byte *pool, ptrdiff_t rows)
{
    static uint32_t order[BAD_ROWS];
    ptrdiff_t w, i;
    j->indices = pool;
    for (w = 0; w <= j->mask; w++) {
        shuffle(order, j->total);
        for (i = 0; i < rows; i++)
            put_index(pool_at(pool, j, w * rows + i), j->type, order[i]);
    }
}

/* The lists of each window, `count` rows each. */
static void set_lists(job *j, ptrdiff_t lists, ptrdiff_t count)
{
    ptrdiff_t w, m;
    j->list_count = lists;
    set_windows(j, j->mask + 1, lists * count);
    for (w = 0; w <= j->mask; w++)
        for (m = 0; m < lists; m++) {
            ndg_list *l = &j->lists[w][m];
            l->indices = j->indices + w * j->step +
                         m * count * type_width[j->type];
            l->data = j->table + m * count * j->row;
            l->count = count;
        }
}

static int prepare_bad_stitch(job *j, int s)
{
    begin_job(j, STITCH, NDG_I32, 16, BAD_ROWS);
    j->policy = NDG_DROP;
    j->mask = BAD_WINDOWS - 1;
    j->total = j->dim[0] = BAD_ROWS;
    fill_stitch_pool(j, mem.pool[s], BAD_ROWS);
    spoil_pool(j, mem.pool[s], BAD_ROWS * BAD_WINDOWS, share_of[s]);
    set_lists(j, 1, BAD_ROWS);
    j->hand_stitch[0] = lists_16_drop;
    j->stitch.gaps = NDG_GAPS_KEEP;
    return make_plan(j, PLAN_STITCH);
}

/* Counts the parts of a window and lays them side by side in out, positions
 * behind all rows. */
static void lay_parts(job *j, long w)
{
    const byte     *ids = j->indices + w * j->step;
    const ptrdiff_t slot = w * j->parts;
    byte           *at = j->out, *place = j->out + j->n * j->row;
    ptrdiff_t       i, k;
    for (i = 0; i < j->n; i++) {
        const int64_t v = get_index(ids + i * j->id_stride, j->type);
        if (v >= 0 && v < j->parts) j->counts[slot + v]++;
    }
    for (k = 0; k < j->parts; k++) {
        j->outs[slot + k] = at;
        j->places[slot + k] = place;
        at += j->counts[slot + k] * j->row;
        place += j->counts[slot + k] * 4;
    }
}

/* ids: packed, or id_stride bytes apart, as the rows of data then are. */
static int finish_partition(job *j, ptrdiff_t parts, int positions)
{
    long w;
    j->parts = parts;
    j->positions = positions;
    j->out_bytes = j->n * (j->row + (positions ? 4 : 0));
    for (w = 0; w <= j->mask; w++) lay_parts(j, w);
    j->partition.data = j->no_rows ? ndg_dims2(j->n, 0) : ndg_dims1(j->n);
    j->partition.partitions = ndg_strided1(j->n, j->id_stride);
    j->partition.elem_size = j->no_rows ? 4 : j->row;
    j->partition.num_partitions = parts;
    return make_plan(j, PLAN_PARTITION);
}

/* A partition by packed ids below `parts`, of the pool's windows. */
static void begin_partition(job *j, int type, ptrdiff_t row, ptrdiff_t n,
                            ptrdiff_t parts)
{
    begin_job(j, PARTITION, type, row, n);
    j->id_stride = type_width[type];
    j->dim[0] = parts;
}

static int prepare_bad_partition(job *j, int s)
{
    begin_partition(j, NDG_I32, 16, BAD_ROWS, 8);
    j->policy = NDG_DROP;
    set_windows(j, BAD_WINDOWS, BAD_ROWS);
    fill_pool(j, mem.pool[s], BAD_ROWS * BAD_WINDOWS);
    spoil_pool(j, mem.pool[s], BAD_ROWS * BAD_WINDOWS, share_of[s]);
    j->hand_part = packed_i32_16_drop;
    return finish_partition(j, 8, 0);
}

static void bad_split(int partition)
{
    const char *name = partition ? "bad/partition/drop/16B/i32"
                                 : "bad/stitch/drop/16B/i32";
    int s, status = 0;
    if (!wanted(name)) return;
    for (s = 0; s < SHARES; s++)
        status |= partition ? prepare_bad_partition(&share[s], s)
                            : prepare_bad_stitch(&share[s], s);
    if (status) complain(name, NEW, "plan");
    else        try_shares(share_name, name, 2, 1);
}

static void bad_policy(int which)
{
    static const int few[2] = { 4, 16 };
    int form, i;
    for (form = FORM_RUN; form <= FORM_ROWS; form++) {
        if (form == FORM_ROWS && policies[which] == NDG_FILL) continue;
        for (i = 0; i < SIZES; i++)
            if (!quick || all_sizes[i] == 4 || all_sizes[i] == 12)
                bad_gather(form, which, all_sizes[i], NDG_I32);
        for (i = 0; i < 2; i++) {
            bad_gather(form, which, few[i], NDG_U8);
            if (!quick) bad_gather(form, which, few[i], NDG_U16);
        }
    }
    for (i = 0; i < 2; i++) bad_gather(FORM_ND2, which, few[i], NDG_I32);
}

static void bad_cells(void)
{
    int which;
    begin_family("bad", "bad indices, 1024 rows in L1; hand: ours with none "
                 "bad; other: the policy by hand");
    for (which = 0; which < POLICIES; which++) bad_policy(which);
    bad_split(0);
    bad_split(1);
}

/* ---- channels ------------------------------------------------------------*/
enum { FRAMES = 64, CHANNEL_WINDOWS = 32 };
static const char *const channel_form[3] = {
    "route", "interleave", "deinterleave"
};
static const char *const silence_name[3] = { "all", "one", "half" };

static int plan_channels(job *j, int form)
{
    const ptrdiff_t elem = j->row, n = j->n;
    const ptrdiff_t planar[2] = { n, FRAMES }, apart[2] = { elem, n * elem };
    ndg_gather_desc *d = &j->gather;
    d->params = form == ROUTE ? ndg_dims2(FRAMES, n)
             : form == WEAVE ? ndg_dims2(n, FRAMES)
                             : ndg_dims(2, planar, apart);
    if (form == WEAVE) d->out = ndg_dims(2, planar, apart);
    d->indices = ndg_dims1(n);
    d->axis = form == ROUTE ? 1 : 0;
    return make_plan(j, PLAN_GATHER);
}

/* silence: none, one channel, every second one. */
static void silence_channels(const job *j, byte *pool, int silence)
{
    ptrdiff_t w, c;
    for (w = 0; w <= j->mask; w++) {
        byte *at = pool + w * j->step;
        if (silence == 1) at[below(j->n)] = 255;
        for (c = 1; c < j->n && silence == 2; c += 2) at[c] = 255;
    }
}

static void try_channels(int form, int is_float, ptrdiff_t n, int silence)
{
    char name[NAME];
    snprintf(name, sizeof name, "channels/%s/C%d/%s/%s", channel_form[form],
             (int)n, is_float ? "f32" : "i16", silence_name[silence]);
    if (!wanted(name)) return;
    begin_job(&cur, GATHER, NDG_U8, is_float ? 4 : 2, n);
    cur.policy = NDG_ZERO;
    cur.dim[0] = n;
    cur.dim[1] = FRAMES;
    cur.out_bytes = n * FRAMES * cur.row;
    set_windows(&cur, CHANNEL_WINDOWS, n);
    fill_pool(&cur, mem.pool[0], CHANNEL_WINDOWS * n);
    silence_channels(&cur, mem.pool[0], silence);
    set_hand(&cur, find_channels(form, is_float, 0),
             find_channels(form, is_float, 1));
    try_cell(name, plan_channels(&cur, form), n * FRAMES,
             goal_of(n == 2 ? 3 : 1.5, 0));
}

static void channel_cells(void)
{
    int form, is_float, silence;
    ptrdiff_t n;
    begin_family("channels", "channels of 64 frames (rows: samples), routed, "
                 "to interleaved, to planar; all heard, one or every "
                 "second one silent");
    for (form = ROUTE; form <= UNWEAVE; form++)
        for (is_float = 0; is_float < 2; is_float++)
            for (n = 2; n <= 32; n *= 2)
                for (silence = 0; silence < 3; silence++)
                    if (!quick || (n != 4 && n != 16))
                        try_channels(form, is_float, n, silence);
}

/* ---- batch ---------------------------------------------------------------*/
enum { EACH_OF = 64 };               /* elements of a batch */

/* Windows are 16 numbers apart, which is enough to make all of them differ. */
static int prepare_batch(job *j, int large, ptrdiff_t each, ptrdiff_t size)
{
    const ptrdiff_t bytes = large ? 256 * MIB : 256 * KIB;
    const ptrdiff_t batches = bytes / (EACH_OF * size);
    begin_job(j, GATHER, NDG_I32, size, each);
    if (large) use_big_buffers(j);
    j->dim[0] = EACH_OF;
    j->dim[1] = batches;
    j->index_rows = batches * each;
    j->out_bytes = j->index_rows * size;
    set_windows(j, MOST_WINDOWS, 16);
    fill_pool(j, large ? mem.big_pool : mem.pool[0],
              j->index_rows + 16 * MOST_WINDOWS);
    set_hand(j, find_batch(size), NULL);
    j->gather.params = ndg_dims2(batches, EACH_OF);
    j->gather.indices = ndg_dims2(batches, each);
    return make_plan(j, PLAN_BATCH);
}

static void try_batch(int large, ptrdiff_t each, ptrdiff_t size)
{
    char name[NAME];
    int  status;
    snprintf(name, sizeof name, "batch/%s/%dof64/%dB", large ? "DRAM" : "L2",
             (int)each, (int)size);
    if (!wanted(name)) return;
    status = prepare_batch(&cur, large, each, size);
    try_cell(name, status, cur.index_rows, goal_of(large ? 1.03 : 1.5, 0));
}

static void batch_cells(void)
{
    int large, each, size;
    begin_family("batch", "batch_gather, some of 64 elements of each batch; "
                 "DRAM: 256 MiB, goal 1.00x and noise");
    for (large = 0; large < 2; large++)
        for (each = 1; each <= 16; each *= 4)
            for (size = 4; size <= 64; size *= size == 16 ? 4 : 2)
                if (!quick || !large || (each != 4 && size == 16))
                    try_batch(large, each, size);
}

/* ---- axis ----------------------------------------------------------------*/
static void try_axis(int way, ptrdiff_t lines, ptrdiff_t size, ptrdiff_t n)
{
    char name[NAME];
    int  status;
    snprintf(name, sizeof name, "axis/%s/%dx%dB/n%d", way == RUN_ONCE ? "once"
             : "run", (int)lines, (int)size, (int)n);
    if (!wanted(name)) return;
    begin_job(&cur, GATHER, NDG_I32, size, n);
    cur.ours = way;
    cur.dim[0] = 16 * KIB / (size * lines);
    cur.dim[1] = lines;
    cur.out_bytes = lines * n * size;
    set_windows(&cur, CALL_WINDOWS, CALL_STEP);
    fill_pool(&cur, mem.pool[0], CALL_POOL);
    set_hand(&cur, size == 4 ? axis_4 : axis_16, NULL);
    cur.gather.params = ndg_dims2(lines, cur.dim[0]);
    cur.gather.indices = ndg_dims1(n);
    cur.gather.axis = 1;
    status = make_plan(&cur, PLAN_GATHER);
    if (status || same_if_bad(name, &cur))
        try_cell(name, status, lines * n, goal_of(1.5, 24));
}

enum { BY_PAIRS, PUT_BACK, PADDED, BATCH_FORMS };
static const char *const batch_form[BATCH_FORMS] = { "pairs", "put", "padded" };

/* In each of few batches, each with its own indices: pairs; scattered; or an
 * eighth of them bad. */
static void try_batches(int form, ptrdiff_t batches, ptrdiff_t n)
{
    const int put = form == PUT_BACK, pairs = form == BY_PAIRS;
    const ptrdiff_t extent = (pairs ? 1024 : 4096) / batches;
    char name[NAME];
    int  status;
    snprintf(name, sizeof name, "axis/%s/%dx4B/n%d", batch_form[form],
             (int)batches, (int)n);
    if (!wanted(name)) return;
    begin_job(&cur, put ? SCATTER : GATHER, NDG_I32, 4, n);
    cur.depth = pairs ? 2 : 1;
    cur.dim[0] = extent;
    cur.dim[1] = pairs ? 4 : batches;
    cur.dim[2] = batches;
    cur.index_rows = batches * n;
    cur.out_bytes = put ? 16 * KIB : batches * n * 4;
    set_windows(&cur, CALL_WINDOWS, CALL_STEP);
    fill_pool(&cur, mem.pool[0], batches * n + CALL_STEP * CALL_WINDOWS);
    if (form == PADDED) {
        cur.policy = NDG_ZERO;
        spoil_pool(&cur, mem.pool[0], batches * n + CALL_STEP * CALL_WINDOWS,
                   1 / 8.0);
    }
    set_hand(&cur, put ? batch_put : pairs ? batch_pairs : batch_zero, NULL);
    cur.scatter.out = ndg_dims2(batches, extent);
    cur.scatter.indices = ndg_dims3(batches, n, 1);
    cur.scatter.gaps = NDG_GAPS_KEEP;
    cur.scatter.batch_dims = cur.gather.batch_dims = 1;
    cur.gather.params = pairs ? ndg_dims3(batches, extent, 4)
                              : ndg_dims2(batches, extent);
    cur.gather.indices = pairs ? ndg_dims3(batches, n, 2)
                               : ndg_dims2(batches, n);
    if (form == PADDED) cur.gather.batch_dims = 0;
    status = make_plan(&cur, put ? PLAN_SCATTER : pairs ? PLAN_ND : PLAN_BATCH);
    try_cell(name, status, batches * n, goal_of(1.5, 24));
}

static void axis_cells(void)
{
    int way, form, lines, size, n;
    begin_family("axis", "few elements of each of few lines or batches, table "
                 "in L1: with a plan kept, and in one call; or 24 ns");
    for (form = 0; form < BATCH_FORMS; form++)
        for (lines = 2; lines <= 32; lines *= 4)
            for (n = 2; n <= 32; n *= 4)
                if (!quick || n == 8) try_batches(form, lines, n);
    for (way = RUN_GATHER; way <= RUN_ONCE; way += RUN_ONCE - RUN_GATHER)
        for (lines = 2; lines <= 32; lines *= 4)
            for (size = 4; size <= 16; size *= 4)
                for (n = 2; n <= 128; n *= 4)
                    if (!quick || n == 8) try_axis(way, lines, size, n);
}

/* ---- tiles ---------------------------------------------------------------*/
enum { TILES = 100, TILE_WINDOWS = 16 };

static int plan_tiles(job *j)
{
    const ptrdiff_t dims[4] = { 16, 16, 16, 16 };
    const ptrdiff_t sheet[4] = { 16 * SHEET_PITCH, 64, SHEET_PITCH, 4 };
    j->gather.params = j->depth == 2 ? ndg_dims(4, dims, sheet)
                                     : ndg_dims3(256, 16, 16);
    j->gather.indices = ndg_dims2(TILES, j->depth);
    j->gather.elem_size = 4;
    set_fill(4);
    return make_plan(j, PLAN_ND);
}

static void try_tiles(int form, int policy, const char *policy_text, int bad)
{
    char name[NAME];
    snprintf(name, sizeof name, "tiles/%s/%s%s",
             form == PAIRS ? "pairs" : "strip", policy_text, bad ? "/bad" : "");
    if (!wanted(name)) return;
    begin_job(&cur, GATHER, NDG_I32, TILE_BYTES, TILES);
    cur.depth = form == PAIRS ? 2 : 1;
    cur.policy = policy;
    cur.dim[0] = form == PAIRS ? 16 : 256;
    cur.dim[1] = 16;
    set_windows(&cur, TILE_WINDOWS, TILES);
    fill_pool(&cur, mem.pool[0], TILES * TILE_WINDOWS);
    if (bad) spoil_pool(&cur, mem.pool[0], TILES * TILE_WINDOWS, 1 / 8.0);
    set_hand(&cur, find_tiles(form, policy),
             form == PAIRS ? NULL : find_tiles(WHOLE, policy));
    try_cell(name, plan_tiles(&cur), TILES, goal_of(1.5, 0));
}

static void tile_cells(void)
{
    int form;
    begin_family("tiles", "100 tiles of 16 x 16 pixels of 4 bytes, all good or "
                 "an eighth bad");
    for (form = PAIRS; form <= STRIP; form++) {
        try_tiles(form, NDG_ZERO, "zero", 0);
        try_tiles(form, NDG_ZERO, "zero", 1);
        try_tiles(form, NDG_FILL, "fill", 1);
        try_tiles(form, NDG_KEEP, "keep", 1);
    }
}

/* ---- fields: structs split by what is in them ----------------------------*/
enum { STRUCTS = 4096, STRUCT_WINDOWS = 16, STRUCT_STEP = 256 };
enum { FIELD_U8, FIELD_I32, PACKED_U8, FIELD_KINDS };
static const char *const field_name[FIELD_KINDS] = { "u8", "i32", "packed-u8" };

/* Ids below `parts` in the structs, at `offset`, or packed in a pool. */
static void write_ids(job *j, int kind, ptrdiff_t parts)
{
    const ptrdiff_t offset = kind == FIELD_U8 ? 5 : 4;
    byte *at = kind == PACKED_U8 ? mem.pool[0] : mem.table + offset;
    ptrdiff_t i;
    for (i = 0; i < 2 * STRUCTS; i++)
        put_index(at + i * j->id_stride, j->type, below(parts));
    j->indices = at;
}

static void try_fields(int kind, ptrdiff_t size, ptrdiff_t parts, int places)
{
    const int type = kind == FIELD_I32 ? NDG_I32 : NDG_U8;
    char name[NAME];
    snprintf(name, sizeof name, "fields/%s/%dB/P%d%s", field_name[kind],
             (int)size, (int)parts, places ? "/positions" : "");
    if (!wanted(name)) return;
    begin_job(&cur, PARTITION, type, size, STRUCTS);
    cur.id_stride = kind == PACKED_U8 ? 1 : size;
    cur.mask = STRUCT_WINDOWS - 1;
    cur.step = STRUCT_STEP * cur.id_stride;
    cur.data_step = STRUCT_STEP * size;
    fill_random(mem.table, 2 * STRUCTS * size);
    write_ids(&cur, kind, parts);
    cur.hand_part = find_fields(size, type, kind == PACKED_U8, places);
    try_cell(name, finish_partition(&cur, parts, places), STRUCTS,
             goal_of(1.5, 0));
}

static void field_cells(void)
{
    int kind, size, parts, places;
    begin_family("fields", "4096 structs split by a field inside them, or by "
                 "packed ids; counted before");
    for (kind = 0; kind < FIELD_KINDS; kind++)
        for (size = 12; size <= 16; size += 4)
            for (parts = 4; parts <= 64; parts *= 16)
                for (places = 0; places < 2; places++)
                    try_fields(kind, size, parts, places);
}

/* ---- few: stitches and partitions of few rows ----------------------------*/
enum { FEW_WINDOWS = 32 };

/* Lists of 8 rows, a fifth of the output rows not named. */
static void few_stitch(ptrdiff_t lists, ptrdiff_t size, int zero)
{
    char name[NAME];
    snprintf(name, sizeof name, "few/stitch/L%d/%dB/%s", (int)lists, (int)size,
             zero ? "zero" : "keep");
    if (!wanted(name)) return;
    begin_job(&cur, STITCH, NDG_I32, size, 8 * lists);
    cur.total = 10 * lists;
    cur.out_bytes = cur.total * size;
    cur.mask = FEW_WINDOWS - 1;
    fill_stitch_pool(&cur, mem.pool[0], 8 * lists);
    set_lists(&cur, lists, 8);
    cur.clear = zero;
    cur.hand_stitch[0] = size == 4 ? lists_4 : lists_16;
    cur.stitch.gaps = zero ? NDG_GAPS_ZERO : NDG_GAPS_KEEP;
    try_cell(name, make_plan(&cur, PLAN_STITCH), 8 * lists, goal_of(1.5, 12));
}

static void few_partition(ptrdiff_t n, ptrdiff_t size, ptrdiff_t parts,
                          int type)
{
    char name[NAME];
    snprintf(name, sizeof name, "few/partition/n%d/%dB/P%d/%s", (int)n,
             (int)size, (int)parts, type_name[type]);
    if (!wanted(name)) return;
    begin_partition(&cur, type, size, n, parts);
    set_windows(&cur, FEW_WINDOWS, n);
    fill_pool(&cur, mem.pool[0], n * FEW_WINDOWS);
    cur.hand_part = find_rows(size, type);
    try_cell(name, finish_partition(&cur, parts, 0), n, goal_of(1.5, 12));
}

/* Rows of which an eighth is bad, beside the policy by hand. */
static void few_bad(int which, ptrdiff_t size, ptrdiff_t n)
{
    char name[NAME];
    snprintf(name, sizeof name, "few/bad/%s/%dB/n%d", policy_name[which],
             (int)size, (int)n);
    if (!wanted(name)) return;
    begin_job(&cur, GATHER, NDG_I32, size, n);
    cur.policy = policies[which];
    cur.dim[0] = 1024;
    set_windows(&cur, MOST_WINDOWS, n);
    set_fill(size);
    fill_pool(&cur, mem.pool[0], MOST_WINDOWS * n);
    spoil_pool(&cur, mem.pool[0], MOST_WINDOWS * n, 1 / 8.0);
    set_hand(&cur, find_policy(1, which, NDG_I32, size), NULL);
    cur.gather.params = ndg_dims1(1024);
    cur.gather.indices = ndg_dims1(n);
    try_cell(name, make_plan(&cur, PLAN_GATHER), n, goal_of(1.5, 40));
}

static void few_cells(void)
{
    int lists, size, zero, n, parts, which;
    begin_family("few", "few rows, an eighth bad, or 40 ns; stitches of lists "
                 "of 8 rows, partitions of few rows, or 12 ns");
    for (which = 0; which < POLICIES; which++)
        for (size = 4; size <= 16; size *= 4)
            for (n = 4; n <= 64; n *= 4) few_bad(which, size, n);
    for (zero = 0; zero < 2; zero++)
        for (size = 4; size <= 16; size *= 4)
            for (lists = 1; lists <= MOST_LISTS; lists *= 2)
                few_stitch(lists, size, zero);
    for (size = 4; size <= 16; size *= 4)
        for (parts = 4; parts <= 16; parts *= 4)
            for (n = 16; n <= 256; n *= 4) {
                few_partition(n, size, parts, NDG_U8);
                few_partition(n, size, parts, NDG_I32);
            }
}

/* ---- vectors: indices in structs, pairs, one in steps --------------------*/
typedef struct {
    const char *name;
    int         type, depth, step, size;
    double      ratio;
    hand_fn    *hand;
    int         mask, add;
} vector;

static const vector vectors[] = {
    { "struct-pair", NDG_I32, 2, 16,  4, 1.5, struct_pair_i32_4, 0, 0 },
    { "struct-pair", NDG_I32, 2, 16, 12, 1.5, struct_pair_i32_12, 0, 0 },
    { "struct-pair", NDG_I32, 2, 16, 64, 1.5, struct_pair_i32_64, 0, 0 },
    { "struct-pair", NDG_U16, 2, 12,  4, 1.5, struct_pair_u16_4, 0, 0 },
    { "struct-pair", NDG_U16, 2, 12, 12, 1.5, struct_pair_u16_12, 0, 0 },
    { "struct-pair", NDG_U16, 2, 12, 64, 1.5, struct_pair_u16_64, 0, 0 },
    { "packed-pair", NDG_U16, 2,  4,  4, 1.3, pair_u16_4, 0, 0 },
    { "packed-pair", NDG_U16, 2,  4, 12, 1.3, pair_u16_12, 0, 0 },
    { "packed-pair", NDG_U16, 2,  4, 64, 1.3, pair_u16_64, 0, 0 },
    { "packed-pair", NDG_I32, 2,  8, 12, 1.2, pair_i32_12, 0, 0 },
    { "packed-pair", NDG_I32, 2,  8, 32, 1.2, pair_i32_32, 0, 0 },
    { "packed-pair", NDG_I32, 2,  8, 64, 1.2, pair_i32_64, 0, 0 },
    { "struct-one",  NDG_I32, 1, 16,  4, 1.5, struct_i32_4, 0, 0 },
    { "struct-one",  NDG_I32, 1, 16, 12, 1.5, struct_i32_12, 0, 0 },
    { "struct-one",  NDG_I32, 1, 16, 64, 1.5, struct_i32_64, 0, 0 },
    { "handle", NDG_U32, 1, 4,  4, 1.5, handle_u32_4,  0xFFF, 0 },
    { "handle", NDG_U32, 1, 4, 16, 1.5, handle_u32_16, 0xFFF, 0 },
    { "handle", NDG_U64, 1, 8, 16, 1.5, handle_u64_16, 0xFFF, 0 },
    { "glyph",  NDG_U8,  1, 1, 64, 1.5, glyph_u8_64,   0, -32 },
    { "glyph",  NDG_I32, 1, 4, 64, 1.5, glyph_i32_64,  0, -32 }
};

/* The same of a table that the caches near a core do not hold. */
enum { FAR_ROWS = 65536 };
static const vector far_vectors[] = {
    { "far",        NDG_U16, 1,  2, 40, 1.5, flat_u16_40, 0, 0 },
    { "far",        NDG_U16, 1,  2, 64, 1.5, flat_u16_64, 0, 0 },
    { "far-struct", NDG_I32, 1, 16, 64, 1.5, struct_i32_64, 0, 0 }
};

/* Tables of `extent` rows, or of 64 x 64, or 96 glyphs from ' ' on; the indices
 * 4 bytes behind a struct's head, and what a mask hides is 0x5000. */
static int prepare_vector(job *j, const vector *v, ptrdiff_t extent,
                          ptrdiff_t n, byte *pool)
{
    const ptrdiff_t rows = n + FORM_STEP * FORM_WINDOWS;
    ptrdiff_t i;
    int       k;
    begin_job(j, GATHER, v->type, v->size, n);
    j->depth = v->depth;
    j->dim[0] = v->add ? 96 : v->depth == 1 ? extent : 64;
    j->dim[1] = 64;
    j->gather.index_mask = v->mask;
    j->gather.index_add = v->add;
    j->index_step = v->step;
    j->indices = pool + 4;
    j->mask = FORM_WINDOWS - 1;
    j->step = FORM_STEP * (ptrdiff_t)v->step;
    for (i = 0; i < rows; i++)
        for (k = 0; k < v->depth; k++)
            put_index(pool + 4 + i * v->step + k * type_width[v->type], v->type,
                      below(j->dim[k]) - v->add + (v->mask ? 0x5000 : 0));
    set_hand(j, v->hand, NULL);
    j->gather.params = ndg_dims(j->depth, j->dim, NULL);
    j->gather.indices = j->depth == 1
        ? ndg_strided1(n, v->step)
        : ndg_strided2(n, v->step, 2, type_width[j->type]);
    return make_plan(j, j->depth == 1 ? PLAN_GATHER : PLAN_ND);
}

/* The same with a few bad ones: the first must be found. */
static int same_vector_if_bad(const char *name, job *j)
{
    ptrdiff_t i;
    memcpy(mem.spoilt, mem.pool[0], POOL_BYTES);
    for (i = below(900); i < j->n + FORM_STEP * FORM_WINDOWS;
         i += 1 + below(900))
        spoil_row(j, mem.spoilt + 4 + i * j->index_step);
    return same_with(name, j, mem.spoilt + 4);
}

static void try_vector(const vector *v, ptrdiff_t extent, ptrdiff_t n)
{
    char name[NAME];
    int  status;
    snprintf(name, sizeof name, "vectors/%s/%s/%dB/n%d", v->name,
             type_name[v->type], v->size, (int)n);
    if (!wanted(name)) return;
    status = prepare_vector(&cur, v, extent, n, mem.pool[0]);
    if (status || same_vector_if_bad(name, &cur))
        try_cell(name, status, n, goal_of(v->ratio, 0));
}

static void vector_cells(void)
{
    size_t i;
    int    c;
    begin_family("vectors", "indices in structs of 12 and 16 bytes, packed "
                 "pairs, handles, glyphs; 4096 rows in the table, far 65536");
    for (c = 0; c < COUNTS; c++) {
        if (quick && c != 1) continue;
        for (i = 0; i < sizeof vectors / sizeof vectors[0]; i++)
            try_vector(&vectors[i], 4096, form_counts[c]);
        for (i = 0; i < sizeof far_vectors / sizeof far_vectors[0]; i++)
            try_vector(&far_vectors[i], FAR_ROWS, form_counts[c]);
    }
}

/* ---- scatter: rows to where index vectors say ----------------------------*/
enum { PUT_COUNTS = 4, PUT_SIZES = 4 };
static const int put_counts[PUT_COUNTS] = { 8, 64, 512, 4096 };
static const int put_sizes[PUT_SIZES] = { 4, 12, 16, 64 };

/* step: bytes between index rows. ratio: the goal. */
static const struct {
    const char *name;
    int         type, depth, step, policy;
    double      ratio;
    hand_fn    *hand[PUT_SIZES];
} puts_by[] = {
#define PUT_OF(h) { h##_4, h##_12, h##_16, h##_64 }
    { "one/i32",     NDG_I32, 1,  4, 0,        1.2, PUT_OF(put_i32) },
    { "one/u16",     NDG_U16, 1,  2, 0,        1.2, PUT_OF(put_u16) },
    { "one/i64",     NDG_I64, 1,  8, 0,        1.2, PUT_OF(put_i64) },
    { "one/drop",    NDG_I32, 1,  4, NDG_DROP, 1.2, PUT_OF(put_drop) },
    { "struct-one",  NDG_I32, 1, 16, 0,        1.5, PUT_OF(put_struct) },
    { "pair/i32",    NDG_I32, 2,  8, 0,        1.2, PUT_OF(put_pair_i32) },
    { "pair/u8",     NDG_U8,  2,  2, 0,        1.3, PUT_OF(put_pair_u8) },
    { "pair/u16",    NDG_U16, 2,  4, 0,        1.3, PUT_OF(put_pair_u16) },
    { "pair/drop",   NDG_I32, 2,  8, NDG_DROP, 1.2, PUT_OF(put_pair_drop) },
    { "triple",      NDG_I32, 3, 12, 0,        1.2, PUT_OF(put_triple) }
};

/* Out has 4096 rows, or 64 x 64, or 16 x 16 x 16. Of those that may be dropped
 * an eighth is bad. */
static int prepare_put(job *j, size_t by, int size, ptrdiff_t n)
{
    const ptrdiff_t rows = n + FORM_STEP * FORM_WINDOWS;
    const ptrdiff_t step = puts_by[by].step;
    ptrdiff_t i, extent;
    int       k;
    begin_job(j, SCATTER, puts_by[by].type, put_sizes[size], n);
    j->depth = puts_by[by].depth;
    j->policy = puts_by[by].policy;
    extent = j->depth == 1 ? 4096 : j->depth == 2 ? 64 : 16;
    j->dim[0] = j->dim[1] = j->dim[2] = extent;
    j->out_bytes = 4096 * j->row;
    j->index_step = step;
    j->mask = FORM_WINDOWS - 1;
    j->step = FORM_STEP * step;
    for (i = 0; i < rows; i++) {
        byte *at = mem.pool[0] + i * step;
        for (k = 0; k < j->depth; k++)
            put_index(at + k * type_width[j->type], j->type, below(extent));
        if (j->policy && is_bad(1 / 8.0)) spoil_row(j, at);
    }
    set_hand(j, puts_by[by].hand[size], NULL);
    j->scatter.out = ndg_dims(j->depth, j->dim, NULL);
    j->scatter.indices = ndg_strided2(n, step, j->depth, type_width[j->type]);
    j->scatter.gaps = NDG_GAPS_KEEP;
    return make_plan(j, PLAN_SCATTER);
}

static void try_put(size_t by, int size, ptrdiff_t n)
{
    char name[NAME];
    snprintf(name, sizeof name, "scatter/%s/%dB/n%d", puts_by[by].name,
             put_sizes[size], (int)n);
    if (!wanted(name)) return;
    try_cell(name, prepare_put(&cur, by, size, n), n,
             goal_of(n < 64 ? 1.5 : puts_by[by].ratio, n < 64 ? 12 : 0));
}

static void scatter_cells(void)
{
    size_t by;
    int    size, c;
    begin_family("scatter", "scatter_nd by one index, in structs of 16 bytes, "
                 "by pairs and triples; drop: an eighth bad");
    for (by = 0; by < sizeof puts_by / sizeof puts_by[0]; by++)
        for (size = 0; size < PUT_SIZES; size++)
            for (c = 0; c < PUT_COUNTS; c++)
                if (!quick || c == 1) try_put(by, size, put_counts[c]);
}

/* ---- once: described, planned and run in one call ------------------------*/
static void try_once(int form, ptrdiff_t size, ptrdiff_t n)
{
    char name[NAME];
    int  status;
    snprintf(name, sizeof name, "once/%s/%dB/n%d", form_name[form], (int)size,
             (int)n);
    if (!wanted(name)) return;
    status = prepare_call(&cur, form, size, NDG_I32, n);
    cur.ours = RUN_ONCE;
    if (status || same_if_bad(name, &cur))
        try_cell(name, status, n, goal_of(1.5, 24));
}

static void once_put(size_t by, int size, ptrdiff_t n)
{
    char name[NAME];
    int  status;
    snprintf(name, sizeof name, "once/scatter/%s/%dB/n%d", puts_by[by].name,
             put_sizes[size], (int)n);
    if (!wanted(name)) return;
    status = prepare_put(&cur, by, size, n);
    cur.ours = RUN_ONCE;
    cur.scatter.indices = ndg_dims2(n, cur.depth);
    try_cell(name, status, n, goal_of(1.5, 24));
}

static void once_cells(void)
{
    size_t by;
    int    form, size, n;
    begin_family("once", "one call of a desc: gather, gather_nd, scatter_nd; "
                 "or 24 ns");
    for (n = 1; n <= 64; n *= 4) {
        for (form = FORM_RUN; form < FORM_END; form++)
            for (size = 4; form != FORM_ROWS && size <= 64; size *= 4)
                try_once(form, size, n);
        for (by = 0; by < sizeof puts_by / sizeof puts_by[0]; by++)
            for (size = 0; size < PUT_SIZES; size++)
                if (puts_by[by].type == NDG_I32 && !puts_by[by].policy &&
                    puts_by[by].step == 4 * puts_by[by].depth)
                    once_put(by, size, n);
    }
}

/* ---- runs: slices of several runs ----------------------------------------*/
/* Elements of 4 bytes. */
static int plan_runs(job *j, ptrdiff_t runs, ptrdiff_t bytes, int packed)
{
    const ptrdiff_t extent = j->dim[0];
    j->gather.params = packed
        ? ndg_strided3(extent, bytes, runs, extent * bytes, bytes / 4, 4)
        : ndg_dims3(runs, extent, bytes / 4);
    j->gather.indices = ndg_dims1(j->n);
    j->gather.axis = packed ? 0 : 1;
    j->gather.elem_size = 4;
    return make_plan(j, PLAN_GATHER);
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
    set_hand(&cur, find_runs(packed ? PACKED_SLICES : PLANAR_RUNS, runs, bytes),
             packed ? NULL : find_runs(PLANAR_SLICES, runs, bytes));
    try_cell(name, plan_runs(&cur, runs, bytes, packed), n, goal_of(1.5, 0));
}

static void run_cells(void)
{
    int c, runs, bytes, packed;
    begin_family("runs", "slices of 2, 4, 16 runs: along axis 1, and out of "
                 "planes to whole slices");
    for (packed = 0; packed < 2; packed++)
        for (runs = 2; runs <= 16; runs *= runs == 4 ? 4 : 2)
            for (bytes = 4; bytes <= 64; bytes *= 4)
                for (c = 0; c < COUNTS; c++)
                    if (!quick || c == 1 || runs * bytes > 256)
                        try_runs(form_counts[c], runs, bytes, packed);
}

/* ---- shares of bad rows, beside ours with none ---------------------------*/
/* So many rows that no processor learns by heart which of them are bad. */
enum { SHARE_ROWS = 4096, SHARE_WINDOWS = 16,
       SHARE_POOL = SHARE_ROWS * SHARE_WINDOWS };
static const double percent_of[SHARES] = { 0, 0.01, 0.10, 0.50, 0.99 };
static const char *const percent_name[SHARES] = {
    "0%", "1%", "10%", "50%", "99%"
};

/* The indices of share s, of which so many are bad. */
static void begin_share(int s, int policy, ptrdiff_t size, ptrdiff_t n,
                        ptrdiff_t extent)
{
    job *j = &share[s];
    begin_job(j, GATHER, NDG_I32, size, n);
    j->policy = policy;
    j->dim[0] = extent;
    set_windows(j, SHARE_WINDOWS, SHARE_ROWS);
    fill_pool(j, mem.pool[s], SHARE_POOL);
    spoil_pool(j, mem.pool[s], SHARE_POOL, percent_of[s]);
}

static void try_policy(int which, int form, ptrdiff_t size)
{
    char name[NAME];
    int  s, status = 0;
    snprintf(name, sizeof name, "shares/%s/%s/%dB", form_name[form],
             policy_name[which], (int)size);
    if (!wanted(name)) return;
    for (s = 0; s < SHARES; s++) {
        begin_share(s, policies[which], size, SHARE_ROWS, 4096);
        if (form == FORM_ROWS) share[s].ours = RUN_ROWS;
        set_hand(&share[s], find_policy(1, which, NDG_I32, size), NULL);
        status |= plan_bad(&share[s]);
    }
    if (status) complain(name, NEW, "plan");
    else        try_shares(percent_name, name, size == 4 ? 2.5 : 2, 0);
}

static void share_cells(void)
{
    int which, size;
    begin_family("shares", "4096 rows, of which some are bad; hand: ours with "
                 "no bad row");
    for (which = 0; which < POLICIES; which++)
        for (size = 4; size <= 64; size *= 4) {
            try_policy(which, FORM_RUN, size);
            if (!quick && policies[which] != NDG_FILL)
                try_policy(which, FORM_ROWS, size);
        }
}

/* ---- blanks: ZERO and FILL of packed rows, 8 runs of 32 bytes ------------*/
enum { BLANK_ROWS = 1024 };

static int plan_blanks(job *j)
{
    j->gather.params = ndg_strided3(512, 32, 8, 512 * 32, 8, 4);
    j->gather.indices = ndg_dims1(j->n);
    j->gather.elem_size = 4;
    return make_plan(j, PLAN_GATHER);
}

static void try_blanks(int policy)
{
    const char *name = policy == NDG_ZERO ? "blanks/zero/8x32B"
                                          : "blanks/fill/8x32B";
    int s, status = 0;
    if (!wanted(name)) return;
    set_fill(4);
    for (s = 0; s < SHARES; s++) {
        begin_share(s, policy, 256, BLANK_ROWS, 512);
        set_hand(&share[s], policy == NDG_ZERO ? blank_zero : blank_fill, NULL);
        status |= plan_blanks(&share[s]);
        if (s == 1 || s == 2) share[s].row = 0;        /* not these */
    }
    if (status) complain(name, NEW, "plan");
    else        try_shares(percent_name, name, 1.2, 0);
}

static void blank_cells(void)
{
    begin_family("blanks", "1024 slices of 8 runs of 32 bytes, packed in out, "
                 "some bad; hand: ours with none");
    try_blanks(NDG_ZERO);
    try_blanks(NDG_FILL);
}

/* ---- positions of a partition, and no rows -------------------------------*/
static void try_positions(int type, ptrdiff_t n, ptrdiff_t parts)
{
    char name[NAME];
    snprintf(name, sizeof name, "positions/%s/P%d/n%d", type_name[type],
             (int)parts, (int)n);
    if (!wanted(name)) return;
    begin_partition(&cur, type, 0, n, parts);
    cur.no_rows = 1;
    set_windows(&cur, FORM_WINDOWS, FORM_STEP);
    fill_pool(&cur, mem.pool[0], n + FORM_STEP * FORM_WINDOWS);
    cur.hand_part = type == NDG_U8 ? places_u8 : places_i32;
    try_cell(name, finish_partition(&cur, parts, 1), n, goal_of(1.5, 0));
}

static void position_cells(void)
{
    int c, parts;
    begin_family("positions", "positions of a partition and no rows; counted "
                 "before");
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
    begin_family("one", "one call of one row");
    for (form = FORM_RUN; form <= FORM_ROWS; form++)
        for (size = 4; size <= 64; size *= 4) try_one(form, size);
}

/* ---- all of them ---------------------------------------------------------*/
static void all_small_cells(void)
{
    rounds = quick ? 5 : 9;
    shortest = HERE > 1 || quick ? 5e4 : 2e5;
    call_cells();
    bad_cells();
    channel_cells();
    batch_cells();
    axis_cells();
    tile_cells();
    field_cells();
    few_cells();
    vector_cells();
    scatter_cells();
    once_cells();
    run_cells();
    share_cells();
    blank_cells();
    position_cells();
    one_cells();
}

#endif
