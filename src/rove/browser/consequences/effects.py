"""What became of an act that the page's rows do not tell: a value that was not kept, a look that changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from rove.page_text import Own, PageText


class Effects(Protocol):
    """What the last act on a tab led to."""

    async def unkept_values(self) -> Sequence[PageText]:
        """Return what each field holds whose value is not the one that was filled in."""
        ...

    async def changed_look(self) -> Own | None:
        """Return in what the element that was pressed looks different, or what is in it or around it."""
        ...
