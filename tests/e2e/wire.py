"""tests/e2e/wire.py - what comes to the controller's socket: frames of any kind, and a relay that
puts the words of one user into the mouth of another.

A frame is u32 length, little endian, and a message: u8 kind and its fields (docs/formats-wire.md).
"""
import contextlib
import multiprocessing
import os
import select
import socket
import struct
import threading
import time

import harness

SUBMIT, REGISTER, FOLLOW, HELLO, PROOF, WELCOME, FAREWELL = 1, 40, 60, 70, 72, 73, 74
USER, AGENT, CONTROLLER, STANDBY = 1, 2, 3, 4
LOCAL, KEY, MUNGE = 1, 2, 3
VERSION, METHOD, DENIED, ROLE, GARBAGE = 1, 2, 3, 4, 5  # why not


def frame(message):
    return struct.pack("<I", len(message)) + message


def hello(peer=USER, method=LOCAL, user=0, node=b"", version=1):
    return (struct.pack("<BHBBI", HELLO, version, peer, method, user)
            + struct.pack("<H", len(node)) + node + struct.pack("<I", 32) + os.urandom(32))


def connect(path):
    """Long paths are no addresses of sockets: by way of the folder."""
    folder = os.open(os.path.dirname(path), os.O_RDONLY | os.O_DIRECTORY)
    stream = socket.socket(socket.AF_UNIX)
    try:
        stream.connect(f"/proc/self/fd/{folder}/{os.path.basename(path)}")
    finally:
        os.close(folder)
    return stream


def answer(stream, seconds=harness.WAIT_S):
    """All that comes until the other end closes; None: it does not."""
    got = b""
    end = time.monotonic() + seconds
    while select.select([stream], [], [], max(0, end - time.monotonic()))[0]:
        try:
            piece = stream.recv(65536)
        except ConnectionError:
            return got
        if not piece:
            return got
        got += piece
    return None


def in_child(function):
    """TRUE: it has come to its end, in a process that may become another user."""
    child = multiprocessing.get_context("fork").Process(target=function)
    child.start()
    child.join()
    return child.exitcode == 0


def pump(one, other):
    while True:
        for stream in select.select([one, other], [], [])[0]:
            piece = stream.recv(65536)
            if not piece:
                return
            (other if stream is one else one).sendall(piece)


def relay(listener, path, user):
    """Each connection is one of `user` to the controller, whoever has made it."""
    harness.become(user)
    while True:
        one, _ = listener.accept()
        with one, connect(path) as other:
            try:
                pump(one, other)
            except OSError:
                pass


class Relay:
    """A socket in a folder of its own, as if it were the controller's; of root."""

    def __init__(self, cluster, as_user):
        self.dir = os.path.join(cluster.top, f"relay-{as_user}")
        os.mkdir(self.dir)
        path = os.path.join(self.dir, "controller.sock")
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(path)
        os.chmod(path, 0o777)
        self.listener.listen()
        self.process = multiprocessing.get_context("fork").Process(
            target=relay, args=(self.listener, os.path.join(cluster.dir, "controller.sock"), as_user))

    def __enter__(self):
        self.process.start()
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.join()
        self.listener.close()


class TcpRelay:
    """Who sits on the way: hears all that the client says, and may say it twice."""

    def __init__(self, port, doubles=False):
        self.target = port
        self.doubles = doubles
        self.doubled = 0
        self.heard = b""
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.thread = threading.Thread(target=self.serve, daemon=True)

    def serve(self):
        while True:
            try:
                one, _ = self.listener.accept()
            except OSError:
                return
            with one, socket.create_connection(("127.0.0.1", self.target)) as other:
                with contextlib.suppress(OSError):
                    self.pump(one, other)

    def pump(self, one, other):
        while True:
            for stream in select.select([one, other], [], [], 10)[0]:
                piece = stream.recv(65536)
                if not piece:
                    return
                if stream is other:
                    one.sendall(piece)
                    continue
                self.heard += piece
                # Behind the handshake, whose frames are short.
                if self.doubles and len(piece) > 500:
                    self.doubled += 1
                    piece *= 2
                other.sendall(piece)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.listener.close()
