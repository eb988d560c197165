"""The official conformance suite of MCP against the endpoint, for both kinds of revisions."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.surfaces.mcp_http.conformance_server import conformance_endpoint, with_token
from tests.surfaces.mcp_http.serving import serving

PYTHON = Path(sys.executable)
SUITE = PYTHON.parent.parent / "conformance" / "node_modules" / ".bin" / "conformance"
# The suite names the scenarios that a revision requires; those of extensions that rove does not offer may fail.
REVISIONS = {"2025-11-25": 30, "2026-07-28": 37}


def checks_in(results: Path) -> list[dict[str, Any]]:
    return [check for file in results.rglob("checks.json") for check in json.loads(file.read_text())]


@pytest.mark.slow
@pytest.mark.parametrize("revision", REVISIONS)
async def test_every_scenario_that_a_revision_requires_passes(tmp_path: Path, revision: str) -> None:
    assert SUITE.exists(), "run `make .venv/conformance/ready`"
    endpoint = conformance_endpoint()
    async with serving(with_token(endpoint)) as url:
        suite = await asyncio.create_subprocess_exec(
            PYTHON.parent / "node",
            SUITE,
            "server",
            *("--url", f"{url}/mcp", "--requirements", revision, "--output-dir", str(tmp_path)),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        output, _ = await suite.communicate()
    await endpoint.close()
    assert suite.returncode == 0, output.decode()
    passed = {check["id"] for check in checks_in(tmp_path) if check["status"] == "SUCCESS"}
    assert len(passed) >= REVISIONS[revision], output.decode()
