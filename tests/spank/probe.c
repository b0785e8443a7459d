/* tests/spank/probe.c — a SPANK plugin that writes down how it is called, for
 * tests/e2e/spank_check: it knows of the house no more than any plugin does.
 *
 * Arguments: log=PATH, where lines go; fail=FUNCTION, which fails then; fail_in=CONTEXT, only
 * there. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "live/spank/spank.h"

SPANK_PLUGIN (probe, 1)

#define WORD_BYTES 256

static char word[WORD_BYTES];
static int flag_count;

static const char *
argument (int count, char **arguments, const char *name)
{
  for (int i = 0; i < count; i++)
    if (strncmp (arguments[i], name, strlen (name)) == 0)
      return arguments[i] + strlen (name);
  return "";
}

static const char *
context_name (void)
{
  static const char *const names[] = {
    "error", "local", "remote", "allocator", "slurmd", "script"
  };
  return names[spank_context ()];
}

static int
was_called (spank_t spank, const char *function, int count, char **arguments)
{
  uint32_t job = 0;
  uint32_t step = 0;
  int task = -1;
  int status = -1;
  const char *path = argument (count, arguments, "log=");
  const char *where = argument (count, arguments, "fail_in=");
  FILE *log = *path != '\0' ? fopen (path, "a") : NULL;
  spank_get_item (spank, S_JOB_ID, &job);
  spank_get_item (spank, S_JOB_STEPID, &step);
  spank_get_item (spank, S_TASK_ID, &task);
  spank_get_item (spank, S_TASK_EXIT_STATUS, &status);
  if (log != NULL) {
    fprintf (log, "%s %s uid=%u job=%u step=%u task=%d status=%d word=%s flag=%d\n",
             context_name (), function, (unsigned)geteuid (), job, step, task, status, word,
             flag_count);
    fclose (log);
  }
  if (strcmp (argument (count, arguments, "fail="), function) != 0
      || (*where != '\0' && strcmp (where, context_name ()) != 0))
    return 0;
  slurm_error ("probe: %s is to fail", function);
  return -1;
}

static int
take_word (int val, const char *value, int remote)
{
  (void)remote;
  if (val != 7 || value == NULL || strcmp (value, "bad") == 0)
    return -1;
  snprintf (word, sizeof word, "%s", value);
  return 0;
}

static int
take_flag (int val, const char *value, int remote)
{
  (void)val;
  (void)remote;
  flag_count += value == NULL ? 1 : 100;
  return 0;
}

/* A table, and one that is registered. */
struct spank_option spank_options[] = { { "probe-flag", NULL, "probe: a flag", 0, 1, take_flag },
                                        SPANK_OPTIONS_TABLE_END };

int
slurm_spank_init (spank_t spank, int count, char **arguments)
{
  struct spank_option option = { "probe-word", "WORD-OF-MORE-THAN-A-FEW", "probe: a word", 1, 7,
                                 take_word };
  if (spank_option_register (spank, &option) != ESPANK_SUCCESS)
    return -1;
  return was_called (spank, "init", count, arguments);
}

int
slurm_spank_init_post_opt (spank_t spank, int count, char **arguments)
{
  if (spank_remote (spank) == 0 && *word != '\0') {
    spank_job_control_setenv (spank, "PROBE", word, 1);
    setenv ("PROBE_LOCAL", word, 1);
  }
  return was_called (spank, "init_post_opt", count, arguments);
}

int
slurm_spank_local_user_init (spank_t spank, int count, char **arguments)
{
  return was_called (spank, "local_user_init", count, arguments);
}

int
slurm_spank_user_init (spank_t spank, int count, char **arguments)
{
  spank_setenv (spank, "PROBE_USER", word, 1);
  return was_called (spank, "user_init", count, arguments);
}

int
slurm_spank_task_init_privileged (spank_t spank, int count, char **arguments)
{
  return was_called (spank, "task_init_privileged", count, arguments);
}

int
slurm_spank_task_init (spank_t spank, int count, char **arguments)
{
  char number[16] = "none";
  char told[64];
  spank_getenv (spank, "SLURM_PROCID", number, sizeof number);
  snprintf (told, sizeof told, "%s/%s", number,
            spank_strerror (spank_setenv (spank, "SLURM_PROCID", "x", 0)));
  spank_setenv (spank, "PROBE_TASK", told, 1);
  spank_unsetenv (spank, "PROBE_GONE");
  if (*word != '\0')
    slurm_spank_log ("probe: %s", word);
  return was_called (spank, "task_init", count, arguments);
}

int
slurm_spank_task_post_fork (spank_t spank, int count, char **arguments)
{
  return was_called (spank, "task_post_fork", count, arguments);
}

int
slurm_spank_task_exit (spank_t spank, int count, char **arguments)
{
  return was_called (spank, "task_exit", count, arguments);
}

int
slurm_spank_job_prolog (spank_t spank, int count, char **arguments)
{
  return was_called (spank, "job_prolog", count, arguments);
}

int
slurm_spank_job_epilog (spank_t spank, int count, char **arguments)
{
  return was_called (spank, "job_epilog", count, arguments);
}

int
slurm_spank_slurmd_exit (spank_t spank, int count, char **arguments)
{
  return was_called (spank, "slurmd_exit", count, arguments);
}

int
slurm_spank_exit (spank_t spank, int count, char **arguments)
{
  return was_called (spank, "exit", count, arguments);
}
