"""Rows that came and went between two snapshots."""

from __future__ import annotations

from rove.snapshot import Row, Snapshot, passing_rows
from rove.snapshot.passing import MAX_ROWS
from rove.snapshot.tree import REF_PLACE, UNSEEN


def page(*rows: Row) -> Snapshot:
    return Snapshot(rows=list(rows))


BUTTON = Row(0, 0, "e1", f'button "Save"{REF_PLACE}')
TOAST = Row(0, 0, "", 'status: "Saved"')


def test_a_row_that_only_a_snapshot_in_between_shows_is_found() -> None:
    assert passing_rows([page(BUTTON), page(BUTTON)], [page(BUTTON, TOAST), page(TOAST)]) == ['status: "Saved"']


def test_a_row_that_is_still_there_is_not_found() -> None:
    assert passing_rows([page(BUTTON), page(BUTTON, TOAST)], [page(BUTTON, TOAST)]) == []


def test_an_element_that_only_had_another_state_meanwhile_is_not_found() -> None:
    pressed = BUTTON._replace(line=f'button "Save" pressed{REF_PLACE}')
    assert passing_rows([page(BUTTON), page(BUTTON)], [page(pressed)]) == []


def test_what_a_person_could_not_see_is_not_found() -> None:
    assert passing_rows([page(BUTTON)], [page(TOAST._replace(flags=UNSEEN))]) == []


def test_many_rows_are_counted() -> None:
    rows = [Row(0, 0, "", f'"{number}"') for number in range(MAX_ROWS + 3)]
    assert passing_rows([page()], [page(*rows)])[-1] == "… 3 more"
