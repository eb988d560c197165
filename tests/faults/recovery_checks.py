"""Checks that fault tests share: calls answer in time, and the session loads the next page."""

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

# Seconds that a busy machine may add to a deadline.
MARGIN = 5.0
# Seconds within which the next page has to load after a fault.
RECOVERY = 15.0


@contextmanager
def answered_within(seconds: float) -> Generator[None]:
    """Assert that the calls in the block answer, with a result or an error, by their deadline."""
    began = time.monotonic()
    yield
    assert time.monotonic() - began < seconds + MARGIN


async def assert_next_page_loads(session: Session, site: Site, seconds: float = RECOVERY) -> AnyOutcome:
    """Assert that the session still loads a page after a fault; return the outcome."""
    outcome = await session.run(Navigate(site.page("/good", "<h1>Good</h1>")), timeout=seconds)
    assert 'heading "Good"' in outcome.changes.text
    return outcome


async def eventually(condition: Callable[[], bool], timeout: float = 10.0) -> None:
    """Wait until the condition holds."""
    async with asyncio.timeout(timeout):
        while not condition():
            await asyncio.sleep(0.01)


def event_kinds(outcome: AnyOutcome) -> list[str]:
    return [event.kind for event in outcome.events]


def event_text(outcome: AnyOutcome, kind: str) -> str:
    """Return the text of the only event of this kind, and what rove says of it."""
    (text,) = [f"{event.text} {event.advice}".strip() for event in outcome.events if event.kind == kind]
    return text


def browser_with(folder: Path, browser: Path, *flags: str) -> Path:
    """Write a script that starts the browser with extra flags; return its path."""
    script = folder / "browser"
    script.write_text(f'#!/bin/sh\nexec {browser} {" ".join(flags)} "$@"\n')
    script.chmod(0o755)
    return script
