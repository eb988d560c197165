"""`rove config edit`: the file is kept only if it is valid."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROVE = str(Path(sys.executable).parent / "rove")


def edit(home: Path, script: str) -> subprocess.CompletedProcess[str]:
    editor = home / "editor"
    editor.write_text(f"#!/bin/sh\n{script}\n")
    editor.chmod(0o755)
    environment = {**os.environ, "ROVE_HOME": str(home), "VISUAL": "", "EDITOR": f"{editor} --wait"}
    return subprocess.run(
        [ROVE, "config", "edit"], capture_output=True, text=True, env=environment, stdin=subprocess.DEVNULL
    )


def test_what_is_valid_is_kept(tmp_path: Path) -> None:
    assert edit(tmp_path, "echo 'headless = false' >> $2").returncode == 0
    assert "headless = false" in (tmp_path / "config.toml").read_text()
    assert "Nothing is changed" in edit(tmp_path, "true").stdout


def test_what_is_not_valid_is_refused_with_the_reason(tmp_path: Path) -> None:
    done = edit(tmp_path, "echo 'headles = false' > $2")
    assert done.returncode == 1 and "headless" in done.stderr
    assert not (tmp_path / "config.toml").exists()
    assert edit(tmp_path, "exit 3").returncode == 1
