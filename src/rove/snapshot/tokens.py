"""Estimates how many tokens a text costs a model, without a tokenizer."""

from __future__ import annotations

import re

# The pieces into which byte-pair tokenizers split text before they merge: a word with one punctuation mark before it,
# up to three digits, a run of punctuation with the line ends after it, white space.
_PIECES = re.compile(r"[^\r\nA-Za-z0-9]?[A-Za-z]+|\d{1,3}| ?[!-/:-@\[-`{-~]+[\r\n/]*|\s*[\r\n]+|[ \t]+(?=[ \t])")
LONG_WORD = 10
# A quote, bracket or equals sign and the word after it are seldom one token.
_SIGN_BEFORE_WORD = re.compile(r"[\"\[=/.@_|][A-Za-z]")
_BEYOND_ASCII = (
    (r"[\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uff00-\uffef]", 0.85),  # ideographs
    (r"[\u2190-\u2bff\U0001f000-\U0010ffff]", 1.8),  # pictures
    (r"[\x80-\u218f\u2c00-\u2fff\ua000-\uabff]", 0.42),  # other scripts
)

# Every snapshot waits for this estimate: of a long text only slices are read, in half a millisecond instead of three.
SLICES = 16
SLICE = 400


def estimate(text: str) -> int:
    """Estimate the tokens of a text; calibrated on o200k_base, and rather too high than too low."""
    if len(text) <= SLICES * SLICE:
        return int(_weight(text)) + 1
    step = (len(text) - SLICE) / (SLICES - 1)
    slices = [text[int(step * number) : int(step * number) + SLICE] for number in range(SLICES)]
    return int(sum(map(_weight, slices)) * len(text) / (SLICES * SLICE)) + 1


def _weight(text: str) -> float:
    found = _PIECES.findall(text)
    pieces = len(found) + sum([_extra(piece) for piece in found if len(piece) >= LONG_WORD])
    weight = pieces + 0.45 * len(_SIGN_BEFORE_WORD.findall(text))
    if not text.isascii():
        # Compiled when first needed: ranges as wide as these take long to compile.
        weight += sum(each * len(re.findall(pattern, text)) for pattern, each in _BEYOND_ASCII)
    return weight * 1.03


def _extra(piece: str) -> int:
    """Count the tokens of a long word beyond its first."""
    if not piece[-1].isalpha():
        return 0
    letters = len(piece) if piece[0].isascii() and piece[0].isalpha() else len(piece) - 1
    return (letters - 4) // 7 if letters >= LONG_WORD else 0
