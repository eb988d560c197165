"""What all tabs of a context share, as the layers above see it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from rove.browser.context import SharedState
from rove.browser.network.withholding import TextRedactor
from rove.chromium.emulation.user_agents import user_agent_of
from rove.chromium.events.network_conditions import NetworkConditions
from rove.chromium.events.workers import Workers
from rove.chromium.page.permissions import set_grants
from rove.chromium.page.shared_resources import SharedResources
from rove.chromium.protocol.connection import CdpError, CdpSession
from rove.chromium.storage.context_cookies import ContextCookies
from rove.errors import Unsupported
from rove.page_text import Own, PageText, Text

if TYPE_CHECKING:
    from rove.browser.element import SecretSource
    from rove.browser.emulation.overrides import Overrides, PermissionGrant
    from rove.browser.page_data import TypedField
    from rove.chromium.emulation.identity import Identity


class SharedContext:
    """Reads and sets what the tabs of one browser context share."""

    def __init__(self, root: CdpSession, identity: str) -> None:
        self._root = root
        self._identity = identity
        self._shared = SharedResources()
        self.cookies = ContextCookies(root, identity)

    @property
    def workers(self) -> Workers:
        """The workers that the tabs share."""
        return self._shared.workers

    def use_identity(self, identity: Identity | None) -> None:
        """Give pages and workers this identity, where nothing else is emulated; None leaves the browser's own."""
        self._shared.overrides.identity = identity

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
        await self._set_grants(self.overrides.grants, overrides.grants)
        await self._shared.overrides.apply(self._root, overrides)

    async def _set_grants(self, before: tuple[PermissionGrant, ...], after: tuple[PermissionGrant, ...]) -> None:
        try:
            await set_grants(self._root, self._identity, before, after)
        except CdpError as error:
            raise Unsupported(f"This browser does not have the permission: {error}.") from error

    async def user_agent(self) -> str:
        """Return the user agent that its pages send."""
        emulation = self.overrides.emulation
        version = await self._root.send("Browser.getVersion")
        if emulation.device is not None and emulation.user_agent is None:
            return user_agent_of(emulation.device, version["product"])
        return emulation.user_agent or str(version["userAgent"])

    @property
    def secrets(self) -> SecretSource | None:
        return self._shared.interceptor.secrets

    def use_secrets(self, secrets: SecretSource) -> None:
        self._shared.interceptor.secrets = self._shared.clipboard.secrets = secrets
