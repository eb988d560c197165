"""Cookies over HTTP, by the rules of browsers."""

from __future__ import annotations

from typing import Any

import pytest

from rove.content.http.cookies import accepted_cookies, cookie_header, merged, not_overwriting, site_of

NOW = 1_800_000_000.0
HTTPS = "https://www.shop.example.co.uk/cart/view?x=1"


def accepted(header: str, url: str = HTTPS) -> dict[str, Any] | None:
    return next(iter(accepted_cookies([header], url, NOW)), None)


def sent(header: str, to: str, url: str = HTTPS, is_cross_site: bool = False) -> bool:
    return bool(cookie_header(accepted_cookies([header], url, NOW), to, is_cross_site, NOW))


def test_attributes_of_a_cookie_are_read() -> None:
    header = "id=a b; Domain=example.co.uk; Path=/cart; Secure; HttpOnly; SameSite=lax; Max-Age=60"
    assert accepted(header) == {
        "name": "id", "value": "a b", "domain": ".example.co.uk", "path": "/cart", "secure": True, "httpOnly": True,
        "sameSite": "Lax", "expires": NOW + 60,
    }  # fmt: skip
    plain = accepted("id=1")
    assert plain and (plain["domain"], plain["path"], plain["expires"]) == ("www.shop.example.co.uk", "/cart", -1)
    dated = accepted("id=1; Expires=Wed, 09-Jun-2027 10:18:14 GMT")
    assert dated and dated["expires"] == 1_812_536_294
    assert accepted("id=1; Max-Age=999999999999")["expires"] == NOW + 400 * 86400  # type: ignore[index]


@pytest.mark.parametrize(
    "header",
    [
        "id=1; Domain=co.uk",  # a suffix under which anyone registers
        "id=1; Domain=other.example",
        "id=1; Domain=w.shop.example.co.uk",
        "id=1; SameSite=None",  # needs Secure
        "id=1; Partitioned",
        "__Host-id=1; Secure; Path=/; Domain=example.co.uk",
        "__Secure-id=1",
        "=",
        "id=" + "x" * 5000,
        "id=\x01",
    ],
)
def test_a_cookie_that_browsers_refuse_is_refused(header: str) -> None:
    assert accepted(header) is None


def test_secure_cookies_need_a_safe_way() -> None:
    assert accepted("id=1; Secure", "http://shop.example/") is None
    assert accepted("id=1; Secure", "http://localhost:3000/") is not None
    assert sent("id=1; Secure; Path=/", "https://www.shop.example.co.uk/")
    assert not sent("id=1; Secure; Path=/", "http://www.shop.example.co.uk/")


def test_a_cookie_is_sent_to_its_own_host_and_path_alone() -> None:
    assert sent("id=1", "https://www.shop.example.co.uk/cart/pay")
    assert not sent("id=1", "https://www.shop.example.co.uk/cartoon")
    assert not sent("id=1; Path=/", "https://shop.example.co.uk/")
    assert not sent("id=1; Path=/", "https://evil.www.shop.example.co.uk/")
    assert sent("id=1; Path=/; Domain=example.co.uk", "https://other.example.co.uk/")
    assert not sent("id=1; Path=/; Domain=example.co.uk", "https://notexample.co.uk/")
    assert not sent("id=1; Path=/; Max-Age=0", HTTPS)


def test_strict_cookies_are_not_sent_where_another_site_redirects_to() -> None:
    assert sent("id=1; Path=/; SameSite=Strict", HTTPS)
    assert not sent("id=1; Path=/; SameSite=Strict", HTTPS, is_cross_site=True)
    assert sent("id=1; Path=/; SameSite=Lax", HTTPS, is_cross_site=True)


def test_partitioned_cookies_are_those_of_the_page_itself() -> None:
    (own,) = accepted_cookies(["id=1; Path=/; Secure; Partitioned"], HTTPS, NOW)
    assert own["partitionKey"] == {"topLevelSite": "https://example.co.uk", "hasCrossSiteAncestor": False}
    assert cookie_header([own], HTTPS, False, NOW) == "id=1"
    framed = {**own, "partitionKey": {"topLevelSite": "https://news.example", "hasCrossSiteAncestor": True}}
    assert cookie_header([framed], HTTPS, False, NOW) == ""


def test_newer_cookies_replace_older_ones_and_longer_paths_come_first() -> None:
    older = accepted_cookies(["a=1; Path=/", "b=1; Path=/cart"], HTTPS, NOW)
    newer = accepted_cookies(["a=2; Path=/"], HTTPS, NOW)
    assert cookie_header(merged(older, newer), HTTPS, False, NOW) == "b=1; a=2"


def test_sites() -> None:
    assert site_of(HTTPS) == "https://example.co.uk"
    assert site_of("http://127.0.0.1:80/") == "http://127.0.0.1"
    assert site_of("http://a.github.io/") == "http://a.github.io"
    assert site_of("http://localhost/") == "http://localhost"


def test_an_unencrypted_answer_leaves_secure_cookies_alone() -> None:
    secure = accepted_cookies(["sid=GOOD; Secure; HttpOnly; Path=/"], "https://a.shop.co.uk/", NOW)
    url = "http://a.shop.co.uk/over"
    for header in ("sid=EVIL; Path=/", "sid=EVIL; Path=/over", "sid=; Max-Age=0; Path=/", "sid=1; Domain=shop.co.uk"):
        newer = accepted_cookies([header], url, NOW)
        assert len(newer) == 1 and not_overwriting(newer, secure, url) == [], header
    other = accepted_cookies(["theme=dark"], url, NOW)
    assert not_overwriting(other, secure, url) == other
    encrypted = accepted_cookies(["sid=NEW; Path=/"], "https://a.shop.co.uk/", NOW)
    assert not_overwriting(encrypted, secure, "https://a.shop.co.uk/") == encrypted
    below = accepted_cookies(["sid=GOOD; Secure; Path=/in"], "https://a.shop.co.uk/in/", NOW)
    above = accepted_cookies(["sid=1; Path=/"], url, NOW)
    assert not_overwriting(above, below, url) == above, "it is sent to other paths"
