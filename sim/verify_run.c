/* sim/verify_run.c — see verify_run.h.
 *
 * What comes from outside is a sorted list made beforehand (the script); what the engine's
 * decisions bring about (ends of jobs) waits in a small array that is searched for its least
 * element; the wake-up asked for last is a single moment. The least of the three by
 * lk_event_compare is next; the engine's wish for a pass is heard when an instant is over. */
#include "sim/verify_run.h"

#include <string.h>

#include "engine/assert.h"
#include "engine/cluster.h"
#include "sim/error.h"

#define JOB_COUNT 2000u
/* One event in this many is followed by a restart. */
#define RESTART_EVERY 250u
/* A run of this workload has some 10,000 events; a policy that asks to be woken again and again
 * has no end. */
#define EVENTS_MAX 1000000u

#define SUBMIT_GAP_MAX_S 500u
#define RUN_MAX_S 7200u

#define USERS 12u
static const char *const user_names[USERS] = { "ada", "bob", "cyd", "dan", "eve", "fay",
                                               "gus", "hal", "ida", "joe", "kim", "leo" };

typedef struct {
  const LkEngineConfig *config;
  gboolean restarts;
  LkEngine *engine;
  GArray *script; /* LkEvent, in order */
  guint script_next;
  GArray *ends;   /* LkEvent */
  gint64 *run_us; /* by job id */
  gint64 wake_us;
  guint64 restart_random;
  LkVerifyRun run;
} Run;

/* ---------------------------------------------------------------- workload */

/* Knuth's MMIX generator; the high bits are the good ones. */
static guint32
random_below (guint64 *state, guint32 limit)
{
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (guint32)(*state >> 33) % limit;
}

static void
add_submit (Run *self, guint64 *state, guint32 id, gint64 at_us)
{
  /* Small jobs are many; a power of two is likely, as in real logs. */
  guint32 procs = 1u << random_below (state, 7);
  if (random_below (state, 4) == 0)
    procs = 1 + random_below (state, LK_VERIFY_UNITS);
  gint64 run_s = 1 + random_below (state, RUN_MAX_S) / (1 + random_below (state, 8));
  gint64 estimate_s = run_s * (1 + random_below (state, 4));
  /* Some jobs run into their limit. */
  if (random_below (state, 16) == 0)
    estimate_s = MAX (1, run_s / 2);
  LkEvent event = { .kind = LK_EVENT_SUBMIT, .time_us = at_us };
  event.submit.job_id = id;
  event.submit.user_id = random_below (state, USERS);
  event.submit.user = lk_text (user_names[event.submit.user_id]);
  event.submit.group_id = random_below (state, 3);
  event.submit.partition_id = random_below (state, 2);
  event.submit.procs = procs;
  event.submit.estimate_us = estimate_s * G_USEC_PER_SEC;
  g_array_append_val (self->script, event);
  self->run_us[id] = run_s * G_USEC_PER_SEC;
}

/* Something that a user or an administrator does to a job some time after its submission. */
static void
add_change (Run *self, guint64 *state, guint32 id, gint64 at_us)
{
  LkEvent event = { .time_us = at_us + random_below (state, 3600) * G_USEC_PER_SEC };
  switch (random_below (state, 3)) {
  case 0:
    event.kind = LK_EVENT_CANCEL;
    event.cancel.job_id = id;
    break;
  case 1:
    event.kind = LK_EVENT_UPDATE;
    event.update.job_id = id;
    event.update.changes = 1 + random_below (state, 3);
    event.update.by_admin = 1;
    event.update.procs = 1 + random_below (state, LK_VERIFY_UNITS / 2);
    event.update.estimate_us = (1 + random_below (state, RUN_MAX_S)) * G_USEC_PER_SEC;
    break;
  default:
    event.kind = LK_EVENT_HOLD;
    event.hold.job_id = id;
    g_array_append_val (self->script, event);
    event = (LkEvent){ .kind = LK_EVENT_RELEASE, .time_us = event.time_us };
    event.time_us += random_below (state, 7200) * G_USEC_PER_SEC;
    event.release.job_id = id;
    break;
  }
  g_array_append_val (self->script, event);
}

static gint
compare_events (gconstpointer a, gconstpointer b)
{
  return lk_event_compare (a, b);
}

static void
make_script (Run *self)
{
  guint64 state = 1;
  gint64 at_us = 0;
  for (guint32 id = 1; id <= JOB_COUNT; id++) {
    /* One in eight comes at the very moment of the one before. */
    if (random_below (&state, 8) != 0)
      at_us += random_below (&state, SUBMIT_GAP_MAX_S) * G_USEC_PER_SEC;
    add_submit (self, &state, id, at_us);
    if (random_below (&state, 10) == 0)
      add_change (self, &state, id, at_us);
  }
  g_array_sort (self->script, compare_events);
}

/* ---------------------------------------------------------------- decisions */

static void
push_end (Run *self, guint32 job_id, gint64 at_us, gboolean cancelled)
{
  LkEvent event = { .kind = LK_EVENT_JOB_ENDED, .time_us = at_us };
  event.job_ended.job_id = job_id;
  event.job_ended.cancelled = cancelled ? 1 : 0;
  g_array_append_val (self->ends, event);
}

/* The job ends now and not when it would have. */
static void
move_end (Run *self, guint32 job_id, gint64 at_us)
{
  for (guint i = 0; i < self->ends->len; i++) {
    LkEvent *end = &g_array_index (self->ends, LkEvent, i);
    if (end->job_ended.job_id == job_id)
      end->time_us = at_us;
  }
}

static void
decide (void *user, const LkEvent *cause, const LkDecision *decision)
{
  Run *self = user;
  if (decision->kind == LK_DECISION_START) {
    guint32 id = decision->start.job_id;
    self->run.start_count++;
    push_end (self, id, cause->time_us + self->run_us[id], /* cancelled= */ FALSE);
  } else if (decision->kind == LK_DECISION_KILL) {
    move_end (self, decision->kill.job_id, cause->time_us);
  } else if (decision->kind == LK_DECISION_WAKE) {
    self->wake_us = MAX (decision->wake.at_us, cause->time_us);
  }
}

/* ---------------------------------------------------------------- driving */

static gboolean
restart (Run *self, GError **error)
{
  g_autoptr (GByteArray) before = g_byte_array_new ();
  g_autoptr (GByteArray) after = g_byte_array_new ();
  lk_engine_save (self->engine, before);
  lk_engine_free (self->engine);
  LkStatus status = LK_STATUS_OK;
  self->engine = lk_engine_load (self->config, before->data, before->len, &status);
  if (self->engine == NULL) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_RUN,
                 "the state saved after event %" G_GUINT64_FORMAT " cannot be loaded: %s",
                 self->run.event_count, lk_status_text (status));
    return FALSE;
  }
  lk_engine_save (self->engine, after);
  self->run.restart_count++;
  if (before->len == after->len && memcmp (before->data, after->data, before->len) == 0)
    return TRUE;
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_RUN,
               "the state saved after event %" G_GUINT64_FORMAT
               " is another one when it is loaded and saved again",
               self->run.event_count);
  return FALSE;
}

static gboolean
apply (Run *self, LkEvent *event, GError **error)
{
  LkSink sink = { .decide = decide, .user = self };
  event->seq = ++self->run.event_count;
  if (event->seq > EVENTS_MAX) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_RUN,
                 "no end after %u events; does the policy ask to be woken without end?",
                 EVENTS_MAX);
    return FALSE;
  }
  LkStatus status = lk_engine_apply (self->engine, event, &sink);
  LK_ASSERT (status == LK_STATUS_OK);
  if (self->restarts && random_below (&self->restart_random, RESTART_EVERY) == 0)
    return restart (self, error);
  return TRUE;
}

/* The least of the ends that wait, or NULL. */
static LkEvent *
least_end (const Run *self)
{
  LkEvent *least = NULL;
  for (guint i = 0; i < self->ends->len; i++) {
    LkEvent *end = &g_array_index (self->ends, LkEvent, i);
    if (least == NULL || lk_event_compare (end, least) < 0)
      least = end;
  }
  return least;
}

/* The least event that waits. FALSE when none does. `take` removes it. */
static gboolean
next_event (Run *self, gboolean take, LkEvent *out_event)
{
  const LkEvent timer = { .kind = LK_EVENT_TIMER, .time_us = self->wake_us };
  const LkEvent *end = least_end (self);
  const LkEvent *scripted = NULL;
  const LkEvent *least = self->wake_us == LK_TIME_NEVER ? NULL : &timer;
  if (self->script_next < self->script->len)
    scripted = &g_array_index (self->script, LkEvent, self->script_next);
  if (end != NULL && (least == NULL || lk_event_compare (end, least) < 0))
    least = end;
  if (scripted != NULL && (least == NULL || lk_event_compare (scripted, least) < 0))
    least = scripted;
  if (least == NULL)
    return FALSE;
  *out_event = *least;
  if (!take)
    return TRUE;
  if (least == scripted)
    self->script_next++;
  else if (least == &timer)
    self->wake_us = LK_TIME_NEVER;
  else
    g_array_remove_index_fast (self->ends, (guint)(end - (LkEvent *)(void *)self->ends->data));
  return TRUE;
}

static gboolean
drive (Run *self, GError **error)
{
  LkEvent event, later;
  while (next_event (self, /* take= */ TRUE, &event)) {
    if (!apply (self, &event, error))
      return FALSE;
    gboolean is_over =
        !next_event (self, /* take= */ FALSE, &later) || later.time_us > event.time_us;
    LkEvent pass = { .kind = LK_EVENT_PASS, .time_us = event.time_us };
    if (is_over && lk_engine_pass_wanted (self->engine) && !apply (self, &pass, error))
      return FALSE;
  }
  return TRUE;
}

gboolean
lk_verify_run (const LkEngineConfig *config, gboolean restarts, LkVerifyRun *out_run,
               GError **error)
{
  LkPolicyError refusal = { "" };
  Run self = { .config = config,
               .restarts = restarts,
               .engine = lk_engine_new (config, &refusal),
               .wake_us = LK_TIME_NEVER,
               .restart_random = 7 };
  if (self.engine == NULL) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_RUN, "%.*s", (int)sizeof refusal.text,
                 refusal.text);
    return FALSE;
  }
  self.script = g_array_new (FALSE, FALSE, sizeof (LkEvent));
  self.ends = g_array_new (FALSE, FALSE, sizeof (LkEvent));
  self.run_us = g_new0 (gint64, JOB_COUNT + 1);
  make_script (&self);
  gboolean good = drive (&self, error);
  if (good) {
    self.run.digest = lk_engine_digest (self.engine);
    *out_run = self.run;
  }
  lk_engine_free (self.engine);
  g_array_unref (self.script);
  g_array_unref (self.ends);
  g_free (self.run_us);
  return good;
}

/* ---------------------------------------------------------------- machine */

#define NODE_CPUS 16u
#define NODE_GPUS 4u

LkCluster *
lk_verify_cluster (void)
{
  LkClusterError error;
  g_autofree char *names = g_strdup_printf ("n[1-%u]", LK_VERIFY_UNITS / NODE_CPUS);
  LkCluster *cluster = lk_cluster_new ("verify");
  LkNodeSpec *nodes = lk_cluster_add_nodes (cluster, names);
  nodes->sockets = 2;
  nodes->cores_per_socket = NODE_CPUS / 2;
  nodes->cpus = NODE_CPUS;
  cluster->memory = FALSE;
  lk_node_spec_add_gres (nodes, "gpu", "", NODE_GPUS);
  gboolean good = lk_cluster_check (cluster, &error);
  LK_ASSERT (good);
  return cluster;
}

/* ---------------------------------------------------------------- accounts */

LkAccounts *
lk_verify_accounts (void)
{
  static const char *const names[] = { "phys", "chem", "bio" };
  LkAccountsError error;
  LkAccounts *accounts = lk_accounts_new ("verify");
  accounts->enforce = LK_ENFORCE_LIMITS;
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    LkAssociationSpec *account = lk_accounts_add_account (accounts, names[i], "root");
    account->shares = i + 1;
    lk_limits_set (account->limits, LK_LIMIT_GRP_TRES, LK_TRES_CPU, TRUE, LK_VERIFY_UNITS / 2);
  }
  for (guint i = 0; i < USERS; i++) {
    LkAssociationSpec *user =
        lk_accounts_add_user (accounts, user_names[i], names[i % G_N_ELEMENTS (names)], "");
    lk_limits_set (user->limits, LK_LIMIT_MAX_JOBS, 0, TRUE, 1 + i % 4);
  }
  gboolean good = lk_accounts_check (accounts, &error);
  LK_ASSERT (good);
  return accounts;
}
