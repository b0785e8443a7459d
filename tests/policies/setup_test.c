/* tests/policies/setup_test.c — specifications, their canonical form, and journal headers. */
#include <math.h>
#include <string.h>

#include "policies/registry.h"
#include "policies/spec.h"
#include "tests/policies/fake_policies.h"

static LkSetup *
make (const LkRegistry *registry, const char *order, const char *backfill, GError **error)
{
  LkSetupOptions options = { .units_total = 64,
                             .origin_us = LK_TIME_NEVER,
                             .order = order,
                             .backfill = backfill,
                             .select = "fake_select" };
  return lk_setup_new (registry, &options, error);
}

/* What a specification becomes, or the error it gives. */
typedef struct {
  guint32 seam;
  const char *spec;
  const char *canonical; /* NULL: `message` is expected */
  const char *message;
} SpecCase;

static const SpecCase spec_cases[] = {
  { LK_SEAM_ORDER, "fake_score", "fake_score:ratio=1,depth=5,label=none", NULL },
  { LK_SEAM_ORDER, "fake_score:", "fake_score:ratio=1,depth=5,label=none", NULL },
  { LK_SEAM_ORDER, " fake_score : depth = 7 , ratio=0.10 ",
    "fake_score:ratio=0.1,depth=7,label=none", NULL },
  { LK_SEAM_ORDER, "fake_score(depth=7)", "fake_score:ratio=1,depth=7,label=none", NULL },
  { LK_SEAM_ORDER, "fake_score:ratio=1e3,label=", "fake_score:ratio=1000,depth=5,label=", NULL },
  { LK_SEAM_ORDER, "fake_score:ratio=-0.0", "fake_score:ratio=0,depth=5,label=none", NULL },
  { LK_SEAM_ORDER, "fake_score:label=min(a,b)", "fake_score:ratio=1,depth=5,label=min(a,b)", NULL },
  { LK_SEAM_ORDER, "fake_score:label=\"a,b\",depth=2", "fake_score:ratio=1,depth=2,label=\"a,b\"",
    NULL },
  { LK_SEAM_ORDER, "fake_score:label=\"plain\"", "fake_score:ratio=1,depth=5,label=plain", NULL },
  { LK_SEAM_ORDER, "fake_score:label=\"a\\\"\\\\b)\"",
    "fake_score:ratio=1,depth=5,label=\"a\\\"\\\\b)\"", NULL },
  { LK_SEAM_ORDER, "fake_score:label=a==b", "fake_score:ratio=1,depth=5,label=a==b", NULL },
  { LK_SEAM_ORDER, "fake_formula:wait/estimate", "fake_formula:formula=wait/estimate", NULL },
  { LK_SEAM_ORDER, "fake_formula:a == b", "fake_formula:formula=a == b", NULL },
  { LK_SEAM_ORDER, "fake_formula:wait <= 10", "fake_formula:formula=wait <= 10", NULL },
  { LK_SEAM_ORDER, "fake_formula:(wait+1)/max(a,b)", "fake_formula:formula=(wait+1)/max(a,b)",
    NULL },
  { LK_SEAM_ORDER, "fake_formula(wait+(1))", "fake_formula:formula=wait+(1)", NULL },
  { LK_SEAM_ORDER, "fake_formula:formula=wait", "fake_formula:formula=wait", NULL },
  { LK_SEAM_ORDER, "fake_formula:a, b", "fake_formula:formula=\"a, b\"", NULL },
  { LK_SEAM_ORDER, "fake_formula:a\n+ b", "fake_formula:formula=a + b", NULL },
  { LK_SEAM_BACKFILL, "fake_backfill", "fake_backfill:order=,reservations=1", NULL },
  { LK_SEAM_BACKFILL, "fake_backfill:reservations=2,order=fake_score(depth=3)",
    "fake_backfill:order=fake_score(ratio=1,depth=3,label=none),reservations=2", NULL },
  { LK_SEAM_BACKFILL, "fake_backfill:order=fake_formula:min(a,b)/c",
    "fake_backfill:order=fake_formula(formula=min(a,b)/c),reservations=1", NULL },
  { LK_SEAM_BACKFILL, "fake_backfill:order=fake_formula(\"a,b\")",
    "fake_backfill:order=fake_formula(formula=\"a,b\"),reservations=1", NULL },

  { LK_SEAM_ORDER, "fake_scor", NULL,
    "order 'fake_scor': no such policy; did you mean 'fake_score'?" },
  { LK_SEAM_ORDER, "fake_score:dept=1", NULL,
    "order 'fake_score': no parameter 'dept'; did you mean 'depth'?" },
  { LK_SEAM_ORDER, "fake_score:zzzzzz=1", NULL,
    "order 'fake_score': no parameter 'zzzzzz'; there are: ratio, depth, label" },
  { LK_SEAM_ORDER, "fake_score:depth=1,depth=2", NULL,
    "order 'fake_score': parameter 'depth' is given twice" },
  { LK_SEAM_ORDER, "fake_score:depth", NULL,
    "order 'fake_score': 'depth' is not of the form key=value" },
  { LK_SEAM_ORDER, "fake_score:depth=1,", NULL,
    "order 'fake_score': '' is not of the form key=value" },
  { LK_SEAM_ORDER, "fake_score:depth=0", NULL,
    "order 'fake_score': parameter 'depth' is '0'; expected an integer from 1 to 1000 (jobs)" },
  { LK_SEAM_ORDER, "fake_score:depth=5.0", NULL,
    "order 'fake_score': parameter 'depth' is '5.0'; expected an integer from 1 to 1000 (jobs)" },
  { LK_SEAM_ORDER, "fake_score:depth=99999999999999999999", NULL,
    "order 'fake_score': parameter 'depth' is '99999999999999999999'; expected an integer from 1 "
    "to 1000 (jobs)" },
  { LK_SEAM_ORDER, "fake_score:ratio=1,5", NULL,
    "order 'fake_score': '5' is not of the form key=value" },
  { LK_SEAM_ORDER, "fake_score:ratio=nan", NULL,
    "order 'fake_score': parameter 'ratio' is 'nan'; expected a number from 0 to 1000000000" },
  { LK_SEAM_ORDER, "fake_score:ratio=0x10", NULL,
    "order 'fake_score': parameter 'ratio' is '0x10'; expected a number from 0 to 1000000000" },
  { LK_SEAM_ORDER, "fake_score:ratio=1e999", NULL,
    "order 'fake_score': parameter 'ratio' is '1e999'; expected a number from 0 to 1000000000" },
  { LK_SEAM_ORDER, "fake_score:ratio=", NULL,
    "order 'fake_score': parameter 'ratio' is ''; expected a number from 0 to 1000000000" },
  { LK_SEAM_ORDER, "fake_score:label=(a", NULL,
    "order 'fake_score': 'label=(a': the closing parenthesis is missing" },
  { LK_SEAM_ORDER, "fake_score:label=a)", NULL,
    "order 'fake_score': 'label=a)': a ')' without its '('" },
  { LK_SEAM_ORDER, "fake_score:label=\"a", NULL,
    "order 'fake_score': 'label=\"a': the closing quote is missing" },
  { LK_SEAM_ORDER, "fake_score(depth=1", NULL,
    "order: 'fake_score(depth=1': expected NAME, NAME:key=value,... or NAME(key=value,...)" },
  { LK_SEAM_ORDER, "fake_score:label=a\x01", NULL,
    "order: a specification with bytes that are not text" },
  { LK_SEAM_ORDER, "fake_score:label=\xff", NULL,
    "order: a specification with bytes that are not text" },
  { LK_SEAM_ORDER, "fake_formula", NULL,
    "order 'fake_formula': parameter 'formula' must be given: what to compute" },
  { LK_SEAM_ORDER, "fake_formula:wait=1", NULL,
    "order 'fake_formula': no parameter 'wait'; there are: formula" },
  { LK_SEAM_ORDER, "fake_formula:a ? b", NULL,
    "order 'fake_formula': formula column 3: '?' is no operator" },
  { LK_SEAM_BACKFILL, "fake_backfill:reservation=2", NULL,
    "backfill 'fake_backfill': no parameter 'reservation'; did you mean 'reservations'?" },
  { LK_SEAM_BACKFILL, "fake_backfill:reservations=x", NULL,
    "backfill 'fake_backfill': parameter 'reservations' is 'x'; expected an integer from 1 to "
    "1000" },
  { LK_SEAM_BACKFILL, "fake_backfill:order=fake_scores", NULL,
    "backfill 'fake_backfill': parameter 'order': order 'fake_scores': no such policy; did you "
    "mean 'fake_score'?" },
  { LK_SEAM_BACKFILL, "fake_backfill:order=fake_score(depth=0)", NULL,
    "backfill 'fake_backfill': parameter 'order': order 'fake_score': parameter 'depth' is '0'; "
    "expected an integer from 1 to 1000 (jobs)" },
};

static void
test_spec (gconstpointer data)
{
  const SpecCase *test = data;
  g_autoptr (LkRegistry) registry = fake_registry ();
  gboolean is_order = test->seam == LK_SEAM_ORDER;
  const char *order = is_order ? test->spec : "fake_score";
  const char *backfill = is_order ? "fake_backfill" : test->spec;
  g_autoptr (GError) error = NULL;
  g_autoptr (LkSetup) setup = make (registry, order, backfill, &error);
  if (test->canonical == NULL) {
    g_assert_null (setup);
    g_assert_nonnull (error);
    g_assert_cmpstr (error->message, ==, test->message);
    return;
  }
  g_assert_no_error (error);
  g_assert_cmpstr (lk_setup_spec (setup, test->seam), ==, test->canonical);
  /* The canonical form is a fixed point. */
  g_autoptr (LkSetup) again = make (registry, is_order ? test->canonical : "fake_score",
                                    is_order ? "fake_backfill" : test->canonical, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (lk_setup_spec (again, test->seam), ==, test->canonical);
  g_assert_true (lk_digest_value_equal (lk_setup_digest (setup), lk_setup_digest (again)));
}

static void
test_too_long (void)
{
  g_autoptr (LkRegistry) registry = fake_registry ();
  g_autofree char *spec = g_strnfill (LK_SPEC_MAX_BYTES + 1, 'a');
  g_autoptr (GError) error = NULL;
  g_assert_null (make (registry, spec, "fake_backfill", &error));
  g_assert_cmpstr (error->message, ==,
                   "order: a specification of 4097 bytes; at most 4096 are allowed");
}

static void
test_no_machine (void)
{
  g_autoptr (LkRegistry) registry = fake_registry ();
  LkSetupOptions options = { .order = "fake_score",
                             .backfill = "fake_backfill",
                             .select = "fake_select" };
  g_autoptr (GError) error = NULL;
  g_assert_null (lk_setup_new (registry, &options, &error));
  g_assert_cmpstr (error->message, ==, "the machine has 0 processors; expected 1 to 2147483647");
}

/* Text of up to 12 bytes out of those that mean something in a specification. */
static char *
random_label (GRand *rand)
{
  static const char alphabet[] = "a(),=\"\\ :b";
  guint length = (guint)g_rand_int_range (rand, 0, 13);
  char *text = g_malloc0 (length + 1);
  for (guint i = 0; i < length; i++)
    text[i] = alphabet[g_rand_int_range (rand, 0, (gint32)sizeof alphabet - 1)];
  return text;
}

static void
test_round_trip (void)
{
  g_autoptr (LkRegistry) registry = fake_registry ();
  g_autoptr (GRand) rand = g_rand_new_with_seed (20240607);
  for (guint round = 0; round < 3000; round++) {
    g_autofree char *label = random_label (rand);
    double ratio = g_rand_double (rand) * pow (10, g_rand_int_range (rand, -12, 9));
    g_autofree char *ratio_text = lk_spec_real_text (ratio);
    g_autoptr (GString) spec = g_string_new (NULL);
    g_string_printf (spec, "fake_score:ratio=%s,label=", ratio_text);
    lk_spec_append_text (spec, label);
    g_autoptr (GError) error = NULL;
    g_autoptr (LkSetup) setup = make (registry, spec->str, "fake_backfill", &error);
    g_assert_no_error (error);
    const LkEngineConfig *config = lk_setup_config (setup);
    g_assert_true (config->order_values.values[0].real == ratio);
    g_assert_cmpstr (config->order_values.values[2].text, ==, label);
    /* Once more, one level deeper: as the order of a backfill policy. */
    g_autofree char *nested =
        g_strdup_printf ("fake_backfill:order=fake_score(%s)",
                         lk_setup_spec (setup, LK_SEAM_ORDER) + strlen ("fake_score:"));
    g_autoptr (LkSetup) deeper = make (registry, "fake_score", nested, &error);
    g_assert_no_error (error);
    config = lk_setup_config (deeper);
    g_assert_cmpstr (config->backfill_order_values.values[2].text, ==, label);
    g_autoptr (LkSetup) again =
        make (registry, "fake_score", lk_setup_spec (deeper, LK_SEAM_BACKFILL), &error);
    g_assert_no_error (error);
    g_assert_cmpstr (lk_setup_spec (again, LK_SEAM_BACKFILL), ==,
                     lk_setup_spec (deeper, LK_SEAM_BACKFILL));
  }
}

static void
test_shortest_real (void)
{
  const struct {
    double value;
    const char *text;
  } cases[] = { { 0.1, "0.1" },   { 1.0 / 3, "0.3333333333333333" },
                { -0.0, "0" },    { 1e22, "1e+22" },
                { -2.5, "-2.5" }, { 5e-324, "4.94065645841247e-324" },
                { 870, "870" },   { 0.1 + 0.2, "0.30000000000000004" } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *text = lk_spec_real_text (cases[i].value);
    g_assert_cmpstr (text, ==, cases[i].text);
  }
}

static void
test_config (void)
{
  g_autoptr (LkRegistry) registry = fake_registry ();
  g_autoptr (GError) error = NULL;
  g_autoptr (LkSetup) setup =
      make (registry, "fake_score:depth=9", "fake_backfill:order=fake_formula:wait", &error);
  g_assert_no_error (error);
  const LkEngineConfig *config = lk_setup_config (setup);
  g_assert_cmpuint (config->units_total, ==, 64);
  g_assert_cmpint (config->origin_us, ==, LK_TIME_NEVER);
  g_assert_cmpstr (config->order->base.name, ==, "fake_score");
  g_assert_cmpuint (config->order_values.count, ==, 3);
  g_assert_cmpint (config->order_values.values[1].integer, ==, 9);
  g_assert_true (config->order_values.host == lk_host ());
  g_assert_cmpstr (config->backfill_order->base.name, ==, "fake_formula");
  g_assert_cmpstr (config->backfill_order_values.values[0].text, ==, "wait");
  g_assert_cmpstr (config->backfill_values.values[0].text, ==, "fake_formula(formula=wait)");
  g_assert_cmpint (config->backfill_values.values[1].integer, ==, 1);
  g_assert_cmpstr (config->select->base.name, ==, "fake_select");
  g_autoptr (LkSetup) plain = make (registry, "fake_score", "fake_backfill", &error);
  g_assert_null (lk_setup_config (plain)->backfill_order);
}

static LkDigestValue
digest_of (const LkRegistry *registry, const LkSetupOptions *options)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LkSetup) setup = lk_setup_new (registry, options, &error);
  g_assert_no_error (error);
  return lk_setup_digest (setup);
}

static void
test_digest (void)
{
  g_autoptr (LkRegistry) registry = fake_registry ();
  const LkSetupOptions base = { .units_total = 64,
                                .origin_us = 0,
                                .order = "fake_score",
                                .backfill = "fake_backfill",
                                .select = "fake_select" };
  LkSetupOptions variants[6] = { base, base, base, base, base, base };
  variants[1].units_total = 65;
  variants[2].origin_us = 1;
  variants[3].order = "fake_score:depth=6";
  variants[4].backfill = "fake_backfill:order=fake_score";
  variants[5].backfill = "fake_backfill:reservations=2";
  for (guint i = 0; i < G_N_ELEMENTS (variants); i++) {
    for (guint j = 0; j < i; j++)
      g_assert_false (lk_digest_value_equal (digest_of (registry, &variants[i]),
                                             digest_of (registry, &variants[j])));
  }
  LkSetupOptions same = base;
  same.order = "fake_score: label=none, depth=5";
  g_assert_true (lk_digest_value_equal (digest_of (registry, &base), digest_of (registry, &same)));
}

static void
test_digest_version (void)
{
  g_autoptr (LkRegistry) registry = lk_registry_new ();
  g_autoptr (LkRegistry) later = lk_registry_new ();
  LkOrderPolicy changed = fake_score;
  changed.base.version = 8;
  LkRegistry *both[] = { registry, later };
  for (guint i = 0; i < 2; i++) {
    const LkPolicy *order = i == 0 ? &fake_score.base : &changed.base;
    g_assert_nonnull (lk_registry_add (both[i], order, "b", "t", NULL));
    g_assert_nonnull (lk_registry_add (both[i], &fake_backfill.base, "b", "t", NULL));
    g_assert_nonnull (lk_registry_add (both[i], &fake_select.base, "b", "t", NULL));
  }
  g_autoptr (GError) error = NULL;
  g_autoptr (LkSetup) setup = make (registry, "fake_score", "fake_backfill", &error);
  g_autoptr (LkSetup) other = make (later, "fake_score", "fake_backfill", &error);
  g_assert_no_error (error);
  g_assert_false (lk_digest_value_equal (lk_setup_digest (setup), lk_setup_digest (other)));
  LkJournalHeader header = { 0 };
  lk_setup_header (setup, "test", &header);
  g_assert_null (lk_setup_new_from_header (later, &header, &error));
  g_assert_error (error, LK_REGISTRY_ERROR, LK_REGISTRY_ERROR_BUILD);
  g_assert_cmpstr (error->message, ==,
                   "the journal was written by order policy version 7 (build b); here it is "
                   "version 8 (build b)");
}

static void
test_header_round_trip (void)
{
  g_autoptr (LkRegistry) registry = fake_registry ();
  g_autoptr (GError) error = NULL;
  g_autoptr (LkSetup) setup =
      make (registry, "fake_formula:a/b", "fake_backfill:order=fake_score", &error);
  g_assert_no_error (error);
  LkJournalHeader header = { 0 };
  lk_setup_header (setup, "trace.swf", &header);
  g_autofree char *source = g_strndup (header.source.bytes, header.source.length_bytes);
  g_assert_cmpstr (source, ==, "trace.swf");
  g_assert_cmpuint (header.order_version, ==, 1);
  g_autofree char *build_id =
      g_strndup (header.backfill_build_id.bytes, header.backfill_build_id.length_bytes);
  g_assert_cmpstr (build_id, ==, "fake build, order fake build");
  g_autoptr (LkSetup) again = lk_setup_new_from_header (registry, &header, &error);
  g_assert_no_error (error);
  g_assert_true (lk_digest_value_equal (lk_setup_digest (setup), lk_setup_digest (again)));
}

/* Who displaces whom is part of the configuration; that nobody does is as if it were not asked. */
static void
test_preempt (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LkRegistry) registry = lk_registry_new ();
  LkSetupOptions options = { .units_total = 64,
                             .origin_us = LK_TIME_NEVER,
                             .order = "fifo",
                             .backfill = "easy",
                             .select = "pool" };
  g_autoptr (LkSetup) none = lk_setup_new (registry, &options, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (lk_setup_spec (none, LK_SEAM_PREEMPT), ==, "none");
  options.preempt = "qos:mode=requeue,exempt_s=60";
  g_autoptr (LkSetup) setup = lk_setup_new (registry, &options, &error);
  g_assert_no_error (error);
  g_assert_false (lk_digest_value_equal (lk_setup_digest (none), lk_setup_digest (setup)));
  LkJournalHeader header;
  lk_setup_header (setup, "test", &header);
  g_autoptr (LkSetup) again = lk_setup_new_from_header (registry, &header, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (lk_setup_spec (again, LK_SEAM_PREEMPT), ==,
                   lk_setup_spec (setup, LK_SEAM_PREEMPT));
  g_assert_true (lk_digest_value_equal (lk_setup_digest (again), lk_setup_digest (setup)));
  options.preempt = "qos:mode=kill";
  g_assert_null (lk_setup_new (registry, &options, &error));
  g_assert_cmpstr (
      error->message, ==,
      "preempt 'qos': parameter 'mode' is 'kill'; expected off, cancel, requeue or suspend");
}

static void
test_header_other_build (void)
{
  g_autoptr (LkRegistry) registry = fake_registry ();
  g_autoptr (GError) error = NULL;
  g_autoptr (LkSetup) setup = make (registry, "fake_score", "fake_backfill", &error);
  LkJournalHeader header = { 0 };
  lk_setup_header (setup, "", &header);
  header.select_build_id = (LkText){ .bytes = "1234", .length_bytes = 4 };
  g_assert_null (lk_setup_new_from_header (registry, &header, &error));
  g_assert_error (error, LK_REGISTRY_ERROR, LK_REGISTRY_ERROR_BUILD);
  g_assert_cmpstr (error->message, ==,
                   "the journal was written by select policy version 3 (build 1234); here it is "
                   "version 3 (build fake build)");
}

static void
test_header_other_digest (void)
{
  g_autoptr (LkRegistry) registry = fake_registry ();
  g_autoptr (GError) error = NULL;
  g_autoptr (LkSetup) setup = make (registry, "fake_score", "fake_backfill", &error);
  LkJournalHeader header = { 0 };
  lk_setup_header (setup, "", &header);
  header.config_digest_low ^= 1;
  g_assert_null (lk_setup_new_from_header (registry, &header, &error));
  g_assert_error (error, LK_REGISTRY_ERROR, LK_REGISTRY_ERROR_BUILD);
  g_assert_true (g_str_has_prefix (error->message, "the journal's configuration has digest "));
}

static void
test_header_missing_plugin (void)
{
  g_autoptr (LkRegistry) full = fake_registry ();
  g_autoptr (LkRegistry) registry = lk_registry_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (LkSetup) setup = make (full, "fake_score", "fake_backfill", &error);
  LkJournalHeader header = { 0 };
  lk_setup_header (setup, "", &header);
  g_assert_null (lk_setup_new_from_header (registry, &header, &error));
  g_assert_error (error, LK_REGISTRY_ERROR, LK_REGISTRY_ERROR_NAME);
  g_assert_nonnull (strstr (error->message, "a plugin that it was written with must be given"));
}

static void
test_header_long_source (void)
{
  g_autoptr (LkRegistry) registry = fake_registry ();
  g_autoptr (GError) error = NULL;
  g_autoptr (LkSetup) setup = make (registry, "fake_score", "fake_backfill", &error);
  g_autoptr (GString) source = g_string_new (NULL);
  while (source->len < 70000)
    g_string_append (source, "\xe2\x82\xac");
  LkJournalHeader header = { 0 };
  lk_setup_header (setup, source->str, &header);
  g_assert_true (g_utf8_validate (header.source.bytes, header.source.length_bytes, NULL));
  g_assert_cmpuint (header.source.length_bytes, >, 65530);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (spec_cases); i++) {
    const SpecCase *test = &spec_cases[i];
    g_autofree char *path =
        g_strdup_printf ("/setup/%s specification %u", test->canonical ? "reads" : "refuses", i);
    g_test_add_data_func (path, test, test_spec);
  }
  g_test_add_func ("/setup/refuses a specification that is too long", test_too_long);
  g_test_add_func ("/setup/refuses a machine without processors", test_no_machine);
  g_test_add_func ("/setup/reads back every canonical text and number", test_round_trip);
  g_test_add_func ("/spec/writes reals with the fewest digits", test_shortest_real);
  g_test_add_func ("/setup/fills the engine's configuration", test_config);
  g_test_add_func ("/setup/gives other configurations other digests", test_digest);
  g_test_add_func ("/setup/gives other policy versions other digests", test_digest_version);
  g_test_add_func ("/setup/makes the same from a journal header", test_header_round_trip);
  g_test_add_func ("/setup/refuses a journal of another build", test_header_other_build);
  g_test_add_func ("/setup/refuses a journal of another digest", test_header_other_digest);
  g_test_add_func ("/setup/names a missing plugin of a journal", test_header_missing_plugin);
  g_test_add_func ("/setup/cuts a long source between characters", test_header_long_source);
  g_test_add_func ("/setup/who displaces whom is in the header", test_preempt);
  return g_test_run ();
}
