"""Who answers the questions of a call: the client's own user, people at the gateway, or whichever is first."""

from __future__ import annotations

import asyncio
from typing import Protocol

from rove.guard.policy.approval import ApprovalAnswer, ApprovalRequest, Approver
from rove.surfaces.mcp.elicitation import METHOD, answer_in, form
from rove.surfaces.mcp.exchange import Request

# Seconds to wait for a person before a client that cannot ask its user is given a link. Some clients wait for only 5.
LINK_SECONDS = 3.0
CLIENT_USER = "the user of the MCP client"


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
