/* live/client/json/job_place.c — see the header. */
#include "live/client/json/job_place.h"

#include <string.h>

#include "engine/cluster.h"
#include "engine/hostlist.h"
#include "live/client/json/json.h"
#include "live/client/json/put.h"
#include "live/step/pattern.h"

#define CORES_MAX 65536u

/* ---------------------------------------------------------------- the machine */

typedef struct {
  guint32 index;
  guint32 sockets; /* sockets * cores_per_socket <= CORES_MAX */
  guint32 cores_per_socket;
  guint32 cpus_per_core;
} Node;

struct _LkJobPlaces {
  guint version;
  gint64 now_us;
  LkCluster *cluster; /* NULL: not known */
  GHashTable *nodes;  /* of Node* by name; NULL: not made yet */
};

LkJobPlaces *
lk_job_places_new (const LkClient *client, guint version)
{
  LkJobPlaces *self = g_new0 (LkJobPlaces, 1);
  self->version = version;
  self->now_us = client->now_us;
  self->cluster = lk_json_machine (client);
  return self;
}

void
lk_job_places_free (LkJobPlaces *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->cluster, lk_cluster_free);
  g_clear_pointer (&self->nodes, g_hash_table_unref);
  g_free (self);
}

gint64
lk_job_places_now_us (const LkJobPlaces *self)
{
  return self->now_us;
}

const char *
lk_job_places_cluster (const LkJobPlaces *self)
{
  return self->cluster != NULL ? self->cluster->name : "";
}

static void
nodes_make (LkJobPlaces *self)
{
  guint32 index = 0;
  self->nodes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  for (guint i = 0; self->cluster != NULL && i < self->cluster->nodes->len; i++) {
    const LkNodeSpec *spec = g_ptr_array_index (self->cluster->nodes, i);
    g_autoptr (GPtrArray) names = g_ptr_array_new ();
    guint32 sockets = CLAMP (spec->sockets, 1, CORES_MAX);
    guint32 per_socket = CLAMP (spec->cores_per_socket, 1, CORES_MAX / sockets);
    lk_hostlist_expand (spec->names, strlen (spec->names), names, NULL);
    for (guint j = 0; j < names->len; j++) {
      Node *node = g_new (Node, 1);
      *node = (Node){ index++, sockets, per_socket, MAX (1, spec->cpus / (sockets * per_socket)) };
      g_hash_table_insert (self->nodes, g_ptr_array_index (names, j), node);
    }
  }
}

/* ---------------------------------------------------------------- cores */

/* "0-3,6" as bits. Returns: how many. */
static guint32
cores_read (const char *list, guint8 *bits, guint32 bit_count)
{
  guint32 count = 0;
  for (char *at = (char *)(gpointer)list; *at != '\0'; at += *at == ',' ? 1 : 0) {
    guint64 low = g_ascii_strtoull (at, &at, 10);
    guint64 high = *at == '-' ? g_ascii_strtoull (at + 1, &at, 10) : low;
    if (*at != ',' && *at != '\0')
      break;
    for (guint64 core = low; core <= high && core < bit_count; core++) {
      bits[core] = 1;
      count++;
    }
  }
  return count;
}

/* All cores of the node by socket, whether the job holds them or not. */
static void
put_sockets (GString *out, const guint8 *bits, const Node *node)
{
  g_string_append_c (out, '[');
  for (guint32 socket = 0; socket < node->sockets; socket++) {
    g_string_append_printf (out, "%s{\"index\":%u,\"cores\":[", socket > 0 ? "," : "", socket);
    for (guint32 core = 0; core < node->cores_per_socket; core++)
      g_string_append_printf (
          out, "%s{\"index\":%u,\"status\":[\"%s\"]}", core > 0 ? "," : "", core,
          bits[socket * node->cores_per_socket + core] != 0 ? "ALLOCATED" : "UNALLOCATED");
    g_string_append (out, "]}");
  }
  g_string_append_c (out, ']');
}

static gint64
memory_of (const LkRecord_job *job, guint32 cpus)
{
  if (job->is_memory_per_cpu != 0)
    return job->held_memory_bytes / MAX (1, job->cpus) * cpus;
  return job->held_memory_bytes / MAX (1, job->nodes);
}

/* The nodes of "n[1-2]=0-3". */
static void
put_piece (LkJobPlaces *self, const LkRecord_job *job, char *piece, GString *out)
{
  char *ids = strchr (piece, '=');
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  if (ids == NULL)
    return;
  *ids++ = '\0';
  g_autofree guint8 *bits = g_new0 (guint8, CORES_MAX);
  guint32 cores = cores_read (ids, bits, CORES_MAX);
  lk_hostlist_expand (piece, strlen (piece), names, NULL);
  for (guint i = 0; i < names->len; i++) {
    static const Node unknown = { 0, 0, CORES_MAX, 1 };
    const char *name = g_ptr_array_index (names, i);
    const Node *found = g_hash_table_lookup (self->nodes, name);
    const Node *node = found != NULL ? found : &unknown;
    guint32 cpus = cores * node->cpus_per_core;
    g_string_append_printf (
        out, "%s{\"index\":%u,\"name\":", out->str[out->len - 1] != '[' ? "," : "", node->index);
    lk_put_string (out, name);
    g_string_append_printf (out,
                            ",\"cpus\":{\"count\":%u,\"used\":0},\"memory\":{\"used\":0,"
                            "\"allocated\":%" G_GINT64_FORMAT "},\"sockets\":",
                            cpus, memory_of (job, cpus) >> 20);
    put_sockets (out, bits, node);
    g_string_append_c (out, '}');
  }
}

/* What is handed out: words of their own until version 44. */
static void
put_select (const LkJobPlaces *self, GString *out)
{
  static const char *const words[][2] = { { "CR_CPU", "CR_CPU_MEMORY" },
                                          { "CR_CORE", "CR_CORE_MEMORY" },
                                          { "CR_SOCKET", "CR_SOCKET_MEMORY" },
                                          { "NONE", "CR_MEMORY" } };
  static const char *const words_old[] = { "CPU", "CORE", "SOCKET", "LINEAR" };
  guint i = self->cluster != NULL ? (guint)self->cluster->consume : LK_CONSUME_CORE;
  guint has_memory = self->cluster != NULL && self->cluster->memory ? 1 : 0;
  lk_put_literal (out, "[");
  lk_put_string (out, self->version < 45 ? words_old[i] : words[i][has_memory]);
  if (self->version < 45 && has_memory != 0)
    lk_put_literal (out, ",\"MEMORY\"");
  lk_put_literal (out, "]");
}

static void
put_nodes (LkJobPlaces *self, const LkRecord_job *job, GString *out)
{
  g_autofree char *cores = g_strndup (job->cores.bytes, job->cores.length_bytes);
  g_auto (GStrv) pieces = g_strsplit (cores, ";", -1);
  if (self->nodes == NULL)
    nodes_make (self);
  g_string_append_printf (out, "\"count\":%u,\"select_type\":[\"ONE_ROW\"],\"list\":", job->nodes);
  lk_put_bytes (out, job->node_names.bytes, job->node_names.length_bytes);
  g_string_append (out, ",\"whole\":");
  lk_put_flag (out, job->is_whole_nodes != 0);
  g_string_append (out, ",\"allocation\":[");
  for (guint i = 0; pieces[i] != NULL; i++)
    put_piece (self, job, pieces[i], out);
}

void
lk_job_places_put (LkJobPlaces *self, const LkJobRow *row, GString *out)
{
  const LkRecord_job *job = &row->job;
  gboolean has_nodes = job->cores.length_bytes > 0 && !lk_job_state_is_end (job->state);
  if (job->state == LK_JOB_PENDING || job->run_id == 0) {
    lk_put_literal (out, "null");
    return;
  }
  lk_put_literal (out, "{\"select_type\":");
  put_select (self, out);
  lk_put_literal (out, ",\"nodes\":{");
  if (has_nodes)
    put_nodes (self, job, out);
  else
    lk_put_literal (out, "\"count\":0,\"select_type\":[],\"list\":\"\",\"whole\":false,"
                         "\"allocation\":[");
  lk_put_literal (out, "]},\"cpus\":");
  lk_put_count (out, has_nodes ? job->cpus : 0);
  lk_put_literal (out, ",\"threads_per_core\":");
  lk_put_number (out, job->threads_per_core != 0, job->threads_per_core);
  lk_put_literal (out, "}");
}

/* ---------------------------------------------------------------- files */

/* As the node will do it. Returns: (transfer full). */
static char *
expand (const LkJobRow *row, const char *pattern)
{
  const LkRecord_job *job = &row->job;
  g_autofree char *name = g_strndup (job->name.bytes, job->name.length_bytes);
  g_autoptr (GString) node = g_string_new (NULL);
  if (job->node_names.length_bytes > 0)
    lk_job_row_batch_host (row, node);
  const LkPatternValues values = { .job_id = job->job_id,
                                   .array_job_id = job->array_job_id,
                                   .array_task = job->array_task,
                                   .job_name = name,
                                   .user = row->user,
                                   .node = node->str };
  return lk_pattern_expand (pattern, &values);
}

/* The pattern as it was given, or is by default. FALSE: there is none. */
static gboolean
pattern_of (const LkJobRow *row, LkJobFile file, GString *out)
{
  const LkBatch *batch = row->batch;
  const LkPath given = file == LK_JOB_STDIN    ? batch->std_in
                       : file == LK_JOB_STDOUT ? batch->std_out
                                               : batch->std_err;
  const LkPatternValues values = { .array_job_id = row->job.array_job_id };
  gsize before = out->len;
  if (given.length_bytes == 0 && (file == LK_JOB_STDERR || batch->work_dir.length_bytes == 0))
    return FALSE;
  if (given.length_bytes > 0)
    lk_word_raw (out, given.bytes, given.length_bytes);
  else
    g_string_append (out, file == LK_JOB_STDIN ? "/dev/null" : lk_pattern_default (&values));
  if (out->str[before] != '/') {
    g_string_insert_c (out, (gssize)before, '/');
    g_string_insert_len (out, (gssize)before, (const char *)batch->work_dir.bytes,
                         (gssize)batch->work_dir.length_bytes);
  }
  return TRUE;
}

void
lk_job_file_put (GString *out, const LkJobRow *row, LkJobFile file, gboolean is_expanded)
{
  gsize before = out->len;
  if (!pattern_of (row, file, out)) {
    lk_put_literal (out, "\"\"");
    return;
  }
  g_autofree char *pattern = g_strdup (out->str + before);
  g_string_truncate (out, before);
  g_autofree char *name =
      is_expanded && strpbrk (pattern, "%\\") != NULL ? expand (row, pattern) : NULL;
  lk_put_string (out, name != NULL ? name : pattern);
}
