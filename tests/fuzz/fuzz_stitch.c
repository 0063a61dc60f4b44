/* fuzz_stitch.c - dynamic_stitch and its parts by a fuzzer's choices. */
#include "fuzz.h"
#include "../lib/random_stitch.h"

FUZZ(try_stitch)
