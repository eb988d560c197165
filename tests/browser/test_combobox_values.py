"""The value of a combobox that is made of other elements: what it shows as chosen."""

from __future__ import annotations

import pytest
from tests.site import Site

from rove import Session

pytestmark = pytest.mark.one_session

NATIVE = "<select style='opacity: 0'><option>Small<option>Large</select>"
CHOSEN = "<div role=listbox><div role=option aria-selected=true>Small</div></div>"
LIST = "<div role=option>Small</div><div role=option>Large</div>"
BOXES = {
    "a native select inside": f"{NATIVE}<span>Small</span>",
    "the choice as an option": f"{NATIVE}{CHOSEN}",
    "its list open": f"<span>Small</span><div role=listbox>{LIST}</div>",
    "its filtered list open": f"<span>Small</span><div style='position: absolute'>{CHOSEN}</div>",
    "a button": "<div><b>Small</b><button>×</button></div>",
    "a part that is transparent": f"<span>Small</span><i style='opacity: 0'>Large</i>{NATIVE}",
}


@pytest.mark.parametrize("box", BOXES)
async def test_the_value_is_what_is_shown_as_chosen(session: Session, site: Site, box: str) -> None:
    page = site.page(
        "/", f"<div id=box role=combobox tabindex=0 aria-label=Size aria-expanded=false>{BOXES[box]}</div>"
    )
    await session.navigate(page)
    text = (await session.snapshot()).result.text
    assert (
        next(line for line in text.splitlines() if 'combobox "Size"' in line).partition(" value=")[2][:7] == '"Small"'
    )
