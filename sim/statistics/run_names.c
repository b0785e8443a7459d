/* sim/statistics/run_names.c — see the header. */
#include "sim/statistics/run_names.h"

#include <string.h>

#define NAME_CHARACTERS 48
#define PARAMETERS_MAX 2u

const char *
lk_run_aspect_column (LkRunAspect aspect)
{
  static const char *const columns[] = {
#define X(NAME, column) column,
    LK_RUN_ASPECTS (X)
#undef X
  };
  return columns[aspect];
}

static const char *
value_of (const LkRunFacts *run, guint aspect)
{
  return run->values[aspect] != NULL ? run->values[aspect] : "";
}

/* ---------------------------------------------------------------- one setting */

static gboolean
is_policy (guint aspect)
{
  return aspect <= LK_RUN_ASPECT_LIMITS;
}

static gboolean
is_file (guint aspect)
{
  return aspect == LK_RUN_ASPECT_TRACE || aspect == LK_RUN_ASPECT_CLUSTER
         || aspect == LK_RUN_ASPECT_ACCOUNTS;
}

/* Cuts ".swf.gz" and the like: endings of letters alone. */
static void
cut_endings (char *name)
{
  char *dot;
  while ((dot = strrchr (name, '.')) != NULL && dot > name && dot[1] != '\0') {
    for (const char *at = dot + 1; *at != '\0'; at++)
      if (!g_ascii_isalpha (*at))
        return;
    *dot = '\0';
  }
}

/* What a setting is without parameters: of a policy its name, of a file its last part without
 * endings. Returns: (transfer full). */
static char *
short_value (guint aspect, const char *value)
{
  if (is_file (aspect) && value[0] != '\0') {
    char *base = g_path_get_basename (value);
    cut_endings (base);
    return base;
  }
  return is_policy (aspect) || aspect == LK_RUN_ASPECT_USERS
             ? g_strndup (value, strcspn (value, ":("))
             : g_strdup (value);
}

/* "key=value" of each parameter, split at commas outside of parentheses and quotes. Returns:
 * (transfer full) of char *. */
static GPtrArray *
parameters_of (const char *spec)
{
  GPtrArray *out = g_ptr_array_new_with_free_func (g_free);
  const char *at = spec + strcspn (spec, ":(");
  gboolean is_quoted = FALSE;
  guint depth = 0;
  if (*at == '\0')
    return out;
  for (const char *from = ++at;; at++) {
    is_quoted = (*at == '"') != is_quoted;
    depth += !is_quoted && *at == '(';
    depth -= !is_quoted && *at == ')' && depth > 0;
    if (*at != '\0' && (*at != ',' || is_quoted || depth > 0))
      continue;
    g_ptr_array_add (out, g_strndup (from, (gsize)(at - from)));
    if (*at == '\0')
      return out;
    from = at + 1;
  }
}

/* Is the i-th parameter not the same in all runs of this policy? */
static gboolean
parameter_differs (const LkRunFacts *runs, guint count, guint aspect, const char *name, guint i)
{
  const char *seen = NULL;
  gboolean differs = FALSE;
  g_autoptr (GPtrArray) kept = g_ptr_array_new_with_free_func ((GDestroyNotify)g_ptr_array_unref);
  for (guint run = 0; run < count && !differs; run++) {
    g_autofree char *own = short_value (aspect, value_of (&runs[run], aspect));
    if (strcmp (own, name) != 0)
      continue;
    GPtrArray *parameters = parameters_of (value_of (&runs[run], aspect));
    g_ptr_array_add (kept, parameters);
    const char *here = i < parameters->len ? g_ptr_array_index (parameters, i) : "";
    differs = seen != NULL && strcmp (seen, here) != 0;
    seen = here;
  }
  return differs;
}

static void
append_parameters (const LkRunFacts *runs, guint count, guint run, guint aspect, GString *out)
{
  guint told = 0;
  g_autofree char *name = short_value (aspect, value_of (&runs[run], aspect));
  g_autoptr (GPtrArray) own = parameters_of (value_of (&runs[run], aspect));
  for (guint i = 0; i < own->len; i++) {
    if (!parameter_differs (runs, count, aspect, name, i))
      continue;
    if (told < PARAMETERS_MAX)
      g_string_append_printf (out, "%s%s", out->len > 0 ? " " : "",
                              (const char *)g_ptr_array_index (own, i));
    else if (told == PARAMETERS_MAX)
      g_string_append (out, " \342\200\246");
    told++;
  }
}

/* A setting in words. */
static void
append_value (guint aspect, const char *value, GString *out)
{
  g_autofree char *text = short_value (aspect, value);
  gboolean is_none = text[0] == '\0' || strcmp (text, "none") == 0;
  if (aspect == LK_RUN_ASPECT_PROCS)
    g_string_append_printf (out, "%s processors", text);
  else if (aspect == LK_RUN_ASPECT_BACKFILL && is_none)
    g_string_append (out, "no backfill");
  else if (aspect == LK_RUN_ASPECT_PREEMPT)
    g_string_append_printf (out, is_none ? "no preemption" : "preemption %s", text);
  else if (aspect == LK_RUN_ASPECT_ACCOUNTS && is_none)
    g_string_append (out, "no accounts");
  else if (aspect == LK_RUN_ASPECT_LIMITS)
    g_string_append_printf (out, is_none ? "no limits" : "limits %s", text);
  else if (aspect == LK_RUN_ASPECT_ESTIMATES)
    g_string_append_printf (out, "estimates %s", text);
  else if (aspect == LK_RUN_ASPECT_LIMIT_RULE)
    g_string_append_printf (out, "limit %s", text);
  else if (aspect == LK_RUN_ASPECT_USERS)
    g_string_append_printf (out, "users %s", is_none ? "open" : text);
  else if (aspect == LK_RUN_ASPECT_CLUSTER && is_none)
    g_string_append (out, "no nodes");
  else
    g_string_append (out, is_none ? "none" : text);
}

static gboolean
differs (const LkRunFacts *runs, guint count, guint aspect, gboolean is_short)
{
  g_autofree char *first = short_value (aspect, value_of (&runs[0], aspect));
  for (guint i = 1; i < count; i++) {
    g_autofree char *here = short_value (aspect, value_of (&runs[i], aspect));
    if (is_short ? strcmp (first, here) != 0
                 : strcmp (value_of (&runs[0], aspect), value_of (&runs[i], aspect)) != 0)
      return TRUE;
  }
  return FALSE;
}

/* Accounts bring limits with them, and a cluster its processors: one of the two is enough. */
static gboolean
is_implied (const LkRunFacts *runs, guint count, guint aspect)
{
  if (aspect == LK_RUN_ASPECT_LIMITS)
    return differs (runs, count, LK_RUN_ASPECT_ACCOUNTS, TRUE);
  return aspect == LK_RUN_ASPECT_PROCS
         && (differs (runs, count, LK_RUN_ASPECT_CLUSTER, TRUE)
             || differs (runs, count, LK_RUN_ASPECT_TRACE, TRUE));
}

/* What this run has that not all have; "" where all are alike. Returns: (transfer full). */
static char *
difference_text (const LkRunFacts *runs, guint count, guint run)
{
  GString *out = g_string_new (NULL);
  for (guint aspect = 0; aspect < LK_RUN_ASPECT_COUNT; aspect++) {
    g_autoptr (GString) part = g_string_new (NULL);
    gboolean is_named = differs (runs, count, aspect, TRUE);
    if (!differs (runs, count, aspect, FALSE) || is_implied (runs, count, aspect))
      continue;
    if (is_named)
      append_value (aspect, value_of (&runs[run], aspect), part);
    if (is_policy (aspect))
      append_parameters (runs, count, run, aspect, part);
    if (part->len > 0)
      g_string_append_printf (out, "%s%s", out->len > 0 ? " + " : "", part->str);
  }
  return g_string_free (out, FALSE);
}

/* ---------------------------------------------------------------- names */

/* Of each run, at its place. */
typedef struct {
  const LkRunFacts *runs;
  guint count;
  char **bases; /* names of directories */
  char **differences;
  char **said; /* what of the difference the directory's name has */
} Names;

static guint
count_alike (char *const *names, guint count, const char *name)
{
  guint alike = 0;
  for (guint i = 0; i < count; i++)
    alike += g_strcmp0 (names[i], name) == 0;
  return alike;
}

/* Those parts of the difference that the directory's name has already. Returns: (transfer full). */
static char *
said_parts (const char *base, const char *difference)
{
  GString *out = g_string_new (NULL);
  g_autofree char *low_base = g_ascii_strdown (base, -1);
  g_auto (GStrv) parts = g_strsplit (difference, " + ", -1);
  for (guint i = 0; parts[i] != NULL; i++) {
    g_autofree char *low = g_ascii_strdown (parts[i], -1);
    const char *space = strrchr (low, ' ');
    const char *word = space != NULL ? space + 1 : low; /* of "users closed" the second one */
    gboolean is_said = word[0] != '\0' && strstr (low_base, word) != NULL;
    if (is_said || (g_str_has_prefix (low, "no ") && strstr (low_base, "none") != NULL))
      g_string_append_printf (out, "%s+", low);
  }
  return g_string_free (out, FALSE);
}

static char *
shortened (const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  if (g_utf8_strlen (valid, -1) <= NAME_CHARACTERS)
    return g_steal_pointer (&valid);
  g_autofree char *begin = g_utf8_substring (valid, 0, NAME_CHARACTERS - 1);
  return g_strconcat (begin, "\342\200\246", NULL);
}

/* Returns: (transfer full). */
static char *
name_of (const Names *self, guint i)
{
  const LkRunFacts *run = &self->runs[i];
  const char *base = self->bases[i];
  const char *difference = self->differences[i];
  gboolean is_own = count_alike (self->bases, self->count, base) == 1;
  gboolean is_telling =
      difference[0] != '\0' && count_alike (self->differences, self->count, difference) == 1;
  gboolean is_said =
      self->said[i][0] != '\0' && count_alike (self->said, self->count, self->said[i]) == 1;
  if (run->fixed != NULL)
    return shortened (run->fixed);
  if (!is_own && is_telling)
    return shortened (difference);
  if (!is_own)
    return shortened (g_str_has_suffix (run->path, ".sqlite") && run->id != NULL ? run->id
                                                                                 : run->path);
  if (is_said || difference[0] == '\0')
    return shortened (base);
  g_autofree char *both = g_strdup_printf ("%s (%s)", base, difference);
  return shortened (both);
}

/* Those of several runs get a number. */
static void
number_alike (char **names, guint count)
{
  for (guint i = 0; i < count; i++) {
    g_autofree char *name = g_strdup (names[i]);
    guint number = 1;
    for (guint k = i + 1; k < count; k++) {
      if (strcmp (names[k], name) != 0)
        continue;
      g_free (names[k]);
      names[k] = g_strdup_printf ("%s #%u", name, ++number);
    }
  }
}

char **
lk_run_names (const LkRunFacts *runs, guint count)
{
  char **names = g_new0 (char *, count + 1);
  Names self = { .runs = runs,
                 .count = count,
                 .bases = g_new0 (char *, count + 1),
                 .differences = g_new0 (char *, count + 1),
                 .said = g_new0 (char *, count + 1) };
  for (guint i = 0; i < count; i++) {
    self.bases[i] = g_path_get_basename (runs[i].path);
    self.differences[i] = difference_text (runs, count, i);
    self.said[i] = said_parts (self.bases[i], self.differences[i]);
  }
  for (guint i = 0; i < count; i++)
    names[i] = name_of (&self, i);
  number_alike (names, count);
  g_strfreev (self.bases);
  g_strfreev (self.differences);
  g_strfreev (self.said);
  return names;
}
