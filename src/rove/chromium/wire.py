"""The DevTools protocol, straight to one target of the browser."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    import playwright.async_api as pw

Answer = dict[str, Any]


class Wire:
    """A protocol session to a page, or to a frame that lives in a process of its own."""

    def __init__(self, session: pw.CDPSession) -> None:
        self._session = session

    async def send(self, method: str, params: dict[str, Any] | None = None) -> Answer:
        return cast(Answer, await self._session.send(method, params))  # pyright: ignore[reportUnknownMemberType]

    def on(self, event: str, handler: Callable[[Answer], None]) -> None:
        self._session.on(event, handler)
