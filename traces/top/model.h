/* traces/top/model.h — what `lockstep top` shows and what its keys do, without a terminal.
 *
 * Facts and keys go in; a screen, and what is asked of the source (to move in time, to cancel a
 * job), come out.  It reads no clock and knows no terminal, so that a test can drive it. */
#ifndef LK_TRACES_TOP_MODEL_H
#define LK_TRACES_TOP_MODEL_H

#include "traces/top/facts.h"
#include "traces/top/screen.h"

typedef enum {
  LK_TOP_PANE_OVERVIEW,
  LK_TOP_PANE_QUEUE,
  LK_TOP_PANE_NODES,
  LK_TOP_PANE_JOB,
  LK_TOP_PANE_LOG,
  LK_TOP_PANE_COUNT,
} LkTopPane;
/* "overview", "queue", ... FALSE: there is none of this name. */
gboolean lk_top_pane_parse (const char *word, LkTopPane *out_pane);

/* A key is a character, or one of these, which no character is. */
typedef enum {
  LK_TOP_KEY_NONE = 0x110000,
  LK_TOP_KEY_UP,
  LK_TOP_KEY_DOWN,
  LK_TOP_KEY_PAGE_UP,
  LK_TOP_KEY_PAGE_DOWN,
  LK_TOP_KEY_HOME,
  LK_TOP_KEY_END,
  LK_TOP_KEY_ENTER,
  LK_TOP_KEY_ESCAPE,
  LK_TOP_KEY_BACKSPACE,
  LK_TOP_KEY_TAB,
  LK_TOP_KEY_BACK_TAB,
} LkTopKey;

typedef enum {
  LK_TOP_ACTION_NONE,
  LK_TOP_ACTION_QUIT,
  LK_TOP_ACTION_LOOK,   /* other facts are wanted */
  LK_TOP_ACTION_STEPS,  /* go on by `amount` steps of time; below 0: back */
  LK_TOP_ACTION_EVENTS, /* by so many events */
  LK_TOP_ACTION_BEGIN,  /* to the first event */
  LK_TOP_ACTION_END,    /* to the last one */
  LK_TOP_ACTION_CANCEL, /* `job_id`, which somebody has confirmed */
} LkTopActionKind;

typedef struct {
  LkTopActionKind kind;
  gint amount;
  guint32 job_id;
} LkTopAction;

typedef struct _LkTopModel LkTopModel;

/* `is_live`: time goes by itself, and jobs can be cancelled; else it is a journal. Returns:
 * (transfer full). */
LkTopModel *lk_top_model_new (gboolean is_live);
void lk_top_model_free (LkTopModel *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkTopModel, lk_top_model_free)

void lk_top_model_set_pane (LkTopModel *self, LkTopPane pane);
/* Of the queue, the nodes and the log: words that all must fit. */
void lk_top_model_set_filter (LkTopModel *self, const char *filter);
/* Selects the job of this label, id or number in its log; "id:7" and "log:5" tell which.  Returns
 * how many jobs the name has now; other than 1: none was selected, and `out_labels` lists them. */
guint lk_top_model_select_job (LkTopModel *self, const char *name, GString *out_labels);
/* The column that rows are sorted by, named as in its heading, with - before it: falling. FALSE:
 * the pane has none of this name. */
gboolean lk_top_model_set_sort (LkTopModel *self, const char *column);

/* What is to be gathered for what is shown: LK_TOP_WANTS_*. */
guint lk_top_model_wants (const LkTopModel *self);
/* The job whose details are shown; 0: none. */
guint32 lk_top_model_detail_job (const LkTopModel *self);
/* Live: it stands still. Of a journal: it goes on by itself. */
gboolean lk_top_model_is_paused (const LkTopModel *self);
void lk_top_model_pause (LkTopModel *self, gboolean is_paused);

/* Takes facts over. */
void lk_top_model_take (LkTopModel *self, LkTopFacts *facts);
/* The details of a job as lines; copied. */
void lk_top_model_set_detail (LkTopModel *self, guint32 job_id, const char *text);
/* What is told in the last line until the next key; copied. NULL: nothing. */
void lk_top_model_say (LkTopModel *self, const char *text);
/* Is the source at work? */
void lk_top_model_set_busy (LkTopModel *self, gboolean is_busy);

/* `page_rows`: the rows of the screen. */
LkTopAction lk_top_model_key (LkTopModel *self, guint32 key, guint page_rows);
/* Draws all of it. */
void lk_top_model_draw (LkTopModel *self, LkTopScreen *screen);

#endif
