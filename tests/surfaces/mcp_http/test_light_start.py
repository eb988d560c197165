"""What `rove mcp` loads: nothing of what only the server over HTTP needs."""

from __future__ import annotations

import subprocess
import sys

HEAVY = ("starlette", "uvicorn", "pydantic", "pydantic_ai", "prometheus_client", "mcp", "mimetypes")


def test_the_server_over_stdio_loads_no_package_of_the_one_over_http() -> None:
    code = f"import sys, rove.surfaces.cli.serving; print([name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
