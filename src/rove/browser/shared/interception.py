"""How rove meets requests that wait for it: answers of rules, HTTP credentials, blocked navigations."""

from __future__ import annotations

import asyncio
import base64
import contextlib
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any, Generic, TypeVar

from rove.browser.consequences import AskedDocument, RefuseDocument
from rove.browser.element import SecretSource
from rove.browser.emulation import HttpCredential
from rove.browser.network import RequestRule
from rove.browser.shared.logs import LoggedRequest, NetworkLog
from rove.errors import Denied
from rove.target import secret_named
from rove.tasks import BackgroundTasks

P = TypeVar("P")
Headers = list[dict[str, str]]
PREFLIGHT_METHOD = "Access-Control-Request-Method"

# The requests whose credentials were sent; a server that asks again has refused them.
MAX_ANSWERED = 1000

# Seconds to wait for the page's next attempt to navigate; without one by then, the page no longer tries.
REFUSAL_TIMEOUT = 1.0


def is_preflight(request: dict[str, Any]) -> bool:
    """Return whether a request is one by which the browser asks another origin what scripts may send to it."""
    return request["method"] == "OPTIONS" and PREFLIGHT_METHOD in request["headers"]


def preflight_params(request: dict[str, Any]) -> dict[str, Any]:
    """Return the answer that lets the script send the request which a rule answers."""
    asked = request["headers"]
    headers = {
        **_cors_headers(request),
        "Access-Control-Allow-Methods": asked[PREFLIGHT_METHOD],
        "Access-Control-Allow-Headers": asked.get("Access-Control-Request-Headers", "*"),
    }
    return {"responseCode": 204, "responseHeaders": _listed(headers)}


def answer_params(rule: RequestRule, request: dict[str, Any]) -> dict[str, Any]:
    """Return the answer of a rule. A script of another origin may read it, unless the rule says otherwise."""
    given = {name.lower() for name, _ in rule.headers}
    cors = {} if "access-control-allow-origin" in given else _cors_headers(request)
    headers = [{"name": name, "value": value} for name, value in rule.headers] + _listed(cors)
    if "content-type" not in given:
        headers.append({"name": "Content-Type", "value": _guessed_type(rule.body or "")})
    body = base64.b64encode((rule.body or "").encode()).decode("ascii")
    return {"responseCode": rule.status, "responseHeaders": headers, "body": body}


def file_params(data: bytes, kind: str) -> dict[str, Any]:
    """Return the answer that is the content of a file."""
    text = f"{kind}; charset=utf-8" if kind.startswith("text/") else kind
    headers = _listed({"Content-Type": text, "Cache-Control": "no-store"})
    return {"responseCode": 200, "responseHeaders": headers, "body": base64.b64encode(data).decode("ascii")}


def changed_headers(
    rule: RequestRule, request: dict[str, Any], headers: Headers | None, reveal: Callable[[str, str], str]
) -> dict[str, Any]:
    """Return the parts of a request that a rule changes. `headers`: those that rules before it have left.

    `reveal` returns the value of a header, which may be a named secret, for the origin that the rule names.
    """
    changed: dict[str, Any] = {}
    if rule.headers:
        kept = headers if headers is not None else _listed(request["headers"])
        names = {name.lower() for name, _ in rule.headers}
        set_now = [(name, reveal(value, rule.origin or "")) for name, value in rule.headers if value]
        kept = [header for header in kept if header["name"].lower() not in names]
        changed["headers"] = kept + [{"name": name, "value": value} for name, value in set_now]
    if rule.body is not None:
        changed["postData"] = base64.b64encode(rule.body.encode()).decode("ascii")
    return changed


def _cors_headers(request: dict[str, Any]) -> dict[str, str]:
    origin = next((value for name, value in request["headers"].items() if name.lower() == "origin"), None)
    if origin is None:
        return {}
    return {"Access-Control-Allow-Origin": origin, "Access-Control-Allow-Credentials": "true", "Vary": "Origin"}


def _guessed_type(body: str) -> str:
    start = body.lstrip()[:1]
    kinds = {"{": "application/json", "[": "application/json", "<": "text/html"}
    return f"{kinds.get(start, 'text/plain')}; charset=utf-8"


def _listed(headers: dict[str, str]) -> Headers:
    return [{"name": name, "value": value} for name, value in headers.items()]


class Authentication:
    """Answers a server of a named origin once with its credentials, and no proxy."""

    def __init__(self) -> None:
        self.credentials: tuple[HttpCredential, ...] = ()
        self.secrets: SecretSource | None = None
        self._answered: deque[str] = deque(maxlen=MAX_ANSWERED)

    @property
    def origins(self) -> tuple[str, ...]:
        return tuple(credential.origin for credential in self.credentials)

    def answer(self, request: str, origin: str) -> tuple[str, str] | None:
        """Return the user name and the password for a server that asks for them; None if there are none.

        `request` is the id of the request that it answered so, `origin` that of the server.
        """
        credential = next((each for each in self.credentials if each.origin == origin), None)
        if credential is None or request in self._answered:
            return None
        self._answered.append(request)
        try:
            password = self.reveal(credential.password, credential.origin)
        except Denied:  # it was bound to the origin when it was given, and is not any more
            return None
        return credential.username, password

    def reveal(self, value: str, origin: str) -> str:
        """Return a value, or the secret that it names, for an origin. Raises Denied if it is not bound to that."""
        name = secret_named(value)
        if name is None:
            return value
        if self.secrets is None:
            raise Denied(f"There is no secret `{name}`.")
        return self.secrets.use(name, origin).value


class Interceptor(ABC, Generic[P]):
    """Decides on the requests of one context: by rules, credentials, and what its pages may open.

    `P` is what the engine knows a page by, or a part of one.
    """

    def __init__(self) -> None:
        self._rules: tuple[RequestRule, ...] = ()
        self._authentication = Authentication()
        self._logs: dict[P, NetworkLog[LoggedRequest] | None] = {}
        self._refusing: dict[P, RefuseDocument] = {}

    @abstractmethod
    async def update(self, page: P) -> None:
        """Let those requests of a page wait that there is something to decide about."""

    @abstractmethod
    async def update_all(self) -> None:
        """Let those requests of all pages wait that there is something to decide about."""

    @property
    def secrets(self) -> SecretSource | None:
        """Where the values of `secret:NAME` are taken from."""
        return self._authentication.secrets

    @secrets.setter
    def secrets(self, secrets: SecretSource | None) -> None:
        self._authentication.secrets = secrets

    async def apply(self, rules: tuple[RequestRule, ...], credentials: tuple[HttpCredential, ...]) -> None:
        """Decide by these rules and credentials from now on."""
        self._rules, self._authentication.credentials = rules, credentials
        await self.update_all()

    async def refuse_documents(self, page: P, refuses: RefuseDocument | None) -> None:
        """Let `refuses` decide on the documents that a page asks for; None ends that."""
        if refuses is None:
            self._refusing.pop(page, None)
        else:
            self._refusing[page] = refuses
        await self.update(page)

    def _rules_about(self, request: dict[str, Any], kind: str) -> list[RequestRule]:
        """Return the rules that are about a request; those of a method, also about the preflight of such a request."""
        method = request["headers"][PREFLIGHT_METHOD] if is_preflight(request) else request["method"]
        return [rule for rule in self._rules if rule.matches(request["url"], method, kind)]

    def _note(self, page: P | None, identity: str, rule: RequestRule) -> None:
        """Log what a rule does to a request."""
        log = self._logs.get(page) if page is not None else None
        if log is not None:
            log.note_interception(identity, rule.label, rule.kind == "answer")

    def _changes(
        self, page: P | None, identity: str, request: dict[str, Any], rules: list[RequestRule]
    ) -> dict[str, Any]:
        """Return the parts of a request that rules change."""
        changed: dict[str, Any] = {}
        for rule in [] if is_preflight(request) else rules:
            self._note(page, identity, rule)
            changed |= changed_headers(rule, request, changed.get("headers"), self._authentication.reveal)
        return changed


class NavigationBlock:
    """Fails every request of a page's main frame for another document while it is enabled."""

    def __init__(self, interceptor: Interceptor[P], page: P, main_frame: str, tasks: BackgroundTasks) -> None:
        self._refuse_documents = partial(interceptor.refuse_documents, page)
        self._main_frame = main_frame
        self._tasks = tasks
        self._has_refused = asyncio.Event()
        self.is_on = False

    def _refuses(self, asked: AskedDocument) -> bool:
        if asked.frame != self._main_frame:
            return False
        self._has_refused.set()
        return True

    async def enable(self) -> None:
        """Block navigations; returns once one was refused or the page has stopped trying."""
        if not self.is_on:
            self.is_on = True
            self._has_refused.clear()
            await self._refuse_documents(self._refuses)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(REFUSAL_TIMEOUT):
                await self._has_refused.wait()

    def disable(self) -> None:
        if self.is_on:
            self.is_on = False
            self._tasks.start(self._refuse_documents(None))
