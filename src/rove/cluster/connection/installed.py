"""Whether the packages of the extra `cluster` are installed."""

from __future__ import annotations

from importlib.util import find_spec

from rove.errors import InvalidArguments

CLUSTER_PACKAGES = ("ray", "fsspec")
INSTALL_CLUSTER = "pip install 'rove[cluster]'"


def require_cluster_packages() -> None:
    """Raise InvalidArguments, with what to install, where the extra is not installed."""
    if not all(map(find_spec, CLUSTER_PACKAGES)):
        hint = f"Run {INSTALL_CLUSTER}, here and on every node."
        raise InvalidArguments("--cluster needs rove's extra `cluster`, which is not installed.", hint=hint)
