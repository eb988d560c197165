"""What goes out of the house, rid of secrets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from rove.engine.outcome_redaction import redact_error, redacted_outcome
from rove.errors import ElementGone
from rove.guard.secrets.secret import Secret
from rove.guard.secrets.secrets import NO_SECRETS, Secrets
from rove.outcome import Attachment, Changes, Event, Outcome, Own

SECRETS = Secrets([Secret("mine", ("https://a.example",), "48151623")])


@dataclass(frozen=True)
class Result:
    value: Any


@pytest.mark.parametrize(
    ("value", "clear"),
    [
        ("is 48151623", "is [secret mine]"),
        (48151623, "[secret mine]"),
        (148151623, 148151623),
        ([1, True, None, "48151623"], [1, True, None, "[secret mine]"]),
        (("48151623", ("48151623",)), ("[secret mine]", ("[secret mine]",))),
        ({"48151623": {"deep": ["48151623"]}}, {"[secret mine]": {"deep": ["[secret mine]"]}}),
        (Result(Result("48151623")), Result(Result("[secret mine]"))),
    ],
)
def test_every_text_however_deep(value: Any, clear: Any) -> None:
    assert redacted_outcome(Result(value), SECRETS) == Result(clear)


def test_every_part_of_an_outcome() -> None:
    picture = Attachment("image", "image/png", b"48151623", "48151623.png")
    outcome = Outcome(
        "extract", Result("48151623"), "48151623", "t1", "https://a.example/48151623", "48151623",
        Changes("page", "48151623"), (Event("console error", "48151623"),), ("GET /48151623",), (picture,), 0.5,
    )  # fmt: skip
    clear = redacted_outcome(outcome, SECRETS)
    assert "48151623" not in repr(clear)
    assert clear.attachments[0].data == picture.data
    assert (clear.action, clear.tab, clear.seconds) == ("extract", "t1", 0.5)


def test_whose_words_they_are_it_says_still() -> None:
    clear = redacted_outcome(Result(Own("key 48151623")), SECRETS)
    assert isinstance(clear.value, Own)
    assert clear.value == "key [secret mine]"


def test_an_error_in_a_result() -> None:
    clear = redacted_outcome(Result(ElementGone("no 48151623")), SECRETS)
    assert clear.value.message == "no [secret mine]"


def test_what_holds_none_is_the_same() -> None:
    outcome = Outcome("extract", Result([1, 2.5, "tea", {"a": None}]), "default")
    assert redacted_outcome(outcome, SECRETS) == outcome
    assert redacted_outcome(outcome, NO_SECRETS) is outcome


def test_an_error_and_what_led_to_it() -> None:
    try:
        try:
            raise ValueError("48151623")
        except ValueError as error:
            raise ElementGone("no 48151623", hint="look for 48151623") from error
    except ElementGone as error:
        redact_error(error, SECRETS)
        assert (error.message, error.hint, str(error)) == (
            "no [secret mine]",
            "look for [secret mine]",
            "no [secret mine]",
        )
        assert str(error.__cause__) == "[secret mine]"
