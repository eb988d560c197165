"""What one client of a server may use."""

from __future__ import annotations

import pytest

from rove.action import parse
from rove.engine.client_sessions import HOUR, OwnLimits, pages_of
from rove.errors import LimitReached
from rove.settings.sections import Serving


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_pages_of_a_token_are_counted_by_the_hour_and_apart_from_those_of_others() -> None:
    clock = Clock()
    limits = OwnLimits(Serving(token_pages=2), clock)
    visit = parse("navigate", {"url": "https://example.com"})
    limits.count_pages("ann", visit)
    clock.now += 600
    limits.count_pages("ann", visit)
    with pytest.raises(LimitReached, match="opened 2 pages in the last hour, and 2 is the limit") as refused:
        limits.count_pages("ann", visit)
    assert refused.value.retry_after == HOUR - 600
    limits.count_pages("ann", parse("snapshot", {}))
    limits.count_pages("bob", visit)
    for _ in range(5):
        limits.count_pages(None, visit)
    clock.now += HOUR - 600
    limits.count_pages("ann", visit)


def test_each_step_of_a_batch_counts_and_one_that_is_too_long_does_not_begin() -> None:
    step = {"action": "navigate", "url": "https://example.com"}
    batch = parse("batch", {"steps": [step, {"action": "snapshot"}, step]})
    assert pages_of(batch) == 2
    limits = OwnLimits(Serving(token_pages=1), Clock())
    with pytest.raises(LimitReached) as refused:
        limits.count_pages("ann", batch)
    assert refused.value.retry_after == HOUR
    limits.count_pages("ann", parse("web_fetch", {"url": "https://example.com"}))


def test_sessions_of_a_token_are_limited_with_the_time_until_the_oldest_is_closed() -> None:
    limits = OwnLimits(Serving(token_sessions=2))
    limits.refuse_session("ann", [0.0], 1800)
    limits.refuse_session(None, [0.0] * 50, 1800)
    with pytest.raises(LimitReached, match="2 sessions of this token are open") as refused:
        limits.refuse_session("ann", [0.0, 300.0], 1800)
    assert refused.value.retry_after == 1500


def test_tokens_of_models_are_counted_by_the_hour() -> None:
    clock = Clock()
    limits = OwnLimits(Serving(token_model_tokens=100), clock)
    limits.count_tokens("ann", 60)
    limits.refuse_tokens("ann")
    assert limits.tokens_left("ann") == 40
    limits.count_tokens("ann", 70)
    with pytest.raises(LimitReached, match="used 100 tokens of the model in the last hour") as refused:
        limits.refuse_tokens("ann")
    assert refused.value.retry_after == HOUR
    assert limits.tokens_left("bob") == 100 and limits.tokens_left(None) is None
    clock.now += HOUR
    limits.refuse_tokens("ann")
