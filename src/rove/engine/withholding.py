"""Takes out of outcomes and errors the words of pages that the policy does not let the agent read."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, TypeVar

from rove.engine.approval.gate import Gate
from rove.errors import RoveError
from rove.guard.policy.policy import Place
from rove.outcome import NOWHERE, Changes, Outcome, PageText, Passage, Result, origin_in

R = TypeVar("R", bound=Result)
V = TypeVar("V")


def withheld_text(origin: str) -> PageText:
    """Return what is shown in place of the words of an origin that may not be read."""
    return PageText(f"[withheld: the policy denies reading {origin}]", origin)


class Withholding:
    """Withholds the words of each origin by the policy's decision on that origin.

    `may_read` asks the policy. `allowed`: the origins that the policy, or a person, has just allowed this action to
    read or to run a script in; its own result may hold their words.
    """

    def __init__(self, may_read: Callable[[str], bool], page: str, allowed: Iterable[str] = ()) -> None:
        self._may_read = may_read
        self._page = page
        self._allowed = frozenset(allowed)
        self._decided: dict[str, bool] = {}

    @classmethod
    def for_session(cls, gate: Gate, session: str, page: PageText | None, allowed: Iterable[Place]) -> Withholding:
        """Withhold by the policy of a session. `allowed`: the places that the action may read."""
        origins = [origin_in(place.url) for place in allowed if place.url]
        origin = page.origin if page is not None else NOWHERE
        return cls(lambda each: gate.may_read(Place(session, None, each)), origin, origins)

    def from_outcome(self, outcome: Outcome[R]) -> Outcome[R]:
        """Return an outcome in which only words are left that the agent may read."""
        is_shown = outcome.url is None or self._is_open(outcome.url.origin)
        return replace(
            outcome,
            result=self._without(outcome.result, self._allowed),
            url=outcome.url if is_shown or outcome.url is None else outcome.url.around(outcome.url.origin),
            title=outcome.title if is_shown else None,
            changes=self._from_changes(outcome.changes),
            earlier=self._from_changes(outcome.earlier),
            events=self._without(outcome.events),
            pending=tuple(dict.fromkeys(self._without(outcome.pending))),
            view=self._without(outcome.view),
        )

    def from_error(self, error: RoveError) -> None:
        """Take the words out of the message of an error."""
        error.parts = self._without(error.parts, self._allowed)
        error.view = self._without(error.view)

    def _from_changes(self, changes: Changes) -> Changes:
        passages = tuple(dict.fromkeys(self._without(changes.passages)))
        return changes if passages == changes.passages else replace(changes, passages=passages)

    def _is_open(self, origin: str, allowed: frozenset[str] = frozenset()) -> bool:
        # Words of no known origin are on the page, so they are decided on like the page.
        origin = self._page if origin in ("", NOWHERE) else origin
        if origin in allowed:
            return True
        if origin not in self._decided:
            self._decided[origin] = self._may_read(origin)
        return self._decided[origin]

    def _without(self, value: V, allowed: frozenset[str] = frozenset()) -> V:
        changed: Any = self._changed(value, allowed)
        return changed  # type: ignore[no-any-return]

    def _changed(self, value: Any, allowed: frozenset[str]) -> Any:
        if isinstance(value, PageText):
            return value if not value or self._is_open(value.origin, allowed) else withheld_text(value.origin)
        if isinstance(value, Passage):
            is_open = value.origin is None or self._is_open(value.origin, allowed)
            return value if is_open else Passage(withheld_text(value.origin or self._page), value.origin)
        if isinstance(value, Outcome):
            return value  # the outcome of a step, from which the words were taken when it had run
        if isinstance(value, RoveError):
            value.parts = self._changed(value.parts, allowed)
            return value
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            return self._changed_fields(value, allowed)
        return self._changed_items(value, allowed)

    def _changed_fields(self, value: Any, allowed: frozenset[str]) -> Any:
        fields = {each.name: getattr(value, each.name) for each in dataclasses.fields(value)}
        changed = {name: self._changed(item, allowed) for name, item in fields.items()}
        differing = {name: item for name, item in changed.items() if item is not fields[name]}
        return replace(value, **differing) if differing else value

    def _changed_items(self, value: Any, allowed: frozenset[str]) -> Any:
        if isinstance(value, dict):
            mapping: dict[Any, Any] = value
            pairs = [(self._changed(key, allowed), self._changed(item, allowed)) for key, item in mapping.items()]
            is_same = all(new is old for pair, olds in zip(pairs, mapping.items(), strict=True)
                          for new, old in zip(pair, olds, strict=True))  # fmt: skip
            return mapping if is_same else dict(pairs)
        if isinstance(value, list | tuple):
            items: list[Any] = [self._changed(item, allowed) for item in value]
            if all(new is old for new, old in zip(items, value, strict=True)):
                return value
            return items if isinstance(value, list) else tuple(items)
        return value
