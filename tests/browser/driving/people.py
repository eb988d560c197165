"""People who drive a session, as the engine sees them, and what was recorded of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rove.engine.people import HandoffRequest
from rove.engine.session import Session as EngineSession
from rove.settings.tree import Settings

FORM = """<body style="margin: 0"><h1 id=h>Start</h1><label>Name <input id=n></label>
<button onclick="h.textContent = 'Pressed'">Press</button><div id=log></div>
<script>
  for (const kind of ["mousedown", "dblclick", "wheel", "touchstart", "touchend", "keydown", "paste"])
    addEventListener(kind, (e) => log.append(`${kind}:${e.key ?? e.button ?? ""}:${e.ctrlKey ? "ctrl" : ""} `));
</script>"""


class Gateway:
    """People who can be asked, and a watcher of all steps."""

    def __init__(self) -> None:
        self.requests: asyncio.Queue[HandoffRequest] = asyncio.Queue()
        self.ends: list[str] = []
        self.steps: list[Mapping[str, Any]] = []
        self.refused: list[Mapping[str, Any]] = []
        self.sessions: list[str] = []

    async def ask(self, request: HandoffRequest) -> None:
        self.requests.put_nowait(request)

    def end(self, request: HandoffRequest, outcome: str) -> None:
        self.ends.append(outcome)

    def step_began(self, step: Mapping[str, Any]) -> None: ...
    def step_ended(self, step: Mapping[str, Any]) -> None:
        self.steps.append(step)

    def session_opened(self, session: str) -> None:
        self.sessions.append(f"opened {session}")

    def session_closed(self, session: str) -> None:
        self.sessions.append(f"closed {session}")

    def session_changed(self, session: str) -> None:
        self.sessions.append(f"changed {session}")

    def guard_refused(self, session: str, refused: Mapping[str, Any]) -> None:
        self.refused.append(refused)


def journal_of(settings: Settings, session: str = "default") -> str:
    return Path(settings.journal_folder / f"{session}.jsonl").read_text(encoding="utf-8")


def entries(settings: Settings, kind: str) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in journal_of(settings).splitlines()]
    return [line for line in lines if line["kind"] == kind]


async def evaluate_beside(engine: EngineSession, script: str) -> object:
    """Run a script though a person drives, and return its result as it is."""
    return await (await engine.context(print)).tabs[0].evaluate(script)
