/* tests/dst/checker_records.h — every job ends in one final state, and every run leaves one record.
 *
 * It reads the journal of the controller when nothing is left to be done. */
#ifndef LK_TESTS_DST_CHECKER_RECORDS_H
#define LK_TESTS_DST_CHECKER_RECORDS_H

#include "tests/dst/history.h"

void dst_checker_records_look (const DstHistory *history, DstFindings *findings);

#endif
