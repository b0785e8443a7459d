/* tests/live/random_message.h — random messages of every kind, made from the schema. */
#ifndef LK_TESTS_LIVE_RANDOM_MESSAGE_H
#define LK_TESTS_LIVE_RANDOM_MESSAGE_H

#include "live/core/message.h"
#include "tests/engine/random_values.h"

static inline LkBytes
random_bytes (Seed *seed)
{
  static const guint8 some[] = { 0, 255, '\n', '"', 0xc3, 0x28, 7 };
  guint32 length_bytes = seed_below (seed, sizeof some + 1);
  return (LkBytes){ length_bytes > 0 ? some : NULL, length_bytes };
}

/* Valid until the next call. */
static inline LkRuns
random_runs (Seed *seed)
{
  static GByteArray *list = NULL;
  guint count = seed_below (seed, 4);
  if (list == NULL)
    list = g_byte_array_new ();
  g_byte_array_set_size (list, 0);
  for (guint i = 0; i < count; i++) {
    LkRunReport report;
    LkRunReport *fields = &report;
    LK_RUN_REPORT_FIELDS (RANDOM_FIELD)
    report.state = (guint8)(LK_RUN_PROLOG + seed_below (seed, LK_RUN_ENDED));
    lk_run_report_append (&report, list);
  }
  return (LkRuns){ list->data, list->len };
}

/* Valid until the next call. */
static inline LkComponents
random_components (Seed *seed)
{
  static GByteArray *list = NULL;
  guint count = seed_below (seed, 4);
  if (list == NULL)
    list = g_byte_array_new ();
  g_byte_array_set_size (list, 0);
  for (guint i = 0; i < count; i++) {
    LkRunComponent component;
    LkRunComponent *fields = &component;
    LK_RUN_COMPONENT_FIELDS (RANDOM_FIELD)
    lk_run_component_append (&component, list);
  }
  return (LkComponents){ list->data, list->len };
}

static inline LkPath
random_path (Seed *seed)
{
  static const guint8 some[] = "/a b/\xff%j\n";
  guint32 length_bytes = seed_below (seed, sizeof some);
  return (LkPath){ length_bytes > 0 ? some : NULL, length_bytes };
}

/* Valid until the next call. */
static inline LkPlaces
random_places (Seed *seed)
{
  static GByteArray *list = NULL;
  guint count = seed_below (seed, 4);
  if (list == NULL)
    list = g_byte_array_new ();
  g_byte_array_set_size (list, 0);
  for (guint i = 0; i < count; i++) {
    LkStepPlace place;
    LkStepPlace *fields = &place;
    LK_STEP_PLACE_FIELDS (RANDOM_FIELD)
    lk_step_place_append (&place, list);
  }
  return (LkPlaces){ list->data, list->len };
}

/* Valid until the next call. */
static inline LkStepReports
random_step_reports (Seed *seed)
{
  static GByteArray *list = NULL;
  guint count = seed_below (seed, 4);
  if (list == NULL)
    list = g_byte_array_new ();
  g_byte_array_set_size (list, 0);
  for (guint i = 0; i < count; i++) {
    LkStepReport report;
    LkStepReport *fields = &report;
    LK_STEP_REPORT_FIELDS (RANDOM_FIELD)
    report.state = (guint8)(LK_STEP_RUNNING + seed_below (seed, 2));
    lk_step_report_append (&report, list);
  }
  return (LkStepReports){ list->data, list->len };
}

static inline LkMessage
random_message (Seed *seed, LkMessageKind kind)
{
  LkMessage message = { .kind = kind };
  switch (kind) {
#define X(NAME, number, lower, senders, limit, event, help)                                        \
  case LK_MESSAGE_##NAME: {                                                                        \
    LkMessage_##lower *fields = &message.lower;                                                    \
    LK_MESSAGE_##NAME##_FIELDS (RANDOM_FIELD) break;                                               \
  }
    LK_MESSAGE_KINDS (X)
#undef X
  }
  return message;
}

#define X(NAME, number, lower, senders, limit, event, help) LK_MESSAGE_##NAME,
static const LkMessageKind message_kinds[] = { LK_MESSAGE_KINDS (X) };
#undef X

#endif
