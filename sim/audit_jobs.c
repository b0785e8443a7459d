/* sim/audit_jobs.c — see the header. */
#include "sim/audit_jobs.h"

#include <string.h>

#include "sim/audit_site.h"

/* ---------------------------------------------------------------- what is asked for */

static gboolean
asks_plainly (const LkAudit_submit *asked)
{
  return asked->gres.length_bytes + asked->gpus.length_bytes + asked->gpus_per_task.length_bytes
                 + asked->gpus_per_socket.length_bytes + asked->constraint.length_bytes
                 + asked->node_list.length_bytes + asked->exclude.length_bytes
                 + asked->licenses.length_bytes
             == 0
         && asked->switches + asked->tasks_per_socket + asked->cpus_per_node_min
                    + asked->sockets_per_node_min + asked->cores_per_socket_min
                    + asked->threads_per_core + asked->segment_nodes + asked->tasks_per_node
                    + asked->cpus_per_task
                == 0
         && asked->tmp_per_node_bytes == 0 && asked->present == 0;
}

/* Its tasks times their CPUs; without tasks so many on each node, one for each node, or as many as
 * the number of processors holds (Slurm's -n, -c, --ntasks-per-node and -N). By GPUs: unknown. */
static guint32
cpus_min_of (const LkAudit_submit *asked)
{
  guint32 tasks = asked->tasks;
  guint32 cpus_per_task = MAX (1, asked->cpus_per_task);
  if (tasks == 0 && (asked->tasks_per_gpu > 0 || asked->gpus_per_task.length_bytes > 0))
    return 0;
  if (tasks == 0 && asked->tasks_per_node > 0)
    tasks = MAX (1, asked->nodes_min) * asked->tasks_per_node;
  if (tasks == 0)
    tasks = asked->nodes_min > 0 ? asked->nodes_min
                                 : (asked->procs + cpus_per_task - 1) / cpus_per_task;
  return tasks * cpus_per_task;
}

LkAuditJob *
lk_audit_job_new (const LkAuditEvent *event, guint32 id)
{
  const LkAudit_submit *asked = &event->submit;
  LkAuditJob *self = g_new0 (LkAuditJob, 1);
  self->id = id;
  self->array_id = asked->array.length_bytes > 0 ? id : 0;
  self->array_limit = lk_audit_tasks_limit (asked->array);
  self->waiting = lk_audit_tasks_read (asked->array);
  self->submit_us = event->time_us;
  self->submit_seq = self->known_seq = self->dependency_seq = event->seq;
  self->het_leader = asked->het_leader;
  self->user_id = asked->user_id;
  self->procs = asked->procs;
  self->cpus_min = cpus_min_of (asked);
  self->flags = asked->flags;
  self->nodes_min = asked->nodes_min;
  self->nodes_max = asked->nodes_max;
  self->present = asked->present;
  self->is_plain = asks_plainly (asked);
  self->user = lk_audit_text_copy (asked->user);
  self->account = lk_audit_text_copy (asked->account);
  self->qos = lk_audit_text_copy (asked->qos);
  self->partition = lk_audit_text_copy (asked->partition);
  self->node_list = lk_audit_text_copy (asked->node_list);
  self->exclude = lk_audit_text_copy (asked->exclude);
  self->licenses = lk_audit_text_copy (asked->licenses);
  self->dependency = lk_audit_text_copy (asked->dependency);
  self->reservation = lk_audit_text_copy (asked->reservation);
  self->name = lk_audit_text_copy (asked->name);
  self->begin_us = MAX (event->time_us, asked->begin_us);
  self->limit_us = asked->estimate_us;
  self->least_us = asked->time_min_us;
  self->deadline_us = asked->deadline_us;
  self->is_held = (asked->flags & AUDIT_FLAG_HOLD) != 0;
  self->held = g_array_new (FALSE, FALSE, sizeof (LkAuditHeld));
  self->promised_us = LK_AUDIT_NEVER;
  self->planned_us = LK_AUDIT_NEVER;
  return self;
}

static void
copy_texts (LkAuditJob *self)
{
  char **texts[] = { &self->user,        &self->account, &self->qos,      &self->partition,
                     &self->node_list,   &self->exclude, &self->licenses, &self->dependency,
                     &self->reservation, &self->name };
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    *texts[i] = g_strdup (*texts[i]);
}

LkAuditJob *
lk_audit_job_split (const LkAuditJob *array, guint32 id, guint32 task)
{
  LkAuditJob *self = g_memdup2 (array, sizeof *array);
  copy_texts (self);
  self->id = id;
  self->task = task;
  self->waiting = (LkAuditTasks){ 0 };
  self->promised_us = LK_AUDIT_NEVER;
  self->promise = NULL;
  self->held = g_array_new (FALSE, FALSE, sizeof (LkAuditHeld));
  return self;
}

void
lk_audit_job_free (gpointer job)
{
  LkAuditJob *self = job;
  lk_audit_job_give_back (self);
  lk_audit_tasks_clear (&self->waiting);
  g_array_unref (self->held);
  g_free (self->user);
  g_free (self->account);
  g_free (self->qos);
  g_free (self->partition);
  g_free (self->node_list);
  g_free (self->exclude);
  g_free (self->licenses);
  g_free (self->dependency);
  g_free (self->reservation);
  g_free (self->name);
  g_free (self);
}

/* The order of the bits is that of the fields: procs, estimate, request, terms. */
#define BIT(type, name, help) BIT_##name,
enum { BIT_procs, BIT_estimate_us, LK_JOB_REQUEST_FIELDS (BIT) LK_JOB_TERMS_FIELDS (BIT) };

static gboolean
changes (const LkAudit_update *update, guint bit)
{
  return ((update->changes >> bit) & 1) != 0;
}

static void
change_text (const LkAudit_update *update, guint bit, LkAuditText value, char **text)
{
  if (!changes (update, bit))
    return;
  g_free (*text);
  *text = lk_audit_text_copy (value);
}

void
lk_audit_job_update (LkAuditJob *self, const LkAuditEvent *event)
{
  const LkAudit_update *update = &event->update;
  if (changes (update, BIT_dependency)) {
    self->dependency_seq = event->seq;
    self->was_alone = FALSE;
  }
  if (changes (update, BIT_procs))
    self->procs = update->procs;
  if ((update->changes & ~(G_GUINT64_CONSTANT (1) << BIT_estimate_us)) != 0)
    self->cpus_min = 0;
  if (changes (update, BIT_estimate_us))
    self->limit_us = update->end_us != 0 ? 0 : update->estimate_us; /* 0: it is not known */
  if (changes (update, BIT_time_min_us))
    self->least_us = update->time_min_us;
  if (changes (update, BIT_flags))
    self->flags = update->flags_mask == 0
                      ? update->flags
                      : (self->flags & ~update->flags_mask) | (update->flags & update->flags_mask);
  if (changes (update, BIT_nodes_min))
    self->nodes_min = update->nodes_min;
  if (changes (update, BIT_nodes_max))
    self->nodes_max = update->nodes_max;
  if (changes (update, BIT_deadline_us))
    self->deadline_us = update->deadline_us;
  if (changes (update, BIT_begin_us))
    self->begin_us = update->begin_us;
  if (changes (update, BIT_array))
    self->array_limit = lk_audit_tasks_limit (update->array);
  /* What else it asks for now is not looked at. */
  if ((update->changes & ~((1u << BIT_procs) | (1u << BIT_estimate_us))) != 0)
    self->is_plain = FALSE;
  change_text (update, BIT_account, update->account, &self->account);
  change_text (update, BIT_qos, update->qos, &self->qos);
  change_text (update, BIT_partition, update->partition, &self->partition);
  change_text (update, BIT_node_list, update->node_list, &self->node_list);
  change_text (update, BIT_exclude, update->exclude, &self->exclude);
  change_text (update, BIT_licenses, update->licenses, &self->licenses);
  change_text (update, BIT_dependency, update->dependency, &self->dependency);
  change_text (update, BIT_reservation, update->reservation, &self->reservation);
  change_text (update, BIT_name, update->name, &self->name);
}

guint32
lk_audit_license_count (const char *licenses, const char *name)
{
  g_auto (GStrv) items = g_strsplit (licenses, ",", -1);
  guint32 count = 0;
  for (guint i = 0; items[i] != NULL; i++) {
    char *colon = strchr (items[i], ':');
    if (colon != NULL)
      *colon = '\0';
    if (strcmp (items[i], name) == 0)
      count += colon != NULL ? (guint32)g_ascii_strtoull (colon + 1, NULL, 10) : 1;
  }
  return count;
}

/* ---------------------------------------------------------------- what is held */

/* "0-3,7" */
static void
add_indices (GArray *indices, const char *text)
{
  for (const char *at = text; *at != '\0';) {
    char *rest = NULL;
    guint64 low = g_ascii_strtoull (at, &rest, 10);
    guint64 high = *rest == '-' ? g_ascii_strtoull (rest + 1, &rest, 10) : low;
    for (guint64 i = low; i <= high; i++) {
      guint32 index = (guint32)i;
      g_array_append_val (indices, index);
    }
    at = *rest == ',' ? rest + 1 : rest + strlen (rest);
  }
}

static LkAuditHeld *
held_on (LkAuditJob *self, guint32 node)
{
  LkAuditHeld *all = (LkAuditHeld *)(gpointer)self->held->data;
  for (guint i = 0; all != NULL && i < self->held->len; i++)
    if (all[i].node == node)
      return &all[i];
  LkAuditHeld held = { .node = node,
                       .cores = g_array_new (FALSE, FALSE, sizeof (guint32)),
                       .gpus = g_array_new (FALSE, FALSE, sizeof (guint32)) };
  g_array_append_val (self->held, held);
  return &g_array_index (self->held, LkAuditHeld, self->held->len - 1);
}

/* "gpu:0-1,shard*3": what is held of devices as a whole. */
static void
add_gres (GArray *gpus, const char *value)
{
  const char *first = g_str_has_prefix (value, "gpu:") ? value + 4 : NULL;
  if (first == NULL)
    return;
  const char *end = first;
  while (*end != '\0' && (g_ascii_isdigit (*end) || *end == '-' || *end == ','))
    end++;
  g_autofree char *indices = g_strndup (first, (gsize)(end - first));
  add_indices (gpus, indices);
}

typedef enum { PART_CORES, PART_GRES } Part;

/* "n[1-2]=0-3;n3=0" */
static void
take_parts (LkAuditJob *self, LkAuditText text, GHashTable *node_by_name, Part part)
{
  g_autofree char *all = lk_audit_text_copy (text);
  g_auto (GStrv) parts = g_strsplit (all, ";", -1);
  for (guint i = 0; parts[i] != NULL; i++) {
    char *equals = strchr (parts[i], '=');
    if (equals == NULL)
      continue;
    *equals = '\0';
    g_autoptr (GPtrArray) names = lk_audit_hosts (parts[i]);
    for (guint j = 0; j < names->len; j++) {
      guint found =
          GPOINTER_TO_UINT (g_hash_table_lookup (node_by_name, g_ptr_array_index (names, j)));
      LkAuditHeld *held = found > 0 ? held_on (self, found - 1) : NULL;
      if (held != NULL && part == PART_CORES)
        add_indices (held->cores, equals + 1);
      else if (held != NULL)
        add_gres (held->gpus, equals + 1);
    }
  }
}

void
lk_audit_job_take (LkAuditJob *self, const LkAuditDecided_start *start, GHashTable *node_by_name)
{
  self->units = start->units;
  self->memory_bytes = start->memory_bytes;
  take_parts (self, start->cores, node_by_name, PART_CORES);
  take_parts (self, start->gres, node_by_name, PART_GRES);
  if (self->held->len == 1)
    g_array_index (self->held, LkAuditHeld, 0).memory_bytes = start->memory_bytes;
}

void
lk_audit_job_give_back (LkAuditJob *self)
{
  for (guint i = 0; i < self->held->len; i++) {
    g_array_unref (g_array_index (self->held, LkAuditHeld, i).cores);
    g_array_unref (g_array_index (self->held, LkAuditHeld, i).gpus);
  }
  g_array_set_size (self->held, 0);
}

guint32
lk_audit_job_gpu_count (const LkAuditJob *self)
{
  guint32 count = 0;
  for (guint i = 0; i < self->held->len; i++)
    count += g_array_index (self->held, LkAuditHeld, i).gpus->len;
  return count;
}
