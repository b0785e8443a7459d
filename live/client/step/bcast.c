/* live/client/step/bcast.c — see the header.  Texts are those of Slurm's src/bcast/file_bcast.c. */
#include "live/client/step/bcast.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "live/client/commands.h"

/* What each node does: NAME TARGET REPLACES MODE BYTES TIME, and the file as standard input. */
static const char program[] =
    "name=$1 target=$2 replaces=$3 mode=$4 bytes=$5 time=$6\n"
    "fail () { echo \"sbcast: error: REQUEST_FILE_BCAST($SLURMD_NODENAME): $1\" >&2; exit 1; }\n"
    "case $target in\n"
    "*/) target=$target$name ;;\n"
    "*) if [ -d \"$target\" ]; then target=$target/$name; fi ;;\n"
    "esac\n"
    "if [ \"$replaces\" = 0 ] && [ -e \"$target\" ]; then fail 'File exists'; fi\n"
    "part=$(mktemp \"$target.XXXXXX\" 2>&1) || fail \"${part##*: }\"\n"
    "trap 'rm -f \"$part\"; exit 1' HUP INT TERM\n"
    "why=$(cat 2>&1 >\"$part\" && chmod \"$mode\" \"$part\" 2>&1) ||\n"
    "  { rm -f \"$part\"; fail \"${why##*: }\"; }\n"
    "if [ \"$(wc -c <\"$part\")\" -ne \"$bytes\" ]; then\n"
    "  rm -f \"$part\"; fail 'Input/output error'\n"
    "fi\n"
    "if [ -n \"$time\" ]; then touch -m -d \"@$time\" \"$part\"; fi\n"
    "mv -f \"$part\" \"$target\" 2>/dev/null || { rm -f \"$part\"; fail 'Permission denied'; }\n";

/* In --input a % begins a pattern. Returns: (transfer full). */
static char *
input_of (const LkClient *client, const char *source)
{
  g_autofree char *whole = g_path_is_absolute (source)
                               ? g_strdup (source)
                               : g_build_filename (client->work_dir, source, NULL);
  g_auto (GStrv) parts = g_strsplit (whole, "%", -1);
  g_autofree char *quoted = g_strjoinv ("%%", parts);
  return g_strconcat ("--input=", quoted, NULL);
}

/* What an allocation says of its steps is not said of this one. Returns: (transfer full), to be
 * freed by g_strfreev. */
static char **
environment_of (const LkClient *client)
{
  GPtrArray *kept = g_ptr_array_new ();
  for (char **at = client->environment; *at != NULL; at++)
    if ((!g_str_has_prefix (*at, "SLURM_") || g_str_has_prefix (*at, "SLURM_CONF="))
        && !g_str_has_prefix (*at, "SRUN_"))
      g_ptr_array_add (kept, g_strdup (*at));
  g_ptr_array_add (kept, NULL);
  return (char **)g_ptr_array_free (kept, FALSE);
}

static int
step_run (const LkClient *client, const LkBcast *what, const struct stat *about)
{
  LkClient own = *client;
  g_auto (GStrv) environment = environment_of (client);
  g_autofree char *job = g_strdup_printf ("--jobid=%u", what->job_id);
  g_autofree char *nodes = g_strdup_printf ("--nodes=%u", what->node_count);
  g_autofree char *tasks = g_strdup_printf ("--ntasks=%u", what->node_count);
  g_autofree char *list = g_strdup_printf ("--nodelist=%s", what->nodes);
  g_autofree char *input = input_of (client, what->source);
  g_autofree char *name = g_path_get_basename (what->source);
  g_autofree char *mode = g_strdup_printf ("%o", (guint)about->st_mode & 0777);
  g_autofree char *size = g_strdup_printf ("%" G_GINT64_FORMAT, (gint64)about->st_size);
  g_autofree char *time = g_strdup_printf ("%" G_GINT64_FORMAT ".%09ld",
                                           (gint64)about->st_mtim.tv_sec, about->st_mtim.tv_nsec);
  char *argv[] = { (char *)"srun",
                   job,
                   nodes,
                   tasks,
                   (char *)"--ntasks-per-node=1",
                   list,
                   input,
                   (char *)"--overlap",
                   (char *)"--quiet",
                   (char *)"--job-name=sbcast",
                   (char *)"sh",
                   (char *)"-c",
                   (char *)program,
                   (char *)"sbcast",
                   name,
                   (char *)what->target,
                   (char *)(what->replaces ? "1" : "0"),
                   mode,
                   size,
                   what->keeps_time ? time : (char *)"",
                   NULL };
  own.environment = environment;
  return lk_srun (&own, G_N_ELEMENTS (argv) - 1, argv) == 0 ? 0 : 1;
}

int
lk_bcast_run (const LkClient *client, const LkBcast *what)
{
  struct stat about;
  g_autofree char *path = g_path_is_absolute (what->source)
                              ? g_strdup (what->source)
                              : g_build_filename (client->work_dir, what->source, NULL);
  if (access (path, R_OK) != 0 || stat (path, &about) != 0)
    lk_client_error (client, "Can't open `%s`: %s", what->source, g_strerror (errno));
  else if (!S_ISREG (about.st_mode))
    lk_client_error (client, "Can't open `%s`: it is no regular file", what->source);
  else
    return step_run (client, what, &about);
  return 1;
}
