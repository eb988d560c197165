"""Encryption of saved states: AES-GCM, with a key from the system keyring or from a file that its owner alone reads."""

from __future__ import annotations

import base64
import os
from collections.abc import Callable
from hashlib import blake2b
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

from rove.errors import StateUnusable
from rove.states.private_files import locked, make_private_folder, read_private, write_private

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
