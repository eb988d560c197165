"""What classic WebDriver has no command for, or cannot do safely."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn

from rove.browser.emulation import Overrides
from rove.browser.network import Throttling
from rove.browser.page_data import WorkerInfo
from rove.browser.shared.capture import Screencast
from rove.browser.shared.interception import Interceptor
from rove.browser.shared.profiler import Profiler, RecordedTrace
from rove.browser.shared.resources import NetworkConditions, SessionOverrides
from rove.browser.shared.secrets import NoSecrets
from rove.browser.shared.workers import WorkerControl
from rove.errors import Unsupported

if TYPE_CHECKING:
    from rove.browser.element import FoundSecret, SecretSource, TypedSecret

USE_CHROMIUM = "Use a session with the engine chromium for this."


def unsupported(what: str) -> Unsupported:
    """Return the error for what WebDriver cannot do."""
    return Unsupported(f"WebKit over WebDriver cannot {what}.", hint=USE_CHROMIUM)


class NoWorkers(WorkerControl):
    """Workers, of which WebDriver tells nothing."""

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


class NoScreencast(Screencast):
    """Pictures of a page as it changes, which WebDriver does not send."""

    def note_readers(self) -> None:
        raise unsupported("show a page live")

    def note_waiting(self) -> None:
        """Do nothing: there are no readers."""


async def no_frames() -> bool:
    """Return False: no frame may be kept, as there are none."""
    return False


class NoProfiler(Profiler):
    """The profiler of an engine that records nothing."""

    async def begin(self) -> None:
        raise self._unsupported()

    async def stop(self, name: str) -> RecordedTrace:
        raise self._unsupported()

    async def collect(self) -> tuple[bytes, bool]:
        raise self._unsupported()

    async def discard(self) -> None:
        """Do nothing: there is nothing to stop."""

    def _unsupported(self) -> Unsupported:
        return Unsupported(
            "This browser engine gives no profile of a page to programs.",
            hint="Use {web_vitals}, or a session with the engine chromium.",
        )


class NoNetworkConditions(NetworkConditions):
    """A network that is always as it is."""

    async def set_offline(self, offline: bool) -> None:
        if offline:
            raise unsupported("go offline")

    async def throttle(self, throttling: Throttling) -> None:
        if throttling != Throttling():
            raise unsupported("slow the network or scripts down")


class NoOverrides(SessionOverrides):
    """What is emulated, granted and intercepted: always what it was."""

    async def restore(self, values: Overrides) -> None:
        self.values = values

    def check(self, values: Overrides) -> None:
        """Raise Unsupported for anything but what is so already."""
        if values != self.values:
            raise unsupported("emulate devices, grant permissions or intercept requests")

    async def apply(self, values: Overrides) -> None:
        """Do nothing: it is so already."""


class NoInterceptor(Interceptor[str]):
    """Decides on no request: WebDriver lets none wait."""

    async def update(self, page: str) -> None:
        """Do nothing: no request waits."""

    async def update_all(self) -> None:
        """Do nothing: no request waits."""


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
