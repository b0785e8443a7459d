/* tests/fuzz/seeds_net.c — whole handshakes of each method from both sides, with what may go wrong,
 * and key files. */
#include <string.h>

#include "live/core/message.h"
#include "tests/fuzz/net_happens.h"
#include "tests/fuzz/seeds.h"

#define WORD NET_HAPPENS_WORD, 0
#define SEALED NET_HAPPENS_SEALED, 3, 1, 2, 3
#define FRAME NET_HAPPENS_FRAME, 3, 1, 2, 3
#define BYTES NET_HAPPENS_BYTES, 5, 1, 0, 0, 0, 9
#define MUNGE_SUBJECT NET_HAPPENS_MUNGE_SUBJECT, 0
#define MUNGE_HONEST NET_HAPPENS_MUNGE_HONEST, 0
#define MUNGE_DENIES NET_HAPPENS_MUNGE_SUBJECT, 1, 0
#define FAREWELL NET_HAPPENS_FRAME, 2, LK_MESSAGE_FAREWELL, 3
#define SERVER(method, peer) NET_HAPPENS_SETUP (0, method, peer, 0)
#define CLIENT(method, peer) NET_HAPPENS_SETUP (1, method, peer, 0)

static const guint8 local_server[] = { SERVER (0, 0), WORD, FRAME, BYTES };
static const guint8 local_agent[] = { NET_HAPPENS_SETUP (0, 0, 1, 1), WORD, FRAME };
static const guint8 local_refused[] = { SERVER (0, 1), WORD, FRAME };
static const guint8 local_client[] = { CLIENT (0, 0), WORD, FRAME };
static const guint8 key_server[] = { SERVER (1, 1), WORD, WORD, SEALED, SEALED, FRAME };
static const guint8 key_client[] = { CLIENT (1, 2), WORD, WORD, SEALED, SEALED, BYTES };
static const guint8 key_between[] = { SERVER (1, 0), WORD, FRAME, WORD };
static const guint8 munge_server[] = { SERVER (2, 0), WORD,   MUNGE_HONEST, WORD,
                                       MUNGE_SUBJECT, SEALED, FRAME };
static const guint8 munge_denied[] = { SERVER (2, 0), WORD, MUNGE_HONEST, WORD, MUNGE_DENIES };
static const guint8 munge_client[] = { CLIENT (2, 0), WORD,   MUNGE_SUBJECT, MUNGE_HONEST,
                                       WORD,          SEALED, BYTES };
static const guint8 farewell[] = { CLIENT (1, 0), WORD, FAREWELL };

#define HEX "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

void
put_net_seeds (Seeds *self)
{
#define STORY(name)                                                                                \
  {                                                                                                \
#name, name, sizeof name                                                                       \
  }
  static const struct {
    const char *name;
    const guint8 *bytes;
    guint length_bytes;
  } stories[] = {
    STORY (local_server), STORY (local_agent),  STORY (local_refused), STORY (local_client),
    STORY (key_server),   STORY (key_client),   STORY (key_between),   STORY (munge_server),
    STORY (munge_denied), STORY (munge_client), STORY (farewell),
  };
  static const struct {
    const char *name;
    const char *text;
  } files[] = {
    { "cluster", "lockstep-key-1 cluster " HEX "\n" },
    { "two", "# ours\n\nlockstep-key-1 cluster " HEX "\nlockstep-key-1 cluster " HEX "\n" },
    { "agent", "lockstep-key-1 agent rack-1.n2 " HEX "\n" },
    { "user", "lockstep-key-1 user 1001 " HEX "\nlockstep-key-1 standby " HEX },
  };
  static const struct {
    const char *name;
    const char *text;
  } tokens[] = {
    { "good", "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJleHAiOjE5MDAwMDAwMDAsImlhdCI6MTcwMDAwMDA"
              "wMCwic3VuIjoiYWRhIn0" },
    { "whole", "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJleHAiOjE5MDAwMDAwMDAsImlhdCI6MTcwMDAwMDA"
               "wMCwic3VuIjoiYWRhIn0.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" },
    { "none", "eyJhbGciOiJub25lIn0.eyJleHAiOjE5MDAwMDAwMDAsInN1biI6ImFkYSJ9" },
    { "late", "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJleHAiOjEsInN1biI6ImFkYSJ9" },
    { "deep", "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJhIjp7ImEiOnsiYSI6eyJhIjp7ImEiOnsiYSI6eyJ"
              "hIjp7ImEiOltbMV1dfX19fX19fX0" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (tokens); i++) {
    g_autoptr (GByteArray) bytes = g_byte_array_new ();
    g_byte_array_append (bytes, (const guint8 *)tokens[i].text, (guint)strlen (tokens[i].text));
    put_seed (self, "token", tokens[i].name, bytes);
  }
  for (guint i = 0; i < G_N_ELEMENTS (stories); i++) {
    g_autoptr (GByteArray) bytes = g_byte_array_new ();
    g_byte_array_append (bytes, stories[i].bytes, stories[i].length_bytes);
    put_seed (self, "net", stories[i].name, bytes);
  }
  for (guint i = 0; i < G_N_ELEMENTS (files); i++) {
    g_autoptr (GByteArray) bytes = g_byte_array_new ();
    g_byte_array_append (bytes, (const guint8 *)files[i].text, (guint)strlen (files[i].text));
    put_seed (self, "keyring", files[i].name, bytes);
  }
}
