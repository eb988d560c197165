"""Downloads: what pages have given to the browser to keep."""

from __future__ import annotations

import asyncio
import mimetypes
import os
from base64 import b64encode
from pathlib import Path
from typing import Any

from rove.engine.served.own_settings import own_settings
from rove.errors import LimitReached
from rove.owned_names import mark_in, mark_of
from rove.surfaces.gateway.gateway import Gateway
from rove.surfaces.gateway.methods.method import Client, Method, arg, method
from rove.surfaces.gateway.tokens import Scope
from rove.workspace import Workspace

FOLDER = "downloads"
MAX_FILES = 500
MAX_BYTES = 16 * 2**20
UNKNOWN_TYPE = "application/octet-stream"


@method("downloads.list", Scope.VIEW, returns="{files: [{name, bytes, modified}]}", reach="sessions")
class ListDownloads(Method):
    """List the downloads of the sessions that were opened with one token, the newest first."""

    session_key: str | None = arg("One of these sessions; by default those of the client's own token.", default=None)

    async def run(self, gateway: Gateway, client: Client) -> dict[str, Any]:
        folder = _workspace(gateway, client, self.session_key) / FOLDER
        return {"files": await asyncio.to_thread(_listed, folder)}


@method("downloads.read", Scope.VIEW, returns="{name, mimeType, data (base64)}", reach="sessions")
class ReadDownload(Method):
    """Return one download."""

    file: str = arg("Its name, as downloads.list shows it.", max_length=255)
    session_key: str | None = arg("The session that downloads.list was asked for.", default=None)

    async def run(self, gateway: Gateway, client: Client) -> dict[str, Any]:
        name = Path(self.file).name
        data = await asyncio.to_thread(
            _read, Workspace(_workspace(gateway, client, self.session_key)), f"{FOLDER}/{name}"
        )
        kind = mimetypes.guess_type(name)[0] or UNKNOWN_TYPE
        return {"name": name, "mimeType": kind, "data": b64encode(data).decode("ascii")}


def _workspace(gateway: Gateway, client: Client, session: str | None) -> Path:
    """Return the folder with the files of a token's sessions: that of the client, unless it names a session."""
    mark = mark_of(client.token.owner) if session is None else mark_in(session)
    return own_settings(gateway.settings, mark).workspace_folder


def _listed(folder: Path) -> list[dict[str, Any]]:
    try:
        found = [entry for entry in os.scandir(folder) if entry.is_file(follow_symlinks=False)]
    except FileNotFoundError:
        return []
    facts = [(entry.name, entry.stat(follow_symlinks=False)) for entry in found]
    newest = sorted(facts, key=lambda known: known[1].st_mtime, reverse=True)[:MAX_FILES]
    return [{"name": name, "bytes": stat.st_size, "modified": stat.st_mtime} for name, stat in newest]


def _read(workspace: Workspace, path: str) -> bytes:
    with workspace.reading(path) as file:
        if file.size > MAX_BYTES:
            raise LimitReached(
                f"{file.name} has {file.size} bytes; {MAX_BYTES} can be sent.",
                hint="Open it in the workspace's folder `downloads`.",
            )
        return os.pread(file.descriptor, MAX_BYTES, 0)
