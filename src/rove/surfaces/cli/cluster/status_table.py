"""The status of a cluster as a table for people."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rove.render.cleaning import one_line
from rove.surfaces.colours import Palette

GIGABYTE = 2**30
MEGABYTE = 2**20
HEADS = ("node", "state", "sessions", "memory free", "cores", "load", "answers in")
# Columns of numbers, which are written at the right.
NUMBERS = frozenset({2, 3, 4, 5, 6})
COLOURS = {"ready": "green", "draining": "yellow", "drained": "green", "silent": "red", "refused": "red"}


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
