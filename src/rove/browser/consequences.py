"""What an action sends or opens, as far as it can be known before it is done, and what became of it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Literal, Protocol

from rove.page_text import Own, PageText
from rove.validation.record import dataclass

if TYPE_CHECKING:
    from rove.browser.element import Element

# What sets it off: a press of the mouse, or a key that activates the element which has the focus.
Cause = Literal["press", "enter", "space"]
SHORT_DIGEST = 16


@dataclass(frozen=True)
class SentField:
    """A field of a form, and what would be sent of it; `value` is None if it may not be shown."""

    name: str
    value: str | None


@dataclass(frozen=True)
class Consequence:
    """A form that is sent, a link that is opened, a script in a link, a file that is given to the page.

    `went`: the page has gone there instead of where it had said, and was stopped. `site`: any document of an origin.
    `argument`: of the action; of a file, its path.
    """

    kind: Literal["form", "link", "script", "file", "went", "site"]
    argument: str = ""
    url: str = ""
    method: str = ""
    encoding: str = ""
    target: str = ""
    fields: tuple[SentField, ...] = ()
    more_fields: int = 0
    name: str = ""
    size: int = 0
    sha256: str = ""

    def matches(self, method: str, url: str, encoding: str) -> bool:
        """Return whether a request for a document is what this consequence says."""
        if self.kind == "site":
            return url.startswith(f"{self.url}/")
        if self.kind not in ("form", "link", "went") or method != (self.method or "GET"):
            return False
        if self.kind == "form" and method == "GET":  # the fields replace the query
            return _without_query(url) == _without_query(self.url)
        is_same = _without_fragment(url) == _without_fragment(self.url)
        return is_same and (method == "GET" or not self.encoding or encoding == self.encoding)


class Hold(Protocol):
    """A page that is held to what a person was shown; `went`: what it asked for instead, and did not get."""

    @property
    def went(self) -> tuple[Consequence, ...]: ...


class Consequences(Protocol):
    """Tells what acts on one page would send or open, and holds the page to it."""

    # Whether the page can be held to anything.
    can_hold: bool

    async def of_element(self, element: Element, argument: str, cause: Cause, /) -> Consequence | None:
        """Return the form or the link that an element sends or opens, by its markup; None if there is none."""
        ...

    async def of_files(self, paths: Sequence[str], /) -> tuple[Consequence, ...]:
        """Return each file of the workspace with the digest of its content now."""
        ...

    def hold_to(self, shown: Sequence[Consequence], /) -> AbstractAsyncContextManager[Hold]:
        """Refuse documents and files other than those that were shown, while the context is entered."""
        ...


class NotAsShown(Exception):
    """What an action was about to send differs from what a person was shown."""


def _without_fragment(url: str) -> str:
    return url.partition("#")[0]


def _without_query(url: str) -> str:
    return _without_fragment(url).partition("?")[0]


class Effects(Protocol):
    """What the last act on a tab led to."""

    async def unkept_values(self) -> Sequence[PageText]:
        """Return what each field holds whose value is not the one that was filled in."""
        ...

    async def changed_look(self) -> Own | None:
        """Return in what the element that was pressed looks different, or what is in it or around it."""
        ...
