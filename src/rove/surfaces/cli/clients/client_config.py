"""Reads and writes rove's entry in the configuration of an MCP client."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rove.errors import InvalidSettings
from rove.surfaces.cli.clients.catalogue import SERVER, Client
from rove.surfaces.cli.clients.jsonc import NotJson, parsed, with_value


def command_in(client: Client) -> list[str] | None:
    """Return the command by which a client starts rove; None if it does not. Raises InvalidSettings."""
    servers = _data(client, _text(client)).get(client.table)
    entry: Any = servers.get(SERVER) if isinstance(servers, dict) else None
    if not isinstance(entry, dict):
        return None
    arguments = entry.get("args", [])
    return [str(entry.get("command", "")), *map(str, arguments if isinstance(arguments, list) else [])]


def connect(client: Client, command: Sequence[str]) -> Path | None:
    """Write rove's entry, and return the copy of the file as it was before. Raises InvalidSettings."""
    text = _text(client)
    try:
        changed = _changed(client, text, client.entry(command))
    except ValueError as error:
        raise _unusable(client, error) from error
    path = client.file.resolve()  # a link to a folder of dotfiles stays one
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        backup = _back_up(path) if path.exists() else None
        _replace(path, changed)
    except OSError as error:
        raise InvalidSettings(
            f"{client.file} cannot be written: {error.strerror}.",
            hint=f"`rove init --print {client.key}` prints what to add.",
        ) from error
    return backup


def _text(client: Client) -> str:
    try:
        return client.file.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise _unusable(client, error) from error


def _data(client: Client, text: str) -> Mapping[str, Any]:
    try:
        read = _parse_toml(text) if _is_toml(client) else parsed(text) if text.strip("\ufeff \t\r\n") else {}
    except ValueError as error:
        raise _unusable(client, error) from error
    if not isinstance(read, dict):
        raise _unusable(client, NotJson("an object was expected"))
    return read


def _changed(client: Client, text: str, entry: Mapping[str, Any]) -> str:
    if not _is_toml(client):
        return with_value(text, [client.table, SERVER], dict(entry))
    import tomlkit

    document = tomlkit.parse(text)
    table: Any = document.setdefault(client.table, tomlkit.table(is_super_table=True))
    server = tomlkit.item(dict(entry))
    server.add(tomlkit.nl())
    table[SERVER] = server
    changed = tomlkit.dumps(document)
    before = _parse_toml(text)
    if _parse_toml(changed) != {**before, client.table: {**before.get(client.table, {}), SERVER: entry}}:
        raise ValueError("it could not be changed without changing more")
    return changed


def _parse_toml(text: str) -> dict[str, Any]:
    from rove.settings.toml_text import parse_toml

    return parse_toml(text.encode())


def _is_toml(client: Client) -> bool:
    return client.file.suffix == ".toml"


def _unusable(client: Client, error: Exception) -> InvalidSettings:
    return InvalidSettings(
        f"{client.file} of {client.name} cannot be read: {error}.",
        hint=f"Correct the file, or add by hand what `rove init --print {client.key}` prints.",
    )


def _back_up(path: Path) -> Path:
    """Copy a file beside itself, with its permissions: it may hold keys."""
    moment = time.strftime("%Y%m%d-%H%M%S")
    names = (f"{path.name}.{moment}{again}.bak" for again in ("", *(f"-{number}" for number in range(1, 100))))
    backup = next(path.with_name(name) for name in names if not path.with_name(name).exists())
    _create(backup, path.read_bytes(), path.stat().st_mode & 0o777)
    return backup


def _replace(path: Path, text: str) -> None:
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o600
    draft = path.with_name(f"{path.name}.{os.getpid()}.new")
    _create(draft, text.encode("utf-8"), mode)
    draft.replace(path)


def _create(path: Path, data: bytes, mode: int) -> None:
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with os.fdopen(file, "wb") as opened:
        os.fchmod(file, mode)
        opened.write(data)
