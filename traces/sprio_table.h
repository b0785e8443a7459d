/* traces/sprio_table.h — what the priority of a pending job is made of, laid out as sprio does it.
 *
 * A job that named several partitions has a row for each.  The sum is added up as sprio does it,
 * from the terms, so that its fraction shows in the normalised priority.  Who fills the rows: a
 * simulation (sim/report_sprio.c) and the command (live/client/queue/sprio.c).  Source: sprio(1),
 * the recordings in tests/fixtures/slurm-prio. */
#ifndef LK_TRACES_SPRIO_TABLE_H
#define LK_TRACES_SPRIO_TABLE_H

#include "traces/table.h"

/* Factors that have a weight each, in the order of the columns. */
typedef enum {
  LK_SPRIO_AGE,
  LK_SPRIO_ASSOCIATION,
  LK_SPRIO_FAIRSHARE,
  LK_SPRIO_JOB_SIZE,
  LK_SPRIO_PARTITION,
  LK_SPRIO_QOS,
  LK_SPRIO_FACTOR_COUNT,
} LkSprioFactor;
/* "weight_age": the parameter of the order that is the weight of it. */
const char *lk_sprio_weight_name (LkSprioFactor factor);

/* The report of the cells. */
typedef struct {
  double weights[LK_SPRIO_FACTOR_COUNT];
  const char *tres; /* "CPU=100,Mem=.5"; "" none */
} LkSprioWeights;

/* Borrowed texts. */
typedef struct {
  gboolean is_weights; /* the row of -w: all else is empty */
  gboolean is_direct;  /* somebody has set its priority: it is made of nothing */
  const char *job;
  const char *user;
  const char *account;
  const char *qos;
  const char *partition;
  guint32 priority;
  double terms[LK_SPRIO_FACTOR_COUNT]; /* weight times factor */
  double tres_term;
  const char *tres_terms; /* "cpu=125,mem=20" */
  const char *tres_factors;
  gint64 nice;
  gint64 site_factor;
} LkSprioRow;

/* Appends "cpu=125" to a list of what TRES make of a priority: times the weight, or the factor
 * itself; nothing where that is nothing. */
void lk_sprio_append_tres (GString *list, const char *name, double factor, double weight,
                           gboolean is_weighted);
double lk_sprio_sum (const LkSprioRow *row);
/* Ends with letter 0. */
extern const LkTableColumn lk_sprio_columns[];

typedef struct {
  gboolean is_long;    /* -l */
  gboolean normalized; /* -n */
  gboolean with_user;  /* -u was given */
} LkSprioFormat;
/* The columns that sprio has without -o. Returns: (transfer full). */
char *lk_sprio_format (const LkSprioWeights *weights, const LkSprioFormat *wanted);

#endif
