"""What a page shows for a moment between two timers of one action."""

from __future__ import annotations

import asyncio
import threading

import pytest
from tests.site import Site

from rove import Session

pytestmark = pytest.mark.one_session


@pytest.mark.parametrize(
    "times", [(120, 500), *(pytest.param(times, marks=pytest.mark.slow) for times in ((150, 450), (250, 650)))]
)
async def test_a_text_that_comes_and_goes_with_timers_is_told(
    session: Session, site: Site, times: tuple[int, int]
) -> None:
    shows, hides = (
        f"setTimeout(() => note.textContent = '{text}', {time})"
        for text, time in zip(("Loading…", ""), times, strict=True)
    )
    await session.navigate(site.page("/", f'<button onclick="{shows}; {hides}">Go</button><p id=note></p>'))
    text = (await session.click("button")).changes.text
    assert "Shown for a moment" in text
    assert '"Loading…"' in text


async def test_each_of_several_moments_is_told_beside_the_result(session: Session, site: Site) -> None:
    steps = "".join(
        f"setTimeout(() => note.textContent = '{text}', {at});"
        for text, at in (("One", 150), ("Two", 400), ("Done", 700))
    )
    await session.navigate(site.page("/", f'<button onclick="{steps}">Go</button><p id=note>Ready</p>'))
    text = (await session.click("button")).changes.text
    assert '"Ready" → "Done"' in text
    assert '"One"' in text
    assert '"Two"' in text


async def test_a_text_that_is_shown_as_long_as_a_request_takes_is_told(session: Session, site: Site) -> None:
    hold = threading.Event()
    site.page("/slow", "Bread", kind="text/plain", hold=hold)
    script = """async () => { note.textContent = 'Loading…';
      const answer = await (await fetch('/slow')).text(); note.textContent = ''; list.textContent = answer }"""
    page = f'<button onclick="({script})()">Go</button><p id=note></p><p id=list>Nothing yet</p>'
    await session.navigate(site.page("/", page))
    asyncio.get_running_loop().call_later(0.7, hold.set)
    text = (await session.click("button")).changes.text
    assert '"Nothing yet" → "Bread"' in text
    assert 'Shown for a moment, and gone again:\n"Loading…"' in text
    assert "Loading…" not in (await session.press("Tab")).changes.text
