"""What a reader is told about lists that were drawn again, dialogs, moves and numbers."""

from __future__ import annotations

import time
from collections.abc import Sequence

from tests.unit.snapshot.pages import IN_VIEW, PRESS, STRUCTURE, TEXT, page

from rove.snapshot import Snapshot, difference, parse
from rove.snapshot.difference import ordinal, ref_runs
from rove.snapshot.tree import BEHIND, COVER, ITEM

Lines = tuple[tuple[int, int, int, str], ...]
NAMES = tuple(f"Name {number}" for number in range(50))


def mails(names: Sequence[str] = NAMES, first: int = 1, starred: str = "", extra: Lines = ()) -> Snapshot:
    """Return a list of messages with two refs each, from `first` on."""
    rows: list[tuple[int, int, int, str]] = [
        *((0, STRUCTURE | IN_VIEW, 0, "main"), (1, STRUCTURE | IN_VIEW, 0, 'heading "Inbox"')),
        (1, STRUCTURE | IN_VIEW, 0, "list"),
    ]
    for place, name in enumerate(names):
        star = ' "Star" pressed' if name == starred else ' "Star"'
        rows.append((2, ITEM | IN_VIEW, 0, "listitem"))
        rows.append((3, PRESS | IN_VIEW, first + 2 * place, 'checkbox "Select"'))
        rows.append((3, TEXT | IN_VIEW, 0, f'"{name}"'))
        rows.append((3, PRESS | IN_VIEW, first + 2 * place + 1, f"button{star}"))
    return parse(page(*rows, *extra))


def told(before: Snapshot, after: Snapshot, budget: int = 1500) -> list[str]:
    return difference(before, after, budget).text.splitlines()


def test_rows_that_differ_only_in_their_refs_are_not_told_again() -> None:
    assert told(mails(), mails(first=1001)) == ["drawn again, with new refs: e1…e100→e1001…e1100"]


def test_a_change_in_a_list_with_new_refs_is_pointed_at() -> None:
    lines = told(mails(), mails(first=1001, starred="Name 7"))
    assert lines[:2] == ['in listitem with "Name 7"', '~ button "Star" pressed [e1016] (was e16)']
    assert len(lines) == 3 and lines[2].startswith("drawn again")


def test_a_removed_item_is_one_line() -> None:
    lines = told(mails(), mails([name for name in NAMES if name != "Name 7"], first=1001))
    assert lines[-2:] == ['under heading "Inbox"', '- listitem with "Name 7"']


def test_no_pair_of_lines_differs_only_in_its_ref() -> None:
    flat = parse(page(*((0, PRESS, number, 'button "Revoke"') for number in (1, 2, 3))))
    fewer = parse(page(*((0, PRESS, number, 'button "Revoke"') for number in (11, 12))))
    lines = told(flat, fewer)
    assert lines == ['~ button "Revoke" [e11]', '~ button "Revoke" [e12]', '- button "Revoke" [e3]']
    assert "was" not in " ".join(lines) and "→" not in " ".join(lines)


def test_an_element_that_stays_is_never_taken_for_another() -> None:
    three = parse(page(*((0, PRESS, number, 'button "Edit"') for number in (1, 2, 3))))
    two = parse(page(*((0, PRESS, number, 'button "Edit"') for number in (2, 3))))
    assert told(three, two) == ['- button "Edit" [e1]']


def test_a_message_is_shown_before_anything_else_when_the_budget_is_tight() -> None:
    toast: Lines = ((0, IN_VIEW, 0, 'status: "Conversation archived"'), (1, PRESS | IN_VIEW, 9000, 'button "Undo"'))
    others = [f"{name} changed a lot" for name in NAMES]
    for names in (others, others[:20] + list(NAMES[20:]), NAMES[10:]):
        delta = difference(mails(), mails(names, first=1001, extra=toast), 150)
        assert delta.text.startswith('+ status: "Conversation archived"\n+  button "Undo" [e9000]'), delta.text
        assert delta.tokens <= 150


def behind(*rows: tuple[int, int, int, str]) -> Lines:
    cover = (0, STRUCTURE | BEHIND | COVER | IN_VIEW, 0, 'all else is covered by dialog "Delete?"')
    return (cover, *((depth + 1, flags | BEHIND, ref, line) for depth, flags, ref, line in rows))


DIALOG: Lines = ((0, STRUCTURE | IN_VIEW, 0, 'dialog "Delete?"'), (1, PRESS | IN_VIEW, 90, 'button "Yes"'))
REST: Lines = (
    (0, STRUCTURE | IN_VIEW, 0, "main"),
    (1, PRESS | IN_VIEW, 1, 'button "Delete"'),
    (1, TEXT | IN_VIEW, 0, '"12 files"'),
)


def test_a_dialog_that_covers_the_rest_is_told_with_its_content() -> None:
    lines = told(parse(page(*REST)), parse(page(*DIALOG, *behind(*REST))))
    assert lines == [
        'dialog opened: dialog "Delete?"',
        ' button "Yes" [e90]',
        'all else is covered by dialog "Delete?"',
    ]


def test_a_closed_dialog_is_told_with_what_changed_behind_it() -> None:
    changed = (*REST[:2], (1, TEXT | IN_VIEW, 0, '"11 files"'))
    lines = told(parse(page(*DIALOG, *behind(*REST))), parse(page(*changed)))
    assert lines[:2] == ['dialog closed: dialog "Delete?"', "the rest of the page is no longer covered"]
    assert lines[2:] == ["in main", '~ "12 files" → "11 files"']


def test_a_number_says_what_it_belongs_to() -> None:
    def cart(count: int) -> Snapshot:
        return parse(
            page(
                (0, STRUCTURE, 0, "banner"),
                (1, PRESS, 1, 'link "Cart"'),
                (1, TEXT, 0, f'"{count}"'),
                (1, TEXT, 0, '"x"'),
            )
        )

    assert told(cart(2), cart(3)) == ["in banner", '~ link "Cart" [e1]: "2" → "3"']


def test_the_context_is_the_nearest_landmark_or_heading_that_is_visible() -> None:
    def settings(last: str) -> Snapshot:
        return parse(
            page(
                (0, STRUCTURE, 0, "main"),
                (1, STRUCTURE, 0, 'heading "Alerts"'),
                (1, STRUCTURE | 16, 0, 'heading "Hidden" (screen-reader only)'),
                (1, STRUCTURE, 0, "list"),
                (2, PRESS, 5, last),
            )
        )

    lines = told(settings('switch "Mail"'), settings('switch "Mail" checked'))
    assert lines == ['under heading "Alerts"', '~ switch "Mail" checked [e5]']


def listed(*names: str) -> Snapshot:
    items = ((1, ITEM, 0, f'listitem: "{name}"') for name in names)
    return parse(page((0, STRUCTURE, 0, 'list "Shopping"'), *items))


def test_a_moved_item_says_from_where_to_where() -> None:
    lines = told(listed("Tea", "Bread", "Milk", "Eggs"), listed("Milk", "Tea", "Bread", "Eggs"))
    assert lines == ['in list "Shopping"', 'moved: listitem: "Milk" from 3rd to 1st']


def test_a_list_in_another_order_is_told_as_that_order() -> None:
    names = [f"Item {number}" for number in range(20)]
    lines = told(listed(*names), listed(*names[::-1]))
    assert len(lines) == 2 and lines[1].startswith('reordered, now: listitem: "Item 19"; listitem: "Item 18"; ')


def test_refs_at_the_same_distance_are_one_range_that_rises() -> None:
    pairs = [("e5", "e105"), ("e6", "e106"), ("e9", "e109"), ("e2", "e300"), ("f1e4", "f1e9")]
    assert list(ref_runs(pairs)) == ["e5…e9→e105…e109", "e2→e300", "f1e4→f1e9"]


def test_a_range_of_refs_contains_none_that_is_told_otherwise() -> None:
    pairs = [(f"e{number}", f"e{number + 100}") for number in (1, 2, 3, 5, 6, 7)]
    assert list(ref_runs(pairs, {"e104"})) == ["e1…e3→e101…e103", "e5…e7→e105…e107"]
    assert list(ref_runs(pairs, {"e4"})) == ["e1…e3→e101…e103", "e5…e7→e105…e107"]
    assert list(ref_runs(pairs, {"e8", "f1e4"})) == ["e1…e7→e101…e107"]


def test_new_rows_among_those_that_were_drawn_again_are_in_no_range() -> None:
    names = ("Ann", "Ben", "Cat", "Dan")
    rows = [(1, PRESS | IN_VIEW, place, f'button "{name}"') for place, name in enumerate(names, 1)]
    before = parse(page((0, STRUCTURE | IN_VIEW, 0, "main"), *rows))
    again = [(depth, flags, ref + 100, line) for depth, flags, ref, line in rows]
    again[1] = (1, PRESS | IN_VIEW, 102, 'link "Quite another thing"')
    text = difference(before, parse(page((0, STRUCTURE | IN_VIEW, 0, "main"), *again))).text
    assert "[e102]" in text
    assert "e101…" not in text


def test_ordinals() -> None:
    assert [ordinal(number) for number in (1, 2, 3, 4, 11, 12, 21, 112)] == [
        *("1st", "2nd", "3rd", "4th", "11th", "12th", "21st", "112th")
    ]


def test_the_time_for_a_long_list_grows_with_its_length() -> None:
    def seconds(count: int) -> float:
        names = [f"Name {number}" for number in range(count)]
        before, after = mails(names), mails([name for name in names if not name.endswith("3")], first=100_000)
        begin = time.process_time()
        difference(before, after)
        return time.process_time() - begin

    seconds(500)
    assert seconds(5000) < 40 * seconds(500)
