"""The pointer: click and hover."""

from __future__ import annotations

from typing import Any, Literal

import pytest
from tests.reading import ref_of
from tests.site import Site

from rove import Session
from rove.action import parse
from rove.actions.input import Click, Hover
from rove.errors import (
    AmbiguousTarget,
    DeadlineExceeded,
    ElementGone,
    ElementNotFound,
    ElementNotReady,
    InvalidArguments,
)

pytestmark = pytest.mark.one_session

RECORDER = """
<script>
  window.log = [];
  for (const kind of ['click', 'dblclick', 'contextmenu', 'auxclick', 'mousedown', 'mouseup', 'mouseover']) {
    document.addEventListener(kind, (event) => log.push({
      kind, on: event.target.id, button: event.button, detail: event.detail, trusted: event.isTrusted,
      keys: ['alt', 'ctrl', 'meta', 'shift'].filter((key) => event[key + 'Key']).join(),
    }), true);
  }
</script>
"""


async def log_of(session: Session, kind: str) -> list[dict[str, Any]]:
    log: list[dict[str, Any]] = (await session.evaluate("window.log")).result.value
    return [event for event in log if event["kind"] == kind]


async def test_click_fires_the_events_of_a_real_mouse(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", f"{RECORDER}<button id=save>Save</button>"))
    outcome = await session.click("#save")
    assert "Save" in outcome.result.element
    (event,) = await log_of(session, "click")
    assert (event["on"], event["button"], event["detail"], event["trusted"]) == ("save", 0, 1, True)


async def test_click_answers_with_what_it_changed(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<button onclick=\"out.textContent = 'Done'\">Go</button><p id=out></p>"))
    outcome = await session.click('button "Go"')
    assert outcome.changes.kind == "changes"
    assert "Done" in outcome.changes.text


async def test_click_that_changes_nothing_says_so(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<button>Idle</button><input>"))
    await session.click("button")
    assert (await session.click("button")).changes.kind == "same"


async def test_click_waits_for_the_response_to_its_request(session: Session, site: Site) -> None:
    site.page("/answer", "Forty-two", kind="text/plain")
    page = (
        "<button onclick=\"fetch('/answer').then(r => r.text()).then(t => out.textContent = t)\">Ask</button><p id=out>"
    )
    await session.navigate(site.page("/", page))
    assert "Forty-two" in (await session.click("button")).changes.text


async def test_right_click_opens_the_context_menu(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", f"{RECORDER}<button id=b>B</button>"))
    await session.click("#b", button="right")
    assert [event["button"] for event in await log_of(session, "contextmenu")] == [2]
    assert await log_of(session, "click") == []


async def test_middle_click_fires_auxclick(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", f"{RECORDER}<button id=b>B</button>"))
    await session.click("#b", button="middle")
    assert [event["button"] for event in await log_of(session, "auxclick")] == [1]


async def test_double_click_fires_two_clicks_and_one_dblclick(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", f"{RECORDER}<button id=b>B</button>"))
    await session.click("#b", count=2)
    assert [event["detail"] for event in await log_of(session, "click")] == [1, 2]
    assert len(await log_of(session, "dblclick")) == 1


@pytest.mark.parametrize(
    ("modifier", "key"), [("Alt", "alt"), ("Control", "ctrl"), ("Meta", "meta"), ("Shift", "shift")]
)
async def test_a_modifier_is_held_during_the_click(
    session: Session, site: Site, modifier: Literal["Alt", "Control", "Meta", "Shift"], key: str
) -> None:
    await session.navigate(site.page("/", f"{RECORDER}<button id=b>B</button>"))
    await session.click("#b", modifiers=(modifier,))
    assert [event["keys"] for event in await log_of(session, "click")] == [key]


async def test_several_modifiers_are_held_together(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", f"{RECORDER}<button id=b>B</button>"))
    await session.click("#b", modifiers=("Control", "Shift"))
    assert [event["keys"] for event in await log_of(session, "click")] == ["ctrl,shift"]


async def test_click_by_ref_role_and_selector_reach_the_same_button(session: Session, site: Site) -> None:
    page = await session.navigate(site.page("/", f"{RECORDER}<button id=b>Save it</button>"))
    ref = ref_of(page.changes.text, "Save it")
    for target in (ref, f"[{ref}]", f"@{ref}", 'button "Save it"', "#b"):
        await session.click(target)
    assert [event["on"] for event in await log_of(session, "click")] == ["b"] * 5


async def test_click_scrolls_to_what_is_out_of_view(session: Session, site: Site) -> None:
    page = f"{RECORDER}<div style='height: 5000px'></div><button id=low>Low</button>"
    await session.navigate(site.page("/", page))
    await session.click("#low")
    assert len(await log_of(session, "click")) == 1


async def test_click_on_a_link_follows_it(session: Session, site: Site) -> None:
    there = site.page("/there", "<title>There</title><h1>Arrived</h1>")
    await session.navigate(site.page("/", "<a href=/there>Go there</a>"))
    outcome = await session.click('link "Go there"')
    assert outcome.url == there
    assert outcome.changes.kind == "page"
    assert "Arrived" in outcome.changes.text


async def test_click_waits_for_a_button_to_be_enabled(session: Session, site: Site) -> None:
    page = f"{RECORDER}<button id=b disabled>B</button><script>setTimeout(() => b.disabled = false, 150)</script>"
    await session.navigate(site.page("/", page))
    await session.click("#b")
    assert len(await log_of(session, "click")) == 1


async def test_click_on_a_disabled_button_is_not_ready(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", f"{RECORDER}<button id=b disabled>B</button>"))
    with pytest.raises(ElementNotReady) as caught:
        await session.run(Click("#b"), timeout=1)
    assert "disabled" in caught.value.message
    assert await log_of(session, "click") == []


async def test_click_on_a_covered_button_names_what_covers_it(session: Session, site: Site) -> None:
    page = "<button>Under</button><div role=dialog aria-label=Cookies style='position: fixed; inset: 0'>We ask</div>"
    await session.navigate(site.page("/", page))
    with pytest.raises(ElementNotReady) as caught:
        await session.run(Click("button"), timeout=1)
    assert "Cookies" in caught.value.message


async def test_click_on_an_invisible_element_is_not_ready(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<button style='visibility: hidden'>Ghost</button>"))
    with pytest.raises(ElementNotReady):
        await session.run(Click("button"), timeout=1)


async def test_click_waits_for_an_animation_to_end(session: Session, site: Site) -> None:
    page = (
        f"{RECORDER}<style>@keyframes in {{ from {{ margin-left: 600px }} to {{ margin-left: 0 }} }}"
        "#b { animation: in 200ms linear }</style><button id=b>B</button>"
    )
    await session.navigate(site.page("/", page))
    await session.click("#b")
    assert [event["on"] for event in await log_of(session, "click")] == ["b"]


async def test_a_ref_of_a_removed_element_is_gone(session: Session, site: Site) -> None:
    page = await session.navigate(site.page("/", "<button id=a>First</button><button>Second</button>"))
    ref = ref_of(page.changes.text, "First")
    await session.evaluate("a.remove()")
    with pytest.raises(ElementGone):
        await session.click(ref)


async def test_a_ref_of_another_page_is_gone(session: Session, site: Site) -> None:
    page = await session.navigate(site.page("/", "<button>First</button>"))
    ref = ref_of(page.changes.text, "First")
    await session.navigate(site.page("/2", "<button>Other</button>"))
    with pytest.raises(ElementGone):
        await session.click(ref)


async def test_a_ref_follows_its_element_when_the_text_changes(session: Session, site: Site) -> None:
    page = await session.navigate(site.page("/", f"{RECORDER}<button id=a>First</button><button id=b>Second</button>"))
    ref = ref_of(page.changes.text, "First")
    await session.evaluate("a.textContent = 'Renamed'; document.body.append(a)")
    await session.click(ref)
    assert [event["on"] for event in await log_of(session, "click")] == ["a"]


async def test_an_ambiguous_target_lists_its_matches_with_refs(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", f"{RECORDER}<button id=a>Yes</button><button id=b>No</button>"))
    with pytest.raises(AmbiguousTarget) as caught:
        await session.click("button")
    assert "Yes" in caught.value.message
    ref = ref_of(caught.value.message, "No")
    await session.click(ref)
    assert [event["on"] for event in await log_of(session, "click")] == ["b"]


@pytest.mark.parametrize("target", ["#missing", 'button "Missing"', "e9999", "f9e1"])
async def test_a_target_that_matches_nothing_is_not_found_or_gone(session: Session, site: Site, target: str) -> None:
    await session.navigate(site.page("/", "<button>Here</button>"))
    with pytest.raises((ElementNotFound, ElementGone)):
        await session.click(target)


async def test_a_target_that_is_not_a_valid_selector_is_refused(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<button>Here</button>"))
    with pytest.raises(InvalidArguments):
        await session.click("a[")


async def test_a_count_beyond_three_is_refused_by_name(session: Session) -> None:
    with pytest.raises(InvalidArguments) as caught:
        parse("click", {"target": "e1", "count": 4})
    assert "`count`" in caught.value.message


async def test_click_on_the_label_of_a_hidden_checkbox_ticks_it(session: Session, site: Site) -> None:
    page = "<label><input type=checkbox id=c style='position: absolute; opacity: 0'> Agree</label>"
    await session.navigate(site.page("/", page))
    await session.click("label")
    assert (await session.evaluate("c.checked")).result.value is True


STRETCHED = """<style>div { position: relative; width: 200px; height: 60px }
  a::after { content: ''; position: absolute; inset: 0 }</style>
  <p style='height: 2000px'></p><div>Card<a id=a href=#open aria-label=Open></a></div>"""


async def test_click_on_an_empty_link_stretched_over_its_card_opens_it(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", STRETCHED))
    assert str((await session.click("#a")).url).endswith("#open")


async def test_click_on_an_element_without_size_is_not_ready(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", STRETCHED.replace("::after", "::nothing")))
    with pytest.raises(ElementNotReady):
        await session.run(Click("#a"), timeout=1)


async def test_the_areas_of_an_image_map_are_shown_and_clicked(session: Session, site: Site) -> None:
    page = """<div style='height: 2000px'></div><img usemap=#m width=300 height=200 alt=Map style='padding: 20px'
      src='data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA='><map name=m>
      <area shape=circle coords=60,60,30 href=#north alt=North><area coords=0,0,0,0 href=#none alt=Nowhere>
      <area shape=poly coords='150,20,290,20,290,190,270,190,270,40,150,40' href=#hook alt=Hook></map>"""
    shown = (await session.navigate(site.page("/", page))).changes.text
    assert "Nowhere" not in shown
    for name in ("North", "Hook"):
        outcome = await session.click(ref_of(shown, name))
        assert str(outcome.url).endswith(f"#{name.lower()}")
    assert str((await session.click('link "North"')).url).endswith("#north")


async def test_hover_opens_a_menu_that_opens_on_hover(session: Session, site: Site) -> None:
    page = (
        "<style>ul { display: none } nav:hover ul { display: block }</style><nav><b>Menu</b><ul><li>Item one</ul></nav>"
    )
    await session.navigate(site.page("/", page))
    outcome = await session.run(Hover("b"))
    assert "Item one" in outcome.changes.text


HELD = """<button id=b>Hold</button><script>
  b.onpointerdown = () => { since = performance.now() }; b.onpointerup = () => { held = performance.now() - since };
</script>"""


async def test_click_holds_the_button_down_for_as_long_as_asked(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", HELD))
    await session.click("#b", hold=0.7)
    assert (await session.evaluate("held")).result.value >= 700


async def test_the_hold_time_of_a_click_is_added_to_its_deadline(session: Session) -> None:
    assert Click("#b", hold=7).takes == 7


async def test_a_held_click_that_times_out_releases_the_button(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", HELD))
    with pytest.raises(DeadlineExceeded):
        await session.run(Click("#b", hold=20), timeout=1)
    assert (await session.evaluate("held")).result.value < 5000
