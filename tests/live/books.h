/* tests/live/books.h — commands and a controller in one process (client_site.h), whose journal is
 * read into a store. */
#ifndef LK_TESTS_LIVE_BOOKS_H
#define LK_TESTS_LIVE_BOOKS_H

#include "live/accounting/follow.h"
#include "tests/live/client_site.h"

typedef struct {
  ClientSite *site; /* its LOCKSTEP_DIR is `folder` */
  char *folder;
  char *journal;
  char *database;
  char **environment;
} Books;

void books_init (Books *self);
void books_clear (Books *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Books, books_clear)

/* So much of what the controller has written; G_MAXSIZE: all. */
void books_write_journal (const Books *self, gsize length_bytes);
LkFollow *books_follow (const Books *self);
void books_catch_up (LkFollow *follow);
/* All that is there of the journal, by a process that comes and goes. */
void books_follow_once (const Books *self);
/* A run is over on a node, which has used so and so much. */
void books_end_run (Books *self, guint node, guint64 run_id, guint32 job_id, guint8 exit_code);
/* 1 completes, 2 fails on two nodes, 3 is cancelled as it waits, 4 runs, 5 is an array of two. */
void books_play (Books *self);

#endif
