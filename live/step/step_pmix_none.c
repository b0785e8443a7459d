/* live/step/step_pmix_none.c — where there is no PMIx to build with: no step has a server of it. */
#include "live/step/step_pmix.h"

LkStepPmix *
lk_step_pmix_new (LkLoop *loop, const LkStepPmixConfig *config, char **out_fault)
{
  (void)loop;
  (void)config;
  *out_fault = g_strdup ("MPI plugin pmix is not available: built without PMIx");
  return NULL;
}

void
lk_step_pmix_environment (LkStepPmix *self, guint32 task, GPtrArray *environment)
{
  (void)self;
  (void)task;
  (void)environment;
}

void
lk_step_pmix_take (LkStepPmix *self, guint32 node_index, LkBytes bytes)
{
  (void)self;
  (void)node_index;
  (void)bytes;
}
