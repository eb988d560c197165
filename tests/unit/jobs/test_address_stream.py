"""Reading addresses: lines, JSON, tables, and input that never ends."""

from __future__ import annotations

import asyncio
import io
import os
from pathlib import Path

import pytest

from rove.errors import InvalidArguments
from rove.jobs.addresses import Address, check_sources, is_loopback, read_list, read_sources, stream


def test_a_list_has_one_address_a_line_and_may_have_comments_and_fields() -> None:
    text = (
        '\ufeffhttps://a.example/1\n\n# a comment\n  b.example/x \n{"url": "https://c.example/", "id": 7}\n{"id": 8}\n'
    )
    found = list(read_list(io.StringIO(text)))
    assert [address.url for address in found[:3]] == ["https://a.example/1", "b.example/x", "https://c.example/"]
    assert [address.host for address in found] == ["a.example", "b.example", "c.example", ""]
    assert found[2].fields == {"id": 7}
    assert found[1].href == "https://b.example/x"


def test_a_table_has_a_column_of_addresses(tmp_path: Path) -> None:
    table = tmp_path / "shops.csv"
    table.write_text('name,url\nTea,https://tea.example/\n"Pots, pans",https://pots.example/\nNone,\n')
    found = list(read_sources([str(table)]))
    assert [(address.host, address.fields) for address in found] == [
        ("tea.example", {"name": "Tea"}),
        ("pots.example", {"name": "Pots, pans"}),
    ]
    with pytest.raises(InvalidArguments, match="no column 'link'"):
        list(read_sources([str(table)], "link"))


def test_arguments_are_addresses_or_files(tmp_path: Path) -> None:
    listed = tmp_path / "list"
    listed.write_text("one.example\n")
    found = read_sources(["example.com", str(listed), "http://localhost:3000/x"])
    assert [address.href for address in found] == [
        "https://example.com/",
        "https://one.example/",
        "http://localhost:3000/x",
    ]
    with pytest.raises(InvalidArguments, match=r"no file missing\.txt"):
        check_sources(["missing.txt"])
    with pytest.raises(InvalidArguments, match="no address"):
        check_sources([])


def test_spellings_of_one_address_are_the_same() -> None:
    same = {Address.of(url).key for url in ("HTTPS://Example.com:443", "example.com/", "https://example.com/a/..")}
    assert len(same) == 1
    assert Address.of("https://example.com/#a").key not in same


def test_hosts_of_this_machine_are_known_by_name() -> None:
    assert all(map(is_loopback, ("localhost", "localhost:3000", "127.0.0.1:80", "a.localhost", "[::1]:8080")))
    assert not any(map(is_loopback, ("example.com", "127.0.0.1.example.com", "10.0.0.1", "localhost.example.com:80")))


async def test_addresses_come_before_their_input_has_ended() -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading) as lines, os.fdopen(writing, "w") as sender:
        addresses = stream(read_list(lines))
        for number in range(3):
            sender.write(f"https://example.com/{number}\n")
            sender.flush()
            found = await asyncio.wait_for(anext(addresses), 10)
            assert found.url == f"https://example.com/{number}"
        sender.close()
        assert [address async for address in addresses] == []


def test_a_line_with_a_number_that_json_does_not_have_is_no_address() -> None:
    (found,) = read_list(['{"url": "https://example.com/", "price": NaN}'])
    assert not found.is_valid
