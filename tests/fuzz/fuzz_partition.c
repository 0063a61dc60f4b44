/* fuzz_partition.c - dynamic_partition and its parts by a fuzzer's choices. */
#include "fuzz.h"
#include "../lib/random_partition.h"

FUZZ(try_partition)
