/* sim/account_waits.c — see account_waits.h. */
#include "sim/account_waits.h"

#include <string.h>

__extension__ typedef unsigned __int128 Wide;

typedef struct {
  char *account;
  char *qos;
  guint64 jobs;
  Wide wait_us;
  Wide cpu_us;
} Sum;

struct _LkAccountWaits {
  GHashTable *by_name; /* "account\nqos" to index + 1; looked up only */
  GPtrArray *sums;     /* of Sum* */
};

static void
sum_free (gpointer user)
{
  Sum *self = user;
  g_free (self->account);
  g_free (self->qos);
  g_free (self);
}

LkAccountWaits *
lk_account_waits_new (void)
{
  LkAccountWaits *self = g_new (LkAccountWaits, 1);
  self->by_name = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->sums = g_ptr_array_new_with_free_func (sum_free);
  return self;
}

void
lk_account_waits_free (LkAccountWaits *self)
{
  if (self == NULL)
    return;
  g_hash_table_unref (self->by_name);
  g_ptr_array_unref (self->sums);
  g_free (self);
}

static Sum *
sum_of (LkAccountWaits *self, const char *account, const char *qos)
{
  g_autofree char *name = g_strdup_printf ("%s\n%s", account, qos);
  guint found = GPOINTER_TO_UINT (g_hash_table_lookup (self->by_name, name));
  if (found > 0)
    return g_ptr_array_index (self->sums, found - 1);
  Sum *sum = g_new0 (Sum, 1);
  sum->account = g_strdup (account);
  sum->qos = g_strdup (qos);
  g_ptr_array_add (self->sums, sum);
  g_hash_table_insert (self->by_name, g_steal_pointer (&name), GUINT_TO_POINTER (self->sums->len));
  return sum;
}

void
lk_account_waits_add (LkAccountWaits *self, const char *account, const char *qos, gint64 wait_us,
                      gint64 run_us, guint32 procs)
{
  if (account == NULL || account[0] == '\0')
    return;
  Sum *sum = sum_of (self, account, qos != NULL ? qos : "");
  sum->jobs++;
  sum->wait_us += (guint64)wait_us;
  sum->cpu_us += (Wide)(guint64)run_us * procs;
}

static gint
compare_rows (gconstpointer a, gconstpointer b)
{
  const LkAccountWait *row_a = a;
  const LkAccountWait *row_b = b;
  gint order = strcmp (row_a->account, row_b->account);
  return order != 0 ? order : strcmp (row_a->qos, row_b->qos);
}

GArray *
lk_account_waits_rows (const LkAccountWaits *self)
{
  GArray *rows = g_array_new (FALSE, FALSE, sizeof (LkAccountWait));
  for (guint i = 0; i < self->sums->len; i++) {
    const Sum *sum = g_ptr_array_index (self->sums, i);
    LkAccountWait row = { .account = sum->account,
                          .qos = sum->qos,
                          .jobs = sum->jobs,
                          .mean_wait_s = (double)sum->wait_us / (double)sum->jobs / 1e6,
                          .cpu_hours = (double)sum->cpu_us / 3.6e9 };
    g_array_append_val (rows, row);
  }
  g_array_sort (rows, compare_rows);
  return rows;
}
