/* tests/policies/header_alone.c — engine/policy.h with nothing before it; compiled as C11 and as
 * C++17, never run. */
#include "engine/policy.h"

int64_t lk_header_alone (double value);

int64_t
lk_header_alone (double value)
{
  return lk_key_from_real (value);
}
