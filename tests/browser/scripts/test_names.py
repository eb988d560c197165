"""Counters, generated content and accessible names."""

from __future__ import annotations

import json

import pytest
from tests.browser.scripts.conftest import Run

pytestmark = pytest.mark.one_session


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        (4, "decimal", "4"),
        (4, "decimal-leading-zero", "04"),
        (1994, "upper-roman", "MCMXCIV"),
        (28, "lower-alpha", "ab"),
        (26, "upper-latin", "Z"),
        (0, "lower-roman", "0"),
        (4000, "upper-roman", "4000"),
        (3, "none", ""),
    ],
)
async def test_counters_are_written_in_their_style(run: Run, value: int, kind: str, text: str) -> None:
    assert await run("roles/generated_content.js", f"formatCounter({value}, {kind!r})") == text


@pytest.mark.parametrize(
    ("content", "name", "seen"),
    [
        ('"Save"', "Save", "Save"),
        ('"a" "b"', "ab", "ab"),
        ('"→" / "next"', "next", "→"),
        ('url("x.png") / "picture"', "picture", ""),
        ("open-quote", "\u201c", "\u201c"),
        ('"say \\"hi\\""', 'say "hi"', 'say "hi"'),
        ('"\\2014 "', "\u2014", "\u2014"),
    ],
)
async def test_css_content_has_a_text_for_names_and_a_visible_text(
    run: Run, content: str, name: str, seen: str
) -> None:
    marks = "(part) => (part === 'open-quote' ? '\u201c' : '')"
    parsed = [f"parseContent({json.dumps(content)}, {seen}, {marks})" for seen in ("false", "true")]
    expression = f"[{', '.join(parsed)}]"
    assert await run("roles/generated_content.js", expression) == [name, seen]


async def test_a_counter_in_content_is_requested(run: Run) -> None:
    expression = """parseContent('counter(step) ". "', false, (call) => call.toUpperCase())"""
    assert await run("roles/generated_content.js", expression) == "COUNTER(STEP). "


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ("<button id=x>Save <b>all</b></button>", "Save all"),
        ("<button id=x aria-label=Close>x</button>", "Close"),
        ("<span id=l>Street</span><input id=x aria-labelledby=l>", "Street"),
        ("<label>Age <input id=x></label>", "Age"),
        ("<label for=x>Flash <input value=3> times</label><input id=x type=checkbox>", "Flash 3 times"),
        ("<img id=x alt=Logo>", "Logo"),
        ("<input id=x type=submit>", "Submit"),
        ("<fieldset id=x><legend>Address</legend><input></fieldset>", "Address"),
        ("<a id=x href=/><span style='display:none'>no</span>yes</a>", "yes"),
    ],
)
async def test_names_follow_the_first_source_that_has_text(run: Run, body: str, name: str) -> None:
    assert await run("roles/names.js", 'nameOf(document.getElementById("x")).name', body=body) == name
