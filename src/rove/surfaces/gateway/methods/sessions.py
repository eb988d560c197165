"""Sessions: open, look at, export, close; what was downloaded in them."""

from __future__ import annotations

import asyncio
import json
import mimetypes
import os
import time
import uuid
from base64 import b64encode
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

from rove.engine.client_sessions import own_settings
from rove.errors import InvalidArguments, LimitReached
from rove.owned_names import mark_in, mark_of
from rove.surfaces.gateway.gateway import Gateway, recorded
from rove.surfaces.gateway.methods.method import Client, Method, arg, method
from rove.surfaces.gateway.tokens import Scope
from rove.workspace import Workspace

NAME = r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}"
# A name with the mark that tells whose session it is.
FULL_NAME = r"[A-Za-z0-9][A-Za-z0-9._~-]{0,119}"
FOLDER = "downloads"
MAX_FILES = 500
MAX_BYTES = 16 * 2**20
UNKNOWN_TYPE = "application/octet-stream"
MAX_ENTRIES = 5000
PICTURE_TYPES = ("image/png", "image/jpeg", "image/webp", "image/gif")
# Allows the styles and the pictures inside the file, and nothing from elsewhere.
CSP = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
STYLE = """
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
article { padding: 0.8rem 0; border-top: 1px solid #8886; }
h2 { margin: 0; font-size: 1rem; }
p { margin: 0.2rem 0; }
small { opacity: 0.75; }
.failed { color: light-dark(#b0241c, #ff9c92); }
pre { padding: 0.6rem; overflow-wrap: anywhere; white-space: pre-wrap; background: #8882; }
img { max-width: 100%; border: 1px solid #8886; }
"""


@method("sessions.create", Scope.ACT, returns="{sessionKey}", reach="sessions")
class CreateSession(Method):
    """Open a chat with an isolated browser session, which counts from when its browser is first used."""

    name: str | None = arg("A name of your own; by default a UUID.", default=None, pattern=NAME)

    async def run(self, gateway: Gateway, client: Client) -> dict[str, Any]:
        return {"sessionKey": gateway.chats.open(self.name or str(uuid.uuid4()), client.token.owner)}


@method("sessions.list", Scope.VIEW, returns="{sessions: [facts]}", reach="sessions")
class ListSessions(Method):
    """List the open sessions with their tabs, and who drives each of them."""

    async def run(self, gateway: Gateway, client: Client) -> dict[str, Any]:
        names = [str(facts["session"]) for facts in gateway.sessions.sessions()]
        return {"sessions": [gateway.session_facts(name) for name in names if client.token.reaches(name, Scope.VIEW)]}


@method("sessions.records", Scope.VIEW, returns="{sessions: [sessionKey]}", reach="sessions")
class ListRecords(Method):
    """List the sessions that have a record, open or closed, the newest first."""

    limit: int = arg("Most sessions to list.", default=100, ge=1, le=1000)

    async def run(self, gateway: Gateway, client: Client) -> dict[str, Any]:
        names = await asyncio.to_thread(recorded, gateway.settings.journal_folder)
        return {"sessions": [name for name in names if client.token.reaches(name, Scope.VIEW)][: self.limit]}


@method("sessions.get", Scope.VIEW, returns="{session: facts}")
class GetSession(Method):
    """Return what is known of one session."""

    session_key: str = arg("The session.")

    async def run(self, gateway: Gateway, client: Client) -> dict[str, Any]:
        return {"session": gateway.session_facts(self.session_key)}


@method("sessions.close", Scope.ACT, returns="{sessionKey}")
class CloseSession(Method):
    """Close a session: its pages, cookies and storage are gone, its record stays."""

    session_key: str = arg("The session.")

    async def run(self, gateway: Gateway, client: Client) -> dict[str, Any]:
        name = await gateway.close_session(self.session_key)
        return {"sessionKey": name}


@method("sessions.history", Scope.VIEW, returns="{entries: [entry], more}")
class SessionHistory(Method):
    """Return the record of a session, open or closed: messages, tool calls, actions and decisions, oldest first."""

    session_key: str = arg("The session.", pattern=FULL_NAME)
    after: int = arg("Number of the entry after which to begin.", default=0, ge=0)
    limit: int = arg("Most entries to return.", default=200, ge=1, le=1000)
    last: bool = arg("Return the last entries instead of the first ones.", default=False)

    async def run(self, gateway: Gateway, client: Client) -> dict[str, Any]:
        if self.last and self.after:
            raise InvalidArguments("`last` and `after` exclude each other.")
        entries, more = await gateway.history(self.session_key, self.after, self.limit, self.last)
        return {"entries": entries, "more": more}


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


@method("session.export", Scope.VIEW, returns="{html}")
class ExportSession(Method):
    """Return the record of a session, its pictures included, as a single HTML file."""

    session_key: str = arg("The session, open or closed.")

    async def run(self, gateway: Gateway, client: Client) -> dict[str, Any]:
        entries, has_more = await gateway.history(self.session_key, 0, MAX_ENTRIES, True)
        return {"html": await asyncio.to_thread(page_of, self.session_key, entries, has_more)}


def page_of(session: str, entries: list[dict[str, Any]], has_more: bool) -> str:
    """Return the HTML file. Every text in it may come from a page, and is escaped."""
    title = f"Session {escape(session)}"
    cut = f"<p>Only the last {MAX_ENTRIES} entries are shown.</p>" if has_more else ""
    made = time.strftime("%Y-%m-%d %H:%M:%S %Z")
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{CSP}">\n<title>{title}</title>\n'
        f"<style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
        f"<p><small>{len(entries)} entries of its journal, exported by rove at {made}.</small></p>\n{cut}\n"
        + "\n".join(_article(entry) for entry in entries)
        + "\n</body>\n</html>\n"
    )


def _article(entry: Mapping[str, Any]) -> str:
    parts = (_heading(entry), _facts(entry), _texts(entry), *map(_picture, entry.get("attachments") or ()))
    return f'<article id="entry-{int(entry["number"])}">\n{"".join(parts)}</article>'


def _heading(entry: Mapping[str, Any]) -> str:
    match entry.get("kind", "action"):
        case "message":
            title = "Message" if entry.get("role") == "user" else "Answer"
        case "tool":
            title = f"Tool {entry.get('tool')}: {entry.get('phase')}"
        case "driver":
            title = f"{entry.get('person') or 'A person'}: {entry.get('event')}"
        case _:
            title = str(entry.get("summary") or entry.get("action"))
    return f"<h2>{escape(title)}</h2>\n"


def _facts(entry: Mapping[str, Any]) -> str:
    began = entry.get("began")
    outcome = str(entry.get("outcome") or "")
    shown = [
        time.strftime("%H:%M:%S", time.localtime(began)) if isinstance(began, int | float) else "",
        str(entry.get("actor") or ""),
        f"decision: {entry['decision']}" if entry.get("decision") else "",
        f"{entry['seconds']} s" if entry.get("seconds") else "",
        str(entry.get("url") or ""),
    ]
    facts = " · ".join(escape(part) for part in shown if part)
    if outcome:
        kind = "" if outcome == "done" else ' class="failed"'
        facts += f" · <span{kind}>{escape(outcome)}</span>"
    return f"<p><small>{facts}</small></p>\n"


def _texts(entry: Mapping[str, Any]) -> str:
    texts = []
    if entry.get("arguments"):
        texts.append(f"<pre>{escape(json.dumps(entry['arguments'], ensure_ascii=False, indent=1))}</pre>\n")
    if told := entry.get("text") or entry.get("changes"):
        texts.append(f"<pre>{escape(str(told))}</pre>\n")
    if entry.get("error"):
        texts.append(f'<p class="failed">{escape(str(entry["error"]))}</p>\n')
    return "".join(texts)


def _picture(attachment: Mapping[str, Any]) -> str:
    mime = str(attachment.get("mimeType"))
    data = attachment.get("data")
    if mime not in PICTURE_TYPES or not isinstance(data, str):
        return ""
    name = escape(str(attachment.get("name") or "Picture"))
    return f'<img alt="{name}" src="data:{mime};base64,{escape(data)}">\n'
