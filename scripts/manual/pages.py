"""Manual pages, out of the tables of the programs and the pages of docs/."""
import os
import re
import time

import roff

NOTES = {"acted": "", "harmless": "Taken, and changes nothing: ", "refused": "Not implemented: "}
LISTS = {"command": "COMMANDS", "show": "WHAT SHOW TELLS", "verb": "VERBS", "sub-verb": "SUB-VERBS"}

FILES_ENVIRONMENT = (
    ("LOCKSTEP_DIR", "folder of the cluster that is asked, as `lockstep up` has it; nothing else is looked for"),
    ("SLURM_CONF", "the configuration, instead of `/etc/lockstep/slurm.conf`"))

SEE = {
    "lockstep": "lockstepd(8), lockstep-agent(8), lockstep-accounting(8), lockstep-slurm.conf(5); each "
                "verb has a page: lockstep-sim(1)",
    "lockstepd": "lockstep-agent(8), lockstep-slurm.conf(5), lockstep-check(1)",
    "lockstep-agent": "lockstepd(8), lockstep-slurm.conf(5), lockstep-cgroup.conf(5)",
}

# Page of the manual: what it is, and which tables of which page of docs/ it takes. A table is named
# by the first cell of its head; rows of docs/slurm-import.md begin with the file they are of.
FILES = {
    "lockstep-slurm.conf": ("keys of slurm.conf that Lockstep reads", ("slurm.conf",),
                            ("slurm.conf", "NodeName", "NodeSet", "DownNodes", "PartitionName")),
    "lockstep-cgroup.conf": ("keys of cgroup.conf and job_container.conf that Lockstep reads",
                             ("cgroup.conf", "job_container.conf"), ()),
    "lockstep-gres.conf": ("keys of gres.conf that Lockstep reads", (), ("gres.conf",)),
    "lockstep-topology.conf": ("keys of topology.conf that Lockstep reads", (), ("topology.conf",)),
}
# Pages of docs/ that describe a file: page of the manual, what it is, page of docs/.
WRITTEN = (("lockstep-cluster.yaml", "description of a machine of nodes", "cluster"),
           ("lockstep-accounts", "accounts, QOS and limits of a cluster", "accounts"))


def date():
    """Of the build, or what a reproducible build says."""
    seconds = os.environ.get("SOURCE_DATE_EPOCH")
    return time.strftime("%Y-%m-%d", time.gmtime(int(seconds) if seconds else None))


def header(name, section, version):
    return f".TH {name.upper()} {section} {date()} \"Lockstep {version}\" \"Lockstep manual\""


def option_text(option):
    """A .TP of one option."""
    meta = roff.escape(option.metavar or "VALUE")
    value = {"no": "", "yes": f"\\fR=\\fI{meta}", "may": f"\\fR[=\\fI{meta}\\fR]"}[option.value]
    letter = f"\\fB\\-{roff.escape(option.letter)}\\fR, " if option.letter else ""
    told = roff.fill(roff.escape(NOTES[option.kind] + option.help) or "\\&")
    return f".TP\n{letter}\\fB\\-\\-{roff.escape(option.name)}{value}\\fR\n{told}"


def word_lists(command):
    out = []
    for kind in dict.fromkeys(word.kind for word in command.words):
        if kind.startswith("key of "):
            names = " ".join(f"`{word.name}`" for word in command.words if word.kind == kind)
            out.append(f".SH {roff.escape(kind.upper().replace('KEY', 'KEYS'))}\n"
                       + roff.fill(roff.inline(names)))
            continue
        rows = [word for word in command.words if word.kind == kind and (word.help or kind != "verb")]
        if rows:
            out.append(f".SH {roff.escape(LISTS.get(kind, 'REPORTS OF ' + kind.upper()))}")
        for word in rows:
            told = ("Not implemented: " if word.is_refused else "") + word.help
            out.append(f".TP\n\\fB{roff.escape(word.name)}\\fR\n{roff.fill(roff.escape(told))}")
    return out


def section_of(text, title):
    """What stands below "## TITLE" of a page of docs/, without its tables of options."""
    match = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE)
    if match is None:
        return ""
    blocks = re.split(r"\n\s*\n", match[1].strip("\n"))
    told = ("| Option |", "| Command |", "| `show` |", "| Verb |", "| Report |")
    return "\n\n".join(block for block in blocks if not block.startswith(told))


def environment(command, variables):
    """What all commands read, and what stands of this one in docs/variables.md."""
    rows = [(f"`{name}`", told) for name, told in FILES_ENVIRONMENT]
    for title in ("All commands", command.name):
        for _, more in tables_of(section_of(variables, title) + "\n"):
            rows += [tuple(row) for row in more if row[0] not in {known for known, _ in rows}]
    return [".SH ENVIRONMENT", roff.fill("Options of the command line go before variables."), roff.table(rows)]


def see_also(command, commands):
    if command.is_slurm:
        names = [other.name + "(1)" for other in commands if other.is_slurm and other is not command]
        return ", ".join(names + ["lockstep(1)"])
    if command.name in SEE:
        return SEE[command.name]
    parent = command.name.rsplit(" ", 1)[0].replace(" ", "-")
    below = [other.page + "(1)" for other in commands if other.name.startswith(command.name + " ")]
    return ", ".join(([parent + "(1)"] if command.section == 1 else ["lockstepd(8)"]) + below)


def page_of(command, commands, version, told, variables):
    """One page, as text."""
    summary = roff.escape(command.summary.rstrip("."))
    out = [header(command.page, command.section, version), ".SH NAME",
           f"{roff.escape(command.page)} \\- {summary}", ".SH SYNOPSIS",
           f".B {roff.escape(command.name)}", roff.fill(roff.escape(command.usage)) or "\\&"]
    description = roff.markdown(section_of(told, command.name)) if command.is_slurm else ""
    description = description or roff.plain(command.intro or command.rest)
    out += [".SH DESCRIPTION", description or roff.escape(sentence(command.summary))]
    out += word_lists(command)
    if command.options:
        out += [".SH OPTIONS"] + [option_text(option) for option in command.options]
    if command.rest and command.intro:
        out += [".SH NOTES", roff.plain(command.rest)]
    if command.is_slurm:
        out += environment(command, variables)
    out += [".SH SEE ALSO", roff.fill(roff.escape(see_also(command, commands)))]
    return tidy("\n".join(out))


def sentence(text):
    return text[:1].upper() + text[1:].rstrip(".") + "."


def tidy(text):
    """A paragraph right behind a heading begins by itself."""
    return re.sub(r"(\n\.S[HS] [^\n]*)\n\.PP(?=\n)", r"\1", text) + "\n"


# ---------------------------------------------------------------- files

def tables_of(text):
    """Every table of a page: head, rows."""
    for match in re.finditer(r"(?:^\|.*\n)+", text, re.MULTILINE):
        rows = [roff.cells_of(line) for line in match[0].splitlines()]
        yield rows[0], rows[2:]


def key_rows(heads, site):
    for head, rows in tables_of(site):
        if head[0] in heads:
            for key, values, default, told in rows:
                yield key, f"{told}. Values: {values}." + (f" Default: {default}." if default else "")


def machine_rows(lines, slurm_import, known):
    for head, rows in tables_of(slurm_import):
        if head[:2] != ["Line", "Key"]:
            continue
        for line, keys, verdict, told in rows:
            if line not in lines or verdict == "ignored":
                continue
            for key in keys.split(", "):
                if key not in known:
                    yield key, told + (" (approximated)" if verdict == "approximated" else ""), line


def file_page(name, version, site, slurm_import):
    summary, heads, lines = FILES[name]
    file_name = name.removeprefix("lockstep-")
    rows = list(key_rows(heads, site))
    out = [header(name, 5, version), ".SH NAME", f"{roff.escape(name)} \\- {summary}",
           ".SH DESCRIPTION", roff.fill(roff.inline(
               f"`/etc/lockstep/{file_name}` is written as Slurm's. Keys that Slurm has and that are not "
               "told here have no effect; `lockstep check` warns of them. Keys that no version of "
               "Slurm has are errors."))]
    if rows:
        out += [".SH KEYS OF THE DAEMONS", roff.table(rows)]
    machine = list(machine_rows(lines, slurm_import, {key for key, _ in rows}))
    for line in dict.fromkeys(row[2] for row in machine):
        title = "KEYS OF MACHINE AND SCHEDULING" if "." in line else f"KEYS OF {line} LINES"
        out += [f".SH {title}", roff.table([row[:2] for row in machine if row[2] == line])]
    others = ", ".join(sorted(other + "(5)" for other in FILES if other != name))
    out += [".SH SEE ALSO", roff.fill(roff.escape(f"lockstepd(8), lockstep-check(1), {others}"))]
    return tidy("\n".join(out))


def written_page(name, summary, version, text):
    """A page of docs/, whose title the name of the page stands for."""
    text = text.partition("\n")[2]
    return tidy("\n".join([header(name, 5, version), ".SH NAME", f"{roff.escape(name)} \\- {summary}",
                           ".SH DESCRIPTION", roff.markdown(text),
                           ".SH SEE ALSO", "lockstep(1), lockstepd(8), lockstep\\-slurm.conf(5)"]))


def all_pages(commands, version, docs):
    """(name, section) -> text."""
    read = {}
    for name in ["commands", "variables", "site", "slurm-import"] + [row[2] for row in WRITTEN]:
        with open(os.path.join(docs, name + ".md"), encoding="utf-8") as handle:
            read[name] = handle.read()
    pages = {(command.page, command.section): page_of(command, commands, version, read["commands"],
                                                             read["variables"])
             for command in commands}
    for name in FILES:
        pages[(name, 5)] = file_page(name, version, read["site"], read["slurm-import"])
    for name, summary, source in WRITTEN:
        pages[(name, 5)] = written_page(name, summary, version, read[source])
    return pages
