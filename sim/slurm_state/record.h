/* sim/slurm_state/record.h — what `scontrol show` prints, as records of keys and values.
 *
 * A record is a line (scontrol -o), or a line and those below it that begin with a blank.  A value
 * ends where the next key begins: Slurm quotes nothing, so that a name or a comment may look like
 * keys.  Keys that stand in a record twice are therefore an error, but behind those whose values
 * are free text anyway, which end the record for all that matters: the first one counts there.
 *
 * Words for nothing, such as (null), N/A, None and Unknown, are no value.  Source: scontrol(1). */
#ifndef LK_SIM_SLURM_STATE_RECORD_H
#define LK_SIM_SLURM_STATE_RECORD_H

#include <glib.h>

#include "traces/slurm_conf_lines.h"

typedef struct {
  char *key;
  char *value;
} LkStatePair;

typedef struct {
  LkSlurmPlace place; /* of its first line; the file's name lives as long as its records */
  char *title;        /* "JobId=12" */
  GPtrArray *pairs;   /* of LkStatePair* */
} LkStateRecord;

/* How the records of a kind are made up. */
typedef struct {
  const char *first;           /* with which each begins: "JobId" */
  const char *free_from;       /* from this key on all is free text; NULL: nothing is */
  const char *const *empty;    /* lines that tell that there is none begin so; ends with NULL */
  const char *const *repeated; /* keys that stand once for each node; ends with NULL */
} LkStateKind;

/* All records of a file's bytes. `file` is borrowed. Returns: (transfer full) of LkStateRecord*;
 * NULL with an LK_TRACE_ERROR that names the line. */
GPtrArray *lk_state_records_read (const LkStateKind *kind, const char *file, GBytes *bytes,
                                  GError **error);

/* NULL: it is not there. */
const char *lk_state_record_text (const LkStateRecord *self, const char *key);
/* The same; NULL also for a word that stands for nothing. */
const char *lk_state_record_value (const LkStateRecord *self, const char *key);
gboolean lk_state_is_nothing (const char *value);

/* "FILE:LINE: TITLE: KEY is 'VALUE'; expected WHAT". Returns: FALSE. */
gboolean lk_state_record_fail (const LkStateRecord *self, const char *key, const char *expected,
                               GError **error);

/* A value that is not there leaves the output as it is. */
gboolean lk_state_record_count (const LkStateRecord *self, const char *key, guint32 *out_count,
                                GError **error);
/* A moment in a time zone, "2026-11-21T02:36:32", in microseconds since 1970. */
gboolean lk_state_record_moment (const LkStateRecord *self, const char *key, GTimeZone *zone,
                                 gint64 *out_us, GError **error);
/* A span, "1-00:00:00", or UNLIMITED: LK_TIME_NEVER. */
gboolean lk_state_record_span (const LkStateRecord *self, const char *key, gint64 *out_us,
                               GError **error);
/* A moment as it stands alone. */
gboolean lk_state_moment_parse (const char *text, GTimeZone *zone, gint64 *out_us);

#endif
