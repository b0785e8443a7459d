/* live/client/scontrol/scontrol_site.c — scontrol about nodes, partitions and reservations.
 *
 * What the words mean stands in traces/command_events.c and traces/command_reservation.c; here they
 * are sent, and what is refused is told as scontrol tells it. */
#include <pwd.h>
#include <string.h>

#include "engine/hostlist.h"
#include "engine/policy.h"
#include "engine/reservation.h"
#include "live/client/refusal.h"
#include "live/client/scontrol/node_reason.h"
#include "live/client/scontrol/scontrol.h"
#include "traces/command_cluster.h"
#include "traces/command_events.h"
#include "traces/command_reservation.h"

typedef struct {
  LkClient *client;
  LkCommand *command;
  GStringChunk *texts;
} Site;

static int
failed (const Site *self, const GError *error)
{
  fprintf (self->client->err, "%s\nRequest aborted\n", error->message);
  return LK_SCONTROL_FAILURE;
}

/* ---------------------------------------------------------------- nodes */

static gboolean
state_is (const LkCommand *command, const char *const *states)
{
  const char *state = lk_command_value (command, "state");
  g_autofree char *lower = g_ascii_strdown (state != NULL ? state : "", -1);
  return g_strv_contains (states, lower);
}

/* Nodes of which some have something to resume from. */
typedef struct {
  GPtrArray *names;
  gboolean is_found;
  gboolean is_out; /* one is down or drained */
} Resumed;

static void
resumed_take (gpointer user, const LkRecord *record)
{
  Resumed *self = user;
  const LkRecord_node *node = &record->node;
  for (guint i = 0; i < self->names->len; i++) {
    const char *name = g_ptr_array_index (self->names, i);
    if (strlen (name) != node->name.length_bytes
        || memcmp (name, node->name.bytes, node->name.length_bytes) != 0)
      continue;
    self->is_found = TRUE;
    self->is_out = self->is_out || (node->flags & (LK_NODE_DOWN | LK_NODE_DRAIN)) != 0;
  }
}

/* Nodes that nobody set down or drained have nothing to resume from. */
static gboolean
resumes_nothing (const Site *self)
{
  static const char *const states[] = { "resume", NULL };
  const char *list = lk_command_value (self->command, "nodename");
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  Resumed resumed = { .names = names };
  LkClientQuery query = { .kind = LK_RECORD_NODE };
  if (!state_is (self->command, states) || list == NULL
      || !lk_hostlist_expand (list, strlen (list), names, NULL)
      || !lk_client_query (self->client, &query, resumed_take, &resumed, NULL))
    return FALSE;
  return resumed.is_found && !resumed.is_out;
}

/* ---------------------------------------------------------------- what the files describe */

/* As slurm_perror, with what more the controller says. */
static int
change_refused (const Site *self, const char *what, const LkReconfigured *answer)
{
  FILE *err = self->client->err;
  fprintf (err, "%s: %s\n", what, lk_refusal_admin_text (answer->error));
  if (answer->problems[0] != '\0')
    fprintf (err, "%s\n", answer->problems);
  return LK_SCONTROL_FAILURE;
}

/* `what` has gone wrong, if it does. */
static int
cluster_change (Site *self, const char *what)
{
  LkClusterChange change;
  LkReconfigured answer = { 0 };
  g_autoptr (GError) error = NULL;
  if (!lk_command_cluster_change (self->command, self->texts, &change, &error))
    return failed (self, error);
  LkMessage_reconfigure asked = { .operation = change.operation,
                                  .name = change.name,
                                  .changes = change.changes,
                                  .record = change.record };
  if (!lk_scontrol_reconfigure (self->client, &asked, &answer, &error)) {
    fprintf (self->client->err, "%s\n", error->message);
    return LK_SCONTROL_FAILURE;
  }
  int code = answer.error != 0 ? change_refused (self, what, &answer) : 0;
  g_free (answer.problems);
  return code;
}

static int
partition_delete (Site *self)
{
  const LkCommandPair *named = &g_array_index (self->command->pairs, LkCommandPair, 0);
  g_autofree char *what = g_strdup_printf ("delete_partition %s", named->given);
  return cluster_change (self, what);
}

/* ---------------------------------------------------------------- nodes and partitions */

static int
node_state_update (Site *self)
{
  static const char *const known[] = { "down", "drain", "fail", "resume", "undrain", "idle", NULL };
  static const char *const with_reason[] = { "down", "drain", "fail", NULL };
  const char *reason = lk_command_value (self->command, "reason");
  guint reject;
  LkEvent event;
  g_autoptr (GError) error = NULL;
  FILE *err = self->client->err;
  if (lk_command_value (self->command, "state") != NULL && !state_is (self->command, known)) {
    fprintf (err,
             "Invalid input: state=%s\nRequest aborted\n"
             "Valid states are: DOWN DRAIN FAIL RESUME UNDRAIN\n"
             "Not all states are valid given a node's prior state\n",
             lk_command_value (self->command, "state"));
    return LK_SCONTROL_FAILURE;
  }
  if (state_is (self->command, with_reason) && (reason == NULL || *reason == '\0')) {
    fprintf (err, "You must specify a reason when DOWNING or DRAINING a node. Request denied\n");
    return LK_SCONTROL_FAILURE;
  }
  if (!lk_command_node_event (self->command, &event, &error))
    return failed (self, error);
  if (lk_client_is_root (self->client) && resumes_nothing (self)) {
    fprintf (err, "slurm_update error: Invalid node state transition\n");
    return LK_SCONTROL_FAILURE;
  }
  if (!lk_scontrol_send (self->client, &event, &reject))
    return LK_SCONTROL_FAILURE;
  if (reject == 0)
    return 0;
  fprintf (err, "slurm_update error: %s\n", lk_refusal_admin_text (reject));
  return LK_SCONTROL_FAILURE;
}

static void
name_take (gpointer user, const LkRecord *record)
{
  LkText name = record->node.name;
  g_ptr_array_add (user, g_strndup (name.bytes, name.length_bytes));
}

/* NodeName=ALL becomes the names of all. FALSE: told. */
static gboolean
all_named (Site *self)
{
  LkClientQuery query = { .kind = LK_RECORD_NODE };
  LkCommandPair *named = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GString) list = g_string_new (NULL);
  for (guint i = 0; i < self->command->pairs->len; i++) {
    LkCommandPair *pair = &g_array_index (self->command->pairs, LkCommandPair, i);
    if (strcmp (pair->key, "nodename") == 0 && g_ascii_strcasecmp (pair->value, "ALL") == 0)
      named = pair;
  }
  if (named == NULL)
    return TRUE;
  if (!lk_client_query (self->client, &query, name_take, names, &error)) {
    fprintf (self->client->err, "%s\n", error->message);
    return FALSE;
  }
  lk_hostlist_compress ((const char *const *)names->pdata, names->len, list);
  named->value = g_string_chunk_insert (self->texts, list->str);
  return TRUE;
}

static int
node_reason_update (Site *self)
{
  g_autoptr (GError) error = NULL;
  return lk_command_node_check (self->command, &error)
             ? lk_scontrol_node_reason (self->client, self->command)
             : failed (self, error);
}

/* What they are, and then how they stand. */
static int
node_update (Site *self)
{
  gboolean has_state = lk_command_value (self->command, "state") != NULL;
  gboolean has_reason = lk_command_value (self->command, "reason") != NULL;
  gboolean changes_cluster = lk_command_changes_cluster (self->command);
  if (!all_named (self))
    return LK_SCONTROL_FAILURE;
  int code = changes_cluster ? cluster_change (self, "slurm_update error") : 0;
  if (code != 0)
    return code;
  if (has_reason && !has_state)
    return node_reason_update (self);
  return has_state || !changes_cluster ? node_state_update (self) : 0;
}

static int
partition_update (Site *self)
{
  guint reject;
  LkEvent event;
  g_autoptr (GError) error = NULL;
  if (lk_command_changes_cluster (self->command))
    return cluster_change (self, "slurm_update error");
  if (!lk_command_partition_event (self->command, &event, &error))
    return failed (self, error);
  if (!lk_scontrol_send (self->client, &event, &reject))
    return LK_SCONTROL_FAILURE;
  if (reject == 0)
    return 0;
  fprintf (self->client->err, "slurm_update error: %s\n", lk_refusal_admin_text (reject));
  return LK_SCONTROL_FAILURE;
}

/* ---------------------------------------------------------------- a reservation as it stands */

typedef struct {
  const char *name; /* that is looked for; NULL: all names are kept */
  GStringChunk *texts;
  GPtrArray *names; /* of all */
  gboolean is_found;
  LkCommandReservation standing;
  GPtrArray *nodes;     /* its own; end with NULL */
  GPtrArray *all_nodes; /* of the machine; likewise */
} Standing;

static void
standing_init (Standing *self, const char *name, GStringChunk *texts)
{
  *self = (Standing){ .name = name,
                      .texts = texts,
                      .names = g_ptr_array_new (),
                      .nodes = g_ptr_array_new_with_free_func (g_free),
                      .all_nodes = g_ptr_array_new () };
}

static void
standing_clear (Standing *self)
{
  g_ptr_array_unref (self->names);
  g_ptr_array_unref (self->nodes);
  g_ptr_array_unref (self->all_nodes);
}

static const char *
keep (GStringChunk *texts, const char *bytes, gsize length_bytes)
{
  return g_string_chunk_insert_len (texts, length_bytes > 0 ? bytes : "", (gssize)length_bytes);
}

static LkText
kept_text (GStringChunk *texts, LkText text)
{
  return (LkText){ keep (texts, text.bytes, text.length_bytes), text.length_bytes };
}

#define KEEP_text(value) kept_text (self->texts, value)
#define KEEP_i64(value) (value)
#define KEEP_u32(value) (value)

static void
reservation_take (gpointer user, const LkRecord *record)
{
  Standing *self = user;
  const LkRecord_reservation *found = &record->reservation;
  const char *name =
      keep (self->texts, found->reservation_name.bytes, found->reservation_name.length_bytes);
  g_ptr_array_add (self->names, (gpointer)name);
  if (self->name == NULL || strcmp (self->name, name) != 0)
    return;
  self->is_found = TRUE;
  self->standing.start_us = found->from_us;
  self->standing.end_us = found->to_us;
  self->standing.floats = (found->flag_bits & LK_RESERVATION_TIME_FLOAT) != 0;
  lk_hostlist_expand (found->node_names.bytes, found->node_names.length_bytes, self->nodes, NULL);
#define TAKE(type, field, help) self->standing.asked.field = KEEP_##type (found->field);
  LK_RESERVATION_FIELDS (TAKE)
#undef TAKE
}

static void
node_take (gpointer user, const LkRecord *record)
{
  Standing *self = user;
  LkText name = record->node.name;
  g_ptr_array_add (self->all_nodes, (gpointer)keep (self->texts, name.bytes, name.length_bytes));
}

/* FALSE: told. */
static gboolean
standing_read (const Site *self, Standing *standing, gboolean with_nodes)
{
  LkClientQuery reservations = { .kind = LK_RECORD_RESERVATION };
  LkClientQuery nodes = { .kind = LK_RECORD_NODE };
  g_autoptr (GError) error = NULL;
  if (!lk_client_query (self->client, &reservations, reservation_take, standing, &error)
      || (with_nodes && !lk_client_query (self->client, &nodes, node_take, standing, &error))) {
    fprintf (self->client->err, "%s\n", error->message);
    return FALSE;
  }
  g_ptr_array_add (standing->nodes, NULL);
  g_ptr_array_add (standing->all_nodes, NULL);
  standing->standing.nodes = (const char *const *)standing->nodes->pdata;
  standing->standing.all_nodes = (const char *const *)standing->all_nodes->pdata;
  return TRUE;
}

/* ---------------------------------------------------------------- reservations */

#define CREATING "Error creating the reservation"
#define UPDATING "slurm_update error"

/* What the command cannot come to, as scontrol ends such a line. */
static int
reservation_failed (const Site *self, const char *text)
{
  lk_client_error (self->client, "%s.  No reservation %s.", text,
                   self->command->kind == LK_COMMAND_CREATE_RESERVATION ? "created" : "update");
  return LK_SCONTROL_FAILURE;
}

static int
reservation_refused (const Site *self, const char *what, guint reject)
{
  const char *flags = lk_command_value (self->command, "flags");
  guint32 bits;
  if (reject == LK_REJECT_RESERVATION_FLAGS && flags != NULL
      && !lk_reservation_flags_read (lk_text (flags), &bits)) {
    g_autofree char *text = g_strdup_printf ("Error parsing flags %s", flags);
    return reservation_failed (self, text);
  }
  fprintf (self->client->err, "%s: %s\n", what, lk_refusal_admin_text (reject));
  return LK_SCONTROL_FAILURE;
}

static gboolean
reservation_read (Site *self, LkEvent *out_event, GError **error)
{
  static const char *const dates[] = { "starttime", "endtime", NULL };
  return lk_scontrol_dates (self->client, self->command, dates, self->texts, error)
         && lk_command_reservation_event (self->command, self->client->now_us, out_event, error);
}

/* Users are those of this machine, by name or number; with - in front they may not use it. */
static gboolean
is_user (const char *word)
{
  guint64 number;
  const char *name = word + (*word == '-' ? 1 : 0);
  if (getpwnam (name) != NULL)
    return TRUE;
  return g_ascii_string_to_unsigned (name, 10, 0, G_MAXUINT32 - 1, &number, NULL)
         && getpwuid ((uid_t)number) != NULL;
}

/* Those that the command names. FALSE: told, in the words of slurmctld for one that is not. */
static gboolean
users_check (const Site *self, const char *what)
{
  for (guint i = 0; i < self->command->pairs->len; i++) {
    const LkCommandPair *pair = &g_array_index (self->command->pairs, LkCommandPair, i);
    g_auto (GStrv) names = g_strsplit (pair->value, ",", -1);
    for (guint j = 0; strcmp (pair->key, "users") == 0 && names[j] != NULL; j++)
      if (*names[j] != '\0' && pair->sign != '-' && !is_user (names[j])) {
        fprintf (self->client->err, "%s: %s\n", what, LK_REFUSAL_USER_ID);
        return FALSE;
      }
  }
  return TRUE;
}

static gboolean
says_who (const LkEvent_reservation_create *create)
{
  return create->users.length_bytes > 0 || create->accounts.length_bytes > 0
         || create->groups.length_bytes > 0 || create->qos.length_bytes > 0
         || create->partitions.length_bytes > 0;
}

/* The name that there was not before; NULL: there is none. */
static const char *
new_name (const Standing *before, const Standing *after)
{
  for (guint i = 0; i < after->names->len; i++) {
    gboolean is_new = TRUE;
    for (guint j = 0; j < before->names->len && is_new; j++)
      is_new =
          strcmp (g_ptr_array_index (before->names, j), g_ptr_array_index (after->names, i)) != 0;
    if (is_new)
      return g_ptr_array_index (after->names, i);
  }
  return NULL;
}

/* `before` has the names that there were, for the one that the controller gives. */
static int
reservation_made (Site *self, const LkEvent *event, const Standing *before)
{
  guint reject;
  Standing after;
  if (!lk_scontrol_send (self->client, event, &reject))
    return LK_SCONTROL_FAILURE;
  if (reject != 0)
    return reservation_refused (self, CREATING, reject);
  standing_init (&after, NULL, self->texts);
  const char *name = lk_command_value (self->command, "reservationname");
  if ((name == NULL || *name == '\0') && standing_read (self, &after, FALSE))
    name = new_name (before, &after);
  fprintf (self->client->out, "Reservation created: %s\n", name != NULL ? name : "");
  standing_clear (&after);
  return 0;
}

static int
reservation_create (Site *self)
{
  LkEvent event;
  Standing before;
  g_autoptr (GError) error = NULL;
  if (!reservation_read (self, &event, &error))
    return reservation_failed (self, error->message);
  if (!says_who (&event.reservation_create)) {
    lk_client_error (self->client, "Either Users/Groups, AllowedPartitions, QOS and/or Accounts "
                                   "must be specified.  No reservation created.");
    return LK_SCONTROL_FAILURE;
  }
  if (!users_check (self, CREATING))
    return LK_SCONTROL_FAILURE;
  standing_init (&before, NULL, self->texts);
  int code = standing_read (self, &before, FALSE) ? reservation_made (self, &event, &before)
                                                  : LK_SCONTROL_FAILURE;
  standing_clear (&before);
  return code;
}

static int
reservation_send (Site *self, const LkEvent *event)
{
  guint reject;
  if (!lk_scontrol_send (self->client, event, &reject))
    return LK_SCONTROL_FAILURE;
  if (reject != 0)
    return reservation_refused (self, UPDATING, reject);
  fprintf (self->client->out, "Reservation updated.\n");
  return 0;
}

static int
reservation_update (Site *self)
{
  LkEvent event;
  Standing standing;
  g_autoptr (GError) error = NULL;
  if (!reservation_read (self, &event, &error))
    return reservation_failed (self, error->message);
  if (!users_check (self, UPDATING))
    return LK_SCONTROL_FAILURE;
  standing_init (&standing, lk_command_value (self->command, "reservationname"), self->texts);
  int code = LK_SCONTROL_FAILURE;
  if (!standing_read (self, &standing, TRUE))
    ;
  else if (standing.is_found
           && !lk_command_edit_reservation (self->command, &standing.standing, self->client->now_us,
                                            self->texts, &event.reservation_update, &error))
    code = reservation_failed (self, error->message);
  else
    code = reservation_send (self, &event);
  standing_clear (&standing);
  return code;
}

static int
reservation_delete (Site *self)
{
  guint reject;
  LkEvent event;
  g_autoptr (GError) error = NULL;
  if (!lk_command_reservation_event (self->command, self->client->now_us, &event, &error))
    return failed (self, error);
  if (!lk_scontrol_send (self->client, &event, &reject))
    return LK_SCONTROL_FAILURE;
  if (reject == 0)
    return 0;
  const LkCommandPair *named = &g_array_index (self->command->pairs, LkCommandPair, 0);
  fprintf (self->client->err, "delete_reservation %s: %s\n", named->given,
           lk_refusal_admin_text (reject));
  return LK_SCONTROL_FAILURE;
}

int
lk_scontrol_site (LkClient *client, LkCommand *command)
{
  Site self = { .client = client, .command = command, .texts = g_string_chunk_new (1024) };
  int code = LK_SCONTROL_FAILURE;
  switch (command->kind) {
  case LK_COMMAND_UPDATE_NODE:
    code = node_update (&self);
    break;
  case LK_COMMAND_UPDATE_PARTITION:
    code = partition_update (&self);
    break;
  case LK_COMMAND_CREATE_PARTITION:
    code = cluster_change (&self, "Error creating the partition");
    break;
  case LK_COMMAND_DELETE_PARTITION:
    code = partition_delete (&self);
    break;
  case LK_COMMAND_CREATE_RESERVATION:
    code = reservation_create (&self);
    break;
  case LK_COMMAND_UPDATE_RESERVATION:
    code = reservation_update (&self);
    break;
  default:
    code = reservation_delete (&self);
    break;
  }
  g_string_chunk_free (self.texts);
  return code;
}
