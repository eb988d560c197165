"""A browser session, with a coroutine method for every action, and opening one from Python."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from types import TracebackType
from typing import Any, NoReturn, Self, TypeVar, cast

from rove.action import Action
from rove.advice import Names
from rove.browser.sessions import WindowChoice
from rove.engine.session import Session as EngineSession
from rove.engine.sessions import DEFAULT, Sessions
from rove.errors import InvalidArguments, InvalidSettings, NotOpen, RoveError
from rove.guard.policy import Approver, Policy
from rove.outcome import AnyOutcome, Outcome, Result
from rove.recordings.journal_steps import MadeRecording
from rove.settings.tree import Settings, load
from rove.storage.state import LoginChoice
from rove.surfaces.approvers import appointed
from rove.surfaces.library.action_methods import ActionMethods
from rove.surfaces.library.method import for_python, names_in_python
from rove.toolsets.catalogue import LONGEST_TIMEOUT
from rove.toolsets.tool import Call

R = TypeVar("R", bound=Result)
Closing = Callable[[], Awaitable[None]]


class RecordingInProgress:
    """What is being recorded: its steps once the block has ended."""

    def __init__(self) -> None:
        self.made: MadeRecording | None = None

    @property
    def steps(self) -> int:
        """How many steps were recorded. Raises NotOpen while it goes on."""
        if self.made is None:
            raise for_python(NotOpen("The recording goes on: its steps are known when the block ends."))
        return len(self.made.recording.steps)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a person should know of the recording, such as values that it does not have."""
        return self.made.notes if self.made else ()


class Session(ActionMethods):
    """One isolated browser session. Every method of an action returns an Outcome or raises a RoveError.

    It is a context manager that closes the session: `async with await session.another() as other`.
    """

    def __init__(
        self,
        sessions: Sessions,
        name: str | None,
        *,
        tab: str | None = None,
        timeout: float | None = None,
        quiet: bool = False,
        closing: Closing | None = None,
    ) -> None:
        self._sessions = sessions
        self._name = name
        self._tab = tab
        self._timeout = timeout
        self._quiet = quiet
        self._closing = closing

    @property
    def name(self) -> str:
        """The name of the session, which the journal and `rove serve` show."""
        return self._name or DEFAULT

    @property
    def settings(self) -> Settings:
        """The settings that the browser was opened with."""
        return self._sessions.settings

    @property
    def _engine(self) -> EngineSession:
        return self._sessions.session(self._name)

    def __repr__(self) -> str:
        return f"<rove.Session {self.name!r}>"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def run(
        self, action: Action[R], *, tab: str | None = None, timeout: float | None = None, quiet: bool = False
    ) -> Outcome[R]:
        """Run any action. The other methods make an action and run it.

        tab: The id of the tab, such as "t2"; by default the one in front.
        timeout: Seconds until it fails with `deadline_exceeded`.
        quiet: Whether to leave out what changed on the page.
        """
        try:
            self._sessions.refuse_other_loop()
            outcome = await self._engine.run(
                action,
                tab=tab or self._tab,
                timeout=timeout or self._timeout,
                quiet=quiet or self._quiet,
                names=names_in_python(),
            )
        except RoveError as error:
            raise for_python(error) from error.__cause__
        if stopped := outcome.result.error:
            stopped.outcome = outcome
            raise for_python(stopped)
        return outcome

    async def run_call(self, call: Call, names: Names) -> AnyOutcome:
        """Run a call of a tool, which may name another session of the same browser."""
        self._sessions.refuse_other_loop()
        session = self._sessions.session(call.session or self._name)
        return await session.run(
            call.action,
            tab=call.tab or self._tab,
            timeout=call.timeout or self._timeout,
            quiet=call.quiet or self._quiet,
            names=names,
            view=call.view,
        )

    def using(self, *, tab: str | None = None, timeout: float | None = None, quiet: bool | None = None) -> Session:
        """Return the same session with other defaults: a tab, a deadline, or outcomes without changes.

        What is not given stays as it was set before.
        """
        given = cast(object, timeout)  # callers without a type checker pass anything
        if given is not None and not (isinstance(given, int | float) and 0 < given <= LONGEST_TIMEOUT):
            problem = f"`timeout`: must be a number of seconds above 0 and at most {LONGEST_TIMEOUT}."
            raise for_python(InvalidArguments(problem))
        return Session(
            self._sessions,
            self._name,
            tab=self._tab if tab is None else tab,
            timeout=self._timeout if timeout is None else timeout,
            quiet=self._quiet if quiet is None else quiet,
            closing=self._closing,
        )

    async def another(
        self,
        name: str | None = None,
        *,
        state: str | None = None,
        save_on_close: bool = False,
        profile: str | None = None,
        video: bool = False,
        har: bool = False,
    ) -> Session:
        """Open a further session in the same browser, which shares no cookies and no pages with this one.

        state: The name of a saved state, with whose logins it begins.
        save_on_close: Whether its logins are saved to that state when it is closed.
        profile: The name of a profile, which keeps its logins by itself.
        video: Whether a video of it is recorded, to a file in the workspace.
        har: Whether its network traffic is recorded, to a HAR file in the workspace.
        """
        try:
            self._sessions.refuse_other_loop()
            if name is not None and (name == DEFAULT or name in self._sessions.open_sessions(None)):
                raise InvalidArguments(
                    f"A session named {name!r} is open already.", hint="Give it another name, or none."
                )
            choice, window = LoginChoice(state, profile, save_on_close), WindowChoice(video=video, har=har)
            return Session(self._sessions, await self._sessions.open_session(name, None, choice, window))
        except RoveError as error:
            raise for_python(error) from error.__cause__

    @asynccontextmanager
    async def recording(self, name: str, **parameters: str) -> AsyncGenerator[RecordingInProgress]:
        """Record what is done meanwhile under a name: `async with session.recording("order", name="Ada"):`.

        parameters: Texts that differ from run to run; what is typed as their values becomes `${name}`.
        """
        recorder, progress = self._engine.recorder, RecordingInProgress()
        try:
            await recorder.start(name, parameters)
            try:
                yield progress
            finally:
                progress.made = await recorder.stop()
        except RoveError as error:
            raise for_python(error) from error.__cause__

    async def close(self) -> None:
        """Close the session. The one that `rove.open()` began with closes the browser and all its sessions."""
        if self._closing is not None:
            await self._closing()
        elif self._name in self._sessions.open_sessions(None):
            self._sessions.refuse_other_loop()
            await self._sessions.close_session(self._name)


class Opening(AbstractAsyncContextManager[Session]):
    """A browser that is opened with `async with`, or with `start()` and then closed with `close()`."""

    def __init__(self, settings: Settings, policy: Policy | None = None, approver: Approver | None = None) -> None:
        self._settings = settings
        self._policy = policy
        self._approver = approver
        self._sessions: Sessions | None = None

    async def start(self) -> Session:
        """Open the browser and return its first session; closing that session closes the browser."""
        if self._sessions is None:
            sessions = Sessions(self._settings, self._policy, self._approver or appointed(self._settings))
            self._sessions = await sessions.__aenter__()
            sessions.start_early()
        return Session(self._sessions, None, closing=self.close)

    async def session(
        self,
        name: str | None = None,
        *,
        state: str | None = None,
        save_on_close: bool = False,
        profile: str | None = None,
    ) -> Session:
        """Open a further session, which shares no cookies and no pages with the others."""
        if self._sessions is None:
            raise NotOpen("The browser is not open.", hint="Call start() first, or use `async with`.")
        first = Session(self._sessions, None)
        return await first.another(name, state=state, save_on_close=save_on_close, profile=profile)

    async def close(self) -> None:
        """Close all sessions and the browser."""
        if self._sessions is not None:
            sessions = self._sessions
            try:
                sessions.refuse_other_loop()
            except NotOpen as error:
                raise for_python(error) from None
            self._sessions = None
            await sessions.close()

    async def __aenter__(self) -> Session:
        return await self.start()

    def __enter__(self) -> NoReturn:
        raise TypeError("use `async with rove.open()`, or `with rove.sync.open()` for methods that wait")

    def __exit__(self, *error: object) -> None: ...

    def __await__(self) -> NoReturn:
        raise TypeError("use `async with rove.open()`, or `await rove.open().start()`")

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


def open_with(settings: Settings, policy: Policy | None = None, approver: Approver | None = None) -> Opening:
    """Open a browser session with settings that have been read already."""
    return Opening(settings, policy, approver)


def open(*, policy: Policy | None = None, approver: Approver | None = None, **settings: Any) -> Opening:
    """Open a browser session: `async with rove.open() as session`, or `session = await rove.open().start()`.

    policy: Decides what the agent may do; by default the rules of the settings.
    approver: Answers where the policy asks a person.
    settings: Those of `rove config show`, with `__` for the dot: `limits__tabs=3`.
    """
    with reading_settings():
        return Opening(load(**settings), policy, approver)


@contextmanager
def reading_settings() -> Generator[None]:
    """Let the traceback of a wrong setting show its code and its hint."""
    try:
        yield
    except InvalidSettings as error:
        raise for_python(error) from None
