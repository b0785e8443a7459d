/* traces/faults.h — all that is wrong with a site's files, from all their readers.
 *
 * A reader that is given one goes on behind what is wrong, as far as that can be done without
 * telling what only follows from it; without one the first error ends its work.  Messages begin
 * with "FILE:LINE: " or "FILE: ", as all readers write them; each is kept once.
 *
 * Bound: LK_FAULTS_MAX errors, behind which no reader goes on. */
#ifndef LK_TRACES_FAULTS_H
#define LK_TRACES_FAULTS_H

#include <glib.h>

#define LK_FAULTS_MAX 1000u

typedef enum { LK_FAULT_ERROR, LK_FAULT_WARNING } LkFaultKind;

typedef struct {
  LkFaultKind kind;
  char *message;     /* whole, of one line */
  char *file;        /* "": of none */
  guint line_number; /* 0: of the whole file */
  const char *text;  /* what of the message stands behind its place */
  guint rank;        /* of the file, in the order of reading */
  guint index;       /* in the order of finding */
} LkFault;

typedef struct _LkFaults LkFaults;

LkFaults *lk_faults_new (void);
void lk_faults_free (LkFaults *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkFaults, lk_faults_free)

/* A file is being read: its faults stand behind those of the files that were read before. A NULL
 * self is fine. */
void lk_faults_note_file (LkFaults *self, const char *file);
void lk_faults_add (LkFaults *self, LkFaultKind kind, const char *message);
/* Behind an error: may the work go on?  Then the error is kept and `error` is clear again.  FALSE
 * where self is NULL, or holds as many as it may, or there is no error. */
gboolean lk_faults_goes_on (LkFaults *self, GError **error);

guint lk_faults_count (const LkFaults *self, LkFaultKind kind);
/* Of LkFault*: file after file as they were read, in the order of their lines; what is of no file
 * comes last. Returns: (transfer none), valid until the next call of any of these. */
const GPtrArray *lk_faults_sorted (LkFaults *self);
/* Appends the messages of a kind, sorted, (transfer full). */
void lk_faults_append_messages (LkFaults *self, LkFaultKind kind, GPtrArray *out);

#endif
