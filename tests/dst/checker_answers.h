/* tests/dst/checker_answers.h — nothing that was acknowledged is lost, and nothing is done twice.
 *
 * It keeps every answer that a user has got.  What an answer says must stand in the journal that
 * the controller has in the end: the same event, of that request, with that outcome. */
#ifndef LK_TESTS_DST_CHECKER_ANSWERS_H
#define LK_TESTS_DST_CHECKER_ANSWERS_H

#include "tests/dst/client.h"
#include "tests/dst/history.h"

typedef struct {
  GArray *answers; /* of DstAnswer, without the events */
  DstFindings *findings;
} DstCheckerAnswers;

void dst_checker_answers_init (DstCheckerAnswers *self, DstFindings *findings);
void dst_checker_answers_clear (DstCheckerAnswers *self);
/* Of the watch of the cluster. */
void dst_checker_answers_take (DstCheckerAnswers *self, const DstAnswer *answer);
void dst_checker_answers_look (const DstCheckerAnswers *self, const DstHistory *history);

#endif
