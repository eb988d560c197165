"""The commands of `rove` and their help."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Collection, Sequence
from functools import partial
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING

from rove.errors import InvalidArguments, InvalidSettings, RoveError
from rove.settings.home import home_from
from rove.settings.toolset_file import CHAT_TOOLSET
from rove.settings.tree import Resolved, Settings, options, resolve
from rove.surfaces.cli import command_arguments
from rove.surfaces.cli.command_arguments import (
    cluster_parts,
    completion_arguments,
    config_parts,
    doctor_arguments,
    export_part,
    init_arguments,
    install_arguments,
    journal_parts,
    logs_arguments,
    map_arguments,
    mcp_arguments,
    policy_parts,
    profiles_parts,
    recordings_parts,
    run_map,
    serve_arguments,
    skill_arguments,
    states_parts,
    tools_arguments,
)
from rove.surfaces.cli.command_parser import MISUSE, Finished, refuse
from rove.surfaces.cli.command_tree import CommandTree, OverviewParser, layout, runs
from rove.surfaces.cli.setting_flags import HELP_ALL
from rove.version import VERSION

if TYPE_CHECKING:
    from rove.engine.sessions import EarlyLaunch


def run(arguments: Sequence[str], begun: EarlyLaunch | None = None) -> int:
    """Run one command and return its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal may not know all characters of a page
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="rove: %(message)s")
    try:
        given = _parsed(arguments)
        resolved = _resolved(given)
        code: int = given.command(given, resolved, begun)
    except (Finished, RoveError) as error:
        if begun is not None:
            begun.release()
        return _tell(error, arguments)
    except KeyboardInterrupt:
        return 130
    return code


def _parsed(arguments: Sequence[str]) -> argparse.Namespace:
    """Read a command line. Raises Finished."""
    words = [*(arguments or ["--help"]), *(["--help"] if HELP_ALL in arguments else [])]
    if words[0].startswith("-") and words[0] not in ("-h", "--help", HELP_ALL, "--version"):
        reason = f"The command comes first, and {words[0]} after it."
        raise Finished(MISUSE, error=f"rove: {reason}\n      `rove --help` lists all commands.\n", reason=reason)
    given, unknown = build_parser(words).parse_known_args(words)
    if unknown:
        refuse(given.parser, unknown)
    given.build_parser = build_parser
    given.command_line = [*arguments]
    return given


def _resolved(given: argparse.Namespace) -> Resolved:
    """Return the settings in force. Commands that repair settings get the defaults for those that are not valid."""
    given.settings_fault = None
    try:
        toolset = CHAT_TOOLSET if given.command is command_arguments.serve else None
        return resolve({option.key: getattr(given, option.key, None) for option in options()}, toolset=toolset)
    except InvalidSettings as fault:
        if given.command not in (command_arguments.config_edit, command_arguments.doctor):
            raise
        given.settings_fault = fault
        home = Path(home_from(getattr(given, "home", None), os.environ))
        return Resolved(Settings(home=home), {option.key: "default" for option in options()})


def _tell(error: Finished | RoveError, arguments: Sequence[str]) -> int:
    """Say why a command has not been run, or has failed; return its exit code."""
    if isinstance(error, Finished):
        sys.stdout.write(error.output)
        sys.stderr.write(error.error)
        code, told = error.code, (error.reason, "Correct the arguments of `rove mcp`.", "invalid_arguments")
    else:
        print(f"rove: {error.message}\n      {error.hint}", file=sys.stderr)
        code, told = _exit_code(error, arguments), (error.message, error.hint, error.code)
    if code and list(arguments[:1]) == ["mcp"] and not sys.stdin.isatty():
        from rove.surfaces.mcp.messages import serve_fault

        serve_fault(*told)
    return code


def _exit_code(error: RoveError, arguments: Sequence[str]) -> int:
    """Return 2 where words of the command line are the cause: `config set` and `init` get settings as words."""
    flags = {word.partition("=")[0] for word in arguments}
    given = [option for option in options() if option.flag in flags and option.key != "home"]
    has_settings = arguments[0] in ("config", "init") or bool(given)
    is_of_words = isinstance(error, InvalidSettings) and has_settings
    return MISUSE if is_of_words or isinstance(error, InvalidArguments) else 1


def build_parser(words: Collection[str] | None = None) -> argparse.ArgumentParser:
    """Return the parser for a command line of these words; without words, with the arguments of every command.

    A command that is not among the words is listed with its summary and declares no arguments: to declare all of them
    takes longer than a page takes to load.
    """
    lines = layout()
    parser = OverviewParser(prog="rove", formatter_class=lines, allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"rove {VERSION}")
    CommandTree(parser, words, lines).add_all(
        mcp=("Serve an MCP client over standard input and output.", runs(command_arguments.mcp, mcp_arguments)),
        serve=(
            "Serve a web page, WebSocket clients and MCP over HTTP.",
            runs(command_arguments.serve, serve_arguments),
        ),
        cluster=("Look at the nodes of a cluster; empty one before it goes.", partial(cluster_parts, runs)),
        map=("Visit many pages, and write a line of JSON for each.", runs(run_map, map_arguments)),
        demo=("Take a guided tour of a small built-in site.", runs(command_arguments.demo)),
        init=("Add rove to the MCP clients on this machine.", runs(command_arguments.init, init_arguments)),
        install=("Find a usable browser, or fetch one.", runs(command_arguments.install, install_arguments)),
        doctor=(
            "Check everything that rove needs; exit code 1 if something is broken.",
            runs(command_arguments.doctor, doctor_arguments),
        ),
        config=("Look at the settings, and change them.", config_parts),
        policy=("Look at what an agent may do.", policy_parts),
        states=("Look at saved logins; delete them, bring them in and out.", partial(states_parts, runs)),
        profiles=("Look at the profiles in which browsers keep logins.", partial(profiles_parts, runs)),
        tools=(
            "Show what a model sees of its tools, and what that costs.",
            runs(command_arguments.tools, tools_arguments),
        ),
        journal=("Read the record of what was done, and check that it is whole.", journal_parts),
        recordings=("Look at recordings; change their parameters, delete them.", partial(recordings_parts, runs)),
        export=("Turn a recording into code, or into a file for other tools.", partial(export_part, runs)),
        skill=(
            "Print a guide for coding agents that run commands, or install it.",
            runs(command_arguments.skill, skill_arguments),
        ),
        completion=(
            "Print a script with which a shell completes commands.",
            runs(command_arguments.completion, completion_arguments),
        ),
        logs=("Show what the daemon that runs actions has written.", runs(command_arguments.logs, logs_arguments)),
    )
    return parser
