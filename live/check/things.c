/* live/check/things.c — see the header.
 *
 * The texts are those that the engine itself has written, so they are not checked here; what does
 * not look like one is passed over. */
#include "live/check/things.h"

#include <string.h>

#include "engine/hostlist.h"

static void
member_free (gpointer data)
{
  LkMemberText *self = data;
  g_free (self->name);
  g_free (self->value);
  g_free (self);
}

static void
thing_free (gpointer data)
{
  LkThing *self = data;
  g_free (self->kind);
  g_free (self->name);
  g_ptr_array_unref (self->members);
  g_free (self);
}

GPtrArray *
lk_things_new (void)
{
  return g_ptr_array_new_with_free_func (thing_free);
}

static LkThing *
thing_new (const char *kind, const char *name)
{
  LkThing *self = g_new (LkThing, 1);
  *self =
      (LkThing){ g_strdup (kind), g_strdup (name), g_ptr_array_new_with_free_func (member_free) };
  return self;
}

LkThing *
lk_things_add (GPtrArray *things, const char *kind, const char *name)
{
  LkThing *self = thing_new (kind, name);
  g_ptr_array_add (things, self);
  return self;
}

void
lk_thing_add_member (LkThing *self, const char *name, const char *value)
{
  LkMemberText *member = g_new (LkMemberText, 1);
  *member = (LkMemberText){ g_strdup (name), g_strdup (value) };
  g_ptr_array_add (self->members, member);
}

const char *
lk_thing_value (const LkThing *self, const char *member)
{
  for (guint i = 0; i < self->members->len; i++) {
    const LkMemberText *found = g_ptr_array_index (self->members, i);
    if (strcmp (found->name, member) == 0)
      return found->value;
  }
  return NULL;
}

/* ---------------------------------------------------------------- one line */

/* A value, perhaps in quotes. Returns what stands behind it. */
static const char *
value_read (const char *at, GString *out)
{
  g_string_truncate (out, 0);
  if (*at != '"') {
    gsize bytes = strcspn (at, " ");
    g_string_append_len (out, at, (gssize)bytes);
    return at + bytes;
  }
  for (at++; *at != '\0' && *at != '"'; at++) {
    gboolean is_escape = *at == '\\' && at[1] != '\0';
    at += is_escape ? 1 : 0;
    g_string_append_c (out, is_escape && *at == 'n' ? '\n' : *at);
  }
  return *at == '"' ? at + 1 : at;
}

/* "kind name member=value ..." Returns: (transfer full). */
static LkThing *
line_read (const char *line)
{
  g_autoptr (GString) value = g_string_new (NULL);
  gsize kind_bytes = strcspn (line, " ");
  g_autofree char *kind = g_strndup (line, kind_bytes);
  const char *at = line + kind_bytes;
  at = value_read (at + strspn (at, " "), value);
  LkThing *self = thing_new (kind, value->str);
  for (at += strspn (at, " "); *at != '\0'; at += strspn (at, " ")) {
    const char *mark = strchr (at, '=');
    if (mark == NULL)
      break;
    g_autofree char *name = g_strndup (at, (gsize)(mark - at));
    at = value_read (mark + 1, value);
    lk_thing_add_member (self, name, value->str);
  }
  return self;
}

/* ---------------------------------------------------------------- clusters */

/* What a line of Gres says, as Gres= would. */
static void
gres_take (LkThing *group, const LkThing *gres)
{
  const char *type = lk_thing_value (gres, "type");
  const char *count = lk_thing_value (gres, "count");
  g_autofree char *name =
      g_strdup_printf ("gres:%s%s%s", gres->name, type != NULL && *type != '\0' ? ":" : "",
                       type != NULL ? type : "");
  lk_thing_add_member (group, name, count != NULL ? count : "");
  for (guint i = 0; i < gres->members->len; i++) {
    const LkMemberText *member = g_ptr_array_index (gres->members, i);
    if (strcmp (member->name, "type") == 0 || strcmp (member->name, "count") == 0)
      continue;
    g_autofree char *of = g_strdup_printf ("%s %s", name, member->name);
    lk_thing_add_member (group, of, member->value);
  }
}

/* One thing for each of its nodes. */
static void
group_put (GPtrArray *things, LkThing *group)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  if (group == NULL)
    return;
  lk_hostlist_expand (group->name, strlen (group->name), names, NULL);
  for (guint i = 0; i < names->len; i++) {
    LkThing *node = lk_things_add (things, "node", g_ptr_array_index (names, i));
    for (guint j = 0; j < group->members->len; j++) {
      const LkMemberText *member = g_ptr_array_index (group->members, j);
      lk_thing_add_member (node, member->name, member->value);
    }
  }
  thing_free (group);
}

void
lk_things_add_cluster (GPtrArray *things, const char *text, gsize length_bytes)
{
  g_autofree char *whole = g_strndup (text, length_bytes);
  g_auto (GStrv) lines = g_strsplit (whole, "\n", -1);
  LkThing *group = NULL;
  for (guint i = 0; lines[i] != NULL; i++) {
    if (*lines[i] == '\0')
      continue;
    LkThing *thing = line_read (lines[i]);
    if (strcmp (thing->kind, "gres") == 0 && group != NULL) {
      gres_take (group, thing);
      thing_free (thing);
      continue;
    }
    group_put (things, group);
    group = strcmp (thing->kind, "nodes") == 0 ? thing : NULL;
    if (group == NULL)
      g_ptr_array_add (things, thing);
  }
  group_put (things, group);
}

/* ---------------------------------------------------------------- accounts */

/* An association is told from others by account, user and partition. */
static void
association_name (LkThing *self)
{
  const char *user = lk_thing_value (self, "user");
  const char *partition = lk_thing_value (self, "partition");
  GString *name = g_string_new (self->name);
  if (user != NULL && *user != '\0')
    g_string_append_printf (name, " user %s", user);
  if (partition != NULL && *partition != '\0')
    g_string_append_printf (name, " partition %s", partition);
  g_free (self->name);
  self->name = g_string_free (name, FALSE);
}

/* Each limit becomes a member of its own. */
static void
limits_expand (LkThing *self)
{
  for (guint i = 0; i < self->members->len; i++) {
    LkMemberText *member = g_ptr_array_index (self->members, i);
    if (strcmp (member->name, "limits") != 0)
      continue;
    g_auto (GStrv) pairs = g_strsplit (member->value, ",", -1);
    g_ptr_array_remove_index (self->members, i);
    for (guint j = 0; pairs[j] != NULL; j++) {
      char *mark = strrchr (pairs[j], '=');
      if (mark == NULL)
        continue;
      *mark = '\0';
      lk_thing_add_member (self, pairs[j], mark + 1);
    }
    return;
  }
}

void
lk_things_add_accounts (GPtrArray *things, const char *text, gsize length_bytes)
{
  g_autofree char *whole = g_strndup (text, length_bytes);
  g_auto (GStrv) lines = g_strsplit (whole, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++) {
    if (*lines[i] == '\0')
      continue;
    LkThing *thing = line_read (lines[i]);
    if (strcmp (thing->kind, "association") == 0)
      association_name (thing);
    limits_expand (thing);
    g_ptr_array_add (things, thing);
  }
}

/* ---------------------------------------------------------------- policies */

/* The end of an argument: a comma outside quotes and parentheses. */
static const char *
argument_end (const char *at)
{
  guint depth = 0;
  gboolean is_quoted = FALSE;
  for (; *at != '\0' && (*at != ',' || depth > 0 || is_quoted); at++) {
    if (is_quoted && *at == '\\' && at[1] != '\0') {
      at++;
      continue;
    }
    is_quoted ^= *at == '"';
    depth += *at == '(' && !is_quoted ? 1 : 0;
    depth -= *at == ')' && !is_quoted && depth > 0 ? 1 : 0;
  }
  return at;
}

void
lk_things_add_policy (GPtrArray *things, const char *seam, const char *spec)
{
  if (*spec == '\0')
    return;
  gsize name_bytes = strcspn (spec, ":");
  g_autofree char *policy = g_strndup (spec, name_bytes);
  LkThing *self = lk_things_add (things, "policy", seam);
  lk_thing_add_member (self, "policy", policy);
  const char *at = spec[name_bytes] == ':' ? spec + name_bytes + 1 : "";
  while (*at != '\0') {
    const char *end = argument_end (at);
    const char *mark = memchr (at, '=', (gsize)(end - at));
    if (mark != NULL) {
      g_autofree char *name = g_strndup (at, (gsize)(mark - at));
      g_autofree char *value = g_strndup (mark + 1, (gsize)(end - mark - 1));
      lk_thing_add_member (self, name, value);
    }
    at = *end == ',' ? end + 1 : end;
  }
}
