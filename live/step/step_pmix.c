/* live/step/step_pmix.c — see the header.
 *
 * libpmix calls from a thread of its own: what it says is put into a list, and the loop is woken.
 * It answers to calls from any thread. */
#include "live/step/step_pmix.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "live/core/step_frame.h"
#include "live/port/step_talk.h"
#include "live/step/pmix_library.h"

/* Longest that fits into a frame with the rest of it. */
#define DATA_BYTES_MAX (LK_STEP_FRAME_MAX_BYTES - 65536u * sizeof (guint32) - 4096u)

typedef enum { SAID_FENCE, SAID_WANTED, SAID_FOUND, SAID_ABORT } SaidKind;

/* What the library's thread has to say. */
typedef struct {
  SaidKind kind;
  GByteArray *tasks; /* of a fence: u32 each; empty: all */
  GByteArray *data;
  guint32 task;
  guint32 number;     /* FOUND: of the question */
  guint32 node_index; /* FOUND: who asks */
  int status;
  pmix_modex_cbfunc_t answer; /* NULL: nobody waits */
  pmix_op_cbfunc_t done;      /* likewise */
  void *cookie;
} Said;

/* Tasks that meet. The first node that takes part gathers. */
typedef struct {
  GByteArray *tasks;
  guint32 number;
  GArray *nodes;       /* of guint32, rising: that take part */
  GPtrArray *parts;    /* of GByteArray by node, where it gathers; NULL: not there yet */
  gboolean is_awaited; /* tasks here have come to it */
  pmix_modex_cbfunc_t answer;
  void *cookie;
} Fence;

/* How many fences of the same tasks have begun here. */
typedef struct {
  GByteArray *tasks;
  guint32 count;
} Count;

/* A task here wants to know what one elsewhere has put. */
typedef struct {
  guint32 number;
  pmix_modex_cbfunc_t answer;
  void *cookie;
} Question;

struct _LkStepPmix {
  LkPmixLibrary library;
  LkStepPmixConfig config;
  pmix_server_module_t module;
  GPtrArray *node_tasks; /* of GArray of guint32, as in the configuration, which is borrowed */
  char *space;
  LkLoop *loop;
  LkLoopFd wake;
  GMutex lock;
  GQueue said;             /* of Said */
  GPtrArray *fences;       /* of Fence */
  GPtrArray *counts;       /* of Count */
  GPtrArray *questions;    /* of Question */
  GPtrArray *environments; /* of GPtrArray, by place in the list of tasks here */
  guint32 question_count;
};

/* libpmix knows one server in a process, and tells it nothing of whose it is. */
static LkStepPmix *the_server;

/* ---------------------------------------------------------------- from the library's thread */

static void
say (Said *said)
{
  const guint64 one = 1;
  LkStepPmix *self = the_server;
  g_mutex_lock (&self->lock);
  g_queue_push_tail (&self->said, said);
  g_mutex_unlock (&self->lock);
  gssize written = write (self->wake.fd, &one, sizeof one);
  (void)written;
}

static Said *
said_new (SaidKind kind, const char *data, gsize length_bytes)
{
  Said *said = g_new0 (Said, 1);
  said->kind = kind;
  said->tasks = g_byte_array_new ();
  said->data = g_byte_array_new ();
  if (data != NULL && length_bytes <= DATA_BYTES_MAX)
    g_byte_array_append (said->data, (const guint8 *)data, (guint)length_bytes);
  return said;
}

static void
said_free (Said *said)
{
  g_byte_array_unref (said->tasks);
  g_byte_array_unref (said->data);
  g_free (said);
}

static pmix_status_t
on_finalized (const pmix_proc_t *process, void *object, pmix_op_cbfunc_t done, void *cookie)
{
  (void)process;
  (void)object;
  (void)done;
  (void)cookie;
  return PMIX_OPERATION_SUCCEEDED;
}

static pmix_status_t
on_abort (const pmix_proc_t *process, void *object, int status, const char message[],
          pmix_proc_t processes[], size_t count, pmix_op_cbfunc_t done, void *cookie)
{
  (void)object;
  (void)processes;
  (void)count;
  Said *said = said_new (SAID_ABORT, message, message != NULL ? strlen (message) : 0);
  said->task = process->rank;
  said->status = status;
  said->done = done;
  said->cookie = cookie;
  say (said);
  return PMIX_SUCCESS;
}

static gint
compare_tasks (gconstpointer a, gconstpointer b)
{
  guint32 x = *(const guint32 *)a;
  guint32 y = *(const guint32 *)b;
  return x < y ? -1 : x > y;
}

static void
take_processes (Said *said, const pmix_proc_t processes[], size_t count)
{
  g_autoptr (GArray) tasks = g_array_new (FALSE, FALSE, sizeof (guint32));
  for (size_t i = 0; i < count; i++) {
    guint32 task = processes[i].rank;
    if (task == PMIX_RANK_WILDCARD)
      return;
    g_array_append_val (tasks, task);
  }
  g_array_sort (tasks, compare_tasks);
  for (guint i = 0; i < tasks->len; i++) {
    guint32 task = GUINT32_TO_LE (g_array_index (tasks, guint32, i));
    g_byte_array_append (said->tasks, (const guint8 *)&task, sizeof task);
  }
}

static pmix_status_t
on_fence (const pmix_proc_t processes[], size_t process_count, const pmix_info_t infos[],
          size_t info_count, char *data, size_t length_bytes, pmix_modex_cbfunc_t answer,
          void *cookie)
{
  (void)infos;
  (void)info_count;
  if (length_bytes > DATA_BYTES_MAX)
    return PMIX_ERR_NOMEM;
  Said *said = said_new (SAID_FENCE, data, length_bytes);
  take_processes (said, processes, process_count);
  said->answer = answer;
  said->cookie = cookie;
  say (said);
  /* The library leaves it to us. */
  free (data);
  return PMIX_SUCCESS;
}

static pmix_status_t
on_wanted (const pmix_proc_t *process, const pmix_info_t infos[], size_t info_count,
           pmix_modex_cbfunc_t answer, void *cookie)
{
  (void)infos;
  (void)info_count;
  Said *said = said_new (SAID_WANTED, NULL, 0);
  said->task = process->rank;
  said->answer = answer;
  said->cookie = cookie;
  say (said);
  return PMIX_SUCCESS;
}

/* Which question it was, and whose. */
static void
on_found (pmix_status_t status, char *data, size_t length_bytes, void *user)
{
  Said *said = user;
  said->status = length_bytes > DATA_BYTES_MAX ? PMIX_ERR_NOMEM : status;
  if (said->status == PMIX_SUCCESS && data != NULL)
    g_byte_array_append (said->data, (const guint8 *)data, (guint)length_bytes);
  say (said);
}

/* ---------------------------------------------------------------- words to other nodes */

static void
send_word (LkStepPmix *self, guint32 node, const LkStepPmixWord *word)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  lk_step_pmix_word_encode (word, bytes);
  self->config.send (self->config.user, node, (LkBytes){ bytes->data, bytes->len });
}

static LkBytes
bytes_of (const GByteArray *bytes)
{
  return (LkBytes){ bytes->data, bytes->len };
}

static void
release (void *data)
{
  free (data);
}

/* What it takes is the library's until it releases it. */
static void
give_answer (pmix_modex_cbfunc_t answer, void *cookie, pmix_status_t status, LkBytes bytes)
{
  char *copy = bytes.length_bytes > 0 ? malloc (bytes.length_bytes) : NULL;
  if (copy != NULL)
    memcpy (copy, bytes.bytes, bytes.length_bytes);
  answer (status, copy, copy != NULL ? bytes.length_bytes : 0, cookie, release, copy);
}

/* ---------------------------------------------------------------- fences */

static void
part_free (gpointer part)
{
  if (part != NULL)
    g_byte_array_unref (part);
}

static void
fence_free (gpointer data)
{
  Fence *fence = data;
  g_byte_array_unref (fence->tasks);
  g_array_unref (fence->nodes);
  g_ptr_array_unref (fence->parts);
  g_free (fence);
}

static void
count_free (gpointer data)
{
  Count *count = data;
  g_byte_array_unref (count->tasks);
  g_free (count);
}

static gboolean
is_same (const GByteArray *tasks, LkBytes other)
{
  return tasks->len == other.length_bytes
         && (tasks->len == 0 || memcmp (tasks->data, other.bytes, tasks->len) == 0);
}

static GByteArray *
copy_of (LkBytes bytes)
{
  GByteArray *copy = g_byte_array_new ();
  if (bytes.length_bytes > 0)
    g_byte_array_append (copy, bytes.bytes, bytes.length_bytes);
  return copy;
}

static gboolean
names (LkBytes tasks, guint32 task)
{
  for (guint32 at = 0; at + sizeof task <= tasks.length_bytes; at += sizeof task) {
    guint32 one;
    memcpy (&one, tasks.bytes + at, sizeof one);
    if (GUINT32_FROM_LE (one) == task)
      return TRUE;
  }
  return tasks.length_bytes == 0;
}

/* Of guint32: nodes that have any of these. */
static GArray *
nodes_of (const LkStepPmix *self, LkBytes tasks)
{
  GArray *nodes = g_array_new (FALSE, FALSE, sizeof (guint32));
  for (guint32 i = 0; i < self->node_tasks->len; i++) {
    const GArray *here = g_ptr_array_index (self->node_tasks, i);
    gboolean is_in = FALSE;
    for (guint j = 0; j < here->len && !is_in; j++)
      is_in = names (tasks, g_array_index (here, guint32, j));
    if (is_in)
      g_array_append_val (nodes, i);
  }
  return nodes;
}

/* Also one that others have come to before. NULL: nobody takes part. */
static Fence *
fence_of (LkStepPmix *self, LkBytes tasks, guint32 number)
{
  for (guint i = 0; i < self->fences->len; i++) {
    Fence *fence = g_ptr_array_index (self->fences, i);
    if (fence->number == number && is_same (fence->tasks, tasks))
      return fence;
  }
  GArray *nodes = nodes_of (self, tasks);
  if (nodes->len == 0) {
    g_array_unref (nodes);
    return NULL;
  }
  Fence *fence = g_new0 (Fence, 1);
  fence->tasks = copy_of (tasks);
  fence->number = number;
  fence->nodes = nodes;
  fence->parts = g_ptr_array_new_with_free_func (part_free);
  g_ptr_array_set_size (fence->parts, (gint)self->node_tasks->len);
  g_ptr_array_add (self->fences, fence);
  return fence;
}

static guint32
next_number (LkStepPmix *self, LkBytes tasks)
{
  for (guint i = 0; i < self->counts->len; i++) {
    Count *count = g_ptr_array_index (self->counts, i);
    if (is_same (count->tasks, tasks))
      return count->count++;
  }
  Count *count = g_new0 (Count, 1);
  count->tasks = copy_of (tasks);
  count->count = 1;
  g_ptr_array_add (self->counts, count);
  return 0;
}

static void
fence_over (LkStepPmix *self, Fence *fence, pmix_status_t status, LkBytes data)
{
  if (fence->is_awaited && fence->answer != NULL)
    give_answer (fence->answer, fence->cookie, status, data);
  g_ptr_array_remove (self->fences, fence);
}

/* All parts behind each other, to each that takes part. */
static void
fence_give_out (LkStepPmix *self, Fence *fence)
{
  g_autoptr (GByteArray) all = g_byte_array_new ();
  for (guint i = 0; i < fence->nodes->len; i++) {
    const GByteArray *part =
        g_ptr_array_index (fence->parts, g_array_index (fence->nodes, guint32, i));
    if (part == NULL)
      return;
    g_byte_array_append (all, part->data, part->len);
  }
  gboolean is_long = all->len > DATA_BYTES_MAX;
  if (is_long)
    g_byte_array_set_size (all, 0);
  pmix_status_t status = is_long ? PMIX_ERR_NOMEM : PMIX_SUCCESS;
  const LkStepPmixWord word = { .kind = LK_STEP_PMIX_FENCE_DOWN,
                                .number = fence->number,
                                .status = (guint32)status,
                                .tasks = bytes_of (fence->tasks),
                                .data = bytes_of (all) };
  for (guint i = 0; i < fence->nodes->len; i++)
    if (g_array_index (fence->nodes, guint32, i) != self->config.node_index)
      send_word (self, g_array_index (fence->nodes, guint32, i), &word);
  fence_over (self, fence, status, bytes_of (all));
}

static void
fence_gather (LkStepPmix *self, Fence *fence, guint32 node, LkBytes data)
{
  gpointer *place = &g_ptr_array_index (fence->parts, node);
  if (*place != NULL)
    return;
  *place = copy_of (data);
  fence_give_out (self, fence);
}

static void
fence_begin (LkStepPmix *self, const Said *said)
{
  guint32 number = next_number (self, bytes_of (said->tasks));
  Fence *fence = fence_of (self, bytes_of (said->tasks), number);
  if (fence == NULL) {
    give_answer (said->answer, said->cookie, PMIX_ERR_BAD_PARAM, (LkBytes){ NULL, 0 });
    return;
  }
  fence->is_awaited = TRUE;
  fence->answer = said->answer;
  fence->cookie = said->cookie;
  guint32 first = g_array_index (fence->nodes, guint32, 0);
  if (first == self->config.node_index) {
    fence_gather (self, fence, first, bytes_of (said->data));
    return;
  }
  const LkStepPmixWord word = { .kind = LK_STEP_PMIX_FENCE_UP,
                                .number = number,
                                .tasks = bytes_of (said->tasks),
                                .data = bytes_of (said->data) };
  send_word (self, first, &word);
}

/* ---------------------------------------------------------------- what tasks have put */

static void
modex_begin (LkStepPmix *self, const Said *said)
{
  for (guint32 i = 0; i < self->node_tasks->len; i++) {
    const GArray *tasks = g_ptr_array_index (self->node_tasks, i);
    for (guint j = 0; j < tasks->len; j++) {
      if (g_array_index (tasks, guint32, j) != said->task)
        continue;
      Question *question = g_new (Question, 1);
      *question = (Question){ self->question_count++, said->answer, said->cookie };
      g_ptr_array_add (self->questions, question);
      const LkStepPmixWord word = { .kind = LK_STEP_PMIX_MODEX_ASK,
                                    .number = question->number,
                                    .task = said->task };
      send_word (self, i, &word);
      return;
    }
  }
  give_answer (said->answer, said->cookie, PMIX_ERR_NOT_FOUND, (LkBytes){ NULL, 0 });
}

static void
modex_asked (LkStepPmix *self, guint32 node, const LkStepPmixWord *word)
{
  Said *said = said_new (SAID_FOUND, NULL, 0);
  pmix_proc_t process = { .rank = word->task };
  g_strlcpy (process.nspace, self->space, sizeof process.nspace);
  said->number = word->number;
  said->node_index = node;
  pmix_status_t status = self->library.dmodex_request (&process, on_found, said);
  if (status == PMIX_SUCCESS)
    return;
  said->status = status;
  say (said);
}

static void
modex_found (LkStepPmix *self, const Said *said)
{
  const LkStepPmixWord word = { .kind = LK_STEP_PMIX_MODEX_ANSWER,
                                .number = said->number,
                                .status = (guint32)said->status,
                                .data = bytes_of (said->data) };
  send_word (self, said->node_index, &word);
}

static void
modex_answered (LkStepPmix *self, const LkStepPmixWord *word)
{
  for (guint i = 0; i < self->questions->len; i++) {
    const Question *question = g_ptr_array_index (self->questions, i);
    if (question->number != word->number)
      continue;
    give_answer (question->answer, question->cookie, (pmix_status_t)word->status, word->data);
    g_ptr_array_remove_index (self->questions, i);
    return;
  }
}

/* ---------------------------------------------------------------- the end of all */

/* Other nodes hear of it, too. */
static void
abort_all (LkStepPmix *self, const Said *said)
{
  g_autofree char *why = g_strndup ((const char *)said->data->data, said->data->len);
  g_autofree char *text = g_strdup_printf ("task %u: %s", said->task, why);
  const LkStepPmixWord word = { .kind = LK_STEP_PMIX_ABORT,
                                .task = said->task,
                                .status = (guint32)said->status };
  for (guint32 i = 0; i < self->node_tasks->len; i++)
    if (i != self->config.node_index)
      send_word (self, i, &word);
  if (said->done != NULL)
    said->done (PMIX_SUCCESS, said->cookie);
  self->config.abort (self->config.user, said->status, text);
}

/* ---------------------------------------------------------------- in the loop */

static void
hear (LkStepPmix *self, Said *said)
{
  switch (said->kind) {
  case SAID_FENCE:
    fence_begin (self, said);
    break;
  case SAID_WANTED:
    modex_begin (self, said);
    break;
  case SAID_FOUND:
    modex_found (self, said);
    break;
  case SAID_ABORT:
    abort_all (self, said);
    break;
  }
  said_free (said);
}

static Said *
take_said (LkStepPmix *self)
{
  g_mutex_lock (&self->lock);
  Said *said = g_queue_pop_head (&self->said);
  g_mutex_unlock (&self->lock);
  return said;
}

static void
woken (gpointer user, guint events)
{
  LkStepPmix *self = user;
  guint64 count;
  Said *said;
  (void)events;
  gssize got = read (self->wake.fd, &count, sizeof count);
  (void)got;
  while ((said = take_said (self)) != NULL)
    hear (self, said);
}

void
lk_step_pmix_take (LkStepPmix *self, guint32 node_index, LkBytes bytes)
{
  LkStepPmixWord word;
  if (!lk_step_pmix_word_decode (bytes.bytes, bytes.length_bytes, &word)
      || node_index >= self->node_tasks->len)
    return;
  Fence *fence = NULL;
  switch ((LkStepPmixKind)word.kind) {
  case LK_STEP_PMIX_FENCE_UP:
    fence = fence_of (self, word.tasks, word.number);
    if (fence != NULL)
      fence_gather (self, fence, node_index, word.data);
    break;
  case LK_STEP_PMIX_FENCE_DOWN:
    fence = fence_of (self, word.tasks, word.number);
    if (fence != NULL)
      fence_over (self, fence, (pmix_status_t)word.status, word.data);
    break;
  case LK_STEP_PMIX_MODEX_ASK:
    modex_asked (self, node_index, &word);
    break;
  case LK_STEP_PMIX_MODEX_ANSWER:
    modex_answered (self, &word);
    break;
  case LK_STEP_PMIX_ABORT:
    self->config.abort (self->config.user, (int)word.status, "another node says so");
    break;
  case LK_STEP_PMIX_NAME_ASK:
  case LK_STEP_PMIX_NAME_ANSWER:
    break;
  }
}

/* ---------------------------------------------------------------- beginning and end */

static void
keep_tasks (LkStepPmix *self, const LkStepPmixConfig *config)
{
  self->node_tasks = g_ptr_array_new_with_free_func ((GDestroyNotify)g_array_unref);
  for (guint i = 0; i < config->node_tasks->len; i++)
    g_ptr_array_add (self->node_tasks, g_array_ref (g_ptr_array_index (config->node_tasks, i)));
}

/* While nothing else runs in this process: a child could not ask. */
static void
keep_environments (LkStepPmix *self)
{
  const GArray *here = g_ptr_array_index (self->node_tasks, self->config.node_index);
  self->environments = g_ptr_array_new_with_free_func ((GDestroyNotify)g_ptr_array_unref);
  for (guint i = 0; i < here->len; i++)
    g_ptr_array_add (self->environments,
                     lk_pmix_library_environment (&self->library, self->space,
                                                  g_array_index (here, guint32, i)));
}

/* NULL, or why not. */
static char *
begin (LkStepPmix *self, const LkStepPmixConfig *config)
{
  char *fault = NULL;
  if (!lk_pmix_library_open (&self->library, &fault))
    return fault;
  int wake = eventfd (0, EFD_CLOEXEC | EFD_NONBLOCK);
  self->wake = (LkLoopFd){ .ready = woken, .user = self };
  if (wake < 0 || !lk_loop_add_fd (self->loop, &self->wake, wake, LK_LOOP_READ, NULL))
    return g_strdup_printf ("MPI plugin pmix: %s", g_strerror (errno));
  return lk_pmix_library_begin (&self->library, &self->module, config, self->space);
}

LkStepPmix *
lk_step_pmix_new (LkLoop *loop, const LkStepPmixConfig *config, char **out_fault)
{
  LkStepPmix *self = g_new0 (LkStepPmix, 1);
  the_server = self;
  self->loop = loop;
  self->config = *config;
  self->module.client_finalized = on_finalized;
  self->module.abort = on_abort;
  self->module.fence_nb = on_fence;
  self->module.direct_modex = on_wanted;
  self->space = g_strdup_printf ("lockstep.%u.%u", config->job_id, config->step_id);
  self->fences = g_ptr_array_new_with_free_func (fence_free);
  self->counts = g_ptr_array_new_with_free_func (count_free);
  self->questions = g_ptr_array_new_with_free_func (g_free);
  keep_tasks (self, config);
  *out_fault = begin (self, config);
  if (*out_fault == NULL) {
    keep_environments (self);
    return self;
  }
  /* Threads of the library may know it: it lives as long as the process. */
  return NULL;
}

void
lk_step_pmix_environment (LkStepPmix *self, guint32 task, GPtrArray *environment)
{
  const GArray *here = g_ptr_array_index (self->node_tasks, self->config.node_index);
  for (guint i = 0; i < here->len; i++) {
    if (g_array_index (here, guint32, i) != task)
      continue;
    const GPtrArray *own = g_ptr_array_index (self->environments, i);
    for (guint j = 0; j < own->len; j++)
      g_ptr_array_insert (environment, (gint)environment->len - 1,
                          g_strdup (g_ptr_array_index (own, j)));
  }
}
