/* live/client/queue/choices.c — see the header. */
#include "live/client/queue/choices.h"

#define DASHES "-----------------------------\n"

const char *
lk_choice_yes (gboolean is_so)
{
  return is_so ? "true" : "false";
}

void
lk_choices_print (const LkClient *client, const LkChoice *choices, guint count)
{
  fputs (DASHES, client->out);
  for (guint i = 0; i < count; i++)
    fprintf (client->out, "%s = %s\n", choices[i].name,
             choices[i].value != NULL ? choices[i].value : "(null)");
  fputs (DASHES "\n", client->out);
}
