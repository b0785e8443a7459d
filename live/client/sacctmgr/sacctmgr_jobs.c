/* live/client/sacctmgr/sacctmgr_jobs.c — what staff say of a job:
 * `modify job where jobid= set AdminComment=`.
 *
 * The controller writes it into the journal, and accounting has it from there: the job may be over.
 * Source: sacctmgr(1), sacctmgr_modify_job. */
#include <string.h>

#include "live/client/scontrol/admin_comment.h"
#include "live/client/step/launch.h"
#include "live/client/accounting/sacct.h"
#include "live/client/sacctmgr/sacctmgr.h"
#include "live/client/words.h"

typedef struct {
  GArray *job_ids;     /* of gint64 */
  const char *comment; /* NULL: not given */
} Asked;

/* ---------------------------------------------------------------- words */

static gboolean
is_key (const char *word, const char *key, gsize least_bytes)
{
  gsize length = strcspn (word, "=");
  return length >= least_bytes && g_ascii_strncasecmp (key, word, length) == 0;
}

static gboolean
ids_take (const LkClient *client, const char *list, GArray *ids)
{
  g_auto (GStrv) words = g_strsplit (list, ",", -1);
  for (guint i = 0; words[i] != NULL; i++) {
    guint64 id;
    if (!g_ascii_string_to_unsigned (words[i], 10, 1, G_MAXUINT32, &id, NULL)) {
      fprintf (client->err, " Bad jobid %s\n", words[i]);
      return FALSE;
    }
    gint64 job_id = (gint64)id;
    g_array_append_val (ids, job_id);
  }
  return TRUE;
}

static gboolean
unknown (const LkClient *client, const char *word, gboolean is_set)
{
  fprintf (client->err, " Unknown %s: %s\n Use keyword '%s' to modify condition\n",
           is_set ? "option" : "condition", word, is_set ? "where" : "set");
  return FALSE;
}

/* FALSE: told. */
static gboolean
words_take (const LkClient *client, char **words, Asked *out)
{
  gboolean is_set = FALSE;
  for (; *words != NULL; words++) {
    const char *value = strchr (*words, '=');
    if (g_ascii_strcasecmp (*words, "set") == 0)
      is_set = TRUE;
    else if (g_ascii_strcasecmp (*words, "where") == 0)
      is_set = FALSE;
    else if (value == NULL)
      return unknown (client, *words, is_set);
    else if (is_set && is_key (*words, "admincomment", 5))
      out->comment = value + 1;
    else if (!is_set && is_key (*words, "jobids", 1)) {
      if (!ids_take (client, value + 1, out->job_ids))
        return FALSE;
    } else
      return unknown (client, *words, is_set);
  }
  return TRUE;
}

static gboolean
is_whole (const LkClient *client, const Asked *asked)
{
  if (asked->job_ids->len == 0)
    fprintf (client->err, " You need to specify at least one jobid\n");
  else if (asked->comment == NULL)
    fprintf (client->err, " You didn't give me anything to set\n");
  else if (strlen (asked->comment) > LK_ADMIN_COMMENT_MAX_BYTES)
    fprintf (client->err, " The comment is too long: at most %u bytes\n",
             LK_ADMIN_COMMENT_MAX_BYTES);
  else
    return TRUE;
  return FALSE;
}

/* ---------------------------------------------------------------- telling the controller */

static gboolean
tell (const LkClient *client, gint64 job_id, const char *comment)
{
  guint16 refused = 0;
  g_autoptr (GError) error = NULL;
  if (!lk_admin_comment_tell (client, (guint32)job_id, comment, &refused, &error))
    lk_client_error (client, "%s", error->message);
  else if (refused == LK_STEP_ERROR_ACCESS_DENIED)
    fprintf (client->err, " Error with request: Access/permission denied\n");
  else if (refused != 0)
    fprintf (client->err, " error: %s\n", lk_step_error_text (refused));
  else
    return TRUE;
  return FALSE;
}

/* Of several lives of a job the last counts: it comes last. */
static GPtrArray *
jobs_of (const LkSacctBook *book)
{
  GPtrArray *jobs = g_ptr_array_new ();
  for (guint i = 0; i < book->jobs->len; i++) {
    const LkSacctJob *job = g_ptr_array_index (book->jobs, i);
    const LkSacctJob *last = jobs->len > 0 ? g_ptr_array_index (jobs, jobs->len - 1) : NULL;
    if (last != NULL && last->job.job_id == job->job.job_id)
      g_ptr_array_set_size (jobs, (gint)jobs->len - 1);
    g_ptr_array_add (jobs, (gpointer)job);
  }
  return jobs;
}

static int
work (LkClient *client, const LkSacctmgrOptions *options, const Asked *asked,
      const LkSacctBook *book)
{
  g_autoptr (GPtrArray) jobs = jobs_of (book);
  if (jobs->len == 0) {
    fprintf (client->out, "  Nothing modified\n");
    return LK_SACCTMGR_FAILURE;
  }
  g_autoptr (GString) shown = g_string_new (" Modified jobs...\n");
  for (guint i = 0; i < jobs->len; i++) {
    const LkSacctJob *job = g_ptr_array_index (jobs, i);
    g_string_append_printf (shown, "  %" G_GINT64_FORMAT " submitted at ", job->job.job_id);
    lk_word_time (client, job->job.submit_us, "Unknown", shown);
    g_string_append_c (shown, '\n');
  }
  if (!options->is_immediate && !options->is_quiet)
    fputs (shown->str, client->out);
  if (!lk_sacctmgr_confirms (client, options))
    return 0;
  for (guint i = 0; i < jobs->len; i++)
    if (!tell (client, ((const LkSacctJob *)g_ptr_array_index (jobs, i))->job.job_id,
               asked->comment))
      return LK_SACCTMGR_FAILURE;
  if (options->is_immediate && !options->is_quiet)
    fputs (shown->str, client->out);
  return 0;
}

int
lk_sacctmgr_modify_job (LkClient *client, const LkSacctmgrOptions *options, char **words)
{
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (gint64));
  Asked asked = { .job_ids = ids };
  if (!words_take (client, words, &asked) || !is_whole (client, &asked))
    return LK_SACCTMGR_FAILURE;
  const LkSacctRange range = { .job_ids = ids, .to_us = G_MAXINT64, .user_id = -1 };
  g_autofree char *path = lk_sacct_book_path (client);
  g_autoptr (GError) error = NULL;
  LkSacctBook book = { 0 };
  int code = LK_SACCTMGR_FAILURE;
  if (lk_sacct_book_read (&book, path, &range, &error))
    code = work (client, options, &asked, &book);
  else
    lk_client_error (client, "%s", error->message);
  lk_sacct_book_clear (&book);
  return code;
}
