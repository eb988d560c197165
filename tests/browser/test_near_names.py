"""Targets by a name that matches nothing, or only in part."""

from __future__ import annotations

import re
import time
from collections.abc import Awaitable
from typing import Any

import pytest
from tests.site import Site

from rove import Session
from rove.errors import RoveError
from rove.toolsets.outcome_text import as_text, error_text

pytestmark = pytest.mark.one_session

PAGE = """<ul><li><a href=#a>Documents</a><li><a href=#b>Downloads</a></ul>
<button>Save all</button><button>Cancel</button><label>Search <input></label>"""


async def error_of(work: Awaitable[Any]) -> RoveError:
    with pytest.raises(RoveError) as caught:
        await work
    return caught.value


@pytest.mark.parametrize(
    ("target", "nearest"),
    [
        ('button "Cancle"', 'button "Cancel"'),
        pytest.param('button "Documents"', 'link "Documents"', marks=pytest.mark.slow),
        ('link "Dokuments"', 'link "Documents"'),
        pytest.param('button "Cancel the order"', 'button "Cancel"', marks=pytest.mark.slow),
        ('textbox "Query"', 'textbox "Search"'),
        pytest.param("Download", 'link "Downloads"', marks=pytest.mark.slow),
        ("button Cancel", 'button "Cancel"'),
    ],
)
async def test_a_name_that_matches_nothing_is_answered_with_the_nearest(
    session: Session, site: Site, target: str, nearest: str
) -> None:
    await session.navigate(site.page("/", PAGE))
    error = await error_of(session.click(target))
    assert error.code == "element_not_found"
    assert re.search(rf"The nearest: {nearest} \[e\d+\]", error.message)
    assert "<untrusted" in error_text(error)


async def test_nothing_is_suggested_where_nothing_is_near(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<button>Cancel</button><button style='opacity: 0'>Buy now</button>"))
    error = await error_of(session.click('link "Buy now!"'))
    assert "nearest" not in error.message
    assert "<untrusted" not in error_text(error)


async def test_names_of_a_frame_of_another_origin_are_suggested_with_that_origin(session: Session, site: Site) -> None:
    site.page("/inner", "<button>Obey</button>")
    await session.navigate(site.page("/", f"<iframe src={site.url('/inner', host='localhost')}></iframe>"))
    error = await error_of(session.click('button "Obay"'))
    assert error.origins == (site.url("", host="localhost"),)


async def test_a_page_with_nothing_planned_answers_before_one_with_a_timer(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", PAGE))
    waits = []
    for script in "0", "void setInterval(() => {}, 1900)":
        await session.evaluate(script)
        began = time.monotonic()
        await error_of(session.click('button "Nowhere"'))
        waits.append(time.monotonic() - began)
    assert waits[0] < waits[1] - 0.5
    assert waits[1] >= 1.9


async def test_a_role_alone_is_answered_with_how_to_name_an_element(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", PAGE))
    for target in "list", "button", "heading":
        assert 'button "Save"' in (await error_of(session.click(target))).hint, target
    assert 'button "Save"' not in (await error_of(session.click("#nowhere"))).hint


async def test_a_match_by_part_of_a_name_is_said(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", PAGE))
    answer = as_text(await session.click('button "Save"'))
    assert re.search(r'\(matched by part of its name\) button "Save" is e\d+\.', answer)
    assert 'Clicked button "Save all".' in answer
    for target in 'button "save all"', 'button "Cancel"', "button:last-of-type":
        assert "matched by part" not in as_text(await session.click(target))


async def test_a_whole_name_in_a_frame_is_preferred_to_a_part_of_one_in_the_page(session: Session, site: Site) -> None:
    inner = site.page("/inner", "<button>Save</button>")
    await session.navigate(site.page("/", f"{PAGE}<iframe src={inner}></iframe>"))
    assert (await session.click('button "Save"')).result.element == 'button "Save"'
