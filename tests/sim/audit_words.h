/* tests/sim/audit_words.h — journals in words, for tests of their checker.
 *
 * A line is an event with its time in seconds, and lines that begin with > are its decisions.  With
 * "tier" in front jobs are preempted by the tier of their partition, else by their QOS; with
 * "turns" by tier, and they are suspended.  The machine has four nodes n[1-4] of four cores, or is
 * a pool of eight processors. */
#ifndef LK_TESTS_SIM_AUDIT_WORDS_H
#define LK_TESTS_SIM_AUDIT_WORDS_H

#include <glib.h>

typedef struct {
  const char *rule; /* that is broken; NULL: nothing is wrong */
  const char *backfill;
  gboolean is_pool;
  const char *lines;
} AuditCase;

/* Returns: (transfer full). */
GByteArray *audit_case_journal (const AuditCase *test);
/* The checker finds what is broken in each, and nothing in those in which nothing is. */
void audit_cases_check (const AuditCase *cases, guint count);

#endif
