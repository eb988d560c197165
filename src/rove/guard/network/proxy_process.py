"""The engine's side of the proxy process: starts it, tells it what each session may reach, starts it again.

The engine keeps what it has told. A new process is told all of it, with the same listening sockets, before it serves
any session. Until then connections wait; there is no other way to the network.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import os
import socket
import subprocess
import sys
import time
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from rove.guard.network.dialer import Upstream
from rove.guard.network.host_rules import HostRules
from rove.guard.network.proxy_messages import (
    ControlSocket,
    Message,
    SharedOwnPorts,
    entry_from_json,
    rules_to_json,
    upstream_to_json,
)
from rove.guard.network.proxy_watch import ProcessWatch
from rove.guard.network.refusal_log import RefusalLog
from rove.records import dataclass

log = logging.getLogger(__name__)

# Seconds after which a process that does not answer is ended. It answers in milliseconds, once it has started.
_ANSWER_TIMEOUT = 10.0
_CLOSE_TIMEOUT = 2.0

# The engine's own path is given, so that `site` need not be imported (-S). asyncio imports `ssl` if it can; the proxy
# forwards TLS without reading it. Both would make up a third of the start, and so would collecting garbage meanwhile.
_PROGRAM = (
    "import gc, sys; gc.disable(); sys.path[:] = {path}; sys.modules['ssl'] = None; "
    "from rove.guard.network.parent_death import end_with_parent; end_with_parent({engine}); "
    "from rove.guard.network.proxy_server import main; del sys.modules['ssl']; gc.enable(); main({descriptor})"
)
# The keys and tokens of the engine are kept from the process that reads what servers send.
_VARIABLES = (
    "PYTHONHOME", "PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX", "LD_LIBRARY_PATH",
    "HOSTALIASES", "LOCALDOMAIN", "RES_OPTIONS",
)  # fmt: skip
# Seconds before the next start, if a process ends soon after it was started; doubled each time.
_FIRST_DELAY = 0.05
_LONGEST_DELAY = 2.0


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


@dataclass(frozen=True)
class ProxySettings:
    """What the proxies of all sessions share: a name server, and a proxy to go out through."""

    dns: tuple[str, int] | None = None
    upstream: Upstream | None = None


@dataclass(frozen=True)
class ProxyEnd:
    """That a process ended, and whether the engine ended it because it did not answer."""

    at: float
    was_silent: bool


class ProxyProcess:
    """One process for the proxies of all sessions, which is started when the first session needs it."""

    def __init__(self, settings: ProxySettings, own_ports: SharedOwnPorts, watch: ProcessWatch | None = None) -> None:
        own_ports.on_change = self._own_port_changed
        self._own_ports = own_ports
        self._settings = settings
        self._watch = watch or ProcessWatch()
        # The latest ends of processes that were not closed, by the monotonic clock.
        self.ends: deque[ProxyEnd] = deque(maxlen=16)
        self.has_answered = False
        self._was_killed = False
        self._process: subprocess.Popen[bytes] | None = None
        self._control: ControlSocket | None = None
        self._sessions: dict[int, SessionProxy] = {}
        self._session_numbers = itertools.count(1)
        self._message_numbers = itertools.count(1)
        self._unconfirmed: dict[int, asyncio.Future[None]] = {}
        self._delay = 0.0
        self._restart: asyncio.TimerHandle | None = None
        self._is_closed = False

    @property
    def pid(self) -> int | None:
        """The id of the running process."""
        return self._process.pid if self._process is not None else None

    def start(self) -> None:
        """Start the process if it does not run. Raises OSError."""
        if self._process is None and self._restart is None and not self._is_closed:
            self._spawn()

    def add(self, session: SessionProxy) -> asyncio.Future[None]:
        """Serve a session. The future is done when its proxy accepts requests. Raises OSError."""
        self.start()
        session.number = next(self._session_numbers)
        self._sessions[session.number] = session
        self._own_ports.add(*session.listener.getsockname()[:2])
        return self.send(session.opening(), (session.listener.fileno(),))

    async def remove(self, session: SessionProxy) -> None:
        """Serve a session no longer, and wait until its connections are closed."""
        if self._sessions.pop(session.number, None) is not None:
            self._own_ports.remove(*session.listener.getsockname()[:2])
            await self.send({"do": "close", "session": session.number})

    def send(self, message: Message, descriptors: Sequence[int] = ()) -> asyncio.Future[None]:
        """Send a message. The future is done when the process has carried it out, or a later one has been told all."""
        number = next(self._message_numbers)
        confirmed = self._unconfirmed[number] = asyncio.get_running_loop().create_future()
        if self._is_closed:
            self._confirm_all()
        elif self._control is not None:
            self._control.send({**message, "id": number}, descriptors)
        return confirmed

    def ping(self) -> asyncio.Future[None]:
        """Ask the process whether it works. The future is done when it, or the next one, has answered."""
        return self.send({"do": "ping"})

    def receive(self) -> None:
        """Read the reports that have arrived."""
        if self._control is not None:
            self._control.receive()

    def kill(self) -> None:
        """End a process that does not answer; another one is started."""
        if self._process is not None:
            self._was_killed = True
            self._process.kill()

    def close(self) -> None:
        """End the process."""
        self._is_closed = True
        self._watch.close()
        if self._restart is not None:
            self._restart.cancel()
        if self._control is not None:
            self._control.close()
        self._reap()
        self._confirm_all()

    def _own_port_changed(self, address: str, port: int, is_own: bool) -> None:
        if self._control is not None:
            self.send({"do": "own", "address": address, "port": port, "is_own": is_own})

    def _spawn(self) -> None:
        ours, theirs = socket.socketpair()
        try:
            self._process = _popen(theirs.fileno())
        except OSError:
            ours.close()
            raise
        finally:
            theirs.close()
        self._control = ControlSocket(ours, self._received, self._ended)
        self.has_answered = self._was_killed = False
        self._tell_all()
        self._watch.begin(self)

    def _tell_all(self) -> None:
        """Tell a new process everything; what was not confirmed by the last one is part of it."""
        unconfirmed, self._unconfirmed = self._unconfirmed, {}
        shared = {"dns": self._settings.dns, "upstream": upstream_to_json(self._settings.upstream)}
        told = self.send({"do": "configure", "engine": os.getpid(), "own": self._own_ports.as_json(), **shared})
        for session in self._sessions.values():
            told = self.send(session.opening(), (session.listener.fileno(),))
        told.add_done_callback(lambda done: _confirm(unconfirmed))

    def _received(self, message: Message) -> None:
        if "done" in message:
            self._delay, self.has_answered = 0.0, True
            _confirm({0: self._unconfirmed.pop(message["done"])})
        elif (session := self._sessions.get(message["session"])) is not None:
            session.add_entry(message["entry"])

    def _ended(self) -> None:
        """Start another process: at once the first time, later if that one ends too before it has done anything."""
        code = self._reap()
        self._control = None
        self.ends.append(ProxyEnd(time.monotonic(), self._was_killed))
        log.warning("The proxy process has ended (%s); it is started again.", code)
        self._restart = asyncio.get_running_loop().call_later(self._delay, self._start_again)
        self._delay = min(max(self._delay * 2, _FIRST_DELAY), _LONGEST_DELAY)

    def _start_again(self) -> None:
        self._restart = None
        try:
            self._spawn()
        except OSError:
            log.exception("The proxy process cannot be started.")
            self._restart = asyncio.get_running_loop().call_later(_LONGEST_DELAY, self._start_again)

    def _reap(self) -> int | None:
        process, self._process = self._process, None
        if process is None:
            return None
        process.kill()
        return process.wait()

    def _confirm_all(self) -> None:
        unconfirmed, self._unconfirmed = self._unconfirmed, {}
        _confirm(unconfirmed)


def _popen(descriptor: int) -> subprocess.Popen[bytes]:
    program = _PROGRAM.format(path=_import_path(), descriptor=descriptor, engine=os.getpid())
    return subprocess.Popen(
        [sys.executable, "-s", "-S", "-P", "-c", program],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        pass_fds=(descriptor,),
        cwd="/",
        env={name: os.environ[name] for name in _VARIABLES if name in os.environ},
        # Ctrl-C in the terminal reaches only the engine, which ends this process after the browser.
        start_new_session=True,
    )


def _import_path() -> list[str]:
    """Return the folders that the engine imports from, first the one that rove itself was imported from."""
    return [str(Path(__file__).parents[3]), *(folder for folder in sys.path if folder.startswith("/"))]


def _confirm(futures: dict[int, asyncio.Future[None]]) -> None:
    for future in futures.values():
        if not future.done():
            future.set_result(None)
