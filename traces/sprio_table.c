/* traces/sprio_table.c — see the header. */
#include "traces/sprio_table.h"

#define PRIORITY_MAX 4294967295.0
#define NORMALIZED_DIGITS 14u
#define FACTOR_DIGITS 7u

/* With how sprio shows a factor as a term and by itself. */
static const struct {
  const char *weight;
  const char *term;
  const char *factor;
} weighted[LK_SPRIO_FACTOR_COUNT] = {
  { "weight_age", " %.10A", " %10a" },       { "weight_assoc", " %.10B", " %10b" },
  { "weight_fairshare", " %.10F", " %10f" }, { "weight_job_size", " %.10J", " %10j" },
  { "weight_partition", " %.10P", " %10p" }, { "weight_qos", " %.10Q", " %10q" },
};

const char *
lk_sprio_weight_name (LkSprioFactor factor)
{
  return weighted[factor].weight;
}

double
lk_sprio_sum (const LkSprioRow *row)
{
  double sum = 0;
  if (row->is_direct)
    return (double)row->priority;
  for (guint i = 0; i < LK_SPRIO_FACTOR_COUNT; i++)
    sum += row->terms[i];
  sum = sum + (double)row->site_factor - (double)row->nice + row->tres_term;
  return CLAMP (sum, 1.0, PRIORITY_MAX); /* 0 is for jobs that are held */
}

void
lk_sprio_append_tres (GString *list, const char *name, double factor, double weight,
                      gboolean is_weighted)
{
  double term = factor * weight;
  if (term == 0.0)
    return;
  g_string_append_printf (list, "%s%s=", list->len > 0 ? "," : "", name);
  lk_table_real (list, is_weighted ? term : factor, is_weighted ? 0 : 2);
}

/* ---------------------------------------------------------------- cells */

static void
term (const LkSprioWeights *weights, const LkSprioRow *row, LkSprioFactor factor, GString *out)
{
  lk_table_real (out, row->is_weights ? weights->weights[factor] : row->terms[factor], 0);
}

static void
factor_itself (const LkSprioWeights *weights, const LkSprioRow *row, LkSprioFactor factor,
               GString *out)
{
  double weight = weights->weights[factor];
  if (row->is_weights)
    lk_table_real (out, weight, 0);
  else if (row->is_direct)
    g_string_append_c (out, '0');
  else /* sprio divides the term by its weight */
    lk_table_real (out, weight > 0 ? row->terms[factor] / weight : 0.0, FACTOR_DIGITS);
}

#define FACTOR_CELLS(name, FACTOR)                                                                 \
  static void name##_term_cell (gconstpointer report, gconstpointer row, GString *out)             \
  {                                                                                                \
    term (report, row, FACTOR, out);                                                               \
  }                                                                                                \
  static void name##_factor_cell (gconstpointer report, gconstpointer row, GString *out)           \
  {                                                                                                \
    factor_itself (report, row, FACTOR, out);                                                      \
  }

FACTOR_CELLS (age, LK_SPRIO_AGE)
FACTOR_CELLS (association, LK_SPRIO_ASSOCIATION)
FACTOR_CELLS (fairshare, LK_SPRIO_FAIRSHARE)
FACTOR_CELLS (job_size, LK_SPRIO_JOB_SIZE)
FACTOR_CELLS (partition, LK_SPRIO_PARTITION)
FACTOR_CELLS (qos, LK_SPRIO_QOS)

/* A text that the row of the weights has not. */
#define TEXT_CELL(name, member)                                                                    \
  static void name##_cell (gconstpointer report, gconstpointer user, GString *out)                 \
  {                                                                                                \
    const LkSprioRow *row = user;                                                                  \
    (void)report;                                                                                  \
    if (!row->is_weights)                                                                          \
      g_string_append (out, row->member);                                                          \
  }

TEXT_CELL (user, user)
TEXT_CELL (account, account)
TEXT_CELL (qos_name, qos)
TEXT_CELL (partition_name, partition)

static void
job_cell (gconstpointer report, gconstpointer user, GString *out)
{
  const LkSprioRow *row = user;
  (void)report;
  g_string_append (out, row->is_weights ? "Weights" : row->job);
}

static void
priority_cell (gconstpointer report, gconstpointer user, GString *out)
{
  const LkSprioRow *row = user;
  (void)report;
  if (!row->is_weights)
    g_string_append_printf (out, "%" G_GUINT64_FORMAT, (guint64)lk_sprio_sum (row));
}

static void
normalized_cell (gconstpointer report, gconstpointer user, GString *out)
{
  const LkSprioRow *row = user;
  (void)report;
  if (!row->is_weights)
    lk_table_real (out, row->is_direct ? 1.0 : lk_sprio_sum (row) / PRIORITY_MAX,
                   NORMALIZED_DIGITS);
}

static void
site_cell (gconstpointer report, gconstpointer user, GString *out)
{
  const LkSprioRow *row = user;
  (void)report;
  g_string_append_printf (out, "%" G_GINT64_FORMAT,
                          row->is_weights  ? 1
                          : row->is_direct ? 0
                                           : row->site_factor);
}

static void
nice_cell (gconstpointer report, gconstpointer user, GString *out)
{
  const LkSprioRow *row = user;
  (void)report;
  if (!row->is_weights)
    g_string_append_printf (out, "%" G_GINT64_FORMAT, row->is_direct ? 0 : row->nice);
}

static void
tres_term_cell (gconstpointer report, gconstpointer user, GString *out)
{
  const LkSprioRow *row = user;
  if (row->is_weights)
    g_string_append (out, ((const LkSprioWeights *)report)->tres);
  else if (!row->is_direct)
    g_string_append (out, row->tres_terms);
}

static void
tres_factor_cell (gconstpointer report, gconstpointer user, GString *out)
{
  const LkSprioRow *row = user;
  (void)report;
  if (!row->is_weights && !row->is_direct)
    g_string_append (out, row->tres_factors);
}

const LkTableColumn lk_sprio_columns[] = {
  { 'a', "AGE", age_factor_cell },
  { 'A', "AGE", age_term_cell },
  { 'b', "ASSOC", association_factor_cell },
  { 'B', "ASSOC", association_term_cell },
  { 'f', "FAIRSHARE", fairshare_factor_cell },
  { 'F', "FAIRSHARE", fairshare_term_cell },
  { 'i', "JOBID", job_cell },
  { 'j', "JOBSIZE", job_size_factor_cell },
  { 'J', "JOBSIZE", job_size_term_cell },
  { 'n', "QOSNAME", qos_name_cell },
  { 'N', "NICE", nice_cell },
  { 'o', "ACCOUNT", account_cell },
  { 'p', "PARTITION", partition_factor_cell },
  { 'P', "PARTITION", partition_term_cell },
  { 'q', "QOS", qos_factor_cell },
  { 'Q', "QOS", qos_term_cell },
  { 'r', "PARTITION", partition_name_cell },
  { 'S', "SITE", site_cell },
  { 't', "TRES", tres_factor_cell },
  { 'T', "TRES", tres_term_cell },
  { 'u', "USER", user_cell },
  { 'y', "PRIORITY", normalized_cell },
  { 'Y', "PRIORITY", priority_cell },
  { 0, NULL, NULL },
};

/* ---------------------------------------------------------------- formats */

char *
lk_sprio_format (const LkSprioWeights *weights, const LkSprioFormat *wanted)
{
  if (wanted->is_long)
    return g_strdup (wanted->normalized
                         ? "%.15i %9r %.8u %.8o %10y %10a %10b %10f %10j %10p %10n %10q %20t"
                         : "%.15i %9r %.8u %.8o %.10Y %.10S %.10A %.10B %.10F %.10J %.10P %.10n "
                           "%.10Q %.11N %.20T");
  GString *format = g_string_new ("%.15i %9r");
  if (wanted->with_user)
    g_string_append (format, " %.8u");
  g_string_append (format, wanted->normalized ? " %10y" : " %.10Y %.10S");
  for (guint i = 0; i < LK_SPRIO_FACTOR_COUNT; i++)
    if (weights->weights[i] > 0)
      g_string_append (format, wanted->normalized ? weighted[i].factor : weighted[i].term);
  if (weights->tres[0] != '\0')
    g_string_append (format, wanted->normalized ? " %20t" : " %.20T");
  return g_string_free (format, FALSE);
}
