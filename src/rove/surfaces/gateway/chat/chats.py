"""The chats of all sessions: which model answers, one message at a time; further ones wait in order.

Models and their libraries are loaded when the first message is sent: that takes seconds, and many never chat.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import uuid
from collections.abc import Callable, Generator
from importlib import import_module
from typing import TYPE_CHECKING, Any

from rove.engine.client_sessions import ServedSessions
from rove.errors import InvalidArguments, InvalidSettings, LimitReached, MissingKey, NotOpen, RoveError
from rove.owned_names import is_named_by, own_name
from rove.records import dataclass
from rove.settings.tree import Settings
from rove.surfaces.gateway.chat import tea_room
from rove.surfaces.gateway.tools.tool import Publisher, Tools
from rove.tasks import BackgroundTasks

if TYPE_CHECKING:
    from pydantic_ai.models import Model

    from rove.surfaces.gateway.chat.conversation import Conversation

# The environment variable that has the key of each provider.
KEYS = {
    "anthropic": "ANTHROPIC_API_KEY",
    "openai": "OPENAI_API_KEY",
    "openai-chat": "OPENAI_API_KEY",
    "openai-responses": "OPENAI_API_KEY",
}
# A server of one's own mostly needs no key, but the client library wants one.
NO_KEY = "none"

EXAMPLES = "anthropic:claude-sonnet-5-5 or openai:gpt-5.6-sol"

# Messages of one session that may wait while an earlier one is being answered.
MOST_WAITING = 5
LONGEST_MESSAGE = 100_000
# Conversations of sessions that were closed as they were idle, and that a further message goes on with.
MOST_CLOSED = 50
CLOSE_SECONDS = 5.0
MEGABYTE = 2**20
# Who answers what is not for the model.
SERVER = "server"
NO_USAGE = {"inputTokens": 0, "outputTokens": 0, "requests": 0}


@dataclass(frozen=True)
class ModelInfo:
    """What clients are told of the model."""

    name: str
    is_scripted: bool


def model_info(settings: Settings) -> ModelInfo:
    """Return the name of the model that the settings choose, or of the built-in script if they choose none."""
    name = settings.serve.model
    return ModelInfo(tea_room.NAME, True) if name is None else ModelInfo(name, False)


def refuse_unknown_model(settings: Settings) -> None:
    """Raise InvalidSettings for a model that no provider can have, before the server starts."""
    name, url = settings.serve.model, settings.serve.model_url
    if name is None or (url is not None and name):
        return
    provider, _, model = name.partition(":")
    if not provider or not model:
        raise InvalidSettings(
            f"`{name}` names no model: write its provider, a colon and its name.", hint=f"Such as {EXAMPLES}."
        )


def chosen_model(settings: Settings, demo_site: str | None) -> Model:
    """Return the model. Raises InvalidSettings if it is not known, and MissingKey if its provider needs a key."""
    serve = settings.serve
    if serve.model is None:
        from rove.surfaces.gateway.chat.scripted_model import ScriptedModel

        return ScriptedModel(demo_site)
    if serve.model_url is not None:
        return _compatible_model(serve.model, serve.model_url)
    return _model_of_provider(serve.model)


def _compatible_model(name: str, url: str) -> Model:
    """Return a model behind a server that speaks OpenAI's protocol."""
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    key = os.environ.get("OPENAI_API_KEY") or NO_KEY
    provider = OpenAICompatibleProvider("openai-compatible", base_url=url, api_key=key)
    return OpenAIChatModel(name.removeprefix("openai:"), provider=provider)


def _model_of_provider(name: str) -> Model:
    from pydantic_ai.exceptions import UserError
    from pydantic_ai.models import infer_model

    provider = name.partition(":")[0]
    variable = KEYS.get(provider)
    if variable is not None and not os.environ.get(variable):
        raise MissingKey(
            f"The model {name} needs a key, and the environment variable {variable} is not set.",
            hint=f"Set {variable} and start rove serve again; without --serve-model, a built-in script answers.",
        )
    try:
        return infer_model(name)
    except (UserError, ImportError, ValueError) as error:
        raise InvalidSettings(
            f"The model {name} cannot be used: {error}",
            hint=f"Set --serve-model to one such as {EXAMPLES}.",
        ) from error


class _Thread:
    """The chat of one session: its conversation, and its runs, of which the oldest is being answered."""

    def __init__(self, owner: str | None) -> None:
        """`owner`: whose session it is."""
        self.owner = owner
        self.turn = asyncio.Lock()
        self.runs: dict[str, asyncio.Task[None]] = {}
        # The runs that the conversation has begun to answer, and whose end it tells.
        self.begun: set[str] = set()
        self.conversation: Conversation | None = None

    @property
    def bytes_held(self) -> int:
        return self.conversation.bytes_held if self.conversation is not None else 0


class Chats:
    """Answers the messages of people with a model that calls tools."""

    def __init__(
        self,
        tools: Tools,
        events: Publisher,
        sessions: ServedSessions,
        settings: Settings,
        demo_site: str | None = None,
    ) -> None:
        """`demo_site`: address of the built-in site, which the built-in script visits."""
        refuse_unknown_model(settings)
        self._tools = tools
        self._events = events
        self._sessions = sessions
        self._settings = settings
        self._demo_site = demo_site
        self._threads: dict[str, _Thread] = {}
        self._tasks = BackgroundTasks("the chats")
        self._model: Model | None = None

    @property
    def model(self) -> ModelInfo:
        """The model that answers."""
        return model_info(self._settings)

    def session_of(self, run: str) -> str | None:
        """Return the session that a run belongs to; None if it is over or unknown."""
        return next((name for name, thread in self._threads.items() if run in thread.runs), None)

    def open(self, name: str, owner: str | None) -> str:
        """Open a chat with a session of its own, whose browser starts with its first call. Raises LimitReached."""
        self._drop_oldest(owner)
        name = own_name(name, owner)
        if name not in self._threads:
            opened = [each for each in self._of_owner(owner) if each in self._open_names()]
            if len(opened) >= self._settings.serve.chats:
                said = f"{len(opened)} chats of this token are open, which is the limit."
                raise self._too_much(said, opened)
            self._refuse_too_large(owner)
            self._threads[name] = _Thread(owner)
        return self._sessions.add_default(name, owner).name

    async def send(self, session: str, message: str, owner: str | None = None) -> str:
        """Take a message and return the id of its run, which goes on in the background. Raises NotOpen.

        `owner`: who sends it.
        """
        text = message.strip()
        if not text or len(text) > LONGEST_MESSAGE:
            raise InvalidArguments(f"`message` must have 1 to {LONGEST_MESSAGE} characters.")
        name = self._open(session, owner)
        thread = self._threads.setdefault(name, _Thread(self._sessions.session(name).owner))
        self._drop_oldest(thread.owner)
        self._refuse_too_large(thread.owner)
        self._sessions.own_limits.refuse_tokens(thread.owner)
        if len(thread.runs) > MOST_WAITING:
            raise LimitReached(
                f"{MOST_WAITING} messages of this session wait for an answer already.",
                hint="Wait for the answers, or stop the run with chat.abort.",
            )
        run = str(uuid.uuid4())
        is_queued = bool(thread.runs)
        self._publish("chat.message", name, run, {"role": "user", "text": text, "isQueued": is_queued})
        thread.runs[run] = self._tasks.start(self._answer(thread, name, run, text))
        thread.runs[run].add_done_callback(lambda task: self._end(thread, name, run, task))
        return run

    async def tell(self, session: str, message: str, answer: str, owner: str | None = None) -> str:
        """Show a message and the server's own answer to it, of which the model is told nothing; return the run."""
        name, run = self._open(session, owner), str(uuid.uuid4())
        journal = self._sessions.session(name).journal
        self._publish("chat.message", name, run, {"role": "user", "text": message, "isQueued": False})
        await journal.record("message", {"role": "user", "text": message, "runId": run})
        await journal.record("message", {"role": SERVER, "text": answer, "runId": run})
        told = {"text": answer, "usage": NO_USAGE, "attachments": [], "stopReason": "done", "speaker": SERVER}
        self._publish("chat.final", name, run, told)
        return run

    async def abort(self, run: str | None, session: str | None) -> int:
        """Stop a run, or every run of a session, at once; return how many were stopped."""
        stopped = [
            task
            for name, thread in self._threads.items()
            for known, task in thread.runs.items()
            if (run is None and name == session) or known == run
        ]
        for task in stopped:
            task.cancel()
        if stopped:
            await asyncio.wait(stopped, timeout=CLOSE_SECONDS)
        return len(stopped)

    async def forget(self, session: str) -> None:
        """Stop the runs of a session that is closed, and drop its conversation."""
        await self.abort(None, session)
        self._threads.pop(session, None)

    async def close(self) -> None:
        """Stop every run."""
        for name in [*self._threads]:
            await self.forget(name)
        await self._tasks.close()

    def _open_names(self) -> set[str]:
        return {str(known["session"]) for known in self._sessions.sessions()}

    def _of_owner(self, owner: str | None) -> list[str]:
        """Return the sessions of an owner's chats, oldest first."""
        return [name for name, thread in self._threads.items() if thread.owner == owner]

    def _drop_oldest(self, owner: str | None) -> None:
        """Drop the oldest conversations of an owner's sessions that are closed, if there are many."""
        closed = {*self._of_owner(owner)} - self._open_names()
        for name in [name for name in self._threads if name in closed][:-MOST_CLOSED]:
            del self._threads[name]

    def _refuse_too_large(self, owner: str | None) -> None:
        """Raise LimitReached if the conversations of a token take too much memory, without those of closed chats."""
        most = self._settings.serve.chat_megabytes * MEGABYTE
        names, opened = self._of_owner(owner), self._open_names()
        held = sum(self._threads[name].bytes_held for name in names)
        for name in [name for name in names if name not in opened and not self._threads[name].runs]:
            if held < most:
                break
            held -= self._threads.pop(name).bytes_held
        if held >= most:
            said = f"The conversations of this token take {held // MEGABYTE} MB of memory, which is the limit."
            raise self._too_much(said, [name for name in names if name in opened])

    def _too_much(self, sentence: str, names: list[str]) -> LimitReached:
        """Return the error for a token that has too much open; the oldest of its idle sessions is closed next."""
        idle = [float(known["idle_seconds"]) for known in self._sessions.sessions() if known["session"] in names]
        wait = round(max(self._settings.limits.idle - max(idle, default=0.0), 0.0), 1)
        hint = f"Close a chat with sessions.close, or try again in {wait:g} s, when an idle one is closed."
        return LimitReached(sentence, hint=hint, retry_after=wait)

    def _open(self, session: str, owner: str | None) -> str:
        """Return the name of an open session. One that was closed as it was idle is opened again for its chat."""
        own = self._sessions.owned_by(owner)
        try:
            return (own if is_named_by(session, owner) else self._sessions).session(session).name
        except NotOpen:
            if session not in self._threads:
                raise
            return self._sessions.add_default(session, self._threads[session].owner).name

    async def _answer(self, thread: _Thread, name: str, run: str, text: str) -> None:
        """Answer a message when those before it are answered."""
        try:
            async with thread.turn:
                thread.conversation = thread.conversation or await self._begin(name)
                thread.begun.add(run)
                with self._keeping_pages(name):
                    await thread.conversation.answer(run, text)
        except RoveError as error:
            facts = {"code": error.code, "message": error.message, "hint": error.hint}
            self._publish("chat.error", name, run, facts)

    @contextlib.contextmanager
    def _keeping_pages(self, name: str) -> Generator[None]:
        """Keep the pages of a session during a run; between two runs they may give way to those of others."""
        session = self._sessions.session(name)
        session.let_give_way(False)
        try:
            yield
        finally:
            session.let_give_way(True)

    def _end(self, thread: _Thread, name: str, run: str, task: asyncio.Task[None]) -> None:
        """Drop a run that is over; tell of one that was stopped before its turn."""
        thread.runs.pop(run, None)
        if task.cancelled() and run not in thread.begun:
            nothing = {"text": "", "usage": NO_USAGE, "attachments": [], "stopReason": "aborted"}
            self._publish("chat.final", name, run, nothing)
        thread.begun.discard(run)

    async def _begin(self, name: str) -> Conversation:
        """Load what a conversation needs, in a thread, as importing it takes seconds. All sessions share one model."""
        begin = await asyncio.to_thread(_load)
        if self._model is None:
            self._model = chosen_model(self._settings, self._demo_site)
        return begin(self._model, self._tools, self._events, self._sessions, name)

    def _publish(self, event: str, session: str, run: str, data: dict[str, Any]) -> None:
        self._events.publish(event, {"runId": run, **data}, session)


def _load() -> Callable[..., Conversation]:
    os.environ.setdefault("PYDANTIC_AI_NO_BANNER", "1")
    loaded: Callable[..., Conversation] = import_module("rove.surfaces.gateway.chat.conversation").Conversation
    return loaded
