/* traces/yaml_cursor.h — one YAML document as a row of events, each with its place.
 *
 * A thin layer over libyaml for pages that people write: the caller walks the events and refuses
 * each at its own place when it does not belong there, so that depth and memory are bounded by the
 * caller's grammar, not by the input.  Anchors, aliases, tags, NUL bytes and a second document are
 * refused: a page needs none of them.
 *
 * Errors are one line, "NAME:LINE:COLUMN: what", in the domain and code given at the start. After
 * an error the cursor must not be moved again.  Not here: what keys and values mean.
 *
 * Source: YAML 1.1; a plain empty scalar, `~` and `null` are no value. */
#ifndef LK_TRACES_YAML_CURSOR_H
#define LK_TRACES_YAML_CURSOR_H

#include <glib.h>

/* Most keys of one mapping: each is compared with those before it. */
#define LK_YAML_KEYS_MAX 10000u

typedef enum {
  LK_YAML_END, /* of the document, or before its beginning */
  LK_YAML_SCALAR,
  LK_YAML_LIST,
  LK_YAML_LIST_END,
  LK_YAML_MAPPING,
  LK_YAML_MAPPING_END,
} LkYamlKind;

/* Both from 1; the column counts characters. */
typedef struct {
  guint line;
  guint column;
} LkYamlPlace;

typedef struct _LkYamlCursor LkYamlCursor;

/* Over bytes and a name that are borrowed for the life of self. Returns: (transfer full). */
LkYamlCursor *lk_yaml_cursor_new (const char *name, const guint8 *bytes, gsize length_bytes,
                                  GQuark domain, int code);
void lk_yaml_cursor_free (LkYamlCursor *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkYamlCursor, lk_yaml_cursor_free)

/* To the first event of the document; LK_YAML_END when there is none, or nothing in it. */
gboolean lk_yaml_cursor_open (LkYamlCursor *self, GError **error);
/* Behind the last event of the document: nothing may follow. */
gboolean lk_yaml_cursor_close (LkYamlCursor *self, GError **error);
gboolean lk_yaml_cursor_next (LkYamlCursor *self, GError **error);

/* Of the current event. */
LkYamlKind lk_yaml_cursor_kind (const LkYamlCursor *self);
LkYamlPlace lk_yaml_cursor_place (const LkYamlCursor *self);
/* Of a scalar. Returns: (transfer none), valid until the cursor moves. */
const char *lk_yaml_cursor_text (const LkYamlCursor *self);
gboolean lk_yaml_cursor_is_null (const LkYamlCursor *self);

/* The current event must be a scalar with a value, which `key` has. */
gboolean lk_yaml_cursor_expect_value (const LkYamlCursor *self, const char *key, GError **error);
/* The current event must be a key that is not in `seen`; appends it there, (transfer full). */
gboolean lk_yaml_cursor_take_key (const LkYamlCursor *self, GPtrArray *seen, GError **error);

/* Sets the error, at the current event or at a place. Control characters in the text become spaces.
 * Returns: FALSE. */
gboolean lk_yaml_cursor_fail (const LkYamlCursor *self, GError **error, const char *format, ...)
    G_GNUC_PRINTF (3, 4);
gboolean lk_yaml_cursor_fail_at (const LkYamlCursor *self, LkYamlPlace place, GError **error,
                                 const char *format, ...) G_GNUC_PRINTF (4, 5);

#endif
