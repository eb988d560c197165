"""What a page showed between two snapshots, and no longer."""

from __future__ import annotations

from rove.snapshot import Row, Snapshot, gone_again
from rove.snapshot.difference import GONE_AGAIN, MAX_LINES
from rove.snapshot.tree import REF_PLACE, UNSEEN


def page(*rows: Row) -> Snapshot:
    return Snapshot(rows=list(rows))


BUTTON = Row(0, 0, "e1", f'button "Save"{REF_PLACE}')
TOAST = Row(0, 0, "", 'status: "Saved"')


def texts(known: list[Snapshot], between: list[Snapshot]) -> list[str]:
    return [passage.text for passage in gone_again(known, between)]


def test_a_row_that_only_snapshots_in_between_show_is_told_once() -> None:
    assert texts([page(BUTTON), page(BUTTON)], [page(BUTTON, TOAST), page(TOAST)]) == [GONE_AGAIN, TOAST.line]


def test_a_row_that_is_still_there_is_not_told() -> None:
    assert texts([page(BUTTON), page(BUTTON, TOAST)], [page(BUTTON, TOAST)]) == []


def test_what_a_person_could_not_see_is_not_told() -> None:
    assert texts([page(BUTTON)], [page(TOAST._replace(flags=UNSEEN))]) == []


def test_many_rows_are_counted() -> None:
    rows = [Row(0, 0, "", f'"{number}"') for number in range(MAX_LINES + 3)]
    assert texts([page()], [page(*rows)])[-1].splitlines()[-1] == "… 3 more lines"
