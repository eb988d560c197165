"""Which events of a browser's trace are kept, and what they say."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rove.browser.tracing import TraceSummary, write_trace
from rove.errors import Denied
from rove.workspace import Workspace

BROWSER, PAGE, FRAME, OTHER_SESSION = 1, 10, 11, 99
APP = "https://shop.example/app.js"
Event = dict[str, Any]


def frame(process: int, url: str, parent: str = "") -> Event:
    return {"frame": f"F{process}{url}", "processId": process, "url": url, **({"parent": parent} if parent else {})}


def span(name: str, at: float, length: float, process: int = PAGE) -> Event:
    """An event of the main thread, in milliseconds."""
    return {"name": name, "ph": "X", "pid": process, "tid": process, "ts": at * 1000, "dur": length * 1000, "args": {}}


def resource(name: str, at: float, **data: Any) -> Event:
    return {"name": name, "ph": "I", "pid": PAGE, "tid": PAGE, "ts": at * 1000, "args": {"data": data}}


FRAMES = [frame(PAGE, "https://shop.example/"), frame(FRAME, "https://ads.example/", "F10")]
NODES: list[Event] = [
    {"id": 1, "callFrame": {"functionName": "(root)", "scriptId": 0}},
    {"id": 2, "parent": 1, "callFrame": {"functionName": "(idle)", "scriptId": 0}},
    {"id": 3, "parent": 1, "callFrame": {"functionName": "slow", "scriptId": 7, "url": APP, "lineNumber": 4}},
    {"id": 4, "parent": 3, "callFrame": {"functionName": "get offsetHeight", "scriptId": 0}},
]
EVENTS: list[Event] = [
    *({"name": "thread_name", "ph": "M", "pid": each, "tid": each, "ts": 0, "args": {"name": "CrRendererMain"}}
      for each in (PAGE, FRAME, OTHER_SESSION)),
    {"name": "TracingStartedInBrowser", "ph": "I", "pid": BROWSER, "ts": 1000, "args": {"data": {"frames": FRAMES}}},
    span("RunTask", 2, 500, FRAME),
    span("RunTask", 1, 5),
    span("CpuProfiler::StartProfiling", 2, 4),
    span("RunTask", 10, 100),
    span("FunctionCall", 12, 90),
    span("Layout", 50, 20),
    span("RunTask", 200, 5),
    span("RunTask", 10, 400, OTHER_SESSION),
    {"name": "Secret", "pid": OTHER_SESSION, "tid": 1, "ts": 5, "args": {"data": {"url": "https://bank.example/"}}},
    {"name": "NavigationRequest", "pid": BROWSER, "tid": 1, "ts": 5, "args": {"url": "https://bank.example/"}},
    {"name": "Profile", "ph": "P", "id": "0x1", "pid": PAGE, "tid": PAGE, "ts": 2, "args": {"data": {"startTime": 0}}},
    {"name": "ProfileChunk", "ph": "P", "id": "0x1", "pid": PAGE, "tid": 12, "ts": 3, "args": {"data": {
        "cpuProfile": {"nodes": NODES, "samples": [2, 3, 4, 2, 2]},
        "timeDeltas": [1000, 11000, 38000, 52000, 1000]}}},
    resource("ResourceSendRequest", 20, requestId="1", url=APP, renderBlocking="blocking"),
    resource("ResourceReceiveResponse", 30, requestId="1", mimeType="text/javascript", headers=["Set-Cookie"]),
    resource("ResourceFinish", 65, requestId="1", encodedDataLength=1234),
    resource("ResourceSendRequest", 20, requestId="2", url="https://shop.example/cup.png"),
    resource("ResourceReceiveResponse", 30, requestId="2", mimeType="image/png"),
    resource("ResourceFinish", 40, requestId="2", encodedDataLength=99_000),
]  # fmt: skip


def write(
    folder: Path, may_tell: Callable[[str], bool] = lambda url: True, events: list[Event] = EVENTS
) -> tuple[str, TraceSummary]:
    data = gzip.compress(json.dumps({"traceEvents": events}, separators=(",", ":")).encode())
    path, size, summary = write_trace(
        Workspace(folder), "x.json", data, may_tell, lambda text: text.replace("1234", "[x]")
    )
    assert size == path.stat().st_size
    return path.read_text(), summary


def test_only_events_of_the_tab_are_written_and_without_headers(tmp_path: Path) -> None:
    text, _ = write(tmp_path)
    kept = json.loads(text.replace("[x]", "1234"))["traceEvents"]
    assert {event["pid"] for event in kept} == {BROWSER, PAGE, FRAME}
    assert "bank.example" not in text
    assert "Set-Cookie" not in text
    assert "[x]" in text


def test_a_frame_that_may_not_be_read_is_left_out(tmp_path: Path) -> None:
    text, _ = write(tmp_path, lambda url: "ads" not in url)
    assert "ads.example" not in text
    assert FRAME not in {event["pid"] for event in json.loads(text.replace("[x]", "1"))["traceEvents"]}
    inside: Event = {"name": "FrameCommittedInBrowser", "pid": BROWSER, "ts": 1, "args": {}}
    inside["args"]["data"] = frame(PAGE, "https://ads.shop.example/", "F10")
    with pytest.raises(Denied):
        write(tmp_path, lambda url: "ads" not in url, [*EVENTS, inside])


def test_costs_are_what_the_events_say(tmp_path: Path) -> None:
    _, summary = write(tmp_path)
    assert summary.main_thread == {"scripts": 70.0, "layout": 20.0, "other": 15.0}
    # A property that the browser computes counts for the function that reads it.
    ((function, spent),) = summary.functions
    assert (function, spent) == ((APP, "slow", 5), 90.0)
    assert [(cost.kind, cost.milliseconds, cost.where) for cost in summary.costliest] == [
        ("script", 90.0, APP),
        ("blocking resource", 45.0, APP),
        ("layout", 20.0, APP),
    ]
    (task,) = summary.long_tasks
    assert (task.milliseconds, task.function, summary.long_task_count) == (100.0, function, 1)
    assert [(image.url, image.size) for image in summary.images] == [("https://shop.example/cup.png", 99_000)]
