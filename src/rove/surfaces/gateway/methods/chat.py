"""The chat: send a message, abort a run."""

from __future__ import annotations

from typing import Any

from rove.errors import InvalidArguments
from rove.surfaces.gateway.gateway import Gateway
from rove.surfaces.gateway.methods.method import Client, Method, arg, method
from rove.surfaces.gateway.methods.settings_command import SettingsCommand
from rove.surfaces.gateway.tokens import Scope

MAX_MESSAGE = 100_000


@method("chat.send", Scope.ACT, returns="{runId}")
class SendMessage(Method):
    """Send a message to the model of a session. What comes of it is told by events.

    `/settings` is answered by the server itself: docs/chat.md.
    """

    session_key: str = arg("The session.")
    message: str = arg("The message.", min_length=1, max_length=MAX_MESSAGE)

    async def run(self, gateway: Gateway, client: Client) -> dict[str, Any]:
        if command := SettingsCommand.read(self.message):
            answer = await command.run(gateway, client)
            return {"runId": await gateway.chats.tell(self.session_key, command.shown, answer, client.token.owner)}
        gateway.tools.refuse(client.token)
        return {"runId": await gateway.chats.send(self.session_key, self.message, client.token.owner)}


@method("chat.abort", Scope.ACT, Scope.APPROVE, returns="{aborted: number of runs}", reach="sessions")
class AbortRun(Method):
    """Stop a run of the chat at once, whatever it is doing."""

    run_id: str | None = arg("The run.", default=None)
    session_key: str | None = arg("The session whose run is stopped.", default=None)

    async def run(self, gateway: Gateway, client: Client) -> dict[str, Any]:
        if self.run_id is None and self.session_key is None:
            raise InvalidArguments("chat.abort: give `runId` or `sessionKey`.")
        session = self.session_key
        if self.run_id is not None:
            session = gateway.chats.session_of(self.run_id)
            if session is None or not client.token.reaches(session, *self.needs):
                return {"aborted": 0}
        return {"aborted": await gateway.chats.abort(self.run_id, session)}
