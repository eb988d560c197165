"""Sessions and their tabs: opened, listed, switched, handed over to a person, closed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Literal, cast

from rove.action import (
    ContextAction,
    Effect,
    HandoffDesk,
    PersonAction,
    SessionDirectory,
    SessionsAction,
    Url,
    action,
    arg,
)
from rove.browser.sessions import ViewportSize, WindowChoice
from rove.errors import InvalidArguments, NotOpen
from rove.outcome import Passage, Result
from rove.page_text import Own, PageText
from rove.records import dataclass
from rove.settings.sections import EngineName
from rove.storage.state import LoginChoice, LoginKind, LoginUse

if TYPE_CHECKING:
    from rove.browser.context import TabInfo
    from rove.browser.shared.context import Context

# Seconds that a browser may take to start, in addition to the time of every call.
LONGEST_START = 30.0


@dataclass(frozen=True)
class StatusReport(Result):
    sessions: tuple[dict[Any, Any], ...]

    def __str__(self) -> str:
        return "\n".join(passage.text for passage in self.passages(""))

    def passages(self, origin: str) -> Iterator[Passage]:
        """Tell the sessions, and each tab's address as written by its page."""
        for session in self.sessions:
            name, guard = str(session["session"]), str(session.get("guard", ""))
            yield Passage(f"session {name} {guard}".rstrip())
            if loaded := cast("tuple[Own, ...]", session.get("extensions", ())):
                yield Passage(f"  extensions: {', '.join(loaded)}")
            files: tuple[Own, ...] = session.get("recording", ())
            yield from (Passage(f"  recording to {path}") for path in files)
            for tab in session["tabs"]:
                mark = "*" if tab["is_current"] else " "
                url: PageText = tab["url"]
                yield Passage(url.around(f"  {mark} {tab['id']} {url}"))
        if not self.sessions:
            yield Passage("No session is open.")


@action(Effect.READ)
class Status(SessionsAction[StatusReport]):
    """Tell which sessions and tabs are open and where they are."""

    async def perform(self, directory: SessionDirectory) -> StatusReport:
        return StatusReport(tuple(await directory.sessions()))


@dataclass(frozen=True)
class SessionOpened(Result):
    # The argument that names a session in the calls that follow.
    argument: ClassVar[Own] = Own("session")

    session: Own
    is_new: bool
    login: Own = Own("")
    # What it has instead of what the settings say.
    headless: bool | None = None
    viewport: ViewportSize | None = None
    engine: EngineName | None = None
    # Where its current tab is, if it has one.
    url: PageText | None = None

    def __str__(self) -> str:
        if self.is_new:
            login = f", with the {self.login}" if self.login else ""
            return f"Opened session {self.session}{login}: pass it as `{self.argument}`."
        return f"Session {self.session} was open already, with all that is in it: pass it as `{self.argument}`."


@action(Effect.SPAWN, observes=False)
class OpenSession(SessionsAction[SessionOpened]):
    """Open a session of its own, with no cookies or storage of others."""

    name: str | None = arg("Name to use as `session`; made up if not given.", default=None, max_length=64,
                           pattern=r"^[A-Za-z0-9_.-]+$")  # fmt: skip
    state: str | None = arg("Saved state to begin with.", default=None, rare=True)
    save_on_close: bool = arg(
        "Save the session as `state` after calls, and when it is closed.", default=False, rare=True
    )
    headless: bool | None = arg("Without a window, or with one.", default=None, rare=True)
    viewport: ViewportSize | None = arg("Size of its tabs.", default=None, rare=True)
    engine: EngineName | None = arg("Browser engine; the one that is set if not given.", default=None, rare=True)
    start: bool = arg("Start its browser now, not with the first call.", default=False, rare=True)
    video: bool = arg("Record a video of it.", default=False, rare=True)
    har: bool = arg("Record its network traffic as HAR.", default=False, rare=True)
    must_be_new: bool = arg("Refuse a name that is open already.", default=False, rare=True)
    profile: str | None = arg("Profile, which a browser of its own keeps.", default=None, rare=True)

    @property
    def logins(self) -> tuple[LoginUse, ...]:
        named: tuple[tuple[LoginKind, str | None], ...] = (("state", self.state), ("profile", self.profile))
        return tuple(LoginUse(kind, name, self.name or "") for kind, name in named if name is not None)

    @property
    def takes(self) -> float:
        return LONGEST_START if self.start else 0.0

    async def refuse_early(self, directory: SessionDirectory) -> None:
        if self.name not in await _names(directory):
            await directory.refuse_if_full(self.name)
        elif self.must_be_new:
            raise InvalidArguments(
                f"A session {self.name} is open already.", hint="Choose another name, or use it if you have opened it."
            )

    async def perform(self, directory: SessionDirectory) -> SessionOpened:
        await self.refuse_early(directory)  # another call may have opened it while a person was asked
        known = await _names(directory)
        choice = LoginChoice(self.state, self.profile, self.save_on_close)
        window = WindowChoice(self.headless, self.viewport, self.start, self.engine, self.video, self.har)
        name = await directory.open_session(self.name, choice, window)
        login = " and ".join(f"{use.kind} {use.name}" for use in self.logins)
        shown = (self.headless, self.viewport, self.engine)
        return SessionOpened(Own(name), name not in known, Own(login), *shown, await _address(directory, name))


async def _address(directory: SessionDirectory, name: str) -> PageText | None:
    """Return the address of the current tab of a session."""
    tabs = (tab for session in await directory.sessions() if session["session"] == name for tab in session["tabs"])
    return next((tab["url"] for tab in tabs if tab["is_current"]), None)


async def _names(directory: SessionDirectory) -> set[str]:
    return {session["session"] for session in await directory.sessions()}


@dataclass(frozen=True)
class SessionClosed(Result):
    session: Own

    def __str__(self) -> str:
        return f"Closed session {self.session}."


@action(Effect.ACT, observes=False)
class CloseSession(SessionsAction[SessionClosed]):
    """Close a session and forget its cookies and storage, unless they are saved."""

    name: str | None = arg("Which; the one of this call if not given.", default=None)

    async def perform(self, directory: SessionDirectory) -> SessionClosed:
        return SessionClosed(Own(await directory.close_session(self.name)))


@dataclass(frozen=True)
class OpenTab:
    id: Own
    url: PageText
    title: PageText
    is_current: bool

    def __str__(self) -> str:
        return f"{'*' if self.is_current else ' '} {self.id} {json.dumps(self.title, ensure_ascii=False)} {self.url}"


@dataclass(frozen=True)
class TabList(Result):
    tabs: tuple[OpenTab, ...]

    def __str__(self) -> str:
        return "\n".join(map(str, self.tabs)) or "No tab is open."

    def passages(self, origin: str) -> Iterator[Passage]:
        """Tell each tab as written by its own page."""
        yield from (Passage(str(tab), tab.url.origin) for tab in self.tabs)
        if not self.tabs:
            yield Passage(str(self))


@action(Effect.ACT)
class Tabs(ContextAction[TabList]):
    """List, open, switch or close tabs."""

    operation: Literal["list", "new", "switch", "close"] = arg("What to do.", default="list")
    tab: str | None = arg("Which tab, with switch and close.", default=None)
    url: Url | None = arg("Address for a new tab.", default=None)
    index: int | None = arg("Which tab, by its place in the list, from 0.", default=None, ge=0, rare=True)
    at_least_one: bool = arg("Open an empty tab if there is none.", default=False, rare=True)

    @property
    def destination(self) -> str | None:
        return self.url

    @property
    def shows_page(self) -> bool:
        return self.operation in ("new", "switch")

    @property
    def is_step(self) -> bool:
        return self.operation != "list"

    def concerns(self, context: Context) -> TabInfo | None:
        if self.operation in ("list", "new"):
            return None
        wanted = self._wanted(context)
        return next((tab for tab in context.tab_infos if tab.id == wanted), context.current)

    def _wanted(self, context: Context) -> str | None:
        """Return the id of the tab that is meant. Raises NotOpen if there are not so many."""
        if self.index is None:
            return self.tab
        if self.index >= len(context.tab_infos):
            raise NotOpen(f"Tab {self.index} not found.")
        return context.tab_infos[self.index].id

    async def perform(self, context: Context) -> TabList:
        if self.at_least_one:
            await context.tab()
        if self.operation == "new":
            tab = await context.new_tab()
            if self.url:
                await tab.navigate(self.url)
        elif self.operation == "switch":
            if self.tab is None and self.index is None:
                raise InvalidArguments("`tab` is missing: say which tab to switch to.")
            context.switch(await context.tab(self._wanted(context)))
        elif self.operation == "close":
            await context.close_tab(await context.tab(self._wanted(context)))
        listed = [(tab, await _shown(context, tab)) for tab in context.tab_infos]
        # A page may have closed itself meanwhile.
        return TabList(tuple(shown for tab, shown in listed if tab in context.tab_infos))


async def _shown(context: Context, tab: TabInfo) -> OpenTab:
    is_current = tab is context.current
    if not context.may_read(tab.url):
        return OpenTab(Own(tab.id), tab.url.around(tab.url.origin), tab.url.around(""), is_current)
    return OpenTab(Own(tab.id), tab.url, await tab.title(), is_current)


@dataclass(frozen=True)
class HandedBack(Result):
    person: Own | None
    seconds: float

    def __str__(self) -> str:
        return f"{self.person or 'A person'} has handed back after {self.seconds:g} s. What they typed is not shown."


@action(Effect.HANDOFF, observes=True)
class Handoff(PersonAction[HandedBack]):
    """Ask a person to do something in this tab (log in, solve a captcha, pay), and wait until they hand back."""

    reason: str = arg("What to do.", max_length=500)
    timeout: float | None = arg("Seconds to wait for them.", default=None, gt=0, le=3600)

    async def perform(self, desk: HandoffDesk, tab: TabInfo, report: Callable[[str], None]) -> HandedBack:
        person, seconds = await desk.hand_off(tab, self.reason, self.timeout, report)
        return HandedBack(Own(person) if person else None, seconds)
