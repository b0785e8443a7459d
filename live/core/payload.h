/* live/core/payload.h — what was submitted with jobs, kept as long as they may run.
 *
 * Jobs of one user bring much that is the same: the environment of his shell, and his script.  So
 * these two, and the rest, are each kept once for all that have them, found by their bytes; what is
 * no batch job (batch.h) is kept as it is.  What is taken out is what was put in, to the bit. */
#ifndef LK_LIVE_CORE_PAYLOAD_H
#define LK_LIVE_CORE_PAYLOAD_H

#include "live/core/bytes.h"

typedef struct _LkPayload LkPayload;
typedef struct _LkPayloads LkPayloads;

/* `seed`: so that nobody can choose what falls together in a table. */
LkPayloads *lk_payloads_new (guint64 seed);
/* When nothing that it has made is left. NULL: nothing. */
void lk_payloads_free (LkPayloads *self);
/* Parts that are kept, each once. */
guint lk_payloads_part_count (const LkPayloads *self);

/* Bytes of all that is kept, each once; */
guint64 lk_payloads_bytes (const LkPayloads *self);
/* and of what is charged to a user. */
guint64 lk_payloads_user_bytes (const LkPayloads *self, guint32 user_id);

/* Copied; may be empty. Returns: (transfer full). O(length). */
LkPayload *lk_payload_new (LkPayloads *self, const guint8 *bytes, guint32 length_bytes);
LkPayload *lk_payload_ref (LkPayload *payload);
/* NULL: nothing. */
void lk_payload_unref (gpointer payload);
/* Charges the user with what is charged to nobody yet, as long as it is kept. */
void lk_payload_charge (LkPayload *payload, guint32 user_id);

typedef enum {
  LK_PAYLOAD_SCRIPT = 1 << 0,
  LK_PAYLOAD_ENVIRONMENT = 1 << 1,
} LkPayloadParts;

/* The whole, valid until the next call for any payload of the same table. */
LkBytes lk_payload_bytes (const LkPayload *payload);
/* Is it a batch job, the parts of which are known? */
gboolean lk_payload_is_batch (const LkPayload *payload);
/* The same without some parts: a batch job in which they are empty. */
LkBytes lk_payload_without (const LkPayload *payload, LkPayloadParts parts);
/* What is the same for all that have the part alike; NULL: it has none. One part at a time. */
gconstpointer lk_payload_part (const LkPayload *payload, LkPayloadParts part);
/* A batch job without these parts, with those of others; NULL: stays as it is. FALSE, and nothing
 * in `out_payload`: it is no batch job, or others have no such part. */
gboolean lk_payload_join (LkPayloads *self, LkBytes brief, const LkPayload *script_of,
                          const LkPayload *environment_of, LkPayload **out_payload);

#endif
