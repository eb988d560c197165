"""Evaluating JavaScript in the page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.site import Site

from rove import Session
from rove.errors import ScriptFailed
from rove.toolsets.outcome_text import as_text

pytestmark = pytest.mark.one_session


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("1 + 1", 2),
        ("'text'", "text"),
        ("[1, {a: null}]", [1, {"a": None}]),
        ("({a: [true]})", {"a": [True]}),
        ("undefined", None),
        ("null", None),
        ("NaN", "NaN"),
        ("10n", "10n"),
        ("new Date(0)", "1970-01-01T00:00:00.000Z"),
        (
            "({at: new Date(0), f() {}, m: new Map([[1, 2]]), s: new Set([3])})",
            {"at": "1970-01-01T00:00:00.000Z", "m": [[1, 2]], "s": [3]},
        ),
        ("[undefined, () => 1, Symbol()]", [None, None, None]),
        ("function add(a, b) { return a + b }; add(2, 3)", 5),
        ("() => 5;", 5),
        ("document.title", "Page"),
        ("Promise.resolve(7)", 7),
        ("await Promise.resolve(8)", 8),
        ("const a = 2; a * 3", 6),
        ("() => 5", 5),
        ("async () => { return 6 }", 6),
        ("function () { return this === window }", True),
        ("(() => 9)()", 9),
        ("new Promise((resolve) => setTimeout(() => resolve(1), 50))", 1),
    ],
)
async def test_evaluate_returns_the_value(session: Session, site: Site, expression: str, value: Any) -> None:
    await session.navigate(site.page("/", "<title>Page</title>"))
    assert (await session.evaluate(expression)).result.value == value


@pytest.mark.parametrize("expression", ["(element) => element.id", "element => element.id", "element.id",
                                        "async (e) => e.id", "function (e) { return e.id }"])  # fmt: skip
async def test_a_function_is_called_with_the_element(session: Session, site: Site, expression: str) -> None:
    await session.navigate(site.page("/", "<p id=it>Text</p>"))
    assert (await session.evaluate(expression, "p")).result.value == "it"


async def test_a_function_inside_a_frame_runs_in_that_frame(session: Session, site: Site) -> None:
    site.page("/inner", "<title>Inner</title><p id=it>Text</p>")
    await session.navigate(site.page("/", "<title>Outer</title><iframe src=/inner></iframe>"))
    assert (await session.evaluate("() => document.title", "#it")).result.value == "Inner"


@pytest.mark.parametrize(
    "expression",
    [
        "missing.thing",
        "throw new Error('no')",
        ("Promise.reject(new Error('no'))"),
        "() => { throw 'no' }",
        "1 +",
        ")(",
    ],
)
async def test_an_exception_is_a_failed_script(session: Session, site: Site, expression: str) -> None:
    await session.navigate(site.page("/", "<p>Text</p>"))
    with pytest.raises(ScriptFailed):
        await session.evaluate(expression)


async def test_changes_that_a_script_makes_are_reported(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<p>Before</p>"))
    outcome = await session.evaluate("document.querySelector('p').textContent = 'After'; 1")
    assert "After" in outcome.changes.text


async def test_a_page_that_redefines_its_builtins_cannot_change_the_snapshot(session: Session, site: Site) -> None:
    page = (
        "<button>Real</button><script>JSON.stringify = () => 'fooled'; Array.prototype.push = () => 0;"
        "document.querySelectorAll = () => []; Element.prototype.getAttribute = () => 'fooled'</script>"
    )
    outcome = await session.navigate(site.page("/", page))
    assert "Real" in outcome.changes.text
    await session.click('button "Real"')


async def test_values_that_refer_to_themselves_do_not_break_the_call(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<p>Text</p>"))
    with pytest.raises(ScriptFailed):
        await session.evaluate("const a = {}; a.a = a; a")
    assert (await session.evaluate("1")).result.value == 1


async def test_a_promise_is_not_waited_for_if_the_caller_says_so(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<p id=it>Text</p>"))
    pending = "new Promise(() => {})"
    assert (await session.evaluate(pending, await_promise=False)).result.value == {}
    assert (await session.evaluate(f"() => {pending}", "#it", await_promise=False)).result.value == {}
    assert (await session.evaluate("7", await_promise=False)).result.value == 7


async def test_a_large_value_is_saved_in_the_workspace(session: Session, site: Site, home: Path) -> None:
    await session.navigate(site.page("/", "<p>Text</p>"))
    outcome = await session.evaluate("'é'.repeat(20000)")
    path = Path(outcome.result.path)
    assert path.parent == home / "workspace" / "output"
    assert json.loads(path.read_text()) == outcome.result.value == "é" * 20000
    text = as_text(outcome)
    assert f"All 40002 bytes of it: {path} (read it with: cat {path})" in text
    assert len(text) < 21_000
    assert (await session.evaluate("'x'.repeat(19000)")).result.path == ""
