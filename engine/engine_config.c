/* engine/engine_config.c — which configuration is in force: that which the engine was made from, or
 * what an event has said since.
 *
 * What an event says is kept as its bytes, and made into a configuration by who has made the first
 * (LkConfigMaker).  A snapshot has the digest of the first configuration, by which it is known, and
 * then these bytes. */
#include <string.h>

#include "engine/engine_private.h"

gboolean
lk_in_force_make (LkInForce *self, const LkEngineConfig *first, const LkJournalHeader *described,
                  LkPolicyError *out_error)
{
  static const char nobody[] = "nobody here makes configurations";
  const LkConfigMaker *maker = first->maker;
  *self = (LkInForce){ 0 };
  if (maker == NULL) {
    memcpy (out_error->text, nobody, sizeof nobody);
    return FALSE;
  }
  self->made = maker->make (maker->user, described, &self->config, out_error);
  if (self->made == NULL)
    return FALSE;
  self->config.maker = maker;
  self->described = g_byte_array_new ();
  lk_journal_header_encode (described, self->described);
  return TRUE;
}

void
lk_in_force_clear (LkInForce *self, const LkEngineConfig *first)
{
  if (self->made != NULL)
    first->maker->free (self->made);
  if (self->described != NULL)
    g_byte_array_unref (self->described);
  *self = (LkInForce){ 0 };
}

void
lk_engine_clear_config (LkEngine *self)
{
  LkInForce force = { .made = self->made, .described = self->described };
  lk_in_force_clear (&force, &self->config_first);
  self->made = NULL;
  self->described = NULL;
}

const LkEngineConfig *
lk_engine_config (const LkEngine *self)
{
  return &self->config;
}

gboolean
lk_engine_config_described (const LkEngine *self, LkJournalHeader *out_header)
{
  const GByteArray *bytes = self->described;
  return bytes != NULL && lk_journal_header_decode (bytes->data, bytes->len, out_header) > 0;
}

/* ---------------------------------------------------------------- snapshot */

void
lk_engine_save_config (const LkEngine *self, GByteArray *out)
{
  LkDigestValue digest = lk_engine_config_digest (&self->config_first);
  lk_append_u64 (out, digest.low);
  lk_append_u64 (out, digest.high);
  lk_append_u32 (out, self->described != NULL ? self->described->len : 0);
  if (self->described != NULL)
    g_byte_array_append (out, self->described->data, self->described->len);
}

LkStatus
lk_engine_load_config (const LkEngineConfig *first, LkBytesReader *reader, LkInForce *out_force)
{
  LkJournalHeader described;
  LkPolicyError error;
  LkDigestValue digest = { 0 };
  digest.low = lk_take_u64 (reader);
  digest.high = lk_take_u64 (reader);
  guint32 length_bytes = lk_take_u32 (reader);
  const guint8 *bytes = lk_take (reader, length_bytes);
  *out_force = (LkInForce){ 0 };
  if (bytes == NULL)
    return LK_STATUS_BYTES_INVALID;
  if (!lk_digest_value_equal (digest, lk_engine_config_digest (first)))
    return LK_STATUS_CONFIG_OTHER;
  if (length_bytes == 0)
    return LK_STATUS_OK;
  if (lk_journal_header_decode (bytes, length_bytes, &described) != length_bytes)
    return LK_STATUS_BYTES_INVALID;
  return lk_in_force_make (out_force, first, &described, &error) ? LK_STATUS_OK
                                                                 : LK_STATUS_CONFIG_OTHER;
}
