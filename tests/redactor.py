"""A redactor for tests: it removes one text."""

from __future__ import annotations

from collections.abc import Sequence


class Redactor:
    """Removes a text, wherever it stands."""

    def __init__(self, secret: str = "hunter2") -> None:
        self._secret = secret
        self.names = ("password",)

    def redact(self, text: str) -> str:
        return text.replace(self._secret, "***")

    def redact_all(self, texts: Sequence[str]) -> list[str]:
        return [self.redact(text) for text in texts]
