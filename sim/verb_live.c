/* sim/verb_live.c — see the header. */
#include "sim/verb_live.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "sim/verb.h"

static const LkLiveVerb verbs[] = {
  { "up", "lockstep-laptop", TRUE, "start a cluster of emulated nodes on this machine" },
  { "down", "lockstep-laptop", TRUE, "stop it; up continues it" },
  { "controller", "lockstepd", FALSE, "run the controller of a cluster" },
  { "agent", "lockstep-agent", FALSE, "run the agent of a node" },
  { "accounting", "lockstep-accounting", FALSE, "keep what a controller has run, for sacct" },
  { "check", "lockstep-check", TRUE, "tell all that is wrong with a configuration" },
  { "diff", "lockstep-check", TRUE, "tell in what two configurations differ" },
  { "keygen", "lockstep-client", TRUE, "make, change and hand out keys of a cluster" },
};

static const char *const folders[] = { "../live", "../libexec/lockstep", "." };

const LkLiveVerb *
lk_live_verbs (guint *out_count)
{
  *out_count = G_N_ELEMENTS (verbs);
  return verbs;
}

const LkLiveVerb *
lk_live_verb_find (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (verbs); i++)
    if (strcmp (verbs[i].name, name) == 0)
      return &verbs[i];
  return NULL;
}

char *
lk_live_program (const char *name)
{
  g_autofree char *self = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *folder = g_path_get_dirname (self != NULL ? self : "");
  for (guint i = 0; i < G_N_ELEMENTS (folders); i++) {
    g_autofree char *path = g_build_filename (folder, folders[i], name, NULL);
    if (access (path, X_OK) == 0)
      return g_steal_pointer (&path);
  }
  return NULL;
}

int
lk_live_verb_run (const LkLiveVerb *verb, int argc, char **argv)
{
  g_autofree char *self = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *folder = g_path_get_dirname (self != NULL ? self : argv[0]);
  g_autoptr (GPtrArray) arguments = g_ptr_array_new ();
  g_ptr_array_add (arguments, (gpointer)verb->program);
  for (int i = verb->is_passed ? 0 : 1; i < argc; i++)
    g_ptr_array_add (arguments, argv[i]);
  g_ptr_array_add (arguments, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (folders); i++) {
    g_autofree char *path = g_build_filename (folder, folders[i], verb->program, NULL);
    execv (path, (char **)arguments->pdata);
    if (errno != ENOENT && errno != ENOTDIR) {
      g_printerr ("lockstep: cannot run '%s': %s\n", path, g_strerror (errno));
      return LK_EXIT_FAILURE;
    }
  }
  g_printerr ("lockstep %s: the program %s is not installed: it is neither in '%s/../live' nor in "
              "'%s/../libexec/lockstep'\n",
              verb->name, verb->program, folder, folder);
  return LK_EXIT_FAILURE;
}
