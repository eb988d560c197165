"""`rove demo`: the main job on embedded defaults, told step by step."""

from __future__ import annotations

import asyncio
import sys
import textwrap
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from rove.demo.site import tea_room
from rove.outcome import Outcome
from rove.render.outcomes import as_text
from rove.settings.tree import Settings
from rove.surfaces.colours import palette_for
from rove.surfaces.library import Session, open_with


def run_tour(settings: Settings) -> int:
    asyncio.run(_tour(settings))
    return 0


async def _tour(settings: Settings) -> None:
    _say("\nA tea room has just opened on this machine. Let us order, the way an agent would.\n")
    with tea_room() as address:
        # It is on this machine, where no page leads unless its owner says so.
        async with open_with(replace(settings, allow_host=(*settings.allow_host, urlsplit(address).netloc))) as session:
            await _order(session, address, settings.workspace_folder)
    _say(
        "\nThe browser is closed and its profile is removed. Where next:\n"
        f"  {sys.argv[0]} mcp       connect an MCP client (the README shows how)\n"
        f"  {sys.argv[0]} doctor    see what rove found on this machine\n"
    )


async def _order(session: Session, address: str, workspace: Path) -> None:
    _show("Open the page. The answer is the page itself, as a model reads it.",
          f'navigate("{address}")', await session.navigate(address))  # fmt: skip
    _show("Fill in the form. Elements go by ref, by CSS selector, or by role and name.",
          """fill('textbox "Your name"', "Bea")""", await session.fill('textbox "Your name"', "Bea"))  # fmt: skip
    _show("Each action answers with what it changed, and nothing else.",
          """select('combobox "Tea"', ("Sencha",))""", await session.select('combobox "Tea"', ("Sencha",)))  # fmt: skip
    _show("Place the order. The page asks its server first; rove waits for that, not for a clock.",
          """click('button "Place order"')""", await session.click('button "Place order"'))  # fmt: skip
    picture = await session.screenshot()
    path = workspace / "screenshots" / "tea-room.png"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(picture.attachments[0].data)
    _show(f"Take a picture: {path}", "screenshot()", picture)
    _show("And where are we now?", "status()", await session.status())


def _show(story: str, call: str, outcome: Outcome[Any]) -> None:
    palette = palette_for(sys.stdout)
    _say(palette.paint(story, "bold"))
    _say(palette.paint(f"  session.{call}", "cyan") + palette.paint(f"   {outcome.seconds * 1000:.0f} ms", "dim"))
    _say(textwrap.indent(as_text(outcome), "    ") + "\n")


def _say(text: str) -> None:
    print(text, flush=True)
