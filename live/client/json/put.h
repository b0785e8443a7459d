/* live/client/json/put.h — single values of JSON. */
#ifndef LK_LIVE_CLIENT_JSON_PUT_H
#define LK_LIVE_CLIENT_JSON_PUT_H

#include <string.h>

#include "live/client/words.h"

/* What is JSON as it stands, a literal. */
#define lk_put_literal(out, text) lk_word_raw (out, text, sizeof text - 1)

static inline void
lk_put_bytes (GString *out, const void *bytes, gsize length_bytes)
{
  lk_word_json (bytes, length_bytes, out);
}

/* NULL: an empty one. */
static inline void
lk_put_string (GString *out, const char *text)
{
  lk_word_json (text, text != NULL ? strlen (text) : 0, out);
}

static inline void
lk_put_count (GString *out, gint64 value)
{
  lk_word_number (value, out);
}

static inline void
lk_put_flag (GString *out, gboolean value)
{
  if (value)
    lk_put_literal (out, "true");
  else
    lk_put_literal (out, "false");
}

/* A double as JSON has it: never "inf" or "nan". */
void lk_put_real (GString *out, double value);

/* {"set":...,"infinite":...,"number":...}. As a real Slurm 26.05 tells it: what is endless is not
 * set, and its number is 0. */
void lk_put_number (GString *out, gboolean is_set, gint64 value);
void lk_put_endless (GString *out);
void lk_put_real_number (GString *out, gboolean is_set, double value);
/* Seconds since 1970; 0 where there is no such moment. */
void lk_put_moment (GString *out, gint64 time_us);

/* "a,b(c,d),e" as an array of strings; one separator. */
void lk_put_list (GString *out, const char *text, gsize length_bytes, char separator);
/* An array of one word; none where it is "". */
void lk_put_word (GString *out, const char *word);

/* Null where there is nothing: "" and the value `none`. */
void lk_put_bytes_or_null (GString *out, const void *bytes, gsize length_bytes);
void lk_put_count_or_null (GString *out, gboolean is_there, gint64 value);

/* "cpu=2,mem=500M,gres/gpu=1" as Slurm's list of TRES, memory in MiB. */
void lk_put_tres (GString *out, const char *list);
/* The number of a name, as Slurm has it for those that are always there; 0: another. */
guint lk_put_tres_id (const char *name);

#endif
