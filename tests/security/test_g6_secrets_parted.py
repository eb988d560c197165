"""G6: A secret that a page takes apart with what nobody sees does not come back whole."""

from __future__ import annotations

import pytest

from rove.engine.outcome_redaction import redact_error
from rove.errors import NavigationFailed
from rove.guard.secrets.redaction import Redaction
from rove.guard.secrets.secret import Secret
from rove.guard.secrets.secrets import Secrets
from rove.render.cleaning import readable

VALUE = "hunter2-correct"


@pytest.mark.parametrize("mark", ["\u200b", "\u00ad", "\u2060", "\ufeff", "\U000e0041", "\u202e"])
def test_g6_a_secret_parted_by_what_shows_nothing_is_redacted(mark: str) -> None:
    redact = Redaction({"mine": VALUE})
    assert VALUE not in readable(redact(f"is {mark.join(VALUE)}."))
    assert "[secret mine]" in redact(f"is {mark.join(VALUE)}.")


def test_g6_text_without_a_secret_keeps_what_shows_nothing() -> None:
    assert Redaction({"mine": VALUE})("a\u200db") == "a\u200db"


def test_g6_the_origin_of_an_error_is_redacted_too() -> None:
    error = NavigationFailed("It failed.")
    error.origin = f"http://{VALUE}.example"
    redact_error(error, Secrets([Secret("mine", (), VALUE)]))
    assert VALUE not in error.origin
