/* sim/failures.h — when nodes fail and come back: from a model, or from a list.
 *
 * A model is "mtbf=30d,mttr=4h" with, if wanted, shape=0.7, repair_shape=1 and seed=1.  The times
 * that a node is up and down are Weibull distributed with these means and shapes; each node draws
 * from a stream of its own, so what happens to a node depends on the seed and its index alone, not
 * on how many nodes there are nor on how many events were asked for.  All nodes are up at time 0,
 * and have been for as long as nodes have that one looks at at any moment: the first failure comes
 * after the residual life of the distribution, so that a shape below 1 does not fail half the
 * machine in the first hours.  Times are rounded up to whole seconds.  Shapes of 0.7 to 0.8 for
 * the time between failures are those of Schroeder & Gibson, "A large-scale study of failures in
 * high-performance computing systems", DSN 2006.  A model never ends.
 *
 * A list is a CSV file with a line "time,node,state,reason" for each event: seconds on the log's
 * clock (or with s, m, h, d, w), or a date as 2024-05-01T10:00:00 in UTC; a hostlist (in quotes, or
 * its commas inside brackets); down, up, drain or resume; any text, or nothing.  A first line with
 * these words, empty lines and lines that begin with # are passed over.  Events are handed out by
 * time, then by line, then in the order of the hostlist.
 *
 * Not here: what a failure does to jobs. */
#ifndef LK_SIM_FAILURES_H
#define LK_SIM_FAILURES_H

#include <glib.h>

#include "engine/codec.h"

typedef struct {
  gint64 time_us;
  guint32 node_index;
  LkEventKind kind;   /* LK_EVENT_NODE_DOWN, _UP, _DRAIN or _RESUME */
  const char *reason; /* "" for none; lives as long as the stream */
} LkNodeEvent;

/* The machine. */
typedef struct {
  const GPtrArray *names; /* of char *, by index; borrowed for the call */
  gint64 unix_start_s;    /* seconds since 1970 of time 0; -1 unknown: a list has no dates */
} LkFailureNodes;

typedef struct _LkFailures LkFailures;

/* `spec` is a model when there is a "=" in it, else the path of a list ("file:PATH" is always one;
 * "-" is standard input). LK_SIM_ERROR_USAGE for a wrong model, LK_SIM_ERROR_FORMAT "PATH:LINE:
 * ..."  for a wrong list. Returns: (transfer full). */
LkFailures *lk_failures_new (const char *spec, const LkFailureNodes *nodes, GError **error);
/* A list in memory; `name` is used in messages. */
LkFailures *lk_failures_new_from_bytes (const char *name, const guint8 *bytes, gsize length_bytes,
                                        const LkFailureNodes *nodes, GError **error);
void lk_failures_free (LkFailures *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkFailures, lk_failures_free)

/* The next event; times do not fall. FALSE: there is no other. */
gboolean lk_failures_next (LkFailures *self, LkNodeEvent *out_event);

/* A model's events have no end: what does not start in so long is not waited for. 0: a list. */
gint64 lk_failures_round_us (const LkFailures *self);

#endif
