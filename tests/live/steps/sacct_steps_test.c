/* tests/live/steps/sacct_steps_test.c — steps in accounting: rows, and how sacct prints them. */
#include <string.h>

#include "live/core/batch.h"
#include "live/core/step_task.h"
#include "tests/live/books.h"

/* Whose jobs those of the commands are. */
#define USER 1001u

static void
say (ControlSite *control, guint node, const LkMessage *message)
{
  LkPeer agent = control_agent (node);
  control_message (control, &agent, message);
  control_settle (control);
}

static LkMessage
agent_message (const ControlSite *control, guint node, LkMessageKind kind)
{
  LkMessage message = { .kind = kind };
  message.run_started.node = lk_text (control_agent (node).name);
  message.run_started.epoch = control_epoch (control, node);
  return message;
}

static void
create (ControlSite *control, guint64 request, guint32 job_id, const char *name, guint32 tasks)
{
  LkPeer user = control_user (USER);
  g_autoptr (GByteArray) payload = g_byte_array_new ();
  LkStepTask task = { .work_dir = lk_bytes ("/tmp") };
  static const char line[] = "srun -n1 true";
  LkMessage message = { .kind = LK_MESSAGE_STEP_CREATE };
  lk_step_task_encode (&task, payload);
  message.step_create = (LkMessage_step_create){ .session = 7,
                                                 .request = request,
                                                 .job_id = job_id,
                                                 .name = lk_text (name),
                                                 .tasks = tasks,
                                                 .distribution = LK_STEP_DISTRIBUTION_CYCLIC,
                                                 .submit_line = { line, sizeof line - 1 },
                                                 .payload = { payload->data, payload->len } };
  control_message (control, &user, &message);
  control_settle (control);
}

static void
end (ControlSite *control, guint node, guint64 run_id, const LkStepReport *how)
{
  LkMessage message = agent_message (control, node, LK_MESSAGE_STEP_STARTED);
  message.step_started.run_id = run_id;
  message.step_started.step_id = how->step_id;
  say (control, node, &message);
  message = agent_message (control, node, LK_MESSAGE_STEP_ENDED);
  LkMessage_step_ended *out = &message.step_ended;
  out->run_id = run_id;
  out->step_id = how->step_id;
  out->state = LK_STEP_ENDED;
  out->exit_code = how->exit_code;
  out->counted_tasks = how->counted_tasks;
  out->rss_max_bytes = out->rss_sum_bytes = how->rss_max_bytes;
  out->rss_max_task = how->rss_max_task;
  out->user_cpu_us = how->user_cpu_us;
  say (control, node, &message);
}

/* Job 2 has n2 and n3 as run 2; it has had two steps that ended, and has one. */
static void
books_begin (Books *self)
{
  ControlSite *control;
  books_init (self);
  control = self->site->control;
  client_site_run (self->site, "sbatch -J one -n1 -t5 --wrap true");
  client_site_run (self->site, "sbatch -J two -N2 -n4 -t5 --wrap true");
  control_wait_beating (control, 5 * CONTROL_SECOND_US, 7);
  for (guint node = 1; node < 3; node++) {
    LkMessage started = agent_message (control, node, LK_MESSAGE_RUN_STARTED);
    started.run_started.run_id = 2;
    say (control, node, &started);
  }
  create (control, 1, 2, "alpha", 3);
  end (control, 1, 2,
       &(LkStepReport){ .counted_tasks = 2, .rss_max_bytes = 4096, .user_cpu_us = 10 });
  end (control, 2, 2,
       &(LkStepReport){ .counted_tasks = 1,
                        .rss_max_bytes = 8192,
                        .rss_max_task = 1,
                        .exit_code = 3,
                        .user_cpu_us = 2000000 });
  create (control, 2, 2, "beta", 1);
  books_write_journal (self, G_MAXSIZE);
  books_follow_once (self);
}

static void
test_rows (void)
{
  g_auto (Books) books = { .site = NULL };
  books_begin (&books);
  client_site_expect (books.site,
                      "sacct -j 2 -nP -o jobid,jobname,state,exitcode,nnodes,nodelist,ntasks,"
                      "alloccpus,layout,submitline",
                      0,
                      "2|two|RUNNING|0:0|2|n[2-3]||4||sbatch -J two -N2 -n4 -t5 --wrap true\n"
                      "2.batch|batch|RUNNING|0:0|1|n2|1|2|Unknown|\n"
                      "2.0|alpha|FAILED|3:0|2|n[2-3]|3|4|Cyclic|srun -n1 true\n"
                      "2.1|beta|RUNNING|0:0|1|n2|1|2|Cyclic|srun -n1 true\n",
                      "");
}

static void
test_use (void)
{
  g_auto (Books) books = { .site = NULL };
  books_begin (&books);
  client_site_expect (books.site,
                      "sacct -j 2.0 -nP -o jobidraw,maxrss,maxrssnode,maxrsstask,averss,totalcpu,"
                      "alloctres",
                      0, "2.0|8K|n3|1|4K|00:02.000|cpu=4,mem=2G,node=2\n", "");
  client_site_expect (books.site,
                      "sacct -j 2.0 -nP -o tresusageintot,tresusageinave,tresusageinmax,"
                      "tresusageinmaxnode,tresusageinmaxtask,tresusageinmin,tresusageoutave",
                      0,
                      "cpu=00:00:02,fs/disk=0,mem=12K,pages=0,vmem=0K|"
                      "cpu=00:00:00,fs/disk=0,mem=4K,pages=0,vmem=0K|"
                      "fs/disk=0,mem=8K,pages=0,vmem=0K|fs/disk=n2,mem=n3,pages=n2,vmem=n2|"
                      "fs/disk=0,mem=1,pages=0,vmem=0|cpu=00:00:00|fs/disk=0\n",
                      "");
  client_site_expect (books.site, "sacct -X -j 1,2 -nP -o derivedexitcode", 0, "0:0\n3:0\n", "");
  client_site_expect (books.site, "sacct -j 2.1 -nP -o jobid,maxrss,maxrssnode", 0, "2.1||\n", "");
  client_site_expect (books.site, "sacct -j 2.7 -nP -o jobid", 0, "", "");
  client_site_expect (books.site, "sacct -X -j 2 -nP -o jobid", 0, "2\n", "");
}

/* CPU time of the run is that of its script and its steps. */
static void
test_script_alone (void)
{
  g_auto (Books) books = { .site = NULL };
  books_begin (&books);
  books_end_run (&books, 1, 2, 2, 0);
  books_end_run (&books, 2, 2, 2, 0);
  books_write_journal (&books, G_MAXSIZE);
  books_follow_once (&books);
  client_site_expect (books.site, "sacct -j 2 -nP -o jobid,usercpu,systemcpu", 0,
                      "2|00:03.000|00:00.500\n2.batch|00:00.999|00:00.500\n"
                      "2.0|00:02.000|00:00.000\n2.1|00:00.000|00:00.000\n",
                      "");
}

/* An allocation has no script, and no line of one. */
static void
test_allocation (void)
{
  g_auto (Books) books = { .site = NULL };
  LkPeer user = control_user (USER);
  LkEvent event = { .kind = LK_EVENT_SUBMIT };
  LkMessage message = { .kind = LK_MESSAGE_SUBMIT };
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autoptr (GByteArray) payload = g_byte_array_new ();
  LkBatch batch = { .work_dir = lk_bytes ("/tmp"), .kind = LK_BATCH_KIND_ALLOCATION };
  books_init (&books);
  event.submit.user_id = USER;
  event.submit.procs = 1;
  event.submit.estimate_us = 3600 * CONTROL_SECOND_US;
  lk_event_encode (&event, bytes);
  lk_batch_encode (&batch, payload);
  message.submit = (LkMessage_submit){ .session = 70,
                                       .request = 1,
                                       .event = { bytes->data, bytes->len },
                                       .payload = { payload->data, payload->len } };
  control_message (books.site->control, &user, &message);
  control_wait_beating (books.site->control, 5 * CONTROL_SECOND_US, 7);
  books_write_journal (&books, G_MAXSIZE);
  books_follow_once (&books);
  client_site_expect (books.site, "sacct -j 1 -nP -o jobid,state", 0, "1|RUNNING\n", "");
}

int
main (int argc, char **argv)
{
  g_setenv ("TZ", "UTC", TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sacct/steps have lines", test_rows);
  g_test_add_func ("/sacct/steps tell what they have used", test_use);
  g_test_add_func ("/sacct/a script is told without its steps", test_script_alone);
  g_test_add_func ("/sacct/an allocation has no script", test_allocation);
  return g_test_run ();
}
