/* live/client/scontrol/scontrol_talk.c — scontrol without a command asks for them, a line each; and
 * what the job of a process is.
 *
 * Source: scontrol(1), "INTERACTIVE COMMANDS" and pidinfo; the texts are Slurm's. */
#include <stdlib.h>
#include <string.h>

#include "live/client/scontrol/scontrol_more.h"

#define PROMPT "scontrol: "
#define AGAIN "!!" /* the line before once more */

/* ---------------------------------------------------------------- lines */

/* As scontrol: one letter is enough. */
static gboolean
is_end (const char *word)
{
  return word[0] != '\0' && (g_str_has_prefix ("exit", word) || g_str_has_prefix ("quit", word));
}

/* Words that change how later commands show. FALSE: it is none of them. */
static gboolean
switch_take (LkScontrolOptions *given, const char *word)
{
  if (strcmp (word, "all") == 0)
    given->all = TRUE;
  else if (strcmp (word, "hide") == 0)
    given->all = FALSE;
  else if (strcmp (word, "details") == 0)
    given->details = 1;
  else if (strcmp (word, "oneliner") == 0)
    given->one_line = TRUE;
  else if (strcmp (word, "quiet") == 0 || strcmp (word, "verbose") == 0) {
    given->is_quiet = word[0] == 'q';
    given->is_verbose = word[0] == 'v';
  } else {
    return FALSE;
  }
  return TRUE;
}

/* Returns: the exit code of the line; *out_is_over: it was the last. */
static int
line_run (LkClient *client, LkScontrolOptions *given, LkScontrolRun run, const char *line,
          gboolean *out_is_over)
{
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) words = NULL;
  int count;
  if (!g_shell_parse_argv (line, &count, &words, &error)) {
    lk_client_error (client, "%s", error->message);
    return LK_SCONTROL_FAILURE;
  }
  *out_is_over = is_end (words[0]);
  if (*out_is_over || switch_take (given, words[0]))
    return 0;
  /* A command may put other words in the places of these, which are ours. */
  g_autofree char **places = g_memdup2 (words, ((gsize)count + 1) * sizeof *words);
  return run (client, given, places);
}

int
lk_scontrol_talk (LkClient *client, LkScontrolOptions *given, LkScontrolRun run)
{
  const gint64 began_us = client->now_us;
  const gint64 clock_us = g_get_monotonic_time ();
  g_autofree char *last = g_strdup ("");
  char *bytes = NULL; /* of getline */
  size_t size_bytes = 0;
  gboolean is_over = FALSE;
  int code = 0;
  while (!is_over) {
    fputs (PROMPT, client->out);
    fflush (client->out);
    if (getline (&bytes, &size_bytes, client->in) < 0)
      break;
    g_strstrip (bytes);
    if (strcmp (bytes, AGAIN) != 0) {
      g_free (last);
      last = g_strdup (bytes);
    }
    client->now_us = began_us + (g_get_monotonic_time () - clock_us);
    if (last[0] != '\0' && last[0] != '#')
      code |= line_run (client, given, run, last, &is_over);
  }
  free (bytes);
  return code;
}

/* ---------------------------------------------------------------- pidinfo */

typedef struct {
  gint64 ends_us;
  gboolean is_found; /* and runs */
} Ending;

static void
take_ending (gpointer user, const LkRecord *record)
{
  Ending *out = user;
  const LkRecord_job *job = &record->job;
  out->is_found = job->state == LK_JOB_RUNNING;
  out->ends_us = job->end_us;
}

/* Of the environment of a process that the asker may see: 0, it is in no job. */
static guint32
job_of_process (const char *pid)
{
  static const char name[] = "SLURM_JOB_ID=";
  g_autofree char *path = g_build_filename ("/proc", pid, "environ", NULL);
  g_autofree char *bytes = NULL;
  gsize length_bytes;
  if (!g_file_get_contents (path, &bytes, &length_bytes, NULL))
    return 0;
  for (gsize at = 0; at < length_bytes; at += strlen (bytes + at) + 1)
    if (g_str_has_prefix (bytes + at, name))
      return (guint32)g_ascii_strtoull (bytes + at + strlen (name), NULL, 10);
  return 0;
}

int
lk_scontrol_pidinfo (LkClient *client, const LkScontrolOptions *unused, char **words)
{
  g_autoptr (GError) error = NULL;
  Ending ending = { 0 };
  guint64 pid;
  (void)unused;
  if (words[1] == NULL) {
    fprintf (client->err, "too few arguments for keyword:%s\n", words[0]);
    return LK_SCONTROL_FAILURE;
  }
  if (!g_ascii_string_to_unsigned (words[1], 10, 1, G_MAXINT32, &pid, NULL)) {
    lk_client_error (client, "pidinfo: '%s' is no number of a process", words[1]);
    return LK_SCONTROL_FAILURE;
  }
  LkClientQuery query = { .kind = LK_RECORD_JOB, .job_id = job_of_process (words[1]) };
  if (query.job_id != 0 && !lk_client_query (client, &query, take_ending, &ending, &error)) {
    fprintf (client->err, "%s\n", error->message);
    return LK_SCONTROL_FAILURE;
  }
  if (!ending.is_found) {
    fprintf (client->err, "Slurm job id not found for pid %s\n", words[1]);
    return LK_SCONTROL_FAILURE;
  }
  g_autoptr (GDateTime) utc = g_date_time_new_from_unix_utc (ending.ends_us / G_USEC_PER_SEC);
  g_autoptr (GDateTime) local = utc != NULL ? g_date_time_to_local (utc) : NULL;
  g_autofree char *text = local != NULL ? g_date_time_format (local, "%a %b %e %T %Y") : NULL;
  fprintf (client->out, "Slurm JobId=%u ends at %s\n", query.job_id,
           text != NULL ? text : "Unknown");
  fprintf (client->out, "Job remaining time is %" G_GINT64_FORMAT "\n",
           MAX (0, ending.ends_us - client->now_us) / G_USEC_PER_SEC);
  return 0;
}
