/* traces/anonymize.h — puts pseudonyms in place of names in a log.
 *
 * Replaced are users, groups, accounts, QOS, partitions, job names and nodes, each kind with
 * pseudonyms of its own: u1, g1, a1, q1, p1, j1, n1 by first appearance.  With a key the pseudonym
 * is a letter and the first sixteen hexadecimal digits of HMAC-SHA256 (RFC 2104) of kind and name:
 * two logs that are made with one key agree, and without the key nobody can try names out.
 * Numbers of users, groups and partitions are replaced likewise; with a key they have 31 bits, and
 * two names that would get one number are an error.
 *
 * What stays: the job's number, times, sizes, states, and what hardware it asked for (features,
 * generic resources, licences).  A name that the log gives a job stays when it is only digits, "_",
 * "." and "+", as array jobs have them, else it goes.  Anything else (submit lines, folders,
 * comments) no record carries.
 *
 * Times are left alone: who knows when someone ran a job can still find it. */
#ifndef LK_TRACES_ANONYMIZE_H
#define LK_TRACES_ANONYMIZE_H

#include <glib.h>

#include "traces/record.h"
#include "traces/swf.h"

/* X (NAME, word as options have it, letter of its pseudonyms) */
#define LK_ANONYMIZE_KINDS(X)                                                                      \
  X (USERS, "users", 'u')                                                                          \
  X (GROUPS, "groups", 'g')                                                                        \
  X (ACCOUNTS, "accounts", 'a')                                                                    \
  X (QOS, "qos", 'q')                                                                              \
  X (PARTITIONS, "partitions", 'p')                                                                \
  X (JOBS, "jobs", 'j')                                                                            \
  X (NODES, "nodes", 'n')

#define X(NAME, word, letter) LK_ANONYMIZE_##NAME,
typedef enum { LK_ANONYMIZE_KINDS (X) LK_ANONYMIZE_KIND_COUNT } LkAnonymizeKind;
#undef X

typedef struct {
  const guint8 *key; /* NULL: by first appearance */
  gsize key_bytes;
  guint kept; /* bit 1 << kind: those names stay */
} LkAnonymizeOptions;

typedef struct _LkAnonymizer LkAnonymizer;

/* The key is copied. Returns: (transfer full). */
LkAnonymizer *lk_anonymizer_new (const LkAnonymizeOptions *options);
void lk_anonymizer_free (LkAnonymizer *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkAnonymizer, lk_anonymizer_free)

/* Changes a record in place; its texts then live as long as self. Fails when two numbers of a key
 * meet. */
gboolean lk_anonymizer_record (LkAnonymizer *self, LkTraceRecord *record, GError **error);
/* Changes users, groups, applications (as job names), queues and partitions of a line of SWF. -1
 * stays, and queue 0, which is what the format calls interactive. */
gboolean lk_anonymizer_swf (LkAnonymizer *self, LkSwfJob *job, GError **error);

/* What of a comment of an SWF header may stay: "Key: number" of the size of the machine, the times
 * and the format, and the time zone. All else may name people, sites or queues. Without semicolons.
 * Returns: (transfer full); NULL: it goes. */
char *lk_anonymize_comment (const char *comment);

/* The pseudonym of one name, as in records. Returns: (transfer none). */
const char *lk_anonymizer_name (LkAnonymizer *self, LkAnonymizeKind kind, const char *name);

#endif
