/* tests/policies/fake_policies.c — see fake_policies.h. */
#include "tests/policies/fake_policies.h"

#include <string.h>

static void *
fake_create (const LkParamValues *values, LkPolicyError *error)
{
  (void)error;
  g_assert_cmpuint (values->size, ==, sizeof *values);
  return g_new0 (char, 1);
}

static void *
fake_formula_create (const LkParamValues *values, LkPolicyError *error)
{
  g_assert_cmpuint (values->count, ==, 1);
  if (strchr (values->values[0].text, '?') != NULL) {
    g_strlcpy (error->text, "formula column 3: '?' is no operator", sizeof error->text);
    return NULL;
  }
  return g_new0 (char, 1);
}

static int64_t
fake_key (void *self, const LkView *view, LkJobIndex job)
{
  (void)self;
  (void)view;
  return (int64_t)job;
}

static void
fake_pass (void *self, const LkView *view, const LkPassOps *ops, void *pass)
{
  (void)self;
  (void)view;
  (void)ops;
  (void)pass;
}

static uint32_t
fake_demand (void *self, const LkView *view, LkJobIndex job)
{
  (void)self;
  return view->jobs->procs[job];
}

#define FAKE_BASE(type, seam_, version_, name_, params_, create_)                                  \
  .base = { .abi = LK_POLICY_ABI,                                                                  \
            .size = sizeof (type),                                                                 \
            .seam = seam_,                                                                         \
            .version = version_,                                                                   \
            .name = name_,                                                                         \
            .summary = "for tests",                                                                \
            .params = params_,                                                                     \
            .create = create_,                                                                     \
            .destroy = g_free }

static const LkParam score_params[] = {
  { "ratio", LK_PARAM_REAL, "", "1", 0.0, 1e9, "a ratio" },
  { "depth", LK_PARAM_INTEGER, "jobs", "5", 1, 1000, "a depth" },
  { "label", LK_PARAM_TEXT, "", "none", 0, 0, "a label" },
  { NULL, 0, NULL, NULL, 0, 0, NULL },
};
const LkOrderPolicy fake_score = {
  FAKE_BASE (LkOrderPolicy, LK_SEAM_ORDER, 7, "fake_score", score_params, fake_create),
  .key = fake_key,
};

static const LkParam formula_params[] = {
  { "formula", LK_PARAM_TEXT, "", NULL, 0, 0, "what to compute" },
  { NULL, 0, NULL, NULL, 0, 0, NULL },
};
const LkOrderPolicy fake_formula = {
  FAKE_BASE (LkOrderPolicy, LK_SEAM_ORDER, 1, "fake_formula", formula_params, fake_formula_create),
  .key = fake_key,
};

static const LkParam backfill_params[] = {
  { "order", LK_PARAM_ORDER, "", "", 0, 0, "the order of candidates; empty: as the queue" },
  { "reservations", LK_PARAM_INTEGER, "", "1", 1, 1000, "how many" },
  { NULL, 0, NULL, NULL, 0, 0, NULL },
};
const LkBackfillPolicy fake_backfill = {
  FAKE_BASE (LkBackfillPolicy, LK_SEAM_BACKFILL, 2, "fake_backfill", backfill_params, fake_create),
  .pass = fake_pass,
};

static const LkParam no_params[] = { { NULL, 0, NULL, NULL, 0, 0, NULL } };
const LkSelectPolicy fake_select = {
  FAKE_BASE (LkSelectPolicy, LK_SEAM_SELECT, 3, "fake_select", no_params, fake_create),
  .demand = fake_demand,
};

LkRegistry *
fake_registry (void)
{
  LkRegistry *registry = lk_registry_new ();
  const LkPolicy *fakes[] = { &fake_score.base, &fake_formula.base, &fake_backfill.base,
                              &fake_select.base };
  for (guint i = 0; i < G_N_ELEMENTS (fakes); i++) {
    g_autoptr (GError) error = NULL;
    lk_registry_add (registry, fakes[i], "fake build", "test", &error);
    g_assert_no_error (error);
  }
  return registry;
}
