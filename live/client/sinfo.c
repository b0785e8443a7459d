/* live/client/sinfo.c — `sinfo`: partitions and nodes, those together that agree in all that is
 * shown of them.
 *
 * Source: sinfo(1), what a real Slurm printed (oracle/text). */
#include <string.h>
#include <time.h>

#include "engine/hostlist.h"
#include "live/client/commands.h"
#include "live/client/options.h"
#include "live/client/sinfo.h"
#include "live/client/words.h"

#define DEFAULT_FORMAT "%#P %.5a %.10l %.6D %.6t %N"
#define LONG_FORMAT "%#P %.5a %.10l %.10s %.4r %.8h %.10g %.6D %.11T %.11i %N"
#define NODE_FORMAT "%#N %.6D %#P %6t"
#define NODE_LONG_FORMAT "%#N %.6D %#P %.11T %.4c %.8z %.6m %.8d %.6w %.8f %20E"
#define SUMMARY_FORMAT "%#P %.5a %.10l %.16F %N"
#define REASON_FORMAT "%20E %9u %19H %N"
#define REASON_LONG_FORMAT "%20E %12U %19H %6t %N"
#define WIDTH_LEAST 9u
/* Letters of what is of a group, and does not part nodes. */
#define GROUP_LETTERS "ACDFN"

typedef struct {
  const char *format_given; /* of -o, -O or the environment; borrowed, as all below */
  gboolean is_by_names;     /* it is one of -O */
  char *format;             /* what is made of it; owned */
  const char *partitions;
  const char *nodes;
  const char *states_given;
  const char *sort;
  LkSinfoStates states;
  gboolean no_heading;
  gboolean by_node;
  gboolean is_long;
  gboolean is_summary;
  gboolean by_reason;
  gboolean is_json;
  gboolean is_dead;
  gboolean is_responding;
  gboolean of_reservations;
  gboolean wants_names;
  gboolean wants_letters;
  gboolean wants_states;
} Options;

/* ---------------------------------------------------------------- lines */

static void
line_free (gpointer user)
{
  LkSinfoLine *self = user;
  g_ptr_array_unref (self->nodes);
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

/* The letters of a format that part nodes, one behind the other. */
static char *
own_letters (const char *format)
{
  g_autoptr (GString) out = g_string_new (NULL);
  for (const char *at = strchr (format, '%'); at != NULL; at = strchr (at, '%')) {
    at += 1 + strspn (at + 1, ".#0123456789");
    if (*at != '\0' && strchr (GROUP_LETTERS, *at) == NULL)
      g_string_append_printf (out, "%%%c|", *at);
  }
  return g_strdup (out->str);
}

static gboolean
wants_node (const Options *options, GHashTable *nodes, const LkNodeRow *row)
{
  g_autofree char *name = g_strndup (row->node.name.bytes, row->node.name.length_bytes);
  if (options->by_reason && row->node.reason.length_bytes == 0)
    return FALSE;
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
  LkTableLayout *own; /* what parts nodes */
  GHashTable *nodes;  /* names that are asked for; NULL: all */
  GPtrArray *lines;
} Gather;

static void
add_node (Gather *self, const LkPartitionRow *partition, guint order, const LkNodeRow *row,
          GHashTable *by_look)
{
  g_autoptr (GString) look = g_string_new (NULL);
  LkSinfoLine *line = line_new (partition, row, order);
  if (!self->options->by_node)
    lk_table_layout_row (self->own, self->report, line, look);
  LkSinfoLine *known = by_look != NULL ? g_hash_table_lookup (by_look, look->str) : NULL;
  if (known != NULL) {
    g_ptr_array_add (known->nodes, (gpointer)row);
    line_free (line);
    return;
  }
  if (by_look != NULL)
    g_hash_table_insert (by_look, g_strdup (look->str), line);
  g_ptr_array_add (self->lines, line);
}

/* Are some nodes left out? Then a partition without nodes is no line. */
static gboolean
is_filtered (const Gather *self)
{
  const Options *options = self->options;
  return options->states_given != NULL || self->nodes != NULL || options->is_dead
         || options->is_responding;
}

static void
add_partition (Gather *self, const LkPartitionRow *partition, guint order)
{
  const LkMachineView *view = self->report->view;
  g_autoptr (GHashTable) by_look =
      self->options->by_node ? NULL : g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  guint before = self->lines->len;
  for (guint i = 0; i < view->nodes->len; i++) {
    const LkNodeRow *row = g_ptr_array_index (view->nodes, i);
    if ((partition == NULL || lk_node_row_is_in (row, partition->spec->name))
        && wants_node (self->options, self->nodes, row))
      add_node (self, partition, order, row, by_look);
  }
  if (self->lines->len == before && partition != NULL && !self->options->by_node
      && !is_filtered (self))
    g_ptr_array_add (self->lines, line_new (partition, NULL, order));
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
    if (*at == '#' && at > format && at[-1] == '%')
      g_string_append_printf (out, "%u", width_of (at[1], report, lines));
    else
      g_string_append_c (out, *at);
  return g_strdup (out->str);
}

static const char *
format_of (const Options *self)
{
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
  return self->by_reason ? "-t" : self->by_node ? "N" : "#P,-t";
}

static void
print_moment (const LkClient *client, GString *out)
{
  char text[64];
  time_t now = (time_t)(client->now_us / G_USEC_PER_SEC);
  struct tm parts;
  if (localtime_r (&now, &parts) != NULL
      && strftime (text, sizeof text, "%a %b %d %H:%M:%S %Y", &parts) > 0)
    g_string_append_printf (out, "%s\n", text);
}

static void
json (const LkMachineView *view, GString *out)
{
  LkRecord record;
  g_string_append (out, "{\"nodes\":[");
  for (guint i = 0; i < view->nodes->len; i++) {
    record.kind = LK_RECORD_NODE;
    record.node = ((const LkNodeRow *)g_ptr_array_index (view->nodes, i))->node;
    g_string_append (out, i > 0 ? ",\n" : "\n");
    lk_record_json (&record, out);
  }
  g_string_append (out, "\n],\"partitions\":[");
  for (guint i = 0; i < view->partitions->len; i++) {
    record.kind = LK_RECORD_PARTITION;
    record.partition = ((const LkPartitionRow *)g_ptr_array_index (view->partitions, i))->partition;
    g_string_append (out, i > 0 ? ",\n" : "\n");
    lk_record_json (&record, out);
  }
  g_string_append (out, "\n],\"errors\":[],\"warnings\":[]}\n");
}

static int
print_lines (const LkSinfoReport *given, const Options *self, GHashTable *nodes)
{
  LkSinfoReport report = *given;
  const LkClient *client = report.client;
  const LkMachineView *view = report.view;
  g_autoptr (GError) error = NULL;
  g_autoptr (GString) out = g_string_new (NULL);
  g_autofree char *own = own_letters (format_of (self));
  Gather gather = { .options = self, .report = &report, .nodes = nodes };
  gather.own = lk_table_layout_new (lk_sinfo_columns, own, &error);
  if (gather.own == NULL) {
    lk_client_error (client, "%s", error->message);
    return 1;
  }
  gather.lines = g_ptr_array_new_with_free_func (line_free);
  if (self->by_reason)
    add_partition (&gather, NULL, 0);
  for (guint i = 0; !self->by_reason && i < view->partitions->len; i++) {
    const LkPartitionRow *partition = g_ptr_array_index (view->partitions, i);
    if (self->partitions == NULL || lk_word_is_listed (self->partitions, partition->spec->name))
      add_partition (&gather, partition, i);
  }
  lk_sinfo_sort (&report, sort_of (self), gather.lines);
  g_autofree char *format = with_widths (format_of (self), &report, gather.lines);
  g_autoptr (LkTableLayout) layout = lk_table_layout_new (lk_sinfo_columns, format, &error);
  if (self->is_long && self->format == NULL)
    print_moment (client, out);
  if (!self->no_heading)
    lk_table_layout_heading (layout, out);
  for (guint i = 0; i < gather.lines->len; i++)
    lk_table_layout_row (layout, &report, g_ptr_array_index (gather.lines, i), out);
  fwrite (out->str, 1, out->len, client->out);
  g_ptr_array_unref (gather.lines);
  lk_table_layout_free (gather.own);
  return 0;
}

static int
print (const LkClient *client, const Options *self, const LkMachineView *view, GHashTable *nodes)
{
  LkNames known;
  const LkSinfoReport report = { client, view, &known };
  lk_names_init (&known);
  int code = print_lines (&report, self, nodes);
  lk_names_clear (&known);
  return code;
}

/* ---------------------------------------------------------------- the command */

static const LkClientOption options_known[] = {
  { "all", 'a', FALSE, LK_OPTION_HARMLESS, "no partitions are hidden" },
  { "clusters", 'M', TRUE, LK_OPTION_REFUSED, "there is one cluster" },
  { "dead", 'd', FALSE, LK_OPTION_ACTED_ON, "nodes that do not answer" },
  { "exact", 'e', FALSE, LK_OPTION_HARMLESS, "nodes are together only where they agree in all" },
  { "federation", '\0', FALSE, LK_OPTION_HARMLESS, "there is one cluster" },
  { "Format", 'O', TRUE, LK_OPTION_ACTED_ON, "columns: NAME[:[.]WIDTH][,...], see --helpFormat" },
  { "format", 'o', TRUE, LK_OPTION_ACTED_ON, "columns: %[.][WIDTH]LETTER, see --helpformat" },
  { "future", 'F', FALSE, LK_OPTION_HARMLESS, "nodes that are not there are not known" },
  { "helpFormat", '\0', FALSE, LK_OPTION_ACTED_ON, "the names of all columns" },
  { "helpformat", '\0', FALSE, LK_OPTION_ACTED_ON, "the letters of all columns" },
  { "helpstate", '\0', FALSE, LK_OPTION_ACTED_ON, "the words of all states" },
  { "hide", '\0', FALSE, LK_OPTION_HARMLESS, "no partitions are hidden" },
  { "iterate", 'i', TRUE, LK_OPTION_REFUSED, "watch -n does it" },
  { "json", '\0', FALSE, LK_OPTION_ACTED_ON, "nodes and partitions as JSON" },
  { "list-reasons", 'R', FALSE, LK_OPTION_ACTED_ON, "why nodes are down, drained or failing" },
  { "local", '\0', FALSE, LK_OPTION_HARMLESS, "there is one cluster" },
  { "long", 'l', FALSE, LK_OPTION_ACTED_ON, "the long report" },
  { "noconvert", '\0', FALSE, LK_OPTION_HARMLESS, "memory is always told in MiB" },
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
  { "verbose", 'v', FALSE, LK_OPTION_HARMLESS, "there is no more to tell" },
  { "yaml", '\0', FALSE, LK_OPTION_REFUSED, "give --json, which readers of YAML read, too" },
};

/* Options that only keep their value, */
static const struct {
  char letter;
  gsize offset;
} values[] = {
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
  { "dead", G_STRUCT_OFFSET (Options, is_dead) },
  { "helpFormat", G_STRUCT_OFFSET (Options, wants_names) },
  { "helpformat", G_STRUCT_OFFSET (Options, wants_letters) },
  { "helpstate", G_STRUCT_OFFSET (Options, wants_states) },
  { "json", G_STRUCT_OFFSET (Options, is_json) },
  { "list-reasons", G_STRUCT_OFFSET (Options, by_reason) },
  { "long", G_STRUCT_OFFSET (Options, is_long) },
  { "Node", G_STRUCT_OFFSET (Options, by_node) },
  { "noheader", G_STRUCT_OFFSET (Options, no_heading) },
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
  if (option->letter == 'o' || option->letter == 'O') {
    self->format_given = value;
    self->is_by_names = option->letter == 'O';
  }
  return TRUE;
}

static int
run (const LkClient *client, const Options *self)
{
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
  g_autoptr (LkMachineView) view = lk_machine_view_new (client, &error);
  if (view == NULL) {
    lk_client_error (client, "%s", error->message);
    return 1;
  }
  if (self->is_json) {
    g_autoptr (GString) out = g_string_new (NULL);
    json (view, out);
    fwrite (out->str, 1, out->len, client->out);
    return 0;
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

/* What is asked for, before anybody is asked. FALSE: told. */
static gboolean
settle (const LkClient *client, Options *self)
{
  if (self->partitions == NULL)
    self->partitions = lk_client_variable (client, "SINFO_PARTITION");
  if (self->sort == NULL)
    self->sort = lk_client_variable (client, "SINFO_SORT");
  if (self->states_given != NULL
      && !lk_sinfo_states_parse (client, self->states_given, &self->states))
    return FALSE;
  return self->sort == NULL || lk_sinfo_is_order (client, self->sort);
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
  if (options.of_reservations)
    return lk_sinfo_reservations (client, options.no_heading);
  if (settle (client, &options)) {
    format_read (client, &options);
    code = run (client, &options);
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
