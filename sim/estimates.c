/* sim/estimates.c — see estimates.h. */
#include "sim/estimates.h"

#include <string.h>

#include "engine/assert.h"
#include "sim/error.h"
#include "traces/random.h"
#include "traces/user_estimate.h"

#define FACTOR_MAX 1e6
#define TIME_MAX_US ((double)G_GINT64_CONSTANT (4000000000000000000))

typedef enum { MODEL_TRACE, MODEL_EXACT, MODEL_FACTOR, MODEL_TSAFRIR } Model;

struct _LkEstimates {
  Model model;
  double factor;
  gsl_rng *random; /* NULL for the models that draw nothing */
};

static gboolean
parse_factor (const char *text, double *out_factor, GError **error)
{
  char *end = NULL;
  double factor = g_ascii_strtod (text, &end);
  if (end == text || *end != '\0' || !(factor >= 0 && factor <= FACTOR_MAX)) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
                 "--estimates factor:F has F '%s'; expected a number from 0 to 1000000", text);
    return FALSE;
  }
  *out_factor = factor;
  return TRUE;
}

static gboolean
parse_model (const char *text, Model *out_model, double *out_factor, GError **error)
{
  if (strcmp (text, "trace") == 0)
    *out_model = MODEL_TRACE;
  else if (strcmp (text, "exact") == 0)
    *out_model = MODEL_EXACT;
  else if (strcmp (text, "tsafrir") == 0)
    *out_model = MODEL_TSAFRIR;
  else if (g_str_has_prefix (text, "factor:")) {
    *out_model = MODEL_FACTOR;
    return parse_factor (text + strlen ("factor:"), out_factor, error);
  } else {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
                 "--estimates is '%s'; expected trace, exact, factor:F or tsafrir", text);
    return FALSE;
  }
  return TRUE;
}

gboolean
lk_estimates_parse (const char *text, guint64 seed, LkEstimates **out_estimates, GError **error)
{
  Model model = MODEL_TRACE;
  double factor = 0;
  if (!parse_model (text, &model, &factor, error))
    return FALSE;
  LkEstimates *self = g_new0 (LkEstimates, 1);
  self->model = model;
  self->factor = factor;
  if (model == MODEL_FACTOR || model == MODEL_TSAFRIR)
    self->random = lk_random_new (seed, LK_STREAM_ESTIMATES);
  *out_estimates = self;
  return TRUE;
}

void
lk_estimates_free (LkEstimates *self)
{
  if (self == NULL)
    return;
  if (self->random != NULL)
    gsl_rng_free (self->random);
  g_free (self);
}

static gint64
factor_estimate_us (const LkEstimates *self, gint64 run_us)
{
  double stretched_us = (double)run_us * (1.0 + self->factor * gsl_rng_uniform (self->random));
  gint64 estimate_us = (gint64)MIN (stretched_us, TIME_MAX_US);
  estimate_us = MAX (estimate_us, run_us);
  gint64 over_us = estimate_us % G_USEC_PER_SEC;
  return over_us == 0 ? estimate_us : estimate_us + (G_USEC_PER_SEC - over_us);
}

gint64
lk_estimates_apply (LkEstimates *self, gint64 run_us, gint64 estimate_us)
{
  LK_ASSERT (run_us >= 0);
  run_us = MAX (run_us, G_USEC_PER_SEC); /* a limit is above 0 */
  switch (self->model) {
  case MODEL_TRACE:
    return estimate_us;
  case MODEL_EXACT:
    return run_us;
  case MODEL_FACTOR:
    return factor_estimate_us (self, run_us);
  case MODEL_TSAFRIR:
    return lk_user_estimate_us (gsl_rng_uniform (self->random), run_us);
  default:
    g_assert_not_reached ();
  }
}
