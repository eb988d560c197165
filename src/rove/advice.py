"""Advice to an agent that refers to actions, each of which a surface calls by a name of its own."""

from __future__ import annotations

import re
from collections.abc import Mapping

# What a surface calls each action: {"click": "browser_click"}.
Names = Mapping[str, str]
NO_NAMES: Names = {}
_REFERENCE = re.compile(r"\{([a-z_]+)\}")


class Advice(str):
    """Our own words to an agent, in which `{click}` stands for the name under which the agent knows that action.

    Words of others, such as an address, are passed as arguments. They are put in as they are, so that braces which a
    page has written refer to nothing.
    """

    __slots__ = ("_template", "_words")
    _template: str
    _words: dict[str, str]

    def __new__(cls, template: str, **words: str) -> Advice:
        made = super().__new__(cls, _filled(template, words))
        made._template, made._words = template, words
        return made

    def named(self, names: Names) -> str:
        """Return the text with the names that a surface has for actions."""
        words = {key: word.named(names) if isinstance(word, Advice) else word for key, word in self._words.items()}
        return _filled(self._template, {**names, **words})


class Told(str):
    """Advice in which a surface's names have been put in: what is in braces now is nothing to be replaced."""

    __slots__ = ()


def named(advice: str, names: Names) -> str:
    """Put a surface's names into advice: a hint, or any other text that is all ours; an unknown name stays as it is."""
    if isinstance(advice, Told):
        return advice
    return Told((advice if isinstance(advice, Advice) else Advice(advice)).named(names))


def named_if_advice(text: str, names: Names) -> str:
    """The same for a text that may be a page's, which is returned as it is."""
    return named(text, names) if isinstance(text, Advice) else text


def _filled(template: str, words: Names) -> str:
    return _REFERENCE.sub(lambda match: words.get(match[1], match[0]), template)
