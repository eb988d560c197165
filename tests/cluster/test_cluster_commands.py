"""`rove cluster status` and `rove cluster drain`, asked of a running server."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncGenerator
from dataclasses import replace

import pytest
from tests.gateway.clients import RunningGateway, running_gateway
from tests.gateway.clustered import ClusteredSessions, clustered_gateway

from rove.cluster.checks.findings import check_protection
from rove.cluster.placement.state_store import StoreFacts
from rove.surfaces.cli.main import run

Clustered = tuple[RunningGateway, ClusteredSessions]


async def rove(running: RunningGateway, *words: str) -> int:
    """Run a command beside the server; return its exit code."""
    where = ("--home", str(running.gateway.settings.home_folder), "--serve-port", str(running.port))
    return await asyncio.to_thread(run, [*words, *where])


@pytest.fixture
async def clustered() -> AsyncGenerator[Clustered]:
    async with clustered_gateway("n1-3f2a1b9c", "n2-77ab01cd") as made:
        yield made


async def test_the_status_is_a_table_for_people(clustered: Clustered, capsys: pytest.CaptureFixture[str]) -> None:
    running, sessions = clustered
    for number in range(3):
        await sessions.placement.place(f"s{number}")
    assert await rove(running, "cluster", "status") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[2].split() == ["node", "state", "sessions", "memory", "free", "cores", "load", "answers", "in"]
    assert [line.split()[:2] for line in lines[3:5]] == [["n1-3f2a1b9c", "ready"], ["n2-77ab01cd", "ready"]]
    assert "3 sessions open" in lines[6]
    assert any(str(running.gateway.settings.home_folder) in line for line in lines[7:])


async def test_the_status_is_json_for_programs(clustered: Clustered, capsys: pytest.CaptureFixture[str]) -> None:
    running, _ = clustered
    assert await rove(running, "cluster", "status", "--json") == 0
    status = json.loads(capsys.readouterr().out)
    assert [node["id"] for node in status["nodes"]] == ["n1-3f2a1b9c", "n2-77ab01cd"]
    assert status["nodes"][0]["memory_free"] > 0
    assert status["store"]["problem"] == ""


@pytest.mark.slow
async def test_the_status_is_told_again_and_again(clustered: Clustered) -> None:
    running, sessions = clustered
    where = ("--home", str(running.gateway.settings.home_folder), "--serve-port", str(running.port))
    words = ("-m", "rove", "cluster", "status", "--watch", "--json", *where)
    watching = await asyncio.create_subprocess_exec(sys.executable, *words, stdout=asyncio.subprocess.PIPE)
    assert watching.stdout is not None
    async with asyncio.timeout(60):
        assert json.loads(await watching.stdout.readline())["sessions"] == 0
        await sessions.placement.place("s1")
        while json.loads(await watching.stdout.readline())["sessions"] == 0:
            pass
    watching.kill()
    await watching.wait()


async def test_what_a_person_must_see_to_is_told_and_is_the_exit_code(
    clustered: Clustered, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    running, sessions = clustered
    problem = StoreFacts("s3://bucket/rove", 0, 2, "The bucket is gone.", 1.0)
    monkeypatch.setattr(type(sessions.saver), "facts", problem)
    assert await rove(running, "cluster", "status") == 1
    assert "The bucket is gone." in capsys.readouterr().out
    monkeypatch.undo()
    node = sessions.nodes.facts["n2-77ab01cd"]
    sessions.nodes.facts["n2-77ab01cd"] = replace(node, state="refused", reason="it has rove 0.0.9")
    assert await rove(running, "cluster", "status") == 1
    assert "it has rove 0.0.9" in capsys.readouterr().out


async def test_a_node_is_drained_and_used_again(clustered: Clustered, capsys: pytest.CaptureFixture[str]) -> None:
    running, sessions = clustered
    for number in range(6):
        await sessions.placement.place(f"s{number}")
    assert await rove(running, "cluster", "drain", "n2") == 0
    assert "it may go" in capsys.readouterr().out
    assert len(sessions.placement.sessions_on("n1-3f2a1b9c")) == 6
    assert await rove(running, "cluster", "drain", "n2", "--undo") == 0
    assert "ready" in capsys.readouterr().out
    assert await rove(running, "cluster", "drain", "n") == 2
    assert "n1-3f2a1b9c" in capsys.readouterr().err


async def test_without_a_server_or_a_cluster_the_next_step_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    async with running_gateway(browser_enabled=False) as running:
        assert await rove(running, "cluster", "status") == 1
        assert "--cluster" in capsys.readouterr().err
        home = str(running.gateway.settings.home_folder)
        assert await asyncio.to_thread(run, ["cluster", "status", "--home", home, "--serve-port", "1"]) == 1
        assert "--cluster" in capsys.readouterr().err


def test_tls_and_token_are_needed_beyond_the_loopback() -> None:
    assert [finding.state for finding in check_protection({}, True)] == ["worth knowing", "worth knowing"]
    assert [finding.state for finding in check_protection({}, False)] == ["broken", "broken"]
    half = {"RAY_USE_TLS": "1"}
    assert [finding.state for finding in check_protection(half, False)] == ["good", "broken"]
    both = {"RAY_USE_TLS": "1", "RAY_AUTH_MODE": "token"}
    assert [finding.state for finding in check_protection(both, False)] == ["good", "good"]
