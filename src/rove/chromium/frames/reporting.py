"""The commands by which a page, frame or worker reports to rove, with stealth and without.

`Runtime.enable` lets a page notice that an inspector reads its console, and scripts in its own world can be found. With
stealth, the console is read as text, and rove's script runs in the isolated world alone.
"""

from __future__ import annotations

from collections.abc import Coroutine, Iterator
from typing import Any

from rove.browser.scripts import main_world_script, page_script
from rove.chromium.protocol.connection import CdpSession
from rove.page.frames.world import WORLD

Command = Coroutine[Any, Any, object]


def reporting(cdp: CdpSession, stealth: bool) -> Command:
    """Return the command that makes a target report what is written to its console."""
    cdp.reports_contexts = not stealth
    return cdp.send("Console.enable" if stealth else "Runtime.enable")


def scripts(cdp: CdpSession, stealth: bool) -> Iterator[Command]:
    """Yield the commands that add rove's scripts to each new document."""
    yield cdp.send("Page.addScriptToEvaluateOnNewDocument", {"source": page_script(), "worldName": WORLD})
    if not stealth:
        yield cdp.send("Page.addScriptToEvaluateOnNewDocument", {"source": main_world_script()})
