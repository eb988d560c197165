"""`rove completion`: scripts by which shells complete commands, flags and choices.

The scripts ask rove itself for the words, so that they need not be made anew when an action is added.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence

from rove.surfaces.cli.command_names import SESSION_COMMANDS
from rove.surfaces.cli.command_parser import subcommands

BASH = """\
_rove() {
    local IFS=$'\\n'
    COMPREPLY=($(compgen -W "$(rove completion --words "${COMP_WORDS[@]:1:COMP_CWORD-1}" 2>/dev/null)" \\
        -- "${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _rove rove
"""
ZSH = """\
#compdef rove
_rove() {
    local -a found
    found=("${(@f)$(rove completion --words "${words[@]:1:$((CURRENT - 2))}" 2>/dev/null)}")
    compadd -a found || _files
}
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
compdef _rove rove
"""
FISH = """\
complete -c rove -f -a '(rove completion --words (commandline -opc)[2..-1] 2>/dev/null)'
"""
SCRIPTS = {"bash": BASH, "zsh": ZSH, "fish": FISH}


def show_completion(shell: str | None, words: Sequence[str] | None, parser: argparse.ArgumentParser) -> int:
    """Print the script of a shell, or the words that it asks for."""
    from rove.surfaces.cli.action_arguments import command_words

    if words is not None:
        print("\n".join(words_after(words, parser, command_words())))
    else:
        print(SCRIPTS[shell or "bash"], end="")
    return 0


def words_after(words: Sequence[str], parser: argparse.ArgumentParser, action_commands: Iterable[str]) -> list[str]:
    """Return the words that can follow these: commands at first, then the flags of the command and their choices."""
    commands = subcommands(parser)
    if not words:
        return sorted({*commands, *action_commands})
    if words[0] in commands:
        return _after(words[1:], commands[words[0]])
    if words[0] not in action_commands:
        return []
    from rove.surfaces.cli.action_arguments import action_parser, verb_of
    from rove.surfaces.cli.command_parser import session_parser

    if words[0] in SESSION_COMMANDS:
        return _after(words[1:], session_parser(words[0], 80))
    verb = verb_of(words[0])
    return _after(words[1:], action_parser(verb, 80, False)) if verb else []


def _after(words: Sequence[str], parser: argparse.ArgumentParser) -> list[str]:
    commands = subcommands(parser)
    if words and words[0] in commands:
        return _after(words[1:], commands[words[0]])
    if words and words[-1] in parser._option_string_actions:
        option = parser._option_string_actions[words[-1]]
        if option.choices is not None:
            return sorted(map(str, option.choices))
        if option.nargs != 0:
            return []
    flags = parser._option_string_actions.items()
    return sorted([*commands, *(flag for flag, option in flags if option.help != argparse.SUPPRESS)])
