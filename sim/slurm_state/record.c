/* sim/slurm_state/record.c — see record.h. */
#include "sim/slurm_state/record.h"

#include <string.h>

#include "engine/policy.h"
#include "traces/quantity.h"

static void
pair_free (gpointer data)
{
  LkStatePair *pair = data;
  g_free (pair->key);
  g_free (pair->value);
  g_free (pair);
}

static void
record_free (gpointer data)
{
  LkStateRecord *record = data;
  g_free (record->title);
  g_ptr_array_unref (record->pairs);
  g_free (record);
}

/* ---------------------------------------------------------------- values */

gboolean
lk_state_is_nothing (const char *value)
{
  static const char *const words[] = { "",        "(null)", "N/A",         "None", "NONE",
                                       "Unknown", "*",      "(null type)", NULL };
  return g_strv_contains (words, value);
}

const char *
lk_state_record_text (const LkStateRecord *self, const char *key)
{
  for (guint i = 0; i < self->pairs->len; i++) {
    const LkStatePair *pair = g_ptr_array_index (self->pairs, i);
    if (strcmp (pair->key, key) == 0)
      return pair->value;
  }
  return NULL;
}

const char *
lk_state_record_value (const LkStateRecord *self, const char *key)
{
  const char *text = lk_state_record_text (self, key);
  return text != NULL && !lk_state_is_nothing (text) ? text : NULL;
}

gboolean
lk_state_record_fail (const LkStateRecord *self, const char *key, const char *expected,
                      GError **error)
{
  const char *text = lk_state_record_text (self, key);
  if (text == NULL)
    return lk_slurm_fail (&self->place, error, "%s: %s is missing; expected %s", self->title, key,
                          expected);
  return lk_slurm_fail (&self->place, error, "%s: %s is '%s'; expected %s", self->title, key, text,
                        expected);
}

gboolean
lk_state_record_count (const LkStateRecord *self, const char *key, guint32 *out_count,
                       GError **error)
{
  guint64 number = 0;
  const char *value = lk_state_record_value (self, key);
  if (value == NULL)
    return TRUE;
  if (!g_ascii_string_to_unsigned (value, 10, 0, G_MAXUINT32, &number, NULL))
    return lk_state_record_fail (self, key, "a whole number", error);
  *out_count = (guint32)number;
  return TRUE;
}

gboolean
lk_state_moment_parse (const char *text, GTimeZone *zone, gint64 *out_us)
{
  g_autoptr (GDateTime) moment = g_date_time_new_from_iso8601 (text, zone);
  if (moment == NULL)
    return FALSE;
  *out_us = g_date_time_to_unix (moment) * G_USEC_PER_SEC;
  return TRUE;
}

gboolean
lk_state_record_moment (const LkStateRecord *self, const char *key, GTimeZone *zone, gint64 *out_us,
                        GError **error)
{
  const char *value = lk_state_record_value (self, key);
  if (value == NULL || lk_state_moment_parse (value, zone, out_us))
    return TRUE;
  return lk_state_record_fail (self, key, "a moment such as 2026-11-21T02:36:32", error);
}

gboolean
lk_state_record_span (const LkStateRecord *self, const char *key, gint64 *out_us, GError **error)
{
  const char *value = lk_state_record_value (self, key);
  if (value == NULL || lk_quantity_time_parse (value, out_us))
    return TRUE;
  return lk_state_record_fail (self, key, "a time such as 1-00:00:00, or UNLIMITED", error);
}

/* ---------------------------------------------------------------- records */

/* The records of one file, as they grow. */
typedef struct {
  const LkStateKind *kind;
  GPtrArray *records;
  LkStateRecord *record; /* the last one */
  gboolean is_free;      /* of it all that comes is free text */
} Reading;

/* Is this word of a line the beginning of a pair: a letter, more of a key, and "="? */
static gboolean
key_begins (const char *word, gsize *out_bytes)
{
  gsize count = 0;
  if (!g_ascii_isupper (word[0]))
    return FALSE;
  while (g_ascii_isalnum (word[count]) || (word[count] != '\0' && strchr ("/:_&", word[count])))
    count++;
  *out_bytes = count;
  return word[count] == '=';
}

static void
value_go_on (const LkStateRecord *record, const char *word)
{
  LkStatePair *pair = g_ptr_array_index (record->pairs, record->pairs->len - 1);
  char *joined = g_strconcat (pair->value, " ", word, NULL);
  g_free (pair->value);
  pair->value = joined;
}

static gboolean
pair_add (Reading *self, const char *word, gsize key_bytes, GError **error)
{
  LkStateRecord *record = self->record;
  g_autofree char *key = g_strndup (word, key_bytes);
  self->is_free = self->is_free || g_strcmp0 (key, self->kind->free_from) == 0;
  gboolean is_there = lk_state_record_text (record, key) != NULL;
  if (is_there && !self->is_free && !g_strv_contains (self->kind->repeated, key))
    return lk_slurm_fail (&record->place, error,
                          "%s: %s stands there twice; a name or comment that looks like one cannot "
                          "be told from it",
                          record->title, key);
  if (is_there) {
    value_go_on (record, word);
    return TRUE;
  }
  LkStatePair *pair = g_new (LkStatePair, 1);
  *pair = (LkStatePair){ .key = g_steal_pointer (&key), .value = g_strdup (word + key_bytes + 1) };
  g_ptr_array_add (record->pairs, pair);
  return TRUE;
}

static void
record_begin (Reading *self, const char *file, guint line_number, const char *word)
{
  self->record = g_new (LkStateRecord, 1);
  *self->record = (LkStateRecord){ .place = { file, line_number },
                                   .title = g_strdup (word),
                                   .pairs = g_ptr_array_new_with_free_func (pair_free) };
  self->is_free = FALSE;
  g_ptr_array_add (self->records, self->record);
}

static gboolean
words_take (Reading *self, char **words, GError **error)
{
  for (char **word = words; *word != NULL; word++) {
    gsize key_bytes = 0;
    if (**word == '\0')
      continue;
    if (!key_begins (*word, &key_bytes)) {
      if (self->record->pairs->len > 0)
        value_go_on (self->record, *word);
    } else if (!pair_add (self, *word, key_bytes, error)) {
      return FALSE;
    }
  }
  return TRUE;
}

static gboolean
tells_none (const LkStateKind *kind, const char *line)
{
  for (const char *const *begin = kind->empty; *begin != NULL; begin++)
    if (g_str_has_prefix (line, *begin))
      return TRUE;
  return FALSE;
}

static gboolean
line_take (Reading *self, const LkSlurmPlace *place, char *line, GError **error)
{
  g_autofree char *first = g_strconcat (self->kind->first, "=", NULL);
  gboolean goes_on = g_ascii_isspace (line[0]);
  if (*g_strchomp (line) == '\0' || tells_none (self->kind, line))
    return TRUE;
  if (!g_utf8_validate (line, -1, NULL))
    return lk_slurm_fail (place, error, "expected text in UTF-8");
  g_auto (GStrv) words = g_strsplit_set (line, " \t", -1);
  if (goes_on && self->record == NULL)
    return lk_slurm_fail (place, error, "expected a line that begins with %s", first);
  if (!goes_on && !g_str_has_prefix (line, first))
    return lk_slurm_fail (place, error, "found '%.40s'; expected a line that begins with %s", line,
                          first);
  if (!goes_on)
    record_begin (self, place->file, place->line_number, words[0]);
  return words_take (self, words, error);
}

GPtrArray *
lk_state_records_read (const LkStateKind *kind, const char *file, GBytes *bytes, GError **error)
{
  gsize length_bytes;
  const char *text = g_bytes_get_data (bytes, &length_bytes);
  g_autoptr (GPtrArray) records = g_ptr_array_new_with_free_func (record_free);
  Reading reading = { .kind = kind, .records = records };
  LkSlurmPlace place = { file, 0 };
  for (gsize at = 0; at < length_bytes;) {
    const char *end = memchr (text + at, '\n', length_bytes - at);
    gsize line_bytes = end != NULL ? (gsize)(end - text) - at : length_bytes - at;
    place.line_number++;
    if (memchr (text + at, '\0', line_bytes) != NULL) {
      lk_slurm_fail (&place, error, "expected text; there is a byte 0 in it");
      return NULL;
    }
    g_autofree char *line = g_strndup (text + at, line_bytes);
    if (!line_take (&reading, &place, line, error))
      return NULL;
    at += line_bytes + 1;
  }
  return g_steal_pointer (&records);
}
