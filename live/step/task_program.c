/* live/step/task_program.c — see the header. */
#include "live/step/task_program.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/checked.h"
#include "live/step/program.h"

#define OUTPUT_MAX_BYTES ((gsize)1 << 20)
#define FAILED_TO_RUN 1

/* ---------------------------------------------------------------- lines */

/* Where the text behind a word begins; NULL: the line does not begin with the word. */
static const char *
behind (const char *line, const char *word)
{
  gsize length = strlen (word);
  if (strncmp (line, word, length) != 0 || !g_ascii_isspace (line[length]))
    return NULL;
  for (line += length; g_ascii_isspace (*line);)
    line++;
  return line;
}

/* The list ends with NULL, and does so again. */
static void
unset (GPtrArray *environment, const char *name, gsize length)
{
  for (guint i = environment->len - 1; i-- > 0;) {
    const char *variable = g_ptr_array_index (environment, i);
    if (strncmp (variable, name, length) == 0 && variable[length] == '=')
      g_ptr_array_remove_index (environment, i);
  }
}

static void
set (GPtrArray *environment, const char *variable)
{
  const char *equals = strchr (variable, '=');
  if (equals == NULL || equals == variable)
    return;
  unset (environment, variable, (gsize)(equals - variable));
  g_ptr_array_insert (environment, (gint)environment->len - 1, g_strdup (variable));
}

void
lk_task_lines (char *text, GPtrArray *environment, GString *print)
{
  for (char *line = text; line != NULL && *line != '\0';) {
    char *end = strchr (line, '\n');
    const char *rest;
    if (end != NULL)
      *end = '\0';
    if ((rest = behind (line, "export")) != NULL)
      set (environment, rest);
    else if ((rest = behind (line, "unset")) != NULL)
      unset (environment, rest, strcspn (rest, " \t\r"));
    else if ((rest = behind (line, "print")) != NULL)
      g_string_append_printf (print, "%s\n", rest);
    line = end != NULL ? end + 1 : NULL;
  }
}

/* ---------------------------------------------------------------- the program */

static void
write_all (const GString *text)
{
  for (gsize done = 0; done < text->len;) {
    gssize count = write (1, text->str + done, text->len - done);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return;
    done += (gsize)count;
  }
}

/* What it finds: that of the script, and which program it is. Returns: (transfer container). */
static GPtrArray *
environment_of (const GPtrArray *environment)
{
  GPtrArray *own = g_ptr_array_new ();
  g_ptr_array_add (own, (gpointer) "SLURM_SCRIPT_CONTEXT=prolog_task");
  for (guint i = 0; i < environment->len; i++)
    g_ptr_array_add (own, g_ptr_array_index (environment, i));
  return own;
}

int
lk_task_prolog (const LkStep *step, const char *path, GPtrArray *environment)
{
  int status = 0;
  g_autoptr (GPtrArray) own = environment_of (environment);
  const char *const arguments[] = { path, NULL };
  const LkProgram program = { .arguments = arguments,
                              .environment = (const char *const *)own->pdata,
                              .time_max_us = LK_TIME_NEVER,
                              .bytes_max = OUTPUT_MAX_BYTES };
  if (access (path, X_OK) != 0) {
    lk_step_log (step, "TaskProlog %s: %s", path, g_strerror (errno));
    return FAILED_TO_RUN;
  }
  g_autoptr (GByteArray) said = lk_program_read (&program, &status);
  if (said == NULL || status != 0)
    lk_step_log (step, "TaskProlog %s has failed, status 0x%04x", path, (guint)status);
  if (said == NULL || !WIFEXITED (status))
    return FAILED_TO_RUN;
  g_autoptr (GString) print = g_string_new (NULL);
  lk_task_lines ((char *)said->data, environment, print);
  write_all (print);
  return WEXITSTATUS (status);
}
