"""`python -m bench.action_counts`: what an action costs, counted: messages to the browser, Python calls and tasks.

Counts are the same on each machine, so that tests can pin them; the times that follow are in the other tables.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import sys
import tempfile
from collections.abc import Awaitable, Callable, Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any, cast, get_args
from unittest.mock import patch

from tests.site import serving

import rove
from bench.report import table
from rove.browser.chromium.connection import CdpConnection, CdpSession
from rove.browser.firefox.connection import BidiConnection
from rove.browser.webkit.connection import HttpClient
from rove.settings.sections import EngineName

Act = Callable[[rove.Session, int], Awaitable[Any]]
Send = Callable[..., Awaitable[Any]]
# The id of a CDP session.
_SESSION = re.compile(r"[0-9A-F]{32}")
_ROVE_CALL = re.compile(r"rove\.\w+")
# A page with a form, whose handlers do what those of most pages do: they write a text.
PAGE = """<!doctype html><title>Order</title><h1>Order</h1><form id=order>
<label>Full name <input name=full_name></label> <label>Street <input name=street></label>
<label>Tea <select name=tea><option>Green tea<option>Black tea</select></label>
<label><input type=checkbox name=gift> A gift</label>
<button type=button onclick="saved.textContent = `Saved ${++count} times`">Save</button></form>
<p id=saved>Not saved</p><script>let count = 0</script>"""
# The first calls of an action import modules and fill caches.
CALLS_BEFORE = 3


@dataclass
class Counts:
    """What one action cost.

    `messages`: commands sent to the browser. `chain`: the most of them that had to wait for each other's answers.
    `calls`: calls of Python functions. `tasks`: tasks of asyncio. `layouts` and `styles`: how often Chromium laid the
    page out, and computed styles. `sent`: the commands by name.
    """

    messages: int = 0
    chain: int = 0
    calls: int = 0
    tasks: int = 0
    layouts: int = 0
    styles: int = 0
    sent: list[str] = field(default_factory=list)


class _Messages:
    """Counts the commands to browsers of all engines, and how many of them followed an answer to an earlier one."""

    def __init__(self) -> None:
        self.counts = Counts()
        self._answered = 0

    def _noting(self, send: Send) -> Send:
        async def noted(connection: Any, *arguments: Any, **options: Any) -> Any:
            depth = self._answered + 1
            called = [name for name in _ROVE_CALL.findall(str(arguments)) if name != "rove.callNumbered"]
            self.counts.messages += 1
            self.counts.chain = max(self.counts.chain, depth)
            self.counts.sent.append(called[0] if called else _command_in(arguments))
            try:
                return await send(connection, *arguments, **options)
            finally:
                self._answered = max(self._answered, depth)

        return noted

    @contextmanager
    def watching(self) -> Generator[None]:
        """Count what is sent meanwhile."""
        with ExitStack() as stack:
            for connection in (CdpConnection, BidiConnection, HttpClient):
                stack.enter_context(patch.object(connection, "send", self._noting(connection.send)))
            yield


def _command_in(arguments: tuple[Any, ...]) -> str:
    """Return the command among the arguments of a connection: a method of a protocol, or of HTTP with its path."""
    return " ".join(each for each in arguments if isinstance(each, str) and not _SESSION.fullmatch(each))


async def count(act: Callable[[], Awaitable[Any]]) -> Counts:
    """Return what an action costs. Nothing else may run in this process meanwhile."""
    messages = _Messages()
    loop = asyncio.get_running_loop()
    factory = loop.get_task_factory()
    tasks = calls = 0

    def make_task(of: asyncio.AbstractEventLoop, work: Any, **options: Any) -> asyncio.Task[Any]:
        nonlocal tasks
        tasks += 1
        return asyncio.Task(work, loop=of, **options)

    def profile(frame: FrameType, event: str, argument: object) -> None:
        nonlocal calls
        calls += event == "call" and frame.f_code.co_filename != __file__

    with messages.watching():
        loop.set_task_factory(make_task)
        sys.setprofile(profile)
        try:
            await act()
        finally:
            sys.setprofile(None)
            loop.set_task_factory(factory)
    return replace(messages.counts, calls=calls, tasks=tasks)


async def count_all(engine: EngineName = "chromium") -> dict[str, Counts]:
    """Return what each action costs on a page with a form: the least of the fourth to the sixth call."""
    found: dict[str, Counts] = {}
    with serving() as site, tempfile.TemporaryDirectory(prefix="rv") as home:
        async with rove.open(allow_host=("127.0.0.1",), home=Path(home), engine=engine) as session:
            address = site.page("/order", PAGE)
            await session.navigate(address)
            for name, act in acts(address).items():
                for turn in range(CALLS_BEFORE):
                    await act(session, turn)
                cdp = await _page_of(session) if engine == "chromium" else None
                turns = range(CALLS_BEFORE, CALLS_BEFORE + 3)
                found[name] = _least([await _count_with_page(partial(act, session, turn), cdp) for turn in turns])
    return found


async def _page_of(session: rove.Session) -> CdpSession:
    engine = session._engine  # pyright: ignore[reportPrivateUsage]
    context = await engine.context(lambda message: None)
    assert context.current is not None
    cdp: CdpSession = cast(Any, context.current).page.cdp
    await cdp.send("Performance.enable")
    return cdp


async def _count_with_page(act: Callable[[], Awaitable[Any]], cdp: CdpSession | None) -> Counts:
    """Count an action, and on Chromium also what the page does for it."""
    if cdp is None:
        return await count(act)
    layouts, styles = await _work_of(cdp)
    counts = await count(act)
    layouts_after, styles_after = await _work_of(cdp)
    return replace(counts, layouts=layouts_after - layouts, styles=styles_after - styles)


async def _work_of(cdp: CdpSession) -> tuple[int, int]:
    metrics = {each["name"]: each["value"] for each in (await cdp.send("Performance.getMetrics"))["metrics"]}
    return int(metrics["LayoutCount"]), int(metrics["RecalcStyleCount"])


def _least(counts: list[Counts]) -> Counts:
    """Return the least of some counts: between two calls, what pages store is saved in the background at times."""
    least = min(counts, key=lambda each: each.messages)
    names = ("calls", "tasks", "layouts", "styles")
    return replace(least, **{name: min(getattr(each, name) for each in counts) for name in names})


def acts(address: str) -> dict[str, Act]:
    """Return the actions by name; each is given how often it was called before."""
    return {
        "evaluate": lambda session, turn: session.evaluate("() => 1 + 1"),
        "snapshot": lambda session, turn: session.snapshot(),
        "find": lambda session, turn: session.find(text="Save"),
        "fill": lambda session, turn: session.fill("[name=full_name]", f"Ada {turn}"),
        "click": lambda session, turn: session.click("button[type=button]"),
        "select": lambda session, turn: session.select("select", [("Green tea", "Black tea")[turn % 2]]),
        "press": lambda session, turn: session.press("a", target="[name=full_name]"),
        "screenshot": lambda session, turn: session.screenshot(),
        "navigate": lambda session, turn: session.navigate(address),
    }


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.action_counts", description=__doc__)
    parser.add_argument("--messages", action="store_true", help="name the commands that each action sends")
    parser.add_argument("--engine", choices=get_args(EngineName), default="chromium", help="the engine to count on")
    arguments = parser.parse_args()
    counts = asyncio.run(count_all(arguments.engine))
    columns = (
        "messages",
        "chain",
        "calls",
        "tasks",
        *(("layouts", "styles") if arguments.engine == "chromium" else ()),
    )
    rows = [[name, *(str(getattr(each, column)) for column in columns)] for name, each in counts.items()]
    print(
        table(
            ["action", "messages", "in a chain", "Python calls", "tasks", "layouts", "styles"][: len(columns) + 1], rows
        )
    )
    if arguments.messages:
        for name, each in counts.items():
            print(f"{name}: {', '.join(each.sent)}")


if __name__ == "__main__":
    main()
