"""What all tabs of a context share, as the layers above see it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from rove.browser.context import SharedState
from rove.browser.emulation.emulation import Size
from rove.browser.network.withholding import TextRedactor
from rove.errors import Unsupported
from rove.firefox.emulation.network_conditions import NetworkConditions
from rove.firefox.emulation.permissions import set_grants
from rove.firefox.emulation.session_overrides import refuse_unsupported
from rove.firefox.interception.interceptions import Interceptions
from rove.firefox.protocol.connection import BidiConnection, BidiError
from rove.firefox.shared.resources import SharedResources
from rove.firefox.storage.context_cookies import ContextCookies
from rove.page_text import Own, PageText, Text

if TYPE_CHECKING:
    from rove.browser.element import SecretSource
    from rove.browser.emulation.overrides import Overrides
    from rove.browser.page_data import TypedField


class SharedContext:
    """Reads and sets what the tabs of one user context share."""

    def __init__(
        self, connection: BidiConnection, identity: str, interceptions: Interceptions, size: Size, user_agent: str
    ) -> None:
        self._connection = connection
        self._identity = identity
        self._shared = SharedResources(connection, identity, interceptions, size, user_agent)

    @property
    def cookies(self) -> ContextCookies:
        return self._shared.cookies

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
    def network_conditions(self) -> NetworkConditions:
        return self._shared.network_conditions

    @property
    def overrides(self) -> Overrides:
        return self._shared.overrides.values

    async def override(self, overrides: Overrides) -> None:
        """Emulate, grant and intercept this instead, in all tabs, also in those that are opened later."""
        refuse_unsupported(overrides.emulation)
        try:
            await set_grants(self._connection, self._identity, self.overrides.grants, overrides.grants)
        except BidiError as error:
            raise Unsupported(f"This browser does not have the permission: {error}.") from error
        await self._shared.overrides.apply(overrides)

    async def user_agent(self) -> str:
        """Return the user agent that its pages send."""
        return self._shared.overrides.user_agent

    @property
    def secrets(self) -> SecretSource | None:
        return self._shared.interceptor.secrets

    def use_secrets(self, secrets: SecretSource) -> None:
        self._shared.interceptor.secrets = self._shared.clipboard.secrets = secrets
