"""A frame with rove's isolated context, as listeners and closed shadow roots are looked for in it."""

from __future__ import annotations

from typing import Any, Protocol

from rove.chromium.protocol.connection import CdpSession


class IsolatedFrame(Protocol):
    """A frame of a page. `World` is the one implementation.

    `page_context`: the page's own context, in which `listener_probe` is an object of rove's. `listening_nodes`: the
    elements that rove's script has been told of.
    """

    cdp: CdpSession
    page_context: int | None
    listener_probe: str | None
    listening_nodes: set[int]

    async def call(self, function: str, *arguments: Any) -> Any:
        """Call a function expression in the isolated context and return a plain value."""
        ...

    async def handle(self, function: str, *arguments: Any) -> str | None:
        """Call a function expression like `call`, but return the id of the resulting object, or None for null."""
        ...

    async def context(self) -> int:
        """Return the id of the isolated context; create it if there is none."""
        ...
