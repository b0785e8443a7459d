/* engine/terms.h — when, and under which conditions, a job may run, as the engine keeps it.
 *
 * A job that sets no terms has none, and costs nothing. */
#ifndef LK_ENGINE_TERMS_H
#define LK_ENGINE_TERMS_H

#include <glib.h>

#include "engine/bytes.h"
#include "engine/codec.h"

typedef struct {
  LkJobTerms asked; /* texts are terminated and live in `texts` */
  char texts[];
} LkTerms;

/* Terms that say nothing. */
extern const LkJobTerms lk_no_terms;

/* Returns: (transfer full), NULL for terms that say nothing. */
LkTerms *lk_terms_new (const LkJobTerms *asked);
void lk_terms_free (LkTerms *self);
/* What is asked; of NULL nothing. */
static inline const LkJobTerms *
lk_terms_asked (const LkTerms *self)
{
  return self != NULL ? &self->asked : &lk_no_terms;
}

void lk_terms_save (const LkTerms *self, GByteArray *out);
/* FALSE: the bytes are none that save writes. */
gboolean lk_terms_load (LkBytesReader *reader, LkTerms **out_terms);

#endif
