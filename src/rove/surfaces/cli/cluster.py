"""`rove cluster status` and `rove cluster drain`: asked of the running server, shown as a table."""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import re
import sys
import time
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from typing import Any

from rove.errors import ClusterUnavailable, InvalidArguments, RoveError
from rove.guard.cleaning import one_line
from rove.settings.tree import Settings
from rove.surfaces.cli.terminal_output import Palette, palette_for

TOKEN_FILE = ("gateway", "owner-token")
ANSWER_SECONDS = 20.0
# Where a server answers that listens on every address.
LOCAL = {"0.0.0.0": "127.0.0.1", "::": "::1"}
GIGABYTE = 2**30
MEGABYTE = 2**20
HEADS = ("node", "state", "sessions", "memory free", "cores", "load", "answers in")
# Columns of numbers, which are written at the right.
NUMBERS = frozenset({2, 3, 4, 5, 6})
COLOURS = {"ready": "green", "draining": "yellow", "drained": "green", "silent": "red", "refused": "red"}

# Seconds between two looks with --watch, and while a node is drained.
WATCH_SECONDS = 2.0
DRAIN_SECONDS = 1.0
CLEAR = "\033[H\033[J"
Told = tuple[dict[str, Any], str]


class NoServer(ClusterUnavailable):
    """No server answers at the address that the settings name."""


class HasNoCluster(ClusterUnavailable):
    """The sessions of the server run in its own process."""


class RunningServer:
    """An open connection to a gateway."""

    def __init__(self, socket: Any, url: str) -> None:
        self._socket = socket
        self._numbers = itertools.count(1)
        self.url = url

    async def request(self, method: str, **params: Any) -> dict[str, Any]:
        """Return the result of a method, with names as Python has them. Raises what the server says, or NoServer."""
        from websockets.exceptions import WebSocketException

        number = next(self._numbers)
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                await self._socket.send(json.dumps({"id": number, "method": method, "params": params}))
                while (message := json.loads(await self._socket.recv())).get("id") != number:
                    pass
        except (WebSocketException, OSError, TimeoutError) as error:
            raise _no_server(self.url) from error
        if "error" in message:
            raise _error(message["error"])
        result: dict[str, Any] = _in_python(message["result"])
        return result


@asynccontextmanager
async def running_server(settings: Settings) -> AsyncGenerator[RunningServer]:
    """Connect to the server of this home, as its owner. Raises NoServer if there is none."""
    from websockets.asyncio.client import connect
    from websockets.exceptions import WebSocketException

    host = LOCAL.get(settings.serve.host, settings.serve.host)
    place = f"{f'[{host}]' if ':' in host else host}:{settings.serve.port}"
    url = f"http://{place}"
    try:
        token = settings.home_folder.joinpath(*TOKEN_FILE).read_text("utf-8").strip()
        async with asyncio.timeout(ANSWER_SECONDS):
            socket = await connect(f"ws://{place}/ws", max_size=None, proxy=None)
    except (OSError, WebSocketException, TimeoutError) as error:
        raise _no_server(url) from error
    async with socket:
        await socket.send(json.dumps({"type": "auth", "token": token}))
        yield RunningServer(socket, url)


def _error(told: dict[str, Any]) -> RoveError:
    """Return the error that a server has answered with; those that commands tell apart have classes."""
    classes: dict[str, type[RoveError]] = {"invalid_arguments": InvalidArguments, "unsupported": HasNoCluster}
    made = classes.get(str(told.get("code")), RoveError)
    return made(str(told.get("message", "")), hint=str(told.get("hint", "")))


def _in_python(value: Any) -> Any:
    """Return data of the wire with names such as `memory_free`; names of sessions stay as they are."""
    if isinstance(value, list):
        return [_in_python(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {
        re.sub(r"[A-Z]", lambda found: "_" + found[0].lower(), name): each if name == "problems" else _in_python(each)
        for name, each in value.items()
    }


def _no_server(url: str) -> NoServer:
    return NoServer(
        f"No `rove serve` of this home answers at {url}.",
        hint="Start it with --cluster ADDRESS, or pass the --home and --serve-port that it was started with.",
    )


def status_lines(status: Mapping[str, Any], asked: str, palette: Palette) -> Iterator[str]:
    """Yield the lines. `asked`: what has told the status, as it is named to people."""
    state = "" if status["is_connected"] else palette.paint("  does not answer; it is waited for", "red")
    yield f"{palette.paint(status['address'], 'bold')}, as {asked} sees it{state}"
    yield ""
    yield from _table(status["nodes"], palette)
    for node in status["nodes"]:
        if node["reason"]:
            yield f"  {node['id']} is not used: {one_line(node['reason'], 300)}"
    yield ""
    if status["source"] == "server":
        yield from _sessions(status, palette)


def is_well(status: Mapping[str, Any]) -> bool:
    """Return whether there is nothing that a person should see to."""
    bad = any(node["state"] in ("silent", "refused") for node in status["nodes"])
    store = status["store"]
    return bool(status["is_connected"] and status["nodes"]) and not bad and not (store and store["problem"])


def node_line(node: Mapping[str, Any]) -> str:
    """Return how far the draining of a node is, in a sentence."""
    if node["state"] == "drained":
        return f"{node['id']} is drained: no session is left, and it may go."
    if node["state"] == "draining":
        return f"{node['id']}: {_counted(node['sessions'], 'session')} to move."
    return f"{node['id']} is {node['state']}."


def _table(nodes: Sequence[Mapping[str, Any]], palette: Palette) -> Iterator[str]:
    rows = [HEADS, *map(_row, nodes)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADS))]
    for number, row in enumerate(rows):
        cells = [
            cell.rjust(width) if column in NUMBERS else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        if number == 0:
            cells = [palette.paint(cell, "dim") for cell in cells]
        else:
            cells[1] = palette.paint(cells[1], COLOURS[nodes[number - 1]["state"]])
        yield "  ".join(cells).rstrip()
    if not nodes:
        yield "There is no node."


def _row(node: Mapping[str, Any]) -> tuple[str, ...]:
    free, total = node["memory_free"] / GIGABYTE, node["memory_total"] / GIGABYTE
    seconds = node["answer_seconds"]
    answer = f"{seconds:.1f} s" if seconds >= 1 else f"{seconds * 1000:.0f} ms"
    return (
        one_line(node["id"]),
        node["state"],
        str(node["sessions"]),
        f"{free:.1f} of {total:.1f} GB",
        f"{node['cores']:g}",
        f"{node['load']:.1f}",
        answer,
    )


def _sessions(status: Mapping[str, Any], palette: Palette) -> Iterator[str]:
    each = status["session_bytes"] // MEGABYTE
    open_now = _counted(status["sessions"], "session")
    yield f"{open_now} open, room for {status['free_places']} more, {each} MB each on average."
    yield f"{status['waiting']} of at most {status['queue']} new ones wait in line."
    if status["moving"]:
        yield palette.paint(f"{_counted(len(status['moving']), 'session')} of lost nodes not open again yet.", "yellow")
    for session, why in status["problems"].items():
        yield f"Session {one_line(session)} was not moved yet: {one_line(why, 300)}"
    yield from _store(status["store"], palette)


def _store(store: Mapping[str, Any], palette: Palette) -> Iterator[str]:
    unsaved = f", {store['unsaved']} not yet" if store["unsaved"] else ""
    yield f"States of {_counted(store['saved'], 'session')} saved in {one_line(store['address'], 200)}{unsaved}."
    if store["problem"]:
        since = time.strftime("%H:%M:%S", time.localtime(store["since"]))
        yield palette.paint(f"States are not saved since {since}: {one_line(store['problem'], 300)}", "red")


def _counted(count: int, noun: str) -> str:
    return f"1 {noun}" if count == 1 else f"{count} {noun}s"


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
