/* live/accounting/mail_letter.c — see the header. */
#include "live/accounting/mail_letter.h"

#include <string.h>

#include "engine/codec.h"
#include "live/core/batch.h"

#define SECOND_US G_GINT64_CONSTANT (1000000)
#define ADDRESS_MAX_BYTES 1024u

/* ---------------------------------------------------------------- when */

/* How long it has run: until its end, or now. */
static gint64
run_us (const LkMailFacts *facts, gint64 now_us)
{
  gint64 until_us = facts->end_us > 0 ? facts->end_us : now_us;
  return facts->start_us > 0 ? MAX (until_us - facts->start_us - facts->suspended_us, 0) : 0;
}

static guint32
due_of_limit (const LkMailFacts *facts, gint64 now_us)
{
  static const struct {
    guint32 type;
    gint64 percent;
  } parts[] = { { LK_BATCH_MAIL_TIME_LIMIT_50, 50 },
                { LK_BATCH_MAIL_TIME_LIMIT_80, 80 },
                { LK_BATCH_MAIL_TIME_LIMIT_90, 90 } };
  guint32 due = facts->state == LK_JOB_TIMEOUT ? LK_BATCH_MAIL_TIME_LIMIT : 0;
  if (facts->start_us == 0 || facts->end_us > 0 || facts->limit_us == G_MAXINT64)
    return due;
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    if (run_us (facts, now_us) >= facts->limit_us / 100 * parts[i].percent)
      due |= parts[i].type;
  return run_us (facts, now_us) >= facts->limit_us ? due | LK_BATCH_MAIL_TIME_LIMIT : due;
}

static guint32
due_of_end (const LkMailFacts *facts)
{
  gboolean is_well = facts->state == LK_JOB_COMPLETED || facts->state == LK_JOB_CANCELLED;
  if (facts->is_requeued)
    return LK_BATCH_MAIL_REQUEUE;
  if (!is_well && (facts->types & LK_BATCH_MAIL_FAIL) != 0)
    return LK_BATCH_MAIL_FAIL;
  return LK_BATCH_MAIL_END;
}

guint32
lk_mail_due (const LkMailFacts *facts, gint64 now_us, gint64 since_us)
{
  guint32 due = 0;
  if (facts->start_us > 0 && facts->start_us >= since_us)
    due |= LK_BATCH_MAIL_BEGIN;
  if (facts->end_us == 0 || facts->end_us >= since_us)
    due |= due_of_limit (facts, now_us);
  if (facts->end_us > 0 && facts->end_us >= since_us)
    due |= due_of_end (facts);
  if (facts->end_us == 0 && facts->reason == LK_REASON_DEPENDENCY_NEVER_SATISFIED)
    due |= LK_BATCH_MAIL_INVALID_DEPEND;
  return due & facts->types & ~facts->told;
}

gboolean
lk_mail_is_over (const LkMailFacts *facts, guint32 due)
{
  return facts->end_us > 0 && due == 0;
}

/* ---------------------------------------------------------------- in which words */

static const char *
word_of (guint32 type)
{
  switch (type) {
  case LK_BATCH_MAIL_BEGIN:
    return "Began";
  case LK_BATCH_MAIL_END:
    return "Ended";
  case LK_BATCH_MAIL_FAIL:
    return "Failed";
  case LK_BATCH_MAIL_REQUEUE:
    return "Requeued";
  case LK_BATCH_MAIL_INVALID_DEPEND:
    return "Invalid dependency";
  case LK_BATCH_MAIL_TIME_LIMIT:
    return "Reached time limit";
  case LK_BATCH_MAIL_TIME_LIMIT_90:
    return "Reached 90% of time limit";
  case LK_BATCH_MAIL_TIME_LIMIT_80:
    return "Reached 80% of time limit";
  default:
    return "Reached 50% of time limit";
  }
}

/* [D-]HH:MM:SS. Returns: (transfer full). */
static char *
time_text (gint64 time_us)
{
  gint64 seconds = MAX (time_us, 0) / SECOND_US;
  gint64 days = seconds / 86400;
  g_autofree char *day = days > 0 ? g_strdup_printf ("%" G_GINT64_FORMAT "-", days) : g_strdup ("");
  return g_strdup_printf ("%s%02d:%02d:%02d", day, (int)(seconds / 3600 % 24),
                          (int)(seconds / 60 % 60), (int)(seconds % 60));
}

static char *
state_text (const LkMailFacts *facts)
{
  return g_strdup (facts->is_mixed ? "Mixed" : lk_job_state_name (facts->state));
}

static gboolean
is_of_end (guint32 type)
{
  return type == LK_BATCH_MAIL_END || type == LK_BATCH_MAIL_FAIL;
}

/* How it has ended. */
static void
append_end (GString *out, const LkMailFacts *facts)
{
  g_autofree char *state = state_text (facts);
  g_string_append_printf (out, ", %s", state);
  if (facts->is_array && facts->signal_max > 0)
    g_string_append_printf (out, ", MaxSignal [%" G_GINT64_FORMAT "]", facts->signal_max);
  else if (facts->is_array)
    g_string_append_printf (out, ", ExitCode [%" G_GINT64_FORMAT "-%" G_GINT64_FORMAT "]",
                            facts->exit_code_min, facts->exit_code_max);
  else if (facts->signal_max == 0)
    g_string_append_printf (out, ", ExitCode %" G_GINT64_FORMAT, facts->exit_code_max);
}

static void
append_job (GString *out, const LkMailFacts *facts)
{
  if (facts->is_array)
    g_string_append_printf (out, "Slurm Array Summary Job_id=%u_* (%u)", facts->array_job_id,
                            facts->job_id);
  else if (facts->array_job_id != 0)
    g_string_append_printf (out, "Slurm Array Task Job_id=%u_%" G_GINT64_FORMAT " (%u)",
                            facts->array_job_id, facts->array_task, facts->job_id);
  else
    g_string_append_printf (out, "Slurm Job_id=%u", facts->job_id);
}

char *
lk_mail_subject (const LkMailFacts *facts, guint32 type, gint64 now_us)
{
  GString *out = g_string_new (NULL);
  append_job (out, facts);
  g_string_append_printf (out, " Name=%s %s", facts->name, word_of (type));
  if (type == LK_BATCH_MAIL_BEGIN) {
    g_autofree char *queued = time_text (facts->start_us - facts->submit_us);
    g_string_append_printf (out, ", Queued time %s", queued);
  } else if (facts->start_us > 0) {
    g_autofree char *run = time_text (run_us (facts, now_us));
    g_string_append_printf (out, ", Run time %s", run);
  }
  if (is_of_end (type))
    append_end (out, facts);
  /* A name may have anything in it, and this becomes a line of a letter's head. */
  for (char *at = out->str; *at != '\0'; at++)
    if (g_ascii_iscntrl (*at))
      *at = '?';
  return g_string_free (out, FALSE);
}

/* ---------------------------------------------------------------- variables */

static void
set (GPtrArray *list, const char *name, const char *value)
{
  g_ptr_array_add (list, g_strdup_printf ("%s=%s", name, value));
}

static void
set_number (GPtrArray *list, const char *name, gint64 value)
{
  g_ptr_array_add (list, g_strdup_printf ("%s=%" G_GINT64_FORMAT, name, value));
}

char **
lk_mail_environment (const LkMailFacts *facts, guint32 type, const char *cluster, const char *user,
                     gint64 now_us)
{
  GPtrArray *list = g_ptr_array_new ();
  g_autofree char *state = state_text (facts);
  g_autofree char *run = time_text (run_us (facts, now_us));
  g_autofree char *queued =
      time_text ((facts->start_us > 0 ? facts->start_us : now_us) - facts->submit_us);
  set (list, "PATH", "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin");
  set (list, "SLURM_CLUSTER_NAME", cluster);
  set_number (list, "SLURM_JOB_ID", facts->job_id);
  set (list, "SLURM_JOB_NAME", facts->name);
  set (list, "SLURM_JOB_USER", user);
  set (list, "SLURM_JOB_PARTITION", facts->partition);
  set (list, "SLURM_JOB_ACCOUNT", facts->account);
  set (list, "SLURM_JOB_WORK_DIR", facts->work_dir);
  set (list, "SLURM_JOB_MAIL_TYPE", word_of (type));
  set (list, "SLURM_JOB_STATE", state);
  set (list, "SLURM_JOB_QUEUED_TIME", queued);
  set (list, "SLURM_JOB_RUN_TIME", run);
  if (facts->array_job_id != 0)
    set_number (list, "SLURM_ARRAY_JOB_ID", facts->array_job_id);
  if (facts->array_job_id != 0 && !facts->is_array)
    set_number (list, "SLURM_ARRAY_TASK_ID", facts->array_task);
  if (is_of_end (type)) {
    set_number (list, "SLURM_JOB_EXIT_CODE_MIN", facts->exit_code_min);
    set_number (list, "SLURM_JOB_EXIT_CODE_MAX", facts->exit_code_max);
    set_number (list, "SLURM_JOB_TERM_SIGNAL_MAX", facts->signal_max);
  }
  g_ptr_array_add (list, NULL);
  return (char **)g_ptr_array_free (list, FALSE);
}

/* ---------------------------------------------------------------- to whom */

gboolean
lk_mail_is_address (const char *text)
{
  gsize length = strlen (text);
  if (length == 0 || length > ADDRESS_MAX_BYTES || strchr ("-,", text[0]) != NULL
      || strstr (text, ",-") != NULL)
    return FALSE;
  for (const char *at = text; *at != '\0'; at++)
    if (!g_ascii_isalnum (*at) && strchr ("._%+=@,-", *at) == NULL)
      return FALSE;
  return TRUE;
}
