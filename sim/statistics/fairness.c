/* sim/statistics/fairness.c — see fairness.h. */
#include "sim/statistics/fairness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/assert.h"
#include "sim/metrics.h"

/* Slowdowns are summed in units of 2^-40, as in sim/metrics.c. */
#define SLOWDOWN_SCALE 1099511627776.0

__extension__ typedef unsigned __int128 Wide;

typedef struct {
  guint64 jobs;
  Wide slowdown; /* units of 1 / SLOWDOWN_SCALE */
} Sum;

struct _LkFairness {
  GHashTable *users;    /* gint64 * to its place in user_sums, plus 1; looked up only */
  GHashTable *accounts; /* char *, likewise */
  GArray *user_sums;    /* of Sum */
  GArray *account_sums;
};

static gint
compare_values (gconstpointer a, gconstpointer b)
{
  double x = *(const double *)a;
  double y = *(const double *)b;
  return x < y ? -1 : x > y;
}

double
lk_jain (const double *values, gsize count)
{
  double sum = 0;
  double squares = 0;
  for (gsize i = 0; i < count; i++) {
    sum += values[i];
    squares += values[i] * values[i];
  }
  return squares > 0 ? sum * sum / ((double)count * squares) : (double)NAN;
}

/* Of sorted values, the sum over all pairs of their distances is that over i of (2 i - n + 1) x_i,
 * twice. */
double
lk_gini (double *values, gsize count)
{
  double sum = 0;
  double distances = 0;
  if (count > 0) /* qsort takes no NULL, not even for nothing */
    qsort (values, count, sizeof *values, compare_values);
  for (gsize i = 0; i < count; i++) {
    LK_ASSERT (values[i] >= 0);
    sum += values[i];
    distances += (2.0 * (double)i - (double)count + 1) * values[i];
  }
  return sum > 0 ? distances / ((double)count * sum) : (double)NAN;
}

LkFairness *
lk_fairness_new (void)
{
  LkFairness *self = g_new (LkFairness, 1);
  self->users = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  self->accounts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->user_sums = g_array_new (FALSE, TRUE, sizeof (Sum));
  self->account_sums = g_array_new (FALSE, TRUE, sizeof (Sum));
  return self;
}

void
lk_fairness_free (LkFairness *self)
{
  if (self == NULL)
    return;
  g_hash_table_unref (self->users);
  g_hash_table_unref (self->accounts);
  g_array_unref (self->user_sums);
  g_array_unref (self->account_sums);
  g_free (self);
}

/* `key` is copied when it is new. */
static void
add_to (GHashTable *places, GArray *sums, gconstpointer key, gsize key_bytes, Wide slowdown)
{
  guint place = GPOINTER_TO_UINT (g_hash_table_lookup (places, key));
  if (place == 0) {
    g_array_set_size (sums, sums->len + 1);
    place = sums->len;
    g_hash_table_insert (places, g_memdup2 (key, key_bytes), GUINT_TO_POINTER (place));
  }
  Sum *sum = &g_array_index (sums, Sum, place - 1);
  sum->jobs++;
  sum->slowdown += slowdown;
}

void
lk_fairness_add (LkFairness *self, gint64 user, const char *account, gint64 wait_us, gint64 run_us)
{
  Wide slowdown = (Wide)(lk_bounded_slowdown (wait_us, run_us, LK_METRICS_TAU_US) * SLOWDOWN_SCALE);
  if (user > 0)
    add_to (self->users, self->user_sums, &user, sizeof user, slowdown);
  if (account != NULL && account[0] != '\0')
    add_to (self->accounts, self->account_sums, account, strlen (account) + 1, slowdown);
}

/* Sorted before they are summed up, so that the order in which they appeared does not tell. */
static void
indices_of (const GArray *sums, double *out_gini, double *out_jain)
{
  g_autofree double *values = g_new (double, sums->len);
  for (guint i = 0; i < sums->len; i++) {
    const Sum *sum = &g_array_index (sums, Sum, i);
    values[i] = (double)sum->slowdown / SLOWDOWN_SCALE / (double)sum->jobs;
  }
  *out_gini = lk_gini (values, sums->len);
  *out_jain = lk_jain (values, sums->len);
}

void
lk_fairness_indices (const LkFairness *self, LkFairnessIndices *out_indices)
{
  indices_of (self->user_sums, &out_indices->users_gini, &out_indices->users_jain);
  indices_of (self->account_sums, &out_indices->accounts_gini, &out_indices->accounts_jain);
}
