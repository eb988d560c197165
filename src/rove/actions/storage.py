"""What a page stores: cookies, local and session storage, IndexedDB, Cache Storage."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from rove.action import Effect, TabAction, action, arg
from rove.browser.network import MASK
from rove.browser.storage import Cookie
from rove.errors import InvalidArguments
from rove.fields import InvalidFields
from rove.outcome import Passage, Result, moment
from rove.page_text import Own, PageText
from rove.records import dataclass
from rove.storage.cookie_rules import name_complaint, path_complaint, value_complaint
from rove.workspace import Workspace, reading_command

if TYPE_CHECKING:
    from rove.browser.shared.tab import Tab

LONGEST_VALUE = 4096
FOLDER = "output"
LONGEST_LINE = 400


@dataclass(frozen=True)
class CookieList(Result):
    cookies: tuple[Cookie, ...]
    deleted: int = 0
    # Whether a value is left out that the caller has asked for.
    is_hidden: bool = False

    def passages(self, origin: str) -> Iterator[Passage]:
        """Tell the cookies, and how to get a value that was left out."""
        yield from super().passages(origin)
        if self.is_hidden:
            yield Passage(
                "The value is hidden from scripts. To read it, use `get` with `http_only`: a person is asked."
            )

    def __str__(self) -> str:
        lines = [f"Deleted {self.deleted}."] if self.deleted else []
        return "\n".join([*lines, *map(_line, self.cookies)]) or "The page has no cookies."


@action(Effect.SCRIPT, observes=False, group="storage")
class Cookies(TabAction[CookieList]):
    """List, read, set or delete the cookies of the page. Values that scripts cannot read are left out."""

    operation: Literal["list", "get", "set", "delete", "clear"] = arg(
        "`get` shows one with its value; `clear` deletes all.", default="list"
    )
    name: str | None = arg("Which cookie.", default=None, min_length=1)
    value: str | None = arg("Value to set.", default=None, max_length=LONGEST_VALUE)
    subdomains: bool = arg("Set it for the subdomains of the page's host too.", default=False)
    path: str | None = arg("Path to set it for.", default=None)
    seconds: float | None = arg("How long it lasts; until the session ends if not given.", default=None, gt=0)
    http_only: bool = arg(
        "For `set`: hide it from scripts. For `get`: read a value that is hidden from them, if a person allows it.",
        default=False,
    )
    secure: bool = arg("Send it over https only.", default=False)
    same_site: Literal["strict", "lax", "none"] | None = arg("When other sites' pages send it.", default=None)

    @property
    def effects(self) -> tuple[Effect, ...]:
        """Reading a value that is hidden from scripts, mostly a login, is also the use of a secret."""
        return (Effect.SCRIPT, Effect.SECRET) if self._reads_hidden else (Effect.SCRIPT,)

    @property
    def _reads_hidden(self) -> bool:
        return self.operation == "get" and self.http_only

    def complete(self) -> None:
        if self.operation != "set":
            return
        complaints = {
            "name": name_complaint(self.name or ""),
            "value": value_complaint(self.value or ""),
            "path": path_complaint(self.path) if self.path else None,
        }
        if found := [(field, why) for field, why in complaints.items() if why]:
            raise InvalidFields(found)

    @property
    def concealed(self) -> tuple[str, ...]:
        return ("value",) if self.value is not None else ()

    async def perform(self, tab: Tab) -> CookieList:
        if self.operation in ("get", "set", "delete") and self.name is None:
            raise InvalidArguments(f"`name` is missing: {self.operation} needs it.")
        if self.operation == "set":
            await tab.cookies.set(self._wanted(urlsplit(tab.url).hostname or ""))
        found = await tab.cookies.list()
        named = [cookie for cookie in found if self.name is None or cookie.name == self.name]
        if not named and self.operation in ("get", "delete"):
            raise InvalidArguments(f"The page has no cookie {self.name!r}.", hint="List them first.")
        if self.operation in ("delete", "clear"):
            for cookie in named:
                await tab.cookies.delete(cookie)
            return CookieList((), len(named))
        shown = named if self._reads_hidden else _masked(named)
        return CookieList(tuple(shown), is_hidden=self.operation == "get" and shown != named)

    def _wanted(self, host: str) -> Cookie:
        # No domain above the page's host: the browser would take any, also that of all hosts under `com`.
        domain = f".{host}" if self.subdomains else ""
        expires = None if self.seconds is None else time.time() + self.seconds
        return Cookie(
            Own(self.name or ""),
            Own(self.value or ""),
            Own(domain),
            Own(self.path or ""),
            expires,
            self.http_only,
            self.secure,
            self.same_site,
        )


def _masked(cookies: Sequence[Cookie]) -> list[Cookie]:
    """Return cookies without the values that scripts of the page cannot read."""
    return [replace(cookie, value=Own(MASK)) if cookie.http_only else cookie for cookie in cookies]


def _line(cookie: Cookie) -> str:
    facts = [f"{cookie.domain}{cookie.path}"]
    facts += [f"until {moment(cookie.expires)[:19]}" if cookie.expires else "until the session ends"]
    facts += ["http only"] if cookie.http_only else []
    facts += ["secure"] if cookie.secure else []
    facts += [f"same site {cookie.same_site}"] if cookie.same_site else []
    return f"{cookie.name}={json.dumps(cookie.value, ensure_ascii=False)} ({', '.join(facts)})"


@dataclass(frozen=True)
class StoredEntry:
    """An item with its value; where databases or caches are listed, what each of them holds."""

    key: PageText
    value: Any

    def __str__(self) -> str:
        text = f"{self.key}: {json.dumps(self.value, ensure_ascii=False)}"
        return text if len(text) <= LONGEST_LINE else text[: LONGEST_LINE - 1] + "…"


@dataclass(frozen=True)
class StorageContents(Result):
    area: Own
    entries: tuple[StoredEntry, ...]
    total: int
    # The file that has all entries as JSON, if they are more than fits into an answer.
    path: Own = Own("")

    def __str__(self) -> str:
        return "\n".join(passage.text for passage in self.passages(""))

    def passages(self, origin: str) -> Iterator[Passage]:
        """Tell the entries, each on a line, and the file that has them in full."""
        if self.entries:
            yield Passage("\n".join(map(str, self.entries)), origin)
        if left_out := self.total - len(self.entries):
            yield Passage(f"{left_out} more." if self.entries else f"{left_out} left.")
        if self.path:
            yield Passage(f"All of it as JSON: {self.path} (read it with: {reading_command(self.path)})")
        if not self.total:
            yield Passage("Nothing is stored there.")


@action(Effect.SCRIPT, observes=False, group="storage")
class Storage(TabAction[StorageContents]):
    """List, read, set or delete what the page's origin stores."""

    area: Literal["local", "session", "indexeddb", "cache"] = arg("Which storage.", default="local")
    operation: Literal["list", "get", "set", "delete", "clear"] = arg("What to do.", default="list")
    key: str | None = arg("Name of the item, key of the record, or URL in a cache.", default=None)
    value: str | None = arg("Value to set; JSON for IndexedDB.", default=None)
    database: str | None = arg("Database, or cache.", default=None)
    store: str | None = arg("Object store of the database.", default=None)
    limit: int = arg("Most entries.", default=50, ge=1, le=1000)

    @property
    def concealed(self) -> tuple[str, ...]:
        return ("value",) if self.value is not None else ()

    async def perform(self, tab: Tab) -> StorageContents:
        self._check()
        texts = {"key": self.key, "value": self.value, "database": self.database, "store": self.store}
        request = {name: text or "" for name, text in texts.items()}
        answer = await tab.storage.run({**request, "area": self.area, "operation": self.operation, "limit": self.limit})
        entries = [StoredEntry(tab.url.around(entry["key"]), entry["value"]) for entry in answer["entries"]]
        return StorageContents(Own(self.area), tuple(entries), answer["total"], await self._saved(tab, entries))

    def _check(self) -> None:
        is_web = self.area in ("local", "session")
        needed = ["key"] if self.operation == "get" or (is_web and self.operation in ("set", "delete")) else []
        needed += ["value"] if self.operation == "set" else []
        needed += ["key"] if self.area == "cache" and self.operation == "set" else []
        if missing := [name for name in needed if getattr(self, name) is None]:
            raise InvalidArguments(f"`{missing[0]}` is missing: {self.operation} needs it.")

    async def _saved(self, tab: Tab, entries: Sequence[StoredEntry]) -> Own:
        """Write the entries to a file if a line cannot show one of them, or an answer all; return its path."""
        text = json.dumps({entry.key: entry.value for entry in entries}, ensure_ascii=False)
        data = tab.redact(text).encode("utf-8", "replace")
        is_cut = any(str(entry).endswith("…") for entry in entries)
        if not is_cut and len(data) <= tab.settings.observing.output:
            return Own("")
        return Own(await Workspace(tab.settings.workspace_folder).save(FOLDER, f"{self.area}-storage.json", data))
