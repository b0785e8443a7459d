"""tests/clients/client.py - a cluster as clients of Slurm find it, and shells that run their lines.

Each NAME_check runs the command lines of a client as it writes them, and reads what comes as it
does; no client is needed for that.  What the lines are is on the page docs/clients.md.
"""
import os
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../e2e"))
import harness  # noqa: E402
from harness import check, wait_for  # noqa: E402,F401

CONF = """ClusterName=walk
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
GresTypes=gpu
NodeName=node[1-4] CPUs=4 RealMemory=4000 Gres=gpu:2
PartitionName=main Nodes=ALL Default=YES DefaultTime=10 MaxTime=1000 State=UP
"""
ENDED = ("COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL", "OUT_OF_MEMORY")


class Shell:
    """Where a client lives: our commands come first in its PATH."""

    def __init__(self, cluster, conf=CONF):
        self.cluster = cluster
        cluster.up("--conf", harness.write(os.path.join(cluster.top, "slurm.conf"), conf))
        # Accounting makes its file when it begins, which is behind the end of `lockstep up`.
        wait_for(lambda: os.path.exists(os.path.join(cluster.dir, "accounting.sqlite"))
                 and "no such table" not in cluster.command("sacct", code=None), "sacct answers")

    def environment(self, more=None):
        known = self.cluster.environment()
        path = os.path.join(self.cluster.live, "bin") + ":" + known["PATH"]
        return {**known, "PATH": path, "USER": "root" if os.getuid() == 0 else "somebody",
                **(more or {})}

    def ask(self, line, code=0, stdin="", env=None):
        """Standard output and standard error of a line; a list is an argv, with no shell between."""
        argv = line if isinstance(line, list) else ["bash", "-c", line]
        done = subprocess.run(argv, input=stdin, text=True, capture_output=True, check=False,
                              cwd=self.cluster.work, env=self.environment(env),
                              timeout=2 * harness.WAIT_S)
        check(code is None or done.returncode == code,
              lambda: f"{line}: exit {done.returncode}, not {code}\n{done.stdout}{done.stderr}")
        return done.stdout, done.stderr

    def out(self, line, stdin="", env=None):
        """Its standard output; it has told nothing else, and ends well."""
        out, err = self.ask(line, stdin=stdin, env=env)
        check(err == "", lambda: f"{line}: {err}")
        return out

    def script(self, name, text):
        """A file in the folder of work. Returns: its path."""
        path = os.path.join(self.cluster.work, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return harness.write(path, text, 0o755)

    def state(self, job):
        """As accounting knows it; "": not at all."""
        return self.out(f"sacct -nXP -o State -j {job}").strip()

    def wait_ended(self, *jobs):
        for job in jobs:
            wait_for(lambda: self.state(job).split(" ")[0] in ENDED,
                     lambda: f"job {job} has ended: {self.state(job)}")

    def wait_running(self, job):
        wait_for(lambda: self.out(f"squeue -h -j {job} -o %T").strip() == "RUNNING",
                 f"job {job} runs")


def begin(module):
    harness.begin(module)
