"""The commands that are no actions: their arguments, and what each calls, which is imported when it is run."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from rove.settings.sections import EngineName
from rove.settings.tree import Resolved
from rove.surfaces.cli.command_tree import (
    COMPLETION,
    DOCTOR,
    EXPLAIN,
    EXPORT,
    INIT,
    INIT_EXAMPLES,
    MCP,
    MCP_EXAMPLES,
    POLICY,
    RECORDINGS,
    SERVE,
    SERVE_EXAMPLES,
    SHOW,
    SKILL,
    STATES,
    TAIL,
    TOOLS,
    VERIFY,
    CommandTree,
    runs,
)

if TYPE_CHECKING:
    from rove.engine.sessions import EarlyLaunch

# What `rove install` fetches besides browsers.
AXE = "axe"

# Declares a command that can be run: given are its function, and what declares its arguments.
Runs = Callable[..., Any]
# As `rove.recordings.export` has them, which is not imported for a page of help; a test compares them.
FORMAT_NAMES = ("python", "pytest", "playwright", "recorder", "trace", "har")
CLUSTER = """\
The nodes of the Ray cluster that `rove serve --cluster ADDRESS` runs sessions on. These commands ask that server,
through the port and the home that the settings name; without one, `status` asks the cluster itself. See
docs/cluster.md.
"""
STATUS = """\
examples:
  rove cluster status                              nodes, their memory and sessions, and what waits
  rove cluster status --watch                      again every two seconds; Ctrl-C ends it
  rove cluster status --json | jq '.nodes[].id'    for programs
  rove cluster status --cluster 10.0.0.5:6379      a cluster without a server

exit codes: 0 all is well, 1 a node must not be used or is silent, states are not saved, or the cluster does not answer
"""
DRAIN = """\
Move the sessions of a node to others before it goes: before a machine is updated or taken away. Nothing new
is placed there, and its sessions are moved one by one, with their tabs and logins, each when no call runs in it. The
command waits until the node is empty; Ctrl-C leaves the server to go on.
"""
DRAIN_EXAMPLES = """\
examples:
  rove cluster drain n2-77ab01cd           the id as `rove cluster status` shows it, or its beginning
  rove cluster drain n2 --no-wait          begin, and look with `rove cluster status` how far it is
  rove cluster drain n2 --undo             use the node again
"""
MAP_USAGE = "rove map URLS [URLS ...] --do WHAT --out FILE [options]"
MAP = """\
Visit many pages and write one JSON line for each. Addresses are arguments, files or - for standard input, one a line;
lines of JSON with a `url`, or a table with such a column, pass their other fields on. Work begins with the first
address, also where the input never ends.

Interrupted by Ctrl-C, or killed, it goes on where it was when the same command is run again: what is in the file of
results is done. Nothing is visited that the policy or the address rules forbid, and no person is asked.
"""
MAP_EXAMPLES = """\
examples:
  rove map urls.txt --do extract --out texts.jsonl
  rove map https://example.com https://example.org --do screenshot --full-page --out pictures.jsonl
  rove map products.csv --column link --do price.py --out prices.jsonl     a function of yours for each page
  sitemap-urls | rove map - --do fetch --out - | jq .result                a stream, to standard output
  rove map urls.txt --do extract --out texts.jsonl --retry-failed          once more what has failed
  rove map urls.txt --do extract --out texts.jsonl --cluster 10.0.0.5:6379 on every node of a Ray cluster

FILE.py defines `async def run(session: rove.Session, url: str)`; what it returns is the result (docs/map.md).

exit codes: 0 every page is done, 1 some have failed, 2 wrong use, 130 interrupted
"""


def mcp(given: argparse.Namespace, resolved: Resolved, begun: EarlyLaunch | None) -> int:
    from rove.surfaces.cli.serving import serve_mcp

    return serve_mcp(resolved.settings, begun)


def serve(given: argparse.Namespace, resolved: Resolved, begun: EarlyLaunch | None) -> int:
    from rove.surfaces.cli.serving import serve_gateway

    return serve_gateway(resolved.settings, given.demo)


def demo(given: argparse.Namespace, resolved: Resolved, begun: EarlyLaunch | None) -> int:
    from rove.surfaces.cli.demo import run_tour

    return run_tour(resolved.settings)


def install(given: argparse.Namespace, resolved: Resolved, begun: EarlyLaunch | None) -> int:
    from rove.browser.engines import load_engine
    from rove.surfaces.cli.terminal_output import ProgressBar

    if given.which == AXE:
        return _install_axe(resolved, given.force)
    bar = ProgressBar(sys.stdout) if sys.stdout.isatty() else None
    settings = resolved.settings
    if given.which is not None and given.which != settings.engine:
        settings = replace(settings, engine=given.which, browser=None)
    engine = load_engine(settings.engine)
    version, where = engine.install(settings, lambda line: print(line, flush=True), bar, given.force)
    print(f"{version}\n{where}")
    return 0


def _install_axe(resolved: Resolved, again: bool) -> int:
    from rove.browser.axe_core import install_axe

    version, path = install_axe(resolved.settings, again)
    print(f"axe-core {version}\n{path}")
    return 0


def init(given: argparse.Namespace, resolved: Resolved, begun: EarlyLaunch | None) -> int:
    from rove.guard.network.host_rules import HostRules
    from rove.surfaces.cli.mcp_clients import init
    from rove.surfaces.cli.setting_flags import flags_given

    settings = resolved.settings
    HostRules.of(settings.allow_host, settings.only_host, settings.deny_host)  # as `rove mcp` would
    return init(given.clients, flags_given(given), given.yes, given.print)


def tools(given: argparse.Namespace, resolved: Resolved, begun: EarlyLaunch | None) -> int:
    from rove.surfaces.cli.tools import list_toolsets, show

    if given.list:
        return list_toolsets(resolved.settings)
    return show(resolved.settings, "tokens" if given.tokens else "json" if given.json else "text")


def doctor(given: argparse.Namespace, resolved: Resolved, begun: EarlyLaunch | None) -> int:
    from rove.surfaces.cli.doctor import report

    return report(resolved.settings, given.settings_fault, resolved.settings.cluster.address)


def config_show(given: argparse.Namespace, resolved: Resolved, begun: EarlyLaunch | None) -> int:
    from rove.surfaces.cli.config import show

    return show(resolved)


def config_get(given: argparse.Namespace, resolved: Resolved, begun: EarlyLaunch | None) -> int:
    from rove.surfaces.cli.config import get

    return get(resolved, given.key)


def config_set(given: argparse.Namespace, resolved: Resolved, begun: EarlyLaunch | None) -> int:
    from rove.surfaces.cli.config import write

    return write(resolved, given.key, given.value)


def config_unset(given: argparse.Namespace, resolved: Resolved, begun: EarlyLaunch | None) -> int:
    from rove.surfaces.cli.config import write

    return write(resolved, given.key, None)


def config_edit(given: argparse.Namespace, resolved: Resolved, begun: EarlyLaunch | None) -> int:
    from rove.surfaces.cli.config import edit

    return edit(resolved.settings.config_file)


def policy_check(given: argparse.Namespace, resolved: Resolved, begun: EarlyLaunch | None) -> int:
    from rove.surfaces.cli.policy import check

    return check(resolved.settings, given.file)


def policy_explain(given: argparse.Namespace, resolved: Resolved, begun: EarlyLaunch | None) -> int:
    from rove.surfaces.cli.policy import explain

    return explain(resolved.settings, given.action, given.url, given.session)


def skill(given: argparse.Namespace, resolved: Resolved, begun: EarlyLaunch | None) -> int:
    from rove.surfaces.cli.tools import show_skill

    return show_skill(given.install)


def completion(given: argparse.Namespace, resolved: Resolved, begun: EarlyLaunch | None) -> int:
    from rove.surfaces.cli.shell_completion import show_completion

    return show_completion(given.shell, given.words, given.build_parser())


def logs(given: argparse.Namespace, resolved: Resolved, begun: EarlyLaunch | None) -> int:
    from rove.surfaces.cli.daemon.log import show_log

    return show_log(resolved.settings.home_folder, given.last, given.follow)


def journal_show(given: argparse.Namespace, resolved: Resolved, begun: EarlyLaunch | None) -> int:
    from rove.surfaces.cli.journal import show

    return show(resolved.settings.journal_folder, given.session, given.last, given.failed, given.json)


def journal_verify(given: argparse.Namespace, resolved: Resolved, begun: EarlyLaunch | None) -> int:
    from rove.surfaces.cli.journal import check

    return check(resolved.settings.journal_folder, given.names, given.head)


def journal_tail(given: argparse.Namespace, resolved: Resolved, begun: EarlyLaunch | None) -> int:
    from rove.surfaces.cli.journal import tail

    return tail(resolved.settings.journal_folder, given.session, given.last, given.follow, given.json)


def states_parts(runs: Runs, states: argparse.ArgumentParser, commands: Any) -> None:
    """Declare `rove states`."""
    states.description = STATES
    exported = "Write a state to a new file, NOT encrypted, as Playwright's storage_state."
    commands.below(states).add_all(
        **{
            "list": ("List the saved states.", runs(_state_call("list_states"))),
            "show": ("Show what a state holds, never a value.", runs(_state_call("show_state"), _state_name)),
            "delete": ("Delete a state for good.", runs(_state_call("delete_state"), _state_name)),
            "import": (
                "Save a Playwright storage_state file as a state.",
                runs(_state_call("import_state"), _state_file),
            ),
            "export": (exported, runs(_state_call("export_state"), _state_file)),
        }
    )


def profiles_parts(runs: Runs, profiles: argparse.ArgumentParser, commands: Any) -> None:
    """Declare `rove profiles`."""
    commands.below(profiles).add_all(
        list=("List the profiles, and which session uses each.", runs(_state_call("list_profiles"))),
        delete=("Delete a profile for good.", runs(_state_call("delete_profile"), _state_name)),
    )


def _state_name(command: argparse.ArgumentParser) -> None:
    command.add_argument("names", nargs=1, metavar="NAME", help="its name")


def _state_file(command: argparse.ArgumentParser) -> None:
    _state_name(command)
    command.add_argument("file", metavar="FILE", type=Path, help="a JSON file")


def _state_call(function: str) -> Callable[..., int]:
    """Return a command that calls a function of `rove.surfaces.cli.states`, which is imported only then."""

    def command(given: argparse.Namespace, resolved: Resolved, begun: object) -> int:
        module = import_module("rove.surfaces.cli.states")
        arguments = [*getattr(given, "names", ()), *([given.file] if hasattr(given, "file") else ())]
        code: int = getattr(module, function)(resolved.settings, *arguments)
        return code

    return command


def recordings_parts(runs: Runs, recordings: argparse.ArgumentParser, commands: Any) -> None:
    """Declare `rove recordings`."""
    recordings.description = RECORDINGS
    commands.below(recordings).add_all(
        list=("List the recordings.", runs(_recording_call("list_recordings"))),
        show=("Show the steps of a recording.", runs(_recording_call("show_recording"), _recording_name)),
        param=("Make texts of a recording parameters.", runs(_recording_call("add_parameters"), _parameters)),
        delete=("Delete a recording for good.", runs(_recording_call("delete_recording"), _recording_name)),
    )


def export_part(runs: Runs, export: argparse.ArgumentParser, commands: Any) -> None:
    """Declare `rove export`."""
    export.epilog = EXPORT
    runs(_recording_call("export_recording"), _export)(export, commands)


def _export(command: argparse.ArgumentParser) -> None:
    _recording_name(command)
    command.add_argument("--as", dest="form", required=True, choices=FORMAT_NAMES, help="what to make of it")
    help = "where to write it; - for standard output, to which code goes anyway"
    command.add_argument("--out", metavar="FILE", type=Path, help=help)


def _recording_name(command: argparse.ArgumentParser) -> None:
    command.add_argument("name", metavar="NAME", help="of the recording")


def _parameters(command: argparse.ArgumentParser) -> None:
    _recording_name(command)
    command.add_argument("values", nargs="+", metavar="NAME=VALUE", help="every VALUE becomes the parameter NAME")


def _recording_call(function: str) -> Callable[..., int]:
    """Return a command that calls a function of `surfaces/cli/recordings.py`, which is imported only then."""

    def command(given: argparse.Namespace, resolved: Resolved, begun: object) -> int:
        module = import_module("rove.surfaces.cli.recordings")
        code: int = getattr(module, function)(resolved.settings, given)
        return code

    return command


def cluster_parts(runs: Runs, cluster: argparse.ArgumentParser, commands: Any) -> None:
    """Declare `rove cluster`."""
    cluster.description = CLUSTER
    commands.below(cluster).add_all(
        status=(
            "Show the nodes, their sessions and memory, and what waits.",
            runs(_cluster_call("show_status"), _status),
        ),
        drain=("Move the sessions of a node to others before it goes.", runs(_cluster_call("drain_node"), _drain)),
    )


def cluster_flag(command: argparse.ArgumentParser, help: str) -> None:
    """Declare `--cluster`, which is short for the setting."""
    command.add_argument("--cluster", dest="cluster.address", metavar="ADDRESS", help=help)


def _status(command: argparse.ArgumentParser) -> None:
    command.epilog = STATUS
    cluster_flag(command, "ask this cluster itself if no server answers, HOST:PORT of its head")
    command.add_argument("--json", action="store_true", help="as JSON; with --watch one object a line")
    command.add_argument("--watch", action="store_true", help="show it again every two seconds")


def _drain(command: argparse.ArgumentParser) -> None:
    command.description, command.epilog = DRAIN, DRAIN_EXAMPLES
    command.add_argument("node", metavar="NODE", help="its id, or a beginning that no other has")
    command.add_argument("--undo", action="store_true", help="place sessions there again")
    command.add_argument("--no-wait", action="store_true", help="do not wait until it is empty")


def _cluster_call(function: str) -> Callable[..., int]:
    """Return a command that calls a function of `surfaces/cli/cluster.py`, which is imported only then."""

    def command(given: argparse.Namespace, resolved: Resolved, begun: object) -> int:
        module = import_module("rove.surfaces.cli.cluster")
        code: int = getattr(module, function)(resolved.settings, given)
        return code

    return command


def map_arguments(command: argparse.ArgumentParser) -> None:
    """Declare what `rove map` takes."""
    command.description, command.epilog, command.usage = MAP, MAP_EXAMPLES, MAP_USAGE
    add = command.add_argument
    add("urls", nargs="+", metavar="URLS", help="addresses, files with addresses, or - for standard input")
    add(
        "--do",
        required=True,
        metavar="WHAT",
        help="fetch (over HTTP, in the browser if need be), extract (readable text), screenshot, snapshot, pdf, or the "
        "path of a FILE.py",
    )
    add("--out", required=True, metavar="FILE", type=Path, help="results, appended; - for standard output")
    add("--column", metavar="NAME", help="column of a table that has the addresses [url]")
    add("--cluster", metavar="ADDRESS", help="visit them on all nodes of the Ray cluster with this head, HOST:PORT")
    add("--parallel", type=_positive, metavar="N", help="pages at once, on each node [by cores and memory]")
    add(
        "--per-host",
        type=_positive,
        metavar="N",
        help="pages of one host at once [2; of this machine, as many as --parallel]",
    )
    add("--delay", type=_seconds, default=0.0, metavar="SECONDS", help="between two starts on one host [0]")
    add("--retries", type=_retries, default=2, metavar="N", help="further visits after a failure that may pass [2]")
    add("--timeout", type=_positive_seconds, default=30.0, metavar="SECONDS", help="for one visit of a page [30]")
    add("--full-page", action="store_true", help="screenshots of whole pages, not only of what is in view")
    add("--keep-session", action="store_true", help="keep cookies and storage from host to host")
    add("--fresh", action="store_true", help="begin each page without cookies and storage, also on the same host")
    add("--retry-failed", action="store_true", help="visit again what has failed in an earlier run")
    add("--repeat", action="store_true", help="visit an address as often as the input has it, not once")
    add("--quiet", action="store_true", help="show no progress")


def run_map(given: argparse.Namespace, resolved: Resolved, begun: object) -> int:
    from rove.surfaces.cli.map import run

    return run(given, resolved.settings)


def _retries(word: str) -> int:
    return _whole(word, 0)


def _positive(word: str) -> int:
    return _whole(word, 1)


def _whole(word: str, least: int) -> int:
    if not (word.isascii() and word.isdigit()) or int(word) < least:
        raise argparse.ArgumentTypeError(f"{word!r} is not a whole number from {least} up")
    return int(word)


def _seconds(word: str) -> float:
    try:
        seconds = float(word)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"{word!r} is not a number of seconds")
    return seconds


def _positive_seconds(word: str) -> float:
    if not (seconds := _seconds(word)):
        raise argparse.ArgumentTypeError("must be more than 0")
    return seconds


def serve_arguments(serve: argparse.ArgumentParser) -> None:
    serve.description, serve.epilog = SERVE, SERVE_EXAMPLES
    cluster_flag(serve, "run the sessions on the nodes of a Ray cluster, HOST:PORT of its head (docs/cluster.md)")
    serve.add_argument("--demo", action="store_true", help="serve the built-in site beside it, for the chat to visit")


def install_arguments(install: argparse.ArgumentParser) -> None:
    choices = (*get_args(EngineName), AXE)
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
        show=("Show every setting, its value and where that came from.", runs(config_show)),
        get=("Show the value of one setting.", runs(config_get, _key_argument)),
        set=("Write a setting to the config file.", runs(config_set, _setting_arguments)),
        unset=("Remove a setting from the config file.", runs(config_unset, _key_argument)),
        edit=("Open the config file in $EDITOR; it is kept only if it is valid.", runs(config_edit)),
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
            runs(policy_check, _check_arguments),
        ),
        explain=(
            "Show what would be decided on an action, and by which rule.",
            runs(policy_explain, _explain_arguments),
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
            runs(journal_show, _show_arguments),
        ),
        verify=(
            "Check that it is whole; if not, name the first broken line and exit with code 1.",
            runs(journal_verify, _verify_arguments),
        ),
        tail=(
            "Show the last entries and, with -f, those that follow.",
            runs(journal_tail, _tail_arguments),
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
