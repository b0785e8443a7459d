/* sim/why_changes.c — the smallest single change that would let a job start now.
 *
 * One thing is changed at a time, each change is tried on a copy of the engine (sim/why_trial.h),
 * and only what worked is told.  Of a number the largest value is looked for: it is halved until it
 * works, then searched between what works and what does not, so that the value told works and the
 * next one above it does not. */
#include <string.h>

#include "engine/assert.h"
#include "engine/checked.h"
#include "sim/why_private.h"

#define US_PER_S G_GINT64_CONSTANT (1000000)
#define MIB_BYTES (G_GINT64_CONSTANT (1) << 20)
/* Partitions, QOS and accounts that are tried. */
#define NAMES_MAX 64u

typedef struct {
  LkWhy *why;
  LkWhyTrial *trial;
  LkEngine *copy; /* to look things up */
  const GArray *queue_ids;
  GStringChunk *texts; /* of requests as they are tried */
} Search;

/* ---------------------------------------------------------------- what works */

static LkWhyChange *
add_change (const Search *self, LkWhyChangeKind kind)
{
  LkWhyChange *change = g_new0 (LkWhyChange, 1);
  change->kind = kind;
  change->size = lk_why_change_size (kind);
  g_ptr_array_add (self->why->changes, change);
  return change;
}

/* Of equal sizes in the order of LK_WHY_CHANGES; there are never two of one kind and size with
 * different meaning but names, which stay in their order. */
static gint
compare_changes (gconstpointer a, gconstpointer b)
{
  const LkWhyChange *change_a = *(const LkWhyChange *const *)a;
  const LkWhyChange *change_b = *(const LkWhyChange *const *)b;
  if (change_a->size != change_b->size)
    return change_a->size < change_b->size ? -1 : 1;
  if (change_a->kind != change_b->kind)
    return change_a->kind < change_b->kind ? -1 : 1;
  return g_strcmp0 (change_a->to, change_b->to);
}

/* ---------------------------------------------------------------- numbers */

/* One number of a request. */
typedef struct {
  LkWhyChangeKind kind;
  const char *what; /* "TASKS 12 instead of 16" */
  gint64 value;     /* as it is; below 2: it cannot be less */
  gint64 unit;      /* what one step stands for */
  void (*set) (const Search *self, LkEvent_submit *asked, gint64 value);
  char *(*show) (gint64 value);
} Number;

static gboolean
number_works (const Search *self, const Number *number, gint64 value)
{
  LkEvent_submit asked = self->trial->asked;
  number->set (self, &asked, value * number->unit);
  return lk_why_trial_asking (self->trial, &asked);
}

/* The largest that works; 0: none was found. */
static gint64
largest (const Search *self, const Number *number)
{
  gint64 fails = number->value;
  gint64 works = fails / 2;
  for (; works >= 1 && !number_works (self, number, works); works /= 2)
    fails = works;
  while (works >= 1 && fails - works > 1) {
    gint64 middle = works + (fails - works) / 2;
    if (number_works (self, number, middle))
      works = middle;
    else
      fails = middle;
  }
  return works;
}

/* `from`: what it is now, exactly. */
static void
try_number (const Search *self, const Number *number, gint64 from)
{
  if (number->value < 2)
    return;
  gint64 works = largest (self, number);
  if (works < 1)
    return;
  LkWhyChange *change = add_change (self, number->kind);
  change->size = 1.0 - (double)(works * number->unit) / (double)from;
  change->has_values = TRUE;
  change->from_value = from;
  change->to_value = works * number->unit;
  change->from = number->show (from);
  change->to = number->show (change->to_value);
  change->text = g_strdup_printf ("%s %s instead of %s", number->what, change->to, change->from);
}

static char *
show_count (gint64 value)
{
  return g_strdup_printf ("%" G_GINT64_FORMAT, value);
}

/* ---------------------------------------------------------------- time, tasks, memory */

static void
set_time (const Search *self, LkEvent_submit *asked, gint64 value)
{
  (void)self;
  asked->estimate_us = value;
}

/* In minutes, as Slurm has time limits; short ones in seconds. */
static void
try_time (const Search *self)
{
  const gint64 from_us = self->trial->asked.estimate_us;
  gint64 estimate_us = MIN (from_us, LK_RUN_BOOKED_MAX_US);
  gint64 unit_us = estimate_us >= 120 * US_PER_S ? 60 * US_PER_S : US_PER_S;
  /* What is left of a whole unit is given up first. */
  Number number = { .kind = LK_WHY_CHANGE_TIME_LIMIT,
                    .what = "time limit",
                    .value = estimate_us / unit_us + (estimate_us % unit_us != 0),
                    .unit = unit_us,
                    .set = set_time,
                    .show = lk_why_duration_text };
  try_number (self, &number, from_us);
}

static gboolean
has_tasks (const LkEvent_submit *asked)
{
  return asked->tasks > 0;
}

/* What says how many tasks there are. */
static guint32 *
task_field (LkEvent_submit *asked)
{
  return has_tasks (asked) ? &asked->tasks : &asked->procs;
}

static void
set_tasks (const Search *self, LkEvent_submit *asked, gint64 value)
{
  (void)self;
  *task_field (asked) = (guint32)value;
}

static void
try_tasks (const Search *self)
{
  LkEvent_submit asked = self->trial->asked;
  gboolean is_pool = lk_engine_machine (self->copy) == NULL;
  /* Where the number of nodes or tasks of each says it, `procs` does not. */
  if (!is_pool && !has_tasks (&asked) && (asked.nodes_min > 0 || asked.tasks_per_node > 0))
    return;
  Number number = { .kind = LK_WHY_CHANGE_TASKS,
                    .what = is_pool ? "processors" : "tasks",
                    .value = *task_field (&asked),
                    .unit = 1,
                    .set = set_tasks,
                    .show = show_count };
  try_number (self, &number, number.value);
}

static void
set_cpus_per_task (const Search *self, LkEvent_submit *asked, gint64 value)
{
  (void)self;
  asked->cpus_per_task = (guint32)value;
}

static void
try_cpus_per_task (const Search *self)
{
  Number number = { .kind = LK_WHY_CHANGE_CPUS_PER_TASK,
                    .what = "CPUs per task",
                    .value = self->trial->asked.cpus_per_task,
                    .unit = 1,
                    .set = set_cpus_per_task,
                    .show = show_count };
  try_number (self, &number, number.value);
}

static gint64 *
memory_field (LkEvent_submit *asked)
{
  if ((asked->present & LK_REQUEST_HAS_MEMORY_PER_NODE) != 0)
    return &asked->memory_per_node_bytes;
  if ((asked->present & LK_REQUEST_HAS_MEMORY_PER_CPU) != 0)
    return &asked->memory_per_cpu_bytes;
  return (asked->present & LK_REQUEST_HAS_MEMORY_PER_GPU) != 0 ? &asked->memory_per_gpu_bytes
                                                               : NULL;
}

static void
set_memory (const Search *self, LkEvent_submit *asked, gint64 value)
{
  (void)self;
  *memory_field (asked) = value;
}

static void
try_memory (const Search *self)
{
  LkEvent_submit asked = self->trial->asked;
  const gint64 *field = memory_field (&asked);
  Number number = { .kind = LK_WHY_CHANGE_MEMORY,
                    .what = "memory",
                    .value = field != NULL ? *field / MIB_BYTES : 0,
                    .unit = MIB_BYTES,
                    .set = set_memory,
                    .show = lk_why_memory_text };
  try_number (self, &number, field != NULL ? *field : 0);
}

/* ---------------------------------------------------------------- nodes */

/* As much of `whole` as `part` is of `all`, rounded up. */
static guint32
share_of (guint32 whole, gint64 part, gint64 all)
{
  return (guint32)(((guint64)whole * (guint64)part + (guint64)all - 1) / (guint64)all);
}

/* Tasks, and GPUs that are counted over all nodes, go along. */
static void
set_nodes (const Search *self, LkEvent_submit *asked, gint64 value)
{
  gint64 before = asked->nodes_min;
  guint32 *tasks = task_field (asked);
  (void)self;
  if (*tasks >= before)
    *tasks = share_of (*tasks, value, before);
  if (asked->nodes_max == asked->nodes_min)
    asked->nodes_max = (guint32)value;
  asked->nodes_min = (guint32)value;
}

static void
try_nodes (const Search *self)
{
  Number number = { .kind = LK_WHY_CHANGE_NODES,
                    .what = "nodes",
                    .value = self->trial->asked.nodes_min,
                    .unit = 1,
                    .set = set_nodes,
                    .show = show_count };
  if (lk_engine_machine (self->copy) != NULL)
    try_number (self, &number, number.value);
}

/* ---------------------------------------------------------------- GPUs */

/* The field that says how many: of each node, of all, or of each task; NULL: none does. */
static LkText *
gpu_field (LkEvent_submit *asked)
{
  if (asked->gpus.length_bytes > 0)
    return &asked->gpus;
  if (asked->gres.length_bytes > 0)
    return &asked->gres;
  return asked->gpus_per_task.length_bytes > 0 ? &asked->gpus_per_task : NULL;
}

/* [name:][type:]count with the count replaced; lists of several are left alone. */
static gint64
count_of (LkText text, gsize *out_head_bytes)
{
  gsize head = text.length_bytes;
  while (head > 0 && g_ascii_isdigit (text.bytes[head - 1]))
    head--;
  *out_head_bytes = head;
  if (memchr (text.bytes, ',', text.length_bytes) != NULL || head == text.length_bytes
      || text.length_bytes - head > 6 || (head > 0 && text.bytes[head - 1] != ':'))
    return 0;
  gint64 count = 0;
  for (gsize i = head; i < text.length_bytes; i++)
    count = count * 10 + (text.bytes[i] - '0');
  return count;
}

static void
set_gpus (const Search *self, LkEvent_submit *asked, gint64 value)
{
  LkText *field = gpu_field (asked);
  gsize head_bytes;
  count_of (*field, &head_bytes);
  g_autofree char *text =
      g_strdup_printf ("%.*s%" G_GINT64_FORMAT, (int)head_bytes, field->bytes, value);
  *field = lk_text (g_string_chunk_insert (self->texts, text));
}

static void
try_gpus (const Search *self)
{
  LkEvent_submit asked = self->trial->asked;
  const LkText *field = gpu_field (&asked);
  gsize head_bytes;
  Number number = { .kind = LK_WHY_CHANGE_GPUS,
                    .what = field == &asked.gpus   ? "GPUs"
                            : field == &asked.gres ? "GPUs (or other resources) per node"
                                                   : "GPUs per task",
                    .value = field != NULL ? count_of (*field, &head_bytes) : 0,
                    .unit = 1,
                    .set = set_gpus,
                    .show = show_count };
  try_number (self, &number, number.value);
}

/* ---------------------------------------------------------------- other names */

static void
try_name (const Search *self, LkWhyChangeKind kind, const LkEvent_submit *asked, const char *from,
          const char *to)
{
  if (!lk_why_trial_asking (self->trial, asked))
    return;
  LkWhyChange *change = add_change (self, kind);
  const char *word = kind == LK_WHY_CHANGE_QOS ? "QOS" : lk_why_change_word (kind);
  change->from = g_strdup (from);
  change->to = g_strdup (to);
  change->text = from[0] != '\0' ? g_strdup_printf ("%s %s instead of %s", word, to, from)
                                 : g_strdup_printf ("%s %s", word, to);
}

static void
try_partitions (const Search *self)
{
  const LkMachine *machine = lk_engine_machine (self->copy);
  for (guint32 i = 0; machine != NULL && i < MIN (machine->partition_count, NAMES_MAX); i++) {
    const char *name = machine->partitions[i].spec->name;
    LkEvent_submit asked = self->trial->asked;
    asked.partition = lk_text (name);
    if (strcmp (name, self->why->partition) != 0)
      try_name (self, LK_WHY_CHANGE_PARTITION, &asked, self->why->partition, name);
  }
}

static void
try_qos (const Search *self)
{
  const LkBook *book = lk_engine_book (self->copy);
  for (guint32 i = 0; book != NULL && i < MIN (book->spec->qos->len, NAMES_MAX); i++) {
    const LkQosSpec *qos = g_ptr_array_index (book->spec->qos, i);
    LkEvent_submit asked = self->trial->asked;
    asked.qos = lk_text (qos->name);
    if (strcmp (qos->name, self->why->qos) != 0)
      try_name (self, LK_WHY_CHANGE_QOS, &asked, self->why->qos, qos->name);
  }
}

/* Other accounts of the job's user, each once. */
static void
try_accounts (const Search *self)
{
  const LkBook *book = lk_engine_book (self->copy);
  g_autoptr (GPtrArray) tried = g_ptr_array_new ();
  for (guint i = 0; book != NULL && i < book->spec->associations->len && tried->len < NAMES_MAX;
       i++) {
    const LkAssociationSpec *spec = g_ptr_array_index (book->spec->associations, i);
    LkEvent_submit asked = self->trial->asked;
    if (strcmp (spec->user, self->why->user) != 0 || strcmp (spec->account, self->why->account) == 0
        || g_ptr_array_find_with_equal_func (tried, spec->account, g_str_equal, NULL))
      continue;
    g_ptr_array_add (tried, spec->account);
    asked.account = lk_text (spec->account);
    try_name (self, LK_WHY_CHANGE_ACCOUNT, &asked, self->why->account, spec->account);
  }
}

/* ---------------------------------------------------------------- without something */

static void
try_without (const Search *self, LkWhyChangeKind kind, const char *what, LkText from,
             const LkEvent_submit *asked)
{
  if (!lk_why_trial_asking (self->trial, asked))
    return;
  LkWhyChange *change = add_change (self, kind);
  change->from = g_strndup (from.bytes != NULL ? from.bytes : "", from.length_bytes);
  change->text =
      g_strdup_printf ("without %s%s%s", what, change->from[0] != '\0' ? " " : "", change->from);
}

#define TRY_WITHOUT_TEXT(kind, field, what)                                                        \
  do {                                                                                             \
    LkEvent_submit changed = self->trial->asked;                                                   \
    changed.field = (LkText){ NULL, 0 };                                                           \
    if (self->trial->asked.field.length_bytes > 0)                                                 \
      try_without (self, kind, what, self->trial->asked.field, &changed);                          \
  } while (0)

static void
try_without_texts (const Search *self)
{
  TRY_WITHOUT_TEXT (LK_WHY_CHANGE_NODE_LIST, node_list, "the nodes");
  TRY_WITHOUT_TEXT (LK_WHY_CHANGE_EXCLUDE, exclude, "excluding");
  TRY_WITHOUT_TEXT (LK_WHY_CHANGE_CONSTRAINT, constraint, "the features");
  TRY_WITHOUT_TEXT (LK_WHY_CHANGE_LICENSE, licenses, "the licences");
}

static void
try_without_flags (const Search *self)
{
  const LkText nothing = { NULL, 0 };
  LkEvent_submit asked = self->trial->asked;
  const guint32 flags = asked.flags;
  const guint32 switches = asked.switches;
  asked.flags = flags & ~(guint32)LK_REQUEST_CONTIGUOUS;
  if (asked.flags != flags)
    try_without (self, LK_WHY_CHANGE_CONTIGUOUS, "--contiguous", nothing, &asked);
  asked.flags = flags & ~(guint32)(LK_REQUEST_EXCLUSIVE | LK_REQUEST_EXCLUSIVE_USER);
  if (asked.flags != flags)
    try_without (self, LK_WHY_CHANGE_EXCLUSIVE, "--exclusive", nothing, &asked);
  asked.flags = flags;
  asked.switches = 0;
  if (switches != 0)
    try_without (self, LK_WHY_CHANGE_SWITCHES, "a limit of switches", nothing, &asked);
}

/* ---------------------------------------------------------------- place in the queue */

/* The place furthest back, from 1, that works; 0: not even the first. */
static guint32
furthest_place (const Search *self)
{
  guint32 fails = self->why->place;
  guint32 works = 1;
  if (fails < 2 || !lk_why_trial_fits (self->copy, self->why->info.id)
      || !lk_why_trial_before (self->trial, self->queue_ids, 0))
    return 0;
  while (fails - works > 1) {
    guint32 middle = works + (fails - works) / 2;
    if (lk_why_trial_before (self->trial, self->queue_ids, middle - 1))
      works = middle;
    else
      fails = middle;
  }
  return works;
}

/* The priority of the job that must be passed, if a higher one does it: where other things go
 * before priority, as the tier of a partition, it may not. 0: it does not. */
static guint32
priority_to_pass (const Search *self, guint32 over_job_id)
{
  LkPriorityParts parts = { .size = sizeof parts };
  LkEvent_submit asked = self->trial->asked;
  LkJobIndex over = lk_engine_job_index (self->copy, over_job_id);
  if (!self->why->has_parts || !lk_engine_priority_parts (self->copy, over, LK_INDEX_NONE, &parts)
      || parts.priority == G_MAXUINT32)
    return 0;
  asked.priority = parts.priority + 1;
  return lk_why_trial_asking (self->trial, &asked) ? parts.priority : 0;
}

static void
try_place (const Search *self)
{
  guint32 place = furthest_place (self);
  if (place == 0)
    return;
  LkWhyChange *change = add_change (self, LK_WHY_CHANGE_PRIORITY);
  change->has_values = TRUE;
  change->from_value = self->why->place;
  change->to_value = place;
  change->over_job_id = g_array_index (self->queue_ids, guint32, place - 1);
  change->over_priority = priority_to_pass (self, change->over_job_id);
  change->from = g_strdup_printf ("%u", self->why->place);
  change->to = g_strdup_printf ("%u", place);
  GString *text = g_string_new (NULL);
  g_string_append_printf (text, "place %u in the queue instead of %u, before job ", place,
                          self->why->place);
  lk_journal_names_append_job (self->why->names, change->over_job_id, text);
  if (change->over_priority > 0)
    g_string_append_printf (text, " (priority above %u, now %u)", change->over_priority,
                            self->why->parts.priority);
  change->text = g_string_free (text, FALSE);
}

/* ---------------------------------------------------------------- all of them */

static void
try_requests (const Search *self)
{
  try_time (self);
  try_tasks (self);
  if (lk_engine_machine (self->copy) != NULL) {
    try_cpus_per_task (self);
    try_nodes (self);
    try_gpus (self);
    try_memory (self);
    try_partitions (self);
    try_without_texts (self);
    try_without_flags (self);
  }
  try_qos (self);
  try_accounts (self);
}

void
lk_why_find_changes (LkWhy *self, LkWhyTrial *trial, const GArray *queue_ids)
{
  g_autoptr (LkEngine) copy = lk_why_trial_copy (trial);
  Search search = { .why = self,
                    .trial = trial,
                    .copy = copy,
                    .queue_ids = queue_ids,
                    .texts = g_string_chunk_new (256) };
  gboolean is_held =
      self->info.reason == LK_REASON_HELD_USER || self->info.reason == LK_REASON_HELD_ADMIN;
  if (is_held) {
    if (lk_why_trial_released (trial))
      add_change (&search, LK_WHY_CHANGE_RELEASE)->text = g_strdup ("being released");
  } else if (lk_why_trial_as_it_is (trial)
             || (self->info.het_leader == 0 && lk_why_trial_asking (trial, &trial->asked))) {
    add_change (&search, LK_WHY_CHANGE_NONE)->text = g_strdup ("nothing but the next pass");
  } else if (self->info.het_leader == 0) {
    /* A component cannot be asked for anew without the others. */
    try_requests (&search);
    try_place (&search);
  }
  g_ptr_array_sort (self->changes, compare_changes);
  g_string_chunk_free (search.texts);
}
