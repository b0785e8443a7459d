/* tests/live/top/live_top_test.c — lockstep top on a controller in the same process: what it asks
 * for, what it tells, and cancel; and tails of files. */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "live/top/live_detail.h"
#include "live/top/live_facts.h"
#include "tests/live/client_site.h"

typedef struct {
  ClientSite *site;
  LkTopLive *live;
} Site;

/* Jobs 1 (runs), 2 (waits), and tasks 0 to 2 of 3, of ada. */
static void
site_init (Site *self)
{
  self->site = client_site_new ();
  client_site_run (self->site, "sbatch -J wide -n6 -t5 --mem=1024 --wrap true");
  client_site_run (self->site, "sbatch -J later -n2 -t5 --mem=1024 --wrap true");
  client_site_run (self->site, "sbatch -J many -n1 -t5 -a 0-2 --wrap true");
  self->live = lk_top_live_new (&self->site->client, "test", NULL, FALSE);
}

static void
site_clear (Site *self)
{
  lk_top_live_free (self->live);
  client_site_free (self->site);
}

static LkTopFacts *
look (const Site *self, guint wants)
{
  g_autoptr (GError) error = NULL;
  LkTopFacts *facts = lk_top_live_source.look (self->live, wants, &error);
  g_assert_no_error (error);
  return facts;
}

static const LkTopJob *
job (const LkTopFacts *facts, guint index)
{
  return &g_array_index (facts->jobs, LkTopJob, index);
}

static void
test_jobs (void)
{
  Site self;
  site_init (&self);
  g_autoptr (LkTopFacts) facts = look (&self, LK_TOP_WANTS_JOBS);
  g_assert_cmpuint (facts->jobs->len, ==, 3);
  g_assert_cmpuint (facts->running_count, ==, 1);
  g_assert_cmpstr (job (facts, 0)->name, ==, "wide");
  g_assert_cmpstr (job (facts, 0)->state_short, ==, "R");
  g_assert_cmpstr (job (facts, 0)->where, ==, "n[1-3]");
  g_assert_false (job (facts, 0)->is_pending);
  g_assert_cmpstr (job (facts, 1)->label, ==, "2");
  g_assert_true (job (facts, 1)->is_pending);
  g_assert_cmpstr (job (facts, 1)->user, ==, job (facts, 0)->user);
  g_assert_cmpstr (job (facts, 2)->label, ==, "3_[0-2]");
  g_assert_cmpuint (facts->nodes->len, ==, 0);
  site_clear (&self);
}

/* Two messages for a pane: the controller's record, and what is shown. */
static void
test_asks_little (void)
{
  static const guint wants[] = { LK_TOP_WANTS_JOBS, LK_TOP_WANTS_NODES, LK_TOP_WANTS_LOG };
  Site self;
  site_init (&self);
  for (guint i = 0; i < G_N_ELEMENTS (wants); i++) {
    guint64 before = self.site->request_count;
    lk_top_facts_free (look (&self, wants[i]));
    g_assert_cmpuint (self.site->request_count - before, ==, 2);
  }
  site_clear (&self);
}

static void
test_nodes (void)
{
  Site self;
  site_init (&self);
  g_autoptr (LkTopFacts) facts = look (&self, LK_TOP_WANTS_NODES);
  g_assert_cmpuint (facts->nodes->len, ==, CONTROL_NODES);
  const LkTopNode *node = &g_array_index (facts->nodes, LkTopNode, 0);
  g_assert_cmpstr (node->name, ==, "n1");
  g_assert_cmpstr (node->state, ==, "allocated");
  g_assert_cmpuint (node->cpu_count, ==, CONTROL_CPUS);
  g_assert_cmpuint (node->cpus_used_count, ==, CONTROL_CPUS);
  g_assert_cmpuint (node->gpu_count, ==, 2); /* of two types */
  g_assert_cmpuint (node->gpus_used_count, ==, 0);
  g_assert_cmpint (node->memory_bytes, ==, CONTROL_MEMORY_BYTES);
  g_assert_cmpuint (facts->cpus_used_count, ==, 6);
  g_assert_cmpuint (facts->use_ratios->len, ==, 1);
  site_clear (&self);
}

static void
expect_detail (const Site *self, guint32 job_id, const char *text)
{
  g_autofree char *told = lk_top_live_source.detail (self->live, job_id);
  if (strstr (told, text) == NULL)
    g_error ("'%s' should be in: %s", text, told);
}

static void
test_detail (void)
{
  Site self;
  site_init (&self);
  expect_detail (&self, 1, "Job 1: RUNNING\n  name       wide\n");
  expect_detail (&self, 1, "  nodes      n[1-3]\n");
  expect_detail (&self, 1, "  time limit 5:00\n");
  expect_detail (&self, 1, "it cannot be read here: ");
  expect_detail (&self, 2, "0 of 6 CPUs of its partition are free, 0 of 3 nodes idle");
  expect_detail (&self, 2, "it asks for 2 CPUs on 1 nodes");
  expect_detail (&self, 3, "Job 3_[0-2]: PENDING\n");
  expect_detail (&self, 77, "no longer known to the controller");
  /* Others are told where its output is, too; whether they may read it the file says. */
  client_site_become (self.site, 4242);
  expect_detail (&self, 1, "it cannot be read here: ");
  site_clear (&self);
}

static void
test_cancel (void)
{
  Site self;
  LkEvent event;
  g_autoptr (GError) error = NULL;
  site_init (&self);
  client_site_become (self.site, 4242);
  g_autofree char *refused = lk_top_live_source.cancel (self.live, 2, &error);
  g_assert_cmpstr (refused, ==, "job 2: Access/permission denied");
  client_site_become (self.site, 1001);
  g_autofree char *array = lk_top_live_source.cancel (self.live, 3, &error);
  g_assert_cmpstr (array, ==, "job 3_[0-2] is cancelled");
  client_site_last_event (self.site, &event);
  g_autofree char *gone = lk_top_live_source.cancel (self.live, 99, &error);
  g_assert_cmpstr (gone, ==, "job 99 is gone already");
  g_autoptr (LkTopFacts) facts = look (&self, LK_TOP_WANTS_JOBS);
  g_assert_cmpuint (facts->jobs->len, ==, 2);
  site_clear (&self);
}

/* Of an array those tasks go that wait; what runs is in rows of its own. */
static void
test_cancel_waiting (void)
{
  g_autoptr (ClientSite) site = client_site_new ();
  g_autoptr (GError) error = NULL;
  client_site_run (site, "sbatch -n1 -t5 -a 0-9 --wrap true");
  g_autoptr (LkTopLive) live = lk_top_live_new (&site->client, "test", NULL, FALSE);
  g_autoptr (LkTopFacts) before = lk_top_live_source.look (live, LK_TOP_WANTS_JOBS, NULL);
  const LkTopJob *last = job (before, before->jobs->len - 1);
  g_assert_cmpstr (last->label, ==, "1_[3-9]");
  g_autofree char *told = lk_top_live_source.cancel (live, last->id, &error);
  g_assert_cmpstr (told, ==, "job 1_[3-9] is cancelled");
  g_autoptr (LkTopFacts) after = lk_top_live_source.look (live, LK_TOP_WANTS_JOBS, NULL);
  g_assert_cmpuint (after->jobs->len, ==, 3);
  for (guint i = 0; i < after->jobs->len; i++)
    g_assert_cmpstr (job (after, i)->state_short, ==, "R");
  g_autofree char *one = lk_top_live_source.cancel (live, job (after, 2)->id, &error);
  g_assert_true (g_str_has_prefix (one, "job 1_"));
  g_autoptr (LkTopFacts) rest = lk_top_live_source.look (live, LK_TOP_WANTS_JOBS, NULL);
  guint running_count = 0;
  for (guint i = 0; i < rest->jobs->len; i++)
    running_count += g_str_equal (job (rest, i)->state_short, "R");
  g_assert_cmpuint (running_count, ==, 2);
}

static void
test_log (void)
{
  Site self;
  site_init (&self);
  g_autofree char *path = g_build_filename (g_get_tmp_dir (), "lk-top-log-XXXXXX", NULL);
  int descriptor = g_mkstemp (path);
  g_assert_cmpint (descriptor, >=, 0);
  g_assert_cmpint (write (descriptor, "begins\nhalf", 11), ==, 11);
  g_autoptr (LkTopLive) live = lk_top_live_new (&self.site->client, "test", path, FALSE);
  g_autoptr (LkTopFacts) first = lk_top_live_source.look (live, LK_TOP_WANTS_LOG, NULL);
  g_assert_cmpuint (first->log->len, ==, 1);
  g_assert_cmpstr (g_ptr_array_index (first->log, 0), ==, "begins");
  g_assert_cmpint (write (descriptor, " a line\nmore\n", 13), ==, 13);
  client_site_run (self.site, "scancel 2");
  g_autoptr (LkTopFacts) second = lk_top_live_source.look (live, LK_TOP_WANTS_LOG, NULL);
  g_autoptr (GString) all = g_string_new (NULL);
  for (guint i = 0; i < second->log->len; i++)
    g_string_append_printf (all, "%s\n", (const char *)g_ptr_array_index (second->log, i));
  g_assert_nonnull (strstr (all->str, "job 2 (later of "));
  g_assert_nonnull (strstr (all->str, " is CANCELLED"));
  g_assert_nonnull (strstr (all->str, "half a line\nmore\n"));
  close (descriptor);
  g_unlink (path);
  site_clear (&self);
}

static void
test_down (void)
{
  Site self;
  g_autoptr (GError) error = NULL;
  site_init (&self);
  self.site->is_down = TRUE;
  g_assert_null (lk_top_live_source.look (self.live, LK_TOP_WANTS_JOBS, &error));
  g_assert_nonnull (error);
  site_clear (&self);
}

static void
test_tail (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("lk-top-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "file", NULL);
  g_autofree char *fifo = g_build_filename (folder, "fifo", NULL);
  g_assert_true (g_file_set_contents (path, "one\ntwo\0x\nthree\n", 16, NULL));
  g_autofree char *all = lk_top_tail_read (path, 100, &error);
  g_assert_cmpstr (all, ==, "one\ntwo?x\nthree\n");
  g_autofree char *end = lk_top_tail_read (path, 9, &error);
  g_assert_cmpstr (end, ==, "three\n");
  /* Who waits for a writer waits for ever. */
  g_assert_cmpint (mkfifo (fifo, 0600), ==, 0);
  g_assert_null (lk_top_tail_read (fifo, 100, &error));
  g_assert_nonnull (strstr (error->message, "is no regular file"));
  g_clear_error (&error);
  g_assert_null (lk_top_tail_read (folder, 100, &error));
  g_assert_nonnull (error);
  g_unlink (path);
  g_unlink (fifo);
  g_rmdir (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/live-top/jobs that run come first", test_jobs);
  g_test_add_func ("/live-top/only what is shown is asked for", test_asks_little);
  g_test_add_func ("/live-top/nodes have CPUs, memory and GPUs", test_nodes);
  g_test_add_func ("/live-top/details tell why a job waits", test_detail);
  g_test_add_func ("/live-top/cancel is refused in words", test_cancel);
  g_test_add_func ("/live-top/tasks that wait are cancelled alone", test_cancel_waiting);
  g_test_add_func ("/live-top/the log has changes and lines", test_log);
  g_test_add_func ("/live-top/a controller that is down is told", test_down);
  g_test_add_func ("/live-top/tails of regular files only", test_tail);
  return g_test_run ();
}
