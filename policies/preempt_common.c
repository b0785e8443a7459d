/* policies/preempt_common.c — see the header. */
#include "policies/preempt_common.h"

#include <glib.h>

enum {
  PARAM_MODE,
  PARAM_EXEMPT,
  PARAM_WITHIN,
  PARAM_PRIORITY,
  PARAM_YOUNGEST_FIRST,
  PARAM_REORDER_COUNT,
  PARAM_STRICT_ORDER,
  PARAM_MIN_EXEMPT_PRIORITY,
  PARAM_SEND_USER_SIGNAL,
  PARAM_RECLAIM_LICENSES,
  PARAM_HOLD,
  PARAM_GANG,
  PARAM_SLICE,
};

#define US_PER_S INT64_C (1000000)

static const char *const mode_words[] = { "off", "cancel", "requeue", "suspend" };

static int32_t
read_mode (const char *text, uint32_t *out_mode)
{
  for (uint32_t mode = 0; mode < G_N_ELEMENTS (mode_words); mode++)
    if (strcmp (text, mode_words[mode]) == 0) {
      *out_mode = mode;
      return 1;
    }
  return 0;
}

static void
read_settings (LkPreempt *self, const LkParamValue *values)
{
  int64_t exempt_priority = values[PARAM_MIN_EXEMPT_PRIORITY].integer;
  self->settings = (LkPreemptSettings){
    .size = sizeof (LkPreemptSettings),
    .youngest_first = (uint32_t)values[PARAM_YOUNGEST_FIRST].integer,
    .reorder_count = (uint32_t)values[PARAM_REORDER_COUNT].integer,
    .strict_order = (uint32_t)values[PARAM_STRICT_ORDER].integer,
    .user_signal = (uint32_t)values[PARAM_SEND_USER_SIGNAL].integer,
    .reclaims_licenses = (uint32_t)values[PARAM_RECLAIM_LICENSES].integer,
    .exempt_priority = exempt_priority > 0 ? exempt_priority : LK_TIME_NEVER,
    .hold_us = values[PARAM_HOLD].integer * US_PER_S,
    .slice_us = values[PARAM_GANG].integer != 0 ? values[PARAM_SLICE].integer * US_PER_S : 0,
  };
  self->exempt_us = values[PARAM_EXEMPT].integer < 0 ? -1 : values[PARAM_EXEMPT].integer * US_PER_S;
  self->within = (int32_t)values[PARAM_WITHIN].integer;
  self->by_priority = (int32_t)values[PARAM_PRIORITY].integer;
}

void *
lk_preempt_create (const LkParamValues *values, LkPolicyError *error)
{
  LkPreempt *self = g_new0 (LkPreempt, 1);
  const char *mode = values->values[PARAM_MODE].text;
  if (!read_mode (mode, &self->mode)) {
    g_snprintf (error->text, sizeof error->text,
                "parameter 'mode' is '%.40s'; expected off, cancel, requeue or suspend", mode);
    g_free (self);
    return NULL;
  }
  if (self->mode == LK_PREEMPT_SUSPEND && values->values[PARAM_GANG].integer == 0) {
    g_snprintf (error->text, sizeof error->text,
                "parameter 'mode' is suspend; that needs gang=1, which resumes the jobs");
    g_free (self);
    return NULL;
  }
  self->host = values->host;
  read_settings (self, values->values);
  return self;
}

void
lk_preempt_destroy (void *self)
{
  g_free (self);
}

void
lk_preempt_settings (void *user, LkPreemptSettings *out_settings)
{
  const LkPreempt *self = user;
  *out_settings = self->settings;
}

/* ---------------------------------------------------------------- what QOS and partitions say */

static LkPreemptTerms
nothing_said (void)
{
  return (
      LkPreemptTerms){ .size = sizeof (LkPreemptTerms), .mode = LK_PREEMPT_UNSET, .exempt_us = -1 };
}

static LkPreemptTerms
terms_of_qos (const LkView *view, uint32_t qos)
{
  LkPreemptTerms terms = nothing_said ();
  if (qos != LK_INDEX_NONE)
    view->host->qos_preempt (view, qos, &terms);
  return terms;
}

static uint32_t
qos_of (const LkView *view, LkJobIndex job)
{
  return view->accounts != NULL ? view->jobs->qos[job] : LK_INDEX_NONE;
}

LkPreemptTerms
lk_preempt_qos_terms (const LkView *view, LkJobIndex job)
{
  return terms_of_qos (view, qos_of (view, job));
}

LkPreemptTerms
lk_preempt_partition_terms (const LkView *view, LkJobIndex job)
{
  LkPreemptTerms terms = nothing_said ();
  view->host->partition_preempt (view, view->jobs->partition[job], &terms);
  return terms;
}

int32_t
lk_preempt_is_over (const LkView *view, LkJobIndex preemptor, LkJobIndex victim)
{
  const LkPartitionView *partitions = view->partitions;
  return partitions[view->jobs->partition[preemptor]].priority_tier
         >= partitions[view->jobs->partition[victim]].priority_tier;
}

int64_t
lk_preempt_exempt_us (void *user, const LkView *view, LkJobIndex victim)
{
  const LkPreempt *self = user;
  uint32_t qos = qos_of (view, victim);
  uint32_t partition_qos = view->partitions[view->jobs->partition[victim]].qos;
  int over = qos != LK_INDEX_NONE && (view->accounts->qos[qos].flags & LK_QOS_OVER_PART_QOS) != 0;
  LkPreemptTerms first = terms_of_qos (view, over ? qos : partition_qos);
  LkPreemptTerms second = terms_of_qos (view, over ? partition_qos : qos);
  if (first.exempt_us >= 0)
    return first.exempt_us;
  return second.exempt_us >= 0 ? second.exempt_us : self->exempt_us;
}

/* ---------------------------------------------------------------- parameters */

#define SWITCH(param, param_name, text)                                                            \
  [param] = { .name = (param_name),                                                                \
              .type = LK_PARAM_INTEGER,                                                            \
              .unit = "",                                                                          \
              .default_value = "0",                                                                \
              .minimum = 0,                                                                        \
              .maximum = 1,                                                                        \
              .help = (text) }
#define NUMBER(param, param_name, of_unit, standard, least, most, text)                            \
  [param] = { .name = (param_name),                                                                \
              .type = LK_PARAM_INTEGER,                                                            \
              .unit = (of_unit),                                                                   \
              .default_value = (standard),                                                         \
              .minimum = (least),                                                                  \
              .maximum = (most),                                                                   \
              .help = (text) }

#define YEARS_S 1e9

const LkParam lk_preempt_params[] = {
  [PARAM_MODE] = { .name = "mode",
                   .type = LK_PARAM_TEXT,
                   .unit = "",
                   .default_value = "cancel",
                   .help = "what becomes of jobs of which QOS or partition say nothing else: off, "
                           "cancel, requeue, or with gang=1 suspend (PreemptMode)" },
  NUMBER (PARAM_EXEMPT, "exempt_s", "s", "-1", -1, YEARS_S,
          "how long a job runs before it may be preempted, where its QOS do not say; -1: not at "
          "all (PreemptExemptTime)"),
  SWITCH (PARAM_WITHIN, "within",
          "1: jobs of one QOS preempt each other, the one of higher priority the other "
          "(PreemptMode=WITHIN)"),
  SWITCH (PARAM_PRIORITY, "priority",
          "1: a job preempts none of higher priority (PreemptMode=PRIORITY)"),
  SWITCH (PARAM_YOUNGEST_FIRST, "youngest_first", "1: jobs that started last go first"),
  NUMBER (PARAM_REORDER_COUNT, "reorder_count", "times", "1", 0, 1000,
          "how often victims are put in a better order, beyond the first time"),
  SWITCH (PARAM_STRICT_ORDER, "strict_order",
          "1: a better order only moves the victim that made room to the front"),
  NUMBER (PARAM_MIN_EXEMPT_PRIORITY, "min_exempt_priority", "", "0", 0, 4294967295.0,
          "jobs of at least this priority are not preempted; 0: there is no such priority"),
  SWITCH (PARAM_SEND_USER_SIGNAL, "send_user_signal",
          "1: notice is given by the signal that the job asked for, else SIGTERM"),
  SWITCH (PARAM_RECLAIM_LICENSES, "reclaim_licenses",
          "1: jobs are preempted for their licences, too"),
  NUMBER (PARAM_HOLD, "hold_s", "s", "40", 0, YEARS_S,
          "how long no further victims are looked for on behalf of the same job (KillWait and "
          "MessageTimeout)"),
  SWITCH (PARAM_GANG, "gang",
          "1: jobs may be suspended to make room, and take turns on cores that they share "
          "(PreemptMode=GANG)"),
  NUMBER (PARAM_SLICE, "slice_s", "s", "30", 5, 65533,
          "with gang=1, how long a turn is (SchedulerTimeSlice)"),
  { 0 },
};
