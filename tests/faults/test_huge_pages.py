"""Pages that are too large, deep, tall or crowded: bounded time and output, and a note on what was left out."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.faults.recovery_checks import answered_within, assert_next_page_loads, event_kinds
from tests.faults.servers import never_answer, serving
from tests.site import OWN_SITES, Site

from rove import Session
from rove.actions.navigation import Navigate
from rove.actions.screenshot import Screenshot
from rove.actions.snapshot import Snapshot
from rove.engine.sessions import Sessions
from rove.errors import DeadlineExceeded, PageCrashed, RoveError
from rove.settings.tree import Deadlines, Settings

# The whole run must stay short; `make test-all` runs these too.
pytestmark = pytest.mark.slow

BUDGET = 4000


async def test_20_a_very_long_text_is_cut_with_a_note_on_the_rest(session: Session, site: Site) -> None:
    outcome = await session.run(Navigate(site.page("/", f"<h1>Long</h1><p>{'word ' * 200_000}")), timeout=15)
    assert 'heading "Long"' in outcome.changes.text
    assert "chars)" in outcome.changes.text
    assert outcome.changes.tokens <= BUDGET


async def test_20_html_nested_a_hundred_thousand_deep_is_read(session: Session, site: Site) -> None:
    page = f"<h1>Deep</h1>{'<div>' * 100_000}<p>bottom"
    outcome = await session.run(Navigate(site.page("/", page)), timeout=30)
    assert 'heading "Deep"' in outcome.changes.text and "bottom" in outcome.changes.text
    assert outcome.changes.tokens <= BUDGET
    await assert_next_page_loads(session, site)


async def test_20_nesting_that_crashes_the_page_is_reported_at_once(session: Session, site: Site) -> None:
    page = """<h1>Deep</h1><script>let e = document.body;
      for (let i = 0; i < 100000; i++) { const d = document.createElement('div'); e.append(d); e = d }</script>"""
    with answered_within(20):
        try:
            outcome = await session.run(Navigate(site.page("/", page)), timeout=20)
            assert 'heading "Deep"' in outcome.changes.text
        except PageCrashed as error:
            assert error.code == "page_crashed"
    await assert_next_page_loads(session, site)


async def test_21_a_snapshot_over_its_budget_can_be_continued_without_a_gap(session: Session, site: Site) -> None:
    items = "".join(f"<li><a href=/{number}>Item number {number}</a>" for number in range(1500))
    outcome = await session.run(Navigate(site.page("/", f"<ul>{items}</ul>")), timeout=15)
    seen, text = set[int](), outcome.changes.text
    for _ in range(60):
        assert text.count('"') % 2 == 0  # cut between nodes, never in the middle of one
        seen |= {int(number) for number in re.findall(r"Item number (\d+)\"", text)}
        handle = re.search(r"\[expand ([^\]]+)\]", text)
        if handle is None:
            break
        text = (await session.run(Snapshot(expand=handle[1], budget=20_000), timeout=15)).result.text
    assert seen == set(range(1500))


@pytest.mark.slow  # hundreds of frames
async def test_22_of_hundreds_of_frames_some_are_shown_and_the_rest_are_counted(session: Session, site: Site) -> None:
    page = "<h1>Crowded</h1>" + "<iframe srcdoc='<p>inside'></iframe>" * 150
    with answered_within(20):
        outcome = await session.run(Navigate(site.page("/", page)), timeout=20)
        taken = await session.run(Snapshot(budget=20_000), timeout=20)
    assert 'heading "Crowded"' in outcome.changes.text
    assert 0 < taken.result.text.count('"inside"') < 60
    assert re.search(r"not looked into, as are \d+ frames more", taken.result.text)
    await assert_next_page_loads(session, site)


@pytest.mark.slow
async def test_22_a_page_that_embeds_itself_is_shown_to_a_certain_depth(session: Session, site: Site) -> None:
    page = """<h1>Mirror</h1><script>
      document.write('<iframe src=/?' + Math.random() + '></iframe>')</script>"""
    with answered_within(15):
        outcome = await session.run(Navigate(site.page("/", page)), timeout=15)
    assert 1 <= outcome.changes.text.count('heading "Mirror"') <= 60
    await assert_next_page_loads(session, site)


async def test_29_a_screenshot_of_a_very_tall_page_is_cut_and_says_so(session: Session, site: Site) -> None:
    page = "<body style='margin:0'><div style='height: 100000px; background: linear-gradient(red, blue)'>Tall</div>"
    await session.navigate(site.page("/", page))
    with answered_within(10):
        outcome = await session.run(Screenshot(full_page=True), timeout=10)
    (image,) = outcome.attachments
    assert outcome.result.is_cut and "cut" in str(outcome.result)
    assert max(outcome.result.width, outcome.result.height) <= 1568
    assert len(image.data) > 1000
    await assert_next_page_loads(session, site)


async def test_30_resources_that_never_load_do_not_block_a_screenshot(session: Session, site: Site) -> None:
    async with serving(never_answer) as place:
        page = f"""<style>@font-face {{ font-family: X; src: url(http://{place}/x.woff) }} h1 {{ font-family: X }}
          </style><h1>Words</h1><img src=http://{place}/x.png>"""
        await session.run(Navigate(site.page("/", page)), timeout=2)
        with answered_within(5):
            outcome = await session.run(Screenshot(), timeout=5)
        assert outcome.attachments[0].data.startswith(b"\x89PNG")
        await assert_next_page_loads(session, site)


@pytest.mark.slow  # waits for what never comes
async def test_30_a_style_sheet_that_never_loads_does_not_block_a_screenshot(session: Session, site: Site) -> None:
    async with serving(never_answer) as place:
        page = f"<link rel=stylesheet href=http://{place}/x.css><h1>Words</h1>"
        await session.run(Navigate(site.page("/", page)), timeout=5)
        with answered_within(5):
            outcome = await session.run(Screenshot(), timeout=5)
        assert outcome.attachments[0].data.startswith(b"\x89PNG")
        assert "loading stopped" in event_kinds(outcome)
        await assert_next_page_loads(session, site)


# The largest pages


@pytest.fixture
async def own(home: Path) -> AsyncGenerator[Session]:
    """A session with a browser of its own, because the memory of these pages is not freed at once."""
    async with Sessions(Settings(allow_host=OWN_SITES, home=home / "huge", deadlines=Deadlines(launch=60))) as sessions:
        yield Session(sessions, None)


HUGE = {
    "ten_megabytes_on_a_line": f"<h1>Huge</h1><p>{'word ' * 2_000_000}",
    "a_million_nodes": """<h1>Huge</h1><script>const all = document.createDocumentFragment();
      for (let i = 0; i < 1e6; i++) all.append(document.createElement('i')); document.body.append(all)</script>""",
    "a_million_rows": """<h1>Huge</h1><table id=t></table><script>
      t.innerHTML = '<tr><td>1<td>name<td><button>Edit</button>'.repeat(150000)</script>""",
    "five_thousand_frames": f"<h1>Huge</h1>{'<iframe></iframe>' * 5000}",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", HUGE)
async def test_20_22_the_largest_pages_are_answered_by_the_deadline(own: Session, site: Site, name: str) -> None:
    with answered_within(40):
        try:
            outcome = await own.run(Navigate(site.page("/", HUGE[name])), timeout=40)
            assert 'heading "Huge"' in outcome.changes.text
            assert outcome.changes.tokens <= BUDGET
        except (DeadlineExceeded, PageCrashed) as error:
            assert "busy" in error.message or error.code == "page_crashed"
    with answered_within(20):
        try:
            taken = await own.run(Snapshot(), timeout=20)
            assert taken.result.tokens <= BUDGET
        except RoveError as error:
            assert error.code in ("deadline_exceeded", "page_crashed")
    await assert_next_page_loads(own, site)
