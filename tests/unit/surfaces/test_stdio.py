"""Reading and writing pipes, files, terminals and sockets without blocking the event loop."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import socket
import tty
from collections.abc import Callable
from pathlib import Path

import pytest

from rove.surfaces.mcp import stdio
from rove.surfaces.mcp.stdio import Input, Output

Ends = tuple[int, int]
PATIENCE = 10.0
LINE = b"x" * 4095 + b"\n"


def pipe(folder: Path) -> Ends:
    return os.pipe()


def file(folder: Path) -> Ends:
    path = folder / "output"
    writing = os.open(path, os.O_WRONLY | os.O_CREAT)
    return os.open(path, os.O_RDONLY), writing


def terminal(folder: Path) -> Ends:
    reading, writing = pty.openpty()
    tty.setraw(writing)
    return reading, writing


def sockets(folder: Path) -> Ends:
    reading, writing = socket.socketpair()
    writing.setblocking(False)  # as some clients make it
    return reading.detach(), writing.detach()


def overflow() -> None:
    raise AssertionError("nothing has overflowed")


async def read_lines(descriptor: int, count: int) -> list[bytes]:
    with os.fdopen(os.dup(descriptor), "rb", buffering=0) as source:
        return await asyncio.to_thread(lambda: [source.readline() for _ in range(count)])


@pytest.mark.parametrize(
    "kind", [pipe, *(pytest.param(each, marks=pytest.mark.slow) for each in (file, terminal, sockets))]
)
async def test_messages_are_written_in_order(kind: Callable[[Path], Ends], tmp_path: Path) -> None:
    reading, writing = kind(tmp_path)
    output = Output(writing, overflow)
    for number in range(50):
        await output.send({"number": number, "filling": "x" * 10_000})
    lines = [] if kind is file else await read_lines(reading, 50)
    await output.close(PATIENCE)
    lines = lines or await read_lines(reading, 50)
    assert [json.loads(line)["number"] for line in lines] == list(range(50))
    os.close(reading)
    os.close(writing)


async def test_close_waits_for_unread_output_only_as_long_as_allowed() -> None:
    reading, writing = os.pipe()
    output = Output(writing, overflow)
    await output.send({"filling": "x" * 2**20})
    await asyncio.wait_for(output.close(0.05), PATIENCE)
    os.close(reading)  # frees the thread that writes


async def test_output_to_a_client_that_closed_its_end_is_discarded() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    output = Output(writing, overflow)
    for _ in range(3):
        await output.send({"filling": "x" * 2**20})
    await asyncio.wait_for(output.close(PATIENCE), PATIENCE)


async def test_too_much_unread_output_is_reported_once_and_discarded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stdio, "MAX_UNREAD_BYTES", 2**20)
    reading, writing = os.pipe()
    told: list[bool] = []
    output = Output(writing, lambda: told.append(True))
    for _ in range(10):
        await output.send({"filling": "x" * 2**20})
    assert told == [True]
    assert output.unread < 3 * 2**20
    os.close(reading)


async def test_lines_are_read_until_end_is_called() -> None:
    reading, writing = os.pipe()
    os.write(writing, b"one\n\ntwo\n")
    source = Input(reading)
    found: list[bytes] = []
    async for line in source.lines():
        found.append(line)
        if line == b"two\n":
            source.end()
    assert found == [b"one\n", b"two\n"]
    os.close(writing)


async def test_reading_pauses_when_lines_arrive_faster_than_they_are_taken() -> None:
    reading, writing = os.pipe()
    count = 10 * stdio.MAX_LINES_AHEAD
    sending = asyncio.ensure_future(asyncio.to_thread(send_lines, writing, count))
    lines = Input(reading).lines()
    assert await anext(lines) == LINE
    await asyncio.wait({sending}, timeout=0.5)
    assert not sending.done()
    assert [line async for line in lines] == [LINE] * (count - 1)
    await sending


def send_lines(writing: int, count: int) -> None:
    with os.fdopen(writing, "wb", buffering=0) as client:
        for _ in range(count):
            client.write(LINE)
