"""The costs of sessions as a table, from the file that `python -m bench.session_costs` writes."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bench.session_costs.kinds import KINDS

Json = Mapping[str, Any]
MEGABYTE = 2**20
FEW = 5
_TITLES = {kind.key: kind.title for kind in KINDS}


def cost_table(results: Json) -> Iterator[str]:
    """Yield a table with a row for each kind of page."""
    yield "| page | memory, each more session | a node without sessions | idle | start | navigate | snapshot | click |"
    yield "|---|---:|---:|---:|---:|---:|---:|---:|"
    for kind in results["kinds"]:
        fixed, each = memory_line(kind)
        cells = [
            f"{each / MEGABYTE:.0f} MB",
            f"{fixed / MEGABYTE:.0f} MB",
            f"{idle_share(kind) * 100:.1f} %",
            f"{opening_processor(kind):.2f} s",
            *(f"{call_processor(kind, tool) * 1000:.0f} ms" for tool in ("navigate", "snapshot", "click")),
        ]
        yield f"| {_TITLES[kind['kind']]} | {' | '.join(cells)} |"


def waiting_table(results: Json) -> Iterator[str]:
    """Yield how long calls took, and a restored session, with each number of sessions."""
    counts = [stage["sessions"] for stage in results["kinds"][0]["stages"]]
    yield f"| | {' | '.join(f'{count} sessions' for count in counts)} |"
    yield f"|---|{'---:|' * len(counts)}"
    rows = {tool: [_all_calls(results, tool, count) for count in counts] for tool in ("navigate", "snapshot", "click")}
    for tool, columns in rows.items():
        yield f"| {tool}, median / 95th percentile | {' | '.join(_spread(times) for times in columns)} |"
    restored = [_all(results, count, "restore_seconds") for count in counts]
    yield f"| page back after the browser was killed, median / longest | {' | '.join(map(_longest, restored))} |"
    load = [statistics.mean(_all_numbers(results, count, "other_busy")) for count in counts]
    yield f"| cores taken by other programs meanwhile | {' | '.join(f'{busy:.1f}' for busy in load)} |"


def memory_line(kind: Json, field: str = "memory_after_use") -> tuple[float, float]:
    """Return the bytes of a node without sessions, and of each session: the line that fits best."""
    return _line([(stage["sessions"], sum(stage[field].values())) for stage in kind["stages"]])


def idle_share(kind: Json) -> float:
    """Return the share of a core that each session takes without a call."""
    few = _few_sessions(kind)
    return float(sum(stage["idle_processor_per_second"] for stage in few) / sum(stage["sessions"] for stage in few))


def opening_processor(kind: Json) -> float:
    """Return the seconds of processor time that opening a session and its first page takes."""
    # While more are opened, those that are open already may take time too.
    return float(min(stage["opening_processor"] for stage in kind["stages"]))


def restore_processor(kind: Json) -> float:
    """Return the seconds of processor time that each restored session takes."""
    _, each = _line([(stage["sessions"], stage["restore_processor"]) for stage in kind["stages"]])
    return each


def call_processor(kind: Json, tool: str) -> float:
    """Return the seconds of processor time of a call, on average."""
    return float(statistics.mean(time for stage in _few_sessions(kind) for time in stage["call_processor"][tool]))


def _few_sessions(kind: Json) -> list[Json]:
    """Return the stages in which pages that always draw still found the cores that they want."""
    return [stage for stage in kind["stages"] if stage["sessions"] <= FEW]


def _line(points: Sequence[tuple[float, float]]) -> tuple[float, float]:
    if len(points) < 2:
        return 0.0, points[0][1] / points[0][0]
    slope, intercept = statistics.linear_regression([x for x, _ in points], [y for _, y in points])
    return intercept, slope


def _all(results: Json, count: int, field: str) -> list[float]:
    return [value for stage in _stages(results, count) for value in stage[field]]


def _all_numbers(results: Json, count: int, field: str) -> list[float]:
    return [stage[field] for stage in _stages(results, count)]


def _all_calls(results: Json, tool: str, count: int) -> list[float]:
    return [seconds for stage in _stages(results, count) for seconds in stage["calls"][tool]]


def _stages(results: Json, count: int) -> Iterator[Json]:
    return (stage for kind in results["kinds"] for stage in kind["stages"] if stage["sessions"] == count)


def _spread(seconds: Sequence[float]) -> str:
    ordered = sorted(seconds)
    return f"{statistics.median(ordered):.2f} / {ordered[int(len(ordered) * 0.95)]:.2f} s"


def _longest(seconds: Sequence[float]) -> str:
    return f"{statistics.median(seconds):.1f} / {max(seconds):.1f} s"
