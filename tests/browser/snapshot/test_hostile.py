"""Pages made to overload the snapshot: time and size stay bounded."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from rove.snapshot import render

if TYPE_CHECKING:
    from tests.browser.snapshot.conftest import World

# Generous, because the machine may be busy; the test is that time does not grow with the page.
PATIENCE = 30.0

BODY = "document.body.innerHTML = "
PAGES = {
    "deep": BODY + "'<div>'.repeat(100000) + 'BOTTOM'",
    "deep_by_script": "let d = document.body; for (let i = 0; i < 800; i++) { const x = document.createElement('span');"
    " d.append(x); d = x } d.innerHTML = '<button>Deep</button>'",
    "wide": BODY + "('<p>' + '<span>x </span>'.repeat(500) + '</p>').repeat(400) + '<button>End</button>'",
    "long_text": "document.body.textContent = 'word '.repeat(2000000)",
    "long_name": BODY + "'<button></button>'; document.body.firstChild.textContent = 'word '.repeat(2000000)",
    "rows": BODY + "'<table>' + '<tr><td>1<td>name<td><button>Edit</button>'.repeat(6000) + '</table>'",
    "names_in_names": BODY + "'<p id=p>' + 'y '.repeat(50000) + '</p>' + '<a href aria-labelledby=p>x</a>'.repeat(500)",
    "options": BODY + "'<select>' + '<option>o'.repeat(20000) + '</select>'",
}


# The others are read in the same way; `make test-all` reads them too.
QUICK = ("deep", "names_in_names", "rows")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in QUICK else [pytest.mark.slow]) for name in PAGES]
)
async def test_a_hostile_page_is_read_in_bounded_time_and_size(world: World, name: str) -> None:
    await world.show("<!doctype html><body>")
    await world.page.evaluate(f"() => {{ {PAGES[name]} }}")
    await world.page.evaluate("document.body.offsetHeight")
    started = time.monotonic()
    snapshot = await world.snapshot()
    rendered = render(snapshot, 4000)
    assert time.monotonic() - started < PATIENCE
    assert rendered.tokens <= 4000 and len(snapshot.rows) < 6000


async def test_a_button_at_the_end_of_a_page_over_the_budget_is_shown(world: World) -> None:
    await world.show("<!doctype html><body>")
    await world.page.evaluate(f"() => {{ {PAGES['wide']} }}")
    text = render(await world.snapshot(), 4000).text
    assert 'button "End"' in text and "not read" in text


async def test_the_end_of_thousands_of_children_without_a_height_is_shown_as_all_are_in_view(world: World) -> None:
    await world.show("<!doctype html><body>")
    await world.page.evaluate(f"() => {{ {BODY}'<p>Top' + '<div></div>'.repeat(5000) + '<p>Bottom' }}")
    assert render(await world.snapshot(), 4000).text.splitlines() == [
        '"Top"',
        "… 2,502 more [expand e1:1250]",
        '"Bottom"',
    ]
