"""What may be told of a saved state: names, origins, counts and dates, never a value."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rove.outcome import NOWHERE, Own, PageText, Passage, moment
from rove.states.cookie_rules import is_cookie_domain, is_web_origin
from rove.states.state import BrowserState
from rove.states.store import SavedState
from rove.validation.record import dataclass

# Shown in place of what is no host name or origin, in a state that was saved before such were refused.
NO_HOST = "(no host name)"
MOST_DOMAINS = 5


@dataclass(frozen=True)
class OriginFacts:
    """How much one origin has stored. The origin is text of the web: pages, or the file that was imported, chose it."""

    origin: PageText
    local: int
    session: int
    databases: int
    records: int
    left_out: int

    def __str__(self) -> str:
        stored = (
            (self.local, "in local storage"),
            (self.session, "in session storage"),
            (self.records, f"in {self.databases} IndexedDB database" + ("" if self.databases == 1 else "s")),
        )
        counts = ", ".join(f"{count} {where}" for count, where in stored if count)
        lost = f"; {self.left_out} not saved, being too large or no JSON" if self.left_out else ""
        return f"{self.origin}: {counts or 'empty databases'}{lost}"


@dataclass(frozen=True)
class StateFacts:
    """A saved state, or the reason why it cannot be read. `domains`, too, is text of the web."""

    name: Own
    saved: Own = Own("")
    session: Own = Own("")
    cookies: int = 0
    domains: tuple[PageText, ...] = ()
    origins: tuple[OriginFacts, ...] = ()
    problem: Own = Own("")

    @classmethod
    def of(cls, name: str, saved: SavedState) -> StateFacts:
        state = saved.state
        domains = sorted({_told(cookie["domain"], is_cookie_domain).lstrip(".") for cookie in state.cookies})
        return cls(
            Own(name),
            Own(moment(saved.saved)),
            Own(saved.session),
            len(state.cookies),
            tuple(PageText(domain, NOWHERE) for domain in domains),
            tuple(_origins(state)),
        )

    @property
    def line(self) -> str:
        """All on one line."""
        if self.problem:
            return f"{self.name}: {self.problem}"
        more = ", …" if len(self.domains) > MOST_DOMAINS else ""
        where = f" of {', '.join(self.domains[:MOST_DOMAINS])}{more}" if self.domains else ""
        stores = f", storage of {_count(len(self.origins), 'origin')}" if self.origins else ""
        return f"{self.name}: saved {self.saved}, {_count(self.cookies, 'cookie')}{where}{stores}"

    def passages(self, before: str = "", after: str = "", *, with_origins: bool = False) -> Iterator[Passage]:
        """Tell it in rove's own words, and the names of hosts and origins, which pages chose, as theirs."""
        if self.problem:
            yield Passage(f"{before}{self.name}: {self.problem}{after}")
            return
        stores = f", storage of {_count(len(self.origins), 'origin')}" if self.origins else ""
        yield Passage(f"{before}{self.name}: saved {self.saved}, {_count(self.cookies, 'cookie')}{stores}{after}")
        if self.domains:
            more = ", …" if len(self.domains) > MOST_DOMAINS else ""
            yield Passage(PageText(f"  cookies of {', '.join(self.domains[:MOST_DOMAINS])}{more}", NOWHERE))
        if with_origins:
            yield from (Passage(each.origin.around(f"  {each}")) for each in self.origins)

    @property
    def lines(self) -> Iterator[str]:
        """With a line for each origin."""
        yield self.line
        yield from (f"  {origin}" for origin in self.origins)


def _origins(state: BrowserState) -> Iterator[OriginFacts]:
    for origin, stored in state.origins.items():
        if not stored.is_empty or stored.left_out:
            counts = len(stored.local), len(stored.session), len(stored.databases), stored.record_count
            told = _told(origin, is_web_origin)
            author = origin if told == origin else NOWHERE
            yield OriginFacts(PageText(told, author), *counts, stored.left_out)


def _told(text: str, is_valid: Callable[[str], bool]) -> str:
    return text if is_valid(text) else NO_HOST


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")
