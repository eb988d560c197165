"""`python -m bench.session_costs`: what one session costs, by kind of page, idle and while an agent acts.

Starts `rove mcp` for each kind of page and opens more and more sessions in it, so that the cost of one more is known
apart from what a node needs anyway. Memory is PSS, and processor time is that of all processes; both hardly depend on
what else the machine does, as waiting times do. Writes `session_costs.json`, which docs/cluster.md and `bench.scale`
read.
"""

from __future__ import annotations

import argparse
import asyncio
import datetime
import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bench import machine
from bench.arguments import refuse_unknown, split_keys
from bench.browser import Browser, NoBrowser
from bench.servers import revision
from bench.session_costs.kinds import KINDS, Kind
from bench.session_costs.measurement import THINKING, KindCosts, Measurement
from bench.session_costs.pages import resources
from bench.session_costs.server import Server
from bench.session_costs.site import serving
from bench.session_costs.table import cost_table, waiting_table

# Committed, unlike other results: the guide's table and the simulation are made from it.
RESULTS = Path(__file__).parents[2] / "docs/cluster_results"
COUNTS = (1, 5, 10, 20)


def main() -> None:
    given = _arguments()
    refuse_unknown("kind of page", given.only or (), [kind.key for kind in KINDS])
    kinds = [kind for kind in KINDS if not given.only or kind.key in given.only]
    try:
        browser = Browser.find(None)
    except NoBrowser as problem:
        raise SystemExit(str(problem)) from None
    facts = machine.facts() | {
        "browser": browser.version,
        "rove": revision(),
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "rounds": given.rounds,
        "thinking_seconds": THINKING,
    }
    given.out.mkdir(parents=True, exist_ok=True)
    file = given.out / "session_costs.json"
    results: dict[str, Any] = {}
    measured = {each["kind"]: each for each in json.loads(file.read_text())["kinds"]} if file.exists() else {}
    with serving(resources(kinds)) as origin:
        for kind in kinds:
            costs = asyncio.run(_measure(kind, origin, given.counts, given.rounds))
            measured[kind.key] = _rounded(asdict(costs) | {"load": os.getloadavg()})
            # Written after each kind: a run takes long, and what was measured is kept if it fails.
            results = {"facts": facts, "kinds": [measured[each.key] for each in KINDS if each.key in measured]}
            file.write_text(json.dumps(results, indent=1) + "\n")
    print("\n".join([*cost_table(results), "", *waiting_table(results)]))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.session_costs", description=__doc__)
    names = ", ".join(kind.key for kind in KINDS)
    parser.add_argument("--only", type=split_keys, help=f"measure only these pages again, separated by commas: {names}")
    parser.add_argument("--counts", type=_numbers, default=COUNTS, help="sessions to measure with (default: 1,5,10,20)")
    parser.add_argument("--rounds", type=int, default=3, help="how often an agent makes its four calls (default: 3)")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder for the results")
    return parser.parse_args()


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(sorted(int(word) for word in split_keys(text)))


def _rounded(value: Any) -> Any:
    """Return the same data with four digits of each number after the point, which keeps the file small."""
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(each) for each in value]
    return round(value, 4) if isinstance(value, float) else value


async def _measure(kind: Kind, origin: str, counts: tuple[int, ...], rounds: int) -> KindCosts:
    async with Server() as server:
        return await Measurement(server, kind, origin).run(counts, rounds)


if __name__ == "__main__":
    main()
