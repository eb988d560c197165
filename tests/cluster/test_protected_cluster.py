"""A cluster with Ray's TLS and token: used with both, and refused at once with others."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Generator
from pathlib import Path

import pytest
from tests.cluster.ray_nodes import RayNodes
from tests.rove_process import ROVE

pytestmark = pytest.mark.slow
CERTIFICATES = Path(__file__).parents[2] / "deploy/cluster/certificates.sh"
# Well below the time for which a head that does not answer is waited for.
SECONDS = 45.0


def protection(folder: Path) -> dict[str, str]:
    """Make certificates and a token as the guide says, and return the environment that it tells to set."""
    subprocess.run(["sh", CERTIFICATES, folder, "127.0.0.1"], check=True, capture_output=True)
    return {
        "RAY_USE_TLS": "1",
        "RAY_TLS_CA_CERT": str(folder / "ca.crt"),
        "RAY_TLS_SERVER_CERT": str(folder / "tls.crt"),
        "RAY_TLS_SERVER_KEY": str(folder / "tls.key"),
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN_PATH": str(folder / "token"),
    }


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return protection(tmp_path_factory.mktemp("own"))


@pytest.fixture(scope="module")
def others(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return protection(tmp_path_factory.mktemp("others"))


@pytest.fixture(scope="module")
def ray_nodes(own: dict[str, str]) -> Generator[RayNodes]:
    nodes = RayNodes(2, cpus=1, environment=own)
    yield nodes
    nodes.close()


def status(nodes: RayNodes, home: Path, environment: dict[str, str]) -> tuple[int, str]:
    command = [ROVE, "cluster", "status", "--cluster", nodes.address]
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("RAY_", "ROVE_"))}
    said = subprocess.run(
        command, capture_output=True, text=True, timeout=SECONDS, env={**kept, "ROVE_HOME": str(home), **environment}
    )
    return said.returncode, said.stdout + said.stderr


def test_both_nodes_are_used_with_the_certificates_and_the_token(
    ray_nodes: RayNodes, own: dict[str, str], tmp_path: Path
) -> None:
    code, said = status(ray_nodes, tmp_path, own)
    assert code == 0 and "n1-" in said and "n2-" in said, said


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        (["RAY_AUTH_TOKEN_PATH"], "its token is another"),
        (["RAY_TLS_CA_CERT", "RAY_TLS_SERVER_CERT", "RAY_TLS_SERVER_KEY"], "its certificate is not trusted here"),
    ],
)
def test_another_token_or_authority_is_refused_with_the_reason(
    ray_nodes: RayNodes,
    own: dict[str, str],
    others: dict[str, str],
    tmp_path: Path,
    changed: list[str],
    reason: str,
) -> None:
    code, said = status(ray_nodes, tmp_path, {**own, **{name: others[name] for name in changed}})
    assert code != 0 and reason in said and "on every node" in said, said


def test_a_token_that_cannot_be_read_is_told(ray_nodes: RayNodes, own: dict[str, str], tmp_path: Path) -> None:
    code, said = status(ray_nodes, tmp_path, {**own, "RAY_AUTH_TOKEN_PATH": str(tmp_path / "none")})
    assert code != 0 and "cannot be read here" in said, said


def test_no_token_at_all_is_told(ray_nodes: RayNodes, own: dict[str, str], tmp_path: Path) -> None:
    without = {name: value for name, value in own.items() if name != "RAY_AUTH_TOKEN_PATH"}
    code, said = status(ray_nodes, tmp_path, {**without, "HOME": str(tmp_path)})
    assert code != 0 and "cannot be read here" in said, said
