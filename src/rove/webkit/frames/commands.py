"""Commands of a page to its driver, as its frames and devices see them."""

from __future__ import annotations

import json
from typing import Any, Protocol

from rove.browser.scripts import PAGE_WORLD_EVENT, page_world_script
from rove.webkit.protocol.driver import Place
from rove.webkit.protocol.failures import DocumentGone, WebDriverError

# Longer than any function of rove's script takes: each has a limit of its own.
SCRIPT_SECONDS = 60.0
# What a call finds in a document in which rove's script is not installed.
MISSING = "missing"
FIND = f"""const box = {{}};
performance.dispatchEvent(new CustomEvent("{PAGE_WORLD_EVENT}", {{ detail: box }}));
const rove = box.rove;"""


class PageCommands(Protocol):
    """The page that frames belong to."""

    async def send_to(self, place: Place, method: str, path: str, body: Any = None, timeout: float = 20.0, /) -> Any:
        """Send a command to a window or frame. A dialog is noted, and waited for, before the command is repeated."""
        ...

    async def wait_for_dialog_end(self) -> bool:
        """Note the dialog that is open, and wait until it is closed; False if there is none."""
        ...

    async def enter_document(self, state: dict[str, Any], /) -> None:
        """Note that the main frame shows another document."""

    def note_frame(self, frame: str, parent: str, url: str, source: str = "", /) -> None:
        """Note that a frame shows another document; `source`: where its words are from if `url` says nothing."""

    @property
    def document_statements(self) -> str:
        """The statements to run in a document in which rove's script was just installed."""
        ...

    def next_call(self) -> int:
        """Return a number that no other call has."""
        ...


async def execute(page: PageCommands, place: Place, script: str, *arguments: Any) -> Any:
    """Run the body of a function in a frame, and return what it returns."""
    body = {"script": script, "args": [*arguments]}
    return await page.send_to(place, "POST", "/execute/sync", body, SCRIPT_SECONDS)


async def install(page: PageCommands, place: Place) -> dict[str, Any]:
    """Install rove's script in the document of a frame; return what is known of the document."""
    state = "return JSON.stringify(rove.documentState());"
    script = f"{page_world_script()}\n{FIND}\nif (!rove) return false;\n{page.document_statements}\n{state}"
    for _ in range(3):
        answer = await execute(page, place, script)
        if isinstance(answer, str):
            found: dict[str, Any] = json.loads(answer)
            return found
        if answer is False:
            raise DocumentGone("no such document", "it runs no scripts")
        await page.wait_for_dialog_end()
    raise DocumentGone("no such document", "rove's script could not be installed")


async def run_call(page: PageCommands, place: Place, function: str, call: int, first: int, rest: list[Any]) -> Any:
    """Call a function of rove's script; return its answer, or MISSING where the script is not installed.

    A dialog that opens during the call takes its answer, which is then asked for again by the number of the call.
    """
    running = f"rove.runCall(arguments[0], arguments[1], {function}, arguments[2])"
    script = f"{FIND}\nif (!rove) return '{MISSING}';\nreturn {running};"
    for _ in range(50):
        answer = await execute(page, place, script, call, first, rest)
        if answer == MISSING:
            return MISSING
        if isinstance(answer, str):
            return json.loads(answer)
        await page.wait_for_dialog_end()
    raise WebDriverError("unknown error", "the page opens one dialog after another")
