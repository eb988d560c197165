"""Finding elements and text without reading the whole page."""

from __future__ import annotations

import pytest
from tests.site import Site

from rove import Session
from rove.errors import InvalidArguments

pytestmark = pytest.mark.one_session

ROWS = "".join(f"<tr><td>Row {n}</td><td><button onclick='this.textContent = \"done\"'>Edit</button></td></tr>"
               for n in range(1, 2001))  # fmt: skip


async def test_one_call_finds_a_button_in_a_long_table(session: Session, site: Site) -> None:
    first = await session.navigate(site.page("/", f"<table>{ROWS}</table>"))
    assert first.changes.tokens <= 4000
    assert "Row 1987" not in first.changes.text
    found = (await session.find(text="Row 1987")).result
    assert found.total == 1
    assert found.matches[0].ref is not None


async def test_a_found_element_can_be_clicked_and_the_result_is_short(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", f"<table>{ROWS}</table>"))
    (match,) = (await session.find(text="Row 1987")).result.matches
    button = next(line for line in match.after if "Edit" in line).rpartition("[")[2].rstrip("]")
    outcome = await session.click(button)
    assert outcome.changes.kind == "changes"
    assert outcome.changes.tokens < 150
    assert "done" in outcome.changes.text


async def test_the_ref_of_a_match_is_the_innermost_element_with_the_text(session: Session, site: Site) -> None:
    page = "<p id=p>Lorem ipsum dolor <u id=u>amet</u> sit</p><div id=row style='cursor: pointer'>Mail <i>new</i></div>"
    await session.navigate(site.page("/", page + "<script>onclick = (event) => { pressed = event.target.id }</script>"))
    for words, pressed in (("amet", "u"), ("ipsum", "p"), ("Mail", "row")):
        (match,) = (await session.find(text=words)).result.matches
        assert match.ref is not None
        await session.click(match.ref)
        assert (await session.evaluate("pressed")).result.value == pressed


async def test_find_by_role_and_regex(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<button>One</button><button>Two</button><a href=/x>Three</a>"))
    assert (await session.find(role="button")).result.total == 2
    assert (await session.find(regex="^T(wo|hree)")).result.total == 2


async def test_a_search_looks_into_frames(session: Session, site: Site) -> None:
    site.page("/inner", "<button>Inside</button>")
    await session.navigate(site.page("/", '<iframe src="/inner"></iframe>'))
    (match,) = (await session.find(text="inside")).result.matches
    assert match.ref is not None
    assert match.ref.startswith("f")


async def test_an_invalid_search_is_refused(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<p>x</p>"))
    with pytest.raises(InvalidArguments):
        await session.find()
    with pytest.raises(InvalidArguments):
        await session.find(regex="(")


async def test_a_search_without_matches_says_so(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<p>x</p>"))
    assert str((await session.find(text="absent")).result) == "Nothing on the page matches."
