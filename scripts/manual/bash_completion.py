"""Completion for bash: tables in front of functions.bash."""
import os

import kinds

ALIASES = {"lockstep controller": "lockstepd", "lockstep agent": "lockstep-agent",
           "lockstep accounting": "lockstep-accounting"}


def quote(text):
    return "'" + text.replace("'", "'\\''") + "'"


def entry(array, key, value):
    return f"{array}[{quote(key)}]={quote(value)}"


def options_of(command):
    """What is offered: not what is only an error."""
    return [option for option in command.options if option.kind != "refused"]


def words_of(command):
    """(path, words below it) of one command."""
    rows = {}
    for word in command.words:
        if word.is_refused:
            continue
        if word.kind in kinds.KEYS:
            for where in kinds.KEYS[word.kind]:
                rows.setdefault(where, []).append(word.name + "=")
            continue
        where = f"{command.name} show" if word.kind == "show" else command.name
        if command.name == "sreport":
            where = f"sreport {word.kind}"
            rows.setdefault("sreport", []).append(word.kind)
        rows.setdefault(where, []).append(word.name)
    return {where: list(dict.fromkeys(words)) for where, words in rows.items()}


def operands_of(command):
    """(path, kind) of what stands where no option does."""
    rows = {}
    if kinds.of_operands(command):
        rows[command.name] = kinds.of_operands(command)
    for word in command.words:
        if command.words and not command.is_slurm and kinds.of_operands(command):
            rows[f"{command.name} {word.name}"] = kinds.of_operands(command)
    for word, kind in kinds.SECOND_WORDS.get(command.name, {}).items():
        if kind != "show":
            rows[f"{command.name} {word}"] = kind
    if command.name == "scontrol":
        for (first, second), kind in kinds.THIRD_WORDS.items():
            rows[f"scontrol {first} {second}"] = kind
    return rows


def text(commands):
    suffix = {"no": "", "yes": "=", "may": "=?"}
    out = ["# Completion of the commands of Lockstep, for bash. Generated: see scripts/manual.",
           "declare -gA _lockstep_options _lockstep_letters _lockstep_values _lockstep_words",
           "declare -gA _lockstep_operands _lockstep_alias _lockstep_keys"]
    out += [entry("_lockstep_keys", key, kind) for key, kind in kinds.KEY_VALUES.items()]
    for command in commands:
        options = options_of(command)
        out.append(entry("_lockstep_options", command.name, " ".join(
            option.name + suffix[option.value] for option in options)))
        out.append(entry("_lockstep_letters", command.name, " ".join(
            f"{option.letter}:{option.name}" for option in options if option.letter)))
        out += [entry("_lockstep_values", f"{command.name} --{option.name}",
                      kinds.of_option(command, option))
                for option in options if kinds.of_option(command, option)]
        out += [entry("_lockstep_words", where, " ".join(words))
                for where, words in words_of(command).items()]
        out += [entry("_lockstep_operands", where, kind)
                for where, kind in operands_of(command).items()]
    out += [entry("_lockstep_alias", verb, program) for verb, program in ALIASES.items()]
    names = " ".join(command.name for command in commands if " " not in command.name)
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "functions.bash"),
              encoding="utf-8") as handle:
        out.append(handle.read())
    out.append(f"complete -F _lockstep {names}")
    return "\n".join(out) + "\n"
