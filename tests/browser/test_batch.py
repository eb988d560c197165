"""Batches: several actions in one call."""

from __future__ import annotations

import asyncio
import json
from base64 import b64decode
from pathlib import Path

import pytest
from tests.batches import stopped
from tests.site import Site

from rove import Session
from rove.action import parse
from rove.actions.batch import Batch
from rove.errors import InvalidArguments

pytestmark = pytest.mark.one_session


async def test_a_batch_runs_its_steps_in_order(session: Session, site: Site) -> None:
    url = site.page(
        "/", "<input id=n><button onclick=\"out.textContent = 'Hello ' + n.value\">Go</button><p id=out></p>"
    )
    outcome = await session.batch(
        (
            {"action": "navigate", "url": url},
            {"action": "fill", "target": "#n", "value": "Bea"},
            {"action": "click", "target": "button"},
            {"action": "extract", "target": "#out"},
        )
    )
    assert outcome.result.failed is None
    assert [step.action for step in outcome.result.done] == ["navigate", "fill", "click", "extract"]
    assert outcome.result.done[-1].result.content == ("Hello Bea",)


async def test_a_batch_stops_at_the_first_failure_and_says_where(session: Session, site: Site) -> None:
    url = site.page("/", "<p id=p>Text</p>")
    steps = (
        {"action": "navigate", "url": url},
        {"action": "click", "target": "#missing"},
        {"action": "evaluate", "expression": "p.remove()"},
    )
    outcome = await stopped(session.batch(steps))
    failed = outcome.result.failed
    assert failed is not None
    assert (failed.index, failed.action, failed.error.code) == (1, "click", "element_not_found")
    assert (len(outcome.result.done), len(outcome.result.not_run)) == (1, 1)
    assert (await session.extract("p")).result.content == ("Text",)


async def test_the_policy_decides_on_every_step(session: Session, site: Site) -> None:
    outcome = await stopped(session.batch(({"action": "navigate", "url": "file:///etc/passwd"},)))
    assert outcome.result.failed is not None
    assert outcome.result.failed.error.code == "denied"


@pytest.mark.parametrize(
    ("bad", "field"),
    [
        ({"action": "click"}, "target"),
        ({"action": "click", "target": "p", "colour": "red"}, "colour"),
        ({"action": "fly"}, "fly"),
        ({"target": "p"}, "step 2"),
        ({"action": "batch", "steps": []}, "step 2"),
        ({"action": "batch", "steps": [{"action": "status"}]}, "step 2"),
    ],
)
async def test_an_invalid_step_is_refused_by_number_before_any_step_runs(
    session: Session, site: Site, bad: dict[str, object], field: str
) -> None:
    url = site.page("/", "<p>Text</p>")
    with pytest.raises(InvalidArguments) as caught:
        parse("batch", {"steps": [{"action": "navigate", "url": url}, bad]})
    assert "step 2" in caught.value.message
    assert field in caught.value.message
    assert site.requests == []


async def test_screenshots_of_the_steps_are_attached_to_the_result(session: Session, site: Site) -> None:
    url = site.page("/", "<p>Text</p>")
    outcome = await session.batch(({"action": "navigate", "url": url}, {"action": "screenshot"}))
    assert [image.mime for image in outcome.attachments] == ["image/png"]


async def test_the_journal_records_a_screenshot_once(session: Session, site: Site, home: Path) -> None:
    outcome = await session.batch(({"action": "navigate", "url": site.page("/", "<p>x</p>")}, {"action": "screenshot"}))
    journal = (home / "sessions" / f"{outcome.session}.jsonl").read_text().splitlines()
    *_, step, batch = [json.loads(line) for line in journal]
    assert (step["action"], batch["action"]) == ("screenshot", "batch")
    assert [b64decode(kept["data"]) for kept in step["attachments"]] == [outcome.attachments[0].data]
    assert batch["attachments"] == []


async def test_a_step_that_opens_a_dialog_fails_the_next(session: Session, site: Site) -> None:
    url = site.page("/", "<button onclick=\"alert('Stop')\">Go</button>")
    await session.navigate(url)
    outcome = await stopped(session.batch(({"action": "click", "target": "button"}, {"action": "snapshot"})))
    assert outcome.result.failed is not None
    assert (outcome.result.failed.index, outcome.result.failed.error.code) == (1, "dialog_open")
    await session.dialog(accept=True)


@pytest.mark.parametrize("steps", [[], [{"action": "status"}] * 51])
def test_a_batch_has_at_least_one_step_and_at_most_fifty(steps: list[dict[str, object]]) -> None:
    with pytest.raises(InvalidArguments) as caught:
        parse("batch", {"steps": steps})
    assert "`steps`" in caught.value.message


async def test_progress_is_reported_step_by_step(session: Session, site: Site) -> None:
    url = site.page("/", "<p>Text</p>")
    heard: list[tuple[str, int, int]] = []
    steps = ({"action": "navigate", "url": url}, {"action": "extract", "target": "p"})
    engine = session._engine
    await engine.run(Batch(steps), report=lambda *step: heard.append(step))
    assert [(done, total) for _, done, total in heard] == [(0, 2), (1, 2)]


async def test_no_other_call_acts_on_the_tab_between_two_steps(session: Session, site: Site) -> None:
    addresses = [site.page(f"/tea{number}", f"<title>Tea</title><h1>Tea {number}</h1>") for number in range(3)]
    visits = [({"action": "navigate", "url": url}, {"action": "extract"}) for url in addresses]
    outcomes = await asyncio.gather(*(session.batch(steps=steps) for steps in visits))
    read = [outcome.result.parts[1].result.content for outcome in outcomes]
    assert read == [("Tea 0",), ("Tea 1",), ("Tea 2",)]
    both = await asyncio.gather(session.visit(addresses[0]), session.visit(addresses[1]))
    assert [outcome.result.parts[-1].result.title for outcome in both] == ["Tea", "Tea"]
    assert [outcome.url for outcome in both] == addresses[:2]
