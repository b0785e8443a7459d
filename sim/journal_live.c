/* sim/journal_live.c — see the header. */
#include "sim/journal_live.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/error.h"
#include "sim/journal_follow.h"
#include "sim/verb_live.h"

#define CLIENT "lockstep-client"
#define CLIENT_REFUSED 3 /* LK_FETCH_JOURNAL_REFUSED */
#define SQUEUE_FORMAT "Job %i: %T, %r, expected start %S"

/* ---------------------------------------------------------------- directories */

/* NULL: there is none, or there are several. */
static char *
only_journal (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  g_autofree char *found = NULL;
  const char *name;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
    if (!g_str_has_suffix (name, ".jnl") && !g_str_has_suffix (name, ".journal"))
      continue;
    if (found != NULL)
      return NULL;
    found = g_build_filename (folder, name, NULL);
  }
  return g_steal_pointer (&found);
}

char *
lk_journal_in (const char *path)
{
  if (!g_file_test (path, G_FILE_TEST_IS_DIR))
    return g_strdup (path);
  /* The directory decides, as the journal in it may be hidden from the user. */
  g_autofree char *below = g_build_filename (path, "controller", NULL);
  if (g_file_test (below, G_FILE_TEST_IS_DIR))
    return g_build_filename (below, "journal", NULL);
  char *usual = g_build_filename (path, "journal", NULL);
  char *other = g_file_test (usual, G_FILE_TEST_EXISTS) ? NULL : only_journal (path);
  if (other == NULL)
    return usual;
  g_free (usual);
  return other;
}

/* ---------------------------------------------------------------- the live cluster */

/* The cluster of $SLURM_CONF is the controller's to show, unless a directory is named. */
static gboolean
is_named_by_conf (void)
{
  const char *folder = g_getenv ("LOCKSTEP_DIR");
  const char *conf = g_getenv ("SLURM_CONF");
  return (folder == NULL || *folder == '\0') && conf != NULL && *conf != '\0';
}

/* Exit status of a child; -1: it has none. */
static int
wait_for (GPid child)
{
  int status = 0;
  while (waitpid (child, &status, 0) < 0)
    if (errno != EINTR)
      return -1;
  return WIFEXITED (status) ? WEXITSTATUS (status) : -1;
}

/* The client prints other errors than a refusal on standard error. */
static gboolean
fetch (int file, gboolean *out_is_refused, GError **error)
{
  g_autofree char *program = lk_live_program (CLIENT);
  char *argv[] = { program, (char *)"journal", NULL };
  GPid child;
  if (program == NULL) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_READ, "the program " CLIENT " is not installed");
    return FALSE;
  }
  if (!g_spawn_async_with_fds (NULL, argv, NULL, G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL, &child, -1,
                               file, -1, error))
    return FALSE;
  int code = wait_for (child);
  *out_is_refused = code == CLIENT_REFUSED;
  if (*out_is_refused)
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_READ,
                 "Access/permission denied: with PrivateData the controller sends its journal to "
                 "operators and administrators only; name a journal, or a directory with one");
  else if (code != 0)
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_READ,
                 "the live cluster's journal cannot be had: its file is not readable here, and the "
                 "controller does not send it; name a journal, or a directory with one");
  return code == 0;
}

gboolean
lk_journal_live_open (LkJournalLive *self, GError **error)
{
  *self = (LkJournalLive){ .path = lk_journal_live_path () };
  if (!is_named_by_conf () && access (self->path, R_OK) == 0)
    return TRUE;
  g_free (self->path);
  self->path = NULL;
  int file = g_file_open_tmp ("lockstep-journal-XXXXXX", &self->path, error);
  if (file < 0)
    return FALSE;
  self->is_copy = TRUE;
  gboolean is_fetched = fetch (file, &self->is_refused, error);
  close (file);
  return is_fetched;
}

void
lk_journal_live_clear (LkJournalLive *self)
{
  if (self->is_copy)
    unlink (self->path);
  g_clear_pointer (&self->path, g_free);
  self->is_copy = FALSE;
}

/* ---------------------------------------------------------------- a job of the caller */

/* SQUEUE_PARTITION and its like would hide jobs. Returns: (transfer full). */
static char **
environment_without_filters (void)
{
  char **environment = g_get_environ ();
  g_auto (GStrv) names = g_listenv ();
  for (guint i = 0; names[i] != NULL; i++)
    if (g_str_has_prefix (names[i], "SQUEUE_"))
      environment = g_environ_unsetenv (environment, names[i]);
  return environment;
}

char *
lk_journal_live_own_job (const LkWhyJobId *job, GError **error)
{
  g_autofree char *program = lk_live_program (CLIENT);
  g_auto (GStrv) environment = environment_without_filters ();
  g_autofree char *asked = job->task == LK_TASK_NONE
                               ? g_strdup_printf ("%u", job->job_id)
                               : g_strdup_printf ("%u_%u", job->job_id, job->task);
  char *argv[] = {
    program,      (char *)"squeue",      (char *)"--me", (char *)"-ah", (char *)"-t", (char *)"all",
    (char *)"-o", (char *)SQUEUE_FORMAT, (char *)"-j",   asked,         NULL
  };
  g_autofree char *text = NULL;
  int status = 0;
  /* The controller has just answered: squeue can only print that the user has no such job. */
  if (!g_spawn_sync (NULL, argv, environment, G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, &text, NULL,
                     &status, error))
    return NULL;
  if (WIFEXITED (status) && WEXITSTATUS (status) == 0 && *text != '\0')
    return g_steal_pointer (&text);
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_READ,
               "Access/permission denied: squeue shows no job %s of yours; with PrivateData only "
               "operators and administrators see why other jobs wait",
               asked);
  return NULL;
}
