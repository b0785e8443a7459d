/* live/client/options_dump.c — see the header. */
#include "live/client/options_dump.h"

#include <string.h>

#include "live/client/commands.h"

static const char *const classes[] = { "acted", "harmless", "refused" };

/* What lk_options_parse itself takes. */
static const LkClientOption common[] = {
  { "help", '\0', FALSE, LK_OPTION_ACTED_ON, "tells the options, and ends" },
  { "usage", '\0', FALSE, LK_OPTION_ACTED_ON, "tells in one line how it is called, and ends" },
  { "version", 'V', FALSE, LK_OPTION_ACTED_ON, "tells whose commands these are like, and ends" },
};

gboolean
lk_options_dump_is_wanted (int argc, char **argv)
{
  return argc == 2 && strcmp (argv[1], LK_OPTIONS_DUMP) == 0;
}

void
lk_options_dump_usage (const LkClient *client, const char *usage)
{
  fprintf (client->out, "usage\t%s\n", usage);
}

void
lk_options_dump_option (const LkClient *client, const LkClientOption *option)
{
  static const char *const values[] = { "no", "yes", "may" };
  char letter = option->letter != '\0' ? option->letter : '-';
  fprintf (client->out, "option\t%s\t%c\t%s\t%s\t%s\n", option->name, letter,
           values[option->has_value], classes[option->class], option->help);
}

void
lk_options_dump_word (const LkClient *client, const char *kind, const char *name,
                      LkOptionClass class, const char *help)
{
  fprintf (client->out, "word\t%s\t%s\t%s\t%s\n", kind, name, classes[class], help);
}

static gboolean
has_option (const LkOptionSet *set, const char *name)
{
  for (guint i = 0; i < set->count; i++)
    if (strcmp (set->options[i].name, name) == 0)
      return TRUE;
  return FALSE;
}

void
lk_options_dump (const LkClient *client, const LkOptionSet *set)
{
  lk_options_dump_usage (client, set->usage);
  for (guint i = 0; i < set->count; i++)
    lk_options_dump_option (client, &set->options[i]);
  for (gsize i = 0; i < G_N_ELEMENTS (common); i++)
    if (!has_option (set, common[i].name))
      lk_options_dump_option (client, &common[i]);
}

int
lk_options_dump_commands (FILE *out)
{
  char *none[] = { NULL };
  int code = 0;
  for (const LkClientCommand *at = lk_client_commands; at->name != NULL && code == 0; at++) {
    LkClient client = { .command = at->name,
                        .in = stdin,
                        .out = out,
                        .err = stderr,
                        .environment = none,
                        .work_dir = "/",
                        .user_name = "",
                        .group_name = "",
                        .host = "" };
    char *arguments[] = { (char *)at->name, (char *)LK_OPTIONS_DUMP, NULL };
    fprintf (out, "command\t%s\t%s\n", at->name, at->help);
    code = at->run (&client, 2, arguments);
  }
  return code;
}
