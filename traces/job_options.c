/* traces/job_options.c — see job_options.h.
 *
 * One table names every option, its letter, whether it has a value, and the function that takes it.
 * The functions write into a Parse, which holds what is settled only when all options are known:
 *
 * - memory is given per node, per CPU or per GPU, not two of them; memory per GPU needs GPUs;
 * - with -N and -n, there are no more nodes than tasks;
 * - --ntasks-per-node and -B give the number of tasks where -n does not; --gpus with
 * --gpus-per-task
 *   does, and must agree with -n; with --ntasks-per-gpu the GPUs give it even where -n does;
 * - --gpus with --gpus-per-node gives the number of nodes; there are no more nodes than --gpus;
 * - a resource named twice counts as named last, --gres after --gpus-per-node, and is either named
 *   with types or without. */
#include "traces/job_options.h"

#include <stddef.h>
#include <string.h>

#include "traces/job_options_private.h"
#include "traces/job_values.h"

#define TEXT_EXPECTED "a text of at most 65535 bytes"

/* ---------------------------------------------------------------- taking options */

/* The text as part of a request: valid UTF-8. NULL: it is too long. */
static const char *
text_keep (LkJobParse *self, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  return strlen (valid) > G_MAXUINT16 ? NULL : g_string_chunk_insert_const (self->texts, valid);
}

static gboolean
take_nothing (LkJobParse *self G_GNUC_UNUSED, const LkJobOption *option G_GNUC_UNUSED,
              const char *value G_GNUC_UNUSED, GError **error G_GNUC_UNUSED)
{
  return TRUE;
}

static void
names_add (GString *names, const char *what)
{
  g_auto (GStrv) known = g_strsplit (names->str, ",", -1);
  if (!g_strv_contains ((const char *const *)known, what))
    g_string_append_printf (names, "%s%s", names->len > 0 ? "," : "", what);
}

static void
unsupported_add (LkJobParse *self, const char *what)
{
  names_add (self->unsupported, what);
  names_add (self->unsupported_beside_terms, what);
}

static gboolean
take_unsupported (LkJobParse *self, const LkJobOption *option, const char *value G_GNUC_UNUSED,
                  GError **error G_GNUC_UNUSED)
{
  unsupported_add (self, option->name);
  return TRUE;
}

static gboolean
take_overcommit (LkJobParse *self, const LkJobOption *option G_GNUC_UNUSED,
                 const char *value G_GNUC_UNUSED, GError **error G_GNUC_UNUSED)
{
  self->options.is_overcommitted = TRUE;
  return TRUE;
}

/* ---------------------------------------------------------------- terms */

static gboolean
take_term (LkJobParse *self, const LkJobOption *option, const char *value, GError **error)
{
  LkText *text = (LkText *)(void *)((char *)&self->options.terms + option->offset);
  const char *kept = text_keep (self, value);
  if (kept == NULL)
    return lk_job_option_fail (option, value, TEXT_EXPECTED, error);
  *text = lk_text (kept);
  names_add (self->unsupported, option->name);
  return TRUE;
}

static gboolean
take_array (LkJobParse *self, const LkJobOption *option, const char *value, GError **error)
{
  if (*value == '\0')
    return lk_job_option_fail (option, value, "indices of tasks such as 0-15 or 0-99%10", error);
  return take_term (self, option, value, error);
}

static gboolean
take_string (LkJobParse *self, const LkJobOption *option, const char *value, GError **error)
{
  const char **string = (const char **)(void *)((char *)&self->options + option->offset);
  const char *kept = text_keep (self, value);
  if (kept == NULL)
    return lk_job_option_fail (option, value, TEXT_EXPECTED, error);
  *string = *kept != '\0' ? kept : NULL;
  return TRUE;
}

static gboolean
take_name (LkJobParse *self, const LkJobOption *option, const char *value, GError **error)
{
  if (!take_string (self, option, value, error))
    return FALSE;
  self->options.terms.name = lk_text (self->options.job_name);
  return TRUE;
}

static gboolean
take_comment (LkJobParse *self, const LkJobOption *option, const char *value, GError **error)
{
  const char *kept = text_keep (self, value);
  if (kept == NULL)
    return lk_job_option_fail (option, value, TEXT_EXPECTED, error);
  self->options.terms.comment = lk_text (kept);
  return TRUE;
}

/* Which moment it is depends on when the job is submitted; who acts on it reads it. */
static gboolean
take_moment (LkJobParse *self, const LkJobOption *option, const char *value, GError **error)
{
  names_add (self->unsupported, option->name);
  return take_string (self, option, value, error);
}

static gboolean
take_time_min (LkJobParse *self, const LkJobOption *option, const char *value, GError **error)
{
  names_add (self->unsupported, option->name);
  return lk_job_time_limit_parse (value, &self->options.terms.time_min_us)
         || lk_job_option_fail (option, value, LK_JOB_TIME_EXPECTED, error);
}

static gboolean
take_kill_on_invalid (LkJobParse *self, const LkJobOption *option, const char *value,
                      GError **error)
{
  gboolean is_yes = g_ascii_strcasecmp (value, "yes") == 0;
  if (!is_yes && g_ascii_strcasecmp (value, "no") != 0)
    return lk_job_option_fail (option, value, "yes or no", error);
  self->options.terms.term_flags &= ~(guint32)(LK_TERM_KILL_INVALID_DEP | LK_TERM_KEEP_INVALID_DEP);
  self->options.terms.term_flags |= is_yes ? LK_TERM_KILL_INVALID_DEP : LK_TERM_KEEP_INVALID_DEP;
  return TRUE;
}

/* [{B|R}:]SIGNAL[@SECONDS] */
static gboolean
take_signal (LkJobParse *self, const LkJobOption *option, const char *value, GError **error)
{
  static const char expected[] = "[B:]SIGNAL[@SECONDS] such as USR1@300";
  LkJobTerms *terms = &self->options.terms;
  const char *at = value;
  guint64 before_s = 60; /* Slurm's */
  guint32 flags = 0;
  for (; (*at == 'B' || *at == 'R') && (at[1] == ':' || at[1] == 'B' || at[1] == 'R'); at++)
    flags |= *at == 'B' ? LK_TERM_WARN_BATCH : LK_TERM_WARN_RESERVATION;
  at += flags != 0 && *at != ':' ? 1 : 0;
  at += flags != 0 ? 1 : 0;
  const char *behind = strchr (at, '@');
  g_autofree char *name = g_strndup (at, behind != NULL ? (gsize)(behind - at) : strlen (at));
  guint8 number;
  if (!lk_job_signal_parse (name, &number)
      || (behind != NULL
          && !g_ascii_string_to_unsigned (behind + 1, 10, 0, 65535, &before_s, NULL)))
    return lk_job_option_fail (option, value, expected, error);
  terms->term_flags &= ~(guint32)(LK_TERM_WARN_BATCH | LK_TERM_WARN_RESERVATION);
  terms->term_flags |= flags;
  terms->warn_signal = number;
  terms->warn_before_us = (gint64)before_s * G_USEC_PER_SEC;
  return TRUE;
}

/* ---------------------------------------------------------------- what is asked for */

static gpointer
request_member (LkJobParse *self, const LkJobOption *option)
{
  return (char *)&self->options.request + option->offset;
}

static gboolean
take_flags (LkJobParse *self, const LkJobOption *option, const char *value G_GNUC_UNUSED,
            GError **error G_GNUC_UNUSED)
{
  self->options.request.flags &= ~option->flags_cleared;
  self->options.request.flags |= option->flags_set;
  return TRUE;
}

static gboolean
take_count (LkJobParse *self, const LkJobOption *option, const char *value, GError **error)
{
  guint32 *count = request_member (self, option);
  return lk_job_count_parse (value, count)
         || lk_job_option_fail (option, value, LK_JOB_COUNT_EXPECTED, error);
}

static gboolean
take_text (LkJobParse *self, const LkJobOption *option, const char *value, GError **error)
{
  LkText *text = request_member (self, option);
  const char *kept = text_keep (self, value);
  if (kept == NULL)
    return lk_job_option_fail (option, value, TEXT_EXPECTED, error);
  *text = lk_text (kept);
  return TRUE;
}

/* sbatch would read the names from the file. */
static gboolean
take_hosts (LkJobParse *self, const LkJobOption *option, const char *value, GError **error)
{
  if (strchr (value, '/') != NULL)
    return lk_job_option_fail (option, value, "names of nodes; a file of them is not read", error);
  return take_text (self, option, value, error);
}

static gboolean
take_size (LkJobParse *self, const LkJobOption *option, const char *value, GError **error)
{
  gint64 *bytes = request_member (self, option);
  if (!lk_job_size_parse (value, bytes))
    return lk_job_option_fail (option, value, LK_JOB_SIZE_EXPECTED, error);
  self->options.request.present |= option->flags_set;
  return TRUE;
}

static gboolean
take_time (LkJobParse *self, const LkJobOption *option, const char *value, GError **error)
{
  return lk_job_time_limit_parse (value, &self->options.limit_us)
         || lk_job_option_fail (option, value, LK_JOB_TIME_EXPECTED, error);
}

static gboolean
take_nodes (LkJobParse *self, const LkJobOption *option, const char *value, GError **error)
{
  LkJobRequest *request = &self->options.request;
  return lk_job_nodes_parse (value, &request->nodes_min, &request->nodes_max)
         || lk_job_option_fail (option, value, LK_JOB_NODES_EXPECTED, error);
}

static gboolean
take_gres (LkJobParse *self, const LkJobOption *option, const char *value, GError **error)
{
  GArray *list = *(GArray **)(void *)((char *)self + option->offset);
  gboolean is_gres = list == self->gres;
  g_array_set_size (list, 0);
  /* What is kept points into the argument. */
  return lk_job_gres_parse (value, is_gres ? NULL : "gpu", list)
         || lk_job_option_fail (option, value,
                                is_gres
                                    ? "a list such as gpu:2 or gpu:a100:2,shard:4"
                                    : "a number of GPUs such as 2, or a type and a number, a100:2",
                                error);
}

static gboolean
take_oversubscribe (LkJobParse *self, const LkJobOption *option, const char *value, GError **error)
{
  self->is_oversubscribe = TRUE;
  return take_flags (self, option, value, error);
}

static gboolean
take_exclusive (LkJobParse *self, const LkJobOption *option, const char *value, GError **error)
{
  static const char *const kinds[] = { "exclusive", "user", "mcs", "topo", "oversubscribe", NULL };
  static const guint32 flags[] = { LK_REQUEST_EXCLUSIVE, LK_REQUEST_EXCLUSIVE_USER, 0, 0,
                                   LK_REQUEST_OVERSUBSCRIBE };
  guint kind = 0;
  while (value != NULL && kinds[kind] != NULL && g_ascii_strcasecmp (value, kinds[kind]) != 0)
    kind++;
  if (kinds[kind] == NULL)
    return lk_job_option_fail (option, value, "no value, user, mcs or topo", error);
  self->is_exclusive = TRUE;
  self->options.request.flags &= ~option->flags_cleared;
  self->options.request.flags |= flags[kind];
  if (flags[kind] == 0)
    unsupported_add (self, kind == 2 ? "exclusive=mcs" : "exclusive=topo");
  return TRUE;
}

/* Slurm's bounds; a bare --nice is 100. */
#define NICE_MAX G_GINT64_CONSTANT (2147483645)

static gboolean
take_nice (LkJobParse *self, const LkJobOption *option, const char *value, GError **error)
{
  gint64 nice;
  if (value == NULL)
    nice = 100;
  else if (!g_ascii_string_to_signed (value, 10, -NICE_MAX, NICE_MAX, &nice, NULL))
    return lk_job_option_fail (option, value, "a number from -2147483645 to 2147483645", error);
  self->options.request.nice = nice;
  return TRUE;
}

/* sbatch does not pass 0 on: that holds nobody, as scontrol update would. */
static gboolean
take_priority (LkJobParse *self, const LkJobOption *option, const char *value, GError **error)
{
  guint64 priority;
  if (g_ascii_strcasecmp (value, "TOP") == 0)
    priority = G_MAXUINT32 - 1;
  else if (!g_ascii_string_to_unsigned (value, 10, 0, G_MAXUINT32 - 1, &priority, NULL))
    return lk_job_option_fail (option, value, "a number from 0 to 4294967294, or TOP", error);
  self->options.request.priority = (guint32)priority;
  return TRUE;
}

static gboolean
take_no_kill (LkJobParse *self, const LkJobOption *option, const char *value, GError **error)
{
  if (value != NULL && g_ascii_strcasecmp (value, "off") != 0
      && g_ascii_strcasecmp (value, "no") != 0)
    return lk_job_option_fail (option, value, "no value, or off", error);
  self->options.request.flags &= ~(guint32)LK_REQUEST_NO_KILL;
  self->options.request.flags |= value == NULL ? LK_REQUEST_NO_KILL : 0;
  return TRUE;
}

static gboolean
take_switches (LkJobParse *self, const LkJobOption *option, const char *value, GError **error)
{
  LkJobRequest *request = &self->options.request;
  const char *at_sign = strchr (value, '@');
  g_autofree char *count = g_strndup (value, at_sign ? (gsize)(at_sign - value) : strlen (value));
  gint64 wait_us = 0;
  if (!lk_job_count_parse (count, &request->switches)
      || (at_sign != NULL && !lk_job_time_parse (at_sign + 1, &wait_us)))
    return lk_job_option_fail (option, value,
                               "a number of switches such as 1, or with a time, 1@30:00", error);
  /* The cluster has a longest wait of its own. */
  request->switches_wait_us = wait_us == LK_TIME_NEVER ? 0 : wait_us;
  return TRUE;
}

static gboolean
take_gres_flags (LkJobParse *self, const LkJobOption *option, const char *value, GError **error)
{
  guint32 flag = 0;
  if (g_ascii_strcasecmp (value, "enforce-binding") == 0)
    flag = LK_REQUEST_ENFORCE_BINDING;
  else if (g_ascii_strcasecmp (value, "disable-binding") == 0)
    flag = LK_REQUEST_DISABLE_BINDING;
  else if (g_ascii_strcasecmp (value, "allow-task-sharing") != 0
           && g_ascii_strcasecmp (value, "one-task-per-sharing") != 0
           && g_ascii_strcasecmp (value, "multiple-tasks-per-sharing") != 0)
    return lk_job_option_fail (option, value, "enforce-binding or disable-binding", error);
  self->options.request.flags &=
      ~(guint32)(LK_REQUEST_ENFORCE_BINDING | LK_REQUEST_DISABLE_BINDING);
  self->options.request.flags |= flag;
  return TRUE;
}

/* tasks[:sockets[:cores]], each "*" or a method. FALSE: it is none. */
static gboolean
distribution_take (LkJobParse *self, char **methods, guint count)
{
  static const char *const known[] = { "*", "block", "cyclic", "fcyclic", NULL };
  guint32 *flags = &self->options.request.flags;
  gboolean is_plane = g_str_has_prefix (methods[0], "plane=");
  guint32 plane = 0;
  if (count > 3 || (is_plane && (count > 1 || !lk_job_count_parse (methods[0] + 6, &plane))))
    return FALSE;
  if (strcmp (methods[0], "arbitrary") == 0)
    unsupported_add (self, "distribution=arbitrary");
  else if (!is_plane
           && (!g_strv_contains (known, methods[0]) || strcmp (methods[0], "fcyclic") == 0))
    return FALSE;
  for (guint i = 1; i < count; i++)
    if (!g_strv_contains (known, methods[i]))
      return FALSE;
  self->plane = plane;
  if (is_plane)
    *flags |= LK_REQUEST_CORES_BLOCK;
  if (count > 1 && strcmp (methods[1], "*") != 0)
    *flags |= strcmp (methods[1], "block") == 0 ? LK_REQUEST_CORES_BLOCK : LK_REQUEST_CORES_CYCLIC;
  return TRUE;
}

static gboolean
take_distribution (LkJobParse *self, const LkJobOption *option, const char *value, GError **error)
{
  static const char expected[] =
      "block, cyclic, plane=SIZE or arbitrary, then :block, :cyclic or :fcyclic, then ,pack or "
      ",nopack";
  g_autofree char *lower = g_ascii_strdown (value, -1);
  g_auto (GStrv) words = g_strsplit (lower, ",", -1);
  self->options.request.flags &= ~option->flags_cleared;
  for (guint i = 0; words[i] != NULL; i++) {
    if (strcmp (words[i], "pack") == 0) {
      self->options.request.flags |= LK_REQUEST_PACK;
      continue;
    }
    if (strcmp (words[i], "nopack") == 0)
      continue;
    g_auto (GStrv) methods = g_strsplit (words[i], ":", -1);
    if (i > 0 || methods[0] == NULL || !distribution_take (self, methods, g_strv_length (methods)))
      return lk_job_option_fail (option, value, expected, error);
  }
  return words[0] != NULL || lk_job_option_fail (option, value, expected, error);
}

static gboolean
take_hint (LkJobParse *self, const LkJobOption *option, const char *value, GError **error)
{
  LkJobRequest *request = &self->options.request;
  gboolean is_memory_bound = g_ascii_strcasecmp (value, "memory_bound") == 0;
  if (g_ascii_strcasecmp (value, "multithread") == 0)
    return TRUE;
  if (!is_memory_bound && g_ascii_strcasecmp (value, "nomultithread") != 0
      && g_ascii_strcasecmp (value, "compute_bound") != 0)
    return lk_job_option_fail (option, value,
                               "compute_bound, memory_bound, multithread or nomultithread", error);
  /* What is said in numbers is stronger. */
  if (request->threads_per_core == 0)
    request->threads_per_core = 1;
  if (is_memory_bound && request->cores_per_socket_min == 0)
    request->cores_per_socket_min = 1;
  return TRUE;
}

/* One of -B: "*" or empty leaves it open, of a range the low end counts. */
static gboolean
extra_node_info_part (const char *text, guint32 *out_count)
{
  const char *dash = strchr (text, '-');
  guint32 most;
  if (*text == '\0' || strcmp (text, "*") == 0)
    return TRUE;
  g_autofree char *low = g_strndup (text, dash ? (gsize)(dash - text) : strlen (text));
  return lk_job_count_parse (low, out_count)
         && (dash == NULL || lk_job_count_parse (dash + 1, &most));
}

static gboolean
take_extra_node_info (LkJobParse *self, const LkJobOption *option, const char *value,
                      GError **error)
{
  LkJobRequest *request = &self->options.request;
  guint32 counts[3] = { 0, 0, 0 };
  g_auto (GStrv) parts = g_strsplit (value, ":", -1);
  guint part_count = g_strv_length (parts);
  gboolean is_good = part_count >= 1 && part_count <= 3;
  for (guint i = 0; is_good && i < part_count; i++)
    is_good = extra_node_info_part (parts[i], &counts[i]);
  guint64 tasks = (guint64)MAX (counts[0], 1) * MAX (counts[1], 1);
  if (!is_good || tasks > G_MAXINT32 || tasks * MAX (counts[2], 1) > G_MAXINT32)
    return lk_job_option_fail (option, value, "sockets[:cores[:threads]], each a number or *",
                               error);
  request->sockets_per_node_min = counts[0];
  request->cores_per_socket_min = counts[1];
  request->threads_per_core = counts[2];
  self->tasks_per_b = (guint32)tasks * MAX (counts[2], 1);
  return TRUE;
}

/* ---------------------------------------------------------------- the table */

#define SHARING_FLAGS (LK_REQUEST_EXCLUSIVE | LK_REQUEST_EXCLUSIVE_USER | LK_REQUEST_OVERSUBSCRIBE)
#define DISTRIBUTION_FLAGS (LK_REQUEST_PACK | LK_REQUEST_CORES_BLOCK | LK_REQUEST_CORES_CYCLIC)

/* Rows of the table: an option that has nothing to do with a request, one that nothing acts on, and
 * the common ways to take one that is part of a request. */
#define PASSED(name, letter, value)                                                                \
  {                                                                                                \
    name, letter, value, take_nothing, 0, 0, 0                                                     \
  }
#define NOT_ACTED_ON(name, letter, value)                                                          \
  {                                                                                                \
    name, letter, value, take_unsupported, 0, 0, 0                                                 \
  }
#define FLAG(name, letter, set, cleared)                                                           \
  {                                                                                                \
    name, letter, LK_JOB_VALUE_NONE, take_flags, 0, set, cleared                                   \
  }
#define MEMBER(name, letter, take, member)                                                         \
  {                                                                                                \
    name, letter, LK_JOB_VALUE_NEEDED, take, offsetof (LkJobRequest, member), 0, 0                 \
  }
#define MEMORY(name, member, bit)                                                                  \
  {                                                                                                \
    name, 0, LK_JOB_VALUE_NEEDED, take_size, offsetof (LkJobRequest, member), bit, 0               \
  }
#define STRING(name, letter, member)                                                               \
  {                                                                                                \
    name, letter, LK_JOB_VALUE_NEEDED, take_string, offsetof (LkJobOptions, member), 0, 0          \
  }
/* Not everybody acts on terms. */
#define TERM(name, letter, member)                                                                 \
  {                                                                                                \
    name, letter, LK_JOB_VALUE_NEEDED, take_term, offsetof (LkJobTerms, member), 0, 0              \
  }
#define MOMENT(name, letter, member)                                                               \
  {                                                                                                \
    name, letter, LK_JOB_VALUE_NEEDED, take_moment, offsetof (LkJobOptions, member), 0, 0          \
  }
#define GRES(name, letter, list)                                                                   \
  {                                                                                                \
    name, letter, LK_JOB_VALUE_NEEDED, take_gres, offsetof (LkJobParse, list), 0, 0                \
  }
#define OTHER(name, letter, value, take, cleared)                                                  \
  {                                                                                                \
    name, letter, value, take, 0, 0, cleared                                                       \
  }

/* By name. */
const LkJobOption lk_job_options[] = {
  MEMBER ("account", 'A', take_text, account),
  PASSED ("acctg-freq", 0, LK_JOB_VALUE_NEEDED),
  { "array", 'a', LK_JOB_VALUE_NEEDED, take_array, offsetof (LkJobTerms, array), 0, 0 },
  PASSED ("batch", 0, LK_JOB_VALUE_NEEDED),
  NOT_ACTED_ON ("bb", 0, LK_JOB_VALUE_NEEDED),
  NOT_ACTED_ON ("bbf", 0, LK_JOB_VALUE_NEEDED),
  MOMENT ("begin", 'b', begin),
  PASSED ("chdir", 'D', LK_JOB_VALUE_NEEDED),
  NOT_ACTED_ON ("cluster-constraint", 0, LK_JOB_VALUE_NEEDED),
  PASSED ("clusters", 'M', LK_JOB_VALUE_NEEDED),
  OTHER ("comment", 0, LK_JOB_VALUE_NEEDED, take_comment, 0),
  NOT_ACTED_ON ("consolidate-segments", 0, LK_JOB_VALUE_NONE),
  MEMBER ("constraint", 'C', take_text, constraint),
  PASSED ("container", 0, LK_JOB_VALUE_NEEDED),
  PASSED ("container-id", 0, LK_JOB_VALUE_NEEDED),
  FLAG ("contiguous", 0, LK_REQUEST_CONTIGUOUS, 0),
  NOT_ACTED_ON ("core-spec", 'S', LK_JOB_VALUE_NEEDED),
  MEMBER ("cores-per-socket", 0, take_count, cores_per_socket_min),
  PASSED ("cpu-freq", 0, LK_JOB_VALUE_NEEDED),
  MEMBER ("cpus-per-gpu", 0, take_count, cpus_per_gpu),
  MEMBER ("cpus-per-task", 'c', take_count, cpus_per_task),
  MOMENT ("deadline", 0, deadline),
  PASSED ("delay-boot", 0, LK_JOB_VALUE_NEEDED),
  TERM ("dependency", 'd', dependency),
  OTHER ("distribution", 'm', LK_JOB_VALUE_NEEDED, take_distribution, DISTRIBUTION_FLAGS),
  PASSED ("error", 'e', LK_JOB_VALUE_NEEDED),
  MEMBER ("exclude", 'x', take_hosts, exclude),
  OTHER ("exclusive", 0, LK_JOB_VALUE_OPTIONAL, take_exclusive, SHARING_FLAGS),
  PASSED ("export", 0, LK_JOB_VALUE_NEEDED),
  PASSED ("export-file", 0, LK_JOB_VALUE_NEEDED),
  PASSED ("extra", 0, LK_JOB_VALUE_NEEDED),
  OTHER ("extra-node-info", 'B', LK_JOB_VALUE_NEEDED, take_extra_node_info, 0),
  PASSED ("get-user-env", 0, LK_JOB_VALUE_OPTIONAL),
  MEMBER ("gid", 0, take_text, group),
  PASSED ("gpu-bind", 0, LK_JOB_VALUE_NEEDED),
  PASSED ("gpu-freq", 0, LK_JOB_VALUE_NEEDED),
  GRES ("gpus", 'G', gpus),
  GRES ("gpus-per-node", 0, gpus_per_node),
  GRES ("gpus-per-socket", 0, gpus_per_socket),
  GRES ("gpus-per-task", 0, gpus_per_task),
  GRES ("gres", 0, gres),
  OTHER ("gres-flags", 0, LK_JOB_VALUE_NEEDED, take_gres_flags, 0),
  PASSED ("help", 'h', LK_JOB_VALUE_NONE),
  OTHER ("hint", 0, LK_JOB_VALUE_NEEDED, take_hint, 0),
  FLAG ("hold", 'H', LK_REQUEST_HOLD, 0),
  PASSED ("ignore-pbs", 0, LK_JOB_VALUE_NONE),
  PASSED ("input", 'i', LK_JOB_VALUE_NEEDED),
  { "job-name", 'J', LK_JOB_VALUE_NEEDED, take_name, offsetof (LkJobOptions, job_name), 0, 0 },
  OTHER ("kill-on-invalid-dep", 0, LK_JOB_VALUE_NEEDED, take_kill_on_invalid, 0),
  MEMBER ("licenses", 'L', take_text, licenses),
  PASSED ("mail-type", 0, LK_JOB_VALUE_NEEDED),
  PASSED ("mail-user", 0, LK_JOB_VALUE_NEEDED),
  NOT_ACTED_ON ("mcs-label", 0, LK_JOB_VALUE_NEEDED),
  MEMORY ("mem", memory_per_node_bytes, LK_REQUEST_HAS_MEMORY_PER_NODE),
  PASSED ("mem-bind", 0, LK_JOB_VALUE_NEEDED),
  MEMORY ("mem-per-cpu", memory_per_cpu_bytes, LK_REQUEST_HAS_MEMORY_PER_CPU),
  MEMORY ("mem-per-gpu", memory_per_gpu_bytes, LK_REQUEST_HAS_MEMORY_PER_GPU),
  MEMBER ("mincpus", 0, take_count, cpus_per_node_min),
  PASSED ("network", 0, LK_JOB_VALUE_NEEDED),
  OTHER ("nice", 0, LK_JOB_VALUE_OPTIONAL, take_nice, 0),
  OTHER ("no-kill", 'k', LK_JOB_VALUE_OPTIONAL, take_no_kill, 0),
  FLAG ("no-requeue", 0, LK_REQUEST_NO_REQUEUE, 0),
  NOT_ACTED_ON ("nodefile", 'F', LK_JOB_VALUE_NEEDED),
  MEMBER ("nodelist", 'w', take_hosts, node_list),
  OTHER ("nodes", 'N', LK_JOB_VALUE_NEEDED, take_nodes, 0),
  MEMBER ("ntasks", 'n', take_count, tasks),
  NOT_ACTED_ON ("ntasks-per-core", 0, LK_JOB_VALUE_NEEDED),
  MEMBER ("ntasks-per-gpu", 0, take_count, tasks_per_gpu),
  MEMBER ("ntasks-per-node", 0, take_count, tasks_per_node),
  MEMBER ("ntasks-per-socket", 0, take_count, tasks_per_socket),
  PASSED ("oom-kill-step", 0, LK_JOB_VALUE_OPTIONAL),
  PASSED ("open-mode", 0, LK_JOB_VALUE_NEEDED),
  PASSED ("output", 'o', LK_JOB_VALUE_NEEDED),
  OTHER ("overcommit", 'O', LK_JOB_VALUE_NONE, take_overcommit, 0),
  { "oversubscribe", 's', LK_JOB_VALUE_NONE, take_oversubscribe, 0, LK_REQUEST_OVERSUBSCRIBE,
    SHARING_FLAGS },
  PASSED ("parsable", 0, LK_JOB_VALUE_NONE),
  MEMBER ("partition", 'p', take_text, partition),
  PASSED ("power", 0, LK_JOB_VALUE_NEEDED),
  NOT_ACTED_ON ("prefer", 0, LK_JOB_VALUE_NEEDED),
  OTHER ("priority", 0, LK_JOB_VALUE_NEEDED, take_priority, 0),
  PASSED ("profile", 0, LK_JOB_VALUE_NEEDED),
  PASSED ("propagate", 0, LK_JOB_VALUE_OPTIONAL),
  MEMBER ("qos", 'q', take_text, qos),
  PASSED ("quiet", 'Q', LK_JOB_VALUE_NONE),
  NOT_ACTED_ON ("reboot", 0, LK_JOB_VALUE_NONE),
  FLAG ("requeue", 0, 0, LK_REQUEST_NO_REQUEUE),
  TERM ("reservation", 0, reservation),
  MEMBER ("segment", 0, take_count, segment_nodes),
  OTHER ("signal", 0, LK_JOB_VALUE_NEEDED, take_signal, 0),
  MEMBER ("sockets-per-node", 0, take_count, sockets_per_node_min),
  FLAG ("spread-job", 0, LK_REQUEST_SPREAD_JOB, 0),
  NOT_ACTED_ON ("spread-segments", 0, LK_JOB_VALUE_NONE),
  PASSED ("stepmgr", 0, LK_JOB_VALUE_NONE),
  OTHER ("switches", 0, LK_JOB_VALUE_NEEDED, take_switches, 0),
  PASSED ("test-only", 0, LK_JOB_VALUE_NONE),
  NOT_ACTED_ON ("thread-spec", 0, LK_JOB_VALUE_NEEDED),
  MEMBER ("threads-per-core", 0, take_count, threads_per_core),
  OTHER ("time", 't', LK_JOB_VALUE_NEEDED, take_time, 0),
  OTHER ("time-min", 0, LK_JOB_VALUE_NEEDED, take_time_min, 0),
  MEMBER ("tmp", 0, take_size, tmp_per_node_bytes),
  PASSED ("tres-bind", 0, LK_JOB_VALUE_NEEDED),
  NOT_ACTED_ON ("tres-per-task", 0, LK_JOB_VALUE_NEEDED),
  STRING ("uid", 0, user),
  PASSED ("usage", 0, LK_JOB_VALUE_NONE),
  FLAG ("use-min-nodes", 0, LK_REQUEST_USE_MIN_NODES, 0),
  PASSED ("verbose", 'v', LK_JOB_VALUE_NONE),
  PASSED ("version", 'V', LK_JOB_VALUE_NONE),
  PASSED ("wait", 'W', LK_JOB_VALUE_NONE),
  PASSED ("wait-all-nodes", 0, LK_JOB_VALUE_NEEDED),
  PASSED ("wckey", 0, LK_JOB_VALUE_NEEDED),
  PASSED ("wrap", 0, LK_JOB_VALUE_NEEDED),
};

const guint lk_job_option_count = G_N_ELEMENTS (lk_job_options);

#undef PASSED
#undef NOT_ACTED_ON
#undef FLAG
#undef MEMBER
#undef MEMORY
#undef STRING
#undef TERM
#undef MOMENT
#undef GRES
#undef OTHER
