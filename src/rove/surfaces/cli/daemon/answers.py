"""What commands answer with: on the screen, as JSON, and in files."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any

from rove.engine.sessions import Sessions
from rove.errors import RoveError
from rove.guard.cleaning import one_line, readable
from rove.outcome import AnyOutcome, Attachment
from rove.page_text import Own
from rove.surfaces.cli.action_arguments import Command
from rove.surfaces.cli.command_advice import advise, in_command_words
from rove.surfaces.cli.failures import json_line
from rove.surfaces.cli.terminal_output import Palette
from rove.toolsets.outcome_text import as_data, as_text
from rove.workspace import Workspace

# Seconds before anything is shown, and between two updates.
INTERVAL = 1.0

# A row of a snapshot: what it is, what it is called, and the rest, in which refs are marked.
_ROW = re.compile(r'(?P<role>[a-z-]+)?(?P<name> ?"(?:[^"\\]|\\.)*")?(?P<rest>.*)')
_REF = re.compile(r"\[e\d+\]")

LINES = ("├─ ", "└─ ", "│  ", "   ")
ASCII_LINES = ("|- ", "`- ", "|  ", "   ")
STANDARD_OUTPUT = "-"


class Reply:
    """The connection to one client."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._awaited: dict[str, asyncio.Future[str]] = {}
        self._asking = asyncio.Lock()
        self._questions = 0
        self.columns = 80
        self.encoding = "utf-8"
        self.has_colour = False
        self.has_person = False
        self.shows_progress = False

    def of(self, request: Mapping[str, Any]) -> None:
        """Learn from a request what its client can show, and whether a person reads it."""
        self.columns = int(request["columns"])
        self.encoding = str(request["encoding"])
        self.has_colour = bool(request["has_colour"])
        self.has_person = bool(request["has_person"])
        self.shows_progress = bool(request["shows_progress"])

    async def receive(self) -> Any:
        """Return the next message of the client. Raises ConnectionError if there is none."""
        line = await self._reader.readline()
        if not line:
            raise ConnectionResetError("the client closed the connection")
        return json.loads(line)

    async def closed(self) -> None:
        """Wait until the client closes the connection; pass on the input and the answers that it sends before."""
        while line := await self._reader.readline():
            for kind, text in json.loads(line).items():
                awaited = self._awaited.pop(kind, None)
                if awaited is not None and not awaited.done():
                    awaited.set_result(str(text))

    async def input(self) -> str:
        """Return all of the client's standard input."""
        self.send(input=True)
        return await self._next("input")

    async def ask(self, question: str) -> str:
        """Return what the person at the client's terminal types; other questions wait. Withdrawn when cancelled."""
        async with self._asking:
            self._questions += 1
            answer = f"answer {self._questions}"
            self.send(ask=question, name=answer)
            try:
                return await self._next(answer)
            except asyncio.CancelledError:
                self.send(withdrawn=True)
                raise

    async def _next(self, kind: str) -> str:
        awaited: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._awaited[kind] = awaited
        return await awaited

    @property
    def is_asking(self) -> bool:
        """Whether a question is on the screen, which nothing else may be written over."""
        return self._asking.locked()

    def output(self, text: str) -> None:
        self.send(output=text)

    def as_json(self, data: Any) -> str:
        """Return a line of JSON; in ASCII where the client's encoding lacks characters."""
        return json_line(data, self.encoding)

    def error(self, text: str) -> None:
        self.send(error=text)

    def file(self, path: str, data: bytes) -> None:
        """Let the client write a file, with its own rights and in its own folder."""
        self.send(file=path, data=base64.b64encode(data).decode())

    def send(self, **message: Any) -> None:
        self._writer.write(json.dumps(message).encode() + b"\n")

    async def flush(self) -> None:
        await self._writer.drain()


class Progress:
    """A line that says what goes on and for how long, until there is an answer. Only where a person reads it."""

    def __init__(self, command: str, reply: Reply) -> None:
        self._text = command
        self._reply = reply
        self._began = time.monotonic()
        self._showing: asyncio.Task[None] | None = None

    def report(self, message: str, done: float | None = None, total: float | None = None) -> None:
        """Take what the engine tells of its progress."""
        part = f" ({100 * done / total:.0f} %)" if done is not None and total else ""
        self._text = message + part

    def __enter__(self) -> Progress:
        if self._reply.shows_progress:
            self._showing = asyncio.create_task(self._show())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._showing is not None:
            self._showing.cancel()

    async def _show(self) -> None:
        while True:
            await asyncio.sleep(INTERVAL)
            if not self._reply.is_asking:
                width = max(self._reply.columns - 10, 20)
                self._reply.send(progress=f"{one_line(self._text, width)}  {time.monotonic() - self._began:.0f} s")


def lines_for(encoding: str) -> Sequence[str]:
    """Return what a tree is drawn with where the terminal has an encoding."""
    try:
        "".join(LINES).encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return ASCII_LINES
    return LINES


def pretty(outcome: AnyOutcome, palette: Palette, drawn: Sequence[str] = LINES) -> str:
    """Return the page's title and address, and its rows as a tree; a line names each frame of another origin."""
    title, url = one_line(outcome.title or "", 100), one_line(outcome.url or "", 100)
    lines = [f"{palette.paint(title, 'bold')}  {palette.paint(url, 'dim')}".strip()]
    for passage in outcome.result.passages(outcome.origin):
        if passage.origin not in (None, outcome.origin):
            lines.append(palette.paint(f"from {one_line(passage.origin, 100)}", "yellow"))
        lines += _tree(readable(passage.text).split("\n"), palette, drawn)
    return "\n".join(lines) + "\n"


def _tree(rows: Sequence[str], palette: Palette, drawn: Sequence[str]) -> Iterator[str]:
    depths = [len(row) - len(row.lstrip(" ")) for row in rows]
    for number, row in enumerate(rows):
        guides = "".join(_guides(depths[number:], depths[number], drawn))
        yield palette.paint(guides, "dim") + _painted(row.strip(" "), palette)


def _guides(following: Sequence[int], depth: int, drawn: Sequence[str]) -> Iterator[str]:
    """Yield what stands before a row: for each level above it, whether that level goes on below."""
    for level in range(1, depth + 1):
        goes_on = _goes_on(following[1:], level)
        if level == depth:
            yield drawn[0] if goes_on else drawn[1]
        else:
            yield drawn[2] if goes_on else drawn[3]


def _goes_on(following: Iterable[int], level: int) -> bool:
    """Whether a row of this level comes before one of a higher level."""
    for depth in following:
        if depth <= level:
            return depth == level
    return False


def _painted(row: str, palette: Palette) -> str:
    found = _ROW.fullmatch(row)
    if not palette.is_used or found is None:
        return row
    rest = _REF.sub(lambda ref: palette.paint(ref[0], "green"), found["rest"])
    return palette.paint(found["role"] or "", "cyan") + palette.paint(found["name"] or "", "bold") + rest


async def save_files(outcome: AnyOutcome, command: Command, workspace: Workspace, reply: Reply) -> list[str]:
    """Write the files of an answer where the command says, or pictures to the workspace; return their paths."""
    if command.out is None:
        return [await _save(attachment, command.verb, workspace) for attachment in outcome.attachments]
    contents = [attachment.data for attachment in outcome.attachments]
    if not contents and (written := written_file(outcome)):
        contents = [await asyncio.to_thread(_read, workspace, written)]
    paths = [_numbered(command.out, number) for number in range(1, len(contents) + 1)]
    for path, data in zip(paths, contents, strict=True):
        reply.file(path, data)
    return paths


def written_file(outcome: AnyOutcome) -> str | None:
    """Return the path of the file of the workspace that an action printed, or downloaded last, if it did."""
    result = outcome.result
    downloads = [getattr(result, "download", None), *getattr(result, "files", ())]
    found = [getattr(result, "path", None), *(getattr(each, "path", None) for each in downloads)]
    # The event of a download tells its path, then its size in brackets.
    found += [str(event.text).rpartition(" (")[0] for event in outcome.events if event.kind == "download"]
    return next((str(path) for path in reversed(found) if path), None)


def _numbered(path: str, number: int) -> str:
    """Return the path of one of several files: page.png, page-2.png."""
    return path if number == 1 or path == STANDARD_OUTPUT else str(Path(path).with_stem(f"{Path(path).stem}-{number}"))


def _read(workspace: Workspace, path: str) -> bytes:
    with workspace.reading(path) as file, os.fdopen(os.dup(file.descriptor), "rb") as opened:
        return opened.read()


async def _save(attachment: Attachment, verb: str, workspace: Workspace) -> str:
    if attachment.path is not None:
        return attachment.path
    suffix = Path(attachment.name or "").suffix or "." + attachment.mime.partition("/")[2]
    return str(await workspace.save(".", f"{verb}-{datetime.now():%Y%m%d-%H%M%S}{suffix}", attachment.data))


def unfinished(outcome: AnyOutcome) -> RoveError | None:
    """Return why a file cannot be written yet: its download is still under way."""
    if any(event.kind == "download started" for event in outcome.events) and written_file(outcome) is None:
        hint = "`rove downloads --wait --out FILE` writes it when it is complete."
        return RoveError("The download is still under way, so no file is written.", hint=hint)
    return None


async def tell(outcome: AnyOutcome, command: Command, engine: Sessions, reply: Reply) -> None:
    """Show an answer, and write its files; what has no file is written as text where --out says."""
    if outcome.result.error is not None:
        advise(outcome.result.error, command.verb)
    if command.out is not None and (problem := unfinished(outcome)):
        raise problem
    saved = await save_files(outcome, command, Workspace(engine.settings.workspace_folder), reply)
    told = _told(outcome, command, saved, reply)
    if command.out is None or (command.out == STANDARD_OUTPUT and not saved):
        reply.output(told)
    elif command.out == STANDARD_OUTPUT:
        reply.error(told)
    elif saved:
        reply.output(told)
    else:
        reply.file(command.out, told.encode())
        is_done = outcome.result.error is None
        short = reply.as_json({"ok": is_done, "files": [command.out]}) if command.as_json else _saved([command.out])
        reply.output(short)


def _told(outcome: AnyOutcome, command: Command, saved: list[str], reply: Reply) -> str:
    if command.as_json:
        files = {"files": saved} if saved else {}
        return reply.as_json({"ok": outcome.result.error is None, **as_data(outcome), **files})
    if command.is_pretty:
        return pretty(outcome, Palette(reply.has_colour and command.out is None), lines_for(reply.encoding))
    events = tuple(replace(event, advice=Own(in_command_words(event.advice))) for event in outcome.events)
    told = as_text(replace(outcome, events=events))
    text = in_command_words(told) if command.verb == "open_session" else told
    return f"{text}\n{_saved([path for path in saved if path != STANDARD_OUTPUT])}"


def _saved(paths: list[str]) -> str:
    return "".join(f"Saved {path}\n" for path in paths)
