/* sim/latency.c — see the header. */
#include "sim/latency.h"

#include <string.h>

#include "sim/arguments.h"
#include "sim/error.h"
#include "traces/random.h"

/* Two times with a colon between; `out_second_us` is left alone where there is one. */
static gboolean
parse_pair (const char *option, const char *text, gint64 *out_first_us, gint64 *out_second_us,
            GError **error)
{
  const char *colon = strchr (text, ':');
  g_autofree char *first = colon != NULL ? g_strndup (text, (gsize)(colon - text)) : NULL;
  if (colon == NULL)
    return lk_argument_duration_us (option, text, out_first_us, error);
  return lk_argument_duration_us (option, first, out_first_us, error)
         && lk_argument_duration_us (option, colon + 1, out_second_us, error);
}

gboolean
lk_sim_latency_parse_launch (LkSimLatency *self, const char *option, const char *text,
                             GError **error)
{
  gint64 most_us = -1;
  if (!parse_pair (option, text, &self->least_us, &most_us, error))
    return FALSE;
  self->most_us = most_us >= 0 ? most_us : self->least_us;
  if (self->most_us >= self->least_us)
    return TRUE;
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
               "%s is '%s'; expected A:B with B not before A", option, text);
  return FALSE;
}

gboolean
lk_sim_latency_parse_check (LkSimLatency *self, const char *option, const char *text,
                            GError **error)
{
  self->check_phase_us = 0;
  return parse_pair (option, text, &self->check_us, &self->check_phase_us, error);
}

gint64
lk_sim_latency_us (const LkSimLatency *self, guint64 start_index)
{
  guint32 words[4];
  guint64 range_us = (guint64)(self->most_us - self->least_us);
  if (range_us == 0)
    return self->least_us;
  lk_random_block (self->seed, LK_STREAM_LAUNCH, start_index, words);
  /* Of 64 random bits the remainder is even enough. */
  guint64 drawn = ((guint64)words[0] << 32 | words[1]) % (range_us + 1);
  return self->least_us + (gint64)drawn;
}

gint64
lk_sim_latency_check_us (const LkSimLatency *self, gint64 origin_us, gint64 at_us)
{
  gint64 since_us = at_us - origin_us - self->check_phase_us;
  if (self->check_us == 0 || since_us <= 0)
    return self->check_us == 0 ? at_us : at_us - since_us;
  gint64 rest_us = since_us % self->check_us;
  return rest_us == 0 ? at_us : at_us + self->check_us - rest_us;
}
