"""`python -m bench`: install the other servers, measure each, and write the table, numbers and plot."""

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
from bench.measurement import Bench, Plan
from bench.packages import NotInstalled
from bench.plot import draw
from bench.report import Report
from bench.results import Results
from bench.servers import BUILDERS, TUNED, BuildOptions, Server, build
from bench.site import serving
from bench.tasks import TASKS, Task
from bench.tokens import Tokenizer


def main() -> None:
    arguments = _arguments()
    try:
        browser = Browser.find(arguments.browser)
    except NoBrowser as problem:
        raise SystemExit(str(problem)) from None
    plan = Plan(_tasks(arguments.tasks, quick=arguments.quick), arguments.rounds, arguments.repeats, arguments.limit)
    results = Results(facts=_facts(browser, plan))
    servers = _servers(arguments, BuildOptions(browser, not arguments.no_fetch, arguments.rove), results)
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        tokenizer = Tokenizer(Path(folder), fetch=not arguments.no_fetch)
        with serving() as site:
            asyncio.run(Bench(plan, site, results).run(servers))
        _count_tokens(results, tokenizer)
    results.facts |= {"load_after": os.getloadavg(), "tokenizer": tokenizer.name}
    _write(results, plan.tasks, Path(arguments.out))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    keys = ", ".join((*BUILDERS, *TUNED))
    parser.add_argument("--only", type=_keys, help=f"servers to measure, separated by commas: {keys}")
    parser.add_argument("--tuned", action="store_true", help="also measure other servers with their waits turned off")
    parser.add_argument(
        "--tasks", type=_keys, help=f"tasks to measure, separated by commas: {', '.join(task.key for task in TASKS)}"
    )
    parser.add_argument("--quick", action="store_true", help="skip the page of 60,000 rows, which takes minutes")
    parser.add_argument("--rounds", type=int, default=3, help="rounds, each with newly started servers (default: 3)")
    parser.add_argument("--repeats", type=int, default=3, help="repetitions of each task in a round (default: 3)")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds that one call may take (default: 60)")
    parser.add_argument(
        "--browser", help="the Chromium that all servers drive (default: ROVE_BROWSER, else the system's)"
    )
    parser.add_argument("--rove", help="the command that starts rove (default: `rove mcp` of this checkout)")
    parser.add_argument("--no-fetch", action="store_true", help="use the installed packages; do not call npm")
    parser.add_argument("--out", default=str(Path(__file__).parent / "results"), help="where to write the results")
    return parser.parse_args()


def _keys(text: str) -> list[str]:
    return [key.strip() for key in text.split(",") if key.strip()]


def _tasks(only: Sequence[str] | None, *, quick: bool) -> list[Task]:
    unknown = set(only or ()) - {task.key for task in TASKS}
    if unknown:
        raise SystemExit(f"no such task: {', '.join(sorted(unknown))}")
    return [task for task in TASKS if (not only or task.key in only) and not (quick and task.is_heavy)]


def _servers(arguments: argparse.Namespace, options: BuildOptions, results: Results) -> list[Server]:
    """Build the wanted servers; record in the results why a server cannot be installed."""
    wanted: list[str] = arguments.only or [*BUILDERS, *(TUNED if arguments.tuned else ())]
    servers: list[Server] = []
    for key in wanted:
        if key not in {*BUILDERS, *TUNED}:
            raise SystemExit(f"no such server: {key}")
        try:
            servers.append(build(key, options))
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


def _write(results: Results, tasks: Sequence[Task], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    table = Report(results, tasks).markdown()
    (folder / "table.md").write_text(table)
    (folder / "results.json").write_text(json.dumps(results.as_json(), indent=1) + "\n")
    (folder / "plot.svg").write_text(draw(results, tasks))
    print(f"\n{table}\nWritten: table.md, results.json and plot.svg in {folder}")


if __name__ == "__main__":
    main()
