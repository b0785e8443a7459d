"""tests/runner/skipping.py - how a test reports that it, or a part of it, cannot be tried here.

One line of TAP for each, as programs of g_test print it: `ok NAME # SKIP REASON`.  A program of
which nothing could be tried exits with 77.  scripts/test lists all reasons at its end (skips).
"""
import os
import shutil
import subprocess
import sys

SKIPPED = 77


def report(why, name=""):
    """`name`: the part of the program that is skipped; empty for all of it."""
    one_line = " ".join(str(why).split())
    print(f"ok {name} # SKIP {one_line}" if name else f"ok # SKIP {one_line}", flush=True)


def skip(why, name=""):
    """Ends the program."""
    report(why, name)
    sys.exit(SKIPPED)


def case(test, why):
    """A case of unittest."""
    report(why, test.id())
    test.skipTest(why)


def no_mounts(unshare="unshare"):
    """Why a program cannot have mounts of its own here; empty when it can."""
    if os.getuid() != 0:
        return "needs root, to have mounts of its own"
    if shutil.which(unshare) is None:
        return "needs the program unshare"
    probe = subprocess.run([unshare, "--mount", "--propagation", "private", "true"],
                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                           check=False)
    if probe.returncode == 0:
        return ""
    why = "the root directory is not a mount point, as in a plain chroot"
    if is_mounted_root():
        why = "the kernel does not allow it"
    return f"mounts of its own cannot be made: {why} ({probe.stderr.strip()})"


def is_mounted_root():
    """The root directory of a chroot is no mount, though os.path.ismount takes any root for one."""
    with open("/proc/self/mountinfo", encoding="utf-8") as mounts:
        return any(line.split()[4] == "/" for line in mounts)
