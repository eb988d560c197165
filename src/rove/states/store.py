"""The saved states of a home: one encrypted file for each, by name."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from rove.errors import InvalidArguments, StateUnusable
from rove.states.encryption import ENDING, StateCipher
from rove.states.private_files import read_private, write_private
from rove.states.state import BrowserState
from rove.validation.record import dataclass

FOLDER = "states"
# Begins every file, so that a later format can be told from this one.
FORMAT = b"rove-state-1\n"
NAME_PATTERN = r"^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,63}$"
# In the name of a file, divides the name of a state from what tells the clients of a server apart.
OWNER_MARK = "~"
_KEY_PATTERN = rf"{NAME_PATTERN[:-1]}(?:{OWNER_MARK}[0-9a-f]{{12}})?"


@dataclass(frozen=True)
class SavedState:
    """A state, when it was saved, from which session, and for which client of a server.

    `owner`: None if the process itself saved it, for the person who runs it. `is_final`: whether it was saved when the
    session was closed, and not while it went on.
    """

    state: BrowserState
    saved: float
    session: str
    owner: str | None = None
    is_final: bool = True

    def is_usable_by(self, owner: str | None) -> bool:
        """Whether a client may use it: its own, and what the person who runs rove has saved."""
        return owner is None or self.owner in (None, owner)


class StateStore:
    """Saves, reads, lists and deletes states by name."""

    def __init__(self, folder: Path, cipher: StateCipher) -> None:
        self._folder = folder
        self._cipher = cipher

    def write(
        self, name: str, state: BrowserState, session: str, owner: str | None = None, is_final: bool = True
    ) -> None:
        """Save a state; one of that name is replaced once the new one is on the disk."""
        facts = {"saved": time.time(), "session": session, "owner": owner, "is_final": is_final}
        facts["state"] = state.to_json()
        content = json.dumps(facts).encode()
        path = self._path(name)  # before anything is encrypted, as it refuses a name that is not valid
        write_private(path, FORMAT + self._cipher.encrypt(content, _label(name)))

    def read(self, name: str) -> SavedState:
        """Return a state. Raises InvalidArguments if there is none, StateUnusable if it cannot be read."""
        content = read_private(self._path(name))
        if content is None:
            raise missing_state(name)
        if not content.startswith(FORMAT):
            raise StateUnusable(
                f"The state {name} is in a form that this version does not know.", hint="Use the version that saved it."
            )
        facts: dict[str, Any] = json.loads(self._cipher.decrypt(content[len(FORMAT) :], _label(name)))
        state = BrowserState.from_json(facts.pop("state"))
        return SavedState(state, **facts)

    def exists(self, name: str) -> bool:
        return self._path(name).exists()

    def delete(self, name: str) -> None:
        try:
            self._path(name).unlink()
        except FileNotFoundError:
            raise missing_state(name) from None
        except OSError as error:
            raise StateUnusable(f"The state {name} cannot be deleted: {error.strerror}.") from error

    def names(self) -> list[str]:
        return sorted(self._names())

    def _names(self) -> Iterator[str]:
        for path in self._folder.glob(f"*{ENDING}"):
            name = path.name.removesuffix(ENDING)
            if re.fullmatch(_KEY_PATTERN, name):
                yield name

    def _path(self, name: str) -> Path:
        if not re.fullmatch(_KEY_PATTERN, name):
            raise InvalidArguments(f"{name!r} is not a name for a state: use letters, digits, - and _.")
        return self._folder / f"{name}{ENDING}"


def missing_state(name: str, known: Iterable[str] | None = None) -> InvalidArguments:
    """Return the error for a state that is not there. `known`: those that the caller may use."""
    saved = "List those that are saved first." if known is None else f"Saved are: {', '.join(known) or 'none'}."
    return InvalidArguments(f"There is no state {name}.", hint=saved)


def _label(name: str) -> bytes:
    """Return what binds a file to its name: a file that was renamed or copied over another cannot be decrypted."""
    return FORMAT + name.encode()
