/* tests/fuzz/net_fuzz.c — any bytes as what comes over a connection: frames, a handshake, and
 * sealed frames behind it.
 *
 * The input is one byte that says which end is under test and how it is set up, and then what comes
 * (net_happens.h).  At the other end is somebody honest, whose next word the input may let through,
 * besides any bytes in between.  Nobody is attested by key or MUNGE who has not proved it, and on a
 * sealed stream only what the honest end has sealed is taken for a message, in its order. */
#include "tests/fuzz/net_happens.h"

#include <string.h>

#include "engine/assert.h"
#include "live/port/frame.h"
#include "live/port/handshake.h"

int LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes);

#define KEY                                                                                        \
  "lockstep-key-1 cluster 00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\n"
#define TRUSTED 500u

typedef struct {
  LkHandshake *handshake;
  LkHandshakeStep step;
  GByteArray *says; /* the next word; empty: nothing */
} End;

typedef struct {
  End subject;
  End honest;
  gboolean is_client; /* the subject is */
  LkAuthMethod method;
  LkFrameReader reader; /* of the subject */
  LkSeal honest_seal;   /* by which the other end sends, once both are done */
  guint heard_count;    /* words of the honest end that were let through */
  guint sealed_count;   /* messages that it has sealed */
  guint taken_count;    /* and those that were taken */
} Fuzz;

static void
end_clear (End *end)
{
  lk_handshake_free (end->handshake);
  g_byte_array_unref (end->says);
}

static void
ends_init (Fuzz *self, guint setup, const LkKeyring *keyring)
{
  static const LkPeerKind kinds[] = { LK_PEER_USER, LK_PEER_AGENT, LK_PEER_STANDBY, LK_PEER_USER };
  static const LkAuthMethod methods[] = { LK_AUTH_LOCAL, LK_AUTH_KEY, LK_AUTH_MUNGE, LK_AUTH_KEY };
  self->is_client = (setup & 1) != 0;
  self->method = methods[setup >> 1 & 3];
  const LkHandshakeClient client = { .method = self->method,
                                     .kind = kinds[setup >> 3 & 3],
                                     .node = "n1",
                                     .user_id = 1001,
                                     .keyring = keyring };
  const LkHandshakeServer server = { .keyring = self->method == LK_AUTH_KEY ? keyring : NULL,
                                     .accepts_munge = self->method == LK_AUTH_MUNGE,
                                     .is_local = self->method == LK_AUTH_LOCAL,
                                     .user_id = (setup & 32) != 0 ? TRUSTED : 1001,
                                     .trusted_user_id = TRUSTED };
  End *client_end = self->is_client ? &self->subject : &self->honest;
  End *server_end = self->is_client ? &self->honest : &self->subject;
  client_end->says = g_byte_array_new ();
  server_end->says = g_byte_array_new ();
  client_end->handshake = lk_handshake_client_new (&client, client_end->says, NULL);
  server_end->handshake = lk_handshake_server_new (&server);
}

/* Of any bytes; FALSE: the text is none of ours. */
static gboolean
from_hex (LkBytes text, GByteArray *out_bytes)
{
  for (guint32 i = 0; i + 1 < text.length_bytes; i += 2) {
    int high = g_ascii_xdigit_value ((char)text.bytes[i]);
    int low = g_ascii_xdigit_value ((char)text.bytes[i + 1]);
    if (high < 0 || low < 0)
      return FALSE;
    const guint8 byte = (guint8)(16 * high + low);
    g_byte_array_append (out_bytes, &byte, 1);
  }
  return TRUE;
}

/* MUNGE attests as it is told to; a credential is what was put there, in digits. */
static void
munge_says (End *end, gboolean is_server, gboolean is_good)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autoptr (GString) text = g_string_new (NULL);
  LkCredential credential = { .is_good = is_good, .user_id = 1001 };
  if (end->step != LK_HANDSHAKE_CREDENTIAL)
    return;
  LkBytes question = lk_handshake_question (end->handshake);
  if (is_server) {
    credential.is_good = is_good && from_hex (question, bytes);
    credential.bytes = (LkBytes){ bytes->data, bytes->len };
  } else {
    for (guint32 i = 0; i < question.length_bytes; i++)
      g_string_append_printf (text, "%02x", question.bytes[i]);
    credential.bytes = lk_bytes_of_text (text->str);
  }
  g_byte_array_set_size (end->says, 0);
  end->step = lk_handshake_credential (end->handshake, &credential, end->says);
}

static void
hear (End *end, LkBytes message)
{
  if (end->step != LK_HANDSHAKE_MORE)
    return;
  g_byte_array_set_size (end->says, 0);
  end->step = lk_handshake_take (end->handshake, message, end->says);
}

/* What the subject has just said reaches the honest end, too. */
static void
answer (Fuzz *self)
{
  if (self->subject.says->len == 0)
    return;
  const LkBytes said = { self->subject.says->data, self->subject.says->len };
  hear (&self->honest, said);
}

static void
subject_done (Fuzz *self)
{
  const LkAttested *attested = lk_handshake_attested (self->subject.handshake);
  /* Only the honest end knows the key: it has said all that there is to say. */
  if (self->method != LK_AUTH_LOCAL)
    LK_ASSERT (self->heard_count >= 2);
  LK_ASSERT (attested->kind != LK_PEER_ANONYMOUS);
  LK_ASSERT ((attested->kind == LK_PEER_CONTROLLER) == self->is_client);
  lk_frame_reader_set_max (&self->reader, LK_MESSAGE_MAX_BYTES);
  if (attested->method == LK_AUTH_LOCAL)
    return;
  lk_frame_reader_seal (&self->reader, &attested->receive_key);
  self->honest_seal = (LkSeal){ .key = attested->receive_key, .is_on = TRUE };
}

static void
take_messages (Fuzz *self)
{
  LkBytes message;
  while (lk_frame_reader_next (&self->reader, &message) == LK_FRAME_WHOLE) {
    LK_ASSERT (message.length_bytes > 0);
    LK_ASSERT (message.length_bytes <= self->reader.max_bytes);
    if (self->subject.step == LK_HANDSHAKE_MORE) {
      hear (&self->subject, message);
      answer (self);
      if (self->subject.step == LK_HANDSHAKE_DONE)
        subject_done (self);
    } else if (self->reader.seal.is_on) {
      LK_ASSERT (self->taken_count < self->sealed_count);
      self->taken_count++;
    }
  }
}

static void
push_frame (Fuzz *self, LkSeal *seal, const guint8 *bytes, gsize length_bytes)
{
  g_autoptr (GByteArray) frame = g_byte_array_new ();
  if (length_bytes == 0)
    return;
  lk_frame_append (frame, seal, bytes, length_bytes);
  lk_frame_reader_push (&self->reader, frame->data, frame->len);
}

static void
honest_word (Fuzz *self)
{
  LkSeal open = { 0 };
  if (self->honest.says->len == 0)
    return;
  self->heard_count++;
  push_frame (self, &open, self->honest.says->data, self->honest.says->len);
  g_byte_array_set_size (self->honest.says, 0);
}

static void
happen (Fuzz *self, guint8 what, const guint8 *bytes, gsize length_bytes)
{
  LkSeal open = { 0 };
  switch (what) {
  case NET_HAPPENS_BYTES:
    lk_frame_reader_push (&self->reader, bytes, length_bytes);
    break;
  case NET_HAPPENS_FRAME:
    push_frame (self, &open, bytes, length_bytes);
    break;
  case NET_HAPPENS_WORD:
    honest_word (self);
    break;
  case NET_HAPPENS_SEALED:
    if (self->honest_seal.is_on && length_bytes > 0) {
      self->sealed_count++;
      push_frame (self, &self->honest_seal, bytes, length_bytes);
    }
    break;
  case NET_HAPPENS_MUNGE_SUBJECT:
    munge_says (&self->subject, !self->is_client, length_bytes == 0);
    answer (self);
    if (self->subject.step == LK_HANDSHAKE_DONE && !self->reader.seal.is_on)
      subject_done (self);
    break;
  case NET_HAPPENS_MUNGE_HONEST:
    munge_says (&self->honest, self->is_client, length_bytes == 0);
    break;
  default:
    break;
  }
  take_messages (self);
}

int
LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes)
{
  Fuzz self = { .subject.step = LK_HANDSHAKE_MORE, .honest.step = LK_HANDSHAKE_MORE };
  if (length_bytes == 0)
    return 0;
  g_autoptr (LkKeyring) keyring = lk_keyring_parse (KEY, strlen (KEY), NULL);
  ends_init (&self, bytes[0], keyring);
  lk_frame_reader_init (&self.reader, LK_FRAME_ANONYMOUS_BYTES);
  answer (&self);
  for (gsize at = 1; at + 1 < length_bytes;) {
    gsize piece_bytes = MIN (bytes[at + 1], length_bytes - at - 2);
    happen (&self, bytes[at], bytes + at + 2, piece_bytes);
    at += 2 + piece_bytes;
  }
  if (self.reader.failure != LK_FRAME_NONE)
    LK_ASSERT (lk_frame_reader_held_bytes (&self.reader) == 0);
  lk_frame_reader_clear (&self.reader);
  end_clear (&self.subject);
  end_clear (&self.honest);
  return 0;
}
