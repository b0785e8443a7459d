/* sim/study/shard.c — see shard.h. */
#include "sim/study/shard.h"

#include <string.h>

#include "sim/error.h"

static gboolean
variable (const char *name, guint64 fallback, guint64 minimum, guint64 *out_value, GError **error)
{
  const char *text = g_getenv (name);
  if (text == NULL && fallback != G_MAXUINT64) {
    *out_value = fallback;
    return TRUE;
  }
  if (text != NULL && g_ascii_string_to_unsigned (text, 10, minimum, G_MAXUINT32, out_value, NULL))
    return TRUE;
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
               "--shard array: %s is %s%s%s; this is for the tasks of an array job", name,
               text != NULL ? "'" : "", text != NULL ? text : "not set", text != NULL ? "'" : "");
  return FALSE;
}

static gboolean
parse_array (LkStudyShard *out_shard, GError **error)
{
  guint64 id;
  guint64 least;
  guint64 step;
  guint64 count;
  if (!variable ("SLURM_ARRAY_TASK_ID", G_MAXUINT64, 0, &id, error)
      || !variable ("SLURM_ARRAY_TASK_COUNT", G_MAXUINT64, 1, &count, error)
      || !variable ("SLURM_ARRAY_TASK_MIN", 0, 0, &least, error)
      || !variable ("SLURM_ARRAY_TASK_STEP", 1, 1, &step, error))
    return FALSE;
  if (id < least || (id - least) % step != 0 || (id - least) / step >= count) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
                 "--shard array: task %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
                 " from %" G_GUINT64_FORMAT " on: the tasks of the array must follow each other "
                 "(--array=0-9)",
                 id, count, least);
    return FALSE;
  }
  *out_shard = (LkStudyShard){ .index = (guint)((id - least) / step), .count = (guint)count };
  return TRUE;
}

gboolean
lk_study_shard_parse (const char *text, LkStudyShard *out_shard, GError **error)
{
  guint64 place;
  guint64 count;
  if (strcmp (text, "array") == 0)
    return parse_array (out_shard, error);
  g_auto (GStrv) parts = g_strsplit (text, "/", 2);
  if (g_strv_length (parts) == 2
      && g_ascii_string_to_unsigned (parts[1], 10, 1, G_MAXUINT32, &count, NULL)
      && g_ascii_string_to_unsigned (parts[0], 10, 1, count, &place, NULL)) {
    *out_shard = (LkStudyShard){ .index = (guint)place - 1, .count = (guint)count };
    return TRUE;
  }
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
               "--shard is '%s'; expected K/N with K from 1 to N, or array", text);
  return FALSE;
}

gboolean
lk_study_shard_of_rank (LkStudyShard *out_shard)
{
  static const struct {
    const char *rank;
    const char *size;
  } names[] = { { "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE" }, { "PMI_RANK", "PMI_SIZE" } };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    guint64 rank;
    guint64 size;
    const char *rank_text = g_getenv (names[i].rank);
    const char *size_text = g_getenv (names[i].size);
    if (rank_text == NULL || size_text == NULL
        || !g_ascii_string_to_unsigned (size_text, 10, 2, G_MAXUINT32, &size, NULL)
        || !g_ascii_string_to_unsigned (rank_text, 10, 0, size - 1, &rank, NULL))
      continue;
    *out_shard = (LkStudyShard){ .index = (guint)rank, .count = (guint)size };
    return TRUE;
  }
  return FALSE;
}
