"""Aria snapshots, in the form of Playwright, and targets in its words."""

from __future__ import annotations

import re

import pytest
from tests.site import Site

from rove import RoveError, Session
from rove.errors import ElementNotFound

PAGE = """<h1>Tea</h1><form aria-label="Order"><label>Name <input></label><button>Buy</button></form>
<ul><li>Green <b>tea</b></li><li style="cursor:pointer"><img alt="Cup" src="x"> Black</li></ul>"""


async def test_a_snapshot_is_yaml_with_refs_of_its_own(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", PAGE))
    result = (await session.aria_snapshot()).result
    assert result.yaml.split("\n") == [
        "- generic [active] [ref=e1]:",
        '  - heading "Tea" [level=1] [ref=e2]',
        '  - form "Order" [ref=e3]:',
        "    - generic [ref=e4]:",
        "      - text: Name",
        '      - textbox "Name" [ref=e5]',
        '    - button "Buy" [ref=e6]',
        "  - list [ref=e7]:",
        "    - listitem [ref=e8]: Green tea",
        "    - listitem [ref=e9] [cursor=pointer]:",
        '      - img "Cup" [ref=e10]',
        "      - text: Black",
    ]
    assert result.origins == (site.url(""),)


@pytest.mark.parametrize(
    "target", ["aria-ref=e5", "getByLabel('Name')", "getByRole('textbox', { name: 'name' })", "form >> nth=0 >> input"]
)
async def test_actions_take_the_targets_of_playwright(session: Session, site: Site, target: str) -> None:
    await session.navigate(site.page("/", PAGE))
    await session.aria_snapshot()
    await session.fill(target, "Bea")
    assert 'textbox "Name" [active] [ref=e5]: Bea' in (await session.aria_snapshot()).result.yaml


async def test_an_old_ref_means_the_same_element_and_never_one_of_another_document(
    session: Session, site: Site
) -> None:
    await session.navigate(site.page("/", "<button onclick=\"this.textContent = 'After'\">Before</button>"))
    await session.aria_snapshot()
    await session.click("aria-ref=e2")
    assert (await session.aria_snapshot()).result.yaml == '- button "After" [active] [ref=e3]'
    await session.click("aria-ref=e2")
    await session.navigate(site.page("/two", "<button>Two</button><button>Three</button>"))
    await session.aria_snapshot()
    with pytest.raises(ElementNotFound):
        await session.click("aria-ref=e2")


async def test_text_and_patterns_are_searched_in_its_lines(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", PAGE))
    assert (await session.aria_snapshot(text="TEA")).result.matches == (1, 8)
    assert (await session.aria_snapshot(regex="/black|buy/i")).result.matches == (6, 11)
    with pytest.raises(RoveError):
        await session.aria_snapshot(regex="(")


async def test_frames_are_told_with_their_origins(session: Session, site: Site) -> None:
    site.page("/inner", "<p>Inner</p>")
    await session.navigate(site.page("/", f"<iframe src='{site.url('/inner', 'localhost')}'></iframe>"))
    result = (await session.aria_snapshot()).result
    assert "paragraph [ref=f1e2]: Inner" in result.yaml
    assert result.origins == (site.url(""), site.url("", "localhost"))


async def test_elements_that_are_nested_without_end_are_left_out(session: Session, site: Site) -> None:
    page = """<p>Top</p><script>let inner = document.body
    for (let i = 0; i < 700; i++) inner = inner.appendChild(document.createElement('div'))
    inner.textContent = 'Deep'</script>"""
    await session.navigate(site.page("/", page))
    shown = (await session.aria_snapshot()).result.yaml
    assert "Top" in shown
    assert "Deep" not in shown


EDITABLE = """<div contenteditable aria-label="Note"></div><span id="l">Body</span>
<div contenteditable="true" aria-labelledby="l"></div><div contenteditable role="textbox" aria-label="Box"></div>
<div contenteditable="plaintext-only" title="Tip"></div><div contenteditable aria-label="Draft"><p><br></p></div>
<p>End</p>"""


async def test_an_empty_editable_element_with_a_label_has_a_ref(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", EDITABLE))
    shown = (await session.aria_snapshot()).result.yaml
    refs = {
        name: re.search(rf'- (?:generic|textbox) "{name}" \[ref=(\w+)\]', shown)
        for name in ("Note", "Body", "Box", "Tip", "Draft")
    }
    assert all(refs.values()), shown
    for name, ref in refs.items():
        assert ref is not None
        await session.type(f"Text of {name}", f"aria-ref={ref[1]}")
    said = (
        await session.evaluate("[...document.querySelectorAll('[contenteditable]')].map(e => e.innerText.trim())")
    ).result
    assert said.value == [f"Text of {name}" for name in refs]


async def test_a_label_names_what_has_no_role_of_its_own(session: Session, site: Site) -> None:
    page = """<div aria-label="Box"><p>One</p><p>Two</p></div><div title="Hint">Three</div><p aria-label="No">Four</p>
    <div role="generic" aria-label="No">Five</div><form title="Six"><input></form>"""
    await session.navigate(site.page("/", page))
    shown = (await session.aria_snapshot()).result.yaml
    for line in ('- generic "Box" [ref=e2]:', '- generic "Hint" [ref=e5]: Three', '- generic "Six" [ref=e8]:'):
        assert line in shown
    assert "No" not in shown
