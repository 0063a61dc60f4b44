/* fuzz_scatter.c - scatter_nd by a fuzzer's choices. */
#include "fuzz.h"
#include "../lib/random_scatter.h"

FUZZ(try_scatter)
