"""Emulated devices, places and preferences, in all tabs, frames and workers of a session."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from typing import Any, Literal

import pytest
from PIL import Image
from tests.site import Site

from rove import Session
from rove.browser.emulation import DEVICES
from rove.errors import Denied, InvalidArguments, Unsupported
from rove.surfaces.library.tools import SessionTools
from rove.toolsets.toolset import toolset_from

# Answers what a script of any kind sends to it with the value of that code.
ECHO = "onmessage = async e => (e.source ?? self).postMessage(await eval(e.data), e.source ? '*' : undefined)"
# Evaluates code in the page, in its frame of another site, and in its worker.
EVERYWHERE = """code => Promise.all([
  eval(code),
  new Promise(r => { onmessage = e => r(e.data); frames[0].postMessage(code, '*') }),
  new Promise(r => { w.onmessage = e => r(e.data); w.postMessage(code) })])"""
MEDIA = "['prefers-color-scheme: dark', 'prefers-reduced-motion: reduce', 'pointer: coarse', 'hover: none']"


async def value(session: Session, expression: str) -> Any:
    return (await session.evaluate(expression)).result.value


async def everywhere(session: Session, code: str) -> list[Any]:
    found: list[Any] = await value(session, f"({EVERYWHERE})({json.dumps(code)})")
    return found


def page_with_frame_and_worker(site: Site) -> str:
    site.page("/w.js", ECHO, kind="text/javascript")
    site.page("/frame", f"<script>{ECHO}</script>")
    head = "<meta name=viewport content='width=device-width'>"
    frame = f"<iframe src={site.url('/frame', 'localhost')}></iframe>"
    return site.page("/", f"{head}{frame}<script>w = new Worker('/w.js')</script>")


@pytest.mark.engines("chromium", reason="Firefox emulates no touch screen, no colour scheme and no reduced motion")
@pytest.mark.contract("C7")
@pytest.mark.feature("Mobile emulation", works=("chromium",))
async def test_a_phone_is_a_phone_in_pages_frames_workers_and_requests(session: Session, site: Site) -> None:
    outcome = await session.emulate("Pixel 10", locale="de-DE", time_zone="Asia/Tokyo", color_scheme="dark",
                                    reduced_motion=True)  # fmt: skip
    assert "Pixel 10; 412 x 923 at density 2.625; mobile; touch" in str(outcome.result)
    await session.navigate(page_with_frame_and_worker(site))
    size = (
        "[innerWidth, innerHeight, devicePixelRatio, screen.width, screen.orientation.type, navigator.maxTouchPoints]"
    )
    assert await value(session, size) == [412, 923, 2.625, 412, "portrait-primary", 5]
    assert await value(session, f"{MEDIA}.map(query => matchMedia(`(${{query}})`).matches)") == [True] * 4
    for agent in await everywhere(session, "navigator.userAgent"):
        assert agent.startswith("Mozilla/5.0 (Linux; Android 10; K)")
        assert "HeadlessChrome" not in agent
    hints = "navigator.userAgentData?.getHighEntropyValues(['model']).then(d => [d.mobile, d.platform, d.model])"
    assert (await everywhere(session, f"isSecureContext && {hints}"))[0] == [True, "Android", "Pixel 10"]
    said = "[navigator.language, (1234.5).toLocaleString(), Intl.DateTimeFormat().resolvedOptions().timeZone]"
    assert await everywhere(session, said) == [["de-DE", "1.234,5", "Asia/Tokyo"]] * 3
    for path in ("/", "/frame", "/w.js"):
        headers = site.asked(path)[0].headers
        assert "Android" in headers["User-Agent"]
        assert headers["Accept-Language"] == "de-DE"
    assert site.asked("/")[0].headers["sec-ch-ua-mobile"] == "?1"
    assert (await session.screenshot()).result.width == 412


async def test_what_is_emulated_holds_in_new_tabs_and_popups_and_ends_with_reset(session: Session, site: Site) -> None:
    head = "<meta name=viewport content='width=device-width'>"
    url = site.page("/", f"{head}<button onclick=\"window.open('/')\">Open</button>")
    await session.navigate(url)
    brands = await value(session, "navigator.userAgentData?.brands.length ?? 0")  # Chromium alone has client hints
    await session.emulate("iPhone 17", landscape=True, time_zone="Asia/Tokyo")
    await session.click("button")
    await session.tabs("new", url=url)
    said = "[innerWidth, innerHeight, /iPhone/.test(navigator.userAgent), navigator.userAgentData?.brands.length ?? 0,"
    said += " Intl.DateTimeFormat().resolvedOptions().timeZone]"
    for tab in ("t1", "t2", "t3"):
        shown = (await session.using(tab=tab).evaluate(said)).result.value
        assert shown == [874, 402, True, 0, "Asia/Tokyo"], tab  # Safari sends no client hints
    assert "Sec-CH-UA" not in {name.title() for name in site.requests[-1].headers}
    # The page that set the time zone of the process it shares with its popup is closed: it is set anew.
    await session.tabs("close", "t1")
    assert (await session.using(tab="t2").evaluate(said)).result.value[4] == "Asia/Tokyo"
    outcome = await session.emulate(reset=True)
    assert str(outcome.result) == "Nothing is emulated."
    await session.reload()
    assert await value(session, said) == [1280, 720, False, brands, "UTC"]


@pytest.mark.engines("chromium", reason="Firefox emulates no touch screen, no colour scheme and no reduced motion")
async def test_values_of_ones_own_replace_those_of_a_device_and_what_is_not_given_stays(
    session: Session, site: Site
) -> None:
    await session.emulate("Windows laptop", width=1000, height=500, density=2, touch=True)
    await session.emulate(user_agent="Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Gecko/20100101 Firefox/150.0")
    await session.navigate(site.page("/", "<p>Page</p>"))
    said = "[innerWidth, innerHeight, devicePixelRatio, navigator.maxTouchPoints, navigator.platform]"
    assert await value(session, said) == [1000, 500, 2, 5, "MacIntel"]
    assert "Firefox/150.0" in site.asked("/")[0].headers["User-Agent"]
    assert not [name for name in site.asked("/")[0].headers if name.lower().startswith("sec-ch-ua")]
    await session.resize(600, 400)  # one tab, which stays as dense as it is
    assert await value(session, "[innerWidth, devicePixelRatio]") == [600, 2]


@pytest.mark.contract("C7")
@pytest.mark.feature("Geolocation and permissions", works=("chromium", "firefox"))
async def test_an_emulated_place_is_told_to_the_origins_that_have_the_permission(session: Session, site: Site) -> None:
    ask = "new Promise(r => navigator.geolocation.getCurrentPosition(p => r([p.coords.latitude, p.coords.longitude]),"
    ask += " e => r(e.code)))"
    await session.emulate(latitude=52.5, longitude=13.4)
    await session.navigate(site.page("/", "<p>Page</p>"))
    assert await value(session, ask) == 1  # permission denied
    outcome = await session.permissions(site.url("").rstrip("/"), ("geolocation",))
    assert str(outcome.result) == f"{site.url('').rstrip('/')}: geolocation"
    assert await value(session, ask) == [52.5, 13.4]
    await session.tabs("new", url=site.url("/", "localhost"))
    assert await value(session, ask) == 1
    other = await session.another()
    await other.navigate(site.url("/"))
    assert await value(other, "navigator.permissions.query({name: 'geolocation'}).then(p => p.state)") == "denied"
    await session.permissions(site.url("").rstrip("/"))
    await session.navigate(site.url("/"))
    assert await value(session, ask) == 1
    assert str((await session.permissions()).result) == "No origin has any permission."


async def test_what_makes_no_sense_is_refused(session: Session) -> None:
    refused: tuple[tuple[dict[str, Any], str], ...] = (
        ({"width": 100}, "`width` and `height` go together"),
        ({"latitude": 1}, "`latitude` and `longitude` go together"),
        ({"latitude": 91, "longitude": 0}, "`latitude`"),
        ({"time_zone": "Europe/Berlim"}, "did you mean Europe/Berlin"),
        ({"locale": "not a locale"}, "`locale`"),
        ({"user_agent": "a\r\nX: y"}, "`user_agent`"),
        ({"device": "Nokia 3310"}, "`device`"),
    )
    for arguments, word in refused:
        with pytest.raises(InvalidArguments, match=word):
            await session.emulate(**arguments)
    with pytest.raises(InvalidArguments, match="`origin` is missing"):
        await session.permissions(names=("geolocation",))
    for origin in ("https://*.example.com", "https://example.com/path", "file:///etc"):
        with pytest.raises(InvalidArguments, match="`origin`"):
            await session.permissions(origin)
    with pytest.raises(InvalidArguments, match="`names"):
        await session.permissions("https://example.com", ("clipboard-read",))  # type: ignore[arg-type]
    with pytest.raises(Denied):
        await session.permissions("http://10.0.0.1", ("geolocation",))


def test_every_device_has_a_name_and_a_screen() -> None:
    assert len(DEVICES) >= 10
    assert all(device.width > 0 < device.height and device.density >= 1 for device in DEVICES.values())


@pytest.mark.engines("firefox", reason="it has all of them in each version")
async def test_what_a_user_prefers_is_emulated_as_far_as_firefox_has_it(session: Session, site: Site) -> None:
    await session.navigate(page_with_frame_and_worker(site))
    dark = "matchMedia('(prefers-color-scheme: dark)').matches"
    version = int((await value(session, "navigator.userAgent")).partition("Firefox/")[2].partition(".")[0])
    if version < 159:
        with pytest.raises(Unsupported, match="color_scheme"):
            await session.emulate(color_scheme="dark", locale="de-DE")
        assert (await everywhere(session, "navigator.language"))[0] != "de-DE"  # it is all or nothing
    else:
        await session.emulate(color_scheme="dark", locale="de-DE")
        assert [await value(session, dark), await value(session, "navigator.language")] == [True, "de-DE"]
        other = await session.another()
        await other.navigate(site.url("/"))
        assert await value(other, dark) is False
        await session.tabs("new", url=site.url("/"))
        assert await value(session, dark) is True
    for attempt in (session.emulate(reduced_motion=True), session.emulate(media="print"), session.emulate(touch=True)):
        with pytest.raises(Unsupported) as refused:
            await attempt
        assert "chromium" in str(refused.value.hint)
    await session.emulate(reset=True)
    assert await value(session, dark) is False


@pytest.mark.engines("firefox", reason="it can emulate a touch screen")
@pytest.mark.contract("C7")
@pytest.mark.feature(
    "Mobile emulation",
    part=("firefox",),
    reason="no touch screen; a colour scheme from Firefox 159 on, no other preference of the user",
)
async def test_a_touch_screen_that_cannot_be_emulated_is_told_or_refused(session: Session, site: Site) -> None:
    outcome = await session.emulate("Pixel 10", locale="de-DE", time_zone="Asia/Tokyo")
    assert "Pixel 10; 412 x 923 at density 2.625; mobile; no touch screen" in str(outcome.result)
    await session.navigate(page_with_frame_and_worker(site))
    size = "[innerWidth, innerHeight, devicePixelRatio, screen.width, screen.orientation.type]"
    assert await value(session, size) == [412, 923, 2.625, 412, "portrait-primary"]
    assert await value(session, "navigator.maxTouchPoints") == 0
    said = "[navigator.language, (1234.5).toLocaleString(), Intl.DateTimeFormat().resolvedOptions().timeZone]"
    assert await everywhere(session, said) == [["de-DE", "1.234,5", "Asia/Tokyo"]] * 3
    assert all("Android" in agent for agent in await everywhere(session, "navigator.userAgent"))
    for path in ("/", "/frame", "/w.js"):
        assert "Android" in site.asked(path)[0].headers["User-Agent"]
    with pytest.raises(Unsupported, match="touch"):
        await session.emulate("Windows laptop", touch=True)
    await session.emulate(reset=True)


DENSE = """<style>html { scrollbar-width: none } body, p { margin: 0 }</style><body style="height: 600px">
<p id="p" style="width: 100px; height: 50px">P</p><button>B</button>"""


@pytest.mark.parametrize("kind", ["png", "jpeg", "webp"])
async def test_a_screenshot_has_the_pixels_of_the_device_or_of_css(
    session: Session, site: Site, kind: Literal["png", "jpeg", "webp"]
) -> None:
    await session.emulate(width=400, height=300, density=2)
    await session.navigate(site.page("/", DENSE))

    async def size(target: str | None = None, **how: Any) -> tuple[int, int]:
        (image,) = (await session.screenshot(target, format=kind, **how)).attachments
        return Image.open(io.BytesIO(image.data)).size

    assert await size() == await size(scale="device") == (800, 600)
    assert await size(scale="css") == await size(annotate=True) == (400, 300)
    assert (await size("#p", scale="device"), await size("#p", scale="css")) == ((200, 100), (100, 50))
    assert await size(full_page=True, scale="device") == (800, 1200)
    assert await size(full_page=True, scale="css") == (400, 600)


async def test_the_toolset_playwright_heeds_the_scale(session: Session, site: Site) -> None:
    await session.emulate(width=400, height=300, density=2)
    await session.navigate(site.page("/", DENSE))
    tools = SessionTools(session, toolset_from(replace(session.settings, toolset="playwright")))
    sizes: list[tuple[int, int]] = []
    for how in ({}, {"scale": "css"}, {"scale": "device"}):
        (image,) = (await tools.call("browser_take_screenshot", how)).attachments
        sizes.append(Image.open(io.BytesIO(image.data)).size)
    assert sizes == [(400, 300), (400, 300), (800, 600)]


@pytest.mark.engines("chromium", reason="Firefox emulates no preferences")
async def test_single_preferences_are_emulated_no_longer(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "x"))
    outcome = await session.emulate(color_scheme="dark", reduced_motion=True, media="print")
    assert str(outcome.result).startswith("All tabs: color scheme dark; media print; reduced motion.")
    outcome = await session.emulate(clear=["color_scheme", "reduced_motion"])
    assert str(outcome.result).startswith("All tabs: media print.")
    seen = "[matchMedia('(prefers-color-scheme: dark)').matches, matchMedia('print').matches]"
    assert await value(session, seen) == [False, True]
