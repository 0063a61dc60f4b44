/* test_cover_stream.c - rows of whole lines, which are written past the caches
 * though the table lies in them: every row longer than a line, of tables near
 * and far, good and bad indices, all policies. (The `_far` tests take tables to
 * be far whenever they stream.) */
#define NDGI_STREAM_BYTES 0
#define NDGATHER_IMPLEMENTATION
#include "ndgather.h"

#include "model.h"

static const test streams[] = {
#define STREAM "rows,gather n90 align0 error,zero,clip,keep bad-1,3 every7 "
    { "near", STREAM "r50 b64,128,192,1024,2048,4096" },
    { "far", STREAM "r16385 b64" },
    { "far", STREAM "r8193 b128" },
    { "far", STREAM "r1025 b1024" },
    { "far", STREAM "r257 b4096" },
};

int main(void)
{
    noise_make();
    run_all(streams, COUNT(streams), 0);
    return test_end("test_cover_stream");
}
