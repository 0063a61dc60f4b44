/* test_moving_memory_small.c - test_moving_memory.c with the small engine, at
 * any level. */
#define TEST_NAME "test_moving_memory_small"
#ifndef NDG_SMALL
#define NDG_SMALL 1
#endif
#include "test_moving_memory.c"
