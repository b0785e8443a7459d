/* tests/live/payload_test.c — what jobs bring: taken out as it was put in, and kept once where it
 * is the same. */
#include "live/core/payload.h"

#include <string.h>

#include "tests/live/assert_bytes.h"
#include "tests/live/random_batch.h"

#define ROUNDS 500u
#define BOTH ((LkPayloadParts)(LK_PAYLOAD_SCRIPT | LK_PAYLOAD_ENVIRONMENT))

static LkPayload *
payload_of (LkPayloads *table, const char *script, const char *environment)
{
  LkBatch batch = { .script = lk_bytes (script),
                    .environment = { (const guint8 *)environment,
                                     environment[0] != '\0' ? (guint32)strlen (environment) + 1
                                                            : 0 },
                    .work_dir = lk_bytes ("/") };
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  lk_batch_encode (&batch, bytes);
  return lk_payload_new (table, bytes->data, bytes->len);
}

static void
test_there_and_back (void)
{
  LkPayloads *table = lk_payloads_new (7);
  Seed seed = { 1 };
  LkPayload *before = NULL;
  for (guint round = 0; round < ROUNDS; round++) {
    g_autoptr (GByteArray) bytes = g_byte_array_new ();
    LkBatch batch = random_batch (&seed);
    lk_batch_encode (&batch, bytes);
    /* Now and then something that is no batch job. */
    if (round % 5 == 0)
      g_byte_array_append (bytes, (const guint8 *)"", 1);
    LkPayload *payload = lk_payload_new (table, bytes->data, bytes->len);
    LkBytes whole = lk_payload_bytes (payload);
    assert_same_bytes (whole.bytes, whole.length_bytes, bytes->data, bytes->len);
    lk_payload_unref (before);
    before = lk_payload_ref (payload);
    lk_payload_unref (payload);
    whole = lk_payload_bytes (before);
    assert_same_bytes (whole.bytes, whole.length_bytes, bytes->data, bytes->len);
  }
  lk_payload_unref (before);
  g_assert_cmpuint (lk_payloads_part_count (table), ==, 0);
  lk_payloads_free (table);
}

static void
test_nothing (void)
{
  LkPayloads *table = lk_payloads_new (0);
  LkPayload *payload = lk_payload_new (table, NULL, 0);
  g_assert_cmpuint (lk_payload_bytes (payload).length_bytes, ==, 0);
  g_assert_null (lk_payload_part (payload, LK_PAYLOAD_SCRIPT));
  g_assert_null (lk_payload_part (payload, LK_PAYLOAD_ENVIRONMENT));
  lk_payload_unref (payload);
  lk_payload_unref (NULL);
  lk_payloads_free (table);
}

/* The environment of many is kept once, and so are their scripts where they are the same. */
static void
test_shared (void)
{
  LkPayloads *table = lk_payloads_new (3);
  LkPayload *one = payload_of (table, "#!/bin/sh\n", "A=1");
  LkPayload *two = payload_of (table, "#!/bin/sh\n", "A=1");
  LkPayload *three = payload_of (table, "#!/bin/bash\n", "A=1");
  LkPayload *four = payload_of (table, "#!/bin/bash\n", "");
  g_assert_cmpuint (lk_payloads_part_count (table), ==, 4); /* two scripts, and the rest */
  g_assert_true (lk_payload_part (one, LK_PAYLOAD_SCRIPT)
                 == lk_payload_part (two, LK_PAYLOAD_SCRIPT));
  g_assert_true (lk_payload_part (one, LK_PAYLOAD_SCRIPT)
                 != lk_payload_part (three, LK_PAYLOAD_SCRIPT));
  g_assert_true (lk_payload_part (one, LK_PAYLOAD_ENVIRONMENT)
                 == lk_payload_part (three, LK_PAYLOAD_ENVIRONMENT));
  g_assert_null (lk_payload_part (four, LK_PAYLOAD_ENVIRONMENT));
  lk_payload_unref (one);
  lk_payload_unref (two);
  g_assert_cmpuint (lk_payloads_part_count (table), ==, 3);
  lk_payload_unref (three);
  lk_payload_unref (four);
  g_assert_cmpuint (lk_payloads_part_count (table), ==, 0);
  lk_payloads_free (table);
}

static void
test_brief (void)
{
  LkPayloads *table = lk_payloads_new (3);
  LkPayload *payload = payload_of (table, "#!/bin/sh\n", "A=1");
  LkBatch batch;
  LkBytes brief = lk_payload_without (payload, BOTH);
  g_assert_true (lk_batch_decode (brief.bytes, brief.length_bytes, &batch));
  g_assert_cmpuint (batch.script.length_bytes + batch.environment.length_bytes, ==, 0);
  assert_same_bytes (batch.work_dir.bytes, batch.work_dir.length_bytes, "/", 1);
  brief = lk_payload_without (payload, LK_PAYLOAD_SCRIPT);
  g_assert_true (lk_batch_decode (brief.bytes, brief.length_bytes, &batch));
  g_assert_cmpuint (batch.script.length_bytes, ==, 0);
  assert_same_bytes (batch.environment.bytes, batch.environment.length_bytes, "A=1", 4);
  lk_payload_unref (payload);
  lk_payloads_free (table);
}

/* A part from another job, and what has none. */
static void
test_join (void)
{
  LkPayloads *table = lk_payloads_new (3);
  LkPayload *one = payload_of (table, "#!/bin/sh\n", "A=1");
  LkPayload *none = lk_payload_new (table, (const guint8 *)"x", 1);
  LkPayload *joined = NULL;
  g_autoptr (GByteArray) whole = g_byte_array_new ();
  g_autoptr (GByteArray) brief = g_byte_array_new ();
  LkBytes bytes = lk_payload_bytes (one);
  g_byte_array_append (whole, bytes.bytes, bytes.length_bytes);
  bytes = lk_payload_without (one, BOTH);
  g_byte_array_append (brief, bytes.bytes, bytes.length_bytes);
  LkBytes rest = { brief->data, brief->len };
  g_assert_true (lk_payload_join (table, rest, one, one, &joined));
  bytes = lk_payload_bytes (joined);
  assert_same_bytes (bytes.bytes, bytes.length_bytes, whole->data, whole->len);
  g_assert_cmpuint (lk_payloads_part_count (table), ==, 4);
  lk_payload_unref (joined);
  g_assert_false (lk_payload_join (table, rest, none, NULL, &joined));
  g_assert_false (lk_payload_join (table, rest, NULL, none, &joined));
  g_assert_false (lk_payload_join (table, (LkBytes){ (const guint8 *)"x", 1 }, one, NULL, &joined));
  lk_payload_unref (one);
  lk_payload_unref (none);
  g_assert_cmpuint (lk_payloads_part_count (table), ==, 0);
  lk_payloads_free (table);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/payload/what is taken out is what was put in", test_there_and_back);
  g_test_add_func ("/payload/nothing is something", test_nothing);
  g_test_add_func ("/payload/what is the same is kept once", test_shared);
  g_test_add_func ("/payload/a job without its script is one", test_brief);
  g_test_add_func ("/payload/parts of others make a whole", test_join);
  return g_test_run ();
}
