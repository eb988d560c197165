"""`rove map --cluster` as a real process, and what it wrote."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from tests.rove_process import ROVE
from tests.site import OWN_SITES


def start_map(home: Path, *words: str, **settings: str) -> subprocess.Popen[bytes]:
    """Start `rove map`, with settings named as in the environment: `CLUSTER_WAIT="20"`."""
    own = {"HOME": str(home), "ALLOW_HOST": ",".join(OWN_SITES), **settings}
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ROVE_")}
    environment |= {f"ROVE_{name}": value for name, value in own.items()}
    return subprocess.Popen([ROVE, "map", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)


def finish(process: subprocess.Popen[bytes], seconds: float) -> tuple[int, str]:
    """Return the exit code, and what was said on standard error."""
    try:
        _, errors = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    return process.returncode, errors.decode()


def records(path: Path) -> list[dict[str, Any]]:
    """Return the results, without a last line that is being written."""
    lines = path.read_text().splitlines(keepends=True) if path.exists() else []
    return [json.loads(line) for line in lines if line.endswith("\n")]


def line_count(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0
