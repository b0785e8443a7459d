/* live/step/task_usage.c — see the header. */
#include "live/step/task_usage.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "live/port/process_tree.h"

#define KIBIBYTE 1024u
/* In /proc/PID/stat, counted from behind the name of the process. */
enum { FIELD_MAJOR_FAULTS = 9, FIELD_USER = 11, FIELD_SYSTEM = 12, FIELD_VM = 20, FIELD_RSS = 21 };
#define FIELD_COUNT (FIELD_RSS + 1)

/* Returns: (transfer full), NULL: it is gone, or not for us. */
static char *
process_text (pid_t pid, const char *what)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/%s", (int)pid, what);
  char *text = NULL;
  return g_file_get_contents (path, &text, NULL, NULL) ? text : NULL;
}

static gint64
ticks_us (guint64 ticks)
{
  long each = sysconf (_SC_CLK_TCK);
  return (gint64)(ticks * G_USEC_PER_SEC / (guint64)MAX (each, 1));
}

static void
add_stat (LkTaskUse *now, pid_t pid)
{
  g_autofree char *text = process_text (pid, "stat");
  const char *at = text != NULL ? strrchr (text, ')') : NULL;
  if (at == NULL)
    return;
  g_auto (GStrv) fields = g_strsplit (at + 1 + strspn (at + 1, " "), " ", FIELD_COUNT + 1);
  if (g_strv_length (fields) < FIELD_COUNT)
    return;
  now->user_cpu_us += ticks_us (g_ascii_strtoull (fields[FIELD_USER], NULL, 10));
  now->system_cpu_us += ticks_us (g_ascii_strtoull (fields[FIELD_SYSTEM], NULL, 10));
  now->vm_bytes += g_ascii_strtoull (fields[FIELD_VM], NULL, 10);
  now->rss_bytes +=
      g_ascii_strtoull (fields[FIELD_RSS], NULL, 10) * (guint64)MAX (sysconf (_SC_PAGESIZE), 1);
  now->page_count += g_ascii_strtoull (fields[FIELD_MAJOR_FAULTS], NULL, 10);
}

static guint64
number_behind (const char *text, const char *word)
{
  const char *at = text != NULL ? strstr (text, word) : NULL;
  return at != NULL ? g_ascii_strtoull (at + strlen (word), NULL, 10) : 0;
}

/* What passes through system calls, as Slurm counts it. */
static void
add_io (LkTaskUse *now, pid_t pid)
{
  g_autofree char *text = process_text (pid, "io");
  now->read_bytes += number_behind (text, "rchar: ");
  now->write_bytes += number_behind (text, "wchar: ");
}

static void
take_most (LkTaskUse *self, const LkTaskUse *now)
{
  self->user_cpu_us = MAX (self->user_cpu_us, now->user_cpu_us);
  self->system_cpu_us = MAX (self->system_cpu_us, now->system_cpu_us);
  self->rss_bytes = MAX (self->rss_bytes, now->rss_bytes);
  self->vm_bytes = MAX (self->vm_bytes, now->vm_bytes);
  self->read_bytes = MAX (self->read_bytes, now->read_bytes);
  self->write_bytes = MAX (self->write_bytes, now->write_bytes);
  self->page_count = MAX (self->page_count, now->page_count);
}

void
lk_task_use_look (LkTaskUse *self, const GArray *all, pid_t pid)
{
  LkTaskUse now = { 0 };
  g_autoptr (GArray) below = lk_process_below (all, pid);
  g_array_append_val (below, pid);
  for (guint i = 0; i < below->len; i++) {
    add_stat (&now, g_array_index (below, pid_t, i));
    add_io (&now, g_array_index (below, pid_t, i));
  }
  take_most (self, &now);
}

static gint64
time_us (const struct timeval *time)
{
  return (gint64)time->tv_sec * G_USEC_PER_SEC + time->tv_usec;
}

void
lk_task_use_end (LkTaskUse *self, const struct rusage *use)
{
  const LkTaskUse end = { .user_cpu_us = time_us (&use->ru_utime),
                          .system_cpu_us = time_us (&use->ru_stime),
                          .rss_bytes = (guint64)MAX (use->ru_maxrss, 0) * KIBIBYTE,
                          .page_count = (guint64)MAX (use->ru_majflt, 0) };
  take_most (self, &end);
}

/* With nothing of it, the most is that of task 0, as in Slurm. */
static void
take_value (guint64 value, guint64 *sum, guint64 *max, guint32 *max_task, guint32 task)
{
  *sum += value;
  if (value <= *max)
    return;
  *max = value;
  *max_task = task;
}

void
lk_task_use_add (LkStepReport *report, const LkTaskUse *use, guint32 task)
{
  gint64 cpu_us = use->user_cpu_us + use->system_cpu_us;
  if (report->counted_tasks++ == 0 || cpu_us < report->cpu_min_us) {
    report->cpu_min_us = cpu_us;
    report->cpu_min_task = task;
  }
  report->user_cpu_us += use->user_cpu_us;
  report->system_cpu_us += use->system_cpu_us;
  take_value (use->rss_bytes, &report->rss_sum_bytes, &report->rss_max_bytes, &report->rss_max_task,
              task);
  take_value (use->vm_bytes, &report->vm_sum_bytes, &report->vm_max_bytes, &report->vm_max_task,
              task);
  take_value (use->read_bytes, &report->read_sum_bytes, &report->read_max_bytes,
              &report->read_max_task, task);
  take_value (use->write_bytes, &report->write_sum_bytes, &report->write_max_bytes,
              &report->write_max_task, task);
  take_value (use->page_count, &report->page_sum_count, &report->page_max_count,
              &report->page_max_task, task);
}
