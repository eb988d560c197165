"""Resources: the files that rove wrote to its workspace, and the pictures and journals of the client's sessions.

Contents are sent as bytes, never as text: some clients pass text to their model, and what a page wrote must not reach a
model without a wrapper.
"""

from __future__ import annotations

import asyncio
import base64
import json
import os
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from rove.engine.served.served_session import ServedSession
from rove.engine.served.served_sessions import ServedSessions
from rove.errors import RoveError
from rove.ledger.chain import unseal
from rove.ledger.files import LedgerFiles, open_to_read
from rove.outcome import origin_in
from rove.owned_names import own_name
from rove.surfaces.mcp.exchange import Exchange
from rove.surfaces.mcp.messages import INVALID_PARAMS, Message, ProtocolError
from rove.surfaces.mcp.server import Handler
from rove.workspace import Workspace

SCHEME = "rove"
# The folders of the workspace that rove writes to. The owner's own files, put there to be uploaded, are not shown.
FOLDERS = ("downloads", "output", "pdf")
MAX_FILES = 500
MAX_FILE_BYTES = 8 * 2**20
# How much is read of the end of a journal, and how many entries of it.
MAX_JOURNAL_BYTES = 8 * 2**20
MAX_ENTRIES = 500
JOURNAL_TYPE = "application/x-ndjson"
TEMPLATES = (
    ("rove://files/{+path}", "file", "A file that a page or an action has written, such as downloads/report.pdf."),
    ("rove://sessions/{session}/journal", "journal", "What was done in a session of yours, one JSON object a line."),
    ("rove://sessions/{session}/pictures/{sha256}", "picture", "A screenshot that was taken in a session of yours."),
)


class ResourcesFeature:
    """Files, pictures and journals that the client may read."""

    def __init__(self, sessions: ServedSessions) -> None:
        self._sessions = sessions

    @property
    def capabilities(self) -> Message:
        return {"resources": {}}

    @property
    def methods(self) -> Mapping[str, Handler]:
        return {
            "resources/list": self._list,
            "resources/templates/list": self._list_templates,
            "resources/read": self._read,
        }

    async def close(self) -> None:
        pass

    async def _list(self, exchange: Exchange) -> Message:
        found = await asyncio.to_thread(self._listed, exchange)
        return {"resources": found, **_uncached(exchange)}

    async def _list_templates(self, exchange: Exchange) -> Message:
        templates = [{"uriTemplate": uri, "name": name, "description": about} for uri, name, about in TEMPLATES]
        return {"resourceTemplates": templates, **_uncached(exchange)}

    async def _read(self, exchange: Exchange) -> Message:
        uri = exchange.params.get("uri")
        if not isinstance(uri, str):
            raise ProtocolError(INVALID_PARAMS, "uri must be a string")
        kind, data = await asyncio.to_thread(self._content, uri, exchange)
        content = {"uri": uri, "mimeType": kind, "blob": base64.b64encode(data).decode("ascii")}
        return {"contents": [content], **_uncached(exchange)}

    def _own_sessions(self, exchange: Exchange) -> Mapping[str, ServedSession]:
        return self._sessions.owned_by(exchange.client.owner).open

    def _workspace_of(self, exchange: Exchange) -> Workspace:
        return Workspace(self._sessions.owned_by(exchange.client.owner).settings.workspace_folder)

    def _listed(self, exchange: Exchange) -> list[Message]:
        return [
            *_files_in(self._workspace_of(exchange).root),
            *(each for session in self._own_sessions(exchange).values() for each in _kept_of(session)),
        ]

    def _content(self, uri: str, exchange: Exchange) -> tuple[str, bytes]:
        """Return the type and the bytes of a resource. Raises ProtocolError if the client may not read it."""
        sessions = self._own_sessions(exchange)
        match _named(_parts(uri), exchange.client.owner):
            case ["files", *path] if path and path[0] in FOLDERS:
                return _type_of(path[-1]), _file(self._workspace_of(exchange), uri, path)
            case ["sessions", name, "journal"] if name in sessions:
                return JOURNAL_TYPE, b"".join(_as_line(entry) for entry in _entries(sessions[name]))
            case ["sessions", name, "pictures", digest] if name in sessions:
                for picture in _pictures(sessions[name]):
                    if picture["sha256"] == digest:
                        return picture["mimeType"], base64.b64decode(picture["data"])
            case _:
                pass
        raise _not_found(uri)


def _file(workspace: Workspace, uri: str, path: list[str]) -> bytes:
    try:
        with workspace.reading("/".join(path)) as file:
            if file.size > MAX_FILE_BYTES:
                raise ProtocolError(INVALID_PARAMS, f"It has {file.size} bytes; {MAX_FILE_BYTES} can be read.")
            return os.pread(file.descriptor, MAX_FILE_BYTES, 0)
    except RoveError:
        raise _not_found(uri) from None


def _not_found(uri: str) -> ProtocolError:
    return ProtocolError(INVALID_PARAMS, "Resource not found", {"uri": uri})


def _uncached(exchange: Exchange) -> Message:
    return {"ttlMs": 0, "cacheScope": "private"} if exchange.is_stateless else {}


def _parts(uri: str) -> list[str]:
    """Return the decoded parts of a URI's path, after its kind; none if it is not one of ours."""
    try:
        found = urlsplit(uri)
        parts = [unquote(part, errors="strict") for part in found.path.split("/")[1:]]
    except ValueError:
        return []
    # An encoded slash would be one part of the URI and two of a path.
    is_plain = found.scheme == SCHEME and not (found.query or found.fragment) and all("/" not in part for part in parts)
    return [found.netloc, *parts] if is_plain else []


def _named(parts: list[str], owner: str | None) -> list[str]:
    """Return the parts of a URI with the full name of the session that the client means."""
    match parts:
        case ["sessions", name, *rest]:
            return ["sessions", own_name(name, owner), *rest]
        case _:
            return parts


def _files_in(root: Path) -> list[Message]:
    """Return the newest files in the folders that rove writes to."""
    found = [file for folder in FOLDERS for file in _regular_files(root / folder)]
    newest = sorted(found, key=lambda file: file.stat(follow_symlinks=False).st_mtime, reverse=True)[:MAX_FILES]
    return [_described(file, Path(file.path).parent.name) for file in newest]


def _regular_files(folder: Path) -> Iterator[os.DirEntry[str]]:
    if folder.is_symlink():
        return
    try:
        with os.scandir(folder) as found:
            yield from (file for file in found if file.is_file(follow_symlinks=False))
    except FileNotFoundError:
        return


def _described(file: os.DirEntry[str], folder: str) -> Message:
    facts = file.stat(follow_symlinks=False)
    changed = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(facts.st_mtime))
    return {
        "uri": f"{SCHEME}://files/{folder}/{quote(file.name, safe='', errors='surrogatepass')}",
        "name": f"{folder}/{file.name}".encode(errors="replace").decode(),
        "mimeType": _type_of(file.name),
        "size": facts.st_size,
        "annotations": {"lastModified": changed},
    }


def _kept_of(session: ServedSession) -> Iterator[Message]:
    """Yield the journal of a session and its pictures, the newest first."""
    place = f"{SCHEME}://sessions/{quote(session.name, safe='', errors='surrogatepass')}"
    title = session.name.encode(errors="replace").decode()
    yield {"uri": f"{place}/journal", "name": f"journal of {title}", "mimeType": JOURNAL_TYPE}
    for picture in reversed(list(_pictures(session))):
        yield {
            "uri": f"{place}/pictures/{picture['sha256']}",
            "name": f"picture of {title}, {picture['sha256'][:8]}",
            "mimeType": picture["mimeType"],
            "size": picture["bytes"],
        }


def _entries(session: ServedSession) -> list[Mapping[str, Any]]:
    """Return the last entries since the session was opened: another client may have used its name before."""
    lines = _last_lines(LedgerFiles(session.settings.journal_folder, session.name).current)
    facts = [link.facts for line in lines if (link := unseal(line)) is not None]
    since = [entry for entry in facts if entry.get("began", 0.0) >= session.opened][-MAX_ENTRIES:]
    return [_without_address(entry, session) for entry in since]


def _without_address(entry: Mapping[str, Any], session: ServedSession) -> Mapping[str, Any]:
    """Return an entry with only the origin of a page that may not be read, since an address can contain its text."""
    url = entry.get("url")
    if not url or (url.startswith(("http:", "https:")) and session.may_read(url)):
        return entry
    return {**entry, "url": origin_in(url).partition("#")[0]}


def _last_lines(journal: Path) -> list[bytes]:
    try:
        opened = open_to_read(journal)
    except FileNotFoundError:
        return []
    with os.fdopen(opened, "rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(size - MAX_JOURNAL_BYTES, 0))
        return file.read(MAX_JOURNAL_BYTES).splitlines()  # the first may have lost its beginning, and is no entry then


def _pictures(session: ServedSession) -> Iterator[Mapping[str, Any]]:
    """Yield the images in the journal, each once."""
    found = {
        each["sha256"]: each
        for entry in _entries(session)
        for each in entry.get("attachments", ())
        if each.get("type") == "image" and "data" in each
    }
    yield from found.values()


def _as_line(entry: Mapping[str, Any]) -> bytes:
    """Return an entry without the bytes of its attachments, which are resources of their own."""
    attachments = [
        {key: value for key, value in each.items() if key != "data"} for each in entry.get("attachments", ())
    ]
    return json.dumps({**entry, "attachments": attachments}).encode("ascii") + b"\n"


def _type_of(name: str) -> str:
    import mimetypes  # reads the system's tables, which a start without resources need not wait for

    return mimetypes.guess_type(name)[0] or "application/octet-stream"
