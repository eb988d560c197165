"""Settings as flags of a command. Its help shows the usual ones; `--help-all` shows all of them."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from rove.settings.tree import Option, options

# The settings that matter to what opens pages, and those that matter to other commands.
OF_ACTIONS = (
    "home", "workspace", "engine", "attach", "headless", "allow_host", "only_host", "deny_host", "policy",
    "secrets",
)  # fmt: skip
OF_SERVERS = (*OF_ACTIONS, "approve", "toolset")
OF_COMMANDS: Mapping[str, Sequence[str]] = {
    "mcp": OF_SERVERS,
    "serve": (*OF_SERVERS, "serve.host", "serve.port", "serve.model"),
    "cluster": ("home", "serve.host", "serve.port"),
    "map": OF_ACTIONS,
    "demo": ("home", "browser", "headless"),
    "init": ("allow_host", "headless", "policy", "secrets", "toolset"),
    "install": ("home", "headless", "browser_version", "browser_mirror", "fetch_browser"),
    "doctor": OF_SERVERS,
    "policy": ("home", "policy"),
    "tools": ("home", "toolset", "with", "tools", "without"),
}
HELP_ALL = "--help-all"
_WHERE = "also in $ROVE_HOME/config.toml; ROVE_* variables are stronger than the file, flags are strongest"


def add_settings(
    command: argparse.ArgumentParser, shows_all: bool, usual: Collection[str] = ("home",), prefix: str = ""
) -> None:
    """Declare a flag for each setting that is not an argument of the command. `prefix`: of their names when read."""
    group = command.add_argument_group("settings", _WHERE)
    group.add_argument(
        HELP_ALL, action="store_true", default=argparse.SUPPRESS, help="show this help with all settings"
    )
    taken = command._option_string_actions
    for option in options():
        if option.flag not in taken:
            _add_flag(group, option, prefix, _help(option) if shows_all or option.key in usual else argparse.SUPPRESS)


def flags_given(given: argparse.Namespace) -> list[str]:
    """Return the settings that were flags of a command line, as words of another one."""
    words: list[str] = []
    for option in options():
        value = getattr(given, option.key, None)
        if option.is_switch and value is not None:
            words.append(option.flag if value else option.flag.replace("--", "--no-", 1))
        elif value is not None:
            words += [
                word for each in (value if option.is_list else [value]) for word in (option.flag, _word(option, each))
            ]
    return words


def _word(option: Option, value: Any) -> str:
    """Return a value as a word. A client starts rove in another folder, where a relative path is another file."""
    return str(Path(value).expanduser().absolute()) if option.kind is Path else str(value)


def _add_flag(group: Any, option: Option, prefix: str, help: str) -> None:
    facts: dict[str, Any] = {"dest": prefix + option.key, "default": None, "help": help}
    if option.is_switch:
        group.add_argument(option.flag, action=argparse.BooleanOptionalAction, **facts)
    elif option.is_list:
        group.add_argument(option.flag, action="append", metavar=option.path[-1].upper(), **facts)
    elif option.choices:
        group.add_argument(option.flag, choices=option.choices, **facts)
    else:
        group.add_argument(option.flag, metavar=option.names[-1].upper(), **facts)


def _help(option: Option) -> str:
    repeated = " Can be given several times." if option.is_list else ""
    default = repeated if option.default in (None, ()) else f" [{shown(option.default)}]"
    return (option.description + default).replace("%", "%%")


def shown(value: Any) -> str:
    """Return a value as it is written in the config file."""
    if value is None:
        return "found by itself"
    if isinstance(value, tuple):
        parts: tuple[Any, ...] = value
        return ", ".join(map(str, parts)) or "none"
    return str(value).lower() if isinstance(value, bool) else str(value)
