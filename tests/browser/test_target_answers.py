"""Targets: lines of an answer, elements that come later, several matches; and how answers name elements."""

from __future__ import annotations

import asyncio
import re
import threading
import time
from collections.abc import Awaitable
from typing import Any

import pytest
from tests.site import Site

from rove import Session
from rove.errors import RoveError
from rove.toolsets.outcome_text import as_text, error_data, error_text

# The whole run must stay short; `make test-all` runs these too.
pytestmark = pytest.mark.slow

FIELDS = """<input id=name aria-label=Name value=old><input type=checkbox id=box aria-label=Box checked>
<select id=size aria-label=Size><option>A<option>B</select><a href=#here id=link>Docs</a>
<div id=note contenteditable>old</div>
<label><input type=radio name=r checked id=radio>One</label><input id=date type=date aria-label=Day>"""


async def error_of(work: Awaitable[Any]) -> RoveError:
    with pytest.raises(RoveError) as caught:
        await work
    return caught.value


def is_retryable(error: RoveError) -> bool:
    return bool(error_data(error)["retryable"])


async def test_an_answer_does_not_show_the_value_or_state_from_before_the_act(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", FIELDS))
    assert str((await session.fill("#name", "new")).result) == 'Filled textbox "Name" (aria).'
    assert str((await session.type("er", "#name")).result) == 'Typed 2 characters into textbox "Name" (aria).'
    assert str((await session.type("er", "#note")).result) == 'Typed 2 characters into textbox ~"note".'
    assert str((await session.check("#box", False)).result) == 'checkbox "Box" (aria) is now unchecked.'
    assert str((await session.click("#box")).result) == 'Clicked checkbox "Box" (aria).'
    for line in (await session.fill("#name", "last")).result.element, (await session.click("#size")).result.element:
        assert "value=" not in line


async def test_what_can_never_succeed_is_not_retryable(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", FIELDS))
    for work in (
        session.fill("#size", "A"),
        session.fill("#box", "x"),
        session.fill("#link", "x"),
        session.fill("#date", "tomorrow"),
        session.check("#link"),
        session.check("#radio", False),
        session.select("#link", ("A",)),
        session.select("#size", ("A", "B")),
    ):
        error = await error_of(work)
        assert (error.code, is_retryable(error)) == ("element_not_ready", False), error.message
    assert not is_retryable(await error_of(session.forward()))


async def test_what_may_change_is_retryable(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<input id=n disabled><button disabled>B</button>"))
    assert is_retryable(await error_of(session.using(timeout=1).fill("#n", "x")))
    assert is_retryable(await error_of(session.using(timeout=1).click("button")))


@pytest.mark.slow  # every line of a page
async def test_a_line_of_a_snapshot_is_a_target(session: Session, site: Site) -> None:
    page = await session.navigate(
        site.page(
            "/",
            "<h1>Page</h1><main><button onclick=\"document.title = 'sent'\">Send</button><ul><li><a href=#x>Docs</a>"
            "<li><div class=icon-open-search style='width: 20px; height: 20px; cursor: pointer'"
            " onclick=\"document.title = 'searched'\"></div></ul></main>",
        )
    )
    lines = [line for line in page.changes.text.splitlines() if re.search(r"\[e\d+\]", line)]
    assert len(lines) == 3
    for line in lines:
        ref = re.findall(r"\[(e\d+)\]", line)[0]
        for sign in ("", "- ", "+ ", "~   "):
            assert (await session.click(sign + line)).result.ref == ref
        without_ref = line.replace(f" [{ref}]", "")
        for mark in ("", " (covered)", " focused"):
            assert (await session.click(without_ref + mark)).result.ref == ref
    assert any('clickable ~"open search"' in line for line in lines)


async def test_a_guessed_name_is_found_without_its_mark_but_a_real_name_is_preferred(
    session: Session, site: Site
) -> None:
    icon = "<button class=icon-search style='width: 20px; height: 20px'></button>"
    page = await session.navigate(site.page("/", icon))
    (ref,) = re.findall(r'button ~"search" \[(e\d+)\]', page.changes.text)
    assert (await session.click('button "search"')).result.ref == ref
    page = await session.navigate(site.page("/2", f"{icon}<button>Search</button>"))
    (guessed,) = re.findall(r'button ~"search" \[(e\d+)\]', page.changes.text)
    (named,) = re.findall(r'button "Search" \[(e\d+)\]', page.changes.text)
    assert (await session.click('button "search"')).result.ref == named
    assert (await session.click('button ~"search"')).result.ref == guessed


@pytest.mark.parametrize("target", ['button "Later"', "#later"])
async def test_a_name_or_a_selector_waits_to_exist(session: Session, site: Site, target: str) -> None:
    late = (
        "const b = document.createElement('button'); b.id = 'later'; b.textContent = 'Later'; document.body.append(b)"
    )
    await session.navigate(site.page("/", "<p>Hello</p>"))
    await session.evaluate(f"void setTimeout(() => {{ {late} }}, 1000)")
    assert 'button "Later"' in (await session.click(target)).result.element


async def test_a_wrong_name_costs_a_bounded_wait_and_the_error_says_how_long(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<button>Here</button>"))
    began = time.monotonic()
    error = await error_of(session.click('button "Nowhere"'))
    assert 0.5 <= time.monotonic() - began < 10
    assert re.search(r"waited \d\.\d s", error.hint)
    assert (error.code, is_retryable(error)) == ("element_not_found", False)
    soon = await error_of(session.using(timeout=2).click("#nowhere"))
    assert re.search(r"waited 0\.\d s", soon.hint)


async def test_an_element_is_waited_for_longer_while_the_page_loads_something(session: Session, site: Site) -> None:
    answered = threading.Event()
    site.page("/data", "<button>Later</button>", hold=answered)
    await session.navigate(site.page("/", "<p>Hello</p>"))
    show = "text => document.body.insertAdjacentHTML('beforeend', text)"
    await session.evaluate(f"void fetch('/data').then(answer => answer.text()).then({show})")
    asyncio.get_running_loop().call_later(2.5, answered.set)
    assert 'button "Later"' in (await session.click('button "Later"')).result.element


async def test_a_name_that_is_missing_while_the_page_loads_is_retryable(session: Session, site: Site) -> None:
    site.page("/data", "", hold=threading.Event())
    await session.navigate(site.page("/", "<p>Hello</p>"))
    await session.evaluate("void fetch('/data')")
    error = await error_of(session.using(timeout=4).click('button "Later"'))
    assert (is_retryable(error), "still loading" in error.hint) == (True, True)


async def test_the_candidates_of_an_ambiguous_target_can_be_told_apart(session: Session, site: Site) -> None:
    rows = "".join(f"<tr><td>{name}<td>{name}@x.example<td><button>Delete</button>" for name in ("Alice", "Bob"))
    await session.navigate(site.page("/", f"<h2>Users</h2><table>{rows}</table><h2>Groups</h2><button>Delete</button>"))
    error = await error_of(session.click('button "Delete"'))
    assert error.code == "ambiguous_target"
    assert re.search(r'\[e\d+\] beside "Alice \| Alice@x\.example"', error.message)
    assert re.search(r'\[e\d+\] beside "Bob \| Bob@x\.example"', error.message)
    assert re.search(r'\[e\d+\] (?:beside|under) heading "Groups"', error.message)
    assert "Alice" in (await error_of(session.extract('button "Delete"'))).message


async def test_hidden_text_beside_a_candidate_is_marked(session: Session, site: Site) -> None:
    rows = "<li>One<span style='opacity: 0'>Obey</span><button>Go</button><li>Two<button>Go</button>"
    await session.navigate(site.page("/", f"<ul>{rows}</ul>"))
    message = (await error_of(session.click('button "Go"'))).message
    assert "Obey" not in message or "(invisible" in message


async def test_only_text_of_pages_is_wrapped_in_errors(session: Session, site: Site, unused_port: int) -> None:
    await session.navigate(site.page("/", FIELDS))
    for work in (
        session.find(),
        session.forward(),
        session.click("e999"),
        session.click("#nowhere"),
        session.wait(text="never there", seconds=0.2),
        session.press("Nokey"),
        session.snapshot(expand="what"),
        session.click("!!"),
        session.using(tab="t9").click("e1"),
    ):
        assert "<untrusted" not in error_text(await error_of(work))
    assert "<untrusted" in error_text(await error_of(session.select("#size", ("Q",))))
    assert "<untrusted" in error_text(await error_of(session.check("#link")))
    assert "<untrusted" not in error_text(await error_of(session.navigate(f"http://127.0.0.1:{unused_port}/")))


async def test_words_of_a_server_that_could_not_be_reached_are_not_those_of_the_page_before(
    session: Session, site: Site
) -> None:
    await session.navigate(site.page("/", "<p>Before</p>"))
    loop = site.url("/Obey", host="localhost")
    site.page("/Obey", "", status=302, headers={"Location": loop})
    text = error_text(await error_of(session.navigate(loop)))
    assert re.search(rf"<untrusted \d+ http://localhost:{site.port}>\n.*Obey", text)
    assert "http://127.0.0.1" not in text


@pytest.mark.parametrize(
    ("arguments", "named", "words"),
    [
        (("e1",), {"colour": "red"}, "`colour` is not an argument of click, which takes: target, button"),
        ((), {}, "`target` is missing"),
        (("e1",), {"target": "e2"}, "`target` is given twice"),
        (tuple("abcdefgh"), {}, "click takes 5 arguments, and 8 were given"),
        (("e1", "top"), {}, "`button`: must be one of"),
    ],
)
async def test_wrong_arguments_of_a_method_are_named_as_in_a_tool_call(
    session: Session, arguments: tuple[Any, ...], named: dict[str, Any], words: str
) -> None:
    error = await error_of(session.click(*arguments, **named))
    assert (error.code, words in error.message) == ("invalid_arguments", True), error.message


async def test_an_answer_names_a_pressed_element_as_a_model_reads_it(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<button aria-pressed=false onclick='this.ariaPressed = true'>Bold</button>"))
    assert 'Clicked button "Bold".' in as_text(await session.click("button"))


async def test_a_name_that_is_shown_in_part_is_a_target(session: Session, site: Site) -> None:
    box = "display: block; font: 16px monospace; width: 10ch; overflow: hidden; white-space: nowrap"
    page = f"<a href=#first style='{box}'>Your parcel is late</a><a href=#second>Your parrot</a>"
    answer = as_text(await session.navigate(site.page("/", page)))
    assert 'link "Your parce…" (invisible: clipped "l is late")' in answer
    await session.click('link "Your parce…"')
    assert (await session.evaluate("location.hash")).result.value == "#first"
