/* live/client/json/schema.c — see the header. */
#include "live/client/json/schema.h"

#include <string.h>

#include "live/client/json/put.h"
#include "live/client/json/shape.h"
#include "live/client/json/shapes.h"

/* What an answer has beside what stands around every one. */
typedef struct {
  const char *name;
  const char *member;
  const char *text;
  gboolean is_array;
  const char *moments; /* members behind, numbers, with blanks between */
} Part;

static const Part parts[] = {
#define X(name, member, is_array, moments) { #name, member, lk_shape_##name, is_array, moments },
  LK_SHAPES (X)
#undef X
};
static const Part own_parts[] = {
#define X(name, member, is_array) { #name, member, lk_shape_##name, is_array, "" },
  LK_SHAPES_OWN (X)
#undef X
};

static void
head (GString *out, const char *title)
{
  g_string_append (out, "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\n"
                        "\"title\":");
  lk_put_string (out, title);
  g_string_append (out, ",\n\"type\":\"object\",\"properties\":{");
}

static void
member (GString *out, GString *required, const char *name)
{
  g_string_append_printf (out, "%s\n\"%s\":", required->len > 0 ? "," : "", name);
  g_string_append_printf (required, "%s\"%s\"", required->len > 0 ? "," : "", name);
}

static void
part_append (GString *out, GString *required, const Part *part, guint version)
{
  g_auto (GStrv) moments = g_strsplit (part->moments, " ", -1);
  member (out, required, part->member);
  if (part->is_array)
    g_string_append (out, "{\"type\":\"array\",\"items\":");
  lk_shape_schema (part->text, version, out);
  if (part->is_array)
    g_string_append_c (out, '}');
  for (guint i = 0; moments[i] != NULL; i++) {
    member (out, required, moments[i]);
    lk_shape_schema ("n", version, out);
  }
}

static void
tail (GString *out, const GString *required, guint version)
{
  g_string_append_printf (
      out, "},\n\"required\":[%s],\"additionalProperties\":false,\n\"$defs\":", required->str);
  lk_shape_schema_named (version, out);
  g_string_append (out, "}\n");
}

static void
foreign_add (GPtrArray *schemas, const Part *part, guint version)
{
  LkJsonSchema *schema = g_new (LkJsonSchema, 1);
  g_autoptr (GString) required = g_string_new (NULL);
  g_autofree char *name = g_strdup_printf ("slurm/v0.0.%u/%s", version, part->name);
  g_autofree char *title =
      g_strdup_printf ("%s as data_parser/v0.0.%u has it", part->name, version);
  *schema = (LkJsonSchema){ g_intern_string (name), g_string_new (NULL) };
  head (schema->text, title);
  part_append (schema->text, required, part, version);
  member (schema->text, required, "meta");
  lk_shape_schema (lk_shape_meta, version, schema->text);
  member (schema->text, required, "errors");
  lk_shape_schema (lk_shape_errors, version, schema->text);
  member (schema->text, required, "warnings");
  lk_shape_schema (lk_shape_warnings, version, schema->text);
  tail (schema->text, required, version);
  g_ptr_array_add (schemas, schema);
}

/* `more` is a second part; NULL: there is none. */
static void
own_add (GPtrArray *schemas, const char *name, const Part *part, const Part *more)
{
  LkJsonSchema *schema = g_new (LkJsonSchema, 1);
  g_autoptr (GString) required = g_string_new (NULL);
  g_autofree char *title = g_strdup_printf ("%s of --json=lockstep", name);
  *schema = (LkJsonSchema){ name, g_string_new (NULL) };
  head (schema->text, title);
  member (schema->text, required, "schema_version");
  g_string_append_printf (schema->text, "{\"const\":%u}", LK_SHAPE_OWN);
  member (schema->text, required, "cluster");
  lk_shape_schema ("s", LK_SHAPE_OWN, schema->text);
  member (schema->text, required, "now_us");
  lk_shape_schema ("i", LK_SHAPE_OWN, schema->text);
  part_append (schema->text, required, part, LK_SHAPE_OWN);
  if (more != NULL)
    part_append (schema->text, required, more, LK_SHAPE_OWN);
  tail (schema->text, required, LK_SHAPE_OWN);
  g_ptr_array_add (schemas, schema);
}

static const Part *
own_find (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (own_parts); i++)
    if (strcmp (own_parts[i].name, name) == 0)
      return &own_parts[i];
  return NULL;
}

static void
schema_free (gpointer given)
{
  g_string_free (((LkJsonSchema *)given)->text, TRUE);
  g_free (given);
}

GPtrArray *
lk_json_schemas (void)
{
  GPtrArray *schemas = g_ptr_array_new_with_free_func (schema_free);
  for (gsize i = 0; i < G_N_ELEMENTS (own_parts); i++)
    own_add (schemas, own_parts[i].name + strlen ("own_"), &own_parts[i], NULL);
  own_add (schemas, "sinfo", own_find ("own_node"), own_find ("own_partition"));
  for (guint version = LK_SHAPE_FIRST; version <= LK_SHAPE_LAST; version++)
    for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
      foreign_add (schemas, &parts[i], version);
  return schemas;
}
