"""What all tabs of a context share, as the layers above see it, on every engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from rove.browser.context import SharedState
from rove.browser.network.withholding import TextRedactor
from rove.page.tabs.shared_resources import SharedResources
from rove.page_text import Own, PageText, Text

if TYPE_CHECKING:
    from rove.browser.element import SecretSource
    from rove.browser.emulation.overrides import Overrides
    from rove.browser.page_data import TypedField

R = TypeVar("R", bound=SharedResources[Any, Any, Any])


class SharedContext(Generic[R]):
    """Reads and sets what the tabs of one context share. An engine adds what is emulated and granted."""

    def __init__(self, shared: R) -> None:
        self._shared = shared

    @property
    def shared_state(self) -> SharedState:
        return self._shared.state

    def may_read(self, address: str) -> bool:
        """Return whether text of a page at this URL, or of this origin, may be shown to the agent."""
        return self._shared.may_read(address)

    def restrict_reading(self, may_read: Callable[[str], bool], withheld: str, redactor: TextRedactor) -> None:
        """Let `may_read` decide which pages and frames may be shown; `withheld` is shown in place of others."""
        self._shared.may_read, self._shared.withheld, self._shared.redactor = may_read, withheld, redactor
        self._shared.clipboard.may_read = may_read

    def watch(self, on_changed: Callable[[], object], on_typed: Callable[[TypedField], object]) -> None:
        """Report when a tab was opened, closed or made current or shows another URL, and what a person types."""
        self._shared.on_changed, self._shared.on_typed = on_changed, on_typed

    def redact(self, text: str) -> str:
        """Return a text without secrets, and without what a person has typed."""
        return self._shared.redact(text)

    @property
    def clipboard_text(self) -> Text:
        return self._shared.clipboard.text

    def set_clipboard(self, text: str) -> None:
        self._shared.clipboard.text = text if isinstance(text, PageText) else Own(text)

    @property
    def overrides(self) -> Overrides:
        values: Overrides = self._shared.overrides.values
        return values

    @property
    def secrets(self) -> SecretSource | None:
        secrets: SecretSource | None = self._shared.interceptor.secrets
        return secrets

    def use_secrets(self, secrets: SecretSource) -> None:
        self._shared.interceptor.secrets = self._shared.clipboard.secrets = secrets
