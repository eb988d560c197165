"""Blocking the navigations of a page, by its requests as Chromium reports them."""

from __future__ import annotations

from typing import Any

from rove.chromium.interception.interceptor import Interceptor
from rove.chromium.protocol.connection import CdpSession
from rove.page.interception import navigation_block
from rove.tasks import BackgroundTasks


class NavigationBlock(navigation_block.NavigationBlock):
    """Fails every request of a page's main frame for another document while it is enabled."""

    def __init__(self, cdp: CdpSession, main_frame: str, interceptor: Interceptor, tasks: BackgroundTasks) -> None:
        super().__init__(main_frame, tasks)
        self._cdp = cdp
        self._interceptor = interceptor

    async def set_refusing(self, is_on: bool) -> None:
        await self._interceptor.refuse_documents(self._cdp, self._refuses if is_on else None)

    def _refuses(self, event: dict[str, Any]) -> bool:
        if event["frameId"] != self.main_frame or event["resourceType"] != "Document":
            return False
        self.note_refused()
        return True
