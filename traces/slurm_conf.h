/* traces/slurm_conf.h — the machine that a site's Slurm files describe.
 *
 * slurm.conf with its Include files, gres.conf, topology.conf or topology.yaml become an LkCluster;
 * a sacctmgr dump or script is checked.  Nothing is dropped in silence: every key that was found,
 * and every default that had to be assumed where versions of Slurm differ, is a row of the report,
 * with what became of it and why.
 *
 * A value that Slurm would correct with a line in its log (CPUs that fit no product) or that it
 * refuses is an error here, which names file, line and key.  A key that no version of Slurm has is
 * a row.
 *
 * The nodes stand in the natural order of their names, whatever the order of the lines, because
 * that is how slurmctld orders its node table, by which ties between nodes are decided.
 *
 * Sources: slurm.conf(5), gres.conf(5), topology.conf(5), topology.yaml(5), sacctmgr(1). */
#ifndef LK_TRACES_SLURM_CONF_H
#define LK_TRACES_SLURM_CONF_H

#include <glib.h>

#include "engine/cluster.h"
#include "traces/faults.h"
#include "traces/trace_error.h"

typedef enum {
  LK_SLURM_UNDERSTOOD,
  LK_SLURM_APPROXIMATED, /* it acts, but not in every respect */
  LK_SLURM_IGNORED,      /* the machine does not depend on it */
} LkSlurmVerdict;

/* "understood", ... */
const char *lk_slurm_verdict_name (LkSlurmVerdict verdict);

/* One row of the report. Texts are valid UTF-8 of one line. */
typedef struct {
  char *file;
  guint line_number; /* 0: what the absence of a key means */
  char *record;      /* the line's first key, "NodeName=n[1-4]"; "" for a key of the whole file */
  char *key;         /* as Slurm spells it */
  char *value;
  LkSlurmVerdict verdict;
  char *how; /* what it means here, how it is approximated, or why it is ignored */
} LkSlurmRow;

typedef struct _LkSlurmImport LkSlurmImport;

typedef struct {
  const char *conf_path;
  const char *gres_path;     /* NULL: gres.conf beside slurm.conf, if it is there */
  const char *topology_path; /* NULL: topology.yaml or topology.conf beside it, likewise */
  const char *assoc_path;    /* NULL: none */
  LkFaults *faults;          /* NULL: not wanted */
  /* What was read of slurm.conf, which must outlive the import; NULL: it is read here. */
  struct LkSlurmLines *lines;
} LkSlurmImportOptions;

/* Reads all files. `faults` gets all that is wrong, as far as it does not follow from something
 * else; for who wants that, keys that no version of Slurm has are wrong, too, and Gres of names
 * that GresTypes has not. Without it the first error ends the work. Returns: (transfer full); NULL
 * with an LK_TRACE_ERROR, one of those. */
LkSlurmImport *lk_slurm_import_new (const LkSlurmImportOptions *options, GError **error);

/* The same files as text in memory, where Include is an error. */
typedef struct {
  GBytes *conf;
  GBytes *gres; /* this and the others: NULL for none */
  GBytes *topology;
  GBytes *assoc;
  LkFaults *faults; /* as of LkSlurmImportOptions */
} LkSlurmImportTexts;
LkSlurmImport *lk_slurm_import_new_from_texts (const LkSlurmImportTexts *texts, GError **error);

void lk_slurm_import_free (LkSlurmImport *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkSlurmImport, lk_slurm_import_free)

/* Checked. Returns: (transfer none). */
const LkCluster *lk_slurm_import_cluster (const LkSlurmImport *self);
/* The files of the devices called `name` that gres.conf gives a node, whose line of the cluster is
 * `spec`: in the order in which the cluster counts them, "" where none is given. Returns: (transfer
 * full), of char *; empty: there are none. */
GPtrArray *lk_slurm_import_device_files (LkSlurmImport *self, const char *node,
                                         const LkNodeSpec *spec, const char *name);
/* Of LkSlurmRow*, file after file, each from its top. Returns: (transfer none). */
const GPtrArray *lk_slurm_import_report (const LkSlurmImport *self);
guint lk_slurm_import_count (const LkSlurmImport *self, LkSlurmVerdict verdict);

#endif
