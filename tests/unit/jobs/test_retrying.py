"""Which failures are tried again, and when."""

from __future__ import annotations

import pytest

from rove.errors import BrowserUnavailable, DeadlineExceeded, Denied, LimitReached, NavigationFailed, RoveError
from rove.jobs.worker import LONGEST_RETRY_AFTER, MOST_OTHER_FAILURES, PageAnswer, PageError, Retry, RetryRules

RULES = RetryRules(2, lambda: 1.0)


def failed(error: RoveError, status: int | None = None) -> PageAnswer:
    return PageAnswer(error=PageError.of(error), status=status)


def test_what_cannot_succeed_is_not_tried_again() -> None:
    for answer in (
        PageAnswer(result={}),
        failed(Denied("The policy says no.")),
        failed(NavigationFailed("HTTP 404", retryable=False), 404),
    ):
        assert RULES.decide(answer, 1, 0) is None


def test_waits_double_and_the_last_attempt_is_final() -> None:
    slow = failed(DeadlineExceeded("Timeout after 15s"))
    assert [RULES.decide(slow, attempt, 0) for attempt in (1, 2, 3)] == [Retry(1.0, False), Retry(2.0, False), None]


def test_waits_are_shortened_at_random() -> None:
    slow = failed(DeadlineExceeded("Timeout after 15s"))
    assert RetryRules(2, lambda: 0.0).decide(slow, 1, 0) == Retry(0.5, False)


def test_a_server_that_asks_for_time_gets_it_with_its_whole_host() -> None:
    busy = failed(NavigationFailed("HTTP 429", retry_after=7), 429)
    assert RULES.decide(busy, 1, 0) == Retry(7, True)
    assert RULES.pause(busy) == 7
    assert RULES.pause(failed(NavigationFailed("HTTP 500"), 500)) == 0
    # A page of a host that asks for an hour fails, and the host is left alone for a while.
    away = failed(NavigationFailed("HTTP 503", retry_after=3600), 503)
    assert RULES.decide(away, 1, 0) is None
    assert RULES.pause(away) == LONGEST_RETRY_AFTER


@pytest.mark.parametrize("error", [BrowserUnavailable("It died.", retry_after=0), LimitReached("Memory is short.")])
def test_failures_that_are_not_the_pages_do_not_use_up_its_attempts(error: RoveError) -> None:
    assert RULES.decide(failed(error), 3, 1) == Retry(1.0, False)
    assert RULES.decide(failed(error), 0, MOST_OTHER_FAILURES) is None
