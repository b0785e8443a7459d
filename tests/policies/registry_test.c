/* tests/policies/registry_test.c — finding policies by name, and the rules that a vtable must
 * keep. */
#include "policies/registry.h"

#include <math.h>
#include <string.h>

#include "policies/limits.h"
#include "policies/selects.h"
#include "engine/suggest.h"
#include "policies/vtable.h"
#include "tests/policies/fake_policies.h"

static void
test_suggest_nearest (void)
{
  const char *const names[] = { "fifo", "sjf", "ljf", "saf", "unicef", "reservations", NULL };
  g_assert_cmpstr (lk_suggest ("sjff", names), ==, "sjf");
  g_assert_cmpstr (lk_suggest ("SJF", names), ==, "sjf");
  g_assert_cmpstr (lk_suggest ("uncief", names), ==, "unicef");
  g_assert_cmpstr (lk_suggest ("reservation", names), ==, "reservations");
  g_assert_cmpstr (lk_suggest ("multifactor", names), ==, NULL);
  g_assert_cmpstr (lk_suggest ("x", names), ==, NULL);
  g_assert_cmpstr (lk_suggest ("", names), ==, NULL);
  g_autofree char *endless = g_strnfill (100000, 's');
  g_assert_cmpstr (lk_suggest (endless, names), ==, NULL);
}

static void
test_suggest_swap (void)
{
  const char *const names[] = { "abcdef", NULL };
  /* Two swaps of neighbours are two edits; without swaps they would be four, too many for six
   * letters. */
  g_assert_cmpstr (lk_suggest ("badcef", names), ==, "abcdef");
  g_assert_cmpstr (lk_suggest ("xyzdef", names), ==, NULL);
}

static void
test_find_suggests (void)
{
  g_autoptr (LkRegistry) registry = fake_registry ();
  g_autoptr (GError) error = NULL;
  g_assert_null (lk_registry_find (registry, LK_SEAM_ORDER, "fake_scroe", &error));
  g_assert_error (error, LK_REGISTRY_ERROR, LK_REGISTRY_ERROR_NAME);
  g_assert_cmpstr (error->message, ==,
                   "order 'fake_scroe': no such policy; did you mean 'fake_score'?");
}

static void
test_find_lists (void)
{
  g_autoptr (LkRegistry) registry = fake_registry ();
  g_autoptr (GError) error = NULL;
  g_assert_null (lk_registry_find (registry, LK_SEAM_SELECT, "qqqqqqqqqq", &error));
  g_assert_true (
      g_str_has_prefix (error->message, "select 'qqqqqqqqqq': no such policy; there are: "));
  g_assert_nonnull (strstr (error->message, "fake_select"));
}

static void
test_find_other_seam (void)
{
  g_autoptr (LkRegistry) registry = fake_registry ();
  g_autoptr (GError) error = NULL;
  g_assert_null (lk_registry_find (registry, LK_SEAM_ORDER, "fake_backfill", &error));
  g_assert_cmpstr (
      error->message, ==,
      "order 'fake_backfill': no such policy; 'fake_backfill' is a policy for seam 'backfill'");
}

static void
test_add_taken (void)
{
  g_autoptr (LkRegistry) registry = fake_registry ();
  g_autoptr (GError) error = NULL;
  g_assert_null (lk_registry_add (registry, &fake_score.base, "other", "other", &error));
  g_assert_cmpstr (error->message, ==,
                   "there is already a policy 'fake_score' for seam 'order' (test)");
}

static void
test_listing (void)
{
  g_autoptr (LkRegistry) registry = fake_registry ();
  guint count;
  const LkPolicy *const *policies = lk_registry_policies (registry, &count);
  g_assert_cmpuint (count, >=, 4);
  for (guint i = 1; i + 4 < count; i++) {
    gboolean ordered = policies[i - 1]->seam < policies[i]->seam
                       || (policies[i - 1]->seam == policies[i]->seam
                           && strcmp (policies[i - 1]->name, policies[i]->name) < 0);
    g_assert_true (ordered);
  }
  const LkPolicy *last = policies[count - 1];
  g_assert_cmpstr (last->name, ==, "fake_select");
  g_assert_cmpstr (lk_registry_build_id (registry, last), ==, "fake build");
  g_assert_cmpstr (lk_registry_source (registry, last), ==, "test");
  if (count > 4)
    g_assert_cmpstr (lk_registry_build_id (registry, policies[0]), ==,
                     "built-in " LK_ENGINE_VERSION);
}

static void
test_seam_names (void)
{
  for (guint32 seam = LK_SEAM_ORDER; seam <= LK_SEAM_PREEMPT; seam++)
    g_assert_cmpuint (lk_seam_from_name (lk_seam_name (seam)), ==, seam);
  g_assert_null (lk_seam_name (0));
  g_assert_null (lk_seam_name (6));
  g_assert_cmpuint (lk_seam_from_name ("ordre"), ==, 0);
}

/* ---------------------------------------------------------------- vtables */

static LkParam bad_params[3];

/* One way to break an order policy, and the complaint. */
typedef struct {
  const char *name;
  void (*spoil) (LkOrderPolicy *policy);
  const char *complaint;
} VtableCase;

static void
spoil_abi (LkOrderPolicy *p)
{
  p->base.abi = LK_POLICY_ABI + 1;
}
static void
spoil_size_zero (LkOrderPolicy *p)
{
  p->base.size = 0;
}
static void
spoil_size_huge (LkOrderPolicy *p)
{
  p->base.size = 1u << 20;
}
static void
spoil_size_short (LkOrderPolicy *p)
{
  p->base.size = sizeof (LkPolicy);
}
static void
spoil_seam (LkOrderPolicy *p)
{
  p->base.seam = 9;
}
static void
spoil_name_null (LkOrderPolicy *p)
{
  p->base.name = NULL;
}
static void
spoil_name_case (LkOrderPolicy *p)
{
  p->base.name = "Fake";
}
static void
spoil_name_long (LkOrderPolicy *p)
{
  p->base.name = "a_name_that_has_thirty_two_bytes";
}
static void
spoil_summary (LkOrderPolicy *p)
{
  p->base.summary = NULL;
}
static void
spoil_create (LkOrderPolicy *p)
{
  p->base.create = NULL;
}
static void
spoil_destroy (LkOrderPolicy *p)
{
  p->base.destroy = NULL;
}
static void
no_save (void *self, const LkView *view, LkPut put, void *sink)
{
  (void)self;
  (void)view;
  (void)put;
  (void)sink;
}
static void
spoil_save (LkOrderPolicy *p)
{
  p->base.save = no_save;
}
static void
spoil_key (LkOrderPolicy *p)
{
  p->key = NULL;
}
static void
spoil_params_null (LkOrderPolicy *p)
{
  p->base.params = NULL;
}
static void
set_param (LkOrderPolicy *p, LkParam param)
{
  memset (bad_params, 0, sizeof bad_params);
  bad_params[0] = param;
  p->base.params = bad_params;
}
static void
spoil_param_name (LkOrderPolicy *p)
{
  set_param (p, (LkParam){ "a-b", LK_PARAM_TEXT, "", "", 0, 0, "" });
}
static void
spoil_param_type (LkOrderPolicy *p)
{
  set_param (p, (LkParam){ "a", 9, "", "", 0, 0, "" });
}
static void
spoil_param_order (LkOrderPolicy *p)
{
  set_param (p, (LkParam){ "a", LK_PARAM_ORDER, "", "", 0, 0, "" });
}
static void
spoil_param_unit (LkOrderPolicy *p)
{
  set_param (p, (LkParam){ "a", LK_PARAM_TEXT, NULL, "", 0, 0, "" });
}
static void
spoil_param_range (LkOrderPolicy *p)
{
  set_param (p, (LkParam){ "a", LK_PARAM_REAL, "", "1", 2, 1, "" });
}
static void
spoil_param_nan (LkOrderPolicy *p)
{
  set_param (p, (LkParam){ "a", LK_PARAM_REAL, "", "1", (double)NAN, 1, "" });
}
static void
spoil_param_default (LkOrderPolicy *p)
{
  set_param (p, (LkParam){ "a", LK_PARAM_INTEGER, "s", "11", 1, 10, "" });
}
static void
spoil_param_control (LkOrderPolicy *p)
{
  set_param (p, (LkParam){ "a", LK_PARAM_TEXT, "", "a\nb", 0, 0, "" });
}
static void
spoil_param_twice (LkOrderPolicy *p)
{
  set_param (p, (LkParam){ "a", LK_PARAM_TEXT, "", "", 0, 0, "" });
  bad_params[1] = bad_params[0];
}

static const VtableCase vtable_cases[] = {
  { "another ABI", spoil_abi, "it was made for policy ABI 4; this program has 3" },
  { "a size that was never set", spoil_size_zero, "its vtable says that it has 0 bytes" },
  { "a size beyond reason", spoil_size_huge, "its vtable says that it has 1048576 bytes" },
  { "a size without the required slots", spoil_size_short, "required slots of seam 'order' need" },
  { "an unknown seam", spoil_seam, "seam 9 is unknown" },
  { "no name", spoil_name_null, "its name breaks the rule" },
  { "a name with a capital", spoil_name_case, "its name breaks the rule" },
  { "a name of 32 bytes", spoil_name_long, "its name breaks the rule" },
  { "no summary", spoil_summary, "its summary is not text" },
  { "no create", spoil_create, "the required slot 'create' is NULL" },
  { "no destroy", spoil_destroy, "the required slot 'destroy' is NULL" },
  { "save without load", spoil_save, "only 'save' is there" },
  { "no key", spoil_key, "the required slot 'key' is NULL" },
  { "no parameter table", spoil_params_null, "'params' is NULL" },
  { "a parameter name with a dash", spoil_param_name, "a parameter's name breaks the rule" },
  { "an unknown type", spoil_param_type, "parameter 'a': 9 is no type" },
  { "an order inside an order", spoil_param_order, "only a backfill policy may have an order" },
  { "a unit that is NULL", spoil_param_unit, "unit and help must be text" },
  { "a minimum above the maximum", spoil_param_range, "its minimum is above its maximum" },
  { "a minimum that is no number", spoil_param_nan, "its minimum is above its maximum" },
  { "a default out of range", spoil_param_default,
    "parameter 'a' is '11'; expected an integer from 1 to 10 (s) (the default in its own table)" },
  { "a default of two lines", spoil_param_control, "the default is not text" },
  { "a parameter twice", spoil_param_twice, "parameter 'a' stands in the table twice" },
};

static void
test_vtable_broken (gconstpointer data)
{
  const VtableCase *test = data;
  LkOrderPolicy policy = fake_score;
  test->spoil (&policy);
  LkVtable copy;
  memset (&copy, 0x5a, sizeof copy);
  LkVtable before = copy;
  g_autoptr (GError) error = NULL;
  g_assert_false (lk_vtable_copy (&policy.base, &copy, &error));
  g_assert_error (error, LK_REGISTRY_ERROR, LK_REGISTRY_ERROR_PLUGIN);
  g_assert_nonnull (strstr (error->message, test->complaint));
  g_assert_cmpint (memcmp (&copy, &before, sizeof copy), ==, 0);
}

static void
test_vtable_other_seams (void)
{
  LkVtable copy;
  g_autoptr (GError) error = NULL;
  LkBackfillPolicy backfill = fake_backfill;
  backfill.pass = NULL;
  g_assert_false (lk_vtable_copy (&backfill.base, &copy, &error));
  g_assert_cmpstr (error->message, ==, "the required slot 'pass' is NULL");
  g_clear_error (&error);
  LkSelectPolicy select = fake_select;
  select.demand = NULL;
  g_assert_false (lk_vtable_copy (&select.base, &copy, &error));
  g_assert_cmpstr (error->message, ==,
                   "both 'demand' and 'choose' are NULL; one of the two is required");
  g_clear_error (&error);
  LkLimitsPolicy limits = lk_limits_slurm;
  limits.check = NULL;
  g_assert_false (lk_vtable_copy (&limits.base, &copy, &error));
  g_assert_cmpstr (error->message, ==, "the required slot 'check' is NULL");
}

/* A limits policy may end behind `check`, its only required slot. */
static void
test_vtable_limits_slots (void)
{
  LkVtable copy;
  g_autoptr (GError) error = NULL;
  LkLimitsPolicy limits = lk_limits_slurm;
  limits.base.size = G_STRUCT_OFFSET (LkLimitsPolicy, check) + sizeof (void *);
  g_assert_true (lk_vtable_copy (&limits.base, &copy, &error));
  g_assert_no_error (error);
  g_assert_true (copy.limits.check == limits.check);
  g_assert_null (copy.limits.time_limit_us);
  limits.base.size--;
  g_assert_false (lk_vtable_copy (&limits.base, &copy, &error));
  g_assert_nonnull (strstr (error->message, "required slots of seam 'limits' need"));
}

/* A select policy counts or places; one from before there were nodes to place on ends behind
 * `demand`. */
static void
test_vtable_select_slots (void)
{
  LkVtable copy;
  g_autoptr (GError) error = NULL;
  LkSelectPolicy select = lk_select_linear;
  g_assert_null (select.demand);
  g_assert_true (lk_vtable_copy (&select.base, &copy, &error));
  g_assert_no_error (error);
  g_assert_true (copy.select.choose == select.choose);
  g_assert_cmpuint (copy.select.flags, ==, LK_SELECT_WHOLE_NODES);

  select.demand = fake_select.demand;
  select.base.size = G_STRUCT_OFFSET (LkSelectPolicy, flags);
  g_assert_true (lk_vtable_copy (&select.base, &copy, &error));
  g_assert_no_error (error);
  g_assert_true (copy.select.demand == select.demand);
  g_assert_cmpuint (copy.select.flags, ==, 0);
  g_assert_null (copy.select.choose);

  select.demand = NULL;
  g_assert_false (lk_vtable_copy (&select.base, &copy, &error));
  g_clear_error (&error);
  select.base.size--;
  g_assert_false (lk_vtable_copy (&select.base, &copy, &error));
  g_assert_nonnull (strstr (error->message, "but the required slots of seam 'select' need"));
}

static void
test_vtable_two_orders (void)
{
  static const LkParam params[] = {
    { "order", LK_PARAM_ORDER, "", "", 0, 0, "" },
    { "other", LK_PARAM_ORDER, "", "", 0, 0, "" },
    { NULL, 0, NULL, NULL, 0, 0, NULL },
  };
  LkBackfillPolicy backfill = fake_backfill;
  backfill.base.params = params;
  LkVtable copy;
  g_autoptr (GError) error = NULL;
  g_assert_false (lk_vtable_copy (&backfill.base, &copy, &error));
  g_assert_cmpstr (error->message, ==,
                   "parameters 'order' and 'other' are both orders; one is allowed");
}

static void
test_vtable_older (void)
{
  /* As a plugin made before `is_dynamic` was appended. The block has just those bytes, so that a
   * sanitizer sees any read beyond them. */
  guint32 size = G_STRUCT_OFFSET (LkOrderPolicy, is_dynamic);
  LkOrderPolicy shorter = fake_score;
  shorter.base.size = size;
  g_autofree gpointer old = g_memdup2 (&shorter, size);
  g_autoptr (LkRegistry) registry = lk_registry_new ();
  g_autoptr (GError) error = NULL;
  const LkPolicy *added = lk_registry_add (registry, old, "old", "test", &error);
  g_assert_no_error (error);
  const LkOrderPolicy *order = (const LkOrderPolicy *)added;
  g_assert_null (order->is_dynamic);
  g_assert_true (order->key == fake_score.key);
}

static void
test_vtable_newer (void)
{
  struct {
    LkOrderPolicy known;
    void *slot_of_the_future;
  } newer = { .known = fake_score };
  newer.known.base.size = sizeof newer;
  g_autoptr (LkRegistry) registry = lk_registry_new ();
  g_autoptr (GError) error = NULL;
  const LkPolicy *added = lk_registry_add (registry, &newer.known.base, "new", "test", &error);
  g_assert_no_error (error);
  g_assert_cmpstr (added->name, ==, "fake_score");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/suggest/finds the nearest name or none", test_suggest_nearest);
  g_test_add_func ("/suggest/counts a swap of neighbours as one edit", test_suggest_swap);
  g_test_add_func ("/registry/suggests the nearest policy of the seam", test_find_suggests);
  g_test_add_func ("/registry/lists all policies when none is near", test_find_lists);
  g_test_add_func ("/registry/says when the name belongs to another seam", test_find_other_seam);
  g_test_add_func ("/registry/refuses a name that is taken", test_add_taken);
  g_test_add_func ("/registry/lists built-ins by seam and name, then the others", test_listing);
  g_test_add_func ("/registry/knows seams by number and name", test_seam_names);
  for (guint i = 0; i < G_N_ELEMENTS (vtable_cases); i++) {
    g_autofree char *path = g_strdup_printf ("/vtable/refuses %s", vtable_cases[i].name);
    g_test_add_data_func (path, &vtable_cases[i], test_vtable_broken);
  }
  g_test_add_func ("/vtable/refuses missing slots of the other seams", test_vtable_other_seams);
  g_test_add_func ("/vtable/takes a select policy that counts or places", test_vtable_select_slots);
  g_test_add_func ("/vtable/takes a limits policy that only checks", test_vtable_limits_slots);
  g_test_add_func ("/vtable/refuses two parameters of type order", test_vtable_two_orders);
  g_test_add_func ("/vtable/reads no byte beyond an older plugin's size", test_vtable_older);
  g_test_add_func ("/vtable/takes a newer plugin's known slots", test_vtable_newer);
  return g_test_run ();
}
