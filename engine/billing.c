/* engine/billing.c — see the header. */
#include "engine/billing.h"

#include <string.h>

#include "engine/assert.h"

/* One weight: its name without the case it was written in, and how much for one unit. */
typedef struct {
  char name[64];
  double weight;
} Weight;

/* Takes the next NAME=NUMBER[letter] off the front. Returns what is wrong, or NULL. */
static const char *
next_weight (const char **at, Weight *out)
{
  const char *end = *at + strcspn (*at, ",");
  const char *equals = memchr (*at, '=', (gsize)(end - *at));
  if (equals == NULL || equals == *at)
    return "expected NAME=WEIGHT";
  if ((gsize)(equals - *at) >= sizeof out->name)
    return "the name of a resource is too long";
  for (gsize i = 0; i < (gsize)(equals - *at); i++)
    out->name[i] = g_ascii_tolower ((*at)[i]);
  out->name[equals - *at] = '\0';
  char *rest = NULL;
  out->weight = g_ascii_strtod (equals + 1, &rest);
  if (rest == equals + 1 || !(out->weight > -1e15) || !(out->weight < 1e15))
    return "a weight is a number, less than 1e15";
  if (strcmp (out->name, "mem") == 0) {
    /* For each MiB; a larger unit costs as much for more. */
    const char *letter = rest < end ? strchr ("KMGT", g_ascii_toupper (*rest)) : NULL;
    static const double units[] = { 1.0 / 1024, 1, 1024, 1024 * 1024 };
    if (letter != NULL && *letter != '\0') {
      out->weight /= units[letter - strchr ("KMGT", 'K')];
      rest++;
    }
  }
  if (rest != end)
    return "a weight is a number; only that of memory may end with K, M, G or T";
  *at = *end == ',' ? end + 1 : end;
  return NULL;
}

const char *
lk_billing_check (const char *weights)
{
  Weight weight;
  while (*weights != '\0') {
    const char *wrong = next_weight (&weights, &weight);
    if (wrong != NULL)
      return wrong;
  }
  return NULL;
}

/* ---------------------------------------------------------------- what a job has */

static double
count_licenses (const LkMachine *machine, const LkRequest *request, const char *name)
{
  double count = 0;
  for (guint i = 0; request->licenses != NULL && i < request->licenses->len; i++) {
    const LkLicenseDemand *demand = &g_array_index (request->licenses, LkLicenseDemand, i);
    const LkLicenseSpec *spec = g_ptr_array_index (machine->cluster->licenses, demand->license);
    if (g_ascii_strcasecmp (spec->name, name) == 0)
      count += demand->count;
  }
  return count;
}

/* Devices of a type (0: of any) and shares, in devices. */
static double
count_devices (const LkNodeKind *kind, const LkPiece *piece, guint32 type)
{
  double count = 0;
  for (guint64 rest = piece->devices; rest != 0; rest &= rest - 1)
    count += type == 0 || kind->device_type[__builtin_ctzll (rest)] == type;
  if (piece->shares > 0 && (type == 0 || kind->device_type[piece->share_device] == type))
    count += (double)piece->shares / (double)kind->shares_per_device;
  return count;
}

static guint32
find_type (const LkNodeTable *nodes, const char *name)
{
  for (guint i = 0; i < nodes->type_names->len; i++)
    if (g_ascii_strcasecmp (g_ptr_array_index (nodes->type_names, i), name) == 0)
      return i + 1;
  return G_MAXUINT32;
}

/* `name` is name or name:type. */
static double
count_gres (const LkNodeTable *nodes, const LkPiece *piece, const char *name)
{
  const LkNodeKind *kind = lk_node_kind (nodes, piece->node);
  const char *colon = strchr (name, ':');
  gsize length = colon != NULL ? (gsize)(colon - name) : strlen (name);
  for (guint32 i = 0; i < nodes->gres_count; i++) {
    if (strlen (nodes->gres[i].name) != length
        || g_ascii_strncasecmp (nodes->gres[i].name, name, length) != 0)
      continue;
    if (nodes->gres[i].kind == LK_GRES_DEVICE)
      return count_devices (kind, piece, colon != NULL ? find_type (nodes, colon + 1) : 0);
    if (nodes->gres[i].kind == LK_GRES_SHARE)
      return kind->share_name == i ? piece->shares : 0;
    return piece->counts[i];
  }
  return 0;
}

double
lk_billing_count (const LkMachine *machine, const LkRequest *request, guint32 first_piece,
                  const char *name)
{
  const LkNodeTable *nodes = &machine->nodes;
  double count = 0;
  if (g_str_has_prefix (name, "license/"))
    return count_licenses (machine, request, name + strlen ("license/"));
  for (guint32 i = first_piece; i != LK_PIECE_NONE; i = lk_piece (nodes, i)->next_of_job) {
    const LkPiece *piece = lk_piece (nodes, i);
    if (strcmp (name, "cpu") == 0)
      count += piece->cpus;
    else if (strcmp (name, "mem") == 0)
      count += (double)piece->memory_bytes / (1024.0 * 1024.0);
    else if (strcmp (name, "node") == 0)
      count += 1;
    else if (g_str_has_prefix (name, "gres/"))
      count += count_gres (nodes, piece, name + strlen ("gres/"));
  }
  return count;
}

double
lk_billing_of (const LkMachine *machine, const LkRequest *request, guint32 first_piece)
{
  const char *weights = machine->partitions[request->partition].spec->tres_billing_weights;
  Weight weight;
  double sum = 0;
  if (weights[0] == '\0')
    return lk_billing_count (machine, request, first_piece, "cpu");
  while (*weights != '\0') {
    const char *wrong = next_weight (&weights, &weight);
    LK_ASSERT (wrong == NULL);
    sum += weight.weight * lk_billing_count (machine, request, first_piece, weight.name);
  }
  return MAX (sum, 0);
}

/* ---------------------------------------------------------------- by TRES */

/* Does the largest of these count, not their sum? */
static gboolean
is_alternative (const char *name, LkBillingRule rule)
{
  if (rule == LK_BILLING_SUM)
    return FALSE;
  if (g_str_has_prefix (name, "gres/"))
    return rule == LK_BILLING_MAX;
  return strcmp (name, "cpu") == 0 || strcmp (name, "mem") == 0 || strcmp (name, "node") == 0;
}

double
lk_billing_of_tres (const char *weights, LkBillingRule rule, char *const *tres_names,
                    const guint64 *tres, guint32 tres_count)
{
  Weight weight;
  double sum = 0;
  double largest = 0;
  if (weights[0] == '\0')
    return (double)tres[LK_TRES_CPU];
  while (*weights != '\0') {
    const char *wrong = next_weight (&weights, &weight);
    LK_ASSERT (wrong == NULL);
    for (guint32 i = 0; i < tres_count; i++) {
      if (g_ascii_strcasecmp (tres_names[i], weight.name) != 0)
        continue;
      double charge = weight.weight * (double)tres[i];
      if (!is_alternative (tres_names[i], rule))
        sum += charge;
      else if (charge > largest)
        largest = charge;
    }
  }
  return MAX (sum + largest, 0);
}
