"""What an action sends or opens, as far as it can be known before it is done, and what became of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from rove.records import dataclass

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


@dataclass(frozen=True)
class AskedDocument:
    """A request for a document that a frame is to show. `is_of_popup`: in a window that the page has opened."""

    frame: str
    method: str
    url: str
    headers: dict[str, str]
    is_redirect: bool
    is_of_popup: bool


# Called with a request of a page for a document; returns whether it is refused.
RefuseDocument = Callable[[AskedDocument], bool]


class NotAsShown(Exception):
    """What an action was about to send differs from what a person was shown."""


def _without_fragment(url: str) -> str:
    return url.partition("#")[0]


def _without_query(url: str) -> str:
    return _without_fragment(url).partition("?")[0]
