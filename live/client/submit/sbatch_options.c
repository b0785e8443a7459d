/* live/client/submit/sbatch_options.c — which options sbatch has, and what becomes of each.
 *
 * The options themselves, their letters and values stand in traces/job_options.c.  Here is which of
 * those that do not decide where and when a job runs are acted on, which are harmless, and why, and
 * which are refused. */
#include <string.h>

#include "live/client/commands.h"
#include "live/client/submit/job_option_text.h"
#include "live/client/options_dump.h"
#include "live/client/options_help.h"
#include "live/client/submit/option_variables.h"
#include "live/client/submit/sbatch.h"
#include "live/client/spank_command.h"
#include "traces/job_options_private.h"

#define WHY_STEPS "about how steps bind their tasks"
#define WHY_MEASURES "about measuring, which goes by a period of its own"
#define WHY_NODES "nodes are always on"

static const struct {
  const char *name;
  LkSbatchClass class;
  const char *why; /* of those that are harmless or refused */
} known[] = {
  { "acctg-freq", LK_SBATCH_HARMLESS, WHY_MEASURES },
  { "batch", LK_SBATCH_REFUSED, "the script runs on the first node" },
  { "bb", LK_SBATCH_REFUSED, "there are no burst buffers" },
  { "bbf", LK_SBATCH_REFUSED, "there are no burst buffers" },
  { "chdir", LK_SBATCH_ACTED_ON, NULL },
  { "cluster-constraint", LK_SBATCH_REFUSED, "there is one cluster" },
  { "clusters", LK_SBATCH_ACTED_ON, NULL },
  { "consolidate-segments", LK_SBATCH_REFUSED, "segments are placed apart" },
  { "container", LK_SBATCH_REFUSED, "containers are started by the script" },
  { "container-id", LK_SBATCH_REFUSED, "containers are started by the script" },
  { "core-spec", LK_SBATCH_REFUSED, "reserved cores stay as the nodes have them" },
  { "cpu-freq", LK_SBATCH_HARMLESS, "frequencies are left alone" },
  { "delay-boot", LK_SBATCH_HARMLESS, WHY_NODES },
  { "error", LK_SBATCH_ACTED_ON, NULL },
  { "export", LK_SBATCH_ACTED_ON, NULL },
  { "export-file", LK_SBATCH_ACTED_ON, NULL },
  { "extra", LK_SBATCH_HARMLESS, "free text that nobody reads" },
  { "get-user-env", LK_SBATCH_ACTED_ON, NULL },
  { "gpu-bind", LK_SBATCH_ACTED_ON, NULL },
  { "gpu-freq", LK_SBATCH_HARMLESS, "frequencies are left alone" },
  { "help", LK_SBATCH_ACTED_ON, NULL },
  { "ignore-pbs", LK_SBATCH_HARMLESS, "lines of PBS are never read" },
  { "input", LK_SBATCH_ACTED_ON, NULL },
  { "mail-type", LK_SBATCH_ACTED_ON, NULL },
  { "mail-user", LK_SBATCH_ACTED_ON, NULL },
  { "mcs-label", LK_SBATCH_REFUSED, "there are no MCS labels" },
  { "mem-bind", LK_SBATCH_ACTED_ON, NULL },
  { "network", LK_SBATCH_HARMLESS, "the network is as it is: no switch is set up for a job" },
  { "ntasks-per-core", LK_SBATCH_REFUSED,
    "--threads-per-core=1 keeps tasks on cores of their own" },
  { "oom-kill-step", LK_SBATCH_HARMLESS, "about steps; the system ends what has no memory left" },
  { "open-mode", LK_SBATCH_ACTED_ON, NULL },
  { "output", LK_SBATCH_ACTED_ON, NULL },
  { "overcommit", LK_SBATCH_ACTED_ON, NULL },
  { "parsable", LK_SBATCH_ACTED_ON, NULL },
  { "power", LK_SBATCH_HARMLESS, "of older versions, where it did nothing either" },
  { "prefer", LK_SBATCH_REFUSED, "give features that are needed with --constraint" },
  { "profile", LK_SBATCH_HARMLESS, WHY_MEASURES },
  { "propagate", LK_SBATCH_ACTED_ON, NULL },
  { "quiet", LK_SBATCH_ACTED_ON, NULL },
  { "reboot", LK_SBATCH_REFUSED, "nodes are not booted for a job" },
  { "spread-segments", LK_SBATCH_REFUSED, "segments are placed apart" },
  { "stepmgr", LK_SBATCH_HARMLESS, "about who manages steps" },
  { "test-only", LK_SBATCH_ACTED_ON, NULL },
  { "thread-spec", LK_SBATCH_REFUSED, "reserved cores stay as the nodes have them" },
  { "tres-bind", LK_SBATCH_HARMLESS, WHY_STEPS },
  { "usage", LK_SBATCH_ACTED_ON, NULL },
  { "verbose", LK_SBATCH_ACTED_ON, NULL },
  { "version", LK_SBATCH_ACTED_ON, NULL },
  { "wait", LK_SBATCH_ACTED_ON, NULL },
  { "wait-all-nodes", LK_SBATCH_HARMLESS, WHY_NODES },
  { "wckey", LK_SBATCH_ACTED_ON, NULL },
  { "wrap", LK_SBATCH_ACTED_ON, NULL },
};

LkSbatchClass
lk_sbatch_option_class (const char *name, const char **out_why)
{
  *out_why = NULL;
  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    if (strcmp (known[i].name, name) == 0) {
      *out_why = known[i].why;
      return known[i].class;
    }
  return LK_SBATCH_PLACED;
}

/* ---------------------------------------------------------------- help */

static void
option_print (const LkJobOption *option, const char *why, FILE *out)
{
  char letter[5] = "    ";
  if (option->letter != 0)
    g_snprintf (letter, sizeof letter, "-%c, ", option->letter);
  const char *value = option->value == LK_JOB_VALUE_NONE     ? ""
                      : option->value == LK_JOB_VALUE_NEEDED ? "=VALUE"
                                                             : "[=VALUE]";
  g_autofree char *name = g_strconcat ("--", option->name, value, NULL);
  const char *text = why != NULL ? why : lk_job_option_text (option->name);
  fprintf (out, "  %s%-28s %s\n", letter, name, text != NULL ? text : "");
}

void
lk_sbatch_help (const LkClient *client)
{
  FILE *out = client->out;
  static const char *const titles[] = {
    "Constraint options: where and when the job runs:",
    "\nOther options:",
    "\nTaken, but they change nothing:",
    "\nNot implemented; an error:",
  };
  fprintf (out, "Usage: sbatch " LK_SBATCH_CALL "\n\n");
  for (guint class = 0; class < G_N_ELEMENTS (titles); class ++) {
    fprintf (out, "%s\n", titles[class]);
    for (guint i = 0; i < lk_job_option_count; i++) {
      const char *why;
      if (lk_sbatch_option_class (lk_job_options[i].name, &why) == class)
        option_print (&lk_job_options[i], why, out);
    }
  }
  lk_spank_command_help (client);
}

/* As lk_options_parse knows options. */
static LkClientOption
client_option (const LkJobOption *option)
{
  static const LkOptionClass classes[] = { LK_OPTION_ACTED_ON, LK_OPTION_ACTED_ON,
                                           LK_OPTION_HARMLESS, LK_OPTION_REFUSED };
  const char *why;
  LkSbatchClass class = lk_sbatch_option_class (option->name, &why);
  const char *text = why != NULL ? why : lk_job_option_text (option->name);
  return (LkClientOption){ .name = option->name,
                           .letter = option->letter,
                           .has_value = (int)option->value,
                           .class = classes[class],
                           .help = text != NULL ? text : "" };
}

void
lk_sbatch_dump (const LkClient *client)
{
  lk_options_dump_usage (client, LK_SBATCH_CALL);
  for (guint i = 0; i < lk_job_option_count; i++) {
    LkClientOption told = client_option (&lk_job_options[i]);
    lk_options_dump_option (client, &told);
  }
}

void
lk_sbatch_usage (const LkClient *client)
{
  g_autoptr (GArray) options = g_array_new (FALSE, FALSE, sizeof (LkClientOption));
  for (guint i = 0; i < lk_job_option_count; i++) {
    LkClientOption told = client_option (&lk_job_options[i]);
    g_array_append_val (options, told);
  }
  LkOptionSet set = { .operands = "executable [args...]",
                      .options = (const LkClientOption *)(gpointer)options->data,
                      .count = options->len,
                      .is_of_jobs = TRUE };
  lk_options_usage (client, &set);
}

void
lk_sbatch_markdown (GString *out)
{
  static const char *const words[] = { "decides where and when", "acted on", "harmless",
                                       "an error" };
  g_string_append (out, "| Option | What becomes of it |\n|---|---|\n");
  for (guint i = 0; i < lk_job_option_count; i++) {
    const LkJobOption *option = &lk_job_options[i];
    const char *why;
    LkSbatchClass class = lk_sbatch_option_class (option->name, &why);
    g_string_append_printf (out, "| `--%s`", option->name);
    if (option->letter != 0)
      g_string_append_printf (out, ", `-%c`", option->letter);
    g_string_append_printf (out, " | %s%s%s |\n", words[class], why != NULL ? ": " : "",
                            why != NULL ? why : "");
  }
}

/* ---------------------------------------------------------------- words */

static const char *
value_in (const GPtrArray *words, const char *name)
{
  gsize name_bytes = strlen (name);
  for (guint i = words->len; i > 0; i--) {
    const char *word = g_ptr_array_index (words, i - 1);
    if (strncmp (word + 2, name, name_bytes) != 0)
      continue;
    const char *end = word + 2 + name_bytes;
    if (*end == '=' || *end == '\0')
      return *end == '=' ? end + 1 : end;
  }
  return NULL;
}

const char *
lk_sbatch_value (const LkSbatch *self, const char *name)
{
  const char *value = NULL;
  for (guint i = 0; i < self->components->len && value == NULL; i++)
    value = value_in (g_ptr_array_index (self->components, i), name);
  return value;
}

/* The text between two others; NULL: it is not like that. Returns: (transfer full). */
static char *
between (const char *text, const char *before, const char *behind, const char **out_rest)
{
  const char *start = strstr (text, before);
  const char *end = start != NULL ? strstr (start + strlen (before), behind) : NULL;
  if (end == NULL)
    return NULL;
  start += strlen (before);
  *out_rest = end + strlen (behind);
  return g_strndup (start, (gsize)(end - start));
}

/* Counts are told with their value, and with another exit code. */
static gboolean
is_count (const char *name)
{
  static const char *const counts[] = { "ntasks",
                                        "cpus-per-task",
                                        "ntasks-per-node",
                                        "cores-per-socket",
                                        "ntasks-per-socket",
                                        "sockets-per-node",
                                        "threads-per-core",
                                        "cpus-per-gpu",
                                        "ntasks-per-gpu",
                                        "mincpus",
                                        NULL };
  return g_strv_contains (counts, name);
}

/* --nodes, of which sbatch lets the controller refuse the number 0. */
static int
nodes_error (const LkClient *client, const char *value)
{
  char *end;
  guint64 least = g_ascii_strtoull (value, &end, 10);
  if (*end == '-' && end != value && g_ascii_isdigit (end[1])) {
    lk_client_error (client,
                     "Maximum node count %s is less than minimum node count %" G_GUINT64_FORMAT,
                     end + 1, least);
    return LK_SBATCH_USAGE;
  }
  if (strcmp (value, "0") == 0) {
    lk_client_error (client, "%s: Node count specification invalid", lk_sbatch_failure (client));
    return LK_SBATCH_FAILURE;
  }
  lk_option_error (client, "nodes", value, "Invalid --nodes specification");
  return LK_SBATCH_USAGE;
}

/* In the words of getopt_long. `names`: "--a, --b". */
static void
ambiguous_tell (const LkClient *client, const char *cut, const char *names)
{
  g_auto (GStrv) each = g_strsplit (names, ", ", -1);
  g_autofree char *quoted = g_strjoinv ("' '", each);
  fprintf (client->err,
           "%s: option '%s' is ambiguous; possibilities: '%s'\n"
           "Try \"%s --help\" for more information\n",
           client->command, cut, quoted, client->command);
}

int
lk_sbatch_option_error (const LkClient *client, const GError *error)
{
  if (g_str_has_prefix (error->message, "options --mem, --mem-per-cpu and --mem-per-gpu exclude")) {
    fprintf (client->err,
             "%s: fatal: --mem, --mem-per-cpu, and --mem-per-gpu are mutually exclusive.\n",
             client->command);
    return LK_SBATCH_FAILURE;
  }
  const char *rest = error->message;
  g_autofree char *name = between (rest, "option --", " is '", &rest);
  g_autofree char *value = name != NULL ? g_strndup (rest, strcspn (rest, "'")) : NULL;
  if (name != NULL && is_count (name)) {
    lk_option_error (client, name, value, "Invalid numeric value \"%s\" for --%s.", value, name);
    return LK_SBATCH_FAILURE;
  }
  if (name != NULL && strcmp (name, "gres") == 0) {
    lk_option_error (client, name, value, "Invalid generic resource (gres) specification");
    return LK_SBATCH_FAILURE;
  }
  if (name != NULL && strcmp (name, "nodes") == 0)
    return nodes_error (client, value);
  if (name != NULL) {
    lk_option_error (client, name, value, "Invalid --%s specification", name);
    return LK_SBATCH_USAGE;
  }
  g_autofree char *unknown = between (error->message, "option '", "' is unknown", &rest);
  if (unknown != NULL) {
    fprintf (
        client->err, "%s: unrecognized option '%s'%s\nTry \"%s --help\" for more information\n",
        client->command, unknown, g_str_has_prefix (rest, "; did") ? rest : "", client->command);
    lk_spank_command_tell_lack (client, unknown);
    return LK_SBATCH_USAGE;
  }
  g_autofree char *cut =
      between (error->message, "option '", "' is ambiguous; expected one of ", &rest);
  if (cut != NULL) {
    ambiguous_tell (client, cut, rest);
    return LK_SBATCH_USAGE;
  }
  lk_client_error (client, "%s", error->message);
  return LK_SBATCH_FAILURE;
}
