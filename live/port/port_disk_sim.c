/* live/port/port_disk_sim.c — see the header. */
#include "live/port/port_disk_sim.h"

#include <string.h>

#include "engine/assert.h"

/* What a disk writes whole or not at all. */
#define SECTOR_BYTES 512u

typedef struct {
  char *name;
  GByteArray *content; /* as a reader finds it; NULL: there is no such file */
  gsize durable_bytes; /* of it */
  gsize last_append;   /* where that began */
  gboolean has_older;  /* a loss of power may bring back `older` in its place */
  GByteArray *older;   /* NULL: that there was no such file */
} File;

typedef enum { APPEND, REPLACE, CUT } Operation;

typedef struct {
  Operation operation;
  File *file;
  GByteArray *bytes;
  guint64 length_bytes; /* of a cut */
  guint64 token;
} Request;

struct _LkDiskSim {
  LkWorld *world;
  char *name;
  LkDiskSimDone done;
  gpointer user;
  LkDiskSimHook hook;
  gpointer hook_user;
  LkDiskSimFaults faults;
  GPtrArray *files; /* of File */
  GQueue requests;  /* of Request; the head is in progress */
  guint64 process;  /* number of the process that uses it */
  gboolean is_dead; /* a request of that process has failed */
  LkDiskSimCounts counts;
};

/* ---------------------------------------------------------------- files */

static void
bytes_free (GByteArray *bytes)
{
  if (bytes != NULL)
    g_byte_array_unref (bytes);
}

static void
file_free (gpointer data)
{
  File *file = data;
  bytes_free (file->content);
  bytes_free (file->older);
  g_free (file->name);
  g_free (file);
}

static void
request_free (gpointer data)
{
  Request *request = data;
  bytes_free (request->bytes);
  g_free (request);
}

static File *
file_find (const LkDiskSim *self, const char *name)
{
  for (guint i = 0; i < self->files->len; i++) {
    File *file = g_ptr_array_index (self->files, i);
    if (g_strcmp0 (file->name, name) == 0)
      return file;
  }
  return NULL;
}

static File *
file_of (LkDiskSim *self, const char *name)
{
  File *file = file_find (self, name);
  if (file == NULL) {
    file = g_new0 (File, 1);
    file->name = g_strdup (name);
    g_ptr_array_add (self->files, file);
  }
  return file;
}

/* What it was before can no longer come back. */
static void
forget_older (File *file)
{
  bytes_free (file->older);
  file->older = NULL;
  file->has_older = FALSE;
}

static guint64
used_bytes (const LkDiskSim *self)
{
  guint64 sum = 0;
  for (guint i = 0; i < self->files->len; i++) {
    const File *file = g_ptr_array_index (self->files, i);
    sum += file->content != NULL ? file->content->len : 0;
  }
  return sum;
}

/* ---------------------------------------------------------------- what is left of a write */

static void
garble (LkDiskSim *self, guint8 *bytes, gsize length_bytes)
{
  gboolean is_zero = lk_world_below (self->world, 2) == 0;
  for (gsize i = 0; i < length_bytes; i++)
    bytes[i] = is_zero ? 0 : (guint8)lk_world_random (self->world);
}

/* Of the sectors behind `begin` each is there or is not. */
static void
tear_sectors (LkDiskSim *self, GByteArray *content, gsize begin)
{
  for (gsize at = begin; at < content->len;) {
    gsize end = MIN ((at / SECTOR_BYTES + 1) * SECTOR_BYTES, content->len);
    if (lk_world_below (self->world, 2) == 0)
      garble (self, content->data + at, end - at);
    at = end;
  }
}

/* Of the bytes behind `begin` something is left; when only the process has died, a front part. */
static void
tear (LkDiskSim *self, GByteArray *content, gsize begin, gboolean has_lost_power)
{
  if (begin >= content->len)
    return;
  guint32 length_bytes = content->len - (guint32)begin;
  guint32 left_bytes = lk_world_below (self->world, length_bytes + 1);
  self->counts.torn_count++;
  switch (lk_world_below (self->world, has_lost_power ? 6 : 4)) {
  case 0:
    g_byte_array_set_size (content, (guint)begin);
    break;
  case 1:
    break;
  case 2:
  case 3:
    g_byte_array_set_size (content, (guint)begin + left_bytes);
    break;
  case 4:
    tear_sectors (self, content, begin);
    break;
  default:
    garble (self, content->data + begin + left_bytes, length_bytes - left_bytes);
  }
}

static void
lose_power (LkDiskSim *self, File *file)
{
  if (file->has_older && lk_world_below (self->world, 2) == 0) {
    bytes_free (file->content);
    file->content = g_steal_pointer (&file->older);
    file->durable_bytes = file->content != NULL ? file->content->len : 0;
    file->last_append = file->durable_bytes;
  } else if (file->content != NULL) {
    tear (self, file->content, file->durable_bytes, TRUE);
    file->durable_bytes = file->content->len;
  }
  forget_older (file);
}

/* ---------------------------------------------------------------- carrying out */

static GByteArray *
copy_of (const GByteArray *bytes)
{
  GByteArray *copy = g_byte_array_sized_new (bytes->len);
  return g_byte_array_append (copy, bytes->data, bytes->len);
}

/* Writes, and makes nothing durable. */
static void
write_bytes (File *file, const Request *request)
{
  switch (request->operation) {
  case APPEND:
    if (file->content == NULL)
      file->content = g_byte_array_new ();
    if (request->bytes->len > 0)
      file->last_append = file->content->len;
    g_byte_array_append (file->content, request->bytes->data, request->bytes->len);
    break;
  case REPLACE:
    if (!file->has_older) { /* or what is durable is older still */
      file->older = g_steal_pointer (&file->content);
      if (file->older != NULL)
        g_byte_array_set_size (file->older, (guint)file->durable_bytes);
    }
    bytes_free (file->content);
    file->has_older = TRUE;
    file->content = copy_of (request->bytes);
    file->durable_bytes = file->last_append = file->content->len;
    break;
  case CUT:
    if (file->content == NULL || file->content->len <= request->length_bytes)
      break;
    g_byte_array_set_size (file->content, (guint)request->length_bytes);
    file->durable_bytes = MIN (file->durable_bytes, file->content->len);
    file->last_append = MIN (file->last_append, file->content->len);
  }
}

/* Where an append that was just written begins. */
static gsize
begin_of (const File *file, const Request *request)
{
  return file->content->len - request->bytes->len;
}

static void
make_durable (File *file)
{
  if (file->content != NULL)
    file->durable_bytes = file->content->len;
  forget_older (file);
}

/* The bytes of an append come to lie over older ones; where they belong are zeros. */
static void
misdirect (LkDiskSim *self, File *file, gsize before_append)
{
  gsize begin = file->last_append;
  guint8 *data = file->content->data;
  gsize at = lk_world_below (self->world, (guint32)before_append);
  gsize length_bytes = MIN (file->content->len - begin, before_append - at);
  memmove (data + at, data + begin, length_bytes);
  memset (data + begin, 0, file->content->len - begin);
  self->counts.misdirect_count++;
  lk_world_tell (self->world, "disk %s: an append to %s lands at %" G_GSIZE_FORMAT, self->name,
                 file->name, at);
}

/* FALSE: it fails, and any part of it may have been done, but nothing behind another failure. */
static gboolean
carry_out (LkDiskSim *self, const Request *request)
{
  File *file = request->file;
  if (self->is_dead)
    return FALSE;
  gboolean is_full = request->operation != CUT && self->faults.capacity_bytes > 0
                     && used_bytes (self) + request->bytes->len > self->faults.capacity_bytes;
  gboolean fails = is_full || lk_world_chance (self->world, self->faults.fail_ppm);
  gsize before_append = file->last_append;
  self->counts.full_count += is_full ? 1 : 0;
  self->counts.fail_count += fails ? 1 : 0;
  if (fails) {
    if (request->operation == APPEND) {
      write_bytes (file, request);
      tear (self, file->content, begin_of (file, request), TRUE);
    }
    self->is_dead = TRUE;
    return FALSE;
  }
  write_bytes (file, request);
  if (request->operation == APPEND && request->bytes->len > 0 && before_append > 0
      && lk_world_chance (self->world, self->faults.misdirect_ppm))
    misdirect (self, file, before_append);
  make_durable (file);
  return TRUE;
}

static void begin_next (LkDiskSim *self);

/* Tells the hook. FALSE: it has stopped the process. */
static gboolean
hook (LkDiskSim *self, const char *name, gboolean is_done)
{
  guint64 process = self->process;
  if (self->hook != NULL)
    self->hook (self->hook_user, name, self->counts.write_count, is_done);
  return self->process == process;
}

static void
finish (gpointer user, gpointer data)
{
  LkDiskSim *self = user;
  if (GPOINTER_TO_SIZE (data) != self->process)
    return;
  Request *request = g_queue_peek_head (&self->requests);
  self->counts.write_count++;
  if (!hook (self, request->file->name, FALSE))
    return;
  gboolean has_succeeded = carry_out (self, request);
  guint64 token = request->token;
  lk_world_tell (self->world, "disk %s: %s %s %s, %u bytes", self->name,
                 request->operation == APPEND    ? "append to"
                 : request->operation == REPLACE ? "replace"
                                                 : "cut",
                 request->file->name, has_succeeded ? "is durable" : "fails",
                 request->bytes != NULL ? request->bytes->len : 0);
  const char *name = request->file->name;
  request_free (g_queue_pop_head (&self->requests));
  if (!hook (self, name, TRUE))
    return;
  begin_next (self);
  self->done (self->user, token, has_succeeded);
}

static void
begin_next (LkDiskSim *self)
{
  const LkDiskSimFaults *faults = &self->faults;
  if (g_queue_is_empty (&self->requests))
    return;
  gint64 takes_us =
      lk_world_between_us (self->world, faults->request_min_us, faults->request_max_us);
  if (lk_world_chance (self->world, faults->slow_ppm))
    takes_us += lk_world_between_us (self->world, 0, faults->slow_max_us);
  lk_world_at (self->world, lk_world_now_us (self->world) + takes_us, finish, self,
               GSIZE_TO_POINTER (self->process), NULL);
}

static void
ask (LkDiskSim *self, Request asked)
{
  if (asked.bytes != NULL)
    lk_world_mix_bytes (self->world, asked.bytes->data, asked.bytes->len);
  g_queue_push_tail (&self->requests, g_memdup2 (&asked, sizeof (asked)));
  if (self->requests.length == 1)
    begin_next (self);
}

static GByteArray *
bytes_new (const guint8 *bytes, gsize length_bytes)
{
  LK_ASSERT (length_bytes < G_MAXUINT);
  GByteArray *copy = g_byte_array_sized_new ((guint)length_bytes);
  return g_byte_array_append (copy, bytes, (guint)length_bytes);
}

/* ---------------------------------------------------------------- the port */

static void
append (void *user, const char *name, const guint8 *bytes, gsize length_bytes, guint64 token)
{
  ask (user, (Request){ APPEND, file_of (user, name), bytes_new (bytes, length_bytes), 0, token });
}

static void
replace (void *user, const char *name, const guint8 *bytes, gsize length_bytes, guint64 token)
{
  ask (user, (Request){ REPLACE, file_of (user, name), bytes_new (bytes, length_bytes), 0, token });
}

static void
cut (void *user, const char *name, guint64 length_bytes, guint64 token)
{
  ask (user, (Request){ CUT, file_of (user, name), NULL, length_bytes, token });
}

static GByteArray *
read_file (void *user, const char *name, gboolean *out_failed)
{
  LkDiskSim *self = user;
  const File *file = file_find (self, name);
  *out_failed = lk_world_chance (self->world, self->faults.read_fail_ppm);
  if (*out_failed)
    lk_world_tell (self->world, "disk %s: %s cannot be read", self->name, name);
  return *out_failed || file == NULL || file->content == NULL ? NULL : copy_of (file->content);
}

static GBytes *
view (void *user, const char *name, gboolean *out_failed)
{
  GByteArray *content = read_file (user, name, out_failed);
  return content != NULL ? g_byte_array_free_to_bytes (content) : NULL;
}

static GByteArray *
read_part (void *user, const char *name, guint64 offset_bytes, gsize length_bytes,
           gboolean *out_failed)
{
  GByteArray *content = read_file (user, name, out_failed);
  if (content == NULL)
    return NULL;
  guint offset = (guint)MIN (offset_bytes, content->len);
  if (offset > 0)
    g_byte_array_remove_range (content, 0, offset);
  if (content->len > length_bytes)
    g_byte_array_set_size (content, (guint)length_bytes);
  return content;
}

static void
remove_file (void *user, const char *name)
{
  File *file = file_find (user, name);
  if (file == NULL || file->content == NULL)
    return;
  if (!file->has_older) {
    file->older = g_steal_pointer (&file->content);
    g_byte_array_set_size (file->older, (guint)file->durable_bytes);
    file->has_older = TRUE;
  }
  bytes_free (file->content);
  file->content = NULL;
  file->durable_bytes = file->last_append = 0;
}

static const LkPortDiskOps disk_ops = {
  .size = sizeof (LkPortDiskOps),
  .append = append,
  .replace = replace,
  .cut = cut,
  .read = read_file,
  .read_part = read_part,
  .view = view,
  .remove = remove_file,
};

/* ---------------------------------------------------------------- the disk */

LkDiskSim *
lk_disk_sim_new (LkWorld *world, const char *name, LkDiskSimDone done, gpointer user)
{
  LkDiskSim *self = g_new0 (LkDiskSim, 1);
  self->world = world;
  self->name = g_strdup (name);
  self->done = done;
  self->user = user;
  self->files = g_ptr_array_new_with_free_func (file_free);
  g_queue_init (&self->requests);
  return self;
}

void
lk_disk_sim_free (LkDiskSim *self)
{
  if (self == NULL)
    return;
  g_queue_clear_full (&self->requests, request_free);
  g_ptr_array_unref (self->files);
  g_free (self->name);
  g_free (self);
}

void
lk_disk_sim_set_faults (LkDiskSim *self, const LkDiskSimFaults *faults)
{
  self->faults = *faults;
}

void
lk_disk_sim_set_hook (LkDiskSim *self, LkDiskSimHook to, gpointer user)
{
  self->hook = to;
  self->hook_user = user;
}

LkPortDisk
lk_disk_sim_port (LkDiskSim *self)
{
  return (LkPortDisk){ &disk_ops, self };
}

/* The request in progress may be done in part; those behind it were not begun. */
static void
interrupt (LkDiskSim *self, gboolean has_lost_power)
{
  const Request *request = g_queue_peek_head (&self->requests);
  if (request == NULL || self->is_dead)
    return;
  if (request->operation == APPEND) {
    write_bytes (request->file, request);
    tear (self, request->file->content, begin_of (request->file, request), has_lost_power);
  } else if (lk_world_below (self->world, 2) == 0) {
    write_bytes (request->file, request);
  }
}

void
lk_disk_sim_stop (LkDiskSim *self, gboolean has_lost_power)
{
  interrupt (self, has_lost_power);
  self->process++;
  self->is_dead = FALSE;
  g_queue_clear_full (&self->requests, request_free);
  for (guint i = 0; i < self->files->len; i++) {
    File *file = g_ptr_array_index (self->files, i);
    if (has_lost_power)
      lose_power (self, file);
  }
}

const GByteArray *
lk_disk_sim_peek (const LkDiskSim *self, const char *name)
{
  const File *file = file_find (self, name);
  return file != NULL ? file->content : NULL;
}

gsize
lk_disk_sim_durable_bytes (const LkDiskSim *self, const char *name)
{
  const File *file = file_find (self, name);
  return file == NULL || file->has_older ? 0 : file->durable_bytes;
}

void
lk_disk_sim_rot (LkDiskSim *self, const char *name, gsize offset_bytes, guint8 mask)
{
  File *file = file_find (self, name);
  LK_ASSERT (file != NULL);
  LK_ASSERT (file->content != NULL);
  LK_ASSERT (offset_bytes < file->content->len);
  file->content->data[offset_bytes] ^= mask;
}

void
lk_disk_sim_counts (const LkDiskSim *self, LkDiskSimCounts *out_counts)
{
  *out_counts = self->counts;
}
