/* live/client/sreport/sreport.c — `sreport`: what was used, by whom; from the file of accounting.
 *
 * The words after the report are KEY=VALUE.  Times are rounded down to whole hours; without any the
 * report is about yesterday and the first hour of today, as in Slurm.  Source: sreport(1). */
#include "live/client/sreport/sreport.h"

#include <string.h>
#include <time.h>

#include "live/client/commands.h"
#include "live/client/moment.h"
#include "live/client/options_dump.h"
#include "live/client/options_help.h"
#include "live/client/words.h"

#define FAILURE 1
#define HOUR_US (3600 * (gint64)G_USEC_PER_SEC)
#define TOP_COUNT 10u

static const LkClientOption options[] = {
  { "all_clusters", 'a', FALSE, LK_OPTION_HARMLESS, "there is one cluster" },
  { "cluster", 'M', TRUE, LK_OPTION_ACTED_ON, "the name of the one that there is" },
  { "federation", '\0', FALSE, LK_OPTION_HARMLESS, "there is one cluster" },
  { "local", '\0', FALSE, LK_OPTION_HARMLESS, "there is one cluster" },
  { "noheader", 'n', FALSE, LK_OPTION_ACTED_ON, "no title and no headings" },
  { "parsable", 'p', FALSE, LK_OPTION_ACTED_ON, "fields with a bar behind each" },
  { "parsable2", 'P', FALSE, LK_OPTION_ACTED_ON, "fields with a bar between them" },
  { "quiet", 'Q', FALSE, LK_OPTION_HARMLESS, "nothing but the report is told" },
  { "tres", 'T', TRUE, LK_OPTION_ACTED_ON, "of which TRES: cpu, mem, node, gres/gpu, ...; ALL" },
  { "time-format", 't', TRUE, LK_OPTION_ACTED_ON,
    "Seconds, Minutes, Hours, Percent, SecPer, MinPer or HourPer" },
  { "verbose", 'v', FALSE, LK_OPTION_HARMLESS, "there is no more to tell" },
};

typedef struct {
  LkSreport report;
  const char *unit;
} Sreport;

static char **
words_of (const char *list)
{
  return g_strsplit (list, ",", -1);
}

static gboolean
option_take (gpointer user, const LkClientOption *option, const char *value)
{
  Sreport *self = user;
  LkFieldStyle *style = &self->report.style;
  style->no_heading = style->no_heading || option->letter == 'n';
  style->is_parsable = style->is_parsable || option->letter == 'p';
  style->is_parsable2 = style->is_parsable2 || option->letter == 'P';
  if (option->letter == 'T')
    self->report.tres_list = value;
  if (option->letter == 't')
    self->unit = value;
  if (option->letter == 'M') {
    g_strfreev (self->report.clusters);
    self->report.clusters = words_of (value);
  }
  return TRUE;
}

static gboolean
unit_take (Sreport *self)
{
  static const struct {
    const char *name;
    gsize least_bytes;
    LkSreportUnit unit;
  } known[] = {
    { "secper", 6, LK_SREPORT_SECONDS_PERCENT }, { "minper", 6, LK_SREPORT_MINUTES_PERCENT },
    { "hourper", 5, LK_SREPORT_HOURS_PERCENT },  { "seconds", 1, LK_SREPORT_SECONDS },
    { "minutes", 1, LK_SREPORT_MINUTES },        { "hours", 1, LK_SREPORT_HOURS },
    { "percent", 1, LK_SREPORT_PERCENT }
  };
  self->report.unit = LK_SREPORT_MINUTES;
  if (self->unit == NULL)
    return TRUE;
  gsize length = strlen (self->unit);
  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    if (length >= known[i].least_bytes
        && g_ascii_strncasecmp (known[i].name, self->unit, length) == 0) {
      self->report.unit = known[i].unit;
      return TRUE;
    }
  lk_client_error (self->report.client, "Invalid time format: %s", self->unit);
  return FALSE;
}

/* ---------------------------------------------------------------- words */

static gboolean
moment_take (const LkSreport *self, const char *value, gint64 *out_us)
{
  if (lk_client_moment_parse (value, self->client->now_us, FALSE, out_us))
    return TRUE;
  fprintf (self->client->err, " Invalid time specification: %s\n", value);
  return FALSE;
}

static gboolean
sizes_take (LkSreport *self, const char *value)
{
  g_auto (GStrv) words = words_of (value);
  self->size_count = 0;
  for (guint i = 0; words[i] != NULL; i++) {
    guint64 size;
    if (!g_ascii_string_to_unsigned (words[i], 10, 1, G_MAXINT32, &size, NULL)
        || self->size_count == LK_SREPORT_SIZES_MAX
        || (self->size_count > 0 && size <= self->sizes[self->size_count - 1])) {
      fprintf (self->client->err, " Invalid grouping: %s\n", value);
      return FALSE;
    }
    self->sizes[self->size_count++] = size;
  }
  return TRUE;
}

static void
list_set (char ***list, const char *value)
{
  g_strfreev (*list);
  *list = words_of (value);
}

static gboolean
is_key (const char *word, const char *key, gsize least_bytes)
{
  gsize length = strcspn (word, "=");
  return length >= least_bytes && g_ascii_strncasecmp (key, word, length) == 0;
}

static gboolean
unknown (const LkSreport *self, const char *word)
{
  fprintf (self->client->err, " Unknown condition: %s\nUse keyword set to modify value\n", word);
  return FALSE;
}

/* FALSE: told. */
static gboolean
word_take (LkSreport *self, const char *word)
{
  const char *value = strchr (word, '=');
  guint64 count;
  if (value == NULL) {
    if (is_key (word, "tree", 4))
      return self->is_tree = TRUE;
    if (is_key (word, "flatview", 2))
      return self->is_flat = TRUE;
    if (is_key (word, "printjobcount", 2))
      return self->counts_jobs = TRUE;
    return is_key (word, "where", 5) || is_key (word, "all_clusters", 2) || unknown (self, word);
  }
  value++;
  if (is_key (word, "start", 1))
    return moment_take (self, value, &self->from_us);
  if (is_key (word, "end", 1))
    return moment_take (self, value, &self->to_us);
  if (is_key (word, "grouping", 2))
    return sizes_take (self, value);
  if (is_key (word, "accounts", 2))
    list_set (&self->accounts, value);
  else if (is_key (word, "users", 1))
    list_set (&self->users, value);
  else if (is_key (word, "clusters", 1))
    list_set (&self->clusters, value);
  else if (is_key (word, "wckeys", 1))
    list_set (&self->wckeys, value);
  else if (is_key (word, "names", 2))
    list_set (&self->names, value);
  else if (is_key (word, "topcount", 2)
           && g_ascii_string_to_unsigned (value, 10, 1, G_MAXINT32, &count, NULL))
    self->top_count = (guint)count;
  else if (is_key (word, "format", 1)) {
    g_free (self->format);
    self->format = g_strdup (value);
  } else
    return unknown (self, word);
  return TRUE;
}

/* Yesterday from midnight, in local time.  Slurm sets only the hour of the end to 0 and then rounds
 * up to a whole hour, so that its default period ends at 1:00 of today
 * (slurmdb_report_set_start_end_time). */
static void
yesterday (LkSreport *self)
{
  time_t now = (time_t)(self->client->now_us / G_USEC_PER_SEC);
  struct tm parts;
  if (localtime_r (&now, &parts) == NULL)
    return;
  gboolean is_whole_hour = parts.tm_min == 0 && parts.tm_sec == 0;
  parts.tm_hour = is_whole_hour ? 0 : 1;
  parts.tm_min = parts.tm_sec = 0;
  parts.tm_isdst = -1;
  self->to_us = (gint64)mktime (&parts) * G_USEC_PER_SEC;
  parts.tm_hour = 0;
  parts.tm_mday--;
  parts.tm_isdst = -1;
  self->from_us = (gint64)mktime (&parts) * G_USEC_PER_SEC;
}

static gint64
whole_hour_us (gint64 time_us)
{
  return time_us - time_us % HOUR_US;
}

/* ---------------------------------------------------------------- the command */

static const LkSreportKind *
kind_find (const char *kind, const char *name)
{
  gsize kind_bytes = strlen (kind);
  gsize name_bytes = strlen (name);
  for (const LkSreportKind *at = lk_sreport_kinds; at->name != NULL; at++)
    if (kind_bytes > 0 && name_bytes > 0 && g_ascii_strncasecmp (at->kind, kind, kind_bytes) == 0
        && g_ascii_strncasecmp (at->name, name, name_bytes) == 0)
      return at;
  return NULL;
}

static int
run (LkSreport *self, char **words)
{
  static const guint64 sizes[] = { 50, 250, 500, 1000 };
  const LkSreportKind *kind =
      words[0] != NULL && words[1] != NULL ? kind_find (words[0], words[1]) : NULL;
  LkSreportBook book;
  if (kind == NULL) {
    fprintf (self->client->err, "Not valid report %s %s\n", words[0] != NULL ? words[0] : "",
             words[0] != NULL && words[1] != NULL ? words[1] : "");
    return FAILURE;
  }
  yesterday (self);
  self->top_count = TOP_COUNT;
  self->size_count = G_N_ELEMENTS (sizes);
  memcpy (self->sizes, sizes, sizeof sizes);
  for (char **word = words + 2; *word != NULL; word++)
    if (!word_take (self, *word))
      return FAILURE;
  self->from_us = whole_hour_us (self->from_us);
  self->to_us = whole_hour_us (self->to_us);
  if (self->to_us <= self->from_us) {
    fprintf (self->client->err, " Start time is not before end time\n");
    return FAILURE;
  }
  gboolean wants_nodes = kind->wants_nodes || self->unit >= LK_SREPORT_PERCENT;
  int code = lk_sreport_book_read (&book, self, wants_nodes) ? kind->run (self, &book) : FAILURE;
  lk_sreport_book_clear (&book);
  return code;
}

static void
kinds_print (FILE *out)
{
  fputs ("\n    Valid <COMMAND> values are:\n", out);
  for (const LkSreportKind *at = lk_sreport_kinds; at->name != NULL; at++)
    fprintf (out, "     %-8s %-25s %s\n", at->kind, at->name, at->help);
}

static void
kinds_dump (const LkClient *client)
{
  for (const LkSreportKind *at = lk_sreport_kinds; at->name != NULL; at++)
    lk_options_dump_word (client, at->kind, at->name, LK_OPTION_ACTED_ON, at->help);
}

static const LkOptionHelp told = { .call = "[<OPTION>] [<COMMAND>]",
                                   .title = "Valid <OPTION> values are:",
                                   .is_long = TRUE,
                                   .more = kinds_print };

int
lk_sreport (LkClient *client, int argc, char **argv)
{
  Sreport self = { .report.client = client };
  LkOptionSet set = { .usage = "[OPTIONS] KIND REPORT [KEY=VALUE...]",
                      .options = options,
                      .count = G_N_ELEMENTS (options),
                      .take = option_take,
                      .h_is_help = TRUE,
                      .help = &told,
                      .user = &self };
  gboolean wants_dump = lk_options_dump_is_wanted (argc, argv);
  self.report.tres_list = lk_client_variable (client, "SREPORT_TRES");
  const char *clusters = lk_client_variable (client, "SREPORT_CLUSTER");
  if (clusters != NULL)
    self.report.clusters = words_of (clusters);
  int count = lk_options_parse (client, &set, argc, argv);
  if (wants_dump)
    kinds_dump (client);
  int code = count == -1 ? FAILURE : 0;
  if (count >= 0)
    code = unit_take (&self) ? run (&self.report, argv + 1) : FAILURE;
  g_strfreev (self.report.accounts);
  g_strfreev (self.report.users);
  g_strfreev (self.report.clusters);
  g_strfreev (self.report.wckeys);
  g_strfreev (self.report.names);
  g_free (self.report.format);
  return code;
}

void
lk_sreport_markdown (GString *out)
{
  g_string_append (out, "| Report | What it tells |\n|---|---|\n");
  for (const LkSreportKind *at = lk_sreport_kinds; at->name != NULL; at++)
    g_string_append_printf (out, "| `%s %s` | %s |\n", at->kind, at->name, at->help);
  g_string_append_c (out, '\n');
  lk_options_markdown (options, G_N_ELEMENTS (options), out);
}
