"""tests/oracle/text/compare.py - is what a command of ours printed what the recorded Slurm printed?

Bytes are compared.  What cannot be the same twice is taken away by the rules here, and by no others:

  PLACES    folders and the host of a run are called what they were called in the recording
  CHANCE    numbers of processes, identities drawn by chance, what the machine makes of it: named with
            what stands before them
  MOMENT    a clock reading: as far behind its run's first command as the other, give or take SLACK_S
            (and what the whole walk has taken: text_check)
  DURATION  of one form (0:11, 4:47, 00:00:13, 1-00:00:00), alike but for SLACK_S; what has not
            taken a second is at most INSTANT_S
  SECONDS   a number of 10 digits is a moment
  RAW       sshare's RawUsage, of jobs that took about a second: give or take RAW_SLACK
  HOURS     of a report of sreport: whole hours, and as many seconds as it says
  USE       what a cluster has used that is some seconds old; of a report it must add up (use_faults);
            in show assoc_mgr the same, and minutes that are left

Of JSON (json_differences) its layout is compared, the names and the order of all members, of what type
they are, and their values by the same rules, but for those that JSON_CHANCE names.
"""
import calendar
import json
import os
import re
import time

SLACK_S = 100
INSTANT_S = 8
RAW_SLACK = 3
RECORDED_BEGIN = "2026-11-21T02:36:32"  # when sbatch-ok was submitted
ISO = "%Y-%m-%dT%H:%M:%S"
LETTER = "%a %b %d %H:%M:%S %Y"

CHANCE = [
    (re.compile(r"AllocNode:Sid=\S+:\d+"), "AllocNode:Sid=<host>:<pid>"),
    (re.compile(r"CPULoad=\d+\.\d+"), "CPULoad=<load>"),
    (re.compile(r"FreeMem=\d+"), "FreeMem=<MiB>"),
    (re.compile(r"NodeHostName=\S+"), "NodeHostName=<host>"),
    (re.compile(r"(?<= OS=)[^=]*(?=  RealMemory=)"), "<system>"),
    (re.compile(r"BootTime=\S+ SlurmdStartTime=\S+"), "BootTime=<time> SlurmdStartTime=<time>"),
    (re.compile(r"\bs[0-9A-HJKMNP-TV-Z]{13}\b"), "<sluid>"),
    # sinfo %m %e %O: free memory and load of the machine
    (re.compile(r"(?<= 8000 )\d+ \d+\.\d\d(?= )"), "<free> <load>"),
    (re.compile(r"(?m)^(Cluster.* Utilization|Top 10 Users) (\S+) - (\S+?)(?: \((\d+) secs\))?$"),
     lambda title: hours(title)),
    # scontrol show assoc_mgr: what was used, and what is left of jobs that run
    (re.compile(r"(?<=UsageRaw/Norm/Efctv=)\d+\.\d\d|(?<=UsageRaw=)\d+\.\d{6}"), "<used>"),
    (re.compile(r"GrpWall=N\(\d+\.\d\d\)"), "GrpWall=N(<used>)"),
    (re.compile(r"(?m)^ +(?:GrpTRESMins|\w+TRESRunMins\w*)=.*$"),
     lambda line: re.sub(r"\(\d+\)", "(<used>)", line[0])),
    (re.compile(r"(?m)^   oracle .*$"),
     lambda line: re.sub(r" +\d[\d.]*%?(?= |$)", " <use>", line[0])),
]
TOKEN = re.compile(
    r"(?P<iso>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)"
    r"|(?P<letter>(?:Sun|Mon|Tue|Wed|Thu|Fri|Sat) [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4})"
    r"|(?<![\w.:-])(?P<long>(?:\d+-)?\d{1,2}:\d\d(?::\d\d)?)(?![\w.:-])"
    r"|(?<![\w.])(?P<seconds>1[78]\d{8})(?![\w.])"
    r"|(?<=[ |]\d\.\d{6})(?P<raw>[ |]+\d{1,2}(?=[ |]))")


def moment(text):
    return calendar.timegm(time.strptime(text, ISO))


def seconds_of(text):
    days, _, clock = text.rpartition("-")
    total = 0
    for part in clock.split(":"):
        total = 60 * total + int(part)
    return total + 86400 * int(days or 0)


def hours(title):
    """The title of a report without its hours, if they are such."""
    length_s = moment(title[3]) + 1 - moment(title[2])
    is_whole = 3600 <= length_s <= 90000 and length_s % 3600 == 0
    return (f"{title[1]} <hours>" if is_whole and int(title[4] or length_s) == length_s else title[0])


def columns_of(text):
    """Of each row of a table with a line of dashes below its headings: its cells by heading."""
    heading, spans = "", []
    for line in text.split("\n"):
        if re.fullmatch(r"(-+ )+", line):
            spans = [match.span() for match in re.finditer("-+", line)]
        elif spans and line.strip():
            yield {heading[a:b].strip(): line[a:b].strip() for a, b in spans}
        else:
            heading = line


def adds_up(whole, parts):
    """Each was cut to a whole number, or is a percentage of two digits."""
    lost = len(parts) + 1 if isinstance(whole, int) else 0.01 * len(parts)
    return abs(whole - sum(parts)) <= lost


def number(cell):
    return float(cell[:-1]) if cell.endswith("%") else int(cell)


def use_faults(text):
    """Of reports of sreport: rows whose numbers are not those of what they are made of."""
    rows = [row for row in columns_of(text) if "Allocate" in row or "Used" in row]
    told = []
    for row in (row for row in rows if "Allocate" in row):
        parts = [number(row[name]) for name in ("Allocate", "Down", "PLND Dow", "Idle", "Planned")]
        if not adds_up(number(row["Reported"]), parts):
            told.append(f"does not add up: {row}")
    accounts = [row for row in rows if row.get("Account") and "Login" in row and not row["Login"]]
    for row in accounts:
        parts = [number(of["Used"]) for of in rows if of["Login"] and of["Account"] == row["Account"]]
        if row["Account"] == "root":
            parts += [number(of["Used"]) for of in accounts if of is not row]
        if not adds_up(number(row["Used"]), parts):
            told.append(f"does not add up: {row}")
    used = [number(row["Used"]) for row in rows if "Used" in row]
    if text.find("\nTop ") >= 0 and used != sorted(used, reverse=True):
        told.append(f"who has used most is not first: {used}")
    return told


def without_chance(text):
    for pattern, name in CHANCE:
        text = pattern.sub(name, text)
    return text


def machine_memory_mib():
    with open("/proc/meminfo", encoding="ascii") as file:
        return int(re.search(r"MemTotal: +(\d+) kB", file.read())[1]) // 1024


def as_of_this_machine(text):
    """Free memory and load are told of ours only as far as they can be this machine's: above 0 and
    at most all its memory; some processes more than there are now, and thrice as many."""
    memory_mib, load_max = machine_memory_mib(), 10 + 3 * max(os.getloadavg())

    def checked(match):
        free, load = match["free"], match["load"]
        is_odd = (free is not None and not 0 < int(free) <= memory_mib
                  or load is not None and float(load) > load_max)
        return f"<not of this machine: {match[0]}>" if is_odd else match[0]

    return re.sub(r"(?<= 8000 )(?P<free>\d+) (?P<load>\d+\.\d\d)(?= )", checked,
                  re.sub(r"CPULoad=(?P<load>\d+\.\d+)|FreeMem=(?P<free>\d+)", checked, text))


def in_recorded_places(text, places):
    """PLACES: pairs of what it is here and what it was there."""
    for here, there in places:
        text = text.replace(here, there)
    return text


def at_recorded_moments(text, begin_s):
    """With the moments of a run that began at `begin_s` as those of the recorded one."""
    back_s = begin_s - moment(RECORDED_BEGIN)

    def moved(match):
        if match["iso"]:
            return time.strftime(ISO, time.gmtime(moment(match["iso"]) - back_s))
        if match["letter"]:
            then_s = calendar.timegm(time.strptime(match["letter"], LETTER))
            return time.strftime(LETTER, time.gmtime(then_s - back_s))
        if match["seconds"]:
            return str(int(match["seconds"]) - back_s)
        return match[0]

    return TOKEN.sub(moved, text)


def raw_of(token):
    return int(token[0].strip(" |"))


def token_is_alike(ours, recorded):
    if ours.lastgroup != recorded.lastgroup:
        return False
    if ours[0] == recorded[0]:
        return True
    if ours["iso"]:
        return abs(moment(ours[0]) - moment(recorded[0])) <= SLACK_S
    if ours["letter"]:
        apart_s = (calendar.timegm(time.strptime(ours[0], LETTER))
                   - calendar.timegm(time.strptime(recorded[0], LETTER)))
        return abs(apart_s) <= SLACK_S
    if ours["raw"]:
        return len(ours[0]) == len(recorded[0]) and abs(raw_of(ours) - raw_of(recorded)) <= RAW_SLACK
    if ours["seconds"]:
        return abs(int(ours[0]) - int(recorded[0])) <= SLACK_S
    pair = seconds_of(ours[0]), seconds_of(recorded[0])
    return (re.sub(r"\d", "0", ours[0]) == re.sub(r"\d", "0", recorded[0])
            and abs(pair[0] - pair[1]) <= (SLACK_S if all(pair) else INSTANT_S))


def line_is_alike(ours, recorded):
    if ours == recorded:
        return True
    mine, theirs = list(TOKEN.finditer(ours)), list(TOKEN.finditer(recorded))
    return (TOKEN.sub("@", ours) == TOKEN.sub("@", recorded)
            and all(map(token_is_alike, mine, theirs)))


def differences(ours, recorded):
    """Lines of both, as a diff of them, and what is wrong in ours alone; none: they are alike."""
    return use_faults(ours) + line_differences(ours, recorded)


def line_differences(ours, recorded):
    ours = as_of_this_machine(ours)
    mine, theirs = without_chance(ours).split("\n"), without_chance(recorded).split("\n")
    if len(mine) == len(theirs) and all(map(line_is_alike, mine, theirs)):
        return []
    return diff(mine, theirs)


def diff(mine, theirs):
    """By the longest common run of lines that are alike (few lines: the square of them is little)."""
    rows, columns = len(theirs), len(mine)
    best = [[0] * (columns + 1) for _ in range(rows + 1)]
    for i in range(rows - 1, -1, -1):
        for j in range(columns - 1, -1, -1):
            best[i][j] = (best[i + 1][j + 1] + 1 if line_is_alike(mine[j], theirs[i])
                          else max(best[i + 1][j], best[i][j + 1]))
    told, i, j = [], 0, 0
    while i < rows or j < columns:
        if i < rows and j < columns and line_is_alike(mine[j], theirs[i]):
            i, j = i + 1, j + 1
        elif j == columns or (i < rows and best[i + 1][j] >= best[i][j + 1]):
            told.append(f"recorded | {theirs[i]}")
            i += 1
        else:
            told.append(f"here     | {mine[j]}")
            j += 1
    return told


# ------------------------------------------------------------ JSON

# Members whose values are not compared, as expressions for the whole of their paths.
JSON_CHANCE = [
    r"\.meta.*",  # who was asked, by what program
    # what the machine and the place of a run make of it
    r"\.(sinfo\[\]|nodes\[\])\.(port|free_mem\.number|cpu_load|memory\.free\.\w+\.number"
    r"|cpus\.load\.\w+)",
    r".*\.(allocating_node|current_working_directory|sluid)",
    r".*\.(select_nodes|port)",
    # what is told of other things than ours are: docs/fidelity.md
    r"\.jobs\[\]\.flags", r".*\.node_sets", r"\.last_(backfill|update)\.number",
    r"\.jobs\[\]\.job_resources\.nodes\.allocation\[\]\.index",
    r"\.shares\.shares\[\]\.(tres\..*|usage|shares_normalized\.number)",
    r"\.associations\[\]\.qos",
]
STRING = re.compile(r'"(?:[^"\\]|\\.)*"')


def laid_out(text):
    """As Slurm lays it out: each member and element on a line of its own, and the end of what is empty, too."""
    told, depth, at = [], 0, 0
    opened = False
    while at < len(text):
        string = STRING.match(text, at)
        mark = string[0] if string else text[at]
        at += len(mark)
        if mark in " \n":
            continue
        if mark in "}]":
            depth -= 1
        if opened or mark in "}]":
            told.append("\n" + "  " * depth)
        opened = mark in "{["
        depth += opened
        told.append(re.sub(r"(?<!\\)/", r"\\/", mark) if string else mark)
        if mark == ",":
            told.append("\n" + "  " * depth)
        elif mark == ":":
            told.append(" ")
    return "".join(told) + "\n"


def shape_differences(ours, recorded, path=""):
    """Of the first element of each array, which stands for all of them."""
    if isinstance(ours, dict) and isinstance(recorded, dict):
        if list(ours) != list(recorded):
            lost, added = ([key for key in one if key not in other]
                           for one, other in ((recorded, ours), (ours, recorded)))
            return [f"{path}: without {lost}, with {added}" if lost or added
                    else f"{path}: in the order {list(ours)}"]
        return [line for key in ours
                for line in shape_differences(ours[key], recorded[key], f"{path}.{key}")]
    if isinstance(ours, list) and isinstance(recorded, list):
        return shape_differences(ours[0], recorded[0], path + "[]") if ours and recorded else []
    return [] if type(ours) is type(recorded) else [f"{path}: {ours!r}, recorded {recorded!r}"]


def is_by_chance(path):
    return any(re.fullmatch(pattern, path) for pattern in JSON_CHANCE)


def value_differences(ours, recorded, path=""):
    """Of values that have the same members: texts as elsewhere, numbers that are the same or moments."""
    if is_by_chance(path):
        return []
    if isinstance(ours, dict) and isinstance(recorded, dict):
        return [line for key in ours if key in recorded
                for line in value_differences(ours[key], recorded[key], f"{path}.{key}")]
    if isinstance(ours, list) and isinstance(recorded, list):
        if len(ours) != len(recorded):
            return [f"{path}: {len(ours)} elements, recorded {len(recorded)}"]
        return [line for mine, theirs in zip(ours, recorded)
                for line in value_differences(mine, theirs, path + "[]")]
    is_alike = ours == recorded or not differences(str(ours), str(recorded))
    return [] if is_alike else [f"{path}: {ours!r}, recorded {recorded!r}"]


def json_differences(ours, recorded):
    try:
        mine = json.loads(ours)
    except ValueError as error:
        return [f"no JSON: {error}"]
    told = shape_differences(mine, json.loads(recorded))
    told += value_differences(mine, json.loads(recorded))
    return told if laid_out(ours) == ours else told + ["laid out otherwise"]
