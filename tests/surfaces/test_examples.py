"""The programs in examples/, each run as a user would run it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
EXPECTED_OUTPUT = {
    "order_tea": ['button "Place order" [', '+ row: "2 | Bea | Sencha"'],
    "pydantic_ai_agent": ["The page says:", "Thank you, Bea: order"],
    "policy": ["-> yes", "-> no", "denied: Scripts are not allowed here.", "2\tBea\tDarjeeling"],
    "two_sessions": ["bea reads: Thank you, bea", 'bea remembers: "Sencha"', 'carl remembers: "Lapsang souchong"'],
}


def test_every_example_is_run() -> None:
    assert {path.stem for path in EXAMPLES.glob("*.py")} == set(EXPECTED_OUTPUT)


def without(name: str) -> dict[str, str]:
    return {key: value for key, value in os.environ.items() if key != name}


@pytest.mark.parametrize("name", EXPECTED_OUTPUT)
def test_example_prints_what_happened(name: str, home: Path) -> None:
    ran = subprocess.run(
        [sys.executable, str(EXAMPLES / f"{name}.py")],
        env={**without("ROVE_ALLOW_HOST"), "ROVE_HOME": str(home)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stderr == ""
    for words in EXPECTED_OUTPUT[name]:
        assert words in ran.stdout
