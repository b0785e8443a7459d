/* engine/life.c — see the header. */
#include "engine/life.h"

#include <string.h>

#include "engine/node_table.h"

const LkLife lk_no_life = { .stopped_piece = LK_PIECE_NONE };

LkLife *
lk_life_new (void)
{
  return g_memdup2 (&lk_no_life, sizeof lk_no_life);
}

static gboolean
is_empty (const LkLife *self)
{
#define F(type, name, wire)                                                                        \
  if (self->name != 0)                                                                             \
    return FALSE;
  LK_LIFE_FIELDS (F)
#undef F
  return TRUE;
}

/* A life in which nothing has happened is written as none, so that equal states give equal
 * bytes. */
void
lk_life_save (const LkLife *self, GByteArray *out)
{
  gboolean has = self != NULL && !is_empty (self);
  lk_append_u8 (out, has ? 1 : 0);
  if (!has)
    return;
#define F(type, name, wire) lk_append_##wire (out, self->name);
  LK_LIFE_FIELDS (F)
#undef F
}

gboolean
lk_life_load (LkBytesReader *reader, LkLife **out_life)
{
  LkLife life = lk_no_life;
  guint8 has = lk_take_u8 (reader);
  *out_life = NULL;
  if (reader->failed || has > 1)
    return FALSE;
  if (has == 0)
    return TRUE;
#define F(type, name, wire) life.name = lk_take_##wire (reader);
  LK_LIFE_FIELDS (F)
#undef F
  if (reader->failed || is_empty (&life) || life.limit_asked_us < 0 || life.suspended_us < 0
      || life.has_resumed > 1 || life.is_warned > 1 || life.is_special > 1 || life.in_grace > 1
      || life.in_turn > 1 || life.is_extended > 1 || life.admin_limit > 1 || life.is_sigstopped > 1
      || (life.has_resumed == 0 && life.resume_us != 0))
    return FALSE;
  *out_life = g_memdup2 (&life, sizeof life);
  return TRUE;
}
