"""tests/oracle/own_users.py - the users of the recordings, for who runs as root.

Where the machine does not know them they are made known to the program alone: in a mount namespace
of its own, with another passwd.  The machine's stays as it is.
"""
import os
import pwd
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../runner"))
import skipping  # noqa: E402

USERS = {"alice": 6001, "bob": 6002, "carol": 6003, "dave": 6004, "erin": 6005, "frank": 6006}
IS_INSIDE = "LK_ORACLE_USERS"


def are_there():
    try:
        return all(pwd.getpwnam(name).pw_uid == number for name, number in USERS.items())
    except KeyError:
        return False


def begin_with_users():
    """Comes back where the users are there; else runs the program again where they are, and ends."""
    if os.getuid() != 0:
        skipping.skip("needs root: jobs run as six users")
    if are_there():
        return
    if os.environ.get(IS_INSIDE):
        skipping.skip("the users of the recordings cannot be made")
    if shutil.which("setpriv") is None:
        skipping.skip("needs the program setpriv")
    why_not = skipping.no_mounts()
    if why_not:
        skipping.skip(why_not)
    with tempfile.NamedTemporaryFile("w", suffix=".passwd") as own:
        with open("/etc/passwd", encoding="utf-8") as known:
            kept = [line for line in known if line.split(":")[0] not in USERS]
        group = pwd.getpwnam("nobody").pw_gid
        own.writelines(kept)
        own.writelines(f"{name}:x:{number}:{group}::/tmp:/bin/bash\n"
                       for name, number in USERS.items())
        own.flush()
        os.chmod(own.name, 0o644)
        mount = 'mount --bind "$1" /etc/passwd || exit 1; shift; exec "$@"'
        result = subprocess.run(
            ["unshare", "--mount", "--propagation", "private", "sh", "-c", mount, "sh", own.name,
             sys.executable, *sys.argv], env={**os.environ, IS_INSIDE: "1"}, check=False)
    sys.exit(result.returncode)
