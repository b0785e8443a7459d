/* traces/command_reservation.c — see command_reservation.h.
 *
 * Lists, nodes, flags and times can be told as what is added to, or taken from, those that a
 * reservation has; the event has them as a whole.  Flags are only ever added with =, as in Slurm.
 *
 * Source: scontrol(1), reservations; scontrol_parse_res_options and update_resv of Slurm. */
#include "traces/command_reservation.h"

#include <string.h>

#include "engine/checked.h"
#include "engine/hostlist.h"
#include "engine/policy.h"
#include "engine/suggest.h"
#include "traces/command_fail.h"
#include "traces/job_values.h"

/* ---------------------------------------------------------------- fields */

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
         || lk_command_fail (error, "%s is '%.*s'; expected " LK_JOB_COUNT_EXPECTED, pair->key,
                             LK_COMMAND_SHOWN_MAX_BYTES, pair->value);
}

static gboolean
moment_take (const LkCommandPair *pair, gint64 now_us, gint64 *moment_us, GError **error)
{
  return lk_job_moment_parse (pair->value, now_us, moment_us)
         || lk_command_fail (error, "%s is '%.*s'; expected " LK_JOB_MOMENT_EXPECTED, pair->key,
                             LK_COMMAND_SHOWN_MAX_BYTES, pair->value);
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
         || lk_command_fail (error,
                             "PURGE_COMP is '%.*s'; expected " LK_JOB_TIME_EXPECTED ", more than 0",
                             LK_COMMAND_SHOWN_MAX_BYTES, pair->value);
}

static gboolean
parameter_fail (const LkCommandPair *pair, GError **error)
{
  g_autofree char *phrase = lk_suggest_phrase (pair->key, reservation_keys);
  return lk_command_fail (error, "Unknown parameter %.*s%s", LK_COMMAND_SHOWN_MAX_BYTES,
                          pair->given, phrase);
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
    return parameter_fail (pair, error);
  update->changes |= 1u << (is_duration ? FIELD_duration_us : FIELD_max_start_delay_us);
  return lk_job_time_parse (pair->value,
                            is_duration ? &update->duration_us : &update->max_start_delay_us)
         || lk_command_fail (error, "%s is '%.*s'; expected " LK_JOB_TIME_EXPECTED, pair->key,
                             LK_COMMAND_SHOWN_MAX_BYTES, pair->value);
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
moments_settle (const LkCommand *command, LkEvent_reservation_update *update, gint64 now_us,
                gint64 end_us, GError **error)
{
  gboolean has_start = (update->changes & (1u << FIELD_start_us)) != 0;
  /* Behind the start that it has. */
  if (end_us >= 0 && !has_start && command->kind == LK_COMMAND_UPDATE_RESERVATION)
    return TRUE;
  if (end_us >= 0 && !has_start)
    return lk_command_fail (error, "EndTime stands without StartTime; expected both, or Duration");
  if (end_us >= 0) {
    update->duration_us = end_us - update->start_us;
    update->changes |= 1u << FIELD_duration_us;
  }
  if (has_start && has_flag (update->flags, "TIME_FLOAT"))
    update->start_us -= now_us;
  return TRUE;
}

/* Times are changed by as much as a Duration says. */
static gboolean
is_time (const LkCommandPair *pair)
{
  static const char *const times[] = { "starttime", "endtime", "duration", NULL };
  return g_strv_contains (times, pair->key);
}

/* May it be told as what is added or taken away? */
static gboolean
edit_check (const LkCommand *command, const LkCommandPair *pair, GError **error)
{
  static const char *const lists[] = {
    "accounts", "allowedpartitions", "allowedqos", "flags", "groups", "nodes", "qos", "users", NULL
  };
  gint64 by_us;
  if (command->kind != LK_COMMAND_UPDATE_RESERVATION
      || (!is_time (pair) && !g_strv_contains (lists, pair->key)
          && strcmp (pair->key, LK_COMMAND_PURGE_KEY) != 0))
    return lk_command_fail (error, "'%.*s' adds to a value or takes from it; expected %s=",
                            LK_COMMAND_SHOWN_MAX_BYTES, pair->given, pair->key);
  if (!is_time (pair) || lk_job_time_parse (pair->value, &by_us))
    return TRUE;
  return lk_command_fail (error, "%s is '%.*s'; expected " LK_JOB_TIME_EXPECTED, pair->key,
                          LK_COMMAND_SHOWN_MAX_BYTES, pair->value);
}

static gboolean
reservation_fill (const LkCommand *command, gint64 now_us, LkEvent_reservation_update *update,
                  GError **error)
{
  gint64 end_us = -1;
  for (guint i = 0; i < command->pairs->len; i++) {
    const LkCommandPair *pair = &g_array_index (command->pairs, LkCommandPair, i);
    if (pair->sign != '=' && !edit_check (command, pair, error))
      return FALSE;
    if (pair->sign != '=')
      continue;
    if (strcmp (pair->key, "reservationname") == 0)
      update->name = lk_text (pair->value);
    else if (!text_take (pair, update) && !other_take (pair, now_us, update, &end_us, error))
      return FALSE;
  }
  return moments_settle (command, update, now_us, end_us, error);
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

/* ---------------------------------------------------------------- what a reservation has */

/* What is edited, and where the texts go. */
typedef struct {
  const LkCommandReservation *item;
  gint64 now_us;
  GStringChunk *texts;
  LkEvent_reservation_update *update;
} Edit;

static const char *
bare (const char *word)
{
  return *word == '-' ? word + 1 : word;
}

/* G_MAXUINT: it is not there. */
static guint
word_find (const GPtrArray *words, const char *word)
{
  for (guint i = 0; i < words->len; i++)
    if (g_ascii_strcasecmp (bare (g_ptr_array_index (words, i)), bare (word)) == 0)
      return i;
  return G_MAXUINT;
}

static void
words_add (GPtrArray *words, const char *text, gsize length_bytes)
{
  g_autofree char *copy = g_strndup (length_bytes > 0 ? text : "", length_bytes);
  g_auto (GStrv) parts = g_strsplit (copy, ",", -1);
  for (guint i = 0; parts[i] != NULL; i++)
    if (parts[i][0] != '\0')
      g_ptr_array_add (words, g_strdup (parts[i]));
}

/* The words with those of the pair, or without. */
static gboolean
words_edit (GPtrArray *words, const GPtrArray *given, const LkCommandPair *pair, gboolean is_taken,
            GError **error)
{
  for (guint i = 0; i < given->len; i++) {
    const char *word = g_ptr_array_index (given, i);
    guint at = word_find (words, word);
    if (is_taken && at == G_MAXUINT)
      return lk_command_fail (error, "the reservation has no '%.*s' that could be taken away (%s)",
                              LK_COMMAND_SHOWN_MAX_BYTES, word, pair->given);
    if (is_taken)
      g_ptr_array_remove_index (words, at);
    else if (at == G_MAXUINT)
      g_ptr_array_add (words, g_strdup (word));
  }
  return TRUE;
}

static void
text_put (const Edit *self, const TextKey *key, const char *text)
{
  LkText kept = lk_text (g_string_chunk_insert (self->texts, text));
  G_STRUCT_MEMBER (LkText, self->update, key->offset) = kept;
  self->update->changes |= 1u << key->field;
}

static const TextKey *
text_key_find (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (text_keys); i++)
    if (strcmp (text_keys[i].key, name) == 0)
      return &text_keys[i];
  return NULL;
}

static gboolean
edit_list (const Edit *self, const LkCommandPair *pair, GError **error)
{
  const TextKey *key = text_key_find (pair->key);
  LkText before = G_STRUCT_MEMBER (LkText, &self->item->asked, key->offset);
  g_autoptr (GPtrArray) words = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) given = g_ptr_array_new_with_free_func (g_free);
  /* Behind another pair of the same key. */
  if ((self->update->changes & (1u << key->field)) != 0 && pair->sign != '=')
    before = G_STRUCT_MEMBER (LkText, self->update, key->offset);
  words_add (words, before.bytes, before.length_bytes);
  words_add (given, pair->value, strlen (pair->value));
  if (!words_edit (words, given, pair, pair->sign == '-', error))
    return FALSE;
  /* The time that PURGE_COMP had goes with it. */
  if (pair->sign == '-' && key->field == FIELD_flags
      && word_find (given, "PURGE_COMP") != G_MAXUINT)
    self->update->changes |= 1u << FIELD_purge_us;
  g_ptr_array_add (words, NULL);
  g_autofree char *text = g_strjoinv (",", (char **)words->pdata);
  text_put (self, key, text);
  return TRUE;
}

/* Those that it has, or behind another pair of the same key will have. */
static void
nodes_now (const Edit *self, GPtrArray *out_names)
{
  LkText named = self->update->nodes;
  if ((self->update->changes & (1u << FIELD_nodes)) != 0) {
    lk_hostlist_expand (named.bytes, named.length_bytes, out_names, NULL);
    return;
  }
  for (const char *const *name = self->item->nodes; *name != NULL; name++)
    g_ptr_array_add (out_names, g_strdup (*name));
}

/* Named they are from now on, however they were picked. */
static gboolean
edit_nodes (const Edit *self, const LkCommandPair *pair, GError **error)
{
  g_autoptr (GPtrArray) words = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) given = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GString) text = g_string_new (NULL);
  nodes_now (self, words);
  if (g_ascii_strcasecmp (pair->value, "ALL") == 0) {
    for (const char *const *name = self->item->all_nodes; *name != NULL; name++)
      g_ptr_array_add (given, g_strdup (*name));
  } else if (!lk_hostlist_expand (pair->value, strlen (pair->value), given, NULL)) {
    return lk_command_fail (error, "%s is '%.*s'; expected names of nodes", pair->key,
                            LK_COMMAND_SHOWN_MAX_BYTES, pair->value);
  }
  if (!words_edit (words, given, pair, pair->sign == '-', error))
    return FALSE;
  if (words->len == 0)
    return lk_command_fail (error, "the reservation has no other nodes (%s)", pair->given);
  lk_hostlist_compress ((const char *const *)words->pdata, words->len, text);
  text_put (self, text_key_find ("nodes"), text->str);
  if (self->item->asked.node_count > 0)
    self->update->changes |= 1u << FIELD_node_count;
  return TRUE;
}

static void
edit_time (const Edit *self, const LkCommandPair *pair)
{
  LkEvent_reservation_update *update = self->update;
  const LkCommandReservation *item = self->item;
  gint64 by_us = 0;
  lk_job_time_parse (pair->value, &by_us);
  if (pair->sign == '-')
    by_us = -by_us;
  if (strcmp (pair->key, "starttime") == 0) {
    update->start_us = lk_time_add_us (item->start_us, by_us);
    update->changes |= 1u << FIELD_start_us;
    return;
  }
  update->duration_us = lk_time_add_us (item->end_us - item->start_us, by_us);
  update->changes |= 1u << FIELD_duration_us;
}

/* A moment that counts from the start that it has, or that floats with it. */
static void
settle_moments (const Edit *self, const LkCommand *command)
{
  LkEvent_reservation_update *update = self->update;
  const char *end = lk_command_value (command, "endtime");
  const char *start = lk_command_value (command, "starttime");
  gboolean floats = self->item->floats;
  gint64 end_us;
  for (guint i = 0; i < command->pairs->len; i++) {
    const LkCommandPair *pair = &g_array_index (command->pairs, LkCommandPair, i);
    if (pair->sign != '=' && strcmp (pair->key, "endtime") == 0)
      end = NULL;
    if (pair->sign != '=' && strcmp (pair->key, "starttime") == 0)
      start = NULL;
  }
  if (floats && start != NULL && !has_flag (update->flags, "TIME_FLOAT"))
    update->start_us -= self->now_us;
  if (end == NULL || (update->changes & (1u << FIELD_duration_us)) != 0
      || !lk_job_moment_parse (end, self->now_us, &end_us))
    return;
  gint64 start_us =
      (update->changes & (1u << FIELD_start_us)) != 0 ? update->start_us : self->item->start_us;
  update->duration_us = end_us - start_us - (floats ? self->now_us : 0);
  update->changes |= 1u << FIELD_duration_us;
}

gboolean
lk_command_edit_reservation (const LkCommand *command, const LkCommandReservation *standing,
                             gint64 now_us, GStringChunk *texts, LkEvent_reservation_update *update,
                             GError **error)
{
  Edit self = { .item = standing, .now_us = now_us, .texts = texts, .update = update };
  settle_moments (&self, command);
  for (guint i = 0; i < command->pairs->len; i++) {
    const LkCommandPair *pair = &g_array_index (command->pairs, LkCommandPair, i);
    gboolean is_flags = strcmp (pair->key, "flags") == 0;
    if (pair->sign == '=' && !is_flags)
      continue;
    if (is_time (pair))
      edit_time (&self, pair);
    else if (strcmp (pair->key, "nodes") == 0
                 ? !edit_nodes (&self, pair, error)
                 : text_key_find (pair->key) != NULL && !edit_list (&self, pair, error))
      return FALSE;
  }
  return TRUE;
}
