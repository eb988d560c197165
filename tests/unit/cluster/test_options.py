"""Addresses of clusters, and which need TLS and a token."""

from __future__ import annotations

import subprocess
import sys

import pytest

from rove.cluster.connection.cluster import Cluster
from rove.cluster.connection.options import ClusterOptions, is_loopback, split_address
from rove.errors import InvalidArguments, InvalidSettings


def test_addresses_have_a_host_and_a_port() -> None:
    assert split_address("10.0.0.5") == ("10.0.0.5", 6379)
    assert split_address("head.example:6380") == ("head.example", 6380)
    assert split_address("[::1]:6380") == ("::1", 6380)
    for wrong in ("", "ray://10.0.0.5:10001", "host:port", "host:0"):
        with pytest.raises(InvalidArguments):
            split_address(wrong)
    assert [is_loopback(host) for host in ("127.0.0.9", "::1", "localhost", "10.0.0.5", "x.localhost.example")] == [
        *(True, True, True, False, False),
    ]


def test_beyond_the_loopback_a_cluster_needs_tls_and_a_token(monkeypatch: pytest.MonkeyPatch) -> None:
    for variables in ({}, {"RAY_USE_TLS": "1"}, {"RAY_AUTH_MODE": "token"}):
        monkeypatch.delenv("RAY_USE_TLS", raising=False)
        monkeypatch.delenv("RAY_AUTH_MODE", raising=False)
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        with pytest.raises(InvalidSettings, match="TLS and token"):
            Cluster(ClusterOptions("10.0.0.5:6379"))
    monkeypatch.setenv("RAY_USE_TLS", "1")
    Cluster(ClusterOptions("10.0.0.5:6379"))


WITHOUT_THE_EXTRA = """
import sys
sys.modules.update(dict.fromkeys(("ray", "fsspec")))  # as if they were not installed
from rove.surfaces.cli.main import run
assert run(["map", "--help"]) == 0
assert not [name for name in sys.modules if name.startswith(("rove.cluster", "ray.")) ]
sys.exit(run(["map", "https://example.com", "--do", "extract", "--out", "-", "--cluster", "127.0.0.1:6379"]))
"""


def test_without_the_extra_nothing_is_imported_and_what_to_install_is_said() -> None:
    ran = subprocess.run([sys.executable, "-c", WITHOUT_THE_EXTRA], capture_output=True, text=True)
    assert (ran.returncode, "pip install 'rove[cluster]'" in ran.stderr) == (2, True), ran.stderr
