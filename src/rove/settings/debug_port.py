"""The debugging port of a browser that its user has started."""

from __future__ import annotations

import re

from rove.patterns import pattern
from rove.records import dataclass

EXAMPLES = "http://127.0.0.1:9222, or ws://127.0.0.1:9222/devtools/browser/ID"
# Of this machine alone: a browser elsewhere would look for the proxy of a named session on its own machine.
_HERE = r"(?P<host>127\.0\.0\.1|localhost|\[::1\]):(?P<port>[0-9]{1,5})"
# Where Chrome speaks DevTools protocol once its user has allowed that in chrome://inspect.
BROWSER_PATH = "/devtools/browser"
_PATH = rf"{BROWSER_PATH}(?:/[0-9A-Za-z-]{{1,64}})?"
_HTTP = pattern(rf"http://{_HERE}/?")
_SOCKET = pattern(rf"ws://{_HERE}(?P<path>{_PATH})")


@dataclass(frozen=True)
class DebugPort:
    """A host and port of this machine, and the path of the browser's WebSocket if that is known."""

    host: str
    port: int
    path: str = ""

    @classmethod
    def of(cls, text: str) -> DebugPort:
        """Parse an address strictly; raises ValueError with examples if it is none."""
        match = _HTTP.fullmatch(text) or _SOCKET.fullmatch(text)
        if match is None or not 0 < int(match["port"]) < 65536:
            raise ValueError(f"{text!r} is no browser on this machine; write one like {EXAMPLES}")
        return cls(match["host"].strip("[]"), int(match["port"]), match.groupdict().get("path") or "")

    @property
    def address(self) -> str:
        return "127.0.0.1" if self.host == "localhost" else self.host

    def at(self, socket: str) -> DebugPort:
        """Return this port with the path of the WebSocket address that the browser gave, whose host is ignored."""
        path = re.fullmatch(rf"wss?://[^/]+({_PATH})", socket)
        if path is None:
            raise ValueError(f"{socket[:200]!r} is no address of a browser's WebSocket")
        return DebugPort(self.host, self.port, path[1])

    def without_id(self) -> DebugPort:
        """Return this port with the path that needs no browser's id."""
        return DebugPort(self.host, self.port, BROWSER_PATH)

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def checked(text: str) -> str:
    """Return the text if it is an address that can be attached to."""
    DebugPort.of(text)
    return text
