/* traces/sacct_fields.h — the columns that sacct can print: their names, what stands in them, and
 * what a cell says about a job.
 *
 * What stands in a column is known well enough to tell whether a cell can belong to it, which is
 * how rows are put right whose job name or command line has the separator in it
 * (traces/sacct_rows.h).
 *
 * Source: sacct(1) --helpformat of Slurm 14.11 to 24.05. */
#ifndef LK_TRACES_SACCT_FIELDS_H
#define LK_TRACES_SACCT_FIELDS_H

#include "traces/sacct_job.h"

/* What a cell may look like. An empty cell is any of them but JOB_ID, SUBMIT and STATE. */
typedef enum {
  LK_SACCT_ANY,
  LK_SACCT_FREE,  /* text of users: may hold separators and newlines */
  LK_SACCT_BLANK, /* behind the last separator of sacct -p */
  LK_SACCT_WORD,  /* no blanks */
  LK_SACCT_NUMBER,
  LK_SACCT_JOB_ID,
  LK_SACCT_MOMENT,
  LK_SACCT_SUBMIT,
  LK_SACCT_LENGTH,
  LK_SACCT_LIMIT,
  LK_SACCT_TRES,
  LK_SACCT_MEMORY,
  LK_SACCT_STATE,
  LK_SACCT_EXIT,
  LK_SACCT_NODES,
  LK_SACCT_PATH,
} LkSacctKind;

/* What of a job a column says; LK_SACCT_NOTHING for those that are not used. */
typedef enum {
  LK_SACCT_NOTHING,
  LK_SACCT_ID,
  LK_SACCT_ID_RAW,
  LK_SACCT_CLUSTER,
  LK_SACCT_SUBMITTED,
  LK_SACCT_ELIGIBLE,
  LK_SACCT_START,
  LK_SACCT_END,
  LK_SACCT_ELAPSED,
  LK_SACCT_ELAPSED_RAW,
  LK_SACCT_SUSPENDED,
  LK_SACCT_TIMELIMIT,
  LK_SACCT_TIMELIMIT_RAW,
  LK_SACCT_REQ_CPUS,
  LK_SACCT_ALLOC_CPUS,
  LK_SACCT_REQ_NODES,
  LK_SACCT_ALLOC_NODES,
  LK_SACCT_REQ_MEM,
  LK_SACCT_REQ_TRES,
  LK_SACCT_ALLOC_TRES,
  LK_SACCT_REQ_GRES,
  LK_SACCT_JOB_STATE,
  LK_SACCT_EXIT_CODE,
  LK_SACCT_UID,
  LK_SACCT_GID,
  LK_SACCT_USER,
  LK_SACCT_GROUP,
  LK_SACCT_ACCOUNT,
  LK_SACCT_QOS,
  LK_SACCT_PARTITION,
  LK_SACCT_CONSTRAINTS,
  LK_SACCT_LICENSES,
  LK_SACCT_RESERVATION,
  LK_SACCT_JOB_NAME,
  LK_SACCT_NODE_LIST,
  LK_SACCT_SUBMIT_LINE,
} LkSacctUse;

typedef struct {
  const char *name;
  LkSacctKind kind;
  LkSacctUse use;
  /* Of LK_SACCT_FREE: how unlikely a separator in it is, from 1. */
  guint8 cost;
} LkSacctField;

/* The column of that name, in any case; NULL: sacct has none. (transfer none) */
const LkSacctField *lk_sacct_field_find (LkSpan name);
/* A column that is not in the table: any cell will do. */
extern const LkSacctField lk_sacct_field_other;
extern const LkSacctField lk_sacct_field_blank;

/* Could the cell stand in this column? */
gboolean lk_sacct_field_fits (const LkSacctField *self, LkSpan cell);

/* Puts what the cell says into the job. FALSE: it makes no sense there; `*out_expected` says what
 * would. */
gboolean lk_sacct_field_take (const LkSacctField *self, LkSpan cell, LkSacctJob *job,
                              const char **out_expected);

#endif
