"""Advice to an agent that names actions as its surface does, and the known words nearest to an unknown one."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from rove.page_text import Own, PageText, Text

# What a surface calls each action: {"click": "browser_click"}; LACKING for an action that it does not have.
Names = Mapping[str, str]
LACKING = ""
NO_NAMES: Names = {}
_REFERENCE = re.compile(r"\{([a-z_]+)\}")
# The space between two sentences, or between two clauses of one.
_BREAK = re.compile(r"(?<=[.!?:;]) ")


def nearest(word: str, known: Iterable[str], at_least: float = 0.6) -> str | None:
    """Return the most similar known word. `at_least` is the similarity needed, from 0 (nothing in common) to 1."""
    import difflib  # imported here, as it is rarely needed

    return next(iter(difflib.get_close_matches(word, known, n=1, cutoff=at_least)), None)


def close_lines(text: str, lines: Sequence[str]) -> list[str]:
    """Return the lines that contain, or are, something similar to a text, whatever its case; at most two."""
    import difflib

    wanted = text.lower()
    folded = {line.lower().strip('"'): line for line in lines}
    parts = [line for key, line in folded.items() if wanted in key]
    return (parts + [folded[key] for key in difflib.get_close_matches(wanted, folded, n=2, cutoff=0.6)])[:2]


class Advice(Own):
    """Text that rove writes for an agent, in which `{click}` stands for the surface's name of that action.

    Text from elsewhere, such as a URL, is passed as an argument. It is inserted as it is, so that braces in it are not
    taken for an action.
    """

    __slots__ = ("_template", "_words")
    _template: str
    _words: dict[str, str]

    def __new__(cls, template: str, **words: str) -> Advice:
        if any(isinstance(word, PageText) for word in words.values()):
            raise TypeError("advice quotes no page")
        advice: Advice = str.__new__(cls, _fill(template, words))
        advice._template, advice._words = template, words
        return advice

    def with_names(self, names: Names) -> str:
        """Return the text with the names that a surface has for actions, without what names an action it lacks."""
        words = {key: word.with_names(names) if isinstance(word, Advice) else word for key, word in self._words.items()}
        return _fill(_without_lacking(self._template, {**names, **words}), {**names, **words})


class Verbatim(Own):
    """Text for an agent in which no name is inserted: the names are in it already, or its braces mean no action."""

    __slots__ = ()


def insert_names(advice: str, names: Names) -> Own:
    """Insert a surface's names into text that rove wrote, such as a hint. An unknown name stays in its braces."""
    if isinstance(advice, Verbatim):
        return advice
    return Verbatim((advice if isinstance(advice, Advice) else Advice(advice)).with_names(names))


def insert_names_if_advice(text: Text, names: Names) -> Text:
    """Insert names into advice; return any other text, which a page may have written, as it is."""
    return insert_names(text, names) if isinstance(text, Advice) else text


def without_clauses(text: str, naming: Collection[str]) -> str:
    """Return text without the sentences, or the clauses of one, that have any of some words in them."""
    clauses = _BREAK.split(text)
    kept = [each for each in clauses if not any(name in each for name in naming)]
    if len(kept) == len(clauses):
        return text
    left = " ".join(kept)
    return f"{left[:-1]}." if left.endswith((":", ";")) else left


def _without_lacking(template: str, words: Names) -> str:
    """Return a template without the clauses that name an action which the surface lacks."""
    return without_clauses(template, [f"{{{name}}}" for name, word in words.items() if word == LACKING])


def _fill(template: str, words: Names) -> str:
    return _REFERENCE.sub(lambda match: words.get(match[1], match[0]), template)
