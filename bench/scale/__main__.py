"""`python -m bench.scale`: 10,000 sessions on 400 nodes, simulated with measured costs; what breaks first?

The real code of `rove.cluster.placement` runs in an event loop with virtual time, over simulated nodes, gateways and
agents. Costs are read from docs/cluster_results; `bench.session_costs` and `bench.scale.measure` measure them.
Writes scale.json there, and the pictures of docs/scale.md.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Any

from bench.arguments import refuse_unknown, split_keys
from bench.scale import scenarios
from bench.scale.assumptions import Failures, Plan
from bench.scale.check import compare
from bench.scale.costs import FOLDER, Costs, read_costs
from bench.scale.placement_speed import placement_speed
from bench.scale.plots import write_plots

PICTURES = FOLDER.parent / "images/scale"
RESULTS = FOLDER / "scale.json"
GATEWAYS = 8
RACK = 20


def main() -> None:
    given = _arguments()
    refuse_unknown("scenario", given.only or (), SCENARIOS)
    costs = read_costs()
    results: dict[str, Any] = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    results["assumptions"] = asdict(_plan()) | {"failures": asdict(Failures())}
    for name in given.only or SCENARIOS:
        began = time.process_time()
        results[name] = SCENARIOS[name](costs)
        print(f"{name}: {time.process_time() - began:.0f} s of processor time", flush=True)
        RESULTS.write_text(json.dumps(results, indent=1) + "\n")
    write_plots(results, PICTURES)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.scale", description=__doc__)
    parser.add_argument("--only", type=split_keys, help=f"simulate only these again: {', '.join(SCENARIOS)}")
    return parser.parse_args()


def _plan() -> Plan:
    plan = Plan()
    return replace(plan, machines=replace(plan.machines, gateways=GATEWAYS))


def _gateways(costs: Costs) -> Any:
    one = scenarios.gateways(_plan(), costs, (500, 1000, 1500, 2000, 2500, 3000), (1,))
    four = scenarios.gateways(_plan(), costs, (2000, 4000, 6000, 8000, 10_000, 12_000), (4,))
    eight = scenarios.gateways(_plan(), costs, (2000, 4000, 6000, 8000, 10_000, 12_000, 14_000), (GATEWAYS,))
    return [*one, *four, *eight]


def _detection(costs: Costs) -> Any:
    """Return the loss of a rack with each time that it takes until the loss is known."""
    known = costs.head.detection
    times = {known["silent, quick checks"], known["killed"], known["silent"]}
    return [scenarios.losses(_plan(), costs, RACK, (4,), seconds)[0] for seconds in sorted(times)]


def _check(_: Costs) -> Any:
    rows = compare(json.loads((FOLDER / "session_costs.json").read_text()))
    return {"rows": rows, "median_error": statistics.median(abs(row["error"]) for row in rows)}


SCENARIOS: dict[str, Callable[[Costs], Any]] = {
    "check": _check,
    "placement_speed": lambda _: [
        placement_speed(nodes, waiting) for nodes, waiting in ((3, 10), (100, 125), (400, 500))
    ],
    "gateways": _gateways,
    "queue": lambda costs: scenarios.queueing(_plan(), costs, (0.8, 0.9, 1.0, 1.1, 1.2, 1.4)),
    "node": lambda costs: scenarios.losses(_plan(), costs, 1, (4,), costs.head.detection["killed"]),
    "rack": lambda costs: scenarios.losses(
        _plan(), costs, RACK, (1, 2, 4, 8, 64), costs.head.detection["silent, quick checks"]
    ),
    "three_nodes": lambda costs: scenarios.three_nodes(costs, (1, 2, 4, 8, 64), costs.head.detection["killed"]),
    "detection": _detection,
    "stores": lambda costs: scenarios.stores(_plan(), costs, (0.01, 0.03, 0.1, 0.3)),
    # At each gateway, of its 50 nodes.
    "upgrades": lambda costs: scenarios.upgrades(_plan(), costs, (1, 2, 5)),
    "slow_node": lambda costs: scenarios.slow_node(_plan(), costs, 0.2),
}


if __name__ == "__main__":
    main()
