"""How much one client may send."""

from __future__ import annotations

import time


class RateLimit:
    """Allows so many requests a second, and a burst of twice as many."""

    def __init__(self, per_second: int) -> None:
        self._per_second = per_second
        self._left = float(per_second * 2)
        self._at = time.monotonic()
        # How many were refused, less those that were allowed since.
        self.refused = 0

    def allows(self) -> bool:
        """Count one request; return whether it is within the limit."""
        now = time.monotonic()
        self._left = min(self._left + (now - self._at) * self._per_second, self._per_second * 2.0)
        self._at = now
        if self._left < 1:
            self.refused += 1
            return False
        self._left -= 1
        self.refused = max(0, self.refused - 1)
        return True
