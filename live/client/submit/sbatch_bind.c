/* live/client/submit/sbatch_bind.c — options that bind tasks, as sbatch, salloc and srun all have
 * them: what is wrong with them is told before anything is submitted. */
#include <string.h>

#include "live/client/submit/sbatch.h"
#include "live/step/gpu_bind.h"

char *
lk_sbatch_values_join (const LkSbatch *self, const char *name)
{
  g_autoptr (GString) out = g_string_new (NULL);
  gsize name_bytes = strlen (name);
  gboolean is_given = FALSE;
  for (guint i = 0; i < self->components->len && !is_given; i++) {
    const GPtrArray *words = g_ptr_array_index (self->components, i);
    for (guint j = 0; j < words->len; j++) {
      const char *word = (const char *)g_ptr_array_index (words, j) + 2;
      if (strncmp (word, name, name_bytes) != 0 || word[name_bytes] != '=')
        continue;
      g_string_append_printf (out, "%s%s", is_given ? "," : "", word + name_bytes + 1);
      is_given = TRUE;
    }
  }
  return is_given ? g_string_free (g_steal_pointer (&out), FALSE) : NULL;
}

gboolean
lk_sbatch_mem_bind (const LkSbatch *self, LkMemBind *out)
{
  g_autofree char *text = lk_sbatch_values_join (self, "mem-bind");
  *out = (LkMemBind){ .kind = LK_MEM_BIND_UNSAID };
  g_autofree char *fault = text != NULL ? lk_mem_bind_read (text, out) : NULL;
  if (fault != NULL)
    lk_client_error (self->client, "%s", fault);
  return fault == NULL;
}

static gboolean
gpu_bind_check (const LkSbatch *self)
{
  LkGpuBind bind;
  const char *text = lk_sbatch_value (self, "gpu-bind");
  if (text == NULL)
    return TRUE;
  gboolean is_good = lk_gpu_bind_read (text, &bind);
  if (!is_good)
    lk_client_error (self->client,
                     "Invalid --gpu-bind argument: %s; expected [verbose,]closest, none, single:N, "
                     "per_task:N, map_gpu:LIST or mask_gpu:LIST",
                     text);
  lk_gpu_bind_clear (&bind);
  return is_good;
}

LkSbatchBinds
lk_sbatch_binds_check (const LkSbatch *self)
{
  LkMemBind memory;
  if (!lk_sbatch_mem_bind (self, &memory) || !gpu_bind_check (self))
    return LK_SBATCH_BINDS_WRONG;
  LkSbatchBinds answer = memory.wants_help ? LK_SBATCH_BINDS_TOLD : LK_SBATCH_BINDS_GOOD;
  if (memory.wants_help)
    fputs (lk_mem_bind_help (), self->client->out);
  lk_mem_bind_clear (&memory);
  return answer;
}
