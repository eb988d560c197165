"""Statements that run in documents as they load."""

from __future__ import annotations

from collections.abc import Sequence

from rove.page.frames.world import World


class DocumentScript:
    """A statement that runs in each document that loads while it is in use, once rove's script is installed there.

    WebDriver runs nothing ahead of the page's own scripts, so that the first moments of a document are without it.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self.is_on = False

    async def begin(self, worlds: Sequence[World]) -> None:
        """Do nothing: documents that load are given it when rove's script is."""

    async def end(self) -> None:
        self.is_on = False
