"""What the tabs of one context share: ref numbers, clipboard, network, emulation, workers."""

from __future__ import annotations

from pathlib import Path

from rove.browser.chromium.connection import BrowserDocuments, CdpConnection, CdpError, CdpSession
from rove.browser.chromium.console import ConsoleLog
from rove.browser.chromium.emulation import Identity, SessionOverrides, set_grants, user_agent_of
from rove.browser.chromium.interception import Interceptor
from rove.browser.chromium.network import NetworkConditions
from rove.browser.chromium.storage import ContextCookies
from rove.browser.chromium.workers import Workers
from rove.browser.context import SharedState
from rove.browser.emulation import Overrides, PermissionGrant, Size
from rove.browser.shared import resources
from rove.errors import Unsupported
from rove.settings.tree import Settings
from rove.tasks import BackgroundTasks
from rove.validation.record import dataclass


class SharedResources(resources.SharedResources[NetworkConditions, SessionOverrides, Interceptor]):
    """The shared resources of one context."""

    def __init__(self, documents: BrowserDocuments) -> None:
        self.tasks = BackgroundTasks("context", expected=(CdpError,))
        interceptor = Interceptor(self.tasks, documents)
        super().__init__(NetworkConditions(), SessionOverrides(interceptor, self.tasks), interceptor)
        self.console = ConsoleLog(self.tasks)
        self.workers = Workers(self.console, self.network_conditions, self.overrides, tasks=self.tasks)

    async def restore(self, root: CdpSession, state: SharedState) -> None:
        """Restore the state of a lost context, before the first tab is opened."""
        self.restore_own(state)
        await self.overrides.restore(root, state.overrides)
        self.network_conditions.is_offline = state.is_offline
        self.network_conditions.throttling = state.throttling


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


class SharedContext(resources.SharedContext[SharedResources]):
    """Reads and sets what the tabs of one browser context share."""

    def __init__(self, connection: CdpConnection, identity: str) -> None:
        super().__init__(SharedResources(connection.documents))
        self._root = connection.root
        self._identity = identity
        self.cookies = ContextCookies(self._root, identity)

    @property
    def workers(self) -> Workers:
        """The workers that the tabs share."""
        return self._shared.workers

    def use_identity(self, identity: Identity | None) -> None:
        """Give pages and workers this identity, where nothing else is emulated; None leaves the browser's own."""
        self._shared.overrides.identity = identity

    @property
    def network_conditions(self) -> NetworkConditions:
        return self._shared.network_conditions

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
