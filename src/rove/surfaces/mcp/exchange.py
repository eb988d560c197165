"""One request of a client, and the ways back to that client while the request is served."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from rove.surfaces.mcp.elicitation import can_be_asked
from rove.surfaces.mcp.messages import CAPABILITIES_KEY, Message, Send
from rove.validation.record import dataclass

Request = Callable[[str, Message], Awaitable[object]]


@dataclass(frozen=True)
class Client:
    """The sessions that a client uses: those of its owner, and one of them where a call names none.

    An `owner` of None is the person who runs the process, who alone may use some tools: the only client of `rove mcp`,
    or whoever has the owner's token of a server.
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
