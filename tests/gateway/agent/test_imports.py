"""Libraries of models are loaded when the chat is first used, and by nothing else."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = "pydantic_ai openai anthropic starlette uvicorn pydantic"


@pytest.mark.parametrize(
    ("module", "heavy"),
    [
        ("rove", HEAVY),
        ("rove.surfaces.mcp.stdio", HEAVY),
        ("rove.surfaces.gateway.chat.chats", HEAVY),
        ("rove.surfaces.gateway.tools.registration", HEAVY),
        ("rove.surfaces.gateway.server", "pydantic_ai openai anthropic"),
    ],
)
def test_a_module_does_not_load_what_it_does_not_need(module: str, heavy: str) -> None:
    program = f"import sys, {module}; print(*sorted(set('{heavy}'.split()) & set(sys.modules)))"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (ran.returncode, ran.stdout.strip()) == (0, ""), ran.stderr
