/* live/client/step/step_console_private.h — between the parts of a console, for
 * live/client/step/step_console*.c only. */
#ifndef LK_LIVE_CLIENT_STEP_STEP_CONSOLE_PRIVATE_H
#define LK_LIVE_CLIENT_STEP_STEP_CONSOLE_PRIVATE_H

#include <termios.h>

#include "live/client/step/step_console.h"
#include "live/client/step/task_exits.h"
#include "live/client/step/task_output.h"

typedef struct {
  LkStepStream *stream; /* NULL: it has not come, or is gone */
  gboolean is_ready;
  gboolean is_over; /* its tasks are, or it is lost */
} LkConsoleNode;

/* What a PMI server has said to that of a node which has not come yet. */
typedef struct {
  guint32 target;
  guint32 source;
  GByteArray *bytes;
} LkConsoleEarly;

/* What srun reads, on its way to tasks (step_console_input.c). */
typedef struct {
  LkLoopFd part;
  LkLoopCall again; /* of a file that cannot be waited for */
  gboolean is_begun;
  gboolean is_direct; /* such a file */
  gboolean is_at_end;
} LkConsoleInput;

struct _LkStepConsole {
  LkStepConsoleOptions options;
  GArray *nodes;        /* of LkConsoleNode */
  GPtrArray *strangers; /* of LkStepStream*: who has not proved anything yet */
  GByteArray *passed;   /* signals that were passed on: a node that comes later gets them, too */
  GPtrArray *early;     /* of LkConsoleEarly */
  LkTaskOutput *out;
  LkTaskOutput *err; /* may be `out` */
  LkTaskExits *exits;
  LkConsoleInput input;
  struct termios terminal; /* as it was */
  gboolean is_raw;
  LkLoopTimer tell_timer; /* ends are told when a moment has passed */
  LkLoopTimer wait_timer; /* --wait */
  LkLoopTimer look_timer; /* does the step live? */
  gint64 look_us;
  gint64 interrupt_us;   /* the last ^C; 0: none */
  gint64 passed_us;      /* when one was passed on; 0: never */
  gboolean is_ending;    /* we have asked for its end, or somebody else has */
  gboolean is_cancelled; /* ends by signals are ours: nothing new */
  gboolean is_force_told;
  gboolean is_aborted_told;
  gboolean is_over;
  int failure_code; /* of what was lost; 0: nothing */
};

/* ---- step_console.c */

void lk_console_info (const LkStepConsole *self, const char *format, ...) G_GNUC_PRINTF (2, 3);
void lk_console_send_all (LkStepConsole *self, const LkStepFrame *frame);

/* ---- step_console_input.c */

/* When all nodes are there: what is read before would be missed by the others. */
void lk_console_input_begin (LkStepConsole *self);
/* There is room again. */
void lk_console_input_go_on (LkStepConsole *self);
void lk_console_input_end (LkStepConsole *self);
/* The terminal hands all keys over. FALSE: it is none. */
gboolean lk_console_terminal_begin (LkStepConsole *self);
void lk_console_terminal_end (LkStepConsole *self);
/* FALSE: it is none. */
gboolean lk_console_window (const LkStepConsole *self, guint16 *out_rows, guint16 *out_columns);

/* ---- step_console_signal.c */

/* To a node that is there now: what the others got before. */
void lk_console_signals_repeat (LkStepConsole *self, LkStepStream *stream);

void lk_console_signals_begin (LkStepConsole *self);
/* The tasks are to end, by this signal; 0: as they end at a time limit. Told. */
void lk_console_terminate (LkStepConsole *self, guint8 number);
/* That the end of tasks is waited for; once. */
void lk_console_aborted_tell (LkStepConsole *self);
/* All of it ends at once. */
void lk_console_kill (LkStepConsole *self);
/* How the tasks stand. */
void lk_console_states_tell (const LkStepConsole *self);

#endif
