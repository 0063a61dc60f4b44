/* fuzz_rows.c - gather_rows and the small functions by a fuzzer's choices. */
#include "fuzz.h"
#include "../lib/random_rows.h"

FUZZ(try_rows)
