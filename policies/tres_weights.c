/* policies/tres_weights.c — see tres_weights.h. */
#include "policies/tres_weights.h"

#define WEIGHT_MAX 1e15

/* What a weight for each K, M, G or T of memory is for each MiB. */
static double
per_mib (double weight, char letter)
{
  switch (g_ascii_toupper (letter)) {
  case 'K':
    return weight * 1024.0;
  case 'G':
    return weight / 1024.0;
  case 'T':
    return weight / (1024.0 * 1024.0);
  default:
    return weight;
  }
}

static const char *
parse_weight (const char *text, const char *end, LkTresWeight *out)
{
  char *rest = NULL;
  out->weight = g_ascii_strtod (text, &rest);
  if (rest == text || !(out->weight >= -WEIGHT_MAX) || !(out->weight <= WEIGHT_MAX))
    return "weight_tres: a weight is a number";
  if (rest < end && strcmp (out->name, "mem") == 0 && strchr ("KMGTkmgt", *rest) != NULL) {
    out->weight = per_mib (out->weight, *rest);
    rest++;
  }
  return rest == end ? NULL
                     : "weight_tres: a weight is a number; only that of mem may end with K, M, G "
                       "or T";
}

static const char *
parse_one (const char *text, const char *end, LkTresWeight *out)
{
  const char *equals = memchr (text, '=', (size_t)(end - text));
  if (equals == NULL || equals == text)
    return "weight_tres: expected NAME=WEIGHT, separated by commas";
  size_t length = (size_t)(equals - text);
  if (length > LK_TRES_NAME_MAX)
    return "weight_tres: the name of a resource is too long";
  for (size_t i = 0; i < length; i++)
    out->name[i] = g_ascii_tolower (text[i]);
  out->name[length] = '\0';
  return parse_weight (equals + 1, end, out);
}

const char *
lk_tres_weights_parse (const char *text, GArray *out)
{
  while (*text != '\0') {
    const char *end = text + strcspn (text, ",");
    LkTresWeight weight = { .weight = 0.0 };
    const char *fault = parse_one (text, end, &weight);
    if (fault != NULL)
      return fault;
    g_array_append_val (out, weight);
    text = *end == ',' ? end + 1 : end;
  }
  return NULL;
}

void
lk_tres_weights_resolve (const GArray *weights, const LkAccountsView *accounts, double *out_weights)
{
  for (uint32_t tres = 0; tres < LK_TRES_MAX; tres++)
    out_weights[tres] = 0.0;
  if (accounts == NULL || accounts->tres_names == NULL)
    return;
  for (uint32_t tres = 0; tres < MIN (accounts->tres_count, LK_TRES_MAX); tres++)
    for (guint i = 0; i < weights->len; i++) {
      const LkTresWeight *weight = &g_array_index (weights, LkTresWeight, i);
      if (strcmp (weight->name, accounts->tres_names[tres]) == 0)
        out_weights[tres] = weight->weight;
    }
}
