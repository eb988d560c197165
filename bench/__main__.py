"""`python -m bench`: install the peers, measure everyone, write the table, the numbers and the plot."""

from __future__ import annotations

import argparse
import asyncio
import datetime
import json
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench import machine
from bench.browser import Browser, NoBrowser
from bench.packages import NotInstalled
from bench.peers import BUILDERS, TUNED, Server, Surroundings, build
from bench.plot import draw
from bench.report import Report
from bench.results import Results
from bench.rounds import Bench, Plan
from bench.site import serving
from bench.tokens import Tokenizer
from bench.work import WORKS, Work


def main() -> None:
    arguments = _arguments()
    try:
        browser = Browser.find(arguments.browser)
    except NoBrowser as problem:
        raise SystemExit(str(problem)) from None
    plan = Plan(_works(arguments.work, quick=arguments.quick), arguments.rounds, arguments.repeats, arguments.limit)
    results = Results(facts=_facts(browser, plan))
    servers = _servers(arguments, Surroundings(browser, not arguments.no_fetch, arguments.rove), results)
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        tokenizer = Tokenizer(Path(folder), fetch=not arguments.no_fetch)
        with serving() as site:
            asyncio.run(Bench(plan, site, results).run(servers))
        _count_tokens(results, tokenizer)
    results.facts |= {"load_after": os.getloadavg(), "tokenizer": tokenizer.name}
    _write(results, plan.works, Path(arguments.out))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    everyone = ", ".join((*BUILDERS, *TUNED))
    parser.add_argument("--only", type=_keys, help=f"whom to measure, separated by commas: {everyone}")
    parser.add_argument("--tuned", action="store_true", help="also measure peers with their waits turned off")
    parser.add_argument("--work", type=_keys, help=f"which work: {', '.join(work.key for work in WORKS)}")
    parser.add_argument("--quick", action="store_true", help="leave the 60,000 rows out; they take minutes")
    parser.add_argument("--rounds", type=int, default=3, help="fresh starts of everyone (default: 3)")
    parser.add_argument("--repeats", type=int, default=3, help="repetitions of each work in a round (default: 3)")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds that one call may take (default: 60)")
    parser.add_argument("--browser", help="the Chromium for everyone (default: ROVE_BROWSER, else the system's)")
    parser.add_argument("--rove", help="the command that starts rove (default: `rove mcp` of this checkout)")
    parser.add_argument("--no-fetch", action="store_true", help="use the packages that are here; do not call npm")
    parser.add_argument("--out", default=str(Path(__file__).parent / "results"), help="where to write the results")
    return parser.parse_args()


def _keys(text: str) -> list[str]:
    return [key.strip() for key in text.split(",") if key.strip()]


def _works(only: Sequence[str] | None, *, quick: bool) -> list[Work]:
    unknown = set(only or ()) - {work.key for work in WORKS}
    if unknown:
        raise SystemExit(f"no such work: {', '.join(sorted(unknown))}")
    return [work for work in WORKS if (not only or work.key in only) and not (quick and work.is_heavy)]


def _servers(arguments: argparse.Namespace, around: Surroundings, results: Results) -> list[Server]:
    """Everyone who was asked for and can be had; the reasons of the others go into the results."""
    wanted: list[str] = arguments.only or [*BUILDERS, *(TUNED if arguments.tuned else ())]
    servers: list[Server] = []
    for key in wanted:
        if key not in {*BUILDERS, *TUNED}:
            raise SystemExit(f"no such server: {key}")
        try:
            servers.append(build(key, around))
            print(f"  {servers[-1].title} {servers[-1].version}", flush=True)
        except NotInstalled as problem:
            results.skipped[key] = str(problem)
            print(f"  {key} is skipped: {problem}", flush=True)
    return servers


def _facts(browser: Browser, plan: Plan) -> dict[str, Any]:
    return machine.facts() | {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "browser": browser.version,
        "browser_name": browser.name,
        "sandbox": browser.sandbox,
        "rounds": plan.rounds,
        "repeats": plan.repeats,
        "limit_seconds": plan.limit,
    }


def _count_tokens(results: Results, tokenizer: Tokenizer) -> None:
    columns = list(results.columns.values())
    for column, tokens in zip(columns, tokenizer.count([column.schema for column in columns]), strict=True):
        column.schema_tokens = tokens
    cells = [cell for column in columns for cell in column.cells.values() if cell.samples]
    for cell, tokens in zip(cells, tokenizer.count([cell.text for cell in cells]), strict=True):
        cell.tokens = tokens


def _write(results: Results, works: Sequence[Work], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    table = Report(results, works).markdown()
    (folder / "table.md").write_text(table)
    (folder / "results.json").write_text(json.dumps(results.as_json(), indent=1) + "\n")
    (folder / "plot.svg").write_text(draw(results, works))
    print(f"\n{table}\nWritten: table.md, results.json and plot.svg in {folder}")


if __name__ == "__main__":
    main()
