"""Frames and shadow roots: their elements are shown and used like those of the page."""

from __future__ import annotations

import pytest
from tests.reading import ref_of
from tests.site import Site

from rove import Session
from rove.actions.input import Click
from rove.errors import ElementNotReady

pytestmark = pytest.mark.one_session

FORM = (
    "<label>Name <input id=n></label>"
    "<button onclick=\"out.textContent = 'Hello ' + n.value\">Greet</button><p id=out>Empty</p>"
)


def framed(source: str, lead: str = "") -> str:
    return f"<h1>Outer</h1>{lead}<iframe src='{source}' width=600 height=300></iframe>"


async def greet(session: Session, shown: str) -> None:
    """Fill in and send the form by refs, as a model does."""
    assert "Empty" in shown
    await session.fill(ref_of(shown, "Name"), "Bea")
    outcome = await session.click(ref_of(shown, "Greet"))
    assert "Hello Bea" in outcome.changes.text


@pytest.mark.parametrize(
    "style",
    [
        "padding: 30px 90px; border: 15px solid",
        pytest.param(
            "transform: scale(0.5) translate(200px, 50px)",
            marks=pytest.mark.engines(
                "chromium", reason="Firefox places input in a frame without the transforms around"
            ),
        ),
        "zoom: 1.5",
        "zoom: 0.6",
    ],
)
async def test_a_button_is_clicked_in_a_frame_that_is_padded_scaled_or_zoomed(
    session: Session, site: Site, style: str
) -> None:
    other = "<button style='position: absolute; left: 0; top: 0; width: 300px; height: 150px'>Other</button>"
    site.page("/inner", f"{other}<div style='position: absolute; left: 320px; top: 160px'>{FORM}</div>")
    page = f"<div style='{style}'><iframe src=/inner width=700 height=300 style='{style}'></iframe></div>"
    await greet(session, (await session.navigate(site.page("/", page))).changes.text)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_a_form_is_used_far_down_a_frame_larger_than_the_window(session: Session, site: Site, host: str) -> None:
    site.page("/inner", f"<div style='height: 2700px'></div>{FORM}")
    frame = f"<iframe src='{site.url('/inner', host)}' width=600 height=3000></iframe>"
    page = f"<h1>Outer</h1><div style='height: 500px; overflow: auto'>{frame}</div><div style='height: 900px'></div>"
    await greet(session, (await session.navigate(site.page("/", page))).changes.text)


async def test_a_form_is_used_in_a_frame_of_the_same_origin(session: Session, site: Site) -> None:
    site.page("/inner", FORM)
    outcome = await session.navigate(site.page("/", framed("/inner")))
    await greet(session, outcome.changes.text)


async def test_a_form_is_used_in_a_frame_of_another_origin(session: Session, site: Site) -> None:
    site.page("/inner", FORM)
    outcome = await session.navigate(site.page("/", framed(site.url("/inner", "localhost"))))
    await greet(session, outcome.changes.text)


async def test_a_form_is_used_two_frames_deep_across_origins(session: Session, site: Site) -> None:
    site.page("/inner", FORM)
    site.page("/middle", framed(site.url("/inner", "127.0.0.1")))
    outcome = await session.navigate(site.page("/", framed(site.url("/middle", "localhost"))))
    await greet(session, outcome.changes.text)


async def test_a_form_is_used_in_a_frame_below_the_fold(session: Session, site: Site) -> None:
    site.page("/inner", FORM)
    outcome = await session.navigate(site.page("/", framed("/inner", "<div style='height: 3000px'></div>")))
    await greet(session, outcome.changes.text)


async def test_role_and_selector_find_what_is_in_a_frame(session: Session, site: Site) -> None:
    site.page("/inner", FORM)
    await session.navigate(site.page("/", framed(site.url("/inner", "localhost"))))
    await session.fill("#n", "Cy")
    await session.click('button "Greet"')
    assert (await session.extract("#out")).result.content == ("Hello Cy",)


@pytest.mark.parametrize(("host", "border"), [("127.0.0.1", []), ("localhost", ["from"])])
async def test_a_snapshot_of_a_target_in_a_frame_begins_with_the_target_or_its_foreign_origin(
    session: Session, site: Site, host: str, border: list[str]
) -> None:
    site.page("/inner", FORM)
    await session.navigate(site.page("/", framed(site.url("/inner", host))))
    shown = (await session.snapshot("button")).result.text
    assert [line.split()[0] for line in shown.splitlines()] == [*border, "button"]


async def test_typing_goes_into_a_field_in_a_frame(session: Session, site: Site) -> None:
    site.page("/inner", FORM)
    await session.navigate(site.page("/", framed(site.url("/inner", "localhost"))))
    await session.type("Di", "#n")
    await session.click('button "Greet"')
    assert (await session.extract("#out")).result.content == ("Hello Di",)


async def test_refs_are_not_reused_when_a_frame_navigates(session: Session, site: Site) -> None:
    site.page("/inner", "<a href=/inner2>On</a>")
    site.page("/inner2", "<button>Arrived</button>")
    outcome = await session.navigate(site.page("/", framed("/inner")))
    after = await session.click(ref_of(outcome.changes.text, "On"))
    assert "Arrived" in after.changes.text
    assert ref_of(after.changes.text, "Arrived") != ref_of(outcome.changes.text, "On")


async def test_clicking_in_a_covered_frame_names_what_covers_it(session: Session, site: Site) -> None:
    site.page("/inner", FORM)
    cover = "<div role=dialog aria-label=Cookies style='position: fixed; inset: 0'>We ask</div>"
    await session.navigate(site.page("/", framed("/inner") + cover))
    with pytest.raises(ElementNotReady) as caught:
        await session.run(Click('button "Greet"'), timeout=2)
    assert "Cookies" in caught.value.message


async def test_a_frame_that_appears_later_is_seen(session: Session, site: Site) -> None:
    site.page("/inner", FORM)
    page = (
        "<button onclick=\"document.body.insertAdjacentHTML('beforeend', '<iframe src=/inner></iframe>')\">Add</button>"
    )
    await session.navigate(site.page("/", page))
    outcome = await session.click("button")
    assert "Greet" in outcome.changes.text


@pytest.mark.parametrize("mode", ["open", "closed"])
async def test_elements_in_a_shadow_root_are_shown_and_used(session: Session, site: Site, mode: str) -> None:
    page = f"""<tea-form></tea-form><script>
      customElements.define('tea-form', class extends HTMLElement {{
        constructor() {{
          super();
          const root = this.attachShadow({{ mode: '{mode}' }});
          root.innerHTML = '<label>Name <input></label><button>Greet</button><p>Empty</p>';
          root.querySelector('button').onclick =
            () => {{ root.querySelector('p').textContent = 'Hello ' + root.querySelector('input').value }};
        }}
      }});
    </script>"""
    outcome = await session.navigate(site.page("/", page))
    await greet(session, outcome.changes.text)


async def test_elements_in_a_closed_shadow_root_of_an_ordinary_element_are_shown(session: Session, site: Site) -> None:
    page = """<div id=host></div><script>
      host.attachShadow({ mode: 'closed' }).innerHTML = '<button>Inside</button>';
    </script>"""
    outcome = await session.navigate(site.page("/", page))
    await session.click(ref_of(outcome.changes.text, "Inside"))


async def test_elements_in_a_closed_shadow_root_with_named_slots_are_shown(session: Session, site: Site) -> None:
    page = """<div id=host><b slot=name>Slotted</b></div><script>
      const inside = '<p>Hidden away</p><slot name=name></slot><button>Inside</button>';
      host.attachShadow({ mode: 'closed' }).innerHTML = inside;
    </script>"""
    outcome = await session.navigate(site.page("/", page))
    for shown in ("Hidden away", "Slotted", 'button "Inside"'):
        assert shown in outcome.changes.text
    await session.click('button "Inside"')


async def test_elements_in_nested_closed_shadow_roots_are_shown(session: Session, site: Site) -> None:
    page = """<div id=host></div><script>
      const inner = (host, depth) => {
        const root = host.attachShadow({ mode: 'closed' });
        root.innerHTML = depth ? '<div></div>' : '<button>Innermost</button>';
        if (depth) inner(root.firstChild, depth - 1);
      };
      inner(host, 2);
    </script>"""
    outcome = await session.navigate(site.page("/", page))
    await session.click(ref_of(outcome.changes.text, "Innermost"))


WIDGET = """<x-w>Dark</x-w><x-w>Loud</x-w><script>customElements.define("x-w", class extends HTMLElement {
  constructor() { super(); this.own = this.attachInternals(); this.own.role = "switch"; this.say("false");
    this.onclick = () => this.say("true") }
  say(value) { this.own.ariaChecked = value }
})</script>"""


async def test_role_and_state_that_a_custom_element_sets_through_its_internals_are_shown(
    session: Session, site: Site
) -> None:
    shown = (await session.navigate(site.page("/", WIDGET))).changes.text
    assert 'switch "Dark" [' in shown
    assert 'switch "Loud" checked [' in (await session.click(ref_of(shown, "Loud"))).changes.text


async def test_elements_that_own_each_other_are_shown_once_and_read_in_time(session: Session, site: Site) -> None:
    page = """<div id=a role=list aria-owns=b><i role=listitem id=x>One</i></div>
      <div id=b role=listitem aria-owns=a>Two</div><button aria-labelledby="x b">Go</button>
      <table id=t aria-owns=r><tr id=r aria-owns=t><td>Cell</td></tr></table>"""
    shown = (await session.navigate(site.page("/", page))).changes.text
    assert shown.count('"One"') == shown.count("Cell") == 1
    assert "button" in shown


async def test_a_page_cannot_notice_that_element_internals_are_read(session: Session, site: Site) -> None:
    page = """<x-w>Dark</x-w><p id=p>0</p><script>
      customElements.define("x-w", class extends HTMLElement {
        constructor() { super(); this.own = this.attachInternals(); this.own.role = "switch" } });
      let heard = 0;
      for (const name of ["semanticsasked", "semanticstold", "asked-by-NONCE", "told-by-NONCE"])
        addEventListener(name, () => heard++, true);
      for (const [prototype, name] of [[ElementInternals.prototype, "role"], [Node.prototype, "isConnected"]])
        Object.defineProperty(prototype, name, { get() { heard++; return null } });
      CustomEvent.prototype.constructor = EventTarget.prototype.dispatchEvent = () => heard++;
    </script>"""
    assert 'switch "Dark" [' in (await session.navigate(site.page("/", page))).changes.text
    await session.snapshot()
    assert (await session.evaluate("heard")).result.value == 0


async def test_a_snapshot_with_links_shows_addresses_in_frames_too(session: Session, site: Site) -> None:
    site.page("/inner", "<a href=/within>Inside</a>")
    frames = framed(site.url("/inner")) + framed(site.url("/inner", "localhost"))
    await session.navigate(site.page("/", f"<a href=/out>Outside</a>{frames}"))
    assert "href" not in (await session.snapshot()).result.text
    shown = (await session.snapshot(links=True)).result.text
    assert shown.count("href=/within") == 2
    assert "href=/out" in shown
    # A snapshot with links does not count as a change of the page.
    assert (await session.evaluate("0")).changes.kind == "same"
