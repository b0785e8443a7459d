/* traces/cluster_yaml_reader.h — what the parts of the reader of cluster.yaml share.
 *
 * Private to cluster_yaml_read.c, cluster_yaml_values.c and cluster_yaml_gres.c.  A function that
 * reads a value finds the cursor on the first event of the value and leaves it on the last one. */
#ifndef LK_TRACES_CLUSTER_YAML_READER_H
#define LK_TRACES_CLUSTER_YAML_READER_H

#include <glib.h>

#include "engine/cluster.h"
#include "traces/cluster_yaml_keys.h"
#include "traces/yaml_cursor.h"

/* Where the value of a member of a spec stands; "" for the spec itself, whose keys are then known
 * too. */
typedef struct {
  const void *spec;
  const char *member;
  const LkKey *keys;
  LkYamlPlace place;
} LkYamlNote;

typedef struct {
  const char *name; /* of the page */
  LkYamlCursor *cursor;
  LkCluster *cluster;
  GArray *notes; /* of LkYamlNote */
  GError **error;
  gboolean memory_is_told; /* by any group of nodes */
  /* What the group of nodes being read is made of; NULL: not said. */
  char *topology;
  gboolean topology_is_file;
  LkYamlPlace topology_place;
  /* Of the generic resource being read, before its count is known. */
  GArray *device_sockets; /* of guint32; NULL: not said */
  GArray *link_rows;      /* of guint16, a square; NULL: not said */
  guint link_count;       /* rows of the square */
  GArray *link_groups;    /* of guint64, sets of devices; NULL: not said */
} LkYamlReader;

typedef gboolean (*LkYamlItemFunc) (LkYamlReader *self, gpointer data);
typedef gboolean (*LkYamlValueFunc) (LkYamlReader *self, const LkKey *key, gpointer spec);

/* Remembers the current event as the place of a member, or of the spec itself with its keys. */
void lk_yaml_note_member (LkYamlReader *self, const void *spec, const char *member);
void lk_yaml_note_spec (LkYamlReader *self, const void *spec, const LkKey *keys);
/* Of a member, else of its spec; NULL when neither was noted. */
const LkYamlNote *lk_yaml_noted (const LkYamlReader *self, const void *spec, const char *member);

/* A mapping with keys of a table, whose values go into `spec`. The keys found are appended to
 * `seen`. */
gboolean lk_yaml_read_mapping (LkYamlReader *self, const LkKey *keys, gpointer spec,
                               GPtrArray *seen);
/* A list, each item of which `read_item` reads. */
gboolean lk_yaml_read_list (LkYamlReader *self, const char *key, LkYamlItemFunc read_item,
                            gpointer data);
/* A mapping or list must be here. */
gboolean lk_yaml_expect (const LkYamlReader *self, LkYamlKind kind, const char *what);
gboolean lk_yaml_has_key (const GPtrArray *seen, const char *key);
/* A whole number. */
gboolean lk_yaml_read_count (LkYamlReader *self, const char *key, guint32 maximum,
                             guint32 *out_count);
gboolean lk_yaml_fail_words (const LkYamlReader *self, const char *key, const char *text,
                             const char *const *words);

/* Values of members of one type, by kind; NULL for kinds that are not there. */
extern const LkYamlValueFunc lk_yaml_value_readers[LK_KEY_KIND_COUNT];
/* Generic resources of a group of nodes: their mapping or list, and the parts of one of them. */
gboolean lk_yaml_read_gres (LkYamlReader *self, const LkKey *key, gpointer spec);
gboolean lk_yaml_read_device_sockets (LkYamlReader *self, const LkKey *key, gpointer spec);
gboolean lk_yaml_read_nvlink (LkYamlReader *self, const LkKey *key, gpointer spec);
gboolean lk_yaml_read_links (LkYamlReader *self, const LkKey *key, gpointer spec);

#endif
