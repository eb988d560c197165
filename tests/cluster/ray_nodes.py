"""Ray nodes as processes of this machine, which tests can kill and start again."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

PROGRAM = Path(__file__).with_name("ray_program.py")
OBJECT_STORE_BYTES = 80_000_000
START_SECONDS = 120.0
QUIET = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_AUTH_MODE": "disabled"}


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


class RayNode:
    """One Ray node: all processes of `ray start`, in a process group of their own."""

    def __init__(
        self,
        name: str,
        arguments: Sequence[str],
        environment: Mapping[str, str] | None = None,
        prefix: Sequence[str] = (),
    ) -> None:
        """`prefix`: words before the command, such as those that put it into a control group."""
        self.name = name
        self._folder = Path(tempfile.mkdtemp(prefix="rn-", dir="/tmp"))
        command = [
            *prefix,
            *(sys.executable, str(PROGRAM), "start", "--block", f"--node-name={name}", "--disable-usage-stats"),
            *("--node-ip-address=127.0.0.1", f"--object-store-memory={OBJECT_STORE_BYTES}"),
            *("--min-worker-port=0", "--max-worker-port=0", "--dashboard-agent-listen-port=0"),
            f"--temp-dir={self._folder}",
            *arguments,
        ]
        self._log = (self._folder / "start.log").open("w+b")
        self.process = subprocess.Popen(
            command,
            stdout=self._log,
            stderr=subprocess.STDOUT,
            env={**os.environ, **QUIET, **(environment or {})},
            start_new_session=True,
        )

    @property
    def pid(self) -> int:
        return self.process.pid

    def wait_started(self) -> None:
        """Wait until `ray start` says that it runs."""
        deadline = time.monotonic() + START_SECONDS
        log = self._folder / "start.log"
        while b"Ray runtime started" not in log.read_bytes():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"the Ray node {self.name} does not start:\n{log.read_text(errors='replace')}")
            time.sleep(0.05)

    def kill(self, number: int = signal.SIGKILL) -> None:
        """Kill every process of the node, as if its machine had lost its power."""
        if self.process.returncode is None:
            for pid in [self.pid, *self.pids]:
                _kill(pid, number)
            self.process.wait()
        self._log.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    @property
    def pids(self) -> list[int]:
        return _group_members(self.pid)


class RayNodes:
    """A head and other nodes on the loopback, each with as many processors as `ray start` is told."""

    def __init__(
        self,
        count: int = 1,
        cpus: int = 2,
        environment: Mapping[str, str] | None = None,
        head_cpus: int | None = None,
        head_prefix: Sequence[str] = (),
    ) -> None:
        """`count`: nodes, with the head. `head_cpus`: processors of the head, if not as many; 0 for no work there."""
        self.port = free_port()
        self._cpus = cpus
        self._head_cpus = cpus if head_cpus is None else head_cpus
        self._environment = environment
        self._head_prefix = head_prefix
        self.head = self.start_head()
        self.others = [self.start_node(f"n{number}") for number in range(2, count + 1)]
        for node in self.others:
            node.wait_started()

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    def start_head(self) -> RayNode:
        """Start the head, at the same address as before; its nodes are not those of the head before."""
        arguments = ["--head", f"--port={self.port}", "--include-dashboard=false", f"--num-cpus={self._head_cpus}"]
        self.head = RayNode("n1", arguments, self._environment, self._head_prefix)
        self.head.wait_started()
        return self.head

    def start_node(
        self, name: str, environment: Mapping[str, str] | None = None, prefix: Sequence[str] = ()
    ) -> RayNode:
        """Start a node and return without waiting."""
        arguments = [f"--address={self.address}", f"--num-cpus={self._cpus}"]
        return RayNode(name, arguments, {**(self._environment or {}), **(environment or {})}, prefix)

    def actors(self) -> list[int]:
        """Return the processes of rove's actors on all nodes."""
        pids = [pid for node in (self.head, *self.others) for pid in node.pids]
        return [pid for pid in pids if b"ray::NodeActor" in _title(pid)]

    def close(self) -> None:
        for node in [*self.others, self.head]:
            node.kill()


def _group_members(leader: int) -> list[int]:
    """Return the processes of the session that a process leads, and their descendants."""
    parents: dict[int, int] = {}
    found: set[int] = set()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        pid = int(stat.parent.name)
        parents[pid] = int(fields[1])
        if int(fields[3]) == leader:
            found.add(pid)
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return sorted(found)


def _title(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def _kill(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)
