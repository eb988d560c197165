"""Errors about sessions that are not open or cannot be, and about what a tab lost before an action."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Container, Generator, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from rove.browser.sessions import AS_SET, WindowChoice
from rove.errors import BrowserUnavailable, ElementNotFound, InvalidArguments, NotOpen, RoveError
from rove.owned_names import is_named_by, mark_in, own_name, without_mark
from rove.storage.ledger import LONGEST_STEM, stem_of
from rove.storage.state import NO_LOGIN, LoginChoice

if TYPE_CHECKING:
    from rove.browser.shared.tab import Tab
    from rove.engine.session_interface import ServedSession

T = TypeVar("T")

# The address of a tab in which no page was opened.
EMPTY = "about:blank"


def checked_name(name: str, owner: str | None) -> str:
    """Return the full name of a session of an owner. Raises InvalidArguments for one that cannot be its name.

    Its journal is kept and shown under it, and the mark at its end says whose it is.
    """
    if not is_named_by(name, owner):
        raise InvalidArguments(
            f"{name[:LONGEST_STEM]!a} cannot be the name of a session: its end tells the clients of a server apart.",
            hint="Choose a name without `~`.",
        )
    if not name.strip() or not name.isprintable():
        raise InvalidArguments(
            f"{name[:LONGEST_STEM]!a} cannot be the name of a session.",
            hint="Choose a name of letters, digits and hyphens, such as shop-1.",
        )
    if len(stem_of(name)) > LONGEST_STEM:
        raise InvalidArguments(
            f"The name of the session is too long: it has {len(name)} characters.",
            hint=f"Choose a shorter one: at most {LONGEST_STEM} letters, digits and hyphens.",
        )
    return name


class SessionNames:
    """The names of new sessions. Each owner has numbers of its own, so that they tell nothing of the others."""

    def __init__(self) -> None:
        self._numbers: dict[str | None, itertools.count[int]] = {}

    def choose(self, name: str | None, owner: str | None, taken: Container[str]) -> str:
        """Return the full name of a session: the owner's choice, or the next free one of `s1`, `s2`, ...."""
        if name:
            return checked_name(own_name(name, owner), owner)
        numbers = self._numbers.setdefault(owner, itertools.count(1))
        return next(free for number in numbers if (free := own_name(f"s{number}", owner)) not in taken)


def refuse_login(name: str, login: LoginChoice) -> None:
    """Raise InvalidArguments if a state or a profile is asked for in a session that is open already."""
    if login.is_made:
        raise InvalidArguments(
            f"The session {name} is open already, and a state or profile is chosen when a session is opened.",
            hint="Close it first, choose another name, or use {load_state}.",
        )


def refuse_other_start(session: ServedSession, login: LoginChoice, window: WindowChoice) -> None:
    """Raise InvalidArguments if a session that is open was opened otherwise than it is asked for now."""
    profile = session.login.profile.name if session.login.profile is not None else None
    window = replace(window, starts_now=False, headless=_unless_same(window.headless, session.settings.headless))
    asked = replace(login, profile=_unless_same(login.profile, profile))
    if asked != NO_LOGIN or window != AS_SET:
        raise InvalidArguments(
            f"The session {session.name} is open already, with another profile or window than is asked for.",
            hint="Close it first, with {close_session}, or go on with it as it is.",
        )


def _unless_same(asked: T | None, has: T | None) -> T | None:
    return None if asked == has else asked


def lost_at_start() -> BrowserUnavailable:
    """Return the error for a browser that ended before it could be used."""
    return BrowserUnavailable(
        "The browser died, or hung, before it had opened a page.",
        hint="Call again: a new one is started.",
        retry_after=0,
    )


def connection_lost() -> BrowserUnavailable:
    """Return the error for a browser that rove attached to, and has to attach to anew."""
    return BrowserUnavailable(
        "The connection to the browser was lost.", hint="Call again: rove connects anew. Then list {tabs}."
    )


def session_closed(name: str) -> NotOpen:
    """Return the error for a session that was closed."""
    return NotOpen(f"The session {name} was closed.", hint="Open another with {open_session}.")


def closed_error() -> NotOpen:
    """Return the error for sessions of a process that ends."""
    return NotOpen("This browser has been closed.", hint="Open another, with `rove.open()`.")


def other_loop_error() -> NotOpen:
    """Return the error for sessions that are used in an event loop in which they were not opened."""
    return NotOpen(
        "This browser was opened in another event loop, and works only in that one.",
        hint="Open and use it within one `asyncio.run()`; in a notebook or a script, use `rove.sync.open()`.",
    )


def not_open(name: str, known: Iterable[str]) -> NotOpen:
    """Return the error for a session that is not open, with those of the same owner that are."""
    listed = ", ".join(without_mark(each) for each in known if mark_in(each) == mark_in(name)) or "none"
    return NotOpen(
        f"There is no session {without_mark(name)}.", hint=f"Open it with {{open_session}}. Open now: {listed}."
    )


@contextlib.contextmanager
def note_losses(tab: Tab) -> Generator[None]:
    """Add to an error the crash before it that was not told yet."""
    try:
        yield
    except RoveError as error:
        error.notice = error.notice or " ".join(tab.page.events.take_losses())
        if isinstance(error, ElementNotFound) and tab.url == EMPTY:
            error.hint = "No page is open in this tab: open one with {navigate} first."
        raise


@contextlib.contextmanager
def keep_seen(tab: Tab) -> Generator[None]:
    """After an error, treat the page as not looked at: what changed meanwhile is told with the next answer."""
    seen, document = tab.observer.seen, tab.observer.seen_document
    try:
        yield
    except RoveError:
        tab.observer.restore_seen(seen, document)
        raise
