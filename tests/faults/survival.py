"""What every fault test asks: was there an answer in time, and does the next page work?"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

from tests.site import Site

from rove import Session
from rove.actions.navigation import Navigate
from rove.outcome import AnyOutcome

# What a busy machine may add to a deadline.
MARGIN = 5.0
# Within which the next good page has to be there, whatever happened before.
RECOVERY = 15.0


@contextmanager
def answered_within(seconds: float) -> Generator[None]:
    """The calls in the block answer, well or badly, by their deadline."""
    began = time.monotonic()
    yield
    assert time.monotonic() - began < seconds + MARGIN


async def goes_on(session: Session, site: Site) -> AnyOutcome:
    """After whatever was done to it, the session loads the next good page."""
    outcome = await session.run(Navigate(site.page("/good", "<h1>Good</h1>")), timeout=RECOVERY)
    assert 'heading "Good"' in outcome.changes.text
    return outcome


async def eventually(holds: Callable[[], bool], patience: float = 10.0) -> None:
    async with asyncio.timeout(patience):
        while not holds():
            await asyncio.sleep(0.01)


def kinds(outcome: AnyOutcome) -> list[str]:
    return [event.kind for event in outcome.events]


def told(outcome: AnyOutcome, kind: str) -> str:
    """The words of the one event of a kind."""
    (text,) = [event.text for event in outcome.events if event.kind == kind]
    return text


def browser_with(folder: Path, browser: Path, *flags: str) -> Path:
    """The same browser, started with flags that rove would not give it."""
    script = folder / "browser"
    script.write_text(f'#!/bin/sh\nexec {browser} {" ".join(flags)} "$@"\n')
    script.chmod(0o755)
    return script
