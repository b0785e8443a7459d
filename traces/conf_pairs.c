/* traces/conf_pairs.c — see the header. */
#include "traces/conf_pairs.h"

#include <string.h>

#include "engine/suggest.h"

void
lk_conf_pairs_clear (LkConfPairs *self)
{
  g_hash_table_unref (self->pairs);
  if (!self->is_borrowed)
    lk_slurm_lines_free (self->lines);
}

/* Lines that describe nodes and the like, not the cluster. */
static gboolean
is_record (const char *key)
{
  static const char *const records[] = { "NodeName", "PartitionName", "DownNodes",
                                         "NodeSet",  "FrontendName",  NULL };
  for (guint i = 0; records[i]; i++)
    if (g_ascii_strcasecmp (key, records[i]) == 0)
      return TRUE;
  return FALSE;
}

void
lk_conf_pairs_init (LkConfPairs *self, LkSlurmLines *lines)
{
  *self = (LkConfPairs){ .lines = lines };
  self->pairs = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < self->lines->lines->len; i++) {
    const GPtrArray *line = g_ptr_array_index (self->lines->lines, i);
    const LkSlurmPair *first = g_ptr_array_index (line, 0);
    for (guint j = 0; !is_record (first->key) && j < line->len; j++) {
      LkSlurmPair *pair = g_ptr_array_index (line, j);
      g_hash_table_insert (self->pairs, g_ascii_strdown (pair->key, -1), pair);
    }
  }
}

void
lk_conf_pairs_init_all (LkConfPairs *self, LkSlurmLines *lines, LkFaults *faults)
{
  lk_conf_pairs_init (self, lines);
  self->is_borrowed = TRUE;
  self->faults = faults;
}

/* Of these each line counts. */
static gboolean
may_repeat (const char *key)
{
  static const char *const keys[] = { "Include",         "SlurmctldHost",   "Prolog", "Epilog",
                                      "PrologSlurmctld", "EpilogSlurmctld", NULL };
  for (guint i = 0; keys[i] != NULL; i++)
    if (g_ascii_strcasecmp (key, keys[i]) == 0)
      return TRUE;
  return FALSE;
}

static void
tell_repeated (const LkConfPairs *self, const LkSlurmPair *pair, LkFaults *faults)
{
  GError *error = NULL;
  const LkSlurmPair *last = lk_conf_pairs_get (self, pair->key);
  if (last == pair || strcmp (last->value, pair->value) == 0 || may_repeat (pair->key))
    return;
  lk_slurm_fail (&pair->place, &error, "%s is '%s', which does not count: line %u of %s says '%s'",
                 pair->key, pair->value, last->place.line_number, last->place.file, last->value);
  lk_faults_add (faults, LK_FAULT_WARNING, error->message);
  g_error_free (error);
}

void
lk_conf_pairs_tell_repeated (const LkConfPairs *self, LkFaults *faults)
{
  for (guint i = 0; i < self->lines->lines->len; i++) {
    const GPtrArray *line = g_ptr_array_index (self->lines->lines, i);
    const LkSlurmPair *first = g_ptr_array_index (line, 0);
    for (guint j = 0; !is_record (first->key) && j < line->len; j++)
      tell_repeated (self, g_ptr_array_index (line, j), faults);
  }
}

gboolean
lk_conf_pairs_goes_on (const LkConfPairs *self, GError **error)
{
  return lk_faults_goes_on (self->faults, error);
}

gboolean
lk_conf_pairs_read (LkConfPairs *self, const char *path, GError **error)
{
  LkSlurmLines *lines = lk_slurm_lines_new (path, error);
  if (lines == NULL)
    return FALSE;
  lk_conf_pairs_init (self, lines);
  return TRUE;
}

const LkSlurmPair *
lk_conf_pairs_get (const LkConfPairs *self, const char *key)
{
  g_autofree char *lower = g_ascii_strdown (key, -1);
  return g_hash_table_lookup (self->pairs, lower);
}

gboolean
lk_conf_fail (const LkSlurmPair *pair, GError **error, const char *expected)
{
  return lk_slurm_fail (&pair->place, error, "%s is '%s'; expected %s", pair->key, pair->value,
                        expected);
}

gboolean
lk_conf_word (const LkSlurmPair *pair, const char *text, const char *const *words, guint *out_index,
              GError **error)
{
  for (guint i = 0; words[i]; i++)
    if (g_ascii_strcasecmp (words[i], text) == 0) {
      *out_index = i;
      return TRUE;
    }
  g_autofree char *phrase = lk_suggest_phrase (text, words);
  return lk_slurm_fail (&pair->place, error, "%s: there is no '%s'%s", pair->key, text, phrase);
}
