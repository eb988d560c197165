"""What waits for a person's approval in the daemon, and the ways by which a person answers."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from dataclasses import replace

from rove.errors import DeadlineExceeded
from rove.guard.policy.approval import ApprovalAnswer, ApprovalRequest, Approver
from rove.render.approvals import card
from rove.surfaces.daemon.reply import Reply
from rove.surfaces.terminal import answer_of, choice_of
from rove.tasks import Interrupted, race

WAITING = (
    "rove: This needs a person's approval, and waits for it until {until}.\n"
    "      A person answers in a terminal of their own: `rove approve`, or `rove watch`.\n"
)


class PendingApprovals:
    """The requests that wait, each with the answer that its command waits for."""

    def __init__(self) -> None:
        self._answers: dict[str, tuple[ApprovalRequest, asyncio.Future[ApprovalAnswer]]] = {}
        self._added = asyncio.Condition()

    @property
    def all(self) -> tuple[ApprovalRequest, ...]:
        """The requests that wait, oldest first."""
        return tuple(request for request, _ in self._answers.values())

    async def wait(self, request: ApprovalRequest) -> ApprovalAnswer:
        """Wait until a person answers a request."""
        answer: asyncio.Future[ApprovalAnswer] = asyncio.get_running_loop().create_future()
        self._answers[request.id] = request, answer
        try:
            async with self._added:
                self._added.notify_all()
            return await answer
        finally:
            self._answers.pop(request.id, None)

    async def added(self) -> AsyncIterator[ApprovalRequest]:
        """Yield each request that waits, and each that is added from now on."""
        shown: set[str] = set()
        while True:
            for request in self.all:
                if request.id not in shown:
                    shown.add(request.id)
                    yield request
            async with self._added:
                await self._added.wait_for(lambda: any(request.id not in shown for request in self.all))

    async def ask(self, request: ApprovalRequest, reply: Reply) -> None:
        """Ask the person at a terminal; the question is withdrawn if it is answered elsewhere, or is too old."""
        if request.id not in self._answers:
            return
        _, decided = self._answers[request.id]
        question = f"\nrove asks:\n{card(request)}\n{choice_of(request)}"
        try:
            word = await race(reply.ask(question), asyncio.wait({decided}))
        except Interrupted:
            return
        if not decided.done():
            answer = answer_of(word, request)
            decided.set_result(answer)
            reply.output(f"rove: {'denied' if answer is ApprovalAnswer.NO else 'allowed'}\n")


class CommandApprover:
    """Asks the person who gave a command at a terminal; for any other command, `rove approve` and `rove watch` do."""

    def __init__(self, pending: PendingApprovals, reply: Reply) -> None:
        self._pending = pending
        self._reply = reply

    async def answer(self, request: ApprovalRequest) -> ApprovalAnswer:
        answer = asyncio.ensure_future(self._pending.wait(request))
        await asyncio.sleep(0)  # it waits from now on
        asking = asyncio.ensure_future(self._ask(request))
        try:
            return await answer
        finally:
            for task in (answer, asking):
                task.cancel()
            await asyncio.gather(answer, asking, return_exceptions=True)

    async def _ask(self, request: ApprovalRequest) -> None:
        if self._reply.has_person:
            await self._pending.ask(request, self._reply)
        else:
            self._reply.error(WAITING.format(until=time.strftime("%H:%M:%S", time.localtime(request.expires))))


class TimedApprover:
    """Asks another approver, for as long as the command that waits may take."""

    def __init__(self, approver: Approver, seconds: float) -> None:
        self._approver = approver
        self._seconds = seconds
        self._until = time.time() + seconds

    async def answer(self, request: ApprovalRequest) -> ApprovalAnswer:
        """Return the person's answer. Raises DeadlineExceeded if there is none in time."""
        request = replace(request, expires=min(request.expires, self._until))
        try:
            async with asyncio.timeout(max(self._until - time.time(), 0)):
                return await self._approver.answer(request)
        except TimeoutError:
            raise DeadlineExceeded(
                f"No person answered within {self._seconds:g} s: {request.question}",
                hint="Nothing was done. Give --timeout more seconds, and tell the person to run `rove approve`.",
            ) from None
