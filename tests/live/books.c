/* tests/live/books.c — see the header. */
#include "tests/live/books.h"

#include <glib/gstdio.h>

void
books_init (Books *self)
{
  self->site = client_site_new ();
  self->folder = g_dir_make_tmp ("accounting-XXXXXX", NULL);
  self->journal = g_build_filename (self->folder, "journal", NULL);
  self->environment = g_environ_setenv (NULL, "LOCKSTEP_DIR", self->folder, TRUE);
  self->site->client.environment = self->environment;
  self->database = g_build_filename (self->folder, LK_ACCOUNTING_FILE, NULL);
}

void
books_clear (Books *self)
{
  static const char *const behind[] = { "", "-wal", "-shm" };
  for (guint i = 0; i < G_N_ELEMENTS (behind); i++) {
    g_autofree char *path = g_strconcat (self->database, behind[i], NULL);
    g_unlink (path);
  }
  g_unlink (self->journal);
  g_rmdir (self->folder);
  client_site_free (self->site);
  g_free (self->folder);
  g_free (self->journal);
  g_free (self->database);
  g_strfreev (self->environment);
}
void
books_write_journal (const Books *self, gsize length_bytes)
{
  const GByteArray *bytes = control_file (self->site->control, LK_CONTROLLER_JOURNAL);
  gsize length = MIN (length_bytes, bytes->len);
  g_assert_true (
      g_file_set_contents (self->journal, (const char *)bytes->data, (gssize)length, NULL));
}

LkFollow *
books_follow (const Books *self)
{
  g_autoptr (GError) error = NULL;
  LkFollowOptions options = { .journal = self->journal, .database = self->database };
  LkFollow *follow = lk_follow_new (&options, &error);
  g_assert_no_error (error);
  return follow;
}

void
books_catch_up (LkFollow *follow)
{
  g_autoptr (GError) error = NULL;
  lk_follow_catch_up (follow, &error);
  g_assert_no_error (error);
}

void
books_follow_once (const Books *self)
{
  g_autoptr (LkFollow) follow = books_follow (self);
  books_catch_up (follow);
}

void
books_end_run (Books *self, guint node, guint64 run_id, guint32 job_id, guint8 exit_code)
{
  LkRunReport how = { .run_id = run_id,
                      .job_id = job_id,
                      .exit_code = exit_code,
                      .user_cpu_us = 1500000 + node,
                      .system_cpu_us = 250000,
                      .max_rss_bytes = 4096 * (node + 1),
                      .max_gpu_memory_bytes = node * (1u << 20),
                      .max_gpu_percent = 40 * node };
  control_run_ended (self->site->control, node, &how, "");
}

void
books_play (Books *self)
{
  ControlSite *control = self->site->control;
  client_site_run (self->site, "sbatch -J good -n1 -t5 --wrap true");
  client_site_run (self->site, "sbatch -J bad -N2 -n4 -t5 --wrap false");
  client_site_run (self->site, "sbatch -J never -n6 -t5 --wrap true");
  control_wait_beating (control, 10 * CONTROL_SECOND_US, 7);
  client_site_run (self->site, "scancel 3");
  books_end_run (self, 0, 1, 1, 0);
  books_end_run (self, 1, 2, 2, 2);
  books_end_run (self, 2, 2, 2, 0);
  client_site_run (self->site, "sbatch -J long -n1 -t5 --wrap true");
  client_site_run (self->site, "sbatch -J many -n1 -t5 -a 0-1 --wrap true");
  control_wait_beating (control, 5 * CONTROL_SECOND_US, 7);
  control_order_node (control, 500, LK_EVENT_NODE_DRAIN, 2, "fan");
}
