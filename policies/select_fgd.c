/* policies/select_fgd.c — fragmentation gradient descent: the node and GPU that are fragmented the
 * least by the job.
 *
 * The workload that fragments are measured against (policies/fgd_measure.h) is that of the jobs
 * submitted so far: what each asks of one node is a class, and how many jobs ask so is its
 * popularity.  The table of classes is bounded: when it is full, a new class takes the place of the
 * least frequent one, of equally frequent ones of that which has been in it for longest.  Or the
 * parameter `workload` fixes the classes.
 *
 * Invariant: classes stand in the order in which they came in, each once. */
#include "policies/fgd_measure.h"
#include "policies/node_score.h"
#include "policies/selects.h"

#include <string.h>

enum { PARAM_CLASSES, PARAM_WORKLOAD };

#define CLASS_BYTES 24u
#define NUMBER_MAX 1000000000u

typedef struct {
  LkNodeScores scores;    /* room for work, no state */
  LkFgdWorkload workload; /* likewise: the classes in order */
  uint32_t class_max;
  uint32_t class_count;
  gboolean is_fixed; /* by the parameter */
  LkFgdClass classes[LK_FGD_CLASS_MAX];
} Fgd;

/* ---------------------------------------------------------------- classes */

static gboolean
is_same_class (const LkFgdClass *a, const LkFgdClass *b)
{
  return a->cpus == b->cpus && a->gpus == b->gpus && a->shares == b->shares
         && a->gpu_type == b->gpu_type;
}

static void
drop_least_frequent (Fgd *self)
{
  uint32_t least = 0;
  for (uint32_t m = 1; m < self->class_count; m++)
    if (self->classes[m].count < self->classes[least].count)
      least = m;
  self->class_count--;
  memmove (&self->classes[least], &self->classes[least + 1],
           (self->class_count - least) * sizeof (LkFgdClass));
}

static void
count_class (Fgd *self, const LkFgdClass *class)
{
  for (uint32_t m = 0; m < self->class_count; m++)
    if (is_same_class (&self->classes[m], class)) {
      self->classes[m].count += class->count;
      return;
    }
  if (self->class_count == self->class_max)
    drop_least_frequent (self);
  self->classes[self->class_count++] = *class;
}

static LkFgdClass
class_of (const LkDemand *demand)
{
  LkNodePart part = lk_node_part_of (demand);
  LkFgdClass class = { .cpus = part.cpus,
                       .gpus = part.shares > 0 ? 0 : part.gpus,
                       .shares = part.shares,
                       .gpu_type = demand->gpu_type,
                       .count = 1 };
  return class;
}

static void
fgd_job_submitted (void *user, const LkView *view, LkJobIndex job)
{
  Fgd *self = user;
  LkDemand demand;
  memset (&demand, 0, sizeof demand);
  demand.size = sizeof demand;
  if (self->is_fixed || view->host->job_demand (view, job, &demand) == 0)
    return;
  LkFgdClass class = class_of (&demand);
  count_class (self, &class);
}

/* ---------------------------------------------------------------- the parameter workload */

/* Reads digits and the sign behind them. */
static gboolean
read_number (const char **at, const char *ends, uint32_t *out_number)
{
  uint64_t number = 0;
  if (!g_ascii_isdigit (**at))
    return FALSE;
  for (; g_ascii_isdigit (**at) && number <= NUMBER_MAX; (*at)++)
    number = number * 10 + (uint64_t)(**at - '0');
  if (number > NUMBER_MAX || strchr (ends, **at) == NULL)
    return FALSE;
  *out_number = (uint32_t)number;
  return TRUE;
}

static gboolean
read_class (const char **at, LkFgdClass *out_class)
{
  static const char *const ends[4] = { ":", ":", ":", ";" };
  uint32_t numbers[4];
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++) {
    if (!read_number (at, ends[i], &numbers[i]))
      return FALSE;
    *at += **at != '\0' ? 1 : 0;
  }
  if (numbers[3] == 0 || (numbers[1] > 0 && numbers[2] > 0))
    return FALSE;
  *out_class = (LkFgdClass){
    .cpus = numbers[0], .gpus = numbers[1], .shares = numbers[2], .count = numbers[3]
  };
  return TRUE;
}

static gboolean
read_workload (Fgd *self, const char *text, LkPolicyError *error)
{
  const char *at = text;
  for (uint32_t number = 1; *at != '\0'; number++) {
    LkFgdClass class;
    if (number > LK_FGD_CLASS_MAX) {
      g_snprintf (error->text, sizeof error->text, "parameter 'workload': more than %u classes",
                  (guint)LK_FGD_CLASS_MAX);
      return FALSE;
    }
    if (!read_class (&at, &class)) {
      g_snprintf (error->text, sizeof error->text,
                  "parameter 'workload', class %u: expected CPUS:GPUS:SHARES:COUNT, whole numbers, "
                  "COUNT at least 1, GPUS or SHARES 0; found '%.40s'",
                  number, text);
      return FALSE;
    }
    count_class (self, &class);
  }
  self->is_fixed = self->class_count > 0;
  return TRUE;
}

/* ---------------------------------------------------------------- the choice */

static LkFgdNode
node_of (const LkOffer *offer)
{
  LkFgdNode node = { .cpus_free = offer->cpus_free,
                     .gpu_type = offer->gpu_type,
                     .device_count = offer->device_count,
                     .shares_per_device = offer->shares_per_device,
                     .device_shares_free = offer->device_shares_free };
  return node;
}

/* Idle nodes of one kind stand in rows. */
static gboolean
is_same_node (const LkFgdNode *a, const LkFgdNode *b)
{
  return a->cpus_free == b->cpus_free && a->gpu_type == b->gpu_type
         && a->device_count == b->device_count && a->shares_per_device == b->shares_per_device
         && (a->device_count == 0
             || memcmp (a->device_shares_free, b->device_shares_free,
                        a->device_count * sizeof (uint32_t))
                    == 0);
}

static void
score_offers (Fgd *self, const LkDemand *demand, const LkOffer *offers, uint32_t offer_count)
{
  LkNodeScores *scores = &self->scores;
  LkFgdClass task = class_of (demand);
  LkFgdNode last = { 0 };
  lk_fgd_workload_set (&self->workload, self->classes, self->class_count);
  for (uint32_t i = 0; i < offer_count; i++) {
    LkFgdNode node = node_of (&offers[i]);
    if (i > 0 && is_same_node (&node, &last)) {
      scores->score[i] = scores->score[i - 1];
      scores->devices[i] = scores->devices[i - 1];
    } else {
      uint32_t device = LK_NODE_NONE;
      scores->score[i] = lk_fgd_change (&self->workload, &node, &task, &device);
      scores->devices[i] = device == LK_NODE_NONE ? 0 : UINT64_C (1) << device;
    }
    last = node;
  }
}

static int32_t
fgd_choose (void *user, const LkView *view, const LkDemand *demand, const LkOffers *offers,
            LkPick *picks, uint32_t *out_pick_count)
{
  Fgd *self = user;
  lk_node_scores_begin (&self->scores, view, demand, offers->items, offers->count);
  score_offers (self, demand, offers->items, offers->count);
  return lk_node_scores_run (&self->scores, picks, out_pick_count);
}

/* ---------------------------------------------------------------- life */

static void
fgd_destroy (void *user)
{
  Fgd *self = user;
  if (self != NULL)
    lk_node_scores_clear (&self->scores);
  g_free (self);
}

static void *
fgd_create (const LkParamValues *values, LkPolicyError *error)
{
  Fgd *self = g_new0 (Fgd, 1);
  lk_node_scores_init (&self->scores);
  self->class_max = LK_FGD_CLASS_MAX;
  if (!read_workload (self, values->values[PARAM_WORKLOAD].text, error)) {
    fgd_destroy (self);
    return NULL;
  }
  self->class_max = (uint32_t)values->values[PARAM_CLASSES].integer;
  return self;
}

static void
put_u32 (LkPut put, void *sink, uint32_t value)
{
  uint32_t little = GUINT32_TO_LE (value);
  put (sink, &little, sizeof little);
}

/* Each class in order, its count last and twice as wide. */
static void
fgd_save (void *user, const LkView *view, LkPut put, void *sink)
{
  const Fgd *self = user;
  (void)view;
  for (uint32_t m = 0; m < self->class_count && !self->is_fixed; m++) {
    const LkFgdClass *class = &self->classes[m];
    put_u32 (put, sink, class->cpus);
    put_u32 (put, sink, class->gpus);
    put_u32 (put, sink, class->shares);
    put_u32 (put, sink, class->gpu_type);
    put_u32 (put, sink, (uint32_t) class->count);
    put_u32 (put, sink, (uint32_t)(class->count >> 32));
  }
}

static uint32_t
read_u32 (const uint8_t *bytes)
{
  return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static int32_t
fgd_load (void *user, const LkView *view, const uint8_t *bytes, uint32_t byte_count)
{
  Fgd *self = user;
  (void)view;
  if (self->is_fixed)
    return byte_count == 0;
  if (byte_count % CLASS_BYTES != 0 || byte_count / CLASS_BYTES > self->class_max)
    return 0;
  for (uint32_t at = 0; at < byte_count; at += CLASS_BYTES) {
    LkFgdClass class = { .cpus = read_u32 (bytes + at),
                         .gpus = read_u32 (bytes + at + 4),
                         .shares = read_u32 (bytes + at + 8),
                         .gpu_type = read_u32 (bytes + at + 12),
                         .count = read_u32 (bytes + at + 16)
                                  | (uint64_t)read_u32 (bytes + at + 20) << 32 };
    for (uint32_t m = 0; m < self->class_count; m++)
      if (is_same_class (&self->classes[m], &class))
        return 0;
    if (class.count == 0 || (class.gpus > 0 && class.shares > 0))
      return 0;
    self->classes[self->class_count++] = class;
  }
  return 1;
}

static const LkParam fgd_params[] = {
  { "classes", LK_PARAM_INTEGER, "", "64", 1, LK_FGD_CLASS_MAX,
    "most classes of tasks that are told apart; the least frequent ones are forgotten" },
  { "workload", LK_PARAM_TEXT, "", "", 0, 0,
    "fixes the classes, as CPUS:GPUS:SHARES:COUNT;...; empty: they are learned from what is "
    "submitted" },
  { NULL, 0, NULL, NULL, 0, 0, NULL },
};

const LkSelectPolicy lk_select_fgd = {
  .base = { .abi = LK_POLICY_ABI,
            .size = sizeof (LkSelectPolicy),
            .seam = LK_SEAM_SELECT,
            .version = 1,
            .name = "fgd",
            .summary = "the node and GPU that the job fragments the least (Weng et al., ATC 2023)",
            .params = fgd_params,
            .create = fgd_create,
            .destroy = fgd_destroy,
            .save = fgd_save,
            .load = fgd_load },
  .choose = fgd_choose,
  .job_submitted = fgd_job_submitted,
};
