/* cuda_fused.cu - a gather inside your own kernel: no copy is ever made.
 *
 *     nvcc -I. examples/cuda_fused.cu -o cuda_fused && ./cuda_fused
 *
 * The mean of the vectors of a sentence. Gathering them first would write and
 * read them once more; here each thread sums one column straight from the
 * table, and the index math is that of the library, in two ways:
 *
 *     mean_of_plan  by ndg_cuda_gather_row: any plan, policy, type and stride
 *     mean_of_rows  by the macros of ndgather.h: a table of rows, int32_t */
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

enum { TOKENS = 1000, WIDTH = 64, COUNT = 6 };

static __global__ void mean_of_plan(ndg_gather_plan plan, float *mean,
                                    const float *table, const void *ids)
{
    const int column = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    float     sum = 0;
    int       n = 0;
    if (column >= WIDTH) return;
    for (ptrdiff_t i = 0; i < plan.rows; i++) {
        bool         bad;
        const float *row = (const float *)ndg_cuda_gather_row(plan, table, ids,
                                                              i, 0, &bad);
        if (!row) continue;                    /* not in the vocabulary */
        sum += row[column];
        n++;
    }
    mean[column] = n ? sum / (float)n : 0;
}

static __global__ void mean_of_rows(float *mean, const float *table,
                                    const int32_t *ids, int count)
{
    const int column = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    float     sum = 0;
    int       n = 0;
    if (column >= WIDTH) return;
    for (int i = 0; i < count; i++) {
        const int32_t id = ids[i];             /* read once, then checked */
        if (!NDG_INDEX_GOOD(id, TOKENS)) continue;
        sum += table[(ptrdiff_t)id * WIDTH + column];
        n++;
    }
    mean[column] = n ? sum / (float)n : 0;
}

int main(void)
{
    static float    table[TOKENS][WIDTH];
    const int32_t   ids[COUNT] = { 17, 999, 1000, 3, -1, 17 };
    const dim3      grid(2), block(32);
    float           mean[2][WIDTH];
    float          *d_table, *d_mean;
    int32_t        *d_ids;
    int             count = COUNT, i, k;
    ndg_gather_desc d = NDG_ZERO_INIT;
    ndg_gather_plan plan;
    ndg_report      report;
    char            line[200];
    for (i = 0; i < TOKENS; i++)
        for (k = 0; k < WIDTH; k++) table[i][k] = (float)i;
    d.params = ndg_dims2(TOKENS, WIDTH);
    d.indices = ndg_dims1(COUNT);
    d.elem_size = sizeof(float);
    if (ndg_plan_gather(&plan, &d, &report) != NDG_OK) {
        ndg_report_text(line, sizeof line, &report, NULL);
        printf("%s\n", line);
        return 1;
    }
    CHECK(cudaMalloc(&d_table, sizeof table));
    CHECK(cudaMalloc(&d_mean, sizeof mean));
    CHECK(cudaMalloc(&d_ids, sizeof ids));
    CHECK(cudaMemcpy(d_table, table, sizeof table, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_ids, ids, sizeof ids, cudaMemcpyHostToDevice));
    {
        float      *second = d_mean + WIDTH;
        const void *any = d_ids;
        void       *one[] = { &plan, &d_mean, &d_table, &any };
        void       *two[] = { &second, &d_table, &d_ids, &count };
        CHECK(cudaLaunchKernel(mean_of_plan, grid, block, one, 0, 0));
        CHECK(cudaLaunchKernel(mean_of_rows, grid, block, two, 0, 0));
    }
    CHECK(cudaMemcpy(mean, d_mean, sizeof mean, cudaMemcpyDeviceToHost));
    printf("mean of the four known tokens: %g and %g\n", mean[0][0],
           mean[1][WIDTH - 1]);                /* (17 + 999 + 3 + 17) / 4 */
    CHECK(cudaFree(d_table));
    CHECK(cudaFree(d_mean));
    CHECK(cudaFree(d_ids));
    return mean[0][0] == 259 && mean[1][WIDTH - 1] == 259 ? 0 : 1;
}
