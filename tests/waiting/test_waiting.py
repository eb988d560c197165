"""Pages in which something goes on: what a person can see within two seconds is told, or named as pending."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Generator

import pytest
from bench.waiting.verdict import WITHIN, untold
from bench.waiting.watcher import READ, Reading
from tests.waiting.kinds import KINDS, Beginning, Kind, document
from tests.waiting.site import serving

from rove import Session
from rove.outcome import AnyOutcome
from rove.toolsets.outcome_text import as_text

pytestmark = pytest.mark.one_session

# The others come about in one of these ways too.
QUICK = frozenset(
    [
        ("interval of 50 ms", "click"),
        ("awaited sleeps", "click"),
        ("animation frames", "load"),
        ("box that is moved about by a transform", "click"),
        ("attribute that toggles", "load"),
        ("clock that ticks each second", "click"),
        ("clock that ticks each second", "before"),
        ("text that changes every 100 ms", "load"),
        ("text that changes with each frame", "before"),
        ("field whose value is set every 100 ms", "before"),
        ("count that ends", "click"),
        ("drawer that slides in slowly", "click"),
        ("single timer of 0.9 s that writes", "load"),
        ("work in slices by messages", "click"),
        ("work in slices by timers", "load"),
        ("countdown in memory", "click"),
        ("countdown in storage", "click"),
        ("content in fifty pieces", "load"),
        ("picture that takes 3 s", "load"),
        ("picture whose arrival writes", "click"),
        ("long poll", "click"),
        ("poll that ends in a text", "load"),
        ("events of a server", "load"),
        ("answer of a worker", "load"),
        ("data sent, and a confirmation late", "click"),
        ("spinner for 1.5 s, by a timer", "load"),
        ("empty until 1.3 s", "load"),
        ("handlers that come late", "load"),
    ]
)
CASES = [
    pytest.param(
        kind, begins, id=f"{kind.name}, {begins}", marks=[] if (kind.name, begins) in QUICK else [pytest.mark.slow]
    )
    for kind in KINDS
    for begins in kind.begins
]


@pytest.fixture(scope="module")
def address() -> Generator[str]:
    pages = {_path(kind, begins): (document(kind, begins), "text/html") for kind in KINDS for begins in kind.begins}
    with serving(pages) as address:
        yield address


def _path(kind: Kind, begins: Beginning) -> str:
    return f"/{KINDS.index(kind)}/{begins}"


async def _read(session: Session) -> Reading:
    text = (await session.evaluate(READ)).result.value
    return Reading(time.perf_counter(), dict(json.loads(str(text))))


@pytest.mark.parametrize(("kind", "begins"), CASES)
async def test_what_is_seen_within_two_seconds_is_told_or_named(
    session: Session, address: str, kind: Kind, begins: Beginning
) -> None:
    began, before = time.perf_counter(), None
    outcome: AnyOutcome
    outcome = await session.navigate(address + _path(kind, begins))
    if begins != "load":
        await asyncio.sleep(1.2)  # the page goes on by itself before it is pressed
        await session.snapshot()
        before = await _read(session)
        began = time.perf_counter()
        outcome = await session.click('button "Go"')
    readings = [await _read(session)]
    await asyncio.sleep(began + WITHIN - time.perf_counter())
    readings.append(await _read(session))
    text = as_text(outcome)
    assert not untold(text, before, readings, kind.pending), text


@pytest.mark.parametrize("begins", ["load", "click"])
async def test_a_loop_without_effect_is_not_followed_to_the_limit(
    session: Session, address: str, begins: Beginning
) -> None:
    kind = next(kind for kind in KINDS if kind.name == "interval of 50 ms")
    await session.navigate(address + _path(kind, begins))
    if begins == "click":
        await session.click('button "Go"')
    # The limit is two seconds, in which it runs 40 times.
    assert int((await session.evaluate("self.count")).result.value) < 25
    if begins == "click":
        await session.evaluate("self.count = 0; out.textContent = 'Ready'")
        await session.click('button "Go"')
        # It is known by now: not even the time is waited for in which it was found to be idle.
        assert int((await session.evaluate("self.count")).result.value) < 8
