/* sim/audit_start.c — what must hold of a job at the moment it starts. */
#include <string.h>

#include "sim/audit.h"

/* ---------------------------------------------------------------- terms */

static void
check_terms (LkAudit *self, LkAuditJob *job)
{
  gint64 now_us = self->event->time_us;
  if (self->event->kind != AUDIT_EVENT_PASS)
    lk_audit_find (self, LK_AUDIT_PASS, job, "it starts outside a pass");
  if (job->is_held)
    lk_audit_find (self, LK_AUDIT_HELD, job, "it starts and is held");
  if (now_us < job->begin_us)
    lk_audit_find (self, LK_AUDIT_BEGIN, job, "it starts %" G_GINT64_FORMAT " s before its time",
                   (job->begin_us - now_us) / G_USEC_PER_SEC);
  g_autofree char *what = NULL;
  if (lk_audit_has_unmet (self, job, &what))
    lk_audit_find (self, LK_AUDIT_DEPENDENCY, job, "it starts and %s", what);
}

/* Other tasks of the array that run now. */
static void
check_array (LkAudit *self, LkAuditJob *job)
{
  guint32 running = 0;
  if (job->array_id == 0 || job->array_limit == 0)
    return;
  for (guint i = 0; i < self->in_system->len; i++) {
    const LkAuditJob *other = g_ptr_array_index (self->in_system, i);
    running += other != job && other->array_id == job->array_id && lk_audit_is_running (other);
  }
  if (running >= job->array_limit)
    lk_audit_find (self, LK_AUDIT_ARRAY, job, "%u tasks of array %u run already, of at most %u",
                   running, job->array_id, job->array_limit);
}

/* ---------------------------------------------------------------- nodes */

static gboolean
in_list (const char *list, const char *name)
{
  g_autoptr (GPtrArray) names = lk_audit_hosts (list);
  for (guint i = 0; i < names->len; i++)
    if (strcmp (g_ptr_array_index (names, i), name) == 0)
      return TRUE;
  return FALSE;
}

/* Is the node in one of the job's partitions that is open? */
static gboolean
in_partitions (const LkAudit *self, const LkAuditJob *job, guint32 node)
{
  g_auto (GStrv) names = g_strsplit (job->partition, ",", -1);
  for (guint i = 0; i == 0 || names[i] != NULL; i++) {
    const LkAuditPartition *partition =
        lk_audit_site_partition (&self->site, names[0] != NULL ? names[i] : "");
    if (partition != NULL && partition->has_node[node]
        && !g_hash_table_contains (self->closed, partition->name))
      return TRUE;
    if (names[0] == NULL)
      break;
  }
  return FALSE;
}

static void
check_node (LkAudit *self, LkAuditJob *job, const LkAuditHeld *held)
{
  const LkAuditNode *node = &g_array_index (self->site.nodes, LkAuditNode, held->node);
  if (node->is_down || node->is_drained)
    lk_audit_find (self, LK_AUDIT_NODE, job, "node %s is %s", node->name,
                   node->is_down ? "down" : "drained");
  if (!in_partitions (self, job, held->node))
    lk_audit_find (self, LK_AUDIT_NODE, job, "node %s is in no open partition of '%s'", node->name,
                   job->partition);
  if (job->exclude[0] != '\0' && in_list (job->exclude, node->name))
    lk_audit_find (self, LK_AUDIT_NODE, job, "it excludes node %s", node->name);
  for (guint i = 0; i < held->cores->len; i++)
    if (g_array_index (held->cores, guint32, i) >= node->cores)
      lk_audit_find (self, LK_AUDIT_CORE, job, "node %s has no core %u", node->name,
                     g_array_index (held->cores, guint32, i));
  for (guint i = 0; i < held->gpus->len; i++)
    if (g_array_index (held->gpus, guint32, i) >= node->gpus)
      lk_audit_find (self, LK_AUDIT_GPU, job, "node %s has no GPU %u", node->name,
                     g_array_index (held->gpus, guint32, i));
}

/* All nodes that it names; or where it asks for fewer, these only. */
static void
check_required (LkAudit *self, LkAuditJob *job)
{
  g_autoptr (GPtrArray) names = lk_audit_hosts (job->node_list);
  guint held_count = 0;
  const char *lost = NULL;
  for (guint i = 0; i < names->len; i++) {
    guint32 node = lk_audit_site_node (&self->site, g_ptr_array_index (names, i));
    gboolean has = FALSE;
    for (guint j = 0; j < job->held->len; j++)
      has |= g_array_index (job->held, LkAuditHeld, j).node == node;
    held_count += has ? 1 : 0;
    lost = has ? lost : g_ptr_array_index (names, i);
  }
  gboolean asks_for_fewer = job->nodes_min > 0 && job->nodes_min < names->len;
  if (lost != NULL && !(asks_for_fewer && held_count >= job->held->len))
    lk_audit_find (self, LK_AUDIT_NODE, job, "it asks for node %s and does not get it", lost);
}

void
lk_audit_check_names (LkAudit *self, LkAuditJob *job, LkAuditText text)
{
  if (self->site.nodes->len == 0)
    return;
  g_autofree char *nodes = lk_audit_text_copy (text);
  g_autoptr (GPtrArray) names = lk_audit_hosts (nodes);
  for (guint i = 0; i < names->len; i++)
    if (lk_audit_site_node (&self->site, g_ptr_array_index (names, i)) == G_MAXUINT32)
      lk_audit_find (self, LK_AUDIT_NODE, job, "there is no node %s",
                     (const char *)g_ptr_array_index (names, i));
  if (names->len != job->held->len)
    lk_audit_find (self, LK_AUDIT_NODE, job, "it gets %u nodes and cores on %u", names->len,
                   job->held->len);
  if (job->held->len < MAX (1, job->nodes_min)
      || (job->nodes_max > 0 && job->held->len > job->nodes_max))
    lk_audit_find (self, LK_AUDIT_NODE, job, "it gets %u nodes and asks for %u to %u",
                   job->held->len, job->nodes_min, job->nodes_max);
}

/* ---------------------------------------------------------------- what others hold */

static gboolean
has_index (const GArray *indices, guint32 index)
{
  for (guint i = 0; i < indices->len; i++)
    if (g_array_index (indices, guint32, i) == index)
      return TRUE;
  return FALSE;
}

/* An index that both hold; G_MAXUINT32: none. */
static guint32
common_index (const GArray *a, const GArray *b)
{
  for (guint i = 0; i < a->len; i++)
    if (has_index (b, g_array_index (a, guint32, i)))
      return g_array_index (a, guint32, i);
  return G_MAXUINT32;
}

gboolean
lk_audit_share_index (const GArray *a, const GArray *b)
{
  return common_index (a, b) != G_MAXUINT32;
}

gboolean
lk_audit_shares (const LkAuditPartition *partition, const LkAuditJob *job)
{
  return partition->sharing == LK_AUDIT_SHARE_FORCE
         || (partition->sharing == LK_AUDIT_SHARE_YES
             && (job->flags & AUDIT_FLAG_OVERSUBSCRIBE) != 0);
}

/* Most jobs that may be on a core of a job in this partition. */
static guint32
jobs_on_core (const LkAuditPartition *partition, const LkAuditJob *job)
{
  return lk_audit_shares (partition, job) ? partition->sharing_jobs : 1;
}

/* What holds of a job in whichever of its partitions it runs. */
typedef struct {
  guint32 jobs_on_core; /* the most of them */
  gboolean is_alone;    /* in all of them */
  gboolean is_one_user;
} Manners;

static Manners
manners_of (const LkAudit *self, const LkAuditJob *job)
{
  g_auto (GStrv) names = g_strsplit (job->partition, ",", -1);
  Manners manners = { .jobs_on_core = 1, .is_alone = TRUE, .is_one_user = TRUE };
  for (guint i = 0; i == 0 || (names[0] != NULL && names[i] != NULL); i++) {
    const LkAuditPartition *partition =
        lk_audit_site_partition (&self->site, names[0] != NULL ? names[i] : "");
    if (partition == NULL)
      return (Manners){ .jobs_on_core = 1 };
    guint32 jobs = jobs_on_core (partition, job);
    manners.jobs_on_core = MAX (manners.jobs_on_core, jobs);
    manners.is_alone &= self->site.gives_nodes || partition->sharing == LK_AUDIT_SHARE_EXCLUSIVE
                        || ((job->flags & AUDIT_FLAG_EXCLUSIVE) != 0 && jobs == 1);
    manners.is_one_user &=
        partition->exclusive_user || (job->flags & AUDIT_FLAG_EXCLUSIVE_USER) != 0;
  }
  return manners;
}

static void
check_beside (LkAudit *self, LkAuditJob *job, const LkAuditHeld *held, const LkAuditJob *other,
              const LkAuditHeld *others)
{
  const char *name = g_array_index (self->site.nodes, LkAuditNode, held->node).name;
  guint32 core = common_index (held->cores, others->cores);
  guint32 gpu = common_index (held->gpus, others->gpus);
  Manners manners = manners_of (self, job);
  Manners others_manners = manners_of (self, other);
  gboolean shared = manners.jobs_on_core > 1 && others_manners.jobs_on_core > 1;
  /* A suspended job has given its cores to others, and keeps its devices. */
  if (core != G_MAXUINT32 && !shared && self->is_gang)
    lk_audit_check_over (self, job, other);
  /* With turns it is looked at behind the event. */
  if (core != G_MAXUINT32 && !shared && other->phase == LK_AUDIT_RUNNING && !self->is_gang)
    lk_audit_find (self, LK_AUDIT_CORE, job, "core %u of node %s is job %u's", core, name,
                   other->id);
  if (gpu != G_MAXUINT32)
    lk_audit_find (self, LK_AUDIT_GPU, job, "GPU %u of node %s is job %u's", gpu, name, other->id);
  if (other->phase == LK_AUDIT_RUNNING && !self->is_gang
      && (manners.is_alone || others_manners.is_alone))
    lk_audit_find (self, LK_AUDIT_EXCLUSIVE, job,
                   "job %u is on node %s, too, and one of them "
                   "wants its nodes alone",
                   other->id, name);
  else if (other->phase == LK_AUDIT_RUNNING && other->user_id != job->user_id
           && (manners.is_one_user || others_manners.is_one_user))
    lk_audit_find (self, LK_AUDIT_EXCLUSIVE, job,
                   "job %u of another user is on node %s, too, and one of them wants its nodes for "
                   "one user",
                   other->id, name);
}

static void
check_held (LkAudit *self, LkAuditJob *job, const LkAuditHeld *held)
{
  gint64 memory_bytes = held->memory_bytes;
  for (guint i = 0; i < self->in_system->len; i++) {
    const LkAuditJob *other = g_ptr_array_index (self->in_system, i);
    if (other == job || !lk_audit_holds (self, other))
      continue;
    for (guint j = 0; j < other->held->len; j++) {
      const LkAuditHeld *others = &g_array_index (other->held, LkAuditHeld, j);
      if (others->node != held->node)
        continue;
      check_beside (self, job, held, other, others);
      memory_bytes += others->memory_bytes;
    }
  }
  const LkAuditNode *node = &g_array_index (self->site.nodes, LkAuditNode, held->node);
  if (self->site.manages_memory && memory_bytes > node->memory_bytes)
    lk_audit_find (self, LK_AUDIT_MEMORY, job,
                   "jobs on node %s have %" G_GINT64_FORMAT " MiB of its %" G_GINT64_FORMAT,
                   node->name, memory_bytes >> 20, node->memory_bytes >> 20);
}

/* ---------------------------------------------------------------- numbers */

static guint64
units_in_use (const LkAudit *self)
{
  guint64 units = 0;
  for (guint i = 0; i < self->in_system->len; i++) {
    const LkAuditJob *other = g_ptr_array_index (self->in_system, i);
    units += other->phase == LK_AUDIT_RUNNING && lk_audit_holds (self, other) ? other->units : 0;
  }
  return units;
}

static void
check_units (LkAudit *self, LkAuditJob *job)
{
  if (self->site.nodes->len == 0) {
    guint64 units = units_in_use (self) + job->units;
    if (units > self->units_total)
      lk_audit_find (self, LK_AUDIT_UNITS, job, "%" G_GUINT64_FORMAT " of %u processors are in use",
                     units, self->units_total);
    return;
  }
  guint64 cpus = 0;
  for (guint i = 0; i < job->held->len; i++) {
    const LkAuditHeld *held = &g_array_index (job->held, LkAuditHeld, i);
    const LkAuditNode *node = &g_array_index (self->site.nodes, LkAuditNode, held->node);
    cpus += (guint64)held->cores->len * node->cpus_per_core;
  }
  if (cpus < job->cpus_min)
    lk_audit_find (self, LK_AUDIT_UNITS, job,
                   "it asks for %u processors and gets %" G_GUINT64_FORMAT, job->cpus_min, cpus);
}

/* `with_left`: those who have left in this event hold theirs, too. */
static guint32
licenses_left (const LkAudit *self, const char *name, guint32 total, gboolean with_left)
{
  for (guint i = 0; i < self->in_system->len; i++) {
    const LkAuditJob *other = g_ptr_array_index (self->in_system, i);
    gboolean holds =
        lk_audit_holds (self, other) || (with_left && other->left_seq == self->event->seq);
    guint32 count =
        holds && other->licenses[0] != '\0' ? lk_audit_license_count (other->licenses, name) : 0;
    total -= MIN (total, count);
  }
  return total;
}

static gboolean
lacks_license (const LkAudit *self, const LkAuditJob *job, gboolean with_left)
{
  GHashTableIter each;
  gpointer name, total;
  g_hash_table_iter_init (&each, self->site.licenses);
  while (job->licenses[0] != '\0' && g_hash_table_iter_next (&each, &name, &total))
    if (lk_audit_license_count (job->licenses, name)
        > licenses_left (self, name, GPOINTER_TO_UINT (total), with_left))
      return TRUE;
  return FALSE;
}

gboolean
lk_audit_lacks_license (const LkAudit *self, const LkAuditJob *job)
{
  return lacks_license (self, job, /* with_left= */ FALSE);
}

gboolean
lk_audit_lacked_license (const LkAudit *self, const LkAuditJob *job)
{
  return lacks_license (self, job, /* with_left= */ TRUE);
}

/* ---------------------------------------------------------------- components */

void
lk_audit_check_het (LkAudit *self)
{
  for (guint i = 0; i < self->in_system->len; i++) {
    const LkAuditJob *job = g_ptr_array_index (self->in_system, i);
    if (job->het_leader == 0 || job->start_seq != self->event->seq)
      continue;
    for (guint j = 0; j < self->in_system->len; j++) {
      const LkAuditJob *other = g_ptr_array_index (self->in_system, j);
      if (other->het_leader == job->het_leader && other->start_seq != job->start_seq)
        lk_audit_find (self, LK_AUDIT_HET, job, "it starts without its component %u", other->id);
    }
  }
}

/* ---------------------------------------------------------------- all of it */

void
lk_audit_check_place (LkAudit *self, LkAuditJob *job)
{
  check_units (self, job);
  if (lk_audit_lacks_license (self, job))
    lk_audit_find (self, LK_AUDIT_LICENSE, job, "it asks for '%s' and there are not so many left",
                   job->licenses);
  if (self->site.nodes->len == 0)
    return;
  check_required (self, job);
  for (guint i = 0; i < job->held->len; i++) {
    check_node (self, job, &g_array_index (job->held, LkAuditHeld, i));
    check_held (self, job, &g_array_index (job->held, LkAuditHeld, i));
  }
  lk_audit_check_reservations (self, job);
}

void
lk_audit_check_start (LkAudit *self, LkAuditJob *job, LkAuditText nodes)
{
  check_terms (self, job);
  check_array (self, job);
  lk_audit_check_limits (self, job);
  lk_audit_check_names (self, job, nodes);
  lk_audit_check_place (self, job);
}

/* Nodes in the job's partitions that are up, reserved for nobody, and on which nothing lies. */
static guint32
count_idle (const LkAudit *self, const LkAuditJob *job, guint64 *out_cpus)
{
  guint32 count = 0;
  g_autofree gboolean *busy = g_new0 (gboolean, self->site.nodes->len + 1);
  for (guint i = 0; i < self->in_system->len; i++) {
    const LkAuditJob *other = g_ptr_array_index (self->in_system, i);
    for (guint j = 0; lk_audit_is_running (other) && j < other->held->len; j++)
      busy[g_array_index (other->held, LkAuditHeld, j).node] = TRUE;
  }
  for (guint i = 0; i < self->reservations->len; i++) {
    const LkAuditReservation *reservation = g_ptr_array_index (self->reservations, i);
    for (guint32 node = 0; node < self->site.nodes->len; node++)
      busy[node] |= reservation->has_node[node];
  }
  *out_cpus = 0;
  for (guint32 i = 0; i < self->site.nodes->len; i++) {
    const LkAuditNode *node = &g_array_index (self->site.nodes, LkAuditNode, i);
    if (busy[i] || node->is_down || node->is_drained || !in_partitions (self, job, i))
      continue;
    count++;
    *out_cpus += (guint64)(node->cores - node->cores_reserved) * node->cpus_per_core;
  }
  return count;
}

/* A job that has its nodes whole needs the memory of all their CPUs, also where memory is not
 * consumed. */
static gboolean
has_default_memory (const LkAudit *self, const LkAuditPartition *partition)
{
  for (guint i = 0; i < self->site.nodes->len; i++) {
    const LkAuditNode *node = &g_array_index (self->site.nodes, LkAuditNode, i);
    gint64 cpus = (gint64)node->cores * node->cpus_per_core;
    if (partition->memory_per_cpu_bytes > node->memory_bytes / MAX (1, cpus))
      return FALSE;
  }
  return TRUE;
}

/* On idle nodes, whatever the memory and however many nodes: no. */
static gboolean
is_sure (const LkAudit *self, const LkAuditJob *job)
{
  const LkAuditPartition *partition = lk_audit_site_partition (&self->site, job->partition);
  return job->is_plain && job->array_id == 0 && job->nodes_min <= 1 && job->nodes_max == 0
         && job->reservation[0] == '\0' && (!self->site.manages_memory || job->cpus_min == 1)
         && partition != NULL && partition->nodes_max >= self->site.nodes->len
         && !partition->caps_cpus && has_default_memory (self, partition);
}

gboolean
lk_audit_could_start (const LkAudit *self, const LkAuditJob *job)
{
  guint64 cpus;
  if (self->site.nodes->len == 0)
    return job->restarts == 0 && job->array_id == 0
           && units_in_use (self) + job->procs <= self->units_total;
  return is_sure (self, job) && count_idle (self, job, &cpus) > 0 && job->cpus_min > 0
         && cpus >= job->cpus_min;
}
