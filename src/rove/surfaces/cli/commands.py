"""The commands of `rove` and their help."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from rove.errors import RoveError
from rove.settings import Option, Resolved, options, resolve
from rove.version import VERSION

if TYPE_CHECKING:
    from rove.engine.sessions.sessions import EarlyLaunch

EPILOG = """\
examples:
  rove demo                 a guided tour, no key and no network needed
  rove mcp                  serve an MCP client over standard input and output
  rove doctor               what is found, what is broken, how to mend it
  rove config show          every setting, its value and where that came from
  rove policy check         what an agent may do, and what a person is asked
  rove journal show         what was done, how it was decided and how it ended
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
JOURNAL_EXAMPLES = {
    "show": """\
examples:
  rove journal show                         the last 50 entries of all sessions
  rove journal show default --failed        what was refused or went wrong in one
  rove journal show --last 0 --json         everything, an entry a line, for programs
""",
    "verify": """\
examples:
  rove journal verify                       every journal
  rove journal verify default               one; note down the head that it prints
  rove journal verify default --head HASH   is what was noted down then still in it?
  rove journal verify ./default~1.jsonl     a file by itself, wherever it lies
""",
    "tail": """\
examples:
  rove journal tail -f                      what all sessions do, as they do it; Ctrl-C ends it
  rove journal tail default -f --json       one of them, for programs
""",
}


def run(arguments: Sequence[str], begun: EarlyLaunch | None = None) -> int:
    """Run one command; returns its exit code."""
    parser = build_parser()
    given = parser.parse_args(arguments or ["--help"])
    try:
        resolved = resolve({option.key: getattr(given, option.key, None) for option in options()})
        code: int = given.command(given, resolved, begun)
        sys.stdout.flush()
    except RoveError as error:
        if begun is not None:
            begun.release()
        print(f"rove: {error.message}\n      {error.hint}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Whoever read our words (`| head`) has gone: what is left of them must not complain when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    return code


class _Draft(argparse.HelpFormatter):
    """For argparse, which lays out every flag as it is declared: the terminal is measured when someone reads it."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=100)


class Command(argparse.ArgumentParser):
    """One command. What it takes is declared when it is run or explained: all of them together take as long to
    declare as a page takes to load."""

    def __init__(self, layout: type[argparse.HelpFormatter] = argparse.HelpFormatter, **words: Any) -> None:
        super().__init__(formatter_class=_Draft, allow_abbrev=False, **words)
        self.layout = layout
        self._declare: list[Callable[[Command], None]] = []

    def takes(self, *declare: Callable[[Command], None]) -> None:
        self._declare += declare

    def parts(self) -> Any:
        """Commands below it."""
        # What it is called is said here, as argparse would find out by laying out a page of help.
        return self.add_subparsers(
            title="commands", metavar="COMMAND", required=True, prog=self.prog, parser_class=Command
        )

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        self._settle()
        return super().parse_known_args(args, namespace)

    def format_help(self) -> str:
        self._settle()
        self.formatter_class = self.layout
        return super().format_help()

    def error(self, message: str) -> NoReturn:
        self.formatter_class = self.layout
        super().error(message)

    def _settle(self) -> None:
        while self._declare:
            self._declare.pop(0)(self)


def build_parser() -> Command:
    parser = Command(
        prog="rove",
        description="A real browser for an AI agent, with a person in charge of it.",
        epilog=EPILOG,
        layout=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"rove {VERSION}")
    commands = parser.parts()
    _add(commands, "mcp", "Serve an MCP client over standard input and output.", _mcp)
    _add(commands, "demo", "Take a guided tour of a small built-in site.", _demo)
    _add(commands, "install", "Find a usable browser, or fetch one.", _install)
    _add(commands, "doctor", "Check everything that rove needs; exit code 1 if something is broken.", _doctor)
    _group(commands, "config", "Look at the settings.", _config_parts)
    policy = _group(commands, "policy", "Look at what an agent may do.", _policy_parts)
    policy.description, policy.layout = POLICY, argparse.RawDescriptionHelpFormatter
    _group(commands, "journal", "Read the record of what was done, and prove it whole.", _journal_parts)
    return parser


def _config_parts(config: Command) -> None:
    _add(config.parts(), "show", "Every setting, its value and where that came from.", _config_show)


def _policy_parts(policy: Command) -> None:
    parts = policy.parts()
    check = _add(parts, "check", "Say what the policy says; exit code 1 if it is not sound.", _policy_check)
    check.add_argument("file", metavar="FILE", nargs="?", type=Path, help="a policy; the one in force if not given")
    explain = _add(parts, "explain", "Say what would be decided on an action, and by which rule.", _policy_explain)
    explain.epilog, explain.layout = EXPLAIN, argparse.RawDescriptionHelpFormatter
    explain.add_argument("action", metavar="ACTION", help="such as click, navigate, upload")
    explain.add_argument("url", metavar="URL", nargs="?", help="where it would happen, or go")
    explain.add_argument("--session", metavar="NAME", default="default", help="in which session [default]")


def _journal_parts(journal: Command) -> None:
    looks = journal.parts()
    show = _add(looks, "show", "What was done, how it was decided and how it ended.", _journal_show)
    show.add_argument("session", nargs="?", metavar="SESSION", help="one session; all of them if not given")
    show.add_argument("--last", type=_count, default=50, metavar="N", help="so many; 0 for all [50]")
    show.add_argument("--failed", action="store_true", help="only what was denied, failed or was broken off")
    show.add_argument("--json", action="store_true", help="an entry a line, complete")
    check = _add(looks, "verify", "Is it whole? Exit code 1, and the first broken line, if not.", _journal_verify)
    check.add_argument("names", nargs="*", metavar="SESSION|FILE", help="which; all sessions if not given")
    check.add_argument("--head", metavar="HASH", help="the hash of an entry that must be in it")
    tail = _add(looks, "tail", "The last entries and, with -f, those that come.", _journal_tail)
    tail.add_argument("session", nargs="?", metavar="SESSION", help="one session; all of them if not given")
    tail.add_argument("-f", "--follow", action="store_true", help="go on until interrupted")
    tail.add_argument("--last", type=_count, default=10, metavar="N", help="so many; 0 for all [10]")
    tail.add_argument("--json", action="store_true", help="an entry a line, complete")
    for parser, name in ((show, "show"), (check, "verify"), (tail, "tail")):
        parser.epilog, parser.layout = JOURNAL_EXAMPLES[name], argparse.RawDescriptionHelpFormatter


def _count(word: str) -> int:
    if not (word.isascii() and word.isdigit()):
        raise argparse.ArgumentTypeError(f"{word!r} is not a whole number from 0 up")
    return int(word)


def _group(commands: Any, name: str, summary: str, parts: Callable[[Command], None]) -> Command:
    group: Command = commands.add_parser(name, help=summary, description=summary)
    group.takes(parts)
    return group


def _add(commands: Any, name: str, summary: str, command: Callable[..., int]) -> Command:
    parser: Command = commands.add_parser(name, help=summary, description=summary)
    parser.set_defaults(command=command)
    parser.takes(_settings)
    return parser


def _settings(command: Command) -> None:
    group = command.add_argument_group(
        "settings", "also in $ROVE_HOME/config.toml and, weaker than these flags, as ROVE_* variables"
    )
    for option in options():
        _add_flag(group, option)


def _add_flag(group: Any, option: Option) -> None:
    facts: dict[str, Any] = {"dest": option.key, "default": None, "help": _help(option)}
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
    default = repeated if option.default in (None, ()) else f" [{_shown(option.default)}]"
    return (option.description + default).replace("%", "%%")


def _mcp(given: argparse.Namespace, resolved: Resolved, begun: EarlyLaunch | None) -> int:
    from rove.surfaces.cli.serving import serve_mcp

    return serve_mcp(resolved.settings, begun)


def _demo(given: argparse.Namespace, resolved: Resolved, begun: EarlyLaunch | None) -> int:
    from rove.surfaces.cli.tour import run_tour

    return run_tour(resolved.settings)


def _install(given: argparse.Namespace, resolved: Resolved, begun: EarlyLaunch | None) -> int:
    from rove.browser.browser import load_engine

    version, where = load_engine().install(resolved.settings, lambda line: print(line, flush=True))
    print(f"{version}\n{where}")
    return 0


def _doctor(given: argparse.Namespace, resolved: Resolved, begun: EarlyLaunch | None) -> int:
    from rove.surfaces.cli.doctor import report

    return report(resolved.settings)


def _config_show(given: argparse.Namespace, resolved: Resolved, begun: EarlyLaunch | None) -> int:
    rows = [(option.key, _value(resolved, option), resolved.sources[option.key]) for option in options()]
    widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
    for key, value, source in rows:
        print(f"{key:<{widths[0]}}  {value:<{widths[1]}}  {source}")
    if resolved.settings.attach is not None:
        from rove.engine.guard_notice import UNGUARDED

        print(f"\n{UNGUARDED}")
    return 0


def _policy_check(given: argparse.Namespace, resolved: Resolved, begun: EarlyLaunch | None) -> int:
    from rove.surfaces.cli.policy import check

    return check(resolved.settings, given.file)


def _policy_explain(given: argparse.Namespace, resolved: Resolved, begun: EarlyLaunch | None) -> int:
    from rove.surfaces.cli.policy import explain

    return explain(resolved.settings, given.action, given.url, given.session)


def _journal_show(given: argparse.Namespace, resolved: Resolved, begun: EarlyLaunch | None) -> int:
    from rove.surfaces.cli.journal import show

    return show(resolved.settings.journal_folder, given.session, given.last, given.failed, given.json)


def _journal_verify(given: argparse.Namespace, resolved: Resolved, begun: EarlyLaunch | None) -> int:
    from rove.surfaces.cli.journal import check

    return check(resolved.settings.journal_folder, given.names, given.head)


def _journal_tail(given: argparse.Namespace, resolved: Resolved, begun: EarlyLaunch | None) -> int:
    from rove.surfaces.cli.journal import tail

    return tail(resolved.settings.journal_folder, given.session, given.last, given.follow, given.json)


def _value(resolved: Resolved, option: Option) -> str:
    value: Any = resolved.settings
    for name in option.path:
        value = getattr(value, name)
    settings = resolved.settings
    # What follows from another setting is shown as what it comes to.
    followed = {
        "workspace": settings.workspace_folder,
        "policy": settings.policy_file,
        "attach": settings.attach or "none",
    }
    return _shown(followed.get(option.key, value))


def _shown(value: Any) -> str:
    """A value as the file would have it."""
    if value is None:
        return "found by itself"
    if isinstance(value, tuple):
        parts: tuple[Any, ...] = value
        return ", ".join(map(str, parts)) or "none"
    return str(value).lower() if isinstance(value, bool) else str(value)
