/* live/step/bind_list.h — lists of numbers and masks, as options that bind tasks have them:
 * map_cpu:0,0x4, mask_mem:0x3*2,c.
 *
 * Source: srun(1), --cpu-bind, --gpu-bind and --mem-bind. */
#ifndef LK_LIVE_STEP_BIND_LIST_H
#define LK_LIVE_STEP_BIND_LIST_H

#include <glib.h>

/* An element of a list. NULL: it is none. Returns: (transfer full), of guint32. */
typedef GArray *(*LkBindReader) (const char *text);

/* A number, decimal or 0x.. */
GArray *lk_bind_number_read (const char *text);
/* A mask, hexadecimal with or without 0x; none of nothing. */
GArray *lk_bind_mask_read (const char *text);
/* Elements of a list, each of which may say how often it counts: 0*4. NULL: it is none. Returns:
 * (transfer full), of GArray. */
GPtrArray *lk_bind_list_read (const char *text, LkBindReader read);
/* Numbers as a mask, 0x.., of any length, behind a comma where something stands before it. */
void lk_bind_mask_append (GString *out, const GArray *numbers);

#endif
