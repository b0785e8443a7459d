/* tests/fuzz/snapshot_fuzz.c — any bytes as a snapshot.
 *
 * The first byte chooses the configuration; the rest are the snapshot, whose configuration digest
 * and CRC are set right, so that the checks behind them are reached.  What loads must keep its
 * invariants, save to bytes that load to the same, and go on working. */
#include <string.h>

#include "engine/bytes.h"
#include "engine/crc32c.h"
#include "tests/fuzz/engine_feed.h"

int LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes);

#define CONFIG_AT 12u
#define CRC_BYTES 4u

static void
seal (guint8 *bytes, gsize length_bytes, const LkEngineConfig *config)
{
  LkCrc32c crc;
  LkDigestValue digest = lk_engine_config_digest (config);
  if (length_bytes < CONFIG_AT + 16 + CRC_BYTES)
    return;
  lk_put_u64 (lk_put_u64 (bytes + CONFIG_AT, digest.low), digest.high);
  lk_crc32c_init (&crc);
  length_bytes -= CRC_BYTES;
  lk_put_u32 (bytes + length_bytes, lk_crc32c (&crc, bytes, length_bytes));
}

static void
save_check (const LkEngine *engine, const LkEngineConfig *config)
{
  g_autoptr (GByteArray) saved = g_byte_array_new ();
  g_autoptr (GByteArray) again = g_byte_array_new ();
  LkStatus status;
  lk_engine_save (engine, saved);
  g_autoptr (LkEngine) loaded = lk_engine_load (config, saved->data, saved->len, &status);
  LK_ASSERT (loaded != NULL);
  lk_engine_save (loaded, again);
  LK_ASSERT (again->len == saved->len);
  LK_ASSERT (memcmp (again->data, saved->data, saved->len) == 0);
}

/* Each job it has is ended if it runs, else cancelled, with passes and timers between; nodes go and
 * come back. */
static void
go_on (LkEngine *engine)
{
  static const LkEventKind kinds[] = {
    LK_EVENT_PASS,    LK_EVENT_TIMER,      LK_EVENT_HOLD, LK_EVENT_RELEASE,
    LK_EVENT_REQUEUE, LK_EVENT_NODE_DOWN,  LK_EVENT_PASS, LK_EVENT_JOB_ENDED,
    LK_EVENT_NODE_UP, LK_EVENT_NODE_DRAIN, LK_EVENT_PASS, LK_EVENT_NODE_RESUME,
    LK_EVENT_PASS,    LK_EVENT_CANCEL
  };
  static const char *const nodes[] = { "n1", "n[1-2]", "m1", "m2" };
  for (guint32 id = 1; id < 40; id++)
    for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
      LkEngineCounts counts;
      lk_engine_counts (engine, &counts);
      if (counts.event_count == G_MAXUINT64)
        return;
      LkEvent event = { .kind = kinds[i], .time_us = counts.now_us };
      if (counts.now_us < LK_TIME_NEVER - G_USEC_PER_SEC)
        event.time_us += G_USEC_PER_SEC;
      LkText node = lk_text (nodes[id % G_N_ELEMENTS (nodes)]);
      switch (event.kind) {
      case LK_EVENT_NODE_DOWN:
        event.node_down.node = node;
        break;
      case LK_EVENT_NODE_UP:
        event.node_up.node = node;
        break;
      case LK_EVENT_NODE_DRAIN:
        event.node_drain.node = node;
        break;
      case LK_EVENT_NODE_RESUME:
        event.node_resume.node = node;
        break;
      case LK_EVENT_REQUEUE:
        /* Of some, so that others end. */
        event.requeue.job_id = id % 3 == 0 ? id : 0;
        break;
      case LK_EVENT_HOLD:
        event.hold.job_id = id;
        break;
      case LK_EVENT_RELEASE:
        event.release.job_id = id;
        break;
      case LK_EVENT_JOB_ENDED:
        event.job_ended.job_id = id;
        break;
      case LK_EVENT_CANCEL:
        event.cancel.job_id = id;
        break;
      default:
        break;
      }
      feed_event (engine, &event);
    }
}

int
LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes)
{
  if (length_bytes == 0)
    return 0;
  const LkEngineConfig *config = feed_config (bytes[0]);
  g_autofree guint8 *sealed = g_malloc (length_bytes);
  LkStatus status = LK_STATUS_OK;
  memcpy (sealed, bytes + 1, length_bytes - 1);
  seal (sealed, length_bytes - 1, config);
  g_autoptr (LkEngine) engine = lk_engine_load (config, sealed, length_bytes - 1, &status);
  LK_ASSERT ((engine == NULL) == (status != LK_STATUS_OK));
  if (engine == NULL)
    return 0;
  lk_engine_check (engine);
  save_check (engine, config);
  go_on (engine);
  lk_engine_check (engine);
  return 0;
}
