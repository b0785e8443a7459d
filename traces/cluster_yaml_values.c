/* traces/cluster_yaml_values.c — values of cluster.yaml that are members of one type: numbers,
 * sizes, times, words, lists of names. */
#include <string.h>

#include "engine/suggest.h"
#include "traces/cluster_yaml_reader.h"
#include "traces/quantity.h"

static const char *
value_text (const LkYamlReader *self)
{
  return lk_yaml_cursor_text (self->cursor);
}

static gboolean
expect_value (const LkYamlReader *self, const char *key)
{
  return lk_yaml_cursor_expect_value (self->cursor, key, self->error);
}

static gboolean
fail_value (const LkYamlReader *self, const char *key, const char *expected)
{
  return lk_yaml_cursor_fail (self->cursor, self->error, "'%s' is '%s'; expected %s", key,
                              value_text (self), expected);
}

gboolean
lk_yaml_fail_words (const LkYamlReader *self, const char *key, const char *text,
                    const char *const *words)
{
  g_autofree char *phrase = lk_suggest_phrase (text, words);
  return lk_yaml_cursor_fail (self->cursor, self->error, "'%s' is '%s'%s", key, text, phrase);
}

static void
replace_text (gpointer member, const char *text)
{
  char **target = member;
  g_free (*target);
  *target = g_strdup (text);
}

/* ---------------------------------------------------------------- one value */

static gboolean
read_text (LkYamlReader *self, const LkKey *key, gpointer spec)
{
  if (!expect_value (self, key->key))
    return FALSE;
  replace_text (lk_key_member (key, spec), value_text (self));
  return TRUE;
}

gboolean
lk_yaml_read_count (LkYamlReader *self, const char *key, guint32 maximum, guint32 *out_count)
{
  guint32 count;
  if (!expect_value (self, key))
    return FALSE;
  if (!lk_quantity_count_parse (value_text (self), /* may_be_unlimited= */ FALSE, &count))
    return fail_value (self, key, "a whole number");
  if (count > maximum)
    return lk_yaml_cursor_fail (self->cursor, self->error, "'%s' is %u; expected at most %u", key,
                                count, maximum);
  *out_count = count;
  return TRUE;
}

static gboolean
read_count (LkYamlReader *self, const LkKey *key, gpointer spec)
{
  return lk_yaml_read_count (self, key->key, G_MAXUINT32, lk_key_member (key, spec));
}

static gboolean
read_limit (LkYamlReader *self, const LkKey *key, gpointer spec)
{
  guint32 *member = lk_key_member (key, spec);
  if (!expect_value (self, key->key))
    return FALSE;
  if (!lk_quantity_count_parse (value_text (self), /* may_be_unlimited= */ TRUE, member))
    return fail_value (self, key->key, "a whole number or unlimited");
  return TRUE;
}

static gboolean
read_bytes (LkYamlReader *self, const LkKey *key, gpointer spec)
{
  gint64 *member = lk_key_member (key, spec);
  if (!expect_value (self, key->key))
    return FALSE;
  if (!lk_quantity_bytes_parse (value_text (self), member))
    return fail_value (self, key->key, LK_QUANTITY_BYTES_EXPECTED);
  return TRUE;
}

static gboolean
read_time (LkYamlReader *self, const LkKey *key, gpointer spec)
{
  gint64 *member = lk_key_member (key, spec);
  if (!expect_value (self, key->key))
    return FALSE;
  if (!lk_quantity_time_parse (value_text (self), member))
    return fail_value (self, key->key, LK_QUANTITY_TIME_EXPECTED);
  return TRUE;
}

static gboolean
read_span (LkYamlReader *self, const LkKey *key, gpointer spec)
{
  gint64 *member = lk_key_member (key, spec);
  if (!expect_value (self, key->key))
    return FALSE;
  if (!lk_quantity_span_parse (value_text (self), member))
    return fail_value (self, key->key, LK_QUANTITY_SPAN_EXPECTED);
  return TRUE;
}

/* ---------------------------------------------------------------- words */

/* YAML 1.1's words for the truth, in its spellings but for single letters. Returns: the word itself
 * when it is none. */
static const char *
truth_of (const char *text)
{
  static const char *const yes[] = { "true", "yes", "on", NULL };
  static const char *const no[] = { "false", "no", "off", NULL };
  g_autofree char *lower = g_ascii_strdown (text, -1);
  return g_strv_contains (yes, lower) ? "true" : g_strv_contains (no, lower) ? "false" : text;
}

static gboolean
read_flag (LkYamlReader *self, const LkKey *key, gpointer spec)
{
  gboolean *member = lk_key_member (key, spec);
  if (!expect_value (self, key->key))
    return FALSE;
  const char *truth = truth_of (value_text (self));
  if (strcmp (truth, "true") != 0 && strcmp (truth, "false") != 0)
    return fail_value (self, key->key, "true or false");
  *member = strcmp (truth, "true") == 0;
  return TRUE;
}

/* The place of a word; -1 when it is not there. */
static int
word_index (const char *const *words, const char *text)
{
  for (int i = 0; words[i] != NULL; i++)
    if (strcmp (words[i], text) == 0)
      return i;
  return -1;
}

static gboolean
read_word (LkYamlReader *self, const LkKey *key, gpointer spec)
{
  if (!expect_value (self, key->key))
    return FALSE;
  int index = word_index (key->words, truth_of (value_text (self)));
  if (index < 0)
    return lk_yaml_fail_words (self, key->key, value_text (self), key->words);
  /* Enumerations and flags have the size of an int. */
  memcpy (lk_key_member (key, spec), &index, sizeof index);
  return TRUE;
}

/* WORD or WORD:JOBS. */
static gboolean
read_oversubscribe (LkYamlReader *self, const LkKey *key, gpointer spec)
{
  LkPartitionSpec *partition = spec;
  if (!expect_value (self, key->key))
    return FALSE;
  g_auto (GStrv) pieces = g_strsplit (value_text (self), ":", 2);
  const char *word = pieces[0] == NULL ? "" : pieces[0];
  int index = word_index (lk_oversubscribe_words, word);
  /* A YAML 1.1 writer may have turned the words no and yes into these. */
  if (index < 0)
    index = strcmp (word, "false") == 0 ? 0 : strcmp (word, "true") == 0 ? 2 : -1;
  if (index < 0)
    return lk_yaml_fail_words (self, key->key, value_text (self), lk_oversubscribe_words);
  guint32 jobs = partition->oversubscribe_jobs;
  if (pieces[1] != NULL && !lk_quantity_count_parse (pieces[1], FALSE, &jobs))
    return fail_value (self, key->key, "a word and how many jobs, such as force:4");
  lk_yaml_note_member (self, partition, "oversubscribe_jobs");
  partition->oversubscribe = (LkOversubscribe)index;
  partition->oversubscribe_jobs = jobs;
  return TRUE;
}

/* ---------------------------------------------------------------- lists of words */

static gboolean
add_state (LkYamlReader *self, gpointer data)
{
  guint32 *flags = data;
  if (!expect_value (self, "state"))
    return FALSE;
  if (strcmp (value_text (self), "idle") == 0)
    return TRUE;
  int index = word_index (lk_node_state_words, value_text (self));
  if (index < 0) {
    static const char *const words[] = { "idle", "down", "drain", "fail", "maint", NULL };
    return lk_yaml_fail_words (self, "state", value_text (self), words);
  }
  *flags |= 1u << index;
  return TRUE;
}

static gboolean
read_state (LkYamlReader *self, const LkKey *key, gpointer spec)
{
  LkNodeSpec *node = spec;
  node->flags = 0;
  if (lk_yaml_cursor_kind (self->cursor) == LK_YAML_LIST)
    return lk_yaml_read_list (self, key->key, add_state, &node->flags);
  return add_state (self, &node->flags);
}

/* Appends a name, with a comma in between. */
static gboolean
add_name (LkYamlReader *self, gpointer data)
{
  GString *names = data;
  if (!expect_value (self, "name"))
    return FALSE;
  const char *text = value_text (self);
  if (text[0] == '\0' || strchr (text, ',') != NULL)
    return fail_value (self, "name", "one name without a comma");
  if (names->len > 0)
    g_string_append_c (names, ',');
  g_string_append (names, text);
  return TRUE;
}

static gboolean
read_names (LkYamlReader *self, const LkKey *key, gpointer spec)
{
  if (lk_yaml_cursor_kind (self->cursor) != LK_YAML_LIST)
    return read_text (self, key, spec);
  g_autoptr (GString) names = g_string_new (NULL);
  if (!lk_yaml_read_list (self, key->key, add_name, names))
    return FALSE;
  replace_text (lk_key_member (key, spec), names->str);
  return TRUE;
}

static gboolean
add_feature (LkYamlReader *self, gpointer data)
{
  LkNodeSpec *node = data;
  if (!expect_value (self, "feature"))
    return FALSE;
  const char *text = value_text (self);
  if (text[0] == '\0' || strchr (text, ',') != NULL)
    return fail_value (self, "feature", "one name without a comma");
  if (g_ptr_array_find_with_equal_func (node->features, text, g_str_equal, NULL))
    return lk_yaml_cursor_fail (self->cursor, self->error, "feature '%s' is given twice", text);
  lk_node_spec_add_feature (node, text);
  return TRUE;
}

static gboolean
read_features (LkYamlReader *self, const LkKey *key, gpointer spec)
{
  if (lk_yaml_cursor_kind (self->cursor) == LK_YAML_LIST)
    return lk_yaml_read_list (self, key->key, add_feature, spec);
  return add_feature (self, spec);
}

static gboolean
add_size (LkYamlReader *self, gpointer data)
{
  guint32 count;
  if (!lk_yaml_read_count (self, "block_sizes", G_MAXUINT32, &count))
    return FALSE;
  g_array_append_val ((GArray *)data, count);
  return TRUE;
}

static gboolean
read_sizes (LkYamlReader *self, const LkKey *key, gpointer spec)
{
  GArray *const *member = lk_key_member (key, spec);
  return lk_yaml_read_list (self, key->key, add_size, *member);
}

/* ---------------------------------------------------------------- billing weights */

static gboolean
add_weight (LkYamlReader *self, const char *name, GString *out)
{
  if (!expect_value (self, name))
    return FALSE;
  if (!lk_is_billing_weight (value_text (self)))
    return fail_value (self, name, "a weight such as 1.5, or 0.25G for each GiB");
  g_string_append_printf (out, "%s%s=%s", out->len == 0 ? "" : ",", name, value_text (self));
  return TRUE;
}

/* Slurm's own text, or a mapping from names to weights. */
static gboolean
read_billing (LkYamlReader *self, const LkKey *key, gpointer spec)
{
  g_autoptr (GPtrArray) seen = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GString) text = g_string_new (NULL);
  if (lk_yaml_cursor_kind (self->cursor) == LK_YAML_SCALAR)
    return read_text (self, key, spec);
  if (!lk_yaml_expect (self, LK_YAML_MAPPING, key->key)
      || !lk_yaml_cursor_next (self->cursor, self->error))
    return FALSE;
  while (lk_yaml_cursor_kind (self->cursor) != LK_YAML_MAPPING_END) {
    if (!lk_yaml_cursor_take_key (self->cursor, seen, self->error))
      return FALSE;
    const char *name = g_ptr_array_index (seen, seen->len - 1);
    if (name[0] == '\0' || strpbrk (name, ",=") != NULL)
      return lk_yaml_cursor_fail (self->cursor, self->error,
                                  "'%s' is no TRES; expected cpu, mem, gres/NAME or license/NAME",
                                  name);
    if (!lk_yaml_cursor_next (self->cursor, self->error) || !add_weight (self, name, text)
        || !lk_yaml_cursor_next (self->cursor, self->error))
      return FALSE;
  }
  replace_text (lk_key_member (key, spec), text->str);
  return TRUE;
}

static gboolean
read_part (LkYamlReader *self, const LkKey *key, gpointer spec)
{
  g_autoptr (GPtrArray) seen = g_ptr_array_new_with_free_func (g_free);
  return lk_yaml_expect (self, LK_YAML_MAPPING, key->key)
         && lk_yaml_read_mapping (self, key->parts, spec, seen);
}

const LkYamlValueFunc lk_yaml_value_readers[LK_KEY_KIND_COUNT] = {
  [LK_KEY_TEXT] = read_text,
  [LK_KEY_NAMES] = read_names,
  [LK_KEY_COUNT] = read_count,
  [LK_KEY_LIMIT] = read_limit,
  [LK_KEY_BYTES] = read_bytes,
  [LK_KEY_TIME] = read_time,
  [LK_KEY_SPAN] = read_span,
  [LK_KEY_FLAG] = read_flag,
  [LK_KEY_WORD] = read_word,
  [LK_KEY_PART] = read_part,
  [LK_KEY_OVERSUBSCRIBE] = read_oversubscribe,
  [LK_KEY_BILLING] = read_billing,
  [LK_KEY_STATE] = read_state,
  [LK_KEY_FEATURES] = read_features,
  [LK_KEY_SIZES] = read_sizes,
};
