"""Permission requests of a page are denied at once, so that neither page nor agent waits."""

from __future__ import annotations

import time
from typing import Any

import pytest
from tests.site import Site

from rove import Session

pytestmark = pytest.mark.one_session

MAX_SECONDS = 15
REQUESTS = {
    "geolocation": ("new Promise(r => navigator.geolocation.getCurrentPosition(() => r('given'), e => r(e.code)))", 1),
    "notifications": ("Notification.requestPermission()", "denied"),
    "camera": ("navigator.mediaDevices.getUserMedia({video: true})", {"NotAllowedError", "NotFoundError"}),
    "microphone": ("navigator.mediaDevices.getUserMedia({audio: true})", {"NotAllowedError", "NotFoundError"}),
    "screen": ("navigator.mediaDevices.getDisplayMedia({video: true})", {"NotAllowedError", "NotSupportedError"}),
    "clipboard": ("navigator.clipboard.readText()", {"NotAllowedError"}),
    "usb": ("navigator.usb.requestDevice({filters: []})", {"NotFoundError"}),
    "serial": ("navigator.serial.requestPort()", {"NotFoundError"}),
    "hid": ("navigator.hid.requestDevice({filters: []}).then(found => found.length)", 0),
    "midi": ("navigator.requestMIDIAccess({sysex: true})", {"NotAllowedError"}),
    "idle": ("IdleDetector.requestPermission()", "denied"),
    "wake lock": ("navigator.wakeLock.request('screen')", {"NotAllowedError"}),
    "a passkey": (
        "navigator.credentials.create({publicKey: {challenge: new Uint8Array(16), rp: {name: 'x'}, user: {id: "
        "new Uint8Array(4), name: 'n', displayName: 'd'}, pubKeyCredParams: [{type: 'public-key', alg: -7}]}})",
        {"NotAllowedError"},
    ),
    "a passkey, to log in": (
        "navigator.credentials.get({publicKey: {challenge: new Uint8Array(16), "
        "allowCredentials: [{type: 'public-key', id: new Uint8Array(16)}]}})",
        {"NotAllowedError"},
    ),
    "a code from a phone": ("navigator.credentials.get({otp: {transport: ['sms']}})", {"NotSupportedError"}),
    "a passport": ("navigator.credentials.get({digital: {requests: []}})", {"NotSupportedError", "TypeError"}),
    "a stored password": ("navigator.credentials.get({password: true})", {"NotSupportedError", None}),
    "what is said": ("new webkitSpeechRecognition()", {"ReferenceError"}),
    "screens": ("getScreenDetails()", {"NotAllowedError"}),
    "storage for ever": ("navigator.storage.persist()", False),
}
QUERIED = [
    "geolocation", "notifications", "camera", "microphone", "clipboard-read", "clipboard-write", "local-network-access",
    "midi", "idle-detection", "window-management", "local-fonts", "display-capture",
]  # fmt: skip


async def value(session: Session, expression: str) -> Any:
    return (await session.evaluate(expression)).result.value


@pytest.fixture
async def page(session: Session, site: Site) -> Session:
    await session.navigate(site.page("/", "<button>Press</button>"))
    await session.click("button")
    return session


@pytest.mark.parametrize("what", REQUESTS)
async def test_47_a_permission_request_is_denied_at_once(page: Session, what: str) -> None:
    code, refusal = REQUESTS[what]
    began = time.monotonic()
    answer = await value(page, f"(async () => {code})().catch(error => error.name)")
    assert time.monotonic() - began < MAX_SECONDS
    assert answer in refusal if isinstance(refusal, set) else answer == refusal


async def test_47_querying_a_permission_says_denied(page: Session) -> None:
    asks = ", ".join(f"navigator.permissions.query({{name: '{name}'}}).then(p => p.state)" for name in QUERIED)
    assert await value(page, f"Promise.all([{asks}])") == ["denied"] * len(QUERIED)


async def test_47_permissions_are_denied_in_every_tab_and_session(page: Session, site: Site) -> None:
    ask = "Notification.requestPermission()"
    await page.tabs("new", url=site.url("/"))
    assert await value(page, ask) == "denied"
    other = await page.another()
    await other.navigate(site.url("/", "localhost"))
    assert await value(other, ask) == "denied"


async def test_47_a_page_on_this_machine_still_reaches_its_own_backend(page: Session, site: Site) -> None:
    site.page("/api", "ok", headers={"Access-Control-Allow-Origin": "*"}, kind="text/plain")
    assert await value(page, f"fetch('{site.url('/api', 'localhost')}').then(r => r.text())") == "ok"
