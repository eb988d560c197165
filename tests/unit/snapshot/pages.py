"""Snapshot data in the form that the page script sends."""

from __future__ import annotations

from typing import Any

PRESS, IN_VIEW, TEXT, STRUCTURE = 1, 2, 4, 8


def page(*rows: tuple[int, int, int, str], **facts: Any) -> dict[str, Any]:
    """Data of one frame from (depth, flags, ref, line) rows."""
    columns: dict[str, Any] = {"depths": [], "flags": [], "refs": [], "lines": []}
    for depth, flags, ref, line in rows:
        columns["depths"].append(depth)
        columns["flags"].append(flags)
        columns["refs"].append(ref)
        columns["lines"].append(line + ("\x01" if ref else ""))
    return columns | {"url": "http://a/", "groups": [], "frames": []} | facts


def table(count: int, *, changed: int = -1, visible: int = 20) -> dict[str, Any]:
    """A table of `count` rows with a button each, the first ones in the window."""
    rows: list[tuple[int, int, int, str]] = [(0, STRUCTURE | IN_VIEW, 0, "table")]
    starts: list[int] = []
    for number in range(count):
        view = IN_VIEW if number < visible else 0
        name = "CHANGED" if number == changed else f"Name {number}"
        starts.append(len(rows))
        rows.append((1, 128 | view, 0, f'row: "{number} | {name} | active"'))
        rows.append((2, PRESS | view, number + 1, 'button "Edit"'))
    group = {"ref": 9000, "total": count, "end": len(rows), "starts": starts, "children": None}
    rows.append((0, PRESS, 9001, 'button "Next page"'))
    return page(*rows, groups=[group])
