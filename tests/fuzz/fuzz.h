/* fuzz.h - the driver of the fuzz targets: an input of a fuzzer makes the
 * choices, three builds of ndgather.h answer. */
#ifndef NDG_FUZZ_H
#define NDG_FUZZ_H

#include "ndgather.h"
#include "../lib/engines.h"

extern const engine engine_fast, engine_small, engine_far;

#define ENGINES 3
static const engine *const engines[ENGINES] = {
    &engine_fast, &engine_small, &engine_far
};
static const char *const engine_names[ENGINES] = { "fast", "small", "far" };

#include "../lib/random.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A target: makes a case of the input and tries it. */
#define FUZZ(try_case)                                                        \
    int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)              \
    {                                                                         \
        choices in;                                                           \
        memset(&in, 0, sizeof in);                                            \
        in.at = data;                                                         \
        in.end = data + size;                                                 \
        try_case(&in);                                                        \
        release();                                                            \
        return 0;                                                             \
    }

#endif
