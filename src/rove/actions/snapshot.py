"""The page as text: its accessibility tree with refs, its outline, its aria snapshot, and search in it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from rove.action import Effect, TabAction, Target, action, arg
from rove.errors import InvalidArguments
from rove.outcome import Passage, Result, joined
from rove.page_text import Own, PageText
from rove.patterns import pattern
from rove.records import dataclass
from rove.snapshot import Rendered, render
from rove.workspace import Workspace

if TYPE_CHECKING:
    from rove.browser.shared.tab import Tab

# As snapshots print it: `e40:50` continues at child 50 of e40, `e57+` below the row of e57.
_HANDLE = pattern(r"\[?(?:expand )?(?P<ref>(?:f\d+)?e\d+)(?::(?P<start>\d+)|(?P<below>\+))\]?")
CHILDREN_AT_ONCE = 400
EMPTY = "The page is empty."
MOST_CHARACTERS = 60_000
LONGEST_LINE = 5_000


@dataclass(frozen=True)
class SnapshotTaken(Result):
    content: tuple[Passage, ...]
    tokens: int
    folded: int = 0

    @property
    def text(self) -> str:
        return joined(self.content)

    def __str__(self) -> str:
        return self.text or EMPTY

    def passages(self, origin: str) -> Iterator[Passage]:
        """Tell each part as written by the page or frame that it shows."""
        yield from (passage.of(origin) for passage in self.content or (Passage(EMPTY, ""),))


@action(Effect.READ)
class Snapshot(TabAction[SnapshotTaken]):
    """Look at the page: an accessibility tree whose refs ([e12]) the other tools take."""

    target: Target | None = arg("Only this element and what is in it.", default=None)
    mode: Literal["full", "interactive", "viewport"] = arg("How much of it.", default="full")
    expand: str | None = arg("Handle of what was left out, as in [expand e40:50].", default=None)
    depth: int | None = arg("How deep.", default=None, ge=1)
    budget: int | None = arg("Most tokens.", default=None, ge=200, le=100_000)
    links: bool = arg("Show where links lead.", default=False)
    boxes: bool = arg("Show where elements are: x,y,width,height.", default=False)

    async def perform(self, tab: Tab) -> SnapshotTaken:
        shown = await (self._expanded(tab, self.expand) if self.expand else self._taken(tab))
        return SnapshotTaken(shown.passages, shown.tokens, shown.folded)

    async def _taken(self, tab: Tab) -> Rendered:
        element = await tab.resolve(self.target) if self.target else None
        seen = await tab.observer.take_snapshot(
            element.ref if element else None,
            mode=self.mode,
            depth=self.depth,
            boxes=self.boxes or None,
            links=self.links or None,
        )
        if element is None and self.mode == "full" and self.depth is None:
            tab.observer.mark_seen(seen)
        return render(seen, self.budget or tab.settings.observing.budget, links=self.links)

    async def _expanded(self, tab: Tab, handle: str) -> Rendered:
        match = _HANDLE.fullmatch(handle.strip())
        if match is None:
            raise InvalidArguments(f"`expand`: {handle!r} is not a handle such as e40:50 or e57+.")
        budget = self.budget or tab.settings.observing.budget
        if match["below"]:
            return render(
                await tab.observer.take_snapshot(links=self.links or None), budget, links=self.links, after=match["ref"]
            )
        part = {"from": int(match["start"]), "limit": CHILDREN_AT_ONCE, "links": self.links or None}
        return render(
            await tab.observer.take_snapshot((await tab.resolve(match["ref"])).ref, **part), budget, links=self.links
        )


@dataclass(frozen=True)
class OutlineTaken(Result):
    text: PageText
    left_out: int = 0
    origins: tuple[Own, ...] = ()

    def __str__(self) -> str:
        return self.text + (f"\n({self._left_out})" if self.left_out else "")

    @property
    def _left_out(self) -> str:
        return f"{self.left_out} more lines: name a part of the page to see them."

    def passages(self, origin: str) -> Iterator[Passage]:
        """Tell it as the words of the page, or of no known origin where frames of others are in it."""
        yield Passage(self.text)
        if self.left_out:
            yield Passage(self._left_out)


@action(Effect.READ, group="aria")
class Outline(TabAction[OutlineTaken]):
    """Look at the page as an outline: a line for each element, with its role, name and [attributes], and no refs."""

    target: Target | None = arg("Only this element and what is in it.", default=None)

    async def perform(self, tab: Tab) -> OutlineTaken:
        element = await tab.resolve(self.target) if self.target else None
        seen = await tab.observer.aria.take_outline(element.ref if element else None)
        lines = [_cut(line) for line in seen.text.split("\n")] if seen.text else []
        if element is None:
            title = json.dumps(await tab.title(), ensure_ascii=False)
            lines = [f"document {title}", *(f"  {line}" for line in lines)]
        kept = _first(lines)
        return OutlineTaken(seen.text.around("\n".join(kept)), len(lines) - len(kept), seen.origins)


def _cut(line: str) -> str:
    """Return the beginning of a line that is too long, and whether the rest has a mark of what is not seen."""
    if len(line) <= LONGEST_LINE:
        return line
    rest = line[LONGEST_LINE:]
    mark = " (partly invisible)" if "invisible: " in rest or "(screen-reader only)" in rest else ""
    return line[:LONGEST_LINE].rstrip("\\") + f'…" (+{len(rest)} characters){mark}'


def _first(lines: list[str]) -> list[str]:
    """Return the first lines that have room in an answer."""
    room = MOST_CHARACTERS
    for count, line in enumerate(lines):
        room -= len(line) + 1
        if room < 0:
            return lines[:count]
    return lines


@dataclass(frozen=True)
class AriaSnapshotTaken(Result):
    yaml: PageText
    origins: tuple[Own, ...] = ()
    path: Own | None = None
    # The lines that match what was searched for, counted from 0.
    matches: tuple[int, ...] = ()

    def __str__(self) -> str:
        return f"Saved as {self.path}" if self.path else self.yaml

    def passages(self, origin: str) -> Iterator[Passage]:
        """Tell it as the words of the page, or of no known origin where frames of others are in it."""
        if self.path:
            yield Passage(str(self))
        else:
            yield Passage(self.yaml) if self.yaml else Passage("The page shows nothing.")


@action(Effect.READ, group="aria")
class AriaSnapshot(TabAction[AriaSnapshotTaken]):
    """Look at the page as Playwright does: a YAML tree with refs; other tools take them as aria-ref=e12."""

    target: Target | None = arg("Only this element and what is in it.", default=None)
    depth: int | None = arg("How deep.", default=None, ge=1)
    boxes: bool = arg("Show where elements are: [box=x,y,width,height].", default=False)
    path: str | None = arg("File in the workspace to save it to.", default=None)
    text: str | None = arg("Tell which lines have this text.", default=None)
    regex: str | None = arg("Tell which lines match this: a pattern, or /pattern/flags.", default=None)

    async def perform(self, tab: Tab) -> AriaSnapshotTaken:
        element = await tab.resolve(self.target) if self.target else None
        seen = await tab.observer.aria.take_snapshot(element.ref if element else None, self.depth, self.boxes)
        path = await self._saved(tab, seen.text) if self.path else None
        return AriaSnapshotTaken(seen.text, seen.origins, path, await self._matches(tab, seen.text))

    async def _saved(self, tab: Tab, text: str) -> Own:
        folder, _, name = (self.path or "").rpartition("/")
        return Own(await Workspace(tab.settings.workspace_folder).save(folder or ".", name, tab.redact(text).encode()))

    async def _matches(self, tab: Tab, text: str) -> tuple[int, ...]:
        lines = text.split("\n")
        if self.regex:
            return tuple(await tab.observer.aria.matching(lines, self.regex))
        wanted = (self.text or "").lower()
        return tuple(index for index, line in enumerate(lines) if wanted and wanted in line.lower())


@dataclass(frozen=True)
class Match:
    line: PageText
    ref: Own | None
    before: tuple[PageText, ...]
    after: tuple[PageText, ...]
    is_in_view: bool
    # The origin of the frame that the match is in, if it is not the page's.
    origin: Own = Own()

    def __str__(self) -> str:
        return "\n".join([*self.before, f"> {self.line}", *self.after])


@dataclass(frozen=True)
class Found(Result):
    total: int
    matches: tuple[Match, ...]

    def __str__(self) -> str:
        return "\n".join(passage.text for passage in self.passages(""))

    def passages(self, origin: str) -> Iterator[Passage]:
        """Tell the number of matches, then each match as written by its page or frame."""
        if not self.matches:
            yield Passage("Nothing on the page matches.")
            return
        yield Passage(f"{self.total} match" + ("" if self.total == 1 else "es"))
        for match in self.matches:
            yield Passage(str(match), match.line.origin)
        if self.total > len(self.matches):
            yield Passage(f"{self.total - len(self.matches)} more: narrow the search or raise `limit`.")


@action(Effect.READ)
class Find(TabAction[Found]):
    """Search the whole page, also what a snapshot left out; answers with refs and what is beside."""

    text: str | None = arg("Text, in any case.", default=None, min_length=1)
    regex: str | None = arg("JavaScript regular expression.", default=None, min_length=1)
    role: str | None = arg("Role, such as button.", default=None, min_length=1)
    limit: int = arg("Most matches.", default=10, ge=1, le=100)

    async def perform(self, tab: Tab) -> Found:
        spec = {name: value for name in ("text", "regex", "role") if (value := getattr(self, name))}
        if not spec:
            raise InvalidArguments("Say what to find: text, regex or role.")
        total, found = await tab.find(spec, self.limit)
        return Found(total, tuple(Match(**match) for match in found))
