/* sim/page/page_pack.h — what the page's script needs of a run, as few bytes as may be.
 *
 * Layout, before it is deflated (zlib) and written as base64:
 *
 *   u32 length of a JSON object, little endian; the object; columns; cells of the grid
 *
 * A column holds one number of each job that is kept, as varints of 7 bits, lowest first; signed
 * ones zigzag; the script reads them in the order of LK_PAGE_COLUMNS.  Times are in the object's
 * `unit_us`. Behind the columns of numbers stand, job by job, its places (first row less the end of
 * the place before, count) and its reasons (number in `reasons`, time).
 *
 * Not all jobs of a large run are kept: half of what there is room for are the largest, a quarter
 * those that waited longest, the rest every n-th by submission. Fewer are kept where they lie on so
 * many nodes that the page would become large. */
#ifndef LK_SIM_PAGE_PACK_H
#define LK_SIM_PAGE_PACK_H

#include "sim/page/page.h"

/* X (name, sign: s or u): */
#define LK_PAGE_COLUMNS(X)                                                                         \
  X (number, s) /* less that of the job before */                                                  \
  X (id, u)     /* text + 1; 0: the number */                                                      \
  X (title, u)  /* text + 1 */                                                                     \
  X (user, u)   /* text + 1, and so the next ones */                                               \
  X (account, u)                                                                                   \
  X (qos, u)                                                                                       \
  X (partition, u)                                                                                 \
  X (state, u)                                                                                     \
  X (procs, u)                                                                                     \
  X (gpus, u)   /* thousandths */                                                                  \
  X (submit, s) /* time of the page, less that of the job before */                                \
  X (wait, u)   /* until the start + 1; 0: it has not started */                                   \
  X (run, u)    /* until the end + 1; 0: it has not ended */                                       \
  X (limit, u)  /* time limit + 1; 0: none */                                                      \
  X (flags, u)  /* 1 backfilled, 2 requeued */                                                     \
  X (places, u) /* how many */                                                                     \
  X (reasons, u)

/* `limit`: how many jobs are kept. Returns: (transfer full) base64; `out_kept` how many were. */
char *lk_page_pack (const LkPage *page, const LkPageRun *run, guint limit, guint *out_kept);

#endif
