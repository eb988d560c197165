"""Takes out of outcomes and errors the words of pages that the policy does not let the agent read."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from rove.engine.gate import Gate
from rove.errors import RoveError
from rove.guard.policy import Place
from rove.outcome import Changes, Outcome, Passage, Result, origin_in
from rove.page_text import NOWHERE, SEVERAL, PageText

if TYPE_CHECKING:
    from rove.browser.shared.context import Context
    from rove.browser.shared.tab import Tab

WEB = ("http://", "https://")
R = TypeVar("R", bound=Result)
V = TypeVar("V")


def withheld_text(origin: str, is_asked: bool = False) -> PageText:
    """Return what is shown in place of the words of an origin that may not be read, or not without asking a person."""
    rule = "asks a person before" if is_asked else "denies"
    return PageText(f"[withheld: the policy {rule} reading {origin}]", origin)


class Withholding:
    """Withholds the words of each origin by the policy's decision on that origin.

    `may_read` asks the policy. `allowed`: the origins that the policy, or a person, has just allowed this action to
    read or to run a script in; its own result may hold their words. `tabs`: whose frames may have written the words
    of no known origin.
    """

    def __init__(
        self,
        may_read: Callable[[str], bool],
        page: str,
        allowed: Iterable[str] = (),
        tabs: Sequence[Tab] = (),
        is_asked: Callable[[str], bool] = lambda origin: False,
    ) -> None:
        self._tabs = tabs
        self._is_asked = is_asked
        self._may_read = may_read
        self._page = page
        self._allowed = frozenset(allowed)
        self._decided: dict[str, bool] = {}

    @classmethod
    def for_session(cls, gate: Gate, session: str, tabs: Sequence[Tab], allowed: Iterable[Place]) -> Withholding:
        """Withhold by the policy of a session. `tabs`: the action's first; `allowed`: what it may read."""
        origins = [origin_in(place.url) for place in allowed if place.url]
        origin = tabs[0].url.origin if tabs else NOWHERE
        at = functools.partial(Place, session, None)
        may_read, is_asked = lambda each: gate.may_read(at(each)), lambda each: gate.asks_to_read(at(each))
        return cls(may_read, origin, origins, tabs, is_asked)

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
        origin = self._page if origin in ("", SEVERAL) else origin
        if origin in allowed:
            return True
        if origin not in self._decided:
            self._decided[origin] = self._may_read(origin) and self._may_any_write(origin)
        return self._decided[origin]

    def _may_any_write(self, origin: str) -> bool:
        """Whether all pages and frames may be read that may have written words of an origin which is not known."""
        if origin == self._page != NOWHERE or origin.startswith(WEB):
            return True
        return all(tab.page.may_read(origin) for tab in self._tabs)

    def _in_place_of(self, origin: str) -> PageText:
        return withheld_text(origin, self._is_asked(origin))

    def _without(self, value: V, allowed: frozenset[str] = frozenset()) -> V:
        changed: Any = self._changed(value, allowed)
        return changed  # type: ignore[no-any-return]

    def _changed(self, value: Any, allowed: frozenset[str]) -> Any:
        if isinstance(value, PageText):
            return value if not value or self._is_open(value.origin, allowed) else self._in_place_of(value.origin)
        if isinstance(value, Passage):
            is_open = value.origin is None or self._is_open(value.origin, allowed)
            return value if is_open else Passage(self._in_place_of(value.origin or self._page), value.origin)
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


def shown_tabs(context: Context, named: str | None) -> list[Tab]:
    """Return the tab that a call names, and the current one."""
    tabs = [tab for tab in context.tabs if tab is context.current or tab.id == named]
    return sorted(tabs, key=lambda tab: tab.id != named)


async def withheld(work: Awaitable[Outcome[R]], find: Callable[[], Withholding]) -> Outcome[R]:
    """Return an outcome, or raise an error, with only the words that the caller may read without asking.

    `find` is called when the work is done, since that decides which pages there are.
    """
    try:
        outcome = await work
    except RoveError as error:
        find().from_error(error)
        raise
    return find().from_outcome(outcome)
