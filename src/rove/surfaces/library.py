"""The Python library: a typed method for every action.

async with rove.open() as session:
    await session.navigate("https://example.com")
    await session.click('link "More"')
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from functools import cache
from typing import Any, Concatenate, ParamSpec, TypeVar

from rove.action import Action, make_action, registry
from rove.actions.devtools.console import Console
from rove.actions.devtools.cookies import Cookies
from rove.actions.devtools.network import Network
from rove.actions.devtools.storage import Storage
from rove.actions.devtools.throttling import Throttle
from rove.actions.devtools.workers import Workers
from rove.actions.emulation.credentials import Credentials
from rove.actions.emulation.device import Emulate
from rove.actions.emulation.interception import Intercept
from rove.actions.emulation.permissions import Permissions
from rove.actions.files.documents import ReadPdf
from rove.actions.files.images import ReadImage
from rove.actions.input.clipboard import Clipboard
from rove.actions.input.dialogs import Dialog
from rove.actions.input.files import Upload
from rove.actions.input.forms import Check, Fill, FillForm, Select
from rove.actions.input.keyboard import Press, Type
from rove.actions.input.pointer import Click, Drag, Hover, Scroll
from rove.actions.pages.aria import AriaSnapshot
from rove.actions.pages.extract import Extract
from rove.actions.pages.find import Find
from rove.actions.pages.navigation import Back, Forward, Navigate, Reload, Visit
from rove.actions.pages.outline import Outline
from rove.actions.pages.pdf import Pdf
from rove.actions.pages.screenshot import Screenshot
from rove.actions.pages.script import Evaluate
from rove.actions.pages.snapshot import Snapshot
from rove.actions.pages.wait import Wait
from rove.actions.reading.fetch import WebFetch
from rove.actions.sessions.batch import Batch
from rove.actions.sessions.emulation import Offline, Resize
from rove.actions.sessions.handoff import Handoff
from rove.actions.sessions.sessions import CloseSession, OpenSession, Status
from rove.actions.sessions.states import DeleteState, ExportState, ImportState, LoadState, SaveState, States
from rove.actions.sessions.tabs import Tabs
from rove.advice import Names, insert_names
from rove.engine.sessions.session import Session as EngineSession
from rove.engine.sessions.sessions import Sessions
from rove.errors import RoveError
from rove.guard.policy.approval import Approver
from rove.guard.policy.policy import Policy
from rove.outcome import Outcome, Result
from rove.settings.tree import Settings, load
from rove.states.choice import LoginChoice
from rove.surfaces.approvers import appointed

P = ParamSpec("P")
R = TypeVar("R", bound=Result)


@cache
def _names() -> Names:
    return {verb: f"session.{verb}()" for verb in registry()}


@contextmanager
def _hints_for_python() -> Generator[None]:
    """Let hints name methods of this class."""
    try:
        yield
    except RoveError as error:
        error.hint = insert_names(error.hint, _names())
        raise


def method(action: Callable[P, Action[R]]) -> Callable[Concatenate[Session, P], Awaitable[Outcome[R]]]:
    """Return a method that takes the arguments of an action and runs it."""

    async def run(self: Session, /, *args: P.args, **kwargs: P.kwargs) -> Outcome[R]:
        return await self.run(make_action(action, *args, **kwargs))

    run.__doc__ = action.__doc__
    return run


class Session:
    """One isolated browser session. Every method answers with an Outcome or raises a RoveError."""

    def __init__(
        self,
        sessions: Sessions,
        name: str | None,
        *,
        tab: str | None = None,
        timeout: float | None = None,
        quiet: bool = False,
    ) -> None:
        self._sessions = sessions
        self._name = name
        self._tab = tab
        self._timeout = timeout
        self._quiet = quiet

    @property
    def name(self) -> str:
        return self._engine.name

    @property
    def _engine(self) -> EngineSession:
        return self._sessions.session(self._name)

    async def run(
        self, action: Action[R], *, tab: str | None = None, timeout: float | None = None, quiet: bool = False
    ) -> Outcome[R]:
        """Run any action. The methods below make an action and run it."""
        with _hints_for_python():
            outcome = await self._engine.run(
                action,
                tab=tab or self._tab,
                timeout=timeout or self._timeout,
                quiet=quiet or self._quiet,
                names=_names(),
            )
        if stopped := outcome.result.error:
            stopped.outcome = outcome
            raise stopped
        return outcome

    def using(self, *, tab: str | None = None, timeout: float | None = None, quiet: bool = False) -> Session:
        """Return the same session with other defaults: a tab, a deadline, or outcomes without changes."""
        return Session(self._sessions, self._name, tab=tab, timeout=timeout, quiet=quiet)

    navigate = method(Navigate)
    back = method(Back)
    forward = method(Forward)
    reload = method(Reload)
    snapshot = method(Snapshot)
    aria_snapshot = method(AriaSnapshot)
    outline = method(Outline)
    find = method(Find)
    click = method(Click)
    hover = method(Hover)
    drag = method(Drag)
    scroll = method(Scroll)
    fill = method(Fill)
    fill_form = method(FillForm)
    select = method(Select)
    check = method(Check)
    upload = method(Upload)
    type = method(Type)
    press = method(Press)
    wait = method(Wait)
    screenshot = method(Screenshot)
    extract = method(Extract)
    evaluate = method(Evaluate)
    tabs = method(Tabs)
    batch = method(Batch)
    handoff = method(Handoff)
    dialog = method(Dialog)
    console = method(Console)
    network = method(Network)
    clipboard = method(Clipboard)
    pdf = method(Pdf)
    workers = method(Workers)
    cookies = method(Cookies)
    storage = method(Storage)
    resize = method(Resize)
    offline = method(Offline)
    throttle = method(Throttle)
    read_image = method(ReadImage)
    web_fetch = method(WebFetch)
    visit = method(Visit)
    read_pdf = method(ReadPdf)
    emulate = method(Emulate)
    permissions = method(Permissions)
    credentials = method(Credentials)
    intercept = method(Intercept)
    status = method(Status)
    open_session = method(OpenSession)
    close_session = method(CloseSession)
    save_state = method(SaveState)
    load_state = method(LoadState)
    states = method(States)
    delete_state = method(DeleteState)
    import_state = method(ImportState)
    export_state = method(ExportState)

    async def another(
        self,
        name: str | None = None,
        *,
        state: str | None = None,
        save_on_close: bool = False,
        profile: str | None = None,
    ) -> Session:
        """Open a second session, with a saved state or a profile if given. It shares nothing with this one."""
        with _hints_for_python():
            choice = LoginChoice(state, profile, save_on_close)
            return Session(self._sessions, await self._sessions.open_session(name, login=choice))


@asynccontextmanager
async def open_with(
    settings: Settings, policy: Policy | None = None, approver: Approver | None = None
) -> AsyncGenerator[Session]:
    """Open a browser session with settings that have been read already."""
    async with Sessions(settings, policy, approver or appointed(settings)) as sessions:
        sessions.start_early()
        yield Session(sessions, None)


def open(
    *, policy: Policy | None = None, approver: Approver | None = None, **settings: Any
) -> AbstractAsyncContextManager[Session]:
    """Open a browser session. Settings are those of `rove config show`, with `__` for the dot: `limits__tabs=3`."""
    return open_with(load(**settings), policy, approver)
