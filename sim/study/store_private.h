/* sim/study/store_private.h — what the files of a store share. See store.h. */
#ifndef LK_SIM_STUDY_STORE_PRIVATE_H
#define LK_SIM_STUDY_STORE_PRIVATE_H

#include <sqlite3.h>

#include "sim/study/store.h"

struct _LkStudyStore {
  char *path;
  char *lock_path; /* NULL: only read */
  int lock_fd;     /* -1: none */
  gboolean has_lock;
  sqlite3 *db;
  sqlite3_stmt *insert_result; /* NULL until the first; so is the next */
  sqlite3_stmt *insert_cost;
  GHashTable *keys; /* set of the keys of all results */
};

/* Opens a file, with its lock where it may be created. Returns: (transfer full). */
LkStudyStore *lk_study_store_new (const char *path, int flags, GError **error);
/* Removes what an earlier process left in a file of this name. */
gboolean lk_study_store_empty (LkStudyStore *self, GError **error);
/* Begins a transaction that writes. */
gboolean lk_study_store_begin (LkStudyStore *self, GError **error);
/* Makes the tables that are not there, in a transaction. */
gboolean lk_study_store_create (LkStudyStore *self, GError **error);
/* FALSE when it is another program's. */
gboolean lk_study_store_check_ours (LkStudyStore *self, gboolean *out_is_new, GError **error);
gboolean lk_study_store_read_keys (LkStudyStore *self, GError **error);
gboolean lk_study_store_make_view (LkStudyStore *self, GError **error);

gboolean lk_study_store_execute (LkStudyStore *self, const char *sql, GError **error);
/* Returns: (transfer full). */
sqlite3_stmt *lk_study_store_prepare (LkStudyStore *self, const char *sql, GError **error);
gboolean lk_study_store_step (LkStudyStore *self, sqlite3_stmt *statement, GError **error);
void lk_study_bind_text (sqlite3_stmt *statement, int index, const char *text);

#endif
