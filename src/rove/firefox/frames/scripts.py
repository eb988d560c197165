"""Rove's scripts in the documents of a user context.

A sandbox is Firefox's isolated world: it sees the document, and the page's scripts do not see it.
"""

from __future__ import annotations

import asyncio
from functools import cache
from typing import Any

from rove.browser.scripts import EngineTraits, listener_script, main_world_script, page_script
from rove.firefox.protocol.connection import BidiConnection
from rove.page.frames.world import WORLD
from rove.page.input.clipboard import COPIED_BINDING
from rove.page.input.page_modes import REPORT_BINDING

# Reports the address after a move in the history within a document: of some, Firefox tells nothing.
MOVED_CHANNEL = "roveMoved"
# The functions by which rove's script reports, which Firefox passes on as events; only the sandbox has them.
CHANNELS: list[dict[str, Any]] = [
    {"type": "channel", "value": {"channel": name}} for name in (REPORT_BINDING, COPIED_BINDING, MOVED_CHANNEL)
]


TRAITS = EngineTraits(hits_areas=False, moves_placeholders=False)


@cache
def install_function() -> str:
    """Return the function that installs rove's script in a sandbox; its arguments are the channels."""
    bindings = f"globalThis.{REPORT_BINDING} ??= tell;\nglobalThis.{COPIED_BINDING} ??= copied;"
    moves = "if (self === top) addEventListener('popstate', () => moved(location.href), true);"
    return f"(tell, copied, moved) => {{\n{bindings}\n{moves}\nreturn {page_script(TRAITS)};\n}}"


async def add_scripts(connection: BidiConnection, user_context: str) -> None:
    """Run rove's scripts in every document of a user context from its beginning, also in windows that pages open."""
    everywhere = {"userContexts": [user_context]}
    isolated = {"functionDeclaration": install_function(), "arguments": CHANNELS, "sandbox": WORLD, **everywhere}
    main = {"functionDeclaration": f"() => {{\n{main_world_script()}\n{listener_script()}\n}}", **everywhere}
    await asyncio.gather(
        connection.send("script.addPreloadScript", isolated), connection.send("script.addPreloadScript", main)
    )
