/* tests/fuzz/codec_fuzz.c — any bytes as an event, a decision and a journal header.
 *
 * What decodes must encode to the bytes that were used: one value has one encoding.  Its JSON must
 * be UTF-8 on one line. */
#include <string.h>

#include "engine/assert.h"
#include "engine/codec.h"

int LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes);

static void
same_check (const GByteArray *encoded, const guint8 *bytes, gsize used_bytes)
{
  LK_ASSERT (encoded->len == used_bytes);
  LK_ASSERT (memcmp (encoded->data, bytes, used_bytes) == 0);
}

static void
json_check (const GString *json)
{
  LK_ASSERT (g_utf8_validate (json->str, (gssize)json->len, NULL));
  LK_ASSERT (strchr (json->str, '\n') == NULL);
  LK_ASSERT (json->str[0] == '{');
  LK_ASSERT (json->str[json->len - 1] == '}');
}

static void
event_check (const guint8 *bytes, gsize length_bytes)
{
  g_autoptr (GByteArray) encoded = g_byte_array_new ();
  g_autoptr (GString) json = g_string_new (NULL);
  LkEvent event;
  gsize used_bytes = lk_event_decode (bytes, length_bytes, &event);
  if (used_bytes == 0)
    return;
  event.seq = 1;
  lk_event_encode (&event, encoded);
  same_check (encoded, bytes, used_bytes);
  LK_ASSERT (lk_event_compare (&event, &event) == 0);
  lk_event_json (&event, json);
  json_check (json);
}

static void
decision_check (const guint8 *bytes, gsize length_bytes)
{
  g_autoptr (GByteArray) encoded = g_byte_array_new ();
  g_autoptr (GString) json = g_string_new (NULL);
  LkDecision decision;
  gsize used_bytes = lk_decision_decode (bytes, length_bytes, &decision);
  if (used_bytes == 0)
    return;
  lk_decision_encode (&decision, encoded);
  same_check (encoded, bytes, used_bytes);
  lk_decision_json (&decision, json);
  json_check (json);
}

static void
header_check (const guint8 *bytes, gsize length_bytes)
{
  g_autoptr (GByteArray) encoded = g_byte_array_new ();
  g_autoptr (GString) json = g_string_new (NULL);
  LkJournalHeader header;
  gsize used_bytes = lk_journal_header_decode (bytes, length_bytes, &header);
  if (used_bytes == 0)
    return;
  lk_journal_header_encode (&header, encoded);
  same_check (encoded, bytes, used_bytes);
  lk_journal_header_json (&header, json);
  json_check (json);
}

int
LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes)
{
  event_check (bytes, length_bytes);
  decision_check (bytes, length_bytes);
  header_check (bytes, length_bytes);
  return 0;
}
