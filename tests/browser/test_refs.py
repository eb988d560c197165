"""Refs: a number never means another element, and an old one is refused with what happened."""

from __future__ import annotations

import re

import pytest
from tests.site import Site

from rove import Session
from rove.errors import RoveError


def refs_in(text: str) -> list[str]:
    return re.findall(r"\[((?:f\d+)?e\d+)\]", text)


async def refusal(session: Session, ref: str) -> RoveError:
    with pytest.raises(RoveError) as caught:
        await session.click(ref)
    return caught.value


async def test_tabs_of_a_session_share_no_ref(session: Session, site: Site) -> None:
    url = site.page("/", "<button>A</button><button>B</button>")
    first = refs_in((await session.navigate(url)).changes.text)
    second = refs_in((await session.tabs("new", url=url)).changes.text)
    more = await session.using(tab="t1").evaluate("document.body.append(document.createElement('button'))")
    assert len({*first, *second, *refs_in(more.changes.text)}) == 5
    error = await refusal(session, first[0])
    assert (error.code, error.hint) == ("element_not_found", "Pass `tab`: t1.")
    assert (await session.using(tab="t1").click(first[0])).result.ref == first[0]


async def test_refs_that_an_error_gave_mean_nothing_in_the_next_document(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<p id=p>Text</p><p>Text</p><p>Text</p>"))
    with pytest.raises(RoveError) as caught:
        await session.extract("p")
    given = refs_in(caught.value.message)
    assert len(given) == 3
    after = await session.navigate(site.page("/2", "<button>Delete all</button>" * 5))
    assert not {*given} & {*refs_in(after.changes.text)}
    error = await refusal(session, given[0])
    assert error.code == "element_gone"
    assert "has left that page" in error.message


async def test_a_ref_that_was_never_given_out_says_so(session: Session, site: Site) -> None:
    (ref,) = refs_in((await session.navigate(site.page("/", "<button>A</button>"))).changes.text)
    error = await refusal(session, "e999")
    assert (error.code, error.message) == (
        "element_not_found", f"There is no ref e999: the newest is {ref}.",
    )  # fmt: skip


async def test_a_removed_element_is_said_to_be_removed(session: Session, site: Site) -> None:
    page = await session.navigate(site.page("/", "<button onclick='this.remove()'>A</button>"))
    (ref,) = refs_in(page.changes.text)
    await session.click(ref)
    error = await refusal(session, ref)
    assert (error.code, error.message) == ("element_gone", f"{ref} has been removed from the page.")


async def test_frames_of_different_documents_and_tabs_share_no_prefix(session: Session, site: Site) -> None:
    url = site.page("/", "<iframe srcdoc='<button>In</button>'></iframe>")
    (old,) = [ref for ref in refs_in((await session.navigate(url)).changes.text) if ref.startswith("f")]
    await session.reload()
    assert (await refusal(session, old)).code == "element_gone"
    (other,) = [ref for ref in refs_in((await session.tabs("new", url=url)).changes.text) if ref.startswith("f")]
    assert other != old
    assert "belongs to the tab t2" in (await refusal(session.using(tab="t1"), other)).message


async def test_a_session_that_is_opened_again_continues_its_numbers(session: Session, site: Site) -> None:
    url = site.page("/", "<button>Archive</button>")
    await session.open_session("again")
    again = Session(session._sessions, "again")
    (ref,) = refs_in((await again.navigate(url)).changes.text)
    await again.close_session()
    await session.open_session("again")
    (fresh,) = refs_in((await again.navigate(url)).changes.text)
    assert fresh != ref
    error = await refusal(again, ref)
    assert (error.code, "the session was closed" in error.message) == ("element_gone", True)


async def test_a_tab_that_was_reset_continues_its_numbers(session: Session, site: Site) -> None:
    (ref,) = refs_in((await session.navigate(site.page("/", "<button>A</button>"))).changes.text)
    with pytest.raises(RoveError):
        await session.navigate("chrome://crash")
    context = await session._engine.context(lambda _: None)
    tab = await context.tab()
    await context.replace_tab(tab, "a test wanted it")
    (fresh,) = refs_in((await session.navigate(site.page("/2", "<button>Delete</button>"))).changes.text)
    assert fresh != ref
    assert "was reset" in (await refusal(session, ref)).message
