/* traces/reader_swf.h — the state of the SWF format, for those that need the SWF reader under
 * it. */
#ifndef LK_TRACES_READER_SWF_H
#define LK_TRACES_READER_SWF_H

#include "traces/reader_private.h"

typedef struct {
  LkReaderBase *base;
  LkSwfReader *swf;
} LkReaderSwf;

#endif
