"""Aria snapshots: a page as YAML, in the form of Playwright, and locators for its elements."""

from __future__ import annotations

from typing import Any, Protocol

from rove.page_text import Own, PageText
from rove.validation.record import dataclass


@dataclass(frozen=True)
class AriaSnapshot:
    """The text, and the origins of the page and of the frames whose words it holds."""

    text: PageText
    origins: tuple[Own, ...]


class AriaReader(Protocol):
    """Takes aria snapshots of one page. Their refs are numbered apart from those of other snapshots."""

    # What the caller has been told of the tab, and the file of its console messages; the engine keeps them here.
    told: object
    console_file: object
    told_download: object

    async def loaded_at(self) -> float:
        """Return when the document began to load, in seconds since the epoch."""
        ...

    async def take_snapshot(
        self, ref: str | None = None, depth: int | None = None, boxes: bool = False, /
    ) -> AriaSnapshot:
        """Return the page, or the element that a ref means, with the frames in it."""
        ...

    async def take_outline(self, ref: str | None = None, /) -> AriaSnapshot:
        """Return the page, or the element that a ref means, as an outline: a line for each element, without refs."""
        ...

    async def ref_of(self, frame: int, number: int, /) -> str:
        """Return the ref of the element that an aria snapshot has numbered; raise if it is gone."""
        ...

    async def refs_located(self, steps: list[dict[str, Any]], limit: int, /) -> list[str]:
        """Return the refs of the elements that a locator means."""
        ...

    async def matching(self, texts: list[str], regex: str, /) -> list[int]:
        """Return the places of the texts that match a JavaScript pattern, which may be /pattern/flags."""
        ...

    async def locator_of(self, ref: str, is_exact: bool = False, /) -> str:
        """Return a Playwright locator for the element that a ref means, as JavaScript; empty if it is gone.

        `is_exact`: by whole texts only, as Playwright's locators fit parts of texts too.
        """
        ...
