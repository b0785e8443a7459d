/* live/client/submit/option_variables.c — see the header. */
#include "live/client/submit/option_variables.h"

#include <string.h>

#define VERBOSE_MAX 9

/* "", "yes" and numbers but 0 set a flag.  Source: src/common/slurm_opt.c of Slurm. */
static gboolean
is_flag_set (const char *value)
{
  return *value == '\0' || g_ascii_strcasecmp (value, "yes") == 0
         || g_ascii_strtoll (value, NULL, 10) != 0;
}

static gboolean
count_parse (const char *value, guint *out_count)
{
  guint64 count;
  if (!g_ascii_string_to_unsigned (value, 10, 0, G_MAXINT32, &count, NULL))
    return FALSE;
  *out_count = (guint)MIN (count, VERBOSE_MAX);
  return TRUE;
}

guint
lk_option_variable_count (const LkOptionVariable *variable, const char *value)
{
  guint count = 0;
  if (value == NULL)
    return 0;
  switch (variable->gives) {
  case LK_GIVES_VALUE:
    return *value != '\0' ? 1 : 0;
  case LK_GIVES_FLAG:
    return is_flag_set (value) ? 1 : 0;
  case LK_GIVES_COUNT:
    return count_parse (value, &count) ? count : 0;
  case LK_GIVES_PART:
    return 0;
  default:
    return 1;
  }
}

gboolean
lk_option_variable_has_value (const LkOptionVariable *variable, const char *value)
{
  gboolean may_have = variable->gives == LK_GIVES_VALUE || variable->gives == LK_GIVES_EITHER;
  return may_have && *value != '\0';
}

gboolean
lk_option_umask_parse (const LkClient *client, guint16 *out_mask)
{
  const char *value = lk_client_variable (client, "SLURM_UMASK");
  guint64 mask;
  *out_mask = LK_OPTION_UMASK_NONE;
  if (value == NULL || *value == '\0' || lk_client_variable (client, "SLURM_JOB_ID") != NULL)
    return TRUE;
  if (!g_ascii_string_to_unsigned (value, 8, 0, 0777, &mask, NULL))
    return FALSE;
  *out_mask = (guint16)mask;
  return TRUE;
}

gboolean
lk_option_variables_check (const LkClient *client)
{
  guint16 mask;
  if (!lk_option_umask_parse (client, &mask)) {
    lk_client_error (client, "SLURM_UMASK: expected an octal number from 0 to 0777");
    return FALSE;
  }
  for (guint i = 0; i < client->variable_count; i++) {
    const LkOptionVariable *at = &client->variables[i];
    const char *value = lk_client_variable (client, at->variable);
    guint count;
    if (at->gives != LK_GIVES_COUNT || value == NULL || *value == '\0'
        || count_parse (value, &count))
      continue;
    lk_client_error (client, "%s: Invalid numeric value \"%s\" for --%s.", at->variable, value,
                     at->option);
    return FALSE;
  }
  return TRUE;
}

char *
lk_option_switches (const LkClient *client)
{
  const char *parts[2] = { NULL, NULL };
  guint count = 0;
  for (guint i = 0; i < client->variable_count && count < G_N_ELEMENTS (parts); i++)
    if (client->variables[i].gives == LK_GIVES_PART)
      parts[count++] = lk_client_variable (client, client->variables[i].variable);
  if (parts[0] == NULL)
    return NULL;
  return parts[1] != NULL ? g_strdup_printf ("%s@%s", parts[0], parts[1]) : g_strdup (parts[0]);
}

const char *
lk_option_variable_of (const LkClient *client, const char *option, const char *value)
{
  g_autofree char *switches = lk_option_switches (client);
  const char *wanted = value != NULL ? value : "";
  for (guint i = 0; i < client->variable_count; i++) {
    const LkOptionVariable *at = &client->variables[i];
    const char *given =
        at->gives == LK_GIVES_PART ? switches : lk_client_variable (client, at->variable);
    if (strcmp (at->option, option) != 0 || given == NULL)
      continue;
    if (at->gives == LK_GIVES_PART
            ? strcmp (given, wanted) == 0
            : lk_option_variable_count (at, given) > 0
                  && (!lk_option_variable_has_value (at, given) || strcmp (given, wanted) == 0))
      return at->variable;
  }
  return NULL;
}

void
lk_option_error (const LkClient *client, const char *option, const char *value, const char *format,
                 ...)
{
  va_list arguments;
  const char *variable = lk_option_variable_of (client, option, value);
  va_start (arguments, format);
  g_autofree char *text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  lk_client_error (client, "%s%s%s", variable != NULL ? variable : "", variable != NULL ? ": " : "",
                   text);
}

void
lk_option_variables_markdown (const LkOptionVariable *variables, guint count, GString *out)
{
  static const char *const notes[] = { [LK_GIVES_VALUE] = "",
                                       [LK_GIVES_FLAG] = "",
                                       [LK_GIVES_EITHER] = ", which may be empty",
                                       [LK_GIVES_COUNT] = ", so often",
                                       [LK_GIVES_PART] = ", a part of it" };
  g_string_append (out, "| Variable | Option |\n|---|---|\n");
  for (guint i = 0; i < count; i++)
    g_string_append_printf (out, "| `%s` | `--%s`%s |\n", variables[i].variable,
                            variables[i].option, notes[variables[i].gives]);
}
