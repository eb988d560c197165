"""Rules for requests: block them, answer them in place of the server, or change what is sent."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from rove.action import ContextAction, Effect, action, arg
from rove.browser.network import RequestRule, RuleKind
from rove.errors import InvalidArguments
from rove.fields import Validated
from rove.outcome import Result
from rove.page_text import Own
from rove.patterns import pattern
from rove.proxy_headers import PREFIX
from rove.records import dataclass
from rove.target import canonical_origin, secret_named

if TYPE_CHECKING:
    from rove.browser.shared.context import Context

MOST_RULES = 100
_ADDRESS = pattern(r"(?P<origin>https?://[^/?#*\\@\s]+)(?P<path>/.*)?", re.IGNORECASE)
# A connection depends on these, so they are the browser's own to set; cookies are in the browser's store.
_BROWSERS_OWN = frozenset(
    {"connection", "content-length", "cookie", "expect", "host", "keep-alive", "origin", "te", "trailer",
     "transfer-encoding", "upgrade", "via"}
)  # fmt: skip
_OWN_PREFIXES = ("proxy-", "sec-", PREFIX)


@dataclass(frozen=True)
class RuleHeader(Validated):
    """A header and its value."""

    name: str = arg("Name.", pattern=r"^[!#$%&'*+.^_`|~0-9A-Za-z-]+$", max_length=200)
    value: str = arg("Value; with change, empty to leave the header out, or secret:NAME.", pattern=r"^[^\x00\r\n]*$",
                     max_length=8000)  # fmt: skip


@dataclass(frozen=True)
class Rules(Result):
    rules: tuple[Own, ...]
    added: int | None = None

    def __str__(self) -> str:
        return "\n".join(self.rules) if self.rules else "There are no rules."


@action(Effect.SCRIPT, group="emulation")
class Intercept(ContextAction[Rules]):
    """Block, answer (a mocked API) or change requests of all tabs by a rule; list or remove rules.

    The newest rule that matches counts. WebSockets are not intercepted.
    """

    operation: Literal["add", "list", "remove"] = arg("What to do.", default="add")
    url: str | None = arg("Such as https://api.example.com/v1/*; only to block, * may be in the host.", default=None,
                          min_length=1, max_length=2000)  # fmt: skip
    rule: RuleKind = arg("What is done with the requests.", default="answer")
    method: str | None = arg("Only requests of this method.", default=None, pattern=r"^[A-Za-z]{1,20}$")
    type: str | None = arg("Only these: document, script, stylesheet, image, font, media, fetch or xhr.", default=None,
                           pattern=r"^[A-Za-z]{1,20}$")  # fmt: skip
    status: int = arg("With answer.", default=200, ge=200, le=599)
    headers: tuple[RuleHeader, ...] = arg("Of the answer; with change, set in the request.", default=(), max_length=50)
    body: str | None = arg("Of the answer; with change, sent instead.", default=None, max_length=1_000_000)
    number: int | None = arg("Which rule, with remove; all if not given.", default=None, ge=1)

    def complete(self) -> None:
        if self.operation == "add":
            _ = self._made(0)

    @property
    def destination(self) -> str | None:
        """The origin that a rule names: the policy and the address rules decide on it."""
        return self._made(0).origin if self.operation == "add" else None

    @property
    def secrets(self) -> tuple[str, ...]:
        return tuple(name for header in self.headers if (name := secret_named(header.value)))

    async def perform(self, context: Context) -> Rules:
        before = context.overrides
        if self.operation == "add":
            made = self._made(before.rules_given + 1)
            self._check(made, context)
            await context.override(replace(before, rules=(*before.rules, made), rules_given=made.number))
        elif self.operation == "remove":
            await context.override(replace(before, rules=self._left(before.rules)))
        added = context.overrides.rules_given if self.operation == "add" else None
        return Rules(tuple(Own(_line(rule)) for rule in context.overrides.rules), added)

    def _left(self, rules: tuple[RequestRule, ...]) -> tuple[RequestRule, ...]:
        left = tuple(rule for rule in rules if self.number not in (None, rule.number))
        if self.number is not None and len(left) == len(rules):
            raise InvalidArguments(f"`number`: there is no rule {self.number}.", hint="List the rules first.")
        return left

    def _check(self, rule: RequestRule, context: Context) -> None:
        """Raise if there are too many rules, or a secret may not go to the origin of this one."""
        if len(context.overrides.rules) >= MOST_RULES:
            raise InvalidArguments(f"There are {MOST_RULES} rules, which is the limit.", hint="Remove some first.")
        for name in self.secrets:
            if context.secrets is not None and rule.origin is not None:
                context.secrets.use(name, rule.origin)

    def _made(self, number: int) -> RequestRule:
        """Return the rule. Raises InvalidArguments if it names no origin, or headers that it may not set."""
        if self.url is None:
            raise InvalidArguments("`url` is missing: say which requests the rule is for.")
        address = _ADDRESS.fullmatch(self.url)
        if address is None and self.rule != "block":
            raise InvalidArguments(
                f"`url`: {self.url!r} does not name one origin, as in https://api.example.com/v1/*.",
                hint="Only a rule that blocks may have * in the scheme or the host.",
            )
        origin = _origin(address["origin"]) if address else None
        self._check_headers()
        wanted = self.url if origin is None else origin + ((address and address["path"]) or "/*")
        return RequestRule(
            number,
            self.rule,
            wanted,
            origin,
            self.method.upper() if self.method else None,
            self.type.lower() if self.type else None,
            self.status,
            tuple((header.name, header.value) for header in self.headers),
            self.body,
        )

    def _check_headers(self) -> None:
        for header in self.headers:
            name = header.name.lower()
            if name.startswith(PREFIX) or (
                self.rule == "change" and (name in _BROWSERS_OWN or name.startswith(_OWN_PREFIXES))
            ):
                raise InvalidArguments(f"`headers`: {header.name} cannot be set by a rule.")
            if self.rule == "answer" and secret_named(header.value):
                raise InvalidArguments("`headers`: pages read an answer, so no secret can be in it.")


def _origin(text: str) -> str:
    try:
        return canonical_origin(text)
    except ValueError as error:
        raise InvalidArguments(f"`url`: {error}.") from error


def _line(rule: RequestRule) -> str:
    which = " ".join(filter(None, [rule.method, rule.type, rule.pattern]))
    names = ", ".join(name for name, _ in rule.headers)
    what = f" with {rule.status}" if rule.kind == "answer" else f": {names or 'body'}" if rule.kind == "change" else ""
    return f"{rule.number}. {rule.kind} {which}{what}"
