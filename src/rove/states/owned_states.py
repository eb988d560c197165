"""The saved states that one client may use. Each client has names of its own, so that none learns those of others."""

from __future__ import annotations

from collections.abc import Callable

from rove.errors import InvalidArguments, RoveError
from rove.owned_names import mark_of
from rove.states.state import BrowserState
from rove.states.store import OWNER_MARK, SavedState, StateStore


class OwnedStates:
    """Reads and changes states by the names that a client gave them.

    `owner`: None for the person who runs rove, who sees the states of all, those of clients with a mark at their names.
    `is_shared`: which states of that person the client may use.
    """

    def __init__(
        self, store: StateStore, owner: str | None, is_shared: Callable[[str], bool] = lambda name: True
    ) -> None:
        self._store = store
        self._owner = owner
        self._is_shared = is_shared
        self._mark = mark_of(owner)

    def find(self, name: str) -> SavedState | None:
        """Return the client's own state of that name, or else one that the person who runs rove has saved."""
        if self.has_own(name):
            return self._store.read(name + self._mark)
        return self._shared(name)

    def has_own(self, name: str) -> bool:
        """Whether the client itself has saved a state of that name."""
        return self._store.exists(name + self._mark)

    def names(self) -> list[str]:
        """Return the names of the states that the client may use."""
        keys = self._store.names()
        if self._owner is None:
            return keys
        own = {key.removesuffix(self._mark) for key in keys if key.endswith(self._mark)}
        return sorted(own | {key for key in keys if OWNER_MARK not in key and self._shared(key)})

    def write(self, name: str, state: BrowserState, session: str, is_final: bool = True) -> None:
        """Save a state. Raises InvalidArguments if the client sees one of that name that is not its own."""
        self.refuse_change(name)
        self._store.write(name + self._mark, state, session, self._owner, is_final)

    def delete(self, name: str) -> None:
        self._store.delete(name + self._mark)

    def refuse_change(self, name: str) -> None:
        """Raise InvalidArguments if a state of that name is not the client's to replace or delete."""
        if not self.has_own(name) and self._shared(name) is not None:
            raise InvalidArguments(f"The name {name} is taken.", hint="Choose another name for the state.")

    def _shared(self, name: str) -> SavedState | None:
        """Return a state of the person who runs rove; None if there is none that the client may use."""
        if self._owner is not None and not self._is_shared(name):
            return None
        try:
            saved = self._store.read(name) if self._store.exists(name) else None
        except RoveError:
            return None  # told to the person, at the command line
        return saved if saved is not None and saved.owner is None else None
