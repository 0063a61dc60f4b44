/* small.c - the small and awkward work beside the loop written by hand
 *
 *     make bench-small                       all cells, with gcc and with clang
 *     make bench-small BENCH=quick           fewer of them, shorter
 *     make bench-small BENCH=call/rows/16B   cells whose name contains this
 *     make bench-small BENCH=check           compared, not timed
 *
 *     call      one call of few rows, the table in L1
 *     bad       bad indices under each policy, beside no bad one
 *     channels  audio: route, interleave, de-interleave
 *     batch     few elements of each batch, from L2 and from DRAM
 *     tiles     16 x 16 pixels out of a sheet
 *     fields    structs split by a field inside them
 *     few       stitches and partitions of few rows
 *     vectors   indices inside structs, packed pairs, in steps
 *     runs      slices of several runs
 *     shares    1 to 99 % bad rows, beside ours with none
 *     blanks    the same, of slices that a bad row clears or fills
 *     positions of a partition, and no rows
 *     one       one call of one row
 *
 * Each cell has a goal: a ratio to the hand loop, or ns for a call; a miss is
 * marked <. Best of several rounds, ours and hand in turn, on one processor; a
 * near miss gets more of them, when the machine is quiet. Each call sees other
 * indices than the one before. Ours is told to write a report, as in a program
 * that wants to know. Before anything is timed it is compared with the hand
 * loop: a difference makes the status 1. Nothing else does: read the figures.
 */
#define _GNU_SOURCE
#ifndef VERSUS
#define NDGATHER_IMPLEMENTATION
#endif
#include "ndgather.h"

#ifndef VERSUS
#define SIDE small_here
#include "small_ours.h"
#endif
#include "small_engine.h"
#ifdef VERSUS
#include "small_versus.h"
#else
#include "small_report.h"
#endif
#include "small_hand.h"

static job cur, share[SHARES];       /* the cell at work; the shares of one */

/* ---- one cell ------------------------------------------------------------*/
/* Compares `cur`, of which `status` is the plan's, and times it, as the mode
 * wants; NULL if it does not. */
static const result *try_timed(const char *name, int status, ptrdiff_t n,
                               goal g)
{
    if (status) {
        complain(name, HERE - 1, "plan");
        return NULL;
    }
    if (!same(name, &cur)) return NULL;
    right++;
    return check ? NULL : contest(name, &cur, n, g);
}

/* The same, and prints. */
static void try_cell(const char *name, int status, ptrdiff_t n, goal g)
{
    const result *r = try_timed(name, status, n, g);
    if (r) print_result(r, "");
}

/* ---- a job with nothing in it yet ----------------------------------------*/
static void begin_job(job *j, int kind, int type, ptrdiff_t row, ptrdiff_t n)
{
    memset(j, 0, sizeof *j);
    j->kind = kind;
    j->ours = kind == STITCH    ? RUN_STITCH
            : kind == PARTITION ? RUN_PARTITION : RUN_PLAN;
    j->type = type;
    j->row = row;
    j->n = j->index_rows = n;
    j->depth = 1;
    j->table = mem.table;
    j->indices = mem.pool[0];
    j->out = mem.out;
    j->want = mem.want;
    j->out_bytes = n * row;
    j->room = mem.room;
    j->cursors = cursors;
}

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

/* ---- call: few rows ------------------------------------------------------*/
enum { RUN, ROWS, ND2, ND3, END, FORMS };
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

/* Good indices, half of them negative if they count from the end. */
static void fill_pool(const job *j, byte *pool, ptrdiff_t index_rows)
{
    ptrdiff_t i;
    for (i = 0; i < index_rows * j->depth; i++) {
        const ptrdiff_t extent = j->dim[i % j->depth];
        int64_t v = below(extent);
        if (j->negative && below(2)) v -= extent;
        put_index(pool_at(pool, j, i), j->type, v);
    }
}

static int plan_call(job *j)
{
    static ndg_gather_desc zero;
    ndg_gather_desc d = zero;
    d.params = ndg_dims(j->depth, j->dim, NULL);
    d.indices = j->depth == 1 ? ndg_dims1(j->n) : ndg_dims2(j->n, j->depth);
    d.elem_size = j->row;
    d.index_type = j->type;
    d.negative = j->negative;
    return make_plan(j, j->depth == 1 ? PLAN_GATHER : PLAN_ND, &d);
}

static int prepare_call(job *j, int form, ptrdiff_t size, int type, ptrdiff_t n)
{
    begin_job(j, GATHER, type, size, n);
    if (form == ROWS) j->ours = RUN_ROWS;
    j->depth = form == ND2 ? 2 : form == ND3 ? 3 : 1;
    j->negative = form == END ? NDG_NEGATIVE_FROM_END : NDG_NEGATIVE_BAD;
    set_extents(j, 16 * KIB / size);
    set_windows(j, CALL_WINDOWS, CALL_STEP);
    fill_pool(j, mem.pool[0], CALL_POOL);
    j->hand = find_gather(j->depth, j->negative, type, size);
    return plan_call(j);
}

/* The same with bad indices here and there: the first one must be found. */
static int same_if_bad(const char *name, const job *j)
{
    static job k;
    const ptrdiff_t bytes = CALL_POOL * j->depth * type_width[j->type];
    ptrdiff_t i;
    k = *j;
    k.indices = mem.spoilt;
    memcpy(mem.spoilt, mem.pool[0], (size_t)bytes);
    for (i = below(20); i < CALL_POOL * j->depth; i += 1 + below(40)) {
        const ptrdiff_t extent = j->dim[i % j->depth];
        int64_t v = bad_index(j->type, extent);
        if (j->negative && v < 0) v -= extent;
        if (v > largest(j->type)) v = largest(j->type);   /* good, perhaps */
        put_index(pool_at(mem.spoilt, j, i), j->type, v);
    }
    return same(name, &k);
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
    return try_timed(name, status, n, goal_of(ratio, 12));
}

/* All types; printed is the one that does worst. */
static void call_line(int form, ptrdiff_t size, ptrdiff_t n)
{
    const result *worst = NULL;
    char note[40] = "";
    int  type, tried = 0, missed = 0;
    for (type = 0; type < 8; type++) {
        const result *r;
        if (form == END && type != NDG_I32 && type != NDG_I16) continue;
        if (quick && type != NDG_I32 && type != NDG_U8 && type != NDG_I64 &&
            form != END)
            continue;
        r = try_call(form, size, type, n);
        if (!r) continue;
        tried++;
        missed += r->over > 1;
        if (!worst || r->over > worst->over) worst = r;
    }
    if (missed) snprintf(note, sizeof note, " %d of %d types", missed, tried);
    if (worst) print_result(worst, note);
}

static void call_cells(void)
{
    static const int counts[6] = { 1, 2, 4, 16, 64, 128 };
    int form, s, i;
    begin_group("call", "calls of few rows, table in L1: the worst index type\n"
                COMMON_HEAD " or 12 ns");
    for (form = 0; form < FORMS; form++)
        for (s = 0; s < SIZES; s++)
            for (i = 0; i < 6; i++)
                if (HERE == 1 || !quick || (s % 2 && i % 2 == 0))
                    call_line(form, all_sizes[s], counts[i]);
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

static void spoil_pool(const job *j, byte *pool, double part)
{
    ptrdiff_t i;
    for (i = 0; i < BAD_ROWS * BAD_WINDOWS; i++)
        if (is_bad(part)) spoil_row(j, pool_at(pool, j, i * j->depth));
}

/* Rows of `size` bytes as elements that a fill can have. */
static int plan_bad(job *j)
{
    static ndg_gather_desc zero;
    const ptrdiff_t elem = elem_of(j->row);
    ndg_gather_desc d = zero;
    d.params = j->depth == 2 ? ndg_dims3(j->dim[0], j->dim[1], j->row / elem)
                             : ndg_dims2(j->dim[0], j->row / elem);
    d.indices = j->depth == 2 ? ndg_dims2(j->n, 2) : ndg_dims1(j->n);
    d.elem_size = elem;
    d.index_type = j->type;
    d.policy = j->policy;
    memcpy(d.fill, fill_row, sizeof d.fill);
    return make_plan(j, j->depth == 2 ? PLAN_ND : PLAN_GATHER, &d);
}

/* Fills of 1 to 16 bytes, elem of them repeated through fill_row. */
static void set_fill(ptrdiff_t elem)
{
    size_t i;
    for (i = 0; i < sizeof fill_row; i++)
        fill_row[i] = (byte)(0xc0 + i % (size_t)elem);
}

static int prepare_bad(job *j, int form, int which, ptrdiff_t size, int type,
                       int s)
{
    begin_job(j, GATHER, type, size, BAD_ROWS);
    if (form == ROWS) j->ours = RUN_ROWS;
    j->depth = form == ND2 ? 2 : 1;
    j->policy = policies[which];
    j->indices = mem.pool[s];
    set_extents(j, type == NDG_U8 ? 200 : 16 * KIB / size);
    set_windows(j, BAD_WINDOWS, BAD_ROWS);
    fill_pool(j, mem.pool[s], BAD_ROWS * BAD_WINDOWS);
    spoil_pool(j, mem.pool[s], share_of[s]);
    set_fill(elem_of(size));
    j->hand = find_policy(j->depth, which, type, size);
    return plan_bad(j);
}

#define BAD_HEAD                                                              \
    "bad indices, 1024 rows in L1, ns a call: ours with this share bad,\n"    \
    "the worst of them beside none (goal 2.00x) | naive policy by hand\n"     \
    "                               none    1in16     1in4     1in2      "    \
    "all   ratio   |   none    1in16     1in4     1in2      all"

#ifndef VERSUS
static void print_bad(const char *name, double worst)
{
    int s;
    print_head();
    printf("%-26s", name);
    for (s = 0; s < SHARES; s++) printf(" %8.1f", sides[s].best);
    printf(" %7.2f %s |", worst, worst > 2 ? "<" : " ");
    for (s = 0; s < SHARES; s++) printf(" %8.1f", sides[SHARES + s].best);
    printf("\n");
    fflush(stdout);
}

static double worst_share(void)
{
    double worst = 0;
    int    s;
    for (s = 1; s < SHARES; s++)
        if (sides[s].best / sides[0].best > worst)
            worst = sides[s].best / sides[0].best;
    return worst;
}

/* All shares in turn: share[0 ... 4] are ready. */
static void time_bad(const char *name)
{
    char cell[NAME];
    int  s;
    side_count = 0;
    for (s = 0; s < SHARES; s++) enter_ours(&share[s], 0);
    for (s = 0; s < SHARES; s++) enter(hand_of(&share[s]), &share[s]);
    run_sides();
    if (is_near(worst_share() / 2)) {
        wait_for_quiet();
        run_rounds();
    }
    for (s = 1; s < SHARES; s++) {
        snprintf(cell, sizeof cell, "%s/%s", name, share_name[s]);
        record(cell, BAD_ROWS, sides[s].best, sides[0].best, goal_of(2, 0));
    }
    print_bad(name, worst_share());
}
#endif

static void try_shares(const char *name)
{
    int s;
    for (s = 0; s < SHARES; s++)
        if (!same(name, &share[s])) return;
    right += SHARES - 1;
#ifdef VERSUS
    for (s = 0; s < SHARES && !check; s++) {
        char cell[NAME];
        snprintf(cell, sizeof cell, "%s/%s", name, share_name[s]);
        contest(cell, &share[s], BAD_ROWS, goal_of(0, 0));
    }
#else
    if (!check) time_bad(name);
#endif
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
            complain(name, HERE - 1, "plan");
            return;
        }
    try_shares(name);
}

/* ---- stitch and partition: windows of lists, windows of parts ------------*/
static int plan_stitch(job *j, int gaps)
{
    static ndg_stitch_desc zero;
    ndg_stitch_desc d = zero;
    d.elem_size = j->row;
    d.index_type = j->type;
    d.policy = j->policy;
    d.gaps = gaps;
    return make_plan(j, PLAN_STITCH, &d);
}

/* Each window: `rows` different output rows of j->total, in random order. */
static void fill_stitch_pool(const job *j, byte *pool, ptrdiff_t rows)
{
    static int32_t order[BAD_ROWS];
    ptrdiff_t w, i;
    for (w = 0; w <= j->mask; w++) {
        for (i = 0; i < j->total; i++) order[i] = (int32_t)i;
        for (i = j->total - 1; i > 0; i--) {
            const ptrdiff_t k = below(i + 1);
            const int32_t   t = order[i];
            order[i] = order[k];
            order[k] = t;
        }
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
    j->indices = mem.pool[s];
    j->total = j->dim[0] = BAD_ROWS;
    fill_stitch_pool(j, mem.pool[s], BAD_ROWS);
    spoil_pool(j, mem.pool[s], share_of[s]);
    set_lists(j, 1, BAD_ROWS);
    j->hand_stitch = stitch_16_drop;
    return plan_stitch(j, NDG_GAPS_KEEP);
}

/* ids: packed, or id_stride bytes apart, as the rows of data then are. */
static int plan_partition(job *j)
{
    static ndg_partition_desc zero;
    ndg_partition_desc d = zero;
    d.data = j->no_rows ? ndg_dims2(j->n, 0) : ndg_dims1(j->n);
    d.partitions = ndg_strided1(j->n, j->id_stride);
    d.elem_size = j->no_rows ? 4 : j->row;
    d.num_partitions = j->parts;
    d.index_type = j->type;
    d.policy = j->policy;
    return make_plan(j, PLAN_PARTITION, &d);
}

/* Counts the parts of a window and lays them side by side in out, positions
 * behind all rows. */
static void lay_parts(job *j, long w)
{
    const byte *ids = j->indices + w * j->step;
    byte       *at = j->out, *place = j->out + j->n * j->row;
    ptrdiff_t   i, k;
    for (i = 0; i < j->n; i++) {
        const int64_t v = get_index(ids + i * j->id_stride, j->type);
        if (v >= 0 && v < j->parts) j->counts[w][v]++;
    }
    for (k = 0; k < j->parts; k++) {
        j->outs[w][k] = at;
        j->places[w][k] = place;
        at += j->counts[w][k] * j->row;
        place += j->counts[w][k] * 4;
    }
}

static int finish_partition(job *j, ptrdiff_t parts, int positions)
{
    long w;
    j->parts = parts;
    j->positions = positions;
    j->out_bytes = j->n * (j->row + (positions ? 4 : 0));
    for (w = 0; w <= j->mask; w++) lay_parts(j, w);
    return plan_partition(j);
}

static int prepare_bad_partition(job *j, int s)
{
    begin_job(j, PARTITION, NDG_I32, 16, BAD_ROWS);
    j->policy = NDG_DROP;
    j->id_stride = 4;
    j->indices = mem.pool[s];
    j->dim[0] = 8;
    set_windows(j, BAD_WINDOWS, BAD_ROWS);
    fill_pool(j, mem.pool[s], BAD_ROWS * BAD_WINDOWS);
    spoil_pool(j, mem.pool[s], share_of[s]);
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
    if (status) complain(name, HERE - 1, "plan");
    else        try_shares(name);
}

static void bad_policy(int which)
{
    static const int few[2] = { 4, 16 };
    int form, i;
    for (form = RUN; form <= ROWS; form++) {
        if (form == ROWS && policies[which] == NDG_FILL) continue;
        for (i = 0; i < SIZES; i++)
            if (!quick || all_sizes[i] == 4 || all_sizes[i] == 12)
                bad_gather(form, which, all_sizes[i], NDG_I32);
        for (i = 0; i < 2; i++) {
            bad_gather(form, which, few[i], NDG_U8);
            if (!quick) bad_gather(form, which, few[i], NDG_U16);
        }
    }
    for (i = 0; i < 2; i++) bad_gather(ND2, which, few[i], NDG_I32);
}

static void bad_cells(void)
{
    int which;
    begin_group("bad", BAD_HEAD);
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
    static ndg_gather_desc zero;
    const ptrdiff_t elem = j->row, n = j->n;
    const ptrdiff_t planar[2] = { n, FRAMES }, apart[2] = { elem, n * elem };
    ndg_gather_desc d = zero;
    d.params = form == ROUTE ? ndg_dims2(FRAMES, n)
             : form == WEAVE ? ndg_dims2(n, FRAMES)
                             : ndg_dims(2, planar, apart);
    if (form == WEAVE) d.out = ndg_dims(2, planar, apart);
    d.indices = ndg_dims1(n);
    d.axis = form == ROUTE ? 1 : 0;
    d.elem_size = elem;
    d.index_type = NDG_U8;
    d.policy = NDG_ZERO;
    return make_plan(j, PLAN_GATHER, &d);
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
    cur.hand = find_channels(form, is_float, 0);
    cur.other = find_channels(form, is_float, 1);
    try_cell(name, plan_channels(&cur, form), n * FRAMES,
             goal_of(n == 2 ? 3 : 1.5, 0));
}

static void channel_cells(void)
{
    int form, is_float, silence;
    ptrdiff_t n;
    begin_group("channels", "channels of 64 frames (n: samples), routed, to "
                "interleaved, to planar;\nall heard, one or every second one "
                "silent\n" COMMON_HEAD);
    for (form = ROUTE; form <= UNWEAVE; form++)
        for (is_float = 0; is_float < 2; is_float++)
            for (n = 2; n <= 32; n *= 2)
                for (silence = 0; silence < 3; silence++)
                    if (!quick || (n != 4 && n != 16))
                        try_channels(form, is_float, n, silence);
}

/* ---- batch ---------------------------------------------------------------*/
enum { BATCH = 64 };                 /* elements of a batch */

static void make_big(void)
{
    if (mem.big_table) return;
    mem.big_table = buffer(BIG_TABLE);
    mem.big_out = buffer(BIG_OUT);
    mem.big_want = buffer(BIG_OUT);
    mem.big_pool = buffer(BIG_OUT + MIB);
    fill_random(mem.big_table, BIG_TABLE);
}

static int plan_batch(job *j, ptrdiff_t batches, ptrdiff_t each)
{
    static ndg_gather_desc zero;
    ndg_gather_desc d = zero;
    d.params = ndg_dims2(batches, BATCH);
    d.indices = ndg_dims2(batches, each);
    d.elem_size = j->row;
    return make_plan(j, PLAN_BATCH, &d);
}

/* Windows are 16 numbers apart, which is enough to make all of them differ. */
static int prepare_batch(job *j, int large, ptrdiff_t each, ptrdiff_t size)
{
    const ptrdiff_t bytes = large ? BIG_TABLE : 256 * KIB;
    const ptrdiff_t batches = bytes / (BATCH * size);
    byte *pool = mem.pool[0];
    begin_job(j, GATHER, NDG_I32, size, each);
    if (large) {
        make_big();
        j->table = mem.big_table;
        j->indices = pool = mem.big_pool;
        j->out = mem.big_out;
        j->want = mem.big_want;
    }
    j->dim[0] = BATCH;
    j->dim[1] = batches;
    j->index_rows = batches * each;
    j->out_bytes = j->index_rows * size;
    set_windows(j, MOST_WINDOWS, 16);
    fill_pool(j, pool, j->index_rows + 16 * MOST_WINDOWS);
    j->hand = find_batch(size);
    return plan_batch(j, batches, each);
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
    begin_group("batch", "batch_gather, some of 64 elements of each batch; "
                "DRAM: 256 MiB, goal 1.00x and noise\n" COMMON_HEAD);
    for (large = 0; large < 2; large++)
        for (each = 1; each <= 16; each *= 4)
            for (size = 4; size <= 64; size *= size == 16 ? 4 : 2)
                if (!quick || !large || (each != 4 && size == 16))
                    try_batch(large, each, size);
}

/* ---- tiles ---------------------------------------------------------------*/
enum { TILES = 100, TILE_WINDOWS = 16 };

static int plan_tiles(job *j)
{
    static ndg_gather_desc zero;
    const ptrdiff_t dims[4] = { 16, 16, 16, 16 };
    const ptrdiff_t sheet[4] = { 16 * SHEET_PITCH, 64, SHEET_PITCH, 4 };
    ndg_gather_desc d = zero;
    d.params = j->depth == 2 ? ndg_dims(4, dims, sheet)
                             : ndg_dims3(256, 16, 16);
    d.indices = ndg_dims2(TILES, j->depth);
    d.elem_size = 4;
    d.policy = j->policy;
    memcpy(d.fill, fill_row, 4);
    return make_plan(j, PLAN_ND, &d);
}

static void spoil_tiles(const job *j, byte *pool)
{
    ptrdiff_t i;
    for (i = 0; i < TILES * TILE_WINDOWS; i++)
        if (below(8) == 0) spoil_row(j, pool_at(pool, j, i * j->depth));
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
    if (bad) spoil_tiles(&cur, mem.pool[0]);
    set_fill(4);
    cur.hand = find_tiles(form, policy);
    cur.other = form == PAIRS ? NULL : find_tiles(WHOLE, policy);
    try_cell(name, plan_tiles(&cur), TILES, goal_of(1.5, 0));
}

static void tile_cells(void)
{
    int form;
    begin_group("tiles", "100 tiles of 16 x 16 pixels of 4 bytes, all good or "
                "an eighth bad\n" COMMON_HEAD);
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
    begin_group("fields", "4096 structs split by a field inside them, or by "
                "packed ids; counted before\n" COMMON_HEAD);
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
    cur.hand_stitch = find_stitch(size, zero);
    try_cell(name, plan_stitch(&cur, zero ? NDG_GAPS_ZERO : NDG_GAPS_KEEP),
             8 * lists, goal_of(1.5, 12));
}

static void few_partition(ptrdiff_t n, ptrdiff_t size, ptrdiff_t parts,
                          int type)
{
    char name[NAME];
    snprintf(name, sizeof name, "few/partition/n%d/%dB/P%d/%s", (int)n,
             (int)size, (int)parts, type_name[type]);
    if (!wanted(name)) return;
    begin_job(&cur, PARTITION, type, size, n);
    cur.id_stride = type_width[type];
    cur.dim[0] = parts;
    set_windows(&cur, FEW_WINDOWS, n);
    fill_pool(&cur, mem.pool[0], n * FEW_WINDOWS);
    cur.hand_part = find_rows(size, type);
    try_cell(name, finish_partition(&cur, parts, 0), n, goal_of(1.5, 12));
}

static void few_cells(void)
{
    int lists, size, zero, n, parts;
    begin_group("few", "stitches of lists of 8 rows, partitions of few rows\n"
                COMMON_HEAD " or 12 ns");
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

#include "small_forms.h"

/* ---- the machine ---------------------------------------------------------*/
#ifndef VERSUS
/* To the processor that the system has put us on. */
static void pin(void)
{
#ifdef __linux__
    cpu_set_t set;
    const int at = sched_getcpu();
    if (at < 0) return;
    CPU_ZERO(&set);
    CPU_SET((size_t)at, &set);
    sched_setaffinity(0, sizeof set, &set);
#endif
}
#endif

static void make_buffers(void)
{
    int s;
    mem.table = buffer(TABLE_BYTES);
    mem.out = buffer(OUT_BYTES);
    mem.want = buffer(OUT_BYTES);
    mem.spoilt = buffer(POOL_BYTES);
    for (s = 0; s < SHARES; s++) mem.pool[s] = buffer(POOL_BYTES);
    mem.room = buffer(2 * ROOM) + ROOM;  /* at no offset that out begins at */
    fill_random(mem.table, TABLE_BYTES);
}

static void all_cells(void)
{
    make_buffers();
    call_cells();
    bad_cells();
    channel_cells();
    batch_cells();
    tile_cells();
    field_cells();
    few_cells();
    vector_cells();
    run_cells();
    share_cells();
    blank_cells();
    position_cells();
    one_cells();
}

#ifdef VERSUS
void versus_small(void)
{
    only = versus_only;
    quick = versus_quick;
    check = versus_check;
    shortest = 5e4;
    all_cells();
    versus_wrong += wrong;
    versus_right += right;
}
#else
int main(void)
{
    only = getenv("BENCH");
    if (only && !*only) only = NULL;
    quick = only && !strcmp(only, "quick");
    check = only && !strcmp(only, "check");
    if (quick) {
        rounds = 5;
        shortest = 5e4;
    }
    printf("compiler: %s, flags: %s\n", BENCH_COMPILER, BENCH_FLAGS);
    pin();
    all_cells();
    if (done) print_summary();
    printf("\n%d cells right, %d wrong\n", right, wrong);
    return wrong ? 1 : 0;
}
#endif
