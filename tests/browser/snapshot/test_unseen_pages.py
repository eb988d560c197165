"""G3: What is cut off, named by hidden parts or out of sight in a field is marked; what is seen is not."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from rove.snapshot.tree import UNSEEN

if TYPE_CHECKING:
    from tests.browser.snapshot.conftest import World

# The whole run must stay short; `make test-all` runs these too.
pytestmark = pytest.mark.slow

PAGES: dict[str, Any] = json.loads((Path(__file__).parent / "unseen_pages.json").read_text())
PIXEL = "data:image/gif;base64,R0lGODlhAQABAIAAAP///wAAACH5BAEAAAAALAAAAAABAAEAAAICRAEAOw=="
PICTURE = (
    "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='80' height='40'>"
    "<rect width='80' height='40' fill='teal'/></svg>"
)
MARK = re.compile(
    r"\((?:(?:partly |perhaps )?invisible|aria|title|screen-reader|placeholder|not rendered)|\(aria\)=|label="
)
# A mark that quotes other words than the one that is looked for.
OTHER_PART = re.compile(r' \(invisible(?: part)?: [^)C]*"[^)C]*\)')
FIELDS = re.compile("<(?:input|select|textarea|img)")


async def show(world: World, page: str) -> None:
    filled = page.replace("{c}", "CANARY").replace("{pixel}", PIXEL).replace("{picture}", PICTURE)
    await world.show(f"<!doctype html><title>t</title><body>{filled}")
    await world.text()
    await world.adopt_closed_roots()


def plain_lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if "CANARY" in line and not MARK.search(line)]


@pytest.mark.parametrize("kind", PAGES["hidden"])
async def test_what_a_person_does_not_see_is_marked_or_left_out(world: World, kind: str) -> None:
    wrong: dict[str, list[str]] = {}
    for name, page in PAGES["hidden"][kind].items():
        await show(world, page)
        wrong[name] = plain_lines(await world.text())
        wrong[name] += [row.line for row in (await world.snapshot(text=True)).rows if is_plain(row.flags, row.line)]
    assert {name: lines for name, lines in wrong.items() if lines} == {}


def is_plain(flags: int, line: str) -> bool:
    return "CANARY" in line and not flags & UNSEEN


# Shown by the browser in a list or a tooltip of its own, or never part of the page.
NOT_BY_ITSELF = ("datalist", "svg symbol")


@pytest.mark.slow  # each element of each page by itself
@pytest.mark.parametrize("kind", PAGES["hidden"])
async def test_what_a_person_does_not_see_is_marked_in_the_snapshot_of_any_element(world: World, kind: str) -> None:
    wrong: dict[str, list[str]] = {}
    for name, page in PAGES["hidden"][kind].items():
        await show(world, page)
        found = await world.evaluate("rove.query({ css: 'body *', limit: 30 })")
        texts = [await world.text(root=match["ref"]) for match in found["matches"]]
        wrong[name] = [line for text in texts for line in plain_lines(text)]
    assert {name: lines for name, lines in wrong.items() if lines and name not in NOT_BY_ITSELF} == {}


async def test_what_a_person_sees_is_told_plainly(world: World) -> None:
    wrong: dict[str, list[str]] = {}
    for name, page in PAGES["seen"].items():
        await show(world, page)
        lines = [line for line in (await world.text()).splitlines() if "CANARY" in line]
        wrong[name] = [line for line in lines if MARK.search(OTHER_PART.sub("", line))] if lines else ["missing"]
        rows = (await world.snapshot(text=True)).rows
        if not FIELDS.search(page) and not any(is_plain(row.flags, row.line) for row in rows):
            wrong[name].append("missing in its text")
    assert {name: lines for name, lines in wrong.items() if lines} == {}


async def test_text_that_is_cut_off_is_told_as_what_is_shown_and_the_rest(world: World) -> None:
    box = "<div style='font: 16px/20px monospace; width: 10ch; overflow: hidden; white-space: nowrap'>"
    await world.show(f"<!doctype html>{box}Your parcel is late</div><table><tr><td>a<td>{box}Your parcel is late</div>")
    assert (await world.text()).splitlines()[0] == '"Your parce…" (invisible: clipped "l is late")'
    await world.show(f"<!doctype html>{box.replace('div', 'h2')}Your parcel is late</h2>")
    assert await world.text() == 'heading "Your parce…" level=2 (invisible: clipped "l is late")'


async def test_text_that_is_cut_off_is_found(world: World) -> None:
    box = "<div style='width: 90px; overflow: hidden; white-space: nowrap; text-overflow: ellipsis'>"
    await world.show(f"<!doctype html>{box}Your parcel is late</div>")
    found = await world.evaluate("rove.find({ text: 'your parcel is late' })")
    assert found["total"] == 1
