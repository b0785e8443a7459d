/* tests/policies/select_fixture.c — see select_fixture.h. */
#include "tests/policies/select_fixture.h"

#include <string.h>

/* ---------------------------------------------------------------- nodes */

static guint32
read_number (const char **at)
{
  char *end;
  guint64 number = g_ascii_strtoull (*at, &end, 10);
  g_assert_true (end != *at);
  *at = end;
  return (guint32)number;
}

static void
read_shares (LkOffer *offer, guint32 *shares_free, const char **at)
{
  offer->device_count = 0;
  do {
    g_assert_cmpuint (offer->device_count, <, SELECT_DEVICES_MAX);
    *at += offer->device_count > 0;
    shares_free[offer->device_count++] = read_number (at);
  } while (**at == '.');
}

static void
read_property (LkOffer *offer, guint32 *shares_free, const char **at)
{
  char letter = *(*at)++;
  switch (letter) {
  case '!':
    offer->is_required = 1;
    return;
  case 'i':
    offer->is_idle = 1;
    return;
  case 's':
    read_shares (offer, shares_free, at);
    return;
  default:
    break;
  }
  guint32 number = read_number (at);
  guint32 *const members[] = { &offer->weight,    &offer->gpus,       &offer->gpus_near,
                               &offer->cpus_free, &offer->cpus_total, &offer->tasks,
                               &offer->gpu_type };
  const char *found = strchr ("wgnf/ty", letter);
  g_assert_nonnull (found);
  *members[found - "wgnf/ty"] = number;
  if (letter != 'g')
    return;
  offer->gpus_near = number;
  offer->device_count = number;
  for (guint g = 0; g < number; g++)
    shares_free[g] = 1;
}

LkOffer *
select_fixture_add (SelectFixture *self, const char *node)
{
  g_assert_cmpuint (self->node_count, <, SELECT_NODES_MAX);
  guint32 index = self->node_count++;
  self->cluster.node_count = self->node_count;
  if (strcmp (node, "-") == 0)
    return NULL;
  LkOffer *offer = &self->offers[self->offer_count];
  guint32 *shares_free = self->shares_free[self->offer_count++];
  *offer = (LkOffer){ .node = index, .weight = 1, .shares_per_device = 1 };
  offer->device_shares_free = shares_free;
  const char *at = node;
  offer->cpus = offer->tasks = offer->cpus_free = offer->cpus_total = read_number (&at);
  while (*at != '\0')
    read_property (offer, shares_free, &at);
  return offer;
}

SelectFixture *
select_fixture_new (const char *nodes)
{
  SelectFixture *self = g_new0 (SelectFixture, 1);
  self->host = (LkHost){ .size = sizeof (LkHost), .abi = LK_POLICY_ABI };
  self->cluster =
      (LkClusterView){ .size = sizeof (LkClusterView), .node_switch = self->node_switch };
  self->view = (LkView){ .size = sizeof (LkView), .host = &self->host, .cluster = &self->cluster };
  select_fixture_ask (self, "");
  g_auto (GStrv) words = g_strsplit (nodes, " ", -1);
  for (guint i = 0; words[i] != NULL; i++)
    if (words[i][0] != '\0')
      select_fixture_add (self, words[i]);
  return self;
}

void
select_fixture_free (SelectFixture *self)
{
  g_free ((guint32 *)self->cluster.switch_parent);
  g_free ((guint32 *)self->cluster.switch_level);
  g_free ((guint32 *)self->cluster.block_sizes);
  g_free (self);
}

/* ---------------------------------------------------------------- demands */

static void
read_demand_word (LkDemand *demand, const char *word)
{
  static const char *const flags[] = { "contiguous", "spread", "least_loaded", "pack", "whole" };
  guint32 *const members[] = { &demand->nodes_min,       &demand->nodes_wanted,
                               &demand->tasks,           &demand->cpus_per_task,
                               &demand->cpus_min,        &demand->cpus_per_node_min,
                               &demand->gpus_total,      &demand->gpus_per_node,
                               &demand->shares_per_node, &demand->switches_max,
                               &demand->segment_nodes };
  static const char *const names[] = { "nodes=",  "wanted=",   "tasks=",  "per_task=",
                                       "cpus=",   "least=",    "gpus=",   "gpus_node=",
                                       "shares=", "switches=", "segment=" };
  for (guint i = 0; i < G_N_ELEMENTS (flags); i++)
    if (strcmp (word, flags[i]) == 0) {
      demand->flags |= 1u << i;
      return;
    }
  guint i = 0;
  while (i < G_N_ELEMENTS (names) && !g_str_has_prefix (word, names[i]))
    i++;
  g_assert_cmpuint (i, <, G_N_ELEMENTS (names));
  const char *at = word + strlen (names[i]);
  *members[i] = read_number (&at);
  if (*at == '-') {
    at++;
    demand->nodes_max = read_number (&at);
  }
}

void
select_fixture_ask (SelectFixture *self, const char *asked)
{
  LkDemand demand = { .size = sizeof demand,
                      .nodes_min = 1,
                      .nodes_max = G_MAXUINT32,
                      .cpus_min = 1,
                      .cpus_per_node_min = 1,
                      .cpus_per_task = 1 };
  g_auto (GStrv) words = g_strsplit (asked, " ", -1);
  for (guint i = 0; words[i] != NULL; i++)
    if (words[i][0] != '\0')
      read_demand_word (&demand, words[i]);
  demand.nodes_wanted = MAX (demand.nodes_wanted, demand.nodes_min);
  demand.cpus_per_node_min = MAX (demand.cpus_per_node_min, demand.cpus_per_task);
  self->demand = demand;
}

void
select_fixture_set_shares (SelectFixture *self, guint32 shares_per_device)
{
  for (guint i = 0; i < self->offer_count; i++)
    self->offers[i].shares_per_device = shares_per_device;
}

/* ---------------------------------------------------------------- topologies */

static guint32 *
read_numbers (const char *text, guint32 *out_count)
{
  g_auto (GStrv) words = g_strsplit (text, " ", -1);
  guint32 count = g_strv_length (words);
  guint32 *numbers = g_new (guint32, count);
  for (guint i = 0; i < count; i++) {
    const char *at = words[i];
    numbers[i] = strcmp (at, "-") == 0 ? LK_NODE_NONE : read_number (&at);
  }
  *out_count = count;
  return numbers;
}

static void
set_switches (SelectFixture *self, const char *nodes)
{
  guint32 count;
  g_autofree guint32 *numbers = read_numbers (nodes, &count);
  g_assert_cmpuint (count, ==, self->node_count);
  memcpy (self->node_switch, numbers, count * sizeof *numbers);
}

void
select_fixture_set_tree (SelectFixture *self, const char *parents, const char *leafs)
{
  guint32 count;
  guint32 *numbers = read_numbers (parents, &count);
  guint32 *levels = g_new0 (guint32, count);
  /* As often as a tree can be high. */
  for (guint round = 0; round < count; round++)
    for (guint s = 0; s < count; s++)
      if (numbers[s] != LK_NODE_NONE)
        levels[numbers[s]] = MAX (levels[numbers[s]], levels[s] + 1);
  self->cluster.topology = LK_TOPOLOGY_TREE_VIEW;
  self->cluster.switch_count = count;
  self->cluster.switch_parent = numbers;
  self->cluster.switch_level = levels;
  set_switches (self, leafs);
}

void
select_fixture_set_blocks (SelectFixture *self, const char *sizes, const char *blocks)
{
  self->cluster.topology = LK_TOPOLOGY_BLOCK_VIEW;
  self->cluster.block_sizes = read_numbers (sizes, &self->cluster.block_size_count);
  set_switches (self, blocks);
  for (guint i = 0; i < self->node_count; i++)
    if (self->node_switch[i] != LK_NODE_NONE)
      self->cluster.switch_count = MAX (self->cluster.switch_count, self->node_switch[i] + 1);
}

/* ---------------------------------------------------------------- instances */

static void
set_value (const LkParam *params, LkParamValue *values, const char *name, const char *text)
{
  guint i = 0;
  while (params[i].name != NULL && strcmp (params[i].name, name) != 0)
    i++;
  g_assert_nonnull (params[i].name);
  if (params[i].type == LK_PARAM_INTEGER)
    values[i].integer = g_ascii_strtoll (text, NULL, 10);
  else
    values[i].text = text;
}

void *
select_new (const LkSelectPolicy *policy, const char *parameters)
{
  LkParamValue values[4] = { { 0 } };
  guint count = 0;
  for (const LkParam *param = policy->base.params; param->name != NULL; param++, count++) {
    g_assert_cmpuint (count, <, G_N_ELEMENTS (values));
    set_value (policy->base.params, values, param->name, param->default_value);
  }
  g_auto (GStrv) pairs = g_strsplit (parameters == NULL ? "" : parameters, ",", -1);
  for (guint i = 0; pairs[i] != NULL; i++) {
    char *value = strchr (pairs[i], '=');
    if (value == NULL)
      continue;
    *value = '\0';
    set_value (policy->base.params, values, pairs[i], value + 1);
  }
  LkParamValues all = { .size = sizeof all, .count = count, .values = values };
  LkPolicyError error = { "" };
  void *instance = policy->base.create (&all, &error);
  if (instance == NULL)
    g_error ("%s: %s", policy->base.name, error.text);
  return instance;
}

/* ---------------------------------------------------------------- choosing */

static void
check_pick (const SelectFixture *self, guint32 k)
{
  const LkPick *pick = &self->picks[k];
  const LkDemand *demand = &self->demand;
  g_assert_cmpuint (pick->offer, <, self->offer_count);
  const LkOffer *offer = &self->offers[pick->offer];
  if (k > 0)
    g_assert_cmpuint (pick->offer, >, self->picks[k - 1].offer);
  g_assert_cmpuint (pick->cpus, >=, 1);
  g_assert_cmpuint (pick->cpus, <=, offer->cpus);
  if (offer->cpus >= demand->cpus_per_node_min)
    g_assert_cmpuint (pick->cpus, >=, demand->cpus_per_node_min);
  if ((demand->flags & LK_DEMAND_WHOLE_NODES) != 0)
    g_assert_cmpuint (pick->cpus, ==, offer->cpus);
  if ((demand->flags & LK_DEMAND_CONTIGUOUS) != 0 && k > 0)
    g_assert_cmpuint (offer->node, ==, self->offers[self->picks[k - 1].offer].node + 1);
  g_assert_cmpuint (pick->gpus, <=, offer->gpus);
  if (demand->gpus_total >= self->pick_count && offer->gpus > 0)
    g_assert_cmpuint (pick->gpus, >=, 1);
  if (pick->devices != 0)
    g_assert_cmpuint (pick->devices >> (offer->device_count - 1), <=, 1);
}

static void
check_picks (const SelectFixture *self)
{
  const LkDemand *demand = &self->demand;
  guint64 cpus = 0, gpus = 0, tasks = 0, required = 0;
  for (guint32 k = 0; k < self->pick_count; k++) {
    const LkOffer *offer = &self->offers[self->picks[k].offer];
    check_pick (self, k);
    cpus += self->picks[k].cpus;
    gpus += self->picks[k].gpus;
    tasks += MIN (offer->tasks, self->picks[k].cpus / demand->cpus_per_task);
    required += offer->is_required;
  }
  for (guint i = 0; i < self->offer_count; i++)
    required -= self->offers[i].is_required;
  g_assert_cmpuint (required, ==, 0);
  g_assert_cmpuint (self->pick_count, >=, demand->nodes_min);
  g_assert_cmpuint (self->pick_count, <=, demand->nodes_max);
  g_assert_cmpuint (cpus, >=, demand->cpus_min);
  g_assert_cmpuint (gpus, ==, demand->gpus_total);
  if (demand->cpus_min >= demand->tasks * demand->cpus_per_task)
    g_assert_cmpuint (tasks, >=, demand->tasks);
}

gboolean
select_fixture_choose (SelectFixture *self, const LkSelectPolicy *policy, void *instance)
{
  /* What is not picked stays as it is. */
  memset (self->picks, 0x5a, sizeof self->picks);
  self->pick_count = G_MAXUINT32;
  LkOffers offers = { self->offers, self->offer_count };
  gint32 found = policy->choose (instance, &self->view, &self->demand, &offers, self->picks,
                                 &self->pick_count);
  if (found == 0)
    return FALSE;
  g_assert_cmpint (found, ==, 1);
  check_picks (self);
  return TRUE;
}

char *
select_fixture_chosen (SelectFixture *self, const LkSelectPolicy *policy, const char *parameters)
{
  void *instance = select_new (policy, parameters);
  gboolean found = select_fixture_choose (self, policy, instance);
  policy->base.destroy (instance);
  if (!found)
    return g_strdup ("none");
  GString *text = g_string_new (NULL);
  for (guint32 k = 0; k < self->pick_count; k++) {
    const LkPick *pick = &self->picks[k];
    g_string_append_printf (text, "%sn%u:%u", k == 0 ? "" : " ", self->offers[pick->offer].node,
                            pick->cpus);
    if (pick->gpus > 0)
      g_string_append_printf (text, "/%u", pick->gpus);
    for (guint g = 0; g < 64; g++)
      if ((pick->devices >> g & 1) != 0)
        g_string_append_printf (text, "@%u", g);
  }
  return g_string_free (text, FALSE);
}
