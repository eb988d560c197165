"""Tool calls of all clients, and the questions that they put to people, also between two requests.

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
from collections.abc import Awaitable, Coroutine, Mapping
from dataclasses import replace
from typing import Any

from rove.advice import insert_names
from rove.engine.client_sessions import ServedSessions
from rove.engine.gate import AsksOnce
from rove.errors import RoveError
from rove.guard.policy import ApprovalAnswer, ApprovalRequest, Approver
from rove.outcome import AnyOutcome
from rove.surfaces.mcp.messages import Message
from rove.surfaces.mcp.request import (
    METHOD,
    Client,
    Elicitation,
    Exchange,
    Inbox,
    LinkedInbox,
    Progress,
    answer_in,
    form,
    with_inbox,
)
from rove.tasks import BackgroundTasks, Interrupted, race
from rove.toolsets.tool import Answer, Tool, ToolRequest

log = logging.getLogger(__name__)
KEY_BYTES = 32

# The key of the only input that rove asks for in an `input_required` answer.
APPROVAL = "approval"


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


class Calls:
    """Runs tool calls. A question to the client's user goes through the client, in the way of its protocol revision.

    `inbox`: where people at the gateway answer too, if there is one.
    """

    def __init__(self, sessions: ServedSessions, inbox: Inbox | None = None) -> None:
        self._sessions = sessions
        self._inbox = inbox
        self._pending = PendingApprovals()
        self._tasks = BackgroundTasks("MCP progress")

    async def close(self) -> None:
        """Cancel the calls that wait for an approval, and the notifications that are not sent yet."""
        await self._pending.close()
        await self._tasks.close()

    def offers(self, tool: Tool, client: Client) -> bool:
        """Whether a client is shown a tool: some are there only while it has a session open."""
        own = self._sessions.owned_by(client.owner, client.session).open.values()
        return not tool.needs_session or any(session.has_slot for session in own)

    async def call(self, tool: Tool, arguments: Message, exchange: Exchange) -> Message:
        """Run a call and return its result, or the question that it ends with."""
        if exchange.is_stateless:
            return await self._call_stateless(tool, arguments, exchange)
        progress = Progress(exchange.send, exchange.params, self._tasks)
        channel = self._without_asking()
        if exchange.can_ask and exchange.request is not None:
            channel = with_inbox(Elicitation(exchange.request), self._inbox)
        request = self._request(tool, arguments, exchange.client)
        return await _to_result(self._run(tool, arguments, exchange.client, progress, channel), tool, request)

    async def _call_stateless(self, tool: Tool, arguments: Message, exchange: Exchange) -> Message:
        """Run a call of a stateless revision: it ends with a question, and the client calls again with the answer."""
        call = self._begin_or_resume(tool, arguments, exchange)
        result = await _to_result(call.outcome(), tool, self._request(tool, arguments, exchange.client))
        if call.question is not None and not result:
            ask = {"method": METHOD, "params": form(call.question)}
            return {
                "resultType": "input_required",
                "inputRequests": {APPROVAL: ask},
                "requestState": self._pending.hold(call),
            }
        return result

    def _begin_or_resume(self, tool: Tool, arguments: Message, exchange: Exchange) -> PendingCall:
        """Start a call or, if the client sends a state, return the call that waits and pass the answer on to it."""
        digest = digest_of(exchange.client.owner, tool.name, arguments)
        state = exchange.params.get("requestState")
        if state is None:
            return self._begin(tool, arguments, exchange, digest)
        question, call = self._pending.find(state, digest)
        call.progress.follow(exchange.send, exchange.params)
        responses = exchange.params.get("inputResponses")
        # A call without an answer gets the same question again, if it is still open.
        if isinstance(responses, dict) and APPROVAL in responses:
            self._pending.release(question)
            call.pass_on(question, answer_in(responses[APPROVAL], question))
        return call

    def _begin(self, tool: Tool, arguments: Message, exchange: Exchange, digest: str) -> PendingCall:
        progress = Progress(exchange.send, exchange.params, self._tasks)
        call = PendingCall(digest, progress)
        channel = with_inbox(call, self._inbox) if exchange.can_ask else self._without_asking()
        call.begin(self._run(tool, arguments, exchange.client, progress, channel))
        return call

    def _without_asking(self) -> Approver | None:
        """Return the approver for a client that cannot ask its user."""
        return None if self._inbox is None else LinkedInbox(self._inbox)

    def _request(self, tool: Tool, arguments: Mapping[str, Any], client: Client) -> ToolRequest:
        """Return a request as the answer is made from it: files are those of the client."""
        return replace(tool.request(arguments), settings=self._sessions.owned_by(client.owner).settings)

    async def _run(
        self,
        tool: Tool,
        arguments: Mapping[str, Any],
        client: Client,
        progress: Progress,
        channel: Approver | None,
    ) -> AnyOutcome:
        call = tool.call(arguments)
        channel = AsksOnce(channel) if tool.asks_once and channel is not None else channel
        session = self._sessions.owned_by(client.owner, client.session).session(call.session, call.needs_session)
        return await session.run(
            call.action,
            tab=call.tab,
            timeout=call.timeout,
            report=lambda message, done, total: progress.report(
                call.progress[done] if total and call.progress else message, done, total
            ),
            quiet=call.quiet,
            channel=channel,
            names=tool.names,
            view=call.view,
        )


async def _to_result(work: Awaitable[AnyOutcome | None], tool: Tool, request: ToolRequest) -> Message:
    """Return the outcome or the error as a tool result; an empty one if a question came up instead."""
    try:
        outcome = await work
    except RoveError as error:
        error.hint = insert_names(error.hint, tool.names)
        return _as_result(tool.error_answer(request, error))
    return _as_result(await tool.answer(request, outcome)) if outcome is not None else {}


def _as_result(answer: Answer) -> Message:
    content: list[Message] = [{"type": "text", "text": answer.text}]
    content += [
        {"type": "image", "data": base64.b64encode(image.data).decode("ascii"), "mimeType": image.mime}
        for image in answer.attachments
        if image.kind == "image"
    ]
    structured = {} if answer.structured is None else {"structuredContent": dict(answer.structured)}
    return {"content": content, **structured, **({"isError": True} if answer.is_error else {})}
