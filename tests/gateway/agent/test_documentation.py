"""docs/chat.md names every code that a chat can fail with, and models that exist."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from rove.settings.tree import options
from rove.surfaces.gateway.chat.conversation import CODES
from rove.surfaces.gateway.chat.tea_room import GREETING

PAGE = Path(__file__).parents[3] / "docs" / "chat.md"


def test_every_code_is_documented_and_no_other() -> None:
    documented = set(re.findall(r"^\| `(model_\w+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE))
    assert documented == CODES


@pytest.mark.parametrize("where", ["docs/chat.md", "serve.model", "the greeting"])
def test_the_models_that_are_named_exist_and_are_not_about_to_go(where: str) -> None:
    # Imported here, because each worker collects this file and importing these takes longer than most tests.
    from anthropic.resources.messages.messages import DEPRECATED_MODELS
    from pydantic_ai.models import KnownModelName

    help_text = {option.key: option.description for option in options()}
    texts = {"docs/chat.md": PAGE.read_text(encoding="utf-8"), "the greeting": GREETING, **help_text}
    named = set(re.findall(r"\b((?:anthropic|openai):[a-z][a-z0-9.-]*[a-z0-9])", texts[where]))
    assert named
    assert named <= set(get_args(KnownModelName.__value__))
    assert not {name.partition(":")[2] for name in named} & DEPRECATED_MODELS.keys()
