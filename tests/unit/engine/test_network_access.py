"""Which URLs an attached browser may be asked for, and which of its pages may be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from rove.engine.network_access import EgressSettings, NetworkAccess
from rove.errors import Denied
from rove.settings.tree import Settings


def network_access(home: Path, is_guarded: bool) -> NetworkAccess:
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
def test_pages_of_the_browser_itself_and_files_are_refused(url: str, tmp_path: Path) -> None:
    with pytest.raises(Denied):
        network_access(tmp_path, False).refuse_url(url)
    assert not network_access(tmp_path, False).may_show(url)


@pytest.mark.parametrize(
    "url", ["https://example.com/", "about:blank", "data:text/html,x", "blob:https://a.example/1", "http://localhost/"]
)
def test_pages_of_the_web_are_allowed(url: str, tmp_path: Path) -> None:
    network_access(tmp_path, False).refuse_url(url)
    assert network_access(tmp_path, False).may_show(url)


@pytest.mark.parametrize("url", ["http://127.0.0.1/", "http://10.0.0.1/", "http://169.254.169.254/"])
def test_private_addresses_are_refused(url: str, tmp_path: Path) -> None:
    with pytest.raises(Denied):
        network_access(tmp_path, False).refuse_url(url)
    assert not network_access(tmp_path, False).may_show(url)


@pytest.mark.parametrize("is_guarded", [True, False])
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "a.localhost", "[::1]", "0.0.0.0"])
def test_the_debugging_port_is_refused_even_if_its_host_is_allowed(host: str, is_guarded: bool, tmp_path: Path) -> None:
    with pytest.raises(Denied):
        network_access(tmp_path, is_guarded).refuse_url(f"http://{host}:9222/json/list")
