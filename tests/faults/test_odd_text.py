"""Control characters, lone surrogates and other odd text, wherever a page or an agent can put it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.faults.recovery_checks import answered_within, assert_next_page_loads
from tests.site import Site

from rove import RoveError, Session
from rove.actions.console import Evaluate
from rove.actions.navigation import Navigate
from rove.outcome import AnyOutcome
from rove.settings.tree import Settings
from rove.toolsets.outcome_text import as_data, as_text, error_text

pytestmark = pytest.mark.one_session

# As JavaScript literals.
ODD = {
    "lone_surrogates": r"a\ud800b\udc00c",
    "nul_and_controls": r"a\u0000b\u0001\u001b[31mred\u0007\u009b\u007f",
    "bidi": r"a\u202egnp.exe\u202c \u2066x\u2069 \u200f",
    "invisible": r"a\u200b\u200d\ufeff\u{e0041}\u{e007f}\ufe0f",
    "lines": r"a\nb\r\nc\u2028d\u2029e\u0085f",
    "noncharacters": r"a\ufffe\uffff\u{10ffff}\u{1fffe}",
    "combining": r"Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢L̠ͨͧͩ͘G̴̻͈͍͔̹̑͗̎̅͛́",
    "quotes": r"""a\"b'c`d\\e${f}<g>&h;--><!--]]>""",
    "formats": r"%s%n%x {0} {{x}} ${jndi:ldap://x} '; DROP TABLE t--",
}
CONTROLS = {chr(code) for code in (*range(0x20), *range(0x7F, 0xA0))} - {"\n"}


def readable(outcome: AnyOutcome) -> None:
    """Assert that the text is valid UTF-8 without control characters."""
    text, data = as_text(outcome), json.dumps(as_data(outcome))
    text.encode("utf-8")
    json.loads(data)
    json.dumps(as_data(outcome), ensure_ascii=False).encode("utf-8")
    assert not CONTROLS & set(text)


QUICK = ("lone_surrogates", "nul_and_controls", "bidi", "lines", "quotes")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in QUICK else [pytest.mark.slow]) for name in ODD]
)
async def test_60_odd_text_in_every_place_of_a_page_is_read_as_valid_text(
    session: Session, site: Site, name: str
) -> None:
    page = f"""<h1 id=h></h1><button id=b></button><input id=i><a id=a>link</a><script>
      const odd = "{ODD[name]}"; document.title = odd; h.textContent = odd; b.setAttribute('aria-label', odd);
      i.value = odd; i.placeholder = odd; a.href = '/?' + odd; a.title = odd; console.error(odd);
      history.replaceState(null, '', '/?' + encodeURIComponent(odd.toWellFormed()) + '#' + odd.toWellFormed());
      b.onclick = () => {{ setTimeout(() => {{ throw new Error(odd) }}); alert(odd) }}</script>"""
    readable(await session.run(Navigate(site.page("/", page)), timeout=10))
    readable(await session.snapshot(links=True))
    readable(await session.extract("h1"))
    readable(await session.extract(mode="html"))
    readable(await session.find(text="a"))
    readable(await session.evaluate("[odd, {[odd]: odd}]"))
    readable(await session.tabs())
    readable(await session.click("#b"))
    readable(await session.dialog(accept=True))
    readable(await session.snapshot())
    await assert_next_page_loads(session, site)


@pytest.mark.parametrize(
    "text",
    [
        "\ud800",
        "a\0b",
        "\x1b[31m",
        "🦊" * 50,
        *(pytest.param(text, marks=pytest.mark.slow) for text in ("\u202e\u200b", "\uffff", "\U0010ffff")),
    ],
)
async def test_60_odd_text_from_an_agent_is_answered(session: Session, site: Site, text: str) -> None:
    await session.navigate(site.page("/", "<input id=i><p>Text</p>"))
    calls = (
        session.fill("#i", text),
        session.type(text, "#i"),
        session.evaluate(json.dumps(text)),
        session.find(text=text),
        session.extract(f"p:not([title={json.dumps(text)}])"),
        session.navigate(site.url(f"/?{text}")),
        session.tabs("close", text),
        session.open_session(text),
    )
    for call in calls:
        with answered_within(5):
            try:
                readable(await call)
            except RoveError as error:
                error_text(error).encode("utf-8")
                json.dumps(error.as_dict(), ensure_ascii=True)
                assert error.code != "internal", error.message
    await assert_next_page_loads(session, site)


async def test_60_odd_file_names_are_made_readable(session: Session, site: Site, settings: Settings) -> None:
    page = "<a id=a>Get</a><script>a.href = window.URL.createObjectURL(new Blob(['x'])); a.download = NAME</script>"
    for name in ODD.values():
        await session.navigate(site.page("/", page.replace("NAME", f'"{name}.txt"')))
        outcome = await session.click("#a")
        readable(outcome)
        (event,) = [event for event in outcome.events if event.kind == "download"]
        path = Path(event.text.rpartition(" (")[0])
        assert path.parent == settings.workspace_folder / "downloads"
        assert path.read_text() == "x"
        assert not CONTROLS & set(path.name)


async def test_60_a_script_that_returns_a_value_without_a_json_form_is_answered(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<p>Text</p>"))
    odd = ("NaN", "-0", "1n", "undefined", "Symbol('x')", "window", "document.body", "(() => { let a = {}; a.a = a; "
           "return a })()", "new Map([[1, 2]])", "'x'.repeat(5e6)", "Array(3e5).fill('\\ud800')")  # fmt: skip
    for expression in odd:
        with answered_within(10):
            try:
                readable(await session.run(Evaluate(expression), timeout=10))
            except RoveError as error:
                assert error.code == "script_failed", (expression, error.message)
    await assert_next_page_loads(session, site)
