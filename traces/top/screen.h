/* traces/top/screen.h — a screen as cells, without a terminal.
 *
 * Text is laid out by the columns that characters take: wide ones two, combining ones none.  No
 * byte of a name reaches the terminal that could move its cursor or speak to it: what is no valid
 * UTF-8, no printable character, or turns the direction of writing becomes "?". */
#ifndef LK_TRACES_TOP_SCREEN_H
#define LK_TRACES_TOP_SCREEN_H

#include <glib.h>

#define LK_TOP_STYLES(X)                                                                           \
  X (PLAIN)                                                                                        \
  X (DIM)                                                                                          \
  X (BOLD)                                                                                         \
  X (BAR)      /* title and footer */                                                              \
  X (SELECTED) /* the row that keys act on */                                                      \
  X (GOOD)                                                                                         \
  X (WARN)                                                                                         \
  X (BAD)

#define X(NAME) LK_TOP_STYLE_##NAME,
typedef enum { LK_TOP_STYLES (X) LK_TOP_STYLE_COUNT } LkTopStyle;
#undef X

#define LK_TOP_CELL_BYTES 16u
#define LK_TOP_COLUMNS_MAX 1000u
#define LK_TOP_ROWS_MAX 500u

typedef struct {
  char text[LK_TOP_CELL_BYTES]; /* UTF-8, ends with 0; "": the right half of a wide character */
  guint8 style;
} LkTopCell;

typedef struct {
  guint columns;
  guint rows;
  gboolean is_ascii; /* nothing but ASCII is drawn */
  /* How many columns the terminal gives a character; NULL: as Unicode says. */
  int (*width) (gunichar character);
  LkTopCell *cells;
} LkTopScreen;

/* All blank; of at most LK_TOP_COLUMNS_MAX by LK_TOP_ROWS_MAX cells, and at least 1 by 1. Returns:
 * (transfer full). */
LkTopScreen *lk_top_screen_new (guint columns, guint rows, gboolean is_ascii);
void lk_top_screen_free (LkTopScreen *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkTopScreen, lk_top_screen_free)

static inline LkTopCell *
lk_top_screen_cell (const LkTopScreen *self, guint column, guint row)
{
  return &self->cells[row * self->columns + column];
}

/* Where text goes, and how much room it has. */
typedef struct {
  guint column;
  guint row;
  guint columns_max; /* what does not fit is cut */
  LkTopStyle style;
} LkTopPlace;

/* Writes a text; outside of the screen nothing is written. Returns: the columns that it takes. */
guint lk_top_screen_put (LkTopScreen *self, LkTopPlace place, const char *text);
/* Right-justified in its room; of what is cut, the last column is a "+". */
void lk_top_screen_put_right (LkTopScreen *self, LkTopPlace place, const char *text);
/* Fills a room with blanks of a style. */
void lk_top_screen_fill (LkTopScreen *self, LkTopPlace place);
/* Changes the style of what is there. */
void lk_top_screen_tint (LkTopScreen *self, LkTopPlace place);
/* How many columns a text takes. */
guint lk_top_screen_width (const LkTopScreen *self, const char *text);

/* A bar of `columns` cells, filled up to `ratio` (0 to 1). */
void lk_top_screen_bar (LkTopScreen *self, LkTopPlace place, double ratio);
/* One character that stands for `ratio`: higher, or darker. */
const char *lk_top_screen_level (const LkTopScreen *self, double ratio);

/* As text: a line for each row, without blanks at its end. Appends. */
void lk_top_screen_text (const LkTopScreen *self, GString *out);

#endif
