"""Passwords and secrets in frames that have processes of their own, as a browser with a window gives them."""

from __future__ import annotations

import contextlib
import shlex
import time
from collections.abc import AsyncGenerator
from dataclasses import replace
from urllib.parse import parse_qs

import pytest
from tests.reading import ref_of
from tests.security.test_passwords import FRAME, SLOW, TELLS, handing_over, told_by_frame, value
from tests.security.test_secrets import LOGIN, entered
from tests.site import Site

from rove import Session, Settings
from rove.chromium.frames.worlds import FRAME_TIMEOUT
from rove.chromium.process.discovery import find
from rove.engine.sessions.sessions import Sessions
from rove.errors import Denied

WORD = "correct horse battery"


@pytest.fixture(scope="module")
async def isolating(
    settings: Settings, _server: Site, tmp_path_factory: pytest.TempPathFactory
) -> AsyncGenerator[Session]:
    """A session of a browser that gives each site a process of its own, which one without a window does if told to."""
    found = find(None, headless=True)
    assert found is not None
    folder = tmp_path_factory.mktemp("owner")
    browser = folder / "headless_shell"
    browser.write_text(f'#!/bin/sh\nexec {shlex.quote(str(found.path))} --site-per-process "$@"\n')
    browser.chmod(0o755)
    (folder / "secrets.toml").write_text(f'[shop]\norigins = ["{_server.url("", "localhost")}"]\nvalue = "{WORD}"')
    (folder / "secrets.toml").chmod(0o600)
    separate = replace(settings, browser=browser, secrets=folder / "secrets.toml")
    async with Sessions(separate) as sessions:
        yield Session(sessions, None)


def framed(site: Site, path: str) -> str:
    return f"<iframe src='{site.url(path, 'localhost')}' width=500 height=150></iframe>"


async def test_typing_into_it_is_refused(isolating: Session, site: Site) -> None:
    site.page("/inner", FRAME + TELLS)
    seen = (await isolating.navigate(site.page("/", framed(site, "/inner")))).changes.text
    word = ref_of(seen, "Word")
    for attempt in (isolating.fill(word, "hunter2"), isolating.type("hunter2", word), isolating.type("hunter2")):
        with pytest.raises(Denied):
            await attempt
    await isolating.fill(ref_of(seen, "Name"), "Bea")
    await isolating.type("trice")
    assert await told_by_frame(isolating) == ""


async def test_the_focus_moved_into_it_in_mid_typing(isolating: Session, site: Site) -> None:
    site.page("/inner", FRAME + TELLS)
    await isolating.navigate(site.page("/", handing_over(site.url("/inner", "localhost"))))
    with pytest.raises(Denied):
        await isolating.type("hunter2" * 60, "#outer")
    assert await told_by_frame(isolating) == ""


async def test_one_that_comes_in_mid_typing_is_watched_from_its_start(isolating: Session, site: Site) -> None:
    tells = "<script>onmessage = () => parent.postMessage([p.value, keys], '*'); p.focus()</script>"
    site.page("/inner", f"<input id=p type=password><script>var keys = 0; onkeydown = () => keys++</script>{tells}")
    page = f"""<input id=n><script>n.oninput = () => {{ if (n.value.length == 2)
      document.body.insertAdjacentHTML('beforeend', `{framed(site, "/inner")}`) }}</script>{SLOW}"""
    arrived = 0
    for _ in range(10):  # the frame may be there only when all is typed
        await isolating.navigate(site.page("/", page))
        with contextlib.suppress(Denied):
            await isolating.type("hunter2" * 150, "#n")
        await isolating.wait(selector="iframe")
        typed, arrived = await told_by_frame(isolating)
        assert typed == ""
        if arrived:
            break
    assert arrived


async def test_one_that_is_stuck_costs_its_patience_once(isolating: Session, site: Site) -> None:
    site.page("/stuck", "<p>Fine yet</p><script>onmessage = () => { for (;;); }</script>")
    page = f"<input id=n><input id=p type=password>{framed(site, '/stuck')}"
    await isolating.navigate(site.page("/", page))
    await isolating.using(quiet=True).evaluate("frames[0].postMessage('get stuck', '*')")
    await isolating.using(quiet=True).type("Bea", "#n")
    began = time.monotonic()
    await isolating.using(quiet=True).press("t", "#n")
    assert time.monotonic() - began < FRAME_TIMEOUT
    with pytest.raises(Denied):
        await isolating.type("hunter2", "#p")
    assert await value(isolating, "[n.value, p.value]") == ["Beat", ""]


@pytest.mark.parametrize("top", ["127.0.0.1", "localhost"])
async def test_a_secret_goes_to_the_frame_of_its_origin(isolating: Session, site: Site, top: str) -> None:
    frame = "localhost" if top == "127.0.0.1" else "127.0.0.1"
    site.page("/enter", "<p>Welcome</p>")
    site.page("/login", LOGIN)
    site.page("/top", f"<iframe src='{site.url('/login', frame)}' width=500 height=150></iframe>")
    seen = (await isolating.navigate(site.url("/top", top))).changes.text
    if frame == "localhost":
        await isolating.click(ref_of(seen, "Password"))
        await isolating.type("secret:shop")
        await isolating.fill(ref_of(seen, "Password"), "secret:shop")
    else:
        with pytest.raises(Denied):
            await isolating.fill(ref_of(seen, "Password"), "secret:shop")
    await isolating.click(ref_of(seen, "Enter"))
    await isolating.wait(text="Welcome")
    (sent,) = (request.body.decode() for request in site.asked("/enter"))
    assert parse_qs(sent, keep_blank_values=True)["p"] == [WORD if frame == "localhost" else ""]


async def test_a_page_that_snatches_the_focus_gets_nothing(isolating: Session, site: Site) -> None:
    site.page("/enter", "<p>Welcome</p>")
    site.page("/login", LOGIN)
    page = f"""<input id=mine>{framed(site, "/login")}<script>
      var got = ''; addEventListener('keydown', e => got += e.key); mine.oninput = e => got += e.data;
      addEventListener('blur', () => mine.focus()); setInterval(() => mine.focus(), 1)</script>"""
    seen = (await isolating.navigate(site.page("/", page))).changes.text
    for _ in range(5):
        await isolating.fill(ref_of(seen, "Password"), "secret:shop")
    assert await value(isolating, "mine.value + got") == ""
    await isolating.click(ref_of(seen, "Enter"))
    assert entered(site) == [WORD]
