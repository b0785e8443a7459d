/* engine/line_text.h — texts of one line per thing, made from tables of typed members.
 *
 * A line is a kind and then the values of its members, all but the first as member=value, with one
 * blank between.  A value stands in quotes when it is empty or holds a blank, a quote, a backslash,
 * an equals sign or a control character; there a quote and a backslash have a backslash before
 * them, and a newline is \n.
 *
 * The reader takes what the writer writes and nothing else: no other order, no other blanks, no
 * leading zeros, no quotes without need.  It trusts nothing of the text.
 *
 * Not here: which lines there are and in which order (engine/cluster_text.c,
 * engine/accounts_text.c). */
#ifndef LK_ENGINE_LINE_TEXT_H
#define LK_ENGINE_LINE_TEXT_H

#include <stddef.h>

#include <glib.h>

typedef struct _LkLineMember LkLineMember;

typedef struct {
  const char *at;
  const char *end;
  guint line_number;
  void *context; /* what the values of some types refer to; NULL where none does */
  /* Filled when something is wrong. */
  const char *member;
  char text[256];
} LkLineReader;

/* How values of one type are written and read. `spec` is the struct that has the member. */
typedef struct {
  void (*append) (GString *out, const LkLineMember *member, const void *spec, const void *context);
  /* FALSE: there is no such value at the reader's place; the member may hold a part of it. */
  gboolean (*read) (LkLineReader *reader, const LkLineMember *member, void *spec);
  const char *phrase;       /* what is expected, for messages and documentation */
  const char *const *words; /* of enumerations, which have the size of guint32; else NULL */
} LkLineType;

struct _LkLineMember {
  const LkLineType *type;
  gsize offset_bytes;
  const char *name;
  const char *help;
};

typedef struct {
  const char *kind;
  const LkLineMember *members;
  guint count;
  const char *help;
} LkLine;

/* ---------------------------------------------------------------- types */

extern const LkLineType lk_line_text;  /* char * */
extern const LkLineType lk_line_u32;   /* guint32 */
extern const LkLineType lk_line_i64;   /* gint64, not below 0 */
extern const LkLineType lk_line_s64;   /* gint64 */
extern const LkLineType lk_line_flag;  /* gboolean */
extern const LkLineType lk_line_real;  /* double, finite */
extern const LkLineType lk_line_names; /* GPtrArray of char *; read into one that is empty */
extern const LkLineType lk_line_sizes; /* GArray of guint32; likewise */

/* For types of enumerations. */
void lk_line_word_append (GString *out, const LkLineMember *member, const void *spec,
                          const void *context);
gboolean lk_line_word_read (LkLineReader *reader, const LkLineMember *member, void *spec);
/* For types of sets: guint32 whose bits are words; all of them set are written, with commas
 * between. */
void lk_line_set_append (GString *out, const LkLineMember *member, const void *spec,
                         const void *context);
gboolean lk_line_set_read (LkLineReader *reader, const LkLineMember *member, void *spec);

/* ---------------------------------------------------------------- parts of values */

/* With quotes when it needs them. */
void lk_line_append_text (GString *out, const char *text);
/* The shortest text of up to 17 digits that reads back to the same number, in every locale; -0 is
 * written as 0. The number is finite. */
void lk_line_append_real (GString *out, double value);
/* Skips these very bytes. FALSE: they are not here. */
gboolean lk_line_skip (LkLineReader *reader, const char *text);
/* Returns: (transfer full); NULL when it is no value as the writer writes it. */
char *lk_line_value_read (LkLineReader *reader);
/* A decimal number without leading zeros, not above `limit`. */
gboolean lk_line_number_read (LkLineReader *reader, guint64 limit, guint64 *out_number);
/* All of a text as a number as lk_line_append_real writes it. */
gboolean lk_line_real_parse (const char *text, double *out_value);

/* ---------------------------------------------------------------- lines */

/* Writes a line. `context` is for types that refer to something. */
void lk_line_append (GString *out, const LkLine *line, const void *spec, const void *context);
/* Reads the word in front of a line. Returns the index of its kind; `count`: it is none of them. */
guint lk_line_kind_read (LkLineReader *reader, const LkLine *lines, guint count);
/* Reads all of a line behind its kind. FALSE: what is wrong has been noted. */
gboolean lk_line_read (LkLineReader *reader, const LkLine *line, void *spec);
/* Notes what was expected and not found. Returns FALSE. */
gboolean lk_line_wrong (LkLineReader *reader, const char *member, const char *expected);
/* The documentation of lines, as Markdown. */
void lk_lines_markdown (GString *out, const LkLine *lines, guint count);

#endif
