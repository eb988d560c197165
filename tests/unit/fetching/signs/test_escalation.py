"""Which answers are read with the browser, and why. Each sign of a check for robots has a page here."""

from __future__ import annotations

import pytest

from rove.content.http.answer import Headers, HttpAnswer
from rove.content.http.browser_needed import SIGNS, UNNAMED, find_escalation

ARTICLE = "<p>Green tea is made of leaves that were heated soon after picking, so that they stay green.</p>" * 20

SHORT = "<p>Green tea is made of leaves that were heated soon after picking. It keeps well in a tin.</p>"
TURNSTILE = "<script src='https://challenges.cloudflare.com/turnstile/v0/api.js'></script>"


def answer(body: str, status: int = 200, kind: str = "text/html", **headers: str) -> HttpAnswer:
    fields = (("content-type", kind), *((name.replace("_", "-"), value) for name, value in headers.items()))
    return HttpAnswer("https://example.com/", status, Headers(fields), body.encode())


WALLS = {
    "Cloudflare": [
        answer("<title>Just a moment...</title>", 403, cf_mitigated="challenge"),
        answer("<title>Just a moment...</title><script>window._cf_chl_opt={cvId:'3'}</script>", 503),
        answer(
            "<title>Attention Required! | Cloudflare</title><div id=cf-error-details>Sorry, you have been blocked", 403
        ),
        answer("<script src='https://challenges.cloudflare.com/turnstile/v0/api.js'></script>Verifying"),
    ],
    "Akamai": [
        answer("<h1>Access Denied</h1> You don't have permission. Reference #18.2d", 403, server="AkamaiGHost"),
        answer("<title>Access Denied</title>Access Denied to this server.<p>Reference&#32;&#35;18.7d", 403),
        answer("<div id='sec-if-cpt-container'></div><script src=/x.js></script>", 428),
    ],
    "DataDome": [
        answer("<p>Please enable JS and disable any ad blocker", 403, x_datadome="protected"),
        answer("<p>Wait", 401, x_dd_b="1"),
        answer("<script src='https://ct.captcha-delivery.com/c.js'></script><p>Please enable JS", 403),
    ],
    "HUMAN (PerimeterX)": [
        answer("<title>Access to this page has been denied</title><script>window._pxAppId='PX1'</script>", 403),
        answer("<div id='px-captcha'></div>Press & Hold to confirm you are a human"),
    ],
    "Imperva": [
        answer("<iframe src='/_Incapsula_Resource?SWUDNSAI=31'>Request unsuccessful. Incapsula incident ID: 1"),
        answer("<p>Denied", 403, x_iinfo="1-2-3"),
    ],
    "AWS WAF": [
        answer("", 202, x_amzn_waf_action="challenge"),
        answer(
            "<script>window.gokuProps={};</script><script src='https://x.token.awswaf.com/challenge.js'></script>", 405
        ),
    ],
    "Kasada": [
        answer("", 429, x_kpsdk_ct="1"),
        answer("<script src='/149e9513-01fa-4fb0-aad4-566afd725d1b/2d206a39/ips.js?KP_UID=1'></script>", 429),
    ],
    "Vercel": [answer("<title>Vercel Security Checkpoint</title>", 429, x_vercel_mitigated="challenge")],
    "Sucuri": [answer("<title>Sucuri Website Firewall - Access Denied</title>", 403)],
    "DDoS-Guard": [answer("<title>DDoS-Guard</title>", 403, server="ddos-guard")],
    "F5": [
        answer("The requested URL was rejected. Please consult with your administrator. Your support ID is: 1"),
        answer("<script src='/TSPD/08?type=12'></script><noscript>Please enable JavaScript</noscript>"),
    ],
    "Anubis": [
        answer('<script id="anubis_challenge" type="application/json">{}</script>Making sure you\'re not a bot!')
    ],
    "go-away": [answer("<title>Checking</title>", 418, x_away_id="1")],
    "hCaptcha": [answer("<script src='https://js.hcaptcha.com/1/api.js'></script>Verify that you are human")],
    "reCAPTCHA": [
        answer("<script src='https://www.google.com/recaptcha/api.js'></script>Sorry", 429),
        answer("<div class='g-recaptcha'></div>Our systems have detected unusual traffic from your network"),
    ],
    UNNAMED: [
        answer("<p>Please enable JavaScript and cookies to continue<script src=x.js></script>"),
        answer("<p>Checking your browser before accessing example.com<script src=x.js></script>"),
    ],
}


@pytest.mark.parametrize(
    ("vendor", "wall"),
    [(vendor, wall) for vendor, walls in WALLS.items() for wall in walls],
    ids=lambda each: str(each)[:20],
)
def test_e4_checks_for_robots_are_known(vendor: str, wall: HttpAnswer) -> None:
    found = find_escalation(wall)
    assert found is not None and found.wall == vendor


def test_every_sign_has_a_page() -> None:
    assert {sign.vendor for sign in SIGNS} == {*WALLS}


@pytest.mark.parametrize(
    "page",
    [
        # What sites with such a product serve on every page, and articles about them.
        answer(
            f"{ARTICLE}<script src='/cdn-cgi/challenge-platform/scripts/jsd/main.js'></script>", server="cloudflare"
        ),
        answer(f"<script>window._pxAppId='PX1'</script>{ARTICLE}", x_datadome="protected", x_iinfo="1"),
        answer(f"{ARTICLE}<h1>Just a moment...</h1>Checking your browser. Verify you are human. _cf_chl_opt"),
        answer(f"{ARTICLE}<form><div class='g-recaptcha'></div>Comment: are you human?</form>"),
        answer("<h1>Log in</h1><form><input name=user><div class='h-captcha'></div></form>"),
        # Short pages with what products put into every page, and with widgets in forms.
        *(
            answer(f"<h1>Tea</h1>{SHORT * count}{extra}", x_cdn="Imperva")
            for count in (1, 3, 12)
            for extra in (
                "<script src='/_Incapsula_Resource?SWJIYLWA=719d34d31c8e3a6e6fffd425f7e032f3'></script>",
                "<form>Newsletter: <input type=email><div class=cf-turnstile></div></form>" + TURNSTILE,
                "<form>Verify that you are human<input type=email><div class='h-captcha'></div></form>",
                "<p>Checking your browser before accessing</p>",
                "<p>Checking your browser before accessing</p><script src=stats.js></script>",
                "<script src='https://x.token.awswaf.com/x/challenge.js'></script>",
                "<script src='/TSPD/08?type=12'></script>",
            )
        ),
        answer(f"<p>What human tea drinkers say</p>{SHORT}{TURNSTILE}"),
    ],
)
def test_ordinary_pages_are_none(page: HttpAnswer) -> None:
    assert find_escalation(page) is None


def shell(body: str, head: str = "") -> HttpAnswer:
    return answer(f"<!doctype html><html><head><title>App</title>{head}</head><body>{body}</body></html>")


MODULE = "<script type=module src=/assets/index.js></script>"


@pytest.mark.parametrize(
    "page",
    [
        shell("<div id=root></div>", MODULE),
        shell("<div id=app></div>", MODULE),
        shell("<app-root></app-root><script src=main.js></script>"),
        shell("<div id=__next></div><script src=/_next/x.js></script>"),
        shell('<div id="__nuxt"></div><script>window.__NUXT__={}</script>'),
        shell("<my-app></my-app>", MODULE),
        shell('<div style="display: contents"></div><script>import("/_app/start.js")</script>'),
        shell("<div id=root><div class=spinner>Loading…</div></div>", MODULE),
        shell(
            "<header>My shop</header><div id=root></div><footer>© 2026 My shop, all rights reserved</footer>", MODULE
        ),
        shell("<noscript>You need to enable JavaScript to run this app.</noscript><div id=x></div>", MODULE),
        shell("<h1>Please wait</h1><script>location.href = '/real'</script>"),
        shell("<p>This page requires JavaScript. Please turn it on.</p>", MODULE),
        shell("<script>document.write(text())</script>"),
        shell("<div id=app><img src=spinner.gif alt=''></div>", MODULE),
        shell("<p>Loading…</p><script src=x.js></script>"),
    ],
)
def test_e4_pages_that_are_empty_until_their_scripts_run(page: HttpAnswer) -> None:
    assert find_escalation(page) is not None


@pytest.mark.parametrize(
    "page",
    [
        shell("<h1>Hello</h1><p>A short page.</p>"),
        shell("<h1>Hello</h1><p>A short page.</p><script src=https://stats.example/x.js></script>"),
        shell(f"<div id=root>{ARTICLE}</div><noscript>You need to enable JavaScript to run it.</noscript>", MODULE),
        shell(f"<main>{ARTICLE}</main><div id=app></div>", MODULE),
        shell("<div id=root></div>"),  # nothing would fill it
        answer(f"<!doctype html><title>Tea</title><script src=x.js></script><article>{ARTICLE}"),  # no tag of a body
        shell(""),
        shell("<p>Thanks!</p><div id=toast></div><script>track('/thanks')</script><p>We have received your order and "
              "will write to you soon.</p>"),
        shell("<img src=map.png><script src=stats.js></script>"),
        shell("<img src=map.png><script src=stats.js></script><p>Where we are: 12 High Street, open from nine.</p>"),
    ],
)  # fmt: skip
def test_pages_that_can_be_read_as_they_are(page: HttpAnswer) -> None:
    assert find_escalation(page) is None


def test_statuses() -> None:
    for status in (401, 403, 406, 429, 500, 503, 521, 999):
        found = find_escalation(answer("<h1>No</h1>", status))
        assert found and f"HTTP {status}" in found.reason and not found.wall
    for status in (400, 402, 404, 410, 414, 422, 451):
        assert find_escalation(answer("<h1>No</h1>", status)) is None
    assert find_escalation(answer("<h1>No</h1>", 429, retry_after="30")) is None
    assert find_escalation(answer("<h1>No</h1>", 503, retry_after="Fri, 01 Jan 2100 00:00:00 GMT")) is None
    assert find_escalation(answer("<h1>No</h1>", 401, www_authenticate="Basic")) is None
    assert find_escalation(answer('{"error": 1}', 403, "application/json")) is not None
    assert find_escalation(answer("<div id=root></div><script src=x.js></script>", 404)) is not None
