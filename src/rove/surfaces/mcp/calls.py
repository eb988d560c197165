"""Tool calls of all clients, and the questions that they put to people."""

from __future__ import annotations

import base64
from collections.abc import Awaitable, Mapping
from dataclasses import replace
from typing import Any

from rove.advice import insert_names
from rove.engine.approval.shown_steps import AsksOnce
from rove.engine.served.served_sessions import ServedSessions
from rove.errors import RoveError
from rove.guard.policy.approval import Approver
from rove.outcome import AnyOutcome
from rove.surfaces.mcp.approvers import Elicitation, Inbox, LinkedInbox, with_inbox
from rove.surfaces.mcp.elicitation import METHOD, answer_in, form
from rove.surfaces.mcp.exchange import Client, Exchange
from rove.surfaces.mcp.messages import Message
from rove.surfaces.mcp.pending_approvals import PendingApprovals, PendingCall, digest_of
from rove.surfaces.mcp.progress import Progress
from rove.tasks import BackgroundTasks
from rove.toolsets.tool import Answer, Tool, ToolRequest

# The key of the only input that rove asks for in an `input_required` answer.
APPROVAL = "approval"


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
