/* engine/request_partition.c — in which partitions a job may run, and whether it may at all. */
#include "engine/request_partition.h"

#include <string.h>

#include "engine/request_text.h"

static LkReject
find_partition (const LkMachine *machine, LkSpan name, guint32 *out_partition)
{
  for (guint32 i = 0; i < machine->partition_count; i++) {
    const char *known = machine->partitions[i].spec->name;
    if (strlen (known) == name.length_bytes && memcmp (known, name.at, name.length_bytes) == 0) {
      *out_partition = i;
      return 0;
    }
  }
  return LK_REJECT_PARTITION_UNKNOWN;
}

gboolean
lk_request_partition_before (const LkMachine *machine, guint32 a, guint32 b)
{
  const LkPartitionSpec *spec_a = machine->partitions[a].spec;
  const LkPartitionSpec *spec_b = machine->partitions[b].spec;
  if (spec_a->priority_tier != spec_b->priority_tier)
    return spec_a->priority_tier > spec_b->priority_tier;
  return spec_a->priority_job_factor > spec_b->priority_job_factor;
}

/* Of several partitions the job waits in that where it deserves most, the first of equal ones;
 * lk_machine_resolve leaves out those without nodes for it. */
LkReject
lk_request_find_partitions (LkRequest *self, const LkMachine *machine, LkText names)
{
  LkSpan rest = lk_span_of (names);
  LkSpan name;
  self->partition = machine->partition_default;
  self->partitions = g_array_new (FALSE, FALSE, sizeof (guint32));
  while (lk_next_part (&rest, ',', &name)) {
    guint32 partition;
    LkReject reject = find_partition (machine, name, &partition);
    if (reject != 0)
      return reject;
    if (self->partitions->len == 0
        || lk_request_partition_before (machine, partition, self->partition))
      self->partition = partition;
    g_array_append_val (self->partitions, partition);
  }
  if (self->partitions->len == 0)
    g_array_append_val (self->partitions, self->partition);
  if (self->place > self->partitions->len)
    return LK_REJECT_PARTITION_UNKNOWN;
  if (self->place > 0)
    self->partition = g_array_index (self->partitions, guint32, self->place - 1);
  return 0;
}

static gboolean
list_has (const char *list, LkText name)
{
  LkSpan rest = { list[0] != '\0' ? list : NULL, strlen (list) };
  LkSpan part;
  while (lk_next_part (&rest, ',', &part))
    if (part.length_bytes == name.length_bytes
        && memcmp (part.at, name.bytes, part.length_bytes) == 0)
      return TRUE;
  return FALSE;
}

static gboolean
list_is_open (const char *list)
{
  return list[0] == '\0' || g_ascii_strcasecmp (list, "ALL") == 0;
}

/* May this account, group and QOS use the partition? A name that is not given passes. */
static gboolean
is_denied (const char *allow, const char *deny, LkText name)
{
  if (name.length_bytes == 0)
    return FALSE;
  return (!list_is_open (allow) && !list_has (allow, name)) || list_has (deny, name);
}

/* Of several groups, with commas between, one will do. */
static gboolean
are_denied (const char *allow, LkText groups)
{
  LkSpan rest = { groups.length_bytes > 0 ? groups.bytes : NULL, groups.length_bytes };
  LkSpan part;
  if (groups.length_bytes == 0 || list_is_open (allow))
    return FALSE;
  while (lk_next_part (&rest, ',', &part))
    if (list_has (allow, (LkText){ part.at, (guint16)part.length_bytes }))
      return FALSE;
  return TRUE;
}

void
lk_request_never (LkRequest *self, LkReason reason, LkReject reject)
{
  if (self->never != LK_REASON_NONE)
    return;
  self->never = reason;
  self->never_reject = reject;
}

void
lk_request_check_access (LkRequest *self, const LkPartitionSpec *partition,
                         const LkJobRequest *asked)
{
  if (are_denied (partition->allow_groups, asked->group))
    lk_request_never (self, LK_REASON_ACCOUNT_NOT_ALLOWED, LK_REJECT_GROUP_DENIED);
  if (is_denied (partition->allow_accounts, partition->deny_accounts, asked->account))
    lk_request_never (self, LK_REASON_ACCOUNT_NOT_ALLOWED, LK_REJECT_ACCOUNT_DENIED);
  if (is_denied (partition->allow_qos, partition->deny_qos, asked->qos))
    lk_request_never (self, LK_REASON_QOS_NOT_ALLOWED, LK_REJECT_ACCOUNT_DENIED);
}
