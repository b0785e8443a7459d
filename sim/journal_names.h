/* sim/journal_names.h — names that a journal has for users and jobs, which an engine does not keep.
 *
 * Submit events name users.  A job's id is its number in the log wherever it can be (sim/driver.h);
 * of other jobs a note has the log's number: u8 0, u32 id of the job, the number as text.  No
 * message of a live controller begins with 0, so its notes are distinct from these. */
#ifndef LK_SIM_JOURNAL_NAMES_H
#define LK_SIM_JOURNAL_NAMES_H

#include <glib.h>

#include "engine/journal.h"
#include "sim/journal_file.h"

/* Writes the note of a job whose number in the log, "100_5", is not its id. The job's submit event
 * comes next. */
void lk_journal_names_write (LkJournalWriter *writer, guint32 job_id, const char *log_id);

typedef struct _LkJournalNames LkJournalNames;

/* Returns: (transfer full). */
LkJournalNames *lk_journal_names_new (void);
/* Reads a whole journal, whatever the input's reader has read; of one that cannot be read to its
 * end, the part up to there. Returns: (transfer full). */
LkJournalNames *lk_journal_names_read (const LkJournalInput *input);
/* The same of a file. Returns: (transfer full); NULL with an error: it cannot be opened. */
LkJournalNames *lk_journal_names_read_file (const char *path, GError **error);
void lk_journal_names_free (LkJournalNames *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkJournalNames, lk_journal_names_free)

/* Adds the event that was just read, and the notes of its batch. Returns TRUE when one of the notes
 * is of a live controller. */
gboolean lk_journal_names_add (LkJournalNames *self, LkJournalReader *reader, const LkEvent *event);

/* NULL: no event names the user of this uid. Valid as long as self. */
const char *lk_journal_names_user (const LkJournalNames *self, guint32 user_id);

/* In these, self may be NULL: every id is the log's number. */

/* The log's number of a job; NULL: it is the id. Valid as long as self. */
const char *lk_journal_names_log_id (const LkJournalNames *self, guint32 job_id);
/* Appends "(log:5)", or nothing where the log's number is the id. */
void lk_journal_names_append_log_id (const LkJournalNames *self, guint32 job_id, GString *out);
/* Appends "7", or "7(log:5)". */
void lk_journal_names_append_job (const LkJournalNames *self, guint32 job_id, GString *out);
/* Appends a dependency with the log's numbers of its jobs: "afterok:7(log:5)(unfulfilled)". */
void lk_journal_names_append_dependency (const LkJournalNames *self, const char *text,
                                         GString *out);

/* Could the text name a job: "7", "7_4", "7+1", "id:7", "log:7_4"? */
gboolean lk_journal_names_is_job (const char *text);
/* Does it name this job, by its id or by the log's number? */
gboolean lk_journal_names_is_same (const LkJournalNames *self, guint32 job_id, const char *text);
/* For messages with the name. */
#define LK_JOURNAL_NAMES_NO_JOB                                                                    \
  "'%s' is not the number of a job; expected one like 7, 7_3, 7_[1-5], 7+1, id:7 or log:5"
/* The job of this name. A number that no job has is returned as an id. FALSE with
 * LK_SIM_ERROR_USAGE: the text names no job, or several, which the message lists; with
 * LK_SIM_ERROR_READ: no job has this number in the log. */
gboolean lk_journal_names_find (const LkJournalNames *self, const char *text, guint32 *out_job_id,
                                GError **error);
/* The name with the id in place of the log's number: "101" for "100_5" where that is a job of the
 * log, "7_[1-5]" for "1002_[1-5]" where the log calls array 7 so. Errors as above. Returns:
 * (transfer full); NULL on failure. */
char *lk_journal_names_resolve (const LkJournalNames *self, const char *text, GError **error);

#endif
