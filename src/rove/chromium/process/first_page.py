"""The first words with a browser, had while the rest of rove is still being imported.

Whoever starts a server asks for a page next. A context and an empty page in it, whose process takes longest of all to
start, are there by the time that anyone can ask: measured, a first page comes 50 ms sooner.
"""

from __future__ import annotations

import os
from _thread import allocate_lock, start_new_thread

# In the words of `browser.py` and `context.py`, which cannot be imported yet.
_WATCH = (
    '{"id":1,"method":"Target.setAutoAttach","params":{"autoAttach":true,"waitForDebuggerOnStart":true,"flatten":true}}'
)
_CONTEXT = (
    '{"id":2,"method":"Target.createBrowserContext",'
    '"params":{"disposeOnDetach":true,"proxyServer":"%s","proxyBypassList":"<-loopback>"}}'
)
_PAGE = '{"id":3,"method":"Target.createTarget","params":{"url":"about:blank","browserContextId":"%s"}}'
# Before this the browser does not even start a process for the page. An empty one may run before it is set up.
_RUN = '{"id":4,"method":"Runtime.runIfWaitingForDebugger","params":{},"sessionId":"%s"}'
PAGE_COMMAND = 3
COMMANDS_SENT = 4
_MADE = b'{"id":2,"result":{"browserContextId":"'
_NO_CONTEXT = b'{"id":2,"error"'
_NO_PAGE = b'{"id":3,"error"'
_ATTACHED = b'{"method":"Target.attachedToTarget","params":{"sessionId":"'
END = b"\0"


class FirstPage:
    """Asks for a context with one way out, and for a page in it; keeps what the browser says meanwhile."""

    def __init__(self, reading: int, writing: int, proxy_url: str) -> None:
        self.proxy_url = proxy_url
        # Everything that was read, for whoever goes on with the pipe.
        self.received = b""
        # The context, unless the browser ended or refused before there was one.
        self.context: str | None = None
        self._reading = reading
        self._writing = writing
        self._running = allocate_lock()
        self._running.acquire()
        start_new_thread(self._run, ())

    def wait(self) -> None:
        """Until nothing is read from the pipe any more."""
        with self._running:
            pass

    def _run(self) -> None:
        try:
            self._write(_WATCH, _CONTEXT % self.proxy_url)
            self.context = self._id_after(_MADE, unless=_NO_CONTEXT)
            if self.context is not None:
                self._write(_PAGE % self.context)
                if session_id := self._id_after(_ATTACHED, unless=_NO_PAGE):
                    self._write(_RUN % session_id)
        except OSError:
            pass  # it has ended, and whoever takes the pipe finds out
        finally:
            self._running.release()

    def _write(self, *messages: str) -> None:
        os.write(self._writing, b"".join(message.encode() + END for message in messages))

    def _id_after(self, beginning: bytes, unless: bytes) -> str | None:
        """What stands first in the message that begins so; None if there is another in its place, or an end."""
        while not any(message.startswith((beginning, unless)) for message in self._messages()):
            if not (more := os.read(self._reading, 65536)):
                return None
            self.received += more
        found = next((message for message in self._messages() if message.startswith(beginning)), None)
        return found[len(beginning) :].partition(b'"')[0].decode("ascii") if found else None

    def _messages(self) -> list[bytes]:
        """Those that are whole."""
        return self.received.split(END)[:-1]
