"""Advice to an agent, in which each action has the name that the agent's surface has for it."""

from __future__ import annotations

import re
from collections.abc import Mapping

# What a surface calls each action: {"click": "browser_click"}.
Names = Mapping[str, str]
NO_NAMES: Names = {}
_REFERENCE = re.compile(r"\{([a-z_]+)\}")


class Advice(str):
    """Text that rove writes for an agent, in which `{click}` stands for the surface's name of that action.

    Text from elsewhere, such as a URL, is passed as an argument. It is inserted as it is, so that braces in it are not
    taken for an action.
    """

    __slots__ = ("_template", "_words")
    _template: str
    _words: dict[str, str]

    def __new__(cls, template: str, **words: str) -> Advice:
        advice = super().__new__(cls, _fill(template, words))
        advice._template, advice._words = template, words
        return advice

    def with_names(self, names: Names) -> str:
        """Return the text with the names that a surface has for actions."""
        words = {key: word.with_names(names) if isinstance(word, Advice) else word for key, word in self._words.items()}
        return _fill(self._template, {**names, **words})


class Verbatim(str):
    """Text for an agent in which no name is inserted: the names are in it already, or its braces mean no action."""

    __slots__ = ()


def insert_names(advice: str, names: Names) -> str:
    """Insert a surface's names into text that rove wrote, such as a hint. An unknown name stays in its braces."""
    if isinstance(advice, Verbatim):
        return advice
    return Verbatim((advice if isinstance(advice, Advice) else Advice(advice)).with_names(names))


def insert_names_if_advice(text: str, names: Names) -> str:
    """Insert names into advice; return any other text, which a page may have written, as it is."""
    return insert_names(text, names) if isinstance(text, Advice) else text


def _fill(template: str, words: Names) -> str:
    return _REFERENCE.sub(lambda match: words.get(match[1], match[0]), template)
