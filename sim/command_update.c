/* sim/command_update.c — see command_update.h. */
#include "sim/command_update.h"

#include <string.h>

#include "engine/checked.h"
#include "engine/node_table.h"
#include "traces/job_options.h"

gboolean
lk_command_settle_limit (const LkCommand *command, const LkEngine *engine, guint32 id,
                         LkEvent_update *update)
{
  LkJobIndex job = lk_engine_job_index (engine, id);
  for (guint i = 0; i < command->pairs->len && job != LK_JOB_NONE; i++) {
    const LkCommandPair *pair = &g_array_index (command->pairs, LkCommandPair, i);
    gint64 limit_us = lk_engine_view (engine)->jobs->estimate_us[job];
    if (strcmp (pair->key, "timelimit") != 0 || pair->sign == '=')
      continue;
    update->estimate_us = pair->sign == '+' ? lk_time_add_us (limit_us, update->estimate_us)
                                            : limit_us - update->estimate_us;
    if (update->estimate_us <= 0)
      return FALSE;
  }
  return TRUE;
}

void
lk_command_settle_cpus (const LkEngine *engine, guint32 id, LkEvent_update *update)
{
  const LkRequest *request = lk_engine_job_request (engine, id);
  LkJobRequest asked;
  guint32 procs;
  if (request == NULL || (update->changes & (G_GUINT64_CONSTANT (1) << LK_CHANGE_procs)) == 0)
    return;
  lk_request_asked (request, &asked, &procs);
  lk_update_request (update, &asked);
  update->procs = lk_job_request_cpus (&asked);
}

void
lk_command_keep_most_nodes (const LkCommand *command, const LkEngine *engine, guint32 id,
                            LkEvent_update *update)
{
  const char *value = lk_command_value (command, "numnodes");
  const LkRequest *request = lk_engine_job_request (engine, id);
  LkJobRequest asked;
  guint32 procs;
  if (value == NULL || strchr (value, '-') != NULL || request == NULL)
    return;
  lk_request_asked (request, &asked, &procs);
  update->nodes_max = MAX (update->nodes_max, asked.nodes_max);
}

gboolean
lk_command_lacks_reason (const LkCommand *command)
{
  static const char *const states[] = { "down", "drain", "fail", NULL };
  const char *state = lk_command_value (command, "state");
  const char *reason = lk_command_value (command, "reason");
  if (command->kind != LK_COMMAND_UPDATE_NODE || state == NULL
      || (reason != NULL && *reason != '\0'))
    return FALSE;
  g_autofree char *lower = g_ascii_strdown (state, -1);
  return g_strv_contains (states, lower);
}

gboolean
lk_command_lowers_nice (const LkEngine *engine, guint32 id, const LkEvent_update *update)
{
  LkJobIndex job = lk_engine_job_index (engine, id);
  return (update->changes & (G_GUINT64_CONSTANT (1) << LK_CHANGE_nice)) != 0 && job != LK_JOB_NONE
         && update->nice < lk_engine_view (engine)->jobs->nice[job];
}

gboolean
lk_command_resumes_nothing (const LkCommand *command, const LkEngine *engine)
{
  const LkNodeTable *nodes = lk_engine_nodes (engine);
  const char *state = lk_command_value (command, "state");
  const char *name = lk_command_value (command, "nodename");
  if (command->kind != LK_COMMAND_UPDATE_NODE || name == NULL || state == NULL
      || g_ascii_strcasecmp (state, "resume") != 0)
    return FALSE;
  for (guint32 node = 0; node < nodes->node_count; node++)
    if (strcmp (nodes->names[node], name) == 0)
      return (nodes->flags[node] & (LK_NODE_DOWN | LK_NODE_DRAIN)) == 0;
  return FALSE;
}
