"""What all tabs of a context share: ref numbers, clipboard, what may be read, and what layers above see of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from rove.browser.context import SharedState
from rove.browser.network import NoRedactor, TextRedactor, Throttling
from rove.browser.page_data import TypedField
from rove.browser.refs import RefNumbers
from rove.browser.shared.clipboard import Clipboard
from rove.browser.shared.secrets import redacted_answer
from rove.page_text import Own, PageText, Text

if TYPE_CHECKING:
    from rove.browser.element import SecretSource
    from rove.browser.emulation import Overrides


class Conditions(Protocol):
    """The network that the pages of a context have."""

    @property
    def is_offline(self) -> bool: ...
    @property
    def throttling(self) -> Throttling: ...


class AppliedOverrides(Protocol):
    """What the pages of a context have in place of the browser's own."""

    @property
    def values(self) -> Overrides: ...


class SecretUser(Protocol):
    """What puts secrets into requests."""

    @property
    def secrets(self) -> SecretSource | None: ...
    @secrets.setter
    def secrets(self, secrets: SecretSource | None) -> None: ...


N = TypeVar("N", bound=Conditions)
V = TypeVar("V", bound=AppliedOverrides)
S = TypeVar("S", bound=SecretUser)


class SharedResources(Generic[N, V, S]):
    """The shared resources of one context. An engine adds its own."""

    def __init__(self, network_conditions: N, overrides: V, interceptor: S) -> None:
        self.network_conditions = network_conditions
        self.overrides = overrides
        self.interceptor = interceptor
        self.ref_numbers = RefNumbers()
        self.clipboard = Clipboard()
        # Whether text of a page at this URL, or of this origin, may be shown to the agent.
        self.may_read: Callable[[str], bool] = lambda address: True
        # The text that the agent is shown in place of a frame that it may not read.
        self.withheld = "(not shown)"
        # Replaces secrets, and what a person typed, in text that is written to files.
        self.redactor: TextRedactor = NoRedactor()
        # Called when a tab was opened, closed or made current, or shows another URL.
        self.on_changed: Callable[[], object] = lambda: None
        # Called with the URL of each document that a tab shows.
        self.on_document: Callable[[str], object] = lambda url: None
        # Called with the value of a field each time that a person who drives has typed into it.
        self.on_typed: Callable[[TypedField], object] = lambda field: None

    def redact(self, text: str) -> str:
        """Return a text without secrets, and without what a person has typed."""
        return self.redactor.redact(text)

    def redact_answer(self, answer: Any) -> Any:
        """Return an answer of rove's script without secrets."""
        return redacted_answer(answer, self.redactor)

    @property
    def state(self) -> SharedState:
        """What a context that is lost with its browser has to be given again."""
        return SharedState(
            self.network_conditions.is_offline,
            self.network_conditions.throttling,
            self.clipboard.text,
            self.ref_numbers,
            overrides=self.overrides.values,
            secrets=self.interceptor.secrets,
        )

    def restore_own(self, state: SharedState) -> None:
        """Restore what needs no browser of the state of a lost context."""
        self.interceptor.secrets = state.secrets
        self.clipboard.text = state.clipboard_text
        self.ref_numbers = state.ref_numbers


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
