/* tests/engine/random_values.h — random events and decisions of every kind, made from the schema.
 *
 * Texts come from a fixed list that holds what JSON and UTF-8 make difficult. */
#ifndef LK_TESTS_RANDOM_VALUES_H
#define LK_TESTS_RANDOM_VALUES_H

#include <string.h>

#include "engine/codec.h"
#include "tests/engine/seed.h"

static inline guint64
random_u64 (Seed *seed)
{
  static const guint64 corners[] = { 0, 1, 0x7f, 0x80, 0xff, G_MAXINT64, G_MAXUINT64 };
  if (seed_below (seed, 4) == 0)
    return corners[seed_below (seed, G_N_ELEMENTS (corners))];
  guint64 value = seed_next (seed);
  return value >> seed_below (seed, 64);
}

static inline gint64
random_i64 (Seed *seed)
{
  return seed_below (seed, 10) == 0 ? G_MININT64 : (gint64)random_u64 (seed);
}

static inline guint32
random_u32 (Seed *seed)
{
  return (guint32)random_u64 (seed);
}

static inline guint16
random_u16 (Seed *seed)
{
  return (guint16)random_u64 (seed);
}

static inline guint8
random_u8 (Seed *seed)
{
  return (guint8)random_u64 (seed);
}

static inline LkText
random_text (Seed *seed)
{
  static const char *const texts[] = { "",
                                       "node17",
                                       "a,b",
                                       "\"quoted\" \\ back",
                                       "tab\tline\nend\x01\x1f",
                                       "Gr\xc3\xbc\xc3\x9f\x65",
                                       "\xe2\x82\xac\xf0\x9f\x90\xa7",
                                       "\x7f" };
  static char most[G_MAXUINT16];
  if (seed_below (seed, 100) == 0) {
    memset (most, 'x', sizeof most);
    return (LkText){ most, G_MAXUINT16 };
  }
  const char *text = texts[seed_below (seed, G_N_ELEMENTS (texts))];
  return (LkText){ text, (guint16)strlen (text) };
}

static inline LkLongText
random_long_text (Seed *seed)
{
  static char most[3 * G_MAXUINT16];
  if (seed_below (seed, 100) == 0) {
    memset (most, 'y', sizeof most);
    return (LkLongText){ most, sizeof most };
  }
  LkText text = random_text (seed);
  return (LkLongText){ text.bytes, text.length_bytes };
}

/* g_assert_cmpmem takes lengths as int, which -Wconversion does not let pass. */
static inline void
assert_same_bytes (const void *a, gsize a_bytes, const void *b, gsize b_bytes)
{
  g_assert_cmpuint (a_bytes, ==, b_bytes);
  g_assert_true (a_bytes == 0 || memcmp (a, b, a_bytes) == 0);
}

#define RANDOM_MEMBER(type, name, help) fields->name = random_##type (seed);

/* Half of the jobs ask for nothing, and half set no terms. */
#define DEFINE_RANDOM_GROUP(group, head, lower, FIELDS)                                            \
  static inline guint32 random_##group##_of_##lower (Seed *seed, LkEvent_##lower *fields)          \
  {                                                                                                \
    if (seed_below (seed, 2) == 0)                                                                 \
      return 0;                                                                                    \
    FIELDS (RANDOM_MEMBER)                                                                         \
    return fields->head | 1;                                                                       \
  }
DEFINE_RANDOM_GROUP (request, present, submit, LK_JOB_REQUEST_FIELDS)
DEFINE_RANDOM_GROUP (request, present, update, LK_JOB_REQUEST_FIELDS)
DEFINE_RANDOM_GROUP (terms, term_flags, submit, LK_JOB_TERMS_FIELDS)
DEFINE_RANDOM_GROUP (terms, term_flags, update, LK_JOB_TERMS_FIELDS)
#define RANDOM_GROUP(group)                                                                        \
  _Generic((fields), LkEvent_submit *                                                              \
           : random_##group##_of_submit, LkEvent_update *                                          \
           : random_##group##_of_update)
#define random_request(seed) RANDOM_GROUP (request) (seed, fields)
#define random_terms(seed) RANDOM_GROUP (terms) (seed, fields)

#define RANDOM_FIELD(type, name, help) fields->name = random_##type (seed);

/* Every field of the kind; not the sequence number. */
static inline LkEvent
random_event (Seed *seed, LkEventKind kind)
{
  LkEvent event = { .kind = kind, .time_us = random_i64 (seed) };
  switch (kind) {
#define X(NAME, number, rank, acted, lower, help)                                                  \
  case LK_EVENT_##NAME: {                                                                          \
    LkEvent_##lower *fields = &event.lower;                                                        \
    (void)fields;                                                                                  \
    LK_EVENT_##NAME##_FIELDS (RANDOM_FIELD) break;                                                 \
  }
    LK_EVENT_KINDS (X)
#undef X
  default:
    g_assert_not_reached ();
  }
  return event;
}

static inline LkDecision
random_decision (Seed *seed, LkDecisionKind kind)
{
  LkDecision decision = { .kind = kind, .job = LK_JOB_NONE };
  switch (kind) {
#define X(NAME, number, lower, help)                                                               \
  case LK_DECISION_##NAME: {                                                                       \
    LkDecision_##lower *fields = &decision.lower;                                                  \
    LK_DECISION_##NAME##_FIELDS (RANDOM_FIELD) break;                                              \
  }
    LK_DECISION_KINDS (X)
#undef X
  default:
    g_assert_not_reached ();
  }
  return decision;
}

#define X(NAME, number, rank, acted, lower, help) LK_EVENT_##NAME,
static const LkEventKind event_kinds[] = { LK_EVENT_KINDS (X) };
#undef X
#define X(NAME, number, lower, help) LK_DECISION_##NAME,
static const LkDecisionKind decision_kinds[] = { LK_DECISION_KINDS (X) };
#undef X

#endif
