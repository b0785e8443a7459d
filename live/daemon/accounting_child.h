/* live/daemon/accounting_child.h — lockstep-accounting as a child of the controller: started with
 * it, started again when it has ended, and told to end with it.
 *
 * The controller depends on nothing of it: what cannot be started is told in the log, and tried
 * again later and later. */
#ifndef LK_LIVE_DAEMON_ACCOUNTING_CHILD_H
#define LK_LIVE_DAEMON_ACCOUNTING_CHILD_H

#include <sys/types.h>

#include "live/port/loop.h"

typedef struct {
  LkLoop *loop;
  const char *directory;      /* of the journal; borrowed */
  const char *database;       /* borrowed */
  const char *const *plugins; /* likewise; NULL: none */
  const char *mail_program;   /* likewise */
  const char *mail_domain;
  LkLoopFd fd;       /* of the process; -1: it does not run */
  LkLoopTimer timer; /* to start it again */
  pid_t pid;
  gint64 wait_us; /* until the next start */
} LkAccountingChild;

/* Starts it: `given` has directory, database, plugins and mail, which must outlive it. */
void lk_accounting_child_init (LkAccountingChild *self, LkLoop *loop,
                               const LkAccountingChild *given);
/* Tells it to end, and waits until it has, as it takes what is left of the journal; not for ever.
 * Nothing, if it was never begun. */
void lk_accounting_child_clear (LkAccountingChild *self);

#endif
