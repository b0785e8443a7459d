/* sim/page/verb_page.h — `lockstep report`. */
#ifndef LK_SIM_VERB_PAGE_H
#define LK_SIM_VERB_PAGE_H

int lk_verb_page (int argc, char **argv);

#endif
