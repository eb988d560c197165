"""Measures what one call takes of the gateway's processor time: HTTP, tokens, JSON, and the way through Ray."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.client import PROTOCOL
from bench.site import serving

CALLS = 300
# Seconds in which the gateway is watched without a call.
IDLE = 20.0
TICKS = os.sysconf("SC_CLK_TCK")


def http_call() -> float:
    """Return the seconds of processor time that `rove serve` takes for a call of /mcp that needs no browser."""
    with _serving() as (process, port, token):
        client = HttpClient(port, token)
        client.request("initialize", {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": _CLIENT})
        call = {"name": "browser_status", "arguments": {}}
        for _ in range(20):  # modules are imported, and caches filled
            client.request("tools/call", call)
        before = _seconds(process.pid)
        for _ in range(CALLS):
            client.request("tools/call", call)
        return (_seconds(process.pid) - before) / CALLS


@dataclass(frozen=True)
class GatewayCosts:
    """Seconds of processor time: for a call, and in each second for each node.

    `server`: the process whose event loop all calls share. `driver`: the process that is connected to Ray.
    """

    server_call: float
    driver_call: float
    server_node: float
    driver_node: float


def gateway_costs(address: str, nodes: int) -> GatewayCosts:
    """Measure `rove serve` on a cluster that has so many nodes, with snapshots of an article."""
    with serving() as site, _serving("--cluster", address, "--allow-host", "127.0.0.1") as (process, port, token):
        client = HttpClient(port, token)
        client.request("initialize", {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": _CLIENT})
        _call(client, "open_session", name="measured")
        _call(client, "navigate", session="measured", url=site.url("/article"))
        for _ in range(10):
            _call(client, "snapshot", session="measured")
        pids = {"server": process.pid, "driver": _child(process.pid)}
        before = {name: _seconds(pid) for name, pid in pids.items()}
        idle_began = time.monotonic()
        time.sleep(IDLE)
        client.reconnect()  # the server closes a connection that is not used for so long
        idle = {name: (_seconds(pid) - before[name]) / (time.monotonic() - idle_began) for name, pid in pids.items()}
        before, began = {name: _seconds(pid) for name, pid in pids.items()}, time.monotonic()
        for _ in range(CALLS):
            _call(client, "snapshot", session="measured")
        seconds = time.monotonic() - began
        calls = {name: (_seconds(pid) - before[name] - idle[name] * seconds) / CALLS for name, pid in pids.items()}
        return GatewayCosts(calls["server"], calls["driver"], idle["server"] / nodes, idle["driver"] / nodes)


def _call(client: HttpClient, tool: str, **arguments: Any) -> None:
    client.request("tools/call", {"name": f"browser_{tool}", "arguments": arguments})


def _child(pid: int) -> int:
    """Return the process that is connected to Ray for a gateway."""
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError):
                parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
                if parent == pid and b"driver" in (folder / "cmdline").read_bytes():
                    return int(folder.name)
    raise SystemExit("the process that is connected to Ray was not found")


_CLIENT = {"name": "bench", "version": "1"}


class HttpClient:
    """A client of /mcp that keeps its connection."""

    def __init__(self, port: int, token: str) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self._headers = {
            "Authorization": f"Bearer {token}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        }
        self._number = 0

    def reconnect(self) -> None:
        """Use another connection from now on."""
        self._connection.close()

    def request(self, method: str, params: dict[str, Any]) -> None:
        """Make a request. Raises ConnectionError if it fails."""
        self._number += 1
        body = json.dumps({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        self._connection.request("POST", "/mcp", body, self._headers)
        answer = self._connection.getresponse()
        text = answer.read().decode()
        if answer.status != 200:
            raise ConnectionError(f"{method}: {answer.status} {text[:300]}")
        if '"isError":true' in text.replace(" ", ""):
            raise ConnectionError(f"{method}: {text[:300]}")
        if identity := answer.getheader("Mcp-Session-Id"):
            self._headers["Mcp-Session-Id"] = identity


@contextmanager
def _serving(*flags: str) -> Generator[tuple[subprocess.Popen[str], int, str]]:
    with tempfile.TemporaryDirectory(prefix="rv") as home:
        environment = {
            **os.environ,
            "ROVE_HOME": home,
            "ROVE_SERVE_PORT": "0",
            "ROVE_SERVE_REQUESTS_PER_SECOND": "10000",
        }
        command = [sys.executable, "-m", "rove", "serve", *flags]
        process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
        try:
            assert process.stdout is not None
            for line in process.stdout:
                if found := re.search(r":(\d+)/#token=(\S+)", line):
                    yield process, int(found[1]), found[2]
                    return
            raise SystemExit("rove serve did not start")
        finally:
            process.terminate()
            process.wait()


def _seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS
