/* live/core/controller_sessions.c — which requests have come before.
 *
 * Of each session the last request is kept, with its reply; a client sends the next one only when
 * it has that.  The sessions that were quiet for longest are forgotten when there are too many. */
#include "engine/assert.h"
#include "live/core/controller_private.h"

static guint
key_hash (gconstpointer data)
{
  const LkSessionKey *key = data;
  guint64 mixed = (key->session ^ ((guint64)key->user_id << 32 | key->user_id))
                  * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
  return (guint)(mixed >> 32);
}

static gboolean
key_equal (gconstpointer a, gconstpointer b)
{
  const LkSessionKey *x = a;
  const LkSessionKey *y = b;
  return x->user_id == y->user_id && x->session == y->session;
}

void
lk_sessions_init (LkController *self)
{
  self->sessions = g_hash_table_new (key_hash, key_equal);
}

void
lk_sessions_clear (LkController *self)
{
  LkSession *next;
  for (LkSession *session = self->session_oldest; session != NULL; session = next) {
    next = session->newer;
    g_free (session);
  }
  g_hash_table_destroy (self->sessions);
}

LkSession *
lk_session_find (const LkController *self, guint32 user_id, guint64 session)
{
  LkSessionKey key = { .user_id = user_id, .session = session };
  return g_hash_table_lookup (self->sessions, &key);
}

static void
take_out (LkController *self, LkSession *session)
{
  if (session->older != NULL)
    session->older->newer = session->newer;
  else
    self->session_oldest = session->newer;
  if (session->newer != NULL)
    session->newer->older = session->older;
  else
    self->session_newest = session->older;
}

static void
put_newest (LkController *self, LkSession *session)
{
  session->older = self->session_newest;
  session->newer = NULL;
  if (session->older != NULL)
    session->older->newer = session;
  else
    self->session_oldest = session;
  self->session_newest = session;
}

static void
forget_oldest (LkController *self)
{
  LkSession *oldest = self->session_oldest;
  LK_ASSERT (oldest != NULL);
  take_out (self, oldest);
  g_hash_table_remove (self->sessions, &oldest->key);
  g_free (oldest);
}

void
lk_session_note (LkController *self, const LkSession *noted)
{
  LkSession *session = lk_session_find (self, noted->key.user_id, noted->key.session);
  if (session != NULL) {
    take_out (self, session);
  } else {
    session = g_new (LkSession, 1);
    session->key = noted->key;
    g_hash_table_insert (self->sessions, &session->key, session);
  }
  session->request = noted->request;
  session->seq = noted->seq;
  session->job_id = noted->job_id;
  session->error = noted->error;
  session->limit = noted->limit;
  put_newest (self, session);
  LK_ASSERT (self->config.session_count_max > 0);
  while (g_hash_table_size (self->sessions) > self->config.session_count_max)
    forget_oldest (self);
}
