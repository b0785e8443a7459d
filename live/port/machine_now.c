/* live/port/machine_now.c — see the header. */
#include "live/port/machine_now.h"

#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>

void
lk_machine_now (LkMachineNow *out_now)
{
  struct sysinfo info;
  struct utsname names;
  double load = 0;
  *out_now = (LkMachineNow){ 0 };
  if (getloadavg (&load, 1) == 1 && load > 0)
    out_now->load_hundredths = (guint32)MIN (load * 100, 1e9);
  if (sysinfo (&info) == 0)
    out_now->free_memory_bytes = (guint64)info.freeram * info.mem_unit;
  if (uname (&names) == 0)
    g_strlcpy (out_now->architecture, names.machine, sizeof out_now->architecture);
}
