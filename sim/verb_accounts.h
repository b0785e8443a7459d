/* sim/verb_accounts.h — `lockstep accounts`: looks at, checks and converts accounts. */
#ifndef LK_SIM_VERB_ACCOUNTS_H
#define LK_SIM_VERB_ACCOUNTS_H

/* Returns the exit code. */
int lk_verb_accounts (int argc, char **argv);

#endif
