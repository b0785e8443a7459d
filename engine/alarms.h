/* engine/alarms.h — what is due at a moment of a job's life, in order of time.
 *
 * The order is total: time, then what, then the id of the job; nothing of how the list came about
 * can be seen. */
#ifndef LK_ENGINE_ALARMS_H
#define LK_ENGINE_ALARMS_H

#include <glib.h>

#include "engine/policy.h"

typedef struct {
  gint64 at_us;
  guint32 what; /* LkAlarmWhat */
  guint32 job_id;
  LkJobIndex job;
} LkAlarm;

typedef enum {
  LK_ALARM_LIMIT,    /* a running job has had its time */
  LK_ALARM_DEADLINE, /* a running job has come to its deadline */
  LK_ALARM_WARN,     /* a running job is to get its signal */
  LK_ALARM_HOPELESS, /* the last moment at which a pending job could start and meet its deadline */
} LkAlarmWhat;

typedef struct {
  GArray *alarms; /* of LkAlarm; the first one to come is the last */
} LkAlarms;

void lk_alarms_init (LkAlarms *self);
void lk_alarms_clear (LkAlarms *self);
/* O(log n) to find the place, and a move of what comes before. Nothing for LK_TIME_NEVER. */
void lk_alarms_add (LkAlarms *self, const LkAlarm *alarm);
/* The same alarm was added; nothing for LK_TIME_NEVER. */
void lk_alarms_remove (LkAlarms *self, const LkAlarm *alarm);
/* The next one; NULL: none. */
const LkAlarm *lk_alarms_first (const LkAlarms *self);
/* When it comes; LK_TIME_NEVER: there is none. */
gint64 lk_alarms_next_us (const LkAlarms *self);

#endif
