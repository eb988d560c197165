"""The record of what happened on a tab."""

from __future__ import annotations

from rove.browser.page_events import MAX_ERRORS, MAX_EVENTS, PageEvents


def test_what_repeats_itself_is_told_once_with_a_count() -> None:
    page_events = PageEvents()
    for _ in range(1000):
        page_events.add("popup blocked", "no room")
    page_events.add("new tab", "t2")
    assert [(known.kind, str(known)) for known in page_events.take_unreported()] == [
        ("popup blocked", "no room (1000 times)"),
        ("new tab", "t2"),
    ]


def test_what_was_told_is_not_told_again_but_may_happen_again() -> None:
    page_events = PageEvents()
    page_events.add("print ignored", "once")
    assert len(page_events.take_unreported()) == 1
    assert page_events.take_unreported() == []
    page_events.add("print ignored", "once")
    assert [str(known) for known in page_events.take_unreported()] == ["once"]


def test_a_flood_loses_its_oldest() -> None:
    page_events = PageEvents()
    for number in range(MAX_EVENTS + 50):
        page_events.add("download", str(number))
    told = page_events.take_unreported()
    assert len(told) == MAX_EVENTS
    assert told[-1].text == str(MAX_EVENTS + 49)


def test_of_many_errors_the_first_are_told_and_the_rest_counted() -> None:
    page_events = PageEvents()
    for number in range(MAX_ERRORS + 5):
        page_events.add("console error", str(number))
    told = page_events.take_unreported()
    assert len(told) == MAX_ERRORS + 1
    assert told[-1].text == "5 more"
