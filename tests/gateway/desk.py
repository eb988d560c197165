"""A desk for tests of tools and chats: records the events that clients would see, and answers approval requests."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from rove.errors import Denied
from rove.guard.policy import ApprovalAnswer, ApprovalRequest
from rove.surfaces.gateway.approvals import ToolApproval, ToolQuestion

Seen = tuple[str, dict[str, Any]]
TIMEOUT = 60.0


class Desk:
    """Stands for the clients: what they were told, and what the person among them answers."""

    def __init__(self) -> None:
        self.seen: list[Seen] = []
        self.questions: list[ToolQuestion] = []
        self.answers_yes = True
        # Called with each question before it is answered.
        self.on_question: Callable[[], None] | None = None
        # While it is not set, questions wait.
        self.may_answer = asyncio.Event()
        self.may_answer.set()
        self._changed = asyncio.Event()

    def publish(self, event: str, data: dict[str, Any], session: str | None = None) -> int:
        self.seen.append((event, {"sessionKey": session, **data}))
        self._changed.set()
        return len(self.seen)

    async def ask(self, question: ToolQuestion) -> ToolApproval:
        self.questions.append(question)
        self.publish("exec.approval_request", {"summary": question.summary, "details": question.details})
        if self.on_question is not None:
            self.on_question()
        await self.may_answer.wait()
        if not self.answers_yes:
            raise Denied("A person said no: not today.")
        return ToolApproval(question.origins)

    async def answer(self, request: ApprovalRequest) -> ApprovalAnswer:
        self.publish("exec.approval_request", {"summary": request.summary})
        return ApprovalAnswer.ONCE if self.answers_yes else ApprovalAnswer.NO

    def all(self, event: str) -> list[dict[str, Any]]:
        """Return the data of every event of that name."""
        return [data for name, data in self.seen if name == event]

    async def until(self, event: str, count: int = 1) -> dict[str, Any]:
        """Wait until so many events of that name were published; return the last of them."""
        async with asyncio.timeout(TIMEOUT):
            while len(self.all(event)) < count:
                self._changed.clear()
                await self._changed.wait()
        return self.all(event)[count - 1]
