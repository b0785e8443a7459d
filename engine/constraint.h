/* engine/constraint.h — features that nodes must have: sbatch --constraint.
 *
 * a        nodes with feature a
 * a&b a|b  both, either; strictly from left to right: a|b&c is (a|b)&c; parentheses group
 * [a|b]    all nodes of the job from one of the alternatives, tried in order
 * a*4      at least 4 of the job's nodes have a
 * [a*2&b*4]  several such counts
 *
 * At most one bracket, joined to the rest by &.  Source: sbatch(1), --constraint. */
#ifndef LK_ENGINE_CONSTRAINT_H
#define LK_ENGINE_CONSTRAINT_H

#include <glib.h>

#include "engine/node_table.h"

/* At least `count` nodes of a job from this set. */
typedef struct {
  guint64 *nodes;
  guint32 count;
} LkFeatureCount;

typedef struct {
  guint64 *nodes;          /* all nodes of a job from this set; NULL: any */
  GPtrArray *alternatives; /* of guint64*: all nodes from one of these sets; NULL: no such demand */
  GArray *counts;          /* of LkFeatureCount; NULL: no such demand */
} LkConstraint;

typedef enum {
  LK_CONSTRAINT_GOOD,
  LK_CONSTRAINT_SYNTAX,
  LK_CONSTRAINT_FEATURE, /* no node has one of the features */
} LkConstraintStatus;

/* On a status other than GOOD self is clear. */
LkConstraintStatus lk_constraint_init (LkConstraint *self, const LkNodeTable *nodes,
                                       const char *text, gsize length_bytes);
void lk_constraint_clear (LkConstraint *self);

#endif
