"""What a server offers to its clients, on whichever transport: features, each with its methods."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol

from rove.surfaces.mcp.exchange import Exchange
from rove.surfaces.mcp.messages import HANDSHAKE_REVISIONS, STATELESS_REVISIONS, Message
from rove.version import VERSION

Handler = Callable[[Exchange], Awaitable[Message]]
FindSchema = Callable[[str], Mapping[str, Any]]
# Calls a listener when the tools of an owner have changed; the function that is returned ends that.
Subscribe = Callable[[str | None, Callable[[], None]], Callable[[], None]]
TOOLS_STAY_VALID_MS = 3_600_000


class Feature(Protocol):
    """A capability that is declared to clients, with the methods that it is made of."""

    @property
    def capabilities(self) -> Message: ...

    @property
    def methods(self) -> Mapping[str, Handler]: ...

    async def close(self) -> None: ...


class McpServer:
    """The features that every connection of a process shares.

    `input_schema`: returns the schema of a tool by its name, in which arguments are marked that have headers.
    `subscribe`: how connections learn that the tools of their client have changed; None if they never do.
    """

    def __init__(
        self,
        *features: Feature,
        instructions: str = "",
        input_schema: FindSchema = lambda _: {},
        subscribe: Subscribe | None = None,
    ) -> None:
        self._features = features
        self.subscribe = subscribe
        self._instructions = instructions
        self.input_schema = input_schema
        self.methods: dict[str, Handler] = {}
        self.capabilities: Message = {}
        for feature in features:
            self.methods.update(feature.methods)
            self.capabilities.update(feature.capabilities)

    def introduce(self, revision: str, client_session: str | None) -> Message:
        """Return the answer to `initialize`."""
        return {
            "protocolVersion": revision,
            "capabilities": self.capabilities,
            "serverInfo": server_info(),
            "instructions": self._instructions_for(client_session),
        }

    def discover(self, client_session: str | None) -> Message:
        """Return the answer to `server/discover`."""
        return {
            "supportedVersions": [*STATELESS_REVISIONS, *HANDSHAKE_REVISIONS],
            "capabilities": self.capabilities,
            "instructions": self._instructions_for(client_session),
            "ttlMs": TOOLS_STAY_VALID_MS,
            "cacheScope": "public" if client_session is None else "private",
        }

    async def close(self) -> None:
        for feature in self._features:
            await feature.close()

    def _instructions_for(self, client_session: str | None) -> str:
        """Tell a client of several the name of its default session, by which it finds its pages again."""
        if client_session is None:
            return self._instructions
        return f"{self._instructions} Your default session is `{client_session}`; it outlives the connection."


def server_info() -> Message:
    return {"name": "rove", "version": VERSION}
