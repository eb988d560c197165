"""What one run of an action is given: what the caller chooses, and the parts of the session that it uses."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Protocol

from rove.action import AnyAction, FetchAction, SessionDirectory, WebAccess
from rove.advice import Names
from rove.engine.deadline import Deadline
from rove.engine.gate import Gate
from rove.engine.journal import Entry, Journal
from rove.engine.network_access import NetworkAccess
from rove.engine.people import Driver, Handoffs
from rove.guard.policy import Approver
from rove.guard.secrets.secret import NearMisses
from rove.guard.secrets.secrets import Secrets
from rove.outcome import ViewKind
from rove.recorded_steps import RecordingDesk
from rove.records import dataclass
from rove.settings.tree import Settings

if TYPE_CHECKING:
    from rove.browser.shared.context import Context
    from rove.browser.shared.tab import Tab

# Called with a message, and with how many of how many steps are done; zeros where there are no steps.
Report = Callable[[str, int, int], None]


def ignore_progress(message: str, done: int, total: int) -> None:
    """Drop progress, for callers that do not show it."""


@dataclass(frozen=True)
class RunOptions:
    """Where an action runs, for how long, and how the caller is asked and answered.

    `tab`: the id of a tab; None for the current one. `timeout`: seconds; None for those of the settings.
    `quiet`: leave out what changed on the page. `channel`: the person to ask, unless the owner has set an approver.
    `names`: what the caller calls each action. `view`: show all of the page instead of what changed.
    """

    tab: str | None
    timeout: float | None
    report: Report
    quiet: bool
    channel: Approver | None
    names: Names
    view: ViewKind | None = None


@dataclass(frozen=True)
class WebCall:
    """A call that reads addresses of the web: its action, its time, and how it gets a browser if it needs one."""

    action: FetchAction[Any]
    entry: Entry
    deadline: Deadline
    channel: Approver | None
    open_context: Callable[[], Awaitable[Context]]
    report: Callable[[str], None]


class Web(Protocol):
    """Opens the web for the calls of one session."""

    def for_call(self, call: WebCall, /) -> WebAccess: ...


class StepRecorder(RecordingDesk, Protocol):
    """Notes what a step is about to touch and, while a recording is made, what it led to."""

    @property
    def describes(self) -> bool:
        """Whether it is noted by what the elements of each action can be found."""
        ...

    async def before(self, action: AnyAction, entry: Entry, tab: Tab, may_show: bool, /) -> None:
        """Note where the elements of an action are and what they can be found by, if the page may be shown."""

    async def after(self, entry: Entry, context: Context | None, may_show: Callable[[Tab], bool], /) -> None:
        """Note what a step led to."""


class SessionView(Protocol):
    """A session as one run sees it. `engine.sessions.session.Session` is the one implementation."""

    name: str
    settings: Settings
    gate: Gate
    directory: SessionDirectory
    network: NetworkAccess
    secrets: Secrets
    journal: Journal
    driver: Driver
    handoffs: Handoffs
    # Removes secrets, and what a person has typed, from a text that leaves the session.
    redact: Callable[[str], str]
    near_misses: NearMisses
    # Called with each action, and each step of one; it raises if the client may not do more.
    before_call: Callable[[AnyAction], object]

    @property
    def recorder(self) -> StepRecorder: ...

    @property
    def web(self) -> Web:
        """The web, for calls that read addresses without a tab."""
        ...

    @property
    def has_pages(self) -> bool:
        """Whether the session has a browser context."""
        ...

    async def context(self, progress: Callable[[str], None], /) -> Context:
        """Return the session's browser context; open one if there is none."""
        ...

    @property
    def awaits_popups(self) -> bool:
        """Whether pages have opened popups that are no tabs yet, or may have."""
        ...

    async def wait_for_popups(self) -> None:
        """Wait until the popups that pages have opened are tabs."""
