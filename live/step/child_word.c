/* live/step/child_word.c — see the header. */
#include "live/step/child_word.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Room for one descriptor, as it has to be aligned. */
typedef union {
  char bytes[CMSG_SPACE (sizeof (int))];
  struct cmsghdr head;
} Control;

gboolean
lk_child_word_begin (LkChildWord *self, int *out_child)
{
  int streams[2];
  if (socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, streams) != 0)
    return FALSE;
  *self = (LkChildWord){ .stream = streams[0], .error_file = self->error_file };
  *out_child = streams[1];
  return TRUE;
}

void
lk_child_word_end (LkChildWord *self)
{
  if (self->stream >= 0)
    close (self->stream);
  self->stream = -1;
}

static void
take_file (LkChildWord *self, struct msghdr *packet)
{
  const struct cmsghdr *head = CMSG_FIRSTHDR (packet);
  memcpy (&self->error_file, CMSG_DATA (head), sizeof self->error_file);
}

void
lk_child_word_hear (LkChildWord *self)
{
  for (;;) {
    LkExit how;
    Control control;
    struct iovec part = { &how, sizeof how };
    struct msghdr packet = { .msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes };
    gssize count = recvmsg (self->stream, &packet, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (count <= 0)
      return;
    if (CMSG_FIRSTHDR (&packet) != NULL) {
      take_file (self, &packet);
    } else if (count == (gssize)sizeof how) {
      self->has_failed = TRUE;
      self->how = how;
    }
  }
}

gboolean
lk_child_word_fail (int stream, const LkExit *how)
{
  return send (stream, how, sizeof *how, MSG_NOSIGNAL) == (gssize)sizeof *how;
}

void
lk_child_word_error_file (int stream, int file)
{
  Control control = { .bytes = { 0 } };
  char nothing = 0;
  struct iovec part = { &nothing, sizeof nothing };
  struct msghdr packet = { .msg_iov = &part,
                           .msg_iovlen = 1,
                           .msg_control = control.bytes,
                           .msg_controllen = sizeof control.bytes };
  struct cmsghdr *head = CMSG_FIRSTHDR (&packet);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN (sizeof file);
  memcpy (CMSG_DATA (head), &file, sizeof file);
  sendmsg (stream, &packet, MSG_NOSIGNAL);
}
