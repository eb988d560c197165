"""The measured numbers, as plain data."""

from __future__ import annotations

import json
import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from bench.client import Json, Reply
from bench.memory import Memory
from bench.servers import Server

# At most this many names are searched for in a snapshot: 60,000 searches of 20 MB would take minutes.
_NAMES_SOUGHT = 500


@dataclass(frozen=True)
class Sample:
    """One run of a task."""

    seconds: float
    bytes: int
    wire_bytes: int
    calls: int

    @classmethod
    def of(cls, replies: Sequence[Reply]) -> Sample:
        return cls(
            seconds=sum(reply.seconds for reply in replies),
            bytes=sum(len(reply.text.encode()) for reply in replies),
            wire_bytes=sum(reply.wire_bytes for reply in replies),
            calls=len(replies),
        )


@dataclass(frozen=True)
class Named:
    """How many of a page's names a snapshot contains, of those that were searched for."""

    found: int
    sought: int
    total: int

    @classmethod
    def in_text(cls, text: str, names: Sequence[str]) -> Named:
        sought = names[:: max(1, len(names) // _NAMES_SOUGHT)]
        return cls(sum(name in text for name in sought), len(sought), len(names))

    @property
    def share(self) -> float:
        return self.found / self.sought


@dataclass
class Cell:
    """One server's samples of one task; tokens and names are those of its first result."""

    samples: list[Sample] = field(default_factory=list[Sample])
    failures: list[str] = field(default_factory=list[str])
    gave_up: bool = False
    tokens: int | None = None
    named: Named | None = None
    text: str = ""

    @property
    def milliseconds(self) -> float | None:
        return statistics.median(sample.seconds for sample in self.samples) * 1000 if self.samples else None

    @property
    def bytes(self) -> float | None:
        return statistics.median(sample.bytes for sample in self.samples) if self.samples else None

    @property
    def calls(self) -> int:
        return max((sample.calls for sample in self.samples), default=0)

    @property
    def is_partial(self) -> bool:
        """Whether most of the page is missing, so that this does not count as the whole page."""
        return self.named is not None and self.named.share < 0.5

    def add(self, replies: Sequence[Reply], names: Sequence[str]) -> None:
        if not self.samples:
            self.text = "\n".join(reply.text for reply in replies)
            self.named = Named.in_text(self.text, names) if names else None
        self.samples.append(Sample.of(replies))

    def fail(self, why: str, *, for_good: bool) -> None:
        self.failures.append(why)
        self.gave_up |= for_good

    def as_json(self) -> Json:
        return {key: value for key, value in asdict(self).items() if key not in ("text", "gave_up")}


@dataclass(frozen=True)
class Start:
    """A cold start, in seconds from starting the process."""

    handshake: float
    first_page: float


@dataclass
class Column:
    """All results of one server."""

    server: Server
    cells: dict[str, Cell] = field(default_factory=dict[str, Cell])
    starts: list[Start] = field(default_factory=list[Start])
    start_failures: list[str] = field(default_factory=list[str])
    memory: dict[str, list[Memory]] = field(default_factory=dict[str, list[Memory]])
    left_running: list[int] = field(default_factory=list[int])
    tools: list[Json] = field(default_factory=list[Json])
    schema_tokens: int | None = None

    def cell(self, key: str) -> Cell:
        return self.cells.setdefault(key, Cell())

    @property
    def start_milliseconds(self) -> float | None:
        return statistics.median(start.first_page for start in self.starts) * 1000 if self.starts else None

    @property
    def schema(self) -> str:
        """The tool list as models get it: names, descriptions and arguments, as compact JSON."""
        shown = [{key: tool.get(key) for key in ("name", "description", "inputSchema")} for tool in self.tools]
        return json.dumps(shown, separators=(",", ":"), ensure_ascii=False)

    def memory_at(self, moment: str, kind: str) -> float | None:
        """Return the median of one field of Memory, in bytes."""
        measured = self.memory.get(moment, [])
        return statistics.median(getattr(each, kind) for each in measured) if measured else None

    def as_json(self) -> Json:
        return {
            "title": self.server.title,
            "version": self.server.version,
            "settings": self.server.settings,
            "notes": self.server.notes,
            "tools": len(self.tools),
            "schema_tokens": self.schema_tokens,
            "schema_bytes": len(self.schema.encode()),
            "starts": [asdict(start) for start in self.starts],
            "start_failures": self.start_failures,
            "left_running_after_close": self.left_running,
            "memory": {moment: [asdict(each) for each in measured] for moment, measured in self.memory.items()},
            "work": {key: cell.as_json() for key, cell in self.cells.items()},
        }


@dataclass
class Results:
    """The results of a whole run."""

    facts: dict[str, Any]
    columns: dict[str, Column] = field(default_factory=dict[str, Column])
    skipped: dict[str, str] = field(default_factory=dict[str, str])

    def as_json(self) -> Json:
        columns = {key: column.as_json() for key, column in self.columns.items()}
        return {"facts": self.facts, "skipped": self.skipped, "servers": columns}
