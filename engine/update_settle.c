/* engine/update_settle.c — see the header. */
#include "engine/update_settle.h"

#include "engine/machine.h"
#include "engine/request_cpus.h"

#define CHANGE(name) (G_GUINT64_CONSTANT (1) << LK_CHANGE_##name)

static void
nodes_settle (const LkJobRequest *asked, LkEvent_update *update)
{
  if ((update->changes & CHANGE (nodes_min)) == 0 || (update->changes & CHANGE (nodes_max)) != 0)
    return;
  update->nodes_max = MAX (update->nodes_min, asked->nodes_max);
  update->changes |= CHANGE (nodes_max);
}

/* Of an array, whose tasks are alike, any task that is there. */
static const LkRequest *
request_of (const LkEngine *engine, guint32 job_id)
{
  const LkRequest *request = lk_engine_job_request (engine, job_id);
  const LkArray *array = lk_engine_array (engine, job_id);
  if (request != NULL || array == NULL || array->members->len == 0)
    return request;
  LkJobIndex task = g_array_index (array->members, LkJobIndex, 0);
  return lk_engine_job_request (engine, lk_engine_view (engine)->jobs->id[task]);
}

void
lk_update_settle (const LkEngine *engine, LkEvent_update *update)
{
  const LkRequest *request = request_of (engine, update->job_id);
  LkJobRequest asked;
  guint32 procs;
  if (request == NULL)
    return;
  lk_request_asked (request, &asked, &procs);
  nodes_settle (&asked, update);
  if ((update->changes & CHANGE (procs)) == 0)
    return;
  lk_update_request (update, &asked);
  update->procs = lk_job_request_cpus (&asked);
}
