"""Actions that read addresses of the web without a tab, and what they may ask of the engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol, TypeVar

from rove.action import Action
from rove.outcome import Result

if TYPE_CHECKING:
    from rove.fetching.document import WebDocument
    from rove.settings.tree import Settings

R = TypeVar("R", bound=Result)
# Whether the browser may be used: where HTTP does not do, not at all, or at once.
BrowserUse = Literal["auto", "never", "always"]


class WebAccess(Protocol):
    """Reads addresses with the cookies of one session, within what its guard and its policy allow."""

    @property
    def settings(self) -> Settings: ...
    def count_invisible(self, text: str, /) -> int:
        """Return how many characters of a text show nothing, which models are not told."""
        ...

    async def read(self, url: str, browser: BrowserUse, /) -> WebDocument:
        """Return what is at an address, after redirects. Raises RoveError."""
        ...


class FetchAction(Action[R]):
    """An action that reads addresses of the web. It starts a browser only if it needs one."""

    def at(self, url: str) -> FetchAction[R]:
        """Return the same action at another address, for the policy to decide on."""
        raise NotImplementedError

    async def perform(self, web: WebAccess) -> R:
        """Do it, within a deadline."""
        raise NotImplementedError
