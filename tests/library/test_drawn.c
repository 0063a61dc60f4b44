/* test_drawn.c - rows of every size, number, place and layout, many of them
 * drawn, against plain loops over rows: see model.h, which says what the texts
 * below mean. Run with the name of one test, it runs just that. */
#ifndef TEST_NAME
#define TEST_NAME "test_drawn"
#endif
#ifndef TEST_LINKED             /* else it lies in an object of its own */
#define NDGATHER_IMPLEMENTATION
#endif
#include "ndgather.h"

/* Leaves two words by turns on the stack, where the variables of the next call
 * will lie. Returns the first. */
static int leave_on_stack(int even, int odd)
{
    volatile int words[3000];
    int          i;
    for (i = 0; i < 3000; i++) words[i] = i % 2 ? odd : even;
    return words[0];
}

/* What lies there changes nothing: no variable is read that was not set. */
static int (*volatile leave)(int, int) = leave_on_stack;    /* not inlined */
static const int left[8][2] = { { 0, 0 }, { 1, 1 }, { 1, 0 }, { 2, 2 },
                                { 64, 0 }, { -1, -1 }, { 1 << 30, 0 },
                                { 0, 1 } };
#define BEFORE_CALL() leave(left[job_number % 8][0], left[job_number % 8][1])
#define BEFORE_PLAN() BEFORE_CALL()
#include "model.h"

#define TYPES " i8,i16,i32,i64,u8,u16,u32,u64 "
#define SOFT  " zero,fill,keep,clip,wrap,error,default "

/* What is drawn for each job. */
#define ANY_TYPE   " ?i8,i16,i32,i64,u8,u16,u32,u64 "
#define ANY_POLICY " ?default,error,zero,fill,clip,wrap,keep,valid "
#define ANY_SIDES  " ?tableat-1,0:15 ?idsat-1,-1,0:7 ?beside0,64 ?slack0,64 "
#define ANY_PLACE  " ?align-1,0:63 " ANY_SIDES
#define ANY_COUNT  " ?n" COUNTS " "
#define ANY_ELEM   " ?e1,2,4,8,16 "
#define ANY_ORDER  " ?" ORDERS " "
#define ANY_PADS   " ?pad0,0,0,1,3,4,16,60,64,65 ?topad0,0,0,1,3,4,16,60,64,65 "
#define ANY_LAYOUT ANY_PADS " ?atpad0,0,5 ?atback0,0,0,1 ?atplanes0,0,0,1" \
                   " ?back0,0,0,1 ?flat0,0,0,0,0,0,0,1 ?hop0,0,0,0,0,0,0,4 "
#define COUNTS     "0,1,2,3,7,8,63,64,65,127,128,129,200,1000"
#define ORDERS     "random,up,down,same,low,high,lasttwo,broken,edges,hops"
#define ALL        " default,error,zero,fill,clip,wrap,keep,valid "

static const test drawn_gathers[] = {
    /* Rows of every size, at every alignment of out; every type, order and
     * number of rows; rows that are large themselves. */
    { "sizes", "rows b1:300,512,1000,1024,4096 turn1:16 ?r30,80,300"
      " ?pad0,0,1,3,4,16,60,64,65" ANY_COUNT ANY_TYPE ANY_POLICY ANY_ORDER
      ANY_PLACE },
    { "sizes", "gather b1:300,512,1000,1024,4096 align0:63 ?r30,80,300 ?nd0,1"
      ANY_LAYOUT ANY_COUNT ANY_TYPE ANY_POLICY ANY_ORDER ANY_SIDES ANY_ELEM },
    { "sizes", "gather turn1:4000 ?b1,2,3,4,8,16 ?x1:40 ?gap0,1,8 ?r30,80"
      " ?toplanes0,1 ?togap0,3 ?nd0,1" ANY_COUNT ANY_TYPE ANY_POLICY ANY_ORDER
      ANY_PLACE ANY_ELEM },
    { "types", "b1,2,3,4,8,12,16,20,24,32,48,64,96,128" TYPES "n" COUNTS " "
      ORDERS " ?rows,gather ?nd0,1 ?r80,300,1103" ANY_POLICY ANY_PLACE },
    { "every_count", "n0:260" TYPES "turn1:3 ?rows,gather ?nd0,1 r90"
      " ?b1,2,4,8,12,16,24,32,64 ?random,broken ?clip,wrap ?bad-1,-2"
      ANY_PLACE },
    { "large", "b2047,2048,4095,4097,8192,16387 align0:63 ?rows,gather r7"
      " ?n1:20" ANY_TYPE ANY_POLICY ANY_ORDER ANY_SIDES },
    { "large", "b65536,100001 turn1:22 ?rows,gather r7 ?n1:5" ANY_TYPE
      ANY_POLICY ANY_ORDER ANY_PLACE },
    /* Runs of neighbours of every length around a chunk, beginning anywhere. */
    { "neighbours", "rows b1,4,8,12,16,24,32,64,100 r150 n200"
      " run1:6,30:34,62:67,125:132 from0,1,5,62,63,64,65" ANY_PLACE },
    { "neighbours", "gather b1,4,8,12,16,24,32,64,100 r150 n200"
      " run1:6,30:34,62:67,125:132 from0,1,5,62,63,64,65 topad0,4 ?pad0,4"
      ANY_PLACE },
    /* The largest indices of the narrow types; an extent that only 64 bits
     * hold, of a table that is one row. */
    { "widest", "i8,u8,i16,u16 r128,256,32768,65536 b1,2,4,8 " ORDERS
      " turn1:2 ?rows,gather n200 ?error,clip,wrap ?bad-1,77" ANY_PLACE },
    { "widest", TYPES ALL "b1,2,4,8,16,32,64,128 high,random ?gather nd0,1"
      " r8388607,36028797018963967 flat1 n130 ?odds0,50" ANY_PLACE },
    /* One bad index at every place, under every policy; several. */
    { "one_bad", "rows,gather bad0:199" SOFT "turn1:4 ?nd0,1 n200 r100"
      " ?b1,2,3,4,8,12,16,33,64,100 ?pad0,0,7" ANY_TYPE ANY_ORDER ANY_PLACE },
    { "one_bad", "i64,u64 bad0:199 turn1:5 ?rows,gather ?nd0,1 n200 r60"
      " ?b1,2,4,8,16,32,64" ANY_POLICY ANY_ORDER ANY_PLACE },
    { "one_bad", "gather bad0:199" SOFT "n200 r100 ?b4,8,64 topad5" ANY_TYPE
      ANY_ORDER ANY_PLACE },
    { "many_bad", "rows turn1:1500 ?odds1:61 ?b1:24,300 ?r20,80 ?pad0,1,3,64"
      ANY_COUNT ANY_TYPE ANY_POLICY ANY_ORDER ANY_PLACE },
    { "many_bad", "gather turn1:3000 ?odds1:61 ?b1:24,300 ?r20,80 ?nd0,1"
      " ?ends0,1" ANY_LAYOUT ANY_COUNT ANY_TYPE ANY_POLICY ANY_ORDER ANY_PLACE
      ANY_ELEM },
    { "many_bad", "?rows,gather r0" SOFT TYPES "b8 n70" ANY_PLACE },
    /* Index vectors of 1 to 5, good and bad, forward and from the end. */
    { "depths", "gather nd1 d1,2 b1,2,3,4,7,8,12,16,20,32,64,65,100,128 n"
      COUNTS " turn1:8 ?ends0,1 ?r7,97 p13 ?odds0,0,7,57,157" ANY_LAYOUT
      ANY_TYPE ANY_POLICY ANY_ORDER ANY_PLACE ANY_ELEM },
    { "depths", "gather d3,4,5 b1,2,3,4,7,8,12,16,20,32,64,65,100,128 n"
      COUNTS " turn1:8 ?ends0,1 r3 ?p2,5 ?q1,7 ?v2,4 ?odds0,0,7,57,157"
      ANY_LAYOUT ANY_TYPE ANY_POLICY ANY_ORDER ANY_PLACE ANY_ELEM },
    { "depths", "gather d0 b1,3,7,15,31,63,127 n" COUNTS " r9 ?batches1:3"
      ANY_PADS ANY_TYPE ANY_PLACE },
    { "depths", "gather d2,3,4,5 bad0:129 n130" SOFT "?ends0,1 r3 p5 q7 v4"
      " ?b4,64" ANY_TYPE ANY_ORDER ANY_PLACE },
    /* Batches, axes before the one gathered, or both. */
    { "axes", "gather turn1:5000 r29 ?b1,2,3,4,8,12,16,64,100 ?nd0,0,0,1"
      " ?n1,2,5,31,63,64,65,100 ?batches1,2,3,5 ?outer1,1,2,7 ?lines1,1,4"
      " ?toline0,7 ?atline0,3 ?tobatch0,2 ?still0,0,0,0,1,2,4 ?ends0,0,1"
      " ?odds0,0,20,100" ANY_LAYOUT ANY_TYPE ANY_POLICY ANY_ORDER ANY_PLACE },
    { "axes", "gather turn1:600 r29 ?b1,4,16,64 n1,2,5 batches70 ?still0,1,4"
      " ?odds0,20" ANY_PADS ANY_TYPE ANY_POLICY ANY_ORDER ANY_PLACE },
    /* Batches of few rows and of more, by vectors too; loops that do not
     * continue each other; steps of a slice. */
    { "batches", "gather nd1 turn1:1500 ?d1,2,3 r5 p4 q3 ?b1,4,8,12,64"
      " ?n1,2,3,8,15,16,40 ?batches2,9,40 ?lines1,1,3 ?toline0,0,8 ?atline0,0,8"
      " ?still0,0,0,1,4 ?ends0,0,1 ?odds0,0,20,100 ?mask0,0,7 ?add0,0,1"
      ANY_TYPE ANY_POLICY ANY_ORDER ANY_PLACE },
    { "steps", "gather turn1:1000 ?r5,29,400 ?b1,2,4,12,16,64,200 ?n1:40,250"
      " ?outer2,3,8,20,70 ?x1,1,2,9 ?ends0,0,1 ?odds0,0,20,100 ?mask0,0,31"
      ANY_PADS ANY_TYPE ANY_POLICY ANY_ORDER ANY_PLACE },
    /* Ranges: all that there are; and one alone, which reads no index before or
     * behind it: they are not there, or bad. */
    { "all_cuts", "gather cuts1 turn1:50 r29 ?b1:20 ?n1,2,5,31,65 ?batches1,3"
      " ?outer1,3 ?lines1,2 ?toline0,7 ?odds0,20" ANY_TYPE ANY_POLICY
      ANY_ORDER ANY_PLACE },
    { "all_cuts", "gather cuts1 turn1:50 nd1 ?d1:5 r3 ?b1:100 ?n130:132"
      " ?odds0,50" ANY_LAYOUT ANY_TYPE ANY_POLICY ANY_ORDER ANY_PLACE },
    { "all_cuts", "gather cuts1 turn1:50 r90 ?b1:100 ?n126:130 ?odds0,50"
      ANY_LAYOUT ANY_TYPE ANY_POLICY ANY_ORDER ANY_PLACE },
    { "alone", "gather turn1:6000 ?d1:5 ?nd0,1 r3 ?b1:40 n300 ?first0:299"
      " ?last1:300 ?topad0,3" ANY_TYPE ANY_POLICY ANY_ORDER ANY_PLACE },
};

/* Indices that are masked, and to which something is added; mostly so that
 * they become good. */
static const test changed[] = {
#define CHANGED TYPES "b1,2,4,8,12,16,100 mask0,127,-1,4611686018427387903" \
                " add0,-32,3,1,-9223372036854775808,8589934592 r90" \
                " ?odds0,40 ?bad,wild ?ends0,1" ANY_PLACE
    { "changed", "?gather,check ?nd0,1 zero,fill,clip,wrap,keep,valid,error"
      " ?n300,1000 ?first0,0,7 ?last0,0,-9 ?d1,1,2 ?p2,5" CHANGED },
    { "changed", "?scatter,scatters ?drop,valid,error ?n300,1000 ?d1,1,2"
      " ?p2,5 ?gaps0,2 ?first0,0,7 ?last0,0,-9" CHANGED },
    /* Indices that count up are one copy, but not if they are changed. */
    { "changed", "gather,scatter i32,u32,i64 up from7 add7 b4,12 r300 n290,300"
      " ?drop,error" ANY_PLACE },
};

static const test drawn_scatters[] = {
#define ANY_SCATTER " ?scatter,scatters ?default,error,drop,valid ?gaps0,2" \
                    " ?ends0,1 ?odds0,0,50 ?random,up,same,shuffled,down"
    { "any_scatter", "turn1:3 b1,2,3,4,8,12,16,24,64,100,128,200 d1 r3000"
      " n3000 ?pad0,3,64 ?topad0,5" ANY_SCATTER ANY_TYPE ANY_PLACE ANY_ELEM },
    { "any_scatter", "turn1:3 b1,2,3,4,8,12,16,24,64,100,128,200 d2:5 r7"
      " ?p6,20 q5 v4 ?n300,2000 ?apart0,3 ?topad0,5 ?batches1,2 ?lines1,2"
      " ?atpad0,5 ?atplanes0,1" ANY_SCATTER ANY_TYPE ANY_PLACE ANY_ELEM },
    { "any_scatter", "turn1:60 ?b1,4,8,24 ?d1,2,3 ?r7,90 p5 q6 n700 ?x2,3"
      " ?planes0,1 ?toplanes0,1" ANY_SCATTER ANY_TYPE ANY_PLACE },
    { "any_scatter", "turn1:1500 ?d1,2,3 r5 p4 q3 ?b1,4,8,12,64 ?x1,1,2,9"
      " ?n1,2,3,8,15,16,40 ?batches2,9,40 ?lines1,1,3 ?toline0,0,8 ?atline0,0,8"
      " ?mask0,0,7 ?add0,0,1" ANY_SCATTER ANY_TYPE ANY_PLACE },
    { "any_scatter", "turn1:10 b4096 d1:3 r10 p3 q3 n200" ANY_SCATTER ANY_TYPE
      ANY_PLACE },
    { "any_scatter", "scatter cuts1 turn1:20 ?b1:40 ?d1,2 ?r7,20 p5 ?n1,40"
      " ?drop,error ?odds0,9 ?gaps0,2" ANY_TYPE ANY_PLACE },
#define ANY_LISTS " ?lists1:3 ?uneven0,1 ?shuffled,up,random ?marks0,1" \
                  " ?gaps0,2 ?back0,0,0,1,2,5" ANY_TYPE ANY_SIDES
    { "any_stitch", "b1:300 align0:63 ?stitch,thirds,tensors,parallel"
      " ?n1,2,7,20,33,43,66 ?total0,0,100 ?topad0,0,1:70 ?atpad0,0,3 ?pad0,5"
      ANY_LISTS ANY_ELEM },
    { "any_stitch", "bad0:99 ?stitch,thirds ?default,error,drop turn1:8"
      " ?n33,50,100 total100 ?every0,30 ?b1:70 ?topad0,0,9 ?atpad0,3 ?pad0,5"
      ANY_LISTS ANY_PLACE },
    { "any_stitch", "stitch,thirds x3 b5 togap3 n700 shuffled holes drop"
      " bad350" },
    { "any_stitch", "stitch turn1:20 x3 b5 togap3 n700 shuffled holes drop"
      " bad350 ?first0:350 ?last400:700" },
    { "any_stitch", "turn1:600 ?stitch,thirds ?x1,2,3,15,16 ?gap0,4 ?togap0,3"
      " ?b1,4,12,64 ?n4,7,20,66 total300 ?bad-1,-1,3 ?every0,9"
      " ?default,drop,error" ANY_LISTS ANY_PLACE },
    { "stitch_cuts", "stitch cuts1 turn1:40 ?n1,7,20,23 ?total0,70"
      " ?default,drop,valid ?bad-1,3 ?b1:80 ?topad0,9 ?atpad0,3 ?pad0,5"
      ANY_LISTS ANY_PLACE },
    { "stitch_cuts", "stitch cuts1 turn1:20 ?n1,7,20,23 ?total0,70 ?b1:80"
      " ?default,drop" ANY_LISTS "whole marks1" ANY_PLACE },
#define ANY_DEAL  " ?topad0,0,1:70 ?atpad0,3 ?pad0,5 ?back0,0,0,1 " \
                  " ?flat0,0,0,0,0,1 ?random,runs,up,high" ANY_PLACE
    { "any_deal", "b1:300 turn1:24 ?deal,deals,once ?where-1,0:7"
      " ?parts1,2,3,8,64,65,256,1000 ?n1,7,63,64,65,127,128,129,200" ANY_DEAL
      ANY_TYPE ANY_ELEM },
    { "any_deal", "deal parts1,2,3,8,64,65,256,1000" TYPES "where0:7"
      " n128,321,1000 ?b1,4,8,12,16,20,32,64 ?random,runs,up,high" ANY_PLACE },
    { "any_deal", "bad0:199 turn1:6 ?deal,deals,once ?default,error,drop"
      " ?every0,30 n200 ?parts1,2,3,8,64,65 ?b1:40 ?where-1,0,3,4" ANY_TYPE
      ANY_DEAL },
    { "any_deal", "deal short turn1:600 n200 ?parts1,2,3,8,64 ?b1:100"
      " ?where-1,0,4" ANY_TYPE ANY_DEAL },
    { "any_deal", "turn1:900 ?deal,deals,once ?x2,3,15,16,20 ?gap0,4 ?togap0,4"
      " ?b1,4,12,16,100 ?where-1,0:7 ?parts1,2,3,8,64,300 ?n1,7,127,128,129,300"
      " ?room0,1,2 ?default,error,drop,valid ?bad-1,-1,5,120 ?every0,30"
      ANY_TYPE ANY_DEAL },
    { "deal_cuts", "deal cuts1 turn1:40 ?parts1,2,3,8,64 ?b1:80 ?n66:135"
      " ?default,valid ?where-1,0,1 ?room0,1" ANY_TYPE ANY_DEAL },
    { "deal_cuts", "deal cuts1 turn1:20 ?parts1,2,3,8,64 ?b1:80 ?n66:135"
      " drop odds30 ?where-1,0" ANY_TYPE ANY_DEAL },
};

/* Offsets above 2^32: of a table only the last rows are there, and behind them,
 * in one block, what else there is. */
static const test far_rows[] = {
#define FAR_SIZES "b1,4,8,12,16,20,32,64,100 n100 zero up top1"
    { "far_rows", "rows,gather i32,u32,i64,u64 hop65544 r40001,70001 use16 "
      FAR_SIZES },
    { "far_rows", "rows,gather i16 hop150000 r32768 use3 " FAR_SIZES },
    { "far_rows", "rows,gather u16 hop70000 r65536 use5 " FAR_SIZES },
    { "far_rows", "rows,gather i8 hop33554432 r128 use1 " FAR_SIZES },
    { "far_rows", "rows,gather u8 hop33554432 r256 use1 " FAR_SIZES },
    { "far_rows", "gather back1 i32,u32,i64,u64 hop65544 r40001,70001 use16 "
      FAR_SIZES },
};

/* Batches of three axes, of which two would be one in some array, but not in
 * all; or would, were another axis between them. */
enum { APART, AS_ONE, BY_THE_INNER_STRIDE, BY_THE_INNER_EXTENT, FORMS };

typedef struct axes {
    ptrdiff_t stride[3], row;
} axes;

static axes axes_new(int form, const ptrdiff_t extent[3], ptrdiff_t row)
{
    axes a;
    a.row = row;
    a.stride[2] = row;
    a.stride[1] = 50 * row;
    a.stride[0] = form == AS_ONE ? a.stride[1] * extent[1]
                : form == BY_THE_INNER_STRIDE ? a.stride[2] * extent[1]
                : form == BY_THE_INNER_EXTENT ? a.stride[1] * extent[2]
                                              : 400 * row;
    return a;
}

/* Whether no two batches lie in one place. */
static int axes_apart(int form, const ptrdiff_t extent[3])
{
    return form == BY_THE_INNER_STRIDE ? extent[1] >= extent[2]
         : form == BY_THE_INNER_EXTENT ? extent[2] >= extent[1] : 1;
}

static ptrdiff_t axes_at(const axes *a, const ptrdiff_t i[3])
{
    return i[0] * a->stride[0] + i[1] * a->stride[1] + i[2] * a->stride[2];
}

static void outer_axes(const int form[3], const ptrdiff_t extent[3])
{
    enum { N = 3, SPAN = 600 * 5, FAR_OFF = 0xEE };
    static unsigned char data[SPAN], pick[SPAN], got[SPAN], right[SPAN];
    const axes      from = axes_new(form[0], extent, 5);
    const axes      at = axes_new(form[1], extent, N);
    const axes      to = axes_new(form[2], extent, N);
    ndg_gather_desc d = NDG_ZERO_INIT;
    ndg_report      r;
    ptrdiff_t       i[3], k;
    for (k = 0; k < SPAN; k++) {
        data[k] = (unsigned char)(1 + k % 251);
        pick[k] = (unsigned char)(k * 7 % 5);
    }
    memset(got, FAR_OFF, SPAN);
    memset(right, FAR_OFF, SPAN);
    for (i[0] = 0; i[0] < extent[0]; i[0]++)
        for (i[1] = 0; i[1] < extent[1]; i[1]++)
            for (i[2] = 0; i[2] < extent[2]; i[2]++)
                for (k = 0; k < N; k++)
                    right[axes_at(&to, i) + k]
                        = data[axes_at(&from, i) + pick[axes_at(&at, i) + k]];
    d.params = ndg_strided4(extent[0], from.stride[0], extent[1],
                            from.stride[1], extent[2], from.stride[2], 5, 1);
    d.indices = ndg_strided4(extent[0], at.stride[0], extent[1],
                             at.stride[1], extent[2], at.stride[2], N, 1);
    d.out = ndg_strided4(extent[0], to.stride[0], extent[1], to.stride[1],
                         extent[2], to.stride[2], N, 1);
    d.elem_size = 1;
    d.index_type = NDG_U8;
    d.axis = d.batch_dims = 3;
    ndg_gather(got, SPAN, data, pick, &d, &r);
    CHECKF(r.status == NDG_OK && !memcmp(got, right, SPAN),
           "batches %ld x %ld x %ld, forms %d %d %d: status %d or wrong bytes",
           (long)extent[0], (long)extent[1], (long)extent[2], form[0], form[1],
           form[2], r.status);
}

static void outer_axes_all(void)
{
    static const ptrdiff_t extents[][3] = { { 2, 3, 2 }, { 2, 3, 4 },
                                            { 2, 2, 3 }, { 2, 3, 3 } };
    int form[3], e, k;
    for (e = 0; e < 4; e++)
        for (k = 0; k < FORMS * FORMS * FORMS; k++) {
            form[0] = k % FORMS;
            form[1] = k / FORMS % FORMS;
            form[2] = k / FORMS / FORMS;
            if (axes_apart(form[2], extents[e])) outer_axes(form, extents[e]);
        }
}

/* Two batches of indices, each for all slices before the axis: axes that do not
 * fold in params, so that slices and batches are loops of the plan. */
static void batches_of_slices(void)
{
    enum { BATCHES = 2, A = 2, B = 3, EXTENT = 10, N = 40,
           BYTES = BATCHES * A * B * N };
    unsigned char   data[160], pick[BATCHES * N], got[BYTES], right[BYTES];
    ndg_gather_desc d = gather_of(1, ndg_strided4(BATCHES, 80, A, 40, B, 10,
                                                  EXTENT, 1),
                                  ndg_dims2(BATCHES, N));
    ndg_gather_plan p;
    ndg_report      r;
    ptrdiff_t       batch, a, b, k, at = 0;
    for (k = 0; k < 160; k++) data[k] = (unsigned char)(1 + k);
    for (k = 0; k < BATCHES * N; k++) pick[k] = (unsigned char)(k * 7 % 10);
    memset(got, FRESH, BYTES);
    for (batch = 0; batch < BATCHES; batch++)
        for (a = 0; a < A; a++)
            for (b = 0; b < B; b++)
                for (k = 0; k < N; k++)
                    right[at++] = data[batch * 80 + a * 40 + b * 10
                                       + pick[batch * N + k]];
    d.batch_dims = 1;
    d.axis = 3;
    d.index_type = NDG_U8;
    CHECK(ndg_plan_gather(&p, &d, &r) == NDG_OK);
    CHECK(p.copy_levels == 2 && p.row_levels == 2);
    CHECK(ndg_gather_run(&p, got, BYTES, data, pick, &r) == NDG_OK);
    CHECK(!memcmp(got, right, BYTES));
}

/* One call for n of the 5 elements, of b bytes, of each line. The last index,
 * which may be bad, then becomes zero in each line. */
static void one_call(ptrdiff_t lines, int n, int last, ptrdiff_t b)
{
    static unsigned char data[40 * 5 * 100], got[41 * 400], right[41 * 400];
    int32_t         pick[4];
    int64_t         wide[4];
    const int       bad = last < 0 || last > 4, is_u64 = n % 2;
    int             status;
    ndg_gather_desc d = gather_of(b, ndg_dims2(lines, 5), ndg_dims1(n));
    ndg_report      r;
    ptrdiff_t       i, k;
    for (k = 0; k < 40 * 500; k++) data[k] = (unsigned char)(1 + k % 255);
    for (k = 0; k < n; k++)
        wide[k] = pick[k] = k < n - 1 ? (int)k * 3 % 5 : last;
    memset(got, FRESH, sizeof got);
    memset(right, FRESH, sizeof right);
    for (i = 0; i < lines; i++)
        for (k = 0; k < n; k++) {
            unsigned char *at = right + (i * n + k) * b;
            if (bad && k == n - 1) memset(at, 0, (size_t)b);
            else memcpy(at, data + (i * 5 + pick[k]) * b, (size_t)b);
        }
    d.axis = 1;
    d.policy = NDG_ZERO;
    d.index_type = is_u64 ? NDG_U64 : NDG_I32;
    status = ndg_gather(got, lines * n * b, data, is_u64 ? (void *)wide : pick,
                        &d, &r);
    CHECKF(status == NDG_OK && r.bad.count == bad
           && (!bad || (r.bad.position == n - 1 && r.bad.value == last
                        && r.bad.is_u64 == (is_u64 && last < 0)))
           && !memcmp(got, right, sizeof got),
           "%ld lines, %d of each, the last is %d: %ld bad", (long)lines, n,
           last, (long)r.bad.count);
}

static void one_call_all(void)
{
    ptrdiff_t lines;
    int       n, last;
    for (lines = 1; lines <= 40; lines++)
        for (n = 1; n <= 4; n++)
            for (last = -1; last <= 6; last++)
                one_call(lines, n, last, last < 5 ? 1 : 100);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : 0;
    noise_make();
    run_all(drawn_gathers, COUNT(drawn_gathers), name);
    run_all(changed, COUNT(changed), name);
    run_all(drawn_scatters, COUNT(drawn_scatters), name);
    arena = (unsigned char *)grab(ROOM);
    memcpy(arena, noise, NOISE);
    if (PTRDIFF_MAX > INT32_MAX) run_all(far_rows, COUNT(far_rows), name);
    else printf("skip: tables of far rows: addresses have 32 bits\n");
    free(arena);
    if (!name) outer_axes_all();
    if (!name) batches_of_slices();
    if (!name) one_call_all();
    return test_end(TEST_NAME);
}
