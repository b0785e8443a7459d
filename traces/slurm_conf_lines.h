/* traces/slurm_conf_lines.h — files of Slurm's configuration syntax as lines of keys and values.
 *
 * A `#` that is not behind a backslash begins a comment, also inside quotes; a backslash at the end
 * goes on with the next line; any other backslash stands for the letter behind it.  A line is a row
 * of KEY=VALUE, white space between them and allowed around `=`; a value with white space stands in
 * double quotes.  `Include FILE` puts the lines of another file here: relative to the file that it
 * stands in, with %c as the ClusterName in lower case.
 *
 * Bounds: LK_SLURM_FILE_MAX_BYTES a file, LK_SLURM_INCLUDE_MAX_DEPTH, LK_SLURM_FILE_MAX_COUNT,
 * LK_SLURM_LINE_PAIRS_MAX.  A file that includes itself is an error.
 *
 * Not here: which keys there are.  Source: slurm.conf(5); src/common/parse_config.c. */
#ifndef LK_TRACES_SLURM_CONF_LINES_H
#define LK_TRACES_SLURM_CONF_LINES_H

#include <glib.h>

#include "traces/faults.h"
#include "traces/trace_error.h"

#define LK_SLURM_FILE_MAX_BYTES (16u * 1024 * 1024)
#define LK_SLURM_INCLUDE_MAX_DEPTH 16u
#define LK_SLURM_FILE_MAX_COUNT 1000u
#define LK_SLURM_LINE_PAIRS_MAX 256u

typedef struct {
  const char *file; /* as shown in messages */
  guint line_number;
} LkSlurmPlace;

/* Sets "FILE:LINE: ..." as an LK_TRACE_ERROR_SYNTAX; just "FILE: ..." at line 0. Bytes of the
 * message that are not printable become '?'. Returns: FALSE. */
gboolean lk_slurm_fail (const LkSlurmPlace *place, GError **error, const char *format, ...)
    G_GNUC_PRINTF (3, 4);

/* Text that can be shown in a message or a row: one line of valid UTF-8, cut to a bound. Returns:
 * (transfer full). */
char *lk_slurm_shown (const char *text);

/* The bytes of a file, bounded. Returns: (transfer full). */
GBytes *lk_slurm_file_read (const char *path, GError **error);

/* ---------------------------------------------------------------- logical lines */

/* Lines without comments, continuations and escapes, of bytes that are borrowed. */
typedef struct {
  const char *file;
  const char *at;
  const char *end;
  guint line_number; /* of the physical line at `at` */
  GString *text;     /* the line handed out last */
  GArray *starts;    /* where in it each physical line begins */
  guint first_number;
} LkSlurmLogical;

void lk_slurm_logical_init (LkSlurmLogical *self, const char *file, GBytes *bytes);
void lk_slurm_logical_clear (LkSlurmLogical *self);
/* 1: `self->text` is the next line, which may be empty; 0: the end; -1: bytes that are no text. */
int lk_slurm_logical_next (LkSlurmLogical *self, GError **error);
/* Where an offset of the line stands in the file. */
LkSlurmPlace lk_slurm_logical_place (const LkSlurmLogical *self, gsize offset);

/* ---------------------------------------------------------------- keys and values */

typedef struct {
  LkSlurmPlace place;
  char *key;
  char *value;
  /* Filled by who reads the keys: the row of the report that tells of it, an LkSlurmRow. */
  gpointer row;
} LkSlurmPair;

typedef struct LkSlurmLines {
  GPtrArray *files; /* of char*, to which the places point */
  GPtrArray *lines; /* of GPtrArray* of LkSlurmPair*; none is empty */
  /* Some lines could not be read: what seems to be missing may stand there. */
  gboolean is_partial;
} LkSlurmLines;

/* An Include is a line of its own too, with the one key "Include". Returns: (transfer full). */
LkSlurmLines *lk_slurm_lines_new (const char *path, GError **error);
/* The same, and on behind what cannot be read, which is kept in `faults` (NULL: as above). Files
 * are noted there. Returns: (transfer full); NULL: not even the first file can be read. */
LkSlurmLines *lk_slurm_lines_read (const char *path, LkFaults *faults, GError **error);
/* `name` is used in messages. */
LkSlurmLines *lk_slurm_lines_new_from_bytes (const char *name, GBytes *bytes, GError **error);
LkSlurmLines *lk_slurm_lines_read_bytes (const char *name, GBytes *bytes, LkFaults *faults,
                                         GError **error);
/* Without a line. Returns: (transfer full). */
LkSlurmLines *lk_slurm_lines_new_empty (void);
/* Returns: (transfer full), for a line of `pairs` that frees them. */
GPtrArray *lk_slurm_line_new (void);
LkSlurmPair *lk_slurm_pair_new (LkSlurmPlace place, const char *key, const char *value);
void lk_slurm_lines_free (LkSlurmLines *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkSlurmLines, lk_slurm_lines_free)

#endif
