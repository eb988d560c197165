"""Tokens: what a client of the gateway may do, and for how long."""

from __future__ import annotations

import enum
import hashlib
import hmac
import json
import os
import secrets
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from rove.errors import InvalidArguments, InvalidSettings, NotOpen
from rove.owned_names import is_named_by, mark_of, own_name
from rove.records import dataclass

OWNER_FILE = "owner-token"
TOKENS_FILE = "tokens.json"
MAX_TOKENS = 200


class Scope(enum.StrEnum):
    """What a token allows, in the sessions that were opened with it; `own` and those with `:all` also in all others.

    Each of them allows to view as well.
    """

    VIEW = "view"
    ACT = "act"
    APPROVE = "approve"
    VIEW_ALL = "view:all"
    APPROVE_ALL = "approve:all"
    OWN = "own"


# Any of the scopes on the right allows what the one on the left does. `own` allows everything.
_ALLOWED_BY = {
    Scope.VIEW: frozenset(Scope),
    Scope.ACT: frozenset({Scope.ACT}),
    Scope.APPROVE: frozenset({Scope.APPROVE, Scope.APPROVE_ALL}),
    Scope.VIEW_ALL: frozenset({Scope.VIEW_ALL, Scope.APPROVE_ALL}),
    Scope.APPROVE_ALL: frozenset({Scope.APPROVE_ALL}),
    Scope.OWN: frozenset[Scope](),
}


@dataclass(frozen=True)
class Token:
    """A token as it is kept: its hash, and what it allows."""

    id: str
    digest: str
    scopes: frozenset[Scope]
    label: str
    created: float
    expires: float | None

    @property
    def is_valid(self) -> bool:
        return self.expires is None or time.time() < self.expires

    @property
    def owner(self) -> str | None:
        """The owner of what is opened with it; None for the person who runs the server."""
        return None if Scope.OWN in self.scopes else self.id

    @property
    def sees_all(self) -> bool:
        """Whether it sees the sessions of others."""
        return self.allows(Scope.VIEW_ALL)

    def allows(self, *scopes: Scope) -> bool:
        """Whether it allows one of these, in sessions that were opened with it."""
        return Scope.OWN in self.scopes or any(_ALLOWED_BY[scope] & self.scopes for scope in scopes)

    def reaches(self, session: str, *scopes: Scope) -> bool:
        """Whether it allows one of these in a session, by its full name."""
        if is_named_by(session, self.owner):
            return self.allows(*scopes)
        return self.allows(*map(for_all, scopes))

    def full_name(self, session: str) -> str:
        """Return the full name of the session that a client with this token means by a name.

        One that sees the sessions of others names them all as they are listed. For every other client each name is one
        of its own, so that a session of another is for it one that there never was.
        """
        return session if self.sees_all else own_name(session, self.owner)

    def describe(self) -> dict[str, Any]:
        """Return what the owner is shown of it."""
        return {
            "id": self.id,
            "label": self.label,
            "scopes": sorted(scope.value for scope in self.scopes),
            "mark": mark_of(self.owner),
            "created": self.created,
            "expires": self.expires,
        }


class Tokens:
    """The tokens of a gateway, in a folder that its owner alone can read."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._make_folder()
        self.owner = self._owner_token()
        self._owner = Token("owner", _digest(self.owner), frozenset({Scope.OWN}), "the owner", 0.0, None)
        self._others = {token.id: token for token in self._read()}

    def find(self, token: str) -> Token | None:
        """Return what is known of a token, or None if it is wrong, revoked or expired."""
        digest = _digest(token)
        found = None
        for known in (self._owner, *self._others.values()):  # all of them, so that the time tells nothing
            if hmac.compare_digest(known.digest, digest):
                found = known
        return found if found is not None and found.is_valid else None

    def is_current(self, token: Token) -> bool:
        """Whether a token that was found earlier still holds."""
        return token.is_valid and (token is self._owner or self._others.get(token.id) is token)

    def create(self, scopes: Iterable[Scope], seconds: float | None, label: str = "") -> tuple[str, Token]:
        """Make a token; return it, which is not kept, and what is kept of it."""
        self._others = {name: token for name, token in self._others.items() if token.is_valid}
        if len(self._others) >= MAX_TOKENS:
            raise InvalidArguments(f"There are {MAX_TOKENS} tokens already.", hint="Revoke one first.")
        text, now = secrets.token_urlsafe(32), time.time()
        expires = None if seconds is None else now + seconds
        made = Token(secrets.token_hex(4), _digest(text), frozenset(scopes), label, now, expires)
        self._others[made.id] = made
        self._write()
        return text, made

    @property
    def valid(self) -> list[Token]:
        """The tokens besides the owner's that have not expired."""
        return [token for token in self._others.values() if token.is_valid]

    def label_of(self, mark: str) -> str:
        """Return whose the names with a mark at their end are, in words for a person."""
        if not mark:
            return self._owner.label
        known = (token for token in self._others.values() if mark_of(token.owner) == mark)
        return next((token.label or f"token {token.id}" for token in known), "a token that has ended")

    def revoke(self, name: str) -> None:
        if self._others.pop(name, None) is None:
            raise NotOpen(f"There is no token {name}.", hint="List them with tokens.list.")
        self._write()

    def _make_folder(self) -> None:
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._folder.chmod(0o700)
        except OSError as error:
            raise InvalidSettings(
                f"{self._folder} cannot be written: {error.strerror}.", hint="Set ROVE_HOME to a folder that can be."
            ) from error

    def _owner_token(self) -> str:
        """Return the owner's token. It is made at the first start; the owner may write another into the file."""
        path = self._folder / OWNER_FILE
        try:
            text = path.read_text("utf-8").strip()
        except FileNotFoundError:
            text = ""
        if text:
            path.chmod(0o600)
            return text
        text = secrets.token_urlsafe(32)
        _write_private(path, text + "\n")
        return text

    def _read(self) -> list[Token]:
        try:
            kept = json.loads((self._folder / TOKENS_FILE).read_text("utf-8"))
            return [_from_json(facts) for facts in kept]
        except FileNotFoundError:
            return []
        except (ValueError, KeyError, TypeError) as error:
            raise InvalidSettings(
                f"{self._folder / TOKENS_FILE} cannot be read: {error}", hint="Remove it: its tokens end with it."
            ) from error

    def _write(self) -> None:
        _write_private(self._folder / TOKENS_FILE, json.dumps([_to_json(token) for token in self.valid]))


def for_all(scope: Scope) -> Scope:
    """Return the scope that allows the same in the sessions of other tokens. Only the owner acts there."""
    return {Scope.VIEW: Scope.VIEW_ALL, Scope.APPROVE: Scope.APPROVE_ALL}.get(scope, Scope.OWN)


def scopes_from(words: Iterable[str]) -> frozenset[Scope]:
    """Return the scopes of these names. Raises InvalidArguments for another name, or for none."""
    known = {scope.value: scope for scope in Scope}
    unknown = [word for word in words if word not in known]
    if unknown or not words:
        raise InvalidArguments(f"`scopes`: must be some of {', '.join(known)}.")
    return frozenset(known[word] for word in words)


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _to_json(token: Token) -> dict[str, Any]:
    return {**token.describe(), "digest": token.digest}


def _from_json(facts: dict[str, Any]) -> Token:
    scopes = scopes_from(facts["scopes"])
    return Token(facts["id"], facts["digest"], scopes, facts["label"], facts["created"], facts["expires"])


def _write_private(path: Path, text: str) -> None:
    """Write a file that its owner alone can read, as a whole or not at all."""
    draft = path.with_name(path.name + ".new")
    draft.unlink(missing_ok=True)
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(text)
    draft.replace(path)
