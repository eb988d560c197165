"""The saved states of a home: encrypted files by name, which client may use them, what may be told of them."""

from __future__ import annotations

import base64
import json
import os
import re
import time
from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, Protocol

from rove.errors import InvalidArguments, RoveError, StateUnusable
from rove.outcome import Passage, moment
from rove.owned_names import mark_of
from rove.page_text import NOWHERE, Own, PageText
from rove.records import dataclass
from rove.storage.cookie_rules import is_cookie_domain, is_web_origin
from rove.storage.private_files import locked, make_private_folder, read_private, write_private
from rove.storage.state import BrowserState

KeyPlace = Literal["auto", "keyring", "file"]
KEY_FILE = "key"
KEY_LOCK = "key.lock"
# The content of the key file where the keyring has the key.
IN_KEYRING = b"keyring\n"
KEY_BYTES = 32
NONCE_BYTES = 12
SERVICE = "rove"
# Ends the name of every file that is encrypted with the key.
ENDING = ".state"
FOLDER = "states"
# Begins every file, so that a later format can be told from this one.
FORMAT = b"rove-state-1\n"
NAME_PATTERN = r"^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,63}$"
# In the name of a file, divides the name of a state from what tells the clients of a server apart.
OWNER_MARK = "~"
_KEY_PATTERN = rf"{NAME_PATTERN[:-1]}(?:{OWNER_MARK}[0-9a-f]{{12}})?"

# Shown in place of what is no host name or origin, in a state that was saved before such were refused.
NO_HOST = "(no host name)"
MOST_DOMAINS = 5


class StateCipher:
    """Encrypts with the key of a folder, which is made when it is first needed.

    The key file has the key, or says that the system keyring has it: so a keyring that is locked, or not there today,
    is an error and never a reason to make another key.
    """

    def __init__(self, folder: Path, place: KeyPlace = "auto") -> None:
        self._folder = folder
        self._place = place

    def encrypt(self, data: bytes, label: bytes) -> bytes:
        """Encrypt data; the same label is needed to decrypt it."""
        nonce = os.urandom(NONCE_BYTES)
        sealed: bytes = self._aead(self._key() or self._agreed_key()).encrypt(nonce, data, label)
        return nonce + sealed

    def decrypt(self, encrypted: bytes, label: bytes) -> bytes:
        """Return the data. Raises StateUnusable if the key is gone or another, or if anything was changed."""
        from cryptography.exceptions import InvalidTag

        key = self._key()
        if key is None:
            raise StateUnusable(
                f"The key {self._folder / KEY_FILE} is gone, and what it encrypted cannot be read.",
                hint="Put the file back, or delete the state and log in again.",
            )
        nonce, sealed = encrypted[:NONCE_BYTES], encrypted[NONCE_BYTES:]
        try:
            data: bytes = self._aead(key).decrypt(nonce, sealed, label)
        except (InvalidTag, ValueError) as error:
            raise StateUnusable(
                "A saved state cannot be decrypted: it was changed, or encrypted with another key.",
                hint="Put back the file or its key, or delete the state and log in again.",
            ) from error
        return data

    def digest(self, name: str) -> str:
        """Return what stands for a name in places where it must not be read; with another key it is another."""
        key = self._key() or self._agreed_key()
        content = name.encode("utf-8", "surrogatepass")
        return blake2b(content, key=key, digest_size=16, person=SERVICE.encode()).hexdigest()

    def _aead(self, key: bytes) -> Any:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # 30 ms, which most starts do not need

        return AESGCM(key)

    @property
    def _user(self) -> str:
        """The name of the key in the keyring: each home has its own."""
        return f"states of {self._folder}"

    def _key(self) -> bytes | None:
        """Return the key; None if none was made yet."""
        content = read_private(self._folder / KEY_FILE)
        if content is None:
            return None
        text = _password_in(_keyring(), self._user) if content == IN_KEYRING else content.decode("ascii", "replace")
        key = _decoded(text or "")
        if key is None:
            where = "The system keyring" if content == IN_KEYRING else str(self._folder / KEY_FILE)
            raise StateUnusable(
                f"{where} has no key for saved states.",
                hint="Unlock or repair it; without the key they cannot be read.",
            )
        return key

    def _has_encrypted(self) -> bool:
        """Whether the home has files that were encrypted: saved states, and those beside profiles."""
        beside_profiles = self._folder.parent.glob(f"profiles/*/*{ENDING}")
        return any(self._folder.glob(f"*{ENDING}")) or any(beside_profiles)

    def _agreed_key(self) -> bytes:
        """Make the key, unless another thread or process has just made one: all of them must use the same."""
        make_private_folder(self._folder)
        with locked(self._folder / KEY_LOCK):
            return self._key() or self._make_key()

    def _make_key(self) -> bytes:
        """Make a key. Raises StateUnusable if there are files of another one, which could then never be read again."""
        if self._has_encrypted():
            raise StateUnusable(
                f"The key {self._folder / KEY_FILE} is gone, and there are saved states that were encrypted with it. "
                "Nothing is saved with another key.",
                hint="Put the key back. If it is lost, delete what it encrypted: `rove states delete`, "
                "`rove profiles delete`.",
            )
        key = os.urandom(KEY_BYTES)
        text = base64.urlsafe_b64encode(key).decode()
        is_in_keyring = self._place != "file" and _stored_in_keyring(self._user, text, self._place == "keyring")
        write_private(self._folder / KEY_FILE, IN_KEYRING if is_in_keyring else f"{text}\n".encode())
        return key


def _decoded(text: str) -> bytes | None:
    try:
        key = base64.urlsafe_b64decode(text.strip())
    except ValueError:
        return None
    return key if len(key) == KEY_BYTES else None


def _stored_in_keyring(user: str, text: str, is_required: bool) -> bool:
    """Put the key into the keyring and read it back; return whether that worked. Raises if it is required."""
    try:
        keyring = _keyring()
        _asked(keyring, keyring.set_password, user, text)
        return _password_in(keyring, user) == text
    except StateUnusable:
        if is_required:
            raise
        return False


def _password_in(keyring: Any, user: str) -> str | None:
    password: str | None = _asked(keyring, keyring.get_password, user)
    return password


def _asked(keyring: Any, question: Callable[..., Any], *arguments: str) -> Any:
    try:
        return question(SERVICE, *arguments)
    except (keyring.errors.KeyringError, OSError, RuntimeError) as error:
        raise _no_keyring(str(error)) from error


def _keyring() -> Any:
    """Return the keyring library. Raises StateUnusable if it is not installed or finds no keyring."""
    try:
        keyring = import_module("keyring")
        backend = keyring.get_keyring()
    except ImportError as error:
        raise _no_keyring("the package `keyring` is not installed") from error
    # The library's stand-ins for a missing keyring, and for one that is turned off, have a priority of 0 or less.
    if getattr(backend, "priority", 0) <= 0:
        raise _no_keyring("this system has none")
    return keyring


def _no_keyring(why: str) -> StateUnusable:
    return StateUnusable(
        f"The system keyring cannot be used: {why}.",
        hint="Unlock it, install 'rove[keyring]', or keep the key in a file with --logins-key file.",
    )


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


@dataclass(frozen=True)
class OriginFacts:
    """How much one origin has stored. The origin is text of the web: pages, or the file that was imported, chose it."""

    origin: PageText
    local: int
    session: int
    databases: int
    records: int
    left_out: int

    def __str__(self) -> str:
        stored = (
            (self.local, "in local storage"),
            (self.session, "in session storage"),
            (self.records, f"in {self.databases} IndexedDB database" + ("" if self.databases == 1 else "s")),
        )
        counts = ", ".join(f"{count} {where}" for count, where in stored if count)
        lost = f"; {self.left_out} not saved, being too large or no JSON" if self.left_out else ""
        return f"{self.origin}: {counts or 'empty databases'}{lost}"


@dataclass(frozen=True)
class StateFacts:
    """A saved state, or the reason why it cannot be read. `domains`, too, is text of the web."""

    name: Own
    saved: Own = Own("")
    session: Own = Own("")
    cookies: int = 0
    domains: tuple[PageText, ...] = ()
    origins: tuple[OriginFacts, ...] = ()
    problem: Own = Own("")

    @classmethod
    def of(cls, name: str, saved: SavedState) -> StateFacts:
        state = saved.state
        domains = sorted({_told(cookie["domain"], is_cookie_domain).lstrip(".") for cookie in state.cookies})
        return cls(
            Own(name),
            Own(moment(saved.saved)),
            Own(saved.session),
            len(state.cookies),
            tuple(PageText(domain, NOWHERE) for domain in domains),
            tuple(_origins(state)),
        )

    @property
    def line(self) -> str:
        """All on one line."""
        if self.problem:
            return f"{self.name}: {self.problem}"
        more = ", …" if len(self.domains) > MOST_DOMAINS else ""
        where = f" of {', '.join(self.domains[:MOST_DOMAINS])}{more}" if self.domains else ""
        stores = f", storage of {_count(len(self.origins), 'origin')}" if self.origins else ""
        return f"{self.name}: saved {self.saved}, {_count(self.cookies, 'cookie')}{where}{stores}"

    def passages(self, before: str = "", after: str = "", *, with_origins: bool = False) -> Iterator[Passage]:
        """Tell it in rove's own words, and the names of hosts and origins, which pages chose, as theirs."""
        if self.problem:
            yield Passage(f"{before}{self.name}: {self.problem}{after}")
            return
        stores = f", storage of {_count(len(self.origins), 'origin')}" if self.origins else ""
        yield Passage(f"{before}{self.name}: saved {self.saved}, {_count(self.cookies, 'cookie')}{stores}{after}")
        if self.domains:
            more = ", …" if len(self.domains) > MOST_DOMAINS else ""
            yield Passage(PageText(f"  cookies of {', '.join(self.domains[:MOST_DOMAINS])}{more}", NOWHERE))
        if with_origins:
            yield from (Passage(each.origin.around(f"  {each}")) for each in self.origins)

    @property
    def lines(self) -> Iterator[str]:
        """With a line for each origin."""
        yield self.line
        yield from (f"  {origin}" for origin in self.origins)


def _origins(state: BrowserState) -> Iterator[OriginFacts]:
    for origin, stored in state.origins.items():
        if not stored.is_empty or stored.left_out:
            counts = len(stored.local), len(stored.session), len(stored.databases), stored.record_count
            told = _told(origin, is_web_origin)
            author = origin if told == origin else NOWHERE
            yield OriginFacts(PageText(told, author), *counts, stored.left_out)


def _told(text: str, is_valid: Callable[[str], bool]) -> str:
    return text if is_valid(text) else NO_HOST


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")


class StateDesk(Protocol):
    """Saves, loads, lists and deletes states for one session and one client."""

    async def save(self, name: str) -> StateFacts:
        """Save the state of the session under a name."""
        ...

    async def load(self, name: str) -> StateFacts:
        """Replace cookies and storage of the session by a saved state."""
        ...

    async def list(self) -> list[StateFacts]:
        """Return the facts of every state."""
        ...

    async def show(self, name: str) -> StateFacts:
        """Return the facts of one state."""
        ...

    async def delete(self, name: str) -> None:
        """Delete a state."""

    async def import_(self, name: str, path: str) -> StateFacts:
        """Save what a file of the workspace holds under a name."""
        ...

    async def export(self, name: str) -> Path:
        """Write a state to a file in the workspace; return its path."""
        ...
