"""Choosing the element that a description means."""

from __future__ import annotations

from dataclasses import replace
from difflib import SequenceMatcher

import pytest

from rove.browser.descriptions.description import Candidate, ElementDescription
from rove.page_text import PageText
from rove.recordings.matching import Way, choose

SAVE = ElementDescription(role="button", name="Save", tag="button", selector="#save", heading="Profile", alike=3)
EMAIL = ElementDescription(
    role="textbox", name="E-mail", tag="input", selector="#mail", heading="Sign in", before="E-mail", after="Password",
    attributes={"type": "email"}, alike=2,
)  # fmt: skip


def on_page(wanted: ElementDescription, *elements: ElementDescription) -> list[Candidate]:
    """Return elements as candidates for a description, numbered from e1."""
    return [
        Candidate(f"e{number}", PageText(each.name, "https://example.com"), each, likeness(wanted.name, each.name))
        for number, each in enumerate(elements, 1)
    ]


def likeness(one: str, other: str) -> float:
    return SequenceMatcher(None, one.lower(), other.lower()).ratio()


@pytest.mark.parametrize(
    ("now", "way"),
    [
        (replace(SAVE, selector="main > button", heading="Account"), "role and name"),
        (replace(SAVE, name="SAVE"), "role and name"),
        (replace(SAVE, name="Save changes", selector="main > button"), "neighbourhood"),
        (replace(SAVE, name="Delete"), "nothing"),
        (replace(SAVE, name="Cancel", selector="button"), "nothing"),
        (replace(SAVE, role="link", name="Save"), "neighbourhood"),
    ],
)
def test_a_button_is_found_by_its_name_and_never_only_by_its_place(now: ElementDescription, way: Way) -> None:
    assert choose(SAVE, on_page(SAVE, now)).way == way


def test_a_field_is_found_by_its_neighbourhood_though_its_label_is_another() -> None:
    login = replace(EMAIL, name="Login", before="Login", selector="form input")
    other = replace(EMAIL, name="Newsletter", heading="News", before="Newsletter", after="Subscribe", attributes={})
    verdict = choose(EMAIL, on_page(EMAIL, other, login))
    assert (verdict.way, verdict.chosen and verdict.chosen.ref, verdict.is_healed) == ("neighbourhood", "e2", True)


def test_an_element_of_another_name_is_known_by_its_test_id() -> None:
    wanted = replace(SAVE, attributes={"data-testid": "save"})
    now = replace(wanted, name="Publish", heading="", selector="x")
    assert choose(wanted, on_page(wanted, now)).way == "id"


def test_two_that_would_do_are_ambiguous() -> None:
    verdict = choose(SAVE, on_page(SAVE, replace(SAVE, name="Save all"), replace(SAVE, name="Save now")))
    assert (verdict.way, verdict.is_ambiguous, len(verdict.nearest)) == ("nothing", True, 2)


@pytest.mark.parametrize(
    ("items", "chosen"),
    [
        (["Black tea 3.00", "Green tea 4.80"], "e2"),
        (["Black tea 3.00", "White tea 4.50"], None),
        (["Green tea 4.50"], "e1"),
        (["Black tea 3.00"], None),
        (["Green tea 4.50", "Green tea 4.50"], None),
    ],
)
def test_of_equal_buttons_the_one_is_meant_that_has_the_words_of_its_row(items: list[str], chosen: str | None) -> None:
    button = ElementDescription(role="button", name="Remove", item="Green tea 4.50", equals=2, heading="Basket")
    wanted = replace(button, distinct="green", distinct_in="item")
    verdict = choose(wanted, on_page(wanted, *(replace(button, item=item, equals=len(items)) for item in items)))
    assert (verdict.chosen.ref if verdict.chosen else None) == chosen


def test_rows_that_nothing_tells_apart_are_counted_if_there_are_as_many_as_before() -> None:
    wanted = ElementDescription(role="button", name="More", equals=2, place=2)
    rows = [replace(wanted, place=1), replace(wanted, place=2)]
    chosen = choose(wanted, on_page(wanted, *rows)).chosen
    assert chosen is not None and chosen.ref == "e2"
    assert choose(wanted, on_page(wanted, *rows, replace(wanted, place=3))).is_ambiguous


def test_a_ref_chooses_among_equals_only_where_what_is_around_agrees() -> None:
    row = ElementDescription(role="button", name="Edit", item="Ada", equals=2, ref="e2")
    here, there = replace(row, item="Bob"), replace(row, item="Ada")
    assert choose(row, on_page(row, here, there)).way == "ref"
    assert choose(row, on_page(row, there, here)).way == "nothing"


def test_an_element_of_a_frame_is_not_looked_for_outside() -> None:
    wanted = replace(SAVE, frames=("iframe",))
    assert choose(wanted, on_page(wanted, SAVE)).way == "nothing"
    assert choose(wanted, on_page(wanted, SAVE, replace(wanted, frames=("#other",)))).way == "role and name"
