"""Playwright locators and selectors as text."""

from __future__ import annotations

from typing import Any

import pytest

from rove.target import AriaRef, Locator, Selector, parse_locator, parse_target

SAVE = {"kind": "role", "role": "button", "text": "Save"}


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("getByRole('button', { name: 'Save' })", [SAVE]),
        ('page.getByRole("button", { name: "Save", exact: true })', [{**SAVE, "exact": True}]),
        ("getByText(/sav(e|ing)/i)", [{"kind": "text", "text": "sav(e|ing)", "isRegex": True, "flags": "i"}]),
        ("getByText('it\\'s \"x\"').first()", [{"kind": "text", "text": 'it\'s "x"'}, {"kind": "nth", "index": 0}]),
        ("locator('#a').nth(2)", [{"kind": "css", "text": "#a"}, {"kind": "nth", "index": 2}]),
        ("locator('li').filter({ hasText: 'x' })", [{"kind": "css", "text": "li"}, {"kind": "hasText", "text": "x"}]),
        ("text=Save", [{"kind": "text", "text": "Save", "exact": False}]),
        ('role=button[name="Save"i]', [{**SAVE, "exact": False}]),
        ("ul >> text=x", [{"kind": "css", "text": "ul"}, {"kind": "text", "text": "x", "exact": False}]),
    ],
)
def test_locators_are_read_as_steps(text: str, steps: list[dict[str, Any]]) -> None:
    assert parse_locator(text) == steps
    assert isinstance(parse_target(text), Locator)


def test_a_method_that_is_not_supported_is_refused() -> None:
    with pytest.raises(ValueError, match="frameLocator"):
        parse_locator("locator('a').frameLocator('b')")


def test_css_and_refs_are_no_locators() -> None:
    assert isinstance(parse_target("main > button.save"), Selector)
    assert parse_target("aria-ref=f2e12") == AriaRef(2, 12)
