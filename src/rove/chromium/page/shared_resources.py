"""Resources that the tabs of one context share: ref numbers, clipboard, network, emulation, shared workers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from rove.browser.context import SharedState
from rove.browser.emulation.emulation import Size
from rove.browser.network.withholding import NoRedactor, TextRedactor
from rove.browser.page_data import TypedField
from rove.chromium.emulation.session_overrides import SessionOverrides
from rove.chromium.events.console import ConsoleLog
from rove.chromium.events.network_conditions import NetworkConditions
from rove.chromium.events.workers import Workers
from rove.chromium.interception.interceptor import Interceptor
from rove.chromium.protocol.connection import CdpConnection, CdpError, CdpSession
from rove.page.input.clipboard import Clipboard
from rove.page.secrets.answers import redacted_answer
from rove.refs import RefNumbers
from rove.settings.tree import Settings
from rove.tasks import BackgroundTasks
from rove.validation.record import dataclass


class SharedResources:
    """The shared resources of one context."""

    def __init__(self) -> None:
        self.tasks = BackgroundTasks("context", expected=(CdpError,))
        self.ref_numbers = RefNumbers()
        self.clipboard = Clipboard()
        self.network_conditions = NetworkConditions()
        self.console = ConsoleLog(self.tasks)
        self.interceptor = Interceptor(self.tasks)
        self.overrides = SessionOverrides(self.interceptor, self.tasks)
        self.workers = Workers(self.console, self.network_conditions, self.overrides, tasks=self.tasks)
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
        conditions = self.network_conditions
        return SharedState(
            conditions.is_offline,
            conditions.throttling,
            self.clipboard.text,
            self.ref_numbers,
            overrides=self.overrides.values,
            secrets=self.interceptor.secrets,
        )

    async def restore(self, root: CdpSession, state: SharedState) -> None:
        """Restore the state of a lost context, before the first tab is opened."""
        self.interceptor.secrets = state.secrets
        await self.overrides.restore(root, state.overrides)
        self.network_conditions.is_offline = state.is_offline
        self.network_conditions.throttling = state.throttling
        self.clipboard.text = state.clipboard_text
        self.ref_numbers = state.ref_numbers


@dataclass(frozen=True)
class TabSetup:
    """What a context passes to every tab that it creates."""

    connection: CdpConnection
    settings: Settings
    scratch: Path
    shared: SharedResources
    # In an attached browser the page keeps the size of its window, and rove must not end the browser.
    is_attached: bool = False

    @property
    def gives_own_window(self) -> bool:
        """Whether each page that rove opens has a window of its own, which gives it its size."""
        return self.settings.stealth and not self.is_attached

    @property
    def emulated_size(self) -> Size | None:
        """The size of a new page; None if its window gives it one."""
        viewport = self.settings.viewport
        return None if self.is_attached or self.gives_own_window else Size(viewport.width, viewport.height)
