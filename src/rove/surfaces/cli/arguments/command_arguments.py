"""Declares the arguments of commands that are no actions."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import get_args

from rove.settings.sections import EngineName
from rove.surfaces.cli import command_calls
from rove.surfaces.cli.arguments.command_tree import CommandTree, runs
from rove.surfaces.cli.arguments.help_texts import (
    COMPLETION,
    DOCTOR,
    EXPLAIN,
    INIT,
    INIT_EXAMPLES,
    MCP,
    MCP_EXAMPLES,
    POLICY,
    SERVE,
    SERVE_EXAMPLES,
    SHOW,
    SKILL,
    TAIL,
    TOOLS,
    VERIFY,
)
from rove.surfaces.cli.cluster.arguments import cluster_flag


def serve_arguments(serve: argparse.ArgumentParser) -> None:
    serve.description, serve.epilog = SERVE, SERVE_EXAMPLES
    cluster_flag(serve, "run the sessions on the nodes of a Ray cluster, HOST:PORT of its head (docs/cluster.md)")
    serve.add_argument("--demo", action="store_true", help="serve the built-in site beside it, for the chat to visit")


def install_arguments(install: argparse.ArgumentParser) -> None:
    choices = (*get_args(EngineName), command_calls.AXE)
    which = "engine, or axe, for audits of accessibility; the engine that is set if not given"
    install.add_argument("which", nargs="?", choices=choices, help=which)
    install.add_argument("--force", action="store_true", help="fetch one even where one is found")


def doctor_arguments(doctor: argparse.ArgumentParser) -> None:
    doctor.epilog = DOCTOR
    cluster_flag(doctor, "check a Ray cluster too: TLS, token, versions, and a browser and memory on each node")


def init_arguments(init: argparse.ArgumentParser) -> None:
    init.description, init.epilog = INIT, INIT_EXAMPLES
    init.add_argument("clients", nargs="*", metavar="CLIENT", help="which; all that are found if not given")
    init.add_argument("-y", "--yes", action="store_true", help="do not ask")
    init.add_argument("--print", action="store_true", help="write no file: print what to add to one")


def tools_arguments(tools: argparse.ArgumentParser) -> None:
    tools.epilog = TOOLS
    tools.add_argument("--list", action="store_true", help="list the toolsets instead")
    tools.add_argument("--tokens", action="store_true", help="only what each tool costs, and all together")
    tools.add_argument("--json", action="store_true", help="as MCP clients get them")


def config_parts(config: argparse.ArgumentParser, commands: CommandTree) -> None:
    commands.below(config).add_all(
        show=("Show every setting, its value and where that came from.", runs(command_calls.config_show)),
        get=("Show the value of one setting.", runs(command_calls.config_get, _key_argument)),
        set=("Write a setting to the config file.", runs(command_calls.config_set, _setting_arguments)),
        unset=("Remove a setting from the config file.", runs(command_calls.config_unset, _key_argument)),
        edit=("Open the config file in $EDITOR; it is kept only if it is valid.", runs(command_calls.config_edit)),
    )


def _key_argument(command: argparse.ArgumentParser) -> None:
    command.add_argument("key", metavar="KEY", help="such as browser_enabled or limits.sessions")


def _setting_arguments(command: argparse.ArgumentParser) -> None:
    _key_argument(command)
    command.add_argument("value", metavar="VALUE", nargs="+", help="its value; several for a list")


def policy_parts(policy: argparse.ArgumentParser, commands: CommandTree) -> None:
    policy.description = POLICY
    commands.below(policy).add_all(
        check=(
            "Show what the policy says; exit code 1 if it is not valid.",
            runs(command_calls.policy_check, _check_arguments),
        ),
        explain=(
            "Show what would be decided on an action, and by which rule.",
            runs(command_calls.policy_explain, _explain_arguments),
        ),
    )


def _check_arguments(check: argparse.ArgumentParser) -> None:
    check.add_argument("file", metavar="FILE", nargs="?", type=Path, help="a policy; the one in force if not given")


def _explain_arguments(explain: argparse.ArgumentParser) -> None:
    explain.epilog = EXPLAIN
    explain.add_argument("action", metavar="ACTION", help="such as click, navigate, upload")
    explain.add_argument("url", metavar="URL", nargs="?", help="where it would happen, or go")
    explain.add_argument("--session", metavar="NAME", default="default", help="in which session [default]")


def journal_parts(journal: argparse.ArgumentParser, commands: CommandTree) -> None:
    commands.below(journal).add_all(
        show=(
            "Show what was done, how it was decided and how it ended.",
            runs(command_calls.journal_show, _show_arguments),
        ),
        verify=(
            "Check that it is whole; if not, name the first broken line and exit with code 1.",
            runs(command_calls.journal_verify, _verify_arguments),
        ),
        tail=(
            "Show the last entries and, with -f, those that follow.",
            runs(command_calls.journal_tail, _tail_arguments),
        ),
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


def mcp_arguments(mcp: argparse.ArgumentParser) -> None:
    mcp.description, mcp.epilog = MCP, MCP_EXAMPLES


def skill_arguments(skill: argparse.ArgumentParser) -> None:
    skill.epilog = SKILL
    skill.add_argument(
        "--install", metavar="FOLDER", nargs="?", type=Path, const=Path("~/.claude/skills"),
        help="write it below this folder of skills [~/.claude/skills]",
    )  # fmt: skip


def completion_arguments(completion: argparse.ArgumentParser) -> None:
    completion.epilog = COMPLETION
    completion.add_argument("shell", choices=["bash", "zsh", "fish"], nargs="?", help="which shell")
    completion.add_argument("--words", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)


def logs_arguments(logs: argparse.ArgumentParser) -> None:
    logs.add_argument("-f", "--follow", action="store_true", help="go on until interrupted")
    logs.add_argument("--last", type=_count, default=20, metavar="N", help="how many lines; 0 for all [20]")


def _count(word: str) -> int:
    if not (word.isascii() and word.isdigit()):
        raise argparse.ArgumentTypeError(f"{word!r} is not a whole number from 0 up")
    return int(word)
