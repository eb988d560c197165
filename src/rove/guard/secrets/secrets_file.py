"""Reads the secrets file. If any part of it is not understood, rove does not start."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, NoReturn, cast

from rove.errors import InvalidSettings
from rove.fields import UNKNOWN, InvalidFields, Validated, arg, build
from rove.guard.secrets.redaction import MIN_LENGTH
from rove.guard.secrets.secret import Secret
from rove.records import dataclass
from rove.settings.toolset_file import parse_toml
from rove.target import canonical_origin, is_secret_name

VALUE_SOURCES = ("value", "env", "file", "keyring")
MAX_FILE_BYTES = 65_536


@dataclass(frozen=True)
class Source:
    """The path of the file, the environment that it may refer to, and the workspace that it must not be in."""

    path: Path
    environment: Mapping[str, str]
    workspace: Path


def _canonical_origins(texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(canonical_origin, texts))


@dataclass(frozen=True)
class SecretEntry(Validated):
    """One table of the file."""

    origins: tuple[str, ...] = arg("Where it may be typed.", default=(), check=_canonical_origins)
    value: str | None = arg("The secret itself.", default=None)
    env: str | None = arg("Environment variable that holds it.", default=None)
    file: Path | None = arg("File that holds it, and nothing else.", default=None)
    keyring: str | None = arg("Where the system keyring holds it: service/user.", default=None)
    fields: Literal["password", "any"] = arg("Into which fields it may be typed.", default="password")
    documents: bool = arg("Whether it may open documents that need a password.", default=False)


def read_secrets(source: Source) -> list[Secret]:
    """Read every secret of the file, and fetch its value from the environment, a file or the keyring if needed."""
    try:
        tree = parse_toml(_private_bytes(source))
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise InvalidSettings(
            f"The secrets file {source.path} cannot be read: {why}", hint="Correct the file."
        ) from error
    return [_secret(source, name, table) for name, table in tree.items()]


def _private_bytes(source: Source) -> bytes:
    _reject_workspace(source, source.path, "The secrets file")
    with source.path.open("rb") as file:
        mode = os.fstat(file.fileno()).st_mode
        if os.name == "posix" and mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise InvalidSettings(
                f"Other users can read or write the secrets file {source.path} (mode {stat.S_IMODE(mode):o}).",
                hint=f"Run: chmod 600 {source.path}",
            )
        return file.read()


def _reject_workspace(source: Source, path: Path, what: str) -> None:
    if path.resolve().is_relative_to(source.workspace.resolve()):
        raise InvalidSettings(
            f"{what} {path} is in the workspace, and agents can upload files from there.",
            hint="Move it somewhere else.",
        )


def _secret(source: Source, name: str, table: Any) -> Secret:
    if not is_secret_name(name):
        _reject(source, name, "a name may contain only letters, digits, - and _")
    if not isinstance(table, dict):
        _reject(source, name, "must be a table with `origins` and one source of the value")
    try:
        entry: SecretEntry = build(SecretEntry, cast("dict[str, Any]", table))
    except InvalidFields as refused:
        key, why = refused.complaints[0]
        known = f"; there are: {', '.join(SecretEntry.__dataclass_fields__)}" if why == UNKNOWN else ""
        _reject(source, name, f"`{key}` {why}{known}" if why in (UNKNOWN, "is missing") else f"`{key}`: {why}{known}")
    if not (entry.origins or entry.documents):
        _reject(source, name, "`origins` is missing; the password of documents has `documents = true` instead")
    value = _value(source, name, entry)
    if len(value) < MIN_LENGTH:
        _reject(source, name, f"has fewer than {MIN_LENGTH} characters, too few to be redacted from output")
    return Secret(name, entry.origins, value, entry.fields, entry.documents)


def _value(source: Source, name: str, table: SecretEntry) -> str:
    given = [key for key in VALUE_SOURCES if getattr(table, key) is not None]
    if len(given) != 1:
        _reject(
            source, name, f"needs exactly one of {', '.join(VALUE_SOURCES)}; it has {' and '.join(given) or 'none'}"
        )
    if table.value is not None:
        return table.value
    if table.env is not None:
        return source.environment.get(table.env) or _reject(
            source, name, f"the environment variable {table.env} is not set"
        )
    if table.file is not None:
        return _from_file(source, name, source.path.parent / table.file.expanduser())
    assert table.keyring is not None
    return _from_keyring(source, name, table.keyring)


def _from_file(source: Source, name: str, path: Path) -> str:
    _reject_workspace(source, path, f"The file of the secret `{name}`,")
    try:
        if not path.is_file() or path.stat().st_size > MAX_FILE_BYTES:
            _reject(source, name, f"{path} is not a file of at most {MAX_FILE_BYTES} bytes")
        return path.read_text(encoding="utf-8").removesuffix("\n").removesuffix("\r")
    except (OSError, UnicodeDecodeError) as error:
        _reject(
            source,
            name,
            f"{path} cannot be read: {error.strerror if isinstance(error, OSError) else 'it is not UTF-8 text'}",
        )


def _from_keyring(source: Source, name: str, place: str) -> str:
    service, slash, user = place.rpartition("/")
    if not (service and slash and user):
        _reject(source, name, '`keyring` must be "service/user"')
    try:
        keyring = import_module("keyring")
    except ImportError as error:
        raise InvalidSettings(
            f"The secret `{name}` is in the system keyring, and the package `keyring` is not installed.",
            hint="Run: pip install 'rove[keyring]'",
        ) from error
    try:
        value: str | None = keyring.get_password(service, user)
    except keyring.errors.KeyringError as error:
        _reject(source, name, f"the system keyring cannot be read: {error}")
    return value or _reject(source, name, f"the system keyring has no password for {user} at {service}")


def _reject(source: Source, name: str, why: str) -> NoReturn:
    raise InvalidSettings(
        f"The secret `{name}` in {source.path}: {why}.",
        hint="Correct it there; docs/secrets.md describes the syntax.",
    )
