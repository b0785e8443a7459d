/* sim/why_show.c — why a job waits, for people on one screen and as JSON. */
#include <string.h>

#include "sim/why_private.h"

/* ---------------------------------------------------------------- for people: the job */

static void
append_names (const LkWhy *self, GString *out)
{
  const struct {
    const char *label;
    const char *name;
  } names[] = { { "account", self->account },
                { "QOS", self->qos },
                { "partition", self->partition } };
  g_string_append_printf (out, "  user       %s", self->user);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (names[i].name[0] != '\0')
      g_string_append_printf (out, ", %s %s", names[i].label, names[i].name);
  g_string_append_c (out, '\n');
}

/* The terms that are not 0. */
static void
append_terms (const LkPriorityParts *parts, GString *out)
{
  const struct {
    const char *word;
    double value;
  } terms[] = { { "age", parts->age_term },
                { "association", parts->association_term },
                { "fairshare", parts->fairshare_term },
                { "job size", parts->job_size_term },
                { "partition", parts->partition_term },
                { "QOS", parts->qos_term },
                { "TRES", parts->tres_term },
                { "site", (double)parts->site_factor },
                { "nice", -(double)parts->nice } };
  const char *separator = " = ";
  for (guint i = 0; i < G_N_ELEMENTS (terms); i++) {
    if (terms[i].value == 0.0)
      continue;
    g_string_append_printf (out, "%s%s %.0f", separator, terms[i].word, terms[i].value);
    separator = " + ";
  }
}

static void
append_place (const LkWhy *self, GString *out)
{
  if (self->place > 0)
    g_string_append_printf (out, "  queue      place %u of %u\n", self->place, self->queue_count);
  else
    g_string_append (out, "  queue      it is not in the queue\n");
  if (!self->has_parts)
    return;
  g_string_append_printf (out, "  priority   %u", self->parts.priority);
  append_terms (&self->parts, out);
  g_string_append_c (out, '\n');
}

static void
append_job (const LkWhy *self, GString *out)
{
  g_autofree char *now = lk_why_moment_text (self->now_us);
  g_autofree char *waited = lk_why_duration_text (self->now_us - self->info.submit_us);
  g_string_append (out, "Job ");
  lk_journal_names_append_job (self->names, self->info.id, out);
  g_string_append_printf (out, ": %s, %s, at %s\n", lk_job_state_name (self->info.state),
                          lk_reason_name (self->info.reason), now);
  append_names (self, out);
  g_string_append_printf (out, "  asks for   %s\n  waiting    for %s\n", self->ask, waited);
  append_place (self, out);
}

/* ---------------------------------------------------------------- for people: the rest */

/* Words for a column: "required nodes". */
static void
append_label (const char *word, GString *out)
{
  g_autofree char *label = g_strdelimit (g_strdup (word), "_", ' ');
  g_string_append_printf (out, "  %-10s ", label);
}

static void
append_blockers (const LkWhy *self, GString *out)
{
  if (self->blockers->len == 0)
    return;
  g_string_append (out, "Blocked by\n");
  for (guint i = 0; i < self->blockers->len; i++) {
    const LkWhyBlocker *blocker = g_ptr_array_index (self->blockers, i);
    append_label (lk_why_blocker_word (blocker->kind), out);
    g_string_append_printf (out, "%s\n", blocker->text);
  }
}

static void
append_moment (const LkWhy *self, gint64 at_us, GString *out)
{
  g_autofree char *moment = lk_why_moment_text (at_us);
  g_autofree char *from_now = lk_why_duration_text (at_us - self->now_us);
  g_string_append_printf (out, "%s, in %s", moment, from_now);
}

static void
append_start (const LkWhy *self, GString *out)
{
  g_string_append (out, "Start\n");
  if (self->planned_us != LK_TIME_NEVER) {
    g_string_append (out, "  planned    ");
    append_moment (self, self->planned_us, out);
    g_string_append (out, "\n");
  }
  g_string_append (out, "  expected   ");
  if (self->start == LK_WHY_START_AT) {
    append_moment (self, self->start_us, out);
    g_string_append (out, ", if all jobs use up their time limits and no other comes\n");
  } else if (self->start == LK_WHY_START_NEVER) {
    g_string_append (out, "never as things stand\n");
  } else {
    g_string_append (out, "not within 90 days, or it cannot be told\n");
  }
}

static void
append_changes (const LkWhy *self, GString *out)
{
  if (self->changes->len == 0 && self->info.het_leader != 0) {
    g_string_append (out, "Changes are not tried: it is a component of a heterogeneous job.\n");
    return;
  }
  if (self->changes->len == 0) {
    g_string_append (out, "No single change to what it asks for, or to its place in the queue, "
                          "starts it now.\n");
    return;
  }
  g_string_append (out, "It would start now with any one of\n");
  for (guint i = 0; i < self->changes->len; i++) {
    const LkWhyChange *change = g_ptr_array_index (self->changes, i);
    g_string_append_printf (out, "  %s\n", change->text);
  }
}

void
lk_why_text (const LkWhy *self, GString *out)
{
  append_job (self, out);
  append_blockers (self, out);
  append_start (self, out);
  append_changes (self, out);
}

/* ---------------------------------------------------------------- JSON */

static void
json_log_id (const LkJournalNames *names, guint32 job_id, const char *key, LkJsonOut *out)
{
  const char *log_id = lk_journal_names_log_id (names, job_id);
  if (log_id != NULL)
    lk_json_out_text (out, key, log_id);
}

static void
json_moment (LkJsonOut *out, const char *key, gint64 at_us)
{
  if (at_us == LK_TIME_NEVER)
    lk_json_out_text (out, key, NULL);
  else
    lk_json_out_integer (out, key, at_us);
}

static void
json_name (LkJsonOut *out, const char *key, const char *name)
{
  lk_json_out_text (out, key, name[0] != '\0' ? name : NULL);
}

static void
json_job (const LkWhy *self, LkJsonOut *out)
{
  lk_json_out_text (out, "reason", lk_reason_name (self->info.reason));
  lk_json_out_text (out, "user", self->user);
  json_name (out, "account", self->account);
  json_name (out, "qos", self->qos);
  json_name (out, "partition", self->partition);
  lk_json_out_text (out, "asks", self->ask);
  lk_json_out_count (out, "procs", self->info.procs);
  json_moment (out, "time_limit_us", self->info.estimate_us);
  lk_json_out_integer (out, "submit_us", self->info.submit_us);
  lk_json_out_integer (out, "begin_us", self->info.begin_us);
  lk_json_out_integer (out, "waiting_us", self->now_us - self->info.submit_us);
  lk_json_out_count (out, "queue_place", self->place);
  lk_json_out_count (out, "queue_count", self->queue_count);
}

#define JSON_PART(part) lk_json_out_real (out, #part, self->parts.part);

static void
json_priority (const LkWhy *self, LkJsonOut *out)
{
  if (!self->has_parts) {
    lk_json_out_text (out, "priority", NULL);
    return;
  }
  lk_json_out_object_begin (out, "priority");
  lk_json_out_count (out, "priority", self->parts.priority);
  JSON_PART (age_factor)
  JSON_PART (association_factor)
  JSON_PART (fairshare_factor)
  JSON_PART (job_size_factor)
  JSON_PART (partition_factor)
  JSON_PART (qos_factor)
  JSON_PART (age_term)
  JSON_PART (association_term)
  JSON_PART (fairshare_term)
  JSON_PART (job_size_term)
  JSON_PART (partition_term)
  JSON_PART (qos_term)
  JSON_PART (tres_term)
  lk_json_out_integer (out, "nice", self->parts.nice);
  lk_json_out_integer (out, "site_factor", self->parts.site_factor);
  lk_json_out_object_end (out);
}

static void
json_nodes (const LkWhyNodes *self, LkJsonOut *out)
{
  lk_json_out_object_begin (out, "nodes");
  lk_json_out_count (out, "wanted", self->wanted);
  lk_json_out_count (out, "eligible", self->eligible);
  lk_json_out_count (out, "able", self->able);
  lk_json_out_count (out, "able_cpus", self->able_cpus);
  lk_json_out_count (out, "unusable", self->unusable);
  lk_json_out_count (out, "taken", self->taken);
  lk_json_out_count (out, "short_of_cpus", self->cpus_short);
  lk_json_out_count (out, "short_of_gpus", self->gpus_short);
  lk_json_out_count (out, "short_of_memory", self->memory_short);
  lk_json_out_count (out, "other", self->other);
  lk_json_out_object_end (out);
}

static void
json_jobs (const LkWhyBlocker *self, LkJsonOut *out)
{
  lk_json_out_count (out, "job_count", self->job_count);
  lk_json_out_array_begin (out, "jobs");
  for (guint i = 0; i < self->jobs->len; i++) {
    const LkWhyJob *job = g_ptr_array_index (self->jobs, i);
    lk_json_out_object_begin (out, NULL);
    if (job->id != 0)
      lk_json_out_count (out, "job", job->id);
    else
      lk_json_out_text (out, "job", NULL);
    json_log_id (self->names, job->id, "log_id", out);
    lk_json_out_text (out, "user", job->user);
    json_name (out, "account", job->account);
    lk_json_out_count (out, "amount", job->amount);
    lk_json_out_object_end (out);
  }
  lk_json_out_array_end (out);
}

static void
json_blocker (const LkWhyBlocker *self, LkJsonOut *out)
{
  lk_json_out_object_begin (out, NULL);
  lk_json_out_text (out, "kind", lk_why_blocker_word (self->kind));
  lk_json_out_text (out, "reason", lk_reason_name (self->reason));
  lk_json_out_text (out, "text", self->text);
  if (self->at_us != LK_TIME_NEVER)
    lk_json_out_integer (out, "at_us", self->at_us);
  if (self->name != NULL)
    lk_json_out_text (out, "name", self->name);
  if (self->holder != NULL)
    lk_json_out_text (out, "holder", self->holder);
  if (self->tres != NULL)
    lk_json_out_text (out, "tres", self->tres);
  if (self->unit != NULL) {
    lk_json_out_text (out, "unit", self->unit);
    lk_json_out_count (out, "limit", self->limit);
    lk_json_out_count (out, "used", self->used);
    lk_json_out_count (out, "asked", self->asked);
  }
  if (self->has_nodes)
    json_nodes (&self->nodes, out);
  json_jobs (self, out);
  lk_json_out_object_end (out);
}

static void
json_change (const LkWhyChange *self, const LkJournalNames *names, LkJsonOut *out)
{
  lk_json_out_object_begin (out, NULL);
  lk_json_out_text (out, "kind", lk_why_change_word (self->kind));
  lk_json_out_real (out, "size", self->size);
  lk_json_out_text (out, "text", self->text);
  lk_json_out_text (out, "from", self->from);
  lk_json_out_text (out, "to", self->to);
  if (self->has_values) {
    lk_json_out_integer (out, "from_value", self->from_value);
    lk_json_out_integer (out, "to_value", self->to_value);
  }
  if (self->kind == LK_WHY_CHANGE_PRIORITY) {
    lk_json_out_count (out, "over_job", self->over_job_id);
    json_log_id (names, self->over_job_id, "over_log_id", out);
    lk_json_out_count (out, "over_priority", self->over_priority);
  }
  lk_json_out_object_end (out);
}

void
lk_why_json (const LkWhy *self, LkJsonOut *out)
{
  static const char *const starts[] = { "at", "never", "unknown" };
  json_job (self, out);
  json_priority (self, out);
  lk_json_out_array_begin (out, "blockers");
  for (guint i = 0; i < self->blockers->len; i++)
    json_blocker (g_ptr_array_index (self->blockers, i), out);
  lk_json_out_array_end (out);
  json_moment (out, "planned_start_us", self->planned_us);
  lk_json_out_text (out, "expected_start", starts[self->start]);
  json_moment (out, "expected_start_us", self->start_us);
  lk_json_out_array_begin (out, "changes");
  for (guint i = 0; i < self->changes->len; i++)
    json_change (g_ptr_array_index (self->changes, i), self->names, out);
  lk_json_out_array_end (out);
  lk_json_out_count (out, "trials", self->trial_count);
}
