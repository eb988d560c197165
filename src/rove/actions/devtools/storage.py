"""Storage of the page's origin: local and session storage, IndexedDB, Cache Storage."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

from rove.action import Effect, TabAction, action, arg
from rove.errors import InvalidArguments
from rove.outcome import Own, PageText, Passage, Result
from rove.validation.record import dataclass
from rove.workspace import Workspace, reading_command

if TYPE_CHECKING:
    from rove.browser.shared.tab import Tab

FOLDER = "output"
LONGEST_LINE = 400


@dataclass(frozen=True)
class StoredEntry:
    """An item with its value; where databases or caches are listed, what each of them holds."""

    key: PageText
    value: Any

    def __str__(self) -> str:
        text = f"{self.key}: {json.dumps(self.value, ensure_ascii=False)}"
        return text if len(text) <= LONGEST_LINE else text[: LONGEST_LINE - 1] + "…"


@dataclass(frozen=True)
class StorageContents(Result):
    area: Own
    entries: tuple[StoredEntry, ...]
    total: int
    # The file that has all entries as JSON, if they are more than fits into an answer.
    path: Own = Own("")

    def __str__(self) -> str:
        return "\n".join(passage.text for passage in self.passages(""))

    def passages(self, origin: str) -> Iterator[Passage]:
        """Tell the entries, each on a line, and the file that has them in full."""
        if self.entries:
            yield Passage("\n".join(map(str, self.entries)), origin)
        if left_out := self.total - len(self.entries):
            yield Passage(f"{left_out} more." if self.entries else f"{left_out} left.")
        if self.path:
            yield Passage(f"All of it as JSON: {self.path} (read it with: {reading_command(self.path)})")
        if not self.total:
            yield Passage("Nothing is stored there.")


@action(Effect.SCRIPT, observes=False, group="storage")
class Storage(TabAction[StorageContents]):
    """List, read, set or delete what the page's origin stores."""

    area: Literal["local", "session", "indexeddb", "cache"] = arg("Which storage.", default="local")
    operation: Literal["list", "get", "set", "delete", "clear"] = arg("What to do.", default="list")
    key: str | None = arg("Name of the item, key of the record, or URL in a cache.", default=None)
    value: str | None = arg("Value to set; JSON for IndexedDB.", default=None)
    database: str | None = arg("Database, or cache.", default=None)
    store: str | None = arg("Object store of the database.", default=None)
    limit: int = arg("Most entries.", default=50, ge=1, le=1000)

    @property
    def concealed(self) -> tuple[str, ...]:
        return ("value",) if self.value is not None else ()

    async def perform(self, tab: Tab) -> StorageContents:
        self._check()
        texts = {"key": self.key, "value": self.value, "database": self.database, "store": self.store}
        request = {name: text or "" for name, text in texts.items()}
        answer = await tab.storage.run({**request, "area": self.area, "operation": self.operation, "limit": self.limit})
        entries = [StoredEntry(tab.url.around(entry["key"]), entry["value"]) for entry in answer["entries"]]
        return StorageContents(Own(self.area), tuple(entries), answer["total"], await self._saved(tab, entries))

    def _check(self) -> None:
        is_web = self.area in ("local", "session")
        needed = ["key"] if self.operation == "get" or (is_web and self.operation in ("set", "delete")) else []
        needed += ["value"] if self.operation == "set" else []
        needed += ["key"] if self.area == "cache" and self.operation == "set" else []
        if missing := [name for name in needed if getattr(self, name) is None]:
            raise InvalidArguments(f"`{missing[0]}` is missing: {self.operation} needs it.")

    async def _saved(self, tab: Tab, entries: Sequence[StoredEntry]) -> Own:
        """Write the entries to a file if a line cannot show one of them, or an answer all; return its path."""
        text = json.dumps({entry.key: entry.value for entry in entries}, ensure_ascii=False)
        data = tab.redact(text).encode("utf-8", "replace")
        is_cut = any(str(entry).endswith("…") for entry in entries)
        if not is_cut and len(data) <= tab.settings.observing.output:
            return Own("")
        return Own(await Workspace(tab.settings.workspace_folder).save(FOLDER, f"{self.area}-storage.json", data))
