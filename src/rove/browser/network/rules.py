"""Rules for the requests of a session: which of them are blocked, answered by rove, or changed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property
from typing import Literal

from rove.validation.record import dataclass

RuleKind = Literal["block", "answer", "change"]


@dataclass(frozen=True)
class RequestRule:
    """What is done with the requests whose URL matches `pattern`, in which `*` stands for any text.

    `origin`: the one origin that the pattern names; None for a pattern that names none, which can only block.
    """

    number: int
    kind: RuleKind
    pattern: str
    origin: str | None = None
    method: str | None = None
    type: str | None = None
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    body: str | None = None

    @property
    def label(self) -> str:
        """How the network log names what it has done to a request."""
        verb = {"block": "blocked", "answer": "answered", "change": "changed"}[self.kind]
        return f"{verb} by rule {self.number}"

    def matches(self, url: str, method: str, kind: str) -> bool:
        return (
            (self.method is None or self.method == method.upper())
            and (self.type is None or self.type == kind.lower())
            # Chromium compares the pattern too; the origin decides who gets headers, so it is compared here as well.
            and (self.origin is None or url.startswith(f"{self.origin}/"))
            and self._expression.fullmatch(url.partition("#")[0]) is not None
        )

    @cached_property
    def _expression(self) -> re.Pattern[str]:
        return re.compile(".*".join(map(re.escape, self.pattern.split("*"))), re.DOTALL)


def decisive_rule(rules: Iterable[RequestRule]) -> RequestRule | None:
    """Return the newest of the rules that match a request which blocks or answers it; None if none does."""
    return next((rule for rule in reversed([*rules]) if rule.kind != "change"), None)
