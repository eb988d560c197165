"""The commands of `rove` and their help."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rove import __version__
from rove.errors import RoveError
from rove.settings import Option, Resolved, options, resolve

if TYPE_CHECKING:
    from rove.engine.sessions import HeadStart

EPILOG = """\
examples:
  rove demo                 a guided tour, no key and no network needed
  rove mcp                  serve an MCP client over standard input and output
  rove doctor               what is found, what is broken, how to mend it
  rove config show          every setting, its value and where that came from
  rove policy check         what an agent may do, and what a person is asked
"""
POLICY = """\
What an agent may do, what it may not, and what a person is asked: rules in $ROVE_HOME/policy.toml, or in the file that
--policy names. Without a file an agent may read, act and go anywhere on the web; a person is asked before files of the
workspace are sent to a site. A rule:

  [[rule]]
  decide = "ask"                        # allow, deny or ask
  action = ["click", "fill"]            # or effect = "act"; one or several
  origin = "https://*.example.com"      # where it happens or goes
  session = "shopping"

The first rule that matches decides. The whole grammar is in docs/policy.md.
"""
EXPLAIN = """\
examples:
  rove policy explain upload https://example.com
  rove policy explain click https://shop.example.com --session shopping
  rove policy explain evaluate
"""


def run(arguments: Sequence[str], begun: HeadStart | None = None) -> int:
    """Run one command; returns its exit code."""
    parser = build_parser()
    given = parser.parse_args(arguments or ["--help"])
    try:
        resolved = resolve({option.key: getattr(given, option.key, None) for option in options()})
        code: int = given.command(given, resolved, begun)
    except RoveError as error:
        if begun is not None:
            begun.abandon()
        print(f"rove: {error.message}\n      {error.hint}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return code


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="rove",
        description="A real browser for an AI agent, with a person in charge of it.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"rove {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _add(commands, "mcp", "Serve an MCP client over standard input and output.", _mcp)
    _add(commands, "demo", "Take a guided tour of a small built-in site.", _demo)
    _add(commands, "install", "Find a usable browser, or fetch one.", _install)
    _add(commands, "doctor", "Check everything that rove needs; exit code 1 if something is broken.", _doctor)
    config = commands.add_parser("config", help="Look at the settings.", description="Look at the settings.")
    shows = config.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _add(shows, "show", "Every setting, its value and where that came from.", _config_show)
    _add_policy(commands)
    return parser


def _add_policy(commands: Any) -> None:
    as_written = argparse.RawDescriptionHelpFormatter
    summary = "Look at what an agent may do."
    policy = commands.add_parser("policy", help=summary, description=POLICY, formatter_class=as_written)
    parts = policy.add_subparsers(title="commands", metavar="COMMAND", required=True)
    check = _add(parts, "check", "Say what the policy says; exit code 1 if it is not sound.", _policy_check)
    check.add_argument("file", metavar="FILE", nargs="?", type=Path, help="a policy; the one in force if not given")
    explain = _add(parts, "explain", "Say what would be decided on an action, and by which rule.", _policy_explain)
    explain.epilog, explain.formatter_class = EXPLAIN, as_written
    explain.add_argument("action", metavar="ACTION", help="such as click, navigate, upload")
    explain.add_argument("url", metavar="URL", nargs="?", help="where it would happen, or go")
    explain.add_argument("--session", metavar="NAME", default="default", help="in which session [default]")


def _add(commands: Any, name: str, summary: str, command: Callable[..., int]) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(name, help=summary, description=summary)
    parser.set_defaults(command=command)
    group = parser.add_argument_group(
        "settings", "also in $ROVE_HOME/config.toml and, weaker than these flags, as ROVE_* variables"
    )
    for option in options():
        _add_flag(group, option)
    return parser


def _add_flag(group: Any, option: Option) -> None:
    facts: dict[str, Any] = {"dest": option.key, "default": None, "help": _help(option)}
    if option.is_switch:
        group.add_argument(option.flag, action=argparse.BooleanOptionalAction, **facts)
    elif option.choices:
        group.add_argument(option.flag, choices=option.choices, **facts)
    else:
        group.add_argument(option.flag, metavar=option.path[-1].upper(), **facts)


def _help(option: Option) -> str:
    default = "" if option.default is None else f" [{_shown(option.default)}]"
    return (option.description + default).replace("%", "%%")


def _mcp(given: argparse.Namespace, resolved: Resolved, begun: HeadStart | None) -> int:
    from rove.surfaces.cli.serving import serve_mcp

    return serve_mcp(resolved.settings, begun)


def _demo(given: argparse.Namespace, resolved: Resolved, begun: HeadStart | None) -> int:
    from rove.demo.tour import run_tour

    return run_tour(resolved.settings)


def _install(given: argparse.Namespace, resolved: Resolved, begun: HeadStart | None) -> int:
    from rove.engine.checkup import install

    version, where = install(resolved.settings, lambda line: print(line, flush=True))
    print(f"{version}\n{where}")
    return 0


def _doctor(given: argparse.Namespace, resolved: Resolved, begun: HeadStart | None) -> int:
    from rove.surfaces.cli.doctor import report

    return report(resolved.settings)


def _config_show(given: argparse.Namespace, resolved: Resolved, begun: HeadStart | None) -> int:
    rows = [(option.key, _value(resolved, option), resolved.sources[option.key]) for option in options()]
    widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
    for key, value, source in rows:
        print(f"{key:<{widths[0]}}  {value:<{widths[1]}}  {source}")
    return 0


def _policy_check(given: argparse.Namespace, resolved: Resolved, begun: HeadStart | None) -> int:
    from rove.surfaces.cli.policy import check

    return check(resolved.settings, given.file)


def _policy_explain(given: argparse.Namespace, resolved: Resolved, begun: HeadStart | None) -> int:
    from rove.surfaces.cli.policy import explain

    return explain(resolved.settings, given.action, given.url, given.session)


def _value(resolved: Resolved, option: Option) -> str:
    value: Any = resolved.settings
    for name in option.path:
        value = getattr(value, name)
    settings = resolved.settings
    # What follows from another setting is shown as what it comes to.
    value = {"workspace": settings.workspace_folder, "policy": settings.policy_file}.get(option.key, value)
    return _shown(value)


def _shown(value: Any) -> str:
    """A value as the file would have it."""
    if value is None:
        return "found by itself"
    return str(value).lower() if isinstance(value, bool) else str(value)
