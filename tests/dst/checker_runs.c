/* tests/dst/checker_runs.c — see the header. */
#include "tests/dst/checker_runs.h"

#include <string.h>

#include "engine/hostlist.h"

typedef struct {
  guint64 run_id;
  guint32 job_id;
  char *node;
  char *nodes;
  char *cores;
  char *gres;
  guint64 core_set;   /* on this node */
  guint64 device_set; /* likewise */
  guint64 begin_step;
  guint64 end_step; /* G_MAXUINT64: it lives */
} DstSeenRun;

/* Two that lived at the same time on the same. */
typedef struct {
  const DstSeenRun *one;
  const DstSeenRun *other;
  gboolean is_device;
} DstRunClash;

/* What a run was launched with. */
typedef struct {
  guint64 run_id;
  guint32 job_id;
  guint32 length_bytes;
  guint8 *bytes;
} DstRunTask;

static void
task_free (gpointer data)
{
  g_free (((DstRunTask *)data)->bytes);
  g_free (data);
}

static void
seen_free (gpointer data)
{
  DstSeenRun *seen = data;
  g_free (seen->node);
  g_free (seen->nodes);
  g_free (seen->cores);
  g_free (seen->gres);
  g_free (seen);
}

void
dst_checker_runs_init (DstCheckerRuns *self, DstFindings *findings)
{
  *self = (DstCheckerRuns){ .seen = g_ptr_array_new_with_free_func (seen_free),
                            .live = g_ptr_array_new (),
                            .keys = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL),
                            .clashes = g_array_new (FALSE, FALSE, sizeof (DstRunClash)),
                            .tasks = g_ptr_array_new_with_free_func (task_free),
                            .findings = findings };
}

void
dst_checker_runs_clear (DstCheckerRuns *self)
{
  g_ptr_array_unref (self->tasks);
  g_array_unref (self->clashes);
  g_hash_table_unref (self->keys);
  g_ptr_array_unref (self->live);
  g_ptr_array_unref (self->seen);
}

/* ---------------------------------------------------------------- grants as texts */

static gboolean
list_has (const char *list, gsize length_bytes, const char *node)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  if (!lk_hostlist_expand (list, length_bytes, names, NULL))
    return FALSE;
  for (guint i = 0; i < names->len; i++)
    if (g_strcmp0 (g_ptr_array_index (names, i), node) == 0)
      return TRUE;
  return FALSE;
}

/* "0-3,5" as a set. */
static guint64
index_set (const char *text)
{
  guint64 set = 0;
  char *end = (char *)text;
  while (g_ascii_isdigit (*end)) {
    guint64 low = g_ascii_strtoull (end, &end, 10);
    guint64 high = *end == '-' ? g_ascii_strtoull (end + 1, &end, 10) : low;
    for (guint64 i = low; i <= high && i < 64; i++)
      set |= G_GUINT64_CONSTANT (1) << i;
    end += *end == ',' ? 1 : 0;
  }
  return set;
}

/* What "nodes=grant;..." says for a node; NULL: nothing. */
static char *
grant_on (const char *text, const char *node)
{
  g_auto (GStrv) parts = g_strsplit (text, ";", -1);
  for (guint i = 0; parts[i] != NULL; i++) {
    const char *equals = strchr (parts[i], '=');
    if (equals != NULL && list_has (parts[i], (gsize)(equals - parts[i]), node))
      return g_strdup (equals + 1);
  }
  return NULL;
}

/* The devices of "name:indices|name*count"; here all devices have one name. */
static guint64
device_set (const char *text, const char *node)
{
  g_autofree char *grant = grant_on (text, node);
  const char *colon = grant != NULL ? strrchr (grant, ':') : NULL;
  return colon != NULL ? index_set (colon + 1) : 0;
}

static guint64
core_set (const char *text, const char *node)
{
  g_autofree char *grant = grant_on (text, node);
  return grant != NULL ? index_set (grant) : 0;
}

/* ---------------------------------------------------------------- watching */

static void
compare (DstCheckerRuns *self, const DstSeenRun *one, const DstSeenRun *other)
{
  if (one->job_id == other->job_id && one->run_id != other->run_id)
    dst_find (self->findings,
              "job %u: run %" G_GUINT64_FORMAT " begins on %s while run %" G_GUINT64_FORMAT
              " lives on %s",
              one->job_id, one->run_id, one->node, other->run_id, other->node);
  if (g_strcmp0 (one->node, other->node) != 0)
    return;
  DstRunClash clash = { .one = one, .other = other };
  if ((one->core_set & other->core_set) != 0)
    g_array_append_val (self->clashes, clash);
  clash.is_device = TRUE;
  if ((one->device_set & other->device_set) != 0)
    g_array_append_val (self->clashes, clash);
}

void
dst_checker_runs_launched (DstCheckerRuns *self, const LkMessage_launch *launch)
{
  DstRunTask *task = g_new (DstRunTask, 1);
  *task = (DstRunTask){ .run_id = launch->run_id,
                        .job_id = launch->job_id,
                        .length_bytes = launch->payload.length_bytes,
                        .bytes = g_memdup2 (launch->payload.bytes, launch->payload.length_bytes) };
  g_ptr_array_add (self->tasks, task);
}

void
dst_checker_runs_begun (DstCheckerRuns *self, const LkProcessSimRun *run)
{
  DstSeenRun *seen = g_new0 (DstSeenRun, 1);
  *seen = (DstSeenRun){ .run_id = run->run_id,
                        .job_id = run->job_id,
                        .node = g_strdup (run->node),
                        .nodes = g_strdup (run->nodes),
                        .cores = g_strdup (run->cores),
                        .gres = g_strdup (run->gres),
                        .core_set = core_set (run->cores, run->node),
                        .device_set = device_set (run->gres, run->node),
                        .begin_step = ++self->step,
                        .end_step = G_MAXUINT64 };
  if (!g_hash_table_add (self->keys,
                         g_strdup_printf ("%" G_GUINT64_FORMAT " %s", run->run_id, run->node)))
    dst_find (self->findings, "run %" G_GUINT64_FORMAT " of job %u begins twice on %s", run->run_id,
              run->job_id, run->node);
  for (guint i = 0; i < self->live->len; i++)
    compare (self, seen, g_ptr_array_index (self->live, i));
  g_ptr_array_add (self->seen, seen);
  g_ptr_array_add (self->live, seen);
}

void
dst_checker_runs_over (DstCheckerRuns *self, const LkProcessSimRun *run)
{
  for (guint i = 0; i < self->live->len; i++) {
    DstSeenRun *seen = g_ptr_array_index (self->live, i);
    if (seen->run_id != run->run_id || g_strcmp0 (seen->node, run->node) != 0)
      continue;
    seen->end_step = ++self->step;
    g_ptr_array_remove_index_fast (self->live, i);
    return;
  }
}

guint
dst_checker_runs_live_count (const DstCheckerRuns *self)
{
  return self->live->len;
}

guint64
dst_checker_runs_live (const DstCheckerRuns *self, guint i)
{
  return ((const DstSeenRun *)g_ptr_array_index (self->live, i))->run_id;
}

gboolean
dst_checker_runs_lives (const DstCheckerRuns *self, guint64 run_id, const char *node)
{
  for (guint i = 0; i < self->live->len; i++) {
    const DstSeenRun *seen = g_ptr_array_index (self->live, i);
    if (seen->run_id == run_id && g_strcmp0 (seen->node, node) == 0)
      return TRUE;
  }
  return FALSE;
}

/* ---------------------------------------------------------------- looking */

static void
look_at (const DstCheckerRuns *self, const DstSeenRun *seen, const DstHistory *history)
{
  const DstHistoryRun *run = dst_history_run (history, seen->run_id);
  if (run == NULL || run->job_id != seen->job_id) {
    dst_find (self->findings,
              "run %" G_GUINT64_FORMAT " of job %u began on %s, and the journal does not know it",
              seen->run_id, seen->job_id, seen->node);
    return;
  }
  if (g_strcmp0 (run->nodes, seen->nodes) != 0 || g_strcmp0 (run->cores, seen->cores) != 0
      || g_strcmp0 (run->gres, seen->gres) != 0)
    dst_find (self->findings,
              "run %" G_GUINT64_FORMAT " of job %u on %s was granted %s %s %s, and got %s %s %s",
              seen->run_id, seen->job_id, seen->node, run->nodes, run->cores, run->gres,
              seen->nodes, seen->cores, seen->gres);
  if (run->nodes[0] != '\0' && !list_has (run->nodes, strlen (run->nodes), seen->node))
    dst_find (self->findings, "run %" G_GUINT64_FORMAT " of job %u began on %s, not on %s",
              seen->run_id, seen->job_id, seen->node, run->nodes);
}

static gboolean
was_suspended (const DstHistory *history, const DstSeenRun *seen)
{
  const DstHistoryRun *run = dst_history_run (history, seen->run_id);
  return run != NULL && run->was_suspended;
}

static void
look_at_clash (const DstCheckerRuns *self, const DstRunClash *clash, const DstHistory *history,
               const DstRunRules *rules)
{
  if (!clash->is_device
      && (rules->shares_cores || was_suspended (history, clash->one)
          || was_suspended (history, clash->other)))
    return;
  dst_find (self->findings,
            "runs %" G_GUINT64_FORMAT " and %" G_GUINT64_FORMAT
            " of jobs %u and %u live on the same %s of %s",
            clash->one->run_id, clash->other->run_id, clash->one->job_id, clash->other->job_id,
            clash->is_device ? "device" : "core", clash->one->node);
}

/* Units of a pool have no names: they are counted whenever a run begins. */
static void
look_at_pool (const DstCheckerRuns *self, const DstHistory *history, guint32 pool_units)
{
  for (guint i = 0; i < self->seen->len; i++) {
    const DstSeenRun *begun = g_ptr_array_index (self->seen, i);
    guint64 units = 0;
    for (guint j = 0; j <= i; j++) {
      const DstSeenRun *other = g_ptr_array_index (self->seen, j);
      const DstHistoryRun *run = dst_history_run (history, other->run_id);
      if (run != NULL && other->end_step > begun->begin_step && !run->was_suspended)
        units += run->units;
    }
    if (units > pool_units)
      dst_find (self->findings,
                "%" G_GUINT64_FORMAT " of %u units are in use as run %" G_GUINT64_FORMAT " begins",
                units, pool_units, begun->run_id);
  }
}

static void
look_at_task (const DstCheckerRuns *self, const DstRunTask *task, const DstHistory *history)
{
  const DstHistoryRequest *submit = dst_history_submit (history, task->job_id);
  if (submit == NULL)
    dst_find (self->findings, "nobody has submitted job %u of run %" G_GUINT64_FORMAT, task->job_id,
              task->run_id);
  else if (submit->payload_bytes != task->length_bytes
           || (task->length_bytes > 0
               && memcmp (submit->payload, task->bytes, task->length_bytes) != 0))
    dst_find (self->findings,
              "run %" G_GUINT64_FORMAT " of job %u runs something else than was submitted",
              task->run_id, task->job_id);
}

void
dst_checker_runs_look (const DstCheckerRuns *self, const DstHistory *history,
                       const DstRunRules *rules)
{
  for (guint i = 0; i < self->seen->len; i++)
    look_at (self, g_ptr_array_index (self->seen, i), history);
  for (guint i = 0; i < self->tasks->len; i++)
    look_at_task (self, g_ptr_array_index (self->tasks, i), history);
  for (guint i = 0; i < self->clashes->len; i++)
    look_at_clash (self, &g_array_index (self->clashes, DstRunClash, i), history, rules);
  if (rules->pool_units > 0)
    look_at_pool (self, history, rules->pool_units);
}
