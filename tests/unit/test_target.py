"""Parsing targets, addresses and references to secrets."""

from __future__ import annotations

import pytest

from rove.actions.forms import FillForm, FormField
from rove.actions.input import Drag
from rove.target import Aim, Ref, RoleAndName, Selector, parse_target, retargeted, secret_named, targets_in, with_scheme


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
def test_a_target_is_parsed_as_ref_role_and_name_or_selector(text: str, aim: Aim) -> None:
    assert parse_target(text) == aim


@pytest.mark.parametrize(
    ("line", "aim"),
    [
        ('button "Send" [e8]', Ref("", "e8")),
        ('- button "Send" [e8]', Ref("", "e8")),
        ('+    link "Docs" [e3] (covered)', Ref("", "e3")),
        ('~ textbox "Name" value="a [e9] b" focused [f2e5]', Ref("f2", "e5")),
        ("~ textbox value=[e9] [e5]", Ref("", "e5")),
        ('> row [e4]: "Alice | 30"', Ref("", "e4")),
        ('in dialog "Sure?" [e7]', Ref("", "e7")),
        ('link "Docs" [e3] href=/docs', Ref("", "e3")),
        ("textbox [e5]", Ref("", "e5")),
        ('button "Buy [e9]" [e8]', Ref("", "e8")),
        ('button "Buy [e9]"', RoleAndName("button", "Buy [e9]")),
        ('clickable ~"open search"', RoleAndName("clickable", "open search", is_guess=True)),
        ('+  clickable ~"open search" (covered)', RoleAndName("clickable", "open search", is_guess=True)),
        ('link "Docs" (covered)', RoleAndName("link", "Docs")),
        ('under heading "Groups" level=2', RoleAndName("heading", "Groups")),
        ('textbox "Name" (aria) value="John Smith"', RoleAndName("textbox", "Name")),
        ('generic label="Menu" (aria)', RoleAndName("generic", "Menu")),
        (r'button "two\nlines"', RoleAndName("button", "two\nlines")),
        ('button "long"(+900 chars)', RoleAndName("button", "long")),
        ("ul > li [data-x]", Selector("ul > li [data-x]")),
    ],
)
def test_a_line_of_an_answer_is_a_target_as_it_stands(line: str, aim: Aim) -> None:
    assert parse_target(line) == aim


@pytest.mark.parametrize("text", ["", "   ", "\n"])
def test_an_empty_target_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="ref"):
        parse_target(text)


@pytest.mark.parametrize("text", ["e12", "f2e12", "#save", 'button "Save"', 'clickable ~"search"'])
def test_a_parsed_target_is_shown_as_it_was_written(text: str) -> None:
    assert str(parse_target(text)) == text


@pytest.mark.parametrize(
    ("given", "url"),
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
def test_a_missing_scheme_is_added_to_an_address(given: str, url: str) -> None:
    assert with_scheme(given) == url


@pytest.mark.parametrize("given", ["", "  "])
def test_an_empty_address_is_refused(given: str) -> None:
    with pytest.raises(ValueError, match="address"):
        with_scheme(given)


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
def test_a_reference_to_a_secret_is_the_whole_text(text: str, name: str | None) -> None:
    assert secret_named(text) == name


def test_every_target_of_an_action_can_be_listed_and_replaced_by_its_path() -> None:
    drag = Drag("#a", "#b", through=("#c", "1,2"))
    places = {"source": "#a", "target": "#b", "through.0": "#c", "through.1": "1,2"}
    assert targets_in(drag) == places
    assert retargeted(drag, {"through.0": "e7"}) == Drag("#a", "#b", through=("e7", "1,2"))
    form = FillForm((FormField("#d", "x"),))
    assert targets_in(form) == {"fields.0.target": "#d"}
    assert retargeted(form, {"fields.0.target": "e8"}) == FillForm((FormField("e8", "x"),))
