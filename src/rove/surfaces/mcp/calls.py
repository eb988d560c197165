"""Tool calls of one client, and the questions that they put to its user."""

from __future__ import annotations

import base64
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from rove.advice import insert_names
from rove.engine.sessions.sessions import Sessions
from rove.errors import RoveError
from rove.guard.policy.approval import ApprovalAnswer, ApprovalRequest, Approver
from rove.outcome import AnyOutcome
from rove.render.outcomes import as_text, error_data, error_text
from rove.surfaces.mcp.elicitation import METHOD, answer_in, form
from rove.surfaces.mcp.pending_approvals import PendingApprovals, PendingCall, digest_of
from rove.surfaces.mcp.progress import Message, Progress, Send
from rove.surfaces.toolsets import Tool
from rove.tasks import BackgroundTasks

# The key of the only input that rove asks for in an `input_required` answer.
APPROVAL = "approval"
Request = Callable[[str, Message], Awaitable[object]]


class Calls:
    """Runs tool calls. A question to the client's user goes through the client, in the way of its protocol revision."""

    def __init__(self, sessions: Sessions, send: Send, request: Request) -> None:
        self._sessions = sessions
        self._send = send
        self._request = request
        self._pending = PendingApprovals()
        self._tasks = BackgroundTasks("MCP progress")

    async def close(self) -> None:
        """Cancel the calls that wait for an approval, and the notifications that are not sent yet."""
        await self._pending.close()
        await self._tasks.close()

    async def call(self, tool: Tool, arguments: Message, params: Message, can_ask: bool) -> Message:
        """Run a call of a handshake revision: a question is sent, and its answer received, while the call runs."""
        channel = _Elicitation(self._request) if can_ask else None
        return await _to_result(self._run(tool, arguments, Progress(self._send, params, self._tasks), channel), tool)

    async def call_stateless(self, tool: Tool, arguments: Message, params: Message, can_ask: bool) -> Message:
        """Run a call of a stateless revision: it ends with a question, and the client calls again with the answer."""
        call = self._begin_or_resume(tool, arguments, params, can_ask)
        result = await _to_result(call.outcome(), tool)
        if call.question is not None and not result:
            ask = {"method": METHOD, "params": form(call.question)}
            return {
                "resultType": "input_required",
                "inputRequests": {APPROVAL: ask},
                "requestState": self._pending.hold(call),
            }
        return result

    def _begin_or_resume(self, tool: Tool, arguments: Message, params: Message, can_ask: bool) -> PendingCall:
        """Start a call or, if the client sends a state, return the call that waits and pass the answer on to it."""
        digest = digest_of(tool.name, arguments)
        state = params.get("requestState")
        if state is None:
            progress = Progress(self._send, params, self._tasks)
            call = PendingCall(digest, progress)
            call.begin(self._run(tool, arguments, progress, call if can_ask else None))
            return call
        call = self._pending.find(state, digest)
        call.progress.follow(params)
        responses = params.get("inputResponses")
        # A call without an answer gets the same question again, as it is still open.
        if isinstance(responses, dict) and APPROVAL in responses:
            call.pass_on(answer_in(responses[APPROVAL], self._pending.take(call)))
        return call

    async def _run(
        self, tool: Tool, arguments: Mapping[str, Any], progress: Progress, channel: Approver | None
    ) -> AnyOutcome:
        call = tool.call(arguments)
        session = self._sessions.session(call.session)
        return await session.run(
            call.action,
            tab=call.tab,
            timeout=call.timeout,
            report=progress.report,
            quiet=call.quiet,
            channel=channel,
            names=tool.names,
        )


class _Elicitation:
    """Asks the user of a client of a handshake revision, which takes questions at any time."""

    def __init__(self, request: Request) -> None:
        self._request = request

    async def answer(self, request: ApprovalRequest) -> ApprovalAnswer:
        return answer_in(await self._request(METHOD, form(request)), request)


async def _to_result(work: Awaitable[AnyOutcome | None], tool: Tool) -> Message:
    """Return the outcome or the error as a tool result; an empty one if a question came up instead."""
    try:
        outcome = await work
    except RoveError as error:
        error.hint = insert_names(error.hint, tool.names)
        return {
            "content": [{"type": "text", "text": error_text(error)}],
            "structuredContent": {"error": error_data(error)},
            "isError": True,
        }
    return _outcome_result(outcome) if outcome is not None else {}


def _outcome_result(outcome: AnyOutcome) -> Message:
    content: list[Message] = [{"type": "text", "text": as_text(outcome)}]
    content += [
        {"type": "image", "data": base64.b64encode(image.data).decode("ascii"), "mimeType": image.mime}
        for image in outcome.attachments
        if image.kind == "image"
    ]
    stopped = outcome.result.error
    if stopped is None:
        return {"content": content}
    # The text says what was done before the error; the flag tells the client that the batch was not completed.
    return {"content": content, "structuredContent": {"error": error_data(stopped)}, "isError": True}
