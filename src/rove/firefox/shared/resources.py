"""Resources that the tabs of one user context share: ref numbers, clipboard, network, emulation."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from rove.browser.context import SharedState
from rove.browser.emulation.emulation import Size
from rove.browser.network.withholding import NoRedactor, TextRedactor
from rove.browser.page_data import TypedField
from rove.firefox.emulation.network_conditions import NetworkConditions
from rove.firefox.emulation.session_overrides import SessionOverrides
from rove.firefox.events.console import ConsoleLog
from rove.firefox.events.console_subscription import ConsoleSubscription
from rove.firefox.interception.interceptions import Interceptions
from rove.firefox.interception.interceptor import Interceptor
from rove.firefox.protocol.connection import BidiConnection, BidiError
from rove.firefox.storage.context_cookies import ContextCookies
from rove.page.input.clipboard import Clipboard
from rove.page.secrets.answers import redacted_answer
from rove.refs import RefNumbers
from rove.settings.tree import Settings
from rove.tasks import BackgroundTasks
from rove.validation.record import dataclass


class SharedResources:
    """The shared resources of one context."""

    def __init__(
        self, connection: BidiConnection, context: str, interceptions: Interceptions, size: Size, user_agent: str
    ) -> None:
        self.tasks = BackgroundTasks("context", expected=(BidiError,))
        self.ref_numbers = RefNumbers()
        self.clipboard = Clipboard()
        self.cookies = ContextCookies(connection, context)
        self.network_conditions = NetworkConditions(connection, context)
        # Of the workers that tabs share; Firefox does not report what those write.
        self.console = ConsoleLog()
        self.console_events = ConsoleSubscription(connection, context, self.tasks, self._note_pause)
        self.interceptor = Interceptor(interceptions, context)
        self.overrides = SessionOverrides(connection, context, self.interceptor, size, user_agent)
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

    def _note_pause(self) -> None:
        self.console.is_uncounted = True

    def redact(self, text: str) -> str:
        """Return a text without secrets, and without what a person has typed."""
        return self.redactor.redact(text)

    def redact_answer(self, answer: Any) -> Any:
        """Return an answer of rove's script without secrets."""
        return redacted_answer(answer, self.redactor)

    @property
    def state(self) -> SharedState:
        conditions = self.network_conditions
        return SharedState(
            conditions.is_offline,
            conditions.throttling,
            self.clipboard.text,
            self.ref_numbers,
            overrides=self.overrides.values,
            secrets=self.interceptor.secrets,
        )

    async def restore(self, state: SharedState) -> None:
        """Restore the state of a lost context, before the first tab is opened."""
        self.interceptor.secrets = state.secrets
        await self.overrides.restore(state.overrides)
        if state.is_offline:
            await self.network_conditions.set_offline(True)
        self.clipboard.text = state.clipboard_text
        self.ref_numbers = state.ref_numbers


@dataclass(frozen=True)
class TabSetup:
    """What a context passes to every tab that it creates."""

    connection: BidiConnection
    user_context: str
    settings: Settings
    scratch: Path
    shared: SharedResources
