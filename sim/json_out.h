/* sim/json_out.h — writes JSON objects member by member.
 *
 * Numbers do not depend on the locale; a real is written with as few digits as read back to the
 * same bits; NaN and the infinities, which JSON lacks, become null.  Text is escaped; bytes that
 * are not UTF-8 become U+FFFD. */
#ifndef LK_SIM_JSON_OUT_H
#define LK_SIM_JSON_OUT_H

#include <glib.h>

typedef struct {
  GString *text; /* borrowed; appended to */
  guint depth;
  gboolean is_first; /* the next member is the first of its object or array */
} LkJsonOut;

void lk_json_out_init (LkJsonOut *self, GString *text);

/* `key` NULL: the outermost value, or an element of an array. */
void lk_json_out_object_begin (LkJsonOut *self, const char *key);
void lk_json_out_object_end (LkJsonOut *self);
void lk_json_out_array_begin (LkJsonOut *self, const char *key);
void lk_json_out_array_end (LkJsonOut *self);

void lk_json_out_text (LkJsonOut *self, const char *key, const char *value); /* NULL: null */
void lk_json_out_count (LkJsonOut *self, const char *key, guint64 value);
void lk_json_out_integer (LkJsonOut *self, const char *key, gint64 value);
void lk_json_out_real (LkJsonOut *self, const char *key, double value);
/* Microseconds as seconds, exact. */
void lk_json_out_seconds (LkJsonOut *self, const char *key, gint64 time_us);

/* A real as above, without JSON around it; "nan", "inf" and "-inf" for what is no number. */
#define LK_REAL_TEXT_BYTES 40u
void lk_real_text (double value, char out_text[LK_REAL_TEXT_BYTES]);

#endif
