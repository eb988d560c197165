"""The estimate of tokens, compared with counts of the o200k_base tokenizer. SAMPLES: name to (text, tokens)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rove.snapshot import estimate

SAMPLES = json.loads((Path(__file__).parents[2] / "golden" / "snapshot" / "token_counts.json").read_text())


@pytest.mark.parametrize("name", SAMPLES)
def test_the_estimate_is_between_90_and_145_percent_of_the_count(name: str) -> None:
    text, tokens = SAMPLES[name]
    assert 0.9 * tokens <= estimate(text) <= 1.45 * tokens


def test_the_estimate_of_a_very_long_text_scales_with_its_length() -> None:
    line = 'row: "12 | Name | active" [e12]\n'
    assert estimate(line * 50_000) == pytest.approx(estimate(line * 100) * 500, rel=0.05)
