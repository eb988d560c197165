"""One request of a client, the ways back to that client while it is served, and who answers its questions."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol, cast

from rove.guard.policy import ApprovalAnswer, ApprovalRequest, Approver
from rove.records import dataclass
from rove.surfaces.mcp.messages import CAPABILITIES_KEY, Message, Send
from rove.tasks import BackgroundTasks
from rove.toolsets.approval_text import card

METHOD = "elicitation/create"
FIELD = "answer"
# "no" comes first: a client that fills in forms by itself takes the first choice.
CHOICES = {
    "no": ApprovalAnswer.NO,
    "yes, once": ApprovalAnswer.ONCE,
    "yes, for this session": ApprovalAnswer.FOR_SESSION,
}
Request = Callable[[str, Message], Awaitable[object]]

# Seconds to wait for a person before a client that cannot ask its user is given a link. Some clients wait for only 5.
LINK_SECONDS = 3.0
CLIENT_USER = "the user of the MCP client"


def can_be_asked(capabilities: object) -> bool:
    """Whether a client declares that it can show forms. One that names no kind of elicitation means forms."""
    told = cast("Mapping[str, Any]", capabilities).get("elicitation") if isinstance(capabilities, dict) else None
    return isinstance(told, dict) and ("form" in told or "url" not in told)


def form(request: ApprovalRequest) -> dict[str, Any]:
    """Return the parameters of `elicitation/create`: the question and the possible answers."""
    choices = [word for word, answer in CHOICES.items() if _is_offered(answer, request)]
    choice = {
        "type": "string",
        "title": "Allow it?",
        "description": "For this session: also the next time, for the same action at the same place.",
        "enum": choices,
    }
    schema = {"type": "object", "properties": {FIELD: choice}, "required": [FIELD]}
    return {"message": f"rove asks:\n{card(request)}", "requestedSchema": schema}


def answer_in(result: object, request: ApprovalRequest) -> ApprovalAnswer:
    """Return the user's answer. Anything but a clear yes is a no."""
    if not isinstance(result, dict) or result.get("action") != "accept":
        return ApprovalAnswer.NO
    content = cast("Mapping[str, Any]", result).get("content")
    said = cast("Mapping[str, Any]", content).get(FIELD) if isinstance(content, dict) else None
    answer = CHOICES.get(said, ApprovalAnswer.NO) if isinstance(said, str) else ApprovalAnswer.NO
    return answer if _is_offered(answer, request) else ApprovalAnswer.NO


def _is_offered(answer: ApprovalAnswer, request: ApprovalRequest) -> bool:
    return answer is not ApprovalAnswer.FOR_SESSION or request.can_be_remembered


class Progress:
    """Sends progress notifications with the token of the request that the client is waiting for now.

    `tasks`: runs the sending, as the engine reports progress without waiting for the client.
    """

    def __init__(self, send: Send, params: Message, tasks: BackgroundTasks) -> None:
        self._tasks = tasks
        self._steps = 0
        self.follow(send, params)

    def follow(self, send: Send, params: Message) -> None:
        """Answer this request from here on, with its token."""
        self._send = send
        meta = params.get("_meta")
        token = meta.get("progressToken") if isinstance(meta, dict) else None
        self._token = token if isinstance(token, str | int) else None

    def report(self, message: str, done: int, total: int) -> None:
        """Send one notification. The protocol requires a number that grows with each of them."""
        if self._token is None:
            return
        self._steps = max(self._steps + 1, done + 1)
        params: Message = {"progressToken": self._token, "progress": self._steps, "message": message}
        if total:
            params["total"] = total
        self._tasks.start(self._send({"jsonrpc": "2.0", "method": "notifications/progress", "params": params}))


@dataclass(frozen=True)
class Client:
    """The sessions that a client uses: those of its owner, and one of them where a call names none.

    An `owner` of None is the person who runs the process, who alone may use some tools: the only client of `rove mcp`,
    or a client of a server that has the token of its owner.
    `may_approve`: whether the answers of its user approve what it does.
    """

    owner: str | None = None
    session: str | None = None
    may_approve: bool = True


@dataclass(frozen=True)
class Exchange:
    """A request that is being served.

    `envelope`: the `_meta` of a stateless revision; None in a handshake revision.
    `capabilities`: what the client declares that it can do.
    `request`: sends a request to the client and returns its result; None if the client cannot be sent any.
    """

    client: Client
    method: str
    params: Message
    envelope: Message | None
    capabilities: Message
    send: Send
    request: Request | None
    # The id of the request.
    identity: str | int | None = None

    @property
    def is_stateless(self) -> bool:
        return self.envelope is not None

    @property
    def can_ask(self) -> bool:
        """Whether the client can ask its user, in the way of its revision, and the answer counts."""
        has_way = self.is_stateless or self.request is not None
        return has_way and self.client.may_approve and can_be_asked(self.capabilities)

    async def notify(self, method: str, params: Message) -> None:
        """Send a notification that belongs to this request."""
        await self.send({"jsonrpc": "2.0", "method": method, "params": params})


def capabilities_in(envelope: Message) -> Message:
    """Return what the client of a stateless request declares that it can do."""
    declared: Message = envelope[CAPABILITIES_KEY]
    return declared


class Inbox(Approver, Protocol):
    """The requests that wait for a person at the gateway."""

    async def answer_or_link(self, request: ApprovalRequest, patience: float) -> ApprovalAnswer:
        """Wait for a decision for so many seconds, then raise Denied with the link where it can be made.

        The request goes on waiting; the same request, made again, takes its decision.
        """
        ...

    def answered_elsewhere(self, request: ApprovalRequest, answer: ApprovalAnswer, by: str) -> None:
        """End a request that another person has answered, so that those who watch see how."""
        ...


class LinkedInbox:
    """Asks at the gateway for a client that cannot be asked: it is given the link of a request that still waits."""

    def __init__(self, inbox: Inbox) -> None:
        self._inbox = inbox

    async def answer(self, request: ApprovalRequest) -> ApprovalAnswer:
        return await self._inbox.answer_or_link(request, LINK_SECONDS)


class Elicitation:
    """Asks the user of a client of a handshake revision, which takes questions at any time."""

    def __init__(self, request: Request) -> None:
        self._request = request

    async def answer(self, request: ApprovalRequest) -> ApprovalAnswer:
        return answer_in(await self._request(METHOD, form(request)), request)


class ClientOrInbox:
    """Asks the client's user and the people at the gateway. The first answer counts."""

    def __init__(self, client: Approver, inbox: Inbox) -> None:
        self._client = client
        self._inbox = inbox

    async def answer(self, request: ApprovalRequest) -> ApprovalAnswer:
        asking = asyncio.ensure_future(self._client.answer(request))
        waiting = asyncio.ensure_future(self._inbox.answer(request))
        try:
            await asyncio.wait({asking, waiting}, return_when=asyncio.FIRST_COMPLETED)
            if waiting.done():
                return waiting.result()
            self._inbox.answered_elsewhere(request, asking.result(), CLIENT_USER)
            return asking.result()
        finally:
            asking.cancel()
            waiting.cancel()
            await asyncio.gather(asking, waiting, return_exceptions=True)


def with_inbox(approver: Approver, inbox: Inbox | None) -> Approver:
    """Return an approver that asks at the gateway too, if there is one."""
    return approver if inbox is None else ClientOrInbox(approver, inbox)
