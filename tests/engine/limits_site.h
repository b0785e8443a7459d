/* tests/engine/limits_site.h — a site with accounts and limits, for jobs written as for sbatch.
 *
 * Builds on node_fixture.h.  Timers that the engine asks for come when their time has come, and a
 * pass follows only where the engine wants one: a job that starts does so by itself. */
#ifndef LK_TESTS_LIMITS_SITE_H
#define LK_TESTS_LIMITS_SITE_H

#include <string.h>

#include "tests/engine/node_fixture.h"
#include "traces/accounts_script.h"

/* root > phys (alice, bob) > lab (gil); root > chem (carol); QOS q, and few, of a partition. */
static const char site_script[] =
    "add account phys\nadd account chem\nadd account lab parent=phys\n"
    "add user alice,bob account=phys\nadd user gil account=lab\n"
    "add user carol account=chem\nadd qos q\nadd qos few\n"
    "modify account phys,chem set qos+=q\n";

/* ---------------------------------------------------------------- the site */

typedef struct {
  LkFixture fixture;
  LkCluster *cluster;
  LkAccounts *accounts;
  GStringChunk *texts;
  const char *order;
  const char *preempt; /* NULL: nobody is displaced */
  gint64 now_s;
  gint64 woken_s; /* when last, -1: never */
  gboolean requeues_ended;
  gboolean requeues_at_end;
  gboolean tells_standing;
} Site;

static inline void
add_partition (LkCluster *cluster, const char *name, const char *qos)
{
  LkPartitionSpec *partition = lk_cluster_add_partition (cluster, name);
  partition->is_default = qos[0] == '\0';
  g_free (partition->nodes);
  partition->nodes = g_strdup ("ALL");
  g_free (partition->qos);
  partition->qos = g_strdup (qos);
}

/* n1 to n8 with 32 cores, 64000 MiB and four GPUs each; `limits`: more commands of sacctmgr. Use
 * does not decay. */
static inline void
site_prepare (Site *self, const char *limits)
{
  g_autoptr (GError) error = NULL;
  *self = (Site){ .order = "fifo", .texts = g_string_chunk_new (1024), .woken_s = -1 };
  self->cluster = lk_cluster_new ("eight");
  lk_node_spec_add_gres (node_fixture_add (self->cluster, "n[1-8]", 32, 64000), "gpu", "", 4);
  lk_cluster_add_license (self->cluster, "cad", 10);
  add_partition (self->cluster, "main", "");
  add_partition (self->cluster, "small", "few");
  g_autofree char *script = g_strconcat (site_script, limits, "\n", NULL);
  g_strdelimit (script, ";", '\n');
  g_autoptr (GBytes) bytes = g_bytes_new (script, strlen (script));
  self->accounts = lk_accounts_script_read ("script", bytes, NULL, &error);
  g_assert_no_error (error);
  self->accounts->half_life_us = 0;
  self->accounts->reset = LK_RESET_YEARLY;
  self->accounts->enforce = LK_ENFORCE_LIMITS | LK_ENFORCE_QOS;
}

static inline void
site_start (Site *self, const char *backfill)
{
  LkAccountsError error;
  LkSetupOptions options = { .origin_us = LK_TIME_NEVER,
                             .order = self->order,
                             .preempt = self->preempt,
                             .backfill = backfill,
                             .select = "cons_tres",
                             .cluster = self->cluster,
                             .accounts = self->accounts,
                             .requeues_ended = self->requeues_ended,
                             .requeues_at_end = self->requeues_at_end,
                             .tells_standing = self->tells_standing };
  node_fixture_check (self->cluster);
  if (!lk_accounts_check (self->accounts, &error))
    g_error ("%s: %s", error.member, error.text);
  fixture_init_with (&self->fixture, &options);
  self->fixture.tells_places = TRUE;
}

static inline void
site_clear (Site *self)
{
  fixture_clear (&self->fixture);
  lk_cluster_free (self->cluster);
  lk_accounts_free (self->accounts);
  g_string_chunk_free (self->texts);
}

/* "USER OPTION...", of an hour and 1 MiB on each node if the options do not say otherwise. */
static inline void
submit (Site *self, guint32 id, const char *line)
{
  g_autoptr (GError) error = NULL;
  LkJobOptions options;
  g_auto (GStrv) words = g_strsplit (line, " ", 2);
  g_autofree char *all = g_strdup_printf ("--mem=1 -t 60 %s", words[1] != NULL ? words[1] : "");
  g_auto (GStrv) arguments = lk_job_options_split (all, &error);
  g_assert_no_error (error);
  lk_job_options_parse ((const char *const *)arguments, self->texts, &options, &error);
  g_assert_no_error (error);
  LkEvent event = { .kind = LK_EVENT_SUBMIT };
  options.request.user = lk_text (g_string_chunk_insert (self->texts, words[0]));
  event.submit.job_id = id;
  event.submit.procs = lk_job_request_cpus (&options.request);
  event.submit.estimate_us = options.limit_us;
  lk_submit_set_request (&event.submit, &options.request);
  g_assert_cmpint (fixture_apply (&self->fixture, self->now_s, &event), ==, LK_STATUS_OK);
}

/* ---------------------------------------------------------------- time goes by */

static inline void
pass (Site *self)
{
  node_fixture_pass (&self->fixture, self->now_s);
}

/* As who drives the engine does it: passes only as long as they are wanted. */
static inline void
pass_if_wanted (Site *self)
{
  for (guint i = 0; lk_engine_pass_wanted (self->fixture.engine); i++) {
    g_assert_cmpuint (i, <, 4);
    pass (self);
  }
}

/* What the engine asked for last, unless that has come. */
static inline gint64
wake_s (const Site *self)
{
  const char *wake = g_strrstr (self->fixture.log->str, "wake ");
  gint64 at_s = wake != NULL ? g_ascii_strtoll (wake + strlen ("wake "), NULL, 10) : G_MAXINT64;
  return at_s == self->woken_s ? G_MAXINT64 : at_s;
}

static inline void
wake (Site *self)
{
  self->now_s = self->woken_s = wake_s (self);
  fixture_event (&self->fixture, self->now_s, LK_EVENT_TIMER, 0);
  pass_if_wanted (self);
}

static inline void
go_to (Site *self, gint64 time_s)
{
  while (wake_s (self) <= time_s)
    wake (self);
  self->now_s = time_s;
}

static inline void
end (Site *self, gint64 time_s, guint32 id)
{
  go_to (self, time_s);
  fixture_ended (&self->fixture, time_s, id);
  pass_if_wanted (self);
}

static inline void
happens (Site *self, gint64 time_s, LkEventKind kind, guint32 id)
{
  go_to (self, time_s);
  fixture_event (&self->fixture, time_s, kind, id);
  pass_if_wanted (self);
}

static inline void
update_limit (Site *self, gint64 time_s, guint32 id, gint64 limit_s)
{
  LkEvent_update update = {
    .job_id = id, .changes = 2, .by_admin = 1, .estimate_us = limit_s * G_USEC_PER_SEC
  };
  go_to (self, time_s);
  fixture_update (&self->fixture, time_s, &update);
  pass_if_wanted (self);
}

/* ---------------------------------------------------------------- what is so */

static inline gboolean
runs (const Site *self, guint32 id)
{
  LkJobInfo info;
  return lk_engine_job (self->fixture.engine, id, &info) && info.state == LK_JOB_RUNNING;
}

/* Its reason; "" when it runs or is not there. */
static inline const char *
reason_of (const Site *self, guint32 id)
{
  LkJobInfo info;
  if (!lk_engine_job (self->fixture.engine, id, &info) || info.state != LK_JOB_PENDING)
    return "";
  return lk_reason_name (info.reason);
}

#define assert_waits(site, id, reason) g_assert_cmpstr (reason_of (site, id), ==, reason)

/* Was this decided? */
static inline void
assert_told (const Site *self, const char *format, guint32 id, const char *reason)
{
  g_autofree char *decision = g_strdup_printf ("%s %u%s%s", format, id, *reason ? " " : "", reason);
  if (strstr (self->fixture.log->str, decision) == NULL)
    g_error ("no '%s' in '%s'", decision, self->fixture.log->str);
}

/* Until the job runs, or it is later than that. */
static inline void
wait_for (Site *self, guint32 id, gint64 until_s)
{
  while (!runs (self, id) && wake_s (self) <= until_s)
    wake (self);
}

#endif
