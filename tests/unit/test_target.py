"""What is meant: refs, roles and names, selectors, addresses, secrets."""

from __future__ import annotations

import pytest

from rove.actions.input.forms import FillForm, FormField
from rove.actions.input.pointer import Drag
from rove.target import (
    Aim,
    Ref,
    RoleAndName,
    Selector,
    parse_target,
    retargeted,
    secret_named,
    targets_in,
    with_scheme,
)


@pytest.mark.parametrize(
    ("text", "aim"),
    [
        ("e12", Ref("", "e12")),
        ("f2e12", Ref("f2", "e12")),
        ("[e12]", Ref("", "e12")),
        ("[ref=e12]", Ref("", "e12")),
        ("ref=e12", Ref("", "e12")),
        ("@e12", Ref("", "e12")),
        ("  e12 ", Ref("", "e12")),
        ('button "Save"', RoleAndName("button", "Save")),
        ('button   "Save it all"', RoleAndName("button", "Save it all")),
        (r'link "Say \"hi\""', RoleAndName("link", 'Say "hi"')),
        (r'link "a\\b"', RoleAndName("link", r"a\b")),
        ('button ""', RoleAndName("button", "")),
        ("#save", Selector("#save")),
        ("button", Selector("button")),
        ("e", Selector("e")),
        ("e12x", Selector("e12x")),
        ("[data-x]", Selector("[data-x]")),
        ('input[name="q"]', Selector('input[name="q"]')),
        ("ul > li:nth-child(2)", Selector("ul > li:nth-child(2)")),
    ],
)
def test_a_target_is_read_as_it_is_meant(text: str, aim: Aim) -> None:
    assert parse_target(text) == aim


@pytest.mark.parametrize("text", ["", "   ", "\n"])
def test_an_empty_target_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="ref"):
        parse_target(text)


@pytest.mark.parametrize("text", ["e12", "f2e12", "#save", 'button "Save"'])
def test_a_target_is_shown_as_it_is_written(text: str) -> None:
    assert str(parse_target(text)) == text


@pytest.mark.parametrize(
    ("typed", "whole"),
    [
        ("https://example.com/a?b#c", "https://example.com/a?b#c"),
        ("http://example.com", "http://example.com"),
        ("example.com", "https://example.com"),
        ("  example.com/path  ", "https://example.com/path"),
        ("//example.com", "https://example.com"),
        ("localhost", "http://localhost"),
        ("localhost:3000/x", "http://localhost:3000/x"),
        ("LOCALHOST:3000", "http://LOCALHOST:3000"),
        ("127.0.0.1:8080", "http://127.0.0.1:8080"),
        ("[::1]:8080/", "http://[::1]:8080/"),
        ("localhost.example.com", "https://localhost.example.com"),
        ("example.com:8443/x", "https://example.com:8443/x"),
        ("about:blank", "about:blank"),
        ("file:///etc/passwd", "file:///etc/passwd"),
        ("javascript:alert(1)", "javascript:alert(1)"),
        ("javascript:1", "javascript:1"),
        ("HTTP://EXAMPLE.COM", "HTTP://EXAMPLE.COM"),
    ],
)
def test_an_address_is_made_whole(typed: str, whole: str) -> None:
    assert with_scheme(typed) == whole


@pytest.mark.parametrize("typed", ["", "  "])
def test_an_empty_address_is_refused(typed: str) -> None:
    with pytest.raises(ValueError, match="address"):
        with_scheme(typed)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("secret:github", "github"),
        ("secret:My-word_2", "My-word_2"),
        ("secret:", None),
        ("secret: github", None),
        ("secret:git hub", None),
        ("Secret:github", None),
        ("my secret:github", None),
        ("secret:github\n", None),
        ("secret:-x", None),
        ("secret:" + "x" * 65, None),
    ],
)
def test_a_text_that_stands_for_a_secret_is_its_name_and_nothing_more(text: str, name: str | None) -> None:
    assert secret_named(text) == name


def test_every_target_of_an_action_is_known_by_its_place_and_can_be_replaced_there() -> None:
    drag = Drag("#a", "#b", through=("#c", "1,2"))
    places = {"source": "#a", "target": "#b", "through.0": "#c", "through.1": "1,2"}
    assert targets_in(drag) == places
    assert retargeted(drag, {"through.0": "e7"}) == Drag("#a", "#b", through=("e7", "1,2"))
    form = FillForm((FormField("#d", "x"),))
    assert targets_in(form) == {"fields.0.target": "#d"}
    assert retargeted(form, {"fields.0.target": "e8"}) == FillForm((FormField("e8", "x"),))
