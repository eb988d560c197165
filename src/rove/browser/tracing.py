"""Traces of a page in the form of Chrome's tools: which of their events may be kept, and what they say of costs.

The browser records all of its processes, those of other sessions too. Only events of the tab's own processes are kept.
"""

from __future__ import annotations

import codecs
import json
import re
import zlib
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple

from rove.errors import Denied, LimitReached
from rove.records import dataclass
from rove.workspace import Workspace

PIECE_BYTES = 2**18
# What stands between events: white space and commas.
_BETWEEN = re.compile(r"[\s,]*")
_DECODER = json.JSONDecoder()
BEGINNING = '"traceEvents":['
Event = dict[str, Any]
MAIN_THREAD = "CrRendererMain"
# Events of the browser's own process that say which frames the tab has, and in which processes.
STARTED, COMMITTED = "TracingStartedInBrowser", "FrameCommittedInBrowser"

# What samples are called when no code of a page runs.
NOT_CODE = ("(idle)", "(program)", "(root)")
COLLECTOR = "(garbage collector)"

# The names of events, by what the main thread does in them; the rest of its time is none of these.
WORK: dict[str, str] = {
    "Layout": "layout", "UpdateLayoutTree": "layout", "RecalculateStyles": "layout", "HitTest": "layout",
    "Paint": "painting", "PrePaint": "painting", "Layerize": "painting", "Commit": "painting",
    "UpdateLayer": "painting", "Decode Image": "painting",
    "ParseHTML": "parsing", "ParseAuthorStyleSheet": "parsing",
    "FunctionCall": "scripts", "EvaluateScript": "scripts", "v8.compile": "scripts", "v8.compileModule": "scripts",
    "v8.evaluateModule": "scripts", "RunMicrotasks": "scripts", "TimerFire": "scripts", "EventDispatch": "scripts",
    "FireAnimationFrame": "scripts", "FireIdleCallback": "scripts",
    "MinorGC": "garbage collection", "MajorGC": "garbage collection", "V8.GC_SCAVENGER": "garbage collection",
}  # fmt: skip
TASK = "RunTask"
# What a thread does when its recording starts, which may take half a second and is no work of the page's.
PREPARATION = "CpuProfiler::StartProfiling"
LONG_TASK_MS = 50.0
BLOCKING = ("blocking", "in_body_parser_blocking")
MOST_LISTED = 10
COSTLIEST = 3
Kind = Literal["script", "layout", "painting", "parsing", "garbage collection", "blocking resource"]

BATCH = 500
# Headers may have cookies in them, and no view of DevTools' performance panel needs them.
SECRET_FIELDS = ("headers", "requestHeaders")
FOLDER = "traces"


class DamagedTrace(Exception):
    """What the browser sent is not a trace."""


def events_in(compressed: bytes) -> Iterator[Event]:
    """Yield the events of a gzipped trace. No more than a piece of it is in memory as text."""
    text, is_in_list = "", False
    for piece in _pieces(compressed):
        text += piece
        if not is_in_list:
            _, found, rest = text.partition(BEGINNING)
            if not found:
                continue
            text, is_in_list = rest, True
        at = 0
        while (following := _BETWEEN.match(text, at)) is not None:
            at = following.end()
            if text.startswith("]", at):
                return
            try:
                event, at = _DECODER.raw_decode(text, at)
            except json.JSONDecodeError:
                break  # the rest of it is in the next piece
            if isinstance(event, dict):
                yield event
        text = text[at:]
    if not is_in_list or text.strip():
        raise DamagedTrace("The trace ends in the middle of an event.")


def _pieces(compressed: bytes) -> Iterator[str]:
    inflating = zlib.decompressobj(zlib.MAX_WBITS | 16)
    decoding = codecs.getincrementaldecoder("utf-8")("replace")
    try:
        for start in range(0, len(compressed), PIECE_BYTES):
            rest = compressed[start : start + PIECE_BYTES]
            while rest:
                yield decoding.decode(inflating.decompress(rest, PIECE_BYTES * 4))
                rest = inflating.unconsumed_tail
    except zlib.error as error:
        raise DamagedTrace("The trace cannot be unpacked.") from error


@dataclass(frozen=True)
class TabProcesses:
    """The processes of a tab's frames, and the main thread of each process that shows the main frame."""

    main: frozenset[int]
    others: frozenset[int]
    main_threads: frozenset[tuple[int, int]]
    # Whether a frame that may not be told shares a process with the page itself.
    is_mixed: bool
    # The browser's own process, which says of each process and thread what it is.
    browser: int = 0

    def has(self, event: Event) -> bool:
        """Return whether an event is of the tab: of one of its processes, or about its frames."""
        process = event.get("pid")
        if process in self.main or process in self.others:
            return True
        if event.get("name") in (STARTED, COMMITTED):
            return True
        return process == self.browser and event.get("name") in ("process_name", "thread_name")

    def is_on_main_thread(self, event: Event) -> bool:
        return (event.get("pid"), event.get("tid")) in self.main_threads


def find_processes(events: Iterable[Event], may_tell: Callable[[str], bool]) -> TabProcesses:
    """Return the processes of the traced tab; `may_tell` says whether the agent may read what is at an address."""
    threads: set[tuple[int, int]] = set()
    main: set[int] = set()
    frames: dict[int, list[str]] = {}
    browser = 0
    for event in events:
        name, args = event.get("name"), event.get("args") or {}
        if name == "thread_name" and args.get("name") == MAIN_THREAD:
            threads.add((event["pid"], event["tid"]))
        elif name in (STARTED, COMMITTED):
            data, browser = args.get("data") or {}, event["pid"]
            for frame in data.get("frames", [data]):
                process = frame.get("processId")
                if isinstance(process, int):
                    frames.setdefault(process, []).append(str(frame.get("url", "")))
                    if not frame.get("parent"):
                        main.add(process)
    withheld = {process for process, urls in frames.items() if not all(map(may_tell, urls))}
    return TabProcesses(
        frozenset(main),
        frozenset(frames.keys() - main - withheld),
        frozenset(thread for thread in threads if thread[0] in main),
        bool(withheld & main),
        browser,
    )


class Function(NamedTuple):
    """A function, by where it is; lines count from 1. Without a URL it is rove's own, or one that a page evaluated."""

    url: str
    name: str
    line: int


class CpuProfile:
    """The samples of one thread, by when they were taken, in microseconds."""

    def __init__(self) -> None:
        self._functions: dict[int, Function] = {}
        # Functions of the browser itself, such as those that read a property: their time is that of their caller.
        self._callers: dict[int, int] = {}
        self._times: list[int] = []
        self._nodes: list[int] = []
        self._now = 0

    def begin(self, event: Event) -> None:
        self._now = int(event["args"]["data"].get("startTime", 0))

    def add(self, event: Event) -> None:
        """Add the samples of an event `ProfileChunk`."""
        data: dict[str, Any] = event["args"]["data"]
        profile: dict[str, Any] = data.get("cpuProfile") or {}
        for node in profile.get("nodes", ()):
            frame = node["callFrame"]
            function = Function(frame.get("url", ""), frame.get("functionName", ""), frame.get("lineNumber", -1) + 1)
            self._functions[node["id"]] = function
            if not frame.get("scriptId") and not function.name.startswith("(") and "parent" in node:
                self._callers[node["id"]] = node["parent"]
        for node, delta in zip(profile.get("samples", ()), data.get("timeDeltas", ()), strict=False):
            self._now += delta
            self._times.append(self._now)
            self._nodes.append(node)

    def _function_at(self, index: int) -> Function | None:
        node = self._nodes[index]
        while node in self._callers:
            node = self._callers[node]
        return self._functions.get(node)

    def self_times(self, start: float = 0, end: float = float("inf")) -> dict[Function, float]:
        """Return how many milliseconds each function ran by itself in a span of time, as the samples have it."""
        spent: dict[Function, float] = {}
        first, last = bisect_left(self._times, start), bisect_right(self._times, end)
        for index in range(first, min(last, len(self._times) - 1)):
            function = self._function_at(index)
            if function is not None and function.name not in NOT_CODE:
                # Samples may come in late, and then have a time before that of the sample before.
                length = max(self._times[index + 1] - self._times[index], 0)
                spent[function] = spent.get(function, 0.0) + length / 1000
        return spent


@dataclass(frozen=True)
class Cost:
    """Milliseconds, what they went into, and where that is: an address, empty for the page as a whole."""

    kind: Kind
    milliseconds: float
    where: str
    detail: str = ""


@dataclass(frozen=True)
class LongTask:
    """A task that held up the page; `function` is what ran the longest in it, by itself, if it was a script."""

    start: float
    milliseconds: float
    function: Function | None


@dataclass(frozen=True)
class Resource:
    """A file that the page has loaded: how long it took, and its bytes on the network."""

    url: str
    milliseconds: float
    size: int
    is_blocking: bool
    is_image: bool


@dataclass(frozen=True)
class TraceSummary:
    """What a trace says. Times are milliseconds as a clock shows them; starts count from the start of the trace."""

    milliseconds: float
    # What the main thread of the page did, by kind.
    main_thread: dict[str, float]
    costliest: tuple[Cost, ...]
    functions: tuple[tuple[Function, float], ...]
    long_tasks: tuple[LongTask, ...]
    long_task_count: int
    blocking: tuple[Resource, ...]
    images: tuple[Resource, ...]
    # Milliseconds of scripts that have no address: rove's own, and code that the page evaluates from text.
    unaddressed: float


class Summarizer:
    """Collects what a summary needs from the events of a tab."""

    def __init__(self, processes: TabProcesses) -> None:
        self._processes = processes
        self._spans: list[tuple[float, float, str]] = []
        # When each thread was ready to be recorded.
        self._ready: dict[int, float] = {}
        self._profiles: dict[tuple[int, str], CpuProfile] = {}
        self._requests: dict[str, dict[str, Any]] = {}
        self._first, self._last = 0.0, 0.0

    def add(self, event: Event) -> None:
        """Look at one event of the tab."""
        name, data = event.get("name", ""), (event.get("args") or {}).get("data") or {}
        if name == STARTED:
            self._first = event["ts"]
        if event.get("pid") not in self._processes.main:
            return
        self._last = max(self._last, event.get("ts", 0) + event.get("dur", 0))
        if name in ("Profile", "ProfileChunk"):
            self._add_samples(event)
        elif name.startswith("Resource") and isinstance(data.get("requestId"), str):
            known = self._requests.setdefault(data["requestId"], {})
            known.update({f"{name}.{field}": value for field, value in data.items()}, **{f"{name}.ts": event["ts"]})
        elif event.get("ph") == "X" and self._processes.is_on_main_thread(event):
            self._add_span(event)

    def _add_span(self, event: Event) -> None:
        at, length, name = event["ts"], event.get("dur", 0), event["name"]
        if name == PREPARATION:
            self._first = self._ready[event["pid"]] = max(at + length, self._ready.get(event["pid"], 0.0))
            self._spans = [span for span in self._spans if span[0] + span[1] < at or span[0] > at + length]
        elif (name == TASK or name in WORK) and at >= self._ready.get(event["pid"], 0.0):
            self._spans.append((at, length, name))

    def _add_samples(self, event: Event) -> None:
        profile = self._profiles.setdefault((event["pid"], str(event.get("id", ""))), CpuProfile())
        if event["name"] == "Profile":
            if self._processes.is_on_main_thread(event):
                profile.begin(event)
            return
        profile.add(event)

    def finish(self) -> TraceSummary:
        """Return what the events say."""
        main_thread = self._main_thread()
        every = self._functions()
        functions = {function: length for function, length in every.items() if function.url}
        tasks = [(at, length) for at, length, name in self._spans if name == TASK and length > LONG_TASK_MS * 1000]
        longest = sorted(tasks, key=lambda task: -task[1])[:MOST_LISTED]
        resources = self._resources()
        blocking = sorted((each for each in resources if each.is_blocking), key=lambda each: -each.milliseconds)
        images = sorted((each for each in resources if each.is_image), key=lambda each: -each.size)
        return TraceSummary(
            max(self._last - self._first, 0) / 1000,
            main_thread,
            self._costliest(main_thread, functions, blocking),
            tuple(sorted(functions.items(), key=lambda item: -item[1])[:MOST_LISTED]),
            tuple(self._long_task(at, length) for at, length in longest),
            len(tasks),
            tuple(blocking[:MOST_LISTED]),
            tuple(images[:MOST_LISTED]),
            sum(every.values()) - sum(functions.values()),
        )

    def _main_thread(self) -> dict[str, float]:
        """Return the milliseconds of the main thread by kind of work; nested work counts as what is innermost."""
        spent: dict[str, float] = {}
        around: list[tuple[float, str]] = []
        for at, length, name in sorted(self._spans, key=lambda span: (span[0], -span[1])):
            while around and around[-1][0] <= at:
                around.pop()
            kind = "other" if name == TASK else WORK[name]
            spent[kind] = spent.get(kind, 0.0) + length / 1000
            if around:
                spent[around[-1][1]] -= length / 1000
            around.append((at + length, kind))
        return {kind: round(ms, 1) for kind, ms in sorted(spent.items(), key=lambda item: -item[1]) if ms > 0.05}

    def _functions(self) -> dict[Function, float]:
        spent: dict[Function, float] = {}
        for profile in self._profiles.values():
            for function, length in profile.self_times().items():
                if function.name != COLLECTOR:
                    spent[function] = spent.get(function, 0.0) + length
        return spent

    def _long_task(self, at: float, length: float) -> LongTask:
        ran = [item for profile in self._profiles.values() for item in profile.self_times(at, at + length).items()]
        function, spent = max(ran, key=lambda item: item[1], default=(None, 0.0))
        is_script = function is not None and function.name != COLLECTOR and spent * 4 >= length / 1000
        return LongTask((at - self._first) / 1000, length / 1000, function if is_script else None)

    def _resources(self) -> list[Resource]:
        found: list[Resource] = []
        for known in self._requests.values():
            sent, finished = known.get("ResourceSendRequest.ts"), known.get("ResourceFinish.ts")
            if sent is None or finished is None:
                continue  # it was under way when the recording began or ended
            found.append(
                Resource(
                    str(known.get("ResourceSendRequest.url", "")),
                    (finished - sent) / 1000,
                    int(known.get("ResourceFinish.encodedDataLength") or 0),
                    known.get("ResourceSendRequest.renderBlocking") in BLOCKING,
                    str(known.get("ResourceReceiveResponse.mimeType", "")).startswith("image/"),
                )
            )
        return found

    def _costliest(
        self, main_thread: dict[str, float], functions: dict[Function, float], blocking: Iterable[Resource]
    ) -> tuple[Cost, ...]:
        """Return the largest costs of all kinds. Scripts count by file, from samples; a function is named in each."""
        files: dict[str, float] = {}
        for function, length in functions.items():
            files[function.url] = files.get(function.url, 0.0) + length
        costs = [Cost("script", length, url, _slowest(url, functions)) for url, length in files.items()]
        kinds: tuple[Kind, ...] = ("layout", "painting", "parsing", "garbage collection")
        costs += [Cost(kind, main_thread[kind], *self._place(kind)) for kind in kinds if kind in main_thread]
        costs += [Cost("blocking resource", each.milliseconds, each.url) for each in blocking]
        return tuple(sorted(costs, key=lambda cost: -cost.milliseconds)[:COSTLIEST])

    def _place(self, kind: str) -> tuple[str, str]:
        """Return the address of the script that has forced the most work of a kind, and how often it was done."""
        spans = [(at, length) for at, length, name in self._spans if WORK.get(name) == kind]
        forced: dict[Function, float] = {}
        for profile in self._profiles.values() if kind == "layout" else ():
            # A function that is running while the page is laid out has asked for it.
            for at, length in spans:
                for function, spent in profile.self_times(at, at + length).items():
                    forced[function] = forced.get(function, 0.0) + min(spent, length / 1000)
        times = f"{len(spans)} times"
        running = max(forced, key=lambda each: forced[each], default=None)
        if running is None or not running.url:
            return "", times
        return running.url, f"{times}, mostly while {_named(running)} ran"


def _slowest(url: str, functions: dict[Function, float]) -> str:
    function, length = max(((each, ms) for each, ms in functions.items() if each.url == url), key=lambda item: item[1])
    return f"{_named(function)}: {length:.0f} ms"


def _named(function: Function) -> str:
    return f"{function.name or '(anonymous)'} in line {function.line}"


def trace_text(events: Iterable[Event], kept: TabProcesses, redact: Callable[[str], str]) -> Iterator[bytes]:
    """Yield the JSON of a trace with the events of one tab, without secrets."""
    yield b'{"traceEvents":[\n'
    batch: list[str] = []
    is_first = True
    for event in events:
        own = _own_frames(event, kept) if kept.has(event) else None
        if own is None:
            continue
        batch.append(json.dumps(_without_headers(own), ensure_ascii=False, separators=(",", ":")))
        if len(batch) == BATCH:
            yield _joined(batch, is_first, redact)
            batch, is_first = [], False
    if batch:
        yield _joined(batch, is_first, redact)
    yield b'\n],"metadata":{"source":"rove","dataOrigin":"TraceEvents"}}\n'


def _joined(batch: list[str], is_first: bool, redact: Callable[[str], str]) -> bytes:
    return ("" if is_first else ",\n").encode() + redact(",\n".join(batch)).encode("utf-8", "replace")


def _own_frames(event: Event, kept: TabProcesses) -> Event | None:
    """Leave out the frames that may not be told, of an event that names frames; None if it names no other."""
    if event.get("name") not in (STARTED, COMMITTED):
        return event
    data: dict[str, Any] = (event.get("args") or {}).get("data") or {}
    told = kept.main | kept.others
    if "frames" in data:
        frames = [frame for frame in data["frames"] if frame.get("processId") in told]
        return {**event, "args": {"data": {**data, "frames": frames}}}
    return event if data.get("processId") in told else None


def _without_headers(event: Event) -> Event:
    data = (event.get("args") or {}).get("data")
    if not isinstance(data, dict) or not any(field in data for field in SECRET_FIELDS):
        return event
    return {**event, "args": {"data": {name: value for name, value in data.items() if name not in SECRET_FIELDS}}}


def write_trace(
    workspace: Workspace,
    name: str,
    compressed: bytes,
    may_tell: Callable[[str], bool],
    redact: Callable[[str], str],
) -> tuple[Path, int, TraceSummary]:
    """Write the events of the traced tab, and no others; return the file, its size and what it says."""
    try:
        processes = find_processes(events_in(compressed), may_tell)
        if processes.is_mixed:
            raise Denied("The page has a frame that may not be read, and the recording does not tell them apart.")
        summarizer, sizes = Summarizer(processes), list[int]()
        seen = _seen(events_in(compressed), processes, summarizer)
        path = workspace.write(FOLDER, name, _counted(trace_text(seen, processes, redact), sizes))
    except DamagedTrace as error:
        raise LimitReached(f"{error}", hint="Record again, for a shorter time.") from error
    return path, sum(sizes), summarizer.finish()


def _seen(events: Iterator[Event], processes: TabProcesses, summarizer: Summarizer) -> Iterator[Event]:
    for event in events:
        if processes.has(event):
            summarizer.add(event)
        yield event


def _counted(chunks: Iterator[bytes], sizes: list[int]) -> Iterator[bytes]:
    for chunk in chunks:
        sizes.append(len(chunk))
        yield chunk
