"""Measures Ray's head: memory and processor time for each node, and how soon it knows that a node is lost."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from bench.memory import bytes_of

NODES = (1, 3, 6)
WATCHED = 10.0
LONGEST = 120.0
# What the deployment files set: a node that does not answer three times, a second apart, is lost.
QUICK = {
    "RAY_health_check_initial_delay_ms": "1000",
    "RAY_health_check_period_ms": "1000",
    "RAY_health_check_timeout_ms": "2000",
    "RAY_health_check_failure_threshold": "3",
}
TICKS = os.sysconf("SC_CLK_TCK")


@contextmanager
def ray_cluster(environment: Mapping[str, str]) -> Generator[Any]:
    """Start a head in this machine; yield Ray's cluster, which starts more nodes."""
    before = {name: os.environ.get(name) for name in environment}
    os.environ.update(environment)
    cluster_utils: Any = import_module("ray.cluster_utils")  # Ray has types for few of its functions

    try:
        cluster = cluster_utils.Cluster(
            initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False}
        )
        try:
            yield cluster
        finally:
            cluster.shutdown()
    finally:
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})


def head_costs(nodes: tuple[int, ...] = NODES) -> list[dict[str, float]]:
    """Return memory and cores of the head with each number of nodes besides it."""
    measured: list[dict[str, float]] = []
    with ray_cluster({}) as cluster:
        head = _process(cluster.head_node, "gcs_server")
        for count in nodes:
            while len(cluster.worker_nodes) < count:
                cluster.add_node(num_cpus=1)
            before = _seconds(head)
            time.sleep(WATCHED)
            measured.append(
                {"nodes": count, "memory": bytes_of(head, "Pss"), "cores": (_seconds(head) - before) / WATCHED}
            )
    return measured


def detection(environment: Mapping[str, str], kill: signal.Signals) -> float:
    """Return the seconds until Ray knows that a node is lost: killed, or silent as when its network is."""
    ray: Any = import_module("ray")

    with ray_cluster(environment) as cluster:
        node = cluster.add_node(num_cpus=1)
        raylet = _process(node, "raylet")
        ray.init(address=cluster.address, log_to_driver=False, logging_level="error")
        try:
            time.sleep(float(environment.get("RAY_health_check_initial_delay_ms", "5000")) / 1000 + 1)
            began = time.monotonic()
            os.kill(raylet, kill)
            while any(each["NodeID"] == node.node_id and each["Alive"] for each in ray.nodes()):
                if time.monotonic() - began > LONGEST:
                    return LONGEST
                time.sleep(0.05)
            return time.monotonic() - began
        finally:
            os.kill(raylet, signal.SIGCONT) if kill is signal.SIGSTOP else None
            ray.shutdown()


def _process(node: Any, kind: str) -> int:
    (info,) = node.all_processes[kind]
    process: subprocess.Popen[bytes] = info.process
    return process.pid


def _seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS
