/* engine/codec.h — events, decisions and the journal header as structs and as canonical bytes.
 *
 * Everything here is made from engine/schema.h.  The encoding is canonical: one value has one
 * encoding, and a decoder accepts nothing else.  Decoders check every length before they read and
 * never allocate; decoded text points into the input. */
#ifndef LK_ENGINE_CODEC_H
#define LK_ENGINE_CODEC_H

#include <glib.h>

#include "engine/policy.h"
#include "engine/schema.h"

/* Borrowed text; not terminated. `bytes` may be NULL when `length_bytes` is 0. */
typedef struct {
  const char *bytes;
  guint16 length_bytes;
} LkText;

/* Borrowed text that may be long: lists of nodes and descriptions of machines. */
typedef struct {
  const char *bytes;
  guint32 length_bytes;
} LkLongText;

#define LK_TYPE_u8 guint8
#define LK_TYPE_u16 guint16
#define LK_TYPE_u32 guint32
#define LK_TYPE_u64 guint64
#define LK_TYPE_i64 gint64
#define LK_TYPE_text LkText
#define LK_TYPE_long_text LkLongText
#define LK_MEMBER(type, name, help) LK_TYPE_##type name;
/* All members of a request but `present`, which the field of this type names; likewise of terms. */
#define LK_REQUEST_MEMBER(type, name, help) LK_TYPE_##type name;
#define LK_TYPE_request LK_JOB_REQUEST_MORE_FIELDS (LK_REQUEST_MEMBER) guint32
#define LK_TYPE_terms LK_JOB_TERMS_MORE_FIELDS (LK_REQUEST_MEMBER) guint32

#define X(NAME, number, rank, acted, lower, help) LK_EVENT_##NAME = number,
typedef enum { LK_EVENT_KINDS (X) LK_EVENT_KIND_LIMIT } LkEventKind;
#undef X
#define X(NAME, number, lower, help) LK_DECISION_##NAME = number,
typedef enum { LK_DECISION_KINDS (X) LK_DECISION_KIND_LIMIT } LkDecisionKind;
#undef X
#define X(NAME, number, text) LK_JOB_##NAME = number,
typedef enum { LK_JOB_STATES (X) LK_JOB_STATE_LIMIT } LkJobState;
#undef X
#define X(NAME, number, text) LK_REASON_##NAME = number,
typedef enum { LK_REASONS (X) LK_REASON_LIMIT } LkReason;
#undef X
#define X(NAME, number, text) LK_KILL_##NAME = number,
typedef enum { LK_KILL_WHYS (X) LK_KILL_LIMIT } LkKillWhy;
#undef X
#define X(NAME, number, text) LK_REJECT_##NAME = number,
typedef enum { LK_REJECTS (X) LK_REJECT_LIMIT } LkReject;
#undef X

#define X(NAME, number, text) LK_TROUBLE_##NAME = number,
typedef enum { LK_TROUBLES (X) LK_TROUBLE_LIMIT } LkTrouble;
#undef X

#define X(NAME, bit, text) LK_REQUEST_##NAME = 1u << bit,
typedef enum { LK_REQUEST_FLAGS (X) } LkRequestFlag;
#undef X
#define X(NAME, bit, text) LK_TERM_##NAME = 1u << bit,
typedef enum { LK_TERM_FLAGS (X) } LkTermFlag;
#undef X

/* Bits of LkEvent_update.changes: 1 << LK_CHANGE_procs, ...; one for each field of a job that may
 * change, under its name. */
#define LK_CHANGE(type, name, help) LK_CHANGE_##name,
typedef enum {
  LK_CHANGE_procs,
  LK_CHANGE_estimate_us,
  LK_JOB_REQUEST_FIELDS (LK_CHANGE) LK_JOB_TERMS_FIELDS (LK_CHANGE) LK_CHANGE_COUNT
} LkChange;
G_STATIC_ASSERT (LK_CHANGE_COUNT <= 64);

/* Bits of LkEvent_cancel.filter. */
typedef enum {
  LK_FILTER_JOB_ID = 1u << 0,
  LK_FILTER_USER_ID = 1u << 1,
  LK_FILTER_NAME = 1u << 2,
  LK_FILTER_PARTITION = 1u << 3,
  LK_FILTER_ACCOUNT = 1u << 4,
  LK_FILTER_QOS = 1u << 5,
  LK_FILTER_RESERVATION = 1u << 6,
  LK_FILTER_STATE = 1u << 7,
  LK_FILTER_NODE_LIST = 1u << 8,
} LkCancelFilter;

/* Bits of LkJobRequest.present. */
#define LK_REQUEST_HAS_MEMORY_PER_NODE (1u << 0)
#define LK_REQUEST_HAS_MEMORY_PER_CPU (1u << 1)
#define LK_REQUEST_HAS_MEMORY_PER_GPU (1u << 2)

/* What a job asks for; the same fields, in the same order, stand in a submit event. Texts are
 * borrowed. All zero: see schema.h. */
typedef struct {
  LK_JOB_REQUEST_FIELDS (LK_MEMBER)
} LkJobRequest;

/* When, and under which conditions, a job may run; likewise. */
typedef struct {
  LK_JOB_TERMS_FIELDS (LK_MEMBER)
} LkJobTerms;

/* A struct needs a member even when the kind has no fields. */
#define X(NAME, number, rank, acted, lower, help)                                                  \
  typedef struct {                                                                                 \
    LK_EVENT_##NAME##_FIELDS (LK_MEMBER) char end_of_fields[1];                                    \
  } LkEvent_##lower;
LK_EVENT_KINDS (X)
#undef X
#define X(NAME, number, lower, help)                                                               \
  typedef struct {                                                                                 \
    LK_DECISION_##NAME##_FIELDS (LK_MEMBER) char end_of_fields[1];                                 \
  } LkDecision_##lower;
LK_DECISION_KINDS (X)
#undef X

typedef struct {
  guint64 seq; /* 1, 2, 3 ...: its place in the journal */
  gint64 time_us;
  LkEventKind kind;
#define X(NAME, number, rank, acted, lower, help) LkEvent_##lower lower;
  union {
    LK_EVENT_KINDS (X)
  };
#undef X
} LkEvent;

typedef struct {
  LkDecisionKind kind;
  LkJobIndex job; /* the job concerned, or LK_JOB_NONE; valid during the sink call; not encoded */
#define X(NAME, number, lower, help) LkDecision_##lower lower;
  union {
    LK_DECISION_KINDS (X)
  };
#undef X
} LkDecision;

/* The decisions of one event, one behind the other in their canonical bytes. Borrowed. */
typedef struct {
  const guint8 *bytes;
  gsize length_bytes;
  guint32 count;
} LkDecided;

typedef struct {
  LK_JOURNAL_HEADER_FIELDS (LK_MEMBER)
} LkJournalHeader;

/* Appends the canonical bytes: of an event kind, time and payload (not the sequence number, which
 * its place in the journal gives); of a decision kind and payload. */
void lk_event_encode (const LkEvent *event, GByteArray *out);
void lk_decision_encode (const LkDecision *decision, GByteArray *out);
void lk_journal_header_encode (const LkJournalHeader *header, GByteArray *out);

/* The same in two steps, for who has the room already. `lk_..._put` returns the end of what it
 * wrote. */
gsize lk_event_size_bytes (const LkEvent *event);
gsize lk_decision_size_bytes (const LkDecision *decision);
guint8 *lk_event_put (const LkEvent *event, guint8 *at);
guint8 *lk_decision_put (const LkDecision *decision, guint8 *at);

/* Decodes one value from the front of `bytes`. Returns the bytes used, or 0 when they are not one
 * canonical value (then `out` is untouched). */
gsize lk_event_decode (const guint8 *bytes, gsize length_bytes, LkEvent *out_event);
gsize lk_decision_decode (const guint8 *bytes, gsize length_bytes, LkDecision *out_decision);
gsize lk_journal_header_decode (const guint8 *bytes, gsize length_bytes,
                                LkJournalHeader *out_header);

/* JSON objects on one line, every field under its name of the schema. */
void lk_event_json (const LkEvent *event, GString *out);
void lk_decision_json (const LkDecision *decision, GString *out);
void lk_journal_header_json (const LkJournalHeader *header, GString *out);

/* The documentation of the bytes, as Markdown. */
void lk_schema_markdown (GString *out);

/* The configuration that an event says, and the way back. Texts stay borrowed. */
void lk_reconfigure_header (const LkEvent_reconfigure *event, LkJournalHeader *out_header);
void lk_reconfigure_set_header (LkEvent_reconfigure *event, const LkJournalHeader *header);

/* The request that a submit event carries, and the way back. Texts stay borrowed. */
void lk_submit_request (const LkEvent_submit *submit, LkJobRequest *out_request);
void lk_submit_set_request (LkEvent_submit *submit, const LkJobRequest *request);
/* The same of its terms. */
void lk_submit_terms (const LkEvent_submit *submit, LkJobTerms *out_terms);
void lk_submit_set_terms (LkEvent_submit *submit, const LkJobTerms *terms);
/* Of what an update names in `changes`, the request and the terms take the new value. */
void lk_update_request (const LkEvent_update *update, LkJobRequest *request);
void lk_update_terms (const LkEvent_update *update, LkJobTerms *terms);
gboolean lk_job_terms_are_empty (const LkJobTerms *terms);
/* Borrowed text of a terminated string; NULL gives the empty text. The string has at most 65535
 * bytes. */
LkText lk_text (const char *string);

/* Names as in the schema; "?" for a number that is none. */
const char *lk_event_kind_name (guint kind);
const char *lk_decision_kind_name (guint kind);
const char *lk_job_state_name (guint state);
/* Does a notice of this state tell that a run has ended? */
gboolean lk_job_state_is_end (guint state);
const char *lk_reason_name (guint reason);
const char *lk_reject_text (guint reject);
const char *lk_kill_text (guint why);

/* FALSE for a kind that this engine answers with a reject decision. */
gboolean lk_event_kind_acted (guint kind);
/* Place of a kind among the events of one instant. */
guint lk_event_rank (guint kind);
/* The job that an event names; 0 when it names none. */
guint32 lk_event_job_id (const LkEvent *event);
/* The total order at one instant: time, rank, job id, kind. Drivers deliver in this order; an event
 * that a decision causes at the same instant comes after its cause. */
gint lk_event_compare (const LkEvent *a, const LkEvent *b);

#endif
