/* sim/statistics/shake.c — see shake.h. */
#include "sim/statistics/shake.h"

#include "engine/assert.h"
#include "sim/statistics/shaken.h"
#include "sim/verb_sim.h"
#include "traces/random.h"

/* The range is below 2^33 seconds, so that the remainder prefers no shift noticeably. */
gint64
lk_shake_move_us (gconstpointer shake, guint64 place)
{
  const LkShake *self = shake;
  guint32 words[4];
  guint64 by_s = (guint64)(self->by_us / G_USEC_PER_SEC);
  lk_random_block (self->seed, LK_STREAM_SHAKE, place, words);
  guint64 bits = (guint64)words[0] << 32 | words[1];
  return ((gint64)(bits % (2 * by_s + 1)) - (gint64)by_s) * G_USEC_PER_SEC;
}

typedef struct {
  LkShaken *shaken;
  const LkShake *shake;
} Shaking;

static void
done (gpointer user, const LkSummary *summary)
{
  const Shaking *self = user;
  lk_shaken_add (self->shaken, self->shake->seed, self->shake->by_us, summary);
}

/* The models begin anew, as in a run of its own. */
static gboolean
run_shaken (const LkSettings *settings, const LkShake *shake, LkShaken *shaken, GError **error)
{
  LkSettings mine = *settings;
  Shaking user = { .shaken = shaken, .shake = shake };
  const LkSimHooks hooks = { .done = done, .user = &user };
  g_autoptr (LkEstimates) estimates = NULL;
  if (!lk_estimates_parse (settings->estimates_text, settings->seed, &estimates, error))
    return FALSE;
  mine.estimates = estimates;
  mine.trace.move_us = lk_shake_move_us;
  mine.trace.move_most_us = shake->by_us / G_USEC_PER_SEC * G_USEC_PER_SEC;
  mine.trace.move_user = shake;
  mine.out_path = NULL;
  mine.journal_path = NULL;
  mine.journal_standing = FALSE;
  mine.show = NULL;
  mine.at = NULL;
  mine.batsim = FALSE;
  return lk_sim_settings_run (&mine, &hooks, error);
}

gboolean
lk_shake_run_all (const LkSettings *settings, GError **error)
{
  g_autoptr (LkShaken) shaken = lk_shaken_new ();
  LK_ASSERT (settings->shake_count > 0);
  LK_ASSERT (settings->out_path != NULL);
  for (guint i = 0; i < settings->shake_count; i++) {
    /* Not the seed itself: the first shaking of seed 2 is not the second one of seed 1. */
    LkShake shake = { .seed = settings->seed << 16 | (i + 1), .by_us = settings->shake_by_us };
    if (!run_shaken (settings, &shake, shaken, error)) {
      g_prefix_error (error, "shaken run %u: ", i + 1);
      return FALSE;
    }
  }
  return lk_shaken_write (shaken, settings->out_path, error);
}
