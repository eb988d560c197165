"""The toolset `playwright` beside the tests that are published with Playwright MCP."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest
from PIL import Image
from tests.site import Site
from tests.toolsets.playwright_cases import CASES, Case, Is, Lacks, Matches, Step, Wanted
from tests.toolsets.playwright_client import PlaywrightClient, Reply

# For what arrives in its own time.
LONGEST = 20.0


class CaseRun:
    """One case under way; `events` are all that were told in it."""

    def __init__(self, case: Case, client: PlaywrightClient, site: Site) -> None:
        self._case = case
        self._client = client
        self._site = site
        self._events: list[str] = []

    async def run(self) -> None:
        for path, (content, kind) in self._case.others.items():
            self._site.page(path, content, kind=kind)
        for name, content in self._case.files.items():
            (self._client.folder / name).write_text(content)
        self._note(await self._client.open(self._site.page("/", self._case.page)))
        for number, step in enumerate(self._case.steps):
            async with asyncio.timeout(LONGEST):
                await self._take(step, f"step {number} ({step.tool})")

    async def _take(self, step: Step, place: str) -> None:
        arguments = {name: self._filled(value) for name, value in step.arguments.items()}
        while True:
            reply = await self._client.call(step.tool, **arguments)
            self._note(reply)
            assert reply.is_error == step.is_error, f"{place}: {reply.text}"
            wrong = [each for each in step.wanted.items() if not self._holds(self._section(reply, each[0]), each[1])]
            if not (wrong and step.is_repeated):
                break
        assert not wrong, f"{place}: {wrong}\n{reply.text}\n{reply.snapshot}"

    def _note(self, reply: Reply) -> None:
        self._events.append(reply.events or "")

    def _filled(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._in_place(value)
        return [self._filled(each) for each in value] if isinstance(value, list) else value

    def _in_place(self, text: str) -> str:
        """Put the addresses of the site and of the folder in their places."""
        return text.replace("{url}", self._site.url("")).replace("{folder}", str(self._client.folder))

    def _section(self, reply: Reply, name: str) -> str | None:
        match name:
            case "all_events":
                return "\n".join(self._events)
            case "images":
                return ",".join(image["mimeType"] for image in reply.images)
            case "files":
                return "\n".join(str(each.relative_to(reply.folder)) for each in reply.folder.rglob("*"))
            case "size":
                link = re.search(r"\]\(([^)]+)\)", reply.result or "")
                with Image.open(reply.folder / (link[1] if link else "")) as image:
                    return f"{image.width}x{image.height}"
            case "snapshot_section":
                return reply.sections.get("Snapshot")
        section: str | None = getattr(reply, name)
        return section

    def _holds(self, section: str | None, wanted: Wanted) -> bool:
        if wanted is None or section is None:
            return wanted is None and section is None
        if isinstance(wanted, tuple):
            return all(self._holds(section, each) for each in wanted)
        match wanted:
            case Is(text):
                return section == self._in_place(text)
            case Lacks(text):
                return self._in_place(text) not in section
            case Matches(pattern):
                return re.search(self._in_place(pattern), section) is not None
        return self._in_place(wanted) in section


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
async def test_answers_are_those_of_playwright_mcp(case: Case, client: PlaywrightClient, site: Site) -> None:
    await CaseRun(case, client, site).run()
