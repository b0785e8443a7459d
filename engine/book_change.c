/* engine/book_change.c — books go on as those of changed accounts. See book.h. */
#include <string.h>

#include "engine/assert.h"
#include "engine/book.h"

static void
copy_use (const LkBook *self, const LkHolder *from, LkHolder *to)
{
  to->use->usage = from->use->usage;
  to->use->wall_s = from->use->wall_s;
  memcpy (to->tres_s, from->tres_s, self->tres_count * sizeof (double));
}

static void
clear_use (const LkBook *self, LkHolder *holder)
{
  holder->use->usage = 0;
  holder->use->wall_s = 0;
  memset (holder->tres_s, 0, self->tres_count * sizeof (double));
}

void
lk_book_take_over (LkBook *self, LkBook *from, const guint32 *association_from,
                   const guint32 *qos_from)
{
  LK_ASSERT (self->tres_count == from->tres_count);
  LK_ASSERT (self->job_limit == 0);
  self->job_limit = from->job_limit;
  self->job_tres = g_steal_pointer (&from->job_tres);
  self->job_counts = g_steal_pointer (&from->job_counts);
  from->job_limit = 0;
  for (guint32 i = 0; i < self->view.association_count; i++) {
    guint32 before = association_from[i];
    if (before == LK_INDEX_NONE)
      continue;
    self->associations[i].fairshare = from->associations[before].fairshare;
    copy_use (self, lk_book_holder (from, lk_book_association_holder (before)),
              lk_book_holder (self, lk_book_association_holder (i)));
  }
  for (guint32 i = 0; i < self->view.qos_count; i++)
    if (qos_from[i] != LK_INDEX_NONE)
      copy_use (self, lk_book_holder (from, lk_book_qos_holder (from, qos_from[i])),
                lk_book_holder (self, lk_book_qos_holder (self, i)));
}

void
lk_book_forget_use (LkBook *self, guint32 association)
{
  for (guint32 i = association; i < self->view.association_count; i++) {
    guint32 at = i;
    while (at != LK_INDEX_NONE && at != association)
      at = self->associations[at].parent;
    if (at == association)
      clear_use (self, lk_book_holder (self, lk_book_association_holder (i)));
  }
}

static void
add_use (const LkBook *self, const LkHolder *from, LkHolder *to)
{
  to->use->usage += from->use->usage;
  to->use->wall_s += from->use->wall_s;
  for (guint32 t = 0; t < self->tres_count; t++)
    to->tres_s[t] += from->tres_s[t];
}

void
lk_book_sum_up (LkBook *self)
{
  for (guint32 i = 0; i < self->view.association_count; i++)
    if (!self->associations[i].is_user)
      clear_use (self, lk_book_holder (self, lk_book_association_holder (i)));
  for (guint32 i = 0; i < self->view.association_count; i++) {
    const LkHolder *holder = lk_book_holder (self, lk_book_association_holder (i));
    if (!self->associations[i].is_user)
      continue;
    for (guint32 at = self->associations[i].parent; at != LK_INDEX_NONE;
         at = self->associations[at].parent)
      add_use (self, holder, lk_book_holder (self, lk_book_association_holder (at)));
  }
}
