"""Calls that wait for an approval between two requests of the client.

Since revision 2026-07-28 a server cannot send a question: it answers a call with `input_required` and a state, and the
client calls again with that state and the user's answer. The call is held here meanwhile, so that a batch does not
repeat its first steps. The state is signed. It is valid for the same tool with the same arguments, once, until the
question expires.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
import logging
import os
import time
from collections.abc import Coroutine, Mapping
from typing import Any

from rove.errors import RoveError
from rove.guard.policy.approval import ApprovalAnswer, ApprovalRequest
from rove.outcome import AnyOutcome
from rove.surfaces.mcp.progress import Progress
from rove.tasks import Interrupted, race

log = logging.getLogger(__name__)
KEY_BYTES = 32


class InvalidState(Exception):
    """A state that is forged, of another call, used up or expired. The client is not told which."""


class PendingCall:
    """One running call. The engine uses it as the approver that it asks."""

    def __init__(self, digest: str, progress: Progress) -> None:
        self.digest = digest
        self.progress = progress
        self.question: ApprovalRequest | None = None
        self._asked = asyncio.Event()
        self._answer: asyncio.Future[ApprovalAnswer] | None = None
        self._run: asyncio.Task[AnyOutcome] | None = None
        self._is_awaited = False

    def begin(self, run: Coroutine[Any, Any, AnyOutcome]) -> None:
        """Start the call."""
        self._run = asyncio.create_task(run)
        self._run.add_done_callback(self._log_failure)

    def _log_failure(self, run: asyncio.Task[AnyOutcome]) -> None:
        """Log an unexpected exception of a call that the client has given up. Otherwise `outcome` raises it."""
        if run.cancelled() or (error := run.exception()) is None:
            return
        if not self._is_awaited and not isinstance(error, RoveError):
            log.error("A call failed after the client had stopped waiting for it", exc_info=error)

    async def answer(self, request: ApprovalRequest) -> ApprovalAnswer:
        """Wait for the user's answer. The engine calls this when the policy asks for an approval."""
        self.question, self._answer = request, asyncio.get_running_loop().create_future()
        self._asked.set()
        try:
            return await self._answer
        finally:
            self._close_question()

    def pass_on(self, question: ApprovalRequest, answer: ApprovalAnswer) -> None:
        """Pass on the user's answer, so that the call continues; if it was answered elsewhere, it already has."""
        if self.question is question and self._answer is not None and not self._answer.done():
            self._answer.set_result(answer)
            self._close_question()

    def _close_question(self) -> None:
        self.question = None
        self._asked.clear()

    async def outcome(self) -> AnyOutcome | None:
        """Return the outcome, or None if the user has to be asked first. Cancelling this cancels the call."""
        assert self._run is not None
        while self._run.done() or self.question is None:
            try:
                return await self._until_asked(self._run)
            except Interrupted:
                continue  # the question may have expired already
            except asyncio.CancelledError:
                await self.end()
                raise
        return None

    async def _until_asked(self, run: asyncio.Task[AnyOutcome]) -> AnyOutcome:
        self._is_awaited = True
        try:
            # Shielded, because the call goes on while the user is asked.
            return await race(asyncio.shield(run), self._asked.wait())
        finally:
            self._is_awaited = False

    async def end(self) -> None:
        """Cancel the call and wait until it has ended."""
        assert self._run is not None
        self._run.cancel()
        await asyncio.wait({self._run})


class PendingApprovals:
    """The held calls, and the key that signs their states, which never leaves this process."""

    def __init__(self) -> None:
        self._key = os.urandom(KEY_BYTES)
        # By the id of the question that each waits for.
        self._held: dict[str, tuple[ApprovalRequest, PendingCall]] = {}

    def hold(self, call: PendingCall) -> str:
        """Keep a call until its question is answered; return the state that the client has to send with the answer."""
        question = call.question
        assert question is not None
        now = time.time()
        self._held = {key: held for key, held in self._held.items() if held[0].expires > now}
        self._held[question.id] = (question, call)
        state = {"id": question.id, "call": call.digest, "until": question.expires}
        body = base64.urlsafe_b64encode(json.dumps(state).encode()).decode()
        return f"{body}.{self._signature(body)}"

    def find(self, state: object, digest: str) -> tuple[ApprovalRequest, PendingCall]:
        """Return the question and the call that a state belongs to. They stay held until `release`."""
        held = self._held.get(self._verify(state, digest)["id"])
        if held is None:
            raise InvalidState
        return held

    def release(self, question: ApprovalRequest) -> None:
        """Release a call, so that its question can be answered only once."""
        del self._held[question.id]

    async def close(self) -> None:
        """Cancel every held call."""
        held, self._held = self._held, {}
        for _, call in held.values():
            await call.end()

    def _verify(self, state: object, digest: str) -> Mapping[str, Any]:
        """Return what a state says. Raises InvalidState if it is not ours, of another call, or expired."""
        body, _, signature = state.partition(".") if isinstance(state, str) else ("", "", "")
        if not hmac.compare_digest(signature.encode("utf-8", "replace"), self._signature(body).encode()):
            raise InvalidState
        content: Mapping[str, Any] = json.loads(base64.urlsafe_b64decode(body))
        if not hmac.compare_digest(content["call"], digest) or content["until"] < time.time():
            raise InvalidState
        return content

    def _signature(self, body: str) -> str:
        return hmac.new(self._key, body.encode("utf-8", "replace"), hashlib.sha256).hexdigest()


def digest_of(owner: str | None, tool: str, arguments: Mapping[str, Any]) -> str:
    """Return a hash of the caller, a tool's name and arguments: a state is valid for exactly these."""
    call = json.dumps([owner, tool, arguments], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(call.encode()).hexdigest()
