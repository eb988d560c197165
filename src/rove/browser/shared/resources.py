"""What all tabs of a context share: ref numbers, clipboard, what may be read, the network, what is emulated."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rove.browser.context import SharedState
from rove.browser.emulation import Overrides
from rove.browser.network import NoRedactor, TextRedactor, Throttling
from rove.browser.page_data import TypedField
from rove.browser.refs import RefNumbers
from rove.browser.shared.clipboard import Clipboard
from rove.browser.shared.interception import Interceptor
from rove.browser.shared.logs import ConsoleLog
from rove.browser.shared.secrets import redacted_answer
from rove.tasks import BackgroundTasks

if TYPE_CHECKING:
    from rove.browser.element import SecretSource


class NetworkConditions(ABC):
    """The network of a session: offline, throttled or as it is."""

    def __init__(self) -> None:
        self.is_offline = False
        self.throttling = Throttling()

    @abstractmethod
    async def set_offline(self, offline: bool) -> None:
        """Take all pages off the network, also those that are opened later; or put them back."""

    @abstractmethod
    async def throttle(self, throttling: Throttling) -> None:
        """Slow the network and the scripts of all pages down, also of those that are opened later."""


class SessionOverrides(ABC):
    """What the pages of a context have in place of the browser's own: devices, permissions, answers to requests."""

    def __init__(self) -> None:
        self.values = Overrides()

    def check(self, values: Overrides) -> None:  # noqa: B027 - most browsers can override all of it
        """Raise Unsupported if something is to be overridden that no browser of this engine can."""

    @abstractmethod
    async def restore(self, values: Overrides) -> None:
        """Set what a lost context had overridden, before the first page is opened."""

    @abstractmethod
    async def apply(self, values: Overrides) -> None:
        """Override this from now on, in all pages.

        Raises Unsupported if the browser cannot, and InvalidArguments if it refuses a value.
        """


class SharedResources:
    """The shared resources of one context. An engine adds its own."""

    # The console of the workers that tabs share, where there are such.
    console: ConsoleLog | None = None

    def __init__(
        self,
        network_conditions: NetworkConditions,
        overrides: SessionOverrides,
        interceptor: Interceptor[Any],
        tasks: BackgroundTasks,
    ) -> None:
        self.network_conditions = network_conditions
        self.overrides = overrides
        self.interceptor = interceptor
        self.tasks = tasks
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

    def use_secrets(self, secrets: SecretSource) -> None:
        """Take the values of named secrets from here, for requests and for what is pasted."""
        self.interceptor.secrets = self.clipboard.secrets = secrets

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

    async def restore(self, state: SharedState) -> None:
        """Restore the state of a lost context, before the first tab is opened."""
        self.interceptor.secrets = state.secrets
        self.clipboard.text = state.clipboard_text
        self.ref_numbers = state.ref_numbers
        await self.overrides.restore(state.overrides)
        if state.is_offline:
            await self.network_conditions.set_offline(True)
        if state.throttling != Throttling():
            await self.network_conditions.throttle(state.throttling)
