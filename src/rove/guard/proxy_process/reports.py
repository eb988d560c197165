"""Reports the requests that a proxy refused or failed to forward to the engine, at a bounded rate."""

from __future__ import annotations

import asyncio
from collections import deque

from rove.guard.proxy.refusal_log import MAX_ENTRIES, FailedRequest, RefusedRequest
from rove.guard.proxy_process.control_socket import ControlSocket
from rove.guard.proxy_process.messages import entry_to_json

# A page can cause thousands of refusals in a second, and the engine must not be busy with them.
_AT_ONCE = 100
_PERIOD_SECONDS = 0.1


class Reports:
    """The reports of one session: the first of a period are sent at once, the latest of the others when it ends."""

    def __init__(self, session: int, control: ControlSocket) -> None:
        self._session = session
        self._control = control
        self._sent = 0
        self._late: deque[RefusedRequest | FailedRequest] = deque(maxlen=min(MAX_ENTRIES, _AT_ONCE))
        self._is_scheduled = False

    def add(self, entry: RefusedRequest | FailedRequest) -> None:
        """Send an entry, or keep it until the period ends."""
        if self._sent < _AT_ONCE and not self._control.is_full:
            self._send(entry)
        else:
            self._late.append(entry)
        if not self._is_scheduled:
            self._is_scheduled = True
            asyncio.get_running_loop().call_later(_PERIOD_SECONDS, self._begin_period)

    def _send(self, entry: RefusedRequest | FailedRequest) -> None:
        self._sent += 1
        self._control.send({"session": self._session, "entry": entry_to_json(entry)})

    def _begin_period(self) -> None:
        self._is_scheduled, self._sent = False, 0
        late, self._late = list(self._late), deque(maxlen=self._late.maxlen)
        for entry in late:
            self.add(entry)
