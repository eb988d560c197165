"""The tree of commands and its help: a parser for each, which declares its arguments only if it is run."""

from __future__ import annotations

import argparse
import os
import sys
import textwrap
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from typing import Any

from rove.surfaces.cli.command_names import SESSION_COMMANDS
from rove.surfaces.cli.command_parser import CommandParser, short_usage, subcommands
from rove.surfaces.cli.setting_flags import HELP_ALL, OF_COMMANDS, add_settings

DESCRIPTION = """\
A real browser for an AI agent, with a person in charge of it.

The loop: open a page, look at it, act, read what changed.
  rove open example.com         answers with the page; [e12] is the ref of an element
  rove snapshot                 the page again, when you need all of it
  rove click e12                every act answers with what it changed on the page
  rove fill e7 "Ada Lovelace"
  rove screenshot --out page.png
  rove close                    or leave it open: the browser stays for the next command

To connect an agent:  rove init   adds rove to the MCP clients on this machine
                      rove skill  is the guide for agents that run commands
To watch one at work: rove watch  in this terminal, or rove serve on a web page
To try it:            rove demo   takes you round, with no key and no network
"""
INIT = """\
Add rove to the MCP clients on this machine: Claude Code, Claude Desktop, Cursor, VS Code, Codex, Gemini CLI, Zed and
Windsurf. It asks before it changes a file, keeps the comments in it, and leaves a copy of it as it was. Settings that
are given here are those that the client starts rove with.
"""
INIT_EXAMPLES = """\
examples:
  rove init                                 ask for each client that is found
  rove init cursor --yes                    one client, without asking
  rove init --allow-host localhost:3000     let the agent reach the app that you are writing
  rove init --print                         what to add to the configuration of any other client
"""
MCP = """\
Serve an MCP client over standard input and output. A client starts this by itself: `rove init` adds it to the clients
on this machine, with the settings that are given there.
"""
MCP_EXAMPLES = """\
examples:
  rove mcp --allow-host localhost:3000      pages may reach the app that you are writing
  rove mcp --with pdf,workers               more tools; `rove tools` shows all
  rove mcp --toolset playwright             tools under other names
"""
SERVE = """\
One server for people and programs: a web page where a person watches every session, approves what an agent asks for,
takes over and hands back, and chats; the WebSocket that the page uses, for programs (docs/gateway.md); MCP over HTTP at
/mcp; /healthz and /metrics. It listens on this machine only, and every client needs a token: the link that it prints
has the owner's, which is also in $ROVE_HOME/gateway/owner-token.
"""
SERVE_EXAMPLES = """\
examples:
  rove serve                                             open the link that it prints
  rove serve --demo                                      with a site to try it on, no key needed
  ANTHROPIC_API_KEY=… rove serve --serve-model anthropic:claude-sonnet-5-5
  rove serve --serve-model llama3.2 --serve-model-url http://127.0.0.1:11434/v1
  rove serve --serve-host 0.0.0.0 --serve-allowed-hosts agents.example.com
"""
TOOLS = """\
examples:
  rove tools                              the tools of the default toolset
  rove tools --list                       which toolsets there are
  rove tools --toolset playwright         the tools of another one
  rove tools --with storage --tokens      what more tools would cost
  rove tools --without browser_evaluate   what is left
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
STATES = """\
The logins that sessions have saved by name: cookies, local and session storage, IndexedDB. The files are encrypted, in
$ROVE_HOME/states. No command shows a value; `export` writes all of them to a file. See docs/logins.md.
"""
RECORDINGS = """\
What `rove record` has saved, in $ROVE_HOME/recordings: a JSON file each, which can be edited, compared and kept in a
repository. `rove replay NAME` runs one again. See docs/recordings.md.
"""
EXPORT = """\
examples:
  rove export order --as python > order.py                a program with rove's library
  rove export order --as pytest --out test_order.py       a test with rove's plugin of pytest
  rove export order --as playwright --out order.spec.js   for `npx playwright test`
  rove export order --as recorder --out order.json        for the Recorder in Chrome's developer tools
  rove export order --as trace                            trace.zip, for `npx playwright show-trace`
"""
DOCTOR = """\
examples:
  rove doctor                               this machine
  rove doctor --cluster 10.0.0.5:6379       this machine and the nodes of a cluster
"""
EXPLAIN = """\
examples:
  rove policy explain upload https://example.com
  rove policy explain click https://shop.example.com --session shopping
  rove policy explain evaluate
"""
SHOW = """\
examples:
  rove journal show                         the last 50 entries of all sessions
  rove journal show default --failed        what was refused or went wrong in one session
  rove journal show --last 0 --json         everything, one entry a line, for programs
"""
VERIFY = """\
examples:
  rove journal verify                       every journal
  rove journal verify default               one journal; write down the head that it prints
  rove journal verify default --head HASH   check that a head written down earlier is still in it
  rove journal verify ./default~1.jsonl     one file by itself, in any folder
"""
TAIL = """\
examples:
  rove journal tail -f                      what all sessions do, as they do it; Ctrl-C ends it
  rove journal tail default -f --json       one session, for programs
"""
SKILL = """\
examples:
  rove skill                                for an agent that reads what commands print
  rove skill --install                      as a skill of Claude Code
  rove skill --install .agents/skills       as a skill of this project
"""
COMPLETION = """\
examples:
  eval "$(rove completion bash)"            in ~/.bashrc
  eval "$(rove completion zsh)"             in ~/.zshrc
  rove completion fish | source             in ~/.config/fish/config.fish
"""

# Columns where help is not written to a terminal.
DEFAULT_WIDTH = 80
# Declares what a command takes; given are the command's parser and the commands that it stands among.
Declare = Callable[[argparse.ArgumentParser, "CommandTree"], None]

# The commands that are no actions, by what they are for.
GROUPS = {
    "sessions": ("sessions", "close", "stop", "approve", "watch", "logs"),
    "record and replay": ("record", "replay", "recordings", "export"),
    "connect and serve": ("init", "mcp", "serve", "cluster", "skill", "completion"),
    "set up": ("install", "doctor", "config", "policy", "states", "profiles", "tools"),
    "more": ("demo", "map", "journal"),
}
_INDENT = 16


def layout() -> Callable[..., argparse.HelpFormatter]:
    """Lay out help for this terminal, which argparse would measure again for each flag that is declared."""
    return partial(argparse.RawDescriptionHelpFormatter, width=terminal_width() - 2)


def terminal_width() -> int:
    """Return what `shutil.get_terminal_size` would, whose import takes a server 5 ms that it needs for nothing else."""
    try:
        return int(os.environ["COLUMNS"])
    except (KeyError, ValueError):
        pass
    try:
        return os.get_terminal_size(sys.__stdout__.fileno()).columns if sys.__stdout__ else DEFAULT_WIDTH
    except (ValueError, OSError):
        return DEFAULT_WIDTH


class CommandTree:
    """The commands below a parser."""

    def __init__(
        self, parent: argparse.ArgumentParser, words: Collection[str] | None, layout: Callable[..., Any]
    ) -> None:
        self._words = words
        self._layout = layout
        self.shows_all = words is not None and HELP_ALL in words
        # With a `prog`, as argparse would lay out a page of help to find it.
        self._parsers = parent.add_subparsers(
            title="commands", metavar="COMMAND", required=True, prog=parent.prog, parser_class=CommandParser
        )

    def add_all(self, **commands: tuple[str, Declare]) -> None:
        for name, (summary, declare) in commands.items():
            parser = self._parsers.add_parser(
                name, help=summary, description=summary, formatter_class=self._layout, allow_abbrev=False
            )
            if self._words is None or name in self._words:
                declare(parser, self)

    def below(self, parent: argparse.ArgumentParser) -> CommandTree:
        return CommandTree(parent, self._words, self._layout)


def runs(command: Callable[..., int], declare: Callable[[argparse.ArgumentParser], None] | None = None) -> Declare:
    """Return what declares a command that can be run: its own arguments, and all settings."""

    def declare_all(parser: argparse.ArgumentParser, commands: CommandTree) -> None:
        parser.set_defaults(command=command, parser=parser)
        if declare is not None:
            declare(parser)
        add_settings(parser, commands.shows_all, OF_COMMANDS.get(parser.prog.split()[1], ("home",)))
        parser.usage = parser.usage or short_usage(parser)

    return declare_all


class OverviewParser(CommandParser):
    """The parser of `rove` itself, whose help begins with the loop and groups the commands."""

    def format_help(self) -> str:
        from rove.surfaces.cli.action_arguments import action_summaries, other_actions, usual_actions

        width = self._get_formatter()._width
        summaries = {**action_summaries(), **SESSION_COMMANDS, **self._summaries()}
        lines = ["usage: rove COMMAND [options]; `rove COMMAND --help` shows the options of one", "", DESCRIPTION]
        lines += ["actions:", *_listed(usual_actions(), width), ""]
        lines += ["other actions:", *_wrapped(", ".join(other_actions()), width), ""]
        for title, names in GROUPS.items():
            lines += [f"{title}:", *_listed({name: summaries[name] for name in names}, width), ""]
        return "\n".join(lines)

    def _summaries(self) -> Mapping[str, str]:
        return {name: command.description or "" for name, command in subcommands(self).items()}


def _listed(commands: Mapping[str, str], width: int) -> Iterator[str]:
    for name, summary in commands.items():
        yield textwrap.fill(summary, width, initial_indent=f"  {name:<{_INDENT - 2}}", subsequent_indent=" " * _INDENT)


def _wrapped(text: str, width: int) -> Iterator[str]:
    yield textwrap.fill(text, width, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)
