"""Giving files to a page: the file that was checked is the file that is sent."""

from __future__ import annotations

import asyncio
import os
import secrets
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from rove.errors import ElementNotReady
from rove.workspace import Workspace

if TYPE_CHECKING:
    import playwright.async_api as pw

    from rove.chromium.element import Element
    from rove.chromium.tab import Tab

CHOOSER_PATIENCE = 3.0


async def upload(tab: Tab, element: Element, paths: tuple[str, ...], scratch: Path) -> list[str]:
    """Hand copies, made from the checked files, to a file input or to the chooser that a press opens."""
    copies = await asyncio.to_thread(_copied, Workspace(tab.settings.workspace_folder), paths, scratch)
    files = [str(copy) for copy in copies]
    if await element.is_file_input():
        await element.session.send("DOM.setFileInputFiles", {"files": files, "objectId": await element.in_page()})
        await element.announce_files()
    else:
        chooser = await _chooser(tab, element)
        await chooser.set_files(list(copies))
    return [copy.name for copy in copies]


async def _chooser(tab: Tab, element: Element) -> pw.FileChooser:
    from playwright.async_api import TimeoutError as NoChooser

    try:
        async with tab.page.expect_file_chooser(timeout=CHOOSER_PATIENCE * 1000) as opening:
            await element.click()
        return await opening.value
    except NoChooser:
        raise ElementNotReady(
            f"{element.line} is no file input, and pressing it opened no file chooser.",
            hint="Name the file input itself, or the button that opens the chooser.",
        ) from None


def _copied(workspace: Workspace, paths: tuple[str, ...], scratch: Path) -> list[Path]:
    copies: list[Path] = []
    for path in paths:
        with workspace.reading(path) as file:
            folder = scratch / "uploads" / secrets.token_hex(8)
            folder.mkdir(parents=True, mode=0o700)
            copy = folder / file.name
            with os.fdopen(os.dup(file.descriptor), "rb") as read, copy.open("xb") as written:
                shutil.copyfileobj(read, written)
        copies.append(copy)
    return copies
