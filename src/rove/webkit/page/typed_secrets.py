"""Secrets are not typed in WebKit: rove's script runs where the page's own scripts could read them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rove.page.input.password_guard import NoSecrets
from rove.webkit.page.unsupported import unsupported

if TYPE_CHECKING:
    from rove.browser.element import FoundSecret, SecretSource, TypedSecret


class WithheldSecrets(NoSecrets):
    """Raises Unsupported for every secret, and finds them in what is copied, so that it is pasted nowhere."""

    def __init__(self, secrets: SecretSource) -> None:
        self._secrets = secrets

    def find(self, text: str) -> list[FoundSecret]:
        return [*self._secrets.find(text)]

    def use(self, name: str, origin: str) -> TypedSecret:
        raise unsupported("type secrets out of reach of the page's own scripts")

    def offer(self, origin: str) -> str:
        return "Over WebDriver rove types no secrets. Use a session with the engine chromium for this."
