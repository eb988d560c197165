"""The identity and the command line of a browser with stealth, and what is exempt from the limits of events."""

from __future__ import annotations

from pathlib import Path

import pytest

from rove.browser.chromium.diagnosis import check_renderer, check_stealth
from rove.browser.chromium.discovery import Installation
from rove.browser.chromium.emulation import NOTHING, Identity, changes, identity_of
from rove.browser.chromium.flood import is_limited
from rove.browser.chromium.launch import Sandbox, launch_arguments
from rove.browser.chromium.stealth import StealthLaunch
from rove.browser.emulation import Emulation, Size
from rove.browser.scripts import NONCE
from rove.settings.tree import Settings


def known_identity(version: str) -> Identity:
    identity = identity_of(version)
    assert identity is not None
    return identity


@pytest.mark.parametrize(
    ("version", "brands"),
    [
        ("Chromium 156.0.8078.79 built on Debian GNU/Linux 12", [("Not:A-Brand", "8"), ("Chromium", "156")]),
        ("Google Chrome for Testing 155.0.1.2", [("Chromium", "155"), ("Not(A:Brand", "24")]),
        ("Google Chrome 156.0.1.2 ", [("Not:A-Brand", "8"), ("Chromium", "156"), ("Google Chrome", "156")]),
    ],
)
def test_the_brands_are_those_that_the_version_leads_to(version: str, brands: list[tuple[str, str]]) -> None:
    identity = known_identity(version)
    assert [(each["brand"], each["version"]) for each in identity.client_hints["brands"]] == brands
    assert f"Chrome/{identity.client_hints['fullVersion'].partition('.')[0]}.0.0.0 " in identity.user_agent
    assert identity_of("no browser") is None


def test_an_identity_holds_where_nothing_else_is_emulated() -> None:
    identity = known_identity("Chromium 156.0.8078.79")
    mine = Emulation(user_agent="Mine/1.0")

    def agents(before: Emulation, after: Emulation) -> list[str]:
        commands = identity.completed(changes("page", before, after, ""), is_new=before is NOTHING)
        return [params["userAgent"] for method, params in commands if method == "Emulation.setUserAgentOverride"]

    assert agents(NOTHING, NOTHING) == [identity.user_agent]
    assert agents(NOTHING, mine) == ["Mine/1.0"]
    assert agents(mine, NOTHING) == [identity.user_agent]
    assert agents(mine, Emulation(user_agent="Mine/1.0", color_scheme="dark")) == []


def test_the_command_line_has_nothing_that_pages_notice_and_everything_that_guards() -> None:
    usual = launch_arguments("/profile", True, Sandbox(True, ""), "http://127.0.0.1:1")
    arguments = StealthLaunch(True, Size(1440, 900), "Mine/1.0").arguments(usual)
    assert "--user-agent=Mine/1.0" in arguments
    assert "--headless=new" in arguments
    assert "--headless" not in arguments
    assert [each for each in arguments if each.startswith("--disable-blink-features=")] == [
        "--disable-blink-features=AutomationControlled"
    ]
    guarding = [each for each in usual if each.startswith(("--proxy", "--webrtc", "--host-resolver", "--site-per"))]
    assert set(guarding) <= set(arguments)
    assert "--headless=new" not in StealthLaunch(False, Size(1440, 900)).arguments(usual)


def test_reports_of_roves_script_are_exempt_from_the_limit_of_console_events() -> None:
    message = '{"method":"Console.messageAdded","params":{"message":{"source":"console-api","level":"debug","text":"%s'
    assert is_limited((message % "of a page").encode())
    assert not is_limited((message % f"{NONCE} world roveTell typed").encode())
    assert is_limited((message % f"of a page {NONCE}").encode())


def test_doctor_says_that_a_headless_shell_is_noticed_and_stealth_looks_for_a_full_browser() -> None:
    settings = Settings(stealth=True)
    assert not settings.uses_headless_shell
    assert Settings().uses_headless_shell
    shell = Installation("/usr/bin/chromium-headless-shell", "given", headless_only=True)
    assert check_stealth(settings, shell).state == "broken"
    assert check_stealth(settings, Installation("/usr/bin/chromium", "given", headless_only=False)).state != "broken"


@pytest.mark.contract("E5")
@pytest.mark.parametrize(
    "renderer",
    [
        "ANGLE (Google, Vulkan 1.3.0 (SwiftShader Device (Subzero) (0x0000C0DE)), SwiftShader driver-5.0.0)",
        "ANGLE (Mesa/X.org, llvmpipe (LLVM 15.0.6 256 bits), OpenGL ES 3.2 Mesa 22.3.6)",
        "ANGLE (Microsoft, Microsoft Basic Render Driver (0x0000008C) Direct3D11 vs_5_0 ps_5_0, D3D11)",
    ],
)
def test_doctor_names_a_software_renderer_and_what_to_do(renderer: str, tmp_path: Path) -> None:
    without = check_renderer(renderer, [])
    assert without.state == "worth knowing" and renderer in without.detail
    assert "no graphics card" in without.detail
    card = tmp_path / "renderD128"
    assert str(card) in check_renderer(renderer, [card]).fix  # which this user may not use
    card.touch()
    assert "driver of the graphics card" in check_renderer(renderer, [card]).fix


@pytest.mark.contract("E5")
def test_doctor_has_nothing_to_say_of_a_graphics_card() -> None:
    card = "ANGLE (Intel, Mesa Intel(R) UHD Graphics 620 (KBL GT2), OpenGL ES 3.2 Mesa 24.2.8)"
    assert check_renderer(card, [Path("/dev/dri/renderD128")]).state == "good"
