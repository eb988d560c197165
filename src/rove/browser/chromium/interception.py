"""Requests that wait for rove before they are sent: rules, HTTP credentials, blocked navigations.

This is the one owner of the Fetch domain of DevTools, in which a request waits until it is continued, failed or
answered. What is continued goes through the session's proxy as any other request does.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from rove.browser.chromium.connection import DOCUMENTS, BrowserDocuments, CdpError, CdpSession, RefuseDocument
from rove.browser.emulation import HttpCredential
from rove.browser.network import FILE_SCHEME, RequestRule, WorkspaceFiles, decisive_rule
from rove.browser.shared import interception
from rove.browser.shared.interception import (
    Authentication,
    answer_params,
    changed_headers,
    file_params,
    is_preflight,
    preflight_params,
)
from rove.errors import RoveError
from rove.tasks import BackgroundTasks

if TYPE_CHECKING:
    from rove.browser.element import SecretSource

log = logging.getLogger(__name__)
Event = dict[str, Any]


class RequestLog(Protocol):
    """Where the requests of a CDP session are logged."""

    def note_interception(self, identity: str, label: str, is_answered: bool) -> None:
        """Log that a rule has blocked, answered or changed a request."""


class DocumentHold(NamedTuple):
    """A page that is held to what a person was shown: its CDP sessions, and what decides on its documents."""

    cdps: frozenset[CdpSession]
    refuses: RefuseDocument


class Interceptor:
    """Holds the requests that a rule, a credential or a blocked navigation is about, and decides on each."""

    def __init__(self, tasks: BackgroundTasks, documents: BrowserDocuments) -> None:
        self._tasks = tasks
        self._documents = documents
        self._rules: tuple[RequestRule, ...] = ()
        self._authentication = Authentication()
        self._logs: dict[CdpSession, RequestLog | None] = {}
        self._enabled: set[CdpSession] = set()
        self._refusing: dict[CdpSession, RefuseDocument] = {}
        # Pages that are held to what a person was shown, with their frames.
        self._holds: dict[str, DocumentHold] = {}
        # The pages that rove has not opened: their CDP sessions, and the page that opened each, where that is known.
        self._popups: dict[str, CdpSession] = {}
        self._openers: dict[CdpSession, str | None] = {}
        # The files that `file:` addresses may open. rove reads them, never the browser.
        self.files: WorkspaceFiles | None = None

    @property
    def secrets(self) -> SecretSource | None:
        """Where the values of `secret:NAME` are taken from."""
        return self._authentication.secrets

    @secrets.setter
    def secrets(self, secrets: SecretSource | None) -> None:
        self._authentication.secrets = secrets

    def add(self, cdp: CdpSession, log: RequestLog | None) -> list[Coroutine[Any, Any, object]]:
        """Follow a CDP session, whose requests are in this log; return the commands that set it up."""
        if cdp not in self._logs:
            cdp.on("Fetch.requestPaused", lambda event: self._on_paused(cdp, event))
            cdp.on("Fetch.authRequired", lambda event: self._on_challenge(cdp, event))
        self._logs[cdp] = log
        return [self._update(cdp)] if self._patterns(cdp) else []

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
                await self._update(cdp)

    def _forget_popup(self, cdp: CdpSession) -> None:
        self._openers.pop(cdp, None)
        self._popups = {page: popup for page, popup in self._popups.items() if popup is not cdp}

    async def apply(self, rules: tuple[RequestRule, ...], credentials: tuple[HttpCredential, ...]) -> None:
        """Decide by these rules and credentials from now on."""
        self._rules, self._authentication.credentials = rules, credentials
        for cdp in list(self._logs):
            with contextlib.suppress(CdpError):  # the target was closed meanwhile, or has no such requests
                await self._update(cdp)

    async def refuse_documents(self, cdp: CdpSession, refuses: RefuseDocument | None) -> None:
        """Let `refuses` decide on the documents that a page asks for; None ends that."""
        if refuses is None:
            self._refusing.pop(cdp, None)
        else:
            self._refusing[cdp] = refuses
        await self._update(cdp)

    async def hold_documents(self, page: str, cdps: tuple[CdpSession, ...], refuses: RefuseDocument) -> None:
        """Let `refuses` decide on the documents that a page, its frames and new popups of it ask for."""
        self._holds[page] = DocumentHold(frozenset(cdps), refuses)
        await self._documents.hold(self._refuses_first)
        for cdp in cdps:
            await self._update(cdp)

    async def release_documents(self, page: str) -> None:
        """End what `hold_documents` began."""
        hold = self._holds.pop(page)
        popups = [cdp for cdp, opener in self._openers.items() if opener in (page, None)]
        for cdp in (*hold.cdps, *popups):
            with contextlib.suppress(CdpError):  # the target was closed meanwhile
                await self._update(cdp)
        with contextlib.suppress(CdpError):  # the browser is gone
            await self._documents.release(self._refuses_first)

    def _holds_of(self, cdp: CdpSession) -> list[DocumentHold]:
        """Return what a CDP session is held to; a page that any page may have opened is held to everything."""
        if cdp in self._openers and self._openers[cdp] is None:
            return list(self._holds.values())
        opener = self._openers.get(cdp)
        return [hold for page, hold in self._holds.items() if page == opener or cdp in hold.cdps]

    def _refuses_held(self, cdp: CdpSession, event: Event) -> bool:
        return any(hold.refuses({**event, "isOfPopup": cdp not in hold.cdps}) for hold in self._holds_of(cdp))

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

    async def _update(self, cdp: CdpSession) -> None:
        patterns = self._patterns(cdp)
        if patterns:
            self._enabled.add(cdp)
            await cdp.send(
                "Fetch.enable",
                {"patterns": patterns, "handleAuthRequests": bool(self._authentication.origins)},
            )
        elif cdp in self._enabled:
            self._enabled.discard(cdp)
            await cdp.send("Fetch.disable")

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
        request = event["request"]
        rules = [rule for rule in self._rules if _is_about(rule, event)]
        if (rule := decisive_rule(rules)) is not None:
            self._note(cdp, event, rule)
            if rule.kind == "block":
                return "Fetch.failRequest", {"errorReason": "BlockedByClient"}
            answer = preflight_params(request) if is_preflight(request) else answer_params(rule, request)
            return "Fetch.fulfillRequest", answer
        refuses = self._refusing.get(cdp)
        if refuses is not None and refuses(event):
            return "Fetch.failRequest", {"errorReason": "Aborted"}
        if self._refuses_held(cdp, event):
            return "Fetch.failRequest", {"errorReason": "Aborted"}
        return "Fetch.continueRequest", self._changes(cdp, event, rules)

    async def _answer_with_file(self, cdp: CdpSession, event: Event, files: WorkspaceFiles) -> None:
        """Answer a request for a file of the workspace, and fail one for any other."""
        try:
            data, kind = await asyncio.to_thread(files.read, event["request"]["url"])
        except (RoveError, OSError):
            params = {"requestId": event["requestId"], "errorReason": "AccessDenied"}
            await _settle(cdp, "Fetch.failRequest", params)
            return
        await _settle(cdp, "Fetch.fulfillRequest", {"requestId": event["requestId"], **file_params(data, kind)})

    def _changes(self, cdp: CdpSession, event: Event, rules: list[RequestRule]) -> dict[str, Any]:
        changed: dict[str, Any] = {}
        for rule in [] if is_preflight(event["request"]) else rules:
            self._note(cdp, event, rule)
            changed |= changed_headers(rule, event["request"], changed.get("headers"), self._authentication.reveal)
        return changed

    def _note(self, cdp: CdpSession, event: Event, rule: RequestRule) -> None:
        entry = self._logs.get(cdp)
        if entry is not None and "networkId" in event:
            entry.note_interception(event["networkId"], rule.label, rule.kind == "answer")

    def _on_challenge(self, cdp: CdpSession, event: Event) -> None:
        challenge = event["authChallenge"]
        is_proxy = challenge.get("source") == "Proxy"
        found = None if is_proxy else self._authentication.answer(event["requestId"], challenge["origin"])
        answer = {"response": "CancelAuth"}
        if found is not None:
            answer = {"response": "ProvideCredentials", "username": found[0], "password": found[1]}
        params = {"requestId": event["requestId"], "authChallengeResponse": answer}
        self._tasks.start(_settle(cdp, "Fetch.continueWithAuth", params))


def _is_about(rule: RequestRule, event: Event) -> bool:
    """Return whether a rule is about a request; that of a method, also about the preflight of such a request."""
    request = event["request"]
    method = request["headers"]["Access-Control-Request-Method"] if is_preflight(request) else request["method"]
    return rule.matches(request["url"], method, event["resourceType"])


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


class NavigationBlock(interception.NavigationBlock):
    """Fails every request of a page's main frame for another document while it is enabled."""

    def __init__(self, cdp: CdpSession, main_frame: str, interceptor: Interceptor, tasks: BackgroundTasks) -> None:
        super().__init__(main_frame, tasks)
        self._cdp = cdp
        self._interceptor = interceptor

    async def set_refusing(self, is_on: bool) -> None:
        await self._interceptor.refuse_documents(self._cdp, self._refuses if is_on else None)

    def _refuses(self, event: dict[str, Any]) -> bool:
        if event["frameId"] != self.main_frame or event["resourceType"] != "Document":
            return False
        self.note_refused()
        return True
