"""Playwright's `storage_state`: the JSON form in which states are imported and exported."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, NoReturn, cast

from rove.errors import InvalidArguments
from rove.storage.cookie_rules import cookie_complaint, is_web_origin
from rove.storage.state import BrowserState, OriginState

Read = Callable[[Any, str], Any]
SAME_SITE = ("Strict", "Lax", "None")
# Playwright writes a cookie without the attribute as Lax, which is how Chromium treats it.
DEFAULT_SAME_SITE = "Lax"
# Most characters of the names and values that Chromium keeps in the local storage of one origin.
LARGEST_LOCAL_STORAGE = 5 * 1024 * 1024


def read_storage_state(text: str | bytes, where: str) -> BrowserState:
    """Return the state in a storage state of Playwright. Raises InvalidArguments for anything else."""
    try:
        cookies_and_origins = _state(json.loads(text), "")
    except (ValueError, RecursionError) as error:
        why = error if isinstance(error, _NotValid) else "it is not JSON"
        raise InvalidArguments(
            f"{where} is not a storage state: {why}.", hint="Name a file that Playwright's storage_state() has written."
        ) from error
    origins = {origin.pop("origin"): _origin_state(origin) for origin in cookies_and_origins["origins"]}
    return BrowserState([_to_cdp(cookie) for cookie in cookies_and_origins["cookies"]], origins)


def write_storage_state(state: BrowserState) -> str:
    """Return a state as Playwright reads it, which has no place for session storage."""
    origins = [
        {"origin": origin, "localStorage": stored.local, "indexedDB": stored.databases}
        for origin, stored in state.origins.items()
        if stored.local or stored.databases
    ]
    return json.dumps({"cookies": [_from_cdp(each) for each in state.cookies], "origins": origins}, ensure_ascii=False)


def _origin_state(origin: Mapping[str, Any]) -> OriginState:
    return OriginState(local=origin.get("localStorage", []), databases=origin.get("indexedDB", []))


def _to_cdp(cookie: dict[str, Any]) -> dict[str, Any]:
    site, is_embedded = cookie.pop("partitionKey", None), cookie.pop("_crHasCrossSiteAncestor", True)
    partition = {"partitionKey": {"topLevelSite": site, "hasCrossSiteAncestor": is_embedded}} if site else {}
    return {"path": "/", "expires": -1, **cookie, **partition}


def _from_cdp(cookie: Mapping[str, Any]) -> dict[str, Any]:
    copied = {key: cookie[key] for key in ("name", "value", "domain", "path", "expires", "httpOnly", "secure")}
    partition = cookie.get("partitionKey")
    partitioned = (
        {"partitionKey": partition["topLevelSite"], "_crHasCrossSiteAncestor": partition["hasCrossSiteAncestor"]}
        if partition
        else {}
    )
    return {**copied, "sameSite": cookie.get("sameSite", DEFAULT_SAME_SITE), **partitioned}


# Reading what another program has written: each part is checked, and keys that are not known are left out.


class _NotValid(ValueError):
    """A part of the JSON is not as it must be."""


def _refuse(where: str, why: str) -> NoReturn:
    raise _NotValid(f"`{where}` {why}")


def _kind(kind: type | tuple[type, ...], name: str) -> Read:
    def read(value: Any, where: str) -> Any:
        return value if isinstance(value, kind) and (kind is bool or not isinstance(value, bool)) else _refuse(
            where, f"must be {name}"
        )  # fmt: skip

    return read


def _one_of(*words: str) -> Read:
    return lambda value, where: value if value in words else _refuse(where, f"must be one of {', '.join(words)}")


def _list_of(part: Read) -> Read:
    def read(value: Any, where: str) -> list[Any]:
        items: list[Any] = value if isinstance(value, list) else _refuse(where, "must be a list")
        return [part(item, f"{where}[{index}]") for index, item in enumerate(items)]

    return read


def _table(required: Mapping[str, Read], optional: Mapping[str, Read]) -> Read:
    """Return what reads an object. A key of `required` must be there; null counts as not there."""

    def read(value: Any, where: str) -> dict[str, Any]:
        given = cast("dict[str, Any]", value) if isinstance(value, dict) else _refuse(where, "must be an object")
        prefix = f"{where}." if where else ""
        for key in required:
            if given.get(key) is None:
                _refuse(prefix + key, "is missing")
        known = {**required, **optional}
        return {key: known[key](each, prefix + key) for key, each in given.items() if key in known and each is not None}

    return read


def _origin(value: Any, where: str) -> str:
    text: str = _TEXT(value, where)
    return text if is_web_origin(text) else _refuse(where, "must be an origin such as https://example.com")


def _cookie(value: Any, where: str) -> dict[str, Any]:
    """Read a cookie that a browser will accept: one that it refuses makes the whole state unusable."""
    cookie: dict[str, Any] = _COOKIE(value, where)
    complaint = cookie_complaint(cookie)
    return cookie if complaint is None else _refuse(f"{where}.{complaint[0]}", complaint[1])


def _items(value: Any, where: str) -> list[dict[str, str]]:
    """Read local storage that fits into a browser."""
    items: list[dict[str, str]] = _list_of(_ITEM)(value, where)
    size = sum(len(item["name"]) + len(item["value"]) for item in items)
    return (
        items if size <= LARGEST_LOCAL_STORAGE else _refuse(where, f"has more than {LARGEST_LOCAL_STORAGE} characters")
    )


def _version(value: Any, where: str) -> int:
    version: int = _WHOLE(value, where)
    return version if 1 <= version < 2**53 else _refuse(where, "must be a whole number from 1")


def _record(value: Any, where: str) -> dict[str, Any]:
    """Read a record of an object store, whose key and value may be anything, also null."""
    given = cast("dict[str, Any]", value) if isinstance(value, dict) else _refuse(where, "must be an object")
    return {key: given[key] for key in ("key", "keyEncoded", "value", "valueEncoded") if key in given}


_TEXT = _kind(str, "a string")
_NUMBER = _kind((int, float), "a number")
_WHOLE = _kind(int, "a whole number")
_FLAG = _kind(bool, "true or false")
_KEY_PATH = {"keyPath": _TEXT, "keyPathArray": _list_of(_TEXT)}
_COOKIE = _table(
    {"name": _TEXT, "value": _TEXT, "domain": _TEXT},
    {
        "path": _TEXT, "expires": _NUMBER, "httpOnly": _FLAG, "secure": _FLAG, "sameSite": _one_of(*SAME_SITE),
        "partitionKey": _TEXT, "_crHasCrossSiteAncestor": _FLAG,
    },
)  # fmt: skip
_INDEX = _table({"name": _TEXT}, {**_KEY_PATH, "multiEntry": _FLAG, "unique": _FLAG})
_STORE = _table(
    {"name": _TEXT, "records": _list_of(_record), "indexes": _list_of(_INDEX), "autoIncrement": _FLAG}, _KEY_PATH
)
_DATABASE = _table({"name": _TEXT, "version": _version, "stores": _list_of(_STORE)}, {})
_ITEM = _table({"name": _TEXT, "value": _TEXT}, {})
_ORIGIN = _table({"origin": _origin}, {"localStorage": _items, "indexedDB": _list_of(_DATABASE)})
_state = _table({"cookies": _list_of(_cookie), "origins": _list_of(_ORIGIN)}, {})
