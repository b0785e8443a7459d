/* tests/policies/orders_fixture.c — see orders_fixture.h. */
#include "tests/policies/orders_fixture.h"

#include "engine/real.h"

static double
user_usage (const LkView *view, uint32_t user_id)
{
  g_assert_nonnull (view);
  return 1000.0 * (double)user_id;
}

const LkHost *
orders_host (void)
{
  static const LkHost host = {
    .size = sizeof (LkHost),
    .abi = LK_POLICY_ABI,
    .log2 = lk_real_log2,
    .log10 = lk_real_log10,
    .exp2 = lk_real_exp2,
    .user_usage = user_usage,
  };
  return &host;
}

OrdersFixture *
orders_fixture_new (gint64 now_us)
{
  OrdersFixture *self = g_new0 (OrdersFixture, 1);
  self->columns = (LkJobColumns){
    .id = self->id,
    .user_id = self->user_id,
    .group_id = self->group_id,
    .partition_id = self->partition_id,
    .procs = self->procs,
    .units = self->procs,
    .submit_us = self->submit_us,
    .estimate_us = self->estimate_us,
  };
  self->view = (LkView){
    .size = sizeof (LkView),
    .now_us = now_us,
    .origin_us = 0,
    .jobs = &self->columns,
    .host = orders_host (),
  };
  return self;
}

void
orders_fixture_free (OrdersFixture *self)
{
  g_free (self);
}

LkJobIndex
orders_fixture_add (OrdersFixture *self, const OrdersJob *job)
{
  LkJobIndex index = self->view.job_index_limit;
  g_assert_cmpuint (index, <, ORDERS_JOBS_MAX);
  self->id[index] = index + 1;
  self->user_id[index] = job->user_id;
  self->group_id[index] = job->group_id;
  self->partition_id[index] = job->partition_id;
  self->procs[index] = job->procs;
  self->submit_us[index] = job->submit_us;
  self->estimate_us[index] = job->estimate_us;
  self->view.job_index_limit++;
  self->view.pending_count++;
  return index;
}

LkJobIndex
orders_fixture_add_s (OrdersFixture *self, gint64 submit_s, gint64 estimate_s, guint32 procs)
{
  OrdersJob job = { .submit_us = submit_s * G_USEC_PER_SEC,
                    .estimate_us = estimate_s * G_USEC_PER_SEC,
                    .procs = procs };
  return orders_fixture_add (self, &job);
}

OrdersFixture *
orders_fixture_new_worked (void)
{
  OrdersFixture *self = orders_fixture_new (1000 * G_USEC_PER_SEC);
  orders_fixture_add_s (self, 100, 100, 4);
  orders_fixture_add_s (self, 400, 1000, 1);
  orders_fixture_add_s (self, 900, 10, 64);
  return self;
}

void *
order_new (const LkOrderPolicy *policy, const LkParamValue *values, guint value_count)
{
  LkParamValues all = {
    .size = sizeof all, .count = value_count, .values = values, .host = orders_host ()
  };
  LkPolicyError error = { "" };
  void *instance = policy->base.create (&all, &error);
  if (instance == NULL)
    g_error ("%s: %s", policy->base.name, error.text);
  return instance;
}

void *
order_new_default (const LkOrderPolicy *policy)
{
  LkParamValue values[2];
  guint count = 0;
  for (const LkParam *param = policy->base.params; param->name != NULL; param++) {
    g_assert_cmpuint (count, <, G_N_ELEMENTS (values));
    g_assert_cmpuint (param->type, ==, LK_PARAM_REAL);
    values[count++].real = g_ascii_strtod (param->default_value, NULL);
  }
  return order_new (policy, values, count);
}

typedef struct {
  gint64 key;
  gint64 submit_us;
  guint32 id;
} Place;

static gint
compare_places (gconstpointer a_pointer, gconstpointer b_pointer)
{
  const Place *a = a_pointer;
  const Place *b = b_pointer;
  if (a->key != b->key)
    return a->key > b->key ? -1 : 1;
  if (a->submit_us != b->submit_us)
    return a->submit_us < b->submit_us ? -1 : 1;
  return a->id < b->id ? -1 : 1;
}

char *
orders_fixture_sorted (const OrdersFixture *self, const LkOrderPolicy *policy, void *instance)
{
  g_autoptr (GArray) places = g_array_new (FALSE, FALSE, sizeof (Place));
  for (LkJobIndex job = 0; job < self->view.job_index_limit; job++) {
    Place place = { policy->key (instance, &self->view, job), self->submit_us[job], self->id[job] };
    g_array_append_val (places, place);
  }
  g_array_sort (places, compare_places);
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < places->len; i++)
    g_string_append_printf (text, "%s%u", i == 0 ? "" : " ", g_array_index (places, Place, i).id);
  policy->base.destroy (instance);
  return g_string_free (text, FALSE);
}
