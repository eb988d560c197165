"""The addresses of a job, read from files and streams."""

from __future__ import annotations

import asyncio
import csv
import json
import re
import sys
import threading
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from dataclasses import field
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeAlias

from rove.errors import InvalidArguments
from rove.jobs.worker import PageTask
from rove.patterns import pattern
from rove.records import dataclass
from rove.target import web_address

_LOOPBACK = pattern(r"(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])(:\d+)?", re.IGNORECASE)
_NOT_IN_NAMES = pattern(r"[^A-Za-z0-9]+")
LONGEST_NAME = 80
STANDARD_INPUT = "-"
URL_FIELD = "url"
# Names of lists. A word that ends like this is not taken for a host if there is no such file.
LIST_ENDINGS = (".txt", ".csv", ".tsv", ".jsonl", ".json", ".ndjson", ".list", ".urls", ".lst")
TABLE_ENDINGS = {".csv": ",", ".tsv": "\t"}
COMMENT = "#"
# Addresses that are read ahead of the scheduler.
READ_AHEAD = 100
# Addresses, then None or the error that ended the input.
_Queue: TypeAlias = "asyncio.Queue[Address | InvalidArguments | None]"


@dataclass(frozen=True)
class Address:
    """An address as it was given, and as browsers write it; `fields`: the rest of its line in the input.

    `host` has the port, unless that is the usual one; it is empty for a text that is no address.
    """

    url: str
    href: str
    host: str
    fields: Mapping[str, Any] = field(default_factory=dict[str, Any])
    is_valid: bool = True

    @classmethod
    def of(cls, url: str, fields: Mapping[str, Any] | None = None) -> Address:
        from ada_url import URL  # imported when the first address is read

        try:
            parsed = URL("" if url.startswith("{") else web_address(url))
        except ValueError:
            return cls(url, url, "", fields or {}, is_valid=False)
        return cls(url, parsed.href, parsed.host, fields or {})

    @property
    def key(self) -> bytes:
        """A digest that all spellings of one address share."""
        return blake2b(self.href.encode("utf-8", "surrogatepass"), digest_size=16).digest()

    @property
    def task(self) -> PageTask:
        words = _NOT_IN_NAMES.sub("-", self.href.partition("://")[2] or self.href).strip("-")
        return PageTask(self.href, self.host, f"{words[:LONGEST_NAME]}-{self.key.hex()[:8]}")


def is_loopback(host: str) -> bool:
    """Whether a host is this machine, going by its name."""
    return _LOOPBACK.fullmatch(host) is not None


def check_sources(sources: Sequence[str]) -> None:
    """Raise InvalidArguments if there is nothing to read, or a file that is named is not there."""
    if not sources:
        raise InvalidArguments("There is no address.", hint="Give addresses, a file, or - for standard input.")
    for source in sources:
        if source.lower().endswith(LIST_ENDINGS) and "://" not in source and not Path(source).exists():
            raise InvalidArguments(f"There is no file {source}.", hint="Check the path of the list.")


def read_sources(sources: Iterable[str], column: str | None = None) -> Iterator[Address]:
    """Yield the addresses of each source: an address itself, the path of a list, or - for standard input."""
    for source in sources:
        if source == STANDARD_INPUT:
            sys.stdin.reconfigure(errors="replace")  # type: ignore[union-attr]
            yield from read_list(sys.stdin, column)
        elif "://" not in source and Path(source).is_file():
            yield from _read_file(Path(source), column)
        else:
            yield Address.of(source)


def _read_file(path: Path, column: str | None) -> Iterator[Address]:
    delimiter = TABLE_ENDINGS.get(path.suffix.lower())
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        yield from read_list(file, column, delimiter)


def read_list(lines: Iterable[str], column: str | None = None, delimiter: str | None = None) -> Iterator[Address]:
    """Yield the addresses of a list: one a line, or JSON objects, or a table with a column of addresses.

    Blank lines and those that begin with # are skipped. A table is read where a column or a delimiter is given.
    """
    if column is not None or delimiter is not None:
        yield from _read_table(lines, column or URL_FIELD, delimiter or ",")
        return
    for line in lines:
        text = line.strip().removeprefix("\ufeff")
        if text and not text.startswith(COMMENT):
            yield _read_line(text)


def _read_line(text: str) -> Address:
    if not text.startswith("{"):
        return Address.of(text)
    try:
        fields: dict[str, Any] = json.loads(text)
        json.dumps(fields, allow_nan=False)  # Python reads NaN and 1e999, which are not JSON
        return Address.of(str(fields[URL_FIELD]), {name: fields[name] for name in fields if name != URL_FIELD})
    except (ValueError, KeyError):
        return Address(text, text, "", is_valid=False)


def _read_table(lines: Iterable[str], column: str, delimiter: str) -> Iterator[Address]:
    table = csv.DictReader(lines, delimiter=delimiter)
    if column not in (table.fieldnames or ()):
        names = ", ".join(table.fieldnames or ()) or "none"
        raise InvalidArguments(f"The table has no column {column!r}.", hint=f"Its columns: {names}. Use --column.")
    for row in table:
        if url := (row[column] or "").strip():
            yield Address.of(url, {name: value for name, value in row.items() if name and name != column})


async def stream(addresses: Iterator[Address]) -> AsyncIterator[Address]:
    """Yield addresses as they are read in a thread, which ends with the process even if its input never does."""
    loop = asyncio.get_running_loop()
    queue: _Queue = asyncio.Queue(READ_AHEAD)
    reader = threading.Thread(target=_read_into, args=(addresses, queue, loop), name="addresses", daemon=True)
    reader.start()
    while (found := await queue.get()) is not None:
        if isinstance(found, InvalidArguments):
            raise found
        yield found


def _read_into(addresses: Iterator[Address], queue: _Queue, loop: asyncio.AbstractEventLoop) -> None:
    def put(item: Address | InvalidArguments | None) -> None:
        asyncio.run_coroutine_threadsafe(queue.put(item), loop).result()

    try:
        try:
            for address in addresses:
                put(address)
            put(None)
        except (OSError, ValueError, csv.Error) as error:
            put(InvalidArguments(f"The input cannot be read: {error}.", hint="Check the list of addresses."))
        except InvalidArguments as error:
            put(error)
    except (RuntimeError, CancelledError):
        pass  # the loop is closed: the job is over
