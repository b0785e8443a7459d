/* tests/step/mpi_case.h — steps whose tasks find each other by a server of the step: on one node or
 * on two. */
#ifndef LK_TESTS_STEP_MPI_CASE_H
#define LK_TESTS_STEP_MPI_CASE_H

#include "tests/step/step_site.h"

typedef struct {
  Node *node;
  StepSite site;
  LkStepMpi mpi;
} MpiCase;

void mpi_case_begin (MpiCase *self, LkStepMpi mpi, gboolean has_two);
void mpi_case_end (MpiCase *self);
/* Runs so many tasks of a program, with an argument unless it is NULL, until they have ended. */
void mpi_case_play (MpiCase *self, guint32 task_count, const char *program, const char *argument);
/* Each task has said "task I of COUNT: WHAT" and nothing else, and ended well. */
void mpi_case_check (MpiCase *self, guint count, const char *what);

#endif
