"""Rendering a snapshot within a budget of tokens."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.snapshot.pages import IN_VIEW, PRESS, page, table

from rove.snapshot import estimate, parse, render
from rove.snapshot.budget import _shortened
from rove.snapshot.tree import TEXT, Row


def test_a_page_within_the_budget_is_shown_completely() -> None:
    rendered = render(parse(table(5)), 4000)
    assert rendered.is_complete and "expand" not in rendered.text


@pytest.mark.parametrize("budget", [300, 1000, 4000])
def test_a_long_table_is_cut_between_rows_and_can_be_expanded(budget: int) -> None:
    rendered = render(parse(table(2000)), budget)
    assert rendered.tokens <= budget
    shown = rendered.text.count('button "Edit"')
    assert f"… {2000 - shown:,} more [expand e9000:{shown}]" in rendered.text
    assert budget < 1000 or 'button "Next page" [e9001]' in rendered.text


def test_elements_in_the_viewport_are_kept_first() -> None:
    rows = [(0, 4, 0, f'"prose {n}"') for n in range(300)]
    rows[200] = (0, PRESS | IN_VIEW, 7, 'button "Here"')
    text = render(parse(page(*rows)), 200).text
    assert 'button "Here" [e7]' in text


def test_buttons_are_kept_before_text() -> None:
    rows = [(0, 4, 0, f'"prose number {n} goes on and on"') for n in range(200)]
    rows += [(0, PRESS, n, f'button "B{n}"') for n in range(1, 9)]
    text = render(parse(page(*rows)), 300).text
    assert all(f'"B{n}"' in text for n in range(1, 9))


def test_a_cut_snapshot_can_be_continued_after_its_last_ref() -> None:
    snapshot = parse(page(*((0, PRESS, n, f'button "Button number {n}"') for n in range(1, 300))))
    first = render(snapshot, 500)
    handle = first.text.split("[expand ")[1].split("+]")[0]
    rest = render(snapshot, 500, after=handle)
    assert rest.text.startswith(f'button "Button number {int(handle[1:]) + 1}"')


@given(st.text(alphabet='ab"\\\n ', min_size=300, max_size=500))
def test_a_shortened_text_has_closed_quotes(text: str) -> None:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    line = _shortened(Row(0, TEXT, "", f'"{escaped}"'), f'"{escaped}"')
    body = line[1 : line.rindex('"')]
    assert "\n" not in line
    assert '"' not in body.replace("\\\\", "").replace('\\"', "")
    assert (len(body) - len(body.rstrip("\\"))) % 2 == 0


@given(
    st.lists(
        st.tuples(st.integers(0, 6), st.integers(0, 255), st.integers(0, 50), st.text("abc |", max_size=40)),
        max_size=80,
    )
)
def test_any_rows_are_rendered_within_the_budget(rows: list[tuple[int, int, int, str]]) -> None:
    rendered = render(parse(page(*((depth, flags & ~96, ref, f'"{line}"') for depth, flags, ref, line in rows))), 120)
    assert rendered.tokens <= 120 and rendered.tokens == estimate(rendered.text)
