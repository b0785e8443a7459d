/* engine/changed_config.h — what a change of the machine's description makes of the configuration
 * in force: the whole one that an event of it says (LK_EVENT_RECONFIGURE).
 *
 * Who drives an engine has it made here, and applies the event: a controller at the word of
 * scontrol, a simulation at that of a script. */
#ifndef LK_ENGINE_CHANGED_CONFIG_H
#define LK_ENGINE_CHANGED_CONFIG_H

#include "engine/cluster_change.h"
#include "engine/engine.h"

typedef struct {
  LkJournalHeader header; /* points into the rest */
  gboolean is_changed;    /* FALSE: there is nothing that an event would say */
  GByteArray *bytes;
  GString *accounts;
  GString *cluster;
} LkChangedConfig;

/* `first` describes what the engine began with. 0; or why not, with a line (char*, transfer full)
 * for each of the `problems` where there is more to say.  To be cleared either way. */
LkReject lk_changed_config_init (LkChangedConfig *self, const LkEngine *engine,
                                 const LkJournalHeader *first, const LkClusterChange *change,
                                 GPtrArray *problems);
void lk_changed_config_clear (LkChangedConfig *self);

#endif
