/* sim/driver_left.c — see driver_private.h: the text of a run that stands still. */
#include "engine/task_set.h"
#include "sim/driver_private.h"

/* So many jobs are named. */
#define NAMED_MAX 5u

static gint
compare_ids (gconstpointer a, gconstpointer b)
{
  guint32 id_a = *(const guint32 *)a;
  guint32 id_b = *(const guint32 *)b;
  return (id_a > id_b) - (id_a < id_b);
}

/* Those that have started, by rising id, and then those that wait, in the order of the queue. */
static GArray *
ids_left (const LkSimDriver *self)
{
  GArray *ids = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (GArray) waiting = lk_engine_queue_ids (self->engine);
  for (guint32 i = 0; i < self->slot_count; i++)
    if (self->slots[i].id != 0)
      g_array_append_val (ids, self->slots[i].id);
  g_array_sort (ids, compare_ids);
  g_array_append_vals (ids, waiting->data, waiting->len);
  return ids;
}

/* "7", "12_3", "7+1"; or as the log writes it. */
static void
append_name (const LkSimDriver *self, const LkJobInfo *info, GString *text)
{
  LkJobIndex job = lk_engine_job_index (self->engine, info->id);
  const char *name = job < self->slot_count ? self->slots[job].job.name : NULL;
  if (name != NULL)
    g_string_append_printf (text, "job %s", name);
  else if (info->array_job_id != 0 && info->array_task != LK_TASK_NONE)
    g_string_append_printf (text, "job %u_%u", info->array_job_id, info->array_task);
  else if (info->het_leader != 0)
    g_string_append_printf (text, "job %u+%u", info->het_leader, info->het_offset);
  else
    g_string_append_printf (text, "job %u", info->id);
}

static void
append_job (const LkSimDriver *self, guint32 id, GString *text)
{
  LkJobInfo info;
  if (!lk_engine_job (self->engine, id, &info))
    return;
  g_string_append (text, text->len > 0 ? "; " : "");
  append_name (self, &info, text);
  if (info.state == LK_JOB_SUSPENDED)
    g_string_append (text, " is suspended, and nobody resumes it");
  else if (info.state == LK_JOB_RUNNING && info.estimate_us == LK_TIME_NEVER)
    g_string_append (text, " runs, and has neither an end nor a time limit");
  else if (info.state == LK_JOB_RUNNING)
    g_string_append (text, " runs for longer than the simulated clock goes");
  else
    g_string_append_printf (text, " waits (%s)", lk_reason_name (info.reason));
}

char *
lk_sim_left_text (const LkSimDriver *self)
{
  GString *text = g_string_new (NULL);
  g_autoptr (GArray) ids = ids_left (self);
  for (guint i = 0; i < MIN (ids->len, NAMED_MAX); i++)
    append_job (self, g_array_index (ids, guint32, i), text);
  if (ids->len > NAMED_MAX)
    g_string_append_printf (text, "; and %u more", ids->len - NAMED_MAX);
  return g_string_free (text, FALSE);
}
