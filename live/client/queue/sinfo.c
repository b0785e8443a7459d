/* live/client/queue/sinfo.c — `sinfo`: partitions and nodes, those together that agree in all that
 * is shown of them.
 *
 * Source: sinfo(1), what a real Slurm printed (oracle/text). */
#include <string.h>

#include "engine/hostlist.h"
#include "live/client/queue/choices.h"
#include "live/client/commands.h"
#include "live/client/json/machine.h"
#include "live/client/options.h"
#include "live/client/rounds.h"
#include "live/client/queue/sinfo.h"
#include "live/client/words.h"

#define DEFAULT_FORMAT "%#P %.5a %.10l %.6D %.6t %N"
#define LONG_FORMAT "%#P %.5a %.10l %.10s %.4r %.8h %.10g %.6D %.11T %.11i %N"
#define NODE_FORMAT "%#N %.6D %.#P %6t"
#define NODE_LONG_FORMAT "%#N %.6D %.#P %.11T %4c %.8z %.6m %.8d %.6w %.8f %20E"
#define SUMMARY_FORMAT "%#P %.5a %.10l %.16F %N"
#define REASON_FORMAT "%20E %9u %19H %N"
#define REASON_LONG_FORMAT "%20E %12U %19H %6t %N"
/* What parts nodes as JSON. */
/* With %\001: those whose GRES are used otherwise have an element of their own. */
#define JSON_FORMAT "%R%t%E%H%u%f%G%w%c%m%z%d%\001"
#define WIDTH_LEAST 9u
#define REASON_STATES "down,fail,drain"
/* Letters of what is of a group, and does not part nodes; of Slurm's table, %h is one of them. */
#define GROUP_LETTERS "ACDFNShV"
/* Those that do with --exact only: else the least is told, with a + or the range. */
#define RANGE_LETTERS "cdeOmvwXYzZ"
/* Who asks for these has each partition on lines of its own. */
#define PARTITION_LETTERS "PR"

typedef struct {
  const char *format_given; /* of -o, -O or the environment; borrowed, as all below */
  gboolean is_by_names;     /* it is one of -O */
  char *format;             /* what is made of it; owned */
  const char *partitions;
  const char *nodes;
  const char *states_given;
  const char *sort;
  LkSinfoStates states;
  LkRounds rounds;
  gboolean is_all;
  gboolean hides;
  gboolean is_exact;
  gboolean no_convert;
  gboolean by_node;
  gboolean is_long;
  gboolean is_summary;
  gboolean by_reason;
  LkJsonChoice json;
  gboolean is_dead;
  gboolean is_responding;
  gboolean of_reservations;
  gboolean wants_names;
  gboolean wants_letters;
  gboolean wants_states;
  guint verbosity;
} Options;

/* ---------------------------------------------------------------- lines */

static void
line_free (gpointer user)
{
  LkSinfoLine *self = user;
  g_ptr_array_unref (self->nodes);
  g_clear_pointer (&self->known, g_hash_table_unref);
  g_free (self);
}

static LkSinfoLine *
line_new (const LkPartitionRow *partition, const LkNodeRow *first, guint order)
{
  LkSinfoLine *self = g_new0 (LkSinfoLine, 1);
  self->partition = partition;
  self->first = first;
  self->nodes = g_ptr_array_new ();
  self->order = order;
  if (first != NULL)
    g_ptr_array_add (self->nodes, (gpointer)first);
  return self;
}

/* The letters of a format, one behind the other. */
static char *
letters_of (const char *format)
{
  g_autoptr (GString) out = g_string_new (NULL);
  for (const char *at = strchr (format, '%'); at != NULL; at = strchr (at, '%')) {
    at += 1 + strspn (at + 1, ".#0123456789");
    if (*at != '\0')
      g_string_append_c (out, *at);
  }
  return g_string_free (g_steal_pointer (&out), FALSE);
}

/* A format of those that part nodes. */
static char *
own_letters (const char *letters, gboolean is_exact)
{
  g_autoptr (GString) out = g_string_new (NULL);
  for (const char *at = letters; *at != '\0'; at++)
    if (*at == 'C' && is_exact)
      g_string_append (out, "%c|");
    else if (strchr (GROUP_LETTERS, *at) == NULL
             && (is_exact || strchr (RANGE_LETTERS, *at) == NULL))
      g_string_append_printf (out, "%%%c|", *at);
  return g_string_free (g_steal_pointer (&out), FALSE);
}

static gboolean
wants_node (const Options *options, GHashTable *nodes, const LkNodeRow *row)
{
  g_autofree char *name = g_strndup (row->node.name.bytes, row->node.name.length_bytes);
  if (nodes != NULL && !g_hash_table_contains (nodes, name))
    return FALSE;
  if ((options->is_dead && row->node.is_responding != 0)
      || (options->is_responding && row->node.is_responding == 0))
    return FALSE;
  return lk_sinfo_states_have (&options->states, row);
}

typedef struct {
  const Options *options;
  const LkSinfoReport *report;
  LkTableLayout *own;    /* what parts nodes */
  GHashTable *nodes;     /* names that are asked for; NULL: all */
  gboolean by_partition; /* else partitions that look alike are together */
  GHashTable *by_look;   /* of those lines that others may still join */
  GPtrArray *lines;
} Gather;

static void
add_node (Gather *self, const LkPartitionRow *partition, guint order, const LkNodeRow *row)
{
  g_autoptr (GString) look = g_string_new (NULL);
  LkSinfoLine *line = line_new (partition, row, order);
  g_ptr_array_add (self->lines, line);
  if (self->options->by_node)
    return;
  lk_table_layout_row (self->own, self->report, line, look);
  LkSinfoLine *known = g_hash_table_lookup (self->by_look, look->str);
  if (known == NULL) {
    line->known = g_hash_table_new (NULL, NULL);
    g_hash_table_add (line->known, (gpointer)row);
    g_hash_table_insert (self->by_look, g_strdup (look->str), line);
    return;
  }
  g_ptr_array_remove_index (self->lines, self->lines->len - 1);
  /* Of another partition it may be there already. */
  if (g_hash_table_add (known->known, (gpointer)row))
    g_ptr_array_add (known->nodes, (gpointer)row);
}

static void
add_partition (Gather *self, const LkPartitionRow *partition, guint order)
{
  const LkMachineView *view = self->report->view;
  guint before = self->lines->len;
  if (self->by_partition)
    g_hash_table_remove_all (self->by_look);
  for (guint i = 0; i < view->nodes->len; i++) {
    const LkNodeRow *row = g_ptr_array_index (view->nodes, i);
    if ((partition == NULL || lk_node_row_is_in (row, partition->spec->name))
        && wants_node (self->options, self->nodes, row))
      add_node (self, partition, order, row);
  }
  if (self->lines->len == before && self->by_partition && !self->options->by_node)
    g_ptr_array_add (self->lines, line_new (partition, NULL, order));
}

/* Nodes of several partitions as the configuration has them. */
static void
put_in_order (const Gather *self)
{
  const GPtrArray *nodes = self->report->view->nodes;
  for (guint i = 0; !self->by_partition && i < self->lines->len; i++) {
    LkSinfoLine *line = g_ptr_array_index (self->lines, i);
    if (line->known == NULL)
      continue;
    g_ptr_array_set_size (line->nodes, 0);
    for (guint j = 0; j < nodes->len; j++)
      if (g_hash_table_contains (line->known, g_ptr_array_index (nodes, j)))
        g_ptr_array_add (line->nodes, g_ptr_array_index (nodes, j));
  }
}

/* ---------------------------------------------------------------- printing */

/* As wide as its widest cell, and never narrower than its heading. */
static guint
width_of (char letter, const LkSinfoReport *report, const GPtrArray *lines)
{
  const LkTableColumn *column = lk_table_column (lk_sinfo_columns, letter);
  guint width = WIDTH_LEAST;
  for (guint i = 0; column != NULL && i < lines->len; i++) {
    g_autoptr (GString) cell = g_string_new (NULL);
    column->cell (report, g_ptr_array_index (lines, i), cell);
    width = MAX (width, (guint)g_utf8_strlen (cell->str, -1));
  }
  return width;
}

/* Puts a width where a # asks for one. */
static char *
with_widths (const char *format, const LkSinfoReport *report, const GPtrArray *lines)
{
  g_autoptr (GString) out = g_string_new (NULL);
  for (const char *at = format; *at != '\0'; at++)
    if (*at == '#' && at > format && strchr ("%.", at[-1]) != NULL)
      g_string_append_printf (out, "%u", width_of (at[1], report, lines));
    else
      g_string_append_c (out, *at);
  return g_strdup (out->str);
}

static const char *
format_of (const Options *self)
{
  if (self->json.is_wanted)
    return JSON_FORMAT;
  if (self->format != NULL)
    return self->format;
  if (self->by_reason)
    return self->is_long ? REASON_LONG_FORMAT : REASON_FORMAT;
  if (self->is_summary)
    return SUMMARY_FORMAT;
  if (self->by_node)
    return self->is_long ? NODE_LONG_FORMAT : NODE_FORMAT;
  return self->is_long ? LONG_FORMAT : DEFAULT_FORMAT;
}

/* As Slurm has it. */
static const char *
sort_of (const Options *self)
{
  if (self->sort != NULL)
    return self->sort;
  return self->by_node ? "N" : "#P,-t";
}

static void
gather_lines (Gather *self)
{
  const LkMachineView *view = self->report->view;
  const char *partitions = self->options->partitions;
  self->by_look = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->lines = g_ptr_array_new_with_free_func (line_free);
  gboolean by_reason = self->options->by_reason && !self->options->json.is_wanted;
  if (by_reason)
    add_partition (self, NULL, 0);
  for (guint i = 0; !by_reason && i < view->partitions->len; i++) {
    const LkPartitionRow *partition = g_ptr_array_index (view->partitions, i);
    if (partitions != NULL
            ? lk_word_is_listed (partitions, partition->spec->name)
            : lk_partition_is_shown (self->report->client, partition->spec, self->options->is_all))
      add_partition (self, partition, i);
  }
  put_in_order (self);
  g_hash_table_unref (self->by_look);
}

static void
print_lines (const LkSinfoReport *report, const Options *self, const GPtrArray *lines)
{
  g_autofree char *format = with_widths (format_of (self), report, lines);
  g_autoptr (LkTableLayout) layout = lk_table_layout_new (lk_sinfo_columns, format, NULL);
  g_autoptr (GString) out = g_string_new (NULL);
  if (!self->rounds.no_heading)
    lk_table_layout_heading (layout, out);
  for (guint i = 0; i < lines->len; i++)
    lk_table_layout_row (layout, report, g_ptr_array_index (lines, i), out);
  fwrite (out->str, 1, out->len, report->client->out);
}

static int
gather_and_print (const LkSinfoReport *report, const Options *self, GHashTable *nodes)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *letters = letters_of (format_of (self));
  g_autofree char *own = own_letters (letters, self->is_exact || self->json.is_wanted);
  Gather gather = { .options = self,
                    .report = report,
                    .nodes = nodes,
                    .by_partition = (!self->by_reason || self->json.is_wanted)
                                    && strpbrk (letters, PARTITION_LETTERS) != NULL };
  gather.own = lk_table_layout_new (lk_sinfo_columns, own, &error);
  if (gather.own == NULL) {
    lk_client_error (report->client, "%s", error->message);
    return 1;
  }
  gather_lines (&gather);
  lk_sinfo_sort (report, sort_of (self), gather.lines);
  if (self->json.is_wanted)
    lk_json_sinfo (report->client, &self->json, report->view, gather.lines);
  else
    print_lines (report, self, gather.lines);
  g_ptr_array_unref (gather.lines);
  lk_table_layout_free (gather.own);
  return 0;
}

static int
print (const LkClient *client, const Options *self, const LkMachineView *view, GHashTable *nodes)
{
  LkNames known;
  g_autofree char *cluster =
      strchr (format_of (self), 'V') != NULL ? lk_client_cluster_name (client) : NULL;
  const LkSinfoReport report = { .client = client,
                                 .view = view,
                                 .names = &known,
                                 .cluster = cluster,
                                 .no_convert = self->no_convert };
  lk_names_init (&known);
  int code = gather_and_print (&report, self, nodes);
  lk_names_clear (&known);
  return code;
}

/* ---------------------------------------------------------------- the command */

static const LkClientOption options_known[] = {
  { "all", 'a', FALSE, LK_OPTION_ACTED_ON, "hidden partitions, too" },
  { "cluster", 'M', TRUE, LK_OPTION_ACTED_ON, "as --clusters" },
  { "clusters", 'M', TRUE, LK_OPTION_ACTED_ON,
    "the cluster by name, or all: its name stands above" },
  { "dead", 'd', FALSE, LK_OPTION_ACTED_ON, "nodes that do not answer" },
  { "exact", 'e', FALSE, LK_OPTION_ACTED_ON,
    "nodes are together only where sizes agree, too; else the least has a + behind" },
  { "federation", '\0', FALSE, LK_OPTION_HARMLESS, "there is one cluster" },
  { "Format", 'O', TRUE, LK_OPTION_ACTED_ON, "columns: NAME[:[.]WIDTH][,...], see --helpFormat" },
  { "format", 'o', TRUE, LK_OPTION_ACTED_ON, "columns: %[.][WIDTH]LETTER, see --helpformat" },
  { "future", 'F', FALSE, LK_OPTION_HARMLESS, "nodes that are not there are not known" },
  { "helpFormat", '\0', FALSE, LK_OPTION_ACTED_ON, "the names of all columns" },
  { "helpformat", '\0', FALSE, LK_OPTION_ACTED_ON, "the letters of all columns" },
  { "helpstate", '\0', FALSE, LK_OPTION_ACTED_ON, "the words of all states" },
  { "hide", '\0', FALSE, LK_OPTION_ACTED_ON, "no hidden partitions, whatever SINFO_ALL says" },
  { "iterate", 'i', TRUE, LK_OPTION_ACTED_ON, "the same again, every so many seconds" },
  { "json", '\0', LK_OPTION_VALUE_MAY, LK_OPTION_ACTED_ON, LK_JSON_HELP },
  { "list-reasons", 'R', FALSE, LK_OPTION_ACTED_ON, "why nodes are down, drained or failing" },
  { "local", '\0', FALSE, LK_OPTION_HARMLESS, "there is one cluster" },
  { "long", 'l', FALSE, LK_OPTION_ACTED_ON, "the long report" },
  { "noconvert", '\0', FALSE, LK_OPTION_ACTED_ON, "1024 CPUs are not 1K" },
  { "Node", 'N', FALSE, LK_OPTION_ACTED_ON, "a line for each node and partition" },
  { "nodes", 'n', TRUE, LK_OPTION_ACTED_ON, "these nodes" },
  { "noheader", 'h', FALSE, LK_OPTION_ACTED_ON, "no headings" },
  { "partition", 'p', TRUE, LK_OPTION_ACTED_ON, "these partitions" },
  { "reservation", 'T', FALSE, LK_OPTION_ACTED_ON, "the advance reservations" },
  { "responding", 'r', FALSE, LK_OPTION_ACTED_ON, "nodes that answer" },
  { "sort", 'S', TRUE, LK_OPTION_ACTED_ON,
    "order: letters of columns, - before one: falling; #P: as configured" },
  { "states", 't', TRUE, LK_OPTION_ACTED_ON,
    "nodes in one of these states; with & in all of them" },
  { "summarize", 's', FALSE, LK_OPTION_ACTED_ON, "a line for each partition" },
  { "verbose", 'v', FALSE, LK_OPTION_ACTED_ON, "which options hold, first" },
  { "yaml", '\0', LK_OPTION_VALUE_MAY, LK_OPTION_ACTED_ON, LK_YAML_HELP },
};

/* Options that only keep their value, */
static const struct {
  char letter;
  gsize offset;
} values[] = {
  { 'i', G_STRUCT_OFFSET (Options, rounds.iterate) },
  { 'M', G_STRUCT_OFFSET (Options, rounds.clusters) },
  { 'n', G_STRUCT_OFFSET (Options, nodes) },
  { 'p', G_STRUCT_OFFSET (Options, partitions) },
  { 'S', G_STRUCT_OFFSET (Options, sort) },
  { 't', G_STRUCT_OFFSET (Options, states_given) },
};
/* and those that only say yes. */
static const struct {
  const char *name;
  gsize offset;
} switches[] = {
  { "all", G_STRUCT_OFFSET (Options, is_all) },
  { "dead", G_STRUCT_OFFSET (Options, is_dead) },
  { "exact", G_STRUCT_OFFSET (Options, is_exact) },
  { "helpFormat", G_STRUCT_OFFSET (Options, wants_names) },
  { "helpformat", G_STRUCT_OFFSET (Options, wants_letters) },
  { "helpstate", G_STRUCT_OFFSET (Options, wants_states) },
  { "hide", G_STRUCT_OFFSET (Options, hides) },
  { "list-reasons", G_STRUCT_OFFSET (Options, by_reason) },
  { "long", G_STRUCT_OFFSET (Options, is_long) },
  { "noconvert", G_STRUCT_OFFSET (Options, no_convert) },
  { "Node", G_STRUCT_OFFSET (Options, by_node) },
  { "noheader", G_STRUCT_OFFSET (Options, rounds.no_heading) },
  { "reservation", G_STRUCT_OFFSET (Options, of_reservations) },
  { "responding", G_STRUCT_OFFSET (Options, is_responding) },
  { "summarize", G_STRUCT_OFFSET (Options, is_summary) },
};

static gboolean
option_take (gpointer user, const LkClientOption *option, const char *value)
{
  Options *self = user;
  for (gsize i = 0; i < G_N_ELEMENTS (values); i++)
    if (values[i].letter == option->letter)
      G_STRUCT_MEMBER (const char *, self, values[i].offset) = value;
  for (gsize i = 0; i < G_N_ELEMENTS (switches); i++)
    if (strcmp (switches[i].name, option->name) == 0)
      G_STRUCT_MEMBER (gboolean, self, switches[i].offset) = TRUE;
  if (strcmp (option->name, "json") == 0 || strcmp (option->name, "yaml") == 0)
    lk_json_choice_take (&self->json, option->name, value);
  self->verbosity += option->letter == 'v' ? 1 : 0;
  if (option->letter == 'o' || option->letter == 'O') {
    self->format_given = value;
    self->is_by_names = option->letter == 'O';
  }
  return TRUE;
}

static int
report (LkClient *client, gpointer user)
{
  const Options *self = user;
  g_autoptr (GError) error = NULL;
  g_autoptr (GHashTable) nodes = NULL;
  g_autoptr (GPtrArray) asked = g_ptr_array_new ();
  if (self->nodes != NULL) {
    nodes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    if (!lk_hostlist_expand (self->nodes, strlen (self->nodes), asked, NULL)) {
      lk_client_error (client, "'%s' invalid entry for --nodes", self->nodes);
      return 1;
    }
    for (guint i = 0; i < asked->len; i++)
      g_hash_table_add (nodes, g_ptr_array_index (asked, i));
  }
  if (self->of_reservations)
    return lk_sinfo_reservations (client, self->rounds.no_heading);
  g_autoptr (LkMachineView) view = lk_machine_view_new (client, &error);
  if (view == NULL) {
    lk_client_error (client, "%s", error->message);
    return 1;
  }
  return print (client, self, view, nodes);
}

/* TRUE: done. */
static gboolean
tell_self (const LkClient *client, const Options *self)
{
  if (self->wants_letters || self->wants_names)
    lk_format_help (client, &lk_sinfo_formats, self->wants_names);
  else if (self->wants_states)
    lk_sinfo_states_help (client);
  else
    return FALSE;
  return TRUE;
}

static void
format_read (const LkClient *client, Options *self)
{
  if (self->format_given == NULL && !self->is_summary && !self->by_node && !self->by_reason)
    self->format_given = lk_client_variable (client, "SINFO_FORMAT");
  if (self->format_given != NULL)
    self->format = self->is_by_names
                       ? lk_format_of_names (client, &lk_sinfo_formats, self->format_given)
                       : lk_format_of_letters (client, &lk_sinfo_formats, self->format_given);
}

/* FALSE: they do not go together; told. */
static gboolean
options_agree (const LkClient *client, const Options *self)
{
  if (self->is_long && self->format_given != NULL) {
    fprintf (client->err,
             "%s: fatal: Options -o(--format) and -l(--long) are mutually exclusive. Please remove "
             "one and retry.\n",
             client->command);
    return FALSE;
  }
  if (self->is_all && self->partitions != NULL) {
    lk_client_error (client, "Conflicting options, -a and -p, specified. Please choose one or the "
                             "other.");
    return FALSE;
  }
  return TRUE;
}

/* As options_agree. */
static gboolean
variables_agree (const LkClient *client)
{
  if (lk_client_variable (client, "SINFO_ALL") == NULL
      || lk_client_variable (client, "SINFO_PARTITION") == NULL)
    return TRUE;
  lk_client_error (client, "Conflicting options, SINFO_ALL and SINFO_PARTITION, specified. Please "
                           "choose one or the other.");
  return FALSE;
}

/* What is asked for, before anybody is asked. FALSE: told. */
static gboolean
settle (const LkClient *client, Options *self)
{
  if (!variables_agree (client) || !options_agree (client, self))
    return FALSE;
  if (self->partitions == NULL && !self->is_all)
    self->partitions = lk_client_variable (client, "SINFO_PARTITION");
  self->is_all |= lk_client_variable (client, "SINFO_ALL") != NULL;
  self->is_all &= !self->hides;
  if (self->sort == NULL)
    self->sort = lk_client_variable (client, "SINFO_SORT");
  if (self->states_given == NULL && self->by_reason)
    self->states_given = REASON_STATES;
  if (self->states_given != NULL
      && !lk_sinfo_states_parse (client, self->states_given, &self->states))
    return FALSE;
  self->rounds.no_heading |= self->json.is_wanted;
  self->rounds.tells_date = self->is_long || self->verbosity > 0;
  return self->sort == NULL || lk_sinfo_is_order (client, self->sort);
}

static void
tell_options (const LkClient *client, const Options *self)
{
  g_autofree char *verbosity = g_strdup_printf ("%u", self->verbosity);
  gboolean is_filter = self->is_dead || self->is_responding || self->nodes != NULL
                       || self->partitions != NULL || self->states_given != NULL;
  gboolean by_field = !self->by_node && self->format_given == NULL;
  const LkChoice choices[] = {
    { "dead       ", lk_choice_yes (self->is_dead) },
    { "exact      ", self->is_exact ? "1" : "0" },
    { "filtering  ", lk_choice_yes (is_filter) },
    { "format     ", self->format_given != NULL ? self->format_given : format_of (self) },
    { "iterate    ", self->rounds.iterate != NULL ? self->rounds.iterate : "0" },
    { "long       ", lk_choice_yes (self->is_long) },
    { "no_header  ", lk_choice_yes (self->rounds.no_heading) },
    { "node_field ", lk_choice_yes (self->by_node && self->format_given == NULL) },
    { "node_format", lk_choice_yes (self->by_node) },
    { "nodes      ", self->nodes != NULL ? self->nodes : "n/a" },
    { "part_field ", lk_choice_yes (by_field) },
    { "partition  ", self->partitions != NULL ? self->partitions : "n/a" },
    { "responding ", lk_choice_yes (self->is_responding) },
    { "states     ", self->states_given },
    { "sort       ", self->sort },
    { "summarize  ", lk_choice_yes (self->is_summary) },
    { "verbose    ", verbosity },
  };
  lk_choices_print (client, choices, G_N_ELEMENTS (choices));
}

int
lk_sinfo (LkClient *client, int argc, char **argv)
{
  Options options = { 0 };
  const LkOptionSet set = { .usage = "[OPTIONS]",
                            .options = options_known,
                            .count = G_N_ELEMENTS (options_known),
                            .take = option_take,
                            .user = &options };
  int count = lk_options_parse (client, &set, argc, argv);
  int code = 1;
  if (count < 0)
    return count == -1 ? 1 : 0;
  if (count > 0) {
    lk_client_error (client, "Unrecognized option: %s", argv[1]);
    return 1;
  }
  if (tell_self (client, &options))
    return 0;
  if (!lk_json_choice_settle (client, &options.json, &count))
    return count;
  if (settle (client, &options)) {
    format_read (client, &options);
    if (options.verbosity > 0 && !options.json.is_wanted)
      tell_options (client, &options);
    code = lk_rounds_run (client, &options.rounds, report, &options);
  }
  lk_sinfo_states_clear (&options.states);
  g_free (options.format);
  return code;
}

void
lk_sinfo_markdown (GString *out)
{
  lk_options_markdown (options_known, G_N_ELEMENTS (options_known), out);
  g_string_append_c (out, '\n');
  lk_format_markdown (&lk_sinfo_formats, out);
}
