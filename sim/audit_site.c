/* sim/audit_site.c — see the header. */
#include "sim/audit_site.h"

#include <stdlib.h>
#include <string.h>

#include "engine/accounts_fields.h"

#define FLAG_DOWN 1u
#define FLAG_DRAIN 2u
/* Of events that change accounts. */
#define OPERATION_ADD 0
#define OPERATION_DELETE 2

/* ---------------------------------------------------------------- lines */

/* "kind name member=value ..." : values may stand in quotes. */
typedef struct {
  char *kind;
  char *name;
  GHashTable *values;
} Line;

static char *
take_word (const char **at)
{
  GString *word = g_string_new (NULL);
  gboolean quoted = FALSE;
  for (; **at != '\0' && (quoted || (**at != ' ' && **at != '\n')); (*at)++) {
    if (**at == '"') {
      quoted = !quoted;
    } else if (**at == '\\' && quoted && (*at)[1] != '\0') {
      (*at)++;
      g_string_append_c (word, **at == 'n' ? '\n' : **at);
    } else {
      g_string_append_c (word, **at);
    }
  }
  return g_string_free (word, FALSE);
}

static void
line_clear (Line *self)
{
  g_clear_pointer (&self->kind, g_free);
  g_clear_pointer (&self->name, g_free);
  g_clear_pointer (&self->values, g_hash_table_unref);
}

/* FALSE at the end of the text. */
static gboolean
next_line (const char **at, Line *out)
{
  if (**at == '\0')
    return FALSE;
  *out = (Line){ .values = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free) };
  while (**at != '\0' && **at != '\n') {
    char *word = take_word (at);
    char *equals = strchr (word, '=');
    if (out->kind == NULL)
      out->kind = word;
    else if (out->name == NULL)
      out->name = word;
    else if (equals != NULL) {
      g_hash_table_insert (out->values, g_strndup (word, (gsize)(equals - word)),
                           g_strdup (equals + 1));
      g_free (word);
    } else
      g_free (word);
    if (**at == ' ')
      (*at)++;
  }
  if (**at == '\n')
    (*at)++;
  return TRUE;
}

static const char *
value_of (const Line *line, const char *member)
{
  const char *value = g_hash_table_lookup (line->values, member);
  return value != NULL ? value : "";
}

static gint64
number_of (const Line *line, const char *member)
{
  return g_ascii_strtoll (value_of (line, member), NULL, 10);
}

/* ---------------------------------------------------------------- hostlists */

static void
add_range (GPtrArray *hosts, const char *prefix, const char *range, const char *suffix)
{
  char *rest = NULL;
  guint64 low = g_ascii_strtoull (range, &rest, 10);
  int width = (int)(rest - range);
  guint64 high = *rest == '-' ? g_ascii_strtoull (rest + 1, NULL, 10) : low;
  for (guint64 i = low; i <= high; i++)
    g_ptr_array_add (hosts,
                     g_strdup_printf ("%s%0*" G_GUINT64_FORMAT "%s", prefix, width, i, suffix));
}

/* Names with the first brackets written out; those that have more are taken up again. */
static void
add_hosts (GPtrArray *hosts, const char *item)
{
  const char *open = strchr (item, '[');
  const char *close = open != NULL ? strchr (open, ']') : NULL;
  if (close == NULL) {
    g_ptr_array_add (hosts, g_strdup (item));
    return;
  }
  g_autofree char *prefix = g_strndup (item, (gsize)(open - item));
  g_autofree char *ranges = g_strndup (open + 1, (gsize)(close - open - 1));
  g_auto (GStrv) parts = g_strsplit (ranges, ",", -1);
  g_autoptr (GPtrArray) first = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; parts[i] != NULL; i++)
    add_range (first, prefix, parts[i], close + 1);
  for (guint i = 0; i < first->len; i++)
    add_hosts (hosts, g_ptr_array_index (first, i));
}

GPtrArray *
lk_audit_hosts (const char *list)
{
  GPtrArray *hosts = g_ptr_array_new_with_free_func (g_free);
  const char *begin = list;
  guint depth = 0;
  for (const char *at = list;; at++) {
    depth += *at == '[';
    depth -= *at == ']' && depth > 0;
    if (*at != '\0' && (*at != ',' || depth > 0))
      continue;
    g_autofree char *item = g_strndup (begin, (gsize)(at - begin));
    if (item[0] != '\0')
      add_hosts (hosts, item);
    if (*at == '\0')
      return hosts;
    begin = at + 1;
  }
}

/* ---------------------------------------------------------------- the machine */

static void
add_nodes (LkAuditSite *self, const Line *line)
{
  g_autoptr (GPtrArray) names = lk_audit_hosts (line->name);
  guint32 cores = (guint32)(number_of (line, "sockets") * number_of (line, "cores_per_socket"));
  guint32 threads = (guint32)MAX (1, number_of (line, "threads_per_core"));
  guint32 cpus = (guint32)number_of (line, "cpus");
  gint64 flags = number_of (line, "flags");
  for (guint i = 0; i < names->len; i++) {
    LkAuditNode node = { .name = g_strdup (g_ptr_array_index (names, i)),
                         .cores = cores,
                         .cores_reserved = MIN (cores, (guint32)number_of (line, "cores_reserved")),
                         /* A node whose CPUs are its cores gives one CPU for each. */
                         .cpus_per_core = cpus >= cores * threads ? threads : 1,
                         .memory_bytes = number_of (line, "memory_bytes")
                                         - number_of (line, "memory_reserved_bytes"),
                         .is_down = ((guint32)flags & FLAG_DOWN) != 0,
                         .is_drained = ((guint32)flags & ~FLAG_DOWN) != 0 };
    g_array_append_val (self->nodes, node);
    g_hash_table_insert (self->node_by_name, node.name, GUINT_TO_POINTER (self->nodes->len));
  }
}

static void
add_gres (LkAuditSite *self, const Line *line, guint first_node)
{
  if (strcmp (line->name, "gpu") != 0)
    return;
  for (guint i = first_node; i < self->nodes->len; i++)
    g_array_index (self->nodes, LkAuditNode, i).gpus += (guint32)number_of (line, "count");
}

static LkAuditSharing
sharing_of (const char *oversubscribe)
{
  static const char *const words[] = { "no", "exclusive", "yes", "force" };
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if (strcmp (oversubscribe, words[i]) == 0)
      return (LkAuditSharing)i;
  return LK_AUDIT_SHARE_NO;
}

static gboolean
is_cap (const char *most)
{
  return *most != '\0' && g_ascii_strtoull (most, NULL, 10) < G_MAXUINT32;
}

static void
add_partition (LkAuditSite *self, const Line *line)
{
  LkAuditPartition partition = { .name = g_strdup (line->name),
                                 .has_node = g_new0 (gboolean, self->nodes->len + 1),
                                 .is_default = number_of (line, "is_default") != 0,
                                 .sharing = sharing_of (value_of (line, "oversubscribe")),
                                 .sharing_jobs =
                                     (guint32)MAX (1, number_of (line, "oversubscribe_jobs")),
                                 .exclusive_user = number_of (line, "exclusive_user") != 0,
                                 .is_open = strcmp (value_of (line, "state"), "up") == 0
                                            || strcmp (value_of (line, "state"), "drain") == 0,
                                 .state = g_strdup (value_of (line, "state")),
                                 .nodes_max = (guint32)number_of (line, "nodes_max"),
                                 .caps_cpus = is_cap (value_of (line, "cpus_per_node_max"))
                                              || is_cap (value_of (line, "cpus_per_socket_max")),
                                 .tier = (guint32)number_of (line, "priority_tier"),
                                 .preempt_mode = g_strdup (value_of (line, "preempt_mode")),
                                 .grace_us = number_of (line, "grace_us"),
                                 .time_max_us = number_of (line, "time_max_us"),
                                 .qos = g_strdup (value_of (line, "qos")) };
  partition.memory_per_cpu_bytes = number_of (line, "memory_per_cpu_default_bytes");
  if (partition.memory_per_cpu_bytes == 0)
    partition.memory_per_cpu_bytes = self->memory_per_cpu_bytes;
  const char *nodes = value_of (line, "nodes");
  for (guint i = 0; strcmp (nodes, "ALL") == 0 && i < self->nodes->len; i++)
    partition.has_node[i] = TRUE;
  g_autoptr (GPtrArray) names = lk_audit_hosts (nodes);
  for (guint i = 0; i < names->len; i++) {
    guint32 node = lk_audit_site_node (self, g_ptr_array_index (names, i));
    if (node != G_MAXUINT32)
      partition.has_node[node] = TRUE;
  }
  g_array_append_val (self->partitions, partition);
}

static void
read_cluster (LkAuditSite *self, const char *text)
{
  Line line;
  guint first_node = 0;
  for (const char *at = text; next_line (&at, &line); line_clear (&line)) {
    if (line.name == NULL)
      continue;
    if (strcmp (line.kind, "cluster") == 0) {
      self->requeue_delay_us = number_of (&line, "requeue_delay_us");
      self->job_age_us = number_of (&line, "job_age_min_us");
      self->manages_memory = number_of (&line, "memory") != 0;
      self->memory_per_cpu_bytes = number_of (&line, "memory_per_cpu_default_bytes");
      self->gives_nodes = strcmp (value_of (&line, "consume"), "node") == 0;
    } else if (strcmp (line.kind, "nodes") == 0) {
      first_node = self->nodes->len;
      add_nodes (self, &line);
    } else if (strcmp (line.kind, "gres") == 0) {
      add_gres (self, &line, first_node);
    } else if (strcmp (line.kind, "partition") == 0) {
      add_partition (self, &line);
    } else if (strcmp (line.kind, "license") == 0) {
      g_hash_table_insert (self->licenses, g_strdup (line.name),
                           GUINT_TO_POINTER ((guint)number_of (&line, "count")));
    }
  }
}

/* ---------------------------------------------------------------- accounts */

/* "GrpJobs=3,GrpTRES:cpu=100" */
static GArray *
limits_of (const char *text)
{
  GArray *limits = g_array_new (FALSE, FALSE, sizeof (LkAuditLimit));
  g_auto (GStrv) items = g_strsplit (text, ",", -1);
  for (guint i = 0; items[i] != NULL; i++) {
    char *equals = strchr (items[i], '=');
    char *colon = strchr (items[i], ':');
    if (equals == NULL)
      continue;
    *equals = '\0';
    if (colon != NULL && colon < equals)
      *colon = '\0';
    LkAuditLimit limit = { .kind = g_strdup (items[i]),
                           .tres = g_strdup (colon != NULL && colon < equals ? colon + 1 : ""),
                           .value = g_ascii_strtoull (equals + 1, NULL, 10) };
    g_array_append_val (limits, limit);
  }
  return limits;
}

static void
holder_free (gpointer data)
{
  LkAuditHolder *self = data;
  for (guint i = 0; i < self->limits->len; i++) {
    g_free (g_array_index (self->limits, LkAuditLimit, i).kind);
    g_free (g_array_index (self->limits, LkAuditLimit, i).tres);
  }
  g_array_unref (self->limits);
  g_free (self->account);
  g_free (self->user);
  g_free (self->partition);
  g_free (self->parent);
  g_free (self->default_qos);
  g_free (self->may_use);
  g_free (self->preempt);
  g_free (self->preempt_mode);
  g_free (self);
}

static LkAuditHolder *
holder_of (const Line *line)
{
  LkAuditHolder *self = g_new0 (LkAuditHolder, 1);
  self->account = g_strdup (line->name);
  self->user = g_strdup (value_of (line, "user"));
  self->partition = g_strdup (value_of (line, "partition"));
  self->parent = g_strdup (value_of (line, "parent"));
  self->default_qos = g_strdup (value_of (line, "default_qos"));
  self->may_use = g_strdup (value_of (line, "qos"));
  self->is_default = number_of (line, "is_default") != 0;
  self->limits = limits_of (value_of (line, "limits"));
  self->preempt = g_strdup (value_of (line, "preempt"));
  self->preempt_mode = g_strdup (value_of (line, "preempt_mode"));
  self->grace_us = number_of (line, "grace_us");
  self->exempt_us =
      *value_of (line, "preempt_exempt_us") != '\0' ? number_of (line, "preempt_exempt_us") : -1;
  self->is_over_partition = strstr (value_of (line, "flags"), "OverPartQOS") != NULL;
  return self;
}

static void
settle_enforced (LkAuditSite *self, const char *words)
{
  self->enforces_limits = strstr (words, "limits") != NULL;
  self->enforces_qos = strstr (words, "qos") != NULL;
  self->enforces_associations = strstr (words, "associations") != NULL;
}

static void
read_accounts (LkAuditSite *self, const char *text)
{
  Line line;
  self->associations = g_ptr_array_new_with_free_func (holder_free);
  self->qos = g_ptr_array_new_with_free_func (holder_free);
  for (const char *at = text; next_line (&at, &line); line_clear (&line)) {
    if (line.name == NULL)
      continue;
    if (strcmp (line.kind, "accounts") == 0)
      settle_enforced (self, value_of (&line, "enforce"));
    else if (strcmp (line.kind, "qos") == 0)
      g_ptr_array_add (self->qos, holder_of (&line));
    else if (strcmp (line.kind, "association") == 0)
      g_ptr_array_add (self->associations, holder_of (&line));
  }
}

/* ---------------------------------------------------------------- accounts change */

/* Members of the lines, by their bits in `changes`. */
#define X(type, member, help) #member,
static const char *const association_members[] = { LK_ASSOCIATION_FIELDS (X) };
static const char *const qos_members[] = { LK_QOS_FIELDS (X) };
#undef X
#define X(type, member, help) BIT_##member,
enum { LK_ASSOCIATION_FIELDS (X) BIT_COUNT };
#undef X

static void
limit_clear (LkAuditLimit *limit)
{
  g_free (limit->kind);
  g_free (limit->tres);
}

static void
limit_drop (GArray *limits, const char *kind, const char *tres)
{
  for (guint i = limits->len; i-- > 0;) {
    LkAuditLimit *limit = &g_array_index (limits, LkAuditLimit, i);
    if (strcmp (limit->kind, kind) != 0 || strcmp (limit->tres, tres) != 0)
      continue;
    limit_clear (limit);
    g_array_remove_index (limits, i);
  }
}

/* Those of `from` are set. */
static void
limits_take (GArray *limits, GArray *from)
{
  for (guint i = 0; i < from->len; i++) {
    LkAuditLimit limit = g_array_index (from, LkAuditLimit, i);
    limit_drop (limits, limit.kind, limit.tres);
    g_array_append_val (limits, limit);
  }
  g_array_set_size (from, 0);
}

static void
limits_unset (GArray *limits, const char *text)
{
  g_auto (GStrv) names = g_strsplit (text, ",", -1);
  for (guint i = 0; names[i] != NULL; i++) {
    char *colon = strchr (names[i], ':');
    if (colon != NULL)
      *colon = '\0';
    limit_drop (limits, names[i], colon != NULL ? colon + 1 : "");
  }
}

static void
text_swap (char **a, char **b)
{
  char *text = *a;
  *a = *b;
  *b = text;
}

static void
holder_take (LkAuditHolder *self, LkAuditHolder *from, const char *member)
{
  if (strcmp (member, "parent") == 0)
    text_swap (&self->parent, &from->parent);
  else if (strcmp (member, "default_qos") == 0)
    text_swap (&self->default_qos, &from->default_qos);
  else if (strcmp (member, "qos") == 0)
    text_swap (&self->may_use, &from->may_use);
  else if (strcmp (member, "is_default") == 0)
    self->is_default = from->is_default;
  else if (strcmp (member, "limits") == 0)
    limits_take (self->limits, from->limits);
  else if (strcmp (member, "preempt") == 0)
    text_swap (&self->preempt, &from->preempt);
  else if (strcmp (member, "preempt_mode") == 0)
    text_swap (&self->preempt_mode, &from->preempt_mode);
  else if (strcmp (member, "grace_us") == 0)
    self->grace_us = from->grace_us;
  else if (strcmp (member, "preempt_exempt_us") == 0)
    self->exempt_us = from->exempt_us;
  else if (strcmp (member, "flags") == 0)
    self->is_over_partition = from->is_over_partition;
}

/* Returns: (transfer full); NULL: there is none. */
static LkAuditHolder *
record_read (LkAuditText record)
{
  g_autofree char *text = lk_audit_text_copy (record);
  const char *at = text;
  Line line;
  if (!next_line (&at, &line))
    return NULL;
  LkAuditHolder *self = line.name != NULL ? holder_of (&line) : NULL;
  line_clear (&line);
  return self;
}

/* Those of one user: whoever has no default account gets its first one. */
static void
settle_default (LkAuditSite *self, const char *user, const char *chosen)
{
  const char *account = chosen;
  for (guint i = 0; i < self->associations->len && user[0] != '\0'; i++) {
    LkAuditHolder *holder = g_ptr_array_index (self->associations, i);
    if (account == NULL && strcmp (holder->user, user) == 0 && holder->is_default)
      account = holder->account;
  }
  for (guint i = 0; i < self->associations->len && user[0] != '\0'; i++) {
    LkAuditHolder *holder = g_ptr_array_index (self->associations, i);
    if (strcmp (holder->user, user) != 0)
      continue;
    account = account != NULL ? account : holder->account;
    holder->is_default = g_strcmp0 (holder->account, account) == 0;
  }
}

/* The account and all below it. Returns: (transfer full): a set of names. */
static GHashTable *
accounts_below (const LkAuditSite *self, const char *account)
{
  GHashTable *names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_hash_table_add (names, g_strdup (account));
  for (gboolean is_more = TRUE; is_more;) {
    is_more = FALSE;
    for (guint i = 0; i < self->associations->len; i++) {
      const LkAuditHolder *holder = g_ptr_array_index (self->associations, i);
      if (holder->user[0] == '\0' && g_hash_table_contains (names, holder->parent))
        is_more = g_hash_table_add (names, g_strdup (holder->account)) || is_more;
    }
  }
  return names;
}

static void
association_drop (LkAuditSite *self, const char *account, const char *user, const char *partition)
{
  g_autoptr (GHashTable) names = user[0] == '\0' ? accounts_below (self, account) : NULL;
  g_autoptr (GPtrArray) users = g_ptr_array_new_with_free_func (g_free);
  for (guint i = self->associations->len; i-- > 0;) {
    const LkAuditHolder *holder = g_ptr_array_index (self->associations, i);
    gboolean is_going = names != NULL ? g_hash_table_contains (names, holder->account)
                                      : strcmp (holder->account, account) == 0
                                            && strcmp (holder->user, user) == 0
                                            && strcmp (holder->partition, partition) == 0;
    if (!is_going)
      continue;
    g_ptr_array_add (users, g_strdup (holder->user));
    g_ptr_array_remove_index (self->associations, i);
  }
  for (guint i = 0; i < users->len; i++)
    settle_default (self, g_ptr_array_index (users, i), NULL);
}

static LkAuditHolder *
holder_find (GPtrArray *holders, const LkAuditHolder *like)
{
  for (guint i = 0; i < holders->len; i++) {
    LkAuditHolder *holder = g_ptr_array_index (holders, i);
    if (strcmp (holder->account, like->account) == 0 && strcmp (holder->user, like->user) == 0
        && strcmp (holder->partition, like->partition) == 0)
      return holder;
  }
  return NULL;
}

/* Adds what is new to `holders`, or takes what changes. */
static void
holder_put (GPtrArray *holders, LkAuditHolder *given, guint32 changes, const char *unset,
            const char *const *members)
{
  LkAuditHolder *holder = holder_find (holders, given);
  if (holder == NULL) {
    g_ptr_array_add (holders, given);
    return;
  }
  for (guint bit = 0; bit < BIT_COUNT; bit++)
    if ((changes & (1u << bit)) != 0)
      holder_take (holder, given, members[bit]);
  limits_unset (holder->limits, unset);
  holder_free (given);
}

void
lk_audit_site_change_association (LkAuditSite *self, const LkAudit_association *event)
{
  g_autofree char *account = lk_audit_text_copy (event->account);
  g_autofree char *user = lk_audit_text_copy (event->user);
  g_autofree char *partition = lk_audit_text_copy (event->partition);
  g_autofree char *unset = lk_audit_text_copy (event->unset);
  LkAuditHolder *given = record_read (event->record);
  if (event->operation == OPERATION_DELETE) {
    association_drop (self, account, user, partition);
  } else if (given != NULL) {
    gboolean is_new = event->operation == OPERATION_ADD;
    gboolean is_chosen =
        given->is_default && (is_new || (event->changes & (1u << BIT_is_default)) != 0);
    holder_put (self->associations, given, event->changes, unset, association_members);
    settle_default (self, user, is_chosen ? account : NULL);
    return;
  }
  if (given != NULL)
    holder_free (given);
}

static void
list_drop (char **list, const char *name)
{
  g_auto (GStrv) words = g_strsplit (*list, ",", -1);
  g_autoptr (GPtrArray) rest = g_ptr_array_new ();
  for (guint i = 0; words[i] != NULL; i++)
    if (strcmp (words[i] + (*words[i] == '+' || *words[i] == '-'), name) != 0)
      g_ptr_array_add (rest, words[i]);
  g_ptr_array_add (rest, NULL);
  g_free (*list);
  *list = g_strjoinv (",", (char **)rest->pdata);
}

static void
qos_drop (LkAuditSite *self, const char *name)
{
  for (guint i = 0; i < self->associations->len; i++) {
    LkAuditHolder *holder = g_ptr_array_index (self->associations, i);
    if (strcmp (holder->default_qos, name) == 0)
      holder->default_qos[0] = '\0';
    list_drop (&holder->may_use, name);
  }
  for (guint i = self->qos->len; i-- > 0;) {
    LkAuditHolder *holder = g_ptr_array_index (self->qos, i);
    list_drop (&holder->preempt, name);
    if (strcmp (holder->account, name) == 0)
      g_ptr_array_remove_index (self->qos, i);
  }
}

void
lk_audit_site_change_qos (LkAuditSite *self, const LkAudit_qos *event)
{
  g_autofree char *name = lk_audit_text_copy (event->name);
  g_autofree char *unset = lk_audit_text_copy (event->unset);
  LkAuditHolder *given = record_read (event->record);
  if (event->operation != OPERATION_DELETE && given != NULL) {
    holder_put (self->qos, given, event->changes, unset, qos_members);
    return;
  }
  if (given != NULL)
    holder_free (given);
  if (event->operation == OPERATION_DELETE)
    qos_drop (self, name);
}

/* ---------------------------------------------------------------- the site */

void
lk_audit_site_init (LkAuditSite *self, const LkAuditHeader *header)
{
  g_autofree char *cluster = lk_audit_text_copy (header->cluster);
  g_autofree char *accounts = lk_audit_text_copy (header->accounts);
  *self = (LkAuditSite){ .nodes = g_array_new (FALSE, TRUE, sizeof (LkAuditNode)),
                         .node_by_name = g_hash_table_new (g_str_hash, g_str_equal),
                         .partitions = g_array_new (FALSE, TRUE, sizeof (LkAuditPartition)),
                         .licenses = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL),
                         .job_age_us = 300 * G_USEC_PER_SEC /* of a pool */ };
  read_cluster (self, cluster);
  if (accounts[0] != '\0')
    read_accounts (self, accounts);
}

void
lk_audit_site_clear (LkAuditSite *self)
{
  g_hash_table_unref (self->node_by_name);
  for (guint i = 0; i < self->nodes->len; i++)
    g_free (g_array_index (self->nodes, LkAuditNode, i).name);
  g_array_unref (self->nodes);
  for (guint i = 0; i < self->partitions->len; i++) {
    LkAuditPartition *partition = &g_array_index (self->partitions, LkAuditPartition, i);
    g_free (partition->name);
    g_free (partition->has_node);
    g_free (partition->qos);
    g_free (partition->preempt_mode);
    g_free (partition->state);
  }
  g_array_unref (self->partitions);
  g_hash_table_unref (self->licenses);
  g_clear_pointer (&self->associations, g_ptr_array_unref);
  g_clear_pointer (&self->qos, g_ptr_array_unref);
}

guint32
lk_audit_site_node (const LkAuditSite *self, const char *name)
{
  guint found = GPOINTER_TO_UINT (g_hash_table_lookup (self->node_by_name, name));
  return found > 0 ? found - 1 : G_MAXUINT32;
}

const LkAuditPartition *
lk_audit_site_partition (const LkAuditSite *self, const char *name)
{
  for (guint i = 0; i < self->partitions->len; i++) {
    const LkAuditPartition *partition = &g_array_index (self->partitions, LkAuditPartition, i);
    if (name[0] != '\0' ? strcmp (partition->name, name) == 0 : partition->is_default)
      return partition;
  }
  return NULL;
}

const LkAuditHolder *
lk_audit_site_qos (const LkAuditSite *self, const char *name)
{
  for (guint i = 0; i < self->qos->len; i++) {
    const LkAuditHolder *qos = g_ptr_array_index (self->qos, i);
    if (strcmp (qos->account, name) == 0)
      return qos;
  }
  return NULL;
}

const LkAuditHolder *
lk_audit_site_association (const LkAuditSite *self, const char *account, const char *user)
{
  for (guint i = 0; i < self->associations->len; i++) {
    const LkAuditHolder *holder = g_ptr_array_index (self->associations, i);
    if (strcmp (holder->user, user) == 0 && holder->partition[0] == '\0'
        && (account[0] != '\0' ? strcmp (holder->account, account) == 0 : holder->is_default))
      return holder;
  }
  return NULL;
}

gboolean
lk_audit_site_has_partition (const LkAuditSite *self, const char *account, const char *user)
{
  for (guint i = 0; i < self->associations->len; i++) {
    const LkAuditHolder *holder = g_ptr_array_index (self->associations, i);
    if (holder->partition[0] != '\0' && strcmp (holder->user, user) == 0
        && (account[0] == '\0' || strcmp (holder->account, account) == 0))
      return TRUE;
  }
  return FALSE;
}

const LkAuditHolder *
lk_audit_site_account (const LkAuditSite *self, const char *account)
{
  return lk_audit_site_association (self, account, "");
}

const LkAuditLimit *
lk_audit_holder_limit (const LkAuditHolder *self, const char *kind, const char *tres)
{
  for (guint i = 0; self != NULL && i < self->limits->len; i++) {
    const LkAuditLimit *limit = &g_array_index (self->limits, LkAuditLimit, i);
    if (strcmp (limit->kind, kind) == 0 && strcmp (limit->tres, tres) == 0)
      return limit;
  }
  return NULL;
}
