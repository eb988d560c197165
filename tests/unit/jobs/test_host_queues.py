"""Which page is next: limits, delays and turns of hosts, by a clock that the test sets."""

from __future__ import annotations

from rove.jobs.scheduler import NEVER, HostQueues


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def queues(limit: int | None = None, delay: float = 0.0) -> tuple[HostQueues[str], Clock]:
    clock = Clock()
    return HostQueues(lambda host: limit, delay, clock), clock


def taken(waiting: HostQueues[str], preferred: str | None = None) -> list[str]:
    """Take every page that may be visited now."""
    found: list[str] = []
    while (page := waiting.take(preferred)) is not None:
        found.append(page[1])
    return found


def test_hosts_take_turns() -> None:
    waiting, _ = queues()
    for page in ("a1", "a2", "a3", "b1", "c1"):
        waiting.add(page[0], page)
    assert taken(waiting) == ["a1", "b1", "c1", "a2", "a3"]


def test_a_slot_stays_with_the_host_that_it_prefers_while_that_may_be_visited() -> None:
    waiting, _ = queues(limit=2)
    for page in ("a1", "b1", "b2", "b3"):
        waiting.add(page[0], page)
    assert taken(waiting, "b") == ["b1", "b2", "a1"]  # b has reached its limit


def test_no_more_pages_of_a_host_at_once_than_its_limit() -> None:
    waiting, _ = queues(limit=1)
    for page in ("a1", "a2", "b1"):
        waiting.add(page[0], page)
    assert taken(waiting) == ["a1", "b1"]
    waiting.release("a")
    assert taken(waiting) == ["a2"]


def test_a_delay_holds_up_its_host_and_no_other() -> None:
    waiting, clock = queues(delay=5)
    for page in ("a1", "a2", "b1"):
        waiting.add(page[0], page)
    assert taken(waiting) == ["a1", "b1"]
    waiting.release("a")
    assert waiting.next_time() == 5
    clock.now = 4.9
    waiting.add("a", "a3")
    assert taken(waiting) == []
    clock.now = 5.0
    assert taken(waiting) == ["a2"]
    clock.now = 10.0
    assert taken(waiting) == ["a3"]


def test_a_host_that_asks_to_be_left_alone_is_and_others_go_on() -> None:
    waiting, clock = queues()
    for page in ("a1", "a2", "b1", "b2"):
        waiting.add(page[0], page)
    assert waiting.take() == ("a", "a1")
    waiting.back_off("a", 30)
    waiting.back_off("a", 10)  # the longer one holds
    waiting.release("a")
    waiting.add("a", "a1", first=True)
    assert taken(waiting) == ["b1", "b2"]
    clock.now = 10.0
    assert taken(waiting) == []
    assert waiting.next_time() == 30
    clock.now = 30.0
    assert taken(waiting) == ["a1", "a2"]


def test_a_page_that_is_tried_again_later_comes_before_the_others_of_its_host() -> None:
    waiting, clock = queues(limit=1)
    waiting.add_later("a", "a1", 3.0)
    assert len(waiting) == 1
    assert waiting.take() is None
    clock.now = 3.0
    waiting.add("a", "a2")
    assert taken(waiting) == ["a1"]
    waiting.release("a")
    assert taken(waiting) == ["a2"]


def test_hosts_without_pages_are_forgotten() -> None:
    waiting, clock = queues(delay=1)
    for number in range(1000):
        waiting.add(f"host{number}", "page")
        assert waiting.take() is not None
        waiting.release(f"host{number}")
        clock.now += 0.1
    assert waiting.host_count < 20
    clock.now += 10
    assert waiting.take() is None
    assert waiting.host_count == 0
    assert waiting.next_time() == NEVER
