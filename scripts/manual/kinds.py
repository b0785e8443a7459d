"""What the values of options are, so that a shell can offer some.

A kind is a word that the shells know how to ask for (jobs, partitions ...), or "words A B C".
"""
import re

STATES = ("PENDING RUNNING SUSPENDED COMPLETED CANCELLED FAILED TIMEOUT NODE_FAIL PREEMPTED "
          "COMPLETING OUT_OF_MEMORY REQUEUED DEADLINE CONFIGURING")
NODE_STATES = "idle alloc mixed down drain drained draining fail comp resv unk"

# By the option's name, for commands of Slurm's names.
BY_NAME = {
    "account": "accounts", "accounts": "accounts", "acctg-freq": "", "partition": "partitions",
    "partitions": "partitions", "job": "jobs", "jobs": "jobs", "jobid": "jobs", "nodelist": "nodes",
    "nodefile": "files", "exclude": "nodes", "node": "nodes", "user": "users", "users": "users",
    "uid": "users", "uids": "users", "gid": "groups", "group": "groups", "qos": "qos",
    "reservation": "reservations", "constraint": "features", "prefer": "features",
    "chdir": "folders", "output": "files", "error": "files", "input": "files", "file": "files",
    "export-file": "files", "multi-prog": "none", "licenses": "licenses", "dependency": "dependency",
    "mail-user": "users", "distribution": "words block cyclic plane= arbitrary",
    "open-mode": "words append truncate", "kill-on-invalid-dep": "words yes no",
    "hint": "words compute_bound memory_bound multithread nomultithread",
    "export": "words ALL NIL NONE", "exclusive": "words user mcs topo",
    "mail-type": "words NONE BEGIN END FAIL REQUEUE ALL INVALID_DEPEND TIME_LIMIT TIME_LIMIT_90 "
                 "TIME_LIMIT_80 TIME_LIMIT_50 ARRAY_TASKS",
    "propagate": "words ALL NONE AS CORE CPU DATA FSIZE MEMLOCK NOFILE NPROC RSS STACK",
    "signal": "signals", "mpi": "words none pmi2 pmix list", "no-kill": "words off",
    "json": "words list lockstep v0.0.42 v0.0.43 v0.0.44 v0.0.45",
    "yaml": "words list lockstep v0.0.42 v0.0.43 v0.0.44 v0.0.45",
    "begin": "words now today tomorrow midnight noon teatime",
}
BY_COMMAND = {
    ("squeue", "states"): "words all " + STATES, ("sacct", "state"): "words " + STATES,
    ("scancel", "state"): "words PENDING RUNNING SUSPENDED", ("sinfo", "states"): "words " + NODE_STATES,
    ("sinfo", "nodes"): "nodes", ("sprio", "nodes"): "nodes", ("scancel", "nodelist"): "nodes",
    ("sacct", "name"): "", ("sacct", "format"): "", ("scancel", "signal"): "signals",
    ("srun", "signal"): "signals",
}
# Without an option; "" where nothing can be offered.
OPERANDS = {"sbatch": "files", "scancel": "jobs", "salloc": "commands", "srun": "commands",
            "sattach": "jobs", "sbcast": "files", "sstat": "", "seff": "jobs"}
SEAMS = ("order", "backfill", "select", "limits", "preempt")
FOLDER = re.compile(r"\bDIR\b")
FILE = re.compile(r"FILE|PATH|CONF|JOURNAL|TRACE|LOG\b|PLAN|PROGRAM|SQLITE|\.yaml|\.sh|\.so|DIR")


def of_metavar(metavar):
    """What GOption's name of a value tells."""
    if FOLDER.fullmatch(metavar.strip(".")):
        return "folders"
    if FILE.search(metavar):
        return "files"
    if re.fullmatch(r"[a-z0-9-]+(\|[a-z0-9-]+)+", metavar):
        return "words " + metavar.replace("|", " ")
    return ""


def of_option(command, option):
    """What may stand as its value; "" where that is not known."""
    if option.value == "no":
        return ""
    if command.is_slurm:
        return BY_COMMAND.get((command.name, option.name), BY_NAME.get(option.name, ""))
    if option.name in SEAMS:
        return "policies " + option.name
    if option.name == "seam":
        return "words " + " ".join(SEAMS)
    return {"cluster": "clusters", "user": "users"}.get(option.name) or of_metavar(option.metavar)


def of_operands(command):
    """What may stand where no option does."""
    if command.is_slurm:
        return OPERANDS.get(command.name, "")
    if command.name == "lockstep cluster":
        return "clusters"
    operands = re.sub(r"\[OPTIONS[^]]*\]", "", command.usage)
    if command.words:
        return "files" if FILE.search(operands) else ""
    return of_metavar(operands) or ("files" if FILE.search(operands) else "")


# What scontrol and sacctmgr have behind their first word.
SECOND_WORDS = {
    "scontrol": {
        "hold": "jobs", "release": "jobs", "requeue": "jobs", "requeuehold": "jobs", "resume": "jobs",
        "suspend": "jobs", "uhold": "jobs", "top": "jobs", "show": "show", "write": "words batch_script",
        "update": "words jobid= nodename= partitionname= reservationname=",
        "create": "words reservation", "delete": "words reservationname=",
    },
    "sacctmgr": {
        "add": "words account user qos", "delete": "words account user qos",
        "modify": "words account user qos",
        "list": "words associations accounts clusters config events qos transactions tres users",
        "load": "files",
    },
    "sreport": {},
}
THIRD_WORDS = {
    ("show", "job"): "jobs", ("show", "node"): "nodes", ("show", "partition"): "partitions",
    ("show", "reservation"): "reservations", ("show", "hostnames"): "nodes",
    ("show", "hostlist"): "nodes", ("show", "hostlistsorted"): "nodes",
    ("write", "batch_script"): "jobs",
}

# Behind which words the keys of a kind may stand.
KEYS = {
    "key of jobs": ("scontrol update jobid=",), "key of nodes": ("scontrol update nodename=",),
    "key of partitions": ("scontrol update partitionname=",),
    "key of reservations": ("scontrol update reservationname=", "scontrol create reservation"),
}
# What stands behind "KEY=", of scontrol, sacctmgr and sreport.
KEY_VALUES = {
    "jobid": "jobs", "nodename": "nodes", "nodes": "nodes", "nodelist": "nodes", "reqnodelist": "nodes",
    "excnodelist": "nodes", "partitionname": "partitions", "partition": "partitions",
    "partitions": "partitions", "reservationname": "reservations", "reservation": "reservations",
    "account": "accounts", "accounts": "accounts", "parent": "accounts", "user": "users",
    "users": "users", "groups": "groups", "qos": "qos", "defaultqos": "qos", "defaultaccount": "accounts",
    "features": "features", "licenses": "licenses", "dependency": "dependency", "file": "files",
    "state": "words DOWN DRAIN RESUME UNDRAIN IDLE FAIL UP INACTIVE",
    "flags": "words MAINT OVERLAP IGNORE_JOBS DAILY WEEKLY WEEKDAY WEEKEND FLEX MAGNETIC SPEC_NODES "
             "ANY_NODES PURGE_COMP REPLACE_DOWN NO_HOLD_JOBS_AFTER_END",
}
