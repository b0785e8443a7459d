/* engine/ready.h — for each node a moment before which it cannot serve a kind of job.
 *
 * Kept for each pair of request and length of run that was asked for (lengths are rounded down to
 * an eighth of their power of two), so that the search for an earliest start looks at few nodes.
 * The moments are lower bounds: taking resources only makes them later, so they stay true; where
 * something was given back, the nodes are noted and their moments set back before the next use.
 * Nothing here changes a decision. */
#ifndef LK_ENGINE_READY_H
#define LK_ENGINE_READY_H

#include <glib.h>

#include "engine/machine.h"
#include "engine/window.h"

#define LK_READY_BLOCK_NODES 64u

/* Of one kind of job. */
typedef struct {
  guint32 request;
  guint64 serial;     /* of the request; its index may be given to another */
  guint32 inside;     /* number of the advance reservation in which it would run; 0: none */
  gint64 duration_us; /* rounded down */
  guint64 seen;       /* entries of the notes that are worked in */
  guint64 used;       /* when it was last used, to let the oldest go */
  gint64 *node_us;    /* LK_TIME_NEVER: never */
  gint64 *block_us;   /* least of each block */
} LkReadyClass;

typedef struct _LkReadyIndex LkReadyIndex;

LkReadyIndex *lk_ready_new (const LkMachine *machine);
void lk_ready_free (LkReadyIndex *self);

/* Something on this node was given back. */
void lk_ready_note (LkReadyIndex *self, guint32 node);
/* Anything may have been given back anywhere. */
void lk_ready_forget (LkReadyIndex *self);

/* Grows with every note. */
guint64 lk_ready_version (const LkReadyIndex *self);

/* The class of a job, up to date: no moment is later than the truth. Valid until the next call. */
LkReadyClass *lk_ready_class (LkReadyIndex *self, guint32 request, gint64 duration_us,
                              guint32 inside);
void lk_ready_set (const LkReadyIndex *self, LkReadyClass *class, guint32 node, gint64 at_us);
/* The node with the least moment, lowest index first; LK_NODE_NONE when all are never. */
guint32 lk_ready_first (const LkReadyIndex *self, const LkReadyClass *class);
/* Adds the nodes whose moment is not after `at_us` to a set. */
void lk_ready_collect (const LkReadyIndex *self, const LkReadyClass *class, gint64 at_us,
                       guint64 *set);

#endif
