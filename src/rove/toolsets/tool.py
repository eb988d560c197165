"""What a tool is to a surface: a name, a schema, calls of it, and answers to them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, Protocol

from rove.action import AnyAction, Effect
from rove.advice import Names
from rove.errors import RoveError
from rove.outcome import AnyOutcome, Attachment, ViewKind
from rove.records import dataclass
from rove.settings.tree import Settings

# Which clients of the gateway are given a toolset: all that may act, or those with the owner's token alone.
Access = Literal["all", "owner"]


@dataclass(frozen=True)
class ToolRequest:
    """What a client asked for: the tool, the case of it where it has several, and the arguments, with defaults.

    `file`: the path in the workspace of the file that the client wants the result in.
    """

    tool: str
    case: str | None
    arguments: Mapping[str, Any]
    settings: Settings
    file: str | None = None


@dataclass(frozen=True)
class Call:
    """An action and where to run it, made from the arguments of a tool call. `view`: show all of the page after it.

    `needs_session`: only in a session that has been opened, since opening one may need a person's approval.
    `progress`: what clients are told before each step, if that is not what the action says.
    """

    action: AnyAction
    session: str | None
    tab: str | None
    timeout: float | None
    quiet: bool
    view: ViewKind | None = None
    needs_session: bool = False
    progress: tuple[str, ...] = ()


@dataclass(frozen=True)
class Answer:
    """What a client is told of a call. Text that pages wrote is wrapped in it.

    `structured`: the answer as JSON data, beside the text. `code`: that of the error, if it tells of one.
    `conceals`: whether the arguments must stay out of the record, as they may hold a password. `tells_events`: whether
    the text tells what happened on the side; to others, rove adds what a caller must not miss.
    """

    text: str
    attachments: tuple[Attachment, ...] = ()
    structured: Mapping[str, Any] | None = None
    is_error: bool = False
    code: str | None = None
    conceals: bool = False
    tells_events: bool = False


@dataclass(frozen=True)
class FiledAnswer:
    """An answer whose result goes to a file of the workspace.

    `text`: what the file holds, unless it is `copied` from another file of the workspace. `told`: makes the answer from
    the path of the file, which differs from the one that was asked for if that was taken.
    """

    text: str
    copied: str | None
    told: Callable[[str], Answer]


class NamedTool(Protocol):
    """What a model is told of a tool. `schema` is the JSON schema of its arguments."""

    @property
    def name(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def schema(self) -> Mapping[str, Any]: ...


class Tool(NamedTool, Protocol):
    """One tool as a model sees it. `needs_session`: whether it is there only while the client has a session open.

    `asks_once`: whether a person's yes to a batch answers for the steps that they were shown, too.
    """

    @property
    def effect(self) -> Effect: ...
    @property
    def needs_session(self) -> bool: ...
    @property
    def asks_once(self) -> bool: ...
    @property
    def names(self) -> Names:
        """What its toolset calls each action, for hints."""
        ...

    def request(self, arguments: Mapping[str, Any]) -> ToolRequest:
        """Return the arguments as they were given, with the defaults of those that were not."""
        ...

    def call(self, arguments: Mapping[str, Any]) -> Call:
        """Validate the arguments of a call, which are untrusted. Raises InvalidArguments."""
        ...

    async def answer(self, request: ToolRequest, outcome: AnyOutcome) -> Answer:
        """Tell the client what came of a call, and write the file that it wants the result in."""
        ...

    def error_answer(self, request: ToolRequest, error: RoveError) -> Answer:
        """Tell the client why a call failed."""
        ...
