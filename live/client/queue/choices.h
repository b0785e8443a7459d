/* live/client/queue/choices.h — what --verbose of squeue, sinfo and sprio tells: which options
 * hold. */
#ifndef LOCKSTEP_LIVE_CLIENT_CHOICES_H
#define LOCKSTEP_LIVE_CLIENT_CHOICES_H

#include "live/client/client.h"

typedef struct {
  const char *name;  /* with the blanks behind it */
  const char *value; /* NULL: not given */
} LkChoice;

/* "true" or "false". */
const char *lk_choice_yes (gboolean is_so);

/* A table between two lines of dashes, on standard output. */
void lk_choices_print (const LkClient *client, const LkChoice *choices, guint count);

#endif
