"""`rove map` beside a plain asyncio script on Playwright, over the same local pages with the same parallelism.

python -m bench.map --playwright PATH/TO/python [--pages 400] [--parallel 4] [--rounds 2] [--do text screenshot]

They take turns in each round. Wall time depends on what else the machine does; processor time a page does not.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from bench.map.process_tree import TreeSampler

ROVE = str(Path(sys.executable).parent / "rove")
SCRIPT = Path(__file__).with_name("playwright_script.py")
TEXT_SCRIPT = Path(__file__).with_name("text_script.py")
PARAGRAPH = f"<p>{'Two lines of ordinary prose that a reader would skim on the way. ' * 8}</p>"
RESOURCES = {
    "/style.css": ("text/css", "body{font-family:sans-serif;max-width:60em;margin:auto}nav{float:right}"),
    "/app.js": ("text/javascript", "document.querySelector('h1').dataset.ready = '1';"),
    "/dot.svg": ("image/svg+xml", "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><circle r='9'/></svg>"),
}


@dataclass(frozen=True)
class Run:
    pages_per_second: float
    cpu_per_page: float
    cores: float
    memory: tuple[int, int]


def page(path: str) -> str:
    links = "".join(f'<li><a href="/page/{number}">Link {number}</a></li>' for number in range(30))
    cells = "".join(f"<tr><td>{number}<td>cell {number}</tr>" for number in range(20))
    head = f"<!doctype html><html lang=en><title>Page {path}</title><link rel=stylesheet href=/style.css>"
    main = f"<h1>Page {path}</h1>{PARAGRAPH * 8}<table>{cells}</table><img src=/dot.svg width=40 height=40>"
    return f"{head}<nav><ul>{links}</ul></nav><main><article>{main}</article></main><script src=/app.js></script>"


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while True:
            path = (await reader.readuntil(b"\r\n\r\n")).split(b" ", 2)[1].decode()
            kind, text = RESOURCES.get(path) or ("text/html", page(path))
            body = text.encode()
            head = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
            writer.write(head.encode() + body)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


async def _serve(ready: Connection) -> None:
    server = await asyncio.start_server(_answer, "127.0.0.1", 0)
    ready.send(server.sockets[0].getsockname()[1])
    await server.serve_forever()


def _serve_for_ever(ready: Connection) -> None:
    asyncio.run(_serve(ready))


@contextmanager
def site() -> Generator[int]:
    """Serve pages from a process of its own; yield its port."""
    ready, told = multiprocessing.Pipe()
    process = multiprocessing.Process(target=_serve_for_ever, args=(told,), daemon=True)
    process.start()
    try:
        yield int(ready.recv())
    finally:
        process.terminate()
        process.join()


def measure(command: list[str], pages: int, **environment: str) -> Run:
    """Run a command and return how fast it was, and what it cost."""
    began = time.monotonic()
    process = subprocess.Popen(command, env={**os.environ, **environment}, stderr=subprocess.DEVNULL)
    sampler = TreeSampler(process.pid)
    if process.wait() != 0:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    seconds, usage = time.monotonic() - began, sampler.stop()
    third = max(len(usage.memory) // 3, 1)
    memory = (int(statistics.median(usage.memory[third:-third] or [0])), int(statistics.median(usage.memory[-third:])))
    return Run(pages / seconds, usage.cpu_seconds / pages, usage.cpu_seconds / seconds, memory)


def commands(given: argparse.Namespace, what: str, addresses: Path, out: Path, port: int) -> dict[str, list[str]]:
    kind = str(TEXT_SCRIPT) if what == "text" else what
    rove = [ROVE, "map", str(addresses), "--do", kind, "--out", str(out), "--allow-host", f"127.0.0.1:{port}"]
    playwright = [given.playwright, str(SCRIPT), str(addresses), str(given.parallel), what]
    both = {"rove": [*rove, "--parallel", str(given.parallel)], "playwright": playwright}
    if given.fresh:
        both = {"rove": [*both["rove"], "--fresh"], "playwright": [*playwright, "fresh"]}
    return both


def compare(given: argparse.Namespace, what: str, folder: Path, port: int) -> None:
    addresses = folder / "addresses.txt"
    addresses.write_text("".join(f"http://127.0.0.1:{port}/page/{number}\n" for number in range(given.pages)))
    runs: dict[str, list[Run]] = {"rove": [], "playwright": []}
    for number in range(given.rounds):
        out = folder / f"{what}-{number}.jsonl"
        for name, command in commands(given, what, addresses, out, port).items():
            runs[name].append(measure(command, given.pages, ROVE_HOME=str(folder / "home")))
    for name, measured in runs.items():
        _report(f"{what:<11} {name:<11}", measured)
    ratios = [a.pages_per_second / b.pages_per_second for a, b in zip(runs["rove"], runs["playwright"], strict=True)]
    costs = [a.cpu_per_page / b.cpu_per_page for a, b in zip(runs["rove"], runs["playwright"], strict=True)]
    print(f"{what:<11} ratio       speed x{statistics.median(ratios):.2f}  processor x{statistics.median(costs):.2f}")


def _report(label: str, runs: list[Run]) -> None:
    speed, cost = (
        statistics.median(getattr(run, name) for run in runs) for name in ("pages_per_second", "cpu_per_page")
    )
    cores, (middle, end) = statistics.median(run.cores for run in runs), runs[-1].memory
    megabytes = f"{middle / 2**20:.0f} MB, at the end {end / 2**20:.0f} MB"
    print(
        f"{label} {speed:5.1f} pages/s  {cost * 1000:4.0f} ms of processor a page  {cores:.2f} cores  {megabytes}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.map", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--playwright", required=True, help="a Python that has Playwright")
    parser.add_argument("--pages", type=int, default=400)
    parser.add_argument("--parallel", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--fresh", action="store_true", help="a context of its own for each page, in both")
    parser.add_argument("--do", nargs="+", default=["text", "screenshot"], help="text, screenshot")
    given = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="map"))
    try:
        with site() as port:
            for what in given.do:
                compare(given, what, folder, port)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
