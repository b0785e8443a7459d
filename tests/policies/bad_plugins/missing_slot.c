/* missing_slot.c — an order without its key. */
#define BAD_NAME "missing_slot"
#define BAD_KEY NULL
#include "bad_plugin.h"
