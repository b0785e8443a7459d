/* sim/audit_bytes.h — journals as the checker reads them.
 *
 * The layout comes from the table of engine/schema.h and from docs/formats.md; the code is the
 * checker's own, so that a fault of the engine's codec cannot hide itself. */
#ifndef LK_SIM_AUDIT_BYTES_H
#define LK_SIM_AUDIT_BYTES_H

#include <glib.h>

#include "engine/schema.h"

/* Borrowed; not terminated. */
typedef struct {
  const char *bytes;
  guint32 length_bytes;
} LkAuditText;

#define AUDIT_TYPE_u8 guint8
#define AUDIT_TYPE_u16 guint16
#define AUDIT_TYPE_u32 guint32
#define AUDIT_TYPE_u64 guint64
#define AUDIT_TYPE_i64 gint64
#define AUDIT_TYPE_text LkAuditText
#define AUDIT_TYPE_long_text LkAuditText
#define AUDIT_MEMBER(type, name, help) AUDIT_TYPE_##type name;
/* Groups of fields, whose first one the field of this type names. */
#define AUDIT_GROUP_MEMBER(type, name, help) AUDIT_TYPE_##type name;
#define AUDIT_TYPE_request LK_JOB_REQUEST_MORE_FIELDS (AUDIT_GROUP_MEMBER) guint32
#define AUDIT_TYPE_terms LK_JOB_TERMS_MORE_FIELDS (AUDIT_GROUP_MEMBER) guint32

enum {
#define X(NAME, number, rank, acted, lower, help) AUDIT_EVENT_##NAME = number,
  LK_EVENT_KINDS (X)
#undef X
#define X(NAME, number, lower, help) AUDIT_##NAME = number,
      LK_DECISION_KINDS (X)
#undef X
#define X(NAME, number, text) AUDIT_STATE_##NAME = number,
          LK_JOB_STATES (X)
#undef X
#define X(NAME, number, text) AUDIT_REASON_##NAME = number,
              LK_REASONS (X)
#undef X
#define X(NAME, number, text) AUDIT_KILL_##NAME = number,
                  LK_KILL_WHYS (X)
#undef X
#define X(NAME, bit, text) AUDIT_FLAG_##NAME = 1 << bit,
                      LK_REQUEST_FLAGS (X)
#undef X
};

#define X(NAME, number, rank, acted, lower, help)                                                  \
  typedef struct {                                                                                 \
    LK_EVENT_##NAME##_FIELDS (AUDIT_MEMBER) char end_of_fields[1];                                 \
  } LkAudit_##lower;
LK_EVENT_KINDS (X)
#undef X
#define X(NAME, number, lower, help)                                                               \
  typedef struct {                                                                                 \
    LK_DECISION_##NAME##_FIELDS (AUDIT_MEMBER) char end_of_fields[1];                              \
  } LkAuditDecided_##lower;
LK_DECISION_KINDS (X)
#undef X

typedef struct {
  guint64 seq;
  gint64 time_us;
  guint kind;
#define X(NAME, number, rank, acted, lower, help) LkAudit_##lower lower;
  union {
    LK_EVENT_KINDS (X)
  };
#undef X
} LkAuditEvent;

typedef struct {
  guint kind;
#define X(NAME, number, lower, help) LkAuditDecided_##lower lower;
  union {
    LK_DECISION_KINDS (X)
  };
#undef X
} LkAuditDecision;

typedef struct {
  LK_JOURNAL_HEADER_FIELDS (AUDIT_MEMBER)
} LkAuditHeader;

typedef struct {
  const guint8 *at;
  gsize left_bytes;
  gboolean failed;
} LkAuditBytes;

typedef struct {
  LkAuditBytes file;  /* behind the record that is being read */
  LkAuditBytes batch; /* what is left of it */
  guint32 batch_events_left;
  guint32 decisions_left; /* of the event read last */
  guint64 seq;            /* of the next event */
  gboolean is_complete;   /* the end record was read */
  char error[160];
} LkAuditJournal;

/* FALSE, with `error` filled: these bytes are no journal of this format. `bytes` outlive self. */
gboolean lk_audit_journal_open (LkAuditJournal *self, const guint8 *bytes, gsize length_bytes,
                                LkAuditHeader *out_header);
/* FALSE at the end: of a good journal `error` is empty. All decisions of the event before must have
 * been read. */
gboolean lk_audit_journal_event (LkAuditJournal *self, LkAuditEvent *out_event);
gboolean lk_audit_journal_decision (LkAuditJournal *self, LkAuditDecision *out_decision);

/* Returns: (transfer full). */
char *lk_audit_text_copy (LkAuditText text);
const char *lk_audit_reason_text (guint reason);
const char *lk_audit_state_text (guint state);

#endif
