/* engine/engine_reconfigure.c — another configuration comes into force while jobs wait and run.
 *
 * An engine is made of the new configuration, and takes over the state of this one (carry.h).  That
 * is tried first, on an engine that is thrown away; if it does not succeed, the event is refused
 * and nothing has changed.  Then this engine is made anew in its place: who holds it sees the new
 * nodes, partitions and policies from the event on, and indices of jobs are others than before.
 *
 * What jobs hold they keep, and pending jobs their time limits.  What backfill had planned is
 * planned anew; priorities are calculated at once.  Source: the order of things in Slurm's
 * `scontrol reconfigure`, which restarts the controller upon its saved state. */
#include <string.h>

#include "engine/assert.h"
#include "engine/engine_array.h"
#include "engine/engine_life.h"
#include "engine/engine_reconfigure.h"

/* What is under way while the event is applied; the state does not hold it. */
typedef struct {
  const LkEvent *event;
  const LkSink *sink;
  GByteArray *scratch;
  gsize decided_bytes;
  guint32 decided_count;
} UnderWay;

/* ---------------------------------------------------------------- try */

/* A copy of the state under `force`, settled: would it stand? */
static gboolean
try_state (LkEngine *trial, const GByteArray *state, const LkCarry *carry)
{
  LkBytesReader reader = { state->data, state->len, FALSE };
  trial->carry = carry;
  gboolean stands = lk_engine_load_state (trial, &reader);
  if (stands) {
    lk_carry_settle (trial);
    stands = lk_carry_is_sound (trial);
  }
  trial->carry = NULL;
  return stands;
}

/* Returns: (transfer full): the state, and what takes it over; FALSE: `problems` say why not. */
static gboolean
try_config (const LkEngine *self, LkInForce *force, GPtrArray *problems, GByteArray *out_state,
            LkCarry **out_carry)
{
  LkPolicyError error = { "" };
  if (!lk_config_is_alike (self, &force->config, problems))
    return FALSE;
  /* It borrows what `force` owns. */
  g_autoptr (LkEngine) trial = lk_engine_new_under (&force->config, NULL, &error);
  if (trial == NULL) {
    lk_config_problem (problems, "%s", error.text);
    return FALSE;
  }
  g_autoptr (LkCarry) carry = lk_carry_new (self, trial);
  lk_config_compare (self, trial, carry, problems);
  if (problems->len > 0)
    return FALSE;
  lk_engine_save_state (self, out_state);
  if (!try_state (trial, out_state, carry)) {
    if (trial->loaded_id != 0)
      lk_config_problem (problems, "job %u cannot go on as it is", trial->loaded_id);
    else
      lk_config_problem (problems, "what is set aside or runs cannot stay as it is");
    return FALSE;
  }
  *out_carry = g_steal_pointer (&carry);
  return TRUE;
}

void
lk_engine_try_config (const LkEngine *self, const LkJournalHeader *described, GPtrArray *problems)
{
  LkInForce force;
  LkPolicyError error = { "" };
  g_autoptr (GByteArray) state = g_byte_array_new ();
  g_autoptr (LkCarry) carry = NULL;
  if (lk_in_force_make (&force, &self->config_first, described, &error))
    try_config (self, &force, problems, state, &carry);
  else
    lk_config_problem (problems, "%s", error.text);
  lk_in_force_clear (&force, &self->config_first);
}

/* ---------------------------------------------------------------- take over */

static void
put_aside (LkEngine *self, UnderWay *out)
{
  *out = (UnderWay){ .event = self->event,
                     .sink = self->sink,
                     .scratch = g_byte_array_ref (self->scratch),
                     .decided_bytes = self->decided_bytes,
                     .decided_count = self->decided_count };
}

static void
take_up (LkEngine *self, const UnderWay *under_way)
{
  self->event = under_way->event;
  self->sink = under_way->sink;
  g_byte_array_unref (self->scratch);
  self->scratch = under_way->scratch;
  self->decided_bytes = under_way->decided_bytes;
  self->decided_count = under_way->decided_count;
  self->is_accepted = TRUE;
}

static void
make_anew (LkEngine *self, LkInForce *force, const GByteArray *state, const LkCarry *carry)
{
  LkPolicyError error;
  UnderWay under_way;
  LkBytesReader reader = { state->data, state->len, FALSE };
  LkEngineConfig first = self->config_first;
  put_aside (self, &under_way);
  lk_engine_clear (self);
  gboolean is_made = lk_engine_init (self, &first, force, &error);
  LK_ASSERT (is_made);
  self->carry = carry;
  gboolean is_loaded = lk_engine_load_state (self, &reader);
  LK_ASSERT (is_loaded);
  take_up (self, &under_way);
  lk_carry_settle (self);
  self->carry = NULL;
  lk_engine_ask_wake (self);
}

LkReject
lk_engine_reconfigure_event (LkEngine *self, const LkEvent_reconfigure *event)
{
  LkInForce force;
  LkPolicyError error;
  LkJournalHeader described;
  LkCarry *carry = NULL;
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GByteArray) state = g_byte_array_new ();
  lk_reconfigure_header (event, &described);
  if (!lk_in_force_make (&force, &self->config_first, &described, &error))
    return LK_REJECT_CONFIGURATION;
  gboolean is_good = try_config (self, &force, problems, state, &carry);
  if (is_good) {
    lk_engine_accept (self, LK_JOB_NONE);
    g_byte_array_set_size (state, 0);
    lk_engine_save_state (self, state); /* with the decision counted */
    make_anew (self, &force, state, carry);
    lk_carry_free (carry);
  }
  lk_in_force_clear (&force, &self->config_first);
  return is_good ? 0 : LK_REJECT_CONFIGURATION;
}
