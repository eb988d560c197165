"""All sessions of one process, and the browser that they share."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from rove.chromium.context import Keepsake
from rove.chromium.warmup import Warmup
from rove.engine.browsers import Browsers
from rove.engine.gate import Gate
from rove.engine.reach import Frontier, Reach
from rove.engine.session import Session
from rove.errors import LimitReached, NotOpen
from rove.guard.approval import Approver
from rove.guard.policy import Policy
from rove.guard.policyfile import policy_from
from rove.settings import Settings, load

if TYPE_CHECKING:
    from rove.chromium.context import Context
    from rove.guard.approval import ApprovalRequest

DEFAULT = "default"
# For surfaces, which hand one on but know nothing of browsers.
HeadStart = Warmup


class Sessions:
    """Opens, finds and closes sessions, closes the idle, and owns every browser."""

    def __init__(
        self, settings: Settings | None = None, policy: Policy | None = None, approver: Approver | None = None
    ) -> None:
        self.settings = settings or load()
        self._gate = Gate(policy or policy_from(self.settings), approver, self.settings.deadlines.approval)
        self._frontier = Frontier(self.settings)
        self._open: dict[str, Session] = {}
        self._names = itertools.count(1)
        self._browsers = Browsers(self.settings, self._is_busy, self._is_needed, self._lose_all)
        self._reaper: asyncio.Task[None] | None = None
        self._is_closed = False

    async def __aenter__(self) -> Self:
        self._reaper = asyncio.ensure_future(self._reap())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def warm_up(self, begun: HeadStart | None = None) -> None:
        """Start what takes longest before the first call needs it, or go on with what has begun."""
        self._browsers.warm_up(begun)

    def session(self, name: str | None = None) -> Session:
        """The named session, or the default one, which nobody has to open."""
        if self._is_closed:
            raise NotOpen("This browser has been closed.", hint="Open another, with `rove.open()`.")
        if name is None or name == DEFAULT:
            return self._open.get(DEFAULT) or self._add(DEFAULT)
        if name not in self._open:
            known = ", ".join(self._open) or "none"
            raise NotOpen(f"There is no session {name}.", hint=f"Open it with browser_open_session. Open now: {known}.")
        return self._open[name]

    async def open_session(self, name: str | None) -> str:
        name = name or f"s{next(self._names)}"
        if name not in self._open:
            self._add(name)
        return name

    async def close_session(self, name: str | None) -> str:
        session = self.session(name)
        self._open.pop(session.name, None)
        self._gate.approvals.forget(session.name)
        await session.close()
        return session.name

    def sessions(self) -> list[dict[str, Any]]:
        return [session.describe() for session in self._open.values()]

    @property
    def pending_approvals(self) -> tuple[ApprovalRequest, ...]:
        """What people are being asked at this moment."""
        return self._gate.approvals.pending

    async def close(self) -> None:
        """Close everything; nothing is left running and no folder behind."""
        self._is_closed = True
        if self._reaper is not None:
            self._reaper.cancel()
        reaches = [session.reach for session in self._open.values()]
        for session in self._open.values():
            session.journal.close()
        self._open.clear()
        # The contexts die with their browser, sooner than if each were closed by itself.
        await self._browsers.close()
        for reach in reaches:
            await reach.close()

    def _add(self, name: str) -> Session:
        if len(self._open) >= self.settings.limits.sessions:
            idle = min(session.last_used for session in self._open.values())
            wait = max(self.settings.limits.idle - (time.monotonic() - idle), 0)
            raise LimitReached(
                f"{len(self._open)} sessions are open, which is the limit.",
                hint=f"Close one with browser_close_session, or try again in {wait:.0f} s, when an idle one closes.",
            )
        self._open[name] = Session(
            name, self.settings, self._gate, _Reception(self, name), self._frontier.reach(), self._new_context
        )
        return self._open[name]

    async def _new_context(self, reach: Reach, keepsake: Keepsake | None, progress: Callable[[str], None]) -> Context:
        # No session without its guard: whatever keeps that from standing keeps the session from opening.
        way_out = await reach.open()
        browser = await self._browsers.browser(progress)
        return await browser.new_context(self.settings, way_out, keepsake)

    def _is_needed(self) -> bool:
        return any(session.running or session.has_pages for session in self._open.values())

    def _is_busy(self) -> bool:
        return any(session.running for session in self._open.values())

    def _lose_all(self) -> None:
        for session in self._open.values():
            session.lose()

    async def _reap(self) -> None:
        """Close what nobody has used for a while."""
        limit = self.settings.limits.idle
        while True:
            now = time.monotonic()
            for session in [*self._open.values()]:
                if session.running == 0 and now - session.last_used >= limit:
                    await self.close_session(session.name)
            oldest = min((session.last_used for session in self._open.values()), default=now)
            await asyncio.sleep(max(min(oldest + limit - now, limit), 0.05))


class _Reception:
    """The house as one session sees it: closing without a name means itself."""

    def __init__(self, sessions: Sessions, name: str) -> None:
        self._sessions = sessions
        self._name = name

    async def open_session(self, name: str | None) -> str:
        return await self._sessions.open_session(name)

    async def close_session(self, name: str | None) -> str:
        return await self._sessions.close_session(name or self._name)

    def sessions(self) -> list[dict[str, Any]]:
        return self._sessions.sessions()
