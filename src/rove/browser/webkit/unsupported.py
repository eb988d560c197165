"""What classic WebDriver has no command for, or cannot do safely."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn

from rove.browser.network import Throttling
from rove.browser.page_data import WorkerInfo
from rove.browser.shared.secrets import NoSecrets
from rove.browser.tab import FrameReader
from rove.errors import Unsupported

if TYPE_CHECKING:
    from rove.browser.element import FoundSecret, SecretSource, TypedSecret

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


class WithheldSecrets(NoSecrets):
    """Raises Unsupported for every secret, and finds them in what is copied, so that it is pasted nowhere."""

    def __init__(self, secrets: SecretSource) -> None:
        self._secrets = secrets

    def find(self, text: str) -> list[FoundSecret]:
        return [*self._secrets.find(text)]

    def use(self, name: str, origin: str) -> TypedSecret:
        raise unsupported("type secrets out of reach of the page's own scripts")

    def offer(self, origin: str) -> str:
        return "Over WebDriver rove types no secrets. Use a session with the engine chromium for this."
