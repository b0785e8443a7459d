/* tests/fuzz/net_happens.h — what comes over a connection, as net_fuzz reads it: a number, u8
 * length, and that many bytes.
 *
 * The first byte of an input: bit 0, the client is under test; bits 1 and 2, the method (local,
 * key, MUNGE, key); bits 3 and 4, who the client wants to be (user, agent, standby, user); bit 5,
 * the user of a local socket is trusted. */
#ifndef LK_TESTS_FUZZ_NET_HAPPENS_H
#define LK_TESTS_FUZZ_NET_HAPPENS_H

enum {
  NET_HAPPENS_BYTES = 0,         /* just these */
  NET_HAPPENS_FRAME = 1,         /* a frame with these, not sealed */
  NET_HAPPENS_WORD = 2,          /* the next word of the honest end */
  NET_HAPPENS_SEALED = 3,        /* a message of the honest end, behind the handshake */
  NET_HAPPENS_MUNGE_SUBJECT = 4, /* MUNGE answers the end under test; any bytes: with no */
  NET_HAPPENS_MUNGE_HONEST = 5,  /* likewise the honest end */
};

#define NET_HAPPENS_SETUP(client, method, peer, trusted)                                           \
  ((client) | (method) << 1 | (peer) << 3 | (trusted) << 5)

#endif
