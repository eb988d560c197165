"""`python -m bench.stalls.servers`: how long one session waits while hostile servers keep another one's proxy busy.

The loud session opens a page that asks a hostile server for much at once. Meanwhile the calm session takes snapshots
and loads a page of another server, in turn. Both are timed. With `nothing`, the loud page asks for nothing; with
`busy`, it keeps a processor busy, which no proxy can prevent.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import contextlib
import hashlib
import multiprocessing
import os
import sys
import tempfile
import time
import uuid
from collections.abc import Generator, Sequence
from multiprocessing.connection import Connection
from pathlib import Path

from bench.client import Client, NoAnswer, ServerFailed
from bench.processes import MARK, end, gone

LIMIT = 120.0
COMMAND = ("-m", "rove", "mcp", "--allow-host", "127.0.0.1,localhost,*.localhost")
CALM = {"session": "calm"}
CALM_PAGE = "<!doctype html><link rel=icon href=data:,><title>Calm</title><h1>Calm</h1>"
# Starts `count` requests, each to a host name of its own, so that the browser's limit for one host does not hold.
_FETCHES = """<!doctype html><link rel=icon href=data:,><title>Loud</title><script>
async function one(number) {
  while (true) {
    try {
      const answer = await fetch(`http://h${number}.localhost:${location.port}%(path)s`, {mode: "no-cors"});
      await answer.body?.pipeTo(new WritableStream());
    } catch {}
    await new Promise(done => setTimeout(done, %(pause)s));
  }
}
function begin() {
  for (let number = 0; number < %(count)s; number++) one(number);
}
setTimeout(begin, 1000);
</script>"""
_SOCKETS = """<!doctype html><link rel=icon href=data:,><title>Loud</title><script>
function begin() {
  for (let number = 0; number < 20; number++) new WebSocket(`ws://h${number}.localhost:${location.port}/frames`);
}
setTimeout(begin, 1000);
</script>"""
_BUSY = """<!doctype html><link rel=icon href=data:,><title>Loud</title><script>
setInterval(() => {
  const end = performance.now() + 90;
  while (performance.now() < end);
}, 100);
</script>"""
ATTACKS = {
    "nothing": CALM_PAGE,
    "busy": _BUSY,
    "one 103 stream": _FETCHES % {"path": "/interim", "pause": 5, "count": 1},
    "endless 103s": _FETCHES % {"path": "/interim", "pause": 5, "count": 20},
    "one-byte chunks": _FETCHES % {"path": "/chunks", "pause": 5, "count": 20},
    "header floods": _FETCHES % {"path": "/headers", "pause": 0, "count": 20},
    "drips on 100 connections": _FETCHES % {"path": "/drip", "pause": 5, "count": 100},
    "one-byte frames": _SOCKETS,
}
_INTERIM = b"HTTP/1.1 103 Early Hints\r\n\r\n" * 500
_CHUNKS = b"1\r\nx\r\n" * 2000
_HEADERS = b"HTTP/1.1 200 OK\r\n" + b"a:b\r\n" * 40_000 + b"Content-Length: 2\r\n\r\nok"
_FRAME = b"\x81\x01x"
_GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


class HostileServer:
    """Serves the pages by their numbers, and answers that do not end."""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                await self._answer(await reader.readuntil(b"\r\n\r\n"), writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def _answer(self, head: bytes, writer: asyncio.StreamWriter) -> None:
        path = head.split(b" ", 2)[1].decode().partition("?")[0]
        if path == "/interim":
            await _repeat(writer, _INTERIM)
        elif path == "/chunks":
            writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            await _repeat(writer, _CHUNKS)
        elif path == "/drip":
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
            await _repeat(writer, b"x", pause=0.001)
        elif path == "/frames":
            writer.write(_handshake(head))
            await _repeat(writer, _FRAME)
        else:
            writer.write(_HEADERS if path == "/headers" else _page(path))
            await writer.drain()


def _page(path: str) -> bytes:
    number = path.removeprefix("/")
    body = (list(ATTACKS.values())[int(number)] if number.isdigit() else CALM_PAGE).encode()
    return b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)


async def _repeat(writer: asyncio.StreamWriter, data: bytes, pause: float = 0) -> None:
    """Send data until the connection ends."""
    while not writer.is_closing():
        writer.write(data)
        await writer.drain()
        await asyncio.sleep(pause)


def _handshake(head: bytes) -> bytes:
    key = next(
        line.partition(b": ")[2] for line in head.split(b"\r\n") if line.lower().startswith(b"sec-websocket-key")
    )
    accept = base64.b64encode(hashlib.sha1(key + _GUID, usedforsecurity=False).digest())
    start = b"HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    return start + b"Sec-WebSocket-Accept: %b\r\n\r\n" % accept


def _run(ready: Connection) -> None:
    async def serve() -> None:
        server = await asyncio.start_server(HostileServer().serve, "127.0.0.1", 0)
        ready.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(serve())


@contextlib.contextmanager
def serving() -> Generator[int]:
    """Run a server in a process of its own, and yield its port."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=_run, args=(theirs,), daemon=True)
    process.start()
    try:
        yield ours.recv()
    finally:
        process.kill()
        process.join()


async def measure(python: str, number: int, hostile: int, calm: int, seconds: float) -> dict[str, list[float]]:
    """Return the milliseconds of the snapshots and of the page loads of the calm session during one attack."""
    mark = uuid.uuid4().hex
    with tempfile.TemporaryDirectory(prefix="bench-", ignore_cleanup_errors=True) as folder:
        environment = {key: value for key, value in os.environ.items() if not key.startswith("ROVE_")}
        environment |= {MARK: mark, "ROVE_HOME": f"{folder}/h"}
        client = await Client.start((python, *COMMAND), environment, Path(folder))
        try:
            await client.initialize(LIMIT)
            await client.call("browser_open_session", {"name": "calm"}, LIMIT)
            await client.call("browser_navigate", {"url": f"http://127.0.0.1:{calm}/calm", **CALM}, LIMIT)
            await client.call("browser_navigate", {"url": f"http://localhost:{hostile}/{number}"}, LIMIT)
            await asyncio.sleep(2)  # the page begins after a second
            return await _time_calls(client, f"http://127.0.0.1:{calm}/calm", seconds)
        finally:
            await client.close()
            await gone(mark, patience=2.0)
            await end(mark)
            await client.reap()


async def _time_calls(client: Client, url: str, seconds: float) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {"snapshot": [], "page load": []}
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        for name, tool, arguments in (
            ("snapshot", "browser_snapshot", CALM),
            ("page load", "browser_navigate", {"url": f"{url}?{time.monotonic_ns()}", **CALM}),
        ):
            began = time.monotonic()
            with contextlib.suppress(ServerFailed):  # such as a deadline, which counts as the time that it took
                await client.call(tool, arguments, LIMIT)
            times[name].append((time.monotonic() - began) * 1000)
    return times


def _percentile(times: Sequence[float], share: float) -> float:
    ordered = sorted(times)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else 0.0


def _row(name: str, times: dict[str, list[float]]) -> str:
    columns = [
        f"{_percentile(each, 0.5):8.1f} {_percentile(each, 0.99):8.1f} {max(each, default=0):8.1f}"
        for each in times.values()
    ]
    return f"{name:26} {len(times['snapshot']):5}  " + "   ".join(columns)


async def _measure_all(python: str, wanted: Sequence[str], seconds: float) -> None:
    print(f"{'attack':26} {'calls':>5}  {'snapshot: median, p99, max':>26}   {'page load: median, p99, max':>26}  (ms)")
    with serving() as hostile, serving() as calm:
        for number, name in enumerate(ATTACKS):
            if wanted and not any(word in name for word in wanted):
                continue
            try:
                print(_row(name, await measure(python, number, hostile, calm, seconds)), flush=True)
            except (NoAnswer, ServerFailed) as failure:
                print(f"{name:26} {failure}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.stalls.servers", description=__doc__)
    parser.add_argument("--only", action="append", default=[], help="attacks whose names contain this; can be repeated")
    parser.add_argument("--seconds", type=float, default=10.0, help="how long each attack is measured")
    parser.add_argument("--python", default=sys.executable, help="the interpreter of the rove that is measured")
    arguments = parser.parse_args()
    asyncio.run(_measure_all(arguments.python, arguments.only, arguments.seconds))


if __name__ == "__main__":
    main()
