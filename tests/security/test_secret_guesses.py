"""G6: A short secret is not found by listing what it could be."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import replace
from itertools import product

import pytest
from tests.security.secret_agent import answer
from tests.site import Site

from rove import Session, Settings
from rove.engine.sessions import Sessions
from rove.errors import Denied
from rove.guard.secrets.secret import NearMisses

PIN = "7306"


@pytest.fixture
async def agent(settings: Settings, site: Site, tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Session]:
    file = tmp_path_factory.mktemp("owner") / "secrets.toml"
    file.write_text(f'[pin]\norigins = ["{site.url("")}"]\nvalue = "{PIN}"\nfields = "any"\n', encoding="utf-8")
    file.chmod(0o600)
    async with Sessions(replace(settings, secrets=file)) as sessions:
        yield Session(sessions, None)


async def test_a_list_of_candidates_is_refused_before_it_is_answered(agent: Session, site: Site) -> None:
    await agent.navigate(site.page("/", "<textarea id=x></textarea>"))
    numbers = " ".join(f"{number:04d}" for number in range(7290, 7320))
    for verb, arguments in (("fill", {"target": "#x", "value": numbers}), ("clipboard", {"text": "7306 8000"})):
        told = await answer(agent, verb, **arguments)
        assert "guessed" in told
        assert "[secret pin]" not in told


def noted(*calls: object) -> bool:
    """Whether calls with these arguments are refused."""
    near = NearMisses({"pin": PIN, "password": "correct-horse"})
    for call in calls:
        near.note_arguments(call)
    try:
        near.refuse()
    except Denied:
        return True
    return False


def test_candidates_count_however_they_are_given() -> None:
    numbers = [f"{number:04d}" for number in range(150)]
    assert noted(*numbers)
    assert noted({"fields": [{"value": number} for number in numbers]})
    assert noted("".join("".join(digits) for digits in product("0123456789", repeat=3)))  # a row without separators
    assert noted(*range(1000, 1200))
    assert noted(PIN, f"x{PIN}y", {"number": int(PIN)})


def test_ordinary_arguments_are_no_guesses() -> None:
    assert not noted(*["the same 1234 5678"] * 500)
    assert not noted("a long text without numbers " * 1000, "correct-horse", "correct-horse", "correct-horse")
    assert not noted(*(f"https://shop.example/orders/{number}" for number in range(2000, 2050)), PIN, PIN)
