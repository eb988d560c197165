"""`rove demo`: a small tea shop that is served on this machine, and the tour of it, told step by step."""

from __future__ import annotations

import asyncio
import json
import sys
import textwrap
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from rove.outcome import Outcome
from rove.settings.tree import Settings
from rove.surfaces.cli.terminal_output import palette_for
from rove.surfaces.library import Session, open_with
from rove.toolsets.outcome_text import as_text

PAGES = {"/": "index.html", "/teas": "teas.html"}


class _Handler(BaseHTTPRequestHandler):
    """Serves the two pages, and gives each order a number."""

    orders = 1

    def do_GET(self) -> None:
        page = PAGES.get(self.path)
        if page is None:
            self._answer(404, "text/plain", b"Not found")
        else:
            self._answer(
                200, "text/html; charset=utf-8", (files("rove.surfaces.cli") / "demo_pages" / page).read_bytes()
            )

    def do_POST(self) -> None:
        order = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        _Handler.orders += 1
        self._answer(200, "application/json", json.dumps({**order, "number": _Handler.orders}).encode())

    def _answer(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing, as the tour prints what happens."""


@contextmanager
def tea_room() -> Generator[str]:
    """Serve the tea shop while the context is open; yield its URL."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


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
