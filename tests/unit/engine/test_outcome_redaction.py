"""Secrets are removed from outcomes and errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Optional

import pytest

from rove.action import registry
from rove.engine.redaction import _declared_fields, redact_error, redacted_outcome
from rove.errors import ElementGone
from rove.guard.secrets.secret import Secret
from rove.guard.secrets.secrets import NO_SECRETS, Secrets
from rove.outcome import Attachment, Changes, Event, Outcome, Passage, Result
from rove.page_text import Own, PageText

Bytes = int
SECRETS = Secrets([Secret("mine", ("https://a.example",), "48151623")])


@dataclass(frozen=True)
class Facts(Result):
    value: Any


@pytest.mark.parametrize(
    ("value", "redacted"),
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
def test_text_at_any_depth_is_redacted(value: Any, redacted: Any) -> None:
    assert redacted_outcome(Facts(value), SECRETS) == Facts(redacted)


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


@dataclass(frozen=True)
class Counted:
    """Numbers in containers, and a declaration that only its resolved type shows to be a number."""

    by_host: dict[str, int]
    sizes: list[int]
    statuses: Sequence[int | None]
    nested: Mapping[str, tuple[float, ...]]
    pair: tuple[str, int]
    optional: Optional[int]  # noqa: UP045
    alias: Bytes
    either: list[int] | list[str]
    one_or_more: int | list[str]


def test_a_number_in_a_container_of_numbers_stays_a_number() -> None:
    number = 48151623
    counted = Counted(
        {"48151623": number, "b": 2}, [number, 3], (number, 4), {"a": (number, 5.5)}, ("x", number), number, number,
        [number], number,
    )  # fmt: skip
    assert redacted_outcome(counted, SECRETS) == Counted(
        {"[secret mine]": 0, "b": 2}, [0, 3], (None, 4), {"a": (0, 5.5)}, ("x", 0), None, 0,
        ["[secret mine]"], 0,
    )  # fmt: skip


# In a fixed order: the workers of a parallel run must collect the same tests.
RESULTS = [*dict.fromkeys(cls.result for cls in registry().values()), Outcome]


@pytest.mark.parametrize("cls", RESULTS, ids=lambda cls: cls.__name__)
def test_the_types_of_every_result_can_be_resolved(cls: Any) -> None:
    assert set(_declared_fields(cls)) == {field.name for field in fields(cls)}


def said(words: str) -> PageText:
    return PageText(words, "https://a.example")


def test_every_part_of_an_outcome_is_redacted() -> None:
    picture = Attachment("image", "image/png", b"48151623", "48151623.png")
    changes = Changes("page", (Passage("48151623", "https://a.example"),))
    outcome = Outcome(
        Own("extract"), Facts("48151623"), Own("48151623"), Own("t1"), said("https://a.example/48151623"),
        said("48151623"), changes, (Event(Own("console error"), said("48151623")),), (said("GET /48151623"),),
        (picture,), 0.5, changes,
    )  # fmt: skip
    redacted = redacted_outcome(outcome, SECRETS)
    assert "48151623" not in repr(redacted)
    assert redacted.attachments[0].data == picture.data
    assert (redacted.action, redacted.tab, redacted.seconds) == ("extract", "t1", 0.5)


def test_redacted_text_keeps_its_author() -> None:
    redacted = redacted_outcome(Facts(Own("key 48151623")), SECRETS)
    assert isinstance(redacted.value, Own)
    assert redacted.value == "key [secret mine]"


def test_an_error_in_a_result_is_redacted() -> None:
    redacted = redacted_outcome(Facts(ElementGone("no 48151623")), SECRETS)
    assert redacted.value.message == "no [secret mine]"


def test_an_outcome_without_secrets_is_unchanged() -> None:
    outcome = Outcome(Own("extract"), Facts([1, 2.5, "tea", {"a": None}]), Own("default"))
    assert redacted_outcome(outcome, SECRETS) == outcome
    assert redacted_outcome(outcome, NO_SECRETS) is outcome


def test_an_error_and_its_cause_are_redacted() -> None:
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
