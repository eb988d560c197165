"""`python -m bench.waiting`: how long servers wait on pages in which something goes on, and what they tell."""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, replace
from pathlib import Path

from tests.waiting.kinds import KINDS, PLAIN, Kind, document
from tests.waiting.site import serving

from bench.arguments import build_options, build_servers, new_parser
from bench.packages import NotInstalled
from bench.servers import BUILDERS
from bench.site import Site
from bench.waiting import real_pages, report
from bench.waiting.cases import Case
from bench.waiting.page_data import chatting
from bench.waiting.run import run
from bench.waiting.watcher import browser_with_port, free_port


def main() -> None:
    arguments = _arguments()
    options = build_options(arguments)
    plain = _own([PLAIN, PLAIN, PLAIN], "plain")
    own = [] if arguments.pages == "real" else _own([kind for kind in KINDS if arguments.kinds in kind.name], "own")
    real = [] if arguments.pages == "own" else real_pages.cases(arguments.kinds)
    pages: dict[str, tuple[str | bytes, str]] = {
        case.path: (document(case.kind, case.begins), "text/html") for case in (*plain, *own)
    }
    skipped: dict[str, str] = {}
    accounts: dict[str, list[Case]] = {}
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-"))
        if real:
            try:
                pages |= real_pages.contents(real, stack.enter_context(chatting()), fetch=options.fetch)
            except NotInstalled as problem:
                skipped["real pages"], real = str(problem), []
        cases = [*plain, *own, *real]
        address = stack.enter_context(serving(pages))
        site = Site(int(address.rpartition(":")[2]))
        for key in arguments.only or [*BUILDERS]:
            port = free_port()
            watched = replace(options.browser, path=browser_with_port(options.browser.path, port, Path(folder)))
            for server in build_servers([key], replace(options, browser=watched), skipped):
                accounts[server.title] = asyncio.run(run(server, cases, site, port, arguments.limit))
    table = report.markdown(accounts, skipped)
    _write(table, accounts, arguments.out)


def _arguments() -> argparse.Namespace:
    parser = new_parser("python -m bench.waiting", __doc__, limit=30.0)
    parser.add_argument("--kinds", default="", help="only kinds of pages whose name contains this")
    parser.add_argument(
        "--pages",
        choices=("all", "own", "real"),
        default="all",
        help="kinds of pages of our own, real ones made of npm packages, or all",
    )
    return parser.parse_args()


def _own(kinds: Sequence[Kind], folder: str) -> list[Case]:
    """Return each kind of page by what begins it."""
    return [
        Case(f"/{folder}/{number}/{begins}", kind, begins)
        for number, kind in enumerate(kinds)
        for begins in kind.begins
    ]


def _write(table: str, accounts: dict[str, list[Case]], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "waiting.md").write_text(table)
    told = {title: [{**asdict(case), "kind": case.kind.name} for case in cases] for title, cases in accounts.items()}
    (folder / "waiting.json").write_text(json.dumps(told, indent=1))
    print(f"\n{table}\nWritten: waiting.md and waiting.json in {folder}")


if __name__ == "__main__":
    main()
