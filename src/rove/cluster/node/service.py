"""What every node offers: who it is, how it is, and its end."""

from __future__ import annotations

import asyncio
import os
import platform
from pathlib import Path
from typing import Any

from rove.cluster.node.node import Node, offered
from rove.engine.memory import available_memory
from rove.version import VERSION

MACHINE_ID = Path("/proc/sys/kernel/random/boot_id")


class Service:
    """The service `node`."""

    def __init__(self, node: Node) -> None:
        self._node = node

    @offered
    async def hello(self) -> dict[str, Any]:
        """Return what does not change while the node runs."""
        return {
            "version": VERSION,
            "python": platform.python_version(),
            "machine": _machine(),
            "key": self._node.keys.public,
            "pid": os.getpid(),
            "uses_token": os.environ.get("RAY_AUTH_MODE", "").lower() == "token",
            "uses_tls": os.environ.get("RAY_USE_TLS", "").lower() in ("1", "true"),
        }

    @offered
    async def health(self) -> dict[str, Any]:
        """Return how the node is now. That it is asked renews the lease."""
        memory = available_memory()
        return {
            "memory_total": memory.total if memory else 0,
            "memory_free": memory.available if memory else 0,
            "load": os.getloadavg()[0],
            "is_draining": self._node.is_draining,
            "services": await self._node.describe_services(),
        }

    @offered
    async def drain(self, is_draining: bool = True) -> None:
        """Mark the node as one that gets nothing new."""
        self._node.is_draining = is_draining

    @offered
    async def close(self) -> None:
        """End everything that the services hold."""
        await self._node.close()

    @offered
    async def echo(self, value: Any, seconds: float = 0.0) -> Any:
        """Return what was sent, at once or after a while, to measure a call."""
        if seconds:
            await asyncio.sleep(seconds)
        return value

    @offered
    async def count(self, end: int) -> Any:
        """Yield numbers, to measure a stream."""
        for number in range(end):
            yield number


def _machine() -> str:
    """Return what nodes that share memory have in common: the machine, and the container if that has a limit."""
    try:
        machine = MACHINE_ID.read_text().strip()
    except OSError:
        return platform.node()
    memory, physical = available_memory(), os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    is_limited = memory is not None and memory.total < physical
    return f"{machine} {platform.node()}" if is_limited else machine
