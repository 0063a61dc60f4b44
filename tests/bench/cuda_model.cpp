/* cuda_model.cpp - what the launchers of ndgather_cuda.cuh move, pass by pass,
 * as the page CUDA_MODEL.md.
 *
 *     c++ -std=c++11 -O1 -I. tests/bench/cuda_model.cpp -o build/cuda_model
 *     build/cuda_model >tests/bench/CUDA_MODEL.md
 *
 * Blocks, digits and tables are those that the launchers themselves choose for
 * a plan; nothing is launched. tests/cuda/cuda.sh compares the page. */
#include "../cuda/emul/cuda_emul.h"
#define NDGATHER_IMPLEMENTATION
#define NDG_CUDA_IMPLEMENTATION
#include "../../ndgather_cuda.cuh"

/* Of an H200, measured by bench_cuda: bytes read and written by its best copy,
 * and atomics with a result on a table in the L2 cache, each in a ns; and what
 * its 528 schedulers issue in a ns at 1.755 GHz. */
static const double COPY = 4240, ATOMICS = 62, ISSUES = 926;

struct pass {
    char   name[60];
    double reads, writes, atomics, issues;     /* of a row */
};
static pass passes[24];
static int  count;

static void add(const char *name, double reads, double writes, double atomics,
                double issues)
{
    pass p = { "", reads, writes, atomics, issues };
    snprintf(p.name, sizeof p.name, "%s", name);
    passes[count++] = p;
}

/* The passes so far, what they take at the least (each limit alone, as if all
 * overlapped) and at the most (one after another), beside what must move. */
static void say(const char *what, double must)
{
    double least = 0, most = 0, bytes = 0;
    int    i;
    printf("\n## %s\n\n| pass | reads | writes | atomics | instructions |\n"
           "|---|---:|---:|---:|---:|\n", what);
    for (i = 0; i < count; i++) {
        const pass  *p = &passes[i];
        const double moves = (p->reads + p->writes) / COPY;
        const double atoms = p->atomics / ATOMICS, steps = p->issues / ISSUES;
        double       limit = moves > atoms ? moves : atoms;
        if (steps > limit) limit = steps;
        least += limit;
        most += moves + atoms + steps;
        bytes += p->reads + p->writes;
        printf("| %s | %.3g | %.3g | %.3g | %.3g |\n", p->name, p->reads,
               p->writes, p->atomics, p->issues);
    }
    printf("\n%.4g bytes a row, %.4g must move: %.2f of copy by bytes alone, "
           "%.2f with each\npass at its own limit, %.2f with nothing "
           "overlapped.\n", bytes, must, must / bytes, must / COPY / least,
           must / COPY / most);
    count = 0;
}

static void gather(ptrdiff_t row)
{
    char what[80];
    const double per_warp = 138.0 / 32;     /* counted by cuda.sh: 64 vectors */
    snprintf(what, sizeof what, "gather, rows of %d bytes", (int)row);
    add("gather_line", 4 + (double)row, (double)row, 0,
        per_warp * (double)row / 32);
    say(what, 2 * (double)row + 4);
}

static void stitch(ptrdiff_t row, bool unique)
{
    const double R = (double)row;
    char what[80];
    snprintf(what, sizeof what, "stitch, rows of %d bytes%s", (int)row,
             unique ? ", unique indices" : "");
    if (unique) {
        add("copy to where the index says", 4 + R, R, 0, R / 16);
    } else {
        add("clear the owners", 0, 4, 0, 0);
        add("stitch_own: a maximum for each entry", 4, 0, 1, 2);
        add("copy from the owner", 4 + R, R, 0, R / 16);
    }
    say(what, 2 * R + 4);
}

static void partition(ptrdiff_t row, ptrdiff_t parts)
{
    const ptrdiff_t    rows = ((ptrdiff_t)1 << 30) / row;
    const double       R = (double)row;
    ndg_partition_desc d = NDG_ZERO_INIT;
    ndg_partition_plan plan;
    char               what[80];
    int                k;
    d.data = ndg_dims2(rows, row);
    d.partitions = ndg_dims1(rows);
    d.elem_size = 1;
    d.num_partitions = parts;
    if (ndg_plan_partition(&plan, &d, 0) != NDG_OK) exit(1);
    const ndgi_split_args a = ndgi_split_of(&plan, 0, 0, rows, 0);
    const double table = 8 * (double)(a.blocks + 1)
                       * (double)((ptrdiff_t)1 << a.bits) / (double)rows;
    /* for 256 rows of a warp: to load, 2 a row and digit bit, to place */
    const double ranks = (900 + 16.0 * a.bits + 8 * 110) / 256;
    if (a.digits > 1) add("count the ids", 4, 0, 0, 0.3);
    for (k = 0; k < a.digits; k++) {
        const double item = k ? 8 : 4;
        char         name[60];
        snprintf(name, sizeof name, "count digit %d, of %d bits", k, a.bits);
        add(name, item, table, 0, 0.3);
        snprintf(name, sizeof name, "sum %d x %d counts", 1 << a.bits,
                 (int)a.blocks);
        add(name, table, table, 0, 0);
        if (k + 1 < a.digits) {
            snprintf(name, sizeof name, "deal words by digit %d", k);
            add(name, 2 * item + table, 8, 0, ranks + 1);
        } else {
            add("deal the rows", item + table + R, R, 0,
                ranks + R / 16 * 8 / 32);
        }
    }
    snprintf(what, sizeof what, "partition, %d parts, rows of %d bytes",
             (int)parts, (int)row);
    say(what, 2 * R + 4);
}

/* What a sort by one digit of 4-byte ids moves that takes 4-byte elements along,
 * as CUB's does: it has to write the ids, too. */
static void sort_pairs()
{
    add("count the digits", 4, 0, 0, 0);
    add("rank and deal ids and elements", 8, 8, 0, 0);
    say("the same by CUB's radix sort of one digit, instructions not counted",
        12);
}

int main()
{
    printf("# What each pass moves\n\n"
           "Made by [cuda_model.cpp](cuda_model.cpp) from the plans: bytes, "
           "atomics and warp\ninstructions a row, for 1 GiB of rows and "
           "indices of 32 bits. Their limits are\nthose of an H200: %.0f "
           "GB/s by the best copy kernel, %.0f G/s atomics with a\nresult in "
           "the L2 cache, both measured, and %.0f G/s instructions of a "
           "warp.\n\nThe model knows no latency, and takes every write for a "
           "whole line: where rows\nare shorter than 128 bytes and go "
           "anywhere, DRAM gives less. The measured\nfigures are in "
           "[RESULTS_CUDA.md](RESULTS_CUDA.md).\n", COPY, ATOMICS, ISSUES);
    gather(32);
    gather(64);
    gather(128);
    stitch(128, false);
    stitch(128, true);
    partition(64, 8);
    partition(64, 256);
    partition(256, 256);
    partition(4, 256);
    sort_pairs();
    partition(64, 1024);
    return 0;
}
