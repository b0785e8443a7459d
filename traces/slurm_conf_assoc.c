/* traces/slurm_conf_assoc.c — sacctmgr dumps and scripts: is each line right?
 *
 * A dump has lines `Title - 'name':Key=Value:...`, parents before their children; a script has the
 * commands that one types.  Both are told apart line by line.  Each line becomes a row: what
 * accounts and QOS do is not part of a machine.
 *
 * Source: sacctmgr(1); src/sacctmgr/file_functions.c. */
#include <string.h>

#include "engine/suggest.h"
#include "traces/slurm_conf_private.h"

#define KEY_PREFIX_MIN_BYTES 2u

static const char how[] = "accounts and QOS act from the multifactor order on";

/* In lower case; any beginning of two letters or more stands for a key, as in sacctmgr. */
static const char *const keys[] = {
  "accounts",
  "acct",
  "adminlevel",
  "classification",
  "clusters",
  "comment",
  "coordinators",
  "defaultaccount",
  "defaultqos",
  "defaultwckey",
  "descriptions",
  "fairshare",
  "features",
  "fedstate",
  "federations",
  "flags",
  "format",
  "gracetime",
  "grpcpumins",
  "grpcpurunmins",
  "grpcpus",
  "grpjobs",
  "grpjobsaccrue",
  "grpmemory",
  "grpnodes",
  "grpsubmitjobs",
  "grptres",
  "grptresmins",
  "grptresrunmins",
  "grpwall",
  "ids",
  "limitfactor",
  "maxcpuminsperjob",
  "maxcpurunmins",
  "maxcpusperjob",
  "maxcpusperuser",
  "maxcpuspu",
  "maxjobs",
  "maxjobsaccrue",
  "maxjobsaccruepa",
  "maxjobsaccrueperaccount",
  "maxjobsaccrueperuser",
  "maxjobsaccruepu",
  "maxjobspa",
  "maxjobsperaccount",
  "maxjobsperacct",
  "maxjobsperuser",
  "maxjobspu",
  "maxnodesperjob",
  "maxnodesperuser",
  "maxnodespu",
  "maxsubmitjobs",
  "maxsubmitjobspa",
  "maxsubmitjobsperaccount",
  "maxsubmitjobsperacct",
  "maxsubmitjobsperuser",
  "maxsubmitjobspu",
  "maxsubmitpa",
  "maxsubmitpu",
  "maxtres",
  "maxtresminsperjob",
  "maxtresminspj",
  "maxtrespa",
  "maxtresperaccount",
  "maxtresperacct",
  "maxtresperjob",
  "maxtrespernode",
  "maxtresperuser",
  "maxtrespj",
  "maxtrespn",
  "maxtrespu",
  "maxtresrunmins",
  "maxtresrunminspa",
  "maxtresrunminsperaccount",
  "maxtresrunminsperacct",
  "maxtresrunminsperuser",
  "maxtresrunminspu",
  "maxwalldurationperjob",
  "maxwallpj",
  "mincpusperjob",
  "minpriothresh",
  "mintresperjob",
  "names",
  "newname",
  "organizations",
  "parents",
  "partitions",
  "preempt",
  "preemptexempttime",
  "preemptmode",
  "priority",
  "qos",
  "qoslevel",
  "rawusage",
  "rpc",
  "shares",
  "usagefactor",
  "usagethreshold",
  "users",
  "wckeys",
  NULL,
};

static const char *const titles[] = { "Cluster", "Parent", "Account", "User", "QOS", NULL };

static const char *const commands[] = { "add",    "archive", "create", "delete", "dump",
                                        "exit",   "list",    "load",   "modify", "quit",
                                        "remove", "show",    "update", NULL };

static const char *const entities[] = {
  "account",   "accounts",    "acct",          "association", "associations", "cluster",
  "clusters",  "config",      "configuration", "coordinator", "coordinators", "event",
  "events",    "federation",  "federations",   "lostjobs",    "orphanjobs",   "problem",
  "problems",  "qos",         "qoss",          "reservation", "reservations", "resource",
  "resources", "runawayjobs", "stats",         "transaction", "transactions", "tres",
  "user",      "users",       "wckey",         "wckeys",      NULL,
};

typedef struct {
  LkSlurmImport *import;
  LkSlurmPlace place;
  GHashTable *accounts; /* names so far, in lower case */
  gboolean has_cluster; /* a Cluster line came */
} Reader;

/* ---------------------------------------------------------------- words */

/* The length of a word that ends at one of `ends` outside quotes; G_MAXSIZE: a quote is open. */
static gsize
word_length (const char *text, const char *ends)
{
  char quote = '\0';
  gsize length_bytes = 0;
  for (; text[length_bytes]; length_bytes++) {
    char letter = text[length_bytes];
    if (quote)
      quote = letter == quote ? '\0' : quote;
    else if (letter == '"' || letter == '\'')
      quote = letter;
    else if (strchr (ends, letter))
      break;
  }
  return quote ? G_MAXSIZE : length_bytes;
}

/* Without the quotes around it. Returns: (transfer full). */
static char *
unquoted (const char *text)
{
  gsize length_bytes = strlen (text);
  gboolean is_quoted =
      length_bytes >= 2 && (text[0] == '"' || text[0] == '\'') && text[length_bytes - 1] == text[0];
  return is_quoted ? g_strndup (text + 1, length_bytes - 2) : g_strdup (text);
}

/* Is the word `KEY=`, `KEY+=` or `KEY-=` and a value, with a key that there is? */
static gboolean
option_check (const Reader *self, const char *word, GError **error)
{
  gsize key_bytes = strcspn (word, "+-=");
  gsize mark_bytes = word[key_bytes] == '=' ? 1 : 2;
  if (word[key_bytes] == '\0' || word[key_bytes + mark_bytes - 1] != '=')
    return lk_slurm_fail (&self->place, error, "'%s' is not KEY=VALUE", word);
  g_autofree char *key = g_ascii_strdown (word, (gssize)key_bytes);
  for (guint i = 0; keys[i]; i++)
    if (key_bytes >= KEY_PREFIX_MIN_BYTES && g_str_has_prefix (keys[i], key))
      return TRUE;
  const char *nearest = lk_suggest (key, keys);
  if (nearest)
    return lk_slurm_fail (&self->place, error, "unknown key '%s'; did you mean '%s'?", key,
                          nearest);
  return lk_slurm_fail (&self->place, error, "unknown key '%s'; expected one of sacctmgr's", key);
}

static void
row_add (const Reader *self, const char *key_name, const char *value)
{
  const LkSlurmKey key = { LK_SLURM_SCOPE_CONF, key_name, LK_SLURM_IGNORED, how, NULL };
  const LkSlurmPair pair = { .key = (char *)key_name, .value = (char *)value };
  lk_slurm_row_add (self->import, &self->place, "", &pair, &key);
}

/* ---------------------------------------------------------------- dumps */

/* Is a colon inside a TRES, as in gres/gpu:a100=4?  Then a slash is before it in the same word. */
static gboolean
colon_is_of_tres (const char *start, const char *colon)
{
  for (const char *at = colon; at > start; at--)
    if (strchr ("=,:\"'", at[-1]))
      return FALSE;
    else if (at[-1] == '/')
      return TRUE;
  return FALSE;
}

/* The end of an option that begins at `text`; NULL when a quote is open. */
static const char *
option_end (const char *text)
{
  const char *at = text;
  for (;;) {
    gsize length_bytes = word_length (at, ":");
    if (length_bytes == G_MAXSIZE)
      return NULL;
    at += length_bytes;
    if (*at == '\0' || !colon_is_of_tres (text, at))
      return at;
    at++;
  }
}

/* What the order of lines has to be. */
static gboolean
entity_check (Reader *self, const char *title, const char *name, GError **error)
{
  g_autofree char *lower = g_ascii_strdown (name, -1);
  if (strcmp (title, "Parent") == 0 && !g_hash_table_contains (self->accounts, lower))
    return lk_slurm_fail (&self->place, error,
                          "Parent '%s' has no Account line above; expected parents before their "
                          "children",
                          name);
  if (strcmp (title, "QOS") == 0 && self->has_cluster)
    return lk_slurm_fail (&self->place, error, "QOS '%s' below the Cluster line; expected above",
                          name);
  self->has_cluster = self->has_cluster || strcmp (title, "Cluster") == 0;
  if (strcmp (title, "Account") == 0)
    g_hash_table_add (self->accounts, g_steal_pointer (&lower));
  return TRUE;
}

static gboolean
dump_line_check (Reader *self, const char *title, const char *text, GError **error)
{
  const char *end = option_end (text);
  g_autofree char *quoted = end ? g_strndup (text, (gsize)(end - text)) : NULL;
  g_autofree char *name = quoted ? unquoted (g_strstrip (quoted)) : NULL;
  if (!name)
    return lk_slurm_fail (&self->place, error, "a quote is not closed");
  if (*name == '\0')
    return lk_slurm_fail (&self->place, error, "%s without a name", title);
  if (!entity_check (self, title, name, error))
    return FALSE;
  while (*end == ':') {
    const char *option = end + 1;
    end = option_end (option);
    if (!end)
      return lk_slurm_fail (&self->place, error, "a quote is not closed");
    g_autofree char *word = g_strstrip (g_strndup (option, (gsize)(end - option)));
    if (*word && !option_check (self, word, error))
      return FALSE;
  }
  row_add (self, title, text);
  return TRUE;
}

/* The title that begins a line of a dump, and what is behind " - "; NULL when it is none. */
static const char *
dump_title (const char *line, const char **out_rest)
{
  for (guint i = 0; titles[i]; i++) {
    gsize length_bytes = strlen (titles[i]);
    if (g_ascii_strncasecmp (line, titles[i], length_bytes) != 0)
      continue;
    const char *at = line + length_bytes;
    while (*at == ' ' || *at == '\t')
      at++;
    if (*at != '-')
      continue;
    for (at++; g_ascii_isspace (*at);)
      at++;
    *out_rest = at;
    return titles[i];
  }
  return NULL;
}

/* ---------------------------------------------------------------- scripts */

/* Splits at white space outside quotes. Returns: (transfer full); NULL: a quote is open. */
static char **
words_split (const char *line)
{
  static const char blanks[] = " \t\r\f\v";
  g_autoptr (GPtrArray) words = g_ptr_array_new_with_free_func (g_free);
  for (const char *at = line + strspn (line, blanks); *at; at += strspn (at, blanks)) {
    gsize length_bytes = word_length (at, blanks);
    if (length_bytes == G_MAXSIZE)
      return NULL;
    g_ptr_array_add (words, g_strndup (at, length_bytes));
    at += length_bytes;
  }
  g_ptr_array_add (words, NULL);
  g_ptr_array_set_free_func (words, NULL);
  return (char **)g_ptr_array_free (g_steal_pointer (&words), FALSE);
}

static gboolean
is_one_of (const char *word, const char *const *names)
{
  for (; *names; names++)
    if (g_ascii_strcasecmp (word, *names) == 0)
      return TRUE;
  return FALSE;
}

static gboolean
script_line_check (Reader *self, const char *line, GError **error)
{
  g_auto (GStrv) words = words_split (line);
  if (!words)
    return lk_slurm_fail (&self->place, error, "a quote is not closed");
  if (!is_one_of (words[0], commands)) {
    g_autofree char *lower = g_ascii_strdown (words[0], -1);
    const char *nearest = lk_suggest (lower, commands);
    return lk_slurm_fail (&self->place, error,
                          "'%s' begins neither a line of a dump (Account - 'name':...) nor a "
                          "sacctmgr command%s%s%s",
                          words[0], nearest ? "; did you mean '" : "", nearest ? nearest : "",
                          nearest ? "'?" : "");
  }
  gboolean has_entity = words[1] && is_one_of (words[1], entities);
  gboolean needs_entity = strcmp (words[0], "exit") != 0 && strcmp (words[0], "quit") != 0;
  if (needs_entity && !has_entity)
    return lk_slurm_fail (&self->place, error, "'%s %s'; expected account, user, qos or cluster",
                          words[0], words[1] ? words[1] : "");
  for (guint i = 2; needs_entity && words[i]; i++)
    if (strchr (words[i], '=') && !option_check (self, words[i], error))
      return FALSE;
  g_autofree char *key =
      needs_entity ? g_strdup_printf ("%s %s", words[0], words[1]) : g_strdup (words[0]);
  g_autofree char *rest = g_strjoinv (" ", needs_entity ? words + 2 : words + 1);
  row_add (self, key, rest);
  return TRUE;
}

/* ---------------------------------------------------------------- files */

static gboolean
line_check (Reader *self, const char *line, GError **error)
{
  const char *rest;
  while (g_ascii_isspace (*line))
    line++;
  if (*line == '\0')
    return TRUE;
  const char *title = dump_title (line, &rest);
  return title ? dump_line_check (self, title, rest, error) : script_line_check (self, line, error);
}

gboolean
lk_slurm_assoc_read (LkSlurmImport *self, GError **error)
{
  if (!lk_slurm_source_is_given (&self->assoc_source))
    return TRUE;
  g_autofree char *name = NULL;
  g_autoptr (GBytes) bytes = lk_slurm_source_bytes (&self->assoc_source, &name, error);
  if (!bytes)
    return FALSE;
  LkSlurmLogical lines;
  lk_slurm_logical_init (&lines, name, bytes);
  Reader reader = {
    self, { name, 0 }, g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL), FALSE
  };
  g_hash_table_add (reader.accounts, g_strdup ("root"));
  int got;
  while ((got = lk_slurm_logical_next (&lines, error)) == 1) {
    reader.place = lk_slurm_logical_place (&lines, 0);
    if (!line_check (&reader, lines.text->str, error)) {
      got = -1;
      break;
    }
  }
  g_hash_table_unref (reader.accounts);
  lk_slurm_logical_clear (&lines);
  return got == 0;
}
