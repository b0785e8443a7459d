/* tests/oracle/situation.h — a recorded scheduling situation, played on the engine and compared.
 *
 * A situation is a folder of tests/oracle/sched: see the README there.  Its commands are played
 * (sim/command_play.h) and what comes of them is compared, fact by fact: what each command was
 * answered; each job in each squeue; where, in which order and how each run of a job went.  A
 * command that cannot be played, and an option that nothing acts on, is a difference, too. */
#ifndef LK_TESTS_ORACLE_SITUATION_H
#define LK_TESTS_ORACLE_SITUATION_H

#include <glib.h>

typedef struct {
  char *name;
  guint fact_count;
  GPtrArray *differences; /* of char*: "what: recorded A, here B", in the order of the situation */
} LkSituation;

/* Plays a folder, of which the program `converter` makes a script. Returns: (transfer full); NULL
 * with `error` when that cannot be done. */
LkSituation *lk_situation_play (const char *converter, const char *folder, GError **error);
void lk_situation_free (LkSituation *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkSituation, lk_situation_free)

#endif
