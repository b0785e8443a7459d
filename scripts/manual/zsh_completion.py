"""Completion for zsh: tables and specifications behind functions.zsh."""
import os

import kinds
from bash_completion import ALIASES, operands_of, options_of, quote, words_of


def told(text):
    for char in "\\:[]":
        text = text.replace(char, "\\" + char)
    return text


def specs(command, option):
    """What _arguments takes, one for the long name and one for the letter."""
    value = told(option.metavar or "VALUE").replace(" ", "_")
    action = f":{value}: _lockstep_offer {quote(kinds.of_option(command, option))}"
    text = f"[{told(option.help)}]"
    long, letter, tail = {"no": ("", "", ""), "yes": ("=", "+", action),
                          "may": ("=-", "-", ":" + action)}[option.value]
    found = [f"*--{option.name}{long}{text}{tail}"]
    if option.letter:
        found.append(f"*-{option.letter}{letter}{text}{tail}")
    return found


def case_of(command):
    lines = [f"    {quote(command.name)})", "      _arguments -s -S : \\"]
    for option in options_of(command):
        lines += [f"        {quote(spec)} \\" for spec in specs(command, option)]
    lines.append(f"        {quote('*:: : _lockstep_operands ' + quote(command.name))} ;;")
    return lines


def word_lines(command):
    """path -> "name:help" of each word."""
    helps = {(word.kind, word.name): word.help for word in command.words}
    for where, words in words_of(command).items():
        rows = []
        for name in words:
            text = next((text for (_, other), text in helps.items() if other == name), "")
            rows.append(name.replace(":", "\\:") + (":" + text if text else ""))
        yield where, "\n".join(rows)


def text(commands):
    names = " ".join(command.name for command in commands if " " not in command.name)
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "functions.zsh"),
              encoding="utf-8") as handle:
        functions = handle.read()
    out = [f"#compdef {names}",
           "# Completion of the commands of Lockstep, for zsh. Generated: see scripts/manual.",
           "typeset -gA _lockstep_words _lockstep_kinds _lockstep_known _lockstep_alias _lockstep_keys",
           "_lockstep_keys=(" + "\n".join(f"  {quote(key)} {quote(kind)}"
                                          for key, kind in kinds.KEY_VALUES.items()) + ")",
           "_lockstep_words=(" + "\n".join(
               f"  {quote(where)} {quote(rows)}" for command in commands
               for where, rows in word_lines(command)) + ")",
           "_lockstep_kinds=(" + "\n".join(
               f"  {quote(where)} {quote(kind)}" for command in commands
               for where, kind in operands_of(command).items()) + ")",
           "_lockstep_known=(" + " ".join(f"{quote(command.name)} 1" for command in commands) + ")",
           "_lockstep_alias=(" + " ".join(f"{quote(a)} {quote(b)}" for a, b in ALIASES.items()) + ")",
           functions, "_lockstep_run () {", "  case $1 in"]
    for command in commands:
        out += case_of(command)
    out += ["  esac", "}", "", "_lockstep_run \"$service\""]
    return "\n".join(out) + "\n"
