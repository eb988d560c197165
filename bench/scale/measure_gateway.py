"""Measures what one call takes of the gateway's processor time: HTTP, tokens, JSON, and the way through Ray."""

from __future__ import annotations

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
from pathlib import Path
from typing import Any

from bench.client import PROTOCOL

CALLS = 300
# About as long as the snapshot of an article.
ANSWER = b"x" * 16_384
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


def ray_call(address: str) -> float:
    """Return the seconds of processor time of a process that calls an actor of Ray, for an answer of 16 KB."""
    import ray

    ray.init(address=address, log_to_driver=False, logging_level="error")
    try:

        class Answering:
            async def call(self, payload: bytes) -> bytes:
                return ANSWER

        actor: Any = ray.remote(Answering).options(num_cpus=0).remote()
        for _ in range(20):
            ray.get(actor.call.remote(b"x" * 500))
        before = time.process_time()
        for _ in range(CALLS):
            ray.get(actor.call.remote(b"x" * 500))
        return (time.process_time() - before) / CALLS
    finally:
        ray.shutdown()


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

    def request(self, method: str, params: dict[str, Any]) -> None:
        """Make a request. Raises ConnectionError if it fails."""
        self._number += 1
        body = json.dumps({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        self._connection.request("POST", "/mcp", body, self._headers)
        answer = self._connection.getresponse()
        text = answer.read().decode()
        if answer.status != 200:
            raise ConnectionError(f"{method}: {answer.status} {text[:300]}")
        if identity := answer.getheader("Mcp-Session-Id"):
            self._headers["Mcp-Session-Id"] = identity


@contextmanager
def _serving() -> Generator[tuple[subprocess.Popen[str], int, str]]:
    with tempfile.TemporaryDirectory(prefix="rv") as home:
        environment = {
            **os.environ,
            "ROVE_HOME": home,
            "ROVE_SERVE_PORT": "0",
            "ROVE_SERVE_REQUESTS_PER_SECOND": "10000",
        }
        command = [sys.executable, "-m", "rove", "serve"]
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
