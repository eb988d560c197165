"""Answers that say what happened: states that are off now, waits in vain, misspelt keys, refused ports."""

from __future__ import annotations

import re
from collections.abc import Awaitable
from typing import Any

import pytest
from tests.site import Site

from rove import Session
from rove.errors import RoveError
from rove.toolsets.outcome_text import as_text, error_text

pytestmark = pytest.mark.one_session


async def error_of(work: Awaitable[Any]) -> RoveError:
    with pytest.raises(RoveError) as caught:
        await work
    return caught.value


async def test_an_act_that_changed_nothing_names_the_element_in_the_wrapper(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<button autofocus>Save</button>"))
    await session.click("button")
    answer = as_text(await session.click("button"))
    assert re.fullmatch(
        r'<untrusted (\d+) \S+>\nClicked button "Save"\.\n</untrusted \1>\nNothing changed within .*', answer
    )
    assert as_text(await session.hover("700,500")).startswith("Pointing at the point 700,500.")


@pytest.mark.parametrize(
    ("page", "lost"),
    [
        ("<label><input type=checkbox checked>Tea</label>", "checked"),
        (
            "<button aria-label=Tea onclick=\"this.removeAttribute('aria-current')\" aria-current=page>T</button>",
            "current=page",
        ),
        (
            "<ul role=listbox><li role=option aria-selected=true onclick=\"this.ariaSelected = 'false'\">Tea</ul>",
            "selected",
        ),
    ],
)
async def test_a_state_that_is_off_now_is_told(session: Session, site: Site, page: str, lost: str) -> None:
    await session.navigate(site.page("/", page))
    text = (await session.click("input, button, [role=option]")).changes.text
    assert f"(no longer {lost})" in text
    assert "Tea" in text


async def test_one_character_and_one_field_are_singular(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<input>"))
    assert "Typed 1 character into" in str((await session.type("a", "input")).result)
    assert "Typed 2 characters into" in str((await session.type("bc", "input")).result)
    filled = await session.fill_form(({"target": "input", "value": "x"},))
    assert str(filled.result) == "Filled 1 field."


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        (
            {"text": "Order shipped"},
            "the text 'Order shipped' did not appear. The page shows: \"Order skipped\"; alert",
        ),
        ({"text": "order SKIPPED"}, 'did not appear. The page shows: "Order skipped"'),
        ({"gone": "Order skipped"}, 'did not disappear. It is in "Order skipped"'),
        ({"selector": "#none"}, "#none did not become visible. The page shows: alert"),
        ({"url": "/done"}, "the URL did not come to match /done; it is http"),
    ],
)
async def test_a_wait_in_vain_says_so_and_what_the_page_shows(
    session: Session, site: Site, wanted: dict[str, str], said: str
) -> None:
    await session.navigate(site.page("/", "<p>Order skipped</p><p role=alert>Card refused</p>"))
    error = await error_of(session.wait(**wanted, seconds=0.3))  # type: ignore[arg-type]
    assert error.code == "deadline_exceeded"
    assert re.match(r"Timed out after 0\.3 s: ", error.message)
    assert said in error.message
    assert "<untrusted" in error_text(error)


async def test_a_wait_in_vain_names_the_time_that_was_asked_for(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<p>Order skipped</p>"))
    error = await error_of(session.using(timeout=1).wait("Card refused"))
    assert error.message.startswith("Timed out after 1 s: ")


@pytest.mark.parametrize(
    ("key", "meant"), [("Escpe", "Escape"), ("arrowdwn", "ArrowDown"), ("Contrl+a", "Control"), ("Entre", "Enter")]
)
async def test_a_misspelt_key_is_answered_with_the_nearest(session: Session, key: str, meant: str) -> None:
    assert f"Did you mean {meant}?" in (await error_of(session.press(key))).message
    assert "Did you mean" not in (await error_of(session.press("Qqqqqq"))).message


async def test_a_port_that_browsers_refuse_is_not_said_to_be_slow(session: Session) -> None:
    error = await error_of(session.navigate("http://127.0.0.1:6000/"))
    assert (error.code, error.retryable) == ("navigation_failed", False)
    assert "another one" in error.hint
