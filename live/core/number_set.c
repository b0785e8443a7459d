/* live/core/number_set.c — see the header. */
#include "live/core/number_set.h"

#include "engine/assert.h"

static guint64
number_at (const LkNumberSet *self, guint index)
{
  return g_array_index (self->numbers, guint64, index);
}

static guint
count_of (const LkNumberSet *self)
{
  return self->numbers != NULL ? self->numbers->len : 0;
}

/* Index of the first number that is not below. */
static guint
place_of (const LkNumberSet *self, guint64 number)
{
  guint low = 0;
  guint high = count_of (self);
  while (low < high) {
    guint middle = low + (high - low) / 2;
    if (number_at (self, middle) < number)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

void
lk_number_set_init (LkNumberSet *self, guint count_max)
{
  LK_ASSERT (count_max > 0);
  *self = (LkNumberSet){ .count_max = count_max };
}

void
lk_number_set_clear (LkNumberSet *self)
{
  if (self->numbers != NULL)
    g_array_unref (self->numbers);
  self->numbers = NULL;
  self->floor = 0;
}

gboolean
lk_number_set_has (const LkNumberSet *self, guint64 number)
{
  guint place = place_of (self, number);
  return number <= self->floor || (place < count_of (self) && number_at (self, place) == number);
}

void
lk_number_set_add (LkNumberSet *self, guint64 number)
{
  if (lk_number_set_has (self, number))
    return;
  if (self->numbers == NULL)
    self->numbers = g_array_new (FALSE, FALSE, sizeof (guint64));
  g_array_insert_val (self->numbers, place_of (self, number), number);
  if (self->numbers->len > self->count_max) {
    self->floor = number_at (self, 0);
    g_array_remove_index (self->numbers, 0);
  }
}

void
lk_number_set_check (const LkNumberSet *self)
{
  LK_ASSERT (count_of (self) <= self->count_max);
  for (guint i = 0; i < count_of (self); i++)
    LK_ASSERT (number_at (self, i) > (i > 0 ? number_at (self, i - 1) : self->floor));
}
