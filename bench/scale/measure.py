"""`python -m bench.scale.measure`: what the gateway and Ray's head cost; writes `cluster_costs.json`."""

from __future__ import annotations

import datetime
import json
import os
import signal
import statistics

from bench import machine
from bench.scale.costs import FOLDER
from bench.scale.measure_gateway import http_call, ray_call
from bench.scale.measure_head import QUICK, detection, head_costs, ray_cluster


def main() -> None:
    facts = machine.facts() | {"date": datetime.datetime.now(datetime.UTC).date().isoformat()}
    http = http_call()
    print(f"a call of /mcp: {http * 1000:.2f} ms", flush=True)
    with ray_cluster({}) as cluster:
        through_ray = ray_call(cluster.address)
    print(f"a call through Ray: {through_ray * 1000:.2f} ms", flush=True)
    heads = head_costs()
    print(heads, flush=True)
    losses = {
        "killed": detection({}, signal.SIGKILL),
        "silent": detection({}, signal.SIGSTOP),
        "silent, quick checks": detection(QUICK, signal.SIGSTOP),
    }
    print(losses, flush=True)
    each, fixed = _line([(head["nodes"], head["memory"]) for head in heads])
    cores, _ = _line([(head["nodes"], head["cores"]) for head in heads])
    results = {
        "facts": facts | {"load_after": os.getloadavg()},
        "gateway": {"http_call": http, "ray_call": through_ray, "call_processor": http + through_ray,
                    "poll_processor": through_ray},
        "head": {"memory": fixed, "memory_per_node": max(each, 0), "processor_per_node": max(cores, 0),
                 "detection": losses},
        "head_samples": heads,
        "quick_checks": QUICK,
    }  # fmt: skip
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / "cluster_costs.json").write_text(json.dumps(results, indent=1) + "\n")


def _line(points: list[tuple[float, float]]) -> tuple[float, float]:
    slope, intercept = statistics.linear_regression([x for x, _ in points], [y for _, y in points])
    return slope, intercept


if __name__ == "__main__":
    main()
