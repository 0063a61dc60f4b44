/* engine.c - all of ndgather.h as a table of functions. It is compiled three
 * times, and the three tables stand side by side in one program:
 *
 *     -DENGINE=engine_fast  -DNDG_SMALL=0
 *     -DENGINE=engine_small -DNDG_SMALL=1
 *     -DENGINE=engine_far   -DNDG_SMALL=0 -DNDGI_FAR_BYTES=0
 *                           -DNDGI_HUGE_BYTES=512 -DNDGI_STREAM_BYTES=0
 *
 * The last one takes every array to be larger than the caches. */
#include <stdlib.h>
#define NDG_ASSERT(x) ((x) ? (void)0 : abort())
#define NDG_STATIC
#define NDGATHER_IMPLEMENTATION
#include "ndgather.h"
#include "../lib/engines.h"

extern const engine ENGINE;
const engine ENGINE = ENGINE_HERE;
