/* live/client/json/schema_main.c — writes the JSON Schemas of all answers into a folder. */
#include <stdio.h>

#include "live/client/json/schema.h"

int
main (int argc, char **argv)
{
  g_autoptr (GPtrArray) schemas = lk_json_schemas ();
  if (argc != 2) {
    fprintf (stderr, "usage: json_schema DIR\n");
    return 2;
  }
  for (guint i = 0; i < schemas->len; i++) {
    const LkJsonSchema *schema = g_ptr_array_index (schemas, i);
    g_autoptr (GError) error = NULL;
    g_autofree char *path = g_strdup_printf ("%s/%s.schema.json", argv[1], schema->name);
    g_autofree char *folder = g_path_get_dirname (path);
    if (g_mkdir_with_parents (folder, 0755) != 0) {
      fprintf (stderr, "json_schema: %s cannot be made\n", folder);
      return 1;
    }
    if (!g_file_set_contents (path, schema->text->str, (gssize)schema->text->len, &error)) {
      fprintf (stderr, "json_schema: %s\n", error->message);
      return 1;
    }
  }
  return 0;
}
