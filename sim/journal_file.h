/* sim/journal_file.h — journals in files: written as a run goes, read through a mapping. */
#ifndef LK_SIM_JOURNAL_FILE_H
#define LK_SIM_JOURNAL_FILE_H

#include <glib.h>

#include "engine/journal.h"

/* ---------------------------------------------------------------- out */

typedef struct _LkJournalFile LkJournalFile;

/* The file appears under its name when it is closed; an older one stays until then. Returns:
 * (transfer full). */
LkJournalFile *lk_journal_file_create (const char *path, const LkJournalHeader *header,
                                       GError **error);
/* Returns: (transfer none). */
LkJournalWriter *lk_journal_file_writer (const LkJournalFile *self);
/* FALSE with `error` when a write has failed; for looking in now and then. */
gboolean lk_journal_file_is_good (const LkJournalFile *self, GError **error);
/* Closes the file, whose writer has ended, and gives it its name. */
gboolean lk_journal_file_close (LkJournalFile *self, GError **error);
/* The run has failed: what was decided up to there, which its writer has committed, stays under the
 * name with .partial, and `error` says so.  Where nothing was decided, or the file itself cannot be
 * written, there is nothing to keep. */
void lk_journal_file_keep (LkJournalFile *self, GError **error);
/* Frees; a file that was neither closed nor kept is removed. */
void lk_journal_file_free (LkJournalFile *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkJournalFile, lk_journal_file_free)

/* ---------------------------------------------------------------- in */

typedef struct {
  GMappedFile *mapping;
  LkJournalReader *reader;
  LkJournalHeader header; /* its texts point into the mapping */
  gsize length_bytes;
} LkJournalInput;

/* Returns: (transfer full); NULL: it cannot be opened. */
GMappedFile *lk_journal_map (const char *path, GError **error);
/* Maps a journal and reads its header. */
gboolean lk_journal_input_open (LkJournalInput *self, const char *path, GError **error);
void lk_journal_input_close (LkJournalInput *self);

/* How the journal ends, for people: "complete", "torn: ..." */
char *lk_journal_state_text (LkJournalState state, const LkJournalReader *reader);

#endif
