"""A browser with a profile: its one context is kept in the profile's folder."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING

from rove.chromium.browser import CLOSE_TIMEOUT, Browser, opened
from rove.chromium.context import Context
from rove.chromium.protocol.connection import CdpError
from rove.errors import Unsupported

if TYPE_CHECKING:
    from rove.browser.context import SavedContext
    from rove.settings.tree import Settings


class ProfileContext(Context):
    """The browser's default context. Closing it closes its tabs; what the profile has stored stays."""

    is_persistent = True

    async def _dispose(self) -> None:
        await asyncio.gather(*(tab.close() for tab in self.tabs))


class ProfileBrowser(Browser):
    """A browser for one session, started with the proxy of that session."""

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
