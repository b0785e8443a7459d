/* sim/whatif/change.c — see the header. */
#include "sim/whatif/change.h"

#include <string.h>

#include "engine/suggest.h"
#include "policies/spec.h"
#include "sim/command_play.h"
#include "sim/error.h"
#include "sim/whatif/change_config.h"

struct _LkChangeSet {
  GByteArray *reconfigure; /* the event; empty: none */
  GPtrArray *scripts;      /* of LkCommandScript*, one command each */
  GPtrArray *lines;        /* of char* */
  const GArray *job;       /* of LkEvent; NULL: none */
  const LkSetup *setup;    /* what the journal began with */
  gint64 moment_us;
};

/* ---------------------------------------------------------------- commands */

static void
script_free (gpointer script)
{
  lk_command_script_free (script);
}

static gboolean
is_taken (LkCommandKind kind)
{
  return kind != LK_COMMAND_SUBMIT && kind != LK_COMMAND_SQUEUE && kind != LK_COMMAND_UNREAD;
}

/* The job may be named by its number in the log. */
static gboolean
job_resolve (const LkJournalNames *names, LkCommandJob *job, GError **error)
{
  g_autofree char *resolved = lk_journal_names_resolve (names, job->given, error);
  if (resolved == NULL)
    return FALSE;
  job->id = (guint32)g_ascii_strtoull (resolved, NULL, 10);
  if (strpbrk (resolved, "_+") == NULL) {
    job->task = NULL;
    job->component = -1;
  }
  return TRUE;
}

static gboolean
jobs_resolve (const LkJournalNames *names, const LkCommand *command, GError **error)
{
  for (guint i = 0; i < command->jobs->len; i++) {
    LkCommandJob *job = &g_array_index (command->jobs, LkCommandJob, i);
    if (job->name == NULL && !job_resolve (names, job, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
command_add (LkChangeSet *self, const LkJournalNames *names, const char *text, GError **error)
{
  g_autofree char *line = g_strdup_printf ("0 root %s\n", text);
  g_autoptr (GBytes) bytes = g_bytes_new (line, strlen (line));
  GError *own = NULL;
  LkCommandScript *script = lk_command_script_new_from_bytes ("--do", bytes, &own);
  if (script == NULL) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE, "'%s': %s", text, own->message);
    g_error_free (own);
    return FALSE;
  }
  g_ptr_array_add (self->scripts, script);
  if (lk_command_script_count (script) == 1 && is_taken (lk_command_script_at (script, 0)->kind)) {
    g_ptr_array_add (self->lines, g_strdup (text));
    return jobs_resolve (names, lk_command_script_at (script, 0), error);
  }
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
               "--do is '%s'; expected one command of scontrol, sacctmgr or scancel that changes "
               "something (for a new job there is lockstep plan)",
               text);
  return FALSE;
}

static LkReject
control_apply (gpointer driver, LkEvent *event)
{
  return lk_branch_apply (driver, event);
}

/* Jobs that a command may name. */
static void
tell_jobs (LkCommandPlay *play, const LkEngine *engine)
{
  const LkView *view = lk_engine_view (engine);
  for (LkJobIndex job = 0; job < view->job_index_limit; job++)
    if (view->jobs->phase[job] != LK_PHASE_FREE)
      lk_command_play_know (play, engine, job);
}

static gboolean
command_apply (const LkChangeSet *self, const LkCommandScript *script, LkBranch *branch,
               GError **error)
{
  guint32 job_id_last = 0;
  g_autoptr (LkCommandPlay) play = lk_command_play_new (script, error);
  if (play == NULL)
    return FALSE;
  LkSimControl control = { .engine = lk_branch_engine (branch),
                           .now_us = self->moment_us,
                           .job_id_last = &job_id_last,
                           .apply = control_apply,
                           .driver = branch };
  tell_jobs (play, control.engine);
  lk_command_play_describe (play, self->setup);
  lk_command_play_act (play, &control);
  const LkCommandAnswer *answer =
      &g_array_index (lk_command_play_answers (play), LkCommandAnswer, 0);
  if (answer->refused == NULL)
    return TRUE;
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_RUN, "'%s' is refused: %s", answer->command->text,
               answer->refused);
  return FALSE;
}

/* ---------------------------------------------------------------- a job */

void
lk_change_set_add_job (LkChangeSet *self, const GArray *events)
{
  self->job = events;
}

static gboolean
job_apply (const LkChangeSet *self, LkBranch *branch, GError **error)
{
  guint32 leader_id = 0;
  for (guint i = 0; self->job != NULL && i < self->job->len; i++) {
    LkEvent event = g_array_index (self->job, LkEvent, i);
    event.submit.het_leader = leader_id;
    LkReject reject = lk_branch_submit (branch, &event, LK_KEY_ASKED (i));
    if (reject != 0) {
      g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_RUN, "the job would be refused: %s",
                   lk_reject_text (reject));
      return FALSE;
    }
    leader_id = i == 0 ? event.submit.job_id : leader_id;
  }
  return TRUE;
}

/* ---------------------------------------------------------------- the whole */

LkChangeSet *
lk_change_set_new (const LkWhatifState *state, const LkChangeOptions *options, GError **error)
{
  g_autoptr (LkChangeSet) self = g_new0 (LkChangeSet, 1);
  self->reconfigure = g_byte_array_new ();
  self->scripts = g_ptr_array_new_with_free_func (script_free);
  self->lines = g_ptr_array_new_with_free_func (g_free);
  self->moment_us = state->moment_us;
  self->setup = state->setup;
  LkConfigChange wanted = { .sets = options->sets, .conf = options->conf };
  if (!lk_config_change (state, &wanted, self->reconfigure, self->lines, error))
    return NULL;
  for (guint i = 0; options->dos != NULL && options->dos[i] != NULL; i++)
    if (!command_add (self, state->names, options->dos[i], error))
      return NULL;
  return g_steal_pointer (&self);
}

void
lk_change_set_free (LkChangeSet *self)
{
  if (self == NULL)
    return;
  g_byte_array_unref (self->reconfigure);
  g_ptr_array_unref (self->scripts);
  g_ptr_array_unref (self->lines);
  g_free (self);
}

gboolean
lk_change_set_is_empty (const LkChangeSet *self)
{
  return self->reconfigure->len == 0 && self->scripts->len == 0 && self->job == NULL;
}

gboolean
lk_change_set_apply (const LkChangeSet *self, LkBranch *branch, GError **error)
{
  LkEvent event;
  if (self->reconfigure->len > 0) {
    lk_event_decode (self->reconfigure->data, self->reconfigure->len, &event);
    LkReject reject = lk_branch_apply (branch, &event);
    if (reject != 0) {
      g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_RUN, "the new configuration is refused: %s",
                   lk_reject_text (reject));
      return FALSE;
    }
  }
  for (guint i = 0; i < self->scripts->len; i++)
    if (!command_apply (self, g_ptr_array_index (self->scripts, i), branch, error))
      return FALSE;
  return job_apply (self, branch, error);
}

const GPtrArray *
lk_change_set_lines (const LkChangeSet *self)
{
  return self->lines;
}
