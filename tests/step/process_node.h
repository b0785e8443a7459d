/* tests/step/process_node.h — a node with real processes: a process port over a folder in /tmp, and
 * a batch job to launch on it. */
#ifndef LK_TESTS_LIVE_PROCESS_NODE_H
#define LK_TESTS_LIVE_PROCESS_NODE_H

#include "live/core/batch.h"
#include "live/port/port_process_os.h"

#define NODE_STEP_PROGRAM LK_BUILD_DIR "/live/lockstep-step"

typedef struct {
  guint64 run_id;
  LkStage stage;
  LkExit how;
} NodeEnd;

typedef struct {
  char *folder; /* all of it */
  char *work;   /* the user's, with his output */
  LkProcessOsConfig config;
  LkLoop *loop;
  LkProcessOs *port; /* NULL: there is no agent */
  GArray *ends;      /* of NodeEnd */
  GString *log;
  guint8 why;       /* with each signal that is sent */
  gboolean goes_on; /* stages follow each other by themselves, as the core wants them to */
} Node;

Node *node_new (void);
/* Supervisors that live are ended. */
void node_free (Node *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Node, node_free)

/* Whether a child of this process may have mounts of its own; if not, skips the test with the
 * reason.  In a plain chroot it may not: the root directory is no mount point there. */
gboolean node_has_mounts (void);
/* This process has mounts of its own from now on. */
gboolean node_unshare_mounts (void);

/* An agent begins, and goes. */
void node_start (Node *self);
void node_stop (Node *self);

/* What is to be launched: a batch job, of the user who runs the test, in `work`. */
typedef struct {
  LkMessage_launch launch;
  LkBatch batch;
} NodeJob;
NodeJob node_job (const Node *self, guint64 run_id, const char *script);
gboolean node_launch (Node *self, const NodeJob *job);

void node_begin (Node *self, guint64 run_id, LkStage stage);
void node_signal (Node *self, guint64 run_id, guint8 signal, gboolean batch_only);
void node_forget (Node *self, guint64 run_id);
/* As `list` tells it; FALSE: it does not. */
gboolean node_find (Node *self, guint64 run_id, LkSupervised *out_known);

/* Turns the loop until it is so; aborts if it never is. */
LkExit node_wait_end (Node *self, guint64 run_id, LkStage stage);
void node_wait_file (Node *self, const char *name);
void node_wait_log (Node *self, const char *words);
/* Likewise, without an agent: that a process is gone, that the end of a stage is on the disk. */
void node_wait_death (int pid);
void node_wait_record (Node *self, guint64 run_id, LkStage stage);
/* All stages, one behind the other. Returns how the script has ended. */
LkExit node_play (Node *self, const NodeJob *job);
/* A while, in which nothing is waited for. */
void node_turn (Node *self, gint64 while_us);

/* A file in `work`. Returns: (transfer full), NULL: it is not there. */
char *node_read (const Node *self, const char *name);
void node_write (const Node *self, const char *name, const char *text, int mode);
/* The process of which a file in `work` holds the number. */
int node_pid (const Node *self, const char *name);
/* It is there, and no zombie. */
gboolean node_lives (int pid);
/* The supervisor of a run; 0: none holds its lock. */
int node_supervisor (const Node *self, guint64 run_id);

#endif
