/* live/core/step_task.c — see the header; no field is named here by hand but those with numbers. */
#include "live/core/step_task.h"

#include "engine/assert.h"
#include "live/core/bytes_field.h"

static gboolean
is_numbered_well (const LkStepTask *task)
{
  return task->open_mode < LK_BATCH_OPEN_COUNT && task->umask <= 0777
         && task->limits < 1u << LK_BATCH_LIMIT_COUNT && task->input < LK_STEP_INPUT_COUNT
         && task->mpi < LK_STEP_MPI_COUNT;
}

static gsize
size_of_task (const LkStepTask *fields)
{
  gsize size = 1;
  LK_STEP_TASK_FIELDS (SIZE_FIELD)
  return size;
}

void
lk_step_task_encode (const LkStepTask *fields, GByteArray *out)
{
  LK_ASSERT (lk_step_task_fault (fields) == NULL);
  guint begin = out->len;
  g_byte_array_set_size (out, begin + (guint)size_of_task (fields));
  guint8 *at = lk_put_u8 (out->data + begin, LK_STEP_TASK_VERSION);
  LK_STEP_TASK_FIELDS (PUT_FIELD)
  LK_ASSERT (at == out->data + out->len);
}

gboolean
lk_step_task_decode (const guint8 *bytes, gsize length_bytes, LkStepTask *out_task)
{
  if (length_bytes > LK_STEP_TASK_MAX_BYTES)
    return FALSE;
  LkBytesReader reader = { bytes, length_bytes, FALSE };
  LkStepTask task = { 0 };
  LkStepTask *fields = &task;
  if (lk_take_u8 (&reader) != LK_STEP_TASK_VERSION)
    return FALSE;
  LK_STEP_TASK_FIELDS (TAKE_FIELD)
  if (reader.failed || reader.left_bytes > 0 || !is_numbered_well (&task))
    return FALSE;
  *out_task = task;
  return TRUE;
}

#define IS_GOOD_u8(value) TRUE
#define IS_GOOD_u16(value) TRUE
#define IS_GOOD_u32(value) TRUE
#define IS_GOOD_u64(value) TRUE
#define IS_GOOD_i64(value) TRUE
#define IS_GOOD_bytes(value) TRUE
#define IS_GOOD_text(value) g_utf8_validate_len ((value).bytes, (value).length_bytes, NULL)
#define IS_GOOD_path is_path
#define IS_GOOD_strings is_strings
#define FAULT_OF_FIELD(type, name, help)                                                           \
  if (!(IS_GOOD_##type (task->name)))                                                              \
    return "bad " #name;

const char *
lk_step_task_fault (const LkStepTask *task)
{
  LK_STEP_TASK_FIELDS (FAULT_OF_FIELD)
  if (!is_numbered_well (task))
    return "a number out of range";
  return size_of_task (task) <= LK_STEP_TASK_MAX_BYTES ? NULL : "the environment is too long";
}

void
lk_step_task_json (const LkStepTask *fields, GString *out)
{
  g_string_append_c (out, '{');
  LK_STEP_TASK_FIELDS (JSON_FIELD)
  g_string_append_c (out, '}');
}

#define ROW_FIELD(type, name, help)                                                                \
  g_string_append (out, "| `" #name "` | " #type " | " help " |\n");
#define ROW_NUMBER(NAME, number, help) g_string_append (out, "| " #number " | " help " |\n");

void
lk_step_task_markdown (GString *out)
{
  g_string_append_printf (out,
                          "## Tasks of a step\n\nThe payload of STEP_CREATE and STEP_LAUNCH: u8 "
                          "version (%u), then these fields.\n\n| field | type | meaning "
                          "|\n|---|---|---|\n",
                          LK_STEP_TASK_VERSION);
  LK_STEP_TASK_FIELDS (ROW_FIELD)
  g_string_append (out, "\n### input\n\n| number | meaning |\n|---|---|\n");
  LK_STEP_INPUTS (ROW_NUMBER)
  g_string_append (out, "\n### mpi\n\n| number | meaning |\n|---|---|\n");
  LK_STEP_MPIS (ROW_NUMBER)
}
