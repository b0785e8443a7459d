/* engine/changed_config.c — see the header. */
#include "engine/changed_config.h"

#include <string.h>

#include "engine/accounts.h"
#include "engine/assert.h"

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
