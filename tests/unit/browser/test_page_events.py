"""The events of a tab: repeated, dropped and limited."""

from __future__ import annotations

from rove.browser.page_state import MAX_ERRORS_SHOWN, MAX_EVENTS, PageEvents
from rove.page_text import Own


def test_a_repeated_event_is_reported_once_with_a_count() -> None:
    page_events = PageEvents()
    for _ in range(1000):
        page_events.add("popup blocked", Own("no room"))
    page_events.add("new tab", Own("t2"))
    assert [(event.kind, event.told) for event in page_events.take_unreported()] == [
        ("popup blocked", "no room (1000 times)"),
        ("new tab", "t2"),
    ]


def test_an_event_is_reported_again_only_if_it_happens_again() -> None:
    page_events = PageEvents()
    page_events.add("print ignored", Own("once"))
    assert len(page_events.take_unreported()) == 1
    assert page_events.take_unreported() == []
    page_events.add("print ignored", Own("once"))
    assert [event.told for event in page_events.take_unreported()] == ["once"]


def test_the_oldest_events_are_dropped_first() -> None:
    page_events = PageEvents()
    for number in range(MAX_EVENTS + 50):
        page_events.add("download", Own(number))
    events = page_events.take_unreported()
    assert len(events) == MAX_EVENTS
    assert events[-1].text == str(MAX_EVENTS + 49)


def test_of_many_errors_the_first_are_reported_and_the_rest_counted() -> None:
    page_events = PageEvents()
    for number in range(MAX_ERRORS_SHOWN + 5):
        page_events.add("console error", Own(number))
    events = page_events.take_unreported()
    assert len(events) == MAX_ERRORS_SHOWN + 1
    assert events[-1].text == "5 more"
