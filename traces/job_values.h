/* traces/job_values.h — the values of sbatch's options: counts, node ranges, sizes, times, GPUs.
 *
 * What Slurm takes is taken and what it refuses is refused, as Debian's 22.05.8 does; where it lets
 * something through by accident (a time of -5, a count that overflows) this is stricter.  Nothing
 * depends on the locale.  Outputs are untouched on failure.
 *
 * Not here: which option has which value (traces/job_options.h); sizes and times on pages that
 * people write for us (traces/quantity.h), which have other rules: Slurm rounds a time limit up to
 * whole minutes and takes a size without a unit for MiB.
 *
 * Source: sbatch(1); src/common/proc_args.c and parse_time.c of Slurm. */
#ifndef LK_TRACES_JOB_VALUES_H
#define LK_TRACES_JOB_VALUES_H

#include <glib.h>

/* The ends of error messages: "expected " followed by one of these. */
#define LK_JOB_COUNT_EXPECTED "a whole number from 1 to 2147483647"
#define LK_JOB_NODES_EXPECTED "a number of nodes such as 4, or a range such as 2-8"
#define LK_JOB_SIZE_EXPECTED "a whole number of MiB, or of what K, M, G or T says, such as 16G"
#define LK_JOB_TIME_EXPECTED                                                                       \
  "minutes, minutes:seconds, hours:minutes:seconds, days-hours[:minutes[:seconds]] or UNLIMITED"

#define LK_JOB_MOMENT_EXPECTED "now, now+N[seconds|minutes|hours|days|weeks] or utsSECONDS"

/* From 1 to G_MAXINT32. */
gboolean lk_job_count_parse (const char *text, guint32 *out_count);

/* "4" gives 4 and 4, "2-8" gives 2 and 8, "2-0" gives 2 and 0 (no limit), "-8" gives 1 and 8; k and
 * m behind a number are 1024 and 1048576 times as many. */
gboolean lk_job_nodes_parse (const char *text, guint32 *out_min, guint32 *out_max);

/* At least 0. A number of KiB is rounded up to whole MiB. "B" may stand behind the unit. */
gboolean lk_job_size_parse (const char *text, gint64 *out_bytes);

/* "now+15", "now+3minutes", "now-1hour" (seconds where there is no unit), or a moment of the run's
 * own clock, "uts15". Dates are refused: the clock of a run begins when it likes. */
gboolean lk_job_moment_parse (const char *text, gint64 now_us, gint64 *out_us);

/* "USR1", "SIGUSR1" or "10". */
gboolean lk_job_signal_parse (const char *text, guint8 *out_signal);

/* At least 0; LK_TIME_NEVER for UNLIMITED, INFINITE and -1. */
gboolean lk_job_time_parse (const char *text, gint64 *out_time_us);
/* The same as a time limit: rounded up to whole minutes, and 0 is LK_TIME_NEVER. */
gboolean lk_job_time_limit_parse (const char *text, gint64 *out_limit_us);

/* One generic resource. Texts point into what was parsed. */
typedef struct {
  const char *name;
  gsize name_bytes;
  const char *type; /* NULL: any */
  gsize type_bytes;
  guint32 count;
} LkJobGres;

/* A list of generic resources: "name[:type][:count],...", each with or without "gres:" or "gres/"
 * before it; with `name` not NULL, which is the name of all: "[type:]count,...".  A missing count
 * is 1; k, m and g behind it are powers of 1024; "none" is an empty list.  Appends LkJobGres. */
gboolean lk_job_gres_parse (const char *text, const char *name, GArray *out_list);
/* Appends the list in its plain form, each with its count: "gpu:a100:2,shard:4"; without the names:
 * "a100:2". Counts of 0 are left out. */
void lk_job_gres_format (const GArray *list, gboolean with_names, GString *out);
/* Sum of the counts of what is called `name`; G_MAXUINT32 when it is more. */
guint32 lk_job_gres_count (const GArray *list, const char *name);

#endif
