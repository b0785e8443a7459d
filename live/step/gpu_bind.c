/* live/step/gpu_bind.c — see the header. */
#include "live/step/gpu_bind.h"

#include <string.h>

#include "live/step/bind_list.h"

/* ---------------------------------------------------------------- words */

static gboolean
begins (const char *text, const char *word)
{
  return g_ascii_strncasecmp (text, word, strlen (word)) == 0;
}

static gboolean
count_read (const char *text, guint *out_count)
{
  guint64 count;
  if (!g_ascii_string_to_unsigned (text, 10, 1, G_MAXUINT16, &count, NULL))
    return FALSE;
  *out_count = (guint)count;
  return TRUE;
}

gboolean
lk_gpu_bind_read (const char *text, LkGpuBind *out)
{
  static const struct {
    const char *name;
    LkGpuBindKind kind;
    LkBindReader read; /* of its list; NULL: it has none */
  } kinds[] = {
    { "none", LK_GPU_BIND_NONE, NULL },
    { "closest", LK_GPU_BIND_CLOSEST, NULL },
    { "single:", LK_GPU_BIND_SINGLE, NULL },
    { "per_task:", LK_GPU_BIND_PER_TASK, NULL },
    { "map_gpu:", LK_GPU_BIND_MAP, lk_bind_number_read },
    { "mask_gpu:", LK_GPU_BIND_MASK, lk_bind_mask_read },
  };
  LkGpuBind self = { .is_verbose = begins (text, "verbose,") };
  text += self.is_verbose ? strlen ("verbose,") : 0;
  for (guint i = 0; i < G_N_ELEMENTS (kinds) && self.kind == LK_GPU_BIND_UNSAID; i++) {
    const char *value = text + strlen (kinds[i].name);
    if (!begins (text, kinds[i].name))
      continue;
    self.list = kinds[i].read != NULL ? lk_bind_list_read (value, kinds[i].read) : NULL;
    gboolean is_good = kinds[i].read != NULL ? self.list != NULL
                       : value[-1] == ':'    ? count_read (value, &self.count)
                                             : *value == '\0';
    if (is_good)
      self.kind = kinds[i].kind;
  }
  *out = self.kind != LK_GPU_BIND_UNSAID ? self : (LkGpuBind){ .kind = LK_GPU_BIND_UNSAID };
  return self.kind != LK_GPU_BIND_UNSAID;
}

void
lk_gpu_bind_clear (LkGpuBind *self)
{
  g_clear_pointer (&self->list, g_ptr_array_unref);
  *self = (LkGpuBind){ .kind = LK_GPU_BIND_UNSAID };
}

/* ---------------------------------------------------------------- devices */

static gboolean
has (const GArray *numbers, guint32 number)
{
  for (guint i = 0; i < numbers->len; i++)
    if (g_array_index (numbers, guint32, i) == number)
      return TRUE;
  return FALSE;
}

/* Where one of the two is not known they are near to each other. */
static gboolean
is_near (const LkGpuBindRoom *room, guint32 gpu)
{
  if (room->near == NULL || gpu >= room->near->len || room->cpus->len == 0)
    return TRUE;
  const GArray *near = g_ptr_array_index (room->near, gpu);
  for (guint i = 0; i < near->len; i++)
    if (has (room->cpus, g_array_index (near, guint32, i)))
      return TRUE;
  return near->len == 0;
}

/* If none is near, all are as far. */
static void
take_near (const LkGpuBindRoom *room, GArray *out)
{
  for (guint i = 0; i < room->gpus->len; i++)
    if (is_near (room, g_array_index (room->gpus, guint32, i)))
      g_array_append_val (out, g_array_index (room->gpus, guint32, i));
  if (out->len == 0)
    g_array_append_vals (out, room->gpus->data, room->gpus->len);
}

/* Of those near to it, as many tasks on the first one as are told, then on the next, and so on. */
static void
take_single (const LkGpuBindRoom *room, guint tasks_each, GArray *out)
{
  take_near (room, out);
  if (out->len == 0)
    return;
  guint32 gpu = g_array_index (out, guint32, room->index / tasks_each % out->len);
  g_array_set_size (out, 0);
  g_array_append_val (out, gpu);
}

/* So many behind those of the tasks before it; all where there are not so many. */
static void
take_range (const LkGpuBindRoom *room, guint count, GArray *out)
{
  guint64 first = (guint64)room->index * count;
  gboolean is_there = first + count <= room->gpus->len;
  const GArray *gpus = room->gpus;
  if (gpus->len > 0)
    g_array_append_vals (out, &g_array_index (gpus, guint32, is_there ? first : 0),
                         is_there ? count : gpus->len);
}

/* In the order of the step's. */
static void
take_listed (const LkGpuBindRoom *room, const GPtrArray *list, GArray *out)
{
  const GArray *asked = g_ptr_array_index (list, room->index % list->len);
  for (guint32 i = 0; i < room->gpus->len; i++) {
    guint32 gpu = g_array_index (room->gpus, guint32, i);
    if (has (asked, room->is_confined ? i : gpu))
      g_array_append_val (out, gpu);
  }
}

static gboolean
is_divided (const LkGpuBind *self, const LkGpuBindRoom *room)
{
  if (self->kind == LK_GPU_BIND_UNSAID)
    return room->per_task > 0;
  return self->kind != LK_GPU_BIND_NONE && !room->is_alone;
}

GArray *
lk_gpu_bind_devices (const LkGpuBind *self, const LkGpuBindRoom *room, gboolean *out_is_missed)
{
  GArray *out = g_array_new (FALSE, FALSE, sizeof (guint32));
  if (!is_divided (self, room))
    g_array_append_vals (out, room->gpus->data, room->gpus->len);
  else if (self->list != NULL)
    take_listed (room, self->list, out);
  else if (self->kind == LK_GPU_BIND_CLOSEST)
    take_near (room, out);
  else if (self->kind == LK_GPU_BIND_SINGLE)
    take_single (room, self->count, out);
  else
    take_range (room, self->kind == LK_GPU_BIND_PER_TASK ? self->count : room->per_task, out);
  *out_is_missed = out->len == 0 && room->gpus->len > 0;
  if (*out_is_missed)
    g_array_append_vals (out, room->gpus->data, 1);
  return out;
}

/* ---------------------------------------------------------------- what is told */

/* Numbers, or where they are counted from 0, their places among the step's. */
static GArray *
numbers_of (const LkGpuBindRoom *room, const GArray *devices, gboolean by_place)
{
  GArray *out = g_array_new (FALSE, FALSE, sizeof (guint32));
  for (guint32 i = 0; i < room->gpus->len; i++) {
    guint32 gpu = g_array_index (room->gpus, guint32, i);
    guint32 number = by_place ? i : gpu;
    if (has (devices, gpu))
      g_array_append_val (out, number);
  }
  return out;
}

static char *
list_of (const LkGpuBindRoom *room, const GArray *devices, gboolean by_place)
{
  g_autoptr (GArray) numbers = numbers_of (room, devices, by_place);
  g_autoptr (GString) out = g_string_new (NULL);
  for (guint i = 0; i < numbers->len; i++)
    g_string_append_printf (out, "%s%u", i > 0 ? "," : "", g_array_index (numbers, guint32, i));
  return g_string_free (g_steal_pointer (&out), FALSE);
}

static char *
mask_of (const LkGpuBindRoom *room, const GArray *devices, gboolean by_place)
{
  g_autoptr (GArray) numbers = numbers_of (room, devices, by_place);
  g_autoptr (GString) out = g_string_new (NULL);
  lk_bind_mask_append (out, numbers);
  return g_string_free (g_steal_pointer (&out), FALSE);
}

char *
lk_gpu_bind_line (const LkGpuBind *self, const LkGpuBindRoom *room, const GArray *devices)
{
  g_autofree char *usable =
      is_divided (self, room) ? mask_of (room, devices, room->is_confined) : g_strdup ("NULL");
  g_autofree char *all = mask_of (room, room->gpus, /* by_place= */ FALSE);
  g_autofree char *numbers = list_of (room, devices, /* by_place= */ FALSE);
  g_autofree char *places = list_of (room, devices, /* by_place= */ TRUE);
  return g_strdup_printf ("gpu-bind: usable_gres=%s; bit_alloc=%s; local_inx=%u; "
                          "global_list=%s; local_list=%s\n",
                          usable, all, room->gpus->len, numbers, places);
}
