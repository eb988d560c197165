"""What a person has typed is removed from every text."""

from __future__ import annotations

import pytest

from rove.browser.input_event import InputEvent
from rove.browser.page_data import TypedField
from rove.engine.person_input import TypedTexts
from rove.guard.secrets.secrets import NO_SECRETS


def typed(*events: InputEvent) -> TypedTexts:
    texts = TypedTexts(NO_SECRETS)
    for event in events:
        texts.note_keys(event)
    texts.end_run()
    return texts


def keys(text: str) -> list[InputEvent]:
    return [InputEvent("keyDown", key=key) for key in text]


def test_nothing_is_removed_before_a_person_has_typed() -> None:
    texts = TypedTexts(NO_SECRETS)
    assert (texts.names, texts.redact("hunter22")) == ((), "hunter22")


@pytest.mark.parametrize("text", ["the password is hunter22", "?q=hunter22&b=1", '{"value": "HUNTER22"}'])
def test_what_was_typed_is_removed_from_any_text(text: str) -> None:
    texts = typed(*keys("hunter22"))
    assert "hunter22" not in texts.redact(text).lower()
    assert "[secret typed by a person]" in texts.redact(text)


def test_what_was_deleted_was_not_typed() -> None:
    texts = typed(*keys("hunter2x"), InputEvent("keyDown", key="Backspace"), *keys("2"))
    assert texts.redact("hunter22") == "[secret typed by a person]"
    assert texts.redact("hunter2x") == "hunter2x"


@pytest.mark.parametrize(
    "between", [InputEvent("keyDown", key="Tab"), InputEvent("mouseDown"), InputEvent("touchStart")]
)
def test_texts_of_two_fields_are_two(between: InputEvent) -> None:
    texts = typed(*keys("anna-1"), between, *keys("hunter22"))
    assert texts.redact("anna-1 / hunter22").count("[secret typed by a person") == 2


@pytest.mark.parametrize("kind", ["text", "paste"])
def test_pasted_and_composed_text_is_typed_too(kind: str) -> None:
    event = InputEvent("paste", text="4111 1111") if kind == "paste" else InputEvent("text", text="4111 1111")
    assert "4111" not in typed(event).redact("4111 1111 and 4111+1111")


@pytest.mark.parametrize("text", ["tea", "login"])
def test_a_short_word_is_not_removed_from_every_page(text: str) -> None:
    assert typed(*keys(text)).redact(f"a page with {text}") == f"a page with {text}"


def test_a_short_word_in_a_password_field_is() -> None:
    texts = TypedTexts(NO_SECRETS)
    texts.note_field(TypedField("d", 1, "login", is_password=True))
    assert "login" not in texts.redact("login")


def test_a_field_keeps_its_longest_value_though_the_page_clears_it() -> None:
    texts = TypedTexts(NO_SECRETS)
    for value in ("hunter2", "hunter22", "h"):
        texts.note_field(TypedField("d", 1, value, is_password=False))
    assert "hunter22" not in texts.redact("hunter22")
