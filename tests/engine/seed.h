/* tests/engine/seed.h — Vigna's splitmix64: the same random values on every machine. */
#ifndef LK_TESTS_ENGINE_SEED_H
#define LK_TESTS_ENGINE_SEED_H

#include <glib.h>

typedef struct {
  guint64 state;
} Seed;

static inline guint64
seed_next (Seed *seed)
{
  guint64 z = (seed->state += G_GUINT64_CONSTANT (0x9e3779b97f4a7c15));
  z = (z ^ (z >> 30)) * G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * G_GUINT64_CONSTANT (0x94d049bb133111eb);
  return z ^ (z >> 31);
}

/* In [0, limit). The bias does not matter here. */
static inline guint32
seed_below (Seed *seed, guint32 limit)
{
  return (guint32)((seed_next (seed) >> 32) * limit >> 32);
}

/* In [low, high]. */
static inline gint64
seed_between (Seed *seed, gint64 low, gint64 high)
{
  return low + (gint64)(seed_next (seed) % (guint64)(high - low + 1));
}

#endif
