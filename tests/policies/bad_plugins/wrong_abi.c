/* wrong_abi.c — made for a policy ABI of the future. */
#define BAD_NAME "wrong_abi"
#define BAD_ABI 99u
#include "bad_plugin.h"
