"""Requests that wait for rove before they are sent: rules, HTTP credentials, blocked navigations.

This is the one owner of the Fetch domain of DevTools, in which a request waits until it is continued, failed or
answered. What is continued goes through the session's proxy as any other request does.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Coroutine
from typing import Any, NamedTuple

from rove.browser.chromium.connection import DOCUMENTS, BrowserDocuments, CdpError, CdpSession
from rove.browser.chromium.network import NetworkLog
from rove.browser.consequences import AskedDocument, RefuseDocument
from rove.browser.network import FILE_SCHEME, RequestRule, WorkspaceFiles, decisive_rule
from rove.browser.shared import interception
from rove.browser.shared.interception import (
    answer_params,
    file_params,
    is_preflight,
    preflight_params,
)
from rove.errors import RoveError
from rove.tasks import BackgroundTasks

log = logging.getLogger(__name__)
Event = dict[str, Any]


class DocumentHold(NamedTuple):
    """A page that is held to what a person was shown: its CDP sessions, and what decides on its documents."""

    cdps: frozenset[CdpSession]
    refuses: RefuseDocument


class Interceptor(interception.Interceptor[CdpSession]):
    """Holds the requests that a rule, a credential or a blocked navigation is about, and decides on each."""

    def __init__(self, tasks: BackgroundTasks, documents: BrowserDocuments) -> None:
        super().__init__()
        self._tasks = tasks
        self._documents = documents
        self._enabled: set[CdpSession] = set()
        # Pages that are held to what a person was shown, with their frames.
        self._holds: dict[str, DocumentHold] = {}
        # The pages that rove has not opened: their CDP sessions, and the page that opened each, where that is known.
        self._popups: dict[str, CdpSession] = {}
        self._openers: dict[CdpSession, str | None] = {}
        # The files that `file:` addresses may open. rove reads them, never the browser.
        self.files: WorkspaceFiles | None = None

    def add(self, cdp: CdpSession, log: NetworkLog | None) -> list[Coroutine[Any, Any, object]]:
        """Follow a CDP session, whose requests are in this log; return the commands that set it up."""
        if cdp not in self._logs:
            cdp.on("Fetch.requestPaused", lambda event: self._on_paused(cdp, event))
            cdp.on("Fetch.authRequired", lambda event: self._on_challenge(cdp, event))
        self._logs[cdp] = log
        return [self.update(cdp)] if self._patterns(cdp) else []

    def remove(self, cdp: CdpSession) -> None:
        self._logs.pop(cdp, None)
        self._enabled.discard(cdp)
        self._refusing.pop(cdp, None)
        self._forget_popup(cdp)

    def note_popup(self, page: str, cdp: CdpSession, opener: str | None) -> None:
        """Note a new page that rove may not have opened, and the target id of the page that did, if it is known."""
        self._popups[page], self._openers[cdp] = cdp, opener

    async def note_own_page(self, page: str) -> None:
        """Note that it was rove that opened a page: no other page is its opener."""
        cdp = self._popups.get(page)
        if cdp is not None:
            self._forget_popup(cdp)
            if self._holds:
                await self.update(cdp)

    def _forget_popup(self, cdp: CdpSession) -> None:
        self._openers.pop(cdp, None)
        self._popups = {page: popup for page, popup in self._popups.items() if popup is not cdp}

    async def update_all(self) -> None:
        for cdp in list(self._logs):
            with contextlib.suppress(CdpError):  # the target was closed meanwhile, or has no such requests
                await self.update(cdp)

    async def hold_documents(self, page: str, cdps: tuple[CdpSession, ...], refuses: RefuseDocument) -> None:
        """Let `refuses` decide on the documents that a page, its frames and new popups of it ask for."""
        self._holds[page] = DocumentHold(frozenset(cdps), refuses)
        await self._documents.hold(self._refuses_first)
        for cdp in cdps:
            await self.update(cdp)

    async def release_documents(self, page: str) -> None:
        """End what `hold_documents` began."""
        hold = self._holds.pop(page)
        popups = [cdp for cdp, opener in self._openers.items() if opener in (page, None)]
        for cdp in (*hold.cdps, *popups):
            with contextlib.suppress(CdpError):  # the target was closed meanwhile
                await self.update(cdp)
        with contextlib.suppress(CdpError):  # the browser is gone
            await self._documents.release(self._refuses_first)

    def _holds_of(self, cdp: CdpSession) -> list[DocumentHold]:
        """Return what a CDP session is held to; a page that any page may have opened is held to everything."""
        if cdp in self._openers and self._openers[cdp] is None:
            return list(self._holds.values())
        opener = self._openers.get(cdp)
        return [hold for page, hold in self._holds.items() if page == opener or cdp in hold.cdps]

    def _refuses_held(self, cdp: CdpSession, event: Event) -> bool:
        is_document = event["resourceType"] == "Document"
        return is_document and any(
            hold.refuses(_asked(event, is_of_popup=cdp not in hold.cdps)) for hold in self._holds_of(cdp)
        )

    def _refuses_first(self, event: Event) -> bool:
        """Return whether to refuse a document of a popup, whose own CDP session may hold its requests too late."""
        cdp = self._popups.get(event["frameId"])  # the id of a page's main frame is the id of its target
        return cdp is not None and self._refuses_held(cdp, event)

    # Which requests wait

    def _patterns(self, cdp: CdpSession) -> list[dict[str, str]]:
        urls = [rule.pattern for rule in self._rules] + [f"{origin}/*" for origin in self._authentication.origins]
        urls += [f"{FILE_SCHEME}*"] if self.files is not None else []
        patterns = [{"urlPattern": _escaped(url), "requestStage": "Request"} for url in dict.fromkeys(urls)]
        return [*patterns, DOCUMENTS] if cdp in self._refusing or self._holds_of(cdp) else patterns

    async def update(self, page: CdpSession) -> None:
        patterns = self._patterns(page)
        if patterns:
            self._enabled.add(page)
            await page.send(
                "Fetch.enable",
                {"patterns": patterns, "handleAuthRequests": bool(self._authentication.origins)},
            )
        elif page in self._enabled:
            self._enabled.discard(page)
            await page.send("Fetch.disable")

    # What becomes of them

    def _on_paused(self, cdp: CdpSession, event: Event) -> None:
        if self.files is not None and event["request"]["url"].startswith(FILE_SCHEME):
            self._tasks.start(self._answer_with_file(cdp, event, self.files))
            return
        try:
            method, params = self._decide(cdp, event)
        except Exception:
            log.exception("the rules failed on a request, which is not sent")
            method, params = "Fetch.failRequest", {"errorReason": "Failed"}
        self._tasks.start(_settle(cdp, method, {"requestId": event["requestId"], **params}))

    def _decide(self, cdp: CdpSession, event: Event) -> tuple[str, dict[str, Any]]:
        """Return the command that a request is answered with."""
        request, identity = event["request"], event.get("networkId", "")
        rules = self._rules_about(request, event["resourceType"])
        if (rule := decisive_rule(rules)) is not None:
            self._note(cdp, identity, rule)
            if rule.kind == "block":
                return "Fetch.failRequest", {"errorReason": "BlockedByClient"}
            answer = preflight_params(request) if is_preflight(request) else answer_params(rule, request)
            return "Fetch.fulfillRequest", answer
        refuses = self._refusing.get(cdp) if event["resourceType"] == "Document" else None
        if (refuses is not None and refuses(_asked(event))) or self._refuses_held(cdp, event):
            return "Fetch.failRequest", {"errorReason": "Aborted"}
        return "Fetch.continueRequest", self._changes(cdp, identity, request, rules)

    def _note(self, page: CdpSession | None, identity: str, rule: RequestRule) -> None:
        if identity:  # else the request is none of the network
            super()._note(page, identity, rule)

    async def _answer_with_file(self, cdp: CdpSession, event: Event, files: WorkspaceFiles) -> None:
        """Answer a request for a file of the workspace, and fail one for any other."""
        try:
            data, kind = await asyncio.to_thread(files.read, event["request"]["url"])
        except (RoveError, OSError):
            params = {"requestId": event["requestId"], "errorReason": "AccessDenied"}
            await _settle(cdp, "Fetch.failRequest", params)
            return
        await _settle(cdp, "Fetch.fulfillRequest", {"requestId": event["requestId"], **file_params(data, kind)})

    def _on_challenge(self, cdp: CdpSession, event: Event) -> None:
        challenge = event["authChallenge"]
        is_proxy = challenge.get("source") == "Proxy"
        found = None if is_proxy else self._authentication.answer(event["requestId"], challenge["origin"])
        answer = {"response": "CancelAuth"}
        if found is not None:
            answer = {"response": "ProvideCredentials", "username": found[0], "password": found[1]}
        params = {"requestId": event["requestId"], "authChallengeResponse": answer}
        self._tasks.start(_settle(cdp, "Fetch.continueWithAuth", params))


def _asked(event: Event, is_of_popup: bool = False) -> AskedDocument:
    request = event["request"]
    url = request["url"] + request.get("urlFragment", "")
    is_redirect = "redirectedRequestId" in event
    return AskedDocument(event["frameId"], request["method"], url, request["headers"], is_redirect, is_of_popup)


def _escaped(pattern: str) -> str:
    """Return a pattern in which only `*` stands for any text, as Chromium writes patterns."""
    return pattern.replace("\\", "\\\\").replace("?", "\\?")


async def _settle(cdp: CdpSession, method: str, params: dict[str, Any]) -> None:
    """Answer a request that waits; fail it if the browser refuses the answer, or it would wait for ever."""
    try:
        await cdp.send(method, params)
    except CdpError:
        if cdp.is_closed:
            return
        log.warning("the browser refused %s", method)
        with contextlib.suppress(CdpError):  # it was cancelled meanwhile
            await cdp.send("Fetch.failRequest", {"requestId": params["requestId"], "errorReason": "Failed"})
