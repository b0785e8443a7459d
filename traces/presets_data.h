/* traces/presets_data.h — the table that traces/embed_presets.cmake makes at build time. Private to
 * presets.c. */
#ifndef LK_TRACES_PRESETS_DATA_H
#define LK_TRACES_PRESETS_DATA_H

#include "traces/presets.h"

/* By name. */
extern const LkPreset lk_preset_table[];
extern const guint lk_preset_table_count;

#endif
