"""What people do with a session: watch it, look at its pages, and drive it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from rove.browser.failures import BrowserError
from rove.engine.people.person_acts import PersonActs
from rove.errors import ElementGone, NotOpen
from rove.page_text import Own, Text
from rove.tasks import BackgroundTasks

if TYPE_CHECKING:
    from rove.browser.input_event import InputEvent
    from rove.browser.page_data import Box
    from rove.browser.shared.context import Context
    from rove.browser.shared.tab import Tab
    from rove.engine.journal import Journal
    from rove.engine.people.typed_texts import TypedTexts
    from rove.snapshot import Snapshot

PICTURE_SECONDS = 2.0
INPUT_SECONDS = 5.0


class PersonAccess:
    """Gives people the tabs of a session that are open. It opens none, and what people do is no action of the agent."""

    def __init__(
        self, session: str, context: Callable[[], Context | None], journal: Journal, typed: TypedTexts
    ) -> None:
        self._session = session
        self._context = context
        self._typed = typed
        self._acts = PersonActs(journal, session)
        self._tasks = BackgroundTasks(f"the person at {session}", expected=(BrowserError,))
        # What the agent had copied before the person took over.
        self._agent_clipboard: Text = Own()

    def find_tab(self, name: str | None) -> Tab | None:
        """Return a tab, or the current one; None if it is not open."""
        context = self._context()
        if context is None:
            return None
        return context.current if name is None else next((tab for tab in context.tabs if tab.id == name), None)

    async def picture(self, tab: str | None, quality: int) -> bytes:
        """Return a JPEG of what a tab shows now. Raises NotOpen if there is no page, or it cannot be shown."""
        shown = self._open_tab(tab)
        try:
            async with asyncio.timeout(PICTURE_SECONDS):
                return await shown.take_picture(quality)
        except (TimeoutError, BrowserError) as error:
            raise NotOpen(f"{shown.id} of session {self._session} cannot be shown now.") from error

    async def element_box(self, ref: str, tab: str | None) -> Box:
        """Return where an element is in the viewport now, without scrolling. Raises ElementGone."""
        try:
            async with asyncio.timeout(PICTURE_SECONDS):
                return await self._open_tab(tab).box_of(ref)
        except (TimeoutError, BrowserError) as error:
            raise ElementGone(f"{ref} cannot be found on the page now.") from error

    async def locate(self, target: str, tab: str | None) -> tuple[str, str, Box]:
        """Return the ref, the line and the place of the first element that a target means now. Raises RoveError."""
        shown = self._open_tab(tab)
        try:
            async with asyncio.timeout(PICTURE_SECONDS):
                element = (await shown.resolve_all(target, wait=False))[0]
                return element.ref, await element.describe(), await shown.box_of(element.ref)
        except (TimeoutError, BrowserError) as error:
            raise ElementGone(f"{target} cannot be found on the page now.") from error

    def seen(self, tab: str | None) -> Snapshot | None:
        """Return what the agent was last shown of a tab; None if it has not looked at its page yet."""
        return self._open_tab(tab).observer.seen

    async def drive(self, person: str, event: InputEvent, tab: str | None) -> None:
        """Send the input of a person to a tab. What they type is withheld from the agent and the journal."""
        driven = self._open_tab(tab)
        self._typed.note_keys(event)
        self._acts.note(person, driven.id, driven.url, event)
        try:
            async with asyncio.timeout(INPUT_SECONDS):
                await driven.send_input(event)
        except (TimeoutError, BrowserError) as error:
            raise NotOpen(f"{driven.id} of session {self._session} does not answer.", hint="Try again.") from error

    def begin_drive(self) -> None:
        """Keep what the agent has in its clipboard while a person drives."""
        context = self._context()
        self._agent_clipboard = context.clipboard_text if context is not None else Own()

    def end_drive(self) -> None:
        """Release what the person still holds down, take away what they copied, and write what they did."""
        self._typed.end_run()
        self._acts.end_burst()
        context = self._context()
        if context is not None:
            context.set_clipboard(self._agent_clipboard)
            for tab in context.tabs:
                self._tasks.start(tab.end_input())

    async def finish(self) -> None:
        """Wait until nothing of the person's input is under way in the pages, after they have handed back."""
        await self._tasks.finish(PICTURE_SECONDS)

    async def close(self) -> None:
        """Write what is not written yet."""
        await self._acts.close()
        await self._tasks.close()

    def _open_tab(self, name: str | None) -> Tab:
        tab = self.find_tab(name)
        if tab is None:
            raise NotOpen(f"There is no tab {name or 'open'} in session {self._session}.")
        return tab
