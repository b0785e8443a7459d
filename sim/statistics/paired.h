/* sim/statistics/paired.h — a run held against another one job by job, with intervals: as a whole,
 * and by user, account, QOS, partition and size of job.
 *
 * Of jobs that are in both runs and were submitted in the first run's window.  Docs:
 * docs/compare.md. */
#ifndef LK_SIM_STATISTICS_PAIRED_H
#define LK_SIM_STATISTICS_PAIRED_H

#include "sim/results_sqlite.h"
#include "sim/statistics/interval.h"
#include "sim/statistics/join.h"
#include "sim/statistics/shaken.h"

/* What jobs are told apart by; bits. */
typedef enum {
  LK_BY_USER,
  LK_BY_GROUP,
  LK_BY_ACCOUNT,
  LK_BY_QOS,
  LK_BY_PARTITION,
  LK_BY_SIZE, /* processors: 1, 2, 3-4, 5-8 and so on */
  LK_BY_COUNT
} LkBy;

typedef struct {
  LkIntervalOptions interval;
  gint64 block_us;   /* length of a block; 0: a week where the window has 20 of them, else a day */
  guint32 by;        /* 1 << LkBy, or-ed */
  guint group_limit; /* groups told of each LkBy: those with the most jobs */
} LkPairedOptions;

/* "user,size". LK_SIM_ERROR_USAGE for a name that is none, for one given twice, and for none at
 * all. */
gboolean lk_by_parse (const char *option, const char *text, guint32 *out_by, GError **error);

typedef enum {
  LK_PAIRED_WAIT_MEAN,
  LK_PAIRED_WAIT_P95,
  LK_PAIRED_SLOWDOWN_MEAN,
  LK_PAIRED_SLOWDOWN_P95,
  LK_PAIRED_COUNT
} LkPairedMeasure;

typedef struct {
  LkInterval interval;
  LkVerdict verdict;
} LkPairedRow;

/* Jobs that are alike in one thing. */
typedef struct {
  char *name;
  guint64 jobs;
  LkPairedRow wait;
  LkPairedRow slowdown; /* both means */
} LkPairedGroup;

typedef struct {
  LkBy by;
  GArray *groups;      /* of LkPairedGroup, the one with the most jobs first */
  guint64 group_count; /* with those that are not in `groups` */
} LkPairedTable;

/* A number of the summary over runs with shaken input. */
typedef struct {
  const char *column;
  LkPairedRow row;
} LkShakenRow;

typedef struct _LkPaired {
  LkPairedOptions options; /* block_us is what was taken */
  guint64 jobs;
  guint block_count; /* in the window */
  LkPairedRow rows[LK_PAIRED_COUNT];
  GArray *tables; /* of LkPairedTable */
  GArray *shaken; /* of LkShakenRow; empty when one of the runs has none, or they are not alike */
  gboolean is_shaken_alone; /* one has shaken runs, the other has none */
  gboolean is_shaken_apart; /* both have shaken runs, which were not shaken alike */
} LkPaired;

/* `first` and `here` are of the directories named. Fails when something cannot be read, or a block
 * is so short that there are too many. Returns: (transfer full). */
LkPaired *lk_paired_new (const LkPairedOptions *options, LkResultsReader *first,
                         LkResultsReader *here, GError **error);
/* The same of jobs that a function has: `feed` calls `joined` for each pair, as lk_results_join
 * does. Only jobs submitted in [begin_us, end_us) count. */
typedef gboolean (*LkPairedFeed) (gpointer source, LkJoinFunc joined, gpointer user,
                                  GError **error);
typedef struct {
  LkPairedFeed feed;
  gpointer source;
  gint64 begin_us;
  gint64 end_us;
} LkPairedSource;
LkPaired *lk_paired_new_from (const LkPairedOptions *options, const LkPairedSource *source,
                              GError **error);
/* Adds what shaken runs tell. */
void lk_paired_add_shaken (LkPaired *self, const LkShaken *first, const LkShaken *here);
void lk_paired_free (LkPaired *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkPaired, lk_paired_free)

/* In a sentence: which of the two lets jobs wait less, and how sure that is. No newline. */
void lk_paired_verdict (const LkPaired *self, const char *first_label, const char *label,
                        GString *out);
/* In none of the two runs a job waits. */
gboolean lk_paired_nobody_waits (const LkPaired *self);
/* For people; the labels are those of the runs. */
void lk_paired_print (const LkPaired *self, const char *first_label, const char *label,
                      GString *out);
/* Member "paired" of an object that is open. */
void lk_paired_json (const LkPaired *self, LkJsonOut *json);

#endif
