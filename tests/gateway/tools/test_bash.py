"""The tool `bash`: real commands in the workspace of the test."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.gateway.desk import Desk
from tests.gateway.tools.conftest import CallTool

from rove import Session
from rove.engine.sessions import Sessions
from rove.settings.tree import Serving
from rove.surfaces.gateway.tools.bash import MOST_OUTPUT, BashTool
from rove.surfaces.gateway.tools.registration import model_tools, registered_tools
from rove.surfaces.gateway.tools.tool import Tools

pytestmark = pytest.mark.one_session


@pytest.fixture
def workspace(sessions: Sessions) -> Path:
    return sessions.settings.workspace_folder


async def _until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not holds():
            await asyncio.sleep(0.02)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return "Z" not in Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]


@pytest.mark.contract("A2", "A9")
async def test_a_command_runs_in_the_workspace_after_approval(call: CallTool, desk: Desk, workspace: Path) -> None:
    result = await call("bash", command="pwd; echo to stderr >&2")
    assert not result.is_error
    assert result.text.startswith("Exit status 0.\n")
    assert str(workspace.resolve()) in result.text
    assert "to stderr" in result.text
    (question,) = desk.questions
    assert question.tool == "bash"
    assert question.details == {"command": "pwd; echo to stderr >&2", "workingDir": str(workspace.resolve())}
    assert question.key is None
    assert [data["message"] for data in desk.all("tool.progress")] == ["Running command..."]


async def test_output_is_told_as_untrusted(call: CallTool) -> None:
    assert "<untrusted " in (await call("bash", command="echo hello")).text


async def test_the_exit_status_is_told(call: CallTool) -> None:
    assert (await call("bash", command="exit 3")).text == "Exit status 3.\nIt printed nothing."


async def test_a_no_runs_nothing(call: CallTool, desk: Desk, workspace: Path) -> None:
    desk.answers_yes = False
    assert (await call("bash", command="touch never")).code == "denied"
    assert not (workspace / "never").exists()


async def test_a_folder_inside_the_workspace_can_be_chosen(call: CallTool, workspace: Path) -> None:
    (workspace / "inner").mkdir(parents=True, exist_ok=True)
    assert str(workspace.resolve() / "inner") in (await call("bash", command="pwd", workingDir="inner")).text


async def test_a_folder_outside_the_workspace_is_refused_unasked(call: CallTool, desk: Desk, workspace: Path) -> None:
    (workspace / "link").unlink(missing_ok=True)
    (workspace / "link").symlink_to("/")
    for folder in ("..", "/", "link", "inner/../.."):
        assert (await call("bash", command="pwd", workingDir=folder)).code in ("denied", "invalid_arguments"), folder
    assert not desk.questions


@pytest.mark.parametrize("arguments", [{}, {"command": ""}, {"command": 7}, {"command": "a\0b"}, {"line": "ls"}])
async def test_arguments_that_are_not_valid_are_refused(call: CallTool, arguments: dict[str, object]) -> None:
    assert (await call("bash", **arguments)).code == "invalid_arguments"


async def test_long_output_keeps_its_beginning_and_its_end(call: CallTool) -> None:
    text = (await call("bash", command="echo first; seq 100000; echo last")).text
    assert len(text) < MOST_OUTPUT + 500
    assert "first" in text
    assert "last" in text
    assert "bytes left out" in text


async def test_keys_of_the_server_do_not_reach_a_command(call: CallTool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "key-of-a-model")
    assert "key-of-a-model" not in (await call("bash", command="env")).text


async def test_a_command_that_takes_too_long_is_killed_with_all_it_started(
    desk: Desk, sessions: Sessions, session: Session, workspace: Path
) -> None:
    tools = Tools([BashTool(seconds=0.5)], desk, desk, sessions)
    command = "sleep 600 & echo $! > slow.pid; echo began; sleep 600"
    result = await tools.call("bash", {"command": command}, session.name)
    assert result.code == "deadline_exceeded"
    assert "began" in result.text
    child = int((workspace / "slow.pid").read_text())
    await _until(lambda: not _is_running(child))


async def test_processes_in_the_background_do_not_outlive_the_command(call: CallTool, workspace: Path) -> None:
    result = await call("bash", command="sleep 600 & echo $! > back.pid; echo done")
    assert "done" in result.text
    child = int((workspace / "back.pid").read_text())
    await _until(lambda: not _is_running(child))


async def test_a_call_that_is_aborted_kills_its_command(
    tools: Tools, desk: Desk, session: Session, workspace: Path
) -> None:
    (workspace / "abort.pid").unlink(missing_ok=True)
    command = "echo $$ > abort.tmp; mv abort.tmp abort.pid; sleep 600"
    calling = asyncio.create_task(tools.call("bash", {"command": command}, session.name))
    await _until((workspace / "abort.pid").exists)
    calling.cancel()
    await asyncio.wait({calling})
    child = int((workspace / "abort.pid").read_text())
    await _until(lambda: not _is_running(child))
    assert desk.all("tool.result")[0]["code"] == "aborted"


@pytest.mark.contract("A9")
def test_it_is_off_unless_enabled(sessions: Sessions) -> None:
    settings = sessions.settings
    assert "bash" not in {tool.name for tool in registered_tools(settings)}
    enabled = replace(settings, serve=Serving(bash=True))
    assert "bash" in {tool.name for tool in registered_tools(enabled)}
    assert model_tools(enabled) == ["browser", "bash"]
