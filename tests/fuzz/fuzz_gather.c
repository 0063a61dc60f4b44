/* fuzz_gather.c - gather_nd, gather and batch_gather by a fuzzer's choices. */
#include "fuzz.h"
#include "../lib/random_gather.h"

FUZZ(try_gather)
