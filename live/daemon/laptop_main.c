/* live/daemon/laptop_main.c — lockstep-laptop, called as `lockstep up` and `lockstep down`. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "live/core/port_net.h"
#include "live/daemon/daemon.h"
#include "live/daemon/daemon_site.h"
#include "live/daemon/laptop.h"
#include "live/port/error.h"
#include "policies/registry.h"
#include "traces/option_context.h"

#define NODE_COUNT_MAX 65536
#define GPU_COUNT_MAX 1024
#define CPU_COUNT_MAX 65536
#define NOT_GIVEN G_MININT

typedef struct {
  char *directory;
  gint node_count;
  gint gpu_count;
  gint cpu_count;
  char *memory;
  gboolean is_fresh;
  LkLaptopShape shape;
} Options;

static void
options_clear (Options *self)
{
  g_free (self->directory);
  g_free (self->memory);
  g_free (self->shape.conf);
  g_free (self->shape.order);
  g_free (self->shape.backfill);
  g_free (self->shape.select);
  g_free (self->shape.preempt);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Options, options_clear)

/* ---------------------------------------------------------------- options */

static gboolean
refuse (GError **error, const char *text)
{
  g_set_error_literal (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, text);
  return FALSE;
}

/* MiB, or a number with K, M, G or T behind it, as in Slurm. */
static gboolean
parse_memory (const char *text, guint *out_memory_mib)
{
  static const char units[] = "KMGT";
  char *end;
  guint64 number = g_ascii_strtoull (text, &end, 10);
  if (!g_ascii_isdigit (text[0]) || number > G_MAXUINT32)
    return FALSE;
  if (*end != '\0') {
    const char *unit = strchr (units, g_ascii_toupper (*end));
    if (unit == NULL || end[1] != '\0')
      return FALSE;
    guint shift = 10 * (guint)(unit - units);
    number = shift > 0 ? number << (shift - 10) : number >> 10;
  }
  if (number == 0 || number > G_MAXUINT32)
    return FALSE;
  *out_memory_mib = (guint)number;
  return TRUE;
}

/* Puts it where it belongs, if it was given. */
static gboolean
take_count (gint number, gint least, gint most, guint *out_count)
{
  if (number == NOT_GIVEN)
    return TRUE;
  *out_count = (guint)MAX (number, 0);
  return number >= least && number <= most;
}

/* Before anything is made: a policy of an unknown name would be found in the controller's log. */
static gboolean
policies_check (const LkLaptopShape *shape, GError **error)
{
  const struct {
    const char *option;
    const char *given;
    guint32 seam;
  } policies[] = { { "order", shape->order, LK_SEAM_ORDER },
                   { "backfill", shape->backfill, LK_SEAM_BACKFILL },
                   { "select", shape->select, LK_SEAM_SELECT },
                   { "preempt", shape->preempt, LK_SEAM_PREEMPT } };
  g_autoptr (LkRegistry) registry = lk_registry_new ();
  for (guint i = 0; i < G_N_ELEMENTS (policies); i++) {
    const char *given = policies[i].given != NULL ? policies[i].given : "";
    g_autofree char *name = g_strndup (given, strcspn (given, ":("));
    g_autoptr (GError) unknown = NULL;
    if (policies[i].given == NULL
        || lk_registry_find (registry, policies[i].seam, name, &unknown) != NULL)
      continue;
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "--%s: %s", policies[i].option,
                 unknown->message);
    return FALSE;
  }
  return TRUE;
}

static gboolean
options_check (Options *self, GError **error)
{
  if (!take_count (self->node_count, 1, NODE_COUNT_MAX, &self->shape.node_count))
    return refuse (error, "--nodes is not from 1 to 65536");
  if (!take_count (self->gpu_count, 0, GPU_COUNT_MAX, &self->shape.gpu_count))
    return refuse (error, "--gpus is not from 0 to 1024");
  if (!take_count (self->cpu_count, 1, CPU_COUNT_MAX, &self->shape.cpu_count))
    return refuse (error, "--cpus is not from 1 to 65536");
  if (self->memory != NULL && !parse_memory (self->memory, &self->shape.memory_mib))
    return refuse (error, "--memory is no size, as 4096 or 4G");
  gboolean has_counts = self->node_count != NOT_GIVEN || self->gpu_count != NOT_GIVEN
                        || self->cpu_count != NOT_GIVEN || self->memory != NULL;
  if (self->shape.conf != NULL && has_counts)
    return refuse (error, "--conf says how many nodes, GPUs, CPUs and how much memory there are");
  return policies_check (&self->shape, error);
}

static gboolean
parse (GOptionContext *context, const GOptionEntry *entries, int argc, char **argv, GError **error)
{
  g_option_context_add_main_entries (context, entries, NULL);
  if (!lk_option_context_parse (context, &argc, &argv, error))
    return FALSE;
  if (argc == 1)
    return TRUE;
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "unexpected argument '%s'",
               argv[1]);
  return FALSE;
}

static gboolean
parse_up (Options *self, int argc, char **argv, GError **error)
{
  const GOptionEntry entries[] = {
    { "dir", 'd', 0, G_OPTION_ARG_FILENAME, &self->directory,
      "all of its state; else $LOCKSTEP_DIR, else ~/.local/state/lockstep", "DIR" },
    { "nodes", 'n', 0, G_OPTION_ARG_INT, &self->node_count, "emulated nodes; 4", "N" },
    { "gpus", 'g', 0, G_OPTION_ARG_INT, &self->gpu_count, "pretended GPUs of each; none", "N" },
    { "cpus", 'c', 0, G_OPTION_ARG_INT, &self->cpu_count, "CPUs of each; as this machine", "N" },
    { "memory", 'm', 0, G_OPTION_ARG_STRING, &self->memory,
      "memory of each, in MiB or with K, M, G, T; as this machine", "SIZE" },
    { "conf", 'f', 0, G_OPTION_ARG_FILENAME, &self->shape.conf,
      "emulate the cluster of this slurm.conf", "FILE" },
    { "order", 0, 0, G_OPTION_ARG_STRING, &self->shape.order, "instead of PriorityType", "POLICY" },
    { "backfill", 0, 0, G_OPTION_ARG_STRING, &self->shape.backfill, "instead of SchedulerType",
      "POLICY" },
    { "select", 0, 0, G_OPTION_ARG_STRING, &self->shape.select, "instead of SelectType", "POLICY" },
    { "preempt", 0, 0, G_OPTION_ARG_STRING, &self->shape.preempt, "instead of PreemptType",
      "POLICY" },
    { "fresh", 0, 0, G_OPTION_ARG_NONE, &self->is_fresh,
      "put aside what is in the directory, and begin anew", NULL },
    { NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL }
  };
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_option_context_set_summary (
      context, "Starts a cluster on this machine, or continues the one that was there: a "
               "controller, and agents of emulated nodes. `lockstep down` stops it.");
  return parse (context, entries, argc, argv, error) && options_check (self, error);
}

static gboolean
parse_down (Options *self, int argc, char **argv, GError **error)
{
  const GOptionEntry entries[] = { { "dir", 'd', 0, G_OPTION_ARG_FILENAME, &self->directory,
                                     "as of `lockstep up`", "DIR" },
                                   { NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL } };
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_option_context_set_summary (context, "Stops the cluster on this machine, and its jobs. "
                                         "`lockstep up` continues it.");
  return parse (context, entries, argc, argv, error);
}

/* ---------------------------------------------------------------- up */

/* Others may look into it where root has made it, for then it is for all users; nobody else's
 * cluster is of use to them. */
static gboolean
make_directory (const LkLaptop *laptop, GError **error)
{
  if (!lk_daemon_make_directory (laptop->directory, error))
    return FALSE;
  if (geteuid () != 0 || chmod (laptop->directory, 0755) == 0)
    return TRUE;
  lk_port_error_set (error, errno, "cannot let users into '%s'", laptop->directory);
  return FALSE;
}

static gboolean
prepare (const LkLaptop *laptop, const Options *options, GError **error)
{
  if (!make_directory (laptop, error))
    return FALSE;
  if (options->is_fresh && lk_laptop_is_up (laptop))
    return refuse (error, "--fresh: the cluster is up; `lockstep down` stops it");
  if (options->is_fresh && !lk_laptop_set_aside (laptop, error))
    return FALSE;
  return lk_laptop_configure (laptop, &options->shape, error);
}

static void
tell_up (const LkLaptop *laptop, double seconds)
{
  g_autofree char *commands = lk_daemon_program ("bin");
  printf ("The cluster is up, %.2f s. Its nodes are emulated on this machine: their CPUs, memory "
          "and GPUs are pretended.\n"
          "State and logs: %s\n",
          seconds, laptop->directory);
  if (g_file_test (commands, G_FILE_TEST_IS_DIR))
    printf ("Commands: export LOCKSTEP_DIR=%s PATH=%s:$PATH\n", laptop->directory, commands);
}

static int
fail (const char *verb, const GError *error)
{
  fflush (stdout);
  fprintf (stderr, "lockstep %s: %s\n", verb, error->message);
  return error->domain == G_OPTION_ERROR
                 || g_error_matches (error, LK_PORT_ERROR, LK_PORT_ERROR_USAGE)
             ? LK_DAEMON_EXIT_USAGE
             : LK_DAEMON_EXIT_FAILURE;
}

static int
run_up (int argc, char **argv)
{
  gint64 begin_us = g_get_monotonic_time ();
  g_auto (Options)
      options = { .node_count = NOT_GIVEN, .gpu_count = NOT_GIVEN, .cpu_count = NOT_GIVEN };
  g_auto (LkLaptop) laptop = { NULL };
  g_autoptr (GError) error = NULL;
  if (!parse_up (&options, argc, argv, &error))
    return fail ("up", error);
  lk_laptop_init (&laptop, options.directory);
  if (!prepare (&laptop, &options, &error) || !lk_laptop_up (&laptop, &error))
    return fail ("up", error);
  tell_up (&laptop, (double)(g_get_monotonic_time () - begin_us) / G_USEC_PER_SEC);
  return LK_DAEMON_EXIT_OK;
}

/* ---------------------------------------------------------------- down */

static int
run_down (int argc, char **argv)
{
  g_auto (Options) options = { NULL };
  g_auto (LkLaptop) laptop = { NULL };
  g_autoptr (GError) error = NULL;
  LkLaptopDown down;
  if (!parse_down (&options, argc, argv, &error))
    return fail ("down", error);
  lk_laptop_init (&laptop, options.directory);
  if (!lk_laptop_down (&laptop, &down, &error))
    return fail ("down", error);
  if (down.daemon_count == 0 && down.process_count == 0)
    printf ("No cluster is up in %s.\n", laptop.directory);
  else
    printf ("The cluster is down: %u daemons have ended, %u of them by force, and %u processes of "
            "jobs.\n",
            down.daemon_count, down.killed_count, down.process_count);
  return LK_DAEMON_EXIT_OK;
}

int
main (int argc, char **argv)
{
  const char *verb = argc > 1 ? argv[1] : "";
  g_autofree char *name = g_strdup_printf ("lockstep %s", verb);
  g_set_prgname (name);
  if (strcmp (verb, "up") == 0)
    return run_up (argc - 1, argv + 1);
  if (strcmp (verb, "down") == 0)
    return run_down (argc - 1, argv + 1);
  fprintf (stderr, "Usage: lockstep-laptop up|down [OPTIONS]\n");
  return LK_DAEMON_EXIT_USAGE;
}
