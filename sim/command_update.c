/* sim/command_update.c — see command_update.h. */
#include "sim/command_update.h"

#include <string.h>

#include "engine/bits.h"
#include "engine/checked.h"
#include "engine/node_table.h"
#include "engine/reservation.h"
#include "traces/command_reservation.h"
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

/* Names of nodes, of a set of them or (NULL) of all, ended by NULL.
 * Returns: (transfer container). */
static GPtrArray *
node_names (const LkNodeTable *nodes, const guint64 *set)
{
  GPtrArray *names = g_ptr_array_new ();
  for (guint32 node = 0; node < nodes->node_count; node++)
    if (set == NULL || lk_bits_has (set, node))
      g_ptr_array_add (names, nodes->names[node]);
  g_ptr_array_add (names, NULL);
  return names;
}

gboolean
lk_command_settle_reservation (const LkCommand *command, const LkEngine *engine, gint64 now_us,
                               GStringChunk *texts, LkEvent_reservation_update *update,
                               GError **error)
{
  const LkReservationTable *table = lk_engine_reservations (engine);
  const LkAdvanceReservation *item = NULL;
  if (table != NULL)
    item = lk_reservations_find (table, update->name.bytes, update->name.length_bytes);
  if (item == NULL)
    return TRUE;
  static const char *const none[] = { NULL };
  g_autoptr (GPtrArray) all = node_names (lk_engine_nodes (engine), NULL);
  g_autoptr (GPtrArray) own =
      item->nodes != NULL ? node_names (lk_engine_nodes (engine), item->nodes) : NULL;
  LkCommandReservation standing = {
    .start_us = item->start_us,
    .end_us = item->end_us,
    .floats = (item->flags & LK_RESERVATION_TIME_FLOAT) != 0,
    .nodes = own != NULL ? (const char *const *)own->pdata : none,
    .all_nodes = (const char *const *)all->pdata,
  };
#define TAKE(type, name, help) standing.asked.name = item->asked.name;
  LK_RESERVATION_FIELDS (TAKE)
#undef TAKE
  return lk_command_edit_reservation (command, &standing, now_us, texts, update, error);
}
