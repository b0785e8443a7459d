/* engine/engine_reconfigure.h — what keeps another configuration from coming into force; for the
 * engine_*.c files only. */
#ifndef LK_ENGINE_ENGINE_RECONFIGURE_H
#define LK_ENGINE_ENGINE_RECONFIGURE_H

#include "engine/carry.h"

/* More than anybody reads at once. */
#define LK_CONFIG_PROBLEMS_MAX 200u

/* Adds a text to the problems, unless there are too many already. */
void lk_config_problem (GPtrArray *problems, const char *format, ...) G_GNUC_PRINTF (2, 3);

/* Are the two so unlike that nothing can be taken over?  FALSE: `problems` say why. */
gboolean lk_config_is_alike (const LkEngine *self, const LkEngineConfig *next, GPtrArray *problems);
/* What things in use lose: `next` is made of the other configuration and has no jobs. */
void lk_config_compare (const LkEngine *self, const LkEngine *next, const LkCarry *carry,
                        GPtrArray *problems);

#endif
