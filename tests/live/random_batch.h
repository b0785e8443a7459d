/* tests/live/random_batch.h — random batch jobs, made from the schema. */
#ifndef LK_TESTS_LIVE_RANDOM_BATCH_H
#define LK_TESTS_LIVE_RANDOM_BATCH_H

#include "live/core/batch.h"
#include "tests/live/random_message.h"

static inline LkStrings
random_strings (Seed *seed)
{
  static const guint8 some[] = "A=1\0\0B=\xff\n\0";
  static const guint32 lengths_bytes[] = { 0, 4, 5, sizeof some - 1 };
  guint32 length_bytes = lengths_bytes[seed_below (seed, G_N_ELEMENTS (lengths_bytes))];
  return (LkStrings){ length_bytes > 0 ? some : NULL, length_bytes };
}

static inline LkBatch
random_batch (Seed *seed)
{
  LkBatch batch;
  LkBatch *fields = &batch;
  LK_BATCH_FIELDS (RANDOM_FIELD)
  batch.open_mode %= LK_BATCH_OPEN_COUNT;
  batch.export_mode %= LK_BATCH_EXPORT_COUNT;
  batch.kind %= LK_BATCH_KIND_COUNT;
  batch.umask &= 0777;
  batch.limits %= 1u << LK_BATCH_LIMIT_COUNT;
  batch.mail_types %= LK_BATCH_MAIL_ARRAY_TASKS << 1;
  return batch;
}

#endif
