/* test_loops_far.c - test_loops.c once more, with each table and output taken
 * to be larger than the caches: for the loops that prefetch or stream. */
#define TEST_NAME         "test_loops_far"
#define NDGI_FAR_BYTES    0
#define NDGI_HUGE_BYTES   512
#define NDGI_STREAM_BYTES 0
#include "test_loops.c"
