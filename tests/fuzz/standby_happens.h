/* tests/fuzz/standby_happens.h — the bytes that standby_fuzz reads. */
#ifndef LK_TESTS_FUZZ_STANDBY_HAPPENS_H
#define LK_TESTS_FUZZ_STANDBY_HAPPENS_H

#include <glib.h>

/* The first byte: seed of the world.  Numbers of two bytes have the low one first.
 *
 * What happens: X (NAME). Its place is the byte that stands for it; what it needs comes behind it:
 *
 *   PIECE     term, epoch, where (0: what is wanted, else u16), length (u16), what is spoilt of it
 *             (0: nothing, else one byte and its u16 place)
 *   SHORT     term: a controller that has less than it had
 *   FORGE     record, u16 place, value: the controller's journal is another from now on, with a
 *             right CRC
 *   BYTES     kind of peer, length, bytes
 *   DISK      bit 0: slow, bit 1: it fails now and then
 *   WAIT      index of standby_durations_us
 *   WOKEN     -
 *   RESTART   bit 0: with a loss of power
 *   PROMOTE   how far above the highest term; behind it nothing else happens
 *
 * A byte that is too high counts from 0 again. */
#define STANDBY_HAPPENINGS(X)                                                                      \
  X (PIECE)                                                                                        \
  X (SHORT)                                                                                        \
  X (FORGE)                                                                                        \
  X (BYTES)                                                                                        \
  X (DISK)                                                                                         \
  X (WAIT)                                                                                         \
  X (WOKEN)                                                                                        \
  X (RESTART)                                                                                      \
  X (PROMOTE)
#define X(NAME) STANDBY_##NAME,
typedef enum { STANDBY_HAPPENINGS (X) STANDBY_COUNT } StandbyHappens;
#undef X

/* Below, at and above what a standby waits for. */
static const gint64 standby_durations_us[] = { 0, G_USEC_PER_SEC / 10, 5 * G_USEC_PER_SEC,
                                               60 * G_USEC_PER_SEC };

#endif
