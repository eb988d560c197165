"""Messages as lines of ASCII."""

from __future__ import annotations

import json
import os

import pytest

from rove.surfaces.mcp.stdio import Output

PICTURE = "iVBORw0KGgo" * 1000


@pytest.mark.parametrize("text", ["plain", "café · 日本", "a\ud800b", "line\u2028end\nnext"])
async def test_a_message_is_one_line_of_ascii_whatever_its_text(text: str) -> None:
    reading, writing = os.pipe()
    output = Output(writing, on_overflow=lambda: None)
    message = {"text": text, "data": PICTURE}
    await output.send(message)
    await output.close(10)
    os.close(writing)
    with os.fdopen(reading, "rb") as file:
        data = file.read()
    assert data.isascii() and data.endswith(b"\n") and data.count(b"\n") == 1
    assert json.loads(data) == message
