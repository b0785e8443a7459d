/* traces/csv_map_data.h — the table that is made from the pages in traces/data/maps at build time.
 * Private to csv_map.c. */
#ifndef LK_TRACES_CSV_MAP_DATA_H
#define LK_TRACES_CSV_MAP_DATA_H

#include <glib.h>

typedef struct {
  const char *name;
  const char *page;
  gsize length_bytes;
} LkCsvPage;

/* By name. */
extern const LkCsvPage lk_csv_pages[];
extern const guint lk_csv_page_count;

#endif
