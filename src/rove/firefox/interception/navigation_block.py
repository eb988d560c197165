"""Blocking the navigations of a page, by its requests as Firefox reports them."""

from __future__ import annotations

from rove.firefox.interception.interceptor import Interceptor
from rove.page.consequences.approved_documents import AskedDocument
from rove.page.interception import navigation_block
from rove.tasks import BackgroundTasks


class NavigationBlock(navigation_block.NavigationBlock):
    """Fails every request of a page's main frame for another document while it is enabled."""

    def __init__(self, main_frame: str, interceptor: Interceptor, tasks: BackgroundTasks) -> None:
        super().__init__(main_frame, tasks)
        self._interceptor = interceptor

    async def set_refusing(self, is_on: bool) -> None:
        await self._interceptor.refuse_documents(self.main_frame, self._refuses if is_on else None)

    def _refuses(self, asked: AskedDocument) -> bool:
        if asked.frame != self.main_frame:
            return False
        self.note_refused()
        return True
