#include "tests/step/mpi_case.h"

void
mpi_case_begin (MpiCase *self, LkStepMpi mpi, gboolean has_two)
{
  self->mpi = mpi;
  self->node = node_new ();
  step_site_init (&self->site, self->node);
  self->node->config.is_emulated = TRUE;
  if (has_two) {
    step_site_add_node (&self->site);
    self->site.second->config.is_emulated = TRUE;
    node_start (self->site.second);
  }
  node_start (self->node);
  step_site_begin_run (&self->site, 1);
}

void
mpi_case_end (MpiCase *self)
{
  step_site_clear (&self->site);
  node_free (self->node);
}

void
mpi_case_play (MpiCase *self, guint32 task_count, const char *program, const char *argument)
{
  StepJob job;
  step_job_init (&job, &self->site, task_count, "");
  g_byte_array_set_size (job.arguments, 0);
  lk_strings_append (job.arguments, program);
  if (argument != NULL)
    lk_strings_append (job.arguments, argument);
  lk_strings_append (job.environment, "HOME=/tmp");
  job.task.mpi = (guint8)self->mpi;
  g_assert_true (step_site_launch (&self->site, 1, &job));
  step_job_clear (&job);
  for (guint i = 0; i < task_count; i++)
    step_site_wait_task (&self->site, i);
}

void
mpi_case_check (MpiCase *self, guint count, const char *what)
{
  for (guint i = 0; i < count; i++) {
    g_autofree char *expected = g_strdup_printf ("task %u of %u: %s\n", i, count, what);
    if (self->site.status[i] == 0)
      step_site_wait_out (&self->site, i, expected);
    g_assert_cmpstr (self->site.err[i]->str, ==, "");
    g_assert_cmpstr (self->site.out[i]->str, ==, expected);
    g_assert_cmpint (self->site.status[i], ==, 0);
  }
}
