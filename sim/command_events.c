/* sim/command_events.c — see command_events.h.
 *
 * Of nodes, partitions and reservations; jobs are in command_job_keys.c.
 *
 * Source: scontrol(1). */
#include "sim/command_events.h"

#include <string.h>

#include "engine/policy.h"
#include "engine/suggest.h"
#include "traces/job_options.h"
#include "traces/job_values.h"

#define SHOWN_MAX_BYTES 60

static gboolean fail (GError **error, const char *format, ...) G_GNUC_PRINTF (2, 3);

static gboolean
fail (GError **error, const char *format, ...)
{
  va_list arguments;
  va_start (arguments, format);
  g_autofree char *text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_set_error_literal (error, LK_TRACE_ERROR, LK_TRACE_ERROR_SYNTAX, text);
  return FALSE;
}

static gboolean
key_fail (const LkCommandPair *pair, const char *const *known, GError **error)
{
  g_autofree char *phrase = lk_suggest_phrase (pair->key, known);
  return fail (error, "scontrol sets '%.*s', on which nothing acts%s", SHOWN_MAX_BYTES, pair->key,
               phrase);
}

/* ---------------------------------------------------------------- nodes and partitions */

/* Only these keys may be there. */
static gboolean
keys_check (const LkCommand *command, const char *const *known, GError **error)
{
  for (guint i = 0; i < command->pairs->len; i++) {
    const LkCommandPair *pair = &g_array_index (command->pairs, LkCommandPair, i);
    if (!g_strv_contains (known, pair->key))
      return key_fail (pair, known, error);
  }
  return TRUE;
}

static gboolean
state_fail (const char *state, const char *expected, GError **error)
{
  if (state == NULL)
    return fail (error, "scontrol sets no State; expected %s", expected);
  return fail (error, "State is '%.*s'; expected %s", SHOWN_MAX_BYTES, state, expected);
}

gboolean
lk_command_node_event (const LkCommand *command, LkEvent *out_event, GError **error)
{
  static const char *const known[] = { "nodename", "state", "reason", NULL };
  const char *state = lk_command_value (command, "state");
  LkText node = lk_text (lk_command_value (command, "nodename"));
  LkText reason = lk_text (lk_command_value (command, "reason"));
  if (!keys_check (command, known, error))
    return FALSE;
  g_autofree char *lower = state != NULL ? g_ascii_strdown (state, -1) : NULL;
  LkEvent event = { 0 };
  if (g_strcmp0 (lower, "down") == 0) {
    event.kind = LK_EVENT_NODE_DOWN;
    event.node_down = (LkEvent_node_down){ .node = node, .reason = reason };
  } else if (g_strcmp0 (lower, "drain") == 0 || g_strcmp0 (lower, "fail") == 0) {
    event.kind = LK_EVENT_NODE_DRAIN;
    event.node_drain = (LkEvent_node_drain){ .node = node, .reason = reason };
  } else if (g_strcmp0 (lower, "resume") == 0 || g_strcmp0 (lower, "undrain") == 0) {
    event.kind = LK_EVENT_NODE_RESUME;
    event.node_resume.node = node;
  } else {
    return state_fail (state, "down, drain, fail, undrain or resume", error);
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

/* ---------------------------------------------------------------- reservations */

/* The fields of a reservation, in the order of LK_RESERVATION_FIELDS. */
#define X(type, name, help) FIELD_##name,
enum { LK_RESERVATION_FIELDS (X) FIELD_COUNT };
#undef X

typedef struct {
  const char *key;
  guint field;
  gsize offset; /* in LkEvent_reservation_update */
} TextKey;

#define TEXT(key, name)                                                                            \
  {                                                                                                \
    key, FIELD_##name, G_STRUCT_OFFSET (LkEvent_reservation_update, name)                          \
  }
static const TextKey text_keys[] = {
  TEXT ("accounts", accounts),
  TEXT ("allowedpartitions", partitions),
  TEXT ("allowedqos", qos),
  TEXT ("features", features),
  TEXT ("flags", flags),
  TEXT ("groups", groups),
  TEXT ("licenses", licenses),
  TEXT ("nodes", nodes),
  TEXT ("partition", partition),
  TEXT ("partitionname", partition),
  TEXT ("qos", qos),
  TEXT ("tres", tres),
  TEXT ("users", users),
};
#undef TEXT

static const char *const reservation_keys[] = { "accounts",
                                                "allowedpartitions",
                                                "allowedqos",
                                                "corecnt",
                                                "duration",
                                                "endtime",
                                                "features",
                                                "flags",
                                                "groups",
                                                "licenses",
                                                "nodecnt",
                                                "nodes",
                                                "partition",
                                                "partitionname",
                                                "qos",
                                                "starttime",
                                                "tres",
                                                "users",
                                                "maxstartdelay",
                                                "reservationname",
                                                NULL };

/* "TRUE: the pair is a text, and taken." */
static gboolean
text_take (const LkCommandPair *pair, LkEvent_reservation_update *update)
{
  for (guint i = 0; i < G_N_ELEMENTS (text_keys); i++) {
    if (strcmp (text_keys[i].key, pair->key) != 0)
      continue;
    G_STRUCT_MEMBER (LkText, update, text_keys[i].offset) = lk_text (pair->value);
    update->changes |= 1u << text_keys[i].field;
    return TRUE;
  }
  return FALSE;
}

static gboolean
count_take (const LkCommandPair *pair, guint32 *count, GError **error)
{
  return lk_job_count_parse (pair->value, count)
         || fail (error, "%s is '%.*s'; expected " LK_JOB_COUNT_EXPECTED, pair->key,
                  SHOWN_MAX_BYTES, pair->value);
}

static gboolean
moment_take (const LkCommandPair *pair, gint64 now_us, gint64 *moment_us, GError **error)
{
  return lk_job_moment_parse (pair->value, now_us, moment_us)
         || fail (error, "%s is '%.*s'; expected " LK_JOB_MOMENT_EXPECTED, pair->key,
                  SHOWN_MAX_BYTES, pair->value);
}

/* How long one with PURGE_COMP is kept unused. Flags that tell no time: as long as is usual. */
static gboolean
purge_take (const LkCommandPair *pair, LkEvent_reservation_update *update, GError **error)
{
  update->changes |= 1u << FIELD_purge_us;
  if (pair->value[0] == '\0')
    return TRUE;
  return (lk_job_time_parse (pair->value, &update->purge_us) && update->purge_us > 0
          && update->purge_us < LK_TIME_NEVER)
         || fail (error, "PURGE_COMP is '%.*s'; expected " LK_JOB_TIME_EXPECTED ", more than 0",
                  SHOWN_MAX_BYTES, pair->value);
}

/* Times and counts. */
static gboolean
other_take (const LkCommandPair *pair, gint64 now_us, LkEvent_reservation_update *update,
            gint64 *end_us, GError **error)
{
  if (strcmp (pair->key, "starttime") == 0) {
    update->changes |= 1u << FIELD_start_us;
    return moment_take (pair, now_us, &update->start_us, error);
  }
  if (strcmp (pair->key, "endtime") == 0)
    return moment_take (pair, now_us, end_us, error);
  if (strcmp (pair->key, "nodecnt") == 0) {
    update->changes |= 1u << FIELD_node_count;
    return count_take (pair, &update->node_count, error);
  }
  if (strcmp (pair->key, "corecnt") == 0) {
    update->changes |= 1u << FIELD_core_count;
    return count_take (pair, &update->core_count, error);
  }
  if (strcmp (pair->key, LK_COMMAND_PURGE_KEY) == 0)
    return purge_take (pair, update, error);
  gboolean is_duration = strcmp (pair->key, "duration") == 0;
  if (!is_duration && strcmp (pair->key, "maxstartdelay") != 0)
    return key_fail (pair, reservation_keys, error);
  update->changes |= 1u << (is_duration ? FIELD_duration_us : FIELD_max_start_delay_us);
  return lk_job_time_parse (pair->value,
                            is_duration ? &update->duration_us : &update->max_start_delay_us)
         || fail (error, "%s is '%.*s'; expected " LK_JOB_TIME_EXPECTED, pair->key, SHOWN_MAX_BYTES,
                  pair->value);
}

/* Is this one of the words of a list? */
static gboolean
has_flag (LkText flags, const char *word)
{
  g_autofree char *text = g_strndup (flags.length_bytes > 0 ? flags.bytes : "", flags.length_bytes);
  g_auto (GStrv) words = g_strsplit (text, ",", -1);
  for (guint i = 0; words[i] != NULL; i++)
    if (g_ascii_strcasecmp (words[i], word) == 0)
      return TRUE;
  return FALSE;
}

/* A length behind the start, and a start that counts from now on. */
static gboolean
moments_settle (LkEvent_reservation_update *update, gint64 now_us, gint64 end_us, GError **error)
{
  gboolean has_start = (update->changes & (1u << FIELD_start_us)) != 0;
  if (end_us >= 0 && !has_start)
    return fail (error, "EndTime stands without StartTime; expected both, or Duration");
  if (end_us >= 0) {
    update->duration_us = end_us - update->start_us;
    update->changes |= 1u << FIELD_duration_us;
  }
  if (has_start && has_flag (update->flags, "TIME_FLOAT"))
    update->start_us -= now_us;
  return TRUE;
}

static gboolean
reservation_fill (const LkCommand *command, gint64 now_us, LkEvent_reservation_update *update,
                  GError **error)
{
  gint64 end_us = -1;
  for (guint i = 0; i < command->pairs->len; i++) {
    const LkCommandPair *pair = &g_array_index (command->pairs, LkCommandPair, i);
    if (pair->sign != '=')
      return fail (error, "scontrol sets %s%c=; expected %s=", pair->key, pair->sign, pair->key);
    if (strcmp (pair->key, "reservationname") == 0)
      update->name = lk_text (pair->value);
    else if (!text_take (pair, update) && !other_take (pair, now_us, update, &end_us, error))
      return FALSE;
  }
  return moments_settle (update, now_us, end_us, error);
}

gboolean
lk_command_reservation_event (const LkCommand *command, gint64 now_us, LkEvent *out_event,
                              GError **error)
{
  LkEvent event = { .kind = LK_EVENT_RESERVATION_UPDATE };
  LkEvent_reservation_update update = { 0 };
  if (!reservation_fill (command, now_us, &update, error))
    return FALSE;
  if (command->kind == LK_COMMAND_DELETE_RESERVATION) {
    event.kind = LK_EVENT_RESERVATION_DELETE;
    event.reservation_delete.name = update.name;
  } else if (command->kind == LK_COMMAND_CREATE_RESERVATION) {
    event.kind = LK_EVENT_RESERVATION_CREATE;
    event.reservation_create.name = update.name;
#define TAKE(type, name, help) event.reservation_create.name = update.name;
    LK_RESERVATION_FIELDS (TAKE)
#undef TAKE
  } else {
    event.reservation_update = update;
  }
  *out_event = event;
  return TRUE;
}
