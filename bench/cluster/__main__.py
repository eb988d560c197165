"""A Ray cluster of processes on this machine: what a call costs, and what each further node brings.

python -m bench.cluster calls [--calls 2000]
python -m bench.cluster throughput [--nodes 1 2 3] [--cores 0.5] [--pages 80] [--rounds 2]

`throughput` holds each node, with its browser, to a part of a core (as root: control groups). The head is apart and has
no pages. Pages are those of `bench.map`, from the loopback: what is measured is processor time in browsers, and not
waiting for servers. Rates are those of the middle of a run, without the start and the end of browsers.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import Any

from tests.cluster.ray_nodes import RayNodes

from bench.cluster.control_group import control_group
from bench.machine import facts
from bench.map.__main__ import site
from rove.cluster.connection.cluster import Cluster
from rove.cluster.connection.options import ClusterOptions
from rove.cluster.node.node import Node
from rove.cluster.payload import decode, encode

ROVE = str(Path(sys.executable).parent / "rove")
SIZES = (10, 100_000)
# The part of a run that is measured.
FIRST, LAST = 0.3, 0.9
PARALLEL = 2


async def measure_calls(count: int) -> None:
    """Print how long a call takes through the cluster, and in this process."""
    nodes = RayNodes(1)
    try:
        async with Cluster(ClusterOptions(nodes.address)) as cluster:
            name = (await cluster.nodes())[0].id
            for size in SIZES:
                data = b"x" * size
                here = await _median(lambda data=data: _call_here(data), count)  # type: ignore[misc]
                there = await _median(lambda data=data: cluster.call(name, "node.echo", data), count)  # type: ignore[misc]
                print(json.dumps({"bytes": size, "in_process_ms": here, "cluster_ms": there}), flush=True)
    finally:
        nodes.close()


async def _call_here(data: bytes) -> Any:
    """Do what a node does with a call, without Ray."""
    node = Node(Path(tempfile.gettempdir()))
    return decode(encode(await node.method("node.echo")(*decode(encode((data,))))))


async def _median(call: Callable[[], Awaitable[Any]], count: int) -> dict[str, float]:
    taken: list[float] = []
    for _ in range(count):
        began = time.perf_counter()
        await call()
        taken.append((time.perf_counter() - began) * 1000)
    ranked = statistics.quantiles(taken, n=100)
    return {"median": round(ranked[49], 3), "p95": round(ranked[94], 3)}


def measure_throughput(given: argparse.Namespace) -> None:
    """Print pages a second for each number of nodes, and what each added node brought."""
    rates: dict[int, list[float]] = {count: [] for count in given.nodes}
    with site() as port:
        for _ in range(given.rounds):
            for count in given.nodes:
                rates[count].append(_run(count, port, given))
                print(json.dumps({"nodes": count, "pages_per_second": round(rates[count][-1], 3)}), flush=True)
    best = {count: statistics.median(found) for count, found in rates.items()}
    one = best[given.nodes[0]] / given.nodes[0]
    scaling = {count: round(rate / (one * count), 3) for count, rate in best.items()}
    print(json.dumps({"median_pages_per_second": best, "of_linear": scaling, "load_after": os.getloadavg()}))


def _run(count: int, port: int, given: argparse.Namespace) -> float:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        rest = stack.enter_context(control_group("rest", None))
        nodes = RayNodes(1, cpus=1, head_cpus=0, head_prefix=rest)
        stack.callback(nodes.close)
        for number in range(count):
            prefix = stack.enter_context(control_group(f"n{number}", given.cores))
            nodes.others.append(nodes.start_node(f"n{number + 2}", prefix=prefix))
        for node in nodes.others:
            node.wait_started()
        urls = [f"http://127.0.0.1:{port}/page/{number}" for number in range(given.pages * count)]
        (folder / "urls.txt").write_text("\n".join(urls))
        words = ["--do", "extract", "--parallel", str(PARALLEL), "--cluster", nodes.address, "--quiet"]
        environment = {**os.environ, "ROVE_HOME": str(folder / "home"), "ROVE_ALLOW_HOST": "127.0.0.1"}
        command = [*rest, ROVE, "map", str(folder / "urls.txt"), *words, "--out", str(folder / "out.jsonl")]
        subprocess.run(command, env=environment, check=True)
        return _steady_rate(folder / "out.jsonl")


def _steady_rate(results: Path) -> float:
    times = sorted(datetime.fromisoformat(json.loads(line)["time"]) for line in results.read_text().splitlines())
    first, last = int(len(times) * FIRST), int(len(times) * LAST)
    return (last - first) / (times[last] - times[first]).total_seconds()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.cluster", description=__doc__)
    parser.add_argument("what", choices=["calls", "throughput"])
    parser.add_argument("--calls", type=int, default=2000)
    parser.add_argument("--nodes", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--cores", type=float, default=0.5, help="of each node")
    parser.add_argument("--pages", type=int, default=80, help="for each node")
    parser.add_argument("--rounds", type=int, default=2)
    given = parser.parse_args()
    print(json.dumps(facts()))
    if given.what == "calls":
        asyncio.run(measure_calls(given.calls))
    else:
        measure_throughput(given)


if __name__ == "__main__":
    main()
