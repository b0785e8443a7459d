/* tests/live/launch/guardian_test.c — who cancels the job of a client that was killed, also where
 * that did not live to hear which job it is. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "live/client/step/guardian.h"

#define USER 1001u
#define JOB 7u

/* The controller of these tests: it writes down what it is asked, and answers so. */
typedef struct {
  char *path;
  guint32 job_id;   /* in the answer to what is asked in place of the submit */
  guint down_count; /* so often it is away before that */
} Controller;

static Controller *the_controller;

/* A way to it. */
typedef struct {
  gboolean is_before; /* its first request is in place of the submit */
  gboolean is_used;
} Way;

static gpointer
wire_again (gconstpointer before)
{
  Way *way = g_new0 (Way, 1);
  g_assert_true (before == NULL || before == the_controller);
  way->is_before = before != NULL;
  return way;
}

static gboolean
wire_request (gpointer data, LkMessage *request, LkMessage_reply *out_reply, GError **error)
{
  Way *way = data;
  LkEvent event;
  g_assert_false (way->is_used);
  way->is_used = TRUE;
  (void)error;
  if (the_controller->down_count > 0) {
    the_controller->down_count--;
    return FALSE;
  }
  g_assert_cmpuint (request->kind, ==, LK_MESSAGE_CANCEL);
  g_assert_cmpuint (
      lk_event_decode (request->cancel.event.bytes, request->cancel.event.length_bytes, &event), !=,
      0);
  /* A guardian holds nothing open that was so before. */
  FILE *file = fopen (the_controller->path, "a");
  g_assert_nonnull (file);
  fprintf (file, "%s cancels %u of %u;", way->is_before ? "before" : "own", event.cancel.job_id,
           event.cancel.user_id);
  g_assert_cmpint (fclose (file), ==, 0);
  *out_reply = (LkMessage_reply){ .job_id = way->is_before ? the_controller->job_id : 0 };
  return TRUE;
}

static const LkClientWire wire = { .request = wire_request, .again = wire_again };

/* A client that does `act` and is killed; what its guardian has asked when both have gone. Returns:
 * (transfer full). */
static char *
asked_behind (Controller *controller, void (*act) (LkGuardian *guardian))
{
  g_autofree char *folder = g_dir_make_tmp ("guardian-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "asked", NULL);
  LkClient client = { .wire = &wire, .wire_self = controller, .user_id = USER };
  char *asked = NULL;
  controller->path = path;
  the_controller = controller;
  prctl (PR_SET_CHILD_SUBREAPER, 1);
  pid_t pid = fork ();
  if (pid == 0) {
    LkGuardian guardian;
    lk_guardian_begin (&guardian, &client);
    act (&guardian);
    raise (SIGKILL);
  }
  g_assert_cmpint (pid, >, 0);
  while (wait (NULL) > 0 || errno == EINTR)
    continue;
  if (!g_file_get_contents (path, &asked, NULL, NULL))
    asked = g_strdup ("nothing");
  g_unlink (path);
  g_rmdir (folder);
  return asked;
}

static void
die (LkGuardian *guardian)
{
  (void)guardian;
}

static void
watch_and_die (LkGuardian *guardian)
{
  lk_guardian_watch (guardian, JOB);
}

static void
end_and_die (LkGuardian *guardian)
{
  lk_guardian_watch (guardian, JOB);
  lk_guardian_end (guardian);
}

static void
end_early_and_die (LkGuardian *guardian)
{
  lk_guardian_end (guardian);
}

static void
assert_asked (Controller controller, void (*act) (LkGuardian *guardian), const char *expected)
{
  g_autofree char *asked = asked_behind (&controller, act);
  g_assert_cmpstr (asked, ==, expected);
}

static void
test_known (void)
{
  assert_asked ((Controller){ 0 }, watch_and_die, "own cancels 7 of 0;");
  assert_asked ((Controller){ 0 }, end_and_die, "nothing");
  assert_asked ((Controller){ 0 }, end_early_and_die, "nothing");
}

/* What is asked in place of the submit means no job: it may be carried out. */
static void
test_unknown (void)
{
  assert_asked ((Controller){ .job_id = JOB }, die, "before cancels 0 of 1001;own cancels 7 of 0;");
  assert_asked ((Controller){ 0 }, die, "before cancels 0 of 1001;");
}

/* Each time as the first request of its way: by another number it would be another request. */
static void
test_away (void)
{
  assert_asked ((Controller){ .job_id = JOB, .down_count = 2 }, die,
                "before cancels 0 of 1001;own cancels 7 of 0;");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/guardian/cancels the job that it was told", test_known);
  g_test_add_func ("/guardian/finds the job of a client that did not live to hear it",
                   test_unknown);
  g_test_add_func ("/guardian/waits for a controller that is away", test_away);
  return g_test_run ();
}
