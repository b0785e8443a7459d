/* live/step/login.c — see the header. */
#include "live/step/login.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live/step/program.h"

#define BYTES_MAX ((gsize)4 << 20)
#define PATH_LOGIN "PATH=/usr/local/bin:/usr/bin:/bin"
/* A profile may say something itself: the environment is what comes behind this. */
#define MARK "LOCKSTEP-LOGIN-ENVIRONMENT"
static const char command[] = "printf '%s\\0' " MARK " && exec /usr/bin/env -0";

/* What the shell has only for the command. */
static gboolean
is_of_the_way (const char *variable)
{
  static const char *const names[] = { "_=", "SHLVL=", "PWD=", "OLDPWD=", "TERM=" };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_str_has_prefix (variable, names[i]))
      return TRUE;
  return FALSE;
}

/* Returns: NULL: the mark is not there. */
static GPtrArray *
variables_of (const GByteArray *said)
{
  const char *end = (const char *)said->data + said->len;
  const char *at = memmem (said->data, said->len, MARK, sizeof MARK);
  if (at == NULL)
    return NULL;
  GPtrArray *list = g_ptr_array_new_with_free_func (g_free);
  for (at += sizeof MARK; at < end; at += strlen (at) + 1)
    if (strchr (at, '=') != NULL && *at != '=' && !is_of_the_way (at))
      g_ptr_array_add (list, g_strdup (at));
  return list;
}

/* A shell whose name begins with a hyphen would do, but not through an interpreter. */
static GByteArray *
ask (const LkStep *step, int *out_status)
{
  g_autofree char *home = g_strconcat ("HOME=", step->home, NULL);
  g_autofree char *user = g_strconcat ("USER=", step->user, NULL);
  g_autofree char *logname = g_strconcat ("LOGNAME=", step->user, NULL);
  g_autofree char *shell = g_strconcat ("SHELL=", step->shell, NULL);
  const char *const by_su[] = { "/bin/su", "-", step->user, "-c", command, NULL };
  const char *const by_shell[] = { step->shell, "-l", "-c", command, NULL };
  const char *const environment[] = { PATH_LOGIN, "TERM=dumb", home, user, logname, shell, NULL };
  const LkProgram program = { .arguments = geteuid () == 0 ? by_su : by_shell,
                              .environment = environment,
                              .time_max_us = step->login_timeout_us,
                              .bytes_max = BYTES_MAX,
                              .is_quiet = TRUE };
  return lk_program_read (&program, out_status);
}

GPtrArray *
lk_login_environment (const LkStep *step)
{
  int status = 0;
  /* A name that looks like an option is none of a user. */
  if (!step->has_user || step->user[0] == '-')
    return NULL;
  g_autoptr (GByteArray) said = ask (step, &status);
  GPtrArray *list = said != NULL && status == 0 ? variables_of (said) : NULL;
  if (list == NULL)
    lk_step_log (step, "the environment of a login of %s cannot be had: %s", step->user,
                 said == NULL ? g_strerror (errno) : "su, or the user's shell, has failed");
  return list;
}
