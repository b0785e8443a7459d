/* policies/spec.c — see spec.h.
 *
 * The scanner knows three things only: parentheses nest, a double quote starts a piece of text
 * in which nothing else has a meaning, and a backslash inside it protects the next byte. All
 * loops run once over a text of at most LK_SPEC_MAX_BYTES bytes. */
#include "policies/spec.h"

#include <math.h>
#include <string.h>

#include "engine/line_text.h"
#include "engine/suggest.h"
#include "policies/registry.h"

guint
lk_param_count (const LkParam *params)
{
  guint count = 0;
  while (params[count].name != NULL)
    count++;
  return count;
}

const char *
lk_param_type_name (guint32 type)
{
  switch (type) {
  case LK_PARAM_INTEGER:
    return "integer";
  case LK_PARAM_REAL:
    return "real";
  case LK_PARAM_TEXT:
    return "text";
  case LK_PARAM_ORDER:
    return "order";
  default:
    return NULL;
  }
}

gboolean
lk_text_is_printable (const char *text)
{
  for (const char *at = text; *at != '\0'; at++) {
    if (g_ascii_iscntrl (*at))
      return FALSE;
  }
  return g_utf8_validate (text, -1, NULL);
}

char *
lk_spec_real_text (double value)
{
  GString *text = g_string_new (NULL);
  lk_line_append_real (text, value);
  return g_string_free (text, FALSE);
}

char *
lk_param_expectation (const LkParam *param)
{
  gboolean is_number = param->type == LK_PARAM_INTEGER || param->type == LK_PARAM_REAL;
  if (!is_number)
    return g_strdup (param->type == LK_PARAM_ORDER ? "the name of an order" : "text");
  GString *out = g_string_new (param->type == LK_PARAM_INTEGER ? "an integer" : "a number");
  g_autofree char *minimum = lk_spec_real_text (param->minimum);
  g_autofree char *maximum = lk_spec_real_text (param->maximum);
  gboolean has_minimum = isfinite (param->minimum);
  gboolean has_maximum = isfinite (param->maximum);
  if (has_minimum && has_maximum)
    g_string_append_printf (out, " from %s to %s", minimum, maximum);
  else if (has_minimum)
    g_string_append_printf (out, " of at least %s", minimum);
  else if (has_maximum)
    g_string_append_printf (out, " of at most %s", maximum);
  if (param->unit != NULL && param->unit[0] != '\0')
    g_string_append_printf (out, " (%s)", param->unit);
  return g_string_free (out, FALSE);
}

/* ---------------------------------------------------------------- scanning */

/* Where the quoted text that starts at `text` ends (behind its closing quote), or NULL when it
 * does not. */
static const char *
quoted_end (const char *text)
{
  for (const char *at = text + 1; *at != '\0'; at++) {
    if (*at == '\\' && at[1] != '\0')
      at++;
    else if (*at == '"')
      return at + 1;
  }
  return NULL;
}

/* End of the piece that starts at `text`: a comma outside parentheses and quotes, or the end of
 * the text. */
static const char *
piece_end (const char *text, GError **error)
{
  guint depth = 0;
  const char *at = text;
  while (*at != '\0' && !(*at == ',' && depth == 0)) {
    if (*at == '"') {
      at = quoted_end (at);
      if (at == NULL) {
        g_set_error (error, LK_REGISTRY_ERROR, LK_REGISTRY_ERROR_PARAMETER,
                     "'%s': the closing quote is missing", text);
        return NULL;
      }
      continue;
    }
    if (*at == ')' && depth == 0) {
      g_set_error (error, LK_REGISTRY_ERROR, LK_REGISTRY_ERROR_PARAMETER,
                   "'%s': a ')' without its '('", text);
      return NULL;
    }
    depth += *at == '(' ? 1u : 0u;
    depth -= *at == ')' ? 1u : 0u;
    at++;
  }
  if (depth > 0) {
    g_set_error (error, LK_REGISTRY_ERROR, LK_REGISTRY_ERROR_PARAMETER,
                 "'%s': the closing parenthesis is missing", text);
    return NULL;
  }
  return at;
}

/* TRUE when the whole text survives as one value without quotes. */
static gboolean
is_plain (const char *text)
{
  gsize length = strlen (text);
  if (length == 0)
    return TRUE;
  /* After `key=`, one more `=` would make a comparison of it. */
  if (text[0] == '=' || text[0] == '"' || g_ascii_isspace (text[0])
      || g_ascii_isspace (text[length - 1]))
    return FALSE;
  const char *end = piece_end (text, NULL);
  return end != NULL && *end == '\0';
}

void
lk_spec_append_text (GString *out, const char *text)
{
  if (is_plain (text)) {
    g_string_append (out, text);
    return;
  }
  g_string_append_c (out, '"');
  for (const char *at = text; *at != '\0'; at++) {
    if (*at == '"' || *at == '\\')
      g_string_append_c (out, '\\');
    g_string_append_c (out, *at);
  }
  g_string_append_c (out, '"');
}

void
lk_spec_append_value (GString *out, const LkParam *param, LkParamValue value)
{
  if (param->type == LK_PARAM_INTEGER) {
    g_string_append_printf (out, "%" G_GINT64_FORMAT, value.integer);
  } else if (param->type == LK_PARAM_REAL) {
    g_autofree char *text = lk_spec_real_text (value.real);
    g_string_append (out, text);
  } else {
    lk_spec_append_text (out, value.text);
  }
}

/* Takes the quotes off a value that is one quoted text as a whole. Returns: (transfer full). */
static char *
unquote (const char *value)
{
  if (value[0] != '"')
    return g_strdup (value);
  const char *end = quoted_end (value);
  if (end == NULL || *end != '\0')
    return g_strdup (value);
  GString *out = g_string_new (NULL);
  for (const char *at = value + 1; at < end - 1; at++) {
    if (*at == '\\')
      at++;
    g_string_append_c (out, *at);
  }
  return g_string_free (out, FALSE);
}

/* ---------------------------------------------------------------- specifications */

gboolean
lk_spec_split (const char *spec, char **out_name, char **out_arguments, GError **error)
{
  if (strlen (spec) > LK_SPEC_MAX_BYTES) {
    g_set_error (error, LK_REGISTRY_ERROR, LK_REGISTRY_ERROR_PARAMETER,
                 "a specification of %" G_GSIZE_FORMAT " bytes; at most %u are allowed",
                 strlen (spec), LK_SPEC_MAX_BYTES);
    return FALSE;
  }
  g_autofree char *text = g_strdup (spec);
  /* A specification is one line in every message and header. */
  g_strstrip (g_strdelimit (text, "\t\n\r\f\v", ' '));
  if (!lk_text_is_printable (text)) {
    g_set_error (error, LK_REGISTRY_ERROR, LK_REGISTRY_ERROR_PARAMETER,
                 "a specification with bytes that are not text");
    return FALSE;
  }
  gsize name_length = strcspn (text, ":(");
  gsize length = strlen (text);
  g_autofree char *name = g_strndup (text, name_length);
  g_autofree char *arguments = NULL;
  if (name_length == length) {
    arguments = g_strdup ("");
  } else if (text[name_length] == ':') {
    arguments = g_strdup (text + name_length + 1);
  } else if (text[length - 1] == ')') {
    arguments = g_strndup (text + name_length + 1, length - name_length - 2);
  } else {
    g_set_error (error, LK_REGISTRY_ERROR, LK_REGISTRY_ERROR_PARAMETER,
                 "'%s': expected NAME, NAME:key=value,... or NAME(key=value,...)", text);
    return FALSE;
  }
  *out_name = g_strstrip (g_steal_pointer (&name));
  *out_arguments = g_strstrip (g_steal_pointer (&arguments));
  return TRUE;
}

static const char *
skip_spaces (const char *text)
{
  while (g_ascii_isspace (*text))
    text++;
  return text;
}

/* Where the value starts when `piece` is `key = value`, else NULL. A second `=` makes it a
 * comparison. */
static const char *
value_start (const char *piece)
{
  const char *at = skip_spaces (piece);
  const char *key = at;
  while (g_ascii_isalnum (*at) || *at == '_' || *at == '-')
    at++;
  if (at == key)
    return NULL;
  at = skip_spaces (at);
  return at[0] == '=' && at[1] != '=' ? at + 1 : NULL;
}

static void
set_unknown_key (const LkParam *params, const char *key, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  for (const LkParam *param = params; param->name != NULL; param++)
    g_ptr_array_add (names, (gpointer)param->name);
  g_ptr_array_add (names, NULL);
  g_autofree char *phrase = lk_suggest_phrase (key, (const char *const *)names->pdata);
  g_set_error (error, LK_REGISTRY_ERROR, LK_REGISTRY_ERROR_PARAMETER, "no parameter '%s'%s", key,
               names->len == 1 ? "; it has none" : phrase);
}

/* Stores one `key=value` piece. */
static gboolean
take_named (const LkParam *params, const char *piece, char **texts, GError **error)
{
  const char *value = value_start (piece);
  if (value == NULL) {
    g_set_error (error, LK_REGISTRY_ERROR, LK_REGISTRY_ERROR_PARAMETER,
                 "'%s' is not of the form key=value", piece);
    return FALSE;
  }
  g_autofree char *key = g_strstrip (g_strndup (piece, (gsize)(value - piece) - 1));
  g_autofree char *stripped = g_strstrip (g_strdup (value));
  guint index = 0;
  while (params[index].name != NULL && strcmp (params[index].name, key) != 0)
    index++;
  if (params[index].name == NULL) {
    set_unknown_key (params, key, error);
    return FALSE;
  }
  if (texts[index] != NULL) {
    g_set_error (error, LK_REGISTRY_ERROR, LK_REGISTRY_ERROR_PARAMETER,
                 "parameter '%s' is given twice", key);
    return FALSE;
  }
  texts[index] = unquote (stripped);
  return TRUE;
}

static gboolean
take_all_named (const LkParam *params, const char *arguments, char **texts, GError **error)
{
  const char *at = arguments;
  for (;;) {
    const char *end = piece_end (at, error);
    if (end == NULL)
      return FALSE;
    g_autofree char *piece = g_strstrip (g_strndup (at, (gsize)(end - at)));
    if (!take_named (params, piece, texts, error))
      return FALSE;
    if (*end == '\0')
      return TRUE;
    at = end + 1;
  }
}

/* Index of the only parameter without a default, or -1. */
static gint
positional_index (const LkParam *params)
{
  gint found = -1;
  for (gint i = 0; params[i].name != NULL; i++) {
    if (params[i].default_value != NULL)
      continue;
    if (found >= 0)
      return -1;
    found = i;
  }
  return found;
}

/* Gives defaults to what was not named. */
static gboolean
fill_defaults (const LkParam *params, char **texts, GError **error)
{
  for (guint i = 0; params[i].name != NULL; i++) {
    if (texts[i] == NULL && params[i].default_value == NULL) {
      g_set_error (error, LK_REGISTRY_ERROR, LK_REGISTRY_ERROR_PARAMETER,
                   "parameter '%s' must be given: %s", params[i].name, params[i].help);
      return FALSE;
    }
    if (texts[i] == NULL)
      texts[i] = g_strdup (params[i].default_value);
  }
  return TRUE;
}

/* g_strfreev stops at the first gap; this one knows the length. */
static void
free_texts (char **texts, guint count)
{
  for (guint i = 0; i < count; i++)
    g_free (texts[i]);
  g_free (texts);
}

char **
lk_spec_arguments (const LkParam *params, const char *arguments, GError **error)
{
  guint count = lk_param_count (params);
  char **texts = g_new0 (char *, count + 1);
  gint positional = positional_index (params);
  gboolean taken = TRUE;
  if (arguments[0] != '\0' && value_start (arguments) == NULL && positional >= 0)
    texts[positional] = unquote (arguments);
  else if (arguments[0] != '\0')
    taken = take_all_named (params, arguments, texts, error);
  if (!taken || !fill_defaults (params, texts, error)) {
    free_texts (texts, count);
    return NULL;
  }
  return texts;
}

/* ---------------------------------------------------------------- values */

static gboolean
read_integer (const char *text, gint64 *out_value)
{
  return g_ascii_string_to_signed (text, 10, G_MININT64, G_MAXINT64, out_value, NULL);
}

/* Decimal notation only: what g_ascii_strtod takes beyond it (hexadecimal, "nan", leading
 * spaces) would be a mistake in a configuration. */
static gboolean
read_real (const char *text, double *out_value)
{
  if (text[0] == '\0' || text[strspn (text, "+-.0123456789eE")] != '\0')
    return FALSE;
  char *end = NULL;
  double value = g_ascii_strtod (text, &end);
  if (*end != '\0' || !isfinite (value))
    return FALSE;
  *out_value = value == 0.0 ? 0.0 : value;
  return TRUE;
}

gboolean
lk_spec_value (const LkParam *param, const char *text, LkParamValue *out_value, GError **error)
{
  LkParamValue value = { .text = text };
  gboolean good = TRUE;
  if (param->type == LK_PARAM_INTEGER) {
    good = read_integer (text, &value.integer);
    good = good && (double)value.integer >= param->minimum;
    good = good && (double)value.integer <= param->maximum;
  } else if (param->type == LK_PARAM_REAL) {
    good = read_real (text, &value.real);
    good = good && value.real >= param->minimum && value.real <= param->maximum;
  }
  if (!good) {
    g_autofree char *expectation = lk_param_expectation (param);
    g_set_error (error, LK_REGISTRY_ERROR, LK_REGISTRY_ERROR_PARAMETER,
                 "parameter '%s' is '%s'; expected %s", param->name, text, expectation);
    return FALSE;
  }
  *out_value = value;
  return TRUE;
}

char *
lk_spec_expectation (gpointer policy, const char *parameter, const char *text)
{
  const LkPolicy *asked = policy;
  LkParamValue parsed;
  for (const LkParam *param = asked->params; param->name != NULL; param++)
    if (strcmp (param->name, parameter) == 0)
      return lk_spec_value (param, text, &parsed, NULL) ? NULL : lk_param_expectation (param);
  return NULL;
}
