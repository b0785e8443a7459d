/* tests/oracle/place_replay.h — what the engine does with a case, in the words of a recording.
 *
 * The machine is read from the case's Slurm files, accounts from its commands of sacctmgr, the
 * options of a submit as sbatch reads them, and every `settle` is one pass.  Under sched/builtin a
 * job that waits holds back those behind it in its partition; under sched/backfill jobs are planned
 * by `replan`. */
#ifndef LK_TESTS_ORACLE_PLACE_REPLAY_H
#define LK_TESTS_ORACLE_PLACE_REPLAY_H

#include "tests/oracle/case_file.h"

/* Returns: (transfer full) the text of a recording, or NULL and an error. */
char *lk_place_replay (const LkCaseFile *file, GError **error);

#endif
