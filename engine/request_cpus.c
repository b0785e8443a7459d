/* engine/request_cpus.c — see the header.  Source: src/sbatch/opt.c, src/interfaces/gres.c
 * (gres_job_state_validate) of Slurm. */
#include "engine/request_cpus.h"

#include "engine/request_text.h"

#define GPU "gpu"
#define COUNT_MAX G_MAXUINT32

/* "2", "2k"; a word that is none is a type, of which there is one. */
static guint64
count_of (LkSpan word)
{
  static const char units[] = "kmg";
  guint64 count = 0;
  gsize digits = 0;
  for (; digits < word.length_bytes && g_ascii_isdigit (word.at[digits]); digits++)
    count = MIN (count * 10 + (guint64)(word.at[digits] - '0'), COUNT_MAX);
  if (digits == 0 || word.length_bytes > digits + 1)
    return 1;
  if (word.length_bytes == digits)
    return count;
  const char *unit = memchr (units, g_ascii_tolower (word.at[digits]), sizeof units - 1);
  return unit == NULL ? 1 : MIN (count << (10 * (unit - units + 1)), COUNT_MAX);
}

/* The last of the words between colons. */
static LkSpan
last_word (LkSpan text)
{
  LkSpan word = { NULL, 0 };
  while (lk_next_part (&text, ':', &word))
    ;
  return word;
}

static gboolean
is_gpu (LkSpan entry)
{
  LkSpan name;
  if (entry.length_bytes > 5 && memcmp (entry.at, "gres", 4) == 0
      && (entry.at[4] == ':' || entry.at[4] == '/'))
    entry = (LkSpan){ entry.at + 5, entry.length_bytes - 5 };
  return lk_next_part (&entry, ':', &name) && name.length_bytes == strlen (GPU)
         && memcmp (name.at, GPU, strlen (GPU)) == 0;
}

/* GPUs that a list names; `has_names`: among other resources. */
static guint64
text_gpus (LkText text, gboolean has_names)
{
  LkSpan rest = lk_span_of (text);
  LkSpan entry;
  guint64 gpus = 0;
  while (lk_next_part (&rest, ',', &entry))
    if (!has_names || is_gpu (entry))
      gpus = MIN (gpus + count_of (last_word (entry)), COUNT_MAX);
  return gpus;
}

static gboolean
nodes_are_exact (const LkJobRequest *request)
{
  return request->nodes_min > 0
         && (request->nodes_max == 0 || request->nodes_max == request->nodes_min);
}

guint32
lk_job_request_cpus (const LkJobRequest *request)
{
  guint64 nodes = MAX (1, request->nodes_min);
  guint64 tasks = request->tasks;
  if (tasks == 0 && request->tasks_per_node > 0)
    tasks = nodes * request->tasks_per_node;
  if (tasks == 0)
    tasks = nodes_are_exact (request) ? request->nodes_min : 1;
  tasks = MIN (tasks, COUNT_MAX);
  guint64 cpus = tasks * MAX (1, request->cpus_per_task);
  if (request->cpus_per_gpu > 0) {
    guint64 gpus = text_gpus (request->gpus, /* has_names= */ FALSE);
    if (gpus == 0)
      gpus = MIN (text_gpus (request->gres, /* has_names= */ TRUE) * nodes, COUNT_MAX);
    if (gpus == 0)
      gpus = MIN (text_gpus (request->gpus_per_task, /* has_names= */ FALSE) * tasks, COUNT_MAX);
    cpus = MAX (cpus, gpus * request->cpus_per_gpu);
  }
  return (guint32)MIN (MAX (cpus, nodes), COUNT_MAX);
}
