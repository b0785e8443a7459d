/* live/check/show.h — what `lockstep check` and `lockstep diff` print. */
#ifndef LK_LIVE_CHECK_SHOW_H
#define LK_LIVE_CHECK_SHOW_H

#include <glib.h>

#include "live/check/source.h"
#include "traces/faults.h"

/* What was found out. */
typedef struct {
  const char *path;            /* of the configuration that is looked at */
  const char *against;         /* NULL: it is not compared */
  LkFaults *faults;            /* NULL: there are none */
  const LkCheckSource *source; /* NULL: it is wrong */
  const GPtrArray *changes;    /* of LkDifference*; NULL: not compared */
  const GPtrArray *hindrances; /* of char *: why it cannot come into force; NULL: not known */
  gboolean are_keys_compared;  /* of the daemons */
} LkCheckFound;

/* Lines for people. */
void lk_check_show_text (const LkCheckFound *found, GString *out);
/* One JSON object. */
void lk_check_show_json (const LkCheckFound *found, GString *out);

#endif
