/* sim/audit_preempt.c — who is displaced for whom, and is there room then?
 *
 * Before its victims go, a job's place is told.  Who goes must be one of those that the job may
 * displace (by the lists of QOS, or the tiers of partitions), in the way that its QOS or partition
 * says, not within its exempt time, and must have something of the place.  With all gone that are
 * going, the place must be free, as it must be at a start.  When they have gone, the job starts, or
 * there is a reason: it waits for something else, somebody who goes before it waits, the place was
 * taken or went out of service.  Source: Slurm's preempt.html; slurm.conf(5), PreemptType.
 *
 * Priorities are not known here: min_exempt_priority, and PRIORITY, are let pass. */
#include <string.h>

#include "sim/audit.h"

enum { MODE_OFF, MODE_CANCEL, MODE_REQUEUE, MODE_SUSPEND, MODE_UNSAID };

/* ---------------------------------------------------------------- what the settings say */

/* "a=1" of "name:a=1,b=2". Returns: (transfer full), NULL: it is not there. */
static char *
parameter (const LkAudit *self, const char *name)
{
  g_autofree char *spec = lk_audit_text_copy (self->header.preempt);
  const char *colon = strchr (spec, ':');
  g_auto (GStrv) items = g_strsplit (colon != NULL ? colon + 1 : "", ",", -1);
  gsize length = strlen (name);
  for (guint i = 0; items[i] != NULL; i++)
    if (strncmp (items[i], name, length) == 0 && items[i][length] == '=')
      return g_strdup (items[i] + length + 1);
  return NULL;
}

static gint64
number (const LkAudit *self, const char *name, gint64 otherwise)
{
  g_autofree char *text = parameter (self, name);
  return text != NULL ? g_ascii_strtoll (text, NULL, 10) : otherwise;
}

static gboolean
policy_is (const LkAudit *self, const char *name)
{
  g_autofree char *spec = lk_audit_text_copy (self->header.preempt);
  return strcspn (spec, ":") == strlen (name) && strncmp (spec, name, strlen (name)) == 0;
}

/* Is the word one of a list, whatever its case? */
static gboolean
in_words (const char *list, const char *word)
{
  g_auto (GStrv) items = g_strsplit (list, ",", -1);
  for (guint i = 0; items[i] != NULL; i++)
    if (g_ascii_strcasecmp (items[i], word) == 0)
      return TRUE;
  return FALSE;
}

static guint
mode_of (const char *words)
{
  if (in_words (words, "off"))
    return MODE_OFF;
  if (in_words (words, "suspend"))
    return MODE_SUSPEND;
  if (in_words (words, "requeue"))
    return MODE_REQUEUE;
  return in_words (words, "cancel") ? MODE_CANCEL : MODE_UNSAID;
}

/* NULL: one of several, or none. */
static const LkAuditPartition *
partition_of (const LkAudit *self, const LkAuditJob *job)
{
  return strchr (job->partition, ',') == NULL
             ? lk_audit_site_partition (&self->site, job->partition)
             : NULL;
}

/* The lowest or the highest tier of the partitions that it names. */
static guint32
tier_of (const LkAudit *self, const LkAuditJob *job, gboolean highest)
{
  g_auto (GStrv) names = g_strsplit (job->partition, ",", -1);
  guint32 tier = highest ? 0 : G_MAXUINT32;
  for (guint i = 0; i == 0 || (names[0] != NULL && names[i] != NULL); i++) {
    const LkAuditPartition *partition =
        lk_audit_site_partition (&self->site, names[0] != NULL ? names[i] : "");
    guint32 own = partition != NULL ? partition->tier : 1;
    tier = highest ? MAX (tier, own) : MIN (tier, own);
  }
  return tier;
}

/* ---------------------------------------------------------------- may it? */

static gboolean
qos_may (const LkAudit *self, const LkAuditJob *job, const LkAuditJob *victim)
{
  const LkAuditHolder *own = lk_audit_qos_of (self, job);
  const LkAuditHolder *other = lk_audit_qos_of (self, victim);
  if (own == NULL || other == NULL)
    return TRUE;
  if (own == other)
    return number (self, "within", 0) != 0 || in_words (other->preempt_mode, "within");
  return in_words (own->preempt, other->account);
}

static gboolean
may_displace (const LkAudit *self, const LkAuditJob *job, const LkAuditJob *victim)
{
  if (policy_is (self, "none") || self->header.preempt.length_bytes == 0)
    return FALSE;
  if (policy_is (self, "qos"))
    return qos_may (self, job, victim);
  return !policy_is (self, "partition_prio")
         || tier_of (self, job, TRUE) > tier_of (self, victim, FALSE);
}

/* How it is to go; MODE_UNSAID: not known. */
static guint
victim_mode (const LkAudit *self, const LkAuditJob *victim, gint64 *out_grace_us)
{
  const LkAuditHolder *qos = lk_audit_qos_of (self, victim);
  const LkAuditPartition *partition = partition_of (self, victim);
  g_autofree char *mode = parameter (self, "mode");
  const char *own = "";
  *out_grace_us = LK_AUDIT_NEVER;
  if (policy_is (self, "qos") && qos != NULL) {
    own = qos->preempt_mode;
    *out_grace_us = qos->grace_us;
  } else if (policy_is (self, "partition_prio") && partition != NULL) {
    own = partition->preempt_mode;
    *out_grace_us = partition->grace_us;
  } else {
    return MODE_UNSAID;
  }
  guint said = mode_of (own);
  return said != MODE_UNSAID ? said : mode_of (mode != NULL ? mode : "");
}

/* How long it may run in peace; 0: not known. */
static gint64
exempt_us (const LkAudit *self, const LkAuditJob *victim)
{
  const LkAuditHolder *qos = lk_audit_qos_of (self, victim);
  const LkAuditPartition *partition = partition_of (self, victim);
  const LkAuditHolder *of_partition = NULL;
  if (self->site.associations != NULL && (qos == NULL || partition == NULL))
    return 0;
  if (partition != NULL && partition->qos[0] != '\0' && self->site.qos != NULL)
    of_partition = lk_audit_site_qos (&self->site, partition->qos);
  gboolean is_over = qos != NULL && qos->is_over_partition;
  const LkAuditHolder *first = is_over ? qos : of_partition;
  const LkAuditHolder *second = is_over ? of_partition : qos;
  if (first != NULL && first->exempt_us >= 0)
    return first->exempt_us;
  if (second != NULL && second->exempt_us >= 0)
    return second->exempt_us;
  return MAX (0, number (self, "exempt_s", 0)) * G_USEC_PER_SEC;
}

/* ---------------------------------------------------------------- what is told */

void
lk_audit_room_free (gpointer room)
{
  LkAuditRoom *self = room;
  lk_audit_job_free (self->place);
  g_ptr_array_unref (self->victims);
  g_free (self);
}

void
lk_audit_follow_room (LkAudit *self, const LkAuditDecided_room *told)
{
  LkAuditJob *job = lk_audit_job (self, told->job_id);
  if (job == NULL || job->phase != LK_AUDIT_PENDING) {
    lk_audit_find (self, LK_AUDIT_ROOM, job, "room is made for job %u, which does not wait",
                   told->job_id);
    return;
  }
  const LkAuditDecided_start start = { .job_id = told->job_id,
                                       .units = told->units,
                                       .memory_bytes = told->memory_bytes,
                                       .nodes = told->nodes,
                                       .cores = told->cores,
                                       .gres = told->gres };
  LkAuditRoom *room = g_new0 (LkAuditRoom, 1);
  room->place = lk_audit_job_split (job, job->id, job->task);
  room->victims = g_ptr_array_new ();
  room->seq = self->event->seq;
  room->waiting = job->waiting.count;
  lk_audit_job_take (room->place, &start, self->site.node_by_name);
  g_ptr_array_add (self->rooms, room);
  self->looks_at_room = TRUE;
  lk_audit_check_names (self, room->place, told->nodes);
  self->looks_at_room = FALSE;
}

static LkAuditRoom *
room_of (const LkAudit *self, guint32 job_id)
{
  for (guint i = 0; i < self->rooms->len; i++) {
    LkAuditRoom *room = g_ptr_array_index (self->rooms, i);
    if (room->seq == self->event->seq && room->place->id == job_id)
      return room;
  }
  return NULL;
}

static gboolean
is_on (const LkAuditJob *job, guint32 node)
{
  for (guint i = 0; i < job->held->len; i++)
    if (g_array_index (job->held, LkAuditHeld, i).node == node)
      return TRUE;
  return FALSE;
}

static gboolean
meet (const LkAuditJob *a, const LkAuditJob *b)
{
  for (guint i = 0; i < a->held->len; i++)
    if (is_on (b, g_array_index (a->held, LkAuditHeld, i).node))
      return TRUE;
  return FALSE;
}

static void
check_victim (LkAudit *self, LkAuditJob *victim, const LkAuditJob *job, guint mode)
{
  gint64 grace_us;
  guint expected = victim_mode (self, victim, &grace_us);
  if (!may_displace (self, job, victim))
    lk_audit_find (self, LK_AUDIT_PREEMPT, victim, "job %u may not preempt it", job->id);
  if (expected != MODE_UNSAID && expected != mode)
    lk_audit_find (self, LK_AUDIT_PREEMPT, victim, "it is preempted by mode %u, and is to be by %u",
                   mode, expected);
  if (self->event->time_us - victim->start_us < exempt_us (self, victim))
    lk_audit_find (self, LK_AUDIT_PREEMPT, victim,
                   "it is preempted after %" G_GINT64_FORMAT " s, and is exempt for "
                   "%" G_GINT64_FORMAT,
                   (self->event->time_us - victim->start_us) / G_USEC_PER_SEC,
                   exempt_us (self, victim) / G_USEC_PER_SEC);
}

void
lk_audit_follow_preempt (LkAudit *self, LkAuditJob *victim, const LkAuditDecided_preempt *preempt)
{
  LkAuditRoom *room = room_of (self, preempt->for_job_id);
  if (lk_audit_is_leaving (victim))
    lk_audit_find (self, LK_AUDIT_PREEMPT, victim, "it is preempted and was going already");
  if (room != NULL)
    check_victim (self, victim, room->place, preempt->mode);
  if (preempt->mode == MODE_SUSPEND)
    return;
  victim->is_displaced = TRUE;
  victim->displaced_us = self->event->time_us;
  g_ptr_array_add (self->displaced, victim);
  if (room == NULL) {
    lk_audit_find (self, LK_AUDIT_ROOM, victim, "it goes for job %u, and no place was told",
                   preempt->for_job_id);
    return;
  }
  g_ptr_array_add (room->victims, victim);
  gboolean gives_license = number (self, "reclaim_licenses", 0) != 0 && victim->licenses[0] != '\0';
  if (self->site.nodes->len > 0 && victim->het_leader == 0 && !gives_license
      && !meet (room->place, victim))
    lk_audit_find (self, LK_AUDIT_ROOM, victim, "it goes for job %u, and has none of its nodes",
                   preempt->for_job_id);
}

/* ---------------------------------------------------------------- do they go? */

static void
check_gone (LkAudit *self)
{
  for (guint i = self->displaced->len; i > 0; i--) {
    LkAuditJob *victim = g_ptr_array_index (self->displaced, i - 1);
    gint64 grace_us;
    if (lk_audit_is_running (victim) && victim->is_displaced && victim->kill_why == 0) {
      victim_mode (self, victim, &grace_us);
      if (self->event->time_us - victim->displaced_us < grace_us)
        continue;
      lk_audit_find (self, LK_AUDIT_PREEMPT, victim, "its notice is over, and it is let run");
    }
    g_ptr_array_remove_index_fast (self->displaced, i - 1);
  }
}

/* ---------------------------------------------------------------- is there room? */

/* Of a pool: would there be room without this victim's, beside those for whom others went before?
 * Only when they went for one job. */
static void
check_needed (LkAudit *self, const LkAuditRoom *room)
{
  guint64 in_use = 0;
  for (guint i = 0; i < self->in_system->len; i++) {
    const LkAuditJob *other = g_ptr_array_index (self->in_system, i);
    if (other->phase == LK_AUDIT_RUNNING && !lk_audit_is_leaving (other))
      in_use += other->units;
  }
  for (guint i = 0; i < self->rooms->len; i++) {
    const LkAuditRoom *other = g_ptr_array_index (self->rooms, i);
    if (other != room)
      in_use += other->place->units;
  }
  for (guint i = 0; i < room->victims->len; i++) {
    const LkAuditJob *victim = g_ptr_array_index (room->victims, i);
    if (in_use + victim->units + room->place->units <= self->units_total)
      lk_audit_find (self, LK_AUDIT_ROOM, victim, "it goes for job %u, which has room without it",
                     room->place->id);
  }
}

/* As if those had gone that are going, and those before it had started. */
static void
check_new_rooms (LkAudit *self)
{
  guint job_count = self->in_system->len;
  guint room_count = 0;
  const LkAuditRoom *last = NULL;
  self->looks_at_room = TRUE;
  for (guint i = 0; i < self->rooms->len; i++) {
    LkAuditRoom *room = g_ptr_array_index (self->rooms, i);
    if (room->seq != self->event->seq)
      continue;
    lk_audit_check_place (self, room->place);
    room->place->phase = LK_AUDIT_RUNNING;
    g_ptr_array_add (self->in_system, room->place);
    room_count++;
    last = room;
  }
  self->looks_at_room = FALSE;
  g_ptr_array_set_size (self->in_system, (gint)job_count);
  if (room_count == 1 && self->site.nodes->len == 0)
    check_needed (self, last);
}

/* ---------------------------------------------------------------- is it used? */

/* Is nobody on the place but who came in this pass though the job goes before, and can it be used?
 * `out_is_lost`: somebody else has it. */
static gboolean
is_free (const LkAudit *self, const LkAuditRoom *room, const LkAuditJob *job, gboolean *out_is_lost)
{
  for (guint i = 0; i < room->place->held->len; i++) {
    guint32 index = g_array_index (room->place->held, LkAuditHeld, i).node;
    const LkAuditNode *node = &g_array_index (self->site.nodes, LkAuditNode, index);
    *out_is_lost |= node->is_down || node->is_drained;
    for (guint j = 0; j < self->reservations->len; j++)
      *out_is_lost |=
          ((LkAuditReservation *)g_ptr_array_index (self->reservations, j))->has_node[index];
  }
  gboolean is_taken = FALSE;
  for (guint i = 0; i < self->in_system->len; i++) {
    const LkAuditJob *other = g_ptr_array_index (self->in_system, i);
    if (!lk_audit_is_running (other) || !meet (room->place, other))
      continue;
    is_taken |= lk_audit_is_leaving (other);
    *out_is_lost |= other->start_seq > room->seq
                    && (other->start_seq < self->event->seq || !lk_audit_goes_before (job, other));
    /* One that was stopped then may have been let go on. */
    *out_is_lost |= other->was_resumed;
  }
  return !is_taken && !*out_is_lost;
}

static gboolean
waits_behind (const LkAudit *self, const LkAuditJob *job)
{
  for (guint i = 0; i < self->in_system->len; i++) {
    const LkAuditJob *other = g_ptr_array_index (self->in_system, i);
    if (other != job && lk_audit_goes_before (other, job) && lk_audit_may_have_stood (self, other))
      return TRUE;
  }
  return FALSE;
}

/* Does its job wait, as it did when the room was told? */
static gboolean
is_wanted (LkAudit *self, const LkAuditRoom *room)
{
  const LkAuditJob *job = lk_audit_job (self, room->place->id);
  return job != NULL && job->phase == LK_AUDIT_PENDING && job->waiting.count == room->waiting
         && job->changed_seq <= room->seq;
}

/* TRUE: nothing more is to be known of it. */
static gboolean
check_use (LkAudit *self, const LkAuditRoom *room)
{
  LkAuditJob *job = lk_audit_job (self, room->place->id);
  gboolean is_lost = FALSE;
  if (!is_wanted (self, room) || !lk_audit_waits_for_room (job))
    return TRUE;
  gboolean free = is_free (self, room, job, &is_lost);
  if (is_lost)
    return TRUE;
  if (!free || waits_behind (self, job) || lk_audit_lacks_license (self, job))
    return FALSE;
  lk_audit_find (self, LK_AUDIT_ROOM, job,
                 "who was preempted for it has gone, its place is free, and it does not start");
  return TRUE;
}

void
lk_audit_check_rooms (LkAudit *self)
{
  /* Slurm's own loops may not have come to it yet; and without knowing how jobs stand it could be
   * somebody else's turn. */
  gboolean is_sure = self->header.tells_standing != 0 && strcmp (self->backfill, "slurm") != 0;
  /* Which units are whose nobody knows. */
  gboolean is_pool = self->site.nodes->len == 0;
  check_new_rooms (self);
  check_gone (self);
  for (guint i = self->rooms->len; i > 0; i--) {
    const LkAuditRoom *room = g_ptr_array_index (self->rooms, i - 1);
    if (is_pool ? !is_wanted (self, room)
                : !is_sure || (room->seq < self->event->seq && check_use (self, room)))
      g_ptr_array_remove_index (self->rooms, i - 1);
  }
}
