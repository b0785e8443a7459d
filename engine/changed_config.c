/* engine/changed_config.c — see the header. */
#include "engine/changed_config.h"

#include <string.h>

#include "engine/accounts.h"
#include "engine/assert.h"
#include "engine/request_text.h"

/* What is in force, with the accounts as they are. */
static void
describe (LkChangedConfig *self, const LkEngine *engine, const LkJournalHeader *first)
{
  self->header = *first;
  lk_engine_config_described (engine, &self->header);
  if (lk_engine_accounts (engine) != NULL)
    lk_accounts_text (lk_engine_accounts (engine), self->accounts);
  self->header.accounts = (LkLongText){ self->accounts->str, (guint32)self->accounts->len };
  lk_journal_header_encode (&self->header, self->bytes);
  gsize length_bytes =
      lk_journal_header_decode (self->bytes->data, self->bytes->len, &self->header);
  LK_ASSERT (length_bytes == self->bytes->len);
}

/* The same with this machine. */
static void
set_cluster (LkChangedConfig *self, const LkEngine *engine, const LkCluster *cluster)
{
  LkEngineConfig config = *lk_engine_config (engine);
  config.cluster = cluster;
  if (config.accounts != NULL)
    config.accounts = lk_engine_accounts (engine);
  LkDigestValue digest = lk_engine_config_digest (&config);
  self->header.cluster = (LkLongText){ self->cluster->str, (guint32)self->cluster->len };
  self->header.config_digest_low = digest.low;
  self->header.config_digest_high = digest.high;
}

static gboolean
has_all_qos (const LkAccounts *accounts, const char *list)
{
  LkSpan rest = { list[0] != '\0' ? list : NULL, strlen (list) };
  LkSpan part;
  while (lk_next_part (&rest, ',', &part)) {
    g_autofree char *name = g_strndup (part.at, part.length_bytes);
    if (g_ascii_strcasecmp (name, "ALL") != 0 && lk_accounts_find_qos (accounts, name) == NULL)
      return FALSE;
  }
  return TRUE;
}

/* AllowQos and DenyQos of a changed partition name QOS that exist, as slurmctld has it since 25.11;
 * names that a configuration file gives are not checked there, either. */
static gboolean
names_known_qos (const LkCluster *cluster, const LkClusterChange *change,
                 const LkAccounts *accounts)
{
  gboolean is_partition = change->operation == LK_CLUSTER_CHANGE_PARTITION
                          || change->operation == LK_CLUSTER_CHANGE_PARTITION_ADD;
  if (!is_partition || accounts == NULL)
    return TRUE;
  for (guint i = 0; i < cluster->partitions->len; i++) {
    const LkPartitionSpec *spec = g_ptr_array_index (cluster->partitions, i);
    if (strlen (spec->name) != change->name.length_bytes
        || memcmp (spec->name, change->name.bytes, change->name.length_bytes) != 0)
      continue;
    return ((change->changes >> LK_PARTITION_CHANGE_allow_qos & 1) == 0
            || has_all_qos (accounts, spec->allow_qos))
           && ((change->changes >> LK_PARTITION_CHANGE_deny_qos & 1) == 0
               || has_all_qos (accounts, spec->deny_qos));
  }
  return TRUE;
}

LkReject
lk_changed_config_init (LkChangedConfig *self, const LkEngine *engine, const LkJournalHeader *first,
                        const LkClusterChange *change, GPtrArray *problems)
{
  LkClusterError error = { 0 };
  *self = (LkChangedConfig){ .bytes = g_byte_array_new (),
                             .accounts = g_string_new (NULL),
                             .cluster = g_string_new (NULL) };
  describe (self, engine, first);
  LkLongText before = self->header.cluster;
  g_autoptr (LkCluster) cluster = lk_cluster_from_text (before.bytes, before.length_bytes, &error);
  if (cluster == NULL) /* a counted pool */
    return LK_REJECT_UNSUPPORTED;
  LkReject reject = lk_cluster_change (cluster, change, &error);
  if (reject != 0 && error.text[0] != '\0')
    g_ptr_array_add (problems, g_strdup_printf ("%s %s", error.member, error.text));
  if (reject != 0)
    return reject;
  if (!names_known_qos (cluster, change, lk_engine_accounts (engine)))
    return LK_REJECT_QOS_INVALID;
  lk_cluster_text (cluster, self->cluster);
  self->is_changed = self->cluster->len != before.length_bytes
                     || memcmp (self->cluster->str, before.bytes, before.length_bytes) != 0;
  if (!self->is_changed)
    return 0;
  set_cluster (self, engine, cluster);
  lk_engine_try_config (engine, &self->header, problems);
  if (problems->len == 0)
    return 0;
  return change->operation == LK_CLUSTER_CHANGE_PARTITION_DELETE ? LK_REJECT_PARTITION_IN_USE
                                                                 : LK_REJECT_CONFIGURATION;
}

void
lk_changed_config_clear (LkChangedConfig *self)
{
  g_byte_array_unref (self->bytes);
  g_string_free (self->accounts, TRUE);
  g_string_free (self->cluster, TRUE);
}
