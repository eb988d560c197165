"""Extracting text, HTML and attributes from a page."""

from __future__ import annotations

import re

import pytest
from tests.site import Site

from rove import Session
from rove.errors import AmbiguousTarget, ElementNotFound, InvalidArguments
from rove.toolsets.outcome_text import as_text

pytestmark = pytest.mark.one_session

LIST = "<ul><li class=i data-n=1>One</li><li class=i>Two</li></ul>"


async def test_extract_returns_the_text_of_the_page(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", f"<h1>Teas</h1>{LIST}<script>var hidden = 'no'</script>"))
    (text,) = (await session.extract()).result.content
    assert text is not None
    assert text.split() == ["Teas", "One", "Two"]


async def test_extract_returns_the_text_of_an_element(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<h1>Teas</h1><p>Fine ones</p>"))
    assert (await session.extract("p")).result.content == ("Fine ones",)


async def test_extract_returns_the_html_of_an_element(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<p>Fine <b>ones</b></p>"))
    assert (await session.extract("p", mode="html")).result.content == ("<p>Fine <b>ones</b></p>",)


async def test_extract_returns_the_html_of_the_page(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<p>Fine</p>"))
    (html,) = (await session.extract(mode="html")).result.content
    assert html is not None
    assert html.startswith("<html>")


async def test_the_value_of_a_field_is_its_text(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<input value=Sencha>"))
    assert (await session.extract("input")).result.content == ("Sencha",)


async def test_extract_returns_an_attribute_of_every_match(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", LIST))
    outcome = await session.extract(".i", mode="attribute", attribute="data-n", all=True)
    assert outcome.result.content == ("1", None)


async def test_extract_returns_every_match_of_many(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "".join(f"<p>{n}</p>" for n in range(300))))
    assert (await session.extract("p", all=True)).result.content == tuple(str(n) for n in range(300))


async def test_several_matches_are_ambiguous_unless_all_are_wanted(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", LIST))
    with pytest.raises(AmbiguousTarget):
        await session.extract(".i")
    assert (await session.extract(".i", all=True)).result.content == ("One", "Two")


async def test_an_attribute_without_a_name_is_refused(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", LIST))
    with pytest.raises(InvalidArguments) as caught:
        await session.extract("ul", mode="attribute")
    assert "`attribute`" in caught.value.message


async def test_a_target_that_does_not_exist_is_not_found(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", LIST))
    with pytest.raises(ElementNotFound):
        await session.extract("#missing")


async def test_a_long_text_is_shortened_and_says_so(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", f"<p>{'word ' * 10_000}</p>"))
    result = (await session.extract()).result
    assert result.is_cut
    assert len(result.content[0] or "") == 10_000


async def test_an_attribute_that_elements_do_not_have_is_said_to_be_missing(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", f"{LIST}<p>Text</p>"))
    one = await session.extract("p", mode="attribute", attribute="title")
    assert one.result.content == (None,)
    assert re.fullmatch(r"e\d+ has no attribute 'title'\.", as_text(one))
    some = as_text(await session.extract("li", mode="attribute", attribute="data-n", all=True))
    assert "1 of 2 elements have no attribute 'data-n'." in some
    assert "1\nnull" in some
    assert "has no attribute" not in as_text(await session.extract("p", mode="html"))
