"""The record of what happened on a tab."""

from __future__ import annotations

from rove.browser.page_events import ERRORS_TOLD, KEPT, PageEvents


def test_what_repeats_itself_is_told_once_with_a_count() -> None:
    page_events = PageEvents()
    for _ in range(1000):
        page_events.add("popup blocked", "no room")
    page_events.add("new tab", "t2")
    assert [(known.kind, str(known)) for known in page_events.unseen()] == [
        ("popup blocked", "no room (1000 times)"),
        ("new tab", "t2"),
    ]


def test_what_was_told_is_not_told_again_but_may_happen_again() -> None:
    page_events = PageEvents()
    page_events.add("print ignored", "once")
    assert len(page_events.unseen()) == 1
    assert page_events.unseen() == []
    page_events.add("print ignored", "once")
    assert [str(known) for known in page_events.unseen()] == ["once"]


def test_a_flood_loses_its_oldest() -> None:
    page_events = PageEvents()
    for number in range(KEPT + 50):
        page_events.add("download", str(number))
    told = page_events.unseen()
    assert len(told) == KEPT
    assert told[-1].text == str(KEPT + 49)


def test_of_many_errors_the_first_are_told_and_the_rest_counted() -> None:
    page_events = PageEvents()
    for number in range(ERRORS_TOLD + 5):
        page_events.add("console error", str(number))
    told = page_events.unseen()
    assert len(told) == ERRORS_TOLD + 1
    assert told[-1].text == "5 more"
