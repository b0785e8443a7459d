/* live/core/number_set.h — which numbers have come before, in bounded memory.
 *
 * The highest ones are kept one by one.  Of those below them all count as members: what is so much
 * older than anything else that came is taken for a repetition. */
#ifndef LK_LIVE_CORE_NUMBER_SET_H
#define LK_LIVE_CORE_NUMBER_SET_H

#include <glib.h>

typedef struct {
  GArray *numbers; /* of guint64, rising; NULL: there are none */
  guint64 floor;   /* this and all below are members */
  guint count_max;
} LkNumberSet;

/* `floor` 0 makes 0 a member. */
void lk_number_set_init (LkNumberSet *self, guint count_max);
void lk_number_set_clear (LkNumberSet *self);
gboolean lk_number_set_has (const LkNumberSet *self, guint64 number);
/* Nothing if it is a member. O(log n) to find the place, and a move of what is above. */
void lk_number_set_add (LkNumberSet *self, guint64 number);
/* Aborts if an invariant does not hold. */
void lk_number_set_check (const LkNumberSet *self);

#endif
