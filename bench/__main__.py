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
from bench.arguments import build_options, build_servers, new_parser, refuse_unknown, split_keys
from bench.browser import Browser
from bench.measurement import Bench, Plan
from bench.plot import draw
from bench.report import Report
from bench.results import Results
from bench.servers import BUILDERS, TUNED
from bench.site import serving
from bench.tasks import TASKS, Task
from bench.tokens import Tokenizer


def main() -> None:
    arguments = _arguments()
    options = build_options(arguments)
    plan = Plan(_tasks(arguments.tasks, quick=arguments.quick), arguments.rounds, arguments.repeats, arguments.limit)
    results = Results(facts=_facts(options.browser, plan))
    wanted = arguments.only or [*BUILDERS, *(TUNED if arguments.tuned else ())]
    servers = build_servers(wanted, options, results.skipped)
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        tokenizer = Tokenizer(Path(folder), fetch=options.fetch)
        with serving() as site:
            asyncio.run(Bench(plan, site, results).run(servers))
        _count_tokens(results, tokenizer)
    results.facts |= {"load_after": os.getloadavg(), "tokenizer": tokenizer.name}
    _write(results, plan.tasks, arguments.out)


def _arguments() -> argparse.Namespace:
    parser = new_parser("python -m bench", __doc__, limit=60.0)
    tasks = ", ".join(task.key for task in TASKS)
    parser.add_argument("--tuned", action="store_true", help="also measure other servers with their waits turned off")
    parser.add_argument("--tasks", type=split_keys, default=[], help=f"tasks to measure, separated by commas: {tasks}")
    parser.add_argument("--quick", action="store_true", help="skip the page of 60,000 rows, which takes minutes")
    parser.add_argument("--rounds", type=int, default=3, help="rounds, each with newly started servers (default: 3)")
    parser.add_argument("--repeats", type=int, default=3, help="repetitions of each task in a round (default: 3)")
    return parser.parse_args()


def _tasks(only: Sequence[str], *, quick: bool) -> list[Task]:
    refuse_unknown("task", only, {task.key for task in TASKS})
    return [task for task in TASKS if (not only or task.key in only) and not (quick and task.is_heavy)]


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
