/* tests/fuzz/run_share_fuzz.c — any texts as what a launch says of nodes, cores, devices and CPUs,
 * as a pattern of a file name, and as the line of an end.
 *
 * The bytes are texts with a NUL behind each: nodes, cores, devices, CPUs, a pattern, a line. What
 * is read must be in range, and a line that is read must print to one that reads the same. */
#include <string.h>

#include "engine/assert.h"
#include "live/port/run_folder.h"
#include "live/port/run_share.h"
#include "live/step/pattern.h"

int LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes);

/* Returns: (transfer full); "" where there is none left. */
static char *
next_text (const guint8 **at, gsize *left_bytes)
{
  gsize length = strnlen ((const char *)*at, *left_bytes);
  char *text = g_strndup (length > 0 ? (const char *)*at : "", length);
  gsize used = MIN (length + 1, *left_bytes);
  *at += used;
  *left_bytes -= used;
  return text;
}

static LkLongText
long_text (const char *text)
{
  return (LkLongText){ text, (guint32)strlen (text) };
}

static void
check_share (const char *nodes, const char *cores, const char *gres, const char *cpus)
{
  LkMessage_launch launch = { .nodes = long_text (nodes),
                              .cores = long_text (cores),
                              .gres = long_text (gres),
                              .cpus = long_text (cpus),
                              .memory = long_text (cpus) };
  LkRunShare share;
  lk_run_share_init (&share, &launch, "n1");
  LK_ASSERT (share.node_index < share.node_count);
  LK_ASSERT (share.cores->len <= 65536);
  LK_ASSERT (share.gpus->len <= 65536);
  g_autofree char *tasks = lk_run_share_tasks (&share, 7, 2, 0);
  g_autofree char *list = lk_number_list (share.cores);
  LK_ASSERT (tasks != NULL);
  LK_ASSERT (list != NULL);
  lk_run_share_clear (&share);
}

static void
check_line (const char *line)
{
  char again[LK_STEP_LINE_BYTES];
  LkStage stage;
  LkStage stage_again;
  LkExit how;
  LkExit how_again;
  if (!lk_run_end_scan (line, &stage, &how))
    return;
  lk_run_end_print (stage, &how, again);
  LK_ASSERT (lk_run_end_scan (again, &stage_again, &how_again));
  LK_ASSERT (stage == stage_again);
  LK_ASSERT (how.exit_code == how_again.exit_code);
  LK_ASSERT (how.max_rss_bytes == how_again.max_rss_bytes);
  LK_ASSERT (how.max_gpu_memory_bytes == how_again.max_gpu_memory_bytes);
  LK_ASSERT (how.max_gpu_percent == how_again.max_gpu_percent);
}

int
LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes)
{
  char *texts[6];
  LkPatternValues values = { .job_id = 7, .job_name = "x", .user = "u", .node = "n1" };
  if (length_bytes > 256)
    return 0;
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    texts[i] = next_text (&bytes, &length_bytes);
  check_share (texts[0], texts[1], texts[2], texts[3]);
  g_autofree char *path = lk_pattern_expand (texts[4], &values);
  LK_ASSERT (strlen (path) <= 10 * strlen (texts[4]));
  check_line (texts[5]);
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    g_free (texts[i]);
  return 0;
}
