"""The address that a new window is opened for: Firefox reports the window before it begins to load it."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

from rove.firefox.protocol.connection import PageChannel

EMPTY = ("", "about:blank")
# A window that has begun to load nothing by then stays empty.
SECONDS = 0.5


class FirstAddress:
    """Waits for the first address that a new page loads; `url` is the one that it was reported with.

    `opener`: the frame that opened it, and wrote the address; None if Firefox does not tell.
    """

    def __init__(self, channel: PageChannel, url: str, opener: str | None) -> None:
        self._channel = channel
        self._url = url
        self.opener = opener
        self._is_known = asyncio.Event()
        if url not in EMPTY:
            self._is_known.set()
        channel.on("browsingContext.navigationStarted", self._on_started)
        channel.on("closed", lambda _: self._is_known.set())

    def _on_started(self, event: dict[str, Any]) -> None:
        if event["context"] == self._channel.context and event["url"] not in EMPTY and not self._is_known.is_set():
            self._url = event["url"]
            self._is_known.set()

    async def known(self) -> str:
        """Return the address, once it is known or the time is over."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._is_known.wait(), SECONDS)
        return self._url
