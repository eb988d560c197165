"""What classic WebDriver has no command for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from rove.browser.network.conditions import Throttling
from rove.browser.page_data import WorkerInfo
from rove.browser.tab import FrameReader
from rove.errors import Unsupported

USE_CHROMIUM = "Use a session with the engine chromium for this."


def unsupported(what: str) -> Unsupported:
    """Return the error for what WebDriver cannot do."""
    return Unsupported(f"WebKit over WebDriver cannot {what}.", hint=USE_CHROMIUM)


class NoWorkers:
    """Workers, of which WebDriver tells nothing."""

    are_bypassed = False

    async def list(self) -> list[WorkerInfo]:
        return self._refuse()

    async def inspect(self, url: str | None) -> Sequence[WorkerInfo]:
        return self._refuse()

    async def update(self, url: str | None) -> None:
        self._refuse()

    async def bypass(self, bypass: bool) -> None:
        self._refuse()

    async def stop(self, url: str | None) -> None:
        self._refuse()

    async def unregister(self, url: str | None) -> None:
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise unsupported("see or control workers")


class NoScreencast:
    """Pictures of a page as it changes, which WebDriver does not send."""

    def open(self, max_width: int, quality: int) -> FrameReader:
        raise unsupported("show a page live")

    async def may_be_kept(self) -> bool:
        """Return False: there are no frames."""
        return False


class NoNetworkConditions:
    """A network that is always as it is."""

    async def set_offline(self, offline: bool) -> None:
        if offline:
            raise unsupported("go offline")

    async def throttle(self, throttling: Throttling) -> None:
        if throttling != Throttling():
            raise unsupported("slow the network or scripts down")
