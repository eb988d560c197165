"""The cache (RFC 9111): fresh as long as the server says, and no longer."""

from __future__ import annotations

import time
from email.utils import formatdate

import pytest

from rove.content.http.answer import Headers, HttpAnswer
from rove.content.http.client import HttpCache, lifetime

URL = "https://example.com/"


def answer(body: bytes = b"tea", status: int = 200, **headers: str) -> HttpAnswer:
    fields = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return HttpAnswer(URL, status, Headers(fields), body)


def kept(made: HttpAnswer, request: dict[str, str] | None = None) -> HttpCache:
    cache = HttpCache(10_000)
    cache.keep(made, request or {}, time.time())
    return cache


def test_how_long_an_answer_is_fresh() -> None:
    now = formatdate(time.time(), usegmt=True)
    later = formatdate(time.time() + 100, usegmt=True)
    assert lifetime(answer(cache_control='public, max-age="60"').headers) == 60
    assert lifetime(answer(cache_control="max-age=5", expires=later).headers) == 5, "max-age wins"
    assert lifetime(answer(date=now, expires=later).headers) == pytest.approx(100, abs=1)
    assert lifetime(answer(expires="0").headers) == 0
    assert lifetime(answer(last_modified="Mon, 01 Jan 2024 00:00:00 GMT").headers) == 0, "nothing is guessed"


def test_age_counts_the_time_in_other_caches() -> None:
    stored = kept(answer(cache_control="max-age=60", age="50")).find(URL, {})
    assert stored and stored.is_fresh(time.time()) and not stored.is_fresh(time.time() + 15)
    assert stored.age(time.time() + 15) == pytest.approx(65, abs=1)


@pytest.mark.parametrize(
    "made",
    [
        answer(cache_control="no-store, max-age=60"),
        answer(cache_control="max-age=60", vary="*"),
        answer(status=500, cache_control="max-age=60"),
        answer(status=206, cache_control="max-age=60"),
        answer(),
        HttpAnswer(URL, 200, Headers((("cache-control", "max-age=60"),)), b"t", is_cut=True),
    ],
)
def test_what_is_not_stored(made: HttpAnswer) -> None:
    assert kept(made).find(URL, {}) is None


def test_no_cache_and_answers_without_a_lifetime_are_asked_about_again() -> None:
    for made in (answer(cache_control="no-cache, max-age=60", etag='"1"'), answer(etag='"1"')):
        cache = kept(made)
        stored = cache.find(URL, {})
        assert stored and not stored.is_fresh(time.time()) and stored.validators == {"If-None-Match": '"1"'}
        renewed = cache.renew(stored, answer(b"", 304, cache_control="max-age=9", etag='"1"'), {}, time.time())
        assert renewed.body == b"tea" and lifetime(renewed.headers) == 9


def test_answers_that_vary_are_kept_apart() -> None:
    cache = kept(answer(b"de", cache_control="max-age=60", vary="Accept-Language, Cookie"), {"Accept-Language": "de"})
    cache.keep(answer(b"en", cache_control="max-age=60", vary="Accept-Language, Cookie"), {"Accept-Language": "en"}, 0)
    assert [cache.find(URL, {"accept-language": each}).answer.body for each in ("de", "en")] == [b"de", b"en"]  # type: ignore[union-attr]
    assert cache.find(URL, {"Accept-Language": "de", "Cookie": "a=1"}) is None


def test_it_is_bounded_and_the_oldest_leave_first() -> None:
    cache = HttpCache(3000)
    for number in range(9):
        made = HttpAnswer(f"{URL}{number}", 200, Headers((("cache-control", "max-age=60"),)), b"x" * 400)
        cache.keep(made, {}, time.time())
    found = [number for number in range(9) if cache.find(f"{URL}{number}", {})]
    assert found == [6, 7, 8] and cache.size <= 3000


def test_of_two_lifetimes_the_first_counts() -> None:
    fields = (("cache-control", "max-age=0"), ("cache-control", "max-age=60"))
    assert lifetime(Headers(fields)) == 0 and lifetime(Headers(fields[::-1])) == 60
