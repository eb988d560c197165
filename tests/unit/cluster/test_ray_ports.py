"""Which ports of Ray no page may reach."""

from __future__ import annotations

from typing import Any

from rove.cluster.node.node import ports_of, ray_ports


def listed(address: str, is_head: bool = False, **ports: int) -> dict[str, Any]:
    resources = {"CPU": 1.0, **({"node:__internal_head__": 1.0} if is_head else {})}
    return {"Alive": True, "NodeManagerAddress": address, "Resources": resources, "NodeName": "n", **ports}


def test_ports_of_every_node_and_those_of_the_head_at_each_of_its_addresses_are_found() -> None:
    head = listed("10.0.0.5", is_head=True, NodeManagerPort=4001, DashboardAgentListenPort=52365)
    node = listed("10.0.0.6", RuntimeEnvAgentPort=4002, MetricsExportPort=-1)
    gone = listed("10.0.0.7", NodeManagerPort=4003) | {"Alive": False}
    assert set(ports_of([head, node, gone], ["localhost:6379", "127.0.0.1:8265", ""])) >= {
        ("10.0.0.5", 4001),
        ("10.0.0.5", 52365),
        ("10.0.0.6", 4002),
        ("10.0.0.5", 6379),
        ("127.0.0.1", 6379),
        ("10.0.0.5", 8265),
        ("127.0.0.1", 8265),
    }
    assert {port for _, port in ports_of([head, node, gone], [])} == {4001, 52365, 4002}


def test_a_process_without_ray_has_none() -> None:
    assert not ray_ports()
