"""One named secret, and guesses at secrets, which are counted and noticed.

A secret of four digits is one of ten thousand numbers: an agent that gives them all, in a text or in a row of digits,
would see in the answer which of them is redacted.

Redaction itself answers guesses: an agent that reads a page with a list of guesses sees which of them are redacted. A
page that shows the end of a key shows the same part each time; one with guesses shows others. What the agent itself
gives to actions is looked at before they are run.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, fields, is_dataclass
from itertools import islice
from typing import TYPE_CHECKING, Literal

from rove.errors import Denied
from rove.records import dataclass

if TYPE_CHECKING:
    from rove.guard.secrets.redaction import Finding

# A longer secret has too many candidates to be listed.
MAX_LENGTH = 7
# So many of all candidates may be given before calls are refused: one in a hundred, and some in any case.
SHARE = 100
MIN_ALLOWED = 100
# In one call, so many times fewer.
CALLS = 5
# So many are looked at in one call.
MAX_CANDIDATES = 1_000_000
# How often the secret itself may be given.
MAX_HITS = 2

# So many different parts of one secret may be seen in a session.
MAX_PARTS = 4
# Seconds for which everything is refused after one more; doubled each time.
FIRST_REFUSAL = 60.0
MAX_REFUSAL = 86_400.0


@dataclass(frozen=True)
class Secret:
    """A value with a name, the origins that it is bound to, and the kind of field that it may be typed into."""

    name: str
    origins: tuple[str, ...]
    value: str = field(repr=False)
    fields: Literal["password", "any"] = "password"
    # Whether it may be used as the password of a document, such as a PDF.
    opens_documents: bool = False

    @property
    def goes_anywhere(self) -> bool:
        return self.fields == "any"


class Guesses:
    """What was given in one session that could be a short secret."""

    def __init__(self, values: Mapping[str, str]) -> None:
        short = {name: value.lower() for name, value in values.items() if len(value) <= MAX_LENGTH}
        self._counts = [_Count(name, value) for name, value in short.items()]

    def note(self, arguments: object) -> str | None:
        """Note the arguments of one call; return the name of a secret that is being guessed by now."""
        texts = [text.lower() for text in _texts_in(arguments)] if self._counts else []
        guessed = [count.name for count in self._counts if count.add(texts)]
        return guessed[0] if guessed else None


class _Count:
    def __init__(self, name: str, value: str) -> None:
        self.name = name
        self._value = value
        kind, size = (r"[0-9]", 10) if value.isdigit() else (r"[a-z]", 26) if value.isalpha() else (r"[^\s]", 36)
        # All that has the length of the secret and its kind of characters, also inside of longer texts.
        self._candidate = re.compile(rf"(?=({kind}{{{len(value)}}}))")
        self._allowed = max(size ** len(value) // SHARE, MIN_ALLOWED)
        self._given: set[str] = set()
        self._hits = 0

    def add(self, texts: list[str]) -> bool:
        """Add the candidates of one call; return whether they are too many, and begin again in that case."""
        self._hits += any(self._value in text for text in texts)
        candidates = (match[1] for text in texts for match in self._candidate.finditer(text))
        given = {each for each in islice(candidates, MAX_CANDIDATES) if each not in self._given}
        self._given |= given
        is_list = len(given) > self._allowed / CALLS or len(self._given) > self._allowed
        if not is_list and self._hits <= MAX_HITS:
            return False
        self._given, self._hits = set(), 0
        return True


def _texts_in(value: object) -> Iterator[str]:
    """Yield the texts and numbers in a value, at any depth."""
    if isinstance(value, str | int | float):
        yield str(value)
    elif isinstance(value, Mapping):
        yield from (text for pair in value.items() for item in pair for text in _texts_in(item))
    elif isinstance(value, list | tuple | set | frozenset):
        yield from (text for item in value for text in _texts_in(item))
    elif is_dataclass(value) and not isinstance(value, type):
        yield from (text for field in fields(value) for text in _texts_in(getattr(value, field.name)))


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
