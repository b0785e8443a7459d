"""What the programs know of their own options, asked of the programs themselves.

Commands of Slurm's names tell it with `lockstep-client --dump-options`; the verbs of `lockstep` and
the daemons take their options with GOption, whose --help is that table, printed.  So what is
parsed, what --help says, and what pages and completion are made of are one thing.
"""
import os
import re
import subprocess
from dataclasses import dataclass, field

# Daemons and helpers: program, section of the manual.
DAEMONS = ("lockstepd", "lockstep-agent", "lockstep-accounting", "lockstep-step")
# What the verbs of these programs are called in the manual.
VERB_PAGES = {"controller": "lockstepd", "agent": "lockstep-agent", "accounting": "lockstep-accounting"}

OPTION = re.compile(r"^  (?:-(?P<letter>\S), )?--(?P<name>[\w-]+)(?P<value>\[?=.*?)?(?:  +(?P<help>\S.*))?$")
ITEM = re.compile(r"^  ([a-z][\w-]*) +(\S.*)$")
CALL = re.compile(r"^(?P<program>(?:lockstep)(?: [a-z][\w-]*)*|lockstep[\w-]*)(?P<rest>.*)$")


@dataclass
class Option:
    """One option: value is "no", "yes" or "may"; kind is "acted", "harmless" or "refused"."""
    name: str
    letter: str = ""
    value: str = "no"
    metavar: str = "VALUE"
    kind: str = "acted"
    help: str = ""


@dataclass
class Word:
    """A word that is no option: a command of scontrol, a sub-verb."""
    kind: str
    name: str
    help: str = ""
    is_refused: bool = False


@dataclass
class Command:
    """A command, a verb or a program."""
    name: str                   # "lockstep trace info", "sbatch", "lockstepd"
    section: int = 1
    summary: str = ""
    usage: str = ""             # behind the name
    options: list = field(default_factory=list)
    words: list = field(default_factory=list)
    intro: str = ""             # what --help says before the options
    rest: str = ""              # and behind them
    is_slurm: bool = False

    @property
    def page(self):
        return self.name.replace(" ", "-")


def ask(arguments):
    """Standard output of a program, in English."""
    environment = {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C", "LANGUAGE": "C",
                   "HOME": "/nonexistent", "HWLOC_PLUGINS_PATH": "/nonexistent"}
    # Address randomisation and the like are the machine's; leaks of a program that only says --help
    # are nobody's.
    environment["ASAN_OPTIONS"] = "detect_leaks=0"
    done = subprocess.run(arguments, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(arguments)}: exit status {done.returncode}: {done.stderr}")
    return done.stdout


# ---------------------------------------------------------------- commands of Slurm's names

def client_commands(program):
    """Each command that the client answers to, as its tables have it."""
    commands = []
    for line in ask([program, "--dump-options"]).splitlines():
        what, *fields = line.split("\t")
        if what == "command":
            commands.append(Command(fields[0], summary=fields[1], is_slurm=True))
        elif what == "usage":
            commands[-1].usage = fields[0]
        elif what == "option":
            name, letter, value, kind, text = fields
            commands[-1].options.append(Option(name, letter.strip("-"), value, kind=kind, help=text))
        elif what == "word":
            kind, name, state, text = fields
            commands[-1].words.append(Word(kind, name, text, state == "refused"))
        else:
            raise SystemExit(f"{program} --dump-options: unknown line '{line}'")
    return commands


# ---------------------------------------------------------------- what GOption prints

def option_of(line):
    match = OPTION.match(line)
    if match is None:
        return None
    value = match["value"] or ""
    return Option(match["name"], match["letter"] or "", "may" if value.startswith("[") else
                  "yes" if value else "no", value.strip("[]").lstrip("=").strip(), help=match["help"] or "")


def words_of_usage(usage):
    """"list | show NAME" and "info|print [FILE]": the words that may come first."""
    choices = re.split(r" \| ", usage) if " | " in usage else usage.split(" ")[0].split("|")
    words = [choice.split()[0] for choice in choices if choice.split()]
    return words if len(words) > 1 and all(re.fullmatch(r"[a-z][a-z-]*", word) for word in words) else []


def help_of(arguments, name, summary, section=1):
    """Reads the --help of one program or verb, and what hangs below it."""
    text = ask(arguments + ["--help"])
    self = Command(name, section, summary)
    lines = text.splitlines()
    start = lines.index("Usage:") + 1 if "Usage:" in lines else 0
    match = CALL.match(lines[start].strip().removeprefix("Usage: "))
    call, _, told = match["rest"].strip().partition(" - ")
    self.usage = call.removeprefix(name.removeprefix(match["program"]).strip()).strip()
    self.usage = re.sub(r"\[OPTION\?\] ?", "[OPTIONS] ", self.usage).strip()
    self.summary = told or summary
    if re.match(r"(SUBVERB|MODEL)\b", self.usage):
        return sub_verbs(self, arguments, lines[start + 1:])
    parts = {"intro": [], "rest": []}
    where = "intro"
    for line in lines[start + 1:]:
        option = option_of(line) if where != "rest" else None
        if option is not None:
            self.options.append(option)
        elif re.fullmatch(r"[A-Z]\w* Options:", line) or (where == "options" and not line):
            where = "options"
        elif where == "options":
            where = "rest"
            parts["rest"].append(line)
        else:
            parts[where].append(line)
    self.intro, self.rest = ("\n".join(parts[part]).strip("\n") for part in ("intro", "rest"))
    self.words = [Word("verb", word) for word in words_of_usage(self.usage.replace("[OPTIONS] ", ""))]
    return [self]


def sub_verbs(self, arguments, lines):
    """A verb that has only such: --help lists them."""
    found = [self]
    for line in lines:
        match = ITEM.match(line)
        if match:
            self.words.append(Word("sub-verb", match[1], match[2]))
            found += help_of(arguments + [match[1]], f"{self.name} {match[1]}", match[2])
        elif line and not line.startswith("lockstep "):
            self.intro += line + "\n"
    return found


def lockstep_commands(program, folder):
    """`lockstep`, its verbs, and the daemons."""
    lines = ask([program, "--help"]).splitlines()
    top = Command("lockstep", summary="a cluster scheduler and its simulator", usage="VERB [OPTIONS] ...",
                  intro=lines[2], rest="lockstep VERB --help describes a verb.",
                  options=[Option("help", "h", help="Tell the verbs"),
                           Option("version", help="Print the version")])
    commands = [top]
    for line in lines[3:]:
        match = ITEM.match(line)
        if match:
            top.words.append(Word("verb", match[1], match[2]))
            if match[1] not in VERB_PAGES:
                commands += help_of([program, match[1]], f"lockstep {match[1]}", match[2])
    told = {VERB_PAGES[word.name]: word.help for word in top.words if word.name in VERB_PAGES}
    for daemon in DAEMONS:
        arguments = [os.path.join(folder, daemon)]
        text = told.get(daemon, "supervises one run of a job")
        commands += [command for command in help_of(arguments, daemon, text, 8)]
    return commands


def collect(build):
    """All commands of a build, `lockstep` first."""
    live = os.path.join(build, "live")
    return (lockstep_commands(os.path.join(build, "sim", "lockstep"), live)
            + client_commands(os.path.join(live, "lockstep-client")))
