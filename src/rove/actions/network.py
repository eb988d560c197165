"""The network: the requests of a tab and their responses, also as a HAR file."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field, replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, ClassVar, Literal
from urllib.parse import urlsplit

from rove.action import ContextAction, Effect, TabAction, action, arg
from rove.browser.logs import NetworkMessage, unrecorded_requests
from rove.browser.network import mask_headers, withheld, withheld_url
from rove.errors import InvalidArguments, NotOpen, unwritable
from rove.fields import plain
from rove.outcome import Name, Passage, Result, moment, origin_in
from rove.page_text import NOWHERE, Own, PageText, Text
from rove.records import dataclass
from rove.target import within
from rove.workspace import Workspace, reading_command

if TYPE_CHECKING:
    from rove.browser.context import TabInfo
    from rove.browser.shared.context import Context
    from rove.browser.shared.logs import LoggedRequest
    from rove.browser.shared.tab import Tab
    from rove.recordings.har import Disclosure

FOLDER = "output"
FILE = "requests.json"
MOST_CHARACTERS = 12_000
LONGEST_ADDRESS = 300
MOST_BODY = 4000
MOST_MESSAGES = 8000
WITHHELD = "[withheld]"
GONE = "[the browser does not have it, or no longer]"
HAR_FOLDER = "har"


@dataclass(frozen=True)
class RequestLine:
    request: int
    method: PageText
    url: PageText
    type: Own
    time: Own
    status: int | None
    source: Own | None
    context: Own
    origin: Own
    size: int | None
    ms: int | None
    failure: PageText | None
    initiator: PageText
    intercepted: Own | None = None

    def shown(self, origin: str) -> str:
        came = self.failure or ("pending" if self.status is None else str(self.status))
        facts = [came, self.type]
        facts += [f"{self.size} B"] if self.size else []
        facts += [f"{self.ms} ms"] if self.ms is not None else []
        facts += [f"from {self.source}"] if self.source not in (None, "network", "rule") else []
        facts += [self.intercepted] if self.intercepted else []
        facts += [f"in {self.context}"] if self.context != "page" else []
        return f"{self.request}. {self.method} {within(origin, self.url)} {', '.join(facts)}"

    @property
    def entry(self) -> dict[str, Any]:
        """The request as JSON data: what was asked for, and where the response came from."""
        facts = {"url": self.url, "method": self.method, "type": self.type, "status": self.status}
        failure = {"error": self.failure} if self.failure else {}
        return {**facts, "source": self.source, "context": self.context, **failure}


@dataclass(frozen=True)
class RequestBody:
    """The text of a body, cut to what fits into an answer; `path` is the file that has all of it, if it was cut."""

    text: Text
    path: PageText | None = None

    def passages(self, origin: str) -> Iterator[Passage]:
        yield Passage(self.text, origin, is_raw=True)
        if self.path:
            yield Passage(f"All of it: {self.path}", origin)


@dataclass(frozen=True)
class RequestMessage:
    """A frame of a WebSocket, or an event of a server with its type."""

    time: Own
    direction: Literal["sent", "received"]
    text: PageText
    size: int
    event: PageText
    is_binary: bool = False

    def shown(self) -> str:
        kind = f" {self.event}" if self.event else ""
        size = f" ({self.size} {'bytes' if self.is_binary else 'characters'})"
        cut = self.is_binary or len(self.text) < self.size
        text = json.dumps(self.text, ensure_ascii=False)
        return f"{self.time[11:23]} {self.direction}{kind} {text}{size if cut else ''}"


@dataclass(frozen=True)
class RequestDetails:
    sent_headers: dict[PageText, PageText]
    received_headers: dict[PageText, PageText]
    sent: RequestBody | None = None
    received: RequestBody | None = None
    has_sent_body: bool = False
    initiator: PageText = PageText("", NOWHERE)
    # Milliseconds of each phase, in their order.
    timing: dict[Name, float] = field(default_factory=dict[str, float])
    messages: tuple[RequestMessage, ...] = ()
    messages_dropped: int = 0
    # The file that has all messages that are kept as JSON, if they are more than fits into an answer.
    messages_path: Own = Own("")

    def passages(self, asking: str, answering: str) -> Iterator[Passage]:
        if self.initiator:
            yield Passage("Initiator:")
            yield Passage(self.initiator, asking)
        if self.timing:
            yield Passage("Timing: " + ", ".join(f"{phase} {took:g} ms" for phase, took in self.timing.items()))
        yield from self._headers_and_bodies(asking, answering)
        if self.messages:
            earlier = f" ({self.messages_dropped} earlier ones were dropped)" if self.messages_dropped else ""
            yield Passage(f"Messages{earlier}:")
        for message in self.messages:
            yield Passage(message.shown(), asking if message.direction == "sent" else answering)
        if self.messages_path:
            command = reading_command(self.messages_path)
            yield Passage(f"Earlier messages too, as JSON: {self.messages_path} (read it with: {command})")

    def _headers_and_bodies(self, asking: str, answering: str) -> Iterator[Passage]:
        for way, headers, body, origin in (
            ("Request", self.sent_headers, self.sent, asking),
            ("Response", self.received_headers, self.received, answering),
        ):
            yield Passage(f"{way} headers:")
            yield Passage("\n".join(_listed(headers)), origin)
            if body is not None:
                yield Passage(f"{way} body:")
                yield from body.passages(origin)


@dataclass(frozen=True)
class RequestList(Result):
    requests: tuple[RequestLine, ...]
    left_out: int = 0
    dropped: int = 0
    details: RequestDetails | None = None
    # The file that has the list as JSON, if it is more than an answer may hold.
    path: Own = Own("")
    unrecorded: int = 0
    # The number of the request for the page's own document.
    document: int | None = None

    def __str__(self) -> str:
        return "\n".join(passage.text for passage in self.passages(""))

    def passages(self, origin: str) -> Iterator[Passage]:
        """Tell each request as written by the origin that sent it, and each response as written by its server."""
        if self.left_out:
            yield Passage(f"{self.left_out} earlier left out: narrow the search or raise `limit`.")
        if self.dropped:
            yield Passage(f"{self.dropped} older ones dropped.")
        if self.unrecorded:
            yield Passage(unrecorded_requests(self.unrecorded))
        for request in self.requests:
            yield Passage(request.shown(origin), request.origin or origin)
            if self.details is not None:
                yield from self.details.passages(request.origin or origin, origin_in(request.url))
        if not self.requests:
            yield Passage("No request matches.")


@action(Effect.READ)
class Network(TabAction[RequestList]):
    """List the tab's latest requests, or show one of them with its headers."""

    request: int | None = arg("Number of the one to show.", default=None, ge=1)
    body: bool = arg("Show its bodies too; what is long goes to a file.", default=False)
    url: str | None = arg("Part of the URL, or a pattern with *.", default=None, min_length=1)
    type: str | None = arg("Such as document, script, fetch, xhr, image.", default=None, min_length=1)
    failed: bool = arg("Only failures and HTTP errors.", default=False)
    regex: str | None = arg("JavaScript pattern that the URL matches.", default=None, rare=True)
    limit: int = arg("Most requests, the latest ones.", default=50, ge=0, le=500)
    save: bool = arg("Write a long list to a file, as JSON.", default=False, rare=True)
    characters: int | None = arg("Most characters of the list, or of a body.", default=None, ge=1, rare=True)

    @property
    def is_about_page(self) -> bool:
        return False  # requests help most where a page failed to load

    @property
    def needs_answers(self) -> bool:
        return self.body or self.regex is not None

    async def perform(self, tab: Tab) -> RequestList:
        if self.request is not None:
            return await self._one(tab, self.request)
        # URLs are searched as they are shown: a search must not tell what a secret in one begins with.
        told = (request for request in tab.network if self._may_mean(request) and _may_tell(tab, request.origin))
        lines = [_line(request, tab.redact) for request in told]
        found = [line for line in lines if self._means(line)]
        if self.regex:
            # Between slashes, as slashes of its own are parts of paths here.
            places = await tab.observer.aria.matching([line.url for line in found], f"/{self.regex}/")
            found = [found[place] for place in places]
        lines = _latest(found, self.limit, self.characters or MOST_CHARACTERS)
        path = await _saved(tab, lines) if self.save else Own("")
        log = tab.network
        return RequestList(
            tuple(lines),
            len(found) - len(lines),
            log.dropped,
            path=path,
            unrecorded=log.unrecorded,
            document=max((each.number for each in log if _is_document(each)), default=None),
        )

    async def _one(self, tab: Tab, number: int) -> RequestList:
        await tab.network.catch_up()
        request = tab.network.find(number)
        if request is None or not _may_tell(tab, request.origin):
            raise InvalidArguments(f"`request`: there is no request {number}, or no longer.", hint="List them first.")
        sent, received = (await _bodies(tab, request, self.characters or MOST_BODY)) if self.body else (None, None)
        messages, path = await _messages(tab, request)
        line, answering = _line(request, tab.redact), PageText("", origin_in(request.url))
        details = RequestDetails(
            _shown_headers(tab, request.request_headers, line.url),
            _shown_headers(tab, request.response_headers, answering),
            sent,
            received,
            request.has_body,
            line.initiator,
            {Own(phase): took for phase, took in request.timing.phases.items()},
            messages,
            request.messages.dropped,
            path,
        )
        return RequestList((_cut(line),), details=details)

    def _may_mean(self, request: LoggedRequest) -> bool:
        if self.failed and not request.has_failed:
            return False
        return not self.type or self.type.lower() == request.kind

    def _means(self, line: RequestLine) -> bool:
        return self.url is None or self.url in line.url or ("*" in self.url and fnmatchcase(line.url, self.url))


def _is_document(request: LoggedRequest) -> bool:
    return request.kind == "document" and request.context == "page"


def _may_tell(tab: Tab, origin: str) -> bool:
    """Whether the policy lets the agent read words of an origin. On the page's own it has decided already."""
    return origin in ("", tab.url.origin) or tab.page.may_read(origin)


def _latest(found: list[RequestLine], limit: int, room: int) -> list[RequestLine]:
    """Return the latest requests that fit into so many characters, oldest first."""
    lines: list[RequestLine] = []
    for line in map(_cut, reversed(found[len(found) - min(limit, len(found)) :])):
        room -= len(line.url) + 40
        if room < 0:
            break
        lines.append(line)
    return lines[::-1]


async def _saved(tab: Tab, lines: Sequence[RequestLine]) -> Own:
    """Write the list to a file if it is more than an answer may hold; return its path, or nothing."""
    data = tab.redact(json.dumps([line.entry for line in lines], ensure_ascii=False)).encode("utf-8", "replace")
    if len(data) <= tab.settings.observing.output:
        return Own("")
    return Own(await Workspace(tab.settings.workspace_folder).save(FOLDER, FILE, data))


def _cut(line: RequestLine) -> RequestLine:
    is_long = len(line.url) > LONGEST_ADDRESS
    return replace(line, url=line.url.around(line.url[: LONGEST_ADDRESS - 1] + "…")) if is_long else line


def _shown_headers(tab: Tab, headers: dict[str, str], author: PageText) -> dict[PageText, PageText]:
    shown = mask_headers(headers).items()
    return {author.around(name): author.around(withheld(value, tab.redact)) for name, value in shown}


def _line(request: LoggedRequest, redact: Callable[[str], str]) -> RequestLine:
    asking = PageText("", request.origin or NOWHERE).around
    return RequestLine(
        request.number,
        asking(request.method),
        asking(withheld_url(request.url, redact)),
        Own(request.kind),
        Own(moment(request.at)),
        request.status,
        Own(request.source) if request.source else None,
        Own(request.context),
        Own(request.origin),
        request.size,
        None if request.seconds is None else round(request.seconds * 1000),
        asking(request.failure) if request.failure else None,
        asking(withheld(request.initiator, redact)),
        Own(request.intercepted) if request.intercepted else None,
    )


async def _messages(tab: Tab, request: LoggedRequest) -> tuple[tuple[RequestMessage, ...], Own]:
    """Return the latest messages that fit into an answer and, if these are not all, the file that has all."""
    every = [_message(message, request, tab.redact) for message in request.messages]
    kept: list[RequestMessage] = []
    room = MOST_MESSAGES
    for message in reversed(every):
        room -= len(message.text) + len(message.event) + 30
        if room < 0 and kept:
            break
        kept.append(message)
    if len(kept) == len(every):
        return tuple(every), Own("")
    data = tab.redact(json.dumps(plain(every), ensure_ascii=False)).encode("utf-8", "replace")
    path = await Workspace(tab.settings.workspace_folder).save(FOLDER, "messages.json", data)
    return tuple(kept[::-1]), Own(path)


def _message(message: NetworkMessage, request: LoggedRequest, redact: Callable[[str], str]) -> RequestMessage:
    author = PageText("", request.origin or NOWHERE if message.direction == "sent" else origin_in(request.url))
    text, event = (author.around(withheld(said, redact)) for said in (message.text, message.event))
    return RequestMessage(Own(moment(message.at)), message.direction, text, message.size, event, message.is_binary)


def _listed(headers: dict[PageText, PageText]) -> Iterator[str]:
    for name, value in headers.items():
        yield from (f"  {name}: {line}" for line in value.split("\n"))


async def _bodies(tab: Tab, request: LoggedRequest, most: int) -> tuple[RequestBody | None, RequestBody | None]:
    name = tab.redact(urlsplit(request.url).path.rpartition("/")[2]) or "body"
    sent = await request.request_body() if request.has_body else b""
    return (
        await _body(tab, PageText(f"sent-{name}", request.origin or NOWHERE), sent, most) if request.has_body else None,
        await _body(tab, PageText(name, origin_in(request.url)), await request.response_body(), most),
    )


async def _body(tab: Tab, name: PageText, data: bytes | None, most: int) -> RequestBody:
    """Return a body; `name` is that of the file for one of more characters, in the words of the body's author."""
    if data is None:
        return RequestBody(Own(GONE))
    if not _may_tell(tab, name.origin):
        return RequestBody(name.around(WITHHELD))  # no file has it either
    # The bytes of a picture or an archive may hold a secret too.
    whole = data.decode("utf-8", "replace")
    if (note := withheld(whole, tab.redact)) != whole:
        return RequestBody(name.around(note))
    text = _text(data)
    if text is not None and len(text) <= most:
        return RequestBody(name.around(text))
    path = await Workspace(tab.settings.workspace_folder).save(FOLDER, name, data)
    shown = Own(f"[{len(data)} bytes that are no text]") if text is None else name.around(text[:most] + "…")
    return RequestBody(shown, name.around(str(path)))


def _text(data: bytes) -> str | None:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text


@dataclass(frozen=True)
class HarSaved(Result):
    path: Own
    entries: int
    pages: int
    # Requests that are not in the file: dropped from the log before, or of origins that may not be read.
    dropped: int = 0
    withheld: int = 0

    def __str__(self) -> str:
        requests = f"{self.entries} request{'' if self.entries == 1 else 's'}"
        lines = [f"Saved {requests} of {self.pages} page{'' if self.pages == 1 else 's'}: {self.path}"]
        if self.dropped:
            lines.append(f"{self.dropped} older ones had left the log: record a session with `har` to have all.")
        if self.withheld:
            lines.append(f"{self.withheld} were left out, as the policy does not let them be read.")
        return "\n".join(lines)


@action(Effect.READ, group="capture")
class SaveHar(ContextAction[HarSaved]):
    """Save the latest requests of the session, or of one tab, as a HAR file."""

    command: ClassVar[str | None] = "har"

    name: str | None = arg("Name of the file.", default=None, min_length=1, max_length=100)
    tab: str | None = arg("Only of this tab.", default=None)
    bodies: bool = arg("Keep the bodies that the browser still has.", default=False)

    @property
    def is_about_page(self) -> bool:
        return False  # requests help most where a page failed to load

    def concerns(self, context: Context) -> TabInfo | None:
        return next((tab for tab in context.tab_infos if tab.id == self.tab), None)

    async def perform(self, context: Context) -> HarSaved:
        from rove.recordings.har import page_of  # not needed to start a server

        tabs = [tab for tab in context.tabs if self.tab in (None, tab.id)]
        if not tabs:
            raise NotOpen(f"There is no tab {self.tab or ''}".rstrip() + ".", hint="Open a page first, or list {tabs}.")
        entries: list[tuple[str, str]] = []
        pages: list[dict[str, Any]] = []
        withheld = 0
        for tab in tabs:
            shown = self._disclosure(tab)
            await tab.network.catch_up()
            made = await _entries(tab, shown)
            entries += [each for each in made if each is not None]
            withheld += made.count(None)
            used = {request.page for request in tab.network}
            pages += [page_of(tab.id, load, shown) for load in tab.network.pages if load.number in used]
        path = await self._write(context, [text for _, text in sorted(entries)], pages)
        dropped = sum(tab.network.dropped + tab.network.unrecorded for tab in tabs)
        return HarSaved(path, len(entries), len(pages), dropped, withheld)

    def _disclosure(self, tab: Tab) -> Disclosure:
        from rove.recordings.har import Disclosure

        largest = tab.settings.capture.har_body_kilobytes * 1024
        return Disclosure(tab.redact, tab.page.may_read, largest if self.bodies else 0)

    async def _write(self, context: Context, entries: Sequence[str], pages: Sequence[dict[str, Any]]) -> Own:
        from rove.recordings.har import HarArchive

        workspace = Workspace(context.settings.workspace_folder)
        name = (self.name or "network").removesuffix(".har") + ".har"
        largest = context.settings.capture.har_megabytes * 1_000_000

        def write() -> Own:
            path, descriptor = workspace.create(HAR_FOLDER, name)
            archive = HarArchive(descriptor, largest)
            for entry in entries:
                archive.add(entry, ())
            archive.close(pages)
            return Own(path)

        try:
            return await asyncio.to_thread(write)
        except OSError as error:
            raise unwritable(workspace.root, error) from error


async def _entries(tab: Tab, shown: Disclosure) -> list[tuple[str, str] | None]:
    """Return when each request of a tab began, and its entry; None for one that may not be shown."""
    from rove.recordings.har import entry_of, may_show, page_id, read_bodies

    known = {load.number for load in tab.network.pages}
    made: list[tuple[str, str] | None] = []
    for request in [*tab.network]:
        if not may_show(request, shown):
            made.append(None)
            continue
        page = page_id(tab.id, request.page) if request.page in known else None
        entry = entry_of(request, shown, await read_bodies(request, shown), page)
        line = shown.line(entry)
        made.append(None if line is None else (entry["startedDateTime"], line))
    return made
