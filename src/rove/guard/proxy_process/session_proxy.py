"""One session's proxy as the engine sees it: its rules, who may use it, and what it refused."""

from __future__ import annotations

import asyncio
import socket
from typing import Any, Protocol

from rove.guard.hosts.host_rules import HostRules
from rove.guard.proxy.refusal_log import RefusalLog
from rove.guard.proxy_process.messages import entry_from_json, rules_to_json

# Seconds after which a process that does not answer is ended. It answers in milliseconds, once it has started.
_ANSWER_TIMEOUT = 10.0
_CLOSE_TIMEOUT = 2.0


class Process(Protocol):
    """The process that runs the proxies."""

    def add(self, session: SessionProxy, /) -> asyncio.Future[None]: ...
    async def remove(self, session: SessionProxy, /) -> None: ...
    def send(self, message: dict[str, Any], /) -> asyncio.Future[None]: ...
    def receive(self) -> None: ...
    def kill(self) -> None: ...


class SessionProxy:
    """A proxy that runs in the proxy process, on a socket that the engine keeps open."""

    def __init__(self, process: Process, listener: socket.socket, rules: HostRules) -> None:
        """Serve clients at a socket that listens. Raises OSError."""
        self.listener = listener
        self.number = 0
        self.refusal_log = RefusalLog()
        self._process = process
        self._rules = rules
        self._group: int | None = None
        self._told = process.add(self)

    def opening(self) -> dict[str, Any]:
        """Return the message that lets a process serve this session."""
        return {"do": "open", "session": self.number, "rules": rules_to_json(self._rules), "group": self._group}

    async def applied(self) -> None:
        """Wait until the proxy works by the rules that it was told last."""
        told = self._told
        try:
            async with asyncio.timeout(_ANSWER_TIMEOUT):
                await asyncio.shield(told)
        except TimeoutError:
            self._process.kill()
            await asyncio.shield(told)  # the next process is told everything

    def set_rules(self, rules: HostRules) -> None:
        """Apply new rules, and reset the connections that they forbid."""
        self._rules = rules
        self._told = self._process.send({"do": "rules", "session": self.number, "rules": rules_to_json(rules)})

    def trust(self, group: int) -> None:
        """Serve the browser that leads a process group, or every process of this user if it is 0."""
        if group != self._group:
            self._group = group
            self._told = self._process.send({"do": "trust", "session": self.number, "group": group})

    def receive(self) -> None:
        """Read what the process has reported so far."""
        self._process.receive()

    def add_entry(self, written: Any) -> None:
        self.refusal_log.add(entry_from_json(written))

    async def close(self) -> None:
        """Stop serving: connections are reset, and new ones refused."""
        try:
            async with asyncio.timeout(_CLOSE_TIMEOUT):
                await self._process.remove(self)
        except TimeoutError:
            self._process.kill()  # the next process does not get the socket
        finally:
            self.listener.close()
