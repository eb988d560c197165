"""Ray nodes that the quick tests of the cluster share: to start them takes longer than most tests."""

from __future__ import annotations

from collections.abc import Generator

import pytest
from tests.cluster.ray_nodes import RayNodes


@pytest.fixture(scope="package")
def shared_nodes() -> Generator[RayNodes]:
    """Two nodes, `n1` and `n2`. Tests that kill a node have nodes of their own."""
    nodes = RayNodes(2, cpus=1)
    yield nodes
    nodes.close()
