"""G6: Passwords and secrets in frames that run in separate processes."""

from __future__ import annotations

import contextlib
import shlex
import time
from collections.abc import AsyncGenerator
from dataclasses import replace
from urllib.parse import parse_qs

import pytest
from tests.reading import ref_of
from tests.security.test_passwords import (
    FRAME,
    REPORT_VALUE,
    SLOW_KEYS,
    page_that_moves_the_focus_to,
    value,
    value_in_frame,
)
from tests.security.test_secrets import LOGIN, entered
from tests.site import Site

from rove import Session, Settings
from rove.browser.chromium.discovery import find
from rove.browser.shared.frames import FRAME_TIMEOUT
from rove.engine.sessions import Sessions
from rove.errors import Denied

pytestmark = pytest.mark.engines("chromium", reason="only Chromium reports the process of a frame")

VALUE = "correct horse battery"


@pytest.fixture(scope="module")
async def isolated(
    settings: Settings, _server: Site, tmp_path_factory: pytest.TempPathFactory
) -> AsyncGenerator[Session]:
    """A session of a browser that runs each site in a separate process."""
    found = find(None, headless=True)
    assert found is not None
    folder = tmp_path_factory.mktemp("owner")
    browser = folder / "headless_shell"
    browser.write_text(f'#!/bin/sh\nexec {shlex.quote(str(found.path))} --site-per-process "$@"\n')
    browser.chmod(0o755)
    (folder / "secrets.toml").write_text(f'[shop]\norigins = ["{_server.url("", "localhost")}"]\nvalue = "{VALUE}"')
    (folder / "secrets.toml").chmod(0o600)
    separate = replace(settings, browser=browser, secrets=folder / "secrets.toml")
    async with Sessions(separate) as sessions:
        yield Session(sessions, None)


def framed(site: Site, path: str) -> str:
    return f"<iframe src='{site.url(path, 'localhost')}' width=500 height=150></iframe>"


async def test_typing_into_a_password_field_of_a_separate_frame_is_refused(isolated: Session, site: Site) -> None:
    site.page("/inner", FRAME + REPORT_VALUE)
    seen = (await isolated.navigate(site.page("/", framed(site, "/inner")))).changes.text
    word = ref_of(seen, "Word")
    for attempt in (isolated.fill(word, "hunter2"), isolated.type("hunter2", word), isolated.type("hunter2")):
        with pytest.raises(Denied):
            await attempt
    await isolated.fill(ref_of(seen, "Name"), "Bea")
    await isolated.type("trice")
    assert await value_in_frame(isolated) == ""


async def test_typing_stops_when_the_focus_moves_into_a_separate_frame(isolated: Session, site: Site) -> None:
    site.page("/inner", FRAME + REPORT_VALUE)
    await isolated.navigate(site.page("/", page_that_moves_the_focus_to(site.url("/inner", "localhost"))))
    with pytest.raises(Denied):
        await isolated.type("hunter2" * 60, "#outer")
    assert await value_in_frame(isolated) == ""


async def test_a_frame_that_is_added_during_typing_is_guarded_from_its_start(isolated: Session, site: Site) -> None:
    tells = "<script>onmessage = () => parent.postMessage([p.value, keys], '*'); p.focus()</script>"
    site.page("/inner", f"<input id=p type=password><script>var keys = 0; onkeydown = () => keys++</script>{tells}")
    page = f"""<input id=n><script>n.oninput = () => {{ if (n.value.length == 2)
      document.body.insertAdjacentHTML('beforeend', `{framed(site, "/inner")}`) }}</script>{SLOW_KEYS}"""
    arrived = 0
    for _ in range(10):  # the frame may be there only when all is typed
        await isolated.navigate(site.page("/", page))
        with contextlib.suppress(Denied):
            await isolated.type("hunter2" * 150, "#n")
        await isolated.wait(selector="iframe")
        typed, arrived = await value_in_frame(isolated)
        assert typed == ""
        if arrived:
            break
    assert arrived


async def test_a_frame_that_hangs_delays_only_one_action(isolated: Session, site: Site) -> None:
    site.page("/stuck", "<p>Fine yet</p><script>onmessage = () => { for (;;); }</script>")
    page = f"<input id=n><input id=p type=password>{framed(site, '/stuck')}"
    await isolated.navigate(site.page("/", page))
    await isolated.using(quiet=True).evaluate("frames[0].postMessage('get stuck', '*')")
    await isolated.using(quiet=True).type("Bea", "#n")
    began = time.monotonic()
    await isolated.using(quiet=True).press("t", "#n")
    assert time.monotonic() - began < FRAME_TIMEOUT
    with pytest.raises(Denied):
        await isolated.type("hunter2", "#p")
    assert await value(isolated, "[n.value, p.value]") == ["Beat", ""]


@pytest.mark.parametrize("top", ["127.0.0.1", "localhost"])
async def test_a_secret_goes_to_the_frame_of_its_origin(isolated: Session, site: Site, top: str) -> None:
    frame = "localhost" if top == "127.0.0.1" else "127.0.0.1"
    site.page("/enter", "<p>Welcome</p>")
    site.page("/login", LOGIN)
    site.page("/top", f"<iframe src='{site.url('/login', frame)}' width=500 height=150></iframe>")
    seen = (await isolated.navigate(site.url("/top", top))).changes.text
    if frame == "localhost":
        await isolated.click(ref_of(seen, "Password"))
        await isolated.type("secret:shop")
        await isolated.fill(ref_of(seen, "Password"), "secret:shop")
    else:
        with pytest.raises(Denied):
            await isolated.fill(ref_of(seen, "Password"), "secret:shop")
    await isolated.click(ref_of(seen, "Enter"))
    await isolated.wait(text="Welcome")
    (sent,) = (request.body.decode() for request in site.asked("/enter"))
    assert parse_qs(sent, keep_blank_values=True)["p"] == [VALUE if frame == "localhost" else ""]


async def test_a_page_that_takes_the_focus_does_not_get_the_secret(isolated: Session, site: Site) -> None:
    site.page("/enter", "<p>Welcome</p>")
    site.page("/login", LOGIN)
    page = f"""<input id=mine>{framed(site, "/login")}<script>
      var got = ''; addEventListener('keydown', e => got += e.key); mine.oninput = e => got += e.data;
      addEventListener('blur', () => mine.focus()); setInterval(() => mine.focus(), 1)</script>"""
    seen = (await isolated.navigate(site.page("/", page))).changes.text
    for _ in range(5):
        await isolated.fill(ref_of(seen, "Password"), "secret:shop")
    assert await value(isolated, "mine.value + got") == ""
    await isolated.click(ref_of(seen, "Enter"))
    assert entered(site) == [VALUE]
