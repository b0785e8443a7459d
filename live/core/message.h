/* live/core/message.h — messages as structs and as canonical bytes; made from message_schema.h.
 *
 * One value has one encoding, and the decoder accepts nothing else: length first, limit next, and
 * no byte may be left over.  What is decoded is borrowed from the input. */
#ifndef LK_LIVE_CORE_MESSAGE_H
#define LK_LIVE_CORE_MESSAGE_H

#include <glib.h>

#include "engine/codec.h"
#include "live/core/bytes.h"
#include "live/core/message_limits.h"
#include "live/core/message_schema.h"

#define X(NAME, bit, help) LK_ROLE_##NAME = 1u << bit,
typedef enum { LK_ROLES (X) } LkRole;
#undef X

#define X(NAME, number, lower, senders, limit, event, help) LK_MESSAGE_##NAME = number,
typedef enum { LK_MESSAGE_KINDS (X) } LkMessageKind;
#undef X

#define X(NAME, number, help) LK_RUN_##NAME = number,
typedef enum { LK_RUN_STATES (X) } LkRunState;
#undef X

#define X(NAME, number, help, says) LK_END_##NAME = number,
typedef enum { LK_END_WHYS (X) } LkEndWhy;
#undef X

/* A list of run reports in their encoding, each of which has been checked. */
typedef LkBytes LkRuns;
/* Likewise of components of a heterogeneous job. */
typedef LkBytes LkComponents;

/* Likewise of places of a step. */
typedef LkBytes LkPlaces;
/* Likewise of reports of steps. */
typedef LkBytes LkStepReports;

#define LK_TYPE_runs LkRuns
#define LK_TYPE_components LkComponents
#define LK_TYPE_places LkPlaces
#define LK_TYPE_step_reports LkStepReports

#define X(NAME, number, help) LK_STEP_DISTRIBUTION_##NAME = number,
typedef enum { LK_STEP_DISTRIBUTIONS (X) LK_STEP_DISTRIBUTION_COUNT } LkStepDistribution;
#undef X
#define X(NAME, bit, help) LK_STEP_FLAG_##NAME = 1u << bit,
typedef enum { LK_STEP_FLAGS (X) } LkStepFlag;
#undef X
#define X(NAME, number, text) LK_STEP_ERROR_##NAME = number,
typedef enum { LK_STEP_ERRORS (X) } LkStepError;
#undef X
#define X(NAME, number, help) LK_STEP_##NAME = number,
typedef enum { LK_STEP_STATES (X) } LkStepState;
#undef X

typedef struct {
  LK_STEP_WANT_FIELDS (LK_MEMBER)
} LkStepWant;

typedef struct {
  LK_STEP_PLACE_FIELDS (LK_MEMBER)
} LkStepPlace;

typedef struct {
  LK_STEP_USAGE_FIELDS (LK_MEMBER)
} LkStepUsage;

typedef struct {
  LK_STEP_REPORT_FIELDS (LK_MEMBER)
} LkStepReport;

typedef struct {
  LK_STEP_LISTENER_FIELDS (LK_MEMBER)
} LkStepListener;

typedef struct {
  LK_RUN_REPORT_FIELDS (LK_MEMBER)
} LkRunReport;

typedef struct {
  LK_RUN_FACTS_FIELDS (LK_MEMBER)
} LkRunFacts;

typedef struct {
  LK_RUN_COMPONENT_FIELDS (LK_MEMBER)
} LkRunComponent;

typedef struct {
  LK_REQUEST_FIELDS (LK_MEMBER)
} LkRequestHead;

#define X(NAME, number, lower, senders, limit, event, help)                                        \
  typedef struct {                                                                                 \
    LK_MESSAGE_##NAME##_FIELDS (LK_MEMBER)                                                         \
  } LkMessage_##lower;
LK_MESSAGE_KINDS (X)
#undef X

typedef struct {
  LkMessageKind kind;
#define X(NAME, number, lower, senders, limit, event, help) LkMessage_##lower lower;
  union {
    LK_MESSAGE_KINDS (X)
  };
#undef X
} LkMessage;

/* Appends the canonical bytes. */
void lk_message_encode (const LkMessage *message, GByteArray *out);
/* FALSE: the bytes are not one canonical message; then `out_message` is untouched. */
gboolean lk_message_decode (const guint8 *bytes, gsize length_bytes, LkMessage *out_message);
/* The same of what we have kept ourselves, which may be longer than any message. */
gboolean lk_message_decode_kept (const guint8 *bytes, gsize length_bytes, LkMessage *out_message);
/* A JSON object on one line. */
void lk_message_json (const LkMessage *message, GString *out);
/* Name as in the schema; "?" for a number that is none. */
const char *lk_message_kind_name (guint kind);
/* Who may send it: a set of LkRole; 0 for a number that is no kind. */
guint32 lk_message_senders (guint kind);
/* Most bytes of a message of that kind between peers. A number that is no kind may be one of a
 * later version: that is short. */
gsize lk_message_max_bytes (guint kind);
/* The kind of event that a request carries; 0: it is no request. */
guint lk_message_event_kind (guint kind);
/* The parts that all requests have; NULL: it is no request. Valid as long as the message. */
const LkRequestHead *lk_message_request (const LkMessage *message);
/* The documentation of messages, roles and who may send, as Markdown. */
void lk_message_markdown (GString *out);

/* Appends one report to a list of them. */
void lk_run_report_append (const LkRunReport *report, GByteArray *runs);
/* Takes the next report off the front of the list. FALSE: there is none left. */
gboolean lk_run_report_next (LkRuns *runs, LkRunReport *out_report);
/* The same of components. */
void lk_run_component_append (const LkRunComponent *component, GByteArray *components);
gboolean lk_run_component_next (LkComponents *components, LkRunComponent *out_component);

/* The same of places of a step, and of reports of steps. */
void lk_step_place_append (const LkStepPlace *place, GByteArray *places);
gboolean lk_step_place_next (LkPlaces *places, LkStepPlace *out_place);
void lk_step_report_append (const LkStepReport *report, GByteArray *reports);
gboolean lk_step_report_next (LkStepReports *reports, LkStepReport *out_report);

/* Whole GPUs of a place: of gpu:0-1,3 three. */
guint32 lk_step_place_gpus (const LkStepPlace *place);

/* Slurm's text for why a step is refused; "Unspecified error" for a number that is none. */
const char *lk_step_error_text (guint error);
/* A part of a message that has the same fields. */
LkStepUsage lk_step_usage_of_report (const LkStepReport *report);

/* Copies what the texts borrow, and makes them borrow the copy. Returns: (transfer full). */
guint8 *lk_run_facts_own (LkRunFacts *facts);

#endif
