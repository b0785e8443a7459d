/* traces/top/model_private.h — the model, for the files that draw it. */
#ifndef LK_TRACES_TOP_MODEL_PRIVATE_H
#define LK_TRACES_TOP_MODEL_PRIVATE_H

#include "traces/top/model.h"

/* Rows above and below a pane: title and tabs; the last line. */
#define LK_TOP_ROWS_ABOVE 2u
#define LK_TOP_ROWS_BELOW 1u
#define LK_TOP_INPUT_MAX_BYTES 200u

typedef enum {
  LK_TOP_MODE_NORMAL,
  LK_TOP_MODE_FILTER,  /* a filter is being written */
  LK_TOP_MODE_CONFIRM, /* may the job be cancelled? */
  LK_TOP_MODE_HELP,
} LkTopMode;

typedef struct {
  char *filter;
  char *filter_before; /* while it is written */
  guint sort;          /* column; 0: in the order of the facts */
  gboolean is_falling;
  guint row;    /* which of `rows` is selected; of text, the first line shown */
  guint first;  /* of `rows`, on the screen */
  GArray *rows; /* of guint: which of the facts are shown, in order */
} LkTopList;

struct _LkTopModel {
  gboolean is_live;
  gboolean is_paused;
  gboolean is_busy;
  gboolean is_map; /* of nodes, a cell each */
  LkTopMode mode;
  LkTopPane pane;
  LkTopFacts *facts; /* NULL: none yet */
  LkTopList lists[LK_TOP_PANE_COUNT];
  guint32 job_id; /* selected in the queue; 0: none */
  guint32 cancel_id;
  char *cancel_label;
  guint32 detail_id; /* of which `detail` tells */
  char *detail;
  char *message;
};

/* A column of a table; the first of a list is no column, but the order of the facts. */
typedef struct {
  const char *heading;
  guint width;        /* 0: all that is left */
  guint wide_width;   /* on a screen of LK_TOP_WIDE_COLUMNS */
  guint from_columns; /* narrower screens have it not */
  gboolean is_right;
} LkTopColumn;
#define LK_TOP_WIDE_COLUMNS 120u

/* ---------------------------------------------------------------- rows (top/rows.c) */

/* The columns of a pane; NULL: it is no table. */
const LkTopColumn *lk_top_columns (LkTopPane pane, guint *out_count);
/* The text of a cell; appends. */
void lk_top_job_cell (const LkTopFacts *facts, const LkTopJob *job, guint column, GString *out);
void lk_top_node_cell (const LkTopNode *node, guint column, GString *out);
/* Filters and sorts anew; the selected job stays so. */
void lk_top_rows_update (LkTopModel *self, LkTopPane pane);
/* The job that is selected; NULL: none. */
const LkTopJob *lk_top_selected_job (const LkTopModel *self);

/* ---------------------------------------------------------------- drawing */

/* The rows of the screen that a pane has. */
typedef struct {
  guint row;
  guint rows;
  guint columns;
} LkTopArea;

void lk_top_draw_overview (const LkTopModel *self, LkTopScreen *screen, LkTopArea area);
void lk_top_draw_queue (LkTopModel *self, LkTopScreen *screen, LkTopArea area);
void lk_top_draw_nodes (LkTopModel *self, LkTopScreen *screen, LkTopArea area);
void lk_top_draw_job (LkTopModel *self, LkTopScreen *screen, LkTopArea area);
void lk_top_draw_log (LkTopModel *self, LkTopScreen *screen, LkTopArea area);
void lk_top_draw_help (const LkTopModel *self, LkTopScreen *screen, LkTopArea area);

#endif
