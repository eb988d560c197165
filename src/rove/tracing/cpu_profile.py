"""Samples of what a thread was running: functions, and how long each ran by itself."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import Any, NamedTuple

from rove.tracing.stream import Event

# What samples are called when no code of a page runs.
NOT_CODE = ("(idle)", "(program)", "(root)")
COLLECTOR = "(garbage collector)"


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
