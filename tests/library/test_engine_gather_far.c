/* test_engine_gather_far.c - test_engine_gather.c with each table and
 * output taken to be larger than the caches: every loop that prefetches or
 * streams runs. */
#define TEST_NAME         "test_engine_gather_far"
#define NDGI_FAR_BYTES    0
#define NDGI_HUGE_BYTES   512
#define NDGI_STREAM_BYTES 0
#include "test_engine_gather.c"
