/* tests/oracle/recording.h — what a real Slurm did with a case: the files recorded/NAME.txt.
 *
 * For each `settle` of the case, in order, the jobs whose fate was new then.  The form is described
 * in README.md. */
#ifndef LK_TESTS_ORACLE_RECORDING_H
#define LK_TESTS_ORACLE_RECORDING_H

#include <glib.h>

/* What a running job was given on one node. */
typedef struct {
  char *node;
  char *cpus; /* list of ids: "0-1,4" */
  gint64 memory_bytes;
  char *gres; /* as Slurm writes it: "gpu:a100:2(IDX:0-1),bandwidth(CNT:60)"; "" none */
} LkRecordedNode;

typedef struct {
  guint line; /* in the file, from 1 */
  char *job;
  char *state;      /* RUNNING, PENDING, REFUSED or a final one */
  char *reason;     /* of those not running; NULL: not recorded */
  char *node_list;  /* of those running, else NULL */
  guint cpu_count;  /* likewise */
  GPtrArray *nodes; /* of LkRecordedNode*; empty: not recorded */
} LkRecordedJob;

typedef struct {
  char *name;
  GPtrArray *settles; /* of GPtrArray* of LkRecordedJob* */
} LkRecording;

/* Returns: (transfer full), or NULL and an error of LK_TRACE_ERROR that names the line. */
LkRecording *lk_recording_new_from_bytes (const char *name, const char *bytes, gsize length_bytes,
                                          GError **error);
LkRecording *lk_recording_load (const char *path, GError **error);
void lk_recording_free (LkRecording *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkRecording, lk_recording_free)

#endif
