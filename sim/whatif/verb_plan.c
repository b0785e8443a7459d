/* sim/whatif/verb_plan.c — see the header.
 *
 * The job is submitted at the moment in one of two branches of each future; when it starts there is
 * the answer, and who starts later there than in the other branch is delayed by it. */
#include "sim/whatif/verb_plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/suggest.h"
#include "sim/verb.h"
#include "sim/whatif/ask.h"
#include "sim/whatif/calibration.h"
#include "sim/whatif/effect_show.h"
#include "sim/whatif/job_script.h"
#include "sim/why_private.h"
#include "traces/job_options.h"

#define REPEAT 50u
#define DELAYED_SHOWN 10u

typedef struct {
  LkAskOptions ask;
  char *user;
} Options;

/* What came of the job. */
typedef struct {
  LkInterval start_s;  /* behind the moment; of futures in which it does not start, the horizon */
  guint started_count; /* futures in which it does */
  LkReason reason;     /* why it does not, in the last of the others */
  gboolean never;
} Answer;

static const char description[] =
    "Tells when a job would start if it were submitted now, as an interval that holds in 90 of\n"
    "100 futures, and whom it delays. Nothing is submitted. The job is JOB.sh with its #SBATCH\n"
    "lines and the options of sbatch beside it, or --wrap=COMMAND; all options of sbatch that\n"
    "decide where and when a job runs count. Of an array the first task is meant.\n"
    "\n"
    "Exit status: 0 an answer; 1 the journal cannot be read, or the job would be refused; 2 wrong\n"
    "command line.\n"
    "\n"
    "Example: lockstep plan job.sh --nodes=2 --time=4:00:00 --state run.journal";

static void
options_clear (Options *self)
{
  lk_ask_options_clear (&self->ask);
  g_free (self->user);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Options, options_clear)

/* ---------------------------------------------------------------- the command line */

/* Options of this verb; those of sbatch have other names. A letter would be one of sbatch's. */
static const struct {
  const char *name;
  gboolean has_value;
} own_options[] = {
  { "--state", TRUE },       { "--at", TRUE },       { "--horizon", TRUE }, { "--arrivals", TRUE },
  { "--runtimes", TRUE },    { "--repeat", TRUE },   { "--seed", TRUE },    { "--jobs", TRUE },
  { "--calibration", TRUE }, { "--progress", TRUE }, { "--plugin", TRUE },  { "--user", TRUE },
  { "--json", FALSE },       { "--help", FALSE },
};

/* Is it no option of sbatch, and near to one of this verb?  Then it is reported as this verb's. */
static gboolean
is_mistyped (const char *word)
{
  const char *names[G_N_ELEMENTS (own_options) + 1] = { NULL };
  g_autofree char *name = g_strndup (word, strcspn (word, "="));
  for (guint i = 0; i < G_N_ELEMENTS (own_options); i++)
    names[i] = own_options[i].name;
  return g_str_has_prefix (word, "--") && !lk_job_option_is_known (word + strlen ("--"))
         && lk_suggest (name, names) != NULL;
}

/* How many words are an option of this verb; 0: it is none. */
static guint
own_words (char *const *at)
{
  for (guint i = 0; i < G_N_ELEMENTS (own_options); i++) {
    gsize length = strlen (own_options[i].name);
    if (strncmp (*at, own_options[i].name, length) != 0)
      continue;
    if ((*at)[length] == '=')
      return 1;
    if ((*at)[length] == '\0')
      return own_options[i].has_value && at[1] != NULL ? 2 : 1;
  }
  return is_mistyped (*at) ? 1 : 0;
}

/* Returns: (transfer full), what is for sbatch; NULL on failure. */
static char **
parse_options (int argc, char **argv, Options *out, GError **error)
{
  const GOptionEntry entries[] = {
    { "user", 0, 0, G_OPTION_ARG_STRING, &out->user,
      "Whose job it is, by name or number (default: who asks)", "USER" },
    G_OPTION_ENTRY_NULL,
  };
  g_autoptr (GPtrArray) own = g_ptr_array_new ();
  g_autoptr (GPtrArray) rest = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (own, argv[0]);
  for (int i = 1; i < argc;) {
    guint count = own_words (argv + i);
    for (guint j = 0; j < count; j++)
      g_ptr_array_add (own, argv[i + (int)j]);
    if (count == 0)
      g_ptr_array_add (rest, g_strdup (argv[i]));
    i += MAX ((int)count, 1);
  }
  int own_count = (int)own->len;
  g_ptr_array_add (own, NULL);
  g_ptr_array_add (rest, NULL);
  g_autoptr (GOptionContext) context =
      g_option_context_new ("JOB.sh [OPTIONS of sbatch] - tell when a job would start");
  g_option_context_add_main_entries (context, entries, NULL);
  lk_ask_add_options (&out->ask, context);
  g_option_context_set_description (context, description);
  g_auto (GStrv) none = lk_verb_parse (context, own_count, (char **)own->pdata, 0, 0, error);
  return none != NULL ? (char **)g_ptr_array_free (g_steal_pointer (&rest), FALSE) : NULL;
}

/* ---------------------------------------------------------------- the answer */

/* The first start of it, its tasks and components; LK_TIME_NEVER: none. */
static gint64
start_of (const LkWhatifPair *pair, Answer *answer)
{
  gint64 start_us = LK_TIME_NEVER;
  for (guint i = 0; i < pair->outcomes[LK_AFTER]->len; i++) {
    const LkOutcome *outcome = &g_array_index (pair->outcomes[LK_AFTER], LkOutcome, i);
    if (outcome->is_drawn || outcome->key < LK_KEY_ASKED (0))
      continue;
    start_us = MIN (start_us, outcome->start_us);
    if (outcome->waits) {
      answer->reason = outcome->reason;
      answer->never = outcome->never;
    }
  }
  return start_us;
}

static Answer
answer_of (const LkQuestion *question, const GPtrArray *pairs, double calibration)
{
  Answer answer = { .started_count = 0 };
  g_autoptr (GArray) starts = g_array_new (FALSE, FALSE, sizeof (double));
  for (guint i = 0; i < pairs->len; i++) {
    gint64 start_us = start_of (g_ptr_array_index (pairs, i), &answer);
    gboolean started = start_us != LK_TIME_NEVER;
    double start_s =
        (double)(started ? start_us - question->state->moment_us : question->future.horizon_us)
        / 1e6;
    answer.started_count += started ? 1 : 0;
    g_array_append_val (starts, start_s);
  }
  LkInterval raw = lk_interval_of (starts);
  answer.start_s = lk_calibration_widen (&raw, calibration);
  return answer;
}

static gint
by_delay (gconstpointer a, gconstpointer b)
{
  const LkEffectJob *x = *(LkEffectJob *const *)a, *y = *(LkEffectJob *const *)b;
  if (x->change_s.high != y->change_s.high)
    return x->change_s.high > y->change_s.high ? -1 : 1;
  return (x->key > y->key) - (x->key < y->key);
}

/* Who starts later in some of the futures. Returns: (transfer full), of LkEffectJob*. */
static GPtrArray *
delayed_of (const LkEffect *effect)
{
  GPtrArray *delayed = g_ptr_array_new ();
  for (guint i = 0; i < effect->jobs->len; i++) {
    LkEffectJob *job = g_ptr_array_index (effect->jobs, i);
    if (job->key < LK_KEY_ASKED (0) && job->change_s.high > LK_EFFECT_SAME_S)
      g_ptr_array_add (delayed, job);
  }
  g_ptr_array_sort (delayed, by_delay);
  return delayed;
}

static void
append_moment (const LkQuestion *question, double start_s, gboolean is_open, GString *out)
{
  gint64 whole_s = (gint64)floor (start_s + 0.5);
  gint64 at_us = question->state->moment_us + whole_s * G_USEC_PER_SEC;
  g_autofree char *from_now = lk_whatif_time (start_s);
  g_autofree char *moment = lk_why_moment_text (at_us - at_us % G_USEC_PER_SEC);
  if (is_open)
    g_string_append (out, "not within the horizon\n");
  else
    g_string_append_printf (out, "in %s, at %s\n", from_now, moment);
}

static void
show_text (const LkQuestion *question, const Answer *answer, const GPtrArray *delayed, GString *out)
{
  guint missing = question->repeat - answer->started_count;
  lk_question_text (question, out);
  g_string_append (out, "\nearliest  ");
  append_moment (question, answer->start_s.low, answer->started_count == 0, out);
  g_string_append (out, "expected  ");
  append_moment (question, answer->start_s.middle, 2 * missing > question->repeat, out);
  g_string_append (out, "latest    ");
  append_moment (question, answer->start_s.high, 20 * missing > question->repeat, out);
  if (missing > 0)
    g_string_append_printf (out, "It does not start in %u of %u futures%s: %s.\n", missing,
                            question->repeat, answer->never ? ", and never would" : "",
                            lk_reason_name (answer->reason));
  g_string_append_printf (out, "\nIt delays %u job%s%s\n", delayed->len,
                          delayed->len == 1 ? "" : "s",
                          delayed->len > DELAYED_SHOWN ? ", most of all these:"
                          : delayed->len > 0           ? ":"
                                                       : ".");
  for (guint i = 0; i < MIN (delayed->len, DELAYED_SHOWN); i++) {
    const LkEffectJob *job = g_ptr_array_index (delayed, i);
    g_autoptr (GString) label = g_string_new (NULL);
    g_autofree char *user = lk_whatif_user (question->state, job->user_id);
    g_autofree char *middle = lk_whatif_time (job->change_s.middle);
    g_autofree char *high = lk_whatif_time (job->change_s.high);
    lk_key_text (question->state->names, job->key, label);
    g_string_append_printf (out, "  %-12s %-10s by %s, at most %s\n", label->str, user, middle,
                            high);
  }
}

static void
show_json (const LkQuestion *question, const Answer *answer, const GPtrArray *delayed,
           double calibration, GString *out)
{
  LkJsonOut json;
  lk_json_out_init (&json, out);
  lk_json_out_object_begin (&json, NULL);
  lk_question_json (question, &json);
  lk_json_out_real (&json, "calibration", calibration);
  lk_interval_json (&json, "start_s", &answer->start_s);
  lk_json_out_count (&json, "started", answer->started_count);
  lk_json_out_text (&json, "reason",
                    answer->started_count < question->repeat ? lk_reason_name (answer->reason)
                                                             : NULL);
  lk_json_out_array_begin (&json, "delays");
  for (guint i = 0; i < delayed->len; i++) {
    const LkEffectJob *job = g_ptr_array_index (delayed, i);
    lk_json_out_object_begin (&json, NULL);
    lk_key_json (question->state->names, job->key, &json);
    lk_json_out_count (&json, "user", job->user_id);
    lk_interval_json (&json, "change_s", &job->change_s);
    lk_json_out_object_end (&json);
  }
  lk_json_out_array_end (&json);
  lk_json_out_object_end (&json);
  g_string_append_c (out, '\n');
}

static gboolean
answer (const Options *options, LkQuestion *question, const LkJobScript *job, double calibration,
        GError **error)
{
  LkChangeOptions none = { .conf = NULL };
  g_autoptr (LkChangeSet) change = lk_change_set_new (question->state, &none, error);
  lk_change_set_add_job (change, job->events);
  question->change = change;
  g_autoptr (GPtrArray) pairs = lk_question_run (question, error);
  if (pairs == NULL)
    return FALSE;
  g_autoptr (LkEffect) effect = lk_effect_new (pairs, question->state->moment_us);
  g_autoptr (GPtrArray) delayed = delayed_of (effect);
  g_autoptr (GString) out = g_string_new (NULL);
  Answer found = answer_of (question, pairs, calibration);
  if (options->ask.json)
    show_json (question, &found, delayed, calibration, out);
  else
    show_text (question, &found, delayed, out);
  fputs (out->str, stdout);
  return TRUE;
}

int
lk_verb_plan (int argc, char **argv)
{
  g_auto (Options) options = { .user = NULL };
  g_autoptr (GError) error = NULL;
  LkWhatifState state = { .path = NULL };
  LkJobScript job = { .label = NULL };
  LkQuestion question;
  double calibration;
  g_auto (GStrv) words = parse_options (argc, argv, &options, &error);
  gboolean is_good = words != NULL
                     && lk_calibration_read (options.ask.calibration, &calibration, &error)
                     && lk_ask_open (&options.ask, REPEAT, &state, &question, &error)
                     && lk_job_script_read (&job, words, options.user, &state, &error)
                     && answer (&options, &question, &job, calibration, &error);
  lk_job_script_clear (&job);
  lk_whatif_state_close (&state);
  return is_good ? 0 : lk_verb_fail ("plan", error);
}
