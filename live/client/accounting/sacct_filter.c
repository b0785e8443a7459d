/* live/client/accounting/sacct_filter.c — see the header.
 *
 * Without states a job is shown that was there at some moment of the time asked for; with states,
 * one that was in one of them then.  That time is today up to now; with jobs all time, with states
 * and no time this moment.  Source: sacct(1), DEFAULT TIME WINDOW. */
#include "live/client/accounting/sacct_filter.h"

#include <grp.h>
#include <pwd.h>
#include <string.h>
#include <time.h>

#include "engine/codec.h"
#include "engine/hostlist.h"
#include "engine/task_set.h"
#include "live/client/job_row.h"
#include "live/client/moment.h"
#include "live/client/words.h"
#include "traces/job_values.h"

#define DAY_US (24 * 3600 * (gint64)G_USEC_PER_SEC)

/* ---------------------------------------------------------------- the time */

/* Accounting of Slurm knows whole seconds: what happened within a second happened at its begin. */
static gint64
second_of (gint64 time_us)
{
  return time_us - time_us % G_USEC_PER_SEC;
}

static gint64
midnight_us (gint64 now_us)
{
  time_t now = (time_t)(now_us / G_USEC_PER_SEC);
  struct tm parts;
  if (localtime_r (&now, &parts) == NULL)
    return now_us;
  parts.tm_hour = parts.tm_min = parts.tm_sec = 0;
  parts.tm_isdst = -1;
  return (gint64)mktime (&parts) * G_USEC_PER_SEC;
}

/* A moment as such, or one that is so long ago: "now-2days". */
static gboolean
parse_moment (const LkClient *client, const char *text, gint64 *out_us)
{
  static const struct {
    const char *word;
    gint64 seconds;
  } units[] = { { "", 1 },        { "second", 1 },  { "minute", 60 },
                { "hour", 3600 }, { "day", 86400 }, { "week", 604800 } };
  char *behind;
  if (!g_str_has_prefix (text, "now-")) {
    if (lk_client_moment_parse (text, client->now_us, FALSE, out_us))
      return TRUE;
    fprintf (client->err, "Invalid time specification (pos=0): %s\n", text);
    return FALSE;
  }
  guint64 count = g_ascii_strtoull (text + 4, &behind, 10);
  gsize length = strlen (behind);
  if (length > 1 && behind[length - 1] == 's')
    length--;
  for (gsize i = 0; i < G_N_ELEMENTS (units); i++)
    if (behind != text + 4 && strlen (units[i].word) == length
        && g_ascii_strncasecmp (behind, units[i].word, length) == 0 && count < G_MAXUINT32) {
      *out_us = client->now_us - (gint64)count * units[i].seconds * (gint64)G_USEC_PER_SEC;
      return TRUE;
    }
  fprintf (client->err, "Invalid time specification (pos=4): %s\n", text);
  return FALSE;
}

/* A time of day that is still ahead is meant of yesterday. */
static gboolean
parse_past (const LkClient *client, const char *text, gint64 *out_us)
{
  if (!parse_moment (client, text, out_us))
    return FALSE;
  if (strlen (text) <= 8 && strchr (text, ':') != NULL && *out_us > client->now_us)
    *out_us -= DAY_US;
  return TRUE;
}

static gboolean
fill_time (LkSacctFilter *self, const LkClient *client)
{
  const LkSacctAsked *asked = self->asked;
  self->from_us = asked->jobs != NULL     ? 0
                  : asked->states != NULL ? client->now_us
                                          : midnight_us (client->now_us);
  if (asked->start != NULL && !parse_past (client, asked->start, &self->from_us))
    return FALSE;
  /* sacct(1), DEFAULT TIME WINDOW: with states, that moment is meant. */
  self->to_us = asked->states != NULL && asked->start != NULL ? self->from_us : client->now_us;
  if (asked->end != NULL && !parse_past (client, asked->end, &self->to_us))
    return FALSE;
  if (self->from_us <= self->to_us)
    return TRUE;
  g_autoptr (GString) start = g_string_new (NULL);
  g_autoptr (GString) end = g_string_new (NULL);
  lk_word_time (client, self->from_us, "", start);
  lk_word_time (client, self->to_us, "", end);
  lk_client_error (client, "Start time (%s) requested is after end time (%s).", start->str,
                   end->str);
  return FALSE;
}

/* ---------------------------------------------------------------- words */

static gboolean
fill_states (LkSacctFilter *self, const LkClient *client)
{
  LkJobState state;
  if (self->asked->states == NULL)
    return TRUE;
  g_auto (GStrv) words = g_strsplit (self->asked->states, ",", -1);
  for (guint i = 0; words[i] != NULL; i++) {
    if (!lk_state_parse (words[i], &state)) {
      fprintf (client->err, "%s: fatal: unrecognized job state value %s\n", client->command,
               words[i]);
      return FALSE;
    }
    self->state_set |= (gint64)1 << state;
  }
  return TRUE;
}

static gboolean
fill_nodes (LkSacctFilter *self, const LkClient *client)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  const char *list = self->asked->nodes;
  if (list == NULL)
    return TRUE;
  if (!lk_hostlist_expand (list, strlen (list), names, NULL)) {
    lk_client_error (client, "Invalid node name specified: %s", list);
    return FALSE;
  }
  self->nodes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < names->len; i++)
    g_hash_table_add (self->nodes, g_ptr_array_index (names, i));
  return TRUE;
}

/* "2", which is meant exactly, or "2-4". */
static gboolean
fill_counts (const LkClient *client, const char *text, gint64 *out_min, gint64 *out_max)
{
  char *behind = NULL;
  *out_min = 0;
  *out_max = G_MAXINT64;
  if (text == NULL)
    return TRUE;
  guint64 least = g_ascii_strtoull (text, &behind, 10);
  guint64 most = least;
  gboolean is_good = g_ascii_isdigit (*text) && least > 0;
  if (is_good && *behind == '-') {
    is_good = g_ascii_isdigit (behind[1]);
    most = g_ascii_strtoull (behind + 1, &behind, 10);
  }
  if (!is_good || *behind != '\0' || most < least || most > G_MAXINT32) {
    lk_client_error (client, "Invalid count '%s': expected a number, or two with '-' between",
                     text);
    return FALSE;
  }
  *out_min = (gint64)least;
  *out_max = (gint64)most;
  return TRUE;
}

static gboolean
limit_parse (const LkClient *client, const char *text, gint64 *out_limit_us)
{
  if (text == NULL || lk_job_time_limit_parse (text, out_limit_us))
    return TRUE;
  lk_client_error (client, "Invalid time limit '%s': expected minutes, or [D-]HH:MM:SS", text);
  return FALSE;
}

/* That of -k alone is meant exactly; -K alone says nothing (sacct(1)). */
static gboolean
fill_limits (LkSacctFilter *self, const LkClient *client)
{
  const LkSacctAsked *asked = self->asked;
  self->limit_min_us = 0;
  self->limit_max_us = G_MAXINT64;
  if (!limit_parse (client, asked->limit_min, &self->limit_min_us)
      || !limit_parse (client, asked->limit_max, &self->limit_max_us))
    return FALSE;
  if (asked->limit_min == NULL)
    self->limit_max_us = G_MAXINT64;
  else if (asked->limit_max == NULL)
    self->limit_max_us = self->limit_min_us;
  return TRUE;
}

/* "7" of "7_4.batch". FALSE: it is no job. */
static gboolean
parse_job (const char *word, gint64 *out_id, char **out_behind)
{
  guint64 id = g_ascii_strtoull (word, out_behind, 10);
  *out_id = (gint64)id;
  return *out_behind != word && id > 0 && id < G_MAXUINT32 && strchr ("_+.", **out_behind) != NULL;
}

static gboolean
check_jobs (const LkSacctFilter *self, const LkClient *client)
{
  const GPtrArray *jobs = self->asked->jobs;
  char *behind;
  gint64 id;
  for (guint i = 0; jobs != NULL && i < jobs->len; i++)
    if (!parse_job (g_ptr_array_index (jobs, i), &id, &behind)) {
      lk_client_error (client, "Invalid job id: %s", (char *)g_ptr_array_index (jobs, i));
      return FALSE;
    }
  return TRUE;
}

gboolean
lk_sacct_filter_init (LkSacctFilter *self, const LkClient *client, const LkSacctAsked *asked)
{
  /* Who names a job, a node or a user does not mean his own only (sacct.c of Slurm). */
  gboolean is_everybody = asked->is_everybody || asked->jobs != NULL || asked->nodes != NULL
                          || asked->users != NULL || lk_client_is_root (client);
  *self = (LkSacctFilter){ .asked = asked, .user_id = is_everybody ? -1 : (gint64)client->user_id };
  return check_jobs (self, client) && fill_time (self, client) && fill_states (self, client)
         && fill_nodes (self, client)
         && fill_counts (client, asked->node_counts, &self->nodes_min, &self->nodes_max)
         && fill_counts (client, asked->cpu_counts, &self->cpus_min, &self->cpus_max)
         && fill_limits (self, client);
}

/* The first that there is not; a number is taken as it is. NULL: none. */
static const char *
unknown_in (const char *list, gboolean of_groups, const char *path)
{
  g_auto (GStrv) words = g_strsplit (list != NULL ? list : "", ",", -1);
  for (guint i = 0; words[i] != NULL; i++) {
    guint64 number;
    const char *word = words[i];
    gboolean is_number = g_ascii_string_to_unsigned (word, 10, 0, G_MAXUINT32, &number, NULL);
    gboolean is_known = of_groups ? getgrnam (word) != NULL
                                  : getpwnam (word) != NULL || lk_sacct_book_has_user (path, word);
    if (*word != '\0' && !is_number && !is_known)
      return g_intern_string (word);
  }
  return NULL;
}

gboolean
lk_sacct_filter_check_who (const LkSacctFilter *self, const LkClient *client, const char *path)
{
  const char *user = unknown_in (self->asked->users, /* of_groups= */ FALSE, path);
  const char *group = unknown_in (self->asked->groups, /* of_groups= */ TRUE, path);
  if (user != NULL)
    lk_client_error (client, "Invalid user id: %s", user);
  else if (group != NULL)
    lk_client_error (client, "Invalid group id: %s", group);
  return user == NULL && group == NULL;
}

void
lk_sacct_filter_clear (LkSacctFilter *self)
{
  g_clear_pointer (&self->nodes, g_hash_table_unref);
}

void
lk_sacct_filter_range (const LkSacctFilter *self, LkSacctRange *out_range)
{
  const GPtrArray *jobs = self->asked->jobs;
  char *behind;
  gint64 id;
  *out_range = (LkSacctRange){ NULL, self->from_us, second_of (self->to_us) + G_USEC_PER_SEC - 1,
                               self->user_id };
  if (jobs == NULL)
    return;
  out_range->job_ids = g_array_new (FALSE, FALSE, sizeof (gint64));
  for (guint i = 0; i < jobs->len; i++)
    if (parse_job (g_ptr_array_index (jobs, i), &id, &behind))
      g_array_append_val (out_range->job_ids, id);
}

/* ---------------------------------------------------------------- jobs by name */

static gboolean
is_task (const LkAccountingJob *job, const char *list, gsize length)
{
  g_autofree char *text = g_strndup (list, length);
  LkTaskSet tasks = { 0 };
  if (!lk_task_set_parse (lk_text (text), LK_LIMIT_TASKS, &tasks))
    return FALSE;
  gboolean is_in = job->array_task >= 0 && lk_task_set_has (&tasks, (guint32)job->array_task);
  lk_task_set_clear (&tasks);
  return is_in;
}

/* Does the word mean it? `out_step` gets what is behind the dot; NULL: nothing is. */
static gboolean
is_meant (const char *word, const LkAccountingJob *job, const char **out_step)
{
  char *behind;
  gint64 id;
  parse_job (word, &id, &behind);
  const char *dot = strchr (behind, '.');
  gsize length = dot != NULL ? (gsize)(dot - behind) : strlen (behind);
  *out_step = dot != NULL ? dot + 1 : NULL;
  if (length == 0)
    return job->job_id == id || job->array_job_id == id || job->het_leader == id;
  if (*behind == '+')
    return job->het_leader == id && job->het_offset == g_ascii_strtoll (behind + 1, NULL, 10);
  return *behind == '_' && job->array_job_id == id && is_task (job, behind + 1, length - 1);
}

/* `line` NULL: any of the job's lines; "": its own; else that of a step. */
static gboolean
is_named (const LkSacctFilter *self, const LkAccountingJob *job, const char *line)
{
  const GPtrArray *jobs = self->asked->jobs;
  const char *step;
  if (jobs == NULL)
    return TRUE;
  for (guint i = 0; i < jobs->len; i++)
    if (is_meant (g_ptr_array_index (jobs, i), job, &step)
        && (line == NULL || step == NULL || strcmp (step, line) == 0))
      return TRUE;
  return FALSE;
}

gboolean
lk_sacct_filter_wants_job (const LkSacctFilter *self, const LkSacctJob *job)
{
  return is_named (self, &job->job, "");
}

gboolean
lk_sacct_filter_wants_batch (const LkSacctFilter *self, const LkSacctJob *job)
{
  return !self->asked->shows_jobs_only && lk_sacct_has_batch (&job->job)
         && is_named (self, &job->job, "batch");
}

gboolean
lk_sacct_filter_wants_step (const LkSacctFilter *self, const LkSacctJob *job, gint64 step_id)
{
  g_autofree char *name = g_strdup_printf ("%" G_GINT64_FORMAT, step_id);
  return !self->asked->shows_jobs_only && is_named (self, &job->job, name);
}

/* ---------------------------------------------------------------- all together */

/* One that never could have started, or only later, was at no time there, unless it is named. */
static gboolean
is_in_time (const LkSacctFilter *self, const LkAccountingJob *job)
{
  if (job->eligible_us == 0 && self->asked->jobs == NULL)
    return FALSE;
  if (second_of (job->eligible_us) > self->to_us && job->restarts == 0 && self->asked->jobs == NULL)
    return FALSE;
  /* With states Slurm takes an end at -S itself, without them only a later one. */
  gint64 end_us = second_of (job->end_us) + (self->state_set != 0 ? 1 : 0);
  return second_of (job->submit_us) <= self->to_us && (job->end_us == 0 || end_us > self->from_us);
}

/* Was it in one of the states at some moment of the time? */
static gboolean
was_in_state (const LkSacctFilter *self, const LkAccountingJob *job)
{
  gint64 set = self->state_set;
  gint64 pending_until_us = second_of (job->start_us != 0 ? job->start_us : job->end_us);
  if (set == 0)
    return TRUE;
  if ((set >> LK_JOB_RUNNING & 1) != 0 && job->start_us != 0
      && second_of (job->start_us) <= self->to_us
      && (job->end_us == 0 || second_of (job->end_us) > self->from_us))
    return TRUE;
  /* One that could not have started did not wait for anything: it is held, or of a later time. */
  if ((set >> LK_JOB_PENDING & 1) != 0 && job->eligible_us != 0
      && (second_of (job->eligible_us) <= self->to_us || job->restarts > 0)
      && (pending_until_us == 0 || pending_until_us > self->from_us))
    return TRUE;
  if (job->state == LK_JOB_RUNNING || job->state == LK_JOB_PENDING)
    return FALSE;
  return (set >> job->state & 1) != 0
         && (job->end_us == 0 || second_of (job->end_us) <= self->to_us);
}

static gboolean
is_listed (const char *list, const char *word)
{
  return list == NULL || lk_word_is_listed (list, word);
}

/* By name or number. */
static gboolean
is_who (const char *list, const char *name, gint64 id)
{
  g_autofree char *number = g_strdup_printf ("%" G_GINT64_FORMAT, id);
  return is_listed (list, name) || lk_word_is_listed (list, number);
}

static gboolean
is_any_listed (const char *list, const char *words)
{
  g_auto (GStrv) each = g_strsplit (words, ",", -1);
  for (guint i = 0; list != NULL && each[i] != NULL; i++)
    if (lk_word_is_listed (list, each[i]))
      return TRUE;
  return list == NULL;
}

static gboolean
was_on_node (const LkSacctFilter *self, const char *list)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  if (self->nodes == NULL)
    return TRUE;
  lk_hostlist_expand (list, strlen (list), names, NULL);
  for (guint i = 0; i < names->len; i++)
    if (g_hash_table_contains (self->nodes, g_ptr_array_index (names, i)))
      return TRUE;
  return FALSE;
}

static gboolean
is_as_large (const LkSacctFilter *self, const LkAccountingJob *job)
{
  return job->nodes >= self->nodes_min && job->nodes <= self->nodes_max
         && job->cpus >= self->cpus_min && job->cpus <= self->cpus_max
         && job->limit_us >= self->limit_min_us && job->limit_us <= self->limit_max_us;
}

static gboolean
is_of_association (const LkSacctFilter *self, const LkSacctJob *row)
{
  g_autofree char *number = g_strdup_printf ("%" G_GINT64_FORMAT, row->association_id);
  return is_listed (self->asked->associations, number);
}

gboolean
lk_sacct_filter_wants (const LkSacctFilter *self, const LkSacctJob *row)
{
  const LkAccountingJob *job = &row->job;
  const LkSacctAsked *asked = self->asked;
  return is_named (self, job, NULL) && is_in_time (self, job) && was_in_state (self, job)
         && (self->user_id < 0 || job->user_id == self->user_id)
         && is_who (asked->users, row->user, job->user_id)
         && is_who (asked->groups, row->group, job->group_id)
         && is_listed (asked->accounts, job->account)
         && is_any_listed (asked->partitions, job->partition) && is_listed (asked->names, job->name)
         && is_listed (asked->qos, job->qos) && is_listed (asked->wckeys, job->wckey)
         && is_as_large (self, job) && is_of_association (self, row)
         && was_on_node (self, job->node_list);
}
