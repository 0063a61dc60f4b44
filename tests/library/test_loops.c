/* test_loops.c - the loops that read, check and copy, against plain loops over
 * rows: see model.h, which says what the texts below mean. First each loop of
 * the fast engine by inputs known to reach it; then rows of every size, count,
 * place and layout, many of them drawn. What is expected is what ndgather.h
 * promises; only which inputs reach which loop is taken from its private parts.
 * tests/mutation shows that each loop is in fact looked after. Run with the
 * name of one test, it runs just that. */
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

typedef struct test { const char *name, *text; } test;

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
    { "two", "deal,deals i32,u32" KINDS DROPS "parts2 n300 low,high,random"
      " room0,1,2 bad-1,100,9 every27" },
    /* Zeroes and long copies past the caches, at every distance from a line. */
    { "stream", "stitch b7 n2,1200 total1500 up from0,3"
      " align0,3,6,9,12,15,18,21,24,27,30,33,36,39,42,45,48,51,54,57,60,63" },
    { "stream", "rows b3 r1400 n1100 up from0,3"
      " align0,5,10,15,20,25,30,35,40,45,50,55,60" },
};

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

static const test drawn_scatters[] = {
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
        ndg_gather_desc d = NDG_ZERO_INIT;
        ndg_report      r;
        const ptrdiff_t step = far_off - 3 + over;
        memory[1] = 1;
        memory[step] = 3;
        memory[step + 2] = 2;
        memory[step + 3] = 4;
        d.params = ndg_strided3(2, step, 4, 1, 1, 1);
        d.indices = ndg_dims2(6, 2);
        d.elem_size = 1;
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
    ndg_gather_desc d = NDG_ZERO_INIT;
    ndg_gather_plan p;
    ndg_report      r;
    int32_t         both[40];
    memset(both, 0, sizeof both);
    d.params = ndg_dims1(NOISE / 4);
    d.indices = ndg_dims1(20);
    d.elem_size = 4;
    CHECK(ndg_plan_gather(&p, &d, &r) == NDG_OK);
    memset(&p.loop, 0, sizeof p.loop);
    CHECK(ndg_gather_run(&p, both + 19, 80, noise, both, &r)
          == NDG_E_OVERLAP && r.operand == NDG_ARG_INDICES);
    CHECK(ndg_gather_run(&p, both + 20, 80, noise, both, &r) == NDG_OK);
}

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
    ndg_gather_desc d = NDG_ZERO_INIT;
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
    d.params = ndg_strided4(BATCHES, 80, A, 40, B, 10, EXTENT, 1);
    d.indices = ndg_dims2(BATCHES, N);
    d.batch_dims = 1;
    d.axis = 3;
    d.elem_size = 1;
    d.index_type = NDG_U8;
    CHECK(ndg_plan_gather(&p, &d, &r) == NDG_OK);
    CHECK(p.copy_levels == 2 && p.row_levels == 2);
    CHECK(ndg_gather_run(&p, got, BYTES, data, pick, &r) == NDG_OK);
    CHECK(!memcmp(got, right, BYTES));
}

static void run_all(const test *t, int n, const char *name)
{
    for (; n > 0; n--, t++) {
        const long before = test_passed + test_failed;
        if (name && strcmp(name, t->name)) continue;
        jobs_of(t->text, job_run);
        CHECKF(before != test_passed + test_failed, "%s: is nothing", t->text);
    }
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : 0;
    noise_make();
    run_all(gathers, COUNT(gathers), name);
    run_all(scatters, COUNT(scatters), name);
    run_all(drawn_gathers, COUNT(drawn_gathers), name);
    run_all(drawn_scatters, COUNT(drawn_scatters), name);
    arena = (unsigned char *)grab(ROOM);
    memcpy(arena, noise, NOISE);
    if (PTRDIFF_MAX > INT32_MAX) run_all(far_rows, COUNT(far_rows), name);
    else printf("skip: tables of far rows: addresses have 32 bits\n");
    free(arena);
    if (name) return test_end(TEST_NAME);
    unit_reach();
    by_hand_over_indices();
    outer_axes_all();
    batches_of_slices();
    return test_end(TEST_NAME);
}
