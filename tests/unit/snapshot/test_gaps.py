"""Rows that a budget leaves out."""

from __future__ import annotations

import re

from rove.snapshot import Flag, Row, Snapshot, render

PROSE = "The team has moved the planning call to Thursday, so please bring your notes about the budget. " * 4


def test_short_text_between_kept_rows_is_shown_and_longer_text_has_a_handle() -> None:
    rows: list[Row] = []
    for number in range(40):
        rows.append(Row(0, int(Flag.PRESS | Flag.IN_VIEW), f"e{number}", f'button "Page {number}"\x01'))
        rows.append(Row(0, int(Flag.TEXT), "", '"1–50 of 1,284"' if number % 2 else f'"{PROSE}"'))
    text = render(Snapshot(rows=rows), 900).text
    assert text.count('"1–50 of 1,284"') == 20
    assert not re.search(r"^\s*…$", text, re.MULTILINE)
    assert re.search(r"^… 1 line \[expand e\d+\+\]$", text, re.MULTILINE)
