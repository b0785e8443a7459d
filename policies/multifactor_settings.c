/* policies/multifactor_settings.c — see multifactor_settings.h. */
#include "policies/multifactor_settings.h"

#include "engine/assert.h"
#include "policies/order_util.h"
#include "policies/priority_factors.h"
#include "policies/tres_weights.h"

#define WEIGHT_MAX 4294967295.0
#define AGE_S_MAX 1e9

#define WEIGHT_PARAM(name, text)                                                                   \
  {                                                                                                \
    name, LK_PARAM_INTEGER, "", "0", 0.0, WEIGHT_MAX, text                                         \
  }

/* The order of lk_multifactor_params. */
enum {
  WEIGHT_AGE,
  WEIGHT_FAIRSHARE,
  WEIGHT_JOB_SIZE,
  WEIGHT_PARTITION,
  WEIGHT_QOS,
  WEIGHT_ASSOC,
  WEIGHT_TRES,
  MAX_AGE,
  FAVOR_SMALL,
  DAMPENING,
  FLAGS,
  TIES,
  CALC,
  COUNT
};

const LkParam lk_multifactor_params[] = {
  WEIGHT_PARAM ("weight_age", "PriorityWeightAge."),
  WEIGHT_PARAM ("weight_fairshare", "PriorityWeightFairshare."),
  WEIGHT_PARAM ("weight_job_size", "PriorityWeightJobSize."),
  WEIGHT_PARAM ("weight_partition", "PriorityWeightPartition."),
  WEIGHT_PARAM ("weight_qos", "PriorityWeightQOS."),
  WEIGHT_PARAM ("weight_assoc", "PriorityWeightAssoc."),
  { "weight_tres", LK_PARAM_TEXT, "", "", 0.0, 0.0,
    "PriorityWeightTRES, such as \"CPU=1000,GRES/gpu=3000\"; empty: none." },
  { "max_age_s", LK_PARAM_INTEGER, "s", "604800", 1.0, AGE_S_MAX,
    "PriorityMaxAge: from this wait on the age factor is 1." },
  { "favor_small", LK_PARAM_INTEGER, "", "0", 0.0, 1.0,
    "PriorityFavorSmall: 1 gives small jobs the large size factors." },
  { "fairshare_dampening", LK_PARAM_INTEGER, "", "1", 1.0, 65535.0,
    "FairShareDampeningFactor, of classic fairshare." },
  { "flags", LK_PARAM_TEXT, "", "", 0.0, 0.0,
    "PriorityFlags, joined by +, such as NO_FAIR_TREE+INCR_ONLY." },
  { "fair_tree_ties", LK_PARAM_TEXT, "", "slurm", 0.0, 0.0,
    "Sibling accounts with equal level fairshare: slurm, or documented (merged)." },
  { "calc", LK_PARAM_TEXT, "", "period", 0.0, 0.0,
    "When ages count: period (each PriorityCalcPeriod, as Slurm) or continuous (all the time)." },
  LK_ORDER_PARAM_END,
};

/* ---------------------------------------------------------------- texts */

static const struct {
  const char *name;
  uint32_t flag;
} flag_names[] = {
#define X(NAME, bit) { #NAME, LK_PRIORITY_##NAME },
  LK_PRIORITY_FLAGS (X)
#undef X
};

static uint32_t
find_flag (const char *text, size_t length)
{
  for (size_t i = 0; i < G_N_ELEMENTS (flag_names); i++)
    if (strlen (flag_names[i].name) == length
        && g_ascii_strncasecmp (flag_names[i].name, text, length) == 0)
      return flag_names[i].flag;
  return 0;
}

static void
refuse_flag (LkPolicyError *error, const char *text, size_t length)
{
  GString *message = g_string_new ("unknown flag '");
  g_string_append_len (message, text, (gssize)MIN (length, 16));
  g_string_append (message, "'; known:");
  for (size_t i = 0; i < G_N_ELEMENTS (flag_names); i++)
    g_string_append_printf (message, " %s", flag_names[i].name);
  lk_order_refuse (error, message->str);
  g_string_free (message, TRUE);
}

static int32_t
read_flags (const char *text, uint32_t *out_flags, LkPolicyError *error)
{
  uint32_t flags = 0;
  while (*text != '\0') {
    size_t length = strcspn (text, "+");
    uint32_t flag = find_flag (text, length);
    if (flag == 0) {
      refuse_flag (error, text, length);
      return 0;
    }
    flags |= flag;
    text += length;
    text += *text == '+' ? 1 : 0;
  }
  if ((flags & LK_PRIORITY_NO_NORMAL_ALL) != 0)
    flags |= LK_PRIORITY_NO_NORMAL_ASSOC | LK_PRIORITY_NO_NORMAL_PART | LK_PRIORITY_NO_NORMAL_QOS
             | LK_PRIORITY_NO_NORMAL_TRES;
  *out_flags = flags;
  return 1;
}

/* Which of two words a text is: 0 or 1. Returns 0 when it is neither. */
static int32_t
read_choice (const char *text, const char *const words[2], uint32_t *out_choice)
{
  for (uint32_t i = 0; i < 2; i++)
    if (strcmp (text, words[i]) == 0) {
      *out_choice = i;
      return 1;
    }
  return 0;
}

/* ---------------------------------------------------------------- reading */

static int32_t
read_texts (LkMultifactorSettings *self, const LkParamValue *values, LkPolicyError *error)
{
  static const char *const ties[2] = { "slurm", "documented" };
  static const char *const calc[2] = { "period", "continuous" };
  uint32_t choice = 0;
  const char *fault = lk_tres_weights_parse (values[WEIGHT_TRES].text, self->tres_weights);
  if (fault == NULL && !read_choice (values[CALC].text, calc, &self->is_continuous))
    fault = "calc must be period or continuous";
  if (fault == NULL && !read_choice (values[TIES].text, ties, &choice))
    fault = "fair_tree_ties must be slurm or documented";
  if (fault != NULL) {
    lk_order_refuse (error, fault);
    return 0;
  }
  self->ties = choice == 0 ? LK_FAIR_TREE_SLURM : LK_FAIR_TREE_DOCUMENTED;
  return read_flags (values[FLAGS].text, &self->flags, error);
}

int32_t
lk_multifactor_settings_read (LkMultifactorSettings *self, const LkParamValues *values,
                              LkPolicyError *error)
{
  const LkParamValue *value = values->values;
  LK_ASSERT (values->count == COUNT);
  *self = (LkMultifactorSettings){
    .age_weight = (double)value[WEIGHT_AGE].integer,
    .association_weight = (double)value[WEIGHT_ASSOC].integer,
    .fairshare_weight = (double)value[WEIGHT_FAIRSHARE].integer,
    .job_size_weight = (double)value[WEIGHT_JOB_SIZE].integer,
    .partition_weight = (double)value[WEIGHT_PARTITION].integer,
    .qos_weight = (double)value[WEIGHT_QOS].integer,
    .tres_weights = g_array_new (FALSE, FALSE, sizeof (LkTresWeight)),
    .max_age_us = value[MAX_AGE].integer * 1000000,
    .job_size_flags = value[FAVOR_SMALL].integer != 0 ? LK_JOB_SIZE_FAVOR_SMALL : 0,
    .classic = { .dampening = (uint32_t)value[DAMPENING].integer },
  };
  if (!read_texts (self, value, error)) {
    lk_multifactor_settings_clear (self);
    return 0;
  }
  if ((self->flags & LK_PRIORITY_SMALL_RELATIVE_TO_TIME) != 0)
    self->job_size_flags |= LK_JOB_SIZE_RELATIVE_TO_TIME;
  self->classic.depth_oblivious = (self->flags & LK_PRIORITY_DEPTH_OBLIVIOUS) != 0;
  /* Slurm: DEPTH_OBLIVIOUS is a form of classic fairshare. */
  self->is_fair_tree =
      (self->flags & (LK_PRIORITY_NO_FAIR_TREE | LK_PRIORITY_DEPTH_OBLIVIOUS)) == 0;
  return 1;
}

void
lk_multifactor_settings_clear (LkMultifactorSettings *self)
{
  g_array_unref (self->tres_weights);
  self->tres_weights = NULL;
}
