/* live/client/words.h — values as Slurm's commands print them. */
#ifndef LK_LIVE_CLIENT_WORDS_H
#define LK_LIVE_CLIENT_WORDS_H

#include <string.h>

#include "live/client/client.h"
#include "live/core/bytes.h"

/* A moment in local time, "2026-11-21T02:36:32", or as SLURM_TIME_FORMAT says (standard, relative,
 * or a pattern of strftime); `never` for the largest i64, and for 0. */
void lk_word_time (const LkClient *client, gint64 time_us, const char *never, GString *out);
/* "00:05:00", "1-00:00:00", and UNLIMITED for the largest i64: as scontrol does. */
void lk_word_long_duration (gint64 duration_us, GString *out);
/* "2000M", "4G": in the largest unit that is exact; "0" for none. */
void lk_word_memory (gint64 bytes, GString *out);
/* The text, or `none` where it is empty. */
void lk_word_text (LkText text, const char *none, GString *out);
void lk_word_long_text (LkLongText text, const char *none, GString *out);
void lk_word_bytes (LkBytes bytes, const char *none, GString *out);
/* Tasks of an array that wait together, "1-3,7%2", cut short as SLURM_BITSTR_LEN says (64; 0: not),
 * with "..." in place of the rest. */
void lk_word_tasks (const LkClient *client, LkLongText tasks, GString *out);
/* Is a word in a list with commas between, in either case? */
gboolean lk_word_is_listed (const char *list, const char *word);

/* As g_string_append_len, without a call where there is room. */
static inline void
lk_word_raw (GString *out, const void *bytes, gsize length_bytes)
{
  if (G_UNLIKELY (out->len + length_bytes >= out->allocated_len)) {
    g_string_append_len (out, bytes, (gssize)length_bytes);
    return;
  }
  if (length_bytes > 0)
    memcpy (out->str + out->len, bytes, length_bytes);
  out->len += length_bytes;
  out->str[out->len] = '\0';
}

/* A JSON string, with its quotes. Bytes that are no UTF-8 become U+FFFD. */
void lk_word_json (const char *bytes, gsize length_bytes, GString *out);

/* A job's identity in the form of Slurm's, which sorts by submission: "s" and 13 characters. */
void lk_word_sluid (gint64 submit_us, guint32 job_id, GString *out);

/* As printf would, and many times as fast: a queue of 100,000 has millions of numbers. */
void lk_word_number (gint64 value, GString *out);

#endif
