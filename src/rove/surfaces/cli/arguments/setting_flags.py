"""Settings as flags of a command. Its help shows the usual ones; `--help-all` shows all of them."""

from __future__ import annotations

import argparse
from typing import Any

from rove.settings.tree import Option, options
from rove.surfaces.cli.config import shown

USUAL = (
    "home", "workspace", "browser", "attach", "headless", "allow_host", "only_host", "deny_host", "policy", "secrets",
    "approve", "toolset",
)  # fmt: skip
HELP_ALL = "--help-all"
_WHERE = "also in $ROVE_HOME/config.toml and, weaker than these flags, as ROVE_* variables; --help-all shows the rest"


def add_settings(command: argparse.ArgumentParser, shows_all: bool, prefix: str = "") -> None:
    """Declare a flag for each setting that is not an argument of the command. `prefix`: of their names when read."""
    group = command.add_argument_group("settings", _WHERE)
    group.add_argument(
        HELP_ALL, action="store_true", default=argparse.SUPPRESS, help="show this help with every setting"
    )
    taken = command._option_string_actions
    for option in options():
        if option.flag not in taken:
            _add_flag(group, option, prefix, _help(option) if shows_all or option.key in USUAL else argparse.SUPPRESS)


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
