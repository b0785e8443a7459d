/* live/client/sacctmgr/sacctmgr_show.h — between the parts of `sacctmgr show`. */
#ifndef LK_LIVE_CLIENT_SACCTMGR_SACCTMGR_SHOW_H
#define LK_LIVE_CLIENT_SACCTMGR_SACCTMGR_SHOW_H

#include "live/client/sacctmgr/sacctmgr.h"
#include "traces/fields.h"

/* A line: what it is about is set, and all else NULL. */
typedef struct {
  const LkAssociationSpec *association;
  const LkQosSpec *qos;
  const LkAssociationSpec *account; /* whose description and organization are shown */
  const LkAssociationSpec *user;    /* any association of the user, who is shown himself */
  const char *tres;
  guint32 number; /* of the association or TRES, from 1 */
  guint depth;    /* in the tree */
  char *lineage;  /* "/phys/0-alice/"; owned */
} LkSacctmgrRow;

typedef struct {
  const LkAccounts *accounts;
  GHashTable *defaults;     /* default account, by user; borrowed texts, as all below */
  GHashTable *levels;       /* AdminLevel, of those who have one */
  GHashTable *coordinates;  /* list of accounts, of those who coordinate any */
  char *control_host;       /* of the configuration; NULL: not known here; owned */
  char *control_port;       /* likewise */
  gboolean is_tree;         /* accounts are indented */
  gboolean without_parents; /* WOPLimits: only limits that are set at the association itself */
} LkSacctmgrReport;

/* All that there are; with the names and widths of sacctmgr. */
extern const LkField lk_sacctmgr_fields[];

/* A limit of the association, or the one that it has of those above it. FALSE: none. */
gboolean lk_sacctmgr_limit (const LkSacctmgrReport *report, const LkAssociationSpec *spec,
                            guint32 kind, guint32 tres, guint64 *out_value);
/* The same as text, of an association or a QOS: "cpu=8,mem=4G"; nothing for none. */
void lk_sacctmgr_append_limit (const LkSacctmgrReport *report, const LkSacctmgrRow *row,
                               guint32 kind, GString *out);
/* Gathers what all associations of a user say of him. */
void lk_sacctmgr_report_fill (LkSacctmgrReport *report);
void lk_sacctmgr_report_clear (LkSacctmgrReport *report);
/* Slurm's number of a TRES. */
guint32 lk_sacctmgr_tres_number (const LkAccounts *accounts, guint32 tres);

#endif
