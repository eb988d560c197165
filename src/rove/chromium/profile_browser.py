"""A browser with a profile: its one context is kept in the profile's folder."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rove.browser.network.schemes import is_extension_page
from rove.chromium.browser import CLOSE_TIMEOUT, Browser, opened
from rove.chromium.context import Context
from rove.chromium.protocol.connection import CdpError
from rove.errors import InvalidSettings, Unsupported

if TYPE_CHECKING:
    from rove.browser.context import SavedContext
    from rove.browser.extensions.unpacked import Extension
    from rove.settings.tree import Settings


class ProfileContext(Context):
    """The browser's default context. Closing it closes its tabs; what the profile has stored stays."""

    is_persistent = True

    async def _dispose(self) -> None:
        await asyncio.gather(*(tab.close() for tab in self.tabs))


class ProfileBrowser(Browser):
    """A browser for one session, started with the proxy of that session."""

    async def load_extensions(self, extensions: Sequence[Extension]) -> None:
        """Load unpacked extensions. Raises InvalidSettings with the browser's reason if it refuses one."""
        for extension in extensions:
            try:
                await self._connection.root.send("Extensions.loadUnpacked", {"path": extension.folder})
            except CdpError as error:
                raise InvalidSettings(
                    f"The browser does not load the extension {extension.folder}: {error}",
                    hint="Correct its manifest. A full Chromium or Chrome of version 138 or newer is needed.",
                ) from error

    def _on_attached(self, event: dict[str, Any]) -> None:
        """Leave pages and workers of extensions alone: they are not the agent's."""
        if is_extension_page(event["targetInfo"]["url"]):
            cdp = self._connection.cdp_session(event["sessionId"])
            self._tasks.start(cdp.send("Runtime.runIfWaitingForDebugger"))
        else:
            super()._on_attached(event)

    async def new_context(self, settings: Settings, proxy: str, saved: SavedContext | None = None) -> Context:
        """Open the context that the profile keeps."""
        contexts = await self._connection.root.send("Target.getBrowserContexts")
        if "defaultBrowserContextId" not in contexts:
            raise Unsupported(
                "This version of Chromium is too old for profiles.", hint="Install a newer one, or use a saved state."
            )
        identity = contexts["defaultBrowserContextId"]
        context = ProfileContext(self._connection, identity, settings, self._process.scratch)
        context.use_identity(self.identity)
        self._contexts[identity] = context
        context.on_closed = lambda: self._contexts.pop(identity, None)
        return await opened(context, saved)

    async def close(self) -> None:
        """Close the browser, and let it write its profile to the disk before its process is ended."""
        with contextlib.suppress(TimeoutError, CdpError):
            async with asyncio.timeout(CLOSE_TIMEOUT):
                await self._connection.root.send("Browser.close")
        exiting = asyncio.ensure_future(asyncio.to_thread(self._process.wait))
        await asyncio.wait({exiting}, timeout=CLOSE_TIMEOUT)
        await self.kill()
        await exiting
