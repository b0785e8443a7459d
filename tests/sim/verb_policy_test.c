/* tests/sim/verb_policy_test.c — what `lockstep policy` prints and returns. */
#include "sim/verb_policy.h"

#include <glib.h>

#define EXAMPLE LK_BUILD_DIR "/docs/plugin-example/widest_waiting.so"
#define BAD LK_BUILD_DIR "/tests/policies/bad_plugins/"

typedef struct {
  const char *name;
  const char *arguments; /* with spaces between them */
  int code;
  const char *out;   /* pattern of the output */
  const char *error; /* pattern of the error output */
} VerbCase;

static const VerbCase cases[] = {
  { "list names every seam", "list", 0,

    "SEAM*order * fifo *backfill * easy *select * pool *limits * slurm *", "" },
  { "list keeps to one seam", "list --seam backfill", 0, "SEAM*\nbackfill*", "" },
  { "list of limits", "list --seam limits", 0, "SEAM*\nlimits * none *\nlimits * slurm *", "" },
  { "show limits", "show slurm", 0, "limits policy 'slurm' version *No parameters.\n", "" },
  { "list as JSON", "list --json --seam select", 0,
    "[\n  {\n    \"seam\": \"select\",\n    \"name\": \"bestfit_gpu\",\n    \"version\": *"
    "\"name\": \"pool\",*\"parameters\": [*]\n  }\n]\n",
    "" },
  { "list with a plugin", "list --plugin " EXAMPLE, 0, "*order     widest_waiting   1 *", "" },
  { "show a built-in", "show easy", 0,
    "backfill policy 'easy' version *source:   built-in*build id: built-in *"
    "  reservations\n*value:   an integer from 1 to *default: 1\n*",
    "" },
  { "show a plugin", "show widest_waiting --plugin " EXAMPLE, 0,
    "order policy 'widest_waiting' version 1\n*source:   " EXAMPLE "*threshold_s\n*"
    "value:   an integer from 0 to 31536000 (s)\n*default: 3600\n",
    "" },
  { "show as JSON", "show widest_waiting --json --plugin " EXAMPLE, 0,
    "*\"parameters\": [\n      {\n        \"name\": \"threshold_s\",\n        \"type\": "
    "\"integer\",\n        \"unit\": \"s\",\n        \"default\": \"3600\",\n        "
    "\"minimum\": 0,\n        \"maximum\": 31536000,\n        \"help\": *}\n    ]\n  }\n]\n",
    "" },
  { "show an unknown name", "show eazy", 2, "",
    "lockstep policy: 'eazy': no such policy; did you mean 'easy'?\n" },
  { "show a name of another seam", "show easy --seam select", 2, "",
    "lockstep policy: 'easy': no such policy; there are: bestfit_gpu, cons_tres, fgd, linear, "
    "pool, topology\n" },
  { "show nothing", "show", 2, "",
    "lockstep policy: show takes the name of a policy; see --help\n" },
  { "an unknown seam", "list --seam ordre", 2, "",
    "lockstep policy: unknown seam 'ordre'; did you mean 'order'?\n" },
  { "an unknown action", "shwo easy", 2, "",
    "lockstep policy: unknown action 'shwo'; did you mean 'show'?\n" },
  { "no action", "", 2, "",
    "lockstep policy: expected at least 1 argument, found 0; see --help\n" },
  { "list with an argument", "list easy", 2, "",
    "lockstep policy: list takes no argument; see --help\n" },
  { "an unknown option", "list --colour", 2, "",
    "lockstep policy: unknown option '--colour'; see --help\n" },
  { "an option that is mistyped", "list --jsn", 2, "",
    "lockstep policy: unknown option '--jsn'; did you mean '--json'?\n" },
  { "a plugin that is none", "list --plugin " BAD "no_symbol.so", 1, "",
    "lockstep policy: plugin '" BAD "no_symbol.so': it does not export the symbol "
    "lk_policy_v1\n" },
  { "verify a good plugin", "verify " EXAMPLE, 0,
    "PASS  file *\nPASS  exports *\nPASS  imports *\nPASS  data *\nPASS  loading *\n"
    "PASS  vtable *\nPASS  parameters *\nPASS  two runs *\nPASS  restarts *\n",
    "" },
  { "verify with parameters", "verify " EXAMPLE ":threshold_s=60", 0,
    "*\nPASS  parameters  *threshold_s=60*\nPASS  two runs *", "" },
  { "verify with a parameter that is mistyped", "verify " EXAMPLE ":treshold_s=60", 1,
    "*\nFAIL  parameters  *did you mean 'threshold_s'?*", "" },
  { "verify a bad plugin", "verify " BAD "extra_symbol.so", 1,
    "*\nFAIL  exports     it exports more: lk_policy_extra *\nPASS *", "" },
  { "verify as JSON", "verify --json " BAD "wrong_abi.so", 1,
    "{\n  \"result\": \"fail\",\n  \"checks\": [\n    {\n      \"name\": \"file\",\n      "
    "\"result\": \"pass\",\n*\"name\": \"vtable\",\n      \"result\": \"fail\",\n      "
    "\"detail\": \"*ABI 99*\"\n    }\n  ]\n}\n",
    "" },
  { "verify two files", "verify a b", 2, "",
    "lockstep policy: unexpected argument 'b'; see --help\n" },
};

static void
test_verb (gconstpointer data)
{
  const VerbCase *test = data;
  if (g_test_subprocess ()) {
    g_autofree char *line = g_strconcat ("policy ", test->arguments, NULL);
    g_auto (GStrv) words = g_strsplit (g_strchomp (line), " ", -1);
    /* The option parser moves the words about; what it drops is still the list's to free. */
    guint count = g_strv_length (words);
    g_autofree char **argv = g_memdup2 (words, (count + 1) * sizeof *words);
    int code = lk_verb_policy ((int)count, argv);
    g_assert_cmpint (code, ==, test->code);
    return;
  }
  g_test_trap_subprocess (NULL, 0, 0);
  g_test_trap_assert_passed ();
  g_autofree char *out = g_strconcat ("*", test->out, "*", NULL);
  g_test_trap_assert_stdout (out);
  g_test_trap_assert_stderr (test->error);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *path = g_strdup_printf ("/verb_policy/%s", cases[i].name);
    g_test_add_data_func (path, &cases[i], test_verb);
  }
  return g_test_run ();
}
