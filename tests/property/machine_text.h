/* tests/property/machine_text.h — reads the parts of a start decision's texts back. */
#ifndef LK_TESTS_PROPERTY_MACHINE_TEXT_H
#define LK_TESTS_PROPERTY_MACHINE_TEXT_H

#include <glib.h>

/* Generic resources of one node. */
typedef struct {
  guint64 devices;
  guint32 share_device;
  guint32 shares;
  guint32 counts; /* of nic */
} LkMachineGres;

/* "0-3,8" as a set of numbers below 64. Aborts when the text is not of this form, as both do. */
guint64 lk_machine_read_ranges (const char *text);
/* "gpu:0-1|shard*3@0|nic*2" */
void lk_machine_read_gres (const char *text, LkMachineGres *out);

#endif
