"""Declares the arguments of `rove map`."""

from __future__ import annotations

import argparse
from pathlib import Path

from rove.settings.tree import Resolved

USAGE = "rove map URLS [URLS ...] --do WHAT --out FILE [options]"
DESCRIPTION = """\
Visit many pages and write one JSON line for each. Addresses are arguments, files or - for standard input, one a line;
lines of JSON with a `url`, or a table with such a column, pass their other fields on. Work begins with the first
address, also where the input never ends.

Interrupted by Ctrl-C, or killed, it goes on where it was when the same command is run again: what is in the file of
results is done. Nothing is visited that the policy or the address rules forbid, and no person is asked.
"""
EXAMPLES = """\
examples:
  rove map urls.txt --do extract --out texts.jsonl
  rove map https://example.com https://example.org --do screenshot --full-page --out pictures.jsonl
  rove map products.csv --column link --do price.py --out prices.jsonl     a function of yours for each page
  sitemap-urls | rove map - --do fetch --out - | jq .result                a stream, to standard output
  rove map urls.txt --do extract --out texts.jsonl --retry-failed          once more what has failed
  rove map urls.txt --do extract --out texts.jsonl --cluster 10.0.0.5:6379 on every node of a Ray cluster

FILE.py defines `async def run(session: rove.Session, url: str)`; what it returns is the result (docs/map.md).

exit codes: 0 every page is done, 1 some have failed, 2 wrong use, 130 interrupted
"""


def map_arguments(command: argparse.ArgumentParser) -> None:
    """Declare what `rove map` takes."""
    command.description, command.epilog, command.usage = DESCRIPTION, EXAMPLES, USAGE
    add = command.add_argument
    add("urls", nargs="+", metavar="URLS", help="addresses, files with addresses, or - for standard input")
    add(
        "--do",
        required=True,
        metavar="WHAT",
        help="fetch (over HTTP, in the browser if need be), extract (readable text), screenshot, snapshot, pdf, or the "
        "path of a FILE.py",
    )
    add("--out", required=True, metavar="FILE", type=Path, help="results, appended; - for standard output")
    add("--column", metavar="NAME", help="column of a table that has the addresses [url]")
    add("--cluster", metavar="ADDRESS", help="visit them on all nodes of the Ray cluster with this head, HOST:PORT")
    add("--parallel", type=_positive, metavar="N", help="pages at once, on each node [by cores and memory]")
    add(
        "--per-host",
        type=_positive,
        metavar="N",
        help="pages of one host at once [2; of this machine, as many as --parallel]",
    )
    add("--delay", type=_seconds, default=0.0, metavar="SECONDS", help="between two starts on one host [0]")
    add("--retries", type=_count, default=2, metavar="N", help="further visits after a failure that may pass [2]")
    add("--timeout", type=_positive_seconds, default=30.0, metavar="SECONDS", help="for one visit of a page [30]")
    add("--full-page", action="store_true", help="screenshots of whole pages, not only of what is in view")
    add("--keep-session", action="store_true", help="keep cookies and storage from host to host")
    add("--fresh", action="store_true", help="begin each page without cookies and storage, also on the same host")
    add("--retry-failed", action="store_true", help="visit again what has failed in an earlier run")
    add("--repeat", action="store_true", help="visit an address as often as the input has it, not once")
    add("--quiet", action="store_true", help="show no progress")


def run_map(given: argparse.Namespace, resolved: Resolved, begun: object) -> int:
    from rove.surfaces.cli.map.command import run

    return run(given, resolved.settings)


def _count(word: str) -> int:
    return _whole(word, 0)


def _positive(word: str) -> int:
    return _whole(word, 1)


def _whole(word: str, least: int) -> int:
    if not (word.isascii() and word.isdigit()) or int(word) < least:
        raise argparse.ArgumentTypeError(f"{word!r} is not a whole number from {least} up")
    return int(word)


def _seconds(word: str) -> float:
    try:
        seconds = float(word)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"{word!r} is not a number of seconds")
    return seconds


def _positive_seconds(word: str) -> float:
    if not (seconds := _seconds(word)):
        raise argparse.ArgumentTypeError("must be more than 0")
    return seconds
