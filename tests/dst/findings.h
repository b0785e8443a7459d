/* tests/dst/findings.h — what checkers have found: faults of the system, in words. */
#ifndef LK_TESTS_DST_FINDINGS_H
#define LK_TESTS_DST_FINDINGS_H

#include <glib.h>

typedef struct {
  GPtrArray *lines; /* of char*, the first ones */
  guint count;
} DstFindings;

void dst_findings_init (DstFindings *self);
void dst_findings_clear (DstFindings *self);
void dst_find (DstFindings *self, const char *format, ...) G_GNUC_PRINTF (2, 3);

#endif
