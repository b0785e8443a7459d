/* tests/dst/checker_answers.c — see the header. */
#include "tests/dst/checker_answers.h"

void
dst_checker_answers_init (DstCheckerAnswers *self, DstFindings *findings)
{
  self->answers = g_array_new (FALSE, FALSE, sizeof (DstAnswer));
  self->findings = findings;
}

void
dst_checker_answers_clear (DstCheckerAnswers *self)
{
  g_array_unref (self->answers);
}

void
dst_checker_answers_take (DstCheckerAnswers *self, const DstAnswer *answer)
{
  DstAnswer kept = *answer;
  kept.events = NULL;
  g_array_append_val (self->answers, kept);
  if (answer->error == LK_REJECT_JOB_ID_USED)
    dst_find (self->findings, "a submit was refused: the controller gave it an id that was used");
  if (answer->error == 0 && answer->seq == 0)
    dst_find (self->findings, "a request was carried out without an event");
}

/* ---------------------------------------------------------------- looking */

typedef struct {
  guint64 session;
  guint64 request;
} Key;

static guint
key_hash (gconstpointer data)
{
  const Key *key = data;
  return (guint)(key->session ^ key->session >> 32 ^ key->request * 2654435761u);
}

static gboolean
key_equal (gconstpointer a, gconstpointer b)
{
  const Key *x = a;
  const Key *y = b;
  return x->session == y->session && x->request == y->request;
}

static void
look_at (const DstCheckerAnswers *self, const DstAnswer *answer, const DstHistoryRequest *request)
{
  if (request == NULL) {
    dst_find (self->findings,
              "request %" G_GUINT64_FORMAT
              " of user %u was acknowledged as event %" G_GUINT64_FORMAT
              ", job %u, and is not in the journal",
              answer->request, answer->user, answer->seq, answer->job_id);
    return;
  }
  if (request->seq == answer->seq && request->error == answer->error
      && request->job_id == answer->job_id)
    return;
  dst_find (self->findings,
            "request %" G_GUINT64_FORMAT " of user %u: the reply says event %" G_GUINT64_FORMAT
            ", job %u, error %u; the journal event %" G_GUINT64_FORMAT ", job %u, error %u",
            answer->request, answer->user, answer->seq, answer->job_id, answer->error, request->seq,
            request->job_id, request->error);
}

/* Each request is there once, and each submit has an id of its own. */
static GHashTable *
index_requests (const DstCheckerAnswers *self, const DstHistory *history)
{
  GHashTable *index = g_hash_table_new_full (key_hash, key_equal, g_free, NULL);
  g_autoptr (GHashTable) ids = g_hash_table_new (g_direct_hash, g_direct_equal);
  for (guint i = 0; i < history->requests->len; i++) {
    DstHistoryRequest *request = &g_array_index (history->requests, DstHistoryRequest, i);
    Key *key = g_new (Key, 1);
    *key = (Key){ request->session, request->request };
    if (!g_hash_table_insert (index, key, request))
      dst_find (self->findings,
                "request %" G_GUINT64_FORMAT " was carried out twice, again as %" G_GUINT64_FORMAT,
                request->request, request->seq);
    if (request->kind == LK_EVENT_SUBMIT && request->error == 0
        && !g_hash_table_add (ids, GUINT_TO_POINTER (request->job_id)))
      dst_find (self->findings, "two submits were given the id %u", request->job_id);
  }
  return index;
}

void
dst_checker_answers_look (const DstCheckerAnswers *self, const DstHistory *history)
{
  g_autoptr (GHashTable) index = index_requests (self, history);
  for (guint i = 0; i < self->answers->len; i++) {
    const DstAnswer *answer = &g_array_index (self->answers, DstAnswer, i);
    Key key = { answer->session, answer->request };
    if (answer->seq != 0)
      look_at (self, answer, g_hash_table_lookup (index, &key));
  }
}
