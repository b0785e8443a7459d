/* live/port/machine_now.c — see the header. */
#include "live/port/machine_now.h"

#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#define STAT_START_TICKS 20 /* words behind the state, see proc_pid_stat(5) */

/* To the second, as both clocks are read one after the other. */
static gint64
boot_time_us (void)
{
  struct timespec since;
  if (clock_gettime (CLOCK_BOOTTIME, &since) != 0)
    return 0;
  gint64 at_us = g_get_real_time () - (gint64)since.tv_sec * G_USEC_PER_SEC - since.tv_nsec / 1000;
  return (at_us + G_USEC_PER_SEC / 2) / G_USEC_PER_SEC * G_USEC_PER_SEC;
}

/* When this process has begun; 0: that is not told. */
static gint64
start_time_us (gint64 boot_us)
{
  g_autofree char *stat = NULL;
  gint64 ticks_per_second = sysconf (_SC_CLK_TCK);
  if (boot_us == 0 || ticks_per_second <= 0
      || !g_file_get_contents ("/proc/self/stat", &stat, NULL, NULL))
    return 0;
  /* The name in parentheses may have any sign in it. */
  const char *at = strrchr (stat, ')');
  g_auto (GStrv) words = g_strsplit (at != NULL ? at + 1 : "", " ", STAT_START_TICKS + 2);
  if (g_strv_length (words) < STAT_START_TICKS + 1)
    return 0;
  gint64 ticks = g_ascii_strtoll (words[STAT_START_TICKS], NULL, 10);
  return boot_us + ticks * (G_USEC_PER_SEC / ticks_per_second);
}

static void
name_parts (LkMachineNow *out_now)
{
  struct utsname names;
  if (uname (&names) != 0)
    return;
  g_strlcpy (out_now->architecture, names.machine, sizeof out_now->architecture);
  names.nodename[strcspn (names.nodename, ".")] = '\0';
  g_strlcpy (out_now->host, names.nodename, sizeof out_now->host);
  g_snprintf (out_now->system, sizeof out_now->system, "%s %s %s", names.sysname, names.release,
              names.version);
}

void
lk_machine_now (LkMachineNow *out_now)
{
  struct sysinfo info;
  double load = 0;
  *out_now = (LkMachineNow){ 0 };
  if (getloadavg (&load, 1) == 1 && load > 0)
    out_now->load_hundredths = (guint32)MIN (load * 100, 1e9);
  if (sysinfo (&info) == 0)
    out_now->free_memory_bytes = (guint64)info.freeram * info.mem_unit;
  name_parts (out_now);
  out_now->boot_us = boot_time_us ();
  out_now->start_us = start_time_us (out_now->boot_us);
}
