"""One node: its Ray actor, its folder, the services that it offers and the ports that it keeps from pages."""

from __future__ import annotations

import fcntl
import importlib
import ipaddress
import logging
import os
import shutil
import socket
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol, TypeVar, runtime_checkable

from rove.cluster.node.sealing import KeyPair
from rove.errors import ClusterUnavailable, UnknownMethod

log = logging.getLogger(__name__)
F = TypeVar("F", bound=Callable[..., Any])
_MARK = "__is_offered__"
HEAD = "node:__internal_head__"
PREFIX = "rove-node-"
LOCK = "lock"
SERVICES = "rove.cluster"


def offered(method: F) -> F:
    """Mark a method that the rove process of the node may call: a coroutine, or an async generator for a stream."""
    setattr(method, _MARK, True)
    return method


def is_offered(method: Any) -> bool:
    return getattr(method, _MARK, False) is True


def ray_ports() -> frozenset[tuple[str, int]]:
    """Return the addresses and ports of Ray on all nodes that are there; none in a process without Ray.

    The head's own port and the dashboard's are among them, the ports of single workers are not. Raises
    ClusterUnavailable.
    """
    ray = sys.modules.get("ray")
    if ray is None or not ray.is_initialized():
        return frozenset()
    from ray._private.worker import global_worker
    from ray.exceptions import RayError

    assert global_worker.node is not None, "Ray is initialized"
    known = global_worker.node.address_info
    try:
        return frozenset(ports_of(ray.nodes(), [known["gcs_address"], known["webui_url"] or ""]))
    except RayError as error:
        raise ClusterUnavailable("The head does not say which ports Ray uses.") from error


def ports_of(listed: Iterable[Mapping[str, Any]], of_head: Iterable[str]) -> Iterator[tuple[str, int]]:
    """Yield addresses and ports of the nodes that Ray lists.

    `of_head`: what the head listens on, as HOST:PORT; its host may be a name, or an address that only the head knows.
    """
    nodes = [node for node in listed if node["Alive"]]
    for node in nodes:
        for name, port in node.items():
            if name.endswith("Port") and port > 0:
                yield from ((address, port) for address in _addresses(node["NodeManagerAddress"]))
    heads = [node["NodeManagerAddress"] for node in nodes if HEAD in node["Resources"]]
    for endpoint in of_head:
        host, _, number = endpoint.rpartition(":")
        if number.isdigit():
            for each in (*heads, host.strip("[]")):
                yield from ((address, int(number)) for address in _addresses(each))


def _addresses(host: str) -> list[str]:
    """Return the addresses of a host; none if its name is not known, as no page can reach it by that name either."""
    try:
        return [str(ipaddress.ip_address(host))]
    except ValueError:
        pass
    try:
        return [str(found[4][0]) for found in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)]
    except OSError:
        return []


class NodeFolder:
    """A temporary folder, locked for as long as this process lives."""

    def __init__(self) -> None:
        remove_abandoned()
        self.path = Path(tempfile.mkdtemp(prefix=PREFIX))
        self._lock = os.open(self.path / LOCK, os.O_CREAT | os.O_RDWR, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_EX)

    def remove(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)
        os.close(self._lock)


def remove_abandoned() -> None:
    """Remove folders of this user whose processes were killed."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        try:
            lock = os.open(folder / LOCK, os.O_RDWR)
        except OSError:
            continue  # another user's, or one that is being made
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
        except BlockingIOError:
            pass  # in use
        finally:
            os.close(lock)


@runtime_checkable
class _Describing(Protocol):
    async def describe(self) -> Mapping[str, Any]: ...


@runtime_checkable
class _Closing(Protocol):
    async def close(self) -> None: ...


class Node:
    """Finds services and holds what they share.

    The method `pages.visit` is `visit` of the class `Service` in `rove/cluster/pages/service.py`, which is made with
    this node when it is first called. A service may have `describe`, which returns plain data for `NodeFacts.services`,
    and `close`.
    """

    def __init__(self, folder: Path) -> None:
        """`folder`: the only folder that services write to; it is removed at the end."""
        self.folder = folder
        self.keys = KeyPair()
        self.is_draining = False
        self._services: dict[str, Any] = {}

    def method(self, name: str) -> Any:
        """Return a method by its whole name. Raises UnknownMethod."""
        service, _, method = name.partition(".")
        found = getattr(self._service(service), method, None) if method.isidentifier() else None
        if not is_offered(found):
            raise UnknownMethod(f"Nodes have no method {name}.", hint="Install the same version of rove everywhere.")
        return found

    def _service(self, name: str) -> Any:
        if name not in self._services:
            self._services[name] = _service_class(name)(self)
        return self._services[name]

    async def describe_services(self) -> Mapping[str, Mapping[str, Any]]:
        found = [(name, service) for name, service in self._services.items() if isinstance(service, _Describing)]
        return {name: await service.describe() for name, service in found}

    async def close(self) -> None:
        """Close every service, the last one first."""
        while self._services:
            name, service = self._services.popitem()
            if isinstance(service, _Closing):
                log.debug("closing the service %s", name)
                await service.close()


def _service_class(name: str) -> Any:
    module = f"{SERVICES}.{name}.service"
    try:
        return importlib.import_module(module).Service if name.isidentifier() else None
    except ModuleNotFoundError as error:
        if error.name is None or not module.startswith(error.name):
            raise  # something that the service itself needs
        raise UnknownMethod(f"Nodes have no service {name}.") from error
