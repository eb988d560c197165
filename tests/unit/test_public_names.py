"""The public names of `rove`."""

from __future__ import annotations

import subprocess
import sys

import pytest

import rove

NAMES = [
    "Action", "Allow", "Answer", "ApprovalAnswer", "ApprovalRequest", "Approver", "Ask", "Decision", "Deny", "Effect",
    "FormField", "Outcome", "Place", "Policy", "PolicyRule", "RoveError", "RulePolicy", "Session", "SessionTools",
    "Settings", "WebOnly", "as_text", "error_text", "open", "tools",
]  # fmt: skip


def test_the_public_names_are_exactly_the_listed_ones() -> None:
    assert rove.__all__ == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_each_public_name_can_be_imported(name: str) -> None:
    assert getattr(rove, name) is not None


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="Fly"):
        rove.Fly  # noqa: B018


def test_importing_rove_loads_neither_pydantic_nor_an_http_client() -> None:
    code = "import sys, rove; print([name for name in ('pydantic', 'urllib.request') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
