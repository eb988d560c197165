"""Lines that carry their own hash and that of the line before."""

from __future__ import annotations

import json
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rove.storage.ledger import BEGINNING, ChainedLine, head_in, seal, unseal

FIRST, LINE = seal(BEGINNING, {"action": "click"})


def test_a_line_contains_its_number_its_facts_and_its_hash() -> None:
    said = json.loads(LINE)
    assert list(said) == ["seq", "prev", "action", "hash"]
    assert (said["seq"], said["prev"], said["action"], said["hash"]) == (1, "0" * 64, "click", FIRST.hash)


def test_the_hash_can_be_checked_without_rove() -> None:
    body = LINE.rstrip(b"\n").removesuffix(f', "hash": "{FIRST.hash}"}}'.encode()) + b"}"
    assert sha256(body).hexdigest() == FIRST.hash


def test_the_next_line_contains_the_hash_of_the_one_before() -> None:
    second, line = seal(FIRST, {})
    assert (second.seq, json.loads(line)["prev"]) == (2, FIRST.hash)
    assert line.startswith(FIRST.beginning)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(json_values)
def test_a_sealed_value_is_one_ascii_line_and_can_be_read_back(value: object) -> None:
    link, line = seal(BEGINNING, {"value": value})
    assert line.isascii()
    assert line.count(b"\n") == 1
    assert len(line.decode().splitlines()) == 1
    assert unseal(line[:-1]) == link
    assert link.facts["value"] == value


@given(st.integers(0, len(LINE) - 2), st.integers(0, 255))
def test_a_line_with_a_changed_byte_is_refused(place: int, byte: int) -> None:
    changed = LINE[:place] + bytes([byte]) + LINE[place + 1 : -1]
    assert (unseal(changed) is None) == (changed != LINE[:-1])


@pytest.mark.parametrize("length", range(len(LINE) - 1))
def test_an_incomplete_line_is_refused(length: int) -> None:
    assert unseal(LINE[:length]) is None


@pytest.mark.parametrize("body", [b"{}", b"[]", b'{"seq": true, "prev": ""}', b'{"seq": 1, "prev": 2}', b"{" * 100_000])
def test_other_content_with_a_valid_hash_is_refused(body: bytes) -> None:
    assert unseal(body[:-1] + f', "hash": "{sha256(body).hexdigest()}"}}'.encode()) is None


def test_a_value_that_json_cannot_hold_is_written_as_text() -> None:
    _, line = seal(BEGINNING, {"value": {1}})
    assert json.loads(line)["value"] == "{1}"


def test_the_head_names_the_last_line_and_has_a_fixed_length() -> None:
    assert head_in(FIRST.head) == ChainedLine(1, FIRST.hash, {})
    assert len(FIRST.head) == len(ChainedLine(10**19, FIRST.hash, {}).head)


@pytest.mark.parametrize("text", [b"", b"1", FIRST.head[:-1], FIRST.head + b"x", FIRST.head.upper()])
def test_an_invalid_head_is_read_as_none(text: bytes) -> None:
    assert head_in(text) is None
