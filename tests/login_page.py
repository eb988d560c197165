"""A page with a login that is kept in a cookie, local and session storage and IndexedDB, and shows what it finds."""

from __future__ import annotations

from typing import Any

from tests.site import Site

from rove import Session

# The first script of the page reads what is there, before anything else runs.
LOGIN_PAGE = """<title>Login</title><p id="found">loading</p><button onclick="logIn()">Log in</button>
<script>
const found = {
  cookie: document.cookie, local: localStorage.getItem("token"), session: sessionStorage.getItem("step"), user: null,
};
const opening = indexedDB.open("accounts", 3);
opening.onupgradeneeded = () => opening.result.createObjectStore("users").createIndex("name", "name");
opening.onsuccess = () => {
  const reading = opening.result.transaction("users").objectStore("users").get("me");
  reading.onsuccess = () => {
    const user = reading.result;
    if (user && user.since instanceof Date && user.key instanceof Uint8Array) found.user = user.name;
    document.getElementById("found").textContent = JSON.stringify(found);
  };
};
function logIn() {
  document.cookie = "id=secret-cookie";
  document.cookie = "theme=dark; max-age=9999";
  localStorage.setItem("token", "secret-token");
  sessionStorage.setItem("step", "secret-step");
  const writing = opening.result.transaction("users", "readwrite");
  writing.objectStore("users").put({ name: "Ann", since: new Date(), key: new Uint8Array([1, 2]) }, "me");
  writing.oncomplete = () => (document.getElementById("found").textContent = "logged in");
}
</script>"""
LOGGED_OUT = {"cookie": "", "local": None, "session": None, "user": None}
LOGGED_IN = {"cookie": "id=secret-cookie; theme=dark", "local": "secret-token", "session": "secret-step", "user": "Ann"}
SECRETS = ("secret-cookie", "secret-token", "secret-step")


def serve(site: Site) -> str:
    """Serve the page; return its URL."""
    return site.page("/", LOGIN_PAGE)


async def log_in(session: Session, url: str) -> None:
    await found_at(session, url)  # the database is open by then
    await session.click('button "Log in"')
    await session.wait(text="logged in")


async def found_at(session: Session, url: str) -> Any:
    """Load the page, and return what its first script has found."""
    await session.navigate(url)
    await session.wait(text='"user"')
    return (await session.evaluate("found")).result.value
