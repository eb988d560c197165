"""What a server and its nodes send each other about sessions. All of it is plain data and records."""

from __future__ import annotations

from dataclasses import field, replace
from typing import Any, Literal

from rove.browser.context import SavedContext, SharedState
from rove.browser.emulation import Overrides
from rove.browser.network import Throttling
from rove.browser.refs import RefNumbers
from rove.browser.sessions import AS_SET, WindowChoice
from rove.engine.people import DriverState, HandoffRequest, Lease
from rove.errors import RoveError
from rove.outcome import AnyOutcome, ViewKind
from rove.page_text import Own, PageText, Text
from rove.records import dataclass
from rove.storage.state import BrowserState

RESTORED = "session restored"

# Who answers where the policy asks: the approver that the owner has set, no person, or the person at the client.
Approval = Literal["owner", "none", "caller"]
# An event of a node: its kind, and what it tells.
Event = tuple[Any, ...]


@dataclass(frozen=True)
class SavedSession:
    """Cookies, storage, tabs, and what the session emulates. `given`: how many refs, frames and tabs have got ids."""

    state: BrowserState | None = None
    tabs: tuple[tuple[str, PageText], ...] = ()
    current: str | None = None
    is_offline: bool = False
    throttling: Throttling = Throttling()
    clipboard_text: Text = Own()
    overrides: Overrides = Overrides()
    given: tuple[int, int, int] = (1, 0, 0)

    @classmethod
    def of(cls, saved: SavedContext) -> SavedSession:
        shared, refs = saved.shared, saved.shared.ref_numbers
        return cls(
            saved.state,
            saved.tabs,
            saved.current,
            shared.is_offline,
            shared.throttling,
            shared.clipboard_text,
            shared.overrides,
            (refs.next, refs.frames, saved.ids_given),
        )

    def context(self, reason: str) -> SavedContext:
        """Return what a context is opened with; `reason` says why, in the words of what the agent is told."""
        refs, frames, tabs = self.given
        numbers = RefNumbers(refs, frames).continued(reason[:1].lower() + reason[1:])
        shared = SharedState(self.is_offline, self.throttling, self.clipboard_text, numbers, self.overrides)
        return SavedContext(self.state, self.tabs, self.current, RESTORED, reason, shared, ids_given=tabs)

    def with_newer(
        self, tabs: tuple[tuple[str, PageText], ...], current: str | None, given: tuple[int, int, int]
    ) -> SavedSession:
        """Return it with what the server was told after it was saved, so that no ref or tab id is given twice."""
        highest = tuple(map(max, zip(self.given, given, strict=True)))
        refs, frames, ids = highest
        return replace(self, tabs=tabs or self.tabs, current=current or self.current, given=(refs, frames, ids))


@dataclass(frozen=True)
class Orders:
    """What the sessions of a node work by, besides the server's settings, policy and secrets.

    `ports`: those of the server itself, which no page may reach.
    """

    approval: Approval
    has_people: bool
    ports: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class Opening:
    """A session to open. `is_unused`: a default session, which takes its slot when it is first used.

    `begins_with`, `keeps_login`, `login`: the state that it begins with, whether the server saves it again, and its
    label in messages. `saved`: what was saved of it on another node, which it left for a `reason`. `hosts`: those that
    people have allowed it. `is_paused`, `person`: how people held it, and who drove it.
    """

    name: str
    owner: str | None
    window: WindowChoice = AS_SET
    is_unused: bool = False
    begins_with: BrowserState | None = None
    keeps_login: bool = False
    login: str = ""
    saved: SavedSession | None = None
    reason: str = ""
    hosts: tuple[str, ...] = ()
    is_paused: bool = False
    person: str | None = None
    typed: tuple[str, ...] = ()


@dataclass(frozen=True)
class SessionFacts:
    """What the server must know of a session without asking: what is listed, who drives, and what would be lost.

    `tabs`: all addresses in full, which clients are not shown; `given`: how many refs, frames and tabs have got ids.
    `root`: its workspace on the node, for which the server's is to be read. `number`: higher for newer facts.
    `typed`: what people have typed there, which is withheld from agents, on another node too.
    """

    name: str
    described: dict[str, Any]
    driver: DriverState
    lease: Lease | None
    handoffs: tuple[HandoffRequest, ...]
    has_slot: bool
    tabs: tuple[tuple[str, PageText], ...] = ()
    current: str | None = None
    given: tuple[int, int, int] = (1, 0, 0)
    root: str = ""
    has_files: bool = False
    typed: tuple[str, ...] = ()
    number: int = 0


@dataclass(frozen=True)
class RunRequest:
    """An action to run, as plain data. `call`: by which questions and progress of it are told.

    `number`: that of the entry which the server has opened for it in the journal. `asks`: whether the caller has a
    person who can be asked; `reports`: whether the caller shows progress.
    """

    call: str
    action: str
    arguments: dict[str, Any]
    number: int
    tab: str | None = None
    timeout: float | None = None
    quiet: bool = False
    names: dict[str, str] = field(default_factory=dict[str, str])
    view: ViewKind | None = None
    asks: bool = False
    reports: bool = False


@dataclass(frozen=True)
class FileFacts:
    """A file in the workspace that a session has on its node. `is_known`: the server has had it under this path."""

    path: str
    size: int
    is_known: bool


@dataclass(frozen=True)
class RunAnswer:
    """What came of an action: an outcome or an error, the line for the journal, and the files that it has written.

    `facts`: None if it closed its session.
    """

    facts: SessionFacts | None
    outcome: AnyOutcome | None = None
    error: RoveError | None = None
    line: dict[str, Any] | None = None
    files: tuple[FileFacts, ...] = ()
