"""What a batch answers: one line per step, one difference for all of them, and everything that happened."""

from __future__ import annotations

import re
import threading
from typing import Any

import pytest
from tests.batches import stopped
from tests.site import Site

from rove import Session
from rove.errors import RoveError
from rove.toolsets.outcome_text import as_data, as_text, error_data, error_text

SHOP = """<title>Shop</title><input id=name aria-label=Name>
<button id=order onclick="out.textContent = 'Order for ' + document.getElementById('name').value">Order</button>
<p id=out></p>
<button id=save onclick="
  window.toast = document.createElement('div');
  toast.setAttribute('role', 'status'); toast.textContent = 'Saved!'; document.body.append(toast)">Save</button>
<button id=undo onclick="toast.remove()">Undo</button>
<button id=popup onclick="window.open('/two')">Open</button>
<button id=push onclick="history.pushState(1, '', '/three'); document.title = 'Three'">Push</button>
<a id=next href=/two>Next</a><a id=file href="data:,x" download=f.txt>File</a>
<button id=never disabled>Never</button>"""
TWO = "<title>Two</title><button>Delete all</button>"


def click(target: str) -> dict[str, Any]:
    return {"action": "click", "target": target}


@pytest.fixture
async def shop(session: Session, site: Site) -> Session:
    site.page("/two", TWO)
    await session.navigate(site.page("/", SHOP))
    return session


async def answer(session: Session, *steps: dict[str, Any], **options: Any) -> str:
    """Return the text of a batch's answer, without the markers of page text."""
    outcome = await session.using(**options).batch(steps)
    return re.sub(r"</?untrusted [^>]*>\n?", "", as_text(outcome) + "\n")


async def test_what_any_step_changed_is_told_though_the_last_one_changed_nothing(shop: Session) -> None:
    fill = {"action": "fill", "target": "#name", "value": "Bea"}
    text = await answer(shop, fill, click("#order"), {"action": "hover", "target": "#undo"})
    assert text.splitlines()[:3] == [
        '1. fill: Filled textbox "Name" (aria).',
        '2. click: Clicked button "Order".',
        '3. hover: Pointing at button "Undo".',
    ]
    assert 'value="Bea"' in text
    assert '"Order for Bea"' in text
    assert text.count("Order for Bea") == 1


async def test_what_came_and_went_between_the_steps_is_told(shop: Session) -> None:
    text = await answer(shop, click("#save"), click("#undo"))
    assert 'Shown for a moment, and gone again:\nstatus: "Saved!"' in text


async def test_new_tabs_and_downloads_of_every_step_are_told(shop: Session) -> None:
    text = await answer(shop, click("#popup"), click("#file"), click("#order"))
    assert "(new tab) t2" in text
    assert "(download)" in text


async def test_a_batch_that_ends_on_another_page_tells_that_page_with_title_and_url(shop: Session, site: Site) -> None:
    outcome = await shop.batch((click("#save"), click("#next")))
    assert (outcome.title, outcome.url, outcome.tab) == ("Two", site.url("/two"), "t1")
    assert outcome.changes.kind == "page"
    text = as_text(outcome)
    assert f'"Two" {site.url("/two")}' in text
    assert "Delete all" in text
    assert "Saved!" not in text
    assert as_data(outcome)["url"] == site.url("/two")


async def test_another_address_of_the_same_document_is_told(shop: Session, site: Site) -> None:
    text = await answer(shop, click("#push"), click("#order"))
    assert f'Now at "Three" {site.url("/three")}' in text


async def test_what_is_still_pending_after_the_last_step_is_told(session: Session, site: Site) -> None:
    site.page("/slow", "", hold=threading.Event())
    await session.navigate(site.page("/", "<button id=go onclick=\"fetch('/slow')\">Go</button>"))
    text = await answer(session, click("#go"), {"action": "extract", "target": "#go"})
    assert f"Still pending:\nGET {site.url('/slow')}" in text


async def test_a_failed_step_is_told_with_what_changed_until_then_and_what_was_not_run(shop: Session) -> None:
    outcome = await stopped(shop.batch((click("#save"), click("e999"), {"action": "press", "key": "Enter"})))
    text = as_text(outcome)
    assert "2. click: failed.\nelement_not_found: There is no ref e999" in text
    assert "3. not run: Press Enter" in text
    assert '+ status: "Saved!"' in text
    assert outcome.result.error is not None
    assert "Step 1 is done: do not repeat it." in outcome.result.error.hint


async def test_a_batch_of_which_a_part_is_done_is_not_retryable(shop: Session) -> None:
    outcome = await stopped(shop.using(timeout=2).batch((click("#save"), click("#never"))))
    assert outcome.result.error is not None
    assert (outcome.result.error.code, error_data(outcome.result.error)["retryable"]) == ("element_not_ready", False)
    first = await stopped(shop.using(timeout=2).batch((click("#never"), click("#save"))))
    assert first.result.error is not None
    assert error_data(first.result.error)["retryable"] is True


async def test_a_snapshot_among_the_steps_is_not_told_twice(shop: Session, site: Site) -> None:
    text = await answer(shop, {"action": "navigate", "url": site.url("/two")}, {"action": "snapshot"})
    assert text.count("Delete all") == 1
    assert f"1. navigate: {site.url('/two')}" in text


async def test_changes_of_another_tab_than_the_last_are_told_with_its_id(shop: Session) -> None:
    await shop.click("#popup")
    switch = {"action": "tabs", "operation": "switch", "tab": "t2"}
    text = await answer(shop, click("#save"), switch)
    assert "In t2:" in text
    assert re.search(r'In t1:\n(?:.*\n)*?\+ status: "Saved!"', text)


async def test_with_changes_left_out_the_steps_and_events_are_told(shop: Session) -> None:
    text = await answer(shop, click("#save"), click("#popup"), quiet=True)
    assert "Saved!" not in text
    assert '1. click: Clicked button "Save".' in text
    assert "(new tab) t2" in text


async def test_a_dialog_that_a_later_step_answers_is_not_told_as_open(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<button onclick=\"document.title = confirm('Sure?')\">Go</button>"))
    text = await answer(session, click("button"), {"action": "dialog", "accept": True})
    assert 'Accepted the confirm "Sure?"' in text
    assert "(dialog open)" not in text
    assert "(dialog open)" in await answer(session, click("button"))
    await session.dialog(accept=True)


@pytest.mark.parametrize(
    ("step", "words"),
    [
        ({"target": "e1"}, "step 1 has no `action`"),
        ({"action": 3}, "step 1 has no `action`"),
        ({"action": "browser_click", "target": "e1"}, "did you mean `click`?"),
        ({"action": "clik", "target": "e1"}, "did you mean `click`?"),
        ({"action": "fly"}, "There are: navigate"),
        ({"action": "click", "tarket": "e1"}, "click, which takes: target"),
    ],
)
async def test_a_step_that_is_no_action_is_refused_as_a_single_call_would_be(
    session: Session, step: dict[str, Any], words: str
) -> None:
    with pytest.raises(RoveError) as caught:
        await session.batch((step,))
    assert caught.value.code == "invalid_arguments"
    assert words in error_text(caught.value)
