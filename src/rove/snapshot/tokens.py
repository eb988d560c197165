"""How many tokens a text costs a model, near enough, without a tokenizer."""

from __future__ import annotations

import re

# The shapes that byte-pair tokenizers split text into before they merge: a word with the one sign before it, up to
# three digits, a run of signs with the line ends after it, blank space.
_PIECES = re.compile(
    r"[^\r\nA-Za-z0-9]?[A-Za-z]+|\d{1,3}| ?[^\sA-Za-z0-9\x80-\U0010ffff]+[\r\n/]*|\s*[\r\n]+|[ \t]+(?=[ \t])"
)
_LONG_WORDS = re.compile(r"[A-Za-z]{10,}")
# A quote, bracket or equals sign before a word is seldom one token with it.
_SIGN_BEFORE_WORD = re.compile(r"[\"\[=/.@_|][A-Za-z]")
_IDEOGRAPHS = re.compile(r"[\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uff00-\uffef]")
_PICTURES = re.compile(r"[\u2190-\u2bff\U0001f000-\U0010ffff]")
_OTHER_SCRIPTS = re.compile(r"[\x80-\u218f\u2c00-\u2fff\ua000-\uabff]")

SAMPLE = 4000
LONG = 12 * SAMPLE


def estimate(text: str) -> int:
    """Tokens of `text`; calibrated on o200k_base, leaning to too many rather than too few."""
    if len(text) <= LONG:
        return _counted(text)
    # A long text is judged by slices spread over it.
    step = len(text) // 12
    slices = [text[start : start + SAMPLE] for start in range(0, step * 12, step)]
    return int(sum(map(_counted, slices)) * len(text) / (12 * SAMPLE))


def _counted(text: str) -> int:
    count = float(len(_PIECES.findall(text)))
    count += 0.45 * len(_SIGN_BEFORE_WORD.findall(text))
    count += sum((len(word) - 4) // 7 for word in _LONG_WORDS.findall(text))
    if not text.isascii():
        count += 0.85 * len(_IDEOGRAPHS.findall(text))
        count += 1.8 * len(_PICTURES.findall(text))
        count += 0.42 * len(_OTHER_SCRIPTS.findall(text))
    return int(count * 1.03) + 1
