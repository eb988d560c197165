"""What the server offers to its clients: tools, resources, subscriptions.

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
from typing import Any, cast
from urllib.parse import quote, unquote, urlsplit

from rove.action import Effect
from rove.advice import nearest
from rove.engine.client_sessions import ServedSessions
from rove.engine.session_interface import ServedSession
from rove.errors import RoveError
from rove.outcome import origin_in
from rove.owned_names import own_name
from rove.storage.ledger import LedgerFiles, open_to_read, unseal
from rove.surfaces.mcp.messages import INVALID_PARAMS, META, TOOLS_CHANGED, Message, ProtocolError
from rove.surfaces.mcp.protocol import TOOLS_STAY_VALID_MS, Handler, McpServer, Subscribe
from rove.surfaces.mcp.request import Exchange, Inbox
from rove.surfaces.mcp.tool_calls import Calls, InvalidState
from rove.toolsets.catalogue import PREFIX, group_of
from rove.toolsets.tool import Tool
from rove.toolsets.toolset import Toolset
from rove.workspace import Workspace

# Tells clients of revision 2026-07-28 to send this argument as the header `Mcp-Param-Session` as well.
SESSION_HEADER = {"x-mcp-header": "Session"}
OWNER_ONLY = "forbidden: These tools are for the owner alone. Use a token with the scope `own`."
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
SUBSCRIPTION_KEY = META + "subscriptionId"
ACKNOWLEDGED = "notifications/subscriptions/acknowledged"


class ToolsFeature:
    """The tools of a toolset.

    `has_headers`: whether the transport has headers, by which a balancer can route a call to its session.
    """

    def __init__(self, tools: Toolset, calls: Calls, *, has_headers: bool = False) -> None:
        self._tools = tools
        self._calls = calls
        self._has_headers = has_headers

    @property
    def capabilities(self) -> Message:
        return {"tools": {"listChanged": True} if self._tools.follows_sessions else {}}

    @property
    def methods(self) -> Mapping[str, Handler]:
        return {"tools/list": self._list, "tools/call": self._call}

    async def close(self) -> None:
        await self._calls.close()

    def input_schema(self, name: str) -> Mapping[str, Any]:
        """Return the schema of a tool as clients of a stateless revision see it; an empty one if there is none."""
        return described(self._tools[name], self._has_headers)["inputSchema"] if name in self._tools else {}

    async def _list(self, exchange: Exchange) -> Message:
        is_allowed = self._is_allowed(exchange)
        shown = [tool for tool in self._tools.values() if is_allowed and self._calls.offers(tool, exchange.client)]
        tools = [described(tool, self._has_headers and exchange.is_stateless) for tool in shown]
        return {"tools": tools, **(self._lasting if exchange.is_stateless else {})}

    def _is_allowed(self, exchange: Exchange) -> bool:
        """Whether the client may use these tools: some toolsets are for the owner alone."""
        return self._tools.access == "all" or exchange.client.owner is None

    @property
    def _lasting(self) -> Message:
        """For how long a list is valid, and for whom."""
        if self._tools.follows_sessions or self._tools.access == "owner":
            return {"ttlMs": 0, "cacheScope": "private"}
        return {"ttlMs": TOOLS_STAY_VALID_MS, "cacheScope": "public"}

    async def _call(self, exchange: Exchange) -> Message:
        name, arguments = exchange.params.get("name"), exchange.params.get("arguments") or {}
        if not isinstance(name, str) or name not in self._tools:
            raise ProtocolError(INVALID_PARAMS, f"Unknown tool: {name}" + self._other_than(str(name)))
        if not self._is_allowed(exchange):
            raise ProtocolError(INVALID_PARAMS, OWNER_ONLY)
        if not self._calls.offers(self._tools[name], exchange.client):
            raise ProtocolError(INVALID_PARAMS, f"Unknown tool: {name}. {self._until_session()}")
        if not isinstance(arguments, dict):
            raise ProtocolError(INVALID_PARAMS, "arguments must be an object")
        try:
            return await self._calls.call(self._tools[name], cast(Message, arguments), exchange)
        except InvalidState:
            message = "requestState belongs to another call, was used or has expired: call again without it"
            raise ProtocolError(INVALID_PARAMS, message) from None

    def _until_session(self) -> str:
        """Say which tool has to be called before the others are there."""
        opener = next((name for name, tool in self._tools.items() if not tool.needs_session), "a tool that opens one")
        return f"It is there only while a session is open: open one with {opener} first."

    def _other_than(self, name: str) -> str:
        """Return a hint for an unknown tool: the flag that shows it, or the nearest name."""
        if group := group_of(name):
            verb = name.removeprefix(PREFIX)
            return f". It is a tool only when rove is started with `--with {group}`; {PREFIX}batch has it as {verb!r}."
        # All names begin alike, which would make any of them seem near.
        verbs = {tool.removeprefix(PREFIX): tool for tool in self._tools}
        near = nearest(name.lower().removeprefix(PREFIX), verbs)
        return f". Did you mean {verbs[near]}?" if near else ""


def described(tool: Tool, has_headers: bool = False) -> Message:
    """Return a tool as clients are told of it."""
    schema = _with_header(tool.schema) if has_headers else tool.schema
    shown = {"name": tool.name, "description": tool.description, "inputSchema": schema}
    return {**shown, "annotations": _annotations(tool)}


def _annotations(tool: Tool) -> Message:
    """Return hints for the client's own rules; models are not sent them."""
    reads = tool.effect is Effect.READ
    destroys = {} if reads else {"destructiveHint": tool.effect in (Effect.ACT, Effect.SCRIPT)}
    return {"readOnlyHint": reads, "openWorldHint": True, **destroys}


def _with_header(schema: Mapping[str, Any]) -> Message:
    """Return a schema whose `session` is marked to be sent as a header too."""
    properties = schema["properties"]
    if "session" not in properties:
        return dict(schema)
    return {**schema, "properties": {**properties, "session": {**properties["session"], **SESSION_HEADER}}}


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


class SubscriptionsFeature:
    """Tells each client that listens when its list of tools has changed, until it cancels its request."""

    def __init__(self, subscribe: Subscribe | None) -> None:
        """`subscribe`: calls a listener when the tools of a client have changed; None if they never do."""
        self._subscribe = subscribe
        self._is_over = asyncio.Event()

    @property
    def capabilities(self) -> Message:
        return {}

    @property
    def methods(self) -> Mapping[str, Handler]:
        return {} if self._subscribe is None else {"subscriptions/listen": self._listen}

    async def close(self) -> None:
        self._is_over.set()

    async def _listen(self, exchange: Exchange) -> Message:
        wanted = exchange.params.get("notifications")
        if not isinstance(wanted, dict):
            raise ProtocolError(INVALID_PARAMS, "notifications must be an object")
        meta: Message = {"_meta": {SUBSCRIPTION_KEY: exchange.identity}}
        changed = asyncio.Event()
        is_told = wanted.get("toolsListChanged") is True
        end = self._subscribe(exchange.client.owner, changed.set) if self._subscribe and is_told else None
        try:
            honoured = {"toolsListChanged": True} if is_told else {}
            await exchange.notify(ACKNOWLEDGED, {**meta, "notifications": honoured})
            while await self._until_changed(changed):
                changed.clear()
                await exchange.notify(TOOLS_CHANGED, meta)
        finally:
            if end is not None:
                end()
        return meta

    async def _until_changed(self, changed: asyncio.Event) -> bool:
        """Wait for a change; False if the server ends first."""
        waiting = [asyncio.ensure_future(event.wait()) for event in (changed, self._is_over)]
        try:
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in waiting:
                each.cancel()
        return not self._is_over.is_set()


def browser_server(
    sessions: ServedSessions, tools: Toolset, inbox: Inbox | None = None, *, has_headers: bool = False
) -> McpServer:
    """Return the server of a process. `inbox`: where people at the gateway answer; `has_headers`: as for HTTP."""
    offered = ToolsFeature(tools, Calls(sessions, inbox), has_headers=has_headers)
    subscribe = sessions.changes.subscribe if tools.follows_sessions else None
    return McpServer(
        offered,
        ResourcesFeature(sessions),
        SubscriptionsFeature(subscribe),
        instructions=tools.instructions,
        input_schema=offered.input_schema,
        subscribe=subscribe,
    )
