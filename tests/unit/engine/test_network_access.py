"""What a session may be sent to, and shown, where its pages have a way out of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from rove.engine.network_access import EgressSettings, NetworkAccess
from rove.errors import Denied
from rove.settings import Settings


def network(home: Path, is_guarded: bool) -> NetworkAccess:
    return EgressSettings(
        Settings(home=home, attach="http://127.0.0.1:9222", allow_host=("localhost", "[::1]"))
    ).for_session(is_guarded)


@pytest.mark.parametrize(
    "url",
    [
        "chrome://settings/passwords", "chrome-extension://abc/page.html", "devtools://devtools/x", "file:///etc/passwd",
        "view-source:https://example.com", "edge://version", "chrome-untrusted://print",
    ],
)  # fmt: skip
def test_pages_of_the_browsers_own_are_refused_where_there_may_be_some(url: str, tmp_path: Path) -> None:
    with pytest.raises(Denied):
        network(tmp_path, False).refuse_url(url)
    assert not network(tmp_path, False).may_show(url)


@pytest.mark.parametrize(
    "url", ["https://example.com/", "about:blank", "data:text/html,x", "blob:https://a.example/1", "http://localhost/"]
)
def test_pages_of_the_web_are_not(url: str, tmp_path: Path) -> None:
    network(tmp_path, False).refuse_url(url)
    assert network(tmp_path, False).may_show(url)


@pytest.mark.parametrize("url", ["http://127.0.0.1/", "http://10.0.0.1/", "http://169.254.169.254/"])
def test_addresses_are_a_floor_there_too(url: str, tmp_path: Path) -> None:
    with pytest.raises(Denied):
        network(tmp_path, False).refuse_url(url)
    assert not network(tmp_path, False).may_show(url)


@pytest.mark.parametrize("is_guarded", [True, False])
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "a.localhost", "[::1]", "0.0.0.0"])
def test_the_port_of_the_browsers_own_commands_is_closed_whatever_is_opened(
    host: str, is_guarded: bool, tmp_path: Path
) -> None:
    with pytest.raises(Denied):
        network(tmp_path, is_guarded).refuse_url(f"http://{host}:9222/json/list")
