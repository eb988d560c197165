"""The file of secrets. What is not understood, however little, stops the start."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, NoReturn, cast

from rove.errors import InvalidSettings
from rove.fields import UNKNOWN, InvalidFields, Validated, arg, build
from rove.guard.secrets.redaction import SHORTEST
from rove.guard.secrets.secret import Secret
from rove.record import dataclass
from rove.target import is_secret_name

SOURCES = ("value", "env", "file", "keyring")
LARGEST = 65_536
KNOWN = "write one like https://example.com or http://localhost:3000"


@dataclass(frozen=True)
class Source:
    """Where the file lies, and what is needed to read it: the environment, and the folder that it must not be in."""

    path: Path
    environment: Mapping[str, str]
    workspace: Path


def canonical_origin(text: str) -> str:
    """An origin as browsers spell it, `https://example.com:8443`; a ValueError says that it is none."""
    from ada_url import URL

    try:
        url = URL(text)
    except ValueError:
        raise ValueError(f"{text!r} is no origin; {KNOWN}") from None
    # Nothing beside the origin is in it, and no star: that would be a host, but one that nobody means.
    if url.protocol not in ("http:", "https:") or url.href != f"{url.origin}/" or "*" in url.host:
        raise ValueError(f"{text!r} is no origin; {KNOWN}")
    return url.origin


def _origins(texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(canonical_origin, texts))


@dataclass(frozen=True)
class SecretEntry(Validated):
    """One secret as the file has it."""

    origins: tuple[str, ...] = arg("Where it may be typed.", min_length=1, check=_origins)
    value: str | None = arg("The secret itself.", default=None)
    env: str | None = arg("Environment variable that holds it.", default=None)
    file: str | None = arg("File that holds it, and nothing else.", default=None)
    keyring: str | None = arg("Where the system keyring holds it: service/user.", default=None)
    fields: Literal["password", "any"] = arg("Into which fields it may be typed.", default="password")


def read(source: Source) -> list[Secret]:
    """Every secret in the file, its value fetched from wherever it is kept."""
    import tomllib  # most people have no such file

    try:
        tree = tomllib.loads(_private_text(source))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise InvalidSettings(f"The secrets {source.path} cannot be read: {why}", hint="Mend the file.") from error
    return [_secret(source, name, table) for name, table in tree.items()]


def _private_text(source: Source) -> str:
    _refuse_workspace(source, source.path, "The secrets")
    with source.path.open("rb") as file:
        mode = os.fstat(file.fileno()).st_mode
        if os.name == "posix" and mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise InvalidSettings(
                f"The secrets {source.path} can be read or written by others (mode {stat.S_IMODE(mode):o}).",
                hint=f"chmod 600 {source.path}",
            )
        return file.read().decode("utf-8")


def _refuse_workspace(source: Source, path: Path, what: str) -> None:
    if path.resolve().is_relative_to(source.workspace.resolve()):
        raise InvalidSettings(
            f"{what} {path} lies in the workspace, which an agent can send files from.", hint="Keep it somewhere else."
        )


def _secret(source: Source, name: str, table: Any) -> Secret:
    if not is_secret_name(name):
        _refuse(source, name, "a name is made of letters, digits, - and _")
    if not isinstance(table, dict):
        _refuse(source, name, "must be a table with `origins` and where the value is")
    try:
        read_table: SecretEntry = build(SecretEntry, cast("dict[str, Any]", table))
    except InvalidFields as refused:
        key, why = refused.complaints[0]
        known = f"; there are: {', '.join(SecretEntry.__dataclass_fields__)}" if why == UNKNOWN else ""
        _refuse(source, name, f"`{key}` {why}{known}" if why in (UNKNOWN, "is missing") else f"`{key}`: {why}{known}")
    value = _value(source, name, read_table)
    if len(value) < SHORTEST:
        _refuse(source, name, f"has fewer than {SHORTEST} characters, which could not be kept out of what is told")
    return Secret(name, read_table.origins, value, read_table.fields)


def _value(source: Source, name: str, table: SecretEntry) -> str:
    given = [key for key in SOURCES if getattr(table, key) is not None]
    if len(given) != 1:
        _refuse(source, name, f"needs exactly one of {', '.join(SOURCES)}; it has {' and '.join(given) or 'none'}")
    if table.value is not None:
        return table.value
    if table.env is not None:
        return source.environment.get(table.env) or _refuse(
            source, name, f"the environment variable {table.env} is not set"
        )
    if table.file is not None:
        return _from_file(source, name, source.path.parent / Path(table.file).expanduser())
    assert table.keyring is not None
    return _from_keyring(source, name, table.keyring)


def _from_file(source: Source, name: str, path: Path) -> str:
    _refuse_workspace(source, path, f"The file of the secret `{name}`,")
    try:
        if not path.is_file() or path.stat().st_size > LARGEST:
            _refuse(source, name, f"{path} is no file of at most {LARGEST} bytes")
        return path.read_text(encoding="utf-8").removesuffix("\n").removesuffix("\r")
    except (OSError, UnicodeDecodeError) as error:
        _refuse(source, name, f"{path} cannot be read: {error.strerror if isinstance(error, OSError) else 'no text'}")


def _from_keyring(source: Source, name: str, place: str) -> str:
    service, slash, user = place.rpartition("/")
    if not (service and slash and user):
        _refuse(source, name, '`keyring` must be "service/user"')
    try:
        keyring = import_module("keyring")
    except ImportError as error:
        raise InvalidSettings(
            f"The secret `{name}` is in the system keyring, for which a package is missing.",
            hint="pip install 'rove[keyring]'",
        ) from error
    try:
        value: str | None = keyring.get_password(service, user)
    except keyring.errors.KeyringError as error:
        _refuse(source, name, f"the system keyring cannot be asked: {error}")
    return value or _refuse(source, name, f"the system keyring has nothing for {user} at {service}")


def _refuse(source: Source, name: str, why: str) -> NoReturn:
    raise InvalidSettings(
        f"The secret `{name}` in {source.path}: {why}.", hint="Mend it there; docs/secrets.md shows how it is written."
    )
