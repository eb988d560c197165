"""A session whose agent may use secrets of the test site, for the tests of what it can find out about them."""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.site import Site

from rove import RoveError, Session, Settings
from rove.action import parse
from rove.engine.sessions import Sessions
from rove.toolsets.outcome_text import as_data, as_text, error_text

PASSWORD = "Zk7-quartz9Vlm"
TOKEN = "tkn_8Rw2xYpL5nQ"
CARD = "4929871534098861"


@contextlib.asynccontextmanager
async def secret_session(settings: Settings, site: Site, folder: Path) -> AsyncGenerator[Session]:
    """Open a session with a password, and with a token and a card number for any field, bound to the site."""
    file = folder / "secrets.toml"
    here = json.dumps([site.url("")])
    tables = {
        "shop": f'origins = {here}\nvalue = "{PASSWORD}"',
        "token": f'origins = {here}\nvalue = "{TOKEN}"\nfields = "any"',
        "card": f'origins = {here}\nvalue = "{CARD}"\nfields = "any"',
    }
    file.write_text("\n".join(f"[{name}]\n{table}" for name, table in tables.items()), encoding="utf-8")
    file.chmod(0o600)
    async with Sessions(replace(settings, secrets=file, workspace=folder / "workspace")) as sessions:
        yield Session(sessions, None)


async def answer(session: Session, verb: str, **arguments: Any) -> str:
    """Return all that an agent is told of an action."""
    try:
        outcome = await session.run(parse(verb, arguments))
    except RoveError as error:
        return error_text(error) + json.dumps(error.as_dict(), ensure_ascii=False)
    return as_text(outcome) + json.dumps(as_data(outcome), ensure_ascii=False)


async def value(session: Session, expression: str) -> Any:
    """Return the value of an expression in the page."""
    return (await session.evaluate(expression)).result.value
