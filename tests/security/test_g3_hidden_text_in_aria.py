"""G3 in the forms of other toolsets: text that a person does not see is marked in outlines and aria snapshots."""

from __future__ import annotations

import re

import pytest
from tests.site import Site

from rove import Session

pytestmark = pytest.mark.one_session

PAGE = """<p>Visible base</p><details><summary>Sum</summary>HID-details</details>
<div hidden=until-found>HID-found</div><div style="content-visibility: hidden">HID-skipped</div>
<details><summary>Sum</summary><span style="display: contents">HID-contents</span></details>
<canvas>HID-canvas</canvas><iframe width=0 height=0 srcdoc="HID-frame"></iframe>
<img alt="HID-dot" width=1 height=1 src="data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAUwAOw==">
<div style="position: relative; height: 40px"><span style="position: absolute; top: 0; left: 0">HID-covered</span>
<div style="position: absolute; top: 0; left: 0; width: 400px; height: 40px; background: #fff"></div></div>
<div style="position: relative; height: 40px"><button style="position: absolute; top: 0; left: 0">HID-button</button>
<div style="position: absolute; top: 0; left: 0; width: 400px; height: 40px; background: #fff"></div></div>"""
MARK = re.compile(r"\((?:(?:perhaps |partly )?invisible|screen-reader only)")
ONLY_NAMED = """<button aria-label="Order tea">Real</button><button aria-label="Same">Same</button>
<input aria-label="Amount"><div aria-hidden="true">Aside</div><div inert>Asleep</div>"""


@pytest.mark.parametrize("view", ["outline", "aria_snapshot", "snapshot"])
async def test_text_that_is_not_seen_is_marked_or_left_out(session: Session, site: Site, view: str) -> None:
    await session.navigate(site.page("/", PAGE))
    seen = str((await getattr(session, view)()).result)
    assert "Visible base" in seen
    unmarked = [line for line in seen.split("\n") if "HID-" in line and not MARK.search(line)]
    assert not unmarked, seen


async def test_an_outline_tells_which_names_are_not_text_of_the_page(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", ONLY_NAMED))
    lines = [line.strip() for line in (await session.outline()).result.text.split("\n")]
    assert {
        'button "Order tea" (aria)', 'button "Same"', 'textbox "Amount" (aria)',
        'text "Aside (aria-hidden)"', 'text "Asleep (inert)"',
    } <= {*lines}, lines  # fmt: skip
