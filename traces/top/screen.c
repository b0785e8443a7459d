/* traces/top/screen.c — see the header. */
#include "traces/top/screen.h"

#include <string.h>

#define UNKNOWN "?"

/* Eighths of a cell, from the left; and heights. */
static const char *const eighths[] = { " ", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█" };
static const char *const heights[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
static const char *const densities[] = { ".", ":", "-", "=", "+", "*", "#", "@" };

LkTopScreen *
lk_top_screen_new (guint columns, guint rows, gboolean is_ascii)
{
  LkTopScreen *self = g_new0 (LkTopScreen, 1);
  self->columns = CLAMP (columns, 1, LK_TOP_COLUMNS_MAX);
  self->rows = CLAMP (rows, 1, LK_TOP_ROWS_MAX);
  self->is_ascii = is_ascii;
  self->cells = g_new0 (LkTopCell, self->columns * self->rows);
  for (guint i = 0; i < self->columns * self->rows; i++)
    self->cells[i].text[0] = ' ';
  return self;
}

void
lk_top_screen_free (LkTopScreen *self)
{
  if (self == NULL)
    return;
  g_free (self->cells);
  g_free (self);
}

/* ---------------------------------------------------------------- characters */

/* Columns of a character; -1: it is not let through. */
static int
character_width (const LkTopScreen *self, gunichar character)
{
  GUnicodeType type = g_unichar_type (character);
  if (self->is_ascii)
    return character >= ' ' && character <= '~' ? 1 : -1;
  if (!g_unichar_isprint (character) || type == G_UNICODE_PRIVATE_USE
      || type == G_UNICODE_LINE_SEPARATOR || type == G_UNICODE_PARAGRAPH_SEPARATOR)
    return -1;
  int width = g_unichar_iszerowidth (character) ? 0 : g_unichar_iswide (character) ? 2 : 1;
  /* A terminal that counts otherwise would have all that follows in other columns. */
  if (self->width != NULL && self->width (character) != width)
    return -1;
  return width;
}

/* The next character of a text, as it is shown. */
typedef struct {
  const char *text;
  guint bytes;
  guint width;
} Glyph;

static Glyph
next_glyph (const LkTopScreen *self, const char **at)
{
  gunichar character = g_utf8_get_char_validated (*at, -1);
  if (character == (gunichar)-1 || character == (gunichar)-2) {
    (*at)++;
    return (Glyph){ UNKNOWN, 1, 1 };
  }
  const char *begin = *at;
  *at = g_utf8_next_char (begin);
  int width = character_width (self, character);
  if (width < 0)
    return (Glyph){ UNKNOWN, 1, 1 };
  return (Glyph){ begin, (guint)(*at - begin), (guint)width };
}

guint
lk_top_screen_width (const LkTopScreen *self, const char *text)
{
  guint width = 0;
  while (*text != '\0')
    width += next_glyph (self, &text).width;
  return width;
}

/* ---------------------------------------------------------------- cells */

static gboolean
clip (const LkTopScreen *self, LkTopPlace *place)
{
  if (place->row >= self->rows || place->column >= self->columns)
    return FALSE;
  place->columns_max = MIN (place->columns_max, self->columns - place->column);
  return TRUE;
}

/* What is written into a half of a wide character takes the other half away. */
static void
cell_set (LkTopScreen *self, guint column, guint row, const Glyph *glyph, LkTopStyle style)
{
  LkTopCell *cell = lk_top_screen_cell (self, column, row);
  if (cell->text[0] == '\0' && column > 0)
    g_strlcpy (cell[-1].text, " ", LK_TOP_CELL_BYTES);
  if (column + glyph->width < self->columns && cell[glyph->width].text[0] == '\0')
    g_strlcpy (cell[glyph->width].text, " ", LK_TOP_CELL_BYTES);
  memcpy (cell->text, glyph->text, glyph->bytes);
  cell->text[glyph->bytes] = '\0';
  cell->style = (guint8)style;
  if (glyph->width == 2)
    cell[1] = (LkTopCell){ .text = "", .style = (guint8)style };
}

/* A mark goes onto the character before it, while there is room in its cell. */
static void
cell_add_mark (LkTopScreen *self, guint column, guint row, const Glyph *glyph)
{
  LkTopCell *cell = lk_top_screen_cell (self, column, row);
  if (cell->text[0] == '\0' && column > 0)
    cell--;
  gsize have_bytes = strlen (cell->text);
  if (have_bytes + glyph->bytes < LK_TOP_CELL_BYTES) {
    memcpy (cell->text + have_bytes, glyph->text, glyph->bytes);
    cell->text[have_bytes + glyph->bytes] = '\0';
  }
}

guint
lk_top_screen_put (LkTopScreen *self, LkTopPlace place, const char *text)
{
  guint used = 0;
  if (!clip (self, &place))
    return 0;
  while (*text != '\0') {
    Glyph glyph = next_glyph (self, &text);
    if (glyph.width == 0) {
      if (used > 0)
        cell_add_mark (self, place.column + used - 1, place.row, &glyph);
      continue;
    }
    if (used + glyph.width > place.columns_max)
      break;
    cell_set (self, place.column + used, place.row, &glyph, place.style);
    used += glyph.width;
  }
  return used;
}

void
lk_top_screen_put_right (LkTopScreen *self, LkTopPlace place, const char *text)
{
  guint width = lk_top_screen_width (self, text);
  guint before = width < place.columns_max ? place.columns_max - width : 0;
  LkTopPlace last = { place.column + MAX (1, place.columns_max) - 1, place.row, 1, place.style };
  place.column += before;
  place.columns_max -= before;
  lk_top_screen_put (self, place, text);
  /* A number of which digits were cut would be another number. */
  if (width > place.columns_max && place.columns_max > 0)
    lk_top_screen_put (self, last, "+");
}

void
lk_top_screen_fill (LkTopScreen *self, LkTopPlace place)
{
  const Glyph blank = { " ", 1, 1 };
  if (!clip (self, &place))
    return;
  for (guint i = 0; i < place.columns_max; i++)
    cell_set (self, place.column + i, place.row, &blank, place.style);
}

void
lk_top_screen_tint (LkTopScreen *self, LkTopPlace place)
{
  if (!clip (self, &place))
    return;
  for (guint i = 0; i < place.columns_max; i++)
    lk_top_screen_cell (self, place.column + i, place.row)->style = (guint8)place.style;
}

/* ---------------------------------------------------------------- bars */

void
lk_top_screen_bar (LkTopScreen *self, LkTopPlace place, double ratio)
{
  guint columns = place.columns_max;
  guint filled = (guint)(CLAMP (ratio, 0.0, 1.0) * columns * 8.0 + 0.5);
  for (guint i = 0; i < columns; i++) {
    guint part = filled >= (i + 1) * 8 ? 8 : filled > i * 8 ? filled - i * 8 : 0;
    LkTopPlace cell = { place.column + i, place.row, 1, place.style };
    if (part == 0)
      cell.style = LK_TOP_STYLE_DIM;
    if (self->is_ascii)
      lk_top_screen_put (self, cell, part >= 4 ? "#" : ".");
    else
      lk_top_screen_put (self, cell, part == 0 ? "·" : eighths[part]);
  }
}

const char *
lk_top_screen_level (const LkTopScreen *self, double ratio)
{
  const char *const *levels = self->is_ascii ? densities : heights;
  guint level = (guint)(CLAMP (ratio, 0.0, 1.0) * 7.0 + 0.5);
  return ratio > 0 ? levels[level] : self->is_ascii ? "_" : " ";
}

void
lk_top_screen_text (const LkTopScreen *self, GString *out)
{
  for (guint row = 0; row < self->rows; row++) {
    for (guint column = 0; column < self->columns; column++)
      g_string_append (out, lk_top_screen_cell (self, column, row)->text);
    while (out->len > 0 && out->str[out->len - 1] == ' ')
      g_string_truncate (out, out->len - 1);
    g_string_append_c (out, '\n');
  }
}
