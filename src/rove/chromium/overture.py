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
PAGE_ASKED_FOR = 3
ASKED = 4
_MADE = b'{"id":2,"result":{"browserContextId":"'
_NO_CONTEXT = b'{"id":2,"error"'
_NO_PAGE = b'{"id":3,"error"'
_ATTACHED = b'{"method":"Target.attachedToTarget","params":{"sessionId":"'
END = b"\0"


class Overture:
    """Asks for a context with one way out, and for a page in it; keeps what the browser says meanwhile."""

    def __init__(self, reading: int, writing: int, way_out: str) -> None:
        self.way_out = way_out
        # Everything that was read, for whoever goes on with the pipe.
        self.heard = b""
        # The context, unless the browser ended or refused before there was one.
        self.context: str | None = None
        self._reading = reading
        self._writing = writing
        self._playing = allocate_lock()
        self._playing.acquire()
        start_new_thread(self._play, ())

    def wait(self) -> None:
        """Until nothing is read from the pipe any more."""
        with self._playing:
            pass

    def _play(self) -> None:
        try:
            self._say(_WATCH, _CONTEXT % self.way_out)
            self.context = self._named_behind(_MADE, unless=_NO_CONTEXT)
            if self.context is not None:
                self._say(_PAGE % self.context)
                if session := self._named_behind(_ATTACHED, unless=_NO_PAGE):
                    self._say(_RUN % session)
        except OSError:
            pass  # it has ended, and whoever takes the pipe finds out
        finally:
            self._playing.release()

    def _say(self, *messages: str) -> None:
        os.write(self._writing, b"".join(message.encode() + END for message in messages))

    def _named_behind(self, beginning: bytes, unless: bytes) -> str | None:
        """What stands first in the message that begins so; None if there is another in its place, or an end."""
        while not any(message.startswith((beginning, unless)) for message in self._messages()):
            if not (more := os.read(self._reading, 65536)):
                return None
            self.heard += more
        found = next((message for message in self._messages() if message.startswith(beginning)), None)
        return found[len(beginning) :].partition(b'"')[0].decode("ascii") if found else None

    def _messages(self) -> list[bytes]:
        """Those that are whole."""
        return self.heard.split(END)[:-1]
