/* live/client/step/srun_read.c — options of srun that are no more than srun's: files, --mpi,
 * --wait.
 *
 * Texts and exit codes were recorded with Debian's Slurm 22.05. */
#include <string.h>
#include <unistd.h>

#include "live/client/step/srun.h"
#include "live/core/step_layout.h"
#include "live/step/multi_prog.h"
#include "live/step/pattern.h"

#define USAGE 255

LkSrunFile
lk_srun_file_of (const char *text)
{
  guint64 task;
  if (text == NULL || *text == '\0' || g_ascii_strcasecmp (text, "all") == 0)
    return (LkSrunFile){ .kind = LK_SRUN_FILE_ALL };
  if (g_ascii_strcasecmp (text, "none") == 0)
    return (LkSrunFile){ .kind = LK_SRUN_FILE_NONE };
  if (g_ascii_string_to_unsigned (text, 10, 0, G_MAXUINT32 - 1, &task, NULL))
    return (LkSrunFile){ .kind = LK_SRUN_FILE_TASK, .task = (guint32)task };
  return (LkSrunFile){ .kind = lk_pattern_is_of_node (text) ? LK_SRUN_FILE_NODE : LK_SRUN_FILE_PATH,
                       .path = text };
}

static int
number_error (const LkSrun *self, const char *name, const char *value)
{
  lk_option_error (self->launch.submission.client, name, value,
                   "Invalid numeric value \"%s\" for --%s.", value, name);
  return lk_launch_exit_code (self->launch.submission.client, "SLURM_EXIT_ERROR");
}

void
lk_srun_mpi_list (FILE *out)
{
  fprintf (out, "MPI plugin types are...\n\tnone\n\tpmi2\n\tpmix\n"
                "specific pmix plugin versions available: pmix_v4\n");
}

static int
mpi_read (LkSrun *self)
{
  const char *mpi = lk_launch_value (&self->launch, "mpi");
  if (mpi == NULL || strcmp (mpi, "none") == 0)
    return 0;
  self->mpi = strcmp (mpi, "pmi2") == 0 ? LK_STEP_MPI_PMI2 : LK_STEP_MPI_PMIX;
  if (self->mpi == LK_STEP_MPI_PMI2 || strcmp (mpi, "pmix") == 0 || strcmp (mpi, "pmix_v4") == 0)
    return 0;
  lk_option_error (self->launch.submission.client, "mpi", mpi,
                   "Invalid MPI type '%s', --mpi=list for acceptable types", mpi);
  return lk_launch_exit_code (self->launch.submission.client, "SLURM_EXIT_ERROR");
}

static int
terminal_read (LkSrun *self)
{
  const LkClient *client = self->launch.submission.client;
  const char *pty = lk_launch_value (&self->launch, "pty");
  guint64 fd;
  self->terminal_fd = -1;
  if (pty == NULL)
    return 0;
  if (*pty != '\0' && !g_ascii_string_to_unsigned (pty, 10, 0, G_MAXINT32, &fd, NULL))
    return number_error (self, "pty", pty);
  if (*pty != '\0')
    self->terminal_fd = (int)fd;
  self->has_terminal = isatty (*pty != '\0' ? self->terminal_fd : fileno (client->in)) != 0;
  if (!self->has_terminal)
    lk_client_error (client, "Not using a pseudo-terminal, disregarding --pty option");
  return 0;
}

static int
ends_read (LkSrun *self)
{
  const char *wait = lk_launch_value (&self->launch, "wait");
  const char *kill = lk_launch_value (&self->launch, "kill-on-bad-exit");
  guint64 number = 0;
  if (wait != NULL && !g_ascii_string_to_unsigned (wait, 10, 0, G_MAXINT32, &number, NULL))
    return number_error (self, "wait", wait);
  self->wait_us = (gint64)number * G_USEC_PER_SEC;
  if (kill == NULL)
    return 0;
  number = 1;
  if (*kill != '\0' && !g_ascii_string_to_unsigned (kill, 10, 0, 1, &number, NULL))
    return number_error (self, "kill-on-bad-exit", kill);
  self->kills_on_bad_exit = number == 1;
  return 0;
}

/* With SLURM_TEST_EXEC the program must be one here, too. */
static int
program_check (const LkSrun *self, const char *name)
{
  const LkClient *client = self->launch.submission.client;
  if (lk_client_variable (client, "SLURM_TEST_EXEC") == NULL)
    return 0;
  const char *folder = lk_launch_value (&self->launch, "chdir");
  gboolean is_below = folder != NULL && strchr (name, '/') != NULL && *name != '/';
  g_autofree char *path = is_below ? g_build_filename (folder, name, NULL) : g_strdup (name);
  g_autofree char *found = g_find_program_in_path (path);
  if (found != NULL)
    return 0;
  fprintf (client->err, "srun: fatal: Can not execute %s\n", name);
  return lk_launch_exit_code (client, "SLURM_EXIT_ERROR");
}

/* So many tasks as are asked for here; 1: as many as follow from the rest. What is no number is
 * refused later. */
static guint32
tasks_asked (const LkSrun *self)
{
  const char *text = lk_launch_value (&self->launch, "ntasks");
  guint64 tasks;
  if (text == NULL || !g_ascii_string_to_unsigned (text, 10, 1, LK_STEP_TASKS_MAX, &tasks, NULL))
    return 1;
  return (guint32)tasks;
}

/* The file of --multi-prog must say what each task is to run, or none runs. */
static int
multi_prog_read (LkSrun *self, const char *name)
{
  const LkClient *client = self->launch.submission.client;
  guint32 tasks = tasks_asked (self);
  if (!g_file_get_contents (name, &self->multi_prog, &self->multi_prog_bytes, NULL)) {
    lk_client_error (client, "Could not open multi_prog config file %s", name);
    return lk_launch_exit_code (client, "SLURM_EXIT_ERROR");
  }
  guint32 first = lk_multi_prog_first_lacking (self->multi_prog, self->multi_prog_bytes, tasks);
  if (first >= tasks)
    return 0;
  lk_client_error (client, "Configuration file %s invalid, no record for task id %u", name, first);
  return lk_launch_exit_code (client, "SLURM_EXIT_ERROR");
}

static int
program_read (LkSrun *self)
{
  const LkClient *client = self->launch.submission.client;
  const char *name = self->launch.arguments[0];
  if (name == NULL) {
    fprintf (client->err, "srun: fatal: No command given to execute.\n");
    return lk_launch_exit_code (client, "SLURM_EXIT_ERROR");
  }
  if (!lk_launch_has (&self->launch, "multi-prog"))
    return program_check (self, name);
  return multi_prog_read (self, name);
}

static int
mode_check (const LkSrun *self)
{
  const char *mode = lk_launch_value (&self->launch, "open-mode");
  if (mode == NULL || g_ascii_strncasecmp (mode, "a", 1) == 0
      || g_ascii_strncasecmp (mode, "t", 1) == 0)
    return 0;
  lk_option_error (self->launch.submission.client, "open-mode", mode,
                   "Invalid --open-mode specification");
  return USAGE;
}

int
lk_srun_read (LkSrun *self)
{
  static int (*const steps[]) (LkSrun * self) = { terminal_read, ends_read, mpi_read,
                                                  program_read };
  int wrong = mode_check (self);
  self->in = lk_srun_file_of (lk_launch_value (&self->launch, "input"));
  self->out = lk_srun_file_of (lk_launch_value (&self->launch, "output"));
  self->has_err = lk_launch_has (&self->launch, "error");
  self->err = lk_srun_file_of (lk_launch_value (&self->launch, "error"));
  for (guint i = 0; i < G_N_ELEMENTS (steps) && wrong == 0; i++)
    wrong = steps[i](self);
  return wrong;
}
