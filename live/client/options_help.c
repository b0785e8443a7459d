/* live/client/options_help.c — see the header. */
#include "live/client/options_help.h"

#include <string.h>

#include "live/client/job_option_help.h"
#include "live/client/spank_command.h"

#define USAGE_COLUMNS 79
#define NAME_COLUMNS 26

/* What lk_options_parse itself takes. */
static const LkClientOption common[] = {
  { "help", 'h', FALSE, LK_OPTION_ACTED_ON, "show this help message" },
  { "usage", '\0', FALSE, LK_OPTION_ACTED_ON, "tell in short how it is called" },
  { "version", 'V', FALSE, LK_OPTION_ACTED_ON, "display tool version number" },
};

/* "=VALUE", "[=VALUE]", "" */
static char *
value_text (const LkOptionSet *set, const LkClientOption *option)
{
  const char *word = set->is_of_jobs ? lk_job_option_value (option->name) : "VALUE";
  if (option->has_value == FALSE)
    return g_strdup ("");
  return g_strdup_printf (option->has_value == TRUE ? "=%s" : "[=%s]", word);
}

/* NULL: --help is as with most. */
static const LkOptionHelp *
own_help (const LkOptionSet *set)
{
  return set->help != NULL && set->help->call != NULL ? set->help : NULL;
}

/* ---------------------------------------------------------------- --help */

static void
option_tell (const LkClient *client, const LkOptionSet *set, const LkClientOption *option)
{
  static const char *const notes[] = { "", "changes nothing: ", "not implemented: " };
  g_autofree char *value = value_text (set, option);
  gboolean is_long = own_help (set) != NULL && set->help->is_long;
  g_autofree char *name = g_strconcat ("--", option->name, is_long ? "" : value, NULL);
  char letter[5] = "    ";
  if (option->letter != '\0')
    g_snprintf (letter, sizeof letter, "-%c, ", option->letter);
  if (is_long)
    fprintf (client->out, "     %s%s:\n          %s%s\n", g_strchug (letter), name,
             notes[option->class], option->help);
  else
    fprintf (client->out, "  %s%-*s %s%s\n", letter, NAME_COLUMNS - 4, name, notes[option->class],
             option->help);
}

static void
common_tell (const LkClient *client, const LkOptionSet *set)
{
  for (gsize i = 0; i < G_N_ELEMENTS (common); i++) {
    LkClientOption option = common[i];
    if (option.letter == 'h' && !set->h_is_help)
      option.letter = '\0';
    option_tell (client, set, &option);
  }
}

static gboolean
is_common (const LkClientOption *option)
{
  for (gsize i = 0; i < G_N_ELEMENTS (common); i++)
    if (strcmp (common[i].name, option->name) == 0)
      return TRUE;
  return FALSE;
}

static guint
own_count (const LkOptionSet *set)
{
  return set->plugin_first > 0 ? set->plugin_first : set->count;
}

/* Those of a section; NULL: all. */
static void
section_tell (const LkClient *client, const LkOptionSet *set, const char *title)
{
  for (guint i = 0; i < own_count (set); i++)
    if (!is_common (&set->options[i])
        && (title == NULL || strcmp (lk_job_option_section (set->options[i].name), title) == 0))
      option_tell (client, set, &set->options[i]);
}

void
lk_options_help (const LkClient *client, const LkOptionSet *set)
{
  const LkOptionHelp *help = own_help (set);
  if (help != NULL)
    fprintf (client->out, "%s%s %s\n    %s\n", help->is_long ? "" : "Usage: ", client->command,
             help->call, help->title);
  else
    fprintf (client->out, "Usage: %s %s\n", client->command, set->usage);
  for (guint i = 0; set->is_of_jobs && lk_job_option_sections[i] != NULL; i++) {
    fprintf (client->out, "\n%s:\n", lk_job_option_sections[i]);
    section_tell (client, set, lk_job_option_sections[i]);
  }
  if (!set->is_of_jobs) {
    fputs (help == NULL ? "\n" : "", client->out);
    section_tell (client, set, NULL);
  }
  lk_spank_command_help (client);
  fputs (help == NULL ? "\nHelp options:\n" : "", client->out);
  common_tell (client, set);
  if (help != NULL && help->more != NULL)
    help->more (client->out);
}

/* ---------------------------------------------------------------- --usage */

/* Of an option that has its letter, and stands before it. */
static gboolean
is_other_name (const LkOptionSet *set, guint index)
{
  for (guint i = 0; i < index; i++)
    if (set->options[index].letter != '\0' && set->options[i].letter == set->options[index].letter)
      return TRUE;
  return FALSE;
}

typedef struct {
  FILE *out;
  gsize column;
  gsize indent; /* of lines but the first */
} Usage;

static void
usage_word (Usage *self, const char *word)
{
  gsize bytes = strlen (word);
  if (self->column + 1 + bytes > USAGE_COLUMNS) {
    fprintf (self->out, "\n%*s", (int)self->indent, "");
    self->column = self->indent;
  }
  fprintf (self->out, " %s", word);
  self->column += 1 + bytes;
}

/* "[-j VALUE]", "[--json]": a value that may be there would be a bracket within brackets. */
static char *
usage_option (const LkOptionSet *set, const LkClientOption *option)
{
  g_autofree char *value = value_text (set, option);
  gboolean has_value = option->has_value == TRUE;
  if (option->letter == '\0')
    return g_strdup_printf ("[--%s%s]", option->name, has_value ? value : "");
  return has_value ? g_strdup_printf ("[-%c %s]", option->letter, value + 1)
                   : g_strdup_printf ("[-%c]", option->letter);
}

void
lk_options_usage (const LkClient *client, const LkOptionSet *set)
{
  if (set->help != NULL && set->help->usage == NULL) {
    lk_options_help (client, set);
    return;
  }
  fprintf (client->out, "Usage: %s", client->command);
  if (set->help != NULL) {
    fprintf (client->out, " %s\n", set->help->usage);
    return;
  }
  gsize called_bytes = strlen ("Usage: ") + strlen (client->command);
  Usage self = { .out = client->out, .column = called_bytes, .indent = called_bytes };
  for (guint i = 0; i < set->count; i++) {
    if (set->options[i].class == LK_OPTION_REFUSED || is_common (&set->options[i])
        || is_other_name (set, i))
      continue;
    g_autofree char *word = usage_option (set, &set->options[i]);
    usage_word (&self, word);
  }
  if (set->operands != NULL)
    usage_word (&self, set->operands);
  fputc ('\n', client->out);
}
