"""The texts that a person has typed while driving, which are removed from all that the agent and the journal get."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rove.browser.input_event import InputEvent
from rove.browser.page_data import TypedField

if TYPE_CHECKING:
    from rove.guard.secrets.redaction import Redaction
    from rove.guard.secrets.secrets import Secrets

Redact = Callable[[str], str]
LABEL = "typed by a person"
# A shorter text would be found inside unrelated words. A field that holds one is withheld all the same.
MIN_LENGTH = 4
# Letters alone have to be more, as pages are full of short words; except in a password.
MIN_WORD_LENGTH = 6
MAX_TEXTS = 500


class TypedTexts:
    """Removes what a person has typed from texts, beside the owner's secrets.

    Known are the keys that the person pressed, as far as they were pressed in one go, and the values of the fields that
    they typed into.
    """

    def __init__(self, secrets: Secrets) -> None:
        self._secrets = secrets
        self.near_misses = secrets.near_misses()
        # By the field, or by the number of the run of keys, that each was typed in.
        self._texts: dict[tuple[str, int], tuple[str, ...]] = {}
        self._run = ""
        self._runs = 0
        self._redaction: Redaction | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of what is removed; none if nothing is."""
        return (*self._secrets.names, *((LABEL,) if self._texts else ()))

    def redact(self, text: str) -> str:
        """Return a text without secrets, and without what a person has typed."""
        (text,) = self.redact_all([text])
        return text

    def _redact_typed(self, text: str) -> str:
        if self._redaction is None:
            self._redaction = self._make_redaction()
        return self._redaction(text)

    def redact_all(self, texts: Sequence[str]) -> list[str]:
        """Redact texts that are shown together, over which a secret may be spread."""
        texts = self._without_secrets(texts)
        return [self._redact_typed(text) for text in texts] if self._texts else texts

    def _without_secrets(self, texts: Sequence[str]) -> list[str]:
        found = self._secrets.find("\n".join(texts)) if self._secrets.names else []
        if not found:
            return [*texts]
        from rove.guard.secrets.redaction import split_replaced  # imported late: most sessions have no secrets

        self.near_misses.note(found)
        return split_replaced(texts, found)

    @property
    def texts(self) -> tuple[str, ...]:
        """All that is withheld as typed by a person."""
        return tuple(text for kept in self._texts.values() for text in kept)

    def withhold(self, texts: Sequence[str]) -> None:
        """Withhold texts that a person typed before the session came to this process."""
        for text in texts:
            self._runs += 1
            self._keep(("", self._runs), (text,))

    def note_keys(self, event: InputEvent) -> None:
        """Note what an event types. One that moves the caret or leaves the field begins another text."""
        if event.type in ("text", "paste"):
            self._run += event.text
        elif event.type == "keyDown" and len(event.key) == 1:
            self._run += event.key
        elif event.type == "keyDown" and event.key == "Backspace":
            self._run = self._run[:-1]
        elif event.type in ("keyDown", "mouseDown", "touchStart"):
            self.end_run()

    def end_run(self) -> None:
        """Keep the text that was being typed."""
        run, self._run = self._run.strip(), ""
        if _is_telling(run, is_password=False):
            self._runs += 1
            self._keep(("", self._runs), (run,))

    def note_field(self, field: TypedField) -> None:
        """Note the value that a field has now. The longest one is kept too, as a page may clear its fields."""
        key = field.document, field.number
        longest = max((*self._texts.get(key, ()), field.value.strip()), key=len)
        values = dict.fromkeys((longest, field.value.strip()))
        self._keep(key, tuple(value for value in values if _is_telling(value, field.is_password)))

    def _keep(self, key: tuple[str, int], texts: tuple[str, ...]) -> None:
        self._texts[key] = texts
        if len(self._texts) > MAX_TEXTS:
            del self._texts[next(iter(self._texts))]
        self._redaction = None

    def _make_redaction(self) -> Redaction:
        from rove.guard.secrets.redaction import Redaction  # imported late: most sessions are never driven by a person

        return Redaction(
            {f"{LABEL}{'' if number == 0 else f' {number}'}": text for number, text in enumerate(self.texts)},
            with_parts=False,
        )


def _is_telling(text: str, is_password: bool) -> bool:
    is_word = text.isalpha() and text.isascii() and not is_password
    return len(text) >= (MIN_WORD_LENGTH if is_word else MIN_LENGTH)
