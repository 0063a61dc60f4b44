/* costs.c - what a message costs between two ranks: for README.md beside it
 *
 *     mpicc -O2 examples/mpi/costs.c -o build/costs
 *     mpirun -q -np 2 build/costs
 *     mpirun -q -np 2 --mca btl tcp,self build/costs
 *
 * Half of a round trip of 8 bytes, what a byte adds in messages of 1 MiB, and
 * an exchange of 8 bytes between all ranks: the best of many short runs, as
 * the machine may have other things to do. */
#include <stdio.h>
#include <stdlib.h>
#include <mpi.h>

enum { LARGE = 1 << 20, RUNS = 300 };

static int rank, ranks;

/* Seconds for one way of a message, in a train of them there and back. */
static double one_way(char *buffer, int bytes, int trips)
{
    double    start;
    const int other = 1 - rank;
    int       i;
    start = MPI_Wtime();
    for (i = 0; i < trips; i++) {
        if (rank == 0)
            MPI_Send(buffer, bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD);
        MPI_Recv(buffer, bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        if (rank == 1)
            MPI_Send(buffer, bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD);
    }
    return (MPI_Wtime() - start) / trips / 2;
}

/* Seconds for an exchange of 8 bytes between all ranks. */
static double exchange(int trips)
{
    long long *from = (long long *)calloc((size_t)ranks, sizeof *from);
    long long *to = (long long *)calloc((size_t)ranks, sizeof *to);
    double     start;
    int        i;
    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    for (i = 0; i < trips && from && to; i++)
        MPI_Alltoall(from, 1, MPI_LONG_LONG, to, 1, MPI_LONG_LONG,
                     MPI_COMM_WORLD);
    start = MPI_Wtime() - start;
    free(from);
    free(to);
    return start / trips;
}

int main(int argc, char **argv)
{
    static char buffer[LARGE];
    double      few = 1, many = 1, all = 1, t;
    int         run;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks < 2) {
        fprintf(stderr, "costs: it takes two ranks or more\n");
        MPI_Finalize();
        return 2;
    }
    for (run = 0; run < RUNS; run++) {
        if (rank < 2 && (t = one_way(buffer, 8, 20)) < few) few = t;
        if (rank < 2 && (t = one_way(buffer, LARGE, 2)) < many) many = t;
        if ((t = exchange(10)) < all) all = t;
    }
    if (rank == 0)
        printf("message_us=%.2f ns_per_byte=%.4f exchange_us=%.2f\n",
               few * 1e6, (many - few) * 1e9 / (double)LARGE, all * 1e6);
    MPI_Finalize();
    return 0;
}
