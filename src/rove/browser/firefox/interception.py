"""Requests that wait for rove before they are sent: rules, HTTP credentials, documents that are held."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import logging
from typing import Any
from urllib.parse import urlsplit

from rove.browser.consequences import AskedDocument, RefuseDocument
from rove.browser.firefox.connection import BidiConnection, BidiError, PageChannel
from rove.browser.firefox.network import NetworkLog, headers_of, kind_of
from rove.browser.network import decisive_rule
from rove.browser.shared import interception
from rove.browser.shared.interception import (
    answer_params,
    is_preflight,
    preflight_params,
)
from rove.tasks import BackgroundTasks

log = logging.getLogger(__name__)
Event = dict[str, Any]
Decision = tuple[str, dict[str, Any]]
CONTINUE: Decision = ("network.continueRequest", {})
FAIL: Decision = ("network.failRequest", {})
CANCEL_LOGIN: Decision = ("network.continueWithAuth", {"action": "cancel"})
# Seconds from a request until the window or frame that sent it is reported.
ATTRIBUTION_SECONDS = 2.0


class Interceptions:
    """Has requests wait while a session decides on its own; those of the others go on at once.

    One interception for all pages: it holds for a page from its first request on, also for one that a page opens.
    """

    def __init__(self, connection: BidiConnection, tasks: BackgroundTasks) -> None:
        self._connection = connection
        self._tasks = tasks
        self._deciders: dict[str, Interceptor] = {}
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

    def add(self, user_context: str, decider: Interceptor) -> None:
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

    def _decider_of(self, event: Event) -> Interceptor | None:
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


class Interceptor(interception.Interceptor[str]):
    """Decides on the requests of one user context. Pages are known by their top-level browsing contexts."""

    def __init__(self, interceptions: Interceptions, context: str) -> None:
        super().__init__()
        self._interceptions = interceptions
        self._context = context
        # What decides on the documents of pages that are held to what a person was shown.
        self._holds: dict[str, RefuseDocument] = {}
        self._openers: dict[str, str] = {}
        interceptions.add(context, self)

    def add(self, channel: PageChannel, log: NetworkLog) -> None:
        """Note the log of a page's requests."""
        self._logs[channel.context] = log
        channel.on("closed", lambda _: self._remove(channel.context))

    def _remove(self, page: str) -> None:
        for known in (self._logs, self._refusing, self._openers):
            known.pop(page, None)

    async def close(self) -> None:
        """Decide no more: the context is closed."""
        await self._interceptions.remove(self._context)

    def note_opener(self, page: str, opener: str | None) -> None:
        """Note the page that opened a popup, by their contexts."""
        if opener is not None:
            self._openers[page] = opener

    async def update(self, page: str) -> None:
        await self._interceptions.update()

    async def update_all(self) -> None:
        await self._interceptions.update()

    async def hold_documents(self, page: str, refuses: RefuseDocument) -> None:
        """Let `refuses` decide on the documents that a page, its frames and new popups of it ask for."""
        self._holds[page] = refuses
        await self._interceptions.update()

    async def release_documents(self, page: str) -> None:
        """End what `hold_documents` began."""
        del self._holds[page]
        await self._interceptions.update()

    # What becomes of requests

    @property
    def holds_requests(self) -> bool:
        """Whether requests have to wait for a decision."""
        return bool(self._rules or self._refusing or self._holds)

    def decide(self, event: Event) -> Decision:
        """Return the command that a request is answered with."""
        request, identity, page = _plain(event), event["request"]["request"], self._page_of(event)
        rules = self._rules_about(request, request["kind"])
        if (rule := decisive_rule(rules)) is not None:
            self._note(page, identity, rule)
            if rule.kind == "block":
                return FAIL
            return _provided(preflight_params(request) if is_preflight(request) else answer_params(rule, request))
        if event.get("navigation") is not None and self._refuses(event, request, page):
            return FAIL
        return _continued(self._changes(page, identity, request, rules))

    def _page_of(self, event: Event) -> str | None:
        channel = self._interceptions.page_of(event)
        return channel.context if channel is not None else None

    def log_in(self, event: Event) -> Decision:
        """Return the answer to a server that asks for a password; a proxy gets none."""
        parts = urlsplit(event["request"]["url"])
        is_server = event["response"]["status"] == 401
        origin = f"{parts.scheme}://{parts.netloc}"
        found = self._authentication.answer(event["request"]["request"], origin) if is_server else None
        if found is None:
            return CANCEL_LOGIN
        credentials = {"type": "password", "username": found[0], "password": found[1]}
        return "network.continueWithAuth", {"action": "provideCredentials", "credentials": credentials}

    def _refuses(self, event: Event, request: dict[str, Any], page: str | None) -> bool:
        page = page or ""
        own, opened_by = self._holds.get(page), self._holds.get(self._openers.get(page, ""))
        asked = AskedDocument(
            event["context"],
            request["method"],
            request["url"],
            request["headers"],
            event["redirectCount"] > 0,
            opened_by is not None,
        )
        refuses = self._refusing.get(page)
        if refuses is not None and refuses(asked):
            return True
        hold = opened_by or own
        return hold is not None and hold(asked)


def _plain(event: Event) -> dict[str, Any]:
    """Return the method, address, headers and kind of a request."""
    request = event["request"]
    return {
        **{name: request[name] for name in ("method", "url")},
        "headers": headers_of(request),
        "kind": kind_of(request),
    }


def _continued(changed: dict[str, Any]) -> Decision:
    if not changed:
        return CONTINUE
    params: dict[str, Any] = {}
    if "headers" in changed:
        params["headers"] = _headers(changed["headers"])
    if "postData" in changed:
        params["body"] = {"type": "base64", "value": changed["postData"]}
    return CONTINUE[0], params


def _provided(answer: dict[str, Any]) -> Decision:
    body = answer.get("body", "")
    return "network.provideResponse", {
        "statusCode": answer["responseCode"],
        "reasonPhrase": "",
        "headers": _headers(answer["responseHeaders"]),
        "body": {"type": "base64", "value": body or base64.b64encode(b"").decode()},
    }


def _headers(listed: list[dict[str, str]]) -> list[dict[str, Any]]:
    return [{"name": each["name"], "value": {"type": "string", "value": each["value"]}} for each in listed]
