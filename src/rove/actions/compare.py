"""Visual comparison: does a page still look as it did?"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rove.action import Effect, TabAction, Target, action, arg
from rove.browser.stillness import refuse_empty
from rove.errors import ElementNotFound, ElementNotReady, ExpectationFailed, InvalidArguments, RoveError
from rove.outcome import Attachment, Passage, Result
from rove.page_text import Own
from rove.records import dataclass
from rove.workspace import Workspace

if TYPE_CHECKING:
    from rove.browser.page_data import Box
    from rove.browser.shared.element import Element
    from rove.browser.shared.tab import Tab
    from rove.browser.stillness import StillPicture
    from rove.content.picture_comparison import Comparison

BASELINES = "baselines"
RESULTS = "comparisons"
MOST_BYTES = 100 * 2**20
SHOWN_REGIONS = 5
# The position of the viewport in the page.
VIEW_POSITION = "() => [visualViewport.pageLeft, visualViewport.pageTop]"
Region = tuple[int, int, int, int]


@dataclass(frozen=True)
class Compared(Result):
    """How a picture compares with its baseline. `is_new`: there was none, and the picture is the baseline now."""

    matches: bool
    baseline: Own
    width: int
    height: int
    is_new: bool = False
    is_updated: bool = False
    # Pixels that differ, and their share of all, from 0 to 1.
    different: int = 0
    share: float = 0.0
    # The size of the baseline, if it is another.
    baseline_size: tuple[int, int] | None = None
    # Boxes around what differs, the largest first: x, y, width and height in pixels of the picture.
    regions: tuple[Region, ...] = ()
    # Files of the workspace: the differences in red, and the page as it is now.
    difference: Own = Own("")
    picture: Own = Own("")
    # Whether the page stood still: two pictures in a row were the same.
    is_steady: bool = True
    is_cut: bool = False
    fails: bool = False
    image: Attachment | None = None

    def __str__(self) -> str:
        return " ".join([self._said(), *self._notes()])

    def _said(self) -> str:
        size = f"{self.width} x {self.height}"
        if self.is_new:
            return f"There was no baseline: this picture, {size}, is it now: {self.baseline}."
        if self.is_updated:
            return f"The baseline is updated: {self.baseline}, {size}."
        if not self.different:
            return f"It looks the same as {self.baseline}, {size}."
        share = f"{self.share:.2%}" if self.share >= 0.0001 else "less than 0.01%"
        verdict = "as much as is allowed" if self.matches else "it does not match"
        return f"{self.different} pixels differ from {self.baseline} ({share} of {size}): {verdict}."

    def _notes(self) -> Iterator[str]:
        if self.baseline_size is not None:
            yield f"The baseline has another size, {self.baseline_size[0]} x {self.baseline_size[1]}."
        if self.regions:
            shown = ", ".join(f"{x},{y} {width}x{height}" for x, y, width, height in self.regions[:SHOWN_REGIONS])
            rest = len(self.regions) - SHOWN_REGIONS
            yield f"Where: {shown}{f' and {rest} more' if rest > 0 else ''}."
        if not self.is_steady:
            yield "The page kept changing while it was pictured: cover what moves with `mask`."
        if self.is_cut:
            yield "The page goes on below: it is too long for one picture."
        if self.difference:
            yield f"In red: {self.difference}; as it is now: {self.picture}."

    @property
    def attachments(self) -> tuple[Attachment, ...]:
        return (self.image,) if self.image else ()

    @property
    def error(self) -> RoveError | None:
        if not self.fails or self.matches:
            return None
        return ExpectationFailed(
            f"{self.different} pixels differ from {self.baseline}.",
            hint="Look at the picture of the differences; if they are meant, call again with `update`.",
        )

    def passages(self, origin: str) -> Iterator[Passage]:
        """Tell it in rove's own words: no page wrote any of it."""
        if self.error is not None:
            yield Passage(f"{self.error.code}: {self}")
            yield Passage(self.error.hint)
        else:
            yield Passage(str(self))


@action(Effect.READ, group="audit")
class Compare(TabAction[Compared]):
    """Compare how the page looks with a picture kept in the workspace; the first call keeps it."""

    name: str = arg("Name of the picture: baselines/NAME.png.", pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$")
    target: Target | None = arg("Only this element.", default=None)
    full_page: bool = arg("The whole page, not only what is in view.", default=False)
    mask: tuple[Target, ...] = arg("Elements to leave out, such as clocks and adverts.", default=())
    threshold: float = arg("How far colours may be apart to count as the same.", default=0.1, ge=0, le=1)
    max_pixels: int = arg("How many pixels may differ.", default=0, ge=0)
    max_share: float = arg("Which share of the pixels may differ, such as 0.01.", default=0.0, ge=0, le=1)
    update: bool = arg("Keep this picture as the baseline from now on.", default=False)
    fail: bool = arg("An error if it does not match, or if there is no baseline.", default=False)

    @property
    def files_read(self) -> tuple[str, ...]:
        return (f"{BASELINES}/{self.name}.png",)

    async def perform(self, tab: Tab) -> Compared:
        await refuse_empty(tab)
        workspace = Workspace(tab.settings.workspace_folder)
        before = None if self.update else await asyncio.to_thread(self._baseline, workspace)
        if before is None and self.fail and not self.update:
            raise InvalidArguments(
                f"There is no baseline {BASELINES}/{self.name}.png in the workspace.",
                hint="Call without `fail` once: that keeps the picture as the baseline.",
            )
        taken, masks = await self._picture(tab)
        if before is None:
            return await self._kept(workspace, taken, masks)
        return await self._compared(tab, workspace, before, taken, masks)

    async def _picture(self, tab: Tab) -> tuple[StillPicture, list[Box]]:
        """Return a picture of the page at rest, and the boxes in the page that are left out."""
        from rove.browser.stillness import LONGEST_WAIT, SHARE_OF_TIME, held_still, take_still_picture

        element = await tab.resolve(self.target) if self.target else None
        masked = await self._masked(tab)
        async with held_still(tab.page, min(LONGEST_WAIT, tab.page.time.left * SHARE_OF_TIME)):
            box = await element.box() if element else None
            if element and box and not (box["width"] and box["height"]):
                raise ElementNotReady("This element is not visible: ", element.line, retryable=False)
            taken = await take_still_picture(tab, box, self.full_page)
            return taken, await _boxes(tab, masked)

    async def _masked(self, tab: Tab) -> list[Element]:
        try:
            return [each for target in self.mask for each in await tab.resolve_all(target)]
        except ElementNotFound as error:
            error.parts = ("`mask`: ", *error.parts)
            error.hint = Own("Leave out of `mask` what is not on the page.")
            raise

    async def _kept(self, workspace: Workspace, taken: StillPicture, masks: list[Box]) -> Compared:
        from rove.content.picture_comparison import cover, encode, open_picture

        image = await asyncio.to_thread(open_picture, taken.image.data)
        cover(image, _regions(taken, masks, image.width))
        data = await asyncio.to_thread(encode, image)
        path = Own(await workspace.save(BASELINES, f"{self.name}.png", data, replaces=True))
        return Compared(
            True, path, *image.size, is_new=not self.update, is_updated=self.update,
            is_steady=taken.is_steady, is_cut=taken.image.is_cut,
        )  # fmt: skip

    async def _compared(
        self, tab: Tab, workspace: Workspace, before: bytes, taken: StillPicture, masks: list[Box]
    ) -> Compared:
        found, now, old_size = await asyncio.to_thread(self._compare, before, taken, masks)
        limit = max(self.max_pixels, int(self.max_share * found.total))
        is_resized = old_size != now.size
        matches = found.different <= limit and not is_resized
        difference = picture = Own("")
        most = tab.settings.observing.picture
        if found.different:
            difference = Own(await workspace.save(RESULTS, f"{self.name}-difference.png", found.picture, replaces=True))
            picture = Own(await workspace.save(RESULTS, f"{self.name}-now.png", now.data, replaces=True))
        return Compared(
            matches, Own(workspace.root / BASELINES / f"{self.name}.png"), *now.size,
            different=found.different, share=found.share, baseline_size=old_size if is_resized else None,
            regions=found.regions, difference=difference, picture=picture, is_steady=taken.is_steady,
            is_cut=taken.image.is_cut, fails=self.fail, image=_attachment(found, most, difference),
        )  # fmt: skip

    def _compare(
        self, before: bytes, taken: StillPicture, masks: list[Box]
    ) -> tuple[Comparison, _Now, tuple[int, int]]:
        from rove.content.picture_comparison import NoPicture, compare, cover, encode, open_picture

        try:
            baseline = open_picture(before)
        except NoPicture as error:
            raise InvalidArguments(
                f"The baseline {BASELINES}/{self.name}.png cannot be read: {error}.",
                hint="Call with `update` to replace it.",
            ) from error
        image = open_picture(taken.image.data)
        for each in (baseline, image):
            cover(each, _regions(taken, masks, image.width))
        found = compare(baseline, image, self.threshold)
        return found, _Now(image.size, encode(image) if found.different else b""), baseline.size

    def _baseline(self, workspace: Workspace) -> bytes | None:
        """Return the baseline; None if there is none."""
        path = f"{BASELINES}/{self.name}.png"
        if not (workspace.root / path).exists():
            return None
        with workspace.reading(path) as file:
            if file.size > MOST_BYTES:
                raise InvalidArguments(f"{path} is too large.", hint="Call with `update` to replace it.")
            with os.fdopen(os.dup(file.descriptor), "rb") as opened:
                return opened.read()


@dataclass(frozen=True)
class _Now:
    """The picture that was taken, with what is left out covered."""

    size: tuple[int, int]
    data: bytes


async def _boxes(tab: Tab, elements: list[Element]) -> list[Box]:
    """Return where elements are in the page now."""
    if not elements:
        return []
    left, top = await tab.page.worlds.main.call(VIEW_POSITION)
    boxes = [await tab.box_of(element.ref) for element in elements]
    return [{**box, "x": box["x"] + left, "y": box["y"] + top} for box in boxes]


def _regions(taken: StillPicture, masks: list[Box], width: int) -> list[Region]:
    """Return boxes in the page as boxes of the picture, rounded outwards."""
    shown = taken.image.box
    scale = width / shown["width"]
    regions: list[Region] = []
    for box in masks:
        left, top = (box["x"] - shown["x"]) * scale, (box["y"] - shown["y"]) * scale
        right, bottom = left + box["width"] * scale, top + box["height"] * scale
        x, y = int(left // 1), int(top // 1)
        regions.append((x, y, -int(-right // 1) - x, -int(-bottom // 1) - y))
    return regions


def _attachment(found: Comparison, most: int, path: str) -> Attachment | None:
    """Return the picture of the differences as a model is shown it."""
    from rove.content.pictures import prepare_picture

    if not found.picture:
        return None
    shown = prepare_picture("The picture of the differences", found.picture, most)
    return Attachment("image", shown.mime, shown.data, "difference.png", path)
