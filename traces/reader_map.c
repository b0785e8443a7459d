/* traces/reader_map.c — see reader_map.h.  Every override is checked once, when the log is opened;
 * what they do to a record cannot fail. */
#include "traces/reader_map.h"

#include <string.h>

#include "engine/limits.h"
#include "engine/suggest.h"
#include "traces/job_values.h"
#include "traces/quantity.h"

/* LOG leaves it as it is, NONE takes it away, RUN is for the limit. */
typedef enum { MODE_LOG, MODE_NONE, MODE_SET, MODE_RUN } Mode;

/* "all" and "none" of `exclusive`. */
enum { EXCLUSIVE_LOG, EXCLUSIVE_NONE, EXCLUSIVE_ALL };
enum { PROCS_LOG, PROCS_CPUS, PROCS_GPUS, PROCS_NODES };

#define TEXTS(X)                                                                                   \
  X (partition) X (account) X (qos) X (group) X (constraint) X (licenses) X (node_list) X (exclude)

#define COUNT_TEXT(name) +1
#define TEXT_COUNT (0 TEXTS (COUNT_TEXT))

typedef struct {
  Mode mode;
  LkText text;
} TextRule;

struct _LkReaderMap {
  LkReaderBase *base;
  gboolean is_empty;
  guint procs;
  guint submit;
  guint exclusive;
  guint flags;
  guint memory;
  Mode nodes_mode;
  guint32 nodes;
  guint32 cpus_per_gpu;
  gint64 memory_per_node_bytes; /* this and the next two: -1 not given */
  gint64 memory_per_cpu_bytes;
  gint64 memory_per_gpu_bytes;
  Mode limit_mode;
  gint64 limit_us;
  TextRule gpus;
  TextRule gpu_type;
  TextRule texts[TEXT_COUNT];
};

#define TEXT_NAME(name) #name,
static const char *const text_keys[] = { TEXTS (TEXT_NAME) };

static const char *const common_keys[] = {
  "procs",           "nodes",
  "cpus_per_gpu",    "gpus",
  "gpu_type",        "memory",
  "memory_per_node", "memory_per_cpu",
  "memory_per_gpu",  "limit",
  "submit",          "exclusive",
  "flags",           TEXTS (TEXT_NAME) NULL,
};

/* ---------------------------------------------------------------- checking */

/* Where the value starts in "key=value", or NULL. */
static const char *
value_of (const char *pair, const char *key)
{
  gsize length = strlen (key);
  return strncmp (pair, key, length) == 0 && pair[length] == '=' ? pair + length + 1 : NULL;
}

const char *
lk_reader_map_value (const LkReaderBase *base, const char *key)
{
  const char *found = NULL;
  for (guint i = 0; base->options.map && base->options.map[i]; i++) {
    const char *value = value_of (base->options.map[i], key);
    found = value ? value : found;
  }
  return found;
}

static gboolean
value_fail (const LkReaderBase *base, const char *key, const char *expected, GError **error)
{
  g_set_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_SYNTAX,
               "trace '%s': mapping '%s=%s': expected %s", lk_input_name (base->input), key,
               lk_reader_map_value (base, key), expected);
  return FALSE;
}

gboolean
lk_reader_map_choice (const LkReaderBase *base, const char *key, const char *const *names,
                      guint *out_choice, GError **error)
{
  const char *value = lk_reader_map_value (base, key);
  *out_choice = 0;
  if (!value)
    return TRUE;
  for (guint i = 0; names[i]; i++)
    if (strcmp (value, names[i]) == 0) {
      *out_choice = i;
      return TRUE;
    }
  g_autofree char *list = g_strjoinv (", ", (char **)names);
  g_autofree char *expected = g_strdup_printf ("one of %s", list);
  return value_fail (base, key, expected, error);
}

static gboolean
keys_check (const LkReaderBase *base, const char *const *own_keys, GError **error)
{
  g_autoptr (GPtrArray) known = g_ptr_array_new ();
  for (guint i = 0; common_keys[i]; i++)
    g_ptr_array_add (known, (gpointer)common_keys[i]);
  for (guint i = 0; own_keys && own_keys[i]; i++)
    g_ptr_array_add (known, (gpointer)own_keys[i]);
  g_ptr_array_add (known, NULL);
  for (guint i = 0; base->options.map[i]; i++) {
    const char *pair = base->options.map[i];
    const char *equals = strchr (pair, '=');
    g_autofree char *key = g_strndup (pair, equals ? (gsize)(equals - pair) : strlen (pair));
    if (equals && g_strv_contains ((const char *const *)known->pdata, key))
      continue;
    g_autofree char *phrase = lk_suggest_phrase (key, (const char *const *)known->pdata);
    g_set_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_SYNTAX, "trace '%s': mapping '%s': %s%s",
                 lk_input_name (base->input), pair, equals ? "unknown key" : "expected key=value",
                 equals ? phrase : "");
    return FALSE;
  }
  return TRUE;
}

static gboolean
count_init (const LkReaderBase *base, const char *key, guint32 *out_count, GError **error)
{
  const char *value = lk_reader_map_value (base, key);
  if (!value
      || (lk_quantity_count_parse (value, /* may_be_unlimited= */ FALSE, out_count)
          && *out_count >= 1))
    return TRUE;
  return value_fail (base, key, "a number of at least 1", error);
}

static gboolean
size_init (const LkReaderBase *base, const char *key, gint64 *out_bytes, GError **error)
{
  const char *value = lk_reader_map_value (base, key);
  *out_bytes = -1;
  if (!value || lk_quantity_bytes_parse (value, out_bytes))
    return TRUE;
  return value_fail (base, key, LK_QUANTITY_BYTES_EXPECTED, error);
}

/* "log", "none" or anything else. */
static Mode
mode_of (const char *value)
{
  if (!value || strcmp (value, "log") == 0)
    return MODE_LOG;
  return strcmp (value, "none") == 0 ? MODE_NONE : MODE_SET;
}

static gboolean
nodes_init (LkReaderMap *self, GError **error)
{
  const char *value = lk_reader_map_value (self->base, "nodes");
  self->nodes_mode = mode_of (value);
  if (self->nodes_mode != MODE_SET
      || (lk_quantity_count_parse (value, FALSE, &self->nodes) && self->nodes >= 1))
    return TRUE;
  return value_fail (self->base, "nodes", "log, none or a number of at least 1", error);
}

static gboolean
limit_init (LkReaderMap *self, GError **error)
{
  const char *value = lk_reader_map_value (self->base, "limit");
  self->limit_mode = mode_of (value);
  if (self->limit_mode == MODE_SET && strcmp (value, "run") == 0)
    self->limit_mode = MODE_RUN;
  if (self->limit_mode != MODE_SET
      || (lk_quantity_time_parse (value, &self->limit_us) && self->limit_us > 0))
    return TRUE;
  return value_fail (self->base, "limit", "log, none, run or " LK_QUANTITY_TIME_EXPECTED, error);
}

static void
text_init (const LkReaderMap *self, const char *key, TextRule *rule)
{
  const char *value = lk_reader_map_value (self->base, key);
  rule->mode = mode_of (value);
  if (rule->mode == MODE_SET)
    rule->text = lk_text (lk_reader_string (self->base, value));
}

static gboolean
choices_init (LkReaderMap *self, GError **error)
{
  static const char *const procs[] = { "log", "cpus", "gpus", "nodes", NULL };
  static const char *const submit[] = { "eligible", "submit", NULL };
  static const char *const exclusive[] = { "log", "none", "all", NULL };
  static const char *const keep[] = { "log", "none", NULL };
  return lk_reader_map_choice (self->base, "procs", procs, &self->procs, error)
         && lk_reader_map_choice (self->base, "submit", submit, &self->submit, error)
         && lk_reader_map_choice (self->base, "exclusive", exclusive, &self->exclusive, error)
         && lk_reader_map_choice (self->base, "flags", keep, &self->flags, error)
         && lk_reader_map_choice (self->base, "memory", keep, &self->memory, error);
}

static gboolean
map_init (LkReaderMap *self, const char *const *own_keys, GError **error)
{
  if (!self->is_empty && !keys_check (self->base, own_keys, error))
    return FALSE;
  text_init (self, "gpus", &self->gpus);
  text_init (self, "gpu_type", &self->gpu_type);
  for (guint i = 0; i < TEXT_COUNT; i++)
    text_init (self, text_keys[i], &self->texts[i]);
  return choices_init (self, error) && nodes_init (self, error) && limit_init (self, error)
         && count_init (self->base, "cpus_per_gpu", &self->cpus_per_gpu, error)
         && size_init (self->base, "memory_per_node", &self->memory_per_node_bytes, error)
         && size_init (self->base, "memory_per_cpu", &self->memory_per_cpu_bytes, error)
         && size_init (self->base, "memory_per_gpu", &self->memory_per_gpu_bytes, error);
}

LkReaderMap *
lk_reader_map_new (LkReaderBase *base, const char *const *own_keys, GError **error)
{
  LkReaderMap *self = g_new0 (LkReaderMap, 1);
  self->base = base;
  self->is_empty = !base->options.map || !base->options.map[0];
  if (map_init (self, own_keys, error))
    return self;
  lk_reader_map_free (self);
  return NULL;
}

void
lk_reader_map_free (LkReaderMap *self)
{
  g_free (self);
}

gboolean
lk_reader_map_is_empty (const LkReaderMap *self)
{
  return self->is_empty;
}

/* ---------------------------------------------------------------- lists of GPUs */

/* Of LkJobGres, whose texts point into `*out_text`; an empty list for what is none. `name`: as for
 * lk_job_gres_parse. */
static GArray *
list_parse (LkText list, const char *name, char **out_text)
{
  GArray *items = g_array_new (FALSE, FALSE, sizeof (LkJobGres));
  *out_text = g_strndup (list.length_bytes > 0 ? list.bytes : "", list.length_bytes);
  if (list.length_bytes > 0)
    lk_job_gres_parse (*out_text, name, items);
  return items;
}

static LkText
list_text (const LkReaderMap *self, const GArray *items, gboolean with_names)
{
  g_autoptr (GString) text = g_string_new (NULL);
  lk_job_gres_format (items, with_names, text);
  return lk_text (lk_reader_text (self->base, text->str, text->len));
}

static gboolean
is_gpu (const LkJobGres *gres)
{
  return gres->name_bytes == 3 && memcmp (gres->name, "gpu", 3) == 0;
}

static gint64
list_gpus (LkText list, const char *name)
{
  g_autofree char *text = NULL;
  g_autoptr (GArray) items = list_parse (list, name, &text);
  return lk_job_gres_count (items, "gpu");
}

/* GPUs of the whole job. */
static gint64
gpus_of (const LkJobRequest *request)
{
  gint64 nodes = MAX (request->nodes_min, 1);
  gint64 tasks = MAX (request->tasks, 1);
  gint64 total = MIN (list_gpus (request->gres, NULL), G_MAXINT32) * MIN (nodes, G_MAXINT32);
  gint64 on_tasks =
      MIN (list_gpus (request->gpus_per_task, "gpu"), G_MAXINT32) * MIN (tasks, G_MAXINT32);
  total = MIN (total, LK_LIMIT_UNITS) + MIN (on_tasks, LK_LIMIT_UNITS);
  return MIN (total + list_gpus (request->gpus, "gpu"), LK_LIMIT_UNITS);
}

/* Gives every GPU of the list another type, or none. */
static void
retype (const LkReaderMap *self, const char *name, LkText *list)
{
  g_autofree char *text = NULL;
  g_autoptr (GArray) items = list_parse (*list, name, &text);
  if (items->len == 0)
    return;
  for (guint i = 0; i < items->len; i++) {
    LkJobGres *gres = &g_array_index (items, LkJobGres, i);
    if (!is_gpu (gres))
      continue;
    gres->type = self->gpu_type.mode == MODE_SET ? self->gpu_type.text.bytes : NULL;
    gres->type_bytes = self->gpu_type.text.length_bytes;
  }
  *list = list_text (self, items, /* with_names= */ name == NULL);
}

/* Takes GPUs out of the list of gres on each node; they become GPUs of the job, on `nodes` (0: they
 * go). */
static void
take_gpus (const LkReaderMap *self, guint32 nodes, LkJobRequest *request)
{
  g_autofree char *text = NULL;
  g_autofree char *total_text = NULL;
  g_autoptr (GArray) items = list_parse (request->gres, NULL, &text);
  g_autoptr (GArray) total = list_parse (request->gpus, "gpu", &total_text);
  if (items->len == 0)
    return;
  for (guint i = items->len; i > 0; i--) {
    LkJobGres gres = g_array_index (items, LkJobGres, i - 1);
    if (!is_gpu (&gres))
      continue;
    g_array_remove_index (items, i - 1);
    gres.count = (guint32)MIN ((guint64)gres.count * nodes, G_MAXINT32);
    g_array_append_val (total, gres);
  }
  request->gres = list_text (self, items, /* with_names= */ TRUE);
  request->gpus = list_text (self, total, /* with_names= */ FALSE);
}

/* ---------------------------------------------------------------- applying */

static void
apply_gpus (const LkReaderMap *self, LkJobRequest *request)
{
  static const LkText nothing = { NULL, 0 };
  if (self->gpus.mode != MODE_LOG) {
    take_gpus (self, 0, request);
    request->gpus = request->gpus_per_task = request->gpus_per_socket = nothing;
    request->tasks_per_gpu = request->cpus_per_gpu = 0;
  }
  if (self->gpus.mode == MODE_SET && request->gres.length_bytes == 0) {
    request->gres = self->gpus.text;
  } else if (self->gpus.mode == MODE_SET) {
    g_autofree char *list = g_strdup_printf ("%s,%s", self->gpus.text.bytes, request->gres.bytes);
    request->gres = lk_text (lk_reader_string (self->base, list));
  }
  if (self->gpu_type.mode != MODE_LOG) {
    retype (self, NULL, &request->gres);
    retype (self, "gpu", &request->gpus);
    retype (self, "gpu", &request->gpus_per_task);
    retype (self, "gpu", &request->gpus_per_socket);
  }
}

/* As many nodes as placement takes: what was meant for each node is asked for in total. */
static void
unpin (const LkReaderMap *self, gint64 cpus, LkJobRequest *request)
{
  gint64 nodes = MAX (request->nodes_min, 1);
  take_gpus (self, (guint32)nodes, request);
  gint64 memory_bytes = request->memory_per_node_bytes;
  gboolean has_memory = (request->present & LK_REQUEST_HAS_MEMORY_PER_NODE) && memory_bytes > 0
                        && cpus > 0 && memory_bytes <= (G_MAXINT64 - cpus) / nodes;
  if (has_memory) {
    request->present ^= LK_REQUEST_HAS_MEMORY_PER_NODE | LK_REQUEST_HAS_MEMORY_PER_CPU;
    request->memory_per_cpu_bytes = (memory_bytes * nodes + cpus - 1) / cpus;
    request->memory_per_node_bytes = 0;
  }
  request->nodes_min = request->nodes_max = 0;
}

static void
apply_nodes (const LkReaderMap *self, gint64 cpus, LkJobRequest *request)
{
  if (self->nodes_mode == MODE_NONE)
    unpin (self, cpus, request);
  else if (self->nodes_mode == MODE_SET)
    request->nodes_min = request->nodes_max = self->nodes;
}

static void
memory_clear (LkJobRequest *request)
{
  request->present &= ~(LK_REQUEST_HAS_MEMORY_PER_NODE | LK_REQUEST_HAS_MEMORY_PER_CPU
                        | LK_REQUEST_HAS_MEMORY_PER_GPU);
  request->memory_per_node_bytes = 0;
  request->memory_per_cpu_bytes = 0;
  request->memory_per_gpu_bytes = 0;
}

/* The three exclude each other; GPUs first, where there are some. */
static void
apply_memory (const LkReaderMap *self, gint64 gpus, LkJobRequest *request)
{
  if (self->memory == 1)
    memory_clear (request);
  if (self->memory_per_gpu_bytes >= 0 && gpus > 0) {
    memory_clear (request);
    request->present |= LK_REQUEST_HAS_MEMORY_PER_GPU;
    request->memory_per_gpu_bytes = self->memory_per_gpu_bytes;
  } else if (self->memory_per_cpu_bytes >= 0) {
    memory_clear (request);
    request->present |= LK_REQUEST_HAS_MEMORY_PER_CPU;
    request->memory_per_cpu_bytes = self->memory_per_cpu_bytes;
  } else if (self->memory_per_node_bytes >= 0) {
    memory_clear (request);
    request->present |= LK_REQUEST_HAS_MEMORY_PER_NODE;
    request->memory_per_node_bytes = self->memory_per_node_bytes;
  }
}

static void
apply_flags (const LkReaderMap *self, LkJobRequest *request)
{
  if (self->flags == 1)
    request->flags = 0;
  if (self->exclusive != EXCLUSIVE_LOG)
    request->flags &= ~(guint32)(LK_REQUEST_EXCLUSIVE | LK_REQUEST_EXCLUSIVE_USER);
  if (self->exclusive == EXCLUSIVE_ALL)
    request->flags |= LK_REQUEST_EXCLUSIVE;
}

static void
apply_texts (const LkReaderMap *self, LkJobRequest *request)
{
#define TEXT_PLACE(name) &request->name,
  LkText *const places[] = { TEXTS (TEXT_PLACE) };
  for (guint i = 0; i < TEXT_COUNT; i++)
    if (self->texts[i].mode != MODE_LOG)
      *places[i] = self->texts[i].text; /* empty for "none" */
}

static void
apply_times (const LkReaderMap *self, LkTraceRecord *record)
{
  if (self->submit == 1)
    record->eligible_us = -1;
  if (self->limit_mode == MODE_NONE)
    record->limit_us = -1;
  else if (self->limit_mode == MODE_RUN)
    record->limit_us = record->run_us > 0 ? record->run_us : -1;
  else if (self->limit_mode == MODE_SET)
    record->limit_us = self->limit_us;
}

static gint64
cpus_of (const LkTraceRecord *record)
{
  const LkJobRequest *request = &record->request;
  gint64 cpus = (gint64)request->tasks * MAX (request->cpus_per_task, 1);
  return cpus > 0 ? cpus : record->procs;
}

/* A number of processors is all there is; it becomes a request for what it counts. */
static void
apply_counted (const LkReaderMap *self, LkTraceRecord *record)
{
  LkJobRequest *request = &record->request;
  char count[32];
  if (record->procs <= 0 || record->procs > LK_LIMIT_UNITS)
    return;
  if (self->procs == PROCS_NODES) {
    request->nodes_min = request->nodes_max = request->tasks = (guint32)record->procs;
  } else if (self->procs == PROCS_GPUS) {
    g_snprintf (count, sizeof count, "%" G_GINT64_FORMAT, record->procs);
    request->gpus = lk_text (lk_reader_string (self->base, count));
  }
}

static void
apply_procs (const LkReaderMap *self, gint64 gpus, LkTraceRecord *record)
{
  gint64 nodes = record->request.nodes_min;
  if (self->procs == PROCS_CPUS)
    record->procs = cpus_of (record);
  else if (self->procs == PROCS_GPUS)
    record->procs = gpus > 0 ? gpus : -1;
  else if (self->procs == PROCS_NODES)
    record->procs = nodes > 0 ? nodes : -1;
}

static void
apply_cpus_per_gpu (const LkReaderMap *self, gint64 gpus, gboolean is_counted,
                    LkTraceRecord *record)
{
  LkJobRequest *request = &record->request;
  if (self->cpus_per_gpu == 0 || gpus <= 0)
    return;
  request->cpus_per_gpu = self->cpus_per_gpu;
  request->tasks = request->cpus_per_task = 0;
  if (!is_counted)
    record->procs = MIN (gpus * self->cpus_per_gpu, LK_LIMIT_UNITS);
}

void
lk_reader_map_apply (const LkReaderMap *self, gboolean is_counted, LkTraceRecord *record)
{
  LkJobRequest *request = &record->request;
  if (self->is_empty)
    return;
  if (is_counted)
    apply_counted (self, record);
  apply_gpus (self, request);
  apply_nodes (self, cpus_of (record), request);
  gint64 gpus = gpus_of (request);
  apply_cpus_per_gpu (self, gpus, is_counted, record);
  apply_memory (self, gpus, request);
  apply_flags (self, request);
  apply_texts (self, request);
  apply_times (self, record);
  if (!is_counted)
    apply_procs (self, gpus, record);
}
