/* live/client/keygen.h — `lockstep keygen`: makes, changes and hands out keys of a cluster. */
#ifndef LK_LIVE_CLIENT_KEYGEN_H
#define LK_LIVE_CLIENT_KEYGEN_H

/* As main: argv[0] is not read. Returns: the exit status; 2: the command line is wrong. */
int lk_keygen_main (int argc, char **argv);

#endif
