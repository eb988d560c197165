"""docs/chat.md names every code that a chat can fail with."""

from __future__ import annotations

import re
from pathlib import Path

from rove.surfaces.gateway.agent.failures import CODES

PAGE = Path(__file__).parents[3] / "docs" / "chat.md"


def test_every_code_is_documented_and_no_other() -> None:
    documented = set(re.findall(r"^\| `(model_\w+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE))
    assert documented == CODES
