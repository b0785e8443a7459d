/* tests/dst/checker_journal.h — the journal is the truth: it is decided again the same, by a fresh
 * engine and by a controller that starts from it, with its snapshots and without; and what was
 * decided breaks no rule of `lockstep verify`. */
#ifndef LK_TESTS_DST_CHECKER_JOURNAL_H
#define LK_TESTS_DST_CHECKER_JOURNAL_H

#include "tests/dst/cluster.h"
#include "tests/dst/history.h"

/* `host` is up, at rest, and all that it has decided is durable. */
void dst_checker_journal_look (const DstHost *host, const DstHistory *history,
                               DstFindings *findings);

#endif
