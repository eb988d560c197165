"""Saved states: the logins of a session, kept under a name."""

from __future__ import annotations

from collections.abc import Iterator

from rove.action import Effect, SessionDirectory, SessionsAction, action, arg
from rove.outcome import Passage, Result
from rove.page_text import Own
from rove.records import dataclass
from rove.storage.saved_states import NAME_PATTERN, StateFacts
from rove.storage.state import LoginUse


@dataclass(frozen=True)
class StateSaved(Result):
    state: StateFacts

    def __str__(self) -> str:
        return "\n".join(["Saved, encrypted:", *self.state.lines])

    def passages(self, origin: str) -> Iterator[Passage]:
        yield Passage("Saved, encrypted:")
        yield from self.state.passages(with_origins=True)


@action(Effect.SECRET, observes=False, group="states")
class SaveState(SessionsAction[StateSaved]):
    """Save the session's logins under a name, which a new session can be opened with, as `state`."""

    name: str = arg("Name of the state; one of that name is replaced.", pattern=NAME_PATTERN)

    @property
    def logins(self) -> tuple[LoginUse, ...]:
        return (LoginUse("state", self.name),)

    async def perform(self, directory: SessionDirectory) -> StateSaved:
        return StateSaved(await directory.states.save(self.name))


@dataclass(frozen=True)
class StateLoaded(Result):
    state: StateFacts

    def __str__(self) -> str:
        return f"The session has the cookies and storage of {self.state.line}. Its tabs were loaded anew."

    def passages(self, origin: str) -> Iterator[Passage]:
        yield from self.state.passages("The session has the cookies and storage of ", ". Its tabs were loaded anew.")


@action(Effect.SECRET, observes=False, group="states")
class LoadState(SessionsAction[StateLoaded]):
    """Replace the session's cookies and storage by those of a saved state, and load its tabs anew."""

    name: str = arg("Name of the state.", pattern=NAME_PATTERN)

    @property
    def logins(self) -> tuple[LoginUse, ...]:
        return (LoginUse("state", self.name),)

    async def perform(self, directory: SessionDirectory) -> StateLoaded:
        return StateLoaded(await directory.states.load(self.name))


@dataclass(frozen=True)
class StateList(Result):
    states: tuple[StateFacts, ...]

    def __str__(self) -> str:
        if not self.states:
            return "No state is saved."
        lines = self.states[0].lines if len(self.states) == 1 else (state.line for state in self.states)
        return "\n".join(lines)

    def passages(self, origin: str) -> Iterator[Passage]:
        if not self.states:
            yield Passage("No state is saved.")
        for state in self.states:
            yield from state.passages(with_origins=len(self.states) == 1)


@action(Effect.READ, group="states")
class States(SessionsAction[StateList]):
    """Tell which states are saved that the session may use: their names, origins, counts and dates, never a value."""

    name: str | None = arg(
        "One state, with a line for each origin; all of them if not given.", default=None, pattern=NAME_PATTERN
    )

    @property
    def logins(self) -> tuple[LoginUse, ...]:
        return (LoginUse("state", self.name),) if self.name is not None else ()

    @property
    def effects(self) -> tuple[Effect, ...]:
        """Only reads: it tells no value."""
        return (Effect.READ,)

    async def perform(self, directory: SessionDirectory) -> StateList:
        if self.name is not None:
            return StateList((await directory.states.show(self.name),))
        return StateList(tuple(await directory.states.list()))


@dataclass(frozen=True)
class StateDeleted(Result):
    name: Own

    def __str__(self) -> str:
        return f"Deleted the state {self.name}."


@action(Effect.SECRET, observes=False, group="states")
class DeleteState(SessionsAction[StateDeleted]):
    """Delete a saved state for good."""

    name: str = arg("Name of the state.", pattern=NAME_PATTERN)

    @property
    def logins(self) -> tuple[LoginUse, ...]:
        return (LoginUse("state", self.name),)

    async def perform(self, directory: SessionDirectory) -> StateDeleted:
        await directory.states.delete(self.name)
        return StateDeleted(Own(self.name))


@action(Effect.SECRET, observes=False, group="states")
class ImportState(SessionsAction[StateSaved]):
    """Save the content of a Playwright storage_state file under a name."""

    name: str = arg("Name of the state; one of that name is replaced.", pattern=NAME_PATTERN)
    path: str = arg("JSON file in the workspace.")

    @property
    def logins(self) -> tuple[LoginUse, ...]:
        return (LoginUse("state", self.name),)

    async def perform(self, directory: SessionDirectory) -> StateSaved:
        return StateSaved(await directory.states.import_(self.name, self.path))


@dataclass(frozen=True)
class StateExported(Result):
    path: Own

    def __str__(self) -> str:
        return f"Wrote {self.path}, NOT encrypted: who has the file has the logins."


# Its default asks a person: a file of the workspace can be read and sent, and this one holds logins.
@action(Effect.SEND_FILE, observes=False, group="states")
class ExportState(SessionsAction[StateExported]):
    """Write a saved state to a file in the workspace, not encrypted, as Playwright's storage_state."""

    name: str = arg("Name of the state.", pattern=NAME_PATTERN)

    @property
    def logins(self) -> tuple[LoginUse, ...]:
        return (LoginUse("state", self.name),)

    async def perform(self, directory: SessionDirectory) -> StateExported:
        return StateExported(Own(await directory.states.export(self.name)))
