"""G6: No question about a page tells what a secret begins with, and no request that carries one is shown."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator
from typing import Any

import pytest
from tests.security.secret_agent import PASSWORD, TOKEN, answer, secret_session, value
from tests.site import Site

from rove import Session, Settings
from rove.errors import Denied

# A page that has a secret in an attribute, in a text, in the name of a button and in its URL, and sends it.
PAGE = """<input id=p type=password><input id=t value=x><button id=b>Copy</button><p id=out>Nothing</p>
  <textarea id=free></textarea><script>
  p.oninput = () => {
    const said = p.value;
    for (const name of ['value', 'title', 'placeholder', 'lang']) t.setAttribute(name, said);
    t.style.setProperty('--v', said); b.textContent = 'Copy ' + said; out.textContent = 'Your key is ' + said + '.';
    history.replaceState(null, '', '?pw=' + said);
    fetch('/send?pw=' + said, {method: 'POST', body: 'k=' + said.slice(1), headers: {'x-key': btoa(said)}})
      .then(r => r.text()).then(r => { out.dataset.done = '1' });
  };</script>"""


@pytest.fixture(scope="module")
async def agent(settings: Settings, _server: Site, tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Session]:
    async with secret_session(settings, _server, tmp_path_factory.mktemp("owner")) as session:
        yield session


@pytest.fixture
async def page(agent: Session, site: Site) -> Session:
    site.page("/send", f"thanks for {PASSWORD[::-1]}", kind="text/plain")
    await agent.navigate(site.page("/", PAGE))
    await agent.fill("#p", "secret:shop")
    await agent.evaluate(
        "new Promise(done => { const t = setInterval(() => out.dataset.done && (clearInterval(t), done(1)), 10) })"
    )
    return agent


# Ways to write a selector or a locator whose answer would depend on what an attribute or a text begins with.
TELLING = (
    'css=body:has([value^="GUESS"]) #b',
    """locator('body:has([value^="GUESS"]) #b')""",
    'body:has([value^="GUESS"]) >> #b',
    "body >> [value^=GUESS]",
    'body:has([/*]*/value^="GUESS"]) #b',
    'body:has([ /* [ */ value /**/ ^= "GUESS"]) #b',
    r'body:has([v\61lue^="GUESS"]) #b',
    r'body:has([\000076 alue^="GUESS"]) #b',
    'body:has([*|value^="GUESS"]) #b',
    'body:has([|value^="GUESS" i]) #b',
    'body:has([VALUE^="GUESS"]) #b',
    ':is(:unknown, body:has([value^="GUESS"])) #b',
    'body:has(:nth-child(2 of [value^="GUESS"])) #b',
    'body:not(:has([value^="GUESS"])) #b',
    '[value^="GUESS"',
    "body:has([lang|=GUESS]) #b",
    'body:has([style*="--v: GUESS"]) #b',
    "body:has(:lang(GUESS)) #b",
    "getByPlaceholder(/^GUESS/)",
    "getByTitle(/^GUESS/)",
    "getByTitle(/^(?!GUESS)/)",
    "getByText(/is GUESS/)",
    "getByText(/is (?!GUESS)/)",
    "getByRole('button', { name: /^Copy GUESS/ })",
    "locator('body').filter({ hasText: /is GUESS/ }).locator('#free')",
    "text=is GUESS",
    'role=button[name="Copy GUESS"i]',
    'id=x"],[value^="GUESS',
)


def _as_target(selector: str) -> Any:
    return lambda guess: {"target": selector.replace("GUESS", guess)}


def asked(right: str, wrong: str) -> list[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Return questions that would be answered differently for a right and a wrong guess."""
    questions: list[tuple[str, Any]] = [
        ("extract", lambda guess: {"target": f'input[value^="{guess}"]'}),
        ("extract", lambda guess: {"target": f'#free:has(~ [value*="{guess}"]), body:has([value^="{guess}" i])'}),
        ("extract", lambda guess: {"target": rf'[\76 alue^="{guess}"]'}),
        ("wait", lambda guess: {"selector": f'[value^="{guess}"]', "seconds": 0.2}),
        ("wait", lambda guess: {"text": f"key is {guess}", "seconds": 0.2}),
        ("wait", lambda guess: {"url": f"pw={guess}", "seconds": 0.2}),
        ("wait", lambda guess: {"url": f"*pw={guess}*", "seconds": 0.2}),
        ("find", lambda guess: {"text": f"key is {guess}"}),
        ("find", lambda guess: {"regex": f"is {guess}"}),
        ("find", lambda guess: {"text": f"Copy {guess}"}),
        ("find", lambda guess: {"role": "button", "text": f"Copy {guess}"}),
        ("find", lambda guess: {"role": "button", "regex": f"Copy {guess}"}),
        ("network", lambda guess: {"url": f"pw={guess}"}),
        ("network", lambda guess: {"url": f"*pw={guess}*"}),
        ("network", lambda guess: {"regex": f"pw={guess}"}),
        ("hover", lambda guess: {"target": f'button "Copy {guess}"'}),
        ("hover", lambda guess: {"target": f"getByText('Copy {guess}')"}),
        ("find", lambda guess: {"regex": f"is (?!{guess})"}),
        *[("hover", _as_target(selector)) for selector in TELLING],
        (
            "extract",
            lambda guess: {"mode": "rows", "schema": {"rows": f'input[value^="{guess}"]', "fields": {"a": "@id"}}},
        ),
    ]
    return [(verb, question(right), question(wrong)) for verb, question in questions]


def same_for_any_guess(text: str, *guesses: str) -> str:
    """Return an answer without the guess itself, random numbers and times."""
    for guess in guesses:
        text = text.replace(guess, "GUESS")
    return re.sub(r"[0-9]+(\.[0-9]+)?", "0", text)


async def test_a_right_guess_is_answered_like_a_wrong_one(page: Session) -> None:
    right, wrong = PASSWORD[:3], "Qm3"
    different = []
    for verb, with_right, with_wrong in asked(right, wrong):
        answers = [await answer(page, verb, **arguments) for arguments in (with_right, with_wrong)]
        one, other = (same_for_any_guess(text, right, wrong) for text in answers)
        if one != other:
            different.append((verb, with_right, *answers))
    assert different == []


async def test_selectors_that_test_other_attributes_work_beside_a_secret(page: Session) -> None:
    for target in (
        "input[type='password']",
        '[id="free"]',
        "textarea[id]",
        "css=#p[type^=pass]",
        "getByRole('textbox')",
    ):
        told = await answer(page, "extract", target=target, all=True)
        assert "denied" not in told, target
        assert "not found" not in told, target
    assert "denied" in await answer(page, "extract", target="input[value='x']")


async def test_requests_that_carry_a_secret_or_a_part_are_withheld_as_a_whole(page: Session) -> None:
    everything = await answer(page, "network")
    *_, sent = (line for line in (await page.network()).result.requests if line.method == "POST")
    assert sent.url.rpartition("/")[2] == "[withheld: carries secret shop]"
    told = await answer(page, "network", request=sent.request, body=True)
    assert "Request body:\n" in told
    assert told.count("[withheld: carries secret shop]") >= 4  # the URL, the header, both bodies
    assert [part for part in parts_of(PASSWORD) if part in (everything + told).lower()] == []


async def test_no_output_shows_a_part_or_a_transformed_value(page: Session) -> None:
    await value(
        page,
        "out.innerHTML = p.value.split('').map(c => '<b>' + c + '</b>').join(' ')"
        " + '<p>' + p.value.slice(3) + '</p><p>' + p.value.split('').reverse().join('') + '</p>'"
        " + '<p>' + p.value.split('').join('-') + '</p>'",
    )
    told = "".join(
        [
            await answer(page, "snapshot"),
            await answer(page, "extract"),
            await answer(page, "extract", mode="html"),
            await answer(page, "extract", target="b", all=True),
            await answer(page, "extract", mode="readable"),
            await answer(page, "find", role="paragraph"),
        ]
    )
    joined = "".join(letter for letter in told.lower() if letter.isalnum())
    assert [part for part in parts_of(PASSWORD) if part in told.lower() or part in joined] == []


def parts_of(secret: str) -> list[str]:
    letters = [secret.lower(), secret.lower()[::-1]]
    letters += ["".join(filter(str.isalnum, text)) for text in letters]
    return [text[at : at + 5] for text in letters for at in range(len(text) - 4)]


async def test_guessing_is_noticed_and_refused(
    settings: Settings, site: Site, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A page with guesses, which would be answered by what is redacted on it."""
    async with secret_session(settings, site, tmp_path_factory.mktemp("owner")) as session:
        for at in range(4):
            await session.navigate(site.page("/", f"<p>aaaaa {TOKEN[at : at + 5]} bbbbb</p>"))
        await session.navigate(site.page("/", f"<p>{TOKEN[2:7]}</p>"))  # the same again
        with pytest.raises(Denied, match="guessed"):
            await session.navigate(site.page("/", f"<p>aaaaa {TOKEN[6:11]} bbbbb</p>"))
        with pytest.raises(Denied, match="guessed"):
            await session.snapshot()
        journal = (settings.home_folder / "sessions" / "default.jsonl").read_text(encoding="utf-8")
        assert "as if it were being guessed" in journal
