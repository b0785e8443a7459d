/* at_load.c — runs code of its own when it is loaded. */
#define BAD_NAME "at_load"
#include "bad_plugin.h"

__attribute__ ((constructor)) static void
at_load (void)
{
  /* Whatever it does; the compiler must not see that it is nothing. */
  __asm__ volatile("");
}
