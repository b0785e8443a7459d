/* tests/live/agent_play.h — a story of an agent as a table: what happens, and what it does.
 *
 * What happens is one word and what it is about:
 *
 *   start | crash [written] | reboot | connected | wait SECONDS
 *   registered EPOCH [agent=ID] [heartbeat=SECONDS] | reported EPOCH
 *   launch RUN [epoch=E] [other_nodes] [no_script]
 *   terminate RUN [wait=SECONDS] | forget RUN
 *   signal RUN SEQ NUMBER [batch] | suspend RUN SEQ | resume RUN SEQ   [epoch=E]
 *   prolog RUN | script RUN | epilog RUN   [exit=N] [signal=N] [cancelled] [trouble=N]: it ends
 *   lost RUN: its supervisor is gone
 *   disk now | later | fails | reads_fail | done | failed
 *   creates fail | work; ports instant | slow
 *
 * Messages have term 1, or term=N.  What it does is the log of the site (agent_site.h). */
#ifndef LK_TESTS_LIVE_AGENT_PLAY_H
#define LK_TESTS_LIVE_AGENT_PLAY_H

#include "tests/live/agent_site.h"

typedef struct {
  const char *happens;
  const char *does;
} PlayRow;

void play_one (AgentSite *site, const char *happens);
/* Plays, and checks after each row what was done and lk_agent_check. */
void play_rows (AgentSite *site, const PlayRow *rows, guint row_count);

#define PLAY(site, ...)                                                                            \
  do {                                                                                             \
    static const PlayRow play_table[] = { __VA_ARGS__ };                                           \
    play_rows (site, play_table, G_N_ELEMENTS (play_table));                                       \
  } while (0)

#endif
