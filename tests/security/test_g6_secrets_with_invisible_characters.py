"""G6: A secret is redacted even if a page inserts invisible characters into it."""

from __future__ import annotations

import pytest

from rove.engine.redaction import redact_error
from rove.errors import NavigationFailed
from rove.guard.cleaning import readable
from rove.guard.secrets.redaction import Redaction
from rove.guard.secrets.secret import Secret
from rove.guard.secrets.secrets import Secrets
from rove.page_text import PageText

VALUE = "hunter2-correct"


@pytest.mark.parametrize("invisible", ["\u200b", "\u00ad", "\u2060", "\ufeff", "\U000e0041", "\u202e"])
def test_g6_a_secret_with_invisible_characters_is_redacted(invisible: str) -> None:
    redact = Redaction({"mine": VALUE})
    assert VALUE not in readable(redact(f"is {invisible.join(VALUE)}."))
    assert "[secret mine]" in redact(f"is {invisible.join(VALUE)}.")


def test_g6_text_without_a_secret_keeps_its_invisible_characters() -> None:
    assert Redaction({"mine": VALUE})("a\u200db") == "a\u200db"


def test_g6_the_origin_of_an_error_is_redacted_too() -> None:
    error = NavigationFailed("It failed: ", PageText("words", f"http://{VALUE}.example"))
    redact_error(error, Secrets([Secret("mine", (), VALUE)]))
    assert VALUE not in "".join(error.origins)
