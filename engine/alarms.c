/* engine/alarms.c — see the header. */
#include "engine/alarms.h"

#include "engine/assert.h"

void
lk_alarms_init (LkAlarms *self)
{
  self->alarms = g_array_new (FALSE, FALSE, sizeof (LkAlarm));
}

void
lk_alarms_clear (LkAlarms *self)
{
  g_array_unref (self->alarms);
  self->alarms = NULL;
}

static gint
compare (const LkAlarm *a, const LkAlarm *b)
{
  if (a->at_us != b->at_us)
    return a->at_us < b->at_us ? -1 : 1;
  if (a->what != b->what)
    return a->what < b->what ? -1 : 1;
  return (a->job_id > b->job_id) - (a->job_id < b->job_id);
}

/* Index of the first alarm that does not come behind this one. */
static guint
place_of (const LkAlarms *self, const LkAlarm *alarm)
{
  guint low = 0;
  guint high = self->alarms->len;
  while (low < high) {
    guint middle = low + (high - low) / 2;
    if (compare (&g_array_index (self->alarms, LkAlarm, middle), alarm) > 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

void
lk_alarms_add (LkAlarms *self, const LkAlarm *alarm)
{
  if (alarm->at_us != LK_TIME_NEVER)
    g_array_insert_vals (self->alarms, place_of (self, alarm), alarm, 1);
}

void
lk_alarms_remove (LkAlarms *self, const LkAlarm *alarm)
{
  if (alarm->at_us == LK_TIME_NEVER)
    return;
  guint at = place_of (self, alarm);
  LK_ASSERT (at < self->alarms->len);
  LK_ASSERT (compare (&g_array_index (self->alarms, LkAlarm, at), alarm) == 0);
  g_array_remove_index (self->alarms, at);
}

const LkAlarm *
lk_alarms_first (const LkAlarms *self)
{
  guint count = self->alarms->len;
  return count > 0 ? &g_array_index (self->alarms, LkAlarm, count - 1) : NULL;
}

gint64
lk_alarms_next_us (const LkAlarms *self)
{
  const LkAlarm *first = lk_alarms_first (self);
  return first != NULL ? first->at_us : LK_TIME_NEVER;
}
