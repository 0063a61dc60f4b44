/* test_drawn_far.c - test_drawn.c once more, with each table and output taken
 * to be larger than the caches: for the loops that prefetch or stream. */
#define TEST_NAME         "test_drawn_far"
#define NDGI_FAR_BYTES    0
#define NDGI_STREAM_BYTES 0
#include "test_drawn.c"
