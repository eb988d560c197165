"""Notices guessing at secrets: texts with one part of a secret after another.

Redaction itself answers guesses: an agent that reads a page with a list of guesses sees which of them are redacted. A
page that shows the end of a key shows the same part each time; one with guesses shows others. What the agent itself
gives to actions is looked at before they are run (`guesses.py`).
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from rove.errors import Denied
from rove.guard.secrets.guesses import Guesses

if TYPE_CHECKING:
    from rove.guard.secrets.redaction import Finding

# So many different parts of one secret may be seen in a session.
MAX_PARTS = 4
# Seconds for which everything is refused after one more; doubled each time.
FIRST_REFUSAL = 60.0
MAX_REFUSAL = 86_400.0


class NearMisses:
    """The parts of secrets that were seen in one session, and the refusals that follow from them."""

    def __init__(self, values: Mapping[str, str] | None = None) -> None:
        """`values`: the secrets that may be guessed in the arguments of calls."""
        self._guesses = Guesses(values or {})
        self._parts: dict[str, set[str]] = {}
        self._refused_until = 0.0
        self._refusals = 0
        self._name = ""

    def note(self, findings: Iterable[Finding]) -> None:
        """Note what was found in texts that belong together. Parts beside the whole secret tell nothing more."""
        found = [*findings]
        wholes = {each.name for each in found if each.is_whole}
        for each in found:
            if each.name not in wholes:
                self._note_part(each.name, each.part)

    def note_arguments(self, arguments: object) -> None:
        """Note what the agent gives to an action, before the action could answer it."""
        if name := self._guesses.note(arguments):
            self._begin_refusal(name)

    def _note_part(self, name: str, part: str) -> None:
        seen = self._parts.setdefault(name, set())
        if any(part in other for other in seen):
            return
        seen.add(part)
        if len(seen) > MAX_PARTS:
            self._begin_refusal(name)

    def _begin_refusal(self, name: str) -> None:
        seconds = min(FIRST_REFUSAL * 2**self._refusals, MAX_REFUSAL)
        self._refusals += 1
        self._refused_until, self._name = time.monotonic() + seconds, name

    def refuse(self) -> None:
        """Raise Denied while calls are refused."""
        left = self._refused_until - time.monotonic()
        if left > 0:
            raise Denied(
                f"Too many parts of the secret {self._name}, or values that it could have, were seen in this session, "
                f"as if it were being guessed. All calls are refused for {left:.0f} more seconds.",
                hint="Do not try to find out a secret. Use it by its name: secret:NAME.",
            )
