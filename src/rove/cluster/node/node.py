"""What the services of one node actor share: its folder, its keys and each other."""

from __future__ import annotations

import importlib
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from rove.cluster.node.offering import is_offered
from rove.cluster.node.sealing import KeyPair
from rove.errors import UnknownMethod

log = logging.getLogger(__name__)
SERVICES = "rove.cluster"


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
