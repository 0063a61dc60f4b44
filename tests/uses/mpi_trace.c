/* mpi_trace.c - how many exchanges of lookup.c are under way at a time
 *
 *     mpicc -O2 -I. examples/mpi/lookup.c tests/uses/mpi_trace.c \
 *         -o build/traced
 *
 * Stands between a program and MPI. An exchange counts from MPI_Ialltoallv to
 * the MPI_Wait for it. At the end rank 0 prints the most there were at once. */
#include <mpi.h>
#include <stdio.h>

static int now, most;

int MPI_Ialltoallv(const void *from, const int *counts, const int *at,
                   MPI_Datatype type, void *to, const int *counts_to,
                   const int *at_to, MPI_Datatype type_to, MPI_Comm comm,
                   MPI_Request *request)
{
    if (++now > most) most = now;
    return PMPI_Ialltoallv(from, counts, at, type, to, counts_to, at_to,
                           type_to, comm, request);
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    now--;
    return PMPI_Wait(request, status);
}

int MPI_Finalize(void)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) printf("%d under way at once\n", most);
    return PMPI_Finalize();
}
