"""Sessions: named, isolated from each other, and closed when idle."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, cast

from rove.action import Effect, SessionDirectory, SessionsAction, action, arg
from rove.browser.sessions import ViewportSize, WindowChoice
from rove.errors import InvalidArguments
from rove.outcome import Own, PageText, Passage, Result
from rove.settings.sections import EngineName
from rove.states.choice import LoginChoice, LoginKind, LoginUse
from rove.validation.record import dataclass

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
