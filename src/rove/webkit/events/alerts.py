"""The dialog of a window, as WebDriver tells of it and answers it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable

from rove.browser.page_data import OpenDialog
from rove.page.events.dialogs import SUPPRESS_DIALOGS, Dialogs
from rove.page.frames.frame_origins import FrameOrigins
from rove.page_text import Own, PageText
from rove.webkit.events.alert_text import read_alert
from rove.webkit.protocol.driver import Driver, Place
from rove.webkit.protocol.failures import WebDriverError


class Alerts:
    """Notes the dialog that is open in a window, and passes its answer on.

    `before_note` is awaited for each dialog before it is noted.
    """

    def __init__(
        self,
        driver: Driver,
        place: Place,
        dialogs: Dialogs,
        origins: FrameOrigins,
        before_note: Callable[[], Awaitable[None]],
    ) -> None:
        self._driver = driver
        self._place = place
        self._dialogs = dialogs
        self._origins = origins
        self._before_note = before_note
        # Set unless a dialog waits for its answer to reach the browser.
        self._answered = asyncio.Event()
        self._answered.set()
        self._reading = asyncio.Lock()

    def release(self) -> None:
        """Let all go on that wait for an answer: the window is gone."""
        self._answered.set()

    async def wait_until_answered(self) -> bool:
        """Note the dialog that is open, and wait until it is closed; False if there is none."""
        if not await self.note():
            return False
        await self._answered.wait()
        return True

    async def note(self) -> bool:
        """Note the dialog that is open; return whether there is one."""
        async with self._reading:
            if not self._answered.is_set():
                return True
            try:
                text: str = await self._driver.send_to(self._place, "GET", "/alert/text")
            except WebDriverError as error:
                if error.code != "no such alert":
                    raise
                return False
            self._answered.clear()
            await self._before_note()
            self._dialogs.note_opened(await self._dialog(text), self)
            return True

    async def _dialog(self, text: str) -> OpenDialog:
        kind, message, preset = read_alert(text) or (await self._guessed_kind(), text, "")
        said = PageText(message, self._origins.of_any)
        return OpenDialog(Own(kind), said, said.around(preset))

    async def _guessed_kind(self) -> str:
        """Return the kind of a dialog that opened before rove's script was there: only prompts take text."""
        try:
            await self._driver.send_to(self._place, "POST", "/alert/text", {"text": ""})
        except WebDriverError:
            return "alert"
        return "prompt"

    async def answer_dialog(self, accept: bool, text: str | None) -> None:
        """Close the dialog; it may be closed already."""
        try:
            if accept and text:
                with contextlib.suppress(WebDriverError):  # only prompts take text
                    await self._driver.send_to(self._place, "POST", "/alert/text", {"text": text})
            with contextlib.suppress(WebDriverError):
                await self._driver.send_to(self._place, "POST", f"/alert/{'accept' if accept else 'dismiss'}")
        finally:
            self._answered.set()

    async def suppress_dialogs(self) -> None:
        """Keep the scripts of the page from opening more dialogs."""
        await self._answered.wait()
        await self._driver.send_to(self._place, "POST", "/execute/sync", {"script": SUPPRESS_DIALOGS, "args": []})

    async def terminate_script(self) -> None:
        """Do nothing: WebDriver cannot end a script."""
