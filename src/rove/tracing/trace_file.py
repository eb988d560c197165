"""Writing the trace of one tab to the workspace, and summarizing it on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from rove.errors import Denied, LimitReached
from rove.tracing.export import trace_text
from rove.tracing.processes import TabProcesses, find_processes
from rove.tracing.stream import DamagedTrace, Event, events_in
from rove.tracing.summary import Summarizer, TraceSummary
from rove.workspace import Workspace

FOLDER = "traces"


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
