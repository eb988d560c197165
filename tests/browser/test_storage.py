"""Storage: cookies, web storage, IndexedDB and Cache Storage, read and changed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.site import Site

from rove import Allow, Ask, Deny, Place, Session
from rove.action import parse
from rove.errors import Denied, InvalidArguments
from rove.guard.policy_rules import RulePolicy
from rove.toolsets.outcome_text import as_text

MAKE_DATABASE = """new Promise((resolve) => {
  const opening = indexedDB.open('shop', 3);
  opening.onupgradeneeded = () => {
    const teas = opening.result.createObjectStore('teas', {keyPath: 'id'});
    teas.put({id: 1, name: 'Sencha', picked: new Date(0), leaves: new Uint8Array(3)});
    teas.put({id: 2, name: 'Assam', tags: new Set(['black'])});
    opening.result.createObjectStore('notes').put('drink it', 'todo');
  };
  opening.onsuccess = () => { KEEP; resolve(true) };
})"""


async def value(session: Session, expression: str) -> Any:
    return (await session.evaluate(expression)).result.value


async def stored(session: Session, area: str, **arguments: Any) -> dict[str, Any]:
    result = (await session.storage(area, **arguments)).result  # type: ignore[arg-type]
    return {entry.key: entry.value for entry in result.entries}


async def test_items_of_web_storage_are_listed_read_set_and_deleted(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<p>Page</p>"))
    for area in ("local", "session"):
        await session.evaluate(f"{area}Storage.setItem('cup', 'full')")
        await session.storage(area, "set", key="pot", value="empty")
        assert await value(session, f"{area}Storage.pot") == "empty"
        assert await stored(session, area) == {"cup": "full", "pot": "empty"}
        assert await stored(session, area, operation="get", key="cup") == {"cup": "full"}
        await session.storage(area, "delete", key="cup")
        assert await value(session, f"Object.keys({area}Storage)") == ["pot"]
        cleared = (await session.storage(area, "clear")).result
        assert str(cleared) == "Nothing is stored there."
        assert await value(session, f"{area}Storage.length") == 0
        with pytest.raises(InvalidArguments) as caught:
            await session.storage(area, "get", key="cup")
        assert caught.value.message == "There is no item 'cup'."


async def test_a_list_says_how_many_more_there_are_and_is_wrapped(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<script>for (let i = 0; i < 5; i++) localStorage['k' + i] = i</script>"))
    outcome = await session.storage(limit=2)
    assert outcome.result.total == 5
    assert as_text(outcome).endswith("3 more.")
    assert f"{site.url('')}>\nk" in as_text(outcome)


async def test_a_long_value_is_saved_in_the_workspace(session: Session, site: Site, home: Path) -> None:
    await session.navigate(site.page("/", "<script>localStorage.long = 'x'.repeat(5000)</script>"))
    outcome = await session.storage("local", "get", key="long")
    path = Path(outcome.result.path)
    assert path.parent == home / "workspace" / "output"
    assert json.loads(path.read_text()) == {"long": "x" * 5000}
    assert f"cat {path}" in as_text(outcome)


async def test_databases_are_listed_with_their_stores_and_records(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<p>Page</p>"))
    await session.evaluate(MAKE_DATABASE.replace("KEEP", "opening.result.close()"))
    assert await stored(session, "indexeddb") == {"shop": {"version": 3, "stores": {"notes": 1, "teas": 2}}}
    assert await stored(session, "indexeddb", database="shop", store="teas") == {
        "1": {"id": 1, "name": "Sencha", "picked": "1970-01-01T00:00:00.000Z", "leaves": "(binary, 3 bytes)"},
        "2": {"id": 2, "name": "Assam", "tags": ["black"]},
    }
    read = await stored(session, "indexeddb", operation="get", database="shop", store="teas", key="2")
    assert read["2"]["name"] == "Assam"


async def test_records_are_set_and_deleted_while_the_page_has_the_database_open(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<p>Page</p>"))
    await session.evaluate(MAKE_DATABASE.replace("KEEP", "globalThis.open = opening.result"))
    place = {"database": "shop", "store": "teas"}
    await session.storage("indexeddb", "set", value='{"id": 3, "name": "Oolong"}', **place)  # type: ignore[arg-type]
    await session.storage("indexeddb", "delete", key="1", **place)  # type: ignore[arg-type]
    assert [*await stored(session, "indexeddb", **place)] == ["2", "3"]
    await session.storage("indexeddb", "set", database="shop", store="notes", key="todo", value="wash up")
    assert await stored(session, "indexeddb", database="shop", store="notes") == {'"todo"': "wash up"}
    await session.storage("indexeddb", "clear")
    assert await stored(session, "indexeddb") == {"shop": {"version": 3, "stores": {"notes": 0, "teas": 0}}}
    with pytest.raises(InvalidArguments) as caught:
        await session.storage("indexeddb", "delete", database="shop")
    assert "it is deleted when the page is left" in caught.value.message


async def test_a_database_that_does_not_exist_is_not_made(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<p>Page</p>"))
    with pytest.raises(InvalidArguments) as caught:
        await session.storage("indexeddb", database="missing", store="x")
    assert caught.value.message == "There is no database 'missing'."
    assert await stored(session, "indexeddb") == {}


async def test_caches_are_listed_read_set_and_cleared(session: Session, site: Site) -> None:
    site.page("/data", '{"tea": 1}', kind="application/json")
    await session.navigate(site.page("/", "<p>Page</p>"))
    await session.evaluate("caches.open('v1').then(cache => cache.add('/data'))")
    assert await stored(session, "cache") == {"v1": {"responses": 1}}
    url = site.url("/data")
    assert await stored(session, "cache", database="v1") == {url: {"status": 200, "type": "application/json"}}
    read = await stored(session, "cache", operation="get", database="v1", key=url)
    assert read[url]["body"] == '{"tea": 1}'
    await session.storage("cache", "set", database="v1", key="/more", value="leaves")
    assert await value(session, "caches.match('/more').then(r => r.text())") == "leaves"
    await session.storage("cache", "delete", database="v1", key="/data")
    assert [*await stored(session, "cache", database="v1")] == [site.url("/more")]
    await session.storage("cache", "clear")
    assert await stored(session, "cache") == {}


async def test_a_page_that_redefines_its_builtins_does_not_change_what_is_read(session: Session, site: Site) -> None:
    forged = "Storage.prototype.getItem = () => 'forged'; indexedDB.databases = async () => [{name: 'forged'}]"
    await session.navigate(site.page("/", f"<script>localStorage.a = 'true one'; {forged}</script>"))
    assert await stored(session, "local") == {"a": "true one"}
    assert await stored(session, "indexeddb") == {}


async def test_a_page_without_an_origin_has_no_storage(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<p>Page</p>", headers={"Content-Security-Policy": "sandbox allow-scripts"}))
    for area in ("local", "session", "indexeddb", "cache"):
        with pytest.raises(InvalidArguments) as caught:
            await session.storage(area)
        assert caught.value.message == "This page has no storage of its own."


async def test_cookies_are_listed_without_the_values_that_scripts_cannot_read(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<p>Page</p>", headers={"Set-Cookie": "login=s3cret; HttpOnly; Path=/"}))
    await session.evaluate("document.cookie = 'cup=full; max-age=600'")
    found = {str(cookie.name): cookie for cookie in (await session.cookies()).result.cookies}
    assert (found["login"].value, found["login"].http_only) == ("***", True)
    assert found["cup"].value == "full" and found["cup"].expires is not None
    got = await session.cookies("get", name="login")
    assert "s3cret" not in str(got) and "a person is asked" in as_text(got)
    assert (await session.cookies("get", name="cup")).result.cookies[0].value == "full"
    with pytest.raises(Denied):  # no person can be asked
        await session.cookies("get", name="login", http_only=True)


@pytest.mark.parametrize(
    ("field", "text"), [("value", "b; Domain=evil.com"), ("name", "a=b"), ("path", "x"), ("value", "a\r\nb")]
)
async def test_what_the_browser_refuses_in_a_cookie_is_named(session: Session, field: str, text: str) -> None:
    with pytest.raises(InvalidArguments, match=f"`{field}`"):
        await session.cookies("set", **{"name": "a", "value": "b", field: text})  # type: ignore[arg-type]


async def test_cookies_are_set_and_deleted(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<p>Page</p>"))
    await session.cookies("set", name="pot", value="empty", seconds=60, same_site="lax")
    await session.cookies("set", name="login", value="me", http_only=True)
    assert await value(session, "document.cookie") == "pot=empty"
    for name, text in (("__Host-a", "b"), ("a" * 100, "b" * 4096)):
        with pytest.raises(InvalidArguments, match="does not accept"):
            await session.cookies("set", name=name, value=text)
    await session.navigate(site.url("/"))
    assert "login=me" in site.requests[-1].headers["Cookie"]
    assert (await session.cookies("delete", name="pot")).result.deleted == 1
    assert (await session.cookies("clear")).result.deleted == 1
    assert str((await session.cookies()).result) == "The page has no cookies."


async def test_a_cookie_is_for_the_host_of_the_page_and_its_subdomains_if_asked(session: Session, site: Site) -> None:
    site.page("/", "<p>Page</p>")
    await session.navigate(site.url("/", "shop.localhost"))
    await session.cookies("set", name="own", value="1")
    await session.cookies("set", name="wide", value="1", subdomains=True)
    domains = {cookie.name: cookie.domain for cookie in (await session.cookies()).result.cookies}
    assert domains == {"own": "shop.localhost", "wide": ".shop.localhost"}
    await session.navigate(site.url("/", "localhost"))
    assert (await session.cookies()).result.cookies == ()
    with pytest.raises(InvalidArguments):
        await session.cookies("get", name="own")


async def test_a_page_that_is_not_of_the_web_has_no_cookies(session: Session) -> None:
    with pytest.raises(InvalidArguments) as caught:
        await session.cookies()
    assert caught.value.message == "about:blank has no cookies."


def test_reading_the_value_of_a_cookie_is_the_use_of_a_secret() -> None:
    policy, place = RulePolicy(defaults={"secret": "ask"}), Place("s", "t1", "https://example.com/")
    get = {"operation": "get", "name": "login"}
    hidden = parse("cookies", {**get, "http_only": True})
    assert isinstance(policy.decide(hidden, place), Ask)
    asked = RulePolicy().decide(hidden, place)  # by default too
    assert isinstance(asked, Ask) and "hidden from scripts" in asked.question
    assert RulePolicy(defaults={"secret": "allow"}).decide(hidden, place) == Allow()
    for arguments in ({}, get):
        assert policy.decide(parse("cookies", arguments), place) == Allow()
    for verb in ("cookies", "storage"):
        assert isinstance(RulePolicy(defaults={"script": "deny"}).decide(parse(verb, {}), place), Deny)
