"""Pictures and PDF files of a page."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator
from pathlib import Path

from rove.browser.failures import BrowserError
from rove.browser.shared.frames import World
from rove.browser.shared.live_page import LivePage
from rove.errors import Denied, RoveError
from rove.validation.pattern import pattern
from rove.validation.record import dataclass
from rove.workspace import Workspace

HIDE_OWNER = "ref => rove.element(ref).style.setProperty('visibility', 'hidden', 'important')"
SHOW_OWNER = "ref => rove.element(ref).style.removeProperty('visibility')"
HIDE_ROOT = "() => document.documentElement.style.setProperty('opacity', '0', 'important')"
SHOW_ROOT = "() => document.documentElement.style.removeProperty('opacity')"
PDF_FOLDER = "pdf"
CHUNK_BYTES = 2**20
# Width and height in inches.
PAPERS: dict[str, tuple[float, float]] = {
    "a3": (11.69, 16.54), "a4": (8.27, 11.69), "a5": (5.83, 8.27),
    "letter": (8.5, 11), "legal": (8.5, 14), "tabloid": (11, 17),
}  # fmt: skip
# Browsers write the dictionaries of a PDF as plain text, one of this type for each page.
PAGE_DICTIONARY = pattern(rb"/Type\s*/Page(?![A-Za-z])")
# Longer than any match, so that a match across two chunks is found.
OVERLAP_BYTES = 16


@contextlib.asynccontextmanager
async def without_withheld_frames(page: LivePage) -> AsyncGenerator[None]:
    """Within this block, frames of origins that the policy does not let the agent read are not painted."""
    hidden = [world for world in await page.worlds.current() if _is_withheld(page, world)]
    try:
        for world in hidden:
            await _hide(page, world)
        yield
    finally:
        for world in hidden:
            with contextlib.suppress(BrowserError, RoveError):  # the frame is gone
                await _parent(world).call(SHOW_OWNER, await page.worlds.owner(world))
                await world.call(SHOW_ROOT)


def _is_withheld(page: LivePage, world: World) -> bool:
    if world.parent is None:
        return False
    origin = page.origins.of(world.frame_id)
    return origin != page.url.origin and not page.may_read(origin)


async def _hide(page: LivePage, world: World) -> None:
    """Hide a frame from the outside and from the inside, as the page around it could show it again."""
    try:
        await _parent(world).call(HIDE_OWNER, await page.worlds.owner(world))
        if not world.is_unresponsive:
            await world.call(HIDE_ROOT)
    except (BrowserError, RoveError) as error:
        hint = "Call again when the page is at rest."
        raise Denied("The page shows a frame that may not be read and could not be hidden.", hint=hint) from error


def _parent(world: World) -> World:
    assert world.parent is not None
    return world.parent


@dataclass(frozen=True)
class PdfTarget:
    """Where to write a PDF file, under which name, and its size limit; it is first written to the folder `scratch`.

    `folder`: the folder of the workspace, if it is not the one for PDF files.
    """

    workspace: Workspace
    name: str
    max_bytes: int
    scratch: Path
    folder: str = ""


def copy_to_workspace(draft: Path, target: PdfTarget) -> Path:
    """Copy a complete file to the workspace; return where it is."""
    with draft.open("rb") as source:
        chunks = iter(lambda: source.read(CHUNK_BYTES), b"")
        return target.workspace.write(target.folder or PDF_FOLDER, target.name, chunks)
