"""Whether a page is visited again after a failure, and when. Pure: random numbers are given by the caller."""

from __future__ import annotations

from collections.abc import Callable

from rove.jobs.worker import PageAnswer
from rove.validation.record import dataclass

# Answers of servers that ask for fewer requests, and those of servers or proxies in trouble.
SLOW_DOWN = (429, 503)
RETRYABLE_STATUSES = (408, 425, 429, 500, 502, 503, 504)
# Failures that are not the page's: they do not count as its attempts, up to a limit.
NOT_OF_THE_PAGE = ("browser_unavailable", "limit_reached")
MOST_OTHER_FAILURES = 10
# A server that cannot be reached at all is left alone as one that asks for it.
OF_THE_HOST = ("navigation_failed",)
FIRST_WAIT = 1.0
LONGEST_WAIT = 60.0
# The most that a server's Retry-After is heeded. A page for which it asks for more time fails.
LONGEST_RETRY_AFTER = 300.0


@dataclass(frozen=True)
class Retry:
    """When to visit a page again, and whether its whole host is to be left alone until then."""

    seconds: float
    of_host: bool


class RetryRules:
    """Decides on failures, given how often a page was visited and how often other failures got in its way."""

    def __init__(self, retries: int, random: Callable[[], float]) -> None:
        self._retries = retries
        self._random = random

    def decide(self, answer: PageAnswer, attempts: int, other_failures: int) -> Retry | None:
        """Return when to visit a page again; None if its answer is final."""
        error = answer.error
        if error is None or not error.retryable:
            return None
        if error.code in NOT_OF_THE_PAGE:
            wait = max(error.retry_after or 0.0, self._wait(other_failures))
            return Retry(wait, of_host=False) if other_failures < MOST_OTHER_FAILURES else None
        if attempts > self._retries or (error.retry_after or 0.0) > LONGEST_RETRY_AFTER:
            return None
        of_host = answer.status in SLOW_DOWN or error.code in OF_THE_HOST
        return Retry(max(error.retry_after or 0.0, self._wait(attempts)), of_host)

    def pause(self, answer: PageAnswer) -> float:
        """Return for how many seconds a host asked to be left alone; 0 if it did not."""
        asked = answer.error.retry_after if answer.error is not None else None
        return min(asked or FIRST_WAIT, LONGEST_RETRY_AFTER) if answer.status in SLOW_DOWN else 0.0

    def _wait(self, attempts: int) -> float:
        """Return a wait that doubles with each attempt, shortened at random so that pages do not come all at once."""
        return min(FIRST_WAIT * 2.0 ** max(attempts - 1, 0), LONGEST_WAIT) * (0.5 + self._random() / 2)
