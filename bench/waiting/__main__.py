"""`python -m bench.waiting`: how long servers wait on pages in which something goes on, and what they tell."""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
from dataclasses import asdict, replace
from pathlib import Path

from tests.waiting.kinds import KINDS, PLAIN, Kind, document
from tests.waiting.site import serving

from bench.arguments import build_options, build_servers, new_parser
from bench.servers import BUILDERS
from bench.site import Site
from bench.waiting import report
from bench.waiting.run import Case, run
from bench.waiting.watcher import browser_with_port, free_port


def main() -> None:
    arguments = _arguments()
    options = build_options(arguments)
    cases = _cases(arguments.kinds)
    pages = {case.path: (document(case.kind, case.begins), "text/html") for case in cases}
    skipped: dict[str, str] = {}
    accounts: dict[str, list[Case]] = {}
    with tempfile.TemporaryDirectory(prefix="bench-") as folder, serving(pages) as address:
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
    return parser.parse_args()


def _cases(part: str) -> list[Case]:
    """Return each kind of page by what begins it, after the plain pages that the others are compared with."""
    chosen: list[Kind] = [kind for kind in KINDS if part in kind.name]
    kinds = [PLAIN, PLAIN, PLAIN, *chosen]
    return [Case(f"/{number}/{begins}", kind, begins) for number, kind in enumerate(kinds) for begins in kind.begins]


def _write(table: str, accounts: dict[str, list[Case]], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "waiting.md").write_text(table)
    told = {title: [{**asdict(case), "kind": case.kind.name} for case in cases] for title, cases in accounts.items()}
    (folder / "waiting.json").write_text(json.dumps(told, indent=1))
    print(f"\n{table}\nWritten: waiting.md and waiting.json in {folder}")


if __name__ == "__main__":
    main()
