"""What goes out of the house, rid of secrets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from rove.engine.outcome_redaction import redact_error, redacted_outcome
from rove.errors import ElementGone
from rove.guard.secrets.secret import Secret
from rove.guard.secrets.secrets import NO_SECRETS, Secrets
from rove.outcome import Attachment, Changes, Event, Outcome, Own, Passage, Result

SECRETS = Secrets([Secret("mine", ("https://a.example",), "48151623")])


@dataclass(frozen=True)
class Facts(Result):
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
        (Facts(Facts("48151623")), Facts(Facts("[secret mine]"))),
    ],
)
def test_every_text_however_deep(value: Any, clear: Any) -> None:
    assert redacted_outcome(Facts(value), SECRETS) == Facts(clear)


@dataclass(frozen=True)
class Measured:
    size: int
    status: int | None
    seconds: float
    box: tuple[int, int]
    value: str | int


def test_a_number_in_a_field_for_numbers_stays_a_number() -> None:
    measured = redacted_outcome(Measured(48151623, 48151623, 48151623.0, (1, 48151623), 48151623), SECRETS)
    assert measured == Measured(0, None, 0.0, (1, 0), "[secret mine]")
    assert isinstance(measured.seconds, float)
    assert redacted_outcome(Measured(1, None, 2.5, (3, 4), 5), SECRETS) == Measured(1, None, 2.5, (3, 4), 5)


def test_every_part_of_an_outcome() -> None:
    picture = Attachment("image", "image/png", b"48151623", "48151623.png")
    changes = Changes("page", (Passage("48151623", "https://a.example"),))
    outcome = Outcome(
        "extract", Facts("48151623"), "48151623", "t1", "https://a.example/48151623", "48151623",
        changes, (Event("console error", "48151623"),), ("GET /48151623",), (picture,), 0.5,
    )  # fmt: skip
    clear = redacted_outcome(outcome, SECRETS)
    assert "48151623" not in repr(clear)
    assert clear.attachments[0].data == picture.data
    assert (clear.action, clear.tab, clear.seconds) == ("extract", "t1", 0.5)


def test_whose_words_they_are_it_says_still() -> None:
    clear = redacted_outcome(Facts(Own("key 48151623")), SECRETS)
    assert isinstance(clear.value, Own)
    assert clear.value == "key [secret mine]"


def test_an_error_in_a_result() -> None:
    clear = redacted_outcome(Facts(ElementGone("no 48151623")), SECRETS)
    assert clear.value.message == "no [secret mine]"


def test_what_holds_none_is_the_same() -> None:
    outcome = Outcome("extract", Facts([1, 2.5, "tea", {"a": None}]), "default")
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
