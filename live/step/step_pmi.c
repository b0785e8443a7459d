/* live/step/step_pmi.c — see the header. */
#include "live/step/step_pmi.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "live/core/batch.h"
#include "live/core/step_frame.h"
#include "live/port/step_talk.h"
#include "live/step/pmi_word.h"

/* Longest that fits into a frame with the rest of it. */
#define DATA_BYTES_MAX (LK_STEP_FRAME_MAX_BYTES - 4096u)
/* Published in one step; of one node's attributes. */
#define NAMES_MAX 4096u
#define READ_BYTES 16384u
/* Behind the last pair of an answer. */
#define PAIRS_END ((const char *)NULL)
/* pmi2.h: PMI2_ERR_OTHER. */
#define FAILURE "14"

/* A task, by its descriptor. */
typedef struct {
  LkStepPmi *server;
  LkLoopFd part;
  guint32 task;
  guint version; /* that it speaks; 0: it has not said so */
  GByteArray *in;
  gboolean is_over; /* nothing it says counts any more */
} Client;

/* What a task asks, and how it is answered. */
typedef struct {
  const LkPmiWord *word;
  const char *answer; /* the command of it */
  const char *thread; /* which of its threads asks; "": it does not say */
} Order;

typedef enum { WAITS_FENCE, WAITS_ATTRIBUTE, WAITS_NAME } Waits;

/* An answer that comes later. */
typedef struct {
  Waits what;
  Client *client;
  const char *answer;
  char *thread;
  char *name;     /* of an attribute */
  guint32 number; /* of a name: of the question */
} Waiting;

struct _LkStepPmi {
  LkStepPmixConfig config;
  LkLoop *loop;
  GPtrArray *node_tasks; /* of GArray of guint32: the configuration is borrowed */
  char *space;
  char *mapping;
  GPtrArray *clients;     /* of Client */
  GPtrArray *waiting;     /* of Waiting */
  GHashTable *kept;       /* what was put: key to value */
  GHashTable *attributes; /* of this node */
  GHashTable *names;      /* on the first node: that are published */
  GByteArray *put;        /* since the last fence: key, value, each with its zero byte */
  GPtrArray *parts;       /* on the first node: of GByteArray by node; NULL: not there yet */
  guint32 fence_number;
  gboolean is_awaited; /* all tasks here have come to the fence */
  guint32 question_count;
};

static LkBytes
bytes_of (const GByteArray *bytes)
{
  return (LkBytes){ bytes->data, bytes->len };
}

/* ---------------------------------------------------------------- answers */

/* The programs are synchronous: whoever does not read what he has asked for is not served. */
static void
send_word (Client *client, const GString *word)
{
  g_autoptr (GString) whole = lk_pmi_word_close (word, client->version);
  if (send (client->part.fd, whole->str, whole->len, MSG_NOSIGNAL | MSG_DONTWAIT)
      != (gssize)whole->len)
    client->is_over = TRUE;
}

/* Names and values, and NULL behind the last. */
static void G_GNUC_NULL_TERMINATED
answer (Client *client, const char *command, const char *thread, ...)
{
  g_autoptr (GString) word = g_string_new (NULL);
  va_list pairs;
  const char *name;
  lk_pmi_word_append (word, client->version, "cmd", command);
  if (thread[0] != '\0')
    lk_pmi_word_append (word, client->version, "thrid", thread);
  va_start (pairs, thread);
  while ((name = va_arg (pairs, const char *)) != NULL)
    lk_pmi_word_append (word, client->version, name, va_arg (pairs, const char *));
  va_end (pairs);
  send_word (client, word);
}

/* In lines words are told apart by spaces. */
static void
refuse (Client *client, const Order *order, const char *why)
{
  g_autofree char *text = g_strdelimit (g_strdup (why), client->version == 2 ? "" : " ", '_');
  answer (client, order->answer, order->thread, "rc", client->version == 2 ? FAILURE : "-1",
          client->version == 2 ? "errmsg" : "msg", text, PAIRS_END);
}

static void
answer_well (Client *client, const char *command, const char *thread)
{
  if (client->version == 2)
    answer (client, command, thread, "rc", "0", PAIRS_END);
  else
    answer (client, command, thread, "rc", "0", "msg", "success", "info", "ok", PAIRS_END);
}

/* NULL: it was not found. */
static void
answer_value (Client *client, const char *command, const char *thread, const char *value)
{
  if (client->version == 2 && value != NULL)
    answer (client, command, thread, "rc", "0", "found", "TRUE", "value", value, PAIRS_END);
  else if (client->version == 2)
    answer (client, command, thread, "rc", "0", "found", "FALSE", PAIRS_END);
  else if (value != NULL)
    answer (client, command, thread, "rc", "0", "msg", "success", "value", value, PAIRS_END);
  else
    answer (client, command, thread, "rc", "-1", "msg", "key_not_found", PAIRS_END);
}

/* ---------------------------------------------------------------- answers that come later */

static void
waiting_free (gpointer data)
{
  Waiting *waiting = data;
  g_free (waiting->thread);
  g_free (waiting->name);
  g_free (waiting);
}

static Waiting *
wait_for (Client *client, const Order *order, Waits what)
{
  Waiting *waiting = g_new0 (Waiting, 1);
  waiting->what = what;
  waiting->client = client;
  waiting->answer = order->answer;
  waiting->thread = g_strdup (order->thread);
  g_ptr_array_add (client->server->waiting, waiting);
  return waiting;
}

static gboolean
waits_at_fence (const LkStepPmi *self, const Client *client)
{
  for (guint i = 0; i < self->waiting->len; i++) {
    const Waiting *waiting = g_ptr_array_index (self->waiting, i);
    if (waiting->client == client && waiting->what == WAITS_FENCE)
      return TRUE;
  }
  return FALSE;
}

/* ---------------------------------------------------------------- other nodes */

static void
tell_node (LkStepPmi *self, guint32 node, const LkStepPmixWord *word)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  lk_step_pmix_word_encode (word, bytes);
  self->config.send (self->config.user, node, (LkBytes){ bytes->data, bytes->len });
}

/* The next text of them; NULL: there is none. */
static const char *
next_text (LkBytes *left)
{
  const guint8 *end =
      left->length_bytes > 0 ? memchr (left->bytes, '\0', left->length_bytes) : NULL;
  if (end == NULL)
    return NULL;
  const char *text = (const char *)left->bytes;
  guint32 count = (guint32)(end - left->bytes) + 1;
  *left = (LkBytes){ left->bytes + count, left->length_bytes - count };
  return text;
}

static void
append_text (GByteArray *out, const char *text)
{
  g_byte_array_append (out, (const guint8 *)text, (guint)strlen (text) + 1);
}

/* ---------------------------------------------------------------- fences */

static void
part_free (gpointer part)
{
  if (part != NULL)
    g_byte_array_unref (part);
}

static void
fence_over (LkStepPmi *self, gboolean is_good, LkBytes all)
{
  const char *key;
  while ((key = next_text (&all)) != NULL) {
    const char *value = next_text (&all);
    if (value != NULL)
      g_hash_table_replace (self->kept, g_strdup (key), g_strdup (value));
  }
  self->fence_number++;
  self->is_awaited = FALSE;
  for (guint i = self->waiting->len; i-- > 0;) {
    const Waiting *waiting = g_ptr_array_index (self->waiting, i);
    const Order order = { .answer = waiting->answer, .thread = waiting->thread };
    if (waiting->what != WAITS_FENCE)
      continue;
    if (is_good)
      answer_well (waiting->client, waiting->answer, waiting->thread);
    else
      refuse (waiting->client, &order, "more was put than fits");
    g_ptr_array_remove_index (self->waiting, i);
  }
}

/* All parts behind each other, to all. */
static void
fence_give_out (LkStepPmi *self)
{
  g_autoptr (GByteArray) all = g_byte_array_new ();
  for (guint i = 0; i < self->parts->len; i++) {
    const GByteArray *part = g_ptr_array_index (self->parts, i);
    if (part == NULL)
      return;
    g_byte_array_append (all, part->data, part->len);
  }
  gboolean is_good = all->len <= DATA_BYTES_MAX;
  if (!is_good)
    g_byte_array_set_size (all, 0);
  const LkStepPmixWord word = { .kind = LK_STEP_PMIX_FENCE_DOWN,
                                .number = self->fence_number,
                                .status = is_good ? 0 : 1,
                                .data = bytes_of (all) };
  guint count = self->parts->len;
  g_ptr_array_set_size (self->parts, 0);
  g_ptr_array_set_size (self->parts, (gint)count);
  for (guint32 i = 1; i < count; i++)
    tell_node (self, i, &word);
  fence_over (self, is_good, bytes_of (all));
}

static void
fence_gather (LkStepPmi *self, guint32 node, LkBytes data)
{
  gpointer *place = &g_ptr_array_index (self->parts, node);
  if (*place != NULL)
    return;
  GByteArray *part = g_byte_array_new ();
  if (data.length_bytes > 0)
    g_byte_array_append (part, data.bytes, data.length_bytes);
  *place = part;
  fence_give_out (self);
}

/* All tasks here have come to it. */
static void
fence_begin (LkStepPmi *self)
{
  g_autoptr (GByteArray) put = self->put;
  self->put = g_byte_array_new ();
  self->is_awaited = TRUE;
  const LkStepPmixWord word = { .kind = LK_STEP_PMIX_FENCE_UP,
                                .number = self->fence_number,
                                .data = bytes_of (put) };
  if (self->config.node_index == 0)
    fence_gather (self, 0, bytes_of (put));
  else
    tell_node (self, 0, &word);
}

static void
act_fence (Client *client, const Order *order)
{
  LkStepPmi *self = client->server;
  const GArray *here = g_ptr_array_index (self->node_tasks, self->config.node_index);
  if (waits_at_fence (self, client)) {
    refuse (client, order, "this task is at a fence already");
    return;
  }
  wait_for (client, order, WAITS_FENCE);
  guint count = 0;
  for (guint i = 0; i < self->waiting->len; i++)
    count += ((const Waiting *)g_ptr_array_index (self->waiting, i))->what == WAITS_FENCE ? 1 : 0;
  if (count == here->len)
    fence_begin (self);
}

/* ---------------------------------------------------------------- keys and values */

static gboolean
are_good (const Client *client, const char *key, const char *value)
{
  return key[0] != '\0' && lk_pmi_text_is_good (key, client->version, LK_PMI_KEY_BYTES_MAX)
         && lk_pmi_text_is_good (value, client->version, LK_PMI_VALUE_BYTES_MAX);
}

static void
act_put (Client *client, const Order *order)
{
  LkStepPmi *self = client->server;
  const char *key = lk_pmi_word_value (order->word, "key");
  const char *value = lk_pmi_word_value (order->word, "value");
  gsize more_bytes = strlen (key) + strlen (value) + 2;
  if (!are_good (client, key, value)) {
    refuse (client, order, "a key has 1 to 64 bytes, a value at most 1024");
  } else if (self->put->len + more_bytes > DATA_BYTES_MAX) {
    refuse (client, order, "more was put than fits");
  } else {
    append_text (self->put, key);
    append_text (self->put, value);
    g_hash_table_replace (self->kept, g_strdup (key), g_strdup (value));
    answer_well (client, order->answer, order->thread);
  }
}

/* What the step itself says by keys. NULL: it is none of these. */
static const char *
own_value (const LkStepPmi *self, const char *key, char *number, gsize number_bytes)
{
  if (strcmp (key, "PMI_process_mapping") == 0)
    return strlen (self->mapping) <= LK_PMI_VALUE_BYTES_MAX ? self->mapping : NULL;
  g_snprintf (number, number_bytes, "%u", self->config.task_count);
  return strcmp (key, "universeSize") == 0 ? number : NULL;
}

static void
act_get (Client *client, const Order *order)
{
  LkStepPmi *self = client->server;
  const char *key = lk_pmi_word_value (order->word, "key");
  const char *value = g_hash_table_lookup (self->kept, key);
  char number[16];
  if (value == NULL && client->version != 2)
    value = own_value (self, key, number, sizeof number);
  answer_value (client, order->answer, order->thread, value);
}

static void
act_job_attribute (Client *client, const Order *order)
{
  char number[16];
  const char *key = lk_pmi_word_value (order->word, "key");
  answer_value (client, order->answer, order->thread,
                own_value (client->server, key, number, sizeof number));
}

static void
act_put_attribute (Client *client, const Order *order)
{
  LkStepPmi *self = client->server;
  const char *key = lk_pmi_word_value (order->word, "key");
  const char *value = lk_pmi_word_value (order->word, "value");
  if (!are_good (client, key, value) || g_hash_table_size (self->attributes) >= NAMES_MAX) {
    refuse (client, order, "an attribute has a name of 1 to 64 bytes, a value of at most 1024");
    return;
  }
  g_hash_table_replace (self->attributes, g_strdup (key), g_strdup (value));
  answer_well (client, order->answer, order->thread);
  for (guint i = self->waiting->len; i-- > 0;) {
    const Waiting *waiting = g_ptr_array_index (self->waiting, i);
    if (waiting->what != WAITS_ATTRIBUTE || strcmp (waiting->name, key) != 0)
      continue;
    answer_value (waiting->client, waiting->answer, waiting->thread, value);
    g_ptr_array_remove_index (self->waiting, i);
  }
}

static void
act_get_attribute (Client *client, const Order *order)
{
  const char *key = lk_pmi_word_value (order->word, "key");
  const char *value = g_hash_table_lookup (client->server->attributes, key);
  if (value == NULL && strcmp (lk_pmi_word_value (order->word, "wait"), "TRUE") == 0)
    wait_for (client, order, WAITS_ATTRIBUTE)->name = g_strdup (key);
  else
    answer_value (client, order->answer, order->thread, value);
}

/* ---------------------------------------------------------------- names */

/* On the first node. Returns: what was found, "" where nothing is to be found; NULL: it fails. */
static const char *
name_act (LkStepPmi *self, LkBytes question)
{
  const char *command = next_text (&question);
  const char *name = command != NULL ? next_text (&question) : NULL;
  const char *port = name != NULL ? next_text (&question) : NULL;
  if (port == NULL || name[0] == '\0')
    return NULL;
  if (strcmp (command, "lookup") == 0)
    return g_hash_table_lookup (self->names, name);
  if (strcmp (command, "unpublish") == 0)
    return g_hash_table_remove (self->names, name) ? "" : NULL;
  if (g_hash_table_contains (self->names, name) || g_hash_table_size (self->names) >= NAMES_MAX)
    return NULL;
  g_hash_table_insert (self->names, g_strdup (name), g_strdup (port));
  return "";
}

/* `port` NULL: it has failed. */
static void
name_answer (Client *client, const Order *order, const char *port)
{
  if (port == NULL)
    refuse (client, order, "no such name, or one that is taken");
  else if (port[0] == '\0')
    answer_well (client, order->answer, order->thread);
  else if (client->version == 2)
    answer (client, order->answer, order->thread, "rc", "0", "value", port, "port", port,
            PAIRS_END);
  else
    answer (client, order->answer, order->thread, "rc", "0", "info", "ok", "port", port, PAIRS_END);
}

static void
act_name (Client *client, const Order *order)
{
  LkStepPmi *self = client->server;
  const char *port = lk_pmi_word_value (order->word, "port");
  const char *name = lk_pmi_word_value (order->word, client->version == 2 ? "name" : "service");
  /* "name-publish-response", "publish_result" */
  const char *what = order->answer + (client->version == 2 ? strlen ("name-") : 0);
  g_autofree char *command = g_strndup (what, strcspn (what, "-_"));
  g_autoptr (GByteArray) question = g_byte_array_new ();
  if (!are_good (client, name, port)) {
    refuse (client, order, "a name has 1 to 64 bytes, a port at most 1024");
    return;
  }
  append_text (question, command);
  append_text (question, name);
  append_text (question, port);
  if (self->config.node_index == 0) {
    name_answer (client, order, name_act (self, bytes_of (question)));
    return;
  }
  const LkStepPmixWord word = { .kind = LK_STEP_PMIX_NAME_ASK,
                                .number = self->question_count,
                                .data = bytes_of (question) };
  wait_for (client, order, WAITS_NAME)->number = self->question_count++;
  tell_node (self, 0, &word);
}

static void
name_asked (LkStepPmi *self, guint32 node, const LkStepPmixWord *word)
{
  const char *port = self->config.node_index == 0 ? name_act (self, word->data) : NULL;
  const LkStepPmixWord back = { .kind = LK_STEP_PMIX_NAME_ANSWER,
                                .number = word->number,
                                .status = port != NULL ? 0 : 1,
                                .data = port != NULL ? lk_bytes (port) : (LkBytes){ NULL, 0 } };
  tell_node (self, node, &back);
}

static void
name_answered (LkStepPmi *self, const LkStepPmixWord *word)
{
  for (guint i = 0; i < self->waiting->len; i++) {
    const Waiting *waiting = g_ptr_array_index (self->waiting, i);
    if (waiting->what != WAITS_NAME || waiting->number != word->number)
      continue;
    const Order order = { .answer = waiting->answer, .thread = waiting->thread };
    g_autofree char *port = g_strndup (
        word->data.length_bytes > 0 ? (const char *)word->data.bytes : "", word->data.length_bytes);
    name_answer (waiting->client, &order, word->status == 0 ? port : NULL);
    g_ptr_array_remove_index (self->waiting, i);
    return;
  }
}

/* ---------------------------------------------------------------- beginning and end of a task */

static void
act_full_init (Client *client, const Order *order)
{
  g_autofree char *rank = g_strdup_printf ("%u", client->task);
  g_autofree char *size = g_strdup_printf ("%u", client->server->config.task_count);
  answer (client, order->answer, order->thread, "rc", "0", "pmi-version", "2", "pmi-subversion",
          "0", "rank", rank, "size", size, "appnum", "0", "debugged", "FALSE", "pmiverbose",
          "FALSE", PAIRS_END);
}

static void
act_job_id (Client *client, const Order *order)
{
  answer (client, order->answer, order->thread, "rc", "0",
          client->version == 2 ? "jobid" : "kvsname", client->server->space, PAIRS_END);
}

static void
act_most (Client *client, const Order *order)
{
  g_autofree char *key = g_strdup_printf ("%u", LK_PMI_KEY_BYTES_MAX);
  g_autofree char *value = g_strdup_printf ("%u", LK_PMI_VALUE_BYTES_MAX);
  answer (client, order->answer, order->thread, "rc", "0", "kvsname_max", "64", "keylen_max", key,
          "vallen_max", value, PAIRS_END);
}

static void
act_number (Client *client, const Order *order)
{
  g_autofree char *size = g_strdup_printf ("%u", client->server->config.task_count);
  if (strcmp (order->answer, "appnum") == 0)
    answer (client, order->answer, order->thread, "rc", "0", "appnum", "0", PAIRS_END);
  else
    answer (client, order->answer, order->thread, "rc", "0", "size", size, PAIRS_END);
}

static void
act_finalize (Client *client, const Order *order)
{
  answer_well (client, order->answer, order->thread);
}

/* Other nodes hear of it, too. */
static void
act_abort (Client *client, const Order *order)
{
  LkStepPmi *self = client->server;
  const char *code = lk_pmi_word_value (order->word, "exitcode");
  int status = code[0] != '\0' ? (int)g_ascii_strtoll (code, NULL, 10) : 1;
  g_autofree char *text =
      g_strdup_printf ("task %u: %s", client->task, lk_pmi_word_value (order->word, "msg"));
  const LkStepPmixWord word = { .kind = LK_STEP_PMIX_ABORT,
                                .task = client->task,
                                .status = (guint32)status };
  for (guint32 i = 0; i < self->node_tasks->len; i++)
    if (i != self->config.node_index)
      tell_node (self, i, &word);
  self->config.abort (self->config.user, status, text);
}

static void
act_unserved (Client *client, const Order *order)
{
  refuse (client, order, "spawning and connecting are not served");
}

/* ---------------------------------------------------------------- what a task says */

static const struct {
  guint version;
  const char *command;
  const char *answer;
  void (*act) (Client *client, const Order *order);
} commands[] = {
  { 2, "fullinit", "fullinit-response", act_full_init },
  { 2, "job-getid", "job-getid-response", act_job_id },
  { 2, "kvs-put", "kvs-put-response", act_put },
  { 2, "kvs-get", "kvs-get-response", act_get },
  { 2, "kvs-fence", "kvs-fence-response", act_fence },
  { 2, "info-getjobattr", "info-getjobattr-response", act_job_attribute },
  { 2, "info-getnodeattr", "info-getnodeattr-response", act_get_attribute },
  { 2, "info-putnodeattr", "info-putnodeattr-response", act_put_attribute },
  { 2, "name-publish", "name-publish-response", act_name },
  { 2, "name-unpublish", "name-unpublish-response", act_name },
  { 2, "name-lookup", "name-lookup-response", act_name },
  { 2, "spawn", "spawn-response", act_unserved },
  { 2, "job-connect", "job-connect-response", act_unserved },
  { 2, "job-disconnect", "job-disconnect-response", act_unserved },
  { 2, "ring", "ring-response", act_unserved },
  { 2, "abort", "", act_abort },
  { 2, "finalize", "finalize-response", act_finalize },
  { 1, "get_maxes", "maxes", act_most },
  { 1, "get_appnum", "appnum", act_number },
  { 1, "get_universe_size", "universe_size", act_number },
  { 1, "get_my_kvsname", "my_kvsname", act_job_id },
  { 1, "put", "put_result", act_put },
  { 1, "get", "get_result", act_get },
  { 1, "barrier_in", "barrier_out", act_fence },
  { 1, "publish_name", "publish_result", act_name },
  { 1, "unpublish_name", "unpublish_result", act_name },
  { 1, "lookup_name", "lookup_result", act_name },
  { 1, "spawn", "spawn_result", act_unserved },
  { 1, "abort", "", act_abort },
  { 1, "finalize", "finalize_ack", act_finalize },
};

/* "cmd=init pmi_version=2 pmi_subversion=0": its answer is a line in either version. */
static void
hear_first (Client *client, const LkPmiWord *word)
{
  const char *version = lk_pmi_word_value (word, "pmi_version");
  client->version = 1;
  if (strcmp (lk_pmi_word_value (word, "cmd"), "init") != 0
      || (strcmp (version, "1") != 0 && strcmp (version, "2") != 0)) {
    client->is_over = TRUE;
    return;
  }
  answer (client, "response_to_init", "", "pmi_version", version, "pmi_subversion",
          version[0] == '2' ? "0" : "1", "rc", "0", PAIRS_END);
  client->version = version[0] == '2' ? 2 : 1;
}

/* A word that is not known ends it: nobody could answer it. */
static void
hear (Client *client, const LkPmiWord *word)
{
  const char *command = lk_pmi_word_value (word, "cmd");
  if (client->version == 0) {
    hear_first (client, word);
    return;
  }
  /* Many programs at a time are started by a line of another kind: "mcmd=spawn". */
  if (command[0] == '\0')
    command = lk_pmi_word_value (word, "mcmd");
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++) {
    const Order order = { word, commands[i].answer, lk_pmi_word_value (word, "thrid") };
    if (commands[i].version != client->version || strcmp (commands[i].command, command) != 0)
      continue;
    commands[i].act (client, &order);
    return;
  }
  client->is_over = TRUE;
}

static void
client_drop (Client *client)
{
  LkStepPmi *self = client->server;
  for (guint i = self->waiting->len; i-- > 0;)
    if (((const Waiting *)g_ptr_array_index (self->waiting, i))->client == client)
      g_ptr_array_remove_index (self->waiting, i);
  lk_loop_remove_fd (self->loop, &client->part);
  close (client->part.fd);
  g_byte_array_unref (client->in);
  g_ptr_array_remove (self->clients, client);
  g_free (client);
}

static void
ready (gpointer user, guint events)
{
  Client *client = user;
  guint8 bytes[READ_BYTES];
  LkPmiWord word;
  LkPmiStatus status = LK_PMI_MORE;
  (void)events;
  gssize count = recv (client->part.fd, bytes, sizeof bytes, MSG_DONTWAIT);
  if (count < 0 && errno == EAGAIN)
    return;
  if (count > 0)
    g_byte_array_append (client->in, bytes, (guint)count);
  else
    client->is_over = TRUE;
  while (!client->is_over
         && (status = lk_pmi_word_take (client->in, client->version, &word)) == LK_PMI_WHOLE) {
    hear (client, &word);
    lk_pmi_word_clear (&word);
  }
  if (client->is_over || status == LK_PMI_BAD)
    client_drop (client);
}

/* ---------------------------------------------------------------- what a node says */

void
lk_step_pmi_take (LkStepPmi *self, guint32 node_index, LkBytes bytes)
{
  LkStepPmixWord word;
  if (!lk_step_pmix_word_decode (bytes.bytes, bytes.length_bytes, &word)
      || node_index >= self->node_tasks->len)
    return;
  switch ((LkStepPmixKind)word.kind) {
  case LK_STEP_PMIX_FENCE_UP:
    if (self->config.node_index == 0 && word.number == self->fence_number)
      fence_gather (self, node_index, word.data);
    break;
  case LK_STEP_PMIX_FENCE_DOWN:
    if (self->is_awaited && word.number == self->fence_number)
      fence_over (self, word.status == 0, word.data);
    break;
  case LK_STEP_PMIX_NAME_ASK:
    name_asked (self, node_index, &word);
    break;
  case LK_STEP_PMIX_NAME_ANSWER:
    name_answered (self, &word);
    break;
  case LK_STEP_PMIX_ABORT:
    self->config.abort (self->config.user, (int)word.status, "another node says so");
    break;
  default:
    break;
  }
}

/* ---------------------------------------------------------------- beginning */

LkStepPmi *
lk_step_pmi_new (LkLoop *loop, const LkStepPmixConfig *config)
{
  LkStepPmi *self = g_new0 (LkStepPmi, 1);
  self->loop = loop;
  self->config = *config;
  self->node_tasks = g_ptr_array_new_with_free_func ((GDestroyNotify)g_array_unref);
  for (guint i = 0; i < config->node_tasks->len; i++)
    g_ptr_array_add (self->node_tasks, g_array_ref (g_ptr_array_index (config->node_tasks, i)));
  self->space = g_strdup_printf ("%u.%u", config->job_id, config->step_id);
  self->mapping = lk_step_pmi_mapping (self->node_tasks, config->task_count);
  self->clients = g_ptr_array_new ();
  self->waiting = g_ptr_array_new_with_free_func (waiting_free);
  self->kept = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  self->attributes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  self->names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  self->put = g_byte_array_new ();
  self->parts = g_ptr_array_new_with_free_func (part_free);
  g_ptr_array_set_size (self->parts, (gint)config->node_tasks->len);
  return self;
}

int
lk_step_pmi_connect (LkStepPmi *self, guint32 task)
{
  int ends[2];
  if (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return -1;
  Client *client = g_new0 (Client, 1);
  client->server = self;
  client->task = task;
  client->part = (LkLoopFd){ .ready = ready, .user = client };
  client->in = g_byte_array_new ();
  if (lk_loop_add_fd (self->loop, &client->part, ends[0], LK_LOOP_READ, NULL)) {
    g_ptr_array_add (self->clients, client);
    return ends[1];
  }
  close (ends[0]);
  close (ends[1]);
  g_byte_array_unref (client->in);
  g_free (client);
  return -1;
}

static void
set_number (GPtrArray *environment, const char *name, guint32 number)
{
  g_ptr_array_insert (environment, (gint)environment->len - 1,
                      g_strdup_printf ("%s=%u", name, number));
}

void
lk_step_pmi_environment (const LkStepPmi *self, guint32 task, int fd, GPtrArray *environment)
{
  set_number (environment, "PMI_RANK", task);
  set_number (environment, "PMI_SIZE", self->config.task_count);
  g_ptr_array_insert (environment, (gint)environment->len - 1,
                      g_strdup_printf ("PMI_JOBID=%s", self->space));
  if (fd >= 0)
    set_number (environment, "PMI_FD", (guint32)fd);
}
