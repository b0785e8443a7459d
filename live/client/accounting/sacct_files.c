/* live/client/accounting/sacct_files.c — the files of a job's script: StdIn, StdOut and StdErr of
 * sacct.
 *
 * As they were asked for, with % in them; or as the script has found them (--expand-patterns),
 * where what is another one on each node or of each task is that of the first.
 * Source: sacct(1). */
#include <string.h>

#include "engine/hostlist.h"
#include "live/client/accounting/sacct.h"
#include "live/step/pattern.h"

static char *
expanded (const LkSacctJob *row, const char *pattern)
{
  const LkAccountingJob *job = &row->job;
  g_autoptr (GPtrArray) nodes = g_ptr_array_new_with_free_func (g_free);
  lk_hostlist_expand (job->node_list, strlen (job->node_list), nodes, NULL);
  const LkPatternValues values = { .job_id = (guint32)job->job_id,
                                   .array_job_id = (guint32)job->array_job_id,
                                   .array_task = (guint32)MAX (job->array_task, 0),
                                   .job_name = job->name,
                                   .user = row->user,
                                   .node = nodes->len > 0 ? g_ptr_array_index (nodes, 0) : "" };
  return lk_pattern_expand (pattern, &values);
}

char *
lk_sacct_file (const LkSacctJob *row, LkSacctFile which, gboolean is_expanded)
{
  const LkAccountingJob *job = &row->job;
  const LkPatternValues array = { .array_job_id = (guint32)job->array_job_id };
  const char *output = job->std_out[0] != '\0' ? job->std_out : lk_pattern_default (&array);
  const char *name = which == LK_SACCT_FILE_IN
                         ? (job->std_in[0] != '\0' ? job->std_in : "/dev/null")
                     : which == LK_SACCT_FILE_ERR && job->std_err[0] != '\0' ? job->std_err
                                                                             : output;
  if (job->kind != 0 || job->work_dir[0] == '\0') /* there is no script, or it is not known */
    return g_strdup ("");
  g_autofree char *path =
      g_path_is_absolute (name) ? g_strdup (name) : g_build_filename (job->work_dir, name, NULL);
  return is_expanded ? expanded (row, path) : g_steal_pointer (&path);
}
