/* sim/gate/starts.c — see starts.h. */
#include "sim/gate/starts.h"

#include <math.h>
#include <string.h>

#include "sim/error.h"

#define LINES_MAX 100000000u

struct _LkGateStarts {
  GArray *starts; /* of LkGateStart */
  GStringChunk *texts;
};

LkGateStarts *
lk_gate_starts_new (void)
{
  LkGateStarts *self = g_new0 (LkGateStarts, 1);
  self->starts = g_array_new (FALSE, FALSE, sizeof (LkGateStart));
  self->texts = g_string_chunk_new (4096);
  return self;
}

void
lk_gate_starts_free (LkGateStarts *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->starts);
  g_string_chunk_free (self->texts);
  g_free (self);
}

void
lk_gate_starts_take (gpointer user, const LkJobRecord *record, const LkSimResult *result)
{
  LkGateStarts *self = user;
  char number[32];
  const char *job = record->name;
  if (job == NULL) {
    g_snprintf (number, sizeof number, "%" G_GINT64_FORMAT, record->job_id);
    job = number;
  }
  LkGateStart start = {
    .job = g_string_chunk_insert (self->texts, job),
    .nodes = result->nodes != NULL && result->nodes[0] != '\0'
                 ? g_string_chunk_insert_const (self->texts, result->nodes)
                 : "-",
    .start_us = record->start_us,
    .submit_us = record->submit_us,
    .user = record->user,
    .procs = record->procs,
    .account =
        record->account != NULL ? g_string_chunk_insert_const (self->texts, record->account) : "",
  };
  g_array_append_val (self->starts, start);
}

static int
compare_jobs (const char *a, const char *b)
{
  guint64 x = g_ascii_strtoull (a, NULL, 10);
  guint64 y = g_ascii_strtoull (b, NULL, 10);
  return x != y ? (x > y) - (x < y) : strcmp (a, b);
}

static int
compare_starts (gconstpointer a, gconstpointer b)
{
  const LkGateStart *x = a;
  const LkGateStart *y = b;
  if (x->start_us != y->start_us)
    return x->start_us > y->start_us ? 1 : -1;
  int order = compare_jobs (x->job, y->job);
  return order != 0 ? order : strcmp (x->nodes, y->nodes);
}

/* ---------------------------------------------------------------- text */

void
lk_gate_starts_append (LkGateStarts *self, const char *run_name, GString *out)
{
  g_array_sort (self->starts, compare_starts);
  g_string_append_printf (out, "run %s\n", run_name);
  for (guint i = 0; i < self->starts->len; i++) {
    const LkGateStart *start = &g_array_index (self->starts, LkGateStart, i);
    gint64 rest_us = start->start_us % G_USEC_PER_SEC;
    g_string_append_printf (out, "%s %" G_GINT64_FORMAT, start->job,
                            start->start_us / G_USEC_PER_SEC);
    if (rest_us != 0)
      g_string_append_printf (out, ".%06" G_GINT64_FORMAT, rest_us);
    g_string_append_printf (out, " %s\n", start->nodes);
  }
}

/* Seconds with up to six decimals; FALSE for anything else. */
static gboolean
parse_time (const char *text, gint64 *out_time_us)
{
  guint64 whole_s;
  guint64 rest_us = 0;
  g_auto (GStrv) parts = g_strsplit (text, ".", 2);
  if (parts[0] == NULL
      || !g_ascii_string_to_unsigned (parts[0], 10, 0, G_MAXINT64 / G_USEC_PER_SEC - 1, &whole_s,
                                      NULL))
    return FALSE;
  if (parts[1] != NULL
      && (strlen (parts[1]) != 6
          || !g_ascii_string_to_unsigned (parts[1], 10, 0, 999999, &rest_us, NULL)))
    return FALSE;
  *out_time_us = (gint64)(whole_s * G_USEC_PER_SEC + rest_us);
  return TRUE;
}

/* FALSE when the line is no start. */
static gboolean
read_start (LkGateStarts *self, const char *line)
{
  LkGateStart start = { .account = "", .user = -1 };
  g_auto (GStrv) fields = g_strsplit (line, " ", 4);
  if (g_strv_length (fields) != 3 || fields[0][0] == '\0' || fields[2][0] == '\0'
      || !parse_time (fields[1], &start.start_us))
    return FALSE;
  start.job = g_string_chunk_insert (self->texts, fields[0]);
  start.nodes = g_string_chunk_insert_const (self->texts, fields[2]);
  g_array_append_val (self->starts, start);
  return TRUE;
}

GHashTable *
lk_gate_starts_read (const char *path, const char *text, gsize length_bytes, GError **error)
{
  g_autoptr (GHashTable) runs =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify)lk_gate_starts_free);
  LkGateStarts *run = NULL;
  const char *end = text + length_bytes;
  guint number = 0;
  for (const char *at = text; at < end;) {
    const char *newline = memchr (at, '\n', (gsize)(end - at));
    gsize line_bytes = (gsize)((newline != NULL ? newline : end) - at);
    g_autofree char *line = g_strndup (at, line_bytes);
    gboolean is_run = g_str_has_prefix (line, "run ") && line[4] != '\0';
    number++;
    if (is_run) {
      run = lk_gate_starts_new ();
      if (!g_hash_table_replace (runs, g_strdup (line + 4), run))
        is_run = FALSE;
    }
    if (number > LINES_MAX || newline == NULL || strlen (line) != line_bytes
        || (!is_run && (run == NULL || !read_start (run, line)))) {
      g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_FORMAT,
                   "%s:%u: expected 'run NAME', each name once, or 'JOB START NODES'", path,
                   number);
      return NULL;
    }
    at += line_bytes + 1;
  }
  return g_steal_pointer (&runs);
}

/* ---------------------------------------------------------------- differences */

static void
group_free (gpointer data)
{
  LkGateGroup *self = data;
  g_free (self->name);
  g_free (self);
}

void
lk_gate_difference_free (LkGateDifference *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->changes);
  g_ptr_array_unref (self->users);
  g_ptr_array_unref (self->accounts);
  g_ptr_array_unref (self->sizes);
  g_free (self);
}

/* Of each job the starts in order of time: job, or job and the number of the start. */
static GHashTable *
index_of (const LkGateStarts *self)
{
  GHashTable *index = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < self->starts->len; i++) {
    LkGateStart *start = &g_array_index (self->starts, LkGateStart, i);
    char *key = g_strdup (start->job);
    for (guint again = 2; g_hash_table_contains (index, key); again++) {
      g_free (key);
      key = g_strdup_printf ("%s#%u", start->job, again);
    }
    g_hash_table_insert (index, key, start);
  }
  return index;
}

static gint64
moment_of (const LkGateChange *change)
{
  if (change->before == NULL || change->after == NULL)
    return change->before != NULL ? change->before->start_us : change->after->start_us;
  return MIN (change->before->start_us, change->after->start_us);
}

static int
compare_changes (gconstpointer a, gconstpointer b)
{
  const LkGateChange *x = a;
  const LkGateChange *y = b;
  gint64 x_us = moment_of (x);
  gint64 y_us = moment_of (y);
  if (x_us != y_us)
    return x_us > y_us ? 1 : -1;
  return compare_jobs (x->after != NULL ? x->after->job : x->before->job,
                       y->after != NULL ? y->after->job : y->before->job);
}

static LkGateGroup *
group_of (GHashTable *groups, GPtrArray *list, const char *name)
{
  LkGateGroup *group = g_hash_table_lookup (groups, name);
  if (group != NULL)
    return group;
  group = g_new0 (LkGateGroup, 1);
  group->name = g_strdup (name);
  g_hash_table_insert (groups, group->name, group);
  g_ptr_array_add (list, group);
  return group;
}

/* Sums, until the means are made of them. */
static void
group_add (LkGateGroup *group, const LkGateChange *pair)
{
  group->job_count++;
  group->moved_count += pair->before->start_us != pair->after->start_us ? 1 : 0;
  group->before_mean_s += (double)(pair->before->start_us - pair->after->submit_us) / 1e6;
  group->after_mean_s += (double)(pair->after->start_us - pair->after->submit_us) / 1e6;
}

static const char *
size_name (guint32 procs)
{
  return procs <= 1    ? "1 processor"
         : procs <= 4  ? "2-4 processors"
         : procs <= 16 ? "5-16 processors"
         : procs <= 64 ? "17-64 processors"
                       : "65 processors or more";
}

typedef struct {
  LkGateDifference *difference;
  GHashTable *users;
  GHashTable *accounts;
  GHashTable *sizes;
} Groups;

static void
add_to_groups (Groups *self, const LkGateChange *pair)
{
  char user[32];
  const LkGateStart *after = pair->after;
  g_snprintf (user, sizeof user, "user %" G_GINT64_FORMAT, after->user);
  group_add (group_of (self->users, self->difference->users, user), pair);
  group_add (group_of (self->sizes, self->difference->sizes, size_name (after->procs)), pair);
  if (after->account[0] != '\0')
    group_add (group_of (self->accounts, self->difference->accounts, after->account), pair);
}

static int
compare_groups (gconstpointer a, gconstpointer b)
{
  const LkGateGroup *x = *(LkGateGroup *const *)a;
  const LkGateGroup *y = *(LkGateGroup *const *)b;
  double x_s = fabs (x->after_mean_s - x->before_mean_s) * (double)x->job_count;
  double y_s = fabs (y->after_mean_s - y->before_mean_s) * (double)y->job_count;
  if (x_s != y_s)
    return x_s > y_s ? -1 : 1;
  return strcmp (x->name, y->name);
}

/* Means of the sums; groups that did not change go away. */
static void
settle_groups (GPtrArray *groups)
{
  for (guint i = groups->len; i-- > 0;) {
    LkGateGroup *group = g_ptr_array_index (groups, i);
    group->before_mean_s /= (double)group->job_count;
    group->after_mean_s /= (double)group->job_count;
    if (group->moved_count == 0)
      g_ptr_array_remove_index (groups, i);
  }
  g_ptr_array_sort (groups, compare_groups);
}

static void
add_pair (Groups *self, const LkGateChange *pair)
{
  LkGateDifference *difference = self->difference;
  if (pair->before == NULL)
    difference->new_count++;
  else if (pair->after == NULL)
    difference->gone_count++;
  else {
    add_to_groups (self, pair);
    if (pair->before->start_us != pair->after->start_us)
      difference->moved_count++;
    else if (strcmp (pair->before->nodes, pair->after->nodes) != 0)
      difference->placed_count++;
    else
      return;
  }
  g_array_append_val (difference->changes, *pair);
}

static void
pair_all (Groups *self, const LkGateStarts *before, const LkGateStarts *after)
{
  GHashTable *index = index_of (before);
  GHashTable *after_index = index_of (after);
  GHashTableIter iter;
  gpointer key;
  gpointer value;
  /* Neither order is seen: the changes and groups are sorted by a total order. */
  g_hash_table_iter_init (&iter, after_index);
  while (g_hash_table_iter_next (&iter, &key, &value)) {
    LkGateChange pair = { .before = g_hash_table_lookup (index, key), .after = value };
    add_pair (self, &pair);
    g_hash_table_remove (index, key);
  }
  g_hash_table_iter_init (&iter, index);
  while (g_hash_table_iter_next (&iter, &key, &value)) {
    LkGateChange pair = { .before = value };
    add_pair (self, &pair);
  }
  g_hash_table_unref (index);
  g_hash_table_unref (after_index);
}

LkGateDifference *
lk_gate_difference_new (LkGateStarts *before, LkGateStarts *after)
{
  LkGateDifference *self = g_new0 (LkGateDifference, 1);
  self->changes = g_array_new (FALSE, FALSE, sizeof (LkGateChange));
  self->users = g_ptr_array_new_with_free_func (group_free);
  self->accounts = g_ptr_array_new_with_free_func (group_free);
  self->sizes = g_ptr_array_new_with_free_func (group_free);
  g_autoptr (GHashTable) users = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GHashTable) accounts = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GHashTable) sizes = g_hash_table_new (g_str_hash, g_str_equal);
  Groups groups = { .difference = self, .users = users, .accounts = accounts, .sizes = sizes };
  g_array_sort (before->starts, compare_starts);
  g_array_sort (after->starts, compare_starts);
  pair_all (&groups, before, after);
  g_array_sort (self->changes, compare_changes);
  settle_groups (self->users);
  settle_groups (self->accounts);
  settle_groups (self->sizes);
  return self;
}
