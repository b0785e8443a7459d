/* tests/step/mpi_hello.c — a program of MPI: each task adds its number to those of all. */
#include <mpi.h>
#include <stdio.h>

int
main (int argc, char **argv)
{
  int rank, count, sum = 0;
  MPI_Init (&argc, &argv);
  MPI_Comm_rank (MPI_COMM_WORLD, &rank);
  MPI_Comm_size (MPI_COMM_WORLD, &count);
  MPI_Allreduce (&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  printf ("task %d of %d: sum is %d\n", rank, count, sum);
  fflush (stdout);
  MPI_Finalize ();
  return 0;
}
