/* tests/live/disk_contract.h — what holds of every disk, whoever makes it: the same tests over each
 * implementation of live/core/port_disk.h. */
#ifndef LK_TESTS_LIVE_DISK_CONTRACT_H
#define LK_TESTS_LIVE_DISK_CONTRACT_H

#include "live/core/port_disk.h"

/* A disk to be tried. Its tokens go to `done`, with - in front of those that failed. */
typedef struct {
  gpointer (*make) (GString *done);
  LkPortDisk (*port) (gpointer disk);
  void (*run) (gpointer disk); /* until all that was asked for is answered */
  /* From now on writing fails, or is well again for whoever comes next. */
  void (*set_failing) (gpointer disk, gboolean is_failing);
  void (*restart) (gpointer disk); /* another process uses it */
  void (*free) (gpointer disk);
} DiskMaker;

/* Adds the tests under /disk/NAME/; `maker` is static. */
void disk_contract_add (const char *name, const DiskMaker *maker);

#endif
