"""The commands of `rove` and their help."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Callable, Collection, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from rove.errors import RoveError
from rove.settings.tree import Resolved, options, resolve
from rove.surfaces.cli.arguments.help_texts import (
    COMPLETION,
    DESCRIPTION,
    EXPLAIN,
    POLICY,
    SERVE,
    SERVE_EXAMPLES,
    SHOW,
    SKILL,
    TAIL,
    TOOLS,
    VERIFY,
)
from rove.surfaces.cli.arguments.setting_flags import HELP_ALL, add_settings
from rove.surfaces.cli.map.arguments import map_arguments, run_map
from rove.surfaces.cli.state_commands import profiles_parts, states_parts
from rove.validation.spelling import nearest
from rove.version import VERSION

if TYPE_CHECKING:
    from rove.engine.sessions.sessions import EarlyLaunch

# Columns where help is not written to a terminal.
DEFAULT_WIDTH = 80
# Declares what a command takes; given are the command's parser and the commands that it stands among.
Declare = Callable[[argparse.ArgumentParser, "_Commands"], None]


def run(arguments: Sequence[str], begun: EarlyLaunch | None = None) -> int:
    """Run one command and return its exit code."""
    arguments = [*(arguments or ["--help"]), *(["--help"] if HELP_ALL in arguments else [])]
    given, unknown = build_parser(arguments).parse_known_args(arguments)
    if unknown:
        if begun is not None:
            begun.release()
        _refuse(given.parser, unknown)
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="rove: %(message)s")
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
        # The reader of a pipe (`| head`) has gone: Python must not fail to flush the rest at its exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    return code


def _refuse(command: argparse.ArgumentParser, unknown: Sequence[str]) -> NoReturn:
    """Exit with the usage of the command that does not take these arguments, and with the nearest flag."""
    flag = unknown[0].partition("=")[0]
    flags = {known.lstrip("-"): known for known in command._option_string_actions}
    near = nearest(flag.lstrip("-"), flags) if flag.startswith("-") else None
    meant = f"; did you mean {flags[near]}?" if near else ""
    message = f"{command.prog}: error: unrecognized arguments: {' '.join(unknown)}{meant}"
    command.exit(2, f"usage: {command.prog} [options]\n{message}\n`{command.prog} --help` lists all options.\n")


def build_parser(words: Collection[str] | None = None) -> argparse.ArgumentParser:
    """Return the parser for a command line of these words; without words, with the arguments of every command.

    A command that is not among the words is listed with its summary and declares no arguments: to declare all of them
    takes longer than a page takes to load.
    """
    layout = _layout()
    parser = argparse.ArgumentParser(
        prog="rove",
        description=DESCRIPTION,
        epilog=_actions_listed() if words is None or {"-h", "--help"} & {*words} else None,
        formatter_class=layout,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"rove {VERSION}")
    _Commands(parser, words, layout).add_all(
        mcp=("Serve an MCP client over standard input and output.", _runs(_mcp)),
        serve=("Serve a web page, WebSocket clients and MCP over HTTP.", _runs(_serve, _serve_arguments)),
        map=("Visit many pages, and write a line of JSON for each.", _runs(run_map, map_arguments)),
        demo=("Take a guided tour of a small built-in site.", _runs(_demo)),
        install=("Find a usable browser, or fetch one.", _runs(_install, _install_arguments)),
        doctor=("Check everything that rove needs; exit code 1 if something is broken.", _runs(_doctor)),
        config=("Look at the settings, and change them.", _config_parts),
        policy=("Look at what an agent may do.", _policy_parts),
        states=("Look at saved logins; delete them, bring them in and out.", partial(states_parts, _runs)),
        profiles=("Look at the profiles in which browsers keep logins.", partial(profiles_parts, _runs)),
        tools=("Show what a model sees of its tools, and what that costs.", _runs(_tools, _tools_arguments)),
        journal=("Read the record of what was done, and check that it is whole.", _journal_parts),
        skill=("Print a guide for coding agents that run commands, or install it.", _runs(_skill, _skill_arguments)),
        completion=("Print a script with which a shell completes commands.", _runs(_completion, _completion_arguments)),
        logs=("Show what the daemon that runs actions has written.", _runs(_logs, _logs_arguments)),
    )
    return parser


def _actions_listed() -> str:
    """List the commands of all actions."""
    from rove.surfaces.cli.arguments.action_list import actions_listed

    return actions_listed(_terminal_width() - 2)


def _layout() -> Callable[..., argparse.HelpFormatter]:
    """Lay out help for this terminal, which argparse would measure again for each flag that is declared."""
    return partial(argparse.RawDescriptionHelpFormatter, width=_terminal_width() - 2)


def _terminal_width() -> int:
    """Return what `shutil.get_terminal_size` would, whose import takes a server 5 ms that it needs for nothing else."""
    try:
        return int(os.environ["COLUMNS"])
    except (KeyError, ValueError):
        pass
    try:
        return os.get_terminal_size(sys.__stdout__.fileno()).columns if sys.__stdout__ else DEFAULT_WIDTH
    except (ValueError, OSError):
        return DEFAULT_WIDTH


class _Commands:
    """The commands below a parser."""

    def __init__(
        self, parent: argparse.ArgumentParser, words: Collection[str] | None, layout: Callable[..., Any]
    ) -> None:
        self._words = words
        self._layout = layout
        self.shows_all = words is not None and HELP_ALL in words
        # With a `prog`, as argparse would lay out a page of help to find it.
        self._parsers = parent.add_subparsers(title="commands", metavar="COMMAND", required=True, prog=parent.prog)

    def add_all(self, **commands: tuple[str, Declare]) -> None:
        for name, (summary, declare) in commands.items():
            parser = self._parsers.add_parser(
                name, help=summary, description=summary, formatter_class=self._layout, allow_abbrev=False
            )
            if self._words is None or name in self._words:
                declare(parser, self)

    def below(self, parent: argparse.ArgumentParser) -> _Commands:
        return _Commands(parent, self._words, self._layout)


def _runs(command: Callable[..., int], declare: Callable[[argparse.ArgumentParser], None] | None = None) -> Declare:
    """Return what declares a command that can be run: its own arguments, and all settings."""

    def declare_all(parser: argparse.ArgumentParser, commands: _Commands) -> None:
        parser.set_defaults(command=command, parser=parser)
        if declare is not None:
            declare(parser)
        add_settings(parser, commands.shows_all)

    return declare_all


def _serve_arguments(serve: argparse.ArgumentParser) -> None:
    serve.description, serve.epilog = SERVE, SERVE_EXAMPLES
    serve.add_argument("--demo", action="store_true", help="serve the built-in site beside it, for the chat to visit")


def _install_arguments(install: argparse.ArgumentParser) -> None:
    install.add_argument("--force", action="store_true", help="fetch one even where one is found")


def _tools_arguments(tools: argparse.ArgumentParser) -> None:
    tools.epilog = TOOLS
    tools.add_argument("--list", action="store_true", help="list the toolsets instead")
    tools.add_argument("--tokens", action="store_true", help="only what each tool costs, and all together")
    tools.add_argument("--json", action="store_true", help="as MCP clients get them")


def _config_parts(config: argparse.ArgumentParser, commands: _Commands) -> None:
    commands.below(config).add_all(
        show=("Show every setting, its value and where that came from.", _runs(_config_show)),
        get=("Show the value of one setting.", _runs(_config_get, _key_argument)),
        set=("Write a setting to the config file.", _runs(_config_set, _setting_arguments)),
        unset=("Remove a setting from the config file.", _runs(_config_unset, _key_argument)),
    )


def _key_argument(command: argparse.ArgumentParser) -> None:
    command.add_argument("key", metavar="KEY", help="such as browser_enabled or limits.sessions")


def _setting_arguments(command: argparse.ArgumentParser) -> None:
    _key_argument(command)
    command.add_argument("value", metavar="VALUE", nargs="+", help="its value; several for a list")


def _policy_parts(policy: argparse.ArgumentParser, commands: _Commands) -> None:
    policy.description = POLICY
    commands.below(policy).add_all(
        check=("Show what the policy says; exit code 1 if it is not valid.", _runs(_policy_check, _check_arguments)),
        explain=(
            "Show what would be decided on an action, and by which rule.", _runs(_policy_explain, _explain_arguments)
        ),
    )  # fmt: skip


def _check_arguments(check: argparse.ArgumentParser) -> None:
    check.add_argument("file", metavar="FILE", nargs="?", type=Path, help="a policy; the one in force if not given")


def _explain_arguments(explain: argparse.ArgumentParser) -> None:
    explain.epilog = EXPLAIN
    explain.add_argument("action", metavar="ACTION", help="such as click, navigate, upload")
    explain.add_argument("url", metavar="URL", nargs="?", help="where it would happen, or go")
    explain.add_argument("--session", metavar="NAME", default="default", help="in which session [default]")


def _journal_parts(journal: argparse.ArgumentParser, commands: _Commands) -> None:
    commands.below(journal).add_all(
        show=("Show what was done, how it was decided and how it ended.", _runs(_journal_show, _show_arguments)),
        verify=(
            "Check that it is whole; if not, name the first broken line and exit with code 1.",
            _runs(_journal_verify, _verify_arguments),
        ),
        tail=("Show the last entries and, with -f, those that follow.", _runs(_journal_tail, _tail_arguments)),
    )


def _show_arguments(show: argparse.ArgumentParser) -> None:
    show.epilog = SHOW
    show.add_argument("session", nargs="?", metavar="SESSION", help="one session; all of them if not given")
    show.add_argument("--last", type=_count, default=50, metavar="N", help="how many entries; 0 for all [50]")
    show.add_argument("--failed", action="store_true", help="only what was denied, failed or was broken off")
    show.add_argument("--json", action="store_true", help="one complete entry a line")


def _verify_arguments(verify: argparse.ArgumentParser) -> None:
    verify.epilog = VERIFY
    verify.add_argument("names", nargs="*", metavar="SESSION|FILE", help="which; all sessions if not given")
    verify.add_argument("--head", metavar="HASH", help="the hash of an entry that must be in it")


def _tail_arguments(tail: argparse.ArgumentParser) -> None:
    tail.epilog = TAIL
    tail.add_argument("session", nargs="?", metavar="SESSION", help="one session; all of them if not given")
    tail.add_argument("-f", "--follow", action="store_true", help="go on until interrupted")
    tail.add_argument("--last", type=_count, default=10, metavar="N", help="how many entries; 0 for all [10]")
    tail.add_argument("--json", action="store_true", help="one complete entry a line")


def _skill_arguments(skill: argparse.ArgumentParser) -> None:
    skill.epilog = SKILL
    skill.add_argument(
        "--install", metavar="FOLDER", nargs="?", type=Path, const=Path("~/.claude/skills"),
        help="write it below this folder of skills [~/.claude/skills]",
    )  # fmt: skip


def _completion_arguments(completion: argparse.ArgumentParser) -> None:
    completion.epilog = COMPLETION
    completion.add_argument("shell", choices=["bash", "zsh", "fish"], nargs="?", help="which shell")
    completion.add_argument("--words", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)


def _logs_arguments(logs: argparse.ArgumentParser) -> None:
    logs.add_argument("-f", "--follow", action="store_true", help="go on until interrupted")
    logs.add_argument("--last", type=_count, default=20, metavar="N", help="how many lines; 0 for all [20]")


def _count(word: str) -> int:
    if not (word.isascii() and word.isdigit()):
        raise argparse.ArgumentTypeError(f"{word!r} is not a whole number from 0 up")
    return int(word)


def _mcp(given: argparse.Namespace, resolved: Resolved, begun: EarlyLaunch | None) -> int:
    from rove.surfaces.cli.serving import serve_mcp

    return serve_mcp(resolved.settings, begun)


def _serve(given: argparse.Namespace, resolved: Resolved, begun: EarlyLaunch | None) -> int:
    from rove.surfaces.cli.serving import serve_gateway

    return serve_gateway(resolved.settings, given.demo)


def _demo(given: argparse.Namespace, resolved: Resolved, begun: EarlyLaunch | None) -> int:
    from rove.surfaces.cli.tour import run_tour

    return run_tour(resolved.settings)


def _install(given: argparse.Namespace, resolved: Resolved, begun: EarlyLaunch | None) -> int:
    from rove.browser.browser import load_engine
    from rove.surfaces.cli.progress_bar import ProgressBar

    bar = ProgressBar(sys.stdout) if sys.stdout.isatty() else None
    engine = load_engine()
    version, where = engine.install(resolved.settings, lambda line: print(line, flush=True), bar, given.force)
    print(f"{version}\n{where}")
    return 0


def _tools(given: argparse.Namespace, resolved: Resolved, begun: EarlyLaunch | None) -> int:
    from rove.surfaces.cli.tools import list_toolsets, show

    if given.list:
        return list_toolsets(resolved.settings)
    return show(resolved.settings, "tokens" if given.tokens else "json" if given.json else "text")


def _doctor(given: argparse.Namespace, resolved: Resolved, begun: EarlyLaunch | None) -> int:
    from rove.surfaces.cli.doctor import report

    return report(resolved.settings)


def _config_show(given: argparse.Namespace, resolved: Resolved, begun: EarlyLaunch | None) -> int:
    from rove.surfaces.cli.config import show

    return show(resolved)


def _config_get(given: argparse.Namespace, resolved: Resolved, begun: EarlyLaunch | None) -> int:
    from rove.surfaces.cli.config import get

    return get(resolved, given.key)


def _config_set(given: argparse.Namespace, resolved: Resolved, begun: EarlyLaunch | None) -> int:
    from rove.surfaces.cli.config import write

    return write(resolved, given.key, given.value)


def _config_unset(given: argparse.Namespace, resolved: Resolved, begun: EarlyLaunch | None) -> int:
    from rove.surfaces.cli.config import write

    return write(resolved, given.key, None)


def _policy_check(given: argparse.Namespace, resolved: Resolved, begun: EarlyLaunch | None) -> int:
    from rove.surfaces.cli.policy import check

    return check(resolved.settings, given.file)


def _policy_explain(given: argparse.Namespace, resolved: Resolved, begun: EarlyLaunch | None) -> int:
    from rove.surfaces.cli.policy import explain

    return explain(resolved.settings, given.action, given.url, given.session)


def _skill(given: argparse.Namespace, resolved: Resolved, begun: EarlyLaunch | None) -> int:
    from rove.surfaces.cli.first_use.skill import show_skill

    return show_skill(given.install)


def _completion(given: argparse.Namespace, resolved: Resolved, begun: EarlyLaunch | None) -> int:
    from rove.surfaces.cli.first_use.completion import show_completion

    return show_completion(given.shell, given.words, build_parser())


def _logs(given: argparse.Namespace, resolved: Resolved, begun: EarlyLaunch | None) -> int:
    from rove.surfaces.daemon.log import show_log

    return show_log(resolved.settings.home_folder, given.last, given.follow)


def _journal_show(given: argparse.Namespace, resolved: Resolved, begun: EarlyLaunch | None) -> int:
    from rove.surfaces.cli.journal import show

    return show(resolved.settings.journal_folder, given.session, given.last, given.failed, given.json)


def _journal_verify(given: argparse.Namespace, resolved: Resolved, begun: EarlyLaunch | None) -> int:
    from rove.surfaces.cli.journal import check

    return check(resolved.settings.journal_folder, given.names, given.head)


def _journal_tail(given: argparse.Namespace, resolved: Resolved, begun: EarlyLaunch | None) -> int:
    from rove.surfaces.cli.journal import tail

    return tail(resolved.settings.journal_folder, given.session, given.last, given.follow, given.json)
