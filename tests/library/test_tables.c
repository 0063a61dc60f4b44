/* test_tables.c - small cases with their answers written out by hand, of every
 * operation but one.
 *
 *     { "gather 2,2 by 2,2 batch 1", "0 2 -1 1", "a##d abcd aadd", "2 1 0" }
 *
 * First what is called: the extents of params, or of a scatter's out, those of
 * indices, and what is not zero: batch, axis, end (1: negatives count from
 * there), mask and add. Then the indices, and what out becomes. An element is
 * one letter: params are abcdef ..., and so are a scatter's data. '#' is what a
 * policy puts in place of a bad row; with bad rows a second and a third word
 * are what CLIP and WRAP give ('!': an error). '.' is a place that no row of a
 * scatter names. At last "count position component" of bad rows. Each case
 * runs in every index type that holds its indices, under every policy.
 *
 *     { "stitch total 3", "0 -1|1", "ac.", "1 1 0" }
 *     { "partition 2", "0 2 1", "a|c", "1 1 0" }
 *
 * Lists and parts are divided by '|'. Entries are abcdef ... in turn; without a
 * total there are as many rows as they ask for. The third number is the list
 * of the bad entry. The letters of a part also say its positions. */
#ifndef TEST_LINKED             /* else it lies in an object of its own */
#define NDGATHER_IMPLEMENTATION
#endif
#include "ndgather.h"

#include "../lib/test.h"
#include "../lib/arrays.h"
#include "../lib/descs.h"

#define MAX64 "9223372036854775807"
#define MIN64 "-9223372036854775808"
#define HALF  "9223372036854775808"       /* 2^63, the first negative bits */
#define MAXU  "18446744073709551615"

typedef struct row { const char *what, *values, *out, *bad; } row;

static const row gathers[] = {
    /* Too large, negative (CVE-2021-37687), both, none. */
    { "gather 3 by 3", "0 3 2", "a#c acc aac", "1 1 0" },
    { "gather 3 by 3", "0 -1 2", "a#c aac acc", "1 1 0" },
    { "gather 3 by 3", "3 4 -5", "### cca abb", "3 0 0" },
    { "gather 3 by 3", "2 1 0", "cba", "" },
    { "gather 3 by 3", "3 3 0", "##a cca aaa", "2 0 0" },
    { "gather 3 by 4", "-1 -2 -3 -4", "#### aaaa cbac", "4 0 0" },
    { "gather 4 by 6", "3 -1 2 -1 1 -128", "d#c#b# dacaba ddcdba", "3 1 0" },
    /* The ends of every type, and what is good in its low half. */
    { "gather 3 by 3", "-128 127 1", "##b acb bbb", "2 0 0" },
    { "gather 3 by 4", "255 128 127 2", "###c cccc acbc", "3 0 0" },
    { "gather 10 by 2", "-32768 32767", "## aj ch", "2 0 0" },
    { "gather 3 by 4", "0 256 32768 65535", "a### accc abca", "3 1 0" },
    { "gather 10 by 2", "255 65535", "## jj ff", "2 0 0" },
    { "gather 10 by 2", "-2147483648 2147483647", "## aj ch", "2 0 0" },
    { "gather 3 by 4",
      "65536 2147483648 4294967295 1", "###b cccb bcab", "3 0 0" },
    { "gather 10 by 2", "4294967295 4294967296", "## jj fg", "2 0 0" },
    { "gather 3 by 3", MIN64 " 1 " MAX64, "#b# abc bbb", "2 0 0" },
    { "gather 7 by 2", MIN64 " " MAX64, "## ag ga", "2 0 0" },
    { "gather 10 by 2", MIN64 " " MAX64, "## aj ch", "2 0 0" },
    { "gather 3 by 3", MAXU " 0 " HALF, "#a# cac aac", "2 0 0" },
    { "gather 3 by 2", "9223372036854775809 " MAX64, "## cc ab", "2 0 0" },
    { "gather 7 by 2", MAXU " " HALF, "## gg bb", "2 0 0" },
    { "gather 10 by 2", "9 " MAXU, "j# jj jf", "1 1 0" },
    { "gather 1 by 3", MIN64 " -1 1", "### aaa aaa", "3 0 0" },
    /* Slices, axes, batches, vectors. */
    { "gather 2,2 by 2", "2 1", "##cd cdcd abcd", "1 0 0" },
    { "gather 2,2 by 2", "2 -3", "#### cdab abcd", "2 0 0" },
    { "gather 2,3 by 3", "1 2 0", "def###abc defdefabc defabcabc", "1 1 0" },
    { "gather 2,3 by 2 axis 1", "3 0", "#a#d cafd aadd", "1 0 0" },
    { "gather 2,3 by 2 axis 1", "4 -1", "#### cafd bcef", "2 0 0" },
    { "gather 2,2,2 by 2 axis 1",
      "-1 1", "##cd##gh abcdefgh cdcdghgh", "1 0 0" },
    { "gather 2,2 by 2,2 batch 1", "0 2 -1 1", "a##d abcd aadd", "2 1 0" },
    { "gather 2,3 by 2,1 batch 1", "3 -1", "## cd af", "2 0 0" },
    { "gather 3 by ()", "7", "# c b", "1 0 0" },
    { "gather 3 by ()", "-7", "# a c", "1 0 0" },
    { "batch_gather 2,2 by 2,1", "2 0", "#c bc ac", "1 0 0" },
    { "batch_gather 2,2 by 2,1", "2 -1", "## bc ad", "2 0 0" },
    { "gather_nd 2,2 by 3,2", "0 0 2 0 1 1", "a#d acd aad", "1 1 0" },
    { "gather_nd 2,2 by 2,2", "1 2 0 1", "#b db cb", "1 0 1" },
    { "gather_nd 2,2 by 1,2", "-1 5", "# b d", "1 0 0" },
    { "gather_nd 2,3 by 1,2", "5 -5", "# d e", "1 0 0" },
    { "gather_nd 2,3 by 2,2", "0 9 -9 1", "## cb ae", "2 0 1" },
    { "gather_nd 2,3 by 1,2", "1 " MAXU, "# f d", "1 0 1" },
    { "gather_nd 2,2 by 2,1", "1 9", "cd## cdcd cdcd", "1 1 0" },
    { "gather_nd 2,2 by 2,1 batch 1", "2 1", "#d bd ad", "1 0 0" },
    /* (CVE-2022-35937, -35938: only the flat offset was compared.) */
    { "gather_nd 2,2 by 2,2", "0 3 1 -1", "## bc bd", "2 0 1" },
    { "gather_nd 2,3 by 2,2", "1 2 0 1", "fb", "" },
    /* Nothing to name, to copy, or to ask for (CVE-2021-29589, -37653). */
    { "gather 0 by 2", "0 -1", "## ! !", "2 0 0" },
    { "gather 0 by 0", "", "", "" },
    { "gather 0,3 by 0,2 batch 1", "", "", "" },
    { "gather_nd 0,3 by 0,1 batch 1", "", "", "" },
    { "batch_gather 0,3 by 0,2", "", "", "" },
    { "gather 3,0,4,5 by 3,0,2 batch 2", "", "", "" },
    { "gather 3 by 0", "", "", "" },
    { "gather_nd 2 by 2,0", "", "abab", "" },
    { "gather_nd 3,0 by 2,2", "0 0 1 0", "## ! !", "2 0 1" },
    { "gather_nd 3,0 by 1,2", "9 0", "# ! !", "1 0 0" },
    { "gather_nd 2,0 by 2,2", "1 5 0 0", "## ! !", "2 0 1" },
    { "gather_nd 0,3 by 1,2", "0 7", "# ! !", "1 0 0" },
    { "gather_nd 0 by 0,1", "", "", "" },
    { "gather 3,0 by 2", "5 1", "", "1 0 0" },
    /* From the end. */
    { "gather 3 by 6 end 1", "-3 -2 -1 0 1 2", "abcabc", "" },
    { "gather 3 by 4 end 1", "-1 -3 -4 3", "ca## caac caca", "2 2 0" },
    { "gather 3 by 2 end 1", "-128 -2", "#b ab bb", "1 0 0" },
    { "gather 3 by 2 end 1", "-2147483648 -2", "#b ab bb", "1 0 0" },
    { "gather 3 by 2 end 1", MIN64 " -2", "#b ab bb", "1 0 0" },
    { "gather 3 by 1 end 1", "255", "# c a", "1 0 0" },
    { "gather 3 by 1 end 1", "4294967295", "# c a", "1 0 0" },
    { "gather 3 by 1 end 1", MAXU, "# c a", "1 0 0" },
    { "gather 0 by 1 end 1", "-1", "# ! !", "1 0 0" },
    { "gather 1 by 2 end 1", "-1 0", "aa", "" },
    { "gather 2,2 by 2 end 1", "-1 -2", "cdab", "" },
    { "gather 2,3 by 2 axis 1 end 1", "-1 -3", "cafd", "" },
    { "gather 2,3 by 2 axis -1 end 1", "-1 0", "cafd", "" },
    { "gather 2,2 by 2,2 batch 1 end 1", "-1 -2 1 -1", "badd", "" },
    { "gather_nd 2,3 by 3,2 end 1", "-1 -1 -2 -3 0 -2", "fab", "" },
    { "gather_nd 2,3 by 1,2 end 1", "-1 -4", "# d f", "1 0 1" },
    { "gather_nd 2,3 by 1,2 end 1", "-3 0", "# a d", "1 0 0" },
    { "batch_gather 2,2 by 2,1 end 1", "-2 -1", "ad", "" },
    /* A mask: a generation above, a place below. */
    { "gather 3 by 3 mask 255", "258 512 769", "cab", "" },
    { "gather 3 by 3 mask 255", "258 515 769", "c#b ccb cab", "1 1 0" },
    { "gather 4 by 4 mask 3", "16 -13 34 -111", "adcb", "" },
    { "gather 4 by 4 mask 3", "240 255 1 130", "adbc", "" },
    { "gather 4 by 3 mask 3", "65535 32769 256", "dba", "" },
    { "gather 4 by 3 mask 3", "-2147483646 2147483647 -1", "cdd", "" },
    { "gather 4 by 3 mask 3", "4294967295 4294967294 2147483648", "dca", "" },
    { "gather 4 by 3 mask 3", MIN64 " " MAX64 " -2", "adc", "" },
    { "gather 4 by 3 mask 3", MAXU " " HALF " 9223372036854775809", "dab", "" },
    { "gather 3 by 2 mask -1", "2 -1", "c# ca cc", "1 1 0" },
    { "gather_nd 2,3 by 3,2 mask 15", "16 34 49 0 17 18", "cdf", "" },
    { "gather_nd 2,3 by 3,2 mask 15",
      "16 34 18 3 17 19", "c## cff cad", "2 1 0" },
    { "gather 3,2 by 2 mask 15", "98 64", "efab", "" },
    { "gather 2,3 by 2 axis 1 mask 15", "66 32", "cafd", "" },
    { "gather 2,3 by 2,2 batch 1 mask 15", "66 32 17 18", "caef", "" },
    { "gather 2,3 by 2,2 batch 1 mask 15",
      "66 35 17 18", "c#ef ccef caef", "1 1 0" },
    { "batch_gather 2,3 by 2,1 mask 15", "66 33", "ce", "" },
    /* A sum: a font that begins at ' '; beyond what the type holds. */
    { "gather 26 by 4 add -32", "32 35 33 127", "adb# adbz adbr", "1 3 0" },
    { "gather 3 by 3 add -32", "33 31 34", "b#c bac bcc", "1 1 0" },
    { "gather 3 by 3 add -32", "33 2 35", "b## bac baa", "2 1 0" },
    { "gather 3 by 5 add -32", "31 32 34 35 30", "#ac## aacca cacab", "3 0 0" },
    { "gather 3 by 3 add 5", "-5 -4 -3", "abc", "" },
    { "gather 3 by 3 add 5", "-6 -5 -2", "#a# aac caa", "2 0 0" },
    { "gather 3 by 3 add -32", "0 31 32", "##a aaa bca", "2 0 0" },
    { "gather 3 by 2 add 128", "-128 127", "a# ac aa", "1 1 0" },
    { "gather 3 by 2 add 1", "255 1", "#c cc bc", "1 0 0" },
    { "gather 3 by 2 add 1", "2147483647 -1", "#a ca ca", "1 0 0" },
    { "gather 3 by 2 add 1", "4294967295 1", "#c cc bc", "1 0 0" },
    { "gather 3 by 3 add 4294967296",
      "-4294967296 -4294967295 0", "ab# abc abb", "1 2 0" },
    { "gather 3 by 2 add -4294967296", "4294967295 0", "## aa cc", "2 0 0" },
    { "gather 3 by 3 mask 255 add -32", "289 290 34", "bcc", "" },
    { "gather 3 by 3 mask 255 add -32", "289 260 34", "b#c bac bcc", "1 1 0" },
    { "gather 4 by 2 mask 3 add 1", "3 7", "## dd aa", "2 0 0" },
    { "gather 3 by () add -32", "33", "b", "" },
    { "gather 0 by 1 add -32", "32", "# ! !", "1 0 0" },
    { "gather 3,0 by 2 add -32", "33 35", "", "1 1 0" },
    { "gather_nd 2,3 by 2,2 add -5", "7 7 5 4", "## fa cc", "2 0 0" },
    { "gather_nd 2,3 by 2,1 batch 1 add -32", "34 33", "ce", "" },
    { "batch_gather 2,3 by 2,2 add -32",
      "32 34 31 33", "ac#e acde acfe", "1 2 0" },
    /* What 64 bits do not hold stays at the end. */
    { "gather 3 by 2 add 9223372036854775807",
      MAX64 " 0", "## cc cb", "2 0 0" },
    { "gather 3 by 1 add 9223372036854775807", MAXU, "# c a", "1 0 0" },
    { "gather 3 by 1 add -1", MIN64, "# a b", "1 0 0" },
    { "gather 3 by 1 add 1", MAXU, "# c a", "1 0 0" },
    { "gather 3 by 1 add 1", MAX64, "# c c", "1 0 0" },
    { "gather 3 by 1 add -9223372036854775808", MIN64, "# a b", "1 0 0" },
    { "gather 3 by 1 add -9223372036854775808", MAXU, "# c b", "1 0 0" },
    { "gather 3 by 3 add -9223372036854775808",
      HALF " 9223372036854775809 9223372036854775810", "abc", "" },
    { "gather 3 by 3 add 9223372036854775807",
      "-9223372036854775807 -9223372036854775806 "
      "-9223372036854775805", "abc", "" },
    { "gather 3 by 1 mask -9223372036854775808 add 9223372036854775807",
      MIN64, "# a c", "1 0 0" },
    /* From the end, of what it has become. */
    { "gather 3 by 3 end 1 add -32", "31 30 29", "cba", "" },
    { "gather 3 by 3 end 1 add -32", "31 28 35", "c## cac cca", "2 1 0" },
    { "gather 3 by 2 end 1 add 5", "-6 -4", "cb", "" },
    { "gather 4 by 2 end 1 mask 3", "-1 -2", "dc", "" },
    { "gather 3 by 1 end 1 mask -1", MAXU, "# c a", "1 0 0" },
    { "gather_nd 2,3 by 2,2 end 1 add -5", "4 4 3 2", "fa", "" }
};

static const row scatters[] = {
    /* The manual's picture; one component, more, none. */
    { "scatter_nd 2,3 by 3,2", "0 2 1 0 1 2", "..ab.c", "" },
    { "scatter_nd 3,2 by 2,1", "2 0", "cd..ab", "" },
    { "scatter_nd 2,3 by 2", "1 1", "....a.", "" },
    { "scatter_nd 2,3 by 1", "1", "...abc", "" },
    { "scatter_nd 4 by 4,1", "3 0 2 1", "bdca", "" },
    { "scatter_nd 2,2 by 0", "", "abcd", "" },
    { "scatter_nd 2,2 by 2,0", "", "efgh", "" },
    { "scatter_nd 2,2 by 0,0", "", "....", "" },
    { "scatter_nd 2,2,2 by 3,3", "0 0 0 1 1 1 1 0 1", "a....c.b", "" },
    { "scatter_nd 1,2,2,2 by 2,3", "0 1 0 0 0 1", "..cdab..", "" },
    { "scatter_nd 2,1,2,1,2 by 3,5",
      "1 0 1 0 1 0 0 0 0 1 1 0 0 0 0", ".b..c..a", "" },
    { "scatter_nd 2,3 by 2,2,2", "0 0 0 1 1 2 1 1", "ab..dc", "" },
    { "scatter_nd 3,2 by 1,2,1,1", "2 1", "..cdab", "" },
    /* The last writer. */
    { "scatter_nd 3 by 4,1", "1 1 0 1", "cd.", "" },
    { "scatter_nd 2,2 by 3,1", "0 1 0", "efcd", "" },
    { "scatter_nd 2,2 by 5,2", "1 0 1 0 1 0 1 0 1 0", "..e.", "" },
    /* No rows, no slots, slices of nothing. */
    { "scatter_nd 2,3 by 0,2", "", "......", "" },
    { "scatter_nd 2 by 2,0,1", "", "..", "" },
    { "scatter_nd 0,3 by 0,1", "", "", "" },
    { "scatter_nd 3,0 by 2,1", "2 0", "", "" },
    { "scatter_nd 3,0 by 3,1", "5 1 -1", "", "2 0 0" },
    { "scatter_nd 0 by 2,1", "0 -1", "", "2 0 0" },
    { "scatter_nd 3,0 by 2,2", "1 0 3 0", "", "2 0 1" },
    { "scatter_nd 2,0 by 2,1,1 batch 1", "0 0", "", "2 0 0" },
    /* Batches. */
    { "scatter_nd 2,3 by 2,2,1 batch 1", "2 0 1 1", "b.a.d.", "" },
    { "scatter_nd 2,2,2 by 2,1,1 batch 1", "1 0", "..abcd..", "" },
    { "scatter_nd 2,2,2 by 2,1,2 batch 1", "1 0 0 1", "..a..b..", "" },
    { "scatter_nd 2,3 by 2,1 batch 1", "2 0", "..ab..", "" },
    { "scatter_nd 2,2 by 2,2,0 batch 1", "", "cdgh", "" },
    { "scatter_nd 2,2,2 by 2,2,1,1 batch 2", "1 0 0 1", ".ab.c..d", "" },
    { "scatter_nd 2,2 by 2,2,0 batch 2", "", "abcd", "" },
    { "scatter_nd 2 by 2,3,0 batch 1", "", "cf", "" },
    { "scatter_nd 0,3 by 0,2,1 batch 1", "", "", "" },
    /* Bad rows leave no trace. */
    { "scatter_nd 3 by 3,1", "0 3 2", "a.c", "1 1 0" },
    { "scatter_nd 3 by 3,1", "0 -1 2", "a.c", "1 1 0" },
    { "scatter_nd 3 by 3,1", "3 4 -5", "...", "3 0 0" },
    { "scatter_nd 2,2 by 2,1", "2 1", "..cd", "1 0 0" },
    { "scatter_nd 2,2 by 3,2", "0 0 2 0 1 1", "a..c", "1 1 0" },
    { "scatter_nd 2,2 by 2,2", "1 2 0 1", ".b..", "1 0 1" },
    { "scatter_nd 2,2 by 2,2", "-1 5 0 0", "b...", "1 0 0" },
    { "scatter_nd 2,3 by 3,2", "0 3 1 -1 0 5", "......", "3 0 1" },
    { "scatter_nd 2,3 by 2,1,1 batch 1", "3 -1", "......", "2 0 0" },
    { "scatter_nd 2,2,2 by 2,3", "1 1 2 0 1 1", "...b....", "1 0 2" },
    { "scatter_nd 1,1,1,1,2 by 2,5", "0 0 0 0 2 0 0 0 0 1", ".b", "1 0 4" },
    { "scatter_nd 2 by 3,1", "0 0 -1", "b.", "1 2 0" },
    { "scatter_nd 2,2 by 2,2,1 batch 1", "0 2 -1 1", "a..d", "2 1 0" },
    /* The ends of every type. */
    { "scatter_nd 3 by 3,1", "-128 127 1", ".c.", "2 0 0" },
    { "scatter_nd 3 by 2,1", "255 2", "..b", "1 0 0" },
    { "scatter_nd 3 by 3,1", "0 32767 -32768", "a..", "2 1 0" },
    { "scatter_nd 3 by 2,1", "65535 0", "b..", "1 0 0" },
    { "scatter_nd 3 by 3,1", "-2147483648 2147483647 0", "c..", "2 0 0" },
    { "scatter_nd 3 by 3,1", "4294967295 1 4294967296", ".b.", "2 0 0" },
    { "scatter_nd 3 by 3,1", MIN64 " 1 " MAX64, ".b.", "2 0 0" },
    { "scatter_nd 3 by 3,1", HALF " 0 " MAXU, "b..", "2 0 0" },
    { "scatter_nd 2,2 by 2,2", "1 " MAXU " 1 1", "...b", "1 0 1" },
    /* From the end. */
    { "scatter_nd 3 by 3,1 end 1", "-1 -3 1", "bca", "" },
    { "scatter_nd 2,2 by 2,1 end 1", "-2 -1", "abcd", "" },
    { "scatter_nd 2,3 by 3,2 end 1", "-1 -1 -2 -3 0 -2", "bc...a", "" },
    { "scatter_nd 3 by 2,1 end 1", "2 -1", "..b", "" },
    { "scatter_nd 3 by 3,1 end 1", "-4 -3 3", "b..", "2 0 0" },
    { "scatter_nd 2,3 by 2,2 end 1", "-1 -4 -1 -3", "...b..", "1 0 1" },
    { "scatter_nd 2,3 by 1,2 end 1", "-3 0", "......", "1 0 0" },
    { "scatter_nd 2,2 by 2,1,1 batch 1 end 1", "-1 -2", ".ab.", "" },
    { "scatter_nd 3 by 2,1 end 1", MIN64 " -2", ".b.", "1 0 0" },
    { "scatter_nd 3 by 2,1 end 1", MAXU " 255", "...", "2 0 0" },
    { "scatter_nd 0 by 1,1 end 1", "-1", "", "1 0 0" },
    /* Masks and sums. */
    { "scatter_nd 4 by 3,1 mask 255", "259 512 769", "bc.a", "" },
    { "scatter_nd 4 by 3,1 mask 255", "259 516 769", ".c.a", "1 1 0" },
    { "scatter_nd 2,3 by 2,2 mask 15", "17 34 16 32", "b....a", "" },
    { "scatter_nd 2,3 by 2,2 mask 15", "17 35 16 32", "b.....", "1 0 1" },
    { "scatter_nd 3 by 3,1 mask 15", "17 33 49", ".c.", "" },
    { "scatter_nd 4 by 2,1 mask 15", "-125 -16", "b..a", "" },
    { "scatter_nd 3,2 by 2,1 add -32", "34 32", "cd..ab", "" },
    { "scatter_nd 3 by 2,1 end 1 add -32", "31 29", "b.a", "" },
    { "scatter_nd 3 by 2,1 end 1 add -32", "31 28", "..a", "1 1 0" },
    { "scatter_nd 2,3 by 2,1,1 batch 1 add -32", "34 33", "..a.b.", "" },
    { "scatter_nd 3 by 3,1 add -9223372036854775808",
      HALF " 9223372036854775810 " MAXU, "a.b", "1 2 0" },
    { "scatter_nd 3 by 2,1 add 1", MAXU " 1", "..b", "1 0 0" },
    { "scatter_nd 3 by 2,1 add -1", MIN64 " 1", "b..", "1 0 0" },
    { "scatter_nd 3 by 2,1 mask 255 add -32", "290 32", "b.a", "" },
    { "scatter_nd 0 by 1,1 add -32", "32", "", "1 0 0" }
};

static const row stitches[] = {
    /* (CVE-2023-25659: what was negative was written before it was checked.) */
    { "stitch", "0 2|1", "acb", "" },
    { "stitch", "0 -1 1", "ac", "1 1 0" },
    { "stitch", "-5 0", "b", "1 0 0" },
    { "stitch", "0|-1 1", "ac", "1 0 1" },
    { "stitch", "-1 0|-2 1", "bd", "2 0 0" },
    { "stitch", "-1 -2", "", "2 0 0" },
    { "stitch", "0 3 -1", "a..b", "1 2 0" },
    { "stitch", "0 1|-1|0", "db", "1 0 1" },
    { "stitch", "0 0 -1 0", "d", "1 2 0" },
    { "stitch", MIN64 " 0", "b", "1 0 0" },
    { "stitch", "-128 1", ".b", "1 0 0" },
    { "stitch total 1", MAXU " 0", "b", "1 0 0" },
    { "stitch total 2", "1 " HALF " 0", "ca", "1 1 0" },
    { "stitch total 1", "0 " MAX64, "a", "1 1 0" },
    { "stitch total 1", "4294967295 0", "b", "1 0 0" },
    { "stitch total 1", "255 0", "b", "1 0 0" },
    { "stitch total 3", "0 1 2 3", "abc", "1 3 0" },
    { "stitch total 2", "-1 7 0|8", "c.", "3 0 0" },
    { "stitch total 0", "0 1", "", "2 0 0" },
    { "stitch total 4", "0 -1", "a...", "1 1 0" },
    { "stitch total 1", "||-1", ".", "1 0 2" }
};

static const row partitions[] = {
    { "partition 2", "1 0 0 1", "bc|ad", "" },
    { "partition 2", "1 -1 0", "c|a", "1 1 0" },
    { "partition 2", "-1 0 1", "b|c", "1 0 0" },
    { "partition 2", "0 2 1", "a|c", "1 1 0" },
    { "partition 2", "2 -1 9", "|", "3 0 0" },
    { "partition 2", "", "|", "" },
    { "partition 1", "0 7 0 7 0", "ace", "2 1 0" },
    { "partition 3", "2 0 2", "b||ac", "" },
    { "partition 2", "1 0 1 0 1 0", "bdf|ace", "" },
    { "partition 2", "1 1 1", "|abc", "" },
    { "partition 5", "4 3 2 1 0 5", "e|d|c|b|a", "1 5 0" },
    { "partition 2", "-128 127 0", "c|", "2 0 0" },
    { "partition 2", "255 1 0", "c|b", "1 0 0" },
    { "partition 2", "1 -32768 0 32767", "c|a", "2 1 0" },
    { "partition 2", "1 65535 0", "c|a", "1 1 0" },
    { "partition 2", "1 0 4294967295", "b|a", "1 2 0" },
    { "partition 2", "4294967296 0", "b|", "1 0 0" },
    { "partition 2", "0 " MIN64, "a|", "1 1 0" },
    { "partition 2", MAX64 " 1", "|b", "1 0 0" },
    { "partition 2", "0 " MAXU " 1", "a|c", "1 1 0" },
    { "partition 2", HALF " 1 0", "c|b", "1 0 0" }
};

/* ---- a row, in one index type and under one policy -----------------------*/

enum { MOST = 64, LISTS = 5 };

static const char alphabet[] = "abcdefghijklmnopqrstuvwxyz";

static const row    *at_work;
static int           op, type, policy, gaps;
static int           status;            /* that a run returns */
static const char   *want;              /* what out becomes */
static ptrdiff_t     bytes;             /* and how long it is */
static long          bads;              /* rows that are bad */
static ndg_report    r;                 /* of the last call */
static unsigned char values[MOST * 8], out[MOST];
static ptrdiff_t     number, counts[LISTS];     /* of values; in each list */

/* Describes a scatter, too: of its out as params. */
static ndg_gather_desc desc;
static ptrdiff_t       extents[5], steps[5];    /* of params; of indices */

static void see(int ok, const char *how)
{
    CHECKF(ok, "%s by %s: %s, %s, policy %d, gaps %d: %.*s: %s", at_work->what,
           at_work->values, how, index_name(type), policy, gaps, (int)bytes,
           (char *)out, report_text(&r));
}

/* Which of these words s is. */
static int one_of(const char *const *words, const char *s)
{
    int k = 0;
    while (strcmp(words[k], s)) k++;
    return k;
}

/* "2,3"; "()" is a scalar's. */
static ndg_shape shape_of(const char *text, ptrdiff_t *dims)
{
    int   rank = 0;
    char *end;
    while (*text != '(' && *text) {
        dims[rank++] = (ptrdiff_t)strtol(text, &end, 10);
        text = *end == ',' ? end + 1 : end;
    }
    return ndg_dims(rank, dims, 0);
}

/* What is called, and how. */
static void read_what(void)
{
    static const ndg_gather_desc zero = NDG_ZERO_INIT;
    static const char *const names[] = { "", "", "gather_nd", "gather",
        "batch_gather", "", "", "", "scatter_nd" };
    static const char *const keys[] = { "batch", "axis", "end", "mask", "add" };
    char        name[16], params[20], indices[20], key[8];
    const char *s = at_work->what;
    long long   n;
    int         used;
    desc = zero;
    if (!strstr(s, " by ")) return;         /* a stitch or a partition */
    sscanf(s, "%15s %19s by %19s%n", name, params, indices, &used);
    op = one_of(names, name);
    desc.params = shape_of(params, extents);
    desc.indices = shape_of(indices, steps);
    for (s += used; sscanf(s, " %7s %lld%n", key, &n, &used) == 2; s += used)
        switch (one_of(keys, key)) {
        case 0:  desc.batch_dims = (int)n; break;
        case 1:  desc.axis = (int)n; break;
        case 2:  desc.negative = (int)n; break;
        case 3:  desc.index_mask = n; break;
        default: desc.index_add = n; break;
        }
    desc.elem_size = 1;
    desc.index_type = type;
    desc.policy = policy;
    desc.fill[0] = '#';
}

/* Puts the values, of all lists; whether the type holds them. */
static int read_values(void)
{
    const char *s = at_work->values;
    char       *end;
    int         list = 0;
    number = 0;
    memset(counts, 0, sizeof counts);
    for (; *s; s = end) {
        const int      negative = s[*s == ' '] == '-';
        const uint64_t v = negative ? (uint64_t)strtoll(s, &end, 10)
                                    : (uint64_t)strtoull(s, &end, 10);
        if (end == s) {
            end += *s == '|';
            list++;
            continue;
        }
        if (!index_holds(type, (int64_t)v, !negative)) return 0;
        index_put(values + number++ * index_bytes(type), type, (int64_t)v);
        counts[list]++;
    }
    return 1;
}

/* What is expected of the case under the policy. */
static void read_out(void)
{
    const char *word = at_work->out;
    int         n = policy == NDG_CLIP ? 1 : policy == NDG_WRAP ? 2 : 0;
    want = word;
    bytes = (ptrdiff_t)strcspn(want, " ");
    bads = strtol(at_work->bad, 0, 10);
    while (word && n-- > 0) {
        word = strchr(word, ' ');
        if (word) word++;
    }
    status = NDG_OK;
    if (bads && (policy <= NDG_ERROR || (word && *word == '!')))
        status = NDG_E_INDEX;
    else if (word) want = word;
}

/* Whether out is as expected; after an error good rows may be missing. */
static int out_right(void)
{
    const int nobody = gaps == NDG_GAPS_ZERO ? 0 : '.';
    ptrdiff_t i;
    int       right = out[bytes] == '.';
    for (i = 0; i < bytes; i++) {
        const int c = want[i] == '.' ? nobody : want[i] != '#' ? want[i]
                    : policy == NDG_FILL ? '#' : policy == NDG_ZERO ? 0 : '.';
        right &= out[i] == c || (status && (out[i] == '.'
                                            || out[i] == nobody));
    }
    return right;
}

/* Whether these are the bad rows, of so many values each, the first of which
 * names this axis of params. */
static int bad_right(ptrdiff_t depth, int axis, int exact)
{
    const ndg_bad *bad = &r.bad;
    long           count, position, component = 0;
    int            is_u64;
    int64_t        v;
    if (!bads) return !bad->count;
    sscanf(at_work->bad, "%ld %ld %ld", &count, &position, &component);
    v = index_get(values + (position * depth + component) * index_bytes(type),
                  type, &is_u64);
    return bad->count >= 1 && bad->count <= count
        && (!exact || bad->count == count) && bad->list == 0
        && bad->position == position && bad->component == component
        && bad->value == v && bad->is_u64 == is_u64
        && bad->extent == extents[axis + component]
        && bad->changed == (desc.index_mask || desc.index_add)
        && bad->from_end == (desc.negative && (type < NDG_U8
                                               || desc.index_add));
}

/* What a call gave of a gather or a scatter; checked: it only counted. */
static void see_rows(const char *how, int exact, int checked)
{
    const int rank = desc.indices.rank;
    const int nd = op == NDG_OP_GATHER_ND || op == NDG_OP_SCATTER_ND;
    const int axis = op == NDG_OP_BATCH_GATHER ? rank - 1
                   : desc.axis ? desc.axis + (desc.axis < 0) * desc.params.rank
                               : desc.batch_dims;
    see(r.status == status
        && bad_right(nd ? steps[rank - 1] : 1, axis, exact || !status)
        && (checked || out_right()), how);
    memset(out, '.', sizeof out);
}

/* ---- the operations ------------------------------------------------------*/

/* The plainest of them are rows of a table. */
static void as_table(void)
{
    const ptrdiff_t row_bytes = desc.params.rank > 1 ? extents[1] : 1;
    const int       scatters = op == NDG_OP_SCATTER_ND;
    if ((scatters ? gaps != NDG_GAPS_KEEP || steps[desc.indices.rank - 1] != 1
                  : op != NDG_OP_GATHER || policy == NDG_FILL)
        || desc.params.rank > 2 || desc.indices.rank != 1 + scatters
        || desc.batch_dims || desc.axis || desc.negative || desc.index_mask
        || desc.index_add) return;
    if (scatters)
        ndg_scatter_rows(out, bytes, extents[0], row_bytes, 0, alphabet,
                         values, type, steps[0], policy, &r);
    else
        ndg_gather_rows(out, bytes, alphabet, extents[0], row_bytes, 0, values,
                        type, steps[0], policy, &r);
    see_rows("rows", 0, 0);
}

static void gather_one(void)
{
    ndg_gather_plan plan;
    ndg_report      part;
    ptrdiff_t       i;
    (op == NDG_OP_GATHER_ND ? ndg_gather_nd : op == NDG_OP_GATHER ? ndg_gather
     : ndg_batch_gather)(out, bytes, alphabet, values, &desc, &r);
    see_rows("one call", 0, 0);
    (op == NDG_OP_GATHER_ND ? ndg_plan_gather_nd : op == NDG_OP_GATHER
     ? ndg_plan_gather : ndg_plan_batch_gather)(&plan, &desc, &r);
    see(r.status == NDG_OK && plan.out_bytes == bytes, "plan");
    ndg_gather_run(&plan, out, bytes, alphabet, values, &r);
    see_rows("run", 0, 0);
    memset(&r, 0, sizeof r);
    for (i = plan.rows; i-- > 0;) {
        ndg_gather_run_range(&plan, out, bytes, alphabet, values, i, i + 1,
                             &part);
        ndg_report_merge(&r, &part);
    }
    see_rows("each row", 1, 0);
    ndg_gather_check(&plan, values, 0, plan.rows, &r);
    see_rows("check", 1, 1);
    as_table();
}

static void scatter_one(void)
{
    ndg_scatter_desc d = scatter_of(1, desc.params, desc.indices);
    ndg_scatter_plan plan;
    ndg_report       part;
    ptrdiff_t        i;
    d.index_type = type;
    d.batch_dims = desc.batch_dims;
    d.policy = policy;
    d.negative = desc.negative;
    d.gaps = gaps;
    d.index_mask = desc.index_mask;
    d.index_add = desc.index_add;
    ndg_scatter_nd(out, bytes, alphabet, values, &d, &r);
    see_rows("one call", 0, 0);
    ndg_plan_scatter_nd(&plan, &d, &r);
    see(r.status == NDG_OK && plan.out_bytes == bytes, "plan");
    ndg_scatter_run(&plan, out, bytes, alphabet, values, &r);
    see_rows("run", 0, 0);
    memset(&r, 0, sizeof r);
    for (i = plan.slots; i-- > 0;) {
        ndg_scatter_run_range(&plan, out, bytes, alphabet, values, i, i + 1,
                              &part);
        ndg_report_merge(&r, &part);
    }
    if (plan.slots) see_rows("each slot", 0, 0);
    ndg_scatter_check(&plan, values, 0, plan.by.rows, &r);
    see_rows("check", 1, 1);
    as_table();
}

/* Of a stitch the third number is the list; extent -1 is not looked at. */
static int entry_right(ptrdiff_t extent)
{
    const ndg_bad *bad = &r.bad;
    long           count, position, list, m;
    ptrdiff_t      at;
    int            is_u64;
    if (!bads) return !bad->count;
    sscanf(at_work->bad, "%ld %ld %ld", &count, &position, &list);
    for (at = position, m = 0; m < list; m++) at += counts[m];
    return bad->count >= 1 && bad->count <= count
        && (status || bad->count == count) && bad->list == list
        && bad->position == position
        && bad->value == index_get(values + at * index_bytes(type), type,
                                   &is_u64)
        && bad->is_u64 == is_u64 && (extent < 0 || bad->extent == extent);
}

/* After an error a row may also be that of an earlier entry. */
static void see_stitch(const char *how, ptrdiff_t extent)
{
    see(r.status == status && entry_right(extent)
        && (status ? out[bytes] == '.' : out_right()), how);
    memset(out, '.', sizeof out);
}

static void stitch_one(void)
{
    ndg_stitch_desc  d = NDG_ZERO_INIT;
    ndg_stitch_plan  plan;
    ndg_stitch_input in[LISTS];
    ndg_list         list[LISTS];
    ndg_report       part;
    unsigned char    scratch[8];
    ptrdiff_t        total = -9, holes = 0, at = 0, i;
    int              n = 1, m;
    for (i = 0; at_work->values[i]; i++) n += at_work->values[i] == '|';
    for (m = 0; m < n; at += counts[m++]) {
        in[m].indices = values + at * index_bytes(type);
        in[m].data = alphabet + at;
        list[m] = list_of(in[m].indices, in[m].data, counts[m]);
        in[m].indices_shape = in[m].data_shape = ndg_dims1(counts[m]);
    }
    for (i = 0; i < bytes; i++) holes += want[i] == '.';
    d.elem_size = 1;
    d.index_type = type;
    d.policy = policy;
    d.gaps = gaps;
    see(ndg_plan_stitch(&plan, &d, &r) == NDG_OK, "plan");
    if (!strstr(at_work->what, "total")) {
        ndg_stitch_total(&plan, list, n, &total, &r);
        see(r.status == status && total == (status ? 0 : bytes)
            && entry_right(PTRDIFF_MAX), "total");
        ndg_dynamic_stitch(out, bytes, &total, in, n, &d, &r);
        see_stitch("one call", -1);
    }
    ndg_stitch_run(&plan, out, bytes, bytes, list, n, scratch, 8, &r);
    see(status || (r.rows.holes == holes
                   && r.rows.first_hole == (holes ? strchr(want, '.') - want
                                                  : 0)
                   && r.rows.duplicates == number - bads - (bytes - holes)),
        "counted");
    see_stitch("run", bytes);
    if (!bytes) return;
    memset(&r, 0, sizeof r);
    for (i = bytes; i-- > 0;) {             /* each row of out alone */
        ndg_stitch_run_range(&plan, out, bytes, bytes, list, n, i, i + 1, 0, 0,
                             &part);
        ndg_report_merge(&r, &part);
    }
    see_stitch("each row", bytes);
}

/* Whether each part has its letters, and the positions that they tell. */
static void see_parts(const char *how, int parts, unsigned char part[][16],
                      unsigned char at[][16], const ptrdiff_t *sizes)
{
    const char *s = want;
    int         k, right = r.status == status && bad_right(1, 0, !status);
    for (k = 0; k < parts && !status; k++, s += *s == '|') {
        ptrdiff_t i = 0;
        for (; *s && *s != '|'; s++, i++)
            right &= part[k][i] == *s && at[k][i] == *s - 'a';
        right &= sizes[k] == i && part[k][i] == '.' && at[k][i] == '.';
    }
    see(right, how);
    memset(part, '.', (size_t)parts * 16);
    memset(at, '.', (size_t)parts * 16);
}

static void partition_one(void)
{
    ndg_partition_desc d;
    ndg_partition_plan plan;
    unsigned char      part[LISTS][16], at[LISTS][16];
    void              *outs[LISTS], *positions[LISTS];
    ptrdiff_t          sizes[LISTS], cursors[LISTS], room[LISTS];
    const int          parts = at_work->what[strlen("partition ")] - '0';
    int                k;
    for (k = 0; k < parts; k++) {
        outs[k] = part[k];
        positions[k] = at[k];
        room[k] = 16;
    }
    extents[0] = parts;
    memset(part, '.', sizeof part);
    memset(at, '.', sizeof at);
    d = partition_of(1, ndg_dims1(number), ndg_dims1(number), parts);
    d.index_type = type;
    d.position_type = NDG_U8;
    d.policy = policy;
    see(ndg_plan_partition(&plan, &d, &r) == NDG_OK, "plan");
    ndg_dynamic_partition(outs, positions, room, sizes, alphabet, values, &d,
                          &r);
    see_parts("one call", parts, part, at, sizes);
    if (ndg_partition_count(&plan, values, 0, number, sizes, &r) == NDG_OK)
        ndg_partition_run(&plan, outs, positions, alphabet, values, number,
                          sizes, cursors, &r);
    see_parts("counted", parts, part, at, sizes);
}

/* ---- all of it -----------------------------------------------------------*/

/* Each row in every type, under every policy that it takes. */
static void run_all(const row *t, size_t n, int gather, void (*run)(void))
{
    for (; n > 0; n--, t++)
        for (type = 0; type < INDEX_TYPES; type++)
            for (policy = 0; policy <= NDG_ASSUME_VALID; policy++) {
                at_work = t;
                if (!read_values()) continue;
                if (!gather && policy > NDG_ERROR && policy < NDG_DROP)
                    continue;
                if (policy == NDG_ASSUME_VALID && *t->bad) continue;
                read_what();
                read_out();
                memset(out, '.', sizeof out);
                run();
            }
}

#define ALL(table, gather, run)                                               \
    run_all(table, sizeof table / sizeof *(table), gather, run)

int main(void)
{
    gaps = NDG_GAPS_KEEP;
    ALL(gathers, 1, gather_one);
    for (gaps = 0; gaps <= NDG_GAPS_KEEP; gaps += 2) {
        ALL(scatters, 0, scatter_one);
        ALL(stitches, 0, stitch_one);
    }
    ALL(partitions, 0, partition_one);
    return test_end("test_tables");
}
