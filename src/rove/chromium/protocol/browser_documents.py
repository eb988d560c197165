"""Requests for documents that wait at the CDP session of the whole browser."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, Protocol

from rove.browser.failures import BrowserError
from rove.tasks import BackgroundTasks

log = logging.getLogger(__name__)
# Called with a request for a document; returns whether it is refused.
RefuseDocument = Callable[[dict[str, Any]], bool]
DOCUMENTS = {"resourceType": "Document", "requestStage": "Request"}


class RootSession(Protocol):
    """The CDP session of the whole browser."""

    def on(self, event: str, handler: Callable[[dict[str, Any]], object], /) -> None: ...
    async def send(self, method: str, params: dict[str, Any] | None = None, /) -> dict[str, Any]: ...


class BrowserDocuments:
    """Lets every request for a document wait, whichever page it is of, while there is someone who may refuse it.

    A full Chromium may send the first request of a tab that is opened with Control or the middle button before the
    CDP session of the tab can hold it.
    """

    def __init__(self, root: RootSession) -> None:
        self._root = root
        self._refusing: list[RefuseDocument] = []
        self._is_listening = False
        self._tasks = BackgroundTasks("documents", expected=(BrowserError,))

    async def hold(self, refuses: RefuseDocument) -> None:
        """Ask `refuses` about every document, until `release`."""
        if not self._is_listening:
            self._is_listening = True
            self._root.on("Fetch.requestPaused", self._on_paused)
        self._refusing.append(refuses)
        # Sent each time, so that no caller goes on before the browser has answered.
        await self._root.send("Fetch.enable", {"patterns": [DOCUMENTS]})

    async def release(self, refuses: RefuseDocument) -> None:
        self._refusing.remove(refuses)
        if not self._refusing:
            await self._root.send("Fetch.disable")

    def _on_paused(self, event: dict[str, Any]) -> None:
        method, params = "Fetch.continueRequest", {"requestId": event["requestId"]}
        if self._is_refused(event):
            method, params = "Fetch.failRequest", {**params, "errorReason": "Aborted"}
        self._tasks.start(self._root.send(method, params))

    def _is_refused(self, event: dict[str, Any]) -> bool:
        try:
            return any(refuses(event) for refuses in tuple(self._refusing))
        except Exception:
            log.exception("whether a document is refused could not be decided, and it is not asked for")
            return True
