/* traces/slurm_conf_values.c — values of keys: numbers, sizes, times, switches, lists.
 *
 * Rules as in Slurm's parse_value.c and parse_time.c, but for numbers with a leading zero, which
 * Slurm takes as octal and which are refused here: who writes 010 does not mean 8. */
#include <string.h>

#include "engine/hostlist.h"
#include "traces/slurm_conf_private.h"

#define DIGITS_MAX 18u
#define TIME_MINUTES_MAX 4294967294u
#define TIME_FIELDS_MAX 4u

/* ---------------------------------------------------------------- messages */

/* "NodeName=n1: CPUs", or just the key. Returns: (transfer full). */
static char *
pair_title (const LkSlurmPair *pair)
{
  const LkSlurmRow *row = pair->row;
  if (!row || *row->record == '\0')
    return g_strdup (pair->key);
  return g_strdup_printf ("%s: %s", row->record, pair->key);
}

gboolean
lk_slurm_pair_fail (const LkSlurmPair *pair, GError **error, const char *expected, ...)
{
  va_list arguments;
  va_start (arguments, expected);
  g_autofree char *text = g_strdup_vprintf (expected, arguments);
  va_end (arguments);
  g_autofree char *title = pair_title (pair);
  g_autofree char *shown = lk_slurm_shown (pair->value);
  return lk_slurm_fail (&pair->place, error, "%s is '%s'; expected %s", title, shown, text);
}

gboolean
lk_slurm_pair_refuse (const LkSlurmPair *pair, GError **error, const char *format, ...)
{
  va_list arguments;
  va_start (arguments, format);
  g_autofree char *text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_autofree char *title = pair_title (pair);
  return lk_slurm_fail (&pair->place, error, "%s: %s", title, text);
}

/* ---------------------------------------------------------------- numbers */

gboolean
lk_slurm_text_is_unlimited (const char *text)
{
  return g_ascii_strcasecmp (text, "UNLIMITED") == 0 || g_ascii_strcasecmp (text, "INFINITE") == 0
         || strcmp (text, "-1") == 0;
}

gboolean
lk_slurm_number_parse (const char *text, gsize length_bytes, guint64 *out_number)
{
  static const char units[] = "KMGTP";
  guint64 number = 0;
  gsize digits = 0;
  for (; digits < length_bytes && g_ascii_isdigit (text[digits]); digits++) {
    if (digits == DIGITS_MAX)
      return FALSE;
    number = number * 10 + (guint64)(text[digits] - '0');
  }
  if (digits == 0 || (digits > 1 && text[0] == '0') || length_bytes > digits + 1)
    return FALSE;
  if (length_bytes > digits) {
    const char *unit = memchr (units, g_ascii_toupper (text[digits]), sizeof units - 1);
    if (!unit || number > (G_MAXUINT64 >> (10 * (unit - units + 1))))
      return FALSE;
    number <<= 10 * (unit - units + 1);
  }
  *out_number = number;
  return TRUE;
}

gboolean
lk_slurm_value_number (const LkSlurmPair *pair, guint64 minimum, guint64 maximum,
                       guint64 *out_number, GError **error)
{
  gsize length_bytes = strlen (pair->value);
  guint64 number = 0;
  gboolean has_unit = length_bytes > 0 && g_ascii_isalpha (pair->value[length_bytes - 1]);
  gboolean is_unit_right = !has_unit || g_ascii_toupper (pair->value[length_bytes - 1]) == 'K';
  if (!is_unit_right || !lk_slurm_number_parse (pair->value, length_bytes, &number)
      || number < minimum || number > maximum)
    return lk_slurm_pair_fail (
        pair, error, "a whole number from %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT "%s",
        minimum, maximum, length_bytes > 1 && pair->value[0] == '0' ? ", without a leading 0" : "");
  *out_number = number;
  return TRUE;
}

gboolean
lk_slurm_value_count (const LkSlurmPair *pair, guint32 minimum, guint32 maximum, guint32 *out_count,
                      GError **error)
{
  guint64 number = 0;
  if (!lk_slurm_value_number (pair, minimum, maximum, &number, error))
    return FALSE;
  *out_count = (guint32)number;
  return TRUE;
}

gboolean
lk_slurm_value_limit (const LkSlurmPair *pair, guint32 *out_count, GError **error)
{
  if (lk_slurm_text_is_unlimited (pair->value)) {
    *out_count = LK_COUNT_UNLIMITED;
    return TRUE;
  }
  return lk_slurm_value_count (pair, 0, LK_COUNT_UNLIMITED, out_count, error);
}

gboolean
lk_slurm_value_memory (const LkSlurmPair *pair, gint64 *out_bytes, GError **error)
{
  guint64 mib = 0;
  if (!lk_slurm_value_number (pair, 0, G_MAXINT64 / LK_SLURM_BYTES_PER_MIB, &mib, error))
    return FALSE;
  *out_bytes = (gint64)mib * LK_SLURM_BYTES_PER_MIB;
  return TRUE;
}

gboolean
lk_slurm_value_memory_limit (const LkSlurmPair *pair, gint64 *out_bytes, GError **error)
{
  if (!lk_slurm_text_is_unlimited (pair->value))
    return lk_slurm_value_memory (pair, out_bytes, error);
  *out_bytes = 0;
  return TRUE;
}

gboolean
lk_slurm_value_switch (const LkSlurmPair *pair, gboolean *out_is_on, GError **error)
{
  static const char *const words[] = { "YES", "UP", "TRUE", "1", "NO", "DOWN", "FALSE", "0" };
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if (g_ascii_strcasecmp (pair->value, words[i]) == 0) {
      *out_is_on = i < G_N_ELEMENTS (words) / 2;
      return TRUE;
    }
  return lk_slurm_pair_fail (pair, error, "YES or NO");
}

/* ---------------------------------------------------------------- times */

/* Reads digits, and the mark behind them. Returns what follows; NULL when there are none. */
static const char *
field_read (const char *at, gint64 *out_number, char *out_mark)
{
  gint64 number = 0;
  guint digits = 0;
  for (; g_ascii_isdigit (*at) && digits < 9; at++, digits++)
    number = number * 10 + (*at - '0');
  if (digits == 0)
    return NULL;
  *out_number = number;
  *out_mark = *at;
  return *at ? at + 1 : at;
}

/* minutes, minutes:seconds, hours:minutes:seconds, days-hours[:minutes[:seconds]]. */
static gboolean
seconds_parse (const char *text, gint64 *out_seconds)
{
  static const gint64 weights[] = { 86400, 3600, 60, 1 };
  gint64 fields[TIME_FIELDS_MAX] = { 0 };
  guint count = 0;
  gboolean has_days = FALSE;
  char mark = ':';
  while (mark) {
    if (count == TIME_FIELDS_MAX)
      return FALSE;
    text = field_read (text, &fields[count], &mark);
    if (!text || (mark && mark != ':' && !(mark == '-' && count == 0)))
      return FALSE;
    has_days = has_days || mark == '-';
    count++;
  }
  if (has_days ? count < 2 : count > 3)
    return FALSE;
  guint first = has_days ? 0 : count == 3 ? 1 : 2;
  *out_seconds = 0;
  for (guint i = 0; i < count; i++)
    *out_seconds += fields[i] * weights[first + i];
  return TRUE;
}

gboolean
lk_slurm_value_time (const LkSlurmPair *pair, gint64 *out_time_us, GError **error)
{
  gint64 seconds = 0;
  if (lk_slurm_text_is_unlimited (pair->value)) {
    *out_time_us = LK_TIME_NEVER;
    return TRUE;
  }
  if (!seconds_parse (pair->value, &seconds) || seconds / 60 >= TIME_MINUTES_MAX)
    return lk_slurm_pair_fail (pair, error,
                               "minutes, minutes:seconds, hours:minutes:seconds, "
                               "days-hours[:minutes[:seconds]] or UNLIMITED");
  *out_time_us = (seconds + 59) / 60 * LK_SLURM_US_PER_MIN;
  return TRUE;
}

gboolean
lk_slurm_value_over_time (const LkSlurmPair *pair, gint64 *out_over_us, GError **error)
{
  guint32 minutes = 365 * 24 * 60;
  if (!lk_slurm_text_is_unlimited (pair->value)
      && !lk_slurm_value_count (pair, 0, 65533, &minutes, error))
    return FALSE;
  *out_over_us = minutes * LK_SLURM_US_PER_MIN;
  return TRUE;
}

/* ---------------------------------------------------------------- lists */

char **
lk_slurm_list_split (const char *text)
{
  g_autoptr (GPtrArray) pieces = g_ptr_array_new ();
  const char *start = text;
  guint depth = 0;
  for (const char *at = text;; at++) {
    gboolean is_end = *at == '\0' || (depth == 0 && (*at == ',' || g_ascii_isspace (*at)));
    depth += *at == '[';
    depth -= *at == ']' && depth > 0;
    if (!is_end)
      continue;
    if (at > start)
      g_ptr_array_add (pieces, g_strndup (start, (gsize)(at - start)));
    if (*at == '\0')
      break;
    start = at + 1;
  }
  g_ptr_array_add (pieces, NULL);
  return (char **)g_ptr_array_free (g_steal_pointer (&pieces), FALSE);
}

gboolean
lk_slurm_names_expand (LkSlurmImport *self, const LkSlurmPair *pair, const char *list,
                       GPtrArray *out_names, GError **error)
{
  const char *wrong = NULL;
  guint before_count = out_names->len;
  if (!lk_hostlist_expand (list, strlen (list), out_names, &wrong))
    return lk_slurm_pair_refuse (pair, error, "'%s' is no list of names: %s", list, wrong);
  guint64 count = out_names->len - before_count;
  if (count > self->names_left)
    return lk_slurm_pair_refuse (pair, error, "the lists of names have more than %u names in all",
                                 LK_SLURM_NAMES_MAX);
  self->names_left -= count;
  return TRUE;
}

LkSlurmNode *
lk_slurm_node_find (const LkSlurmImport *self, const char *name)
{
  guint index = GPOINTER_TO_UINT (g_hash_table_lookup (self->indices, name));
  return index > 0 ? g_ptr_array_index (self->nodes, index - 1) : NULL;
}

/* ---------------------------------------------------------------- members */

static gboolean
seconds_set (const LkSlurmPair *pair, gint64 *out_time_us, GError **error)
{
  guint32 seconds = 0;
  if (!lk_slurm_value_count (pair, 0, G_MAXUINT32, &seconds, error))
    return FALSE;
  *out_time_us = seconds * LK_SLURM_US_PER_S;
  return TRUE;
}

static void
text_set (const LkSlurmPair *pair, LkSlurmKind kind, char **member)
{
  gboolean is_all = kind != LK_SLURM_KIND_TEXT && g_ascii_strcasecmp (pair->value, "ALL") == 0;
  g_free (*member);
  *member = kind == LK_SLURM_KIND_LOWER_NAMES ? g_ascii_strdown (is_all ? "" : pair->value, -1)
                                              : g_strdup (is_all ? "" : pair->value);
}

static gboolean
member_set (const LkSlurmPair *pair, LkSlurmKind kind, void *member, GError **error)
{
  switch (kind) {
  case LK_SLURM_KIND_SWITCH:
    return lk_slurm_value_switch (pair, member, error);
  case LK_SLURM_KIND_COUNT:
    return lk_slurm_value_count (pair, 1, G_MAXUINT16, member, error);
  case LK_SLURM_KIND_NUMBER:
    return lk_slurm_value_count (pair, 0, G_MAXUINT32 - 1, member, error);
  case LK_SLURM_KIND_LIMIT:
    return lk_slurm_value_limit (pair, member, error);
  case LK_SLURM_KIND_MEMORY:
    return lk_slurm_value_memory (pair, member, error);
  case LK_SLURM_KIND_MEMORY_LIMIT:
    return lk_slurm_value_memory_limit (pair, member, error);
  case LK_SLURM_KIND_TIME:
    return lk_slurm_value_time (pair, member, error);
  case LK_SLURM_KIND_OVER_TIME:
    return lk_slurm_value_over_time (pair, member, error);
  case LK_SLURM_KIND_SECONDS:
    return seconds_set (pair, member, error);
  case LK_SLURM_KIND_TEXT:
  case LK_SLURM_KIND_ALL_OR_NAMES:
  case LK_SLURM_KIND_LOWER_NAMES:
    break;
  }
  text_set (pair, kind, member);
  return TRUE;
}

gboolean
lk_slurm_members_set (const LkSlurmRecord *record, const LkSlurmMember *members, guint count,
                      void *base, GError **error)
{
  for (guint i = 0; i < count; i++) {
    const LkSlurmPair *pair = lk_slurm_record_get (record, members[i].key);
    if (pair && !member_set (pair, members[i].kind, (char *)base + members[i].offset, error))
      return FALSE;
  }
  return TRUE;
}

gboolean
lk_slurm_members_set_all (LkSlurmImport *self, const LkSlurmRecord *record,
                          const LkSlurmMember *members, guint count, void *base, GError **error)
{
  for (guint i = 0; i < count; i++)
    if (!lk_slurm_members_set (record, &members[i], 1, base, error)
        && !lk_slurm_import_goes_on (self, error))
      return FALSE;
  return TRUE;
}
