"""Which processes of a traced browser show the traced tab.

The browser records all of its processes, those of other sessions too. Only events of the tab's own processes are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from rove.tracing.stream import Event
from rove.validation.record import dataclass

MAIN_THREAD = "CrRendererMain"
# Events of the browser's own process that say which frames the tab has, and in which processes.
STARTED, COMMITTED = "TracingStartedInBrowser", "FrameCommittedInBrowser"


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
