"""The console of a page: its messages, JavaScript that runs in it, and its workers."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from rove.action import Effect, TabAction, Target, action, arg
from rove.browser.logs import UNCOUNTED_MESSAGES, unrecorded_messages
from rove.browser.page_data import ConsoleMessage, WorkerInfo
from rove.outcome import Passage, Result, moment, quoted
from rove.page_text import Own, PageText
from rove.records import dataclass
from rove.target import within
from rove.workspace import Workspace, reading_command

if TYPE_CHECKING:
    from rove.browser.shared.tab import Tab

LEVELS = ("debug", "info", "warning", "error")
MOST_CHARACTERS = 12_000
LONGEST_TEXT = 2_000
FOLDER = "output"
FILE = "console.json"
# What a page must not notice cannot be read: the browser would have to inspect values while the page runs.
STEALTH_NOTE = (
    "Stealth is on: messages are text only, objects in them are not shown, and uncaught errors of scripts are not "
    "known."
)
VALUE_FILE = "value.json"
LONGEST_ADDRESS = 200


@dataclass(frozen=True)
class ConsoleLine:
    time: Own
    level: Own
    type: Own
    text: PageText
    source: PageText
    context: Own
    origin: Own
    count: int
    # The arguments of the call as JSON data; left out where they are only the text.
    args: tuple[Any, ...] = ()

    def shown(self, origin: str) -> str:
        times = f" x{self.count}" if self.count > 1 else ""
        parts = ("" if self.context == "page" else self.context, within(origin, self.source))
        where = ", ".join(part for part in parts if part)
        said = json.dumps(self.text, ensure_ascii=False)
        return f"{self.time[11:23]} {self.type}{times} {said}" + (f" ({where})" if where else "")

    @property
    def entry(self) -> dict[str, Any]:
        """The message as JSON data: what was called, with which arguments, when and where."""
        place = {"context": self.context, "source": self.source} if self.source else {"context": self.context}
        args = list(self.args or filter(None, [self.text]))
        return {"type": self.type, "args": args, "timestamp": self.time, **place}


@dataclass(frozen=True)
class ConsoleLines(Result):
    lines: tuple[ConsoleLine, ...]
    left_out: int
    dropped: int
    cleared: int = 0
    # The file that has all entries as JSON, if they are more than fits into an answer.
    path: Own = Own("")
    # The most entries that were asked for.
    limit: int = 0
    # What the log cannot hold.
    note: Own = Own("")
    unrecorded: int = 0

    def __str__(self) -> str:
        return "\n".join(passage.text for passage in self.passages(""))

    def passages(self, origin: str) -> Iterator[Passage]:
        """Tell each entry as written by the origin whose code wrote it."""
        if self.note:
            yield Passage(self.note)
        if self.left_out:
            yield Passage(f"{self.left_out} earlier left out: raise `limit` or `level`.")
        if self.dropped:
            yield Passage(f"{self.dropped} dropped: more was written than is kept.")
        if self.unrecorded:
            yield Passage(unrecorded_messages(self.unrecorded))
        yield from (Passage(line.shown(origin), line.origin or origin) for line in self.lines)
        if self.path:
            yield Passage(f"All of it as JSON: {self.path} (read it with: {reading_command(self.path)})")
        if not self.lines and not self.left_out:
            yield Passage("Nothing was written to the console.")
        if self.cleared:
            yield Passage(f"Cleared {self.cleared}.")

    def latest(self, limit: int) -> list[dict[str, Any]]:
        """Return the latest messages as JSON data, oldest first, each as often as it was written."""
        entries: list[dict[str, Any]] = []
        for line in reversed(self.lines):
            entries += [line.entry] * min(line.count, limit - len(entries))
        return entries[::-1]


@action(Effect.READ)
class Console(TabAction[ConsoleLines]):
    """Read the console of the tab and its workers, uncaught errors included."""

    level: Literal["debug", "info", "warning", "error"] = arg("This and worse.", default="debug")
    limit: int = arg("Most entries, the latest ones.", default=50, ge=0, le=10_000)
    clear: bool = arg("Forget all entries after this.", default=False)
    characters: int = arg("Most characters.", default=MOST_CHARACTERS, ge=1, rare=True)

    @property
    def is_about_page(self) -> bool:
        return False  # the console helps most where a page failed to load

    @property
    def needs_answers(self) -> bool:
        return False

    async def perform(self, tab: Tab) -> ConsoleLines:
        both = tab.console
        for log in both:
            await log.catch_up()
        worst = LEVELS[LEVELS.index(self.level) :]
        told = (entry for log in both for entry in log if entry.level in worst and _may_tell(tab, entry))
        entries = sorted(told, key=lambda entry: entry.at)
        shown = entries[len(entries) - min(self.limit, len(entries)) :]
        lines = [_line(entry, tab.redact) for entry in shown]  # before any text is cut
        path = await _saved(tab, lines, self.limit)
        kept = _fitting([*map(_shortened, lines)], self.characters)
        dropped, unrecorded = sum(log.dropped for log in both), sum(log.unrecorded for log in both)
        is_uncounted = any(log.is_uncounted for log in both)
        cleared = sum(log.clear() for log in both) if self.clear else 0
        note = Own(STEALTH_NOTE if tab.settings.stealth else UNCOUNTED_MESSAGES if is_uncounted else "")
        return ConsoleLines(tuple(kept), len(entries) - len(kept), dropped, cleared, path, self.limit, note, unrecorded)


def _may_tell(tab: Tab, entry: ConsoleMessage) -> bool:
    """Whether the policy lets the agent read what the origin of an entry writes. The page's own was decided on."""
    return entry.source.origin in ("", tab.url.origin) or tab.page.may_read(entry.source.origin)


def _shortened(line: ConsoleLine) -> ConsoleLine:
    """Return a line whose texts are no longer than the message itself; the file has all of them."""
    return dataclasses.replace(line, args=tuple(map(_beginning, line.args)))


def _beginning(value: Any) -> Any:
    return f"{value[:LONGEST_TEXT]}…" if isinstance(value, str) and len(value) > LONGEST_TEXT else value


def _fitting(lines: Sequence[ConsoleLine], room: int) -> list[ConsoleLine]:
    """Return the latest lines that fit into so many characters, oldest first."""
    kept: list[ConsoleLine] = []
    for line in reversed(lines):
        room -= len(line.text) + len(line.source) + (len(json.dumps(line.args)) if line.args else 0)
        if room < 0 and kept:
            break
        kept.append(line)
    return kept[::-1]


async def _saved(tab: Tab, lines: Sequence[ConsoleLine], limit: int) -> Own:
    """Write all entries to a file if they are more than an answer may hold; return its path, or nothing."""
    whole = ConsoleLines(tuple(lines), 0, 0).latest(limit)
    data = tab.redact(json.dumps(whole, ensure_ascii=False)).encode("utf-8", "replace")
    if len(data) <= tab.settings.observing.output:
        return Own("")
    return Own(await Workspace(tab.settings.workspace_folder).save(FOLDER, FILE, data))


def _redacted(value: Any, redact: Callable[[str], str]) -> Any:
    """Return data without secrets."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, list):
        return [_redacted(item, redact) for item in value]
    if isinstance(value, dict):
        return {redact(str(key)): _redacted(item, redact) for key, item in value.items()}
    return value


def _line(entry: ConsoleMessage, redact: Callable[[str], str]) -> ConsoleLine:
    source, is_repeated = entry.source, bool(entry.text) and entry.args == [entry.text]
    return ConsoleLine(
        Own(moment(entry.at)),
        Own(entry.level),
        Own(entry.kind),
        source.quote(redact(entry.text)),
        source.quote(redact(entry.location)),
        Own(source.context),
        Own(source.origin),
        entry.count,
        () if is_repeated else quoted(tuple(_redacted(value, redact) for value in entry.args), source.origin),
    )


@dataclass(frozen=True)
class Evaluated(Result):
    value: Any
    # The file that has the value as JSON, and its size in bytes, if it is more than fits into an answer.
    path: Own = Own("")
    size: int = 0
    # How many characters are told of a value that is in a file.
    shown: int = 0

    def __str__(self) -> str:
        return json.dumps(self.value, ensure_ascii=False)

    def passages(self, origin: str) -> Iterator[Passage]:
        """Tell the value, or its beginning and the file that has all of it."""
        if not self.path:
            yield from super().passages(origin)
            return
        yield Passage(str(self)[: self.shown] + "…", origin)
        yield Passage(f"All {self.size} bytes of it: {self.path} (read it with: {reading_command(self.path)})")


@action(Effect.SCRIPT)
class Evaluate(TabAction[Evaluated]):
    """Run JavaScript in the page and return its value."""

    expression: str = arg("Expression, or a function, which is given the element.", min_length=1)
    target: Target | None = arg("Element to hand to the function.", default=None)
    await_promise: bool = arg("Wait for a promise.", default=True, rare=True)

    async def perform(self, tab: Tab) -> Evaluated:
        element = await tab.resolve(self.target) if self.target else None
        run = element.evaluate if element else tab.evaluate
        value = await run(self.expression, self.await_promise)
        data = tab.redact(json.dumps(value, ensure_ascii=False)).encode("utf-8", "replace")
        most = tab.settings.observing.output
        if len(data) <= most:
            return Evaluated(value)
        path = await Workspace(tab.settings.workspace_folder).save(FOLDER, VALUE_FILE, data)
        return Evaluated(value, Own(path), len(data), most)


@dataclass(frozen=True)
class WorkerList(Result):
    workers: tuple[WorkerInfo, ...]
    is_bypassed: bool

    def __str__(self) -> str:
        return "\n".join(passage.text for passage in self.passages(""))

    def passages(self, origin: str) -> Iterator[Passage]:
        """Tell each worker as written by its own origin."""
        yield from (Passage(_worker_line(worker), worker.url.origin) for worker in self.workers)
        if not self.workers:
            yield Passage("There are no workers.")
        if self.is_bypassed:
            yield Passage("Service workers are bypassed in this tab.")


@action(Effect.ACT, observes=False, group="workers")
class Workers(TabAction[WorkerList]):
    """List workers and stop them; inspect, update or unregister service workers, or have the tab bypass those."""

    operation: Literal["list", "inspect", "update", "stop", "unregister", "bypass", "use"] = arg(
        "`use` ends a bypass; reload the page after a change.", default="list"
    )
    url: str | None = arg("Part of the worker's address; all if not given.", default=None, min_length=1)

    async def perform(self, tab: Tab) -> WorkerList:
        match self.operation:
            case "bypass" | "use":
                await tab.workers.bypass(self.operation == "bypass")
            case "stop":
                await tab.workers.stop(self.url)
            case "update":
                await tab.workers.update(self.url)
            case "unregister":
                await tab.workers.unregister(self.url)
            case "list" | "inspect":
                pass
        inspects = self.operation == "inspect"
        found = await tab.workers.inspect(self.url) if inspects else await tab.workers.list()
        return WorkerList(tuple(map(_shown, found)), tab.workers.are_bypassed)


def _shown(worker: WorkerInfo) -> WorkerInfo:
    """Cut long addresses, such as `data:` URLs."""
    clients = tuple(map(_short, worker.clients))
    return replace(worker, url=_short(worker.url), scope=worker.scope and _short(worker.scope), clients=clients)


def _worker_line(worker: WorkerInfo) -> str:
    controls = ", controls this page" if worker.controls_page else ""
    scope = f" (scope {worker.scope})" if worker.scope else ""
    facts = [f"script fetched {worker.fetched}"] if worker.fetched else []
    facts += [f"script changed {worker.modified}"] if worker.modified else []
    facts += [f"controls {client}" for client in worker.clients]
    return "\n  ".join([f"{worker.kind} {worker.url} {worker.state}{controls}{scope}", *facts])


def _short(address: PageText) -> PageText:
    return address if len(address) <= LONGEST_ADDRESS else address.around(address[: LONGEST_ADDRESS - 1] + "…")
