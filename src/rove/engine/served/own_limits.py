"""What one client of a server may use of it: sessions at once, pages an hour, tokens of models an hour.

The limits of the server itself are shared by all. These keep one client from using up what the others need, and from
learning by it how much the others use. The person who runs the server has none.
"""

from __future__ import annotations

import contextlib
import time
from collections import deque
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING

from rove.action import CompositeAction, Effect
from rove.errors import LimitReached
from rove.fetching.web_access import FetchAction

if TYPE_CHECKING:
    from rove.action import AnyAction
    from rove.settings.sections import Serving

HOUR = 3600.0
# Seconds after which a client is told to try again when the server is full, whatever there is room for until then.
FULL_SECONDS = 5.0


class _Hour:
    """How much was used in the last hour."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._uses: deque[tuple[float, int]] = deque()

    def add(self, number: int) -> None:
        if number:
            self._uses.append((self._clock(), number))

    @property
    def used(self) -> int:
        while self._uses and self._uses[0][0] <= self._clock() - HOUR:
            self._uses.popleft()
        return sum(number for _, number in self._uses)

    def seconds_until_below(self, limit: int) -> float:
        """Return after how many seconds less than the limit was used in the hour before."""
        left = self.used
        for at, number in self._uses:
            left -= number
            if left < limit:
                return round(at + HOUR - self._clock(), 1)
        return HOUR


class OwnLimits:
    """Counts what each client uses, and refuses more than one may use."""

    def __init__(self, serve: Serving, clock: Callable[[], float] = time.monotonic) -> None:
        self._serve = serve
        self._clock = clock
        self._pages: dict[str, _Hour] = {}
        self._tokens: dict[str, _Hour] = {}

    def refuse_session(self, owner: str | None, idle_seconds: list[float], closed_after: float) -> None:
        """Raise LimitReached if a client has as many sessions as it may, each idle for so long."""
        limit = self._serve.token_sessions
        if owner is not None and limit is not None and len(idle_seconds) >= limit:
            wait = round(max(closed_after - max(idle_seconds), 0.1), 1)
            raise LimitReached(
                f"{len(idle_seconds)} sessions of this token are open, which is the limit for one token.",
                hint="Close one with {close_session}. An idle one is closed after a time.",
                retry_after=wait,
            )

    @contextlib.contextmanager
    def apart_from_others(self, owner: str | None) -> Generator[None]:
        """Do not tell a client, in the error that the server is full, how much of it others use."""
        try:
            yield
        except LimitReached as error:
            if owner is None:
                raise
            raise LimitReached(
                "The server has as many sessions and pages as it may have.",
                hint=f"Try again in {FULL_SECONDS:g} s, or close what is not needed ({{tabs}}, {{close_session}}).",
                retry_after=FULL_SECONDS,
            ) from error

    def count_pages(self, owner: str | None, action: AnyAction) -> None:
        """Count the pages that an action opens. Raises LimitReached if they are more than the client may open."""
        limit, pages = self._serve.token_pages, pages_of(action)
        if owner is None or limit is None or not pages:
            return
        opened = self._pages.setdefault(owner, _Hour(self._clock))
        if opened.used + pages > limit:
            raise LimitReached(
                f"This token has opened {opened.used} pages in the last hour, and {limit} is the limit for one token.",
                hint="Go on with the pages that are open, or wait.",
                retry_after=opened.seconds_until_below(limit - pages + 1),
            )
        opened.add(pages)

    def refuse_tokens(self, owner: str | None) -> None:
        """Raise LimitReached if the chats of a client have used as many tokens of models as they may."""
        if (left := self.tokens_left(owner)) is not None and left <= 0:
            limit = self._serve.token_model_tokens or 0
            assert owner is not None
            raise LimitReached(
                f"The chats of this token have used {limit} tokens of the model in the last hour, which is the limit "
                "for one token.",
                hint="Wait, or ask the owner of the server to raise `serve.token_model_tokens`.",
                retry_after=self._tokens[owner].seconds_until_below(limit),
            )

    def tokens_left(self, owner: str | None) -> int | None:
        """Return how many tokens of models the chats of a client may still use; None if there is no limit."""
        limit = self._serve.token_model_tokens
        if owner is None or limit is None:
            return None
        used = self._tokens.setdefault(owner, _Hour(self._clock)).used
        return max(limit - used, 0)

    def count_tokens(self, owner: str | None, number: int) -> None:
        """Count tokens of a model that a chat of a client has used."""
        if owner is not None and self._serve.token_model_tokens is not None:
            self._tokens.setdefault(owner, _Hour(self._clock)).add(number)


def pages_of(action: AnyAction) -> int:
    """Return how many pages an action asks for, with those of its steps."""
    if isinstance(action, CompositeAction):
        # What a recording opens is not known before its file is read.
        return sum(map(pages_of, action.actions)) or int(action.effect is Effect.NAVIGATE)
    return int(isinstance(action, FetchAction) or action.effect is Effect.NAVIGATE)
