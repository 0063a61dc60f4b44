/* cuda_rows.cu - rows of a table on the GPU, and what became of bad indices.
 *
 *     nvcc -I. examples/cuda_rows.cu -o cuda_rows && ./cuda_rows
 *
 * A vocabulary of 1000 tokens with vectors of 64 floats, and a sentence with
 * two tokens that are not in it: their rows are zero, and the report, read when
 * the program has time for it, names the first. */
#include <stdio.h>
#include <stdlib.h>
#define NDGATHER_IMPLEMENTATION
#define NDG_CUDA_IMPLEMENTATION
#include "ndgather_cuda.cuh"

#define CHECK(call)                                                           \
    do {                                                                      \
        cudaError_t e_ = (call);                                              \
        if (e_ != cudaSuccess) {                                              \
            printf("%s: %s\n", #call, cudaGetErrorString(e_));                \
            return 1;                                                         \
        }                                                                     \
    } while (0)

enum { TOKENS = 1000, WIDTH = 64, MOST = 32 };

int main(void)
{
    static float     table[TOKENS][WIDTH], sentence[MOST][WIDTH];
    const int32_t    ids[6] = { 17, 999, 1000, 3, -1, 17 };
    const ptrdiff_t  count = 6;             /* today; the plan takes MOST */
    float           *d_table, *d_out;
    int32_t         *d_ids;
    ndg_cuda_report *d_bad;
    ndg_gather_desc  d = NDG_ZERO_INIT;
    ndg_gather_plan  plan;
    ndg_report       report;
    char             line[200];
    cudaStream_t     stream;
    int              i, k;
    for (i = 0; i < TOKENS; i++)
        for (k = 0; k < WIDTH; k++) table[i][k] = (float)i;

    /* described and checked once, without a device */
    d.params = ndg_dims2(TOKENS, WIDTH);
    d.indices = ndg_dims1(MOST);
    d.elem_size = sizeof(float);
    if (ndg_plan_gather(&plan, &d, &report) != NDG_OK) {
        ndg_report_text(line, sizeof line, &report, NULL);
        printf("%s\n", line);
        return 1;
    }
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMalloc(&d_table, sizeof table));
    CHECK(cudaMalloc(&d_out, (size_t)plan.out_bytes));
    CHECK(cudaMalloc(&d_ids, sizeof ids));
    CHECK(cudaMalloc(&d_bad, sizeof *d_bad));
    CHECK(cudaMemcpyAsync(d_table, table, sizeof table, cudaMemcpyHostToDevice,
                          stream));
    CHECK(cudaMemcpyAsync(d_ids, ids, sizeof ids, cudaMemcpyHostToDevice,
                          stream));
    CHECK(cudaMemsetAsync(d_bad, 0, sizeof *d_bad, stream));

    /* nothing here waits: a graph could capture it */
    CHECK(ndg_cuda_gather_run_range(&plan, d_out, plan.out_bytes, d_table,
                                    d_ids, 0, count, 0, d_bad, stream));

    CHECK(cudaMemcpyAsync(sentence, d_out, (size_t)(count * WIDTH) * 4,
                          cudaMemcpyDeviceToHost, stream));
    CHECK(ndg_cuda_gather_report_read(&plan, d_ids, d_bad, &report, stream));
    for (i = 0; i < count; i++)
        printf("token %4d: %g %g ...\n", (int)ids[i], sentence[i][0],
               sentence[i][1]);
    ndg_report_text(line, sizeof line, &report, &d.indices);
    printf("%s\n", line);
    CHECK(cudaFree(d_table));
    CHECK(cudaFree(d_out));
    CHECK(cudaFree(d_ids));
    CHECK(cudaFree(d_bad));
    CHECK(cudaStreamDestroy(stream));
    return 0;
}
