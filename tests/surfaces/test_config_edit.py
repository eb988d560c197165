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


def test_what_was_typed_is_kept_until_it_is_valid(tmp_path: Path) -> None:
    done = edit(tmp_path, "echo 'headles = false' > $2")
    assert done.returncode == 1 and "config.toml.draft" in done.stderr
    assert edit(tmp_path, "sed -i s/headles/headless/ $2").returncode == 0
    assert (tmp_path / "config.toml").read_text() == "headless = false\n"
    assert not (tmp_path / "config.toml.draft").exists()


def test_a_file_that_cannot_be_read_is_opened_and_shown_by_doctor(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("headless = \n")
    environment = {**os.environ, "ROVE_HOME": str(tmp_path), "HOME": str(tmp_path)}
    done = subprocess.run([ROVE, "doctor"], capture_output=True, text=True, env=environment)
    first, fix, *rest = done.stdout.splitlines()
    assert done.returncode == 1 and first.startswith("FAIL  settings") and "line 1" in first
    assert "rove config edit" in fix and len(rest) > 2
    assert edit(tmp_path, "echo 'headless = false' > $2").returncode == 0
    assert (tmp_path / "config.toml").read_text() == "headless = false\n"


def test_without_a_terminal_no_editor_is_guessed(tmp_path: Path) -> None:
    environment = {**os.environ, "ROVE_HOME": str(tmp_path), "VISUAL": "", "EDITOR": ""}
    done = subprocess.run(
        [ROVE, "config", "edit"], capture_output=True, text=True, env=environment, stdin=subprocess.DEVNULL
    )
    assert done.returncode and "rove config set KEY VALUE" in done.stderr
