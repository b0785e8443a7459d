"""tests/sim/cluster_ledger.py - a small machine, jobs for it, and who holds what of it.

For cluster_check.  The machine is written as a page of YAML and known here as a table; jobs are
made at random, with every way to ask for nodes, CPUs, memory and GPUs that all select policies can
satisfy; the ledger goes through the runs of a schedule and fails where two jobs hold the same.
"""
import collections
import random
import re

GIB = 1024  # MiB
REQUEUE_DELAY_S = 30
DEFAULT_MIB_PER_CPU = GIB

Group = collections.namedtuple("Group", "letter count sockets cores threads gib weight features "
                               "gpu_type gpus shares reserved_cores reserved_gib")
GROUPS = (Group("a", 4, 2, 4, 1, 32, 10, ("fast", "ib"), "a100", 2, 100, 0, 0),
          Group("b", 4, 1, 8, 2, 64, 5, ("slow", "ib"), "", 0, 0, 0, 0),
          Group("c", 2, 2, 8, 1, 128, 20, ("fast",), "h100", 4, 0, 1, 8))
PARTITIONS = {"main": "abc", "thin": "ab", "gpu": "ac", "short": "ab"}
# Of partition short.
MAX_TIME_S = 120
MAX_NODES = 2

Node = collections.namedtuple("Node", "cores threads mib gpus gpu_type shares features")
Run = collections.namedtuple("Run", "job start end nodes cores gpus shares")

# What a job asks for.  `features` is a list of alternatives, each a set that a node has to have.
Request = collections.namedtuple(
    "Request", "job submit run limit tasks cpus nodes per_node partition features nodelist exclude "
    "exclusive mib_per_node mib_per_cpu mib_per_gpu gpus gpus_per_node gpus_per_task gpu_type "
    "shares no_requeue")
NOTHING = Request(0, 0, 0, 0, 1, 1, None, 0, "main", (), (), (), False, 0, 0, 0, 0, 0, 0, "", 0,
                  False)


def machine_page(enforce=True, name="small", topology="tree"):
    """The page of YAML that describes GROUPS."""
    page = [f"name: {name}", f"enforce_limits: {'true' if enforce else 'false'}",
            f"requeue_delay: {REQUEUE_DELAY_S}s", f"def_mem_per_cpu: {DEFAULT_MIB_PER_CPU}MiB",
            "nodes:"]
    for group in GROUPS:
        page += [f"  - names: {group.letter}[1-{group.count}]", f"    sockets: {group.sockets}",
                 f"    cores: {group.cores}", f"    threads: {group.threads}",
                 f"    memory: {group.gib}GiB", f"    weight: {group.weight}",
                 f"    features: [{', '.join(group.features)}]"]
        if group.gpus:
            page += ["    gres:", "      gpu:", f"        type: {group.gpu_type}",
                     f"        count: {group.gpus}"]
        if group.shares:
            page.append(f"      shard: {group.shares * group.gpus}")
        if group.reserved_cores:
            page.append(f"    reserved: {{cores: {group.reserved_cores}, "
                        f"memory: {group.reserved_gib}GiB}}")
    page.append("partitions:")
    counts = {group.letter: group.count for group in GROUPS}
    for partition, letters in PARTITIONS.items():
        nodes = ",".join(f"{letter}[1-{counts[letter]}]" for letter in letters)
        limits = f", max_time: {MAX_TIME_S}s, max_nodes: {MAX_NODES}" * (partition == "short")
        page.append(f"  - {{name: {partition}, nodes: '{nodes}'{limits}}}")
    if topology == "tree":
        page += ["topology:", "  kind: tree", "  switches:"]
        page += [f"    - {{name: s{letter}, nodes: '{letter}[1-{count}]'}}"
                 for letter, count in counts.items()]
        page.append("    - {name: top, switches: 'sa,sb,sc'}")
    return "\n".join(page) + "\n"


def machine_nodes():
    """The same as Nodes by name, as jobs may use them."""
    return {f"{group.letter}{i + 1}":
            Node(group.sockets * group.cores - group.reserved_cores, group.threads,
                 (group.gib - group.reserved_gib) * GIB, group.gpus, group.gpu_type, group.shares,
                 set(group.features))
            for group in GROUPS for i in range(group.count)}


def shown_nodes(shown):
    """Nodes of what `cluster show --json` printed."""
    nodes = {}
    for spec in shown["nodes"]:
        gres = {entry["name"]: entry for entry in spec["gres"]}
        gpus = sum(entry["count"] for entry in spec["gres"] if entry["name"] == "gpu")
        shares = sum(gres[name]["count"] for name in ("shard", "mps") if name in gres)
        node = Node(spec["sockets"] * spec["cores_per_socket"] - spec["cores_reserved"],
                    spec["threads_per_core"],
                    (spec["memory_bytes"] - spec["memory_reserved_bytes"]) // 2**20, gpus,
                    gres["gpu"]["type"] if gpus else "", shares // max(gpus, 1),
                    set(spec["features"]))
        nodes.update((name, node) for name in hostlist(spec["names"]))
    return nodes


def number_list(text):
    """0-3,7 as a list."""
    numbers = []
    for part in text.split(","):
        low, _, high = part.partition("-")
        numbers += range(int(low), int(high or low) + 1)
    return numbers


def hostlist(text):
    """n[1-2,08],m as names; at most one bracket a name."""
    names = []
    for word in re.findall(r"(?:[^,\[]|\[[^\]]*\])+", text):
        match = re.fullmatch(r"(.*)\[(.*)\](.*)", word)
        if match is None:
            names.append(word)
            continue
        for part in match[2].split(","):
            low, _, high = part.partition("-")
            names += [f"{match[1]}{i:0{len(low)}}{match[3]}"
                      for i in range(int(low), int(high or low) + 1)]
    return names


def by_node(text):
    """n[1-2]=WHAT;n3=WHAT as {name: WHAT}."""
    pairs = (part.split("=", 1) for part in text.split(";") if part)
    return {name: what for names, what in pairs for name in hostlist(names)}


def placed(job, start, end, row):
    """A Run of the columns nodes, cores and gres."""
    gpus = {}
    shares = {}
    for name, what in by_node(row["gres"]).items():
        for part in what.split("|"):
            share = re.fullmatch(r"(?:shard|mps)\*(\d+)@(\d+)", part)
            if share is not None:
                shares[name] = (int(share[2]), int(share[1]))
            elif part.startswith("gpu:"):
                gpus[name] = number_list(part[4:])
    cores = {name: number_list(what) for name, what in by_node(row["cores"]).items()}
    return Run(job, start, end, hostlist(row["nodes"]), cores, gpus, shares)


def arguments(request):
    """As sbatch takes them."""
    words = [f"-n {request.tasks}", f"-c {request.cpus}", f"-p {request.partition}"]
    if request.nodes is not None:
        words.append("-N {}-{}".format(*request.nodes))
    if request.per_node:
        words.append(f"--ntasks-per-node={request.per_node}")
    if request.features:
        words.append("--constraint=" + "|".join("&".join(sorted(all_of))
                                                for all_of in request.features))
    for option, names in (("-w", request.nodelist), ("-x", request.exclude)):
        if names:
            words.append(f"{option} {','.join(names)}")
    words += ["--exclusive"] * request.exclusive + ["--no-requeue"] * request.no_requeue
    for option, value in (("--mem", request.mib_per_node), ("--mem-per-cpu", request.mib_per_cpu),
                          ("--mem-per-gpu", request.mib_per_gpu)):
        words += [f"{option}={value}M"] * (value > 0)
    colon = request.gpu_type + ":" if request.gpu_type else ""
    for option, value in (("--gpus", request.gpus), ("--gpus-per-node", request.gpus_per_node),
                          ("--gpus-per-task", request.gpus_per_task)):
        words += [f"{option}={colon}{value}"] * (value > 0)
    words += [f"--gres=shard:{request.shares}"] * (request.shares > 0)
    return " ".join(words)


def random_request(chance, base):
    """One that the machine can satisfy under every select policy."""
    kind = chance.randrange(9)
    memory = chance.choice(({}, {"mib_per_cpu": 512}, {"mib_per_cpu": 2 * GIB},
                            {"mib_per_node": 700}, {"mib_per_node": 20 * GIB}))
    base = base._replace(tasks=chance.randint(1, 12), **memory)
    if kind == 0:
        return base._replace(tasks=chance.randint(1, 30))
    if kind == 1:
        fewest = chance.randint(1, 3)
        return base._replace(nodes=(fewest, fewest + chance.randint(0, 2)), tasks=3,
                             cpus=chance.randint(1, 3))
    if kind == 2:
        return base._replace(tasks=1, shares=chance.choice((20, 46, 50, 80)), nodes=(1, 1))
    if kind == 3:
        fewest = chance.randint(1, 3)
        return base._replace(nodes=(fewest, fewest), tasks=fewest,
                             gpus_per_node=chance.randint(1, 2), partition="gpu")
    if kind == 4:
        return base._replace(gpus=chance.randint(1, 6), nodes=(1, 4), tasks=4,
                             mib_per_cpu=0, mib_per_node=0, mib_per_gpu=chance.choice((0, 3000)))
    if kind == 5:
        return base._replace(tasks=chance.randint(1, 3), gpus_per_task=1, gpu_type="h100")
    if kind == 6:
        return base._replace(exclusive=True, tasks=chance.randint(1, 4))
    if kind == 7:
        per_node = chance.randint(1, 4)
        return base._replace(nodes=(2, 2), tasks=2 * per_node, per_node=per_node, cpus=2,
                             exclude=("a1", "b3"))
    return base._replace(nodelist=(chance.choice(("a2", "b1", "b4")),), partition="thin",
                         tasks=chance.randint(1, 8))


def workload(seed, count):
    """Requests in order of submission, numbered from 1."""
    chance = random.Random(seed)
    requests = []
    now = 0
    for i in range(count):
        now += chance.choice((0, 0, 1, 2, 5, 20))
        run = chance.choice((1, 5, 30, 100, 150))
        base = NOTHING._replace(job=i + 1, submit=now, run=run, limit=chance.choice((1, 2, 5)) * 60)
        request = random_request(chance, base)
        if not (request.nodelist or request.shares or request.gpus_per_task or request.gpus):
            request = request._replace(features=chance.choice((
                (), (), ({"fast"},), ({"ib"},), ({"fast"}, {"slow"}))))
        requests.append(request)
    return requests


def event_lines(requests):
    return "".join(f"-dt {request.submit} -e submit_batch_job | -jid {request.job} "
                   f"-sim-walltime {request.run} --uid=u{request.job % 3} -t {request.limit // 60} "
                   f"{arguments(request)} pseudo.job\n" for request in requests)


class Ledger:
    """Who holds what of a machine; every mistake is an AssertionError."""

    def __init__(self, nodes):
        self.nodes = nodes
        self.cores = {}
        self.devices = {}
        self.shares = collections.Counter()
        self.mib = collections.Counter()
        self.jobs = collections.defaultdict(set)
        self.alone = {}

    def expect(self, good, words):
        if not good:
            raise AssertionError(words)

    def take(self, run, mib, exclusive):
        for name in run.nodes:
            self.expect(name not in self.alone, f"job {run.job} joins {self.alone.get(name)}")
            self.expect(not exclusive or not self.jobs[name], f"job {run.job} is not alone")
            self.jobs[name].add(run.job)
            if exclusive:
                self.alone[name] = run.job
            self.take_cores(run, name)
            self.take_gpus(run, name)
            self.mib[name] += mib.get(name, 0)
            self.expect(self.mib[name] <= self.nodes[name].mib,
                        f"{self.mib[name]} MiB in use on {name}")

    def take_cores(self, run, name):
        self.expect(run.cores[name] and len(set(run.cores[name])) == len(run.cores[name]),
                    f"job {run.job}, cores of {name}")
        for core in run.cores[name]:
            self.expect(core < self.nodes[name].cores, f"job {run.job} on core {name}.{core}")
            other = self.cores.setdefault((name, core), run.job)
            self.expect(other == run.job, f"jobs {other}, {run.job} on core {name}.{core}")

    def take_gpus(self, run, name):
        node = self.nodes[name]
        for gpu in run.gpus.get(name, ()):
            self.expect(gpu < node.gpus, f"job {run.job} on GPU {name}.{gpu}")
            other = self.devices.setdefault((name, gpu), run.job)
            self.expect(other == run.job, f"jobs {other}, {run.job} on GPU {name}.{gpu}")
            self.expect(not self.shares[name, gpu], f"job {run.job}: shares of {name}.{gpu}")
        if name in run.shares:
            gpu, count = run.shares[name]
            self.shares[name, gpu] += count
            self.expect(gpu < node.gpus and self.shares[name, gpu] <= node.shares,
                        f"{self.shares[name, gpu]} shares of GPU {name}.{gpu}")
            self.expect((name, gpu) not in self.devices, f"job {run.job}: whole {name}.{gpu}")

    def give(self, run, mib):
        for name in run.nodes:
            self.jobs[name].discard(run.job)
            if self.alone.get(name) == run.job:
                del self.alone[name]
            for core in run.cores[name]:
                del self.cores[name, core]
            for gpu in run.gpus.get(name, ()):
                del self.devices[name, gpu]
            if name in run.shares:
                self.shares[name, run.shares[name][0]] -= run.shares[name][1]
            self.mib[name] -= mib.get(name, 0)


def gpus_of(run, nodes):
    """In GPUs, shares as parts of one."""
    return (sum(len(gpus) for gpus in run.gpus.values())
            + sum(count / nodes[name].shares for name, (_, count) in run.shares.items()))


def cpus_of(run, nodes):
    """By node."""
    return {name: len(run.cores[name]) * nodes[name].threads for name in run.nodes}


def memory_of(run, request, nodes):
    """MiB by node that the job must have got."""
    cpus = cpus_of(run, nodes)
    if request.mib_per_node:
        return dict.fromkeys(run.nodes, request.mib_per_node)
    if request.mib_per_gpu:
        return {name: request.mib_per_gpu * len(run.gpus.get(name, ())) for name in run.nodes}
    return {name: count * (request.mib_per_cpu or DEFAULT_MIB_PER_CPU)
            for name, count in cpus.items()}


def replay_book(runs, nodes, memories, exclusive):
    """Goes through all starts and ends in order of time; of one moment ends go first."""
    ledger = Ledger(nodes)
    moves = [(run.end, 0, run.job, run) for run in runs if run.end > run.start]
    moves += [(run.start, 1, run.job, run) for run in runs if run.end > run.start]
    for _, is_start, job, run in sorted(moves, key=lambda move: move[:3]):
        if is_start:
            ledger.take(run, memories.get(job, {}), job in exclusive)
        else:
            ledger.give(run, memories.get(job, {}))
