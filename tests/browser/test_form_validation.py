"""Forms that the browser's own validation does not submit: the answer names the fields and the browser's messages."""

from __future__ import annotations

import re

import pytest
from tests.site import Site

from rove import Session
from rove.toolsets.outcome_text import as_text

pytestmark = pytest.mark.one_session

SILENT = "<form id=form action=/sent><label>Note <input oninput=form.checkValidity() required></label></form>"


async def said(session: Session, target: str) -> str:
    return as_text(await session.click(target))


@pytest.mark.parametrize(
    "field",
    [
        "<input id=f required>",
        "<input id=f type=email value=nobody>",
        "<input id=f pattern=[a-z]+ value=7>",
        "<input id=f type=number min=5 value=2>",
        pytest.param("<textarea id=f required></textarea>", marks=pytest.mark.slow),
        pytest.param("<select id=f required><option value=''>Choose<option>A</select>", marks=pytest.mark.slow),
        "<input id=f type=checkbox required>",
        "<input id=f type=radio name=r required><input type=radio name=r required>",
    ],
)
async def test_a_blocked_submit_names_the_field_and_the_browsers_message(
    session: Session, site: Site, field: str
) -> None:
    page = site.page("/", f"<form action=/sent><label for=f>Amount</label>{field}<button>Send</button></form>")
    await session.navigate(page)
    message = (await session.evaluate("document.getElementById('f').validationMessage")).result.value
    assert message
    for _ in range(2):
        answer = await said(session, 'button "Send"')
        (line,) = re.findall(r"^\(form not submitted\) .*", answer, re.MULTILINE)
        assert re.search(rf'\w+ "Amount" \[e\d+\]: "{re.escape(str(message))}"$', line), line
        assert "Nothing changed" not in answer
    assert (await session.status()).result is not None
    assert (await session.evaluate("location.pathname")).result.value == "/"


async def test_enter_and_batches_tell_of_a_blocked_submit(session: Session, site: Site) -> None:
    form = (
        "<form action=/sent><label>Name <input></label><label>Mail <input required></label><button>Send</button></form>"
    )
    await session.navigate(site.page("/", form + "<button>Other</button>"))
    assert '(form not submitted) textbox "Mail"' in as_text(await session.type("x", 'textbox "Name"', submit=True))
    steps = (
        {"action": "press", "key": "Enter", "target": 'textbox "Name"'},
        {"action": "hover", "target": 'button "Other"'},
    )
    assert '(form not submitted) textbox "Mail"' in as_text(await session.batch(steps))


async def test_a_message_of_the_page_and_a_hidden_field_are_told(session: Session, site: Site) -> None:
    fields = "<label>Code <input id=code></label><label>Kind <select required style='display: none'></select></label>"
    await session.navigate(site.page("/", f"<form action=/sent>{fields}<button>Send</button></form>"))
    await session.evaluate("document.getElementById('code').setCustomValidity('No \"such\"\\ncode')")
    answer = await said(session, 'button "Send"')
    assert re.search(r'\(form not submitted\) textbox "Code" \[e\d+\]: "No \\+"such\\+"\\+ncode"', answer)
    assert re.search(r'\(form not submitted\) combobox "Kind".* \[e\d+\]', answer)


async def test_a_form_in_a_shadow_tree_or_a_frame_is_told(session: Session, site: Site) -> None:
    form = "<form action=/sent><label>Name <input required></label><button>Send</button></form>"
    inner = site.page("/inner", form)
    shadow = f"<my-form><template shadowrootmode=open>{form.replace('Send', 'Go')}</template></my-form>"
    await session.navigate(site.page("/", f"{shadow}<iframe src={inner}></iframe>"))
    for button, ref in ("Go", r"e\d+"), ("Send", r"f\d+e\d+"):
        answer = await said(session, f'button "{button}"')
        assert re.search(rf'\(form not submitted\) textbox "Name" \[{ref}\]: "', answer), answer


async def test_words_of_a_frame_of_another_origin_are_told_with_that_origin(session: Session, site: Site) -> None:
    site.page("/inner", "<form action=/sent><label>Obey <input required></label><button>Send</button></form>")
    frame = f"<iframe src={site.url('/inner', host='localhost')}></iframe>"
    await session.navigate(site.page("/", frame))
    events = [event.text for event in (await session.click('button "Send"')).events]
    assert len(events) == 1
    assert re.search(r" \[f\d+e\d+\]: ", events[0])
    assert getattr(events[0], "origin", "") == site.url("", host="localhost")


async def test_a_script_that_only_asks_is_not_told(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", SILENT + "<p onclick=form.checkValidity()>Ask</p>"))
    assert (await session.type("a", 'textbox "Note"')).events == ()
    assert (await session.press("Backspace")).events == ()
    assert (await session.click("p")).events == ()


async def test_a_script_that_submits_is_told(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", SILENT + "<p onclick=form.requestSubmit()>Send</p>"))
    assert re.search(r'\(field not valid\) textbox "Note" \[e\d+\]: "', await said(session, "p"))


async def test_a_form_that_is_submitted_tells_of_no_field(session: Session, site: Site) -> None:
    script = "event.preventDefault(); this.checkValidity(); document.title = 'sent'"
    form = f'<form novalidate onsubmit="{script}"><input aria-label=A required><button>Send</button></form>'
    await session.navigate(site.page("/", form))
    assert (await session.click('button "Send"')).events == ()
