"""Navigation: navigate, back, forward and reload."""

from __future__ import annotations

import contextlib
import threading

import pytest
from tests.site import Site

from rove import RoveError, Session
from rove.actions.navigation import Navigate
from rove.errors import DeadlineExceeded, Denied, NavigationFailed

pytestmark = pytest.mark.one_session


async def test_navigate_returns_the_final_url_and_the_page(session: Session, site: Site) -> None:
    url = site.page("/", "<title>Tea</title><h1>Welcome</h1><button>Order</button>")
    outcome = await session.navigate(url)
    assert (outcome.result.url, outcome.result.status) == (url, 200)
    assert outcome.url == url
    assert outcome.tab == "t1"
    assert outcome.changes.kind == "page"
    assert "Order" in outcome.changes.text


async def test_an_outcome_has_the_title_of_the_page(session: Session, site: Site) -> None:
    assert (await session.navigate(site.page("/", "<title>Tea</title>"))).title == "Tea"


async def test_navigate_returns_the_status_of_a_missing_page(session: Session, site: Site) -> None:
    assert (await session.navigate(site.url("/nowhere"))).result.status == 404


async def test_navigate_follows_redirects(session: Session, site: Site) -> None:
    end = site.page("/end", "<title>End</title>")
    start = site.page("/start", "", status=302, headers={"Location": "/end"})
    outcome = await session.navigate(start)
    assert (outcome.result.url, outcome.result.status) == (end, 200)


async def test_navigate_to_a_fragment_of_the_same_page_does_not_ask_the_server_again(
    session: Session, site: Site
) -> None:
    url = site.page("/", "<p id=there>There</p>")
    await session.navigate(url)
    outcome = await session.navigate(f"{url}#there")
    assert outcome.result.url == f"{url}#there"
    assert len(site.asked("/")) == 1


async def test_an_address_without_a_scheme_gets_one(session: Session, site: Site) -> None:
    site.page("/", "<title>Home</title>")
    outcome = await session.navigate(f"127.0.0.1:{site.port}/")
    assert "Home" in str(outcome.title)


async def test_a_refused_connection_is_a_failed_navigation(session: Session, unused_port: int) -> None:
    with pytest.raises(NavigationFailed):
        await session.navigate(f"http://127.0.0.1:{unused_port}/")


async def test_after_a_failed_navigation_the_session_works(session: Session, site: Site, unused_port: int) -> None:
    with pytest.raises(NavigationFailed):
        await session.navigate(f"http://127.0.0.1:{unused_port}/")
    assert "Fine" in str((await session.navigate(site.page("/", "<title>Fine</title>"))).title)


@pytest.mark.parametrize(
    "address",
    [
        "file:///etc/passwd",
        "chrome://version",
        "data:text/html,<h1>x</h1>",
        "about:blank",
        "javascript:alert(1)",
        "view-source:http://127.0.0.1/",
        "blob:http://127.0.0.1/x",
        "FILE:///etc/passwd",
        "  file:///etc/passwd",
        "filesystem:http://127.0.0.1/x",
        "devtools://devtools/bundled/inspector.html",
        "ws://127.0.0.1/",
        "ftp://127.0.0.1/",
    ],
)
async def test_an_address_that_is_not_http_is_denied(session: Session, address: str) -> None:
    with pytest.raises(Denied):
        await session.navigate(address)


@pytest.mark.parametrize("address", ["https://exa\nmple:x/", "http://127.0.0.1:99999/", "http://%zz/"])
async def test_an_invalid_address_is_a_failed_navigation(session: Session, address: str) -> None:
    with pytest.raises(RoveError) as caught:
        await session.navigate(address)
    assert caught.value.code in ("navigation_failed", "invalid_arguments")


async def test_back_and_forward_move_in_the_history(session: Session, site: Site) -> None:
    first, second = site.page("/1", "<title>One</title>"), site.page("/2", "<title>Two</title>")
    await session.navigate(first)
    await session.navigate(second)
    back = await session.back()
    assert back.result.url == back.url == first
    assert "One" in str(back.title)
    forward = await session.forward()
    assert forward.result.url == second


async def test_back_moves_between_fragments_of_a_page(session: Session, site: Site) -> None:
    url = site.page("/", "<p>App</p>")
    await session.navigate(url)
    await session.evaluate("history.pushState({}, '', '/inner')")
    assert (await session.back()).result.url == url


@pytest.mark.own_session
@pytest.mark.parametrize("direction", ["back", "forward"])
async def test_going_beyond_the_history_fails(session: Session, site: Site, direction: str) -> None:
    await session.navigate(site.page("/", "<p>Only</p>"))
    await session.navigate(site.page("/2", "<p>Last</p>"))
    if direction == "back":
        await session.back()
        # In some browsers the blank page of a new tab is the first entry of its history.
        with contextlib.suppress(NavigationFailed):
            await session.back()
    with pytest.raises(NavigationFailed):
        await getattr(session, direction)()


async def test_reload_asks_the_server_again(session: Session, site: Site) -> None:
    url = site.page("/", "<title>Old</title>")
    await session.navigate(url)
    site.page("/", "<title>New</title>", status=201)
    outcome = await session.reload()
    assert "New" in str(outcome.title)
    assert outcome.result.status == 201
    assert len(site.asked("/")) == 2


async def test_navigate_waits_for_scripts_that_fill_the_page(session: Session, site: Site) -> None:
    site.page("/data", '{"name": "Sencha"}', kind="application/json")
    url = site.page(
        "/",
        "<ul id=list></ul><script>fetch('/data').then(r => r.json())"
        ".then(d => { list.innerHTML = '<li>' + d.name + '</li>' })</script>",
    )
    outcome = await session.navigate(url)
    assert "Sencha" in outcome.changes.text
    assert outcome.pending == ()


async def test_a_page_that_never_finishes_loading_is_returned_and_marked_as_pending(
    session: Session, site: Site
) -> None:
    hold = threading.Event()
    site.page("/slow.png", "", kind="image/png", hold=hold)
    url = site.page("/", "<h1>Here</h1><img src=/slow.png>")
    outcome = await session.run(Navigate(url), timeout=2)
    hold.set()
    assert "Here" in outcome.changes.text
    assert outcome.pending


async def test_a_failed_navigation_has_its_own_error_code(session: Session, unused_port: int) -> None:
    with pytest.raises(RoveError) as caught:
        await session.navigate(f"http://127.0.0.1:{unused_port}/")
    assert caught.value.code == "navigation_failed"
    assert caught.value.retryable


async def test_an_error_that_a_click_leads_to_is_told(session: Session, site: Site) -> None:
    site.page("/gone", "<p>Nothing here</p>", status=404)
    await session.navigate(site.page("/", "<a href=/gone>Gone</a>"))
    outcome = await session.click('link "Gone"')
    assert [(event.kind, event.text) for event in outcome.events] == [
        ("http error", "The server answered with HTTP 404.")
    ]


async def test_navigate_answers_at_the_stage_that_is_asked_for(session: Session, site: Site) -> None:
    held, late = threading.Event(), threading.Event()
    site.page("/late.png", "", hold=held)
    site.page("/late.js", "", hold=late, kind="text/javascript")
    url = site.page("/", "<h1>Tea</h1><img src=/late.png><script>setTimeout(() => fetch('/data'), 50)</script>")
    slow = site.page("/slow", "<h1>Slow</h1><script src=/late.js></script><p>After</p>")
    site.page("/data", "", headers={"Cache-Control": "no-store"})
    await session.navigate(site.page("/first", "<p>First</p>"))  # a browser that starts takes its time
    outcome = await session.navigate(slow, "commit")  # the script that does not arrive keeps it from being parsed
    assert outcome.seconds < 5
    assert "After" not in outcome.changes.text
    late.set()
    outcome = await session.navigate(url, "domcontentloaded")
    assert "Tea" in outcome.changes.text
    assert outcome.pending == ("the page is still loading: it may be incomplete",)
    with pytest.raises(DeadlineExceeded, match="did not reach load"):
        await session.using(timeout=4).navigate(url, "load")
    held.set()
    assert "late.png" not in str((await session.navigate(url, "load")).pending)
    site.requests.clear()
    await session.navigate(url, "networkidle")
    assert site.asked("/data")
