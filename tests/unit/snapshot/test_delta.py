"""The difference between two snapshots."""

from __future__ import annotations

from tests.unit.snapshot.pages import IN_VIEW, PRESS, STRUCTURE, page, table

from rove.snapshot import difference, estimate, parse, render
from rove.snapshot.tree import FOCUSED


def test_an_unchanged_page_takes_few_tokens() -> None:
    delta = difference(parse(table(200)), parse(table(200)))
    assert delta.kind == "same" and delta.tokens < 50


def test_a_changed_scroll_position_or_focus_is_reported() -> None:
    before, after = parse(table(3)), parse(table(3) | {"scrollY": 300})
    assert "scrolled to 0,300" in difference(before, after).text
    focused = parse(page((0, PRESS | FOCUSED, 5, 'textbox "Name"')))
    delta = difference(parse(page((0, PRESS, 5, 'textbox "Name"'))), focused)
    assert delta.kind == "same" and "focus on e5" in delta.text
    assert render(focused).text == 'textbox "Name" focused [e5]'


def test_a_changed_row_is_reported_with_its_container() -> None:
    delta = difference(parse(table(2000)), parse(table(2000, changed=1500)))
    assert delta.kind == "changes" and delta.tokens < 150
    assert "in table" in delta.text and '~ row: "1500 | CHANGED | active"' in delta.text


def test_a_changed_element_keeps_its_ref_and_is_reported_once() -> None:
    before = parse(page((0, STRUCTURE, 0, "main"), (1, PRESS, 5, 'textbox "Name"')))
    after = parse(page((0, STRUCTURE, 0, "main"), (1, PRESS, 5, 'textbox "Name" value="Ann"')))
    assert difference(before, after).text == 'in main\n~ textbox "Name" value="Ann" [e5]'


def test_a_row_after_a_list_is_not_reported_as_in_the_list() -> None:
    listed = ((0, STRUCTURE, 0, "list"), (1, 0, 0, 'listitem: "One"'))
    assert difference(parse(page(*listed)), parse(page(*listed, (0, 4, 0, '"Saved"')))).text == '+ "Saved"'


def test_a_row_after_a_list_is_reported_under_the_heading_before_the_list() -> None:
    before = ((0, STRUCTURE, 0, 'heading "Cart"'), (0, STRUCTURE, 0, "list"), (1, 0, 0, 'listitem: "One"'))
    after = difference(parse(page(*before)), parse(page(*before, (0, 4, 0, '"Saved"'))))
    assert after.text == 'under heading "Cart"\n+ "Saved"'


def test_added_rows_have_a_plus_and_removed_rows_a_minus() -> None:
    before = parse(page((0, PRESS, 1, 'button "A"'), (0, PRESS, 2, 'button "B"'), (0, PRESS, 3, 'button "C"')))
    after = parse(page((0, PRESS, 1, 'button "A"'), (0, PRESS, 3, 'button "C"'), (0, 4, 0, '"Saved"')))
    assert difference(before, after).text.splitlines()[-3:] != []
    assert '- button "B" [e2]' in difference(before, after).text and '+ "Saved"' in difference(before, after).text


def test_many_removed_rows_are_counted() -> None:
    text = difference(parse(table(60)), parse(table(40))).text
    assert '- 40 lines, the first row: "40 | Name 40 | active"' in text


def test_after_a_navigation_the_whole_page_is_reported() -> None:
    after = parse(page((0, PRESS, 99, 'button "New"'), url="http://a/other"))
    delta = difference(parse(table(10)), after)
    assert delta.kind == "page" and delta.text == 'button "New" [e99]'
    assert difference(None, after).kind == "page"


def test_a_snapshot_is_reported_when_nearly_all_rows_changed() -> None:
    before = parse(page(*((0, PRESS | IN_VIEW, n, f'button "Old {n}"') for n in range(1, 60))))
    after = parse(page(*((0, PRESS | IN_VIEW, n, f'button "New {n}"') for n in range(100, 160))))
    delta = difference(before, after, 400)
    assert delta.kind == "snapshot" and delta.tokens <= 400 and "- " not in delta.text


def test_a_delta_stays_within_its_budget() -> None:
    delta = difference(parse(table(500)), parse(table(900)), 300)
    assert delta.tokens <= 300 and estimate(delta.text) == delta.tokens


def test_a_new_row_is_indented_only_below_another_reported_row() -> None:
    before = parse(page((0, STRUCTURE, 0, "main"), (1, 8, 1, "list"), (2, PRESS, 2, 'link "a"')))
    after = parse(
        page(
            (0, STRUCTURE, 0, "main"),
            (1, 8, 1, "list"),
            (2, PRESS, 2, 'link "b"'),
            (1, 8, 3, "menu"),
            (2, PRESS, 4, 'menuitem "c"'),
            (1, PRESS, 5, 'button "d"'),
        )
    )
    lines = difference(before, after).text.splitlines()
    assert lines[-4:] == ['~ link "b" [e2]', "+ menu [e3]", '+  menuitem "c" [e4]', '+ button "d" [e5]']
