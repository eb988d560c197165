"""The page connects with the token of its link, and says plainly when it cannot."""

from __future__ import annotations

from tests.gateway.clients import RunningGateway
from tests.gateway.page.control_page import ControlPage

from rove import Session
from rove.surfaces.gateway.tokens import Scope


async def test_the_link_opens_ready_to_use_and_its_token_leaves_the_address_bar(page: ControlPage) -> None:
    assert "token" not in await page.run("location.href")
    assert await page.text_of("main h1") == "Inbox"
    await page.session.reload()
    await page.until_text("Nothing waits for you")


async def test_a_wrong_token_is_told_and_another_can_be_given(session: Session, gateway: RunningGateway) -> None:
    page = ControlPage(session, gateway)
    await session.navigate(f"{gateway.gateway.url}/#token=wrong")
    await page.until_text("does not accept this token")
    # It is a password field, into which rove types nothing.
    await page.run(f"document.querySelector('#token').value = '{gateway.gateway.link(gateway.gateway.tokens.owner)}'")
    await session.click('button "Connect"')
    await page.until_text("Nothing waits for you")


async def test_without_a_token_the_page_teaches_the_first_step(session: Session, gateway: RunningGateway) -> None:
    await session.navigate(gateway.gateway.url)
    await ControlPage(session, gateway).until_text("Run rove serve and open the link that it prints")


async def test_nothing_is_loaded_from_elsewhere_and_nothing_breaks_the_content_policy(page: ControlPage) -> None:
    for view in ("inbox", "sessions", "chat", "settings"):
        await page.go(view)
    foreign = "performance.getEntriesByType('resource').filter((one) => !one.name.startsWith(location.origin)).length"
    assert await page.run(foreign) == 0
    assert "Content Security Policy" not in str((await page.session.console()).result)


WATCH_BANNER = """() => {
  const banner = document.querySelector("rove-connection-banner");
  window.said = [];
  new MutationObserver(() => window.said.push(banner.textContent)).observe(banner, { childList: true });
  return 1;
}"""


async def test_a_lost_connection_is_said_and_what_happened_meanwhile_is_not_missed(page: ControlPage) -> None:
    await page.go("sessions")
    await page.run(WATCH_BANNER)
    for connected in [*page.gateway.gateway._clients]:  # pyright: ignore[reportPrivateUsage]
        await connected.close()
    async with page.gateway.client() as client:
        await client.call("sessions.create", name="meanwhile")
    await page.until("window.said.length > 1 && window.said.at(-1) === ''")
    assert "Reconnecting" in (await page.run("window.said"))[0]
    await page.until_text("meanwhile", ".wall")


async def test_what_a_view_only_link_does_not_allow_is_disabled_with_the_reason(
    session: Session, gateway: RunningGateway
) -> None:
    token, _ = gateway.gateway.tokens.create([Scope.VIEW_ALL], 60, "a guest")
    page = ControlPage(session, gateway)
    await page.open(token)
    await page.go("sessions")
    await page.until_text("New session")
    disabled = "[...document.querySelectorAll('main button')].filter((one) => one.disabled).map((one) => one.title)"
    look, drive = "This link lets you look, not act.", "This link does not let you approve or drive."
    assert sorted(await page.run(disabled)) == sorted([look, drive, look, look])
    await page.go("settings")
    await page.until_text("Only the owner can do this.")
