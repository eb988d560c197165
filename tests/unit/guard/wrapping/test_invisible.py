"""Characters that show nothing are removed; joiners stay where they join."""

from __future__ import annotations

import pytest
from tests.browser.scripts.test_text import INVISIBLE, JOINED

from rove.guard.cleaning import without_invisible


@pytest.mark.parametrize(("text", "visible"), INVISIBLE)
def test_invisible_characters_are_removed(text: str, visible: str) -> None:
    assert without_invisible(text) == visible


@pytest.mark.parametrize("text", JOINED)
def test_joined_letters_and_emoji_stay_whole(text: str) -> None:
    assert without_invisible(text) == text
