/* live/client/connection.c — see the header. */
#include "live/client/connection.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "engine/assert.h"
#include "engine/checked.h"
#include "live/port/auth_munge.h"
#include "live/port/frame.h"
#include "live/port/socket.h"

#define CONNECT_US (5 * G_USEC_PER_SEC)
#define MESSAGE_US (10 * G_USEC_PER_SEC)
#define ANSWER_US (60 * G_USEC_PER_SEC)
/* Between attempts to reach a controller. */
#define AGAIN_US (50 * G_USEC_PER_SEC / 1000)
#define READ_BYTES 65536u

G_DEFINE_QUARK (lk_connection_error, lk_connection_error)

struct _LkConnection {
  char **controllers;
  LkAuthMethod method;
  char *token;
  char *key_file;
  char *job_key_file;
  char *munge_socket;
  guint32 controller_user_id;
  gint64 connect_max_us;
  gint64 message_max_us;
  gint64 answer_max_us;
  gboolean is_soon; /* nobody is waited for who is not there */

  guint64 session;
  guint64 request; /* the last number */
  LkKeyring *keyring;
  guint32 user_id; /* as whom we are known, by the token */
  guint32 group_id;
  int socket; /* -1: not connected */
  LkFrameReader reader;
  LkSeal seal;
  char *cause;       /* of the last failure */
  GByteArray *ahead; /* a question that was sent on this connection before it was asked; or NULL */
};

const char *
lk_connection_error_text (int code)
{
  switch (code) {
#define X(NAME, number, text)                                                                      \
  case number:                                                                                     \
    return text;
    LK_CONNECTION_FAILURES (X)
#undef X
  default:
    return "?";
  }
}

const char *
lk_connection_cause (const LkConnection *self)
{
  return self->cause;
}

/* FALSE. The texts are Slurm's; what really was the matter is kept beside. */
static gboolean
fail (LkConnection *self, LkConnectionError code, const char *cause, GError **error)
{
  if (cause != self->cause) {
    g_free (self->cause);
    self->cause = g_strdup (cause);
  }
  g_set_error_literal (error, LK_CONNECTION_ERROR, (int)code, lk_connection_error_text ((int)code));
  return FALSE;
}

static gint64
deadline_after (gint64 duration_us)
{
  return lk_time_add_us (g_get_monotonic_time (), duration_us);
}

static void
disconnect (LkConnection *self)
{
  if (self->socket < 0)
    return;
  close (self->socket);
  self->socket = -1;
  g_clear_pointer (&self->ahead, g_byte_array_unref);
  lk_frame_reader_clear (&self->reader);
  lk_key_clear (&self->seal.key);
  self->seal = (LkSeal){ 0 };
}

/* ---------------------------------------------------------------- bytes */

/* FALSE: the time is over, or the wait has failed (errno). */
static gboolean
wait_for (int socket, short events, gint64 deadline_us)
{
  for (;;) {
    gint64 left_us = lk_time_since_us (deadline_us, g_get_monotonic_time ());
    struct pollfd waited = { .fd = socket, .events = events };
    int wait_ms = left_us <= 0 ? 0 : (int)MIN (left_us / 1000 + 1, G_MAXINT);
    int count = poll (&waited, 1, wait_ms);
    if (count > 0)
      return TRUE;
    if (count == 0 && left_us <= 0) {
      errno = ETIMEDOUT;
      return FALSE;
    }
    if (count < 0 && errno != EINTR)
      return FALSE;
  }
}

static gboolean
send_message (LkConnection *self, const GByteArray *message, gint64 deadline_us, GError **error)
{
  g_autoptr (GByteArray) frame = g_byte_array_sized_new (message->len + 64);
  if (!lk_frame_append (frame, &self->seal, message->data, message->len))
    return fail (self, LK_CONNECTION_ERROR_SEND, "the message is too long", error);
  for (gsize done = 0; done < frame->len;) {
    gssize put = send (self->socket, frame->data + done, frame->len - done, MSG_NOSIGNAL);
    if (put > 0)
      done += (gsize)put;
    else if (errno == EAGAIN ? !wait_for (self->socket, POLLOUT, deadline_us) : errno != EINTR)
      return fail (self,
                   errno == ETIMEDOUT ? LK_CONNECTION_ERROR_TIMEOUT : LK_CONNECTION_ERROR_SEND,
                   g_strerror (errno), error);
  }
  return TRUE;
}

/* The next message, valid until the next call. */
static gboolean
receive (LkConnection *self, gint64 deadline_us, LkBytes *out_message, GError **error)
{
  guint8 room[READ_BYTES];
  for (;;) {
    LkFrameStatus status = lk_frame_reader_next (&self->reader, out_message);
    if (status == LK_FRAME_WHOLE)
      return TRUE;
    if (status != LK_FRAME_NONE)
      return fail (self, LK_CONNECTION_ERROR_RECEIVE, "what came could not be read", error);
    gssize got = recv (self->socket, room, sizeof room, 0);
    if (got > 0)
      lk_frame_reader_push (&self->reader, room, (gsize)got);
    else if (got == 0)
      return fail (self, LK_CONNECTION_ERROR_RECEIVE, "the controller has closed the connection",
                   error);
    else if (errno == EAGAIN ? !wait_for (self->socket, POLLIN, deadline_us) : errno != EINTR)
      return fail (self,
                   errno == ETIMEDOUT ? LK_CONNECTION_ERROR_TIMEOUT : LK_CONNECTION_ERROR_RECEIVE,
                   g_strerror (errno), error);
  }
}

/* ---------------------------------------------------------------- the handshake */

static gboolean
refused (LkConnection *self, LkFarewell why, GError **error)
{
  switch (why) {
  case LK_FAREWELL_VERSION:
    return fail (self, LK_CONNECTION_ERROR_VERSION, lk_farewell_text (why), error);
  case LK_FAREWELL_FULL:
  case LK_FAREWELL_LATE:
  case LK_FAREWELL_EXPIRED:
    return fail (self, LK_CONNECTION_ERROR_CONNECT, lk_farewell_text (why), error);
  default:
    return fail (self, LK_CONNECTION_ERROR_AUTHENTICATION, lk_farewell_text (why), error);
  }
}

static LkHandshakeStep
ask_munge (LkConnection *self, LkHandshake *handshake, GByteArray *reply)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = lk_munge_encode (self->munge_socket, lk_handshake_question (handshake),
                                           self->controller_user_id, &error);
  LkCredential credential = { .is_good = text != NULL };
  if (text != NULL) {
    credential.bytes = lk_bytes_of_text (text);
  } else {
    g_free (self->cause);
    self->cause = g_strdup (error->message);
  }
  return lk_handshake_credential (handshake, &credential, reply);
}

static gboolean
shake_hands (LkConnection *self, LkHandshake *handshake, GByteArray *reply, gint64 deadline_us,
             GError **error)
{
  LkHandshakeStep step = LK_HANDSHAKE_MORE;
  while (step == LK_HANDSHAKE_MORE) {
    LkBytes message;
    if (!send_message (self, reply, deadline_us, error)
        || !receive (self, deadline_us, &message, error))
      return FALSE;
    g_byte_array_set_size (reply, 0);
    step = lk_handshake_take (handshake, message, reply);
    if (step == LK_HANDSHAKE_CREDENTIAL)
      step = ask_munge (self, handshake, reply);
  }
  if (step == LK_HANDSHAKE_REFUSED)
    return refused (self, lk_handshake_farewell (handshake), error);
  const LkAttested *attested = lk_handshake_attested (handshake);
  self->user_id = attested->user_id;
  self->group_id = attested->group_id;
  lk_frame_reader_set_max (&self->reader, LK_MESSAGE_MAX_BYTES);
  lk_frame_reader_set_limit (&self->reader, lk_message_max_bytes);
  if (attested->method != LK_AUTH_LOCAL) {
    lk_frame_reader_seal (&self->reader, &attested->receive_key);
    self->seal = (LkSeal){ .key = attested->send_key, .is_on = TRUE };
  }
  return TRUE;
}

/* The socket is connected. */
static gboolean
begin_session (LkConnection *self, gboolean is_local, gint64 deadline_us, GError **error)
{
  LkAuthMethod usual = is_local ? LK_AUTH_LOCAL : self->method;
  LkHandshakeClient options = { .method = self->token != NULL ? LK_AUTH_TOKEN : usual,
                                .kind = LK_PEER_USER,
                                .user_id = (guint32)geteuid (),
                                .keyring = self->keyring,
                                .token = self->token };
  g_autoptr (GByteArray) hello = g_byte_array_new ();
  g_autoptr (GError) fault = NULL;
  LkKeySubject job;
  if (options.method == LK_AUTH_KEY && self->keyring != NULL
      && lk_keyring_job (self->keyring, &job)) {
    options.kind = LK_PEER_JOB;
    options.node = job.node;
    options.user_id = job.user_id;
    options.run_id = job.run_id;
  }
  if (is_local && self->controller_user_id != LK_MUNGE_ANYONE
      && !lk_socket_is_controller (self->socket, self->controller_user_id))
    return fail (self, LK_CONNECTION_ERROR_AUTHENTICATION,
                 "whoever listens there may not be the controller", error);
  g_autoptr (LkHandshake) handshake = lk_handshake_client_new (&options, hello, &fault);
  if (handshake == NULL)
    return fail (self, LK_CONNECTION_ERROR_AUTHENTICATION, fault->message, error);
  return shake_hands (self, handshake, hello, deadline_us, error);
}

/* ---------------------------------------------------------------- connecting */

static gboolean
connect_address (LkConnection *self, const LkSocketAddress *address, gint64 deadline_us,
                 GError **error)
{
  g_autoptr (GError) fault = NULL;
  int made = lk_socket_connect (address, &fault);
  if (made < 0)
    return fail (self, LK_CONNECTION_ERROR_CONNECT, fault->message, error);
  self->socket = made;
  lk_frame_reader_init (&self->reader, LK_FRAME_ANONYMOUS_BYTES);
  int how = wait_for (made, POLLOUT, deadline_us) ? lk_socket_fault (made) : errno;
  gboolean is_done = how == 0 ? begin_session (self, address->path != NULL, deadline_us, error)
                              : fail (self, LK_CONNECTION_ERROR_CONNECT, g_strerror (how), error);
  if (!is_done)
    disconnect (self);
  return is_done;
}

/* Keeps the last error. */
static gboolean
connect_any (LkConnection *self, gint64 deadline_us, GError **error)
{
  for (guint i = 0; self->controllers[i] != NULL; i++) {
    g_autoptr (GError) fault = NULL;
    g_autoptr (GArray) all = lk_address_resolve (self->controllers[i], &fault);
    if (all == NULL) {
      g_clear_error (error);
      fail (self, LK_CONNECTION_ERROR_CONNECT, fault->message, error);
    }
    for (guint j = 0; all != NULL && j < all->len; j++) {
      g_clear_error (error);
      if (connect_address (self, &g_array_index (all, LkSocketAddress, j), deadline_us, error))
        return TRUE;
    }
  }
  return FALSE;
}

static gboolean
speaks_for_user (const LkKeyring *keyring)
{
  const LkKeySubject user = { .kind = LK_PEER_USER, .user_id = (guint32)geteuid () };
  gboolean speaks = FALSE;
  LkKey key = { 0 };
  for (guint i = 0; !speaks && i < lk_keyring_count (keyring); i++)
    speaks = lk_keyring_key (keyring, i, &user, &key);
  lk_key_clear (&key);
  return speaks;
}

/* A user's own keys go first: they let him do more than those of a job. */
static LkKeyring *
load_keys (const LkConnection *self, GError **error)
{
  g_autoptr (GError) fault = NULL;
  g_autoptr (LkKeyring) own = lk_keyring_load (self->key_file, &fault);
  if (self->job_key_file != NULL && (own == NULL || !speaks_for_user (own)))
    return lk_keyring_load (self->job_key_file, error);
  if (own == NULL)
    g_propagate_error (error, g_steal_pointer (&fault));
  return g_steal_pointer (&own);
}

static gboolean
check_options (LkConnection *self, GError **error)
{
  g_autoptr (GError) fault = NULL;
  gboolean has_tcp = FALSE;
  if (self->controllers[0] == NULL)
    return fail (self, LK_CONNECTION_ERROR_USAGE, "no controller is named", error);
  for (guint i = 0; self->controllers[i] != NULL; i++) {
    if (!lk_address_check (self->controllers[i], &fault))
      return fail (self, LK_CONNECTION_ERROR_USAGE, fault->message, error);
    has_tcp = has_tcp || self->controllers[i][0] != '/';
  }
  if (has_tcp && self->token == NULL && self->method == LK_AUTH_KEY && self->keyring == NULL
      && self->key_file != NULL)
    self->keyring = load_keys (self, &fault);
  return fault == NULL || fail (self, LK_CONNECTION_ERROR_AUTHENTICATION, fault->message, error);
}

gboolean
lk_connection_open (LkConnection *self, GError **error)
{
  gint64 deadline_us = deadline_after (self->connect_max_us);
  if (self->socket >= 0)
    return TRUE;
  if (!check_options (self, error))
    return FALSE;
  for (;;) {
    g_autoptr (GError) fault = NULL;
    if (connect_any (self, deadline_us, &fault))
      return TRUE;
    LK_ASSERT (fault != NULL);
    /* Whoever refuses us will do so again. */
    gboolean is_final = self->is_soon || fault->code == LK_CONNECTION_ERROR_AUTHENTICATION
                        || fault->code == LK_CONNECTION_ERROR_VERSION;
    if (is_final || g_get_monotonic_time () + AGAIN_US >= deadline_us) {
      if (!is_final && fault->code != LK_CONNECTION_ERROR_CONNECT)
        return fail (self, LK_CONNECTION_ERROR_CONNECT, self->cause, error);
      g_propagate_error (error, g_steal_pointer (&fault));
      return FALSE;
    }
    g_usleep (AGAIN_US);
  }
}

gboolean
lk_connection_user (LkConnection *self, guint32 *out_user_id, guint32 *out_group_id)
{
  if (self->token == NULL || !lk_connection_open (self, NULL))
    return FALSE;
  *out_user_id = self->user_id;
  *out_group_id = self->group_id;
  return TRUE;
}

/* ---------------------------------------------------------------- asking */

/* What is asked, and what is done with what comes. */
typedef struct {
  GByteArray *question;
  LkConnectionAnswer answer;
  gpointer user;
  gint64 give_up_us;
  guint64 part_count; /* of the answer, so far */
  guint64 part_max;   /* the most that have come, however often it was asked */
} Question;

/* Reads until the last part of the answer, or until message_max_us brings nothing. */
static gboolean
read_answer (LkConnection *self, Question *question, GError **error)
{
  gint64 deadline_us = MIN (deadline_after (self->message_max_us), question->give_up_us);
  for (;;) {
    LkBytes bytes;
    LkMessage message;
    guint why;
    if (!receive (self, deadline_us, &bytes, error))
      return FALSE;
    if (lk_farewell_decode (bytes, &why))
      return refused (self, (LkFarewell)why, error);
    if (!lk_message_decode (bytes.bytes, bytes.length_bytes, &message))
      return fail (self, LK_CONNECTION_ERROR_RECEIVE, "what came is no message", error);
    switch (question->answer (question->user, &message)) {
    case LK_ANSWER_LAST:
      return TRUE;
    case LK_ANSWER_MORE:
      /* Only what has not come before is a reason to have more patience. */
      if (++question->part_count > question->part_max) {
        question->part_max = question->part_count;
        question->give_up_us = deadline_after (self->answer_max_us);
      }
      deadline_us = MIN (deadline_after (self->message_max_us), question->give_up_us);
      break;
    case LK_ANSWER_OTHER:
      break;
    }
  }
}

/* Has it been sent already? Once that counts. */
static gboolean
was_ahead (LkConnection *self, const GByteArray *question)
{
  g_autoptr (GByteArray) ahead = g_steal_pointer (&self->ahead);
  return ahead != NULL && ahead->len == question->len
         && memcmp (ahead->data, question->data, question->len) == 0;
}

void
lk_connection_send_ahead (LkConnection *self, const LkMessage *question)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  if (self->socket < 0)
    return;
  lk_message_encode (question, bytes);
  if (bytes->len <= lk_message_max_bytes (question->kind)
      && send_message (self, bytes, deadline_after (self->message_max_us), NULL)) {
    g_clear_pointer (&self->ahead, g_byte_array_unref);
    self->ahead = g_steal_pointer (&bytes);
  }
}

static gboolean
ask_once (LkConnection *self, Question *question, GError **error)
{
  if (!lk_connection_open (self, error))
    return FALSE;
  question->part_count = 0;
  question->answer (question->user, NULL);
  return (was_ahead (self, question->question)
          || send_message (self, question->question, question->give_up_us, error))
         && read_answer (self, question, error);
}

/* What the controller cannot read it does not answer, and we would ask for ever. */
static gboolean
is_readable (const GByteArray *question, GError **error)
{
  LkMessage same;
  if (lk_message_decode (question->data, question->len, &same))
    return TRUE;
  g_set_error_literal (error, G_CONVERT_ERROR, G_CONVERT_ERROR_ILLEGAL_SEQUENCE,
                       "a word cannot be told to the controller: expected valid UTF-8");
  return FALSE;
}

gboolean
lk_connection_ask (LkConnection *self, const LkMessage *message, LkConnectionAnswer answer,
                   gpointer user, GError **error)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  lk_message_encode (message, bytes);
  if (bytes->len > lk_message_max_bytes (message->kind))
    return fail (self, LK_CONNECTION_ERROR_SEND, "the message is too long", error);
  if (!is_readable (bytes, error))
    return FALSE;
  Question question = { .question = bytes,
                        .answer = answer,
                        .user = user,
                        .give_up_us = deadline_after (self->answer_max_us) };
  for (;;) {
    g_autoptr (GError) fault = NULL;
    if (ask_once (self, &question, &fault))
      return TRUE;
    /* An answer that has begun and not ended must not be taken for that to the next question. */
    disconnect (self);
    gboolean is_lost = fault->code == LK_CONNECTION_ERROR_SEND
                       || fault->code == LK_CONNECTION_ERROR_RECEIVE
                       || fault->code == LK_CONNECTION_ERROR_TIMEOUT;
    if (!is_lost || g_get_monotonic_time () >= question.give_up_us) {
      g_propagate_error (error, g_steal_pointer (&fault));
      return FALSE;
    }
  }
}

gboolean
lk_connection_ask_soon (LkConnection *self, const LkMessage *question, gint64 max_us,
                        LkConnectionAnswer answer, gpointer user)
{
  const gint64 kept_us[] = { self->connect_max_us, self->message_max_us, self->answer_max_us };
  self->connect_max_us = self->message_max_us = self->answer_max_us = max_us;
  self->is_soon = TRUE;
  gboolean is_answered = lk_connection_ask (self, question, answer, user, NULL);
  self->connect_max_us = kept_us[0];
  self->message_max_us = kept_us[1];
  self->answer_max_us = kept_us[2];
  self->is_soon = FALSE;
  return is_answered;
}

typedef struct {
  guint64 session;
  guint64 request;
  LkMessage_reply reply;
} Request;

static LkAnswer
take_reply (gpointer user, const LkMessage *message)
{
  Request *request = user;
  if (message == NULL || message->kind != LK_MESSAGE_REPLY
      || message->reply.session != request->session || message->reply.request != request->request)
    return LK_ANSWER_OTHER;
  request->reply = message->reply;
  return LK_ANSWER_LAST;
}

gboolean
lk_connection_request (LkConnection *self, LkMessage *request, LkMessage_reply *out_reply,
                       GError **error)
{
  /* All requests begin with the same fields; which they are is the message's business. */
  LkRequestHead *head = (LkRequestHead *)lk_message_request (request);
  LK_ASSERT (head != NULL);
  head->session = self->session;
  head->request = ++self->request;
  Request asked = { .session = head->session, .request = head->request };
  if (!lk_connection_ask (self, request, take_reply, &asked, error))
    return FALSE;
  *out_reply = asked.reply;
  return TRUE;
}

void
lk_connection_follow (LkConnection *self, const LkConnection *before)
{
  self->session = before->session;
  self->request = before->request;
}

typedef struct {
  guint64 session;
  guint64 request;
  void (*take) (gpointer user, const LkMessage *message);
  gpointer user;
} Exchange;

static LkAnswer
take_exchanged (gpointer user, const LkMessage *message)
{
  Exchange *exchange = user;
  if (message == NULL
      || (message->kind != LK_MESSAGE_STEP_CREATED && message->kind != LK_MESSAGE_STEP_REPLY))
    return LK_ANSWER_OTHER;
  /* Both begin alike. */
  if (message->step_reply.session != exchange->session
      || message->step_reply.request != exchange->request)
    return LK_ANSWER_OTHER;
  exchange->take (exchange->user, message);
  return LK_ANSWER_LAST;
}

gboolean
lk_connection_exchange (LkConnection *self, LkMessage *request,
                        void (*take) (gpointer user, const LkMessage *message), gpointer user,
                        GError **error)
{
  /* All requests about steps begin with these. */
  request->step_signal.session = self->session;
  request->step_signal.request = ++self->request;
  Exchange exchange = { self->session, self->request, take, user };
  return lk_connection_ask (self, request, take_exchanged, &exchange, error);
}

/* ---------------------------------------------------------------- begin and end */

LkConnection *
lk_connection_new (const LkConnectionOptions *options)
{
  LkConnection *self = g_new0 (LkConnection, 1);
  self->controllers = g_strdupv ((char **)options->controllers);
  self->method = options->method;
  self->token = g_strdup (options->token);
  self->key_file = g_strdup (options->key_file);
  self->job_key_file = g_strdup (options->job_key_file);
  self->munge_socket = g_strdup (options->munge_socket);
  self->controller_user_id = options->controller_user_id;
  self->connect_max_us = options->connect_max_us != 0 ? options->connect_max_us : CONNECT_US;
  self->message_max_us = options->message_max_us != 0 ? options->message_max_us : MESSAGE_US;
  self->answer_max_us = options->answer_max_us != 0 ? options->answer_max_us : ANSWER_US;
  self->socket = -1;
  while (self->session == 0)
    lk_random_fill ((guint8 *)&self->session, sizeof self->session);
  return self;
}

void
lk_connection_free (LkConnection *self)
{
  if (self == NULL)
    return;
  disconnect (self);
  lk_keyring_unref (self->keyring);
  g_strfreev (self->controllers);
  if (self->token != NULL)
    explicit_bzero (self->token, strlen (self->token));
  g_free (self->token);
  g_free (self->key_file);
  g_free (self->job_key_file);
  g_free (self->munge_socket);
  g_free (self->cause);
  g_free (self);
}
