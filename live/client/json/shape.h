/* live/client/json/shape.h — what members a JSON object has: one text for each kind of object, from
 * which both the JSON and its JSON Schema are made.
 *
 *   shape   {MEMBER ...}   an object
 *           [SHAPE]        an array
 *           $NAME          a shape that has a name (lk_shape_named)
 *           s i r b        a string, an integer, a real, true or false
 *           n f            an integer, a real that may be missing or endless, as Slurm has it:
 *                          {"set":true,"infinite":false,"number":7}
 *           E a            an array of words, an array of any strings
 *   MEMBER  NAME[@[FIRST][-LAST]]:SHAPE[?]    in versions FIRST to LAST only; ? may be null
 *
 * A writer is made once of a shape and of what is known: the members that nobody fills have their
 * type's empty value, and everything between two that are filled is one piece of text, so that a
 * queue of 100,000 jobs is mostly copied.  Texts of shapes are our own: one that is wrong is a bug.
 */
#ifndef LK_LIVE_CLIENT_JSON_SHAPE_H
#define LK_LIVE_CLIENT_JSON_SHAPE_H

#include <glib.h>

/* Appends the whole value. */
typedef void (*LkShapePut) (GString *out, gconstpointer report, gconstpointer row);

/* A member that is filled: "exit_code.return_code". A table of them ends with a path of NULL. */
typedef struct {
  const char *path;
  LkShapePut put;
} LkShapeMember;

typedef struct _LkShape LkShape;

/* Every path must be a member of the shape in some version. Returns: (transfer full). */
LkShape *lk_shape_new (const char *text, guint version, const LkShapeMember *members);
void lk_shape_free (LkShape *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkShape, lk_shape_free)
void lk_shape_write (const LkShape *self, gconstpointer report, gconstpointer row, GString *out);

/* Appends the JSON Schema (draft 2020-12) of a value of this shape: every member is required, and
 * there are no others.  It refers to "#/$defs/...". */
void lk_shape_schema (const char *text, guint version, GString *out);
/* The named shapes as the value of "$defs". */
void lk_shape_schema_named (guint version, GString *out);

#endif
