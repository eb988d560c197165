"""Declares the commands of `rove cluster`."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from importlib import import_module
from typing import Any

from rove.settings.tree import Resolved

Runs = Callable[..., Any]
DESCRIPTION = """\
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


def cluster_parts(runs: Runs, cluster: argparse.ArgumentParser, commands: Any) -> None:
    """Declare `rove cluster`."""
    cluster.description = DESCRIPTION
    commands.below(cluster).add_all(
        status=("Show the nodes, their sessions and memory, and what waits.", runs(_calling("show_status"), _status)),
        drain=("Move the sessions of a node to others before it goes.", runs(_calling("drain_node"), _drain)),
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


def _calling(function: str) -> Callable[..., int]:
    """Return a command that calls a function of `surfaces/cli/cluster/commands.py`, which is imported only then."""

    def command(given: argparse.Namespace, resolved: Resolved, begun: object) -> int:
        module = import_module("rove.surfaces.cli.cluster.commands")
        code: int = getattr(module, function)(resolved.settings, given)
        return code

    return command
