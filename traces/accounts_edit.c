/* traces/accounts_edit.c — values of sacctmgr's options. See the header. */
#include "traces/accounts_edit.h"

#include <string.h>

#include "engine/suggest.h"
#include "traces/quantity.h"

#define US_PER_S G_GINT64_CONSTANT (1000000)
#define US_PER_MIN (60 * US_PER_S)
/* FairShare=parent in dumps. */
#define SHARES_PARENT_NUMBER 2147483647u
#define REAL_BYTES_MAX 40u
/* Slurm's largest count that is not one of its marks for "none". */
#define COUNT_MAX (G_MAXUINT32 - 2)

void
lk_accounts_text_set (char **member, const char *text)
{
  char *copy = g_strdup (text);
  g_free (*member);
  *member = copy;
}

/* ---------------------------------------------------------------- words */

const char *
lk_accounts_word_end (const char *text, const char *ends)
{
  char quote = '\0';
  for (; *text; text++) {
    if (quote)
      quote = *text == quote ? '\0' : quote;
    else if (*text == '"' || *text == '\'')
      quote = *text;
    else if (strchr (ends, *text))
      break;
  }
  return quote ? NULL : text;
}

char *
lk_accounts_unquote (const char *text)
{
  gsize length_bytes = strlen (text);
  gboolean is_quoted =
      length_bytes >= 2 && (text[0] == '"' || text[0] == '\'') && text[length_bytes - 1] == text[0];
  return is_quoted ? g_strndup (text + 1, length_bytes - 2) : g_strdup (text);
}

/* The words of a list as they are written, without empty ones. Returns: (transfer full). */
static char **
words_split (const char *text)
{
  g_auto (GStrv) pieces = g_strsplit (text, ",", -1);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  for (char **piece = pieces; *piece; piece++) {
    char *name = lk_accounts_unquote (g_strstrip (*piece));
    if (*name != '\0')
      g_ptr_array_add (names, name);
    else
      g_free (name);
  }
  g_ptr_array_add (names, NULL);
  return (char **)g_ptr_array_free (g_steal_pointer (&names), FALSE);
}

char **
lk_accounts_names_split (const char *text)
{
  g_autofree char *lower = g_ascii_strdown (text, -1);
  return words_split (lower);
}

/* May += and -= stand behind it? */
static gboolean
is_changeable (const LkAccountsOption *option)
{
  return option->effect == LK_OPTION_QOS || option->effect == LK_OPTION_FLAGS
         || option->effect == LK_OPTION_PREEMPT || option->effect == LK_OPTION_COORDINATES
         || option->effect == LK_OPTION_IGNORED;
}

gboolean
lk_accounts_setting_read (guint scope, const char *word, LkAccountsSetting *out, char **out_problem)
{
  const char *mark = strchr (word, '=');
  if (mark == NULL || mark == word) {
    *out_problem = g_strdup_printf ("'%s' is not KEY=VALUE", word);
    return FALSE;
  }
  gboolean is_change = mark[-1] == '+' || mark[-1] == '-';
  gsize key_bytes = (gsize)(mark - word) - (is_change ? 1 : 0);
  const LkAccountsOption *option = lk_accounts_option_find (scope, word, key_bytes);
  if (option == NULL) {
    *out_problem = lk_accounts_option_problem (scope, word, key_bytes);
    return FALSE;
  }
  if (is_change && !is_changeable (option)) {
    *out_problem = g_strdup_printf ("%s%c= changes no list; expected %s=VALUE", option->name,
                                    mark[-1], option->name);
    return FALSE;
  }
  out->option = option;
  out->mark = is_change ? mark[-1] : '=';
  out->value = lk_accounts_unquote (mark + 1);
  return TRUE;
}

/* ---------------------------------------------------------------- numbers */

static gboolean
problem_set (char **out_problem, const char *name, const char *value, const char *expected)
{
  *out_problem = g_strdup_printf ("%s is '%s'; expected %s", name, value, expected);
  return FALSE;
}

static gboolean
is_clearing (const char *value)
{
  return strcmp (value, "-1") == 0;
}

/* Digits only. */
static gboolean
number_parse (const char *text, guint64 maximum, guint64 *out_number)
{
  guint64 number;
  if (!g_ascii_isdigit (*text) || !g_ascii_string_to_unsigned (text, 10, 0, maximum, &number, NULL))
    return FALSE;
  *out_number = number;
  return TRUE;
}

/* MiB, with K, M, G, T or P. */
static gboolean
memory_parse (const char *text, guint64 *out_mib)
{
  static const char units[] = "kmgtp";
  gsize digits = strspn (text, "0123456789");
  g_autofree char *number = g_strndup (text, digits);
  const char *unit = text[digits] ? strchr (units, g_ascii_tolower (text[digits])) : units + 1;
  guint64 value;
  if (unit == NULL || *unit == '\0' || (text[digits] && text[digits + 1])
      || !number_parse (number, G_MAXINT64, &value))
    return FALSE;
  if (unit == units) {
    *out_mib = value / 1024;
    return TRUE;
  }
  guint shift = (guint)(unit - units - 1) * 10;
  if (value > (guint64)G_MAXINT64 >> shift)
    return FALSE;
  *out_mib = value << shift;
  return TRUE;
}

/* Minutes, seconds rounded up as Slurm does. */
static gboolean
minutes_parse (const char *text, guint64 *out_minutes)
{
  gint64 time_us;
  if (!lk_quantity_time_parse (text, &time_us) || time_us == LK_TIME_NEVER)
    return FALSE;
  gint64 minutes = time_us / US_PER_MIN + (time_us % US_PER_MIN ? 1 : 0);
  if (minutes > COUNT_MAX)
    return FALSE;
  *out_minutes = (guint64)minutes;
  return TRUE;
}

/* Not below 0. */
static gboolean
real_parse (const char *text, double *out_value)
{
  gsize length_bytes = strspn (text, "0123456789.eE+-");
  char *end;
  const char *first = *text == '.' ? text + 1 : text;
  if (!g_ascii_isdigit (*first) || length_bytes > REAL_BYTES_MAX || text[length_bytes] != '\0')
    return FALSE;
  double value = g_ascii_strtod (text, &end);
  if (*end != '\0' || value - value != 0.0)
    return FALSE;
  *out_value = value;
  return TRUE;
}

gboolean
lk_accounts_shares_parse (const char *text, guint32 *out_shares)
{
  guint64 number;
  if (g_ascii_strcasecmp (text, "parent") == 0)
    number = LK_SHARES_PARENT;
  else if (!number_parse (text, SHARES_PARENT_NUMBER, &number))
    return FALSE;
  *out_shares = number == SHARES_PARENT_NUMBER ? LK_SHARES_PARENT : (guint32)number;
  return TRUE;
}

/* ---------------------------------------------------------------- limits */

guint32
lk_accounts_tres_take (LkAccounts *accounts, const char *name, char **out_problem)
{
  static const char *const types[] = { "gres/", "license/", "bb/", "ic/", "fs/", NULL };
  g_autofree char *lower = g_ascii_strdown (name, -1);
  guint32 index = lk_accounts_find_tres (accounts, lower);
  if (index != LK_INDEX_NONE)
    return index;
  gboolean may_be = FALSE;
  for (guint i = 0; types[i]; i++)
    may_be = may_be || (g_str_has_prefix (lower, types[i]) && lower[strlen (types[i])] != '\0');
  if (may_be)
    index = lk_accounts_add_tres (accounts, lower);
  if (!may_be) {
    g_autoptr (GPtrArray) names = g_ptr_array_new ();
    for (guint i = 0; i < accounts->tres->len; i++)
      g_ptr_array_add (names, g_ptr_array_index (accounts->tres, i));
    g_ptr_array_add (names, NULL);
    g_autofree char *phrase = lk_suggest_phrase (lower, (const char *const *)names->pdata);
    *out_problem = g_strdup_printf ("'%s' is no TRES%s", lower, phrase);
  } else if (index == LK_INDEX_NONE) {
    *out_problem =
        g_strdup_printf ("TRES '%s' is one too many; expected at most %u", lower, LK_TRES_MAX);
  }
  return index;
}

/* What the value of a limit of this kind and TRES means. */
static gboolean
limit_value_parse (guint32 kind, const char *tres, const char *text, guint64 *out_value)
{
  switch (lk_limit_kind_value (kind)) {
  case LK_LIMIT_COUNT:
    return number_parse (text, COUNT_MAX - 1, out_value);
  case LK_LIMIT_MINUTES:
    return minutes_parse (text, out_value);
  default:
    return g_strcmp0 (tres, "mem") == 0 || (tres && g_str_has_prefix (tres, "bb/"))
               ? memory_parse (text, out_value)
               : number_parse (text, G_MAXINT64, out_value);
  }
}

static const char *
limit_expected (guint32 kind)
{
  switch (lk_limit_kind_value (kind)) {
  case LK_LIMIT_COUNT:
    return "a whole number, or -1 for none";
  case LK_LIMIT_MINUTES:
    return "minutes or [days-]hours:minutes:seconds, or -1 for none";
  default:
    return "a whole number (memory also with K, M, G or T), or -1 for none";
  }
}

gboolean
lk_accounts_limit_set (LkAccounts *accounts, GArray *limits, guint32 kind, const char *tres,
                       const char *value, char **out_problem)
{
  const char *name = lk_limit_kind_name (kind);
  guint64 number = 0;
  g_autofree char *lower = tres ? g_ascii_strdown (tres, -1) : NULL;
  gboolean is_set = !is_clearing (value);
  if (is_set && !limit_value_parse (kind, lower, value, &number)) {
    g_autofree char *title = tres ? g_strdup_printf ("%s of %s", name, lower) : g_strdup (name);
    return problem_set (out_problem, title, value, limit_expected (kind));
  }
  guint32 index = tres ? lk_accounts_tres_take (accounts, lower, out_problem) : 0;
  if (index == LK_INDEX_NONE) {
    g_autofree char *problem = *out_problem;
    *out_problem = g_strdup_printf ("%s: %s", name, problem);
    return FALSE;
  }
  lk_limits_set (limits, kind, index, is_set, number);
  return TRUE;
}

/* "cpu=100,mem=64G": changes those that it names. */
static gboolean
tres_list_apply (LkAccounts *accounts, GArray *limits, guint32 kind, const char *text,
                 char **out_problem)
{
  g_auto (GStrv) pieces = g_strsplit (text, ",", -1);
  for (char **piece = pieces; *piece; piece++) {
    if (*g_strstrip (*piece) == '\0')
      continue;
    char *mark = strchr (*piece, '=');
    if (mark == NULL || mark == *piece)
      return problem_set (out_problem, lk_limit_kind_name (kind), text,
                          "TRES=NUMBER with commas between, such as cpu=100,mem=64G");
    *mark = '\0';
    if (!lk_accounts_limit_set (accounts, limits, kind, *piece, mark + 1, out_problem))
      return FALSE;
  }
  return TRUE;
}

static gboolean
limit_apply (LkAccounts *accounts, GArray *limits, const LkAccountsSetting *setting,
             char **out_problem)
{
  guint32 kind = setting->option->kind;
  const char *value = setting->value;
  gboolean has_tres = lk_limit_kind_value (kind) >= LK_LIMIT_TRES;
  if (!has_tres || setting->option->tres)
    return lk_accounts_limit_set (accounts, limits, kind, setting->option->tres, value,
                                  out_problem);
  /* -1 for all of them at once. */
  if (is_clearing (value)) {
    for (guint32 tres = 0; tres < accounts->tres->len; tres++)
      lk_limits_set (limits, kind, tres, FALSE, 0);
    return TRUE;
  }
  return tres_list_apply (accounts, limits, kind, value, out_problem);
}

/* ---------------------------------------------------------------- lists of QOS */

static int
name_compare (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *)a, *(char *const *)b);
}

/* Where a name is in a list, with or without a sign; G_MAXUINT: not there. */
static guint
name_place (const GPtrArray *names, const char *name, gboolean has_sign)
{
  for (guint i = 0; i < names->len; i++)
    if (strcmp ((const char *)g_ptr_array_index (names, i) + (has_sign ? 1 : 0), name) == 0)
      return i;
  return G_MAXUINT;
}

static void
name_put (GPtrArray *names, char sign, const char *name)
{
  guint at = name_place (names, name, sign != '\0');
  if (at != G_MAXUINT)
    g_ptr_array_remove_index (names, at);
  g_ptr_array_add (names, sign ? g_strdup_printf ("%c%s", sign, name) : g_strdup (name));
}

/* Returns: (transfer full), of char*. */
static GPtrArray *
list_of (const char *text)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  g_auto (GStrv) pieces = lk_accounts_names_split (text);
  for (char **piece = pieces; *piece; piece++)
    if (name_place (names, *piece, FALSE) == G_MAXUINT)
      g_ptr_array_add (names, g_strdup (*piece));
  return names;
}

/* Sorted, as sacctmgr prints them. */
static void
list_take (char **member, GPtrArray *names)
{
  g_ptr_array_sort (names, name_compare);
  g_ptr_array_add (names, NULL);
  g_autofree char *text = g_strjoinv (",", (char **)names->pdata);
  lk_accounts_text_set (member, text);
}

static gboolean
is_sign (char letter)
{
  return letter == '+' || letter == '-';
}

static gboolean
listed_check (const LkAccounts *accounts, const char *title, const char *name, char **out_problem)
{
  const char *bare = is_sign (*name) ? name + 1 : name;
  if (lk_accounts_find_qos (accounts, bare) != NULL)
    return TRUE;
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  for (guint i = 0; i < accounts->qos->len; i++)
    g_ptr_array_add (names, ((LkQosSpec *)g_ptr_array_index (accounts->qos, i))->name);
  g_ptr_array_add (names, NULL);
  g_autofree char *phrase = lk_suggest_phrase (bare, (const char *const *)names->pdata);
  *out_problem = g_strdup_printf ("%s: there is no QOS '%s'%s", title, bare, phrase);
  return FALSE;
}

/* A list of names put in place of (mark =), added to or taken out of what a member lists. With
 * `may_change` the member may hold changes to what its parent has: +a,-b; put in its place, each of
 * them adds or takes out, too. */
static gboolean
list_apply (const LkAccounts *accounts, char **member, const LkAccountsSetting *setting,
            gboolean may_change, char **out_problem)
{
  const char *title = setting->option->name;
  g_autoptr (GPtrArray) given = list_of (is_clearing (setting->value) ? "" : setting->value);
  guint signs = 0;
  for (guint i = 0; i < given->len; i++) {
    const char *name = g_ptr_array_index (given, i);
    signs += is_sign (*name) ? 1 : 0;
    if (!listed_check (accounts, title, name, out_problem))
      return FALSE;
  }
  if (signs > 0 && (signs < given->len || setting->mark != '=' || !may_change))
    return problem_set (out_problem, title, setting->value,
                        may_change ? "names of QOS, all with a + or - before them or none"
                                   : "names of QOS");
  if (setting->mark == '=' && signs == 0) {
    list_take (member, given);
    return TRUE;
  }
  g_autoptr (GPtrArray) names = list_of (*member);
  gboolean is_change = may_change && (names->len == 0 || is_sign (**member));
  for (guint i = 0; i < given->len; i++) {
    const char *name = g_ptr_array_index (given, i);
    char mark = signs > 0 ? *name++ : setting->mark;
    guint at = name_place (names, name, FALSE);
    if (is_change)
      name_put (names, mark, name);
    else if (mark == '+')
      name_put (names, '\0', name);
    else if (at != G_MAXUINT)
      g_ptr_array_remove_index (names, at);
  }
  list_take (member, names);
  return TRUE;
}

/* Is a name in a list, with whatever sign? */
static gboolean
list_has (const char *list, const char *name)
{
  g_autoptr (GPtrArray) names = list_of (list);
  return name_place (names, name, is_sign (*list)) != G_MAXUINT;
}

const void *
lk_accounts_qos_user (const LkAccounts *accounts, const char *name, char *const *going,
                      const char **out_member)
{
  for (guint i = 0; i < accounts->qos->len; i++) {
    const LkQosSpec *spec = g_ptr_array_index (accounts->qos, i);
    *out_member = "preempt";
    gboolean is_going = g_strv_contains ((const char *const *)going, spec->name);
    if (!is_going && list_has (spec->preempt, name))
      return spec;
  }
  for (guint i = 0; i < accounts->associations->len; i++) {
    const LkAssociationSpec *spec = g_ptr_array_index (accounts->associations, i);
    gboolean is_default = strcmp (spec->default_qos, name) == 0;
    *out_member = is_default ? "default_qos" : "qos";
    if (is_default || list_has (spec->qos, name))
      return spec;
  }
  return NULL;
}

/* ---------------------------------------------------------------- QOS */

static gboolean
flags_apply (LkQosSpec *spec, const LkAccountsSetting *setting, char **out_problem)
{
  guint32 set = 0;
  g_auto (GStrv) names = words_split (is_clearing (setting->value) ? "" : setting->value);
  g_autoptr (GPtrArray) known = g_ptr_array_new_with_free_func (g_free);
  for (guint bit = 0; lk_qos_flag_name (bit); bit++)
    g_ptr_array_add (known, g_ascii_strdown (lk_qos_flag_name (bit), -1));
  g_ptr_array_add (known, NULL);
  for (char **name = names; *name; name++) {
    guint bit = 0;
    g_autofree char *lower = g_ascii_strdown (*name, -1);
    while (bit + 1 < known->len && strcmp (g_ptr_array_index (known, bit), lower) != 0)
      bit++;
    if (bit + 1 == known->len) {
      g_autofree char *phrase = lk_suggest_phrase (lower, (const char *const *)known->pdata);
      *out_problem = g_strdup_printf ("Flags: there is no flag '%s'%s", *name, phrase);
      return FALSE;
    }
    set |= 1u << bit;
  }
  spec->flags = setting->mark == '+'   ? spec->flags | set
                : setting->mark == '-' ? spec->flags & ~set
                                       : set;
  return TRUE;
}

static gboolean
real_apply (double *member, double cleared, const LkAccountsSetting *setting, char **out_problem)
{
  if (is_clearing (setting->value) || g_str_has_prefix (setting->value, "-1.0")) {
    *member = cleared;
    return TRUE;
  }
  if (real_parse (setting->value, member))
    return TRUE;
  return problem_set (out_problem, setting->option->name, setting->value,
                      "a number of 0 or more, or -1 for none");
}

/* Seconds, or hours:minutes:seconds. */
static gboolean
grace_apply (LkQosSpec *spec, const LkAccountsSetting *setting, char **out_problem)
{
  guint64 number;
  if (number_parse (setting->value, G_MAXUINT32, &number)) {
    spec->grace_us = (gint64)number * US_PER_S;
    return TRUE;
  }
  if (is_clearing (setting->value)) {
    spec->grace_us = 0;
    return TRUE;
  }
  gint64 time_us;
  if (!lk_quantity_time_parse (setting->value, &time_us) || time_us == LK_TIME_NEVER)
    return problem_set (out_problem, setting->option->name, setting->value,
                        "seconds or hours:minutes:seconds");
  spec->grace_us = time_us;
  return TRUE;
}

static gboolean
exempt_apply (LkQosSpec *spec, const LkAccountsSetting *setting, char **out_problem)
{
  gint64 time_us = -1;
  if (!is_clearing (setting->value)
      && (!lk_quantity_time_parse (setting->value, &time_us) || time_us == LK_TIME_NEVER))
    return problem_set (out_problem, setting->option->name, setting->value,
                        "minutes or [days-]hours:minutes:seconds, or -1 for none");
  spec->preempt_exempt_us = time_us;
  return TRUE;
}

static gboolean
preempt_mode_apply (LkQosSpec *spec, const LkAccountsSetting *setting, char **out_problem)
{
  static const char *const modes[] = { "cluster", "off",     "cancel", "gang",
                                       "requeue", "suspend", "within", NULL };
  g_auto (GStrv) names = lk_accounts_names_split (setting->value);
  for (char **name = names; *name; name++)
    if (!g_strv_contains (modes, *name)) {
      g_autofree char *phrase = lk_suggest_phrase (*name, modes);
      *out_problem = g_strdup_printf ("PreemptMode is '%s'%s", *name, phrase);
      return FALSE;
    }
  g_autofree char *text = g_strjoinv (",", names);
  lk_accounts_text_set (&spec->preempt_mode, strcmp (text, "cluster") == 0 ? "" : text);
  return TRUE;
}

/* -1 is as if it had never been said. */
static gboolean
priority_apply (guint32 *member, const LkAccountsSetting *setting, char **out_problem)
{
  guint64 number = 0;
  if (!is_clearing (setting->value) && !number_parse (setting->value, COUNT_MAX - 1, &number))
    return problem_set (out_problem, setting->option->name, setting->value,
                        "a whole number, or -1 for none");
  *member = (guint32)number;
  return TRUE;
}

gboolean
lk_accounts_qos_apply (LkAccounts *accounts, LkQosSpec *spec, const LkAccountsSetting *setting,
                       char **out_problem)
{
  switch (setting->option->effect) {
  case LK_OPTION_LIMIT:
    return limit_apply (accounts, spec->limits, setting, out_problem);
  case LK_OPTION_DESCRIPTION:
    lk_accounts_text_set (&spec->description, setting->value);
    return TRUE;
  case LK_OPTION_PRIORITY:
    return priority_apply (&spec->priority, setting, out_problem);
  case LK_OPTION_FLAGS:
    return flags_apply (spec, setting, out_problem);
  case LK_OPTION_USAGE_FACTOR:
    return real_apply (&spec->usage_factor, 1, setting, out_problem);
  case LK_OPTION_USAGE_THRESHOLD:
    return real_apply (&spec->usage_threshold, -1, setting, out_problem);
  case LK_OPTION_LIMIT_FACTOR:
    return real_apply (&spec->limit_factor, -1, setting, out_problem);
  case LK_OPTION_GRACE:
    return grace_apply (spec, setting, out_problem);
  case LK_OPTION_PREEMPT:
    return list_apply (accounts, &spec->preempt, setting, FALSE, out_problem);
  case LK_OPTION_PREEMPT_MODE:
    return preempt_mode_apply (spec, setting, out_problem);
  case LK_OPTION_PREEMPT_EXEMPT:
    return exempt_apply (spec, setting, out_problem);
  default:
    return TRUE;
  }
}

/* ---------------------------------------------------------------- associations */

static gboolean
shares_apply (LkAssociationSpec *spec, const LkAccountsSetting *setting, char **out_problem)
{
  if (is_clearing (setting->value)) {
    spec->shares = 1;
    return TRUE;
  }
  if (lk_accounts_shares_parse (setting->value, &spec->shares))
    return TRUE;
  return problem_set (out_problem, setting->option->name, setting->value,
                      "a whole number of 0 or more, or parent");
}

static gboolean
admin_level_apply (LkAssociationSpec *spec, const LkAccountsSetting *setting, char **out_problem)
{
  static const char *const levels[][2] = { { "none", "" },
                                           { "operator", "Operator" },
                                           { "administrator", "Administrator" } };
  g_autofree char *lower = g_ascii_strdown (setting->value, -1);
  for (guint i = 0; *lower && i < G_N_ELEMENTS (levels); i++)
    if (g_str_has_prefix (levels[i][0], lower)) {
      lk_accounts_text_set (&spec->admin_level, levels[i][1]);
      return TRUE;
    }
  return problem_set (out_problem, setting->option->name, setting->value,
                      "None, Operator or Administrator");
}

/* Accounts may stand on later lines: whether they are there is seen when all have been read. */
static gboolean
coordinates_apply (LkAssociationSpec *spec, const LkAccountsSetting *setting)
{
  g_autoptr (GPtrArray) given = list_of (is_clearing (setting->value) ? "" : setting->value);
  g_autoptr (GPtrArray) names = list_of (setting->mark == '=' ? "" : spec->coordinates);
  if (*spec->user == '\0')
    return TRUE;
  for (guint i = 0; i < given->len; i++) {
    const char *name = g_ptr_array_index (given, i);
    guint at = name_place (names, name, FALSE);
    if (setting->mark != '-')
      name_put (names, '\0', name);
    else if (at != G_MAXUINT)
      g_ptr_array_remove_index (names, at);
  }
  list_take (&spec->coordinates, names);
  return TRUE;
}

void
lk_accounts_coordinates_tidy (LkAccounts *accounts)
{
  for (guint i = 0; i < accounts->associations->len; i++) {
    LkAssociationSpec *spec = g_ptr_array_index (accounts->associations, i);
    g_autoptr (GPtrArray) names = list_of (spec->coordinates);
    for (guint at = names->len; at-- > 0;)
      if (lk_accounts_find (accounts, g_ptr_array_index (names, at), "", "") == NULL)
        g_ptr_array_remove_index (names, at);
    if (*spec->coordinates != '\0')
      list_take (&spec->coordinates, names);
  }
}

static gboolean
default_qos_apply (const LkAccounts *accounts, LkAssociationSpec *spec,
                   const LkAccountsSetting *setting, char **out_problem)
{
  g_autofree char *name = g_ascii_strdown (setting->value, -1);
  gboolean is_none = *name == '\0' || is_clearing (name);
  if (!is_none && !listed_check (accounts, setting->option->name, name, out_problem))
    return FALSE;
  lk_accounts_text_set (&spec->default_qos, is_none ? "" : name);
  return TRUE;
}

static gboolean
raw_usage_apply (LkAssociationSpec *spec, const LkAccountsSetting *setting, char **out_problem)
{
  if (strcmp (setting->value, "0") != 0)
    return problem_set (out_problem, setting->option->name, setting->value, "0");
  spec->usage = 0;
  spec->usage_wall_s = 0;
  g_array_set_size (spec->usage_tres, 0);
  return TRUE;
}

gboolean
lk_accounts_association_apply (LkAccounts *accounts, LkAssociationSpec *spec,
                               const LkAccountsSetting *setting, char **out_problem)
{
  gboolean is_root = *spec->user == '\0' && strcmp (spec->account, "root") == 0;
  switch (setting->option->effect) {
  case LK_OPTION_LIMIT:
    return limit_apply (accounts, spec->limits, setting, out_problem);
  case LK_OPTION_SHARES:
    return shares_apply (spec, setting, out_problem);
  case LK_OPTION_PRIORITY:
    return priority_apply (&spec->priority, setting, out_problem);
  case LK_OPTION_QOS:
    return list_apply (accounts, &spec->qos, setting, !is_root, out_problem);
  case LK_OPTION_DEFAULT_QOS:
    return default_qos_apply (accounts, spec, setting, out_problem);
  case LK_OPTION_DESCRIPTION:
    lk_accounts_text_set (&spec->description, setting->value);
    return TRUE;
  case LK_OPTION_ORGANIZATION:
    lk_accounts_text_set (&spec->organization, setting->value);
    return TRUE;
  case LK_OPTION_ADMIN_LEVEL:
    return admin_level_apply (spec, setting, out_problem);
  case LK_OPTION_COORDINATES:
    return coordinates_apply (spec, setting);
  case LK_OPTION_RAW_USAGE:
    return raw_usage_apply (spec, setting, out_problem);
  default:
    return TRUE;
  }
}

/* ---------------------------------------------------------------- places */

char *
lk_accounts_spec_title (const LkAccounts *accounts, const void *spec)
{
  for (guint i = 0; spec && i < accounts->qos->len; i++)
    if (g_ptr_array_index (accounts->qos, i) == spec)
      return g_strdup_printf ("QOS '%s'", ((const LkQosSpec *)spec)->name);
  if (spec == NULL)
    return g_strdup ("");
  const LkAssociationSpec *association = spec;
  if (*association->user == '\0')
    return g_strdup_printf ("account '%s'", association->account);
  return g_strdup_printf ("user '%s' of account '%s'", association->user, association->account);
}

gboolean
lk_accounts_check_at (LkAccounts *accounts, const char *file, GHashTable *lines, GError **error)
{
  LkAccountsError found;
  if (lk_accounts_check (accounts, &found))
    return TRUE;
  g_autofree char *title = lk_accounts_spec_title (accounts, found.spec);
  gpointer line = found.spec ? g_hash_table_lookup (lines, found.spec) : NULL;
  const LkSlurmPlace place = { file, GPOINTER_TO_UINT (line) };
  return lk_slurm_fail (&place, error, "%s%s%s %s", title, *title ? ": " : "", found.member,
                        found.text);
}

/* ---------------------------------------------------------------- lines that were read */

static void
line_free (gpointer data)
{
  LkAccountsLine *line = data;
  g_free (line->key);
  g_free (line->value);
  g_free (line);
}

GPtrArray *
lk_accounts_lines_new (void)
{
  return g_ptr_array_new_with_free_func (line_free);
}

void
lk_accounts_line_add (GPtrArray *lines, guint line_number, gboolean is_understood, const char *key,
                      const char *value)
{
  if (lines == NULL)
    return;
  LkAccountsLine *line = g_new0 (LkAccountsLine, 1);
  line->line_number = line_number;
  line->is_understood = is_understood;
  line->key = g_strdup (key);
  line->value = g_strdup (value);
  g_ptr_array_add (lines, line);
}
