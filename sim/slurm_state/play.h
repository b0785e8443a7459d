/* sim/slurm_state/play.h — a Slurm cluster as it stands, as the events of a journal.
 *
 * An engine starts jobs only by its own judgement.  So the journal begins with the machine without
 * anything that could keep a job from starting (no limits, strict order), all jobs are submitted
 * held, and those that run are released one by one, each when it has started and asked for the
 * nodes on which it runs; the pass behind that has nothing else to start.  Jobs that ended before
 * the collection come, start and end in between in the same way, if they leave room for those that
 * run: what goes together is found out by playing it without a journal first.  At the moment of the
 * collection the site's configuration comes into force (an event `reconfigure`), nodes and
 * partitions get their states, what waits is released.  A round of scheduling ends the journal;
 * from there on it is like any other. */
#ifndef LK_SIM_SLURM_STATE_PLAY_H
#define LK_SIM_SLURM_STATE_PLAY_H

#include "engine/engine.h"
#include "sim/slurm_state/collected.h"

typedef struct {
  guint pending_count;   /* at the collection; tasks of an array that wait count once */
  guint running_count;   /* suspended ones too */
  guint started_count;   /* of those that wait, by the round of scheduling behind it */
  guint left_count;      /* jobs that could not be had: told */
  guint past_count;      /* jobs that ended before the collection */
  guint past_left_count; /* of sacct.txt, that could not be had: told */
  guint reservation_count;
  guint64 event_count;
} LkStatePlayed;

/* Writes the journal, which appears under its name when it is whole. Rows of what could not be had
 * go to the folder's `told`. */
gboolean lk_state_play (LkStateCollected *collected, const char *journal_path,
                        LkStatePlayed *out_played, GError **error);

#endif
