"""Addresses that a person mistypes."""

from __future__ import annotations

import pytest

from rove.action import parse
from rove.errors import InvalidArguments


@pytest.mark.parametrize("address", ["ht!tp://x", "h ttp://x", "1http://x.test", "https;x://y"])
def test_an_address_whose_scheme_is_malformed_is_not_taken_for_a_host(address: str) -> None:
    with pytest.raises(InvalidArguments):
        parse("navigate", {"url": address})


def test_an_address_in_an_address_is_valid() -> None:
    assert parse("navigate", {"url": "x.test/?to=http://y.test"}).destination == "https://x.test/?to=http://y.test"
