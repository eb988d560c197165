"""`rove cluster status` and `rove cluster drain`."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from rove.settings.tree import Settings
from rove.surfaces.cli.cluster.running_server import HasNoCluster, NoServer, RunningServer, running_server
from rove.surfaces.cli.cluster.status_table import is_well, node_line, status_lines
from rove.surfaces.colours import palette_for

# Seconds between two looks with --watch, and while a node is drained.
WATCH_SECONDS = 2.0
DRAIN_SECONDS = 1.0
CLEAR = "\033[H\033[J"
Told = tuple[dict[str, Any], str]


def show_status(settings: Settings, given: argparse.Namespace) -> int:
    """Print the status once, or again and again; return 1 if there is something to see to."""
    return asyncio.run(_show_status(settings, given.json, given.watch))


def drain_node(settings: Settings, given: argparse.Namespace) -> int:
    """Drain a node, or use it again, and wait until it is empty; return 0 then."""
    return asyncio.run(_drain(settings, given))


async def _show_status(settings: Settings, as_json: bool, again: bool) -> int:
    palette, is_terminal = palette_for(sys.stdout), sys.stdout.isatty()
    status: dict[str, Any] = {}
    async with aclosing(_statuses(settings, again)) as told:
        async for status, asked in told:
            if as_json:
                print(json.dumps(status, ensure_ascii=False, indent=None if again else 2), flush=True)
                continue
            text = "\n".join(status_lines(status, asked, palette))
            print(f"{CLEAR}{text}" if again and is_terminal else text, flush=True)
    return 0 if is_well(status) else 1


async def _statuses(settings: Settings, again: bool) -> AsyncGenerator[Told]:
    """Yield the status once, or every few seconds, from the server, or from the cluster itself if there is none."""
    address = settings.cluster.address
    try:
        async with running_server(settings) as server:
            while True:
                yield await server.request("cluster.status"), f"the server at {server.url}"
                if not again:
                    return
                await asyncio.sleep(WATCH_SECONDS)
    except (NoServer, HasNoCluster) as error:
        if address is None:
            error.hint += " To ask a cluster itself: rove cluster status --cluster HOST:PORT."
            raise
    async with aclosing(_of_ray(address, again)) as told:
        async for each in told:
            yield each


async def _of_ray(address: str, again: bool) -> AsyncGenerator[Told]:
    from rove.cluster.connection.cluster import Cluster
    from rove.cluster.connection.options import ClusterOptions
    from rove.cluster.placement.status import ClusterStatus, node_status

    async with Cluster(ClusterOptions(address)) as cluster:
        while True:
            nodes = sorted((node_status(facts) for facts in await cluster.nodes()), key=lambda node: node.id)
            yield ClusterStatus(address, "ray", cluster.is_connected, tuple(nodes)).as_dict(), "Ray"
            if not again:
                return
            await asyncio.sleep(WATCH_SECONDS)


async def _drain(settings: Settings, given: argparse.Namespace) -> int:
    async with running_server(settings) as server:
        node = (await server.request("cluster.drain", node=given.node, undo=given.undo))["node"]
        print(node_line(node), flush=True)
        if node["state"] == "draining" and not given.no_wait:
            return await _wait_until_drained(server, node)
    return 0


async def _wait_until_drained(server: RunningServer, node: dict[str, Any]) -> int:
    """Tell how far the draining of a node is; return 0 when it is empty, and 1 if it is not drained any more."""
    told: set[tuple[str, str]] = set()
    while node["state"] == "draining":
        await asyncio.sleep(DRAIN_SECONDS)
        status = await server.request("cluster.status")
        for session, why in {*status["problems"].items()} - told:
            told.add((session, why))
            print(f"Session {session} was not moved yet: {why}", flush=True)
        before, here = node, [each for each in status["nodes"] if each["id"] == node["id"]]
        if not here:
            print(f"{node['id']} has gone; its sessions are opened on other nodes.", flush=True)
            return 1
        node = here[0]
        if (node["sessions"], node["state"]) != (before["sessions"], before["state"]):
            print(node_line(node), flush=True)
    return 0 if node["state"] == "drained" else 1
