"""`python -m bench.detectors`: what two published detectors of robots find in rove, with stealth and without.

BotD and fpscanner are fetched from npm and served to the browser from this machine.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from bench.packages import install
from rove import Session
from rove.engine.sessions import Sessions
from rove.settings.tree import Settings

PAGE = b"""<!doctype html><title>Detectors</title><button>Press</button><label>Name <input></label>
<script type="module">
  import { load } from "/botd.js";
  import FingerprintScanner from "/fpscanner.js";
  globalThis.look = async () => {
    const detector = await load({ monitoring: false });
    detector.detect();
    const botd = Object.entries(detector.getDetections()).filter(([, found]) => found.bot).map(([name]) => name);
    const { fastBotDetectionDetails: details } = await new FingerprintScanner().collectFingerprint({ encrypt: false });
    const fpscanner = Object.entries(details).filter(([, found]) => found.detected).map(([name]) => name);
    return { botd, fpscanner, checks: Object.keys(details).length };
  };
</script>"""


class _Handler(BaseHTTPRequestHandler):
    def __init__(self, files: Mapping[str, bytes], *given: object) -> None:
        self._files = files
        super().__init__(*given)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        body = self._files.get(self.path)
        self.send_response(404 if body is None else 200)
        self.send_header("Content-Type", "text/javascript" if self.path.endswith(".js") else "text/html")
        self.send_header("Content-Length", str(len(body or b"")))
        self.end_headers()
        self.wfile.write(body or b"")

    def log_message(self, format: str, *args: object) -> None:
        """Write nothing to the terminal."""


@contextmanager
def serving(files: Mapping[str, bytes]) -> Generator[str]:
    """Serve files on this machine; yield the address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, files)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


async def look(url: str, stealth: bool, headless: bool) -> dict[str, list[str]]:
    """Return what the detectors find after a click, typing, the console and a snapshot."""
    with tempfile.TemporaryDirectory(prefix="rv") as home:
        settings = Settings(home=Path(home), allow_host=("127.0.0.1",), stealth=stealth, headless=headless)
        async with Sessions(settings) as sessions:
            session = Session(sessions, await sessions.open_session("detectors"))
            await session.navigate(url)
            await session.click("button")
            await session.type("hello", "input")
            await session.console()
            await session.snapshot()
            found: dict[str, list[str]] = (await session.evaluate("look()")).result.value
            return found


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.detectors", description=__doc__)
    parser.add_argument("--no-headless", action="store_true", help="with a window, which needs a display")
    parser.add_argument("--no-fetch", action="store_true", help="use the packages that are installed")
    given = parser.parse_args()
    botd, fpscanner = (install(name, fetch=not given.no_fetch) for name in ("@fingerprintjs/botd", "fpscanner"))
    files = {
        "/": PAGE,
        "/botd.js": botd.file("dist/botd.esm.js").read_bytes(),
        "/fpscanner.js": fpscanner.file("dist/fpScanner.es.js").read_bytes(),
    }
    print(f"BotD {botd.version}, fpscanner {fpscanner.version}")
    with serving(files) as url:
        for stealth in (False, True):
            found = asyncio.run(look(url, stealth, not given.no_headless))
            print(f"{'with' if stealth else 'without'} stealth: {json.dumps(found)}")


if __name__ == "__main__":
    main()
