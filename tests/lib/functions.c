/* functions.c - the functions of ndgather.h, compiled once for the C tests that
 * do not hold them themselves (TEST_LINKED; lib.sh says which). */
#define NDGATHER_IMPLEMENTATION
#include "ndgather.h"
