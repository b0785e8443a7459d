/* tests/live/agent_play.c — see the header. */
#include "tests/live/agent_play.h"

#include <string.h>

#include "engine/limits.h"

static gboolean
has_word (char **words, const char *word)
{
  return g_strv_contains ((const char *const *)words, word);
}

/* The number behind NAME=, or what is said if there is none. */
static guint64
number_of (char **words, const char *name, guint64 otherwise)
{
  gsize length_bytes = strlen (name);
  for (guint i = 0; words[i] != NULL; i++)
    if (strncmp (words[i], name, length_bytes) == 0 && words[i][length_bytes] == '=')
      return g_ascii_strtoull (words[i] + length_bytes + 1, NULL, 10);
  return otherwise;
}

/* Word number `index` as a number. */
static guint64
number_at (char **words, guint index)
{
  g_assert_cmpuint (g_strv_length (words), >, index);
  return g_ascii_strtoull (words[index], NULL, 10);
}

static gint64
duration_of_us (char **words, const char *name, guint64 otherwise_s)
{
  return (gint64)number_of (words, name, otherwise_s) * G_USEC_PER_SEC;
}

/* ---------------------------------------------------------------- messages */

/* Of the last report. */
static guint64
epoch_of (const AgentSite *site)
{
  guint64 epoch = 0;
  for (guint i = 0; i < site->sent->len; i++) {
    const GByteArray *bytes = g_ptr_array_index (site->sent, i);
    LkMessage sent;
    gboolean is_good = lk_message_decode (bytes->data, bytes->len, &sent);
    g_assert_true (is_good);
    if (sent.kind == LK_MESSAGE_REPORT)
      epoch = sent.report.epoch;
  }
  return epoch;
}

static LkMessage
launch_of (const AgentSite *site, char **words)
{
  guint64 run_id = number_at (words, 1);
  const char *nodes = has_word (words, "other_nodes") ? "n[1-2]" : SITE_NODE;
  return (LkMessage){ .kind = LK_MESSAGE_LAUNCH,
                      .launch = { .term = number_of (words, "term", 1),
                                  .epoch = number_of (words, "epoch", epoch_of (site)),
                                  .run_id = run_id,
                                  .job_id = (guint32)run_id + 100,
                                  .runs_script = !has_word (words, "no_script"),
                                  .nodes = { nodes, (guint32)strlen (nodes) } } };
}

/* Whom a signal is for; of steps nothing is played. */
static guint8
target_of (char **words)
{
  if (has_word (words, "steps"))
    return LK_SIGNAL_TO_STEPS;
  return has_word (words, "batch") ? LK_SIGNAL_TO_BATCH : LK_SIGNAL_TO_ALL;
}

/* FALSE: it is no message. */
static gboolean
message_of (const AgentSite *site, char **words, LkMessage *out_message)
{
  guint64 term = number_of (words, "term", 1);
  guint64 epoch = number_of (words, "epoch", epoch_of (site));
  guint64 first = words[1] != NULL ? number_at (words, 1) : 0;
  LkMessage message = { 0 };
  if (strcmp (words[0], "registered") == 0)
    message = (LkMessage){ .kind = LK_MESSAGE_REGISTERED,
                           .registered = { term, number_of (words, "agent", site->agent_id), first,
                                           duration_of_us (words, "heartbeat", 1000),
                                           number_of (words, "proof", 0), 0 } };
  else if (strcmp (words[0], "reported") == 0)
    message = (LkMessage){ .kind = LK_MESSAGE_REPORTED, .reported = { term, first } };
  else if (strcmp (words[0], "launch") == 0)
    message = launch_of (site, words);
  else if (strcmp (words[0], "terminate") == 0)
    message = (LkMessage){ .kind = LK_MESSAGE_TERMINATE,
                           .terminate = { term, first, duration_of_us (words, "wait", 30),
                                          (guint8)number_of (words, "why", 0) } };
  else if (strcmp (words[0], "reload") == 0)
    message = (LkMessage){ .kind = LK_MESSAGE_RELOAD, .reload = { term, first } };
  else if (strcmp (words[0], "forget") == 0)
    message = (LkMessage){ .kind = LK_MESSAGE_RUN_FORGET, .run_forget = { term, first } };
  else if (strcmp (words[0], "signal") == 0)
    message = (LkMessage){ .kind = LK_MESSAGE_RUN_SIGNAL,
                           .run_signal = { term, epoch, first, number_at (words, 2),
                                           (guint8)number_at (words, 3), target_of (words) } };
  else if (strcmp (words[0], "suspend") == 0 || strcmp (words[0], "resume") == 0)
    message = (LkMessage){ .kind = LK_MESSAGE_RUN_SUSPEND,
                           .run_suspend = { term, epoch, first, number_at (words, 2),
                                            strcmp (words[0], "suspend") == 0 } };
  *out_message = message;
  return message.kind != 0;
}

/* ---------------------------------------------------------------- what else happens */

static gboolean
stage_of (const char *word, LkStage *out_stage)
{
  static const char *const names[] = { "prolog", "script", "epilog" };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (strcmp (word, names[i]) == 0) {
      *out_stage = (LkStage)(LK_STAGE_PROLOG + i);
      return TRUE;
    }
  return FALSE;
}

static void
play_disk (AgentSite *site, const char *word)
{
  static const char *const modes[] = { "now", "later", "fails" };
  for (guint i = 0; i < G_N_ELEMENTS (modes); i++)
    if (strcmp (word, modes[i]) == 0)
      site->disk = (SiteDisk)i;
  if (strcmp (word, "reads_fail") == 0)
    site->disk_reads_fail = TRUE;
  if (strcmp (word, "done") == 0 || strcmp (word, "failed") == 0)
    site_disk_done (site, strcmp (word, "done") == 0);
}

static void
play_node (AgentSite *site, char **words)
{
  if (strcmp (words[0], "start") == 0)
    g_assert_cmpint (site_start (site), ==, !site->disk_reads_fail);
  else if (strcmp (words[0], "crash") == 0)
    site_crash (site, has_word (words, "written"));
  else if (strcmp (words[0], "reboot") == 0)
    site_reboot (site);
  else if (strcmp (words[0], "connected") == 0)
    lk_agent_connected (site->agent);
  else if (strcmp (words[0], "wait") == 0)
    site_wait (site, (gint64)number_at (words, 1) * G_USEC_PER_SEC);
  else if (strcmp (words[0], "disk") == 0)
    play_disk (site, words[1]);
  else if (strcmp (words[0], "creates") == 0)
    site->creates_fail = strcmp (words[1], "fail") == 0;
  else if (strcmp (words[0], "ports") == 0)
    site->is_instant = strcmp (words[1], "instant") == 0;
  else if (strcmp (words[0], "stuck") == 0)
    lk_agent_stuck (site->agent, number_at (words, 1),
                    has_word (words, "disk") ? LK_STUCK_DISK : LK_STUCK_UNKILLABLE);
  else if (strcmp (words[0], "lost") == 0)
    site_supervisor_dies (site, number_at (words, 1));
  else
    g_error ("nothing is called '%s'", words[0]);
}

void
play_one (AgentSite *site, const char *happens)
{
  g_auto (GStrv) words = g_strsplit (happens, " ", -1);
  LkMessage message;
  LkStage stage;
  if (stage_of (words[0], &stage)) {
    LkExit how = { .exit_code = (guint8)number_of (words, "exit", 0),
                   .signal = (guint8)number_of (words, "signal", 0),
                   .cancelled = has_word (words, "cancelled") ? 1 : 0,
                   .trouble = (guint8)number_of (words, "trouble", 0) };
    site_stage_ends (site, number_at (words, 1), stage, &how);
  } else if (message_of (site, words, &message))
    site_message (site, &message);
  else
    play_node (site, words);
}

void
play_rows (AgentSite *site, const PlayRow *rows, guint row_count)
{
  for (guint i = 0; i < row_count; i++) {
    g_string_truncate (site->log, 0);
    play_one (site, rows[i].happens);
    if (strcmp (site->log->str, rows[i].does) != 0)
      g_error ("row %u: behind '%s' came '%s', not '%s'", i, rows[i].happens, site->log->str,
               rows[i].does);
    if (site->agent != NULL)
      lk_agent_check (site->agent);
  }
}
