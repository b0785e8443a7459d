/* live/check/differences.h — in what two configurations differ.
 *
 * Things are the same when kind and name are; what is told of them are the members whose values
 * differ.  A change that many nodes have alike is one.  What accounts have used, and the texts that
 * group nodes, are no part of a configuration.  Cost: O(things), by hashes that are never
 * iterated. */
#ifndef LK_LIVE_CHECK_DIFFERENCES_H
#define LK_LIVE_CHECK_DIFFERENCES_H

#include <glib.h>

typedef enum { LK_DIFFERENCE_COMES, LK_DIFFERENCE_GOES, LK_DIFFERENCE_MEMBER } LkDifferenceKind;

typedef struct {
  LkDifferenceKind kind;
  char *thing;      /* kind of the thing: "partition" */
  GPtrArray *names; /* of char *: of the things; more than one only of nodes */
  char *member;     /* NULL: of the whole thing */
  char *before;     /* NULL: there was no such member */
  char *after;      /* likewise */
} LkDifference;

/* Both of LkThing* (things.h). Keys (of the daemons) are compared where both have some. Returns:
 * (transfer full), of LkDifference*, in the order of the first, then what comes. */
GPtrArray *lk_differences_find (const GPtrArray *before, const GPtrArray *after);

#endif
