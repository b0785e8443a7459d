/* traces/record_columns.c — see record_columns.h. */
#include "traces/record_columns.h"

#include <string.h>

#include "engine/assert.h"
#include "traces/swf.h"

typedef enum {
  TYPE_NUMBER,   /* gint64; negative: unknown */
  TYPE_TIME,     /* gint64, microseconds; negative: unknown */
  TYPE_ATTEMPTS, /* guint */
  TYPE_STATE,    /* LkRecordState */
  TYPE_CODE,     /* guint8 */
  TYPE_ID,       /* guint32; 0: unknown */
  TYPE_STRING,   /* const char * */
  /* Of the request, called as in the schema. */
  TYPE_u32,  /* 0: not given */
  TYPE_i64,  /* 0: not given, but for memory, which has a bit in `present` */
  TYPE_text, /* empty: not given */
} Type;

struct _LkRecordColumn {
  const char *name;
  Type type;
  gboolean is_request;
  gsize offset;
};

#define REQUEST_OFFSET(member) G_STRUCT_OFFSET (LkTraceRecord, request.member)
#define OWN(name, type, member)                                                                    \
  {                                                                                                \
    name, TYPE_##type, FALSE, G_STRUCT_OFFSET (LkTraceRecord, member)                              \
  }
#define REQUEST(type, name, help) { #name, TYPE_##type, TRUE, REQUEST_OFFSET (name) },

static const LkRecordColumn columns[] = { OWN ("number", NUMBER, number),
                                          OWN ("name", STRING, name),
                                          OWN ("submit_s", TIME, submit_us),
                                          OWN ("eligible_s", TIME, eligible_us),
                                          OWN ("start_s", TIME, start_us),
                                          OWN ("end_s", TIME, end_us),
                                          OWN ("run_s", TIME, run_us),
                                          OWN ("limit_s", TIME, limit_us),
                                          OWN ("procs", NUMBER, procs),
                                          OWN ("suspended_s", TIME, suspended_us),
                                          OWN ("attempts", ATTEMPTS, attempts),
                                          OWN ("state", STATE, state),
                                          OWN ("exit_code", CODE, exit_code),
                                          OWN ("exit_signal", CODE, exit_signal),
                                          OWN ("user_id", ID, user_id),
                                          OWN ("user", STRING, user),
                                          OWN ("group_id", ID, group_id),
                                          OWN ("group", STRING, group),
                                          OWN ("partition_id", ID, partition_id),
                                          OWN ("job_name", STRING, job_name),
                                          OWN ("node_list", STRING, node_list),
                                          LK_JOB_REQUEST_FIELDS (REQUEST) };

/* `present` is no column: whether a field is empty tells it. */
#define OWN_COUNT 21u
G_STATIC_ASSERT (REQUEST_OFFSET (present) == G_STRUCT_OFFSET (LkTraceRecord, request));

static const char *const state_names[] = {
  "",          "COMPLETED", "FAILED",   "CANCELLED", "TIMEOUT",
  "NODE_FAIL", "PREEMPTED", "REQUEUED", "RUNNING",   "PENDING",
};

guint
lk_record_column_count (void)
{
  return G_N_ELEMENTS (columns) - 1;
}

const LkRecordColumn *
lk_record_column (guint index)
{
  LK_ASSERT (index < lk_record_column_count ());
  LK_ASSERT (columns[OWN_COUNT].offset == REQUEST_OFFSET (present));
  return &columns[index < OWN_COUNT ? index : index + 1];
}

const char *
lk_record_column_name (const LkRecordColumn *column)
{
  return column->name;
}

gboolean
lk_record_column_is_request (const LkRecordColumn *column)
{
  return column->is_request;
}

const char *
lk_record_state_name (LkRecordState state)
{
  LK_ASSERT ((guint)state < G_N_ELEMENTS (state_names));
  return state_names[state];
}

/* ---------------------------------------------------------------- cells */

static LkCellKind
number_cell (gint64 value, gboolean is_given, GString *out)
{
  if (!is_given)
    return LK_CELL_EMPTY;
  g_string_append_printf (out, "%" G_GINT64_FORMAT, value);
  return LK_CELL_NUMBER;
}

static LkCellKind
time_cell (gint64 time_us, GString *out)
{
  if (time_us < 0)
    return LK_CELL_EMPTY;
  if (time_us == LK_TIME_NEVER) {
    g_string_append (out, "UNLIMITED");
    return LK_CELL_TEXT;
  }
  lk_swf_seconds_format (time_us, out);
  return LK_CELL_NUMBER;
}

static LkCellKind
text_cell (const char *bytes, gsize length_bytes, GString *out)
{
  if (length_bytes == 0)
    return LK_CELL_EMPTY;
  g_string_append_len (out, bytes, (gssize)length_bytes);
  return LK_CELL_TEXT;
}

static LkCellKind
string_cell (const char *text, GString *out)
{
  return text == NULL ? LK_CELL_EMPTY : text_cell (text, strlen (text), out);
}

static LkCellKind
flags_cell (guint32 flags, GString *out)
{
#define X(NAME, bit, text) text,
  static const char *const names[] = { LK_REQUEST_FLAGS (X) };
#undef X
  gsize length_before = out->len;
  for (guint bit = 0; bit < G_N_ELEMENTS (names); bit++)
    if ((flags & (1u << bit)) != 0)
      g_string_append_printf (out, "%s%s", out->len > length_before ? "+" : "", names[bit]);
  return out->len > length_before ? LK_CELL_TEXT : LK_CELL_EMPTY;
}

static gboolean
is_i64_given (const LkTraceRecord *record, const LkRecordColumn *column, gint64 value)
{
  guint32 present = record->request.present;
  if (column->offset == REQUEST_OFFSET (memory_per_node_bytes))
    return (present & LK_REQUEST_HAS_MEMORY_PER_NODE) != 0;
  if (column->offset == REQUEST_OFFSET (memory_per_cpu_bytes))
    return (present & LK_REQUEST_HAS_MEMORY_PER_CPU) != 0;
  if (column->offset == REQUEST_OFFSET (memory_per_gpu_bytes))
    return (present & LK_REQUEST_HAS_MEMORY_PER_GPU) != 0;
  return value != 0;
}

LkCellKind
lk_record_cell (const LkTraceRecord *record, const LkRecordColumn *column, GString *out)
{
  gconstpointer member = (const char *)record + column->offset;
  const LkText *text = member;
  switch (column->type) {
  case TYPE_NUMBER:
    return number_cell (*(const gint64 *)member, *(const gint64 *)member >= 0, out);
  case TYPE_TIME:
    return time_cell (*(const gint64 *)member, out);
  case TYPE_ATTEMPTS:
    return number_cell (*(const guint *)member, TRUE, out);
  case TYPE_STATE:
    return string_cell (lk_record_state_name (*(const LkRecordState *)member), out);
  case TYPE_CODE:
    return number_cell (*(const guint8 *)member, TRUE, out);
  case TYPE_ID:
    return number_cell (*(const guint32 *)member, *(const guint32 *)member != 0, out);
  case TYPE_STRING:
    return string_cell (*(const char *const *)member, out);
  case TYPE_u32:
    if (column->offset == REQUEST_OFFSET (flags))
      return flags_cell (*(const guint32 *)member, out);
    return number_cell (*(const guint32 *)member, *(const guint32 *)member != 0, out);
  case TYPE_i64:
    return number_cell (*(const gint64 *)member,
                        is_i64_given (record, column, *(const gint64 *)member), out);
  case TYPE_text:
    return text_cell (text->bytes, text->length_bytes, out);
  default:
    g_assert_not_reached ();
  }
}
