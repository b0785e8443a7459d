/* traces/command_refusal.c — see command_refusal.h.
 *
 * The engine tells one reason for a refusal; which options of sbatch, or keys of scontrol, can be
 * the cause of it is in a table.  Those that the command has are shown as they were given. */
#include "traces/command_refusal.h"

#include <string.h>

#include "traces/command_job_keys.h"
#include "traces/job_options.h"

#define SHOWN_MAX_BYTES 60

/* Words with blanks around them. */
#define GPU_WORDS "gres gpus gpus-per-node gpus-per-task gpus-per-socket tresperjob trespernode "
#define MEMORY_WORDS "mem mem-per-cpu mem-per-gpu minmemorynode minmemorycpu mempertres "
#define COUNT_WORDS                                                                                \
  "nodes ntasks cpus-per-task ntasks-per-node cpus-per-gpu numnodes numtasks numcpus cpuspertask " \
  "reqnodes taskspernode "
#define SHAPE_WORDS                                                                                \
  "mincpus sockets-per-node cores-per-socket threads-per-core extra-node-info tmp constraint "     \
  "nodelist exclude mincpusnode reqsockets reqcores reqthreads mintmpdisknode features "           \
  "reqnodelist excnodelist "

static const struct {
  LkReject reject;
  const char *words;
} causes[] = {
  { LK_REJECT_PROCS_ZERO, " " COUNT_WORDS },
  { LK_REJECT_ESTIMATE_INVALID, " time timelimit endtime duration " },
  { LK_REJECT_TOO_LARGE, " " COUNT_WORDS MEMORY_WORDS GPU_WORDS },
  { LK_REJECT_REQUEST_INVALID,
    " " COUNT_WORDS SHAPE_WORDS GPU_WORDS MEMORY_WORDS "licenses signal switches partition " },
  { LK_REJECT_PARTITION_UNKNOWN, " partition partitionname " },
  { LK_REJECT_PARTITION_CLOSED, " partition " },
  { LK_REJECT_PARTITION_UNAVAILABLE, " partition " },
  { LK_REJECT_GROUP_DENIED, " partition gid " },
  { LK_REJECT_NODE_UNKNOWN, " nodelist exclude nodes nodename reqnodelist excnodelist " },
  { LK_REJECT_FEATURE_UNKNOWN, " constraint features " },
  { LK_REJECT_GRES_UNKNOWN, " " GPU_WORDS "trespersocket trespertask tres " },
  { LK_REJECT_LICENSE_UNKNOWN, " licenses tres " },
  { LK_REJECT_LICENSE_TOTAL, " licenses tres " },
  { LK_REJECT_PARTITION_NODE_LIMIT, " partition " COUNT_WORDS },
  { LK_REJECT_PARTITION_TIME_LIMIT, " partition time timelimit time-min timemin " },
  { LK_REJECT_NODE_CONFIG, " partition " COUNT_WORDS MEMORY_WORDS GPU_WORDS SHAPE_WORDS },
  { LK_REJECT_MEMORY_LIMIT, " " MEMORY_WORDS },
  { LK_REJECT_ACCOUNT_DENIED, " partition account qos " },
  { LK_REJECT_NODE_STATE, " state " },
  { LK_REJECT_ACCOUNT_INVALID, " account accounts partition " },
  { LK_REJECT_QOS_INVALID, " qos " },
  { LK_REJECT_RESERVATION_UNKNOWN, " reservation reservationname " },
  { LK_REJECT_RESERVATION_DENIED, " reservation reservationname " },
  { LK_REJECT_RESERVATION_BUSY, " nodes nodecnt corecnt tres licenses " },
  { LK_REJECT_RESERVATION_IN_USE, " reservationname " },
  { LK_REJECT_RESERVATION_EXISTS, " reservationname " },
  { LK_REJECT_RESERVATION_BAD, " reservationname maxstartdelay " },
  { LK_REJECT_RESERVATION_FLAGS, " flags " },
  { LK_REJECT_RESERVATION_ACCESS, " users accounts groups qos allowedqos allowedpartitions " },
  { LK_REJECT_RESERVATION_EMPTY, " nodes nodecnt corecnt tres licenses flags " },
  { LK_REJECT_RESERVATION_TRES, " tres " },
  { LK_REJECT_RESERVATION_FEATURES, " features " },
  { LK_REJECT_ARRAY_INVALID, " array arraytaskthrottle " },
  { LK_REJECT_DEPENDENCY_INVALID, " dependency " },
  { LK_REJECT_TIME_INVALID,
    " begin deadline time-min time starttime eligibletime endtime duration timelimit timemin " },
  { LK_REJECT_TIME_MIN_INVALID, " timemin time-min " },
  { LK_REJECT_PERMISSION,
    " timelimit endtime nice priority sitefactor contiguous oversubscribe shared " },
};

/* What may change once a job has started. */
static const char while_running[] =
    " timelimit endtime nice priority sitefactor requeue signal killoninvaliddep "
    "killoninvaliddependent name jobname comment ";

static gboolean
has_word (const char *words, const char *word)
{
  g_autofree char *wanted = g_strdup_printf (" %s ", word);
  return strstr (words, wanted) != NULL;
}

static const char *
causes_of (LkReject reject)
{
  for (guint i = 0; i < G_N_ELEMENTS (causes); i++)
    if (causes[i].reject == reject)
      return causes[i].words;
  return " ";
}

static void
show (const char *text, GString *out)
{
  gsize length_bytes = strlen (text);
  g_string_append (out, out->len > 0 ? ", " : "");
  if (length_bytes <= SHOWN_MAX_BYTES) {
    g_string_append (out, text);
    return;
  }
  const char *end = text;
  while (g_utf8_next_char (end) - text <= SHOWN_MAX_BYTES)
    end = g_utf8_next_char (end);
  g_string_append_len (out, text, end - text);
  g_string_append (out, "...");
}

/* Of sbatch. */
static void
show_options (const LkCommand *command, LkReject reject, GString *out)
{
  g_auto (GStrv) words = lk_job_options_split (command->text, NULL);
  if (words == NULL || words[0] == NULL)
    return;
  g_auto (GStrv) given = lk_job_options_given ((const char *const *)words + 1);
  for (guint i = 0; given[i] != NULL; i++) {
    g_autofree char *name = g_strndup (given[i] + 2, strcspn (given[i] + 2, "="));
    if (has_word (causes_of (reject), name))
      show (given[i], out);
  }
}

/* A job that has started refuses what would touch its place. */
static gboolean
is_cause (const LkCommand *command, LkReject reject, const char *key)
{
  if (reject == LK_REJECT_NOT_PENDING && command->kind == LK_COMMAND_UPDATE_JOB)
    return lk_command_job_key_changes (key) != 0 && !has_word (while_running, key);
  if (reject == LK_REJECT_NOT_RUNNING && command->kind == LK_COMMAND_UPDATE_JOB)
    return strcmp (key, "endtime") == 0;
  return has_word (causes_of (reject), key);
}

/* Of scontrol. */
static void
show_pairs (const LkCommand *command, LkReject reject, GString *out)
{
  for (guint i = 0; i < command->pairs->len; i++) {
    const LkCommandPair *pair = &g_array_index (command->pairs, LkCommandPair, i);
    if (is_cause (command, reject, pair->key))
      show (pair->given, out);
  }
}

const char *
lk_command_refusal (const LkCommand *command, LkReject reject, GStringChunk *texts)
{
  g_autoptr (GString) shown = g_string_new (NULL);
  if (command->kind == LK_COMMAND_SUBMIT)
    show_options (command, reject, shown);
  else
    show_pairs (command, reject, shown);
  if (shown->len == 0)
    return lk_reject_text (reject);
  g_autofree char *text = g_strdup_printf ("%s (%s)", lk_reject_text (reject), shown->str);
  return g_string_chunk_insert (texts, text);
}
