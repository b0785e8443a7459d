/* sim/verb_report.h — `lockstep sprio`, `lockstep sshare`, `lockstep squeue`. */
#ifndef LK_SIM_VERB_REPORT_H
#define LK_SIM_VERB_REPORT_H

int lk_verb_sprio (int argc, char **argv);
int lk_verb_sshare (int argc, char **argv);
int lk_verb_squeue (int argc, char **argv);

#endif
