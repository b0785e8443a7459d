/* tests/property/tape.h — a journal taken apart, so that a test can change what it says was decided
 * and put it together again, with right lengths and checksums. */
#ifndef LK_TESTS_TAPE_H
#define LK_TESTS_TAPE_H

#include <glib.h>

#include "engine/journal.h"

typedef struct {
  LkEvent event;
  GArray *decisions; /* of LkDecision */
} LkTapeStep;

typedef struct {
  LkJournalHeader header;
  GPtrArray *steps; /* of LkTapeStep */
} LkTape;

/* `bytes` outlive self. (transfer full) */
LkTape *lk_tape_new (const GByteArray *bytes);
LkTape *lk_tape_copy (const LkTape *self);
void lk_tape_free (LkTape *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkTape, lk_tape_free)

/* (transfer full) */
GByteArray *lk_tape_write (const LkTape *self);

LkTapeStep *lk_tape_step (const LkTape *self, guint index);
LkDecision *lk_tape_decision (const LkTape *self, guint step, guint index);
/* The job that the decision is about; 0: none. */
guint32 lk_tape_job_id (const LkDecision *decision);
/* All that is said of the job from a step on, events of it too, is taken away. */
void lk_tape_forget (LkTape *self, guint32 job_id, guint from_step);
/* All that is said from a step on of one of two jobs is said of the other. */
void lk_tape_swap (LkTape *self, guint32 job_a, guint32 job_b, guint from_step);

#endif
