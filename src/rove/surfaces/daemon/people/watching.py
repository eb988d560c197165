"""`rove watch`: each step of the sessions as a line in a terminal, and the questions that a person must answer."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from typing import Any

from rove.guard.policy.approval import ApprovalRequest
from rove.render.cleaning import one_line
from rove.surfaces.colours import Palette
from rove.surfaces.daemon.people.approvals import PendingApprovals
from rove.surfaces.daemon.people.observers import Observers
from rove.surfaces.daemon.reply import Reply

LONGEST_SUMMARY = 160
STYLES = {"done": "green", "denied": "yellow"}


class TerminalWatcher:
    """What happens in the sessions, as lines; of one session, or of all."""

    def __init__(self, session: str | None, reply: Reply) -> None:
        self._session = session
        self._palette = Palette(reply.has_colour)
        self._reply = reply
        self._news: asyncio.Queue[str | ApprovalRequest] = asyncio.Queue()

    async def watch(self, observers: Observers, pending: PendingApprovals) -> None:
        """Show what happens until the client goes away. A question is answered before the next line is shown."""
        observers.watchers.append(self)
        collecting = asyncio.create_task(self._collect(pending))
        try:
            while True:
                await self._show(await self._news.get(), pending)
        finally:
            collecting.cancel()
            observers.watchers.remove(self)

    async def _collect(self, pending: PendingApprovals) -> None:
        async for request in pending.added():
            self._news.put_nowait(request)

    async def _show(self, news: str | ApprovalRequest, pending: PendingApprovals) -> None:
        if isinstance(news, str):
            self._reply.output(news)
        elif self._reply.has_person:
            await pending.ask(news, self._reply)
        else:
            question = one_line(news.question, LONGEST_SUMMARY)
            self._reply.output(f"Waits for approval: {question} A person answers with `rove approve`.\n")

    def step_began(self, step: Mapping[str, Any], /) -> None:
        """Tell nothing: the step is told when it ends."""

    def step_ended(self, step: Mapping[str, Any], /) -> None:
        outcome = str(step["outcome"])
        summary = one_line(str(step.get("summary") or step["action"]), LONGEST_SUMMARY)
        mark = self._palette.paint(f"{outcome:<8}", STYLES.get(outcome, "red"))
        spent = self._palette.paint(f"{float(step['seconds'] or 0) * 1000:6.0f} ms", "dim")
        self._say(step["session"], f"{mark} {spent}  {summary}")
        if step.get("error"):
            self._say(step["session"], f"{'':18}  {one_line(str(step['error']), LONGEST_SUMMARY)}")

    def session_opened(self, session: str, /) -> None:
        self._say(session, self._palette.paint("opened", "bold"))

    def session_closed(self, session: str, /) -> None:
        self._say(session, self._palette.paint("closed", "bold"))

    def session_changed(self, session: str, /) -> None:
        """Tell nothing: the step that led there is told."""

    def guard_refused(self, session: str, refused: Mapping[str, Any], /) -> None:
        message = one_line(str(refused["message"]), LONGEST_SUMMARY)
        self._say(session, f"{self._palette.paint('refused', 'yellow')}  {message}")

    def _say(self, session: str, text: str) -> None:
        if self._session in (None, session):
            when = self._palette.paint(time.strftime("%H:%M:%S"), "dim")
            self._news.put_nowait(f"{when}  {one_line(session, 16):<12}  {text}\n")
