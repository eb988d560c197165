"""User activation, with which a page may open windows and play sound: acting gives it to the page, reading does not."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from tests.site import Site

from rove import Session

# The page counts, so that a test can wait until it has looked again after the last action. It changes no more once it
# is active: actions wait for a page that changes.
PAGE = """<h1>Heading</h1><output></output><p id=count></p><button>Press</button><input><select><option>a<option>b
</select><iframe src="/frame"></iframe><div style="height: 3000px"></div><script>
  let looks = 0;
  const looking = setInterval(() => {
    if (navigator.userActivation.hasBeenActive) {
      document.querySelector("output").textContent = "has been active";
      clearInterval(looking);
    }
    if (looks < 100) count.textContent = `looked ${++looks} times`;
  }, 5)
</script>"""


async def assert_reading_gives_no_activation(session: Session, site: Site) -> None:
    site.page("/frame", "<p>frame")
    await session.navigate(site.page("/", PAGE))
    await session.screenshot()
    await session.screenshot("h1")
    await session.extract()
    await session.console()
    await session.network()
    await session.hover("h1")
    await session.scroll(direction="down")
    await session.wait(text="looked 100 times")
    assert "active" not in str((await session.snapshot()).result)


async def test_reading_a_page_gives_it_no_user_activation(session: Session, site: Site) -> None:
    await assert_reading_gives_no_activation(session, site)


async def test_acting_as_a_user_does_gives_the_page_a_user_activation(session: Session, site: Site) -> None:
    site.page("/frame", "<p>frame")
    actions: dict[str, Callable[[], Awaitable[object]]] = {
        "/click": lambda: session.click("button"),
        "/fill": lambda: session.fill("input", "text"),
        "/select": lambda: session.select("select", ("b",)),
        "/evaluate": lambda: session.evaluate("1"),
    }
    for path, act in actions.items():
        await session.navigate(site.page(path, PAGE))
        await act()
        await session.wait(text="has been active")
