"""tests/e2e/harness.py - real daemons, real jobs: a cluster in a folder of its own, and what tests
ask of it.

A program of tests has functions case_NAME (cluster); the first line of their docstring says what
must be so.  Each case gets a folder of its own, all its processes are ended behind it, and nothing
is left.  There are no fixed ports and no fixed paths.

  PROGRAM --build DIR [--keep] [CASE...]

Exit status: 0 all is so, 1 something is not, 77 nothing could be tried on this machine.
"""
import argparse
import contextlib
import fcntl
import glob
import inspect
import json
import os
import random
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import traceback

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../runner"))
import skipping  # noqa: E402

WAIT_S = 60  # longer than anything takes on a machine that is busy
TAIL_LINES = 30  # of each log of a case that has failed
TAIL_BYTES = 200  # of each line
TAILS_MAX = 8  # logs


class Failed(Exception):
    """What should have been so, and was not."""


class Skipped(Exception):
    """What cannot be tried here, and why."""


def check(is_so, told):
    if not is_so:
        raise Failed(told() if callable(told) else told)


def wait_for(is_so, what, seconds=WAIT_S):
    """Waits until it is so. `what` says what was awaited; a function is asked for it in the end."""
    end = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > end:
            raise Failed(f"not within {seconds} s: {what() if callable(what) else what}")
        time.sleep(0.02)


def needs_root():
    if os.getuid() != 0:
        raise Skipped("needs root")


def needs_mounts():
    """Also of processes that the daemons start, which are given private directories."""
    why_not = skipping.no_mounts()
    if why_not:
        raise Skipped(why_not)


def needs_program(name):
    if shutil.which(name) is None:
        raise Skipped(f"needs the program {name}")


def become(user):
    """For a child: another user for ever, with no groups but his own."""
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)


def holder(folder):
    """Who holds the lock of a daemon's directory, as the kernel says; 0: nobody."""
    try:
        with open(os.path.join(folder, "lock"), "rb") as file:
            ask = struct.pack("hhqqi4x", fcntl.F_RDLCK, 0, 0, 0, 0)
            kind, _, _, _, pid = struct.unpack("hhqqi4x", fcntl.fcntl(file, fcntl.F_GETLK, ask))
            return 0 if kind == fcntl.F_UNLCK else pid
    except FileNotFoundError:
        return 0


def kill(pid, number=signal.SIGKILL):
    """FALSE: it has ended already. Nobody holds a lock any more (0): that is no process either."""
    if pid <= 0:
        return False
    try:
        os.kill(pid, number)
        return True
    except ProcessLookupError:
        return False


def arguments_of(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read().split(b"\0")[:-1]
    except OSError:
        return []


def free_port():
    """Of TCP, for a daemon that will listen there. None that the kernel gives to whoever connects to
    somebody, or asks for any."""
    first = int(read("/proc/sys/net/ipv4/ip_local_port_range").split()[0])
    for port in random.sample(range(10000, max(first, 11000)), 100):
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise Failed("no port is free")


def write(path, text, mode=0o644):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, mode)
    return path


def read(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def read_bytes(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def tail(title, text):
    """Its last lines, for who has to find out."""
    lines = [line[:TAIL_BYTES] for line in text.splitlines()[-TAIL_LINES:]]
    return "\n".join([f"-- {title}", *lines])


def tails(folder):
    """The ends of all logs, the controller's first."""
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    names.sort(key=lambda name: "controller" not in name)
    texts = [tail(name, read(os.path.join(folder, name))) for name in names[:TAILS_MAX]]
    return "\n".join([*texts, *(f"-- {name}" for name in names[TAILS_MAX:2 * TAILS_MAX])])


def processes(path):
    """Those that have it in their command line, and whether they stand still."""
    told = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        words = b" ".join(arguments_of(pid)).decode(errors="replace")
        state = re.search(r"^State:\s*(\S)", read(f"/proc/{pid}/status"), re.MULTILINE)
        if path in words and int(pid) != os.getpid():
            told.append(f"{pid} {state.group(1) if state else '-'} {words}")
    return tail("processes", "\n".join(told))


class Cluster:
    """A laptop cluster: its nodes are emulated, its jobs are not."""

    def __init__(self, build, top):
        self.top = top
        self.build = build
        self.live = os.path.join(build, "live")
        self.lockstep = os.path.join(build, "sim/lockstep")
        self.dir = os.path.join(top, "cluster")
        self.work = os.path.join(top, "work")  # where jobs are submitted from
        os.mkdir(self.dir, 0o700)
        os.mkdir(self.work)
        os.chmod(self.work, 0o777)
        os.chmod(top, 0o755)
        self.children = []  # what a case has started itself

    # ------------------------------------------------------------ programs

    def environment(self):
        kept = {name: os.environ[name] for name in ("PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS",
                                                    "LSAN_OPTIONS") if name in os.environ}
        return {**kept, "HOME": self.top, "LANG": "C", "LOCKSTEP_DIR": self.dir}

    def run(self, program, *arguments, code=0, says="", user=None, stdin=None, environment=None,
            stderr=subprocess.STDOUT):
        """What it prints. `code`: None if any is good. `user`: a number, of root only."""
        check(user is None or not program.startswith(f"{self.build}{os.sep}"),
              f"other users may not be able to reach {program}: lend() makes a copy for them")
        result = subprocess.run([program, *map(str, arguments)], input=stdin, text=True,
                                stdout=subprocess.PIPE, stderr=stderr, check=False,
                                env={**self.environment(), **(environment or {})}, timeout=2 * WAIT_S,
                                cwd=self.work,
                                preexec_fn=None if user is None else lambda: become(user))
        if (code is not None and result.returncode != code) or says not in result.stdout:
            raise Failed(f"{program} {' '.join(map(str, arguments))}: exit {result.returncode}, not "
                         f"{code}; '{says}' should be in: {result.stdout}")
        return result.stdout

    def verb(self, *arguments, **expected):
        return self.run(self.lockstep, *arguments, **expected)

    def command(self, name, *arguments, **expected):
        return self.run(os.path.join(self.live, "bin", name), *arguments, **expected)

    def up(self, *arguments):
        return self.verb("up", *arguments)

    def down(self):
        return self.verb("down")

    # ------------------------------------------------------------ jobs

    def submit(self, *arguments, **expected):
        """The job's number."""
        return int(self.command("sbatch", "--parsable", *arguments, **expected).split(";")[0])

    def insist(self, *arguments):
        """What sbatch says, of a job that it is to submit: again and again while the controller
        cannot be reached, which is longer than sbatch waits itself where the machine is busy."""
        end = time.monotonic() + WAIT_S
        while True:
            told = self.command("sbatch", "--parsable", *arguments, code=None)
            if "Unable to contact" not in told or time.monotonic() > end:
                return told.strip()

    def queue(self):
        """States by what squeue calls the jobs, as "12" or "12_3"."""
        told = self.command("squeue", "-h", "-a", "-r", "-o", "%i %t")
        return dict(line.split() for line in told.splitlines())

    def wait_empty(self):
        """All jobs have ended."""
        wait_for(lambda: not self.queue(), lambda: f"the queue is empty: {self.queue()}")

    def wait_state(self, job, state):
        wait_for(lambda: self.queue().get(str(job)) == state,
                 lambda: f"job {job} is {state}: {self.queue()}")

    def output(self, name):
        return read(os.path.join(self.work, name))

    # ------------------------------------------------------------ the journal

    def journal_path(self):
        return os.path.join(self.dir, "controller", "journal")

    def journal(self):
        """Its events with their decisions, in their order."""
        told = self.verb("journal", "print", self.journal_path(), code=None,
                         stderr=subprocess.DEVNULL)
        return [json.loads(line) for line in told.splitlines()]

    def states(self):
        """The last state that users were told of each job, by its number."""
        states = {}
        for entry in self.journal():
            for decision in entry.get("decisions", []):
                if decision["decision"] == "notice":
                    states[decision["job_id"]] = decision["state_name"]
        return states

    def events(self, kind):
        return [entry["event"] for entry in self.journal() if entry["event"]["event"] == kind]

    def check_journal(self):
        """A fresh engine decides the same, and the auditor finds nothing. The digest."""
        told = self.verb("replay", self.journal_path(), says="same decisions")
        self.verb("verify", self.journal_path(), says="nothing found")
        return told.split("digest ")[1].split(",")[0]

    # ------------------------------------------------------------ processes

    def log(self, name="controller"):
        return read(os.path.join(self.dir, "log", f"{name}.log"))

    def nodes(self):
        return sorted(os.listdir(os.path.join(self.dir, "agents")))

    def controller(self):
        return holder(os.path.join(self.dir, "controller"))

    def agent(self, node):
        return holder(os.path.join(self.dir, "agents", node))

    def supervisors(self):
        mark = os.path.join(self.dir, "agents").encode()
        pids = [int(name) for name in os.listdir("/proc") if name.isdigit()]
        told = ((pid, arguments_of(pid)) for pid in pids)
        return [pid for pid, words in told
                if words and words[0].endswith(b"lockstep-step") and any(mark in w for w in words)]

    def spawn(self, *arguments, **options):
        """A process of the case's own, ended behind it."""
        child = subprocess.Popen([*map(str, arguments)], cwd=self.work,
                                 env=options.pop("env", self.environment()), **options)
        self.children.append(child)
        return child

    def tails(self):
        """What there is to see of it, for who has to find out."""
        journal = self.verb("journal", "print", self.journal_path(), code=None)
        return "\n".join([tails(os.path.join(self.dir, "log")), tail("journal", journal),
                          tail("ran", self.output("ran")), processes(self.dir)])

    def close(self):
        for child in self.children:
            child.kill()
            child.wait()
        self.verb("down", "--dir", self.dir, code=None)


# ---------------------------------------------------------------- what other users can reach

def copy_programs(build, folder, names=("sim/lockstep", "live/lockstep*")):
    """Programs of a build where every user can reach them, which a build directory need not be: it
    may be in root's home. `folder`, with the layout of a build."""
    for name in names:
        for program in glob.glob(os.path.join(build, name)):
            place = os.path.join(folder, os.path.dirname(name))
            os.makedirs(place, mode=0o755, exist_ok=True)
            shutil.copy(program, place)
    os.makedirs(os.path.join(folder, "live/bin"), exist_ok=True)
    for name in os.listdir(os.path.join(build, "live/bin")):
        os.symlink("../lockstep-client", os.path.join(folder, "live/bin", name))
    return folder


def lend(cluster):
    """The commands of a cluster, for other users."""
    build = os.path.dirname(cluster.live)
    cluster.live = os.path.join(copy_programs(build, cluster.top, ["live/lockstep-client"]), "live")


# ---------------------------------------------------------------- the program of tests

def run_case(name, case, options):
    top = tempfile.mkdtemp(prefix=f"lk-e2e-{name}-")
    cluster = Cluster(os.path.abspath(options.build), top)
    begin = time.monotonic()
    try:
        case(cluster)
        print(f"ok   {name}, {time.monotonic() - begin:.1f} s", flush=True)
        return "ok"
    except Skipped as skipped:
        skipping.report(skipped, name)
        return "skip"
    except Exception:
        print(f"FAIL {name}: {inspect.getdoc(case).splitlines()[0]}\n{traceback.format_exc()}",
              flush=True)
        print(cluster.tails(), flush=True)
        return "fail"
    finally:
        cluster.close()
        if not options.keep:
            shutil.rmtree(top, ignore_errors=True)


def main(module):
    parser = argparse.ArgumentParser(description=module["__doc__"].splitlines()[0])
    parser.add_argument("--build", required=True, help="folder of the build")
    parser.add_argument("--keep", action="store_true", help="leave the folders of the cases")
    parser.add_argument("cases", nargs="*")
    options = parser.parse_args()
    cases = {name[5:]: case for name, case in module.items() if name.startswith("case_")}
    results = [run_case(name, cases[name], options) for name in options.cases or cases]
    if "fail" in results:
        return 1
    return skipping.SKIPPED if set(results) == {"skip"} else 0


def begin(module):
    """SIGTERM ends a case as an error would."""
    def end(*_):
        raise Failed("SIGTERM")
    signal.signal(signal.SIGTERM, end)
    sys.exit(main(module))
