/* traces/command_events.c — see command_events.h.
 *
 * Of nodes and partitions; jobs are in command_job_keys.c, reservations in command_reservation.c.
 *
 * Source: scontrol(1). */
#include "traces/command_events.h"

#include <string.h>

#include "engine/policy.h"
#include "traces/command_fail.h"
#include "traces/job_options.h"
#include "traces/job_values.h"

/* ---------------------------------------------------------------- nodes and partitions */

/* Only these keys may be there. */
static gboolean
keys_check (const LkCommand *command, const char *const *known, GError **error)
{
  for (guint i = 0; i < command->pairs->len; i++) {
    const LkCommandPair *pair = &g_array_index (command->pairs, LkCommandPair, i);
    if (!g_strv_contains (known, pair->key))
      return lk_command_key_fail (pair, known, error);
  }
  return TRUE;
}

static gboolean
state_fail (const char *state, const char *expected, GError **error)
{
  if (state == NULL)
    return lk_command_fail (error, "no State= is given; expected %s", expected);
  return lk_command_fail (error, "State is '%.*s'; expected %s", LK_COMMAND_SHOWN_MAX_BYTES, state,
                          expected);
}

gboolean
lk_command_node_check (const LkCommand *command, GError **error)
{
  /* The description has the others: command_cluster.c. */
  static const char *const known[] = { "nodename",       "state",    "reason",
                                       "weight",         "features", "availablefeatures",
                                       "activefeatures", NULL };
  if (!keys_check (command, known, error))
    return FALSE;
  for (guint i = 0; i < command->pairs->len; i++) {
    const LkCommandPair *pair = &g_array_index (command->pairs, LkCommandPair, i);
    if (pair->sign != '=')
      return lk_command_fail (error, "'%.*s' adds to a list or takes from it; expected KEY=VALUE",
                              LK_COMMAND_SHOWN_MAX_BYTES, pair->given);
  }
  return TRUE;
}

gboolean
lk_command_node_event (const LkCommand *command, LkEvent *out_event, GError **error)
{
  const char *state = lk_command_value (command, "state");
  LkText node = lk_text (lk_command_value (command, "nodename"));
  LkText reason = lk_text (lk_command_value (command, "reason"));
  if (!lk_command_node_check (command, error))
    return FALSE;
  g_autofree char *lower = state != NULL ? g_ascii_strdown (state, -1) : NULL;
  LkEvent event = { 0 };
  if (g_strcmp0 (lower, "down") == 0) {
    event.kind = LK_EVENT_NODE_DOWN;
    event.node_down = (LkEvent_node_down){ .node = node, .reason = reason };
  } else if (g_strcmp0 (lower, "drain") == 0 || g_strcmp0 (lower, "fail") == 0) {
    event.kind = LK_EVENT_NODE_DRAIN;
    event.node_drain = (LkEvent_node_drain){ .node = node, .reason = reason };
  } else if (g_strcmp0 (lower, "resume") == 0 || g_strcmp0 (lower, "undrain") == 0
             || g_strcmp0 (lower, "idle") == 0) {
    event.kind = LK_EVENT_NODE_RESUME;
    event.node_resume.node = node;
  } else {
    return state_fail (state, "down, drain, fail, undrain, resume or idle", error);
  }
  *out_event = event;
  return TRUE;
}

gboolean
lk_command_partition_event (const LkCommand *command, LkEvent *out_event, GError **error)
{
  static const char *const known[] = { "partitionname", "state", NULL };
  static const char *const states[] = { "up", "down", "drain", "inactive" };
  const char *state = lk_command_value (command, "state");
  LkEvent event = { .kind = LK_EVENT_PARTITION };
  if (!keys_check (command, known, error))
    return FALSE;
  event.partition.name = lk_text (lk_command_value (command, "partitionname"));
  for (guint8 i = 0; state != NULL && i < G_N_ELEMENTS (states); i++)
    if (g_ascii_strcasecmp (state, states[i]) == 0) {
      event.partition.state = i;
      *out_event = event;
      return TRUE;
    }
  return state_fail (state, "UP, DOWN, DRAIN or INACTIVE", error);
}
