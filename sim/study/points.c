/* sim/study/points.c — the points of a plan's parameters: a grid, random draws, or a latin
 * hypercube. See plan_private.h.
 *
 * Latin hypercube: McKay, Beckman & Conover 1979: of n samples each takes another n-th of every
 * range, and lies anywhere in it; which, is a permutation of its own for each parameter.  Each
 * parameter draws from a stream of its own, so that one that is added moves no other. */
#include <math.h>
#include <string.h>

#include "policies/spec.h"
#include "sim/study/plan_private.h"
#include "traces/random.h"

/* Whole numbers up to here are exact in a double. */
#define INTEGER_MAX 9007199254740992.0

static char *
number_text (double value, gboolean is_integer)
{
  if (is_integer && fabs (value) < INTEGER_MAX)
    return g_strdup_printf ("%" G_GINT64_FORMAT, (gint64)llround (value));
  return lk_spec_real_text (value);
}

char *
lk_study_parameter_text (const LkStudyParameter *self, double unit)
{
  if (self->values != NULL) {
    guint index = (guint)MIN (floor (unit * self->values->len), (double)self->values->len - 1);
    return g_strdup (g_ptr_array_index (self->values, index));
  }
  double value;
  if (self->is_log)
    value = exp (log (self->from) + unit * (log (self->to) - log (self->from)));
  else if (self->is_integer) /* each whole number is as likely */
    value = floor (self->from + unit * (self->to - self->from + 1));
  else
    value = self->from + unit * (self->to - self->from);
  return number_text (CLAMP (value, self->from, self->to), self->is_integer);
}

static GPtrArray *
points_empty (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify)g_ptr_array_unref);
}

static void
point_add (GPtrArray *point, const LkStudyParameter *parameter, char *text)
{
  g_ptr_array_add (point, lk_study_setting_new (parameter->name, text, parameter->place));
  g_free (text);
}

static gboolean
too_many (const LkStudySampling *sampling, guint64 count, char **out_problem)
{
  if (count * sampling->parameters->len <= sampling->values_max)
    return FALSE;
  *out_problem = g_strdup_printf ("too many points; a plan has at most %u values in them",
                                  LK_STUDY_VALUES_MAX);
  return TRUE;
}

/* ---------------------------------------------------------------- grid */

/* (transfer full) of text; NULL: a range without a step. */
static GPtrArray *
grid_values (const LkStudyParameter *parameter)
{
  if (parameter->values != NULL)
    return g_ptr_array_ref (parameter->values);
  if (parameter->step == 0)
    return NULL;
  GPtrArray *values = g_ptr_array_new_with_free_func (g_free);
  double span = parameter->to - parameter->from;
  guint count = (guint)floor (span / parameter->step * (1 + 1e-12)) + 1;
  for (guint i = 0; i < count; i++)
    g_ptr_array_add (values,
                     number_text (MIN (parameter->from + i * parameter->step, parameter->to),
                                  parameter->is_integer));
  return values;
}

static GPtrArray *
grid_points (const LkStudySampling *sampling, char **out_problem)
{
  const GPtrArray *parameters = sampling->parameters;
  g_autoptr (GPtrArray) lists = points_empty ();
  guint64 count = 1;
  for (guint p = 0; p < parameters->len; p++) {
    const LkStudyParameter *parameter = g_ptr_array_index (parameters, p);
    GPtrArray *values = grid_values (parameter);
    if (values == NULL) {
      *out_problem =
          g_strdup_printf ("'%s' is a range without 'step', which a grid needs", parameter->name);
      return NULL;
    }
    g_ptr_array_add (lists, values);
    count *= values->len;
    if (too_many (sampling, count, out_problem))
      return NULL;
  }
  GPtrArray *points = points_empty ();
  for (guint64 i = 0; i < count; i++) {
    GPtrArray *point = lk_study_settings_new ();
    guint64 rest = count;
    for (guint p = 0; p < parameters->len; p++) {
      const GPtrArray *values = g_ptr_array_index (lists, p);
      rest /= values->len; /* the last one changes fastest */
      point_add (point, g_ptr_array_index (parameters, p),
                 g_strdup (g_ptr_array_index (values, (guint)(i / rest % values->len))));
    }
    g_ptr_array_add (points, point);
  }
  return points;
}

/* ---------------------------------------------------------------- draws */

/* (transfer full): which n-th each sample takes. */
static guint *
permutation (gsl_rng *random, guint count)
{
  guint *places = g_new (guint, count);
  for (guint i = 0; i < count; i++)
    places[i] = i;
  for (guint i = count; i > 1; i--) {
    guint j = (guint)lk_random_below (random, i);
    guint kept = places[i - 1];
    places[i - 1] = places[j];
    places[j] = kept;
  }
  return places;
}

static GPtrArray *
drawn_points (const LkStudySampling *sampling, char **out_problem)
{
  guint count = sampling->sample_count;
  if (too_many (sampling, count, out_problem))
    return NULL;
  for (guint p = 0; p < sampling->parameters->len; p++) {
    const LkStudyParameter *parameter = g_ptr_array_index (sampling->parameters, p);
    if (parameter->step > 0) {
      *out_problem =
          g_strdup_printf ("'%s' has a 'step', which only a grid heeds", parameter->name);
      return NULL;
    }
  }
  GPtrArray *points = points_empty ();
  for (guint i = 0; i < count; i++)
    g_ptr_array_add (points, lk_study_settings_new ());
  for (guint p = 0; p < sampling->parameters->len; p++) {
    const LkStudyParameter *parameter = g_ptr_array_index (sampling->parameters, p);
    g_autoptr (gsl_rng) random = lk_random_new (sampling->seed, LK_STREAM_STUDY + p);
    g_autofree guint *places = sampling->how == LK_STUDY_LATIN ? permutation (random, count) : NULL;
    for (guint i = 0; i < count; i++) {
      double unit = gsl_rng_uniform (random);
      if (places != NULL)
        unit = (places[i] + unit) / count;
      point_add (g_ptr_array_index (points, i), parameter,
                 lk_study_parameter_text (parameter, unit));
    }
  }
  return points;
}

GPtrArray *
lk_study_points_new (const LkStudySampling *sampling, char **out_problem)
{
  return sampling->how == LK_STUDY_GRID ? grid_points (sampling, out_problem)
                                        : drawn_points (sampling, out_problem);
}
