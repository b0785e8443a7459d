/* tests/dst/parity_main.c — parity of journals: lk_parity [--log] [--write FILE] JOURNAL...
 *
 * --log prints what happens in the cluster, --write keeps the journal of its controller. */
#include <stdio.h>
#include <string.h>

#include "tests/dst/parity.h"

typedef struct {
  gboolean tells;
  const char *write_path; /* NULL: it is not kept */
} Options;

static void
print_parity (const char *path, const LkParity *parity)
{
  char recorded[LK_DIGEST_TEXT_BYTES];
  char live[LK_DIGEST_TEXT_BYTES];
  lk_digest_value_text (parity->digest, recorded);
  lk_digest_value_text (parity->live_digest, live);
  printf ("%s: %s: events %" G_GUINT64_FORMAT " and %" G_GUINT64_FORMAT
          ", digests %s and %s, %" G_GUINT64_FORMAT " messages\n",
          path, lk_parity_holds (parity) ? "same" : "OTHER", parity->event_count,
          parity->live_event_count, recorded, live, parity->message_count);
}

static gboolean
check (const char *path, const Options *options)
{
  g_autoptr (GError) error = NULL;
  LkParity parity;
  g_autoptr (GMappedFile) file = g_mapped_file_new (path, FALSE, &error);
  if (file == NULL
      || !lk_parity_play ((const guint8 *)g_mapped_file_get_contents (file),
                          g_mapped_file_get_length (file), options->tells, &parity, &error)) {
    fprintf (stderr, "lk_parity: %s: %s\n", path, error->message);
    return FALSE;
  }
  print_parity (path, &parity);
  gboolean holds = lk_parity_holds (&parity);
  if (options->write_path != NULL
      && !g_file_set_contents (options->write_path, (const char *)parity.journal->data,
                               parity.journal->len, &error)) {
    fprintf (stderr, "lk_parity: %s\n", error->message);
    holds = FALSE;
  }
  lk_parity_clear (&parity);
  return holds;
}

int
main (int argc, char **argv)
{
  Options options = { FALSE, NULL };
  gboolean all_hold = TRUE;
  for (int i = 1; i < argc; i++) {
    if (strcmp (argv[i], "--log") == 0)
      options.tells = TRUE;
    else if (strcmp (argv[i], "--write") == 0 && i + 1 < argc)
      options.write_path = argv[++i];
    else
      all_hold = check (argv[i], &options) && all_hold;
  }
  return all_hold ? 0 : 1;
}
