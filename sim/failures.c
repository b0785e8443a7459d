/* sim/failures.c — see failures.h: the model, and what is common.
 *
 * Event number e of a node draws from block e << EVENT_BLOCK_SHIFT of the node's stream, so that
 * the only state of a node is the number of its events. */
#include "sim/failures.h"

#include <gsl/gsl_randist.h>
#include <math.h>
#include <string.h>

#include "engine/assert.h"
#include "engine/suggest.h"
#include "sim/arguments.h"
#include "sim/error.h"
#include "engine/event_heap.h"
#include "sim/failures_list.h"
#include "traces/random.h"

#define SHAPE_DEFAULT 0.7
#define REPAIR_SHAPE_DEFAULT 1.0
/* Outside these the mean of a Weibull distribution has nothing to do with what is drawn. */
#define MTBF_MIN_S 60.0
#define SHAPE_MIN 0.1
#define SHAPE_MAX 100.0
#define EVENT_BLOCK_SHIFT 16
#define TIME_MAX_S 4e12
/* Ten times as long as a node needs to fail and come back, and at least two weeks. */
#define ROUND_CYCLES 10
#define ROUND_MIN_S (14 * 86400.0)

typedef struct {
  double up_shape;
  double up_scale_s;
  double down_shape;
  double down_scale_s;
  double cycle_s; /* mean time from a failure to the next */
  guint64 seed;
} Model;

struct _LkFailures {
  /* A model; `random` is NULL for a list. */
  Model model;
  gsl_rng *random;
  LkEventHeap heap;      /* the next event of each node: rank and slot are its index */
  guint32 *event_counts; /* of each node, so far: even numbers are up */
  /* A list. */
  GArray *events;
  guint next_index;
  GStringChunk *reasons;
};

/* ---------------------------------------------------------------- the model */

static double
up_s (const LkFailures *self, gboolean is_first)
{
  const Model *model = &self->model;
  if (!is_first)
    return gsl_ran_weibull (self->random, model->up_scale_s, model->up_shape);
  /* The life that a random moment falls into is longer in proportion to its length: a Weibull
   * distribution weighted so is this power of a gamma distribution. What is left of it is an even
   * share. */
  double power = gsl_ran_gamma (self->random, 1 + 1 / model->up_shape, 1);
  double life_s = model->up_scale_s * pow (power, 1 / model->up_shape);
  return life_s * gsl_rng_uniform (self->random);
}

static void
node_schedule (LkFailures *self, guint32 node_index, gint64 now_us)
{
  guint32 event_count = self->event_counts[node_index];
  lk_random_seek (self->random, self->model.seed, (guint64)LK_STREAM_NODES + node_index,
                  (guint64)event_count << EVENT_BLOCK_SHIFT);
  double wait_s = event_count % 2 == 0 ? up_s (self, event_count == 0)
                                       : gsl_ran_weibull (self->random, self->model.down_scale_s,
                                                          self->model.down_shape);
  gint64 now_s = now_us / G_USEC_PER_SEC;
  double then_s = (double)now_s + MAX (ceil (wait_s), 1);
  if (!(then_s <= TIME_MAX_S))
    return;
  LkHeapEvent event = { (gint64)then_s * G_USEC_PER_SEC, node_index, node_index };
  lk_event_heap_push (&self->heap, event);
}

static gboolean
model_next (LkFailures *self, LkNodeEvent *out_event)
{
  const LkHeapEvent *first = lk_event_heap_first (&self->heap);
  if (first == NULL)
    return FALSE;
  guint32 node_index = first->slot;
  gboolean is_down = self->event_counts[node_index]++ % 2 == 0;
  *out_event = (LkNodeEvent){
    .time_us = first->time_us,
    .node_index = node_index,
    .kind = is_down ? LK_EVENT_NODE_DOWN : LK_EVENT_NODE_UP,
    .reason = is_down ? "failure" : "",
  };
  lk_event_heap_pop (&self->heap);
  node_schedule (self, node_index, out_event->time_us);
  return TRUE;
}

/* ---------------------------------------------------------------- its text */

typedef enum { KEY_MTBF, KEY_MTTR, KEY_SHAPE, KEY_REPAIR_SHAPE, KEY_SEED, KEY_COUNT } Key;

static const char *const key_names[KEY_COUNT + 1] = { "mtbf",         "mttr", "shape",
                                                      "repair_shape", "seed", NULL };

/* The texts behind the keys, NULL for those not given, in a copy of `spec` that is cut up. */
static gboolean
spec_split (char *spec, const char *values[KEY_COUNT], GError **error)
{
  while (spec != NULL) {
    char *item = spec;
    char *comma = strchr (spec, ',');
    spec = comma != NULL ? comma + 1 : NULL;
    if (comma != NULL)
      *comma = '\0';
    char *equals = strchr (item, '=');
    if (equals != NULL)
      *equals = '\0';
    guint key = 0;
    while (key < KEY_COUNT && strcmp (item, key_names[key]) != 0)
      key++;
    if (key == KEY_COUNT || equals == NULL || values[key] != NULL) {
      g_autofree char *phrase =
          key == KEY_COUNT
              ? lk_suggest_phrase (item, key_names)
              : g_strdup (equals == NULL ? "; expected it with a value" : "; expected it once");
      g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE, "--failures has '%s'%s", item, phrase);
      return FALSE;
    }
    values[key] = equals + 1;
  }
  return TRUE;
}

static gboolean
mean_parse (Key key, const char *text, double *out_mean_s, GError **error)
{
  gint64 mean_us = 0;
  g_autofree char *option = g_strdup_printf ("%s of --failures", key_names[key]);
  if (text == NULL) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
                 "--failures has no %s; expected mtbf=TIME,mttr=TIME", key_names[key]);
    return FALSE;
  }
  if (!lk_argument_duration_us (option, text, &mean_us, error))
    return FALSE;
  if (mean_us < G_USEC_PER_SEC) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE, "%s is '%s'; expected at least a second",
                 option, text);
    return FALSE;
  }
  *out_mean_s = (double)mean_us / G_USEC_PER_SEC;
  return TRUE;
}

/* With less, failures alone are more events than any log has, and the run comes to no end. */
static gboolean
check_mtbf (const char *text, double mtbf_s, GError **error)
{
  if (mtbf_s >= MTBF_MIN_S)
    return TRUE;
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
               "mtbf of --failures is '%s'; expected at least a minute, as no job would end", text);
  return FALSE;
}

static gboolean
shape_parse (Key key, const char *text, double *out_shape, GError **error)
{
  g_autofree char *option = g_strdup_printf ("%s of --failures", key_names[key]);
  if (text == NULL)
    return TRUE;
  return lk_argument_ratio_range (option, text, SHAPE_MIN, SHAPE_MAX, out_shape, error);
}

static gboolean
seed_parse (const char *text, guint64 *out_seed, GError **error)
{
  if (text == NULL || g_ascii_string_to_unsigned (text, 10, 0, G_MAXUINT64, out_seed, NULL))
    return TRUE;
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
               "seed of --failures is '%s'; expected a whole number >= 0", text);
  return FALSE;
}

/* The scale of a Weibull distribution with this mean. */
static double
weibull_scale (double mean, double shape)
{
  return mean / tgamma (1 + 1 / shape);
}

static gboolean
model_parse (const char *spec, Model *out_model, GError **error)
{
  const char *values[KEY_COUNT] = { NULL };
  g_autofree char *copy = g_strdup (spec);
  double mtbf_s = 0;
  double mttr_s = 0;
  Model model = { .up_shape = SHAPE_DEFAULT, .down_shape = REPAIR_SHAPE_DEFAULT, .seed = 1 };
  if (!spec_split (copy, values, error) || !mean_parse (KEY_MTBF, values[KEY_MTBF], &mtbf_s, error)
      || !check_mtbf (values[KEY_MTBF], mtbf_s, error)
      || !mean_parse (KEY_MTTR, values[KEY_MTTR], &mttr_s, error)
      || !shape_parse (KEY_SHAPE, values[KEY_SHAPE], &model.up_shape, error)
      || !shape_parse (KEY_REPAIR_SHAPE, values[KEY_REPAIR_SHAPE], &model.down_shape, error)
      || !seed_parse (values[KEY_SEED], &model.seed, error))
    return FALSE;
  model.up_scale_s = weibull_scale (mtbf_s, model.up_shape);
  model.down_scale_s = weibull_scale (mttr_s, model.down_shape);
  model.cycle_s = mtbf_s + mttr_s;
  *out_model = model;
  return TRUE;
}

static LkFailures *
model_new (const char *spec, guint32 node_count, GError **error)
{
  Model model;
  if (!model_parse (spec, &model, error))
    return NULL;
  LkFailures *self = g_new0 (LkFailures, 1);
  self->model = model;
  self->random = lk_random_new (model.seed, LK_STREAM_NODES);
  self->event_counts = g_new0 (guint32, node_count);
  lk_event_heap_init (&self->heap);
  for (guint32 i = 0; i < node_count; i++)
    node_schedule (self, i, 0);
  return self;
}

/* ---------------------------------------------------------------- lists */

static LkFailures *
list_new (LkInput *input, const LkFailureNodes *nodes, GError **error)
{
  g_autoptr (LkFailures) self = g_new0 (LkFailures, 1);
  self->events = g_array_new (FALSE, FALSE, sizeof (LkNodeEvent));
  self->reasons = g_string_chunk_new (1024);
  if (!lk_failures_list_read (input, nodes, self->reasons, self->events, error))
    return NULL;
  return g_steal_pointer (&self);
}

LkFailures *
lk_failures_new_from_bytes (const char *name, const guint8 *bytes, gsize length_bytes,
                            const LkFailureNodes *nodes, GError **error)
{
  g_autoptr (LkInput) input = lk_input_new_from_bytes (name, bytes, length_bytes, error);
  return input != NULL ? list_new (input, nodes, error) : NULL;
}

/* ---------------------------------------------------------------- both */

LkFailures *
lk_failures_new (const char *spec, const LkFailureNodes *nodes, GError **error)
{
  gboolean is_file = g_str_has_prefix (spec, "file:");
  if (!is_file && strchr (spec, '=') != NULL)
    return model_new (spec, nodes->names->len, error);
  g_autoptr (LkInput) input = lk_input_new (is_file ? spec + strlen ("file:") : spec, error);
  if (input == NULL) {
    g_prefix_error (error, "--failures: ");
    return NULL;
  }
  return list_new (input, nodes, error);
}

void
lk_failures_free (LkFailures *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->random, gsl_rng_free);
  g_clear_pointer (&self->events, g_array_unref);
  g_clear_pointer (&self->reasons, g_string_chunk_free);
  lk_event_heap_clear (&self->heap);
  g_free (self->event_counts);
  g_free (self);
}

gboolean
lk_failures_next (LkFailures *self, LkNodeEvent *out_event)
{
  if (self->random != NULL)
    return model_next (self, out_event);
  if (self->next_index >= self->events->len)
    return FALSE;
  *out_event = g_array_index (self->events, LkNodeEvent, self->next_index++);
  return TRUE;
}

gint64
lk_failures_round_us (const LkFailures *self)
{
  double round_s = MAX (ROUND_CYCLES * self->model.cycle_s, ROUND_MIN_S);
  return self->random != NULL ? (gint64)MIN (round_s, TIME_MAX_S) * G_USEC_PER_SEC : 0;
}
