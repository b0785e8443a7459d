/* extra_symbol.c — exports a second symbol. */
#define BAD_NAME "extra_symbol"
#include "bad_plugin.h"

int lk_policy_extra (void);

BAD_EXPORT int
lk_policy_extra (void)
{
  return 1;
}
