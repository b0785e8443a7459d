/* live/client/submit/option_variables.h — variables of sbatch, salloc and srun that are options.
 *
 * Each command has a table of them (LkClient has it, too, from where the command begins).  What a
 * variable asks for is what its option asks for; of several for one option the last of the table
 * counts.  An error about a value that came from a variable names that.
 *
 * Source: sbatch(1), salloc(1), srun(1), INPUT ENVIRONMENT VARIABLES. */
#ifndef LK_LIVE_CLIENT_SUBMIT_OPTION_VARIABLES_H
#define LK_LIVE_CLIENT_SUBMIT_OPTION_VARIABLES_H

#include "live/client/client.h"

typedef enum {
  LK_GIVES_VALUE,
  LK_GIVES_FLAG,   /* where it is empty, "yes", or a number but 0 */
  LK_GIVES_EITHER, /* a value, unless it is empty */
  LK_GIVES_COUNT,  /* as often as its number says */
  LK_GIVES_PART,   /* a part of the value, which others make up with it: see lk_option_switches */
} LkOptionGives;

typedef struct _LkOptionVariable {
  const char *variable;
  const char *option;
  LkOptionGives gives;
} LkOptionVariable;

/* How often it asks for its option; `value`: NULL where it is not set. */
guint lk_option_variable_count (const LkOptionVariable *variable, const char *value);
/* Has the word of its option a value then? */
gboolean lk_option_variable_has_value (const LkOptionVariable *variable, const char *value);
#define LK_OPTION_UMASK_NONE G_MAXUINT16
/* What SLURM_UMASK asks for; LK_OPTION_UMASK_NONE: nothing, as within a job, which is told its own
 * by it. FALSE: it is no mask. */
gboolean lk_option_umask_parse (const LkClient *client, guint16 *out_mask);
/* Are the numbers of LK_GIVES_COUNT such, and SLURM_UMASK? FALSE: told. */
gboolean lk_option_variables_check (const LkClient *client);
/* "2@10" of the variables of --switches; NULL: none is set. Returns: (transfer full). */
char *lk_option_switches (const LkClient *client);
/* The variable that gives an option this value ("" or NULL: it has none); NULL: none does. */
const char *lk_option_variable_of (const LkClient *client, const char *option, const char *value);
/* As lk_client_error, of an option with this value, behind the variable that gives it, if one
 * does: "SBATCH_TIMELIMIT: Invalid --time specification". */
void lk_option_error (const LkClient *client, const char *option, const char *value,
                      const char *format, ...) G_GNUC_PRINTF (4, 5);
/* The table for docs/variables.md. */
void lk_option_variables_markdown (const LkOptionVariable *variables, guint count, GString *out);

#endif
