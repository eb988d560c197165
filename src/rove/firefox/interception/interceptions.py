"""The requests of all pages of a Firefox that wait for rove, passed to the session that each belongs to."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from typing import Any, Protocol

from rove.firefox.protocol.connection import BidiConnection, BidiError, PageChannel
from rove.tasks import BackgroundTasks

log = logging.getLogger(__name__)
Event = dict[str, Any]
Decision = tuple[str, dict[str, Any]]
CONTINUE: Decision = ("network.continueRequest", {})
FAIL: Decision = ("network.failRequest", {})
CANCEL_LOGIN: Decision = ("network.continueWithAuth", {"action": "cancel"})
# Seconds from a request until the window or frame that sent it is reported.
ATTRIBUTION_SECONDS = 2.0


class Decider(Protocol):
    """Decides on the requests of one user context."""

    @property
    def holds_requests(self) -> bool:
        """Whether requests have to wait for a decision."""
        ...

    def decide(self, event: Event, /) -> Decision:
        """Return the command that a request is answered with."""
        ...

    def log_in(self, event: Event, /) -> Decision:
        """Return the answer to a server that asks for a password."""
        ...


class Interceptions:
    """Has requests wait while a session decides on its own; those of the others go on at once.

    One interception for all pages: it holds for a page from its first request on, also for one that a page opens.
    """

    def __init__(self, connection: BidiConnection, tasks: BackgroundTasks) -> None:
        self._connection = connection
        self._tasks = tasks
        self._deciders: dict[str, Decider] = {}
        self._requests: str | None = None
        self._changing = asyncio.Lock()
        # Requests of windows that Firefox has not reported yet, by their contexts.
        self._unattributed: dict[str, list[Event]] = {}
        connection.on("network.beforeRequestSent", self._on_request)
        connection.on("browsingContext.contextCreated", self._on_context)
        connection.on("network.authRequired", self._on_challenge)

    async def open(self) -> None:
        """Answer all servers that ask for a password: Firefox would ask a person."""
        await self._connection.send("network.addIntercept", {"phases": ["authRequired"]})

    def add(self, user_context: str, decider: Decider) -> None:
        self._deciders[user_context] = decider

    async def remove(self, user_context: str) -> None:
        self._deciders.pop(user_context, None)
        with contextlib.suppress(BidiError):  # the browser is gone
            await self.update()

    async def update(self) -> None:
        """Have requests wait if a session decides on them, and else not: each waits for an answer of rove."""
        async with self._changing:
            is_needed = any(decider.holds_requests for decider in self._deciders.values())
            if is_needed and self._requests is None:
                answer = await self._connection.send("network.addIntercept", {"phases": ["beforeRequestSent"]})
                self._requests = answer["intercept"]
            elif not is_needed and self._requests is not None:
                intercept, self._requests = self._requests, None
                await self._connection.send("network.removeIntercept", {"intercept": intercept})

    def page_of(self, event: Event) -> PageChannel | None:
        """Return the page that a request belongs to; None if Firefox does not say."""
        return self._connection.page_of(event.get("context"))

    def _decider_of(self, event: Event) -> Decider | None:
        page = self.page_of(event)
        return self._deciders.get(page.user_context) if page is not None else None

    def _on_request(self, event: Event) -> None:
        page = self.page_of(event)
        if not event["isBlocked"] or (page is not None and page.is_hidden):
            return
        if page is None and event.get("context") is not None:
            self._wait_for_context(event)
        else:
            self._decide(event)

    def _wait_for_context(self, event: Event) -> None:
        """Decide once it is known whose window it is: Firefox may report one after its first request."""
        context = event["context"]
        self._unattributed.setdefault(context, []).append(event)
        asyncio.get_running_loop().call_later(ATTRIBUTION_SECONDS, self._refuse_unattributed, context, event)

    def _on_context(self, created: Event) -> None:
        for event in self._unattributed.pop(created["context"], ()):
            # Later, when the session of the window has noted which page opened it.
            asyncio.get_running_loop().call_soon(self._decide, event)

    def _refuse_unattributed(self, context: str, event: Event) -> None:
        """Fail a request of a window or frame that is not known, which a session might refuse."""
        waiting = self._unattributed.get(context, [])
        if event in waiting:
            waiting.remove(event)
            self._tasks.start(self._settle(event, FAIL))
        if not waiting:
            self._unattributed.pop(context, None)

    def _decide(self, event: Event) -> None:
        decider = self._decider_of(event)
        try:
            decision = decider.decide(event) if decider is not None else CONTINUE
        except Exception:
            log.exception("the rules failed on a request, which is not sent")
            decision = FAIL
        self._tasks.start(self._settle(event, decision))

    def _on_challenge(self, event: Event) -> None:
        if not event["isBlocked"]:
            return
        decider = self._decider_of(event)
        self._tasks.start(self._settle(event, decider.log_in(event) if decider is not None else CANCEL_LOGIN))

    async def _settle(self, event: Event, decision: Decision) -> None:
        """Answer a request that waits; fail it if Firefox refuses the answer, or it would wait for ever."""
        method, params = decision
        request = {"request": event["request"]["request"]}
        try:
            await self._connection.send(method, {**params, **request})
        except BidiError as error:
            if error.code in ("", "no such request"):
                return  # the browser is gone, or the request was cancelled meanwhile
            log.warning("the browser refused %s: %s", method, error)
            with contextlib.suppress(BidiError):
                await self._connection.send(FAIL[0], request)
