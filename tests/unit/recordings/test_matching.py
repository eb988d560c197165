"""Choosing the element that a description means."""

from __future__ import annotations

from dataclasses import replace
from difflib import SequenceMatcher

import pytest

from rove.browser.element import Candidate, ElementDescription
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
    now = replace(wanted, name="Keep", heading="", selector="x")
    assert choose(wanted, on_page(wanted, now)).way == "id"


def test_two_that_would_do_are_ambiguous() -> None:
    verdict = choose(SAVE, on_page(SAVE, replace(SAVE, name="Save it"), replace(SAVE, name="Save now")))
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
    assert choose(wanted, on_page(wanted, SAVE, replace(wanted, frames=("#other",)))).way == "neighbourhood"
    elsewhere = replace(wanted, frames=("#advert",), heading="Win a prize")
    assert choose(wanted, on_page(wanted, elsewhere)).way == "nothing"


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ("Delete", "Delete all"),
        ("Delete draft", "Delete account"),
        ("Remove item", "Remove items"),
        ("Accept order", "Reject order"),
        ("Enable notifications", "Disable notifications"),
        ("Subscribe", "Unsubscribe"),
        ("Follow Ada", "Following Ada"),
        ("Pay invoice 17", "Pay invoice 18"),
        ("Open Ann", "Open Bob"),
    ],
)
def test_what_would_do_something_else_is_never_pressed_instead(was: str, now: str) -> None:
    wanted = replace(SAVE, name=was)
    assert choose(wanted, on_page(wanted, replace(wanted, name=now))).chosen is None


def test_a_test_id_makes_no_opposite_of_a_button_the_same() -> None:
    wanted = replace(SAVE, name="Follow", attributes={"data-testid": "toggle"})
    assert choose(wanted, on_page(wanted, replace(wanted, name="Unfollow"))).chosen is None


@pytest.mark.parametrize("now", ["Place your order", "Order now", "place-order", "Place orders"])
def test_a_button_that_is_only_worded_otherwise_is_healed(now: str) -> None:
    wanted = replace(SAVE, name="Place order", alike=1)
    assert choose(wanted, on_page(wanted, replace(wanted, name=now, selector="x"))).is_healed


def test_an_id_that_is_given_to_another_row_chooses_nothing() -> None:
    button = ElementDescription(role="button", name="Delete", equals=2, distinct="ada", distinct_in="item")
    rows = [
        replace(button, item=item, attributes={"id": f"row-{number}"}) for number, item in enumerate(["Ada", "Bob"])
    ]
    moved = [replace(rows[1], attributes=rows[0].attributes), replace(rows[0], attributes=rows[1].attributes)]
    chosen = choose(rows[0], on_page(rows[0], *moved)).chosen
    assert chosen is not None and chosen.description.item == "Ada"
    assert choose(rows[0], on_page(rows[0], moved[0])).chosen is None


@pytest.mark.parametrize(("now", "is_found"), [("Ada 3 cups", True), ("Bob 5 mugs", False)])
def test_the_only_button_of_its_name_is_not_taken_in_the_row_of_another(now: str, is_found: bool) -> None:
    wanted = ElementDescription(role="button", name="Delete", item="Ada 2 cups")
    assert bool(choose(wanted, on_page(wanted, replace(wanted, item=now))).chosen) == is_found


@pytest.mark.parametrize("role", ["textbox", "checkbox"])
def test_a_field_is_not_taken_for_the_neighbour_that_is_gone(role: str) -> None:
    wanted = ElementDescription(role=role, name="Terms", heading="Join", before="Terms", after="Adverts", alike=2)
    neighbour = replace(wanted, name="Adverts", before="Adverts", after="Go", alike=1)
    assert choose(wanted, on_page(wanted, neighbour)).chosen is None


TRASH = ElementDescription(role="button", icon="trash #1a", selector="tr:nth-of-type(1) button", heading="People")


@pytest.mark.parametrize(
    ("icon", "way"),
    [("trash #1a", "role and icon"), ("trash #2b", "role and icon"), ("#1a", "role and icon"),
     ("pencil #3c", "nothing"), ("#2b", "nothing"), ("", "nothing")],
)  # fmt: skip
def test_what_has_no_name_is_found_by_its_icon(icon: str, way: Way) -> None:
    assert choose(TRASH, on_page(TRASH, replace(TRASH, icon=icon, selector="div > button"))).way == way


def test_an_icon_is_told_from_others_by_its_row() -> None:
    wanted = replace(TRASH, item="Ada", equals=2, distinct="ada", distinct_in="item")
    rows = [replace(wanted, item=item, selector=f"div:nth-of-type({item})") for item in ("Bob", "Ada")]
    chosen = choose(wanted, on_page(wanted, *rows)).chosen
    assert chosen is not None and chosen.ref == "e2"
    assert choose(wanted, on_page(wanted, rows[0])).chosen is None


def test_stars_of_a_group_are_counted_if_the_group_has_as_many_as_before() -> None:
    star = replace(TRASH, icon="#5", selector="button", heading="Taste", equals=4)
    wanted = replace(star, distinct="taste", distinct_in="heading", group=2, group_place=2)
    page = [replace(star, heading=heading, place=place) for place, heading in enumerate(("Staff", "Staff", "Taste"), 1)]
    verdict = choose(wanted, on_page(wanted, *page, replace(star, place=4)))
    assert (verdict.way, verdict.chosen and verdict.chosen.ref) == ("neighbourhood", "e4")
    assert choose(wanted, on_page(wanted, *page)).is_ambiguous


def test_buttons_of_a_row_are_not_counted_if_their_order_has_changed() -> None:
    wanted = replace(
        TRASH, name="Edit", item="Ada", equals=4, distinct="ada", distinct_in="item", group=2, before="Address"
    )
    phone, address = replace(wanted, before="Phone"), replace(wanted, place=2)
    assert choose(wanted, on_page(wanted, phone, address)).chosen is None


@pytest.mark.parametrize(
    ("icon", "name", "is_found"),
    [("trash #1a", "Delete", True), ("#1a", "Edit", True), ("#1a", "Delete", False), ("pencil #1a", "Remove", False)],
)
def test_an_icon_that_is_given_a_name_stays_what_it_was_unless_the_name_turns_it(
    icon: str, name: str, is_found: bool
) -> None:
    wanted = replace(TRASH, icon=icon, alike=3)
    assert bool(choose(wanted, on_page(wanted, replace(wanted, name=name, selector="x"))).chosen) == is_found


def test_a_test_id_does_not_make_another_icon_the_same() -> None:
    wanted = replace(TRASH, icon="play", attributes={"data-testid": "toggle"})
    assert choose(wanted, on_page(wanted, replace(wanted, icon="pause"))).chosen is None


def test_an_element_is_found_in_a_frame_of_the_same_origin_alone() -> None:
    moved = replace(SAVE, frames=("iframe",))
    assert choose(SAVE, on_page(SAVE, moved), "https://example.com").is_healed
    assert choose(SAVE, on_page(SAVE, moved), "https://other.example").chosen is None
    elsewhere = replace(moved, heading="Win a prize")
    assert choose(SAVE, on_page(SAVE, elsewhere), "https://example.com").chosen is None


def test_the_only_button_of_its_name_is_not_taken_where_nothing_of_its_row_is() -> None:
    wanted = ElementDescription(role="button", name="Open", item="Ada", heading="List", before="Ada")
    offer = ElementDescription(role="button", name="Open", landmark="dialog Offer", after="List")
    assert choose(wanted, on_page(wanted, offer)).chosen is None
    assert choose(wanted, on_page(wanted, replace(offer, before="Ada"))).chosen is not None
