"""Settings that persist, and links for other people."""

from __future__ import annotations

from tests.gateway.page.control_page import ControlPage


async def test_a_setting_is_written_to_the_config_file(page: ControlPage) -> None:
    await page.go("settings")
    await page.until_text("limits.sessions")
    await page.session.fill('spinbutton "limits.sessions"', "5")
    await page.session.press("Tab")
    await page.until_text("limits.sessions is written", ".notices")
    assert "sessions = 5" in page.gateway.gateway.settings.config_file.read_text("utf-8")


async def test_a_view_only_link_is_made_and_revoked(page: ControlPage) -> None:
    await page.go("settings")
    await page.session.fill('textbox "Name"', "a guest")
    await page.session.click('button "Make a link"')
    link = await page.until("document.querySelector('.made-link')?.value")
    token = page.gateway.gateway.tokens.find(link.partition("token=")[2])
    assert token is not None and token.describe()["scopes"] == ["view:all"] and token.expires is not None
    await page.until_text("a guest: view", ".tokens")
    guest = "[...document.querySelectorAll('.tokens li')].find((each) => each.textContent.includes('a guest'))"
    await page.session.evaluate(f"{guest}.querySelector('button').id = 'revoke-guest'")  # others may be listed too
    await page.session.click("#revoke-guest")
    await page.until(f"!{guest}")
    assert page.gateway.gateway.tokens.find(link.partition("token=")[2]) is None


async def test_the_theme_is_kept(page: ControlPage) -> None:
    await page.go("settings")
    await page.session.select("#theme", ("dark",))
    await page.session.reload()
    await page.until("document.documentElement.dataset.theme === 'dark'")
    await page.run("localStorage.clear()")
