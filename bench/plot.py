"""The results as one SVG: a dot per server, on a logarithmic scale of milliseconds and on one of tokens."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from bench.results import Cell, Column, Results
from bench.tasks import Task

LABELS = 300
PANEL = 360
GAP = 40
# The strip right of the scale for servers that did not answer.
BEYOND = 56
TOP = 92
ROW = 27
MARK = 5.0
# Distinct for colour-blind readers, and by shape in print; the same in every plot.
LOOKS = {
    "rove": ("circle", "#d55e00"),
    "playwright": ("square", "#0072b2"),
    "devtools": ("diamond", "#009e73"),
    "agent-browser": ("triangle", "#8f5fa8"),
    "playwright-tuned": ("square", "#74b6e0"),
    "devtools-tuned": ("diamond", "#7fd1b4"),
}


@dataclass(frozen=True)
class Point:
    """One server's value in one row; None is a failure."""

    server: str
    value: float | None
    low: float = 0.0
    high: float = 0.0


@dataclass(frozen=True)
class Row:
    title: str
    times: Sequence[Point]
    tokens: Sequence[Point]


class Scale:
    """A logarithmic axis of whole decades."""

    def __init__(self, left: float, values: Iterable[float]) -> None:
        logs = [math.log10(max(value, 1e-3)) for value in values] or [0.0, 1.0]
        self._left = left
        self._first = math.floor(min(logs))
        self._last = max(math.ceil(max(logs)), self._first + 1)

    @property
    def decades(self) -> list[float]:
        return [10.0**power for power in range(self._first, self._last + 1)]

    @property
    def beyond(self) -> float:
        return self._left + PANEL + BEYOND

    def x(self, value: float) -> float:
        share = (math.log10(max(value, 1e-3)) - self._first) / (self._last - self._first)
        return self._left + PANEL * min(max(share, 0.0), 1.0)


def draw(results: Results, tasks: Sequence[Task]) -> str:
    """Return the plot as SVG."""
    columns = list(results.columns.values())
    rows = [_start_row(columns), *(_row(task, columns) for task in tasks)]
    rows = [row for row in rows if any(point.value is not None for point in row.times)]
    width = LABELS + 2 * (PANEL + GAP) + BEYOND
    height = TOP + ROW * len(rows) + 50
    times = Scale(LABELS, _values(point for row in rows for point in row.times))
    tokens = Scale(LABELS + PANEL + GAP + BEYOND, _values(point for row in rows for point in row.tokens))
    parts = [
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
        _text(16, 28, "rove beside other browser servers", size=18, weight="bold"),
        _legend(columns),
        *_axis(times, len(rows), "milliseconds, less is better; the line spans the samples"),
        _text(times.beyond - 40, TOP - 7, "no answer", size=11, fill="#666"),
        *_axis(tokens, len(rows), "tokens of the answer, less is better"),
    ]
    for number, row in enumerate(rows):
        parts += _draw_row(row, TOP + ROW * (number + 0.5), times, tokens)
    parts.append(_text(16, height - 14, _footnote(results), size=11, fill="#666"))
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" font-family="system-ui, sans-serif">\n{body}\n</svg>\n'
    )


def _footnote(results: Results) -> str:
    facts = results.facts
    return (
        f"{facts['browser']}, {facts['cores']} cores, medians of {facts['rounds']} rounds of {facts['repeats']}; "
        "both scales are logarithmic; a cross: an error, no answer in time, or only part of what was asked. "
        f"{facts['date']}"
    )


def _start_row(columns: Sequence[Column]) -> Row:
    points = [
        _point(column.server.key, [start.first_page * 1000 for start in column.starts], column.start_milliseconds)
        for column in columns
    ]
    return Row("cold start to first page", points, [])


def _row(task: Task, columns: Sequence[Column]) -> Row:
    cells = [(column.server.key, column.cells[task.key]) for column in columns if task.key in column.cells]
    # Part of the page is no answer to a call for everything.
    cells = [(key, Cell() if task.twin and cell.is_partial else cell) for key, cell in cells]
    times = [_point(key, _samples(cell), cell.milliseconds) for key, cell in cells]
    tokens = [Point(key, cell.tokens, cell.tokens, cell.tokens) for key, cell in cells if cell.tokens]
    return Row(task.title, times, tokens)


def _samples(cell: Cell) -> list[float]:
    return [sample.seconds * 1000 for sample in cell.samples]


def _point(server: str, samples: Sequence[float], median: float | None) -> Point:
    return Point(server, median, min(samples, default=0.0), max(samples, default=0.0))


def _values(points: Iterable[Point]) -> list[float]:
    return [number for point in points if point.value is not None for number in (point.low, point.high)]


def _axis(scale: Scale, rows: int, title: str) -> list[str]:
    bottom = TOP + ROW * rows
    parts = [_text(scale.x(scale.decades[0]), TOP - 24, title, size=12, fill="#444")]
    for decade in scale.decades:
        x = scale.x(decade)
        parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{bottom}" stroke="#ddd"/>')
        parts.append(_text(x, TOP - 7, _decade(decade), size=11, fill="#666", anchor="middle"))
    return parts


def _decade(value: float) -> str:
    if value >= 1_000_000:
        return f"{value / 1_000_000:g}M"
    return f"{value / 1000:g}k" if value >= 1000 else f"{value:g}"


def _draw_row(row: Row, y: float, times: Scale, tokens: Scale) -> list[str]:
    right = tokens.x(tokens.decades[-1])
    parts = [
        f'<line x1="16" x2="{right:.0f}" y1="{y + ROW / 2:.1f}" y2="{y + ROW / 2:.1f}" stroke="#f0f0f0"/>',
        _text(LABELS - 14, y + 4, row.title, size=13, anchor="end"),
    ]
    # The first server is drawn last, so that nothing hides it.
    for scale, points in ((times, row.times), (tokens, row.tokens)):
        for point in reversed(points):
            parts += _draw_point(point, y, scale)
    return parts


def _draw_point(point: Point, y: float, scale: Scale) -> list[str]:
    colour = LOOKS[point.server][1]
    if point.value is None:
        # Several may fail in one row; side by side they stay countable.
        x = scale.beyond - 38 + 8 * list(LOOKS).index(point.server)
        cross = f"M{x - 3:.1f} {y - 3:.1f}l6 6m0 -6l-6 6"
        return [f'<path d="{cross}" stroke="{colour}" stroke-width="2" fill="none"/>']
    span = f'<line x1="{scale.x(point.low):.1f}" x2="{scale.x(point.high):.1f}" y1="{y:.1f}" y2="{y:.1f}"'
    return [
        f'{span} stroke="{colour}" stroke-opacity="0.45" stroke-width="2"/>',
        _mark(point, scale.x(point.value), y),
    ]


def _mark(point: Point, x: float, y: float) -> str:
    shape, colour = LOOKS[point.server]
    size = MARK * 1.25 if shape == "circle" else MARK
    style = f'fill="{colour}" stroke="#fff" stroke-width="1"'
    if shape == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{size:.1f}" {style}/>'
    corners = {
        "square": ((-0.85, -0.85), (0.85, -0.85), (0.85, 0.85), (-0.85, 0.85)),
        "diamond": ((0, -1.15), (1.15, 0), (0, 1.15), (-1.15, 0)),
        "triangle": ((0, -1.1), (1.1, 0.9), (-1.1, 0.9)),
    }[shape]
    points = " ".join(f"{x + size * right:.1f},{y + size * down:.1f}" for right, down in corners)
    return f'<polygon points="{points}" {style}/>'


def _legend(columns: Sequence[Column]) -> str:
    parts: list[str] = []
    x = 22.0
    for column in columns:
        name = f"{column.server.title} {column.server.version}"
        parts += [_mark(Point(column.server.key, 0.0), x, 48), _text(x + 12, 52, name, size=13)]
        # SVG cannot measure text; this is the average width of these letters and room between.
        x += 12 + 7.1 * len(name) + 24
    return "\n".join(parts)


def _text(
    x: float,
    y: float,
    words: str,
    *,
    size: int,
    fill: str = "#111",
    anchor: str = "start",
    weight: str = "normal",
) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{fill}" text-anchor="{anchor}" '
        f'font-weight="{weight}">{escape(words)}</text>'
    )
