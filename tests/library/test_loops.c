/* test_loops.c - the loops of the fast engine, each by inputs known to reach
 * it, against plain loops over rows: see model.h, which says what the texts
 * below mean. What is expected is what ndgather.h promises; only which inputs
 * reach which loop is taken from its private parts. tests/mutation shows that
 * each loop is in fact looked after. Run with the name of one test, it runs
 * just that. */
#ifndef TEST_NAME
#define TEST_NAME "test_loops"
#endif
#ifndef TEST_LINKED             /* else it lies in an object of its own */
#define NDGATHER_IMPLEMENTATION
#endif
#include "ndgather.h"

#include "model.h"

#define TYPES " i8,i16,i32,i64,u8,u16,u32,u64 "
#define KINDS " b1,2,3,4,7,8,12,16,31,40,64,65,128 "
#define SOFT  " zero,fill,keep,clip,wrap,error,default "
#define DROPS " drop,error,default "
#define ABOUT "126,127,128,129,254,255,256,257,32767,32768,65535,65536 "

static const test gathers[] = {
    /* Rows of each kind: as one constant, in two pieces. */
    { "packed", "gather,rows,check" TYPES KINDS "n1,3,4,6,64 pad0,5" },
    { "packed", "gather,rows" TYPES KINDS "n9 bad0,1,2,3,4,5,6,7,8" },
    { "packed", "gather,rows" TYPES "r300 n200 bad-1,150" },
    /* Tables of about as many rows as an index type can name. */
    { "limit", "gather" TYPES "n90 error,keep,clip ends0,1 wild odds0,9 b2"
      " x1,2 gap0,2 r" ABOUT },
    { "limit", "gather" TYPES "n90 error,keep,clip ends0,1 wild odds0,9 d2"
      " r1,2 p" ABOUT },
    { "limit", "gather" TYPES "n90 error,keep d3 r1 p1 wild odds0,9 q" ABOUT },
    /* Rows that are copied by a call each. */
    { "calls", "gather,rows" TYPES "b129,200,1000 r60 n20 pad0,1 bad-1,6,12" },
    /* Indices of any type that become numbers of 32 bits: a bad one among the
     * first, at a boundary, among the last; values that do not fit 32 bits; as
     * few rows as there may be. */
    { "numbers", "gather,check" TYPES SOFT "d1,2,3,4 ends0,1 r9 p5 q3 v2"
      " n200 bad-1,0,2,31,32,63,64,127,128,129,198,199" },
    { "numbers", "gather" TYPES SOFT "d1,2,3,4 ends0,1 r9 p5 q3 v2 n100"
      " batches2 tobatch0,1 bad31,64,199" },
    { "numbers", "gather,check" TYPES SOFT "d1,2,3,4 ends0,1 r9 p5 q3 v2"
      " n200 wild odds5,60" },
    { "numbers", "gather" TYPES "d1,2,3,4 ends0,1 error,wrap b4,12 bad-1,-2"
      " n1,3,4,5,31,32,33,63,64,65,127,128,129,192" },
    /* Rows of which some are bad. */
    { "places", "gather" TYPES SOFT KINDS "d1,2,3,4 ends0,1 r9 p5 q3 v2"
      " n140 odds3" },
    { "places", "gather" TYPES SOFT "n320 pad0,1 odds3" },
    /* An axis as long as it may be, one row longer, of a row or two, or none.
     * What no memory could hold is one row, at a stride of 0. */
    { "extents", "gather" TYPES SOFT "b1,4 d1,2 ends0,1 flat1 n150 wild"
      " odds2 r1,2,300,1048576,1300003,1073741824,1073741825,"
      "2147483647,1152921504606846975" },
    { "extents", "gather" TYPES SOFT "b1,4 d1,2 ends0,1 n150 wild odds2"
      " r0,1,2,300 p1,2" },
    { "extents", "gather" TYPES SOFT "ends0,1 d2 r2 p0,1,2,300 n150 wild"
      " odds2" },
    /* The unit of places: the strides' common power of two, or none. */
    { "unit", "gather i32,i64 b1,4,12,64 pad0,1,28 d1,2,3 apart0,2,6,4096"
      " back0,1 flat0,1,6 n90 bad5 every4 zero,wrap r9 p5" },
    /* On by places or by chunks as long as there are bad rows. */
    { "chunks", "gather" TYPES "zero,fill,keep,clip b4,129 r90 n1500"
      " every0,251 bad0,39,40,255,256,257,600,777,1033,1499" },
    /* Any steps between rows, index rows and components. */
    { "any", "gather" TYPES "error,keep b1,4,7,12,64,129 r7 d1,2,3 n40"
      " bad-1,13 every20 topad0,3 atpad0,5" },
    { "any", "gather" TYPES "error,keep b1,4,7,12,64,129 r7 d1,2,3 n40"
      " bad-1,13 every20 atback0,1 back0,1 atplanes0,1" },
    { "any", "gather" TYPES "error,keep b1,4,7,12,64,129 r7 d1,2,3 batches4"
      " n1,10 bad-1,13 every20 tobatch0,9 topad0,3" },
    { "any", "gather" TYPES KINDS "error,zero r6 p4 q11 d1,2,3 ends0,1 n30"
      " topad0,1 atplanes1 bad-1,17" },
    { "any", "gather" TYPES KINDS "error,zero r6 p4 q11 d1,2,3 ends0,1 n30"
      " topad0,2 atpad1 bad-1,17" },
    { "from_end", "gather,check" TYPES SOFT "ends1 r100,300 n50,400"
      " bad-1,4,12,20,36" },
    { "from_end", "gather" TYPES SOFT "ends1 d2 r200 p50 n90 bad33" },
    /* Packed index vectors, and what only looks like it. */
    { "tuples", "gather" TYPES "error,zero b1,2,3,4,7,8,12,16,31,64,129,300"
      " d2,3,4 r7 p5 q3 n30 bad-1,17 every4" },
    { "tuples", "gather" TYPES "d2,3 r2,300 p2,300 b4,32 n30 bad-1,20" },
    { "tuples", "gather" TYPES "d2,3 r9 p9 b4,12 n80 atplanes1"
      " atpad1,2,4,8,16" },
    { "tuples", "gather" TYPES "d2,3 r9 p9 b4,12 n80 up,pairs" },
    /* Far rows are asked for ahead. */
    { "ahead", "gather,rows i32,u32 near b16,17 r70000 n65,265,1065,17000"
      " bad-1,40,250 error,zero,keep" },
    { "ahead", "gather,rows i32,u32 near" KINDS "r17000 n65,265,865 pad0,1"
      " bad-1,40 every210 zero" },
    /* Rows of one index and of more: all good, or some bad. */
    { "find", "gather,check" TYPES SOFT "d1,2,3,4 ends0,1 r6 p9 q4 v3 n130"
      " atplanes0,1 bad-1,0,65 every3" },
    { "find", "gather" TYPES "d1,2,3,4 b24 r6 p9 q4 v3 n130 atplanes0,1"
      " atpad1 error,zero bad100 comp0,1,2,3" },
    /* The same of rows in two pieces, which go by chunks from the first on. */
    { "pieces", "gather" TYPES SOFT "d1,2,3,4 ends0,1 r6 p9 q2 b2 x2 gap1"
      " n95 atplanes0,1 atpad0,1 bad-1,33 every7" },
    { "pieces", "gather" TYPES SOFT "d1,2 ends0,1 r2,300 p2,300 b2 x2"
      " togap1 n60 bad40 every10" },
    /* Where CLIP and WRAP place every edge of every type. */
    { "placed", "gather" TYPES "clip,wrap ends0,1 b1 x1,2 gap0,1 n300 wild"
      " odds1 r1,2,3,7,97,120,1000,65521" },
    /* Chunks of rows of several batches; ranges that begin and end anywhere. */
    { "near", "gather i16 r12 d0,1,2,3 b4,80 n10 batches9 lines2"
      " toline0,3 tobatch0,5 atpad0,1 first0,7,14 last0,-8 zero,wrap"
      " bad-1,61 every3" },
    { "near", "gather i32,u8 r5 d1,2 n1 batches130 tobatch0,5 atback0,1"
      " first0,1,7,40 last41,80,81,120,0" },
    { "near", "gather i32,u8 r5 d1,2,3 n3,5,15,16,17 batches15 lines1,4"
      " toline0,3 tobatch0,5 first0,1,18,46 last47,80,81,120,0 b2 x1,2"
      " gap0,2" },
    { "near_bad", "gather i32,u8,i64" SOFT "ends0,1 d1,2,3 b12 r5"
      " n1,3,5,15,16,17 batches12 lines1,3 toline4 tobatch0,7 bad0,-2,37"
      " every5" },
    /* Packed batches of few rows, a table each. */
    { "batches", "gather" TYPES KINDS "r3 n2,3,4,16,63,64,65,255,256"
      " batches5 first0,1 last0,-3 bad-1,7 every77" },
    { "batches", "gather" TYPES SOFT "r7 n2,3,16,65 batches5 lines1,2"
      " toline0,3 atline0,5 odds20" },
    { "move_rows", "gather" KINDS SOFT "d2 r12 n130 atpad2 topad0,1,2 odds3" },
    { "move_rows", "gather i64" KINDS "x2,3,4,5,7 gap0,1 togap2 n100 r40" },
    { "steps", "gather,check u16 b1,2,3,4,7,8,12,16,31,64,65,130 x2,8" SOFT
      "gap3 togap1,2 outer1,3 n3,70 r20 odds10" },
    { "steps", "gather u16 b1,2,3,4,7,8,12,16 x150" SOFT "gap3 togap1 r20"
      " n70 odds10" },
    { "steps", "gather u16 b1,2,3,4,7,8,12,16 x230" SOFT "gap1 r20 n40"
      " odds7" },
    { "steps", "gather u16 b31,64,65,130 x9" SOFT "gap1 r20 n40 odds7" },
    { "steps", "gather u16 b1,2,3,4,8,12,16,64 x1,2,3,4,5,6,7,8,9" SOFT
      "gap0,3 togap0,2 topad1 r20 n50 bad1 every7" },
    { "steps", "gather u16 b1,2,3,4,8,12,16,64 x1,2,3,4,5,6,7,8,9" SOFT
      "planes0,1 toplanes0,1 topad1 r20 n50 bad1 every7" },
    { "steps", "gather u16" SOFT "b64,128 x9 gap1 togap0,64 r20 n70 align0"
      " odds9" },
    /* Whole lines, where none begins. */
    { "lines", "gather u16" SOFT "b64 x3 gap1 togap8 topad40 r20 n70 align0"
      " odds9" },
    { "lines", "gather u16" SOFT "b64 x9 gap1 togap1 topad55 r20 n70 align0" },
    { "lines", "gather u16" SOFT "b64 x3 gap1 toplanes1 topad4 r20 n70"
      " align0" },
    { "lines", "gather u16" SOFT "b192 batches2 tobatch0,4 outer1,3"
      " topad0,3 r20 n70 toline0,12 align0 odds9" },
    /* Long rows, of which some are bad. */
    { "move", "gather b129,200,390,1001,1024 outer1,2 r40 n70" SOFT
      "topad0,1 bad2 every9" },
    { "move", "gather near b2048,2112,4096 r40 n39,40,41,65,80,128,191"
      " align0,16 zero,clip bad-1,30,-2" },
    { "move", "gather near b2048 x2 gap64 r40 n65,128,191 align0" },
    { "move", "gather i64 b2048,4096 r3 n5,17,29,53 batches5 d1,2 p2 align0"
      " tobatch0,128 first0,3 zero bad-1,45" },
    { "next_chunk", "gather b80 r30 d1,2 n200 pad1 topad1" SOFT "every0,9"
      " bad0,39,40,41,63,64,65,79,80,127,128,199" },
    /* No index at all, nothing to name, indices that are not judged. */
    { "none", "gather d0 b12 n7,100 batches2,30 topad0,2 tobatch0,3" },
    { "none", "gather d2 b8 n150 r0,30 p0" SOFT },
    { "none", "gather i8 d1,2,3,4 r5 p7 q3 v3 b80 n200 ends1 valid" },
    /* What is put in place of bad rows. */
    { "put", "gather r9 n140" SOFT "odds5 topad0,1 e1 b1,2,4,8,16,64,128" },
    { "put", "gather r9 n140" SOFT "odds5 topad0,1 e3 b3,6,12,24,96,384" },
    { "put", "gather r9 n140" SOFT "odds5 topad0,1 e5 b5,10,40,160,640" },
    { "put", "gather r9 n140" SOFT "odds5 topad0,1 e12 b12,24,96,768" },
    { "put", "gather r9 n140" SOFT "odds5 topad0,1 e16 b16,32,64,128,2048" },
    { "put", "gather r9 n140" SOFT "odds5 b1,2,3,4,5,8,12,16 x2,4,16 togap1" },
    /* Which row is named, and how many are counted. */
    { "blame", "gather,check i64 b8 r30 n720" SOFT
      "bad0,1,39,40,63,64,255,511 every0,1,24,64,130,256,700 topad0,1" },
    { "blame", "gather i64 d2 b80 r30 n720" SOFT
      "bad0,1,39,40,63,64,255,511 every0,1,24,64,130,256,700" },
    { "blame", "gather b8 r30 n24 batches30" SOFT
      "bad0,1,39,40,63,64,255,511 every0,1,24,64,130,256,700" },
    /* Rows whose indices count up, but for one. */
    { "run_start", "rows i32,i64,u32,u64 up zero r1300 from9 off,again,wide"
      " n1044,1060,1093 bad-1,1,5,30,1000,1023,1024,1025,1030,1043,1055,"
      "1059" },
    { "copy_run", "gather,rows i32,i64,u32,u64 up b1,4,7,12,40,64,128 r1100"
      " n1060 align0,7,21 from0,10 pad0,1 error,keep bad-1,500" },
    { "copy_run", "rows i16,u16 pairs b1,4,12,64 r1200 n2100" },
    /* Whether a block is near decides which loop runs it, and nothing else. */
    { "is_near", "gather" TYPES "slow,near b32,400 r90 n300 zero bad-1,222" },
    { "run_block", "gather" TYPES "b8 n3000 error,zero,wrap every0,77"
      " bad-1,0,900,1023,1024,2500,2999" },
    { "run_block", "gather i32,i64 near r5000 n16424 error,zero bad-1,16390" },
    /* More rows than an index type can count. */
    { "run_block", "gather i8,u8,i16,u16 n70001 r100 b1 zero,error bad-1,-2" },
    /* A bad row in the middle of a batch: on with the chosen loop. */
    { "run_job", "gather b12 r20 n10 batches40 tobatch0,4 topad0,2" SOFT
      "bad3,14,25,47,80,102,200,256 every0,65" },
    { "run_job", "gather b12 r20 n31 batches12 tobatch0,4 topad0,2" SOFT
      "bad3,14,25,47,80,102,200,256 every0,65" },
    { "run_job", "gather b12 d1,2 ends0,1 r9 n600 keep,wrap last0,-40"
      " every200 bad0,43,86,129,299" },
    { "advance", "gather r15 n10,40 batches4 lines3 tobatch0,7 toline0,5"
      " topad0,2 d1,2 error,zero bad-1,5 every60 first0,1,9,10,11,30,57"
      " last0,-1,-9,-10,-30,-57" },
    { "advance", "gather r15 n10,40 batches4 lines3 tobatch7 b2 x2 gap1"
      " first0,1,9,10,11,30,57 last0,-1,-9,-10,-30,-57" },
    /* Outer steps, each of which leaves behind all that indices can name. */
    { "apart", "gather i16 b4,12,80,130 r20 n70" SOFT "outer1,3 batches1,2"
      " ends0,1 bad-1,66 every2" },
    { "apart", "gather i16 b4,12,80,130 r20 n70" SOFT "outer1,3 x3 planes1"
      " togap1 bad-1,66 every2" },
    /* A plan that its user has filled in: all of its rows go by chunks. */
    { "by_hand", "gather byhand1 b12,400 r20 n70 topad0,2 d1,2 outer1,3"
      " batches1,3 error,zero bad-1,33 first0,5" },
};

static const test scatters[] = {
    /* To all of out, or to some of it; the later entry wins. */
    { "pick", "stitch,thirds i32,u32" KINDS DROPS "total90 n70 shuffled"
      " gaps0,2 pad0,3 topad0,5 atpad0,1 align0,4 bad-1,37 every18" },
    { "pick", "stitch" TYPES "error,drop b12,129 total120 n119 shuffled"
      " gaps0,2 first0,20,50 last0,1,60,105 atpad0,1 bad-1,67 every33" },
    { "pick", "stitch" TYPES "drop total300 n100 up,shuffled first0,200"
      " last0,-1 bad-1,67" },
    { "pick", "stitch i16,i64 error,drop total2000 n1999 shuffled holes"
      " first0,700 last900,708 bad-1,300 every123" },
    { "pick", "stitch i32,i64 b7 lists3 n70 total50,125,200 drop bad-1,130"
      " last0,40" },
    { "runs", "stitch" KINDS "up from7 error,drop total1300 n17,1024,1054"
      " align0,5 bad-1,5,800,1030" },
    { "runs", "stitch" KINDS "up from40 drop total1300 n1054 pad0,1 topad0,2"
      " atpad0,1,4 bad-1,1030" },
    { "runs", "stitch,thirds" KINDS "up from7 total1300 n1024 first0,200"
      " last0,700 off bad-1,500" },
    { "runs", "stitch u16" KINDS "pairs total2300 n2100" },
    { "runs", "stitch b1,4,7,12 up n500 total1300 atpad4" },
    /* As far apart as packed ones of 4 bytes, but of another width. */
    { "runs", "stitch i8,u8 b1,8 shuffled n8,200 total200 atpad3 drop" },
    { "runs", "stitch i16,u16 b1,8 shuffled n8,200 total200 atpad2 drop" },
    { "move", "stitch i32,i64" KINDS "x1,2,3 gap0,1 togap0,2 pad0,2"
      " topad0,3 shuffled total100 n90 last0,60" },
    { "move", "stitch i32,i64 b200 x1,2,3 gap0,1 togap0,2 shuffled total100"
      " n90" },
    { "blocks", "stitch i16,i32,i64,u16,u32,u64" DROPS "total3500 n3000"
      " shuffled bad-1,0,63,64,1023,1024,1100,2900 every0,99" },
    { "total", "total" TYPES "error,drop b1 n1,2,70 lists2 total100"
      " atpad0,1 odds0,30,2 kind0,1" },
    { "tensors", "tensors,parallel" TYPES "lists1,3 n1,30 shuffled b4,12" },
    /* Few parts and many. */
    { "tally", "tally" TYPES "parts1,3,64,65,300 b1"
      " n1,2,3,4,5,6,7,8,9,172,335 atpad0,2" },
    { "tally", "tally" TYPES "error,drop parts1,7,64,100,300 b1 n700"
      " atpad0,1 bad0,29,58,200 every13,300" },
    { "deal", "deal,deals i32,u32" KINDS DROPS "parts5 n90 pad0,3 topad0,5"
      " atpad0,1 bad-1,70" },
    { "deal", "deal,deals i32,u32" KINDS DROPS "parts2,5 n90 where-1,0,4"
      " room0,2 bad-1,70" },
    { "deal", "deal" TYPES "default,drop b12,129 parts5 n120 pad0,3"
      " atpad0,1 where0,1,2,3,4,5,6,7 room0,2 bad-1,3,35,99 every31" },
    { "deal", "deal" TYPES DROPS "parts9,200,300 n1200 room0,1,2 every0,300"
      " bad-1,0,1,64,200,255,1199" },
    { "deal", "deal,once" TYPES "error,drop b1,4,8,16,64,96,192 parts1,2,3"
      " n200 atpad0,2 align0,32 where-1,3 bad-1,70 every129" },
    { "deal", "deal,once" TYPES "b4,16,64 x2 gap1 parts1,2,3,9 n200" },
    { "positions", "deal" TYPES DROPS "b0 parts5,200 n6500 where0,3,6 room0,2"
      " bad-1,100,6401 every300" },
    { "positions", "deal i32,u8 drop b4,12,64 parts1,3,9 n6500 where0,6"
      " odds2,5 room0,2" },
    { "two", "deal,deals i32,u32" KINDS DROPS "parts2 n300 low,high,random"
      " room0,1,2 bad-1,100,9 every27" },
    /* Zeroes and long copies past the caches, at every distance from a line. */
    { "stream", "stitch b7 n2,1200 total1500 up from0,3"
      " align0,3,6,9,12,15,18,21,24,27,30,33,36,39,42,45,48,51,54,57,60,63" },
    { "stream", "rows b3 r1400 n1100 up from0,3"
      " align0,5,10,15,20,25,30,35,40,45,50,55,60" },
};

/* Rows that lie 2^31 - 1 bytes apart, and more: the last ones that places
 * reach, and those beyond. Only the lines around them are ever touched. */
static void unit_reach(void)
{
    static const unsigned char rows[] = { 1, 2, 0, 3, 4, 2 };
    const int32_t   index[] = { 0, 1, 1, 2, 2, 1, 1, 0, 1, 3, 1, 2 };
    const ptrdiff_t far_off = INT32_MAX;
    unsigned char  *memory = 0, got[6];
    int             over;
    if (sizeof far_off > 4)
        memory = (unsigned char *)malloc((size_t)far_off + 9);
    if (!memory) {
        printf("skip: unit_reach: no 2 GiB\n");
        return;
    }
    for (over = 0; over < 2; over++) {
        const ptrdiff_t step = far_off - 3 + over;
        ndg_gather_desc d = gather_of(1, ndg_strided3(2, step, 4, 1, 1, 1),
                                      ndg_dims2(6, 2));
        ndg_report      r;
        memory[1] = 1;
        memory[step] = 3;
        memory[step + 2] = 2;
        memory[step + 3] = 4;
        d.index_type = NDG_I32;
        d.policy = NDG_ZERO;
        ndg_gather_nd(got, 6, memory, index, &d, &r);
        CHECK(r.status == NDG_OK && r.bad.count == 1);
        CHECK(!memcmp(got, rows, sizeof rows));
    }
    free(memory);
}

/* Also of a plan made by hand, out is refused where it lies over indices. */
static void by_hand_over_indices(void)
{
    ndg_gather_desc d = gather_of(4, ndg_dims1(NOISE / 4), ndg_dims1(20));
    ndg_gather_plan p;
    ndg_report      r;
    int32_t         both[40];
    memset(both, 0, sizeof both);
    CHECK(ndg_plan_gather(&p, &d, &r) == NDG_OK);
    memset(&p.loop, 0, sizeof p.loop);
    CHECK(ndg_gather_run(&p, both + 19, 80, noise, both, &r)
          == NDG_E_OVERLAP && r.operand == NDG_ARG_INDICES);
    CHECK(ndg_gather_run(&p, both + 20, 80, noise, both, &r) == NDG_OK);
}

static void by_hand_scattered(void)
{
    ndg_scatter_desc d = NDG_ZERO_INIT;
    ndg_scatter_plan p;
    ndg_report       r;
    int32_t          both[40];
    memset(both, 0, sizeof both);
    d.out = ndg_dims1(20);
    d.indices = ndg_dims2(20, 1);
    d.elem_size = 4;
    CHECK(ndg_plan_scatter_nd(&p, &d, &r) == NDG_OK);
    memset(&p.by.loop, 0, sizeof p.by.loop);
    CHECK(ndg_scatter_run(&p, both + 19, 80, noise, both, &r)
          == NDG_E_OVERLAP && r.operand == NDG_ARG_INDICES);
    CHECK(ndg_scatter_run(&p, both + 20, 80, noise, both, &r) == NDG_OK);
    CHECK(!memcmp(both + 20, noise + 76, 4));
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : 0;
    noise_make();
    run_all(gathers, COUNT(gathers), name);
    run_all(scatters, COUNT(scatters), name);
    if (!name) unit_reach();
    if (!name) by_hand_over_indices();
    if (!name) by_hand_scattered();
    return test_end(TEST_NAME);
}
