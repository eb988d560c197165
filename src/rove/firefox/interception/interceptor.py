"""What one session does with requests before they are sent: rules, HTTP credentials, documents that are held."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol
from urllib.parse import urlsplit

from rove.browser.emulation.overrides import HttpCredential
from rove.browser.network.rules import RequestRule, decisive_rule
from rove.firefox.interception.interceptions import (
    CANCEL_LOGIN,
    CONTINUE,
    FAIL,
    Decision,
    Event,
    Interceptions,
)
from rove.firefox.protocol.connection import PageChannel
from rove.firefox.protocol.request_facts import headers_of, kind_of
from rove.page.consequences.approved_documents import AskedDocument
from rove.page.interception.answers import answer_params, changed_headers, is_preflight, preflight_params
from rove.page.interception.authentication import Authentication

if TYPE_CHECKING:
    from rove.browser.element import SecretSource

# Called with a request of a page for a document; returns whether it is refused.
RefuseDocument = Callable[[AskedDocument], bool]


class RequestLog(Protocol):
    """Where the requests of a page are logged."""

    def note_interception(self, identity: str, label: str, is_answered: bool) -> None:
        """Log that a rule has blocked, answered or changed a request."""


class DocumentHold(NamedTuple):
    """What decides on the documents of a page that is held to what a person was shown."""

    refuses: RefuseDocument


class Interceptor:
    """Decides on the requests of one user context."""

    def __init__(self, interceptions: Interceptions, context: str) -> None:
        self._interceptions = interceptions
        self._context = context
        self._rules: tuple[RequestRule, ...] = ()
        self._authentication = Authentication()
        # By the top-level browsing contexts of pages.
        self._logs: dict[str, RequestLog] = {}
        self._refusing: dict[str, RefuseDocument] = {}
        self._holds: dict[str, DocumentHold] = {}
        self._openers: dict[str, str] = {}
        interceptions.add(context, self)

    @property
    def secrets(self) -> SecretSource | None:
        """Where the values of `secret:NAME` are taken from."""
        return self._authentication.secrets

    @secrets.setter
    def secrets(self, secrets: SecretSource | None) -> None:
        self._authentication.secrets = secrets

    def add(self, channel: PageChannel, log: RequestLog) -> None:
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

    async def apply(self, rules: tuple[RequestRule, ...], credentials: tuple[HttpCredential, ...]) -> None:
        """Decide by these rules and credentials from now on."""
        self._rules, self._authentication.credentials = rules, credentials
        await self._interceptions.update()

    async def refuse_documents(self, page: str, refuses: RefuseDocument | None) -> None:
        """Let `refuses` decide on the documents that a page asks for; None ends that."""
        if refuses is None:
            self._refusing.pop(page, None)
        else:
            self._refusing[page] = refuses
        await self._interceptions.update()

    async def hold_documents(self, page: str, refuses: RefuseDocument) -> None:
        """Let `refuses` decide on the documents that a page, its frames and new popups of it ask for."""
        self._holds[page] = DocumentHold(refuses)
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
        request = _plain(event)
        rules = [rule for rule in self._rules if _is_about(rule, request)]
        if (rule := decisive_rule(rules)) is not None:
            self._note(event, rule)
            if rule.kind == "block":
                return FAIL
            return _provided(preflight_params(request) if is_preflight(request) else answer_params(rule, request))
        if event.get("navigation") is not None and self._refuses(event, request):
            return FAIL
        return self._continued(event, request, rules)

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

    def _refuses(self, event: Event, request: dict[str, Any]) -> bool:
        channel = self._interceptions.page_of(event)
        page = channel.context if channel is not None else ""
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
        return hold is not None and hold.refuses(asked)

    def _continued(self, event: Event, request: dict[str, Any], rules: list[RequestRule]) -> Decision:
        changed: dict[str, Any] = {}
        for rule in [] if is_preflight(request) else rules:
            self._note(event, rule)
            changed |= changed_headers(rule, request, changed.get("headers"), self._authentication.reveal)
        if not changed:
            return CONTINUE
        params: dict[str, Any] = {}
        if "headers" in changed:
            params["headers"] = _headers(changed["headers"])
        if "postData" in changed:
            params["body"] = {"type": "base64", "value": changed["postData"]}
        return CONTINUE[0], params

    def _note(self, event: Event, rule: RequestRule) -> None:
        channel = self._interceptions.page_of(event)
        log = self._logs.get(channel.context) if channel is not None else None
        if log is not None:
            log.note_interception(event["request"]["request"], rule.label, rule.kind == "answer")


def _plain(event: Event) -> dict[str, Any]:
    """Return the method, address, headers and kind of a request."""
    request = event["request"]
    return {
        **{name: request[name] for name in ("method", "url")},
        "headers": headers_of(request),
        "kind": kind_of(request),
    }


def _is_about(rule: RequestRule, request: dict[str, Any]) -> bool:
    """Return whether a rule is about a request; that of a method, also about the preflight of such a request."""
    method = request["headers"]["Access-Control-Request-Method"] if is_preflight(request) else request["method"]
    return rule.matches(request["url"], method, request["kind"])


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
