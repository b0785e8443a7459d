/* traces/sacct_values.h — numbers, times, sizes and states as Slurm's accounting prints them.
 *
 * All take bytes that need no terminator.  They return FALSE, and leave the output alone, for what
 * they do not know.  Nothing depends on the locale.
 *
 * Source: sacct(1), src/sacct/print.c, src/common/parse_time.c. */
#ifndef LK_TRACES_SACCT_VALUES_H
#define LK_TRACES_SACCT_VALUES_H

#include "traces/record.h"

/* Bytes of a cell, borrowed. */
typedef struct {
  const char *bytes;
  gsize length_bytes;
} LkSpan;

LkSpan lk_span (const char *string);
gboolean lk_span_is (LkSpan span, const char *word);
LkSpan lk_span_strip (LkSpan span);
/* Takes the part before the first `separator` off the front of `rest`; FALSE when `rest` is used
 * up, which it is after the last part (its `bytes` is NULL then). */
gboolean lk_span_part (LkSpan *rest, char separator, LkSpan *out_part);

/* Digits only. */
gboolean lk_sacct_number (LkSpan span, gint64 *out_number);
/* A moment: 2016-12-22T07:15:12 (also with a space for T, and with Z or +hh:mm behind), taken for
 * UTC where it does not say, or seconds since 1970. "Unknown", "None", "N/A" and "" give -1. */
gboolean lk_sacct_time_us (LkSpan span, gint64 *out_time_us);
/* A length: [days-][hours:]minutes:seconds[.fraction]; "" and "INVALID" give -1. */
gboolean lk_sacct_duration_us (LkSpan span, gint64 *out_duration_us);
/* A time limit: a length as above, UNLIMITED (LK_TIME_NEVER); Partition_Limit and "" give -1.
 * `is_minutes`: a bare number counts minutes (TimelimitRaw). */
gboolean lk_sacct_limit_us (LkSpan span, gboolean is_minutes, gint64 *out_limit_us);
/* A number with K, M, G, T, P or E behind it (powers of 1024) or, without one, of `unit_bytes`;
 * rounded to whole bytes. */
gboolean lk_sacct_size_bytes (LkSpan span, gint64 unit_bytes, gint64 *out_bytes);

/* What memory a job asked for. */
typedef enum {
  LK_MEMORY_UNKNOWN,
  LK_MEMORY_TOTAL, /* on all nodes together */
  LK_MEMORY_PER_NODE,
  LK_MEMORY_PER_CPU,
} LkMemoryKind;

/* Marks memory per CPU in a number of MiB: bit 31 in old Slurm, bit 63 since. */
#define LK_SACCT_MEMORY_PER_CPU_OLD (G_GUINT64_CONSTANT (1) << 31)
#define LK_SACCT_MEMORY_PER_CPU (G_GUINT64_CONSTANT (1) << 63)
/* Takes the mark off `mib`: a number with the old mark is only believed when it is a multiple of 2
 * TiB plus less than that, which no node had while that mark was in use. */
LkMemoryKind lk_sacct_memory_unmark (guint64 *mib, LkMemoryKind unmarked);

/* ReqMem: a size, in MiB without a unit, with n (per node) or c (per CPU) behind it, or neither (in
 * total, Slurm 21.08 and later). The marks above are taken off. "" gives LK_MEMORY_UNKNOWN. */
gboolean lk_sacct_memory (LkSpan span, LkMemoryKind *out_kind, gint64 *out_bytes);

/* State names in full, short (CD) or cut with a plus (COMPLETI+), with anything behind a blank.
 * `out_is_resizing` is TRUE for RESIZING, whose row is a part of a run. Unknown states are
 * LK_RECORD_UNKNOWN; FALSE only when it is not a word of letters. */
gboolean lk_sacct_state (LkSpan span, LkRecordState *out_state, gboolean *out_is_resizing);

/* "exit:signal". */
gboolean lk_sacct_exit (LkSpan span, guint8 *out_code, guint8 *out_signal);

/* A job id. */
typedef struct {
  gint64 number;
  gint64 array_task; /* of 123_4; -1: none */
  LkSpan tasks;      /* of 123_[0-9%2], what is between the brackets; empty: none */
  gint64 het_offset; /* of 123+1; -1: none */
  gboolean is_step;  /* 123.batch, 123_4.0 */
} LkSacctId;

gboolean lk_sacct_id (LkSpan span, LkSacctId *out_id);

/* The tasks of a list such as "1,5-9:2,20-30%4": the next range, moving `rest` behind it. A list
 * cut with "..." ends there. FALSE at the end and for what is no list. */
typedef struct {
  guint32 first;
  guint32 last;
  guint32 step;
} LkTaskRange;
gboolean lk_sacct_task_range (LkSpan *rest, LkTaskRange *out_range);
/* Does the list name at least one task, and not more than an array can have? */
gboolean lk_sacct_tasks_are_valid (LkSpan tasks);

#endif
