"""docs/library.md: every block runs as it stands."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

GUIDE = Path(__file__).parents[2] / "docs/library.md"
BLOCKS = re.findall(r"```python\n(.*?)```", GUIDE.read_text("utf-8"), re.DOTALL)


async def test_every_block_of_the_guide_runs_in_order(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROVE_HOME", str(home))
    names: dict[str, Any] = {}
    for number, block in enumerate(BLOCKS[:-1], 1):
        code = compile(block, f"block {number} of {GUIDE.name}", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        running = eval(code, names)
        if inspect.isawaitable(running):
            await running
    assert number > 12


PLUGIN = """
import pytest

{block}

def test_that_fails(rove_session):
    with tea_room() as address:
        rove_session.navigate(address)
        rove_session.click('button "Missing"')


@pytest.mark.asyncio
async def test_with_coroutines(rove_session):
    with tea_room() as address:
        assert (await rove_session.navigate(address)).result.status == 200
"""


def test_the_plugin_of_pytest_gives_sessions_and_saves_a_picture_and_the_journal(tmp_path: Path, home: Path) -> None:
    (tmp_path / "test_tea.py").write_text(PLUGIN.format(block=BLOCKS[-1]))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rove-output", "saved", "."]
    environment = {"PATH": "/usr/bin:/bin", "ROVE_HOME": str(home), "HOME": str(home)}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert "1 failed, 2 passed" in done.stdout, done.stdout
    assert "A picture of the page and the journal:" in done.stdout
    (folder,) = (tmp_path / "saved").iterdir()
    assert (folder / "page.png").read_bytes().startswith(b"\x89PNG")
    assert '"action": "click"' in (folder / "journal.jsonl").read_text()
