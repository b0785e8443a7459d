/* tests/fuzz/seeds_standby.c — the stories of a few standbys. */
#include "tests/fuzz/seeds.h"
#include "tests/fuzz/standby_happens.h"

#include "live/core/message.h"

/* clang-format off */
/* What is wanted, of the length low + 256 * high. */
#define PIECE(term, low, high) STANDBY_PIECE, term, 1, 0, 0, low, high, 0
#define SPOILT(term, low, high, place) STANDBY_PIECE, term, 1, 0, 0, low, high, 16, place, 0
#define AT(place, low, high) STANDBY_PIECE, 1, 1, place, 0, low, high, 0
#define REST(term) PIECE (term, 255, 255)
#define FORGE(record, place, value) STANDBY_FORGE, record, place, 0, value
#define WAIT(duration) STANDBY_WAIT, duration

/* Behind the header, which is longer than 256 * 6 bytes. */
static const guint8 whole[] = {
  1, REST (2), WAIT (0), STANDBY_WOKEN, WAIT (2), STANDBY_PROMOTE, 1
};
static const guint8 pieces[] = {
  2, PIECE (1, 9, 0), PIECE (1, 100, 0), WAIT (0), PIECE (1, 100, 3), AT (9, 50, 0), AT (0, 0, 0),
  PIECE (1, 0, 4), WAIT (1), PIECE (1, 0, 4), WAIT (0), REST (1), WAIT (2), STANDBY_RESTART, 1,
  REST (1), WAIT (0)
};
static const guint8 restarts[] = {
  3, STANDBY_DISK, 1, PIECE (1, 0, 9), PIECE (1, 0, 2), STANDBY_RESTART, 1, REST (1),
  STANDBY_RESTART, 0, WAIT (1), REST (1), WAIT (1), STANDBY_RESTART, 1, WAIT (2), REST (2),
  STANDBY_PROMOTE, 2
};
static const guint8 slow[] = {
  10, STANDBY_DISK, 1, PIECE (1, 0, 9), PIECE (1, 0, 1), PIECE (1, 0, 1), WAIT (1), WAIT (1),
  WAIT (1),
  STANDBY_RESTART, 1, PIECE (1, 0, 9), PIECE (1, 0, 1), WAIT (1), WAIT (1), STANDBY_RESTART, 1,
  REST (1), STANDBY_RESTART, 1, REST (1), WAIT (1), STANDBY_RESTART, 1
};
static const guint8 fails[] = {
  4, STANDBY_DISK, 3, PIECE (1, 0, 9), WAIT (2), REST (1), WAIT (2), REST (1), WAIT (3),
  STANDBY_DISK, 0, REST (1), WAIT (1), STANDBY_PROMOTE, 0
};
static const guint8 spoilt[] = {
  5, PIECE (1, 0, 9), SPOILT (1, 0, 2, 40), WAIT (2), SPOILT (1, 255, 255, 90), WAIT (2), REST (1),
  WAIT (0)
};
static const guint8 forged[] = {
  6, PIECE (1, 0, 9), WAIT (0), FORGE (6, 30, 9), FORGE (8, 40, 1), REST (1), WAIT (2),
  STANDBY_RESTART, 1, REST (1), STANDBY_PROMOTE, 1
};
static const guint8 header[] = {
  7, FORGE (0, 20, 1), REST (1), WAIT (0), REST (1)
};
static const guint8 terms[] = {
  8, PIECE (2, 0, 9), PIECE (1, 0, 2), STANDBY_SHORT, 1, REST (3), WAIT (0), STANDBY_RESTART, 1,
  REST (2), STANDBY_SHORT, 3, WAIT (2), STANDBY_PROMOTE, 1
};
static const guint8 strange[] = {
  9, STANDBY_BYTES, 2, 3, LK_MESSAGE_JOURNAL, 0, 0, STANDBY_BYTES, 1, 1, LK_MESSAGE_JOURNAL,
  STANDBY_WOKEN, STANDBY_PROMOTE, 1, WAIT (3)
};
/* clang-format on */

void
put_standby_seeds (Seeds *self)
{
  static const struct {
    const char *name;
    const guint8 *bytes;
    guint length_bytes;
  } stories[] = {
    { "whole", whole, sizeof whole },
    { "pieces", pieces, sizeof pieces },
    { "restarts", restarts, sizeof restarts },
    { "fails", fails, sizeof fails },
    { "spoilt", spoilt, sizeof spoilt },
    { "forged", forged, sizeof forged },
    { "header", header, sizeof header },
    { "terms", terms, sizeof terms },
    { "slow", slow, sizeof slow },
    { "strange", strange, sizeof strange },
  };
  for (guint i = 0; i < G_N_ELEMENTS (stories); i++) {
    g_autoptr (GByteArray) bytes = g_byte_array_new ();
    g_byte_array_append (bytes, stories[i].bytes, stories[i].length_bytes);
    put_seed (self, "standby", stories[i].name, bytes);
  }
}
