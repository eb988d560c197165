"""Hosts with letters outside of ASCII, which may look like another host: what a person is told of them."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from rove.guard.hosts.urls import origin_of

PUNYCODE = "xn--"
# Scripts that one word of a language has together (UTS #39, "highly restrictive"), beside those of one script alone.
_TOGETHER = (
    {"Latin", "Han", "Hiragana", "Katakana"},
    {"Latin", "Han", "Hangul"},
    {"Latin", "Han", "Bopomofo"},
)
# Python does not know the script of a character, but the names of letters begin with it, except for these.
_SCRIPT_OF_NAME = {"CJK": "Han", "HENTAIGANA": "Hiragana", "TURNED": "Latin", "CANADIAN": "Canadian Aboriginal"}
_OF_NO_SCRIPT = ("MODIFIER", "IDEOGRAPHIC", "VEDIC")


def described_hosts(urls: Iterable[str | None]) -> list[str]:
    """Return a description of each host among these URLs that is not ASCII, each once."""
    origins = [origin_of(url) for url in urls if url]
    found = [host_description(origin.host) for origin in origins if origin is not None]
    return list(dict.fromkeys(each for each in found if each))


def host_description(host: str) -> str | None:
    """Return of a host in canonical form how browsers may show it, and in which scripts; None if that is ASCII."""
    labels = [_decoded(label) for label in host.split(".")]
    shown = ".".join(labels)
    if shown.isascii():
        return None
    scripts = [_scripts(label) for label in labels if not label.isascii()]
    mixed = [each for each in scripts if _is_mixed(each)]
    named = _listed(frozenset().union(*(mixed or scripts)))
    words = (
        f"one word of it mixes {named} letters, so that it may look like another name"
        if mixed
        else f"with {named} letters"
    )
    return f'{host}, which may be shown as "{shown}": {words}'


def _decoded(label: str) -> str:
    if not label.lower().startswith(PUNYCODE):
        return label
    try:
        return label[len(PUNYCODE) :].encode("ascii").decode("punycode")
    except UnicodeError:
        return label


def _scripts(label: str) -> frozenset[str]:
    return frozenset(script for char in label if (script := _script(char)))


def _script(char: str) -> str:
    """Return the script of a letter; nothing for digits, marks and letters that several scripts have."""
    word = unicodedata.name(char, "UNKNOWN").partition(" ")[0].partition("-")[0]
    is_letter = unicodedata.category(char).startswith("L") and word not in _OF_NO_SCRIPT
    return _SCRIPT_OF_NAME.get(word, word.capitalize()) if is_letter else ""


def _is_mixed(scripts: frozenset[str]) -> bool:
    return len(scripts) > 1 and not any(scripts <= together for together in _TOGETHER)


def _listed(names: Iterable[str]) -> str:
    words = sorted(names)
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:]))) or "no"
