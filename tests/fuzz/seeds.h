/* tests/fuzz/seeds.h — seeds that are made from the code, and where they go. */
#ifndef LK_TESTS_FUZZ_SEEDS_H
#define LK_TESTS_FUZZ_SEEDS_H

#include <glib.h>

typedef struct {
  const char *folder;
  gboolean writes;
  guint wrong_count;
} Seeds;

/* Writes a seed, or compares it. */
void put_seed (Seeds *self, const char *kind, const char *name, const GByteArray *bytes);
/* Those of message_fuzz and agent_fuzz. */
void put_live_seeds (Seeds *self);
/* Those of controller_fuzz and controller_snapshot_fuzz. */
void put_controller_seeds (Seeds *self);
/* Those of standby_fuzz. */
void put_standby_seeds (Seeds *self);
/* Those of net_fuzz and keyring_fuzz. */
void put_net_seeds (Seeds *self);

#endif
