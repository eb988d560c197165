"""The pages, and what should read each: HTTP, the browser, or neither."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from tests.site import Site

from bench.fetching.bundles import PARAGRAPH, bundled, rendered
from rove.records import dataclass

Way = Literal["HTTP", "browser", "error"]
TEXT = f"<p>{PARAGRAPH}</p>"
STATISTICS = "<script>new Image().src = '/pixel?' + Date.now()</script>"
CHALLENGE = (
    "<title>Just a moment...</title>Enable JavaScript and cookies to continue<script>window._cf_chl_opt = {};"
    "document.cookie = 'cf_clearance=1'; setTimeout(() => location.reload(), 300)</script>"
)


@dataclass(frozen=True)
class TestPage:
    """A page: its kind, what it is, its path, and what should read it."""

    kind: str
    name: str
    path: str
    way: Way


def serve_pages(site: Site, folder: Path) -> list[TestPage]:
    """Serve every page; return them."""
    return [*_static(site), *_shells(site, folder), *_hydrated(site, folder), *_walls(site), *_errors(site)]


def _document(body: str, head: str = "") -> str:
    return f"<!doctype html><html><head><title>Green tea</title>{head}</head><body>{body}</body></html>"


def _static(site: Site) -> Iterator[TestPage]:
    menu = "<nav><a href='/'>Home</a> <a href='/shop'>Shop</a></nav>"
    bodies = {
        "article": f"{menu}<article><h1>Green tea</h1>{TEXT * 9}</article>",
        "article with statistics": f"{menu}<article><h1>Green tea</h1>{TEXT * 9}</article>{STATISTICS}",
        "short page": "<h1>Opening hours</h1><p>From nine to five.</p>",
        "short page with statistics": f"<h1>Opening hours</h1><p>From nine to five.</p>{STATISTICS}",
        "form": f"<h1>Log in</h1><form><input name=user><button>Go</button></form>{STATISTICS}",
        "table": f"<table>{'<tr><td>Sencha<td>9.50' * 20}</table>{STATISTICS}",
        "list of links": f"<ul>{'<li><a href=/tea>Tea of the day</a>' * 30}</ul>",
        "notice for browsers without scripts": f"{TEXT * 9}<noscript>Please enable JavaScript.</noscript>{STATISTICS}",
        "empty element for messages": f"<main>{TEXT * 9}</main><div id=app></div>{STATISTICS}",
        "picture with a caption": f"<img src=/map.png alt=''><p>Where we are.</p>{STATISTICS}",
    }
    for number, (name, body) in enumerate(bodies.items()):
        site.page(f"/static{number}", _document(body))
        yield TestPage("static", name, f"/static{number}", "HTTP")
    site.page("/data", '{"tea": ["sencha", "bancha"]}', kind="application/json")
    site.page("/text", "Tea\n" * 30, kind="text/plain")
    site.page(
        "/feed",
        "<rss version='2.0'><channel><title>T</title><item><title>A</title></item></channel></rss>",
        kind="text/xml",
    )
    site.page("/moved", "", status=301, headers={"Location": "/static0"})
    site.page("/refresh", _document("<p>Moved.", "<meta http-equiv=refresh content='0;url=/static0'>"))
    others = {"/data": "JSON", "/text": "text", "/feed": "feed", "/moved": "redirect", "/refresh": "meta refresh"}
    for path, name in others.items():
        yield TestPage("static", name, path, "HTTP")


def _shells(site: Site, folder: Path) -> Iterator[TestPage]:
    roots = {
        "react": "<div id=root></div>",
        "vue": "<div id=app></div>",
        "preact": "",
        "lit": "<tea-app></tea-app>",
        "jquery": "<header>Tea</header><div id=content></div>",
    }
    for name, root in roots.items():
        site.page(f"/{name}.js", bundled(name, folder), kind="text/javascript")
        notice = "<noscript>You need to enable JavaScript to run this app.</noscript>" if name == "react" else ""
        site.page(f"/{name}", _document(f"{notice}{root}<script src=/{name}.js></script>"))
        yield TestPage("drawn by scripts", name, f"/{name}", "browser")
    loading = "<div id=root><p>Loading…</p></div><script src=/react.js></script>"
    yield _page(site, "drawn by scripts", "react, with a word until then", "/loading", _document(loading), "browser")
    led = _document("<p>Please wait<script>location.replace('/static0')</script>")
    yield _page(site, "drawn by scripts", "redirect by a script", "/led", led, "browser")


def _hydrated(site: Site, folder: Path) -> Iterator[TestPage]:
    for name, root in (("react", "root"), ("vue", "app")):
        site.page(f"/{name}-hydrate.js", bundled(f"{name}-hydrate", folder), kind="text/javascript")
        body = f"<div id={root}>{rendered(name, folder)}</div><script src=/{name}-hydrate.js></script>"
        yield _page(
            site, "rendered on a server", f"{name}, taken over by scripts", f"/{name}-server", _document(body), "HTTP"
        )


def _walls(site: Site) -> Iterator[TestPage]:
    site.page("/wall", CHALLENGE, status=403, headers={"cf-mitigated": "challenge"})
    site.for_cookie("cf_clearance=1", "/wall", _document(f"<article>{TEXT * 9}</article>"))
    yield TestPage("check for robots", "lets the browser through", "/wall", "browser")
    for name, body, headers in (
        ("Cloudflare, stays", "<title>Just a moment...</title>Verify you are human", {"cf-mitigated": "challenge"}),
        ("DataDome, stays", "Please enable JS and disable any ad blocker", {"x-datadome": "protected"}),
    ):
        path = f"/{name.partition(',')[0].lower()}"
        site.page(path, body, status=403, headers=headers)
        yield TestPage("check for robots", name, path, "error")


def _errors(site: Site) -> Iterator[TestPage]:
    for status in (403, 500, 503):
        site.page(f"/error{status}", _document("<h1>Error</h1>"), status=status)
        site.for_header("Sec-Fetch-Mode", f"/error{status}", _document(f"<article>{TEXT * 9}</article>"))
        yield TestPage("error", f"{status} for programs alone", f"/error{status}", "browser")
    for status, headers in ((404, {}), (410, {}), (429, {"Retry-After": "60"}), (503, {"Retry-After": "60"})):
        path = f"/all{status}"
        site.page(path, _document("<h1>Error</h1>"), status=status, headers=headers)
        yield TestPage("error", f"{status}{' with Retry-After' if headers else ''}", path, "error")


def _page(site: Site, kind: str, name: str, path: str, body: str, way: Way) -> TestPage:
    site.page(path, body)
    return TestPage(kind, name, path, way)
