"""What Firefox's profiler has written, as the events of one tab in the form of Chrome's tools.

The profiler records all processes, with the pages of other sessions. Nothing is taken over but what is named here and
belongs to a window of the tab. Run as a program, in a process of its own: reading such a file takes seconds.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

Json = dict[str, Any]
# Firefox's names for spans of work, or how they begin, and the names by which Chrome's tools know them.
SPANS = {
    "Reflow": "Layout", "Styles": "UpdateLayoutTree", "HTMLParserTreeOps": "ParseHTML",
    "ScriptExecution": "EvaluateScript", "ScriptCompile": "v8.compile", "setTimeout": "TimerFire",
    "setInterval": "TimerFire", "DOMEvent": "EventDispatch", "requestAnimationFrame": "FireAnimationFrame",
}  # fmt: skip
# Spans that name no window: they are the tab's only where its process shows no other.
PROCESS_SPANS = {
    "LongTask": "RunTask", "GCMinor": "MinorGC", "GCSlice": "MajorGC", "DisplayList": "Paint",
    "Perform microtasks": "RunMicrotasks",
}  # fmt: skip
INTERVAL, BEGIN, END = 1, 2, 3
# A recording whose beginning the profiler had to overwrite, in milliseconds.
CUT_MS = 1000.0
ROOT, PROGRAM, IDLE, COLLECTOR = 1, 2, 3, 4
_OWN_NODES = {ROOT: "(root)", PROGRAM: "(program)", IDLE: "(idle)", COLLECTOR: "(garbage collector)"}
# A function of a script: its name, which may be missing, the address, the place; the number is that of the source.
_SCRIPT = re.compile(
    r"(?:(?P<name>.*) \()?(?P<url>[a-z-]+:[^\s]*?)(?::(?P<line>\d+):(?P<column>\d+))?\)?\[(?P<source>\d+)\]", re.S
)
_PAGE_SCHEMES = ("http:", "https:", "blob:", "data:")


class NotRecorded(Exception):
    """The recording does not tell which of its windows are those of the tab."""


@dataclass
class _Process:
    """One process of a recording, and its windows that belong to the tab."""

    recorded: Json
    windows: frozenset[int]
    # Milliseconds from the start of Firefox to that of the process, from which its own times count.
    offset: float
    categories: list[str] = field(default_factory=list)

    @property
    def main_thread(self) -> Json:
        return next(thread for thread in self.recorded["threads"] if thread["name"] == "GeckoMain")

    @property
    def sources_without_place(self) -> frozenset[int]:
        """The scripts that are in no file, though they have the address of a page: rove's own have.

        Those of a page begin behind a tag, or are a file with an address of its own.
        """
        pages, sources = {page["url"] for page in self.recorded["pages"]}, self.recorded["sources"]
        place = [sources["schema"][each] for each in ("filename", "startLine", "startColumn")]
        rows = ([row[each] for each in place] for row in sources["data"])
        return frozenset(number for number, (name, *begins) in enumerate(rows) if name in pages and begins == [1, 1])

    @property
    def is_whole(self) -> bool:
        """Whether the process shows no window but those of the tab."""
        return all(page["innerWindowID"] in self.windows for page in self.recorded["pages"])


def tab_events(profile: Json, label: str) -> Iterator[Json]:
    """Yield the events of the tab in which an event of the type `label` was dispatched."""
    recorded = [profile, *profile["processes"]]
    tab = _tab_with(recorded, label)
    began = profile["meta"]["startTime"]
    pages = [page for each in recorded for page in each["pages"] if page["tabID"] == tab]
    windows = frozenset(page["innerWindowID"] for page in pages)
    browser = profile["threads"][0]["pid"]
    frames = []
    for each in recorded[1:]:
        own = [page for page in each["pages"] if page["tabID"] == tab]
        if not own:
            continue
        process = _Process(each, windows, each["meta"]["startTime"] - began)
        process.categories = [category["name"] for category in each["meta"]["categories"]]
        number = process.main_thread["pid"]
        frames += [_frame(page, number, windows) for page in own]
        yield {"name": "thread_name", "ph": "M", "pid": number, "tid": number, "args": {"name": "CrRendererMain"}}
        yield from _samples(process)
        yield from _spans(process)
        yield from _requests(process)
    started = {"name": "TracingStartedInBrowser", "ph": "I", "pid": browser, "tid": browser}
    yield {**started, "ts": _micros(profile["meta"]["profilingStartTime"]), "args": {"data": {"frames": frames}}}


def is_cut(profile: Json) -> bool:
    """Return whether the recording was longer than the profiler keeps."""
    meta = profile["meta"]
    earliest = meta.get("contentEarliestTime") or meta["profilingStartTime"]
    return bool(earliest - meta["profilingStartTime"] > CUT_MS)


def _tab_with(recorded: Iterable[Json], label: str) -> int:
    for each in recorded:
        for thread in each["threads"]:
            for _, _, _, _, _, data in _markers(thread):
                if data.get("type") == "DOMEvent" and data.get("eventType") == label and data.get("innerWindowID"):
                    window = data["innerWindowID"]
                    return int(next(page["tabID"] for page in each["pages"] if page["innerWindowID"] == window))
    raise NotRecorded(label)


def _frame(page: Json, process: int, windows: frozenset[int]) -> Json:
    around = page["embedderInnerWindowID"]
    frame = {"frame": str(page["innerWindowID"]), "url": page["url"], "name": "", "processId": process}
    return {**frame, "parent": str(around)} if around in windows else frame


def _micros(milliseconds: float) -> int:
    return round(milliseconds * 1000)


def _markers(thread: Json) -> Iterator[tuple[str, float, float, int, int, Json]]:
    """Yield the name, start, end, phase, category and data of each marker."""
    names, markers = thread["stringTable"], thread["markers"]
    place = markers["schema"]
    for row in markers["data"]:
        data = row[place["data"]] if len(row) > place["data"] else None
        yield (
            names[row[place["name"]]],
            row[place["startTime"]] or 0.0,
            row[place["endTime"]] or 0.0,
            row[place["phase"]],
            row[place["category"]],
            data if isinstance(data, dict) else {},
        )


# Spans
def _spans(process: _Process) -> Iterator[Json]:
    """Yield what the main thread did for the tab, each with its length."""
    number, open_spans = process.main_thread["pid"], dict[str, list[tuple[float, str | None]]]()
    for name, start, end, phase, _, data in _markers(process.main_thread):
        if phase == BEGIN:
            open_spans.setdefault(name, []).append((start, _span_name(process, name, data)))
            continue
        if phase == END and open_spans.get(name):
            start, known = open_spans[name].pop()
        else:
            known = _span_name(process, name, data) if phase == INTERVAL else None
        if known is not None:
            at = _micros(process.offset + start)
            yield {"name": known, "ph": "X", "pid": number, "tid": number, "ts": at, "dur": _micros(end - start),
                   "args": {}}  # fmt: skip


def _span_name(process: _Process, name: str, data: Json) -> str | None:
    if data.get("innerWindowID") in process.windows:
        return next((known for own, known in SPANS.items() if name.startswith(own)), None)
    if "innerWindowID" not in data and process.is_whole:
        return PROCESS_SPANS.get(name)
    return None


# Requests
def _requests(process: _Process) -> Iterator[Json]:
    """Yield the beginning and the end of each request of the tab's windows."""
    thread, begun = process.main_thread["pid"], dict[int, float]()
    for _, start, end, _, _, data in _markers(process.main_thread):
        window = data.get("innerWindowID")
        if data.get("type") != "Network" or not (window in process.windows or (window is None and process.is_whole)):
            continue
        first = begun.setdefault(data["id"], start)
        if data.get("status") != "STATUS_STOP":
            continue
        request = {"requestId": str(data["id"])}
        sent = {**request, "url": data.get("URI", ""), "requestMethod": data.get("requestMethod", "")}
        answered = {**request, "mimeType": data.get("contentType") or "", "statusCode": data.get("responseStatus", 0)}
        finished = {**request, "encodedDataLength": data.get("count", 0), "didFail": False}
        last = data.get("responseEnd") or end
        for name, at, told in (
            ("ResourceSendRequest", first, sent),
            ("ResourceReceiveResponse", data.get("responseStart") or last, answered),
            ("ResourceFinish", last, finished),
        ):
            yield {"name": name, "ph": "I", "s": "t", "pid": thread, "tid": thread,
                   "ts": _micros(process.offset + at), "args": {"data": told}}  # fmt: skip


# Samples
class _Place(NamedTuple):
    """What a stack is in: its innermost function of the tab, whether another tab's runs, and the kind of work."""

    node: int = ROOT
    # None: no script of a window runs.
    is_other: bool | None = None
    category: str = ""


class _Nodes:
    """The tree of functions that samples are in, of the tab's own scripts alone."""

    def __init__(self, process: _Process) -> None:
        self._process = process
        self._unplaced = process.sources_without_place
        thread = process.main_thread
        self._names: list[str] = thread["stringTable"]
        self._frames, self._stacks = thread["frameTable"], thread["stackTable"]
        self._of_stack: dict[int, _Place] = {}
        self._ids: dict[tuple[int, str, str, int, int], int] = {}
        self.told: list[Json] = [
            {"id": node, "callFrame": {"functionName": name, "url": "", "scriptId": 0}, **_child_of_root(node)}
            for node, name in _OWN_NODES.items()
        ]

    def of(self, stack: int | None) -> int:
        """Return the node of a stack. What other tabs run in the same process counts as nothing."""
        if stack is None:
            return IDLE
        place = self._place(stack)
        if place.is_other or place.category == "Idle":
            return IDLE
        if place.category.startswith("GC"):
            return COLLECTOR
        return PROGRAM if place.node == ROOT else place.node

    def _place(self, stack: int) -> _Place:
        path: list[int] = []
        at: int | None = stack
        while at is not None and at not in self._of_stack:
            path.append(at)
            at = self._stacks["data"][at][self._stacks["schema"]["prefix"]]
        found = self._of_stack[at] if at is not None else _Place()
        for each in reversed(path):
            found = self._of_stack[each] = self._inner(found, self._frame_of(each))
        return found

    def _inner(self, around: _Place, frame: list[Any]) -> _Place:
        number = self._value(frame, "category")
        category = around.category if number is None else self._process.categories[number]
        script = _SCRIPT.fullmatch(self._names[self._value(frame, "location") or 0])
        if script is None:
            # What is no script may name the window that has opened this one.
            return around._replace(category=category)
        window = self._value(frame, "innerWindowID")
        is_other = window not in self._process.windows if window else around.is_other
        if self._is_of_page(script) and is_other is not False:
            # Also one that names no window, in no script that does: it may be another tab's.
            return _Place(around.node, True, category)
        return _Place(self._child(around.node, script), is_other, category)

    def _child(self, parent: int, script: re.Match[str]) -> int:
        is_of_page = self._is_of_page(script)
        name, url = (script["name"] or "", script["url"]) if is_of_page else ("", "")
        line, column = (int(script[each] or 1) - 1 if is_of_page else 0 for each in ("line", "column"))
        key = parent, name, url, line, column
        if key not in self._ids:
            self._ids[key] = len(self.told) + 1
            place = {"functionName": name, "url": url, "lineNumber": line, "columnNumber": column, "scriptId": 1}
            self.told.append({"id": self._ids[key], "parent": parent, "callFrame": place})
        return self._ids[key]

    def _is_of_page(self, script: re.Match[str]) -> bool:
        """Return whether a script is one of a page: not of Firefox, which drives pages for rove, nor one of rove's."""
        return script["url"].startswith(_PAGE_SCHEMES) and int(script["source"]) not in self._unplaced

    def _frame_of(self, stack: int) -> list[Any]:
        frame: list[Any] = self._frames["data"][self._stacks["data"][stack][self._stacks["schema"]["frame"]]]
        return frame

    def _value(self, frame: list[Any], name: str) -> Any:
        place = self._frames["schema"][name]
        return frame[place] if place < len(frame) else None


def _child_of_root(node: int) -> Json:
    return {"parent": ROOT} if node != ROOT else {}


def _samples(process: _Process) -> Iterator[Json]:
    """Yield what the main thread was running, in the form of V8's profiles."""
    nodes, samples = _Nodes(process), process.main_thread["samples"]
    place, number = samples["schema"], process.main_thread["pid"]
    taken = [(row[place["time"]], nodes.of(row[place["stack"]])) for row in samples["data"]]
    if not taken:
        return
    times = [_micros(process.offset + time) for time, _ in taken]
    event = {"ph": "P", "id": f"0x{number:x}", "pid": number, "tid": number, "ts": times[0]}
    yield {**event, "name": "Profile", "args": {"data": {"startTime": times[0]}}}
    deltas = [0, *(later - earlier for earlier, later in pairwise(times))]
    cpu = {"nodes": nodes.told, "samples": [node for _, node in taken]}
    yield {**event, "name": "ProfileChunk", "args": {"data": {"cpuProfile": cpu, "timeDeltas": deltas}}}


def main() -> int:
    """Write whether a recording is cut, a line end, and the compressed events of a tab; end with 3 if it has none."""
    path, label = sys.argv[1:]
    profile = json.loads(Path(path).read_text("utf-8", "replace"))
    try:
        events = list(tab_events(profile, label))
    except NotRecorded:
        return 3
    text = ",\n".join(json.dumps(event, ensure_ascii=False, separators=(",", ":")) for event in events)
    sys.stdout.buffer.write(b"cut\n" if is_cut(profile) else b"whole\n")
    sys.stdout.buffer.write(gzip.compress(f'{{"traceEvents":[\n{text}\n]}}'.encode(), 6))
    return 0


if __name__ == "__main__":
    sys.exit(main())
