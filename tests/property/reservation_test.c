/* tests/property/reservation_test.c — random advance reservations over random machines of nodes
 * under random jobs.
 *
 * An own list of who has set what aside, kept from the engine's reservation decisions, is asked at
 * each start: no job starts on nodes that are another's within its time limit, and one in a
 * reservation starts on its nodes between its start and its end.  The engine's own invariants do
 * the same for cores and GPUs.  The same events give the same decisions again, restarts from
 * snapshots change nothing, and with reservations that are over before anybody comes all is as
 * without.
 *
 * LK_PROPERTY_ROUNDS=N runs more workloads for each policy, LK_PROPERTY_SEED=N only that one. */
#include <glib.h>
#include <string.h>

#include "engine/checked.h"
#include "engine/hostlist.h"
#include "engine/reservation.h"
#include "tests/property/machine_audit.h"
#include "tests/property/machine_ledger.h"
#include "tests/property/workload.h"

#define ROUNDS_DEFAULT 60u
#define RESERVATIONS_MAX 8u

static const char *const backfills[] = { "none",
                                         "easy",
                                         "easy:reservations=3",
                                         "conservative",
                                         "replan",
                                         "slurm",
                                         "full",
                                         "full:window=1,offers=1,credit=2" };
static const char *const selects[] = { "linear", "cons_tres", "fgd", "topology" };

/* ---------------------------------------------------------------- drawing */

typedef struct {
  LkSeed seed;
  LkMachineWorkload *workload;
  GArray *events; /* of LkEvent */
} Draw;

static const char *
pick (Draw *self, const char *const *words, guint count)
{
  return words[lk_seed_below (&self->seed, count)];
}

static char *
name_of (Draw *self, guint index)
{
  g_autofree char *name = g_strdup_printf ("r%u", index);
  return g_string_chunk_insert (self->workload->texts, name);
}

static const char *
draw_flags (Draw *self)
{
  static const char *const words[] = {
    "",
    "",
    "IGNORE_JOBS",
    "MAINT,IGNORE_JOBS",
    "OVERLAP",
    "FLEX",
    "MAGNETIC",
    "NO_HOLD_JOBS_AFTER",
    "REPLACE",
    "HOURLY",
    "STATIC_ALLOC",
    "IGNORE_JOBS,OVERLAP",
    "TIME_FLOAT",
    "PURGE_COMP",
    "MAGNETIC,FLEX",
    "IGNORE_JOBS,NO_HOLD_JOBS_AFTER",
    "DAILY",
    "WEEKEND",
    "WEEKDAY,IGNORE_JOBS",
    "ANY_NODES,IGNORE_JOBS",
  };
  return pick (self, words, G_N_ELEMENTS (words));
}

static void
draw_what (Draw *self, LkEvent_reservation_create *create)
{
  static const char *const lists[] = { "n0", "n[0-1]", "ALL", "n1", "n[1-2]" };
  static const char *const tres[] = { "cpu=2", "cpu=3,node=1", "gres/gpu=1", "cpu=1,gres/gpu=2",
                                      "node=1" };
  create->nodes = create->tres = lk_text ("");
  switch (lk_seed_below (&self->seed, 4)) {
  case 0:
    create->node_count = 1 + lk_seed_below (&self->seed, 3);
    break;
  case 1:
    create->core_count = 1 + lk_seed_below (&self->seed, 4);
    create->node_count = lk_seed_chance (&self->seed, 30) ? 1 : 0;
    break;
  case 2:
    create->tres = lk_text (pick (self, tres, G_N_ELEMENTS (tres)));
    break;
  default:
    create->nodes = lk_text (pick (self, lists, G_N_ELEMENTS (lists)));
  }
}

static void
draw_one (Draw *self, guint index, gint64 end_s)
{
  static const char *const users[] = { "1", "0,1,2", "1,2", "-1", "0", "-9" };
  LkEvent event = { .kind = LK_EVENT_RESERVATION_CREATE };
  LkEvent_reservation_create *create = &event.reservation_create;
  event.time_us = lk_seed_below (&self->seed, (guint32)end_s / 2 + 1);
  create->name = lk_text (name_of (self, index));
  create->start_us = event.time_us + lk_seed_below (&self->seed, 60);
  create->duration_us = 1 + lk_seed_below (&self->seed, 150);
  create->users = lk_text (pick (self, users, G_N_ELEMENTS (users)));
  create->flags = lk_text (draw_flags (self));
  if (g_strstr_len (create->flags.bytes, -1, "FLOAT") != NULL)
    create->start_us = lk_seed_below (&self->seed, 60);
  draw_what (self, create);
  g_array_append_val (self->events, event);
  if (lk_seed_chance (&self->seed, 30)) {
    LkEvent gone = { .kind = LK_EVENT_RESERVATION_DELETE };
    gone.time_us = event.time_us + 1 + lk_seed_below (&self->seed, 200);
    gone.reservation_delete.name = create->name;
    g_array_append_val (self->events, gone);
  }
  if (lk_seed_chance (&self->seed, 30)) {
    LkEvent changed = { .kind = LK_EVENT_RESERVATION_UPDATE };
    changed.time_us = event.time_us + 1 + lk_seed_below (&self->seed, 100);
    changed.reservation_update.name = create->name;
    changed.reservation_update.changes = 1u << lk_seed_below (&self->seed, 4);
    changed.reservation_update.start_us = changed.time_us + lk_seed_below (&self->seed, 50);
    changed.reservation_update.duration_us = 1 + lk_seed_below (&self->seed, 150);
    changed.reservation_update.nodes = lk_text ("n0");
    changed.reservation_update.node_count = 1;
    g_array_append_val (self->events, changed);
  }
}

/* Hourly and daily ones go on for ever: none is left at the end. */
static void
draw_end (Draw *self, guint index)
{
  LkEvent event = { .kind = LK_EVENT_RESERVATION_DELETE, .time_us = 400 };
  event.reservation_delete.name = lk_text (name_of (self, index));
  for (guint i = 0; i < 20; i++) {
    event.time_us += 400;
    g_array_append_val (self->events, event);
  }
}

static void
draw (Draw *self)
{
  LkMachineWorkload *workload = self->workload;
  guint count = 1 + lk_seed_below (&self->seed, RESERVATIONS_MAX);
  gint64 end_s = 1;
  for (guint i = 0; i < workload->job_count; i++)
    end_s = MAX (end_s, workload->jobs[i].submit_s);
  for (guint i = 0; i < count; i++) {
    draw_one (self, i, end_s);
    draw_end (self, i);
  }
  for (guint i = 0; i < workload->job_count; i++) {
    LkMachineJob *job = &workload->jobs[i];
    if (lk_seed_chance (&self->seed, 35))
      job->reservation = name_of (self, lk_seed_below (&self->seed, count));
    else if (lk_seed_chance (&self->seed, 10))
      job->reservation = "r0,r1";
  }
}

/* Jobs of some partitions displace those of others. */
static void
draw_tiers (Draw *self)
{
  for (guint i = 0; i < self->workload->cluster->partitions->len; i++) {
    LkPartitionSpec *partition = g_ptr_array_index (self->workload->cluster->partitions, i);
    partition->priority_tier = 1 + lk_seed_below (&self->seed, 3);
  }
}

/* ---------------------------------------------------------------- looking on */

typedef struct {
  GHashTable *nodes; /* set of names */
  char *name;
  gint64 start_us;
  gint64 end_us;
  gint64 told_us;
  gboolean is_flex;
} Known;

typedef struct {
  const LkMachineWorkload *workload;
  GPtrArray *known;
  guint inside_count;
} Guard;

static void
known_free (gpointer data)
{
  Known *self = data;
  g_hash_table_unref (self->nodes);
  g_free (self->name);
  g_free (self);
}

static GHashTable *
set_of (LkLongText list)
{
  GHashTable *set = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  if (list.length_bytes > 0)
    g_assert_true (lk_hostlist_expand (list.bytes, list.length_bytes, names, NULL));
  for (guint i = 0; i < names->len; i++)
    g_hash_table_add (set, g_ptr_array_index (names, i));
  return set;
}

/* The engine's own object, for what a decision does not tell. */
static const LkAdvanceReservation *
object_of (const LkEngine *engine, const char *name)
{
  return lk_reservations_find (lk_engine_reservations (engine), name, strlen (name));
}

static void
hear (Guard *self, gint64 now_us, const LkDecision_reservation *told)
{
  g_autofree char *name = g_strndup (told->name.bytes, told->name.length_bytes);
  for (guint i = 0; i < self->known->len; i++) {
    const Known *known = g_ptr_array_index (self->known, i);
    if (strcmp (known->name, name) != 0)
      continue;
    g_ptr_array_remove_index (self->known, i);
    break;
  }
  if (told->state == 2)
    return;
  Known *known = g_new0 (Known, 1);
  known->name = g_steal_pointer (&name);
  known->nodes = set_of (told->nodes);
  known->start_us = told->start_us;
  known->end_us = told->end_us;
  known->told_us = now_us;
  g_ptr_array_add (self->known, known);
}

static gboolean
meet (GHashTable *a, GHashTable *b, gboolean wholly)
{
  GHashTableIter iter;
  gpointer name;
  g_hash_table_iter_init (&iter, a);
  while (g_hash_table_iter_next (&iter, &name, NULL))
    if (g_hash_table_contains (b, name) != wholly)
      return !wholly;
  return wholly;
}

static void
check_start (Guard *self, const LkEngine *engine, gint64 now_us, const LkDecision_start *start)
{
  g_autoptr (GHashTable) nodes = set_of (start->nodes);
  LkJobInfo info;
  g_assert_true (lk_engine_job (engine, start->job_id, &info));
  guint32 number = lk_piece (lk_engine_nodes (engine), lk_engine_job_pieces (engine, start->job_id))
                       ->reservation;
  const LkAdvanceReservation *inside =
      number != 0 ? lk_reservations_numbered (lk_engine_reservations (engine), number) : NULL;
  gboolean sees_others =
      inside == NULL || (inside->flags & (LK_RESERVATION_MAINT | LK_RESERVATION_OVERLAP)) == 0;
  self->inside_count += inside != NULL;
  for (guint i = 0; i < self->known->len; i++) {
    const Known *known = g_ptr_array_index (self->known, i);
    const LkAdvanceReservation *object = object_of (engine, known->name);
    gboolean is_floating = (object->flags & LK_RESERVATION_TIME_FLOAT) != 0;
    gint64 ahead_us = is_floating ? now_us - known->told_us : 0;
    if (object == inside && (object->flags & LK_RESERVATION_FLEX) == 0) {
      g_assert_cmpint (now_us, >=, known->start_us);
      g_assert_cmpint (now_us, <, known->end_us);
      if ((object->flags & LK_RESERVATION_ANY_NODES) == 0)
        g_assert_true (meet (nodes, known->nodes, /* wholly= */ TRUE));
    } else if (object != inside && sees_others && object->cores == NULL
               && known->start_us + ahead_us < lk_time_add_us (now_us, info.estimate_us)
               && known->end_us + ahead_us > now_us) {
      g_assert_false (meet (nodes, known->nodes, /* wholly= */ FALSE));
    }
  }
}

static void
decided (void *user, const LkEngine *engine, const LkEvent *cause, const LkDecision *decision)
{
  Guard *self = user;
  if (decision->kind == LK_DECISION_RESERVATION)
    hear (self, cause->time_us, &decision->reservation);
  else if (decision->kind == LK_DECISION_START)
    check_start (self, engine, cause->time_us, &decision->start);
}

/* ---------------------------------------------------------------- runs */

static guint64
from_environment (const char *name, guint64 otherwise)
{
  const char *text = g_getenv (name);
  return text == NULL ? otherwise : g_ascii_strtoull (text, NULL, 10);
}

static guint
run_one (guint64 seed, const char *backfill)
{
  g_autoptr (LkMachineWorkload) workload = lk_machine_workload_new (seed, 0);
  g_autoptr (GArray) events = g_array_new (FALSE, FALSE, sizeof (LkEvent));
  Draw drawn = { .seed = { .state = seed ^ 0x5eed }, .workload = workload, .events = events };
  draw (&drawn);
  gboolean preempts = seed % 3 == 0;
  if (preempts)
    draw_tiers (&drawn);
  Guard guard = { .workload = workload, .known = g_ptr_array_new_with_free_func (known_free) };
  const char *select = selects[seed % G_N_ELEMENTS (selects)];
  LkMachineWatch watch = { .user = &guard, .decided = decided };
  LkMachineOptions options = { .order = seed % 2 == 0 ? "fifo" : "sjf",
                               .backfill = backfill,
                               .select = select,
                               .preempt = preempts ? "partition_prio:mode=requeue" : NULL,
                               .unit_us = seed % 4 == 0 ? 1 : G_USEC_PER_SEC,
                               .end_us =
                                   seed % 4 == 0 ? 9000 : G_GINT64_CONSTANT (9000) * G_USEC_PER_SEC,
                               .more = events,
                               .watches = &watch,
                               .watch_count = 1 };
  g_autoptr (LkMachineRun) run = lk_machine_run_new (workload, &options);
  lk_machine_run_assert_replays (run);
  lk_machine_run_assert_audited (workload, &options, run);
  options.watch_count = 0;
  options.snapshot_seed = seed;
  g_autoptr (LkMachineRun) restarted = lk_machine_run_new (workload, &options);
  lk_machine_run_assert_same (run, restarted);
  g_ptr_array_unref (guard.known);
  return guard.inside_count;
}

static void
nobody_is_where_he_may_not_be (gconstpointer backfill)
{
  guint64 only_seed = from_environment ("LK_PROPERTY_SEED", 0);
  guint64 rounds = from_environment ("LK_PROPERTY_ROUNDS", ROUNDS_DEFAULT);
  guint inside_count = 0;
  guint64 base = 1;
  for (guint i = 0; strcmp (backfills[i], backfill) != 0; i++)
    base += 10000000;
  for (guint64 round = 0; round < (only_seed != 0 ? 1 : rounds); round++) {
    guint64 seed = only_seed != 0 ? only_seed : base + round;
    g_test_message ("seed=%" G_GUINT64_FORMAT, seed);
    inside_count += run_one (seed, backfill);
  }
  if (only_seed == 0)
    g_assert_cmpuint (inside_count, >, (guint)rounds / 8);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (backfills); i++) {
    g_autofree char *name =
        g_strdup_printf ("/property/random reservations keep others out under %s", backfills[i]);
    g_test_add_data_func (name, backfills[i], nobody_is_where_he_may_not_be);
  }
  return g_test_run ();
}
