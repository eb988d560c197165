"""The chat: send a message, abort a run, `/settings`; and tools that are called by hand."""

from __future__ import annotations

from typing import Any

from rove.errors import Forbidden, InvalidArguments, InvalidSettings
from rove.settings.config_file import value_in
from rove.settings.tree import Option, option_of, options
from rove.surfaces.gateway.gateway import Gateway
from rove.surfaces.gateway.methods.method import Client, Method, arg, method
from rove.surfaces.gateway.methods.owner import PRIVATE, GetSettings, SetSetting
from rove.surfaces.gateway.tokens import Scope

COMMAND = "/settings"
# Stands for the value that a setting has without the config file.
DEFAULT = "default"
NOT_SHOWN = "(not shown in a chat)"
USAGE = (
    f"`{COMMAND} NAME VALUE` changes one, `{COMMAND} NAME` describes it, and `{COMMAND} NAME {DEFAULT}` takes it out "
    "of the config file. A change holds from the next start of the server."
)
# They are not in the config file.
FIXED = frozenset({"home"})
MAX_MESSAGE = 100_000


class SettingsCommand:
    """One such message. `shown` is the message as others may read it."""

    def __init__(self, words: list[str]) -> None:
        self._name = words[0] if words else None
        self._words = words[1:]

    @classmethod
    def read(cls, message: str) -> SettingsCommand | None:
        """Return the command in a message; None if it is for the model."""
        first, *words = message.split() or [""]
        return cls(words) if first == COMMAND else None

    @property
    def shown(self) -> str:
        words = [NOT_SHOWN] if self._words and self._is_private else self._words
        return " ".join([COMMAND, *([self._name] if self._name else []), *words])

    @property
    def _is_private(self) -> bool:
        """Whether the value can hold a password; so can one for a name that was mistyped."""
        option = self._option
        return option is None or option.key in PRIVATE

    @property
    def _option(self) -> Option | None:
        """The setting that is named, if there is one of that name."""
        try:
            return option_of(self._name or "")
        except InvalidSettings:
            return None

    async def run(self, gateway: Gateway, client: Client) -> str:
        """Do it, and return the answer. Raises Forbidden if the client's token has not the right to."""
        _require(client, SetSetting if self._words else GetSettings)
        listed = (await GetSettings().run(gateway, client))["settings"]
        if self._name is None:
            lines = [_line(each) for each in listed if each["key"] not in FIXED]
            return "\n".join([f"Settings, as they hold from the next start of the server. {USAGE}", "", *lines])
        try:
            option = option_of(self._name)
            if self._words:
                return await self._change(option, gateway, client)
        except InvalidSettings as error:
            # What is wrong with a value that is not shown may quote it.
            reason = "This value cannot be set." if self._words and self._option and self._is_private else error.message
            return f"{reason} {self._possible}"
        (known,) = [each for each in listed if each["key"] == option.key]
        return f"{_line(known)}\n{option.description} {self._possible}"

    async def _change(self, option: Option, gateway: Gateway, client: Client) -> str:
        words = self._words if option.is_list else [" ".join(self._words)]
        value = None if words == [DEFAULT] else value_in(option, words)
        await SetSetting(option.key, value).run(gateway, client)
        done = "has its default again" if value is None else f"is {NOT_SHOWN if self._is_private else _text(value)}"
        return f"`{option.key}` {done}, from the next start of the server."

    @property
    def _possible(self) -> str:
        """Say which names there are, or which values the setting may have."""
        option = self._option
        if option is None:
            return f"There are: {', '.join(each.key for each in options() if each.key not in FIXED)}."
        if option.is_switch:
            return "It may be true or false."
        if option.choices:
            return f"It may be {', '.join(option.choices)}."
        if option.is_list:
            return "It may be several words, separated by commas."
        return "It may be a number." if option.kind in (int, float) else "It may be a text or a number."


def _require(client: Client, method: type[Method]) -> None:
    if not client.token.allows(*method.needs):
        scopes = " or ".join(f"`{scope.value}`" for scope in method.needs)
        raise Forbidden(f"This needs a token with the scope {scopes}, as {method.wire_name} does.")


def _line(known: dict[str, Any]) -> str:
    value = NOT_SHOWN if known["key"] in PRIVATE else _text(known["value"])
    source = "" if known["source"] == DEFAULT else f"  ({known['source']})"
    return f"{known['key']} = {value}{source}"


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or "none"
    return "none" if value is None else str(value)


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


@method("tools.list", Scope.VIEW, returns="{tools: [{name, description, inputSchema, asks}]}", reach="server")
class ListTools(Method):
    """List the tools that can be called, with the JSON schema of their arguments."""

    async def run(self, gateway: Gateway, client: Client) -> dict[str, Any]:
        return {"tools": gateway.tools.describe(client.token)}


@method("tools.call", Scope.ACT, returns="{ok, text, attachments, structured}")
class CallTool(Method):
    """Call a tool without a model. It takes the same way as a model's call: approval, policy, record."""

    name: str = arg("The tool.")
    arguments: dict[str, Any] | None = arg("Its arguments.", default=None)
    session_key: str | None = arg("The session to call it in; by default one that need not be opened.", default=None)

    async def run(self, gateway: Gateway, client: Client) -> dict[str, Any]:
        gateway.tools.refuse(client.token)
        session = gateway.session_of(client.token.owner, self.session_key)
        result = await gateway.tools.call(self.name, self.arguments or {}, session.name, run=None)
        return result.as_data()
