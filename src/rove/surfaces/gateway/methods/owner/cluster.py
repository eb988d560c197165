"""The nodes that sessions run on, with `rove serve --cluster`."""

from __future__ import annotations

from typing import Any

from rove.engine.served.cluster_control import ClusterControl
from rove.errors import Unsupported
from rove.surfaces.gateway.gateway import Gateway
from rove.surfaces.gateway.methods.method import Client, Method, arg, camel, method
from rove.surfaces.gateway.tokens import Scope

NODE = (
    "{id, address, state, reason, version, cores, load, memoryTotal, memoryFree, sessions, sessionBytes, answerSeconds}"
)
STORE = "{address, saved, unsaved, problem, since}"
STATUS = (
    f"{{address, isConnected, nodes: [{NODE}], sessions, freePlaces, sessionBytes, waiting, queue, moving, problems, "
    f"store: {STORE}}}"
)


@method("cluster.status", Scope.VIEW_ALL, returns=STATUS, reach="server")
class ClusterStatus(Method):
    """Return how the nodes are, how many sessions they have room for, which wait, and whether states are saved.

    `state` of a node is ready, draining, drained, silent or refused. Memory is in bytes.
    """

    async def run(self, gateway: Gateway, client: Client) -> dict[str, Any]:
        status: dict[str, Any] = on_wire(_cluster(gateway).status())
        return status


@method("cluster.drain", Scope.OWN, returns=f"{{node: {NODE}}}", reach="server")
class DrainNode(Method):
    """Place nothing on a node any more, and move its sessions to others one by one; cluster.status tells how far it is.

    A session is moved when no call runs in it, with its tabs and logins. The node may go when it is `drained`.
    """

    node: str = arg("Its id as cluster.status has it, or a beginning that no other has.", max_length=300)
    undo: bool = arg("Place sessions there again instead; what was not moved yet stays.", default=False)

    async def run(self, gateway: Gateway, client: Client) -> dict[str, Any]:
        cluster = _cluster(gateway)
        return {"node": on_wire(cluster.end_draining(self.node) if self.undo else cluster.drain(self.node))}


def _cluster(gateway: Gateway) -> ClusterControl:
    control = gateway.sessions.cluster_control
    if control is None:
        raise Unsupported(
            "The sessions of this server run in its own process, not on a cluster.",
            hint="Start it with --cluster ADDRESS to use one (docs/cluster.md).",
        )
    return control


def on_wire(value: Any) -> Any:
    """Return plain data with the names of fields as they are on the wire; names of sessions stay as they are."""
    if isinstance(value, list | tuple):
        return [on_wire(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {camel(name): each if name == "problems" else on_wire(each) for name, each in value.items()}
