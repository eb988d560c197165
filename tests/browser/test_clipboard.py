"""The clipboard: each session has its own, separate from the browser's."""

from __future__ import annotations

from typing import Any

import pytest
from tests.site import Site

from rove import Session

# The whole run must stay short; `make test-all` runs these too.
pytestmark = pytest.mark.slow

FIELDS = "<input id=a value='green tea'><input id=b><textarea id=c></textarea><p id=d contenteditable>rich</p>"


async def value(session: Session, expression: str) -> Any:
    return (await session.evaluate(expression)).result.value


async def clipboard(session: Session) -> str:
    return (await session.clipboard()).result.text


async def copy(session: Session, target: str, key: str = "Control+C") -> None:
    await session.press("Control+A", target)
    await session.press(key)


async def test_copy_and_paste_by_keys(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", FIELDS))
    await copy(session, "#a")
    await session.press("Control+V", "#b")
    assert await value(session, "[a.value, b.value]") == ["green tea", "green tea"]
    assert await clipboard(session) == "green tea"


@pytest.mark.parametrize(("key", "left"), [("Control+X", ""), ("Shift+Delete", ""), ("Control+Insert", "green tea")])
async def test_cut_removes_the_text(session: Session, site: Site, key: str, left: str) -> None:
    await session.navigate(site.page("/", FIELDS))
    await copy(session, "#a", key)
    assert await value(session, "a.value") == left
    assert await clipboard(session) == "green tea"


async def test_cut_without_a_selection_removes_nothing(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", FIELDS))
    await session.clipboard("before")
    await session.press("Control+X", "#a")
    assert await value(session, "a.value") == "green tea"
    assert await clipboard(session) == "before"


@pytest.mark.parametrize(
    ("target", "expression", "pasted"),
    [
        ("#b", "b.value", "one two"),
        ("#c", "c.value", "one\ntwo"),
        ("#d", "d.innerText", "richone\ntwo"),
    ],
)
@pytest.mark.parametrize("key", ["Control+V", "Shift+Insert", "ctrl+shift+v"])
async def test_text_that_the_agent_put_on_the_clipboard_is_pasted(
    session: Session, site: Site, target: str, expression: str, pasted: str, key: str
) -> None:
    await session.navigate(site.page("/", FIELDS))
    await session.clipboard("one\ntwo")
    await session.press(key, target)
    assert await value(session, expression) == pasted


async def test_a_paste_can_be_undone(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", FIELDS))
    await session.clipboard("more")
    await session.press("Control+V", "#a")
    await session.press("Control+Z")
    assert await value(session, "a.value") == "green tea"


async def test_selected_text_of_a_page_is_copied(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<p id=p>Some <b>bold</b> words</p>"))
    await session.evaluate("getSelection().selectAllChildren(p)")
    await session.press("Control+C")
    assert await clipboard(session) == "Some bold words"


async def test_copy_and_paste_handlers_of_a_page_are_called(session: Session, site: Site) -> None:
    page = f"""{FIELDS}<script>
      addEventListener('copy', event => {{ event.stopImmediatePropagation();
        event.clipboardData.setData('text/plain', 'chosen by the page'); event.preventDefault() }}, true);
      addEventListener('paste', event => {{ b.value = '<' + event.clipboardData.getData('text/plain') + '>';
        event.preventDefault() }});</script>"""
    await session.navigate(site.page("/", page))
    await copy(session, "#a")
    assert await clipboard(session) == "chosen by the page"
    await session.press("Control+V", "#c")
    assert await value(session, "[b.value, c.value]") == ["<chosen by the page>", ""]


async def test_a_button_that_writes_to_the_clipboard_works(session: Session, site: Site) -> None:
    copies = "getSelection().selectAllChildren(p); document.execCommand('copy')"
    await session.navigate(site.page("/", f'<p id=p>the link</p><button onclick="{copies}">Copy</button>'))
    await session.click("button")
    assert await clipboard(session) == "the link"


WRITES = "navigator.clipboard.writeText('a link').then(() => 'Copied', (error) => error.name)"


async def test_a_page_can_write_to_the_clipboard_after_a_click(session: Session, site: Site) -> None:
    button = f'<button onclick="{WRITES}.then((word) => this.textContent = word)">Copy link</button><input id=b>'
    await session.navigate(site.page("/", button))
    assert '"Copied"' in (await session.click("button")).changes.text
    await session.press("Control+V", "#b")
    assert await value(session, "b.value") == "a link"


async def test_a_page_cannot_write_to_the_clipboard_without_a_click(session: Session, site: Site) -> None:
    page = f"<p id=p></p><script>{WRITES}.then((word) => p.textContent = word)</script>"
    await session.navigate(site.page("/", page))
    await session.wait(text="NotAllowedError")
    assert await clipboard(session) == ""


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_copy_and_paste_work_in_frames(session: Session, site: Site, host: str) -> None:
    site.page("/frame", "<input id=i value=inner>")
    await session.navigate(site.page("/", f"<input id=a><iframe src={site.url('/frame', host)}></iframe>"))
    (match,) = (await session.find(role="textbox", text="inner")).result.matches
    assert match.ref is not None and match.ref.startswith("f")
    await copy(session, match.ref)
    assert await clipboard(session) == "inner"
    await session.clipboard("outer")
    await copy(session, match.ref, "Control+V")
    await session.press("Control+V", "#a")
    assert await value(session, "a.value") == "outer"
    assert "outer" in str((await session.find(role="textbox", text="outer")).result)


async def test_copy_works_after_document_open(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<p>Old</p>"))
    await session.evaluate("document.open(); document.write('<input id=a value=new><input id=b>'); document.close()")
    await copy(session, "#a")
    assert await clipboard(session) == "new"
    await session.clipboard("given")
    await session.press("Control+V", "#b")
    assert await value(session, "b.value") == "given"


async def test_two_sessions_do_not_share_a_clipboard(session: Session, site: Site) -> None:
    other = await session.another()
    for each in (session, other):
        await each.navigate(site.page("/", FIELDS))
    await copy(session, "#a")
    await other.press("Control+V", "#b")
    assert await value(other, "b.value") == ""
    assert await clipboard(other) == ""
    await other.clipboard("theirs")
    assert await clipboard(session) == "green tea"


async def test_a_selection_in_one_session_is_not_pasted_in_another(session: Session, site: Site) -> None:
    other = await session.another()
    for each in (session, other):
        await each.navigate(site.page("/", FIELDS))
    await session.press("Control+A", "#a")
    await other.click("#b", button="middle")
    assert await value(other, "b.value") == ""
    await other.evaluate("document.open(); document.write('<input id=b>'); document.close()")
    await other.click("#b", button="middle")
    assert await value(other, "b.value") == ""


async def test_a_page_cannot_read_the_clipboard(session: Session, site: Site) -> None:
    listens = "seen = []; addEventListener('paste', e => seen.push(e.clipboardData.getData('text')))"
    await session.navigate(site.page("/", f"<input id=a><script>{listens}</script>"))
    await session.clipboard("secret")
    await session.click("#a")
    assert await value(session, "document.execCommand('paste')") is False
    read = "navigator.clipboard.readText().then(text => 'read: ' + text, error => error.name)"
    assert await value(session, read) == "NotAllowedError"
    assert await value(session, "[seen, a.value]") == [[], ""]


async def test_a_page_cannot_call_roves_binding(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", FIELDS))
    assert await value(session, "Object.keys(globalThis).filter(name => /^rove/i.test(name))") == []
    assert await value(session, "typeof roveCopied") == "undefined"


async def test_a_password_is_not_copied(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<input id=a type=password value=hunter2>"))
    await copy(session, "#a")
    assert await clipboard(session) == ""


async def test_a_long_text_is_shortened_only_in_the_result(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", FIELDS))
    result = (await session.clipboard("x" * 20_000)).result
    assert (len(result.text), result.is_cut) == (10_000, True)
    await session.press("Control+V", "#c")
    assert await value(session, "c.value.length") == 20_000


async def test_page_elements_named_like_document_properties_do_not_break_the_clipboard(
    session: Session, site: Site
) -> None:
    page = "<form name=execCommand><input id=a value=tea><input id=b name=dispatchEvent></form>"
    await session.navigate(site.page("/", page))
    await copy(session, "#a", "Control+X")
    await session.press("Control+V", "#b")
    assert await value(session, "[a.value, b.value]") == ["", "tea"]
