"""`python -m bench.scale.measure`: what the gateway and Ray's head cost; writes `cluster_costs.json`.

The gateway is measured on a cluster that is there already (`--cluster`), with TLS and token as in the environment; the
head on clusters that this starts and stops.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import signal
import statistics
from dataclasses import asdict
from typing import Any

from bench import machine
from bench.scale.costs import FOLDER
from bench.scale.measure_gateway import gateway_costs, http_call
from bench.scale.measure_head import QUICK, detection, head_costs

FILE = FOLDER / "cluster_costs.json"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.scale.measure", description=__doc__)
    parser.add_argument("--cluster", metavar="ADDRESS", help="measure a gateway on the cluster with this head")
    parser.add_argument("--nodes", type=int, default=2, help="how many nodes with cores it has (default: 2)")
    parser.add_argument("--head", action="store_true", help="measure Ray's head")
    given = parser.parse_args()
    results: dict[str, Any] = json.loads(FILE.read_text()) if FILE.exists() else {}
    if given.cluster:
        results["gateway"] = asdict(gateway_costs(given.cluster, given.nodes)) | {"http_call": http_call()} | _facts()
    if given.head:
        results["head"] = _head() | _facts()
    FOLDER.mkdir(parents=True, exist_ok=True)
    FILE.write_text(json.dumps(results, indent=1) + "\n")
    print(FILE.read_text())


def _facts() -> dict[str, Any]:
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    return {"facts": machine.facts() | {"date": today, "load_after": os.getloadavg()}}


def _head() -> dict[str, Any]:
    samples = head_costs()
    each, fixed = _line([(sample["nodes"], sample["memory"]) for sample in samples])
    cores, _ = _line([(sample["nodes"], sample["cores"]) for sample in samples])
    losses = {
        "killed": detection({}, signal.SIGKILL),
        "silent": detection({}, signal.SIGSTOP),
        "silent, quick checks": detection(QUICK, signal.SIGSTOP),
    }
    return {
        "memory": fixed,
        "memory_per_node": max(each, 0.0),
        "processor_per_node": max(cores, 0.0),
        "detection": losses,
        "samples": samples,
        "quick_checks": QUICK,
    }


def _line(points: list[tuple[float, float]]) -> tuple[float, float]:
    slope, intercept = statistics.linear_regression([x for x, _ in points], [y for _, y in points])
    return slope, intercept


if __name__ == "__main__":
    main()
