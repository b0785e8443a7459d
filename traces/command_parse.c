/* traces/command_parse.c — see command_private.h: the words of sbatch, scancel, scontrol, squeue.
 *
 * What is checked is the form: names of options, numbers of jobs, which of scontrol's subcommands
 * there are.  Keys of scontrol are kept as they stand; who acts on them knows which there are. */
#include "traces/command_private.h"

#include <string.h>

#include "engine/suggest.h"
#include "traces/accounts_script.h"
#include "traces/command_fail.h"
#include "traces/command_keys.h"
#include "traces/job_values.h"

#define SIGNAL_KILL 9
#define SUBJECT_LEAST_BYTES 3u

static const char *
keep (GStringChunk *texts, const char *text)
{
  return g_string_chunk_insert_const (texts, text);
}

/* ---------------------------------------------------------------- jobs */

/* "3,7-9" in brackets or a number. */
static gboolean
task_parse (const char *text, GStringChunk *texts, const char **out_task)
{
  gsize length = strlen (text);
  gboolean has_brackets = length > 2 && text[0] == '[' && text[length - 1] == ']';
  g_autofree char *inner =
      has_brackets ? g_strndup (text + 1, length - 2) : g_strndup (text, length);
  if (*inner == '\0'
      || strspn (inner, has_brackets ? "0123456789,-" : "0123456789") < strlen (inner))
    return FALSE;
  *out_task = keep (texts, inner);
  return TRUE;
}

static gboolean
job_parse (const char *text, GStringChunk *texts, LkCommandJob *out_job)
{
  LkCommandJob job = { .component = -1, .given = keep (texts, text) };
  guint64 number;
  gboolean is_log = g_str_has_prefix (text, "log:");
  text += is_log ? strlen ("log:") : g_str_has_prefix (text, "id:") ? strlen ("id:") : 0;
  gsize length = strcspn (text, "_+");
  g_autofree char *id = g_strndup (text, length);
  if (!g_ascii_string_to_unsigned (id, 10, is_log ? 0 : 1, G_MAXUINT32 - 1, &number, NULL))
    return FALSE;
  job.id = (guint32)number;
  if (text[length] == '_' && !task_parse (text + length + 1, texts, &job.task))
    return FALSE;
  if (text[length] == '+') {
    if (!g_ascii_string_to_unsigned (text + length + 1, 10, 0, 127, &number, NULL))
      return FALSE;
    job.component = (gint32)number;
  }
  *out_job = job;
  return TRUE;
}

/* The comma that ends a job; those in brackets do not. */
static gsize
job_bytes (const char *text)
{
  gsize length = 0;
  for (gboolean is_inside = FALSE; text[length] != '\0' && (is_inside || text[length] != ',');
       length++)
    is_inside = text[length] == '[' || (is_inside && text[length] != ']');
  return length;
}

static gboolean
jobs_take (const char *text, GStringChunk *texts, LkCommand *command, GError **error)
{
  for (const char *at = text;;) {
    LkCommandJob job;
    gsize length = job_bytes (at);
    g_autofree char *one = g_strndup (at, length);
    if (!job_parse (one, texts, &job))
      return lk_command_fail (
          error, "'%.*s' is no job; expected a number such as 12, 12_3, 12_[3,7-9] or 12+1",
          LK_COMMAND_SHOWN_MAX_BYTES, one);
    g_array_append_val (command->jobs, job);
    if (at[length] == '\0')
      return TRUE;
    at += length + 1;
  }
}

static void
name_take (const char *name, GStringChunk *texts, LkCommand *command)
{
  LkCommandJob job = { .component = -1, .name = keep (texts, name) };
  g_array_append_val (command->jobs, job);
}

/* ---------------------------------------------------------------- sbatch */

static const char *
wrap_of (char **words)
{
  for (char **word = words; *word != NULL; word++)
    if (g_str_has_prefix (*word, "--wrap="))
      return *word + strlen ("--wrap=");
    else if (strcmp (*word, "--wrap") == 0)
      return word[1];
  return NULL;
}

/* A job that only sleeps tells how long it runs. */
static void
run_from_wrap (char **words, LkCommand *command)
{
  LkCommandRun *run = &g_array_index (command->runs, LkCommandRun, 0);
  const char *wrap = wrap_of (words);
  gint64 seconds;
  if (run->run_us < 0 && wrap != NULL && g_str_has_prefix (wrap, "sleep ")
      && g_ascii_string_to_signed (wrap + strlen ("sleep "), 10, 0, G_MAXINT32, &seconds, NULL))
    run->run_us = seconds * G_USEC_PER_SEC;
}

/* A date is passed over; of what begins with "now" it is known that it is wrong. */
static void
moment_check (const char *option, const char **value, GStringChunk *texts, LkCommand *command)
{
  gint64 moment_us;
  if (*value == NULL || lk_job_moment_parse (*value, 0, &moment_us))
    return;
  g_autofree char *why = g_strdup_printf ("option --%s is '%.*s'; expected " LK_JOB_MOMENT_EXPECTED,
                                          option, LK_COMMAND_SHOWN_MAX_BYTES, *value);
  if (g_ascii_strncasecmp (*value, "now", 3) == 0)
    command->refused = command->fault = keep (texts, why);
  command->passed_over = command->refused == NULL ? keep (texts, why) : command->passed_over;
  *value = NULL;
}

static void
component_check (LkJobOptions *options, GStringChunk *texts, LkCommand *command)
{
  moment_check ("begin", &options->begin, texts, command);
  moment_check ("deadline", &options->deadline, texts, command);
  if (options->unsupported_beside_terms == NULL)
    return;
  g_autofree char *why = g_strdup_printf ("nothing acts on --%s; expected a job without it",
                                          options->unsupported_beside_terms);
  command->passed_over = keep (texts, why);
}

/* The engine would say only that it cannot read a part of it. */
static void
components_check (GStringChunk *texts, LkCommand *command)
{
  for (guint i = 0; i < command->components->len && command->refused == NULL; i++) {
    LkText array = g_array_index (command->components, LkJobOptions, i).terms.array;
    g_autofree char *why = g_strdup_printf ("a heterogeneous job is no array (--array=%.*s)",
                                            (int)array.length_bytes, array.bytes);
    if (array.length_bytes > 0)
      command->refused = keep (texts, why);
  }
}

/* What is no option of sbatch, or no value of one, is a fault of the script; options that do not go
 * together are refused when the command runs. */
static void
sbatch_parse (char **words, GStringChunk *texts, LkCommand *command)
{
  g_autoptr (GError) wrong = NULL;
  command->kind = LK_COMMAND_SUBMIT;
  command->is_test = g_strv_contains ((const char *const *)words, "--test-only");
  if (!lk_job_options_parse_components ((const char *const *)words + 1, texts, command->components,
                                        &wrong)) {
    command->refused = keep (texts, wrong->message);
    if (!g_error_matches (wrong, LK_TRACE_ERROR, LK_TRACE_ERROR_CONFLICT))
      command->fault = command->refused;
    return;
  }
  run_from_wrap (words, command);
  for (guint i = 0; i < command->components->len; i++)
    component_check (&g_array_index (command->components, LkJobOptions, i), texts, command);
  if (command->components->len > 1)
    components_check (texts, command);
}

/* ---------------------------------------------------------------- scancel */

typedef struct {
  const char *name;
  char letter;
  gboolean has_value;
  gsize offset; /* of the text that the value becomes; 0: none */
} CancelOption;

#define LIST(name, letter, member)                                                                 \
  {                                                                                                \
    name, letter, TRUE, G_STRUCT_OFFSET (LkCommandFilter, member) + 1                              \
  }
static const CancelOption cancel_options[] = {
  LIST ("account", 'A', accounts),
  { "batch", 'b', FALSE, 0 },
  { "full", 'f', FALSE, 0 },
  LIST ("jobname", 0, names),
  { "me", 0, FALSE, 0 },
  LIST ("name", 'n', names),
  LIST ("nodelist", 'w', nodes),
  LIST ("partition", 'p', partitions),
  LIST ("qos", 'q', qos),
  { "quiet", 'Q', FALSE, 0 },
  LIST ("reservation", 'R', reservations),
  { "signal", 's', TRUE, 0 },
  LIST ("state", 't', states),
  LIST ("user", 'u', users),
  { "verbose", 'v', FALSE, 0 },
};
#undef LIST

static const CancelOption *
cancel_option_find (const char *word, GError **error)
{
  const char *names[G_N_ELEMENTS (cancel_options) + 1] = { NULL };
  gsize length = strcspn (word + 2, "=");
  for (guint i = 0; i < G_N_ELEMENTS (cancel_options); i++) {
    const CancelOption *option = &cancel_options[i];
    names[i] = option->name;
    if (word[1] == '-'
            ? strlen (option->name) == length && memcmp (word + 2, option->name, length) == 0
            : option->letter == word[1])
      return option;
  }
  g_autofree char *whole = g_strndup (word + 2, length);
  const char *nearest = word[1] == '-' ? lk_suggest (whole, names) : NULL;
  lk_command_fail (error, "'%.*s' is no option of scancel that is acted on%s%s%s",
                   LK_COMMAND_SHOWN_MAX_BYTES, word, nearest != NULL ? "; did you mean --" : "",
                   nearest != NULL ? nearest : "", nearest != NULL ? "?" : "");
  return NULL;
}

static gboolean
cancel_option_take (const CancelOption *option, const char *value, GStringChunk *texts,
                    LkCommandFilter *filter, GError **error)
{
  if (option->offset > 0)
    G_STRUCT_MEMBER (const char *, filter, option->offset - 1) = keep (texts, value);
  else if (option->letter == 's' && !lk_job_signal_parse (value, &filter->signal))
    return lk_command_fail (error,
                            "option --signal is '%.*s'; expected a signal such as USR1 or 10",
                            LK_COMMAND_SHOWN_MAX_BYTES, value);
  filter->to_batch = filter->to_batch || option->letter == 'b';
  filter->is_mine = filter->is_mine || strcmp (option->name, "me") == 0;
  return TRUE;
}

/* Slurm's names of states, long and short. */
static const char *const state_names[] = {
  "PENDING",   "PD", "RUNNING", "R",  "SUSPENDED", "S",  "COMPLETING",    "CG",
  "COMPLETED", "CD", "FAILED",  "F",  "CANCELLED", "CA", "CONFIGURING",   "CF",
  "NODE_FAIL", "NF", "TIMEOUT", "TO", "PREEMPTED", "PR", "OUT_OF_MEMORY", "OOM",
  "DEADLINE",  "DL", NULL
};

/* A word of the list that is no state; NULL: all are. */
static char *
state_wrong (const char *list)
{
  g_auto (GStrv) words = g_strsplit (list, ",", -1);
  for (guint i = 0; words[i] != NULL; i++) {
    g_autofree char *upper = g_ascii_strup (words[i], -1);
    if (!g_strv_contains (state_names, upper))
      return g_strdup (words[i]);
  }
  return NULL;
}

/* What scancel itself would refuse is refused when the command runs: above all one that names
 * nothing, which would have everything. */
static void
scancel_check (GStringChunk *texts, LkCommand *command)
{
  const LkCommandFilter *filter = &command->filter;
  g_autofree char *wrong = filter->states != NULL ? state_wrong (filter->states) : NULL;
  if (wrong != NULL) {
    g_autofree char *why =
        g_strdup_printf ("option --state is '%.*s'; expected PENDING, RUNNING or SUSPENDED",
                         LK_COMMAND_SHOWN_MAX_BYTES, wrong);
    command->refused = keep (texts, why);
  } else if (command->jobs->len == 0 && filter->users == NULL && filter->names == NULL
             && filter->partitions == NULL && filter->accounts == NULL && filter->qos == NULL
             && filter->states == NULL && filter->nodes == NULL && filter->reservations == NULL
             && !filter->is_mine) {
    command->refused = "no job identification provided";
  }
  /* To pass it over would cancel what runs elsewhere. */
  if (filter->nodes != NULL)
    command->refused = command->passed_over =
        "nothing acts on --nodelist of scancel; expected scancel without it";
}

static gboolean
scancel_parse (char **words, GStringChunk *texts, LkCommand *command, GError **error)
{
  command->kind = LK_COMMAND_CANCEL;
  for (char **word = words + 1; *word != NULL; word++) {
    if (**word != '-') {
      if (!jobs_take (*word, texts, command, error))
        return FALSE;
      continue;
    }
    const CancelOption *option = cancel_option_find (*word, error);
    if (option == NULL)
      return FALSE;
    const char *equals = strchr (*word, '=');
    const char *value = (*word)[1] == '-'    ? (equals != NULL ? equals + 1 : NULL)
                        : (*word)[2] != '\0' ? *word + 2
                                             : NULL;
    if (option->has_value && value == NULL)
      value = *++word;
    if (option->has_value != (value != NULL))
      return lk_command_fail (error, "option --%s of scancel: expected %s", option->name,
                              option->has_value ? "a value behind it" : "no value");
    if (!cancel_option_take (option, value, texts, &command->filter, error))
      return FALSE;
  }
  /* To the whole of a job this one is its end. */
  if (command->filter.signal == SIGNAL_KILL && !command->filter.to_batch)
    command->filter.signal = 0;
  scancel_check (texts, command);
  return TRUE;
}

/* ---------------------------------------------------------------- scontrol */

/* The one key that may stand without a value. */
static gboolean
stands_alone (const char *word)
{
  return g_ascii_strcasecmp (word, "nice") == 0;
}

static gboolean
pair_take (const char *word, GStringChunk *texts, LkCommand *command, GError **error)
{
  const char *equals = strchr (word, '=');
  if (stands_alone (word)) {
    LkCommandPair nice = { .key = "nice", .value = "100", .sign = '=', .given = "Nice" };
    g_array_append_val (command->pairs, nice);
    return TRUE;
  }
  if (equals == NULL || equals == word)
    return lk_command_fail (error, "Invalid input: %.*s; expected KEY=VALUE",
                            LK_COMMAND_SHOWN_MAX_BYTES, word);
  LkCommandPair pair = { .sign = '=',
                         .value = keep (texts, equals + 1),
                         .given = keep (texts, word) };
  gsize length = (gsize)(equals - word);
  if (length > 1 && (word[length - 1] == '+' || word[length - 1] == '-'))
    pair.sign = word[--length];
  g_autofree char *key = g_ascii_strdown (word, (gssize)length);
  pair.key = keep (texts, key);
  g_array_append_val (command->pairs, pair);
  return TRUE;
}

/* The rest of the words are pairs; "reservation" may stand alone before them. */
static gboolean
pairs_take (char **words, GStringChunk *texts, LkCommand *command, GError **error)
{
  gsize bytes = words[0] != NULL ? strlen (words[0]) : 0;
  if (bytes >= SUBJECT_LEAST_BYTES && g_ascii_strncasecmp ("reservation", words[0], bytes) == 0)
    words++;
  if (words[0] == NULL)
    return lk_command_fail (error, "there is nothing to work on; expected KEY=VALUE");
  for (char **word = words; *word != NULL; word++) {
    /* KEY VALUE is the same as KEY=VALUE. */
    gboolean is_apart = strchr (*word, '=') == NULL && word[1] != NULL
                        && strchr (word[1], '=') == NULL && !stands_alone (*word);
    g_autofree char *joined = is_apart ? g_strconcat (*word, "=", word[1], NULL) : NULL;
    if (!pair_take (is_apart ? joined : *word, texts, command, error))
      return FALSE;
    word += is_apart ? 1 : 0;
  }
  return TRUE;
}

/* Brings the several names of one key to one. */
static void
pairs_rename (LkCommand *command, const char *const *names, const char *name)
{
  for (guint i = 0; i < command->pairs->len; i++) {
    LkCommandPair *pair = &g_array_index (command->pairs, LkCommandPair, i);
    if (g_strv_contains (names, pair->key))
      pair->key = name;
  }
}

static const char *const job_keys[] = { "jobid", "job", NULL };
static const char *const name_keys[] = { "jobname", "name", NULL };

/* Does a key name what the command is about? Such a one may be cut short to three letters. */
static gboolean
is_about (const LkCommand *command, LkCommandKeys of, const char *name)
{
  for (guint i = 0; i < command->pairs->len; i++) {
    const char *key = g_array_index (command->pairs, LkCommandPair, i).key;
    if (strlen (key) >= SUBJECT_LEAST_BYTES && strcmp (lk_command_key_whole (of, key), name) == 0)
      return TRUE;
  }
  return FALSE;
}

/* Keys that are cut short become whole. */
static void
pairs_complete (LkCommand *command, LkCommandKeys of)
{
  for (guint i = 0; i < command->pairs->len; i++) {
    LkCommandPair *pair = &g_array_index (command->pairs, LkCommandPair, i);
    pair->key = lk_command_key_whole (of, pair->key);
    /* TimeLimit=+5 adds to the limit. */
    if (pair->sign == '=' && strcmp (pair->key, "timelimit") == 0
        && (*pair->value == '+' || *pair->value == '-'))
      pair->sign = *pair->value++;
  }
}

static gboolean
has_key (const LkCommand *command, const char *const *names)
{
  for (guint i = 0; i < command->pairs->len; i++)
    if (g_strv_contains (names, g_array_index (command->pairs, LkCommandPair, i).key))
      return TRUE;
  return FALSE;
}

/* Flags=PURGE_COMP=TIME tells a time among words: it becomes a pair of its own. */
static void
purge_split (GStringChunk *texts, LkCommand *command)
{
  const guint count = command->pairs->len;
  for (guint i = 0; i < count; i++) {
    LkCommandPair *pair = &g_array_index (command->pairs, LkCommandPair, i);
    LkCommandPair purge = {
      .key = LK_COMMAND_PURGE_KEY, .value = "", .sign = pair->sign, .given = pair->given
    };
    if (strcmp (pair->key, "flags") != 0)
      continue;
    g_auto (GStrv) flags = g_strsplit (pair->value, ",", -1);
    gboolean is_told = FALSE;
    for (guint at = 0; flags[at] != NULL; at++) {
      is_told = is_told || g_ascii_strcasecmp (flags[at], "PURGE_COMP") == 0;
      if (g_ascii_strncasecmp (flags[at], "PURGE_COMP=", strlen ("PURGE_COMP=")) != 0)
        continue;
      char *equals = strchr (flags[at], '=');
      is_told = TRUE;
      purge.value = keep (texts, equals + 1);
      *equals = '\0';
    }
    g_autofree char *rest = g_strjoinv (",", flags);
    pair->value = keep (texts, rest);
    if (is_told)
      g_array_append_val (command->pairs, purge);
  }
}

static gboolean
update_parse (char **words, GStringChunk *texts, LkCommand *command, GError **error)
{
  if (!pairs_take (words, texts, command, error))
    return FALSE;
  /* A job's partition, nodes and reservation can be updated, too. */
  if (is_about (command, LK_KEYS_JOB, "jobid")) {
    pairs_complete (command, LK_KEYS_JOB);
    pairs_rename (command, job_keys, "jobid");
    command->kind = LK_COMMAND_UPDATE_JOB;
    return jobs_take (lk_command_value (command, "jobid"), texts, command, error);
  }
  if (has_key (command, name_keys)) {
    pairs_complete (command, LK_KEYS_JOB);
    const char *name = lk_command_value (command, "jobname");
    command->kind = LK_COMMAND_UPDATE_JOB;
    name_take (name != NULL ? name : lk_command_value (command, "name"), texts, command);
    return TRUE;
  }
  if (is_about (command, LK_KEYS_RESERVATION, "reservationname")) {
    pairs_complete (command, LK_KEYS_RESERVATION);
    purge_split (texts, command);
    command->kind = LK_COMMAND_UPDATE_RESERVATION;
  } else if (is_about (command, LK_KEYS_PARTITION, "partitionname")) {
    pairs_complete (command, LK_KEYS_PARTITION);
    command->kind = LK_COMMAND_UPDATE_PARTITION;
  } else if (is_about (command, LK_KEYS_NODE, "nodename")) {
    pairs_complete (command, LK_KEYS_NODE);
    command->kind = LK_COMMAND_UPDATE_NODE;
  } else {
    return lk_command_fail (
        error, "No valid entity in update command; expected JobId=, NodeName=, PartitionName= "
               "or ReservationName=");
  }
  return TRUE;
}

/* Is it about a partition?  Reservations have a key of that name, too, but not in front. */
static gboolean
is_of_partition (char **words)
{
  const char *equals = words[0] != NULL ? strchr (words[0], '=') : NULL;
  g_autofree char *key =
      equals != NULL ? g_ascii_strdown (words[0], (gssize)(equals - words[0])) : g_strdup ("");
  return strlen (key) >= SUBJECT_LEAST_BYTES
         && strcmp (lk_command_key_whole (LK_KEYS_PARTITION, key), "partitionname") == 0;
}

static gboolean
partition_parse (char **words, GStringChunk *texts, LkCommandKind kind, LkCommand *command,
                 GError **error)
{
  command->kind = kind;
  if (!pairs_take (words, texts, command, error))
    return FALSE;
  pairs_complete (command, LK_KEYS_PARTITION);
  return kind == LK_COMMAND_CREATE_PARTITION || command->pairs->len == 1
         || lk_command_fail (error, "delete takes one name; expected PartitionName=");
}

static gboolean
create_parse (char **words, GStringChunk *texts, LkCommand *command, GError **error)
{
  if (is_of_partition (words))
    return partition_parse (words, texts, LK_COMMAND_CREATE_PARTITION, command, error);
  command->kind = LK_COMMAND_CREATE_RESERVATION;
  if (!pairs_take (words, texts, command, error))
    return FALSE;
  pairs_complete (command, LK_KEYS_RESERVATION);
  purge_split (texts, command);
  return TRUE;
}

static gboolean
delete_parse (char **words, GStringChunk *texts, LkCommand *command, GError **error)
{
  if (is_of_partition (words))
    return partition_parse (words, texts, LK_COMMAND_DELETE_PARTITION, command, error);
  command->kind = LK_COMMAND_DELETE_RESERVATION;
  if (!pairs_take (words, texts, command, error))
    return FALSE;
  pairs_complete (command, LK_KEYS_RESERVATION);
  return lk_command_value (command, "reservationname") != NULL
         || lk_command_fail (error,
                             "No valid entity in delete command; expected ReservationName= or "
                             "PartitionName=");
}

static gboolean
jobs_parse (char **words, GStringChunk *texts, LkCommand *command, GError **error)
{
  for (char **word = words; *word != NULL; word++) {
    const char *equals = strchr (*word, '=');
    g_autofree char *key =
        equals != NULL ? g_ascii_strdown (*word, (gssize)(equals - *word)) : NULL;
    if (key != NULL && (strcmp (key, "jobname") == 0 || strcmp (key, "name") == 0))
      name_take (equals + 1, texts, command);
    else if (!jobs_take (key != NULL && g_strv_contains (job_keys, key) ? equals + 1 : *word, texts,
                         command, error))
      return FALSE;
  }
  return command->jobs->len > 0
         || lk_command_fail (error, "no job is named; expected a number or JobName=");
}

/* Options of requeue and requeuehold stand before the jobs. Returns: the first word of those. */
static char **
requeue_options_take (char **words, LkCommand *command)
{
  gboolean holds = command->kind == LK_COMMAND_REQUEUEHOLD;
  if (!holds && command->kind != LK_COMMAND_REQUEUE)
    return words;
  for (; *words != NULL; words++) {
    if (g_ascii_strcasecmp (*words, "incomplete") == 0)
      command->is_incomplete = TRUE;
    else if (holds && g_ascii_strcasecmp (*words, "state=specialexit") == 0)
      command->is_special = TRUE;
    else
      break;
  }
  return words;
}

static gboolean
scontrol_parse (char **words, GStringChunk *texts, LkCommand *command, GError **error)
{
  static const char *const known[] = { "hold",        "uhold",   "release", "requeue",
                                       "requeuehold", "suspend", "resume",  "top",
                                       "update",      "create",  "delete",  NULL };
  const char *verb = words[1] != NULL ? words[1] : "";
  if (!g_strv_contains (known, verb)) {
    g_autofree char *phrase = lk_suggest_phrase (verb, known);
    return lk_command_fail (error, "scontrol '%.*s' is not acted on%s", LK_COMMAND_SHOWN_MAX_BYTES,
                            verb, phrase);
  }
  if (strcmp (verb, "update") == 0)
    return update_parse (words + 2, texts, command, error);
  if (strcmp (verb, "create") == 0)
    return create_parse (words + 2, texts, command, error);
  if (strcmp (verb, "delete") == 0)
    return delete_parse (words + 2, texts, command, error);
  command->kind = LK_COMMAND_HOLD;
  for (guint i = 0; strcmp (verb, known[i]) != 0; i++)
    command->kind++;
  return jobs_parse (requeue_options_take (words + 2, command), texts, command, error);
}

/* ---------------------------------------------------------------- sacctmgr */

/* What it is about may have come by then: it is looked for when the command runs. */
static gboolean
sacctmgr_parse (char **words, LkCommand *command, GError **error)
{
  command->kind = LK_COMMAND_SACCTMGR;
  if (lk_accounts_script_is_change (words))
    return TRUE;
  return lk_command_fail (
      error, "this of sacctmgr is not acted on; expected add, modify or delete, and then "
             "account, user or qos");
}

gboolean
lk_command_parse (char **words, GStringChunk *texts, LkCommand *command, GError **error)
{
  static const char *const known[] = {
    "sbatch", "scancel", "scontrol", "squeue", "sacctmgr", NULL
  };
  const char *name = words[0] != NULL ? words[0] : "";
  if (strcmp (name, "sbatch") == 0) {
    sbatch_parse (words, texts, command);
    return TRUE;
  }
  if (strcmp (name, "scancel") == 0)
    return scancel_parse (words, texts, command, error);
  if (strcmp (name, "scontrol") == 0)
    return scontrol_parse (words, texts, command, error);
  if (strcmp (name, "sacctmgr") == 0)
    return sacctmgr_parse (words, command, error);
  if (strcmp (name, "squeue") == 0) {
    g_autofree char *label = g_strjoinv (" ", words + 1);
    command->kind = LK_COMMAND_SQUEUE;
    command->label = keep (texts, label);
    return TRUE;
  }
  g_autofree char *phrase = lk_suggest_phrase (name, known);
  return lk_command_fail (
      error, "the command is '%.*s'; expected sbatch, scancel, scontrol, sacctmgr or squeue%s",
      LK_COMMAND_SHOWN_MAX_BYTES, name, phrase);
}
