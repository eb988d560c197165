"""The address of a browser to attach to: only loopback addresses with a port are accepted."""

from __future__ import annotations

from pathlib import Path

import pytest

from rove.errors import InvalidSettings
from rove.settings.debug_port import DebugPort
from rove.settings.tree import resolve

ID = "49867c81-5370-4279-adc0-126c658164fc"


@pytest.mark.parametrize(
    ("text", "port"),
    [
        ("http://127.0.0.1:9222", DebugPort("127.0.0.1", 9222)),
        ("http://localhost:9222/", DebugPort("localhost", 9222)),
        ("http://[::1]:1", DebugPort("::1", 1)),
        (f"ws://127.0.0.1:9222/devtools/browser/{ID}", DebugPort("127.0.0.1", 9222, f"/devtools/browser/{ID}")),
        ("ws://127.0.0.1:9222/devtools/browser", DebugPort("127.0.0.1", 9222, "/devtools/browser")),
    ],
)
def test_a_loopback_address_with_a_port_is_accepted(text: str, port: DebugPort) -> None:
    assert DebugPort.of(text) == port


@pytest.mark.parametrize(
    "text",
    [
        "", "9222", "127.0.0.1:9222", "http://127.0.0.1", "http://127.0.0.1:", "http://127.0.0.1:0",
        "http://127.0.0.1:65536", "https://127.0.0.1:9222", "wss://127.0.0.1:9222/devtools/browser/x",
        "http://example.com:9222", "http://10.0.0.1:9222", "http://127.0.0.2:9222", "http://localhost.:9222",
        "http://127.0.0.1:9222/json", "http://127.0.0.1:9222?x", "http://me@127.0.0.1:9222", "http://127.0.0.1:9222#x",
        "http://127.0.0.1@example.com:9222", "ws://127.0.0.1:9222", "ws://127.0.0.1:9222/devtools/page/x",
        "ws://127.0.0.1:9222/devtools/browser/../page/x", " http://127.0.0.1:9222", "http://127.0.0.1:9222\n",
        "HTTP://127.0.0.1:9222", "http://127.0.0.1:٩٢٢٢",
    ],
)  # fmt: skip
def test_any_other_address_is_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="9222"):
        DebugPort.of(text)
    with pytest.raises(InvalidSettings) as refused:
        resolve({"attach": text, "home": str(tmp_path)}, {})
    assert refused.value.hint


@pytest.mark.parametrize("source", ["flag", "environment", "file"])
def test_attach_can_be_set_by_flag_environment_and_file(source: str, tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text('attach = "http://127.0.0.1:1"\n' if source == "file" else "")
    flags = {"home": str(tmp_path), **({"attach": "http://127.0.0.1:1"} if source == "flag" else {})}
    environment = {"ROVE_ATTACH": "http://127.0.0.1:1"} if source == "environment" else {}
    assert resolve(flags, environment).settings.attach == "http://127.0.0.1:1"


def test_the_host_in_the_browsers_own_address_is_ignored() -> None:
    port = DebugPort.of("http://127.0.0.1:9222")
    assert port.at(f"ws://example.com:80/devtools/browser/{ID}") == DebugPort(
        "127.0.0.1", 9222, f"/devtools/browser/{ID}"
    )
    for odd in ("ws://127.0.0.1:9222/", "None", f"ws://127.0.0.1:9222/devtools/page/{ID}"):
        with pytest.raises(ValueError, match="WebSocket"):
            port.at(odd)
