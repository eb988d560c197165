"""What a trace says of the cost of a page: milliseconds of its main thread, what blocked it, the largest images."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from rove.tracing.cpu_profile import COLLECTOR, CpuProfile, Function
from rove.tracing.processes import STARTED, TabProcesses
from rove.tracing.stream import Event
from rove.validation.record import dataclass

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
