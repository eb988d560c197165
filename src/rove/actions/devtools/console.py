"""The console: messages of pages and workers, and uncaught errors."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

from rove.action import Effect, TabAction, action, arg
from rove.browser.logs import UNCOUNTED_MESSAGES, unrecorded_messages
from rove.outcome import Own, PageText, Passage, Result, moment, quoted
from rove.target import within
from rove.validation.record import dataclass
from rove.workspace import Workspace, reading_command

if TYPE_CHECKING:
    from rove.browser.page_data import ConsoleMessage
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
