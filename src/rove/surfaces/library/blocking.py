"""Sessions for scripts and notebooks, whose methods wait for their outcomes.

The browser is driven by an event loop in a thread of its own, so that this works where a loop runs already, as in
notebooks, and so that the browser's events are handled while the program does other things.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Generator, Iterator, Mapping
from concurrent.futures import CancelledError
from contextlib import AbstractAsyncContextManager, AbstractContextManager, contextmanager
from types import TracebackType
from typing import Any, Self, TypeVar

from rove.action import Action
from rove.errors import NotOpen, RoveError
from rove.guard.policy import Approver, Policy
from rove.outcome import Outcome, Result
from rove.settings.tree import Settings, load
from rove.surfaces.library.blocking_methods import BlockingMethods
from rove.surfaces.library.method import for_python
from rove.surfaces.library.session import Opening, RecordingInProgress, Session, reading_settings
from rove.surfaces.library.tools import SchemaForm, SessionTools, error_answer
from rove.toolsets.tool import Answer, Tool

R = TypeVar("R", bound=Result)
T = TypeVar("T")


class LoopThread:
    """An event loop in a thread of its own, for one browser."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="rove", daemon=True)
        self._thread.start()

    def wait_for(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine in the loop and wait for its result; an interrupt cancels it. Raises NotOpen once closed."""
        if self._loop.is_closed():
            work.close()
            raise for_python(_closed_error())
        running = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return running.result()
        except CancelledError:
            raise for_python(_closed_error()) from None
        except BaseException:
            running.cancel()
            raise

    def close(self) -> None:
        """Stop the loop and its thread. Calls of other threads that are under way end with NotOpen."""
        asyncio.run_coroutine_threadsafe(_cancel_others(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


async def _cancel_others() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


def _closed_error() -> NotOpen:
    return NotOpen("This browser has been closed.", hint="Open another, with `rove.sync.open()`.")


class BlockingSession(BlockingMethods):
    """One isolated browser session. Every method waits, and returns an Outcome or raises a RoveError."""

    def __init__(self, session: Session, thread: LoopThread, closing: Callable[[], None] | None = None) -> None:
        self._session = session
        self._thread = thread
        self._closing = closing

    @property
    def name(self) -> str:
        """The name of the session, which the journal and `rove serve` show."""
        return self._session.name

    @property
    def settings(self) -> Settings:
        """The settings that the browser was opened with."""
        return self._session.settings

    def __repr__(self) -> str:
        return f"<rove.sync.Session {self.name!r}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def run(
        self, action: Action[R], *, tab: str | None = None, timeout: float | None = None, quiet: bool = False
    ) -> Outcome[R]:
        """Run any action. The other methods make an action and run it."""
        return self._thread.wait_for(self._session.run(action, tab=tab, timeout=timeout, quiet=quiet))

    def using(
        self, *, tab: str | None = None, timeout: float | None = None, quiet: bool | None = None
    ) -> BlockingSession:
        """Return the same session with other defaults: a tab, a deadline, or outcomes without changes."""
        session = self._session.using(tab=tab, timeout=timeout, quiet=quiet)
        return BlockingSession(session, self._thread, self._closing)

    def another(
        self,
        name: str | None = None,
        *,
        state: str | None = None,
        save_on_close: bool = False,
        profile: str | None = None,
        video: bool = False,
        har: bool = False,
    ) -> BlockingSession:
        """Open a further session in the same browser, which shares no cookies and no pages with this one."""
        opening = self._session.another(
            name, state=state, save_on_close=save_on_close, profile=profile, video=video, har=har
        )
        return BlockingSession(self._thread.wait_for(opening), self._thread)

    @contextmanager
    def recording(self, name: str, **parameters: str) -> Generator[RecordingInProgress]:
        """Record what is done meanwhile under a name: `with session.recording("order", name="Ada"):`."""
        recording = self._session.recording(name, **parameters)
        progress = self._thread.wait_for(_entered(recording))
        try:
            yield progress
        finally:
            self._thread.wait_for(_left(recording))

    def close(self) -> None:
        """Close the session. The one that `rove.sync.open()` began with closes the browser and all its sessions."""
        if self._closing is not None:
            self._closing()
        else:
            self._thread.wait_for(self._session.close())


class BlockingTools(Mapping[str, Tool]):
    """The tools that a model may call in a session, by name. A call waits for its answer."""

    def __init__(self, session: BlockingSession) -> None:
        self._tools = SessionTools(session._session)  # pyright: ignore[reportPrivateUsage]
        self._thread = session._thread  # pyright: ignore[reportPrivateUsage]

    @property
    def instructions(self) -> str:
        """What a model should be told of the tools, for its system prompt."""
        return self._tools.instructions

    def schemas(self, form: SchemaForm = "mcp") -> list[dict[str, Any]]:
        """Return the tools as a provider's API takes them: name, description and JSON schema of the arguments.

        form: "openai" is for the Responses API, "openai-chat" for Chat Completions, "gemini" for function declarations.
        """
        return self._tools.schemas(form)

    def call(self, name: str, arguments: Mapping[str, Any] | str | None = None) -> Answer:
        """Run a call that a model made, and return what the model is to be told: an error is an answer too.

        arguments: As an object, or as the JSON text that some APIs give; None where there are none.
        """
        try:
            return self._thread.wait_for(self._tools.call(name, arguments))
        except RoveError as error:  # the browser has been closed
            return error_answer(error)

    def __getitem__(self, name: str) -> Tool:
        return self._tools[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tools)

    def __len__(self) -> int:
        return len(self._tools)


async def _entered(recording: AbstractAsyncContextManager[T]) -> T:
    return await recording.__aenter__()


async def _left(recording: AbstractAsyncContextManager[T]) -> None:
    await recording.__aexit__(None, None, None)


class BlockingOpening(AbstractContextManager[BlockingSession]):
    """A browser that is opened with `with`, or with `start()` and then closed with `close()`."""

    def __init__(self, opening: Opening) -> None:
        self._opening = opening
        self._thread: LoopThread | None = None

    def start(self) -> BlockingSession:
        """Open the browser and return its first session; closing that session closes the browser."""
        if self._thread is None:
            self._thread = LoopThread()
        return BlockingSession(self._thread.wait_for(self._opening.start()), self._thread, self.close)

    def close(self) -> None:
        """Close all sessions and the browser."""
        if self._thread is not None:
            thread, self._thread = self._thread, None
            try:
                thread.wait_for(self._opening.close())
            finally:
                thread.close()

    def __enter__(self) -> BlockingSession:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open(*, policy: Policy | None = None, approver: Approver | None = None, **settings: Any) -> BlockingOpening:
    """Open a browser session: `with rove.sync.open() as session`, or `session = rove.sync.open().start()`.

    policy: Decides what the agent may do; by default the rules of the settings.
    approver: Answers where the policy asks a person.
    settings: Those of `rove config show`, with `__` for the dot: `limits__tabs=3`.
    """
    with reading_settings():
        return BlockingOpening(Opening(load(**settings), policy, approver))


def tools(session: BlockingSession) -> BlockingTools:
    """Return the tools of a session for a model: `schemas()` describes them, `call()` runs a call of the model."""
    return BlockingTools(session)
