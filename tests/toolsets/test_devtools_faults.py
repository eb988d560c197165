"""The toolset `devtools` on browsers that crash and pages that hang."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from functools import partial
from pathlib import Path

import pytest
from tests.mcp_clients import text_of
from tests.processes import eventually
from tests.site import Site
from tests.toolsets.devtools_client import PATIENCE, conversation

from rove.browser.shared.watchdog import processes_of


@pytest.mark.contract("B5")
async def test_b5_the_first_answer_after_a_crash_says_so_and_the_viewport_is_as_it_was(home: Path, site: Site) -> None:
    own = home / "crashing"
    async with conversation(own) as tools:
        await tools.text("browser_navigate", url=site.page("/", "<p>Page</p>"))
        await tools.text("browser_resize", width=444, height=333)
        for flag, told in (("--type=renderer", "t1 was reset"), ("--user-data-dir", "The browser crashed")):
            found = [pid for folder in (own / "run").iterdir() for pid in processes_of(folder)]
            killed = [pid for pid in found if flag in Path(f"/proc/{pid}/cmdline").read_text()]
            for pid in killed:
                os.kill(pid, signal.SIGKILL)
            await asyncio.to_thread(eventually, partial(_are_gone, killed), PATIENCE)
            result = await tools.call("browser_eval", expression="innerWidth")
            while result.is_error:  # the call came before the news of it
                result = await tools.call("browser_eval", expression="innerWidth")
            answer = text_of(result)
            assert answer.startswith(told) and answer.endswith("\n<javascript_result>444</javascript_result>")
            assert await tools.value("[innerHeight, location.pathname]") == [333, "/"]


@pytest.mark.contract("B4")
async def test_b4_logs_are_read_while_the_page_is_busy_and_the_error_names_the_way_out(home: Path, site: Site) -> None:
    async with conversation(home / "busy") as tools:
        await tools.text("browser_navigate", url=site.page("/", "<script>console.log('tea')</script>"))
        error = await tools.error("browser_eval", expression="while (true) {}", timeout="1s")
        assert "busy" in error and "browser_navigate" in error
        assert json.loads(await tools.text("browser_recent_console_logs"))[0]["args"] == ["tea"]
        assert json.loads(await tools.text("browser_get_network_sources"))[0]["url"] == site.url("/")
        assert "busy" in await tools.error("browser_eval", expression="1", timeout="1s")
        assert await tools.text("browser_navigate", url=site.page("/next", "<p>Next</p>")) == "done"


def _are_gone(processes: list[int]) -> bool:
    return not any(Path(f"/proc/{process}/exe").exists() for process in processes)
