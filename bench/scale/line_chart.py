"""Line charts as SVG."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import escape

WIDTH, HEIGHT = 760, 380
LEFT, RIGHT, TOP, BOTTOM = 74, 20, 66, 54
COLOURS = ("#1565c0", "#c62828", "#2e7d32", "#6a1b9a", "#ef6c00", "#455a64")
DASHES = ("", "7 4", "2 4", "10 3 2 3", "1 3", "5 5")


@dataclass(frozen=True)
class Line:
    """One line: its name, and its points from left to right."""

    name: str
    points: Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Limit:
    """A horizontal line with a name: what must not be exceeded."""

    name: str
    y: float


@dataclass
class Chart:
    """A chart with one pair of axes, which begin at zero unless `is_logarithmic`."""

    title: str
    x_label: str
    y_label: str
    lines: list[Line] = field(default_factory=list[Line])
    limits: list[Limit] = field(default_factory=list[Limit])
    is_logarithmic: bool = False

    def svg(self) -> str:
        body = "\n".join(self._parts())
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
            f'height="{HEIGHT}" font-family="system-ui, sans-serif">\n{body}\n</svg>\n'
        )

    def _parts(self) -> Iterator[str]:
        yield f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>'
        yield _text(LEFT, 22, self.title, size=15, weight="bold")
        yield from self._axes()
        for limit in self.limits:
            y = self._y(limit.y)
            yield f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="#999" stroke-dasharray="4 4"/>'
            yield _text(WIDTH - RIGHT, y - 5, limit.name, size=11, fill="#666", anchor="end")
        for number, line in enumerate(self.lines):
            yield from self._line(line, number)

    def _axes(self) -> Iterator[str]:
        for x in _ticks(0.0, self._largest(0)):
            at = self._x(x)
            yield f'<path d="M{at:.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="#eee"/>'
            yield _text(at, HEIGHT - BOTTOM + 17, _number(x), size=11, fill="#555", anchor="middle")
        for y in self._y_ticks():
            at = self._y(y)
            yield f'<path d="M{LEFT} {at:.1f}H{WIDTH - RIGHT}" stroke="#eee"/>'
            yield _text(LEFT - 8, at + 4, _number(y), size=11, fill="#555", anchor="end")
        yield f'<path d="M{LEFT} {TOP}V{HEIGHT - BOTTOM}H{WIDTH - RIGHT}" stroke="#888" fill="none"/>'
        yield _text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, self.x_label, size=12, fill="#333", anchor="middle")
        yield _text(LEFT - 60, TOP - 8, self.y_label, size=12, fill="#333")

    def _line(self, line: Line, number: int) -> Iterator[str]:
        colour, dash = COLOURS[number % len(COLOURS)], DASHES[number % len(DASHES)]
        points = [(self._x(x), self._y(y)) for x, y in line.points]
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        yield f'<path d="M{path}" stroke="{colour}" stroke-width="2" fill="none" stroke-dasharray="{dash}"/>'
        if len(points) <= 30:
            yield from (f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in points)
        # SVG cannot measure text; this is the average width of these letters.
        before = sum(44 + 6.6 * len(each.name) for each in self.lines[:number])
        x = LEFT + before
        yield f'<path d="M{x:.1f} 40h22" stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}"/>'
        yield _text(x + 27, 44, line.name, size=12)

    def _x(self, x: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * x / self._largest(0)

    def _y(self, y: float) -> float:
        if self.is_logarithmic:
            low, high = math.log10(self._smallest()), math.log10(self._largest(1))
            share = (math.log10(max(y, self._smallest())) - low) / max(high - low, 1e-9)
        else:
            share = y / self._largest(1)
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share

    def _y_ticks(self) -> list[float]:
        if not self.is_logarithmic:
            return [tick for tick in _ticks(0.0, self._largest(1)) if tick <= self._largest(1)]
        first, last = math.log10(self._smallest()), math.log10(self._largest(1))
        return [10.0**power for power in range(round(first), round(last) + 1)]

    def _largest(self, axis: int) -> float:
        values = [point[axis] for line in self.lines for point in line.points]
        values += [limit.y for limit in self.limits] if axis else []
        largest = max(values, default=1.0) or 1.0
        if axis and self.is_logarithmic:
            return 10.0 ** math.ceil(math.log10(largest))
        return _ticks(0.0, largest * 1.001)[-1] if axis == 0 else largest * 1.08

    def _smallest(self) -> float:
        values = [y for line in self.lines for _, y in line.points if y > 0]
        return 10.0 ** math.floor(math.log10(min(values, default=0.1)))


def _ticks(low: float, high: float) -> list[float]:
    """Return about six round numbers that reach over the range."""
    rough = (high - low) / 6
    size = 10.0 ** math.floor(math.log10(rough))
    step = next(size * factor for factor in (1, 2, 5, 10) if size * factor >= rough)
    return [low + step * number for number in range(math.ceil((high - low) / step) + 1)]


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 or value == int(value) else f"{value:g}"


def _text(
    x: float, y: float, words: str, *, size: int, fill: str = "#111", anchor: str = "start", weight: str = "normal"
) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{fill}" text-anchor="{anchor}" '
        f'font-weight="{weight}">{escape(words)}</text>'
    )
