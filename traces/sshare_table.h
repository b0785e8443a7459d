/* traces/sshare_table.h — shares, use and fairshare of associations, laid out as sshare does it.
 *
 * Rows stand in the order of lineages, "/phys/hep/0-alice/", so that the users of an account come
 * before the accounts below it.  What an order without fairshare leaves unknown is empty or 0 where
 * sshare has it so under priority/basic.  Who fills the rows: a simulation (sim/report_sshare.c)
 * and the command (live/client/accounting/sshare.c).  Sources: sshare(1), the recordings in
 * tests/fixtures/slurm-prio. */
#ifndef LK_TRACES_SSHARE_TABLE_H
#define LK_TRACES_SSHARE_TABLE_H

#include "engine/accounts.h"
#include "traces/fields.h"

/* Names of columns, for whoever names one that there is not. */
#define LK_SSHARE_COLUMNS                                                                          \
  "Account, User, Partition, RawShares, NormShares, RawUsage, NormUsage, EffectvUsage, "           \
  "FairShare, LevelFS, GrpTRESMins or TRESRunMins"

typedef struct {
  guint32 association; /* its place among all: 0 is the root */
  guint depth;         /* in the tree of all accounts */
  guint shown_depth;   /* among the rows that are listed; lk_sshare_write sets it */
  char *lineage;       /* owned */
  const LkAssociationSpec *spec;
  guint32 shares;
  double usage_raw;
  gboolean has_parts; /* FALSE: the order makes nothing of it */
  LkShareParts parts;
  const char *limits;      /* "cpu=100": GrpTRESMins */
  const char *run_minutes; /* "cpu=3,mem=1500": TRESRunMins */
} LkSshareRow;

/* Names account and place of a row: `association` of these accounts. */
void lk_sshare_row_init (LkSshareRow *self, const LkAccounts *accounts, guint32 association);
void lk_sshare_row_clear (LkSshareRow *self);
/* In order, of LkSshareRow*; for g_ptr_array_sort. */
gint lk_sshare_row_compare (gconstpointer a, gconstpointer b);

typedef struct {
  LkFieldStyle style;
  gboolean is_long;      /* -l */
  gboolean by_partition; /* -m */
  const char *format;    /* -o; NULL: the default columns */
} LkSshareLayout;
/* Is a word of the format wrong? Returns: (transfer full) it; NULL: none is. */
char *lk_sshare_wrong (const char *format);
/* Names of all columns, with blanks between. Returns: (transfer full). */
char *lk_sshare_names (void);
/* Appends rows that begin with an LkSshareRow, and sets their shown_depth; the format is valid. */
void lk_sshare_write (const LkSshareLayout *layout, const GPtrArray *rows, GString *out);

/* Who is shown. */
typedef struct {
  char **accounts; /* NULL: all; so is that below */
  char **users;
  gboolean all_users;     /* -a */
  gboolean only_users;    /* -U */
  const char *asker_name; /* who names nobody is shown himself */
} LkSshareFilter;
gboolean lk_sshare_wants (const LkSshareFilter *filter, const LkAssociationSpec *spec);

#endif
