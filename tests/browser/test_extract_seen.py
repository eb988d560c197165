"""Extracted text is what a person sees, in frames and shadow trees too; what is left out is listed and counted."""

from __future__ import annotations

import pytest
from tests.site import Site

from rove import Session
from rove.toolsets.outcome_text import as_text

pytestmark = pytest.mark.one_session


async def text_of(session: Session, url: str) -> str:
    await session.navigate(url)
    return "\n".join(part or "" for part in (await session.extract()).result.content)


async def test_text_of_open_and_closed_shadow_trees_is_extracted(session: Session, site: Site) -> None:
    page = """<tea-list></tea-list><tea-cup>slotted</tea-cup><script>
      for (const [name, mode] of [["tea-list", "open"], ["tea-cup", "closed"]])
        customElements.define(name, class extends HTMLElement { constructor() { super()
          this.attachShadow({ mode }).innerHTML = `<p>In ${mode}</p><p style='opacity: 0'>unseen</p><slot></slot>` } })
    </script>"""
    assert await text_of(session, site.page("/", page)) == "In open\nIn closed\nslotted"


async def test_text_of_frames_is_extracted_in_its_place(session: Session, site: Site) -> None:
    frames = "<p>before</p><iframe srcdoc='<p>inside'></iframe><iframe srcdoc=hidden style='opacity: 0'></iframe>after"
    await session.navigate(site.page("/", frames))
    result = (await session.extract()).result
    assert result.content == ("before\ninside\nafter",)
    assert result.unseen == ('"hidden" (invisible: frame)',)


async def test_text_of_a_frame_of_another_origin_is_told_as_its_own(session: Session, site: Site) -> None:
    other = site.page("/inner", "<p>inside").replace("127.0.0.1", "localhost")
    await session.navigate(site.page("/", f"<p>before</p><iframe src='{other}'></iframe>after"))
    outcome = await session.extract()
    assert outcome.result.content == ("before", "inside", "after")
    assert [passage.text for passage in outcome.result.passages("http://page.example")] == ["before", "inside", "after"]
    origins = [passage.origin for passage in outcome.result.passages("http://page.example")]
    assert origins[0] == origins[2] == "http://page.example"
    assert origins[1] is not None and "localhost" in origins[1]


async def test_generated_text_is_extracted(session: Session, site: Site) -> None:
    style = "<style>p::before { content: 'Price: ' } p::after { content: ' EUR' } i::after { content: 'x'; opacity: 0 }"
    assert await text_of(session, site.page("/", f"{style}</style><p>5</p><i></i>")) == "Price: 5 EUR"


async def test_visible_text_that_assistive_technology_leaves_out_is_extracted(session: Session, site: Site) -> None:
    page = "<p aria-hidden=true>one</p><div inert><p>two</p></div><p role=presentation>three</p>"
    await session.navigate(site.page("/", page))
    result = (await session.extract()).result
    assert (result.content, result.unseen) == (("one\ntwo\nthree",), ())


async def test_the_true_number_of_unseen_parts_is_told(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<p>seen</p>" + "<p style='opacity: 0'>unseen</p>" * 340))
    outcome = await session.extract()
    assert outcome.result.content == ("seen",)
    assert (len(outcome.result.unseen), outcome.result.unseen_count) == (100, 340)
    assert "340 parts, of which these are the first 100" in as_text(outcome)


async def test_a_page_whose_text_is_all_unseen_says_so(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<p style='opacity: 0'>unseen</p>"))
    outcome = await session.extract()
    assert outcome.result.content == ("",)
    assert "There is no text that a person sees" in as_text(outcome)
    assert '"unseen" (invisible: transparent)' in as_text(outcome)


async def test_text_that_is_cut_off_is_left_out_and_listed_whole(session: Session, site: Site) -> None:
    box = "<p style='font: 16px monospace; width: 10ch; overflow: hidden; white-space: nowrap'>"
    await session.navigate(site.page("/", f"{box}Your parcel is {'very ' * 30}late</p>"))
    result = (await session.extract()).result
    assert result.content == ("Your parce…",)
    assert result.unseen == (f'"l is {"very " * 30}late" (invisible: clipped)',)


async def test_a_long_paragraph_and_a_table_are_extracted_whole(session: Session, site: Site) -> None:
    page = f"<p>{'word ' * 1000}end</p><table><tr><td>a<td>b<tr><td>c<td>d</table><pre>x\n  y</pre>"
    text = await text_of(session, site.page("/", page))
    assert text == "word " * 1000 + "end\na\tb\nc\td\nx\n  y"


async def test_the_value_of_a_field_that_is_out_of_sight_is_not_its_text(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<input value=Sencha style='text-indent: -999px'>"))
    result = (await session.extract("input")).result
    assert (result.content, result.unseen) == (("",), ('"Sencha" (invisible: clipped)',))
