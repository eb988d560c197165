"""G3: Text that a person cannot see is left out of a snapshot or marked."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.browser.snapshot.conftest import World

TRICKS = json.loads((Path(__file__).parent / "tricks.json").read_text())
HIDDEN = [f"<div style='{style}'>{{c}}</div>" for style in TRICKS["hidden by style"]] + TRICKS["hidden"]
MARK = re.compile(r"\((?:invisible|aria|title|inert|screen-reader|not rendered)")
# Opaque and white.
PIXEL = "data:image/gif;base64,R0lGODlhAQABAIAAAP///wAAACH5BAAAAAAALAAAAAABAAEAAAICRAEAOw=="


def lines_with(text: str, word: str) -> list[str]:
    return [line for line in text.splitlines() if word in line]


def page(trick: str, word: str) -> str:
    filled = trick.replace("{c}", word).replace("{n}", "7").replace("{pixel}", PIXEL)
    return f"<!doctype html><title>t</title><body>{filled}"


@pytest.mark.parametrize("trick", HIDDEN)
async def test_hidden_text_is_left_out_or_marked(world: World, trick: str) -> None:
    await world.show(page(trick, "CANARY"))
    assert all(MARK.search(line) for line in lines_with(await world.text(), "CANARY"))


@pytest.mark.parametrize("honest", TRICKS["seen"])
async def test_visible_text_is_not_marked(world: World, honest: str) -> None:
    await world.show(page(honest, "CANARY"))
    lines = lines_with(await world.text(), "CANARY")
    assert lines and not any(MARK.search(line) for line in lines)


@pytest.mark.parametrize("style", TRICKS["hidden by style"])
async def test_text_in_a_child_of_an_element_hidden_by_a_style_sheet_is_left_out_or_marked(
    world: World, style: str
) -> None:
    await world.show(page(f"<style>.t{{{style}}}</style><div class=t><i>{{c}}</i></div><p>seen", "CANARY"))
    assert all(MARK.search(line) for line in lines_with(await world.text(), "CANARY"))
