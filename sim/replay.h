/* sim/replay.h — applies a journal's events to a fresh engine and compares every decision with the
 * recorded one. */
#ifndef LK_SIM_REPLAY_H
#define LK_SIM_REPLAY_H

#include <glib.h>

#include "engine/engine.h"
#include "engine/journal.h"

typedef struct {
  const LkEngineConfig *config;
  LkJournalReader *reader; /* behind the header */
  guint64 until_seq;       /* stop behind this event; G_MAXUINT64: at the end */
  gint64 until_us;         /* stop before the first event later than this; LK_TIME_NEVER */
  /* Called behind each event with what it did, as one line of JSON; NULL: not wanted. */
  void (*print) (gpointer user, const char *line);
  /* Called for each decision that is made, and behind each event with the engine; NULL: not
   * wanted. */
  void (*decided) (gpointer user, const LkEvent *cause, const LkDecision *decision);
  void (*behind) (gpointer user, const LkEngine *engine, const LkEvent *event);
  /* Called once with the engine as it stands at the end, when all was decided the same; NULL: not
   * wanted. */
  void (*arrive) (gpointer user, const LkEngine *engine);
  gpointer user;
} LkReplayOptions;

typedef enum {
  LK_REPLAY_SAME,    /* everything read was decided the same */
  LK_REPLAY_DIFFERS, /* see `difference` */
  LK_REPLAY_REFUSED, /* the engine does not take an event; see `difference` */
} LkReplayOutcome;

typedef struct {
  LkReplayOutcome outcome;
  LkJournalState state; /* how reading ended; LK_JOURNAL_EVENT: at `until` */
  LkEngineCounts counts;
  LkDigestValue digest;
  guint64 difference_seq;
  GString *difference; /* lines for people; empty when there is none */
} LkReplayReport;

/* Runs the replay. The report's text must be freed with lk_replay_report_clear. */
void lk_replay_run (const LkReplayOptions *options, LkReplayReport *out_report);
void lk_replay_report_clear (LkReplayReport *self);

#endif
