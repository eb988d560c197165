"""The record of what happened on a tab."""

from __future__ import annotations

from rove.chromium.happenings import ERRORS_TOLD, KEPT, Happenings


def test_what_repeats_itself_is_told_once_with_a_count() -> None:
    happenings = Happenings()
    for _ in range(1000):
        happenings.add("popup blocked", "no room")
    happenings.add("new tab", "t2")
    assert [(known.kind, str(known)) for known in happenings.unseen()] == [
        ("popup blocked", "no room (1000 times)"),
        ("new tab", "t2"),
    ]


def test_what_was_told_is_not_told_again_but_may_happen_again() -> None:
    happenings = Happenings()
    happenings.add("print ignored", "once")
    assert len(happenings.unseen()) == 1
    assert happenings.unseen() == []
    happenings.add("print ignored", "once")
    assert [str(known) for known in happenings.unseen()] == ["once"]


def test_a_flood_loses_its_oldest() -> None:
    happenings = Happenings()
    for number in range(KEPT + 50):
        happenings.add("download", str(number))
    told = happenings.unseen()
    assert len(told) == KEPT
    assert told[-1].text == str(KEPT + 49)


def test_of_many_errors_the_first_are_told_and_the_rest_counted() -> None:
    happenings = Happenings()
    for number in range(ERRORS_TOLD + 5):
        happenings.add("console error", str(number))
    told = happenings.unseen()
    assert len(told) == ERRORS_TOLD + 1
    assert told[-1].text == "5 more"
