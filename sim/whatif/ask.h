/* sim/whatif/ask.h — the options that whatif and plan have in common: state, moment, futures. */
#ifndef LK_SIM_WHATIF_ASK_H
#define LK_SIM_WHATIF_ASK_H

#include <glib.h>

#include "sim/whatif/question.h"

typedef struct {
  char *state;
  char *at;
  char *horizon;
  char *arrivals;
  char *runtimes;
  char *repeat;
  char *seed;
  char *jobs;
  char *calibration;
  char *progress;
  char **plugins;
  gboolean json;
} LkAskOptions;

void lk_ask_options_clear (LkAskOptions *self);
void lk_ask_add_options (LkAskOptions *self, GOptionContext *context);

/* Opens the state, goes to the moment, and fills all of the question but its change. `repeat` is
 * the number of futures where none is given and they differ. */
gboolean lk_ask_open (const LkAskOptions *self, guint repeat, LkWhatifState *state,
                      LkQuestion *out_question, GError **error);

#endif
